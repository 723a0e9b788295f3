"""Passwords, tokens, addresses and the limiter: the acceptance tables 17.1 and 17.3 of public-api-auth."""

import pytest

from orihon.accounts import passwords, tokens
from orihon.accounts.addresses import client_address
from orihon.accounts.errors import BadPassword, BadUsername
from orihon.accounts.limiter import MOST_ADDRESSES, Limiter
from orihon.accounts.passwords import Passwords
from orihon.accounts.users import checked_name


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def drained(limiter: Limiter, address: str | None, tries: int) -> list[int | None]:
    return [limiter.take(address) for _ in range(tries)]


@pytest.mark.parametrize(
    "password",
    [
        pytest.param("short", id="P1-five"),
        pytest.param("1234567", id="P1-seven"),
        pytest.param("a" * 1025, id="P3-1025"),
        pytest.param("é" * 600, id="P5-1200-bytes"),
        pytest.param("\ud800" * 8, id="lone-surrogates"),
    ],
)
def test_a_password_that_the_rules_refuse(password: str) -> None:
    with pytest.raises(BadPassword):
        passwords.validate(password)


@pytest.mark.parametrize(
    "password",
    [
        pytest.param("12345678", id="P2-eight"),
        pytest.param("hunter2hunter2", id="P2-fourteen"),
        pytest.param("a" * 1024, id="P2-1024"),
        pytest.param("éééé", id="P4-eight-bytes"),
    ],
)
def test_a_password_that_the_rules_take(password: str) -> None:
    passwords.validate(password)


@pytest.mark.anyio
async def test_hashes_are_salted_and_verify_only_their_own_password() -> None:
    """P6, P7, P9."""
    hasher = Passwords()
    known = await hasher.hash("correct horse battery staple")
    assert known.startswith("$argon2id$")
    assert await hasher.verify("correct horse battery staple", known)
    assert not await hasher.verify("hunter3", known)
    assert await hasher.hash("same") != await hasher.hash("same")
    hasher.close()


@pytest.mark.anyio
async def test_what_is_no_hash_fits_nothing_and_raises_nothing() -> None:
    """P8; and nobody's password fits the hash that stands for unknown users."""
    hasher = Passwords()
    assert not await hasher.verify("whatever", "not a real phc")
    assert not await hasher.verify("whatever", None)
    assert not await hasher.verify("\ud800", None)
    hasher.close()


def test_tokens_are_long_and_fit_a_cookie() -> None:
    """P15."""
    token = tokens.generate()
    assert len(token) == 43
    assert "=" not in token
    assert token != tokens.generate()
    assert token.replace("-", "").replace("_", "").isalnum()


def test_a_digest_depends_on_the_whole_token() -> None:
    """P14."""
    assert tokens.digest("abc") == tokens.digest("abc")
    assert tokens.digest("abc") != tokens.digest("abd")
    assert len(tokens.digest("abc")) == 32


@pytest.mark.parametrize("name", ["", "   ", "a" * 65, "a\x00b", "ad\u200bmin", "a\nb", "\u202eadmin"])
def test_user_names_that_could_be_mistaken_or_are_none(name: str) -> None:
    with pytest.raises(BadUsername):
        checked_name(name)


def test_user_names_are_trimmed() -> None:
    assert checked_name("  Ōkami san ") == "Ōkami san"


@pytest.mark.parametrize(
    ("header", "address"),
    [
        pytest.param("203.0.113.5, 10.0.0.1, 10.0.0.2", "203.0.113.5", id="L1"),
        pytest.param("  198.51.100.9  ", "198.51.100.9", id="L2"),
        pytest.param("2001:db8::1, 10.0.0.1", "2001:db8::1", id="L3"),
        pytest.param("", None, id="L4-empty"),
        pytest.param("   ", None, id="L4-blank"),
        pytest.param("not-an-ip", None, id="L4-junk"),
        pytest.param(", 10.0.0.1", None, id="L4-no-fall-through"),
        pytest.param("fe80::1%eth0", None, id="zone"),
        pytest.param(None, None, id="absent"),
    ],
)
def test_the_left_most_address_of_a_trusted_proxy(header: str | None, address: str | None) -> None:
    assert client_address(header, trusted_proxy=True) == address


def test_nobody_believes_the_header_without_a_trusted_proxy() -> None:
    """L5."""
    assert client_address("203.0.113.5", trusted_proxy=False) is None


def test_a_rate_of_zero_switches_the_limiter_off() -> None:
    """L6."""
    assert drained(Limiter(0, 0, now=Clock()), None, 1000) == [None] * 1000


def test_a_burst_of_zero_refuses_everything() -> None:
    assert drained(Limiter(5, 0, now=Clock()), None, 3) == [1, 1, 1]


def test_the_burst_then_a_wait() -> None:
    """L7, L9."""
    assert drained(Limiter(1, 3, now=Clock()), None, 4) == [None, None, None, 1]


def test_tokens_come_back_with_time() -> None:
    """L8."""
    clock = Clock()
    limiter = Limiter(10, 1, now=clock)
    assert drained(limiter, None, 2) == [None, 1]
    clock.seconds += 0.15
    assert limiter.take(None) is None


def test_no_more_tokens_come_back_than_the_burst() -> None:
    clock = Clock()
    limiter = Limiter(5, 2, now=clock)
    clock.seconds += 3600
    assert drained(limiter, None, 3) == [None, None, 1]


def test_a_clock_that_steps_back_takes_no_tokens() -> None:
    """Porting trap 20.7."""
    clock = Clock()
    limiter = Limiter(1, 2, now=clock)
    limiter.take(None)
    clock.seconds -= 500
    assert limiter.take(None) is None


def test_addresses_do_not_touch_each_other_nor_the_shared_bucket() -> None:
    """L10, L11."""
    limiter = Limiter(1, 2, now=Clock())
    assert drained(limiter, "203.0.113.7", 3) == [None, None, 1]
    assert drained(limiter, "198.51.100.9", 3) == [None, None, 1]
    assert drained(limiter, None, 3) == [None, None, 1]
    assert limiter.take("203.0.113.1") is None


def test_a_flood_of_addresses_is_bounded_and_shares_one_bucket() -> None:
    """L12: none of the 10,000 is idle, so the newcomers share; known addresses keep their own."""
    clock = Clock()
    limiter = Limiter(1, 1, now=clock)
    for number in range(MOST_ADDRESSES + 50):
        limiter.take(f"address {number}")
    assert len(limiter) == MOST_ADDRESSES
    assert limiter.take("one more") == 1
    clock.seconds += 1
    assert limiter.take("address 0") is None


def test_idle_addresses_make_room() -> None:
    clock = Clock()
    limiter = Limiter(1, 1, now=clock)
    for number in range(MOST_ADDRESSES):
        limiter.take(f"address {number}")
    clock.seconds += 2
    assert limiter.take("newcomer") is None
    assert len(limiter) == 1


def test_a_clock_that_fails_leaves_the_limiter_usable() -> None:
    """L13: an error inside must not lock everybody out."""
    clock = Clock()
    limiter = Limiter(1, 1, now=clock)
    broken = Limiter.take
    with pytest.raises(TypeError):
        broken(limiter, [])  # type: ignore[arg-type]
    assert limiter.take("203.0.113.7") is None
    assert limiter.take(None) is None
