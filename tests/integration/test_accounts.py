"""Accounts, sessions and the first administrator, against a real database."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from orihon.accounts import sessions, tokens, users
from orihon.accounts.bootstrap import ensure_admin
from orihon.accounts.errors import BadPassword, UsernameTaken, WrongCredentials
from orihon.accounts.passwords import Passwords
from orihon.accounts.sessions import SessionCache
from orihon.config import Settings
from orihon.db.notify import Bus
from orihon.db.pool import Pool

pytestmark = pytest.mark.anyio

PASSWORD = "correct horse battery staple"


class CountingPasswords(Passwords):
    """How often a password was looked at, and against what."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str | None] = []

    async def verify(self, password: str, known: str | None) -> bool:
        self.asked.append(known)
        return await super().verify(password, known)


@pytest.fixture
async def hasher() -> AsyncIterator[CountingPasswords]:
    made = CountingPasswords()
    yield made
    made.close()


@pytest.fixture
async def reader(pool: Pool, hasher: Passwords) -> users.User:
    async with pool.acquire() as db:
        return await users.add(db, "Reader", PASSWORD, admin=False, hasher=hasher)


async def test_the_right_password_signs_in_whatever_the_case_of_the_name(
    pool: Pool, hasher: Passwords, reader: users.User
) -> None:
    async with pool.acquire() as db:
        assert await users.authenticate(db, "  rEADER ", PASSWORD, hasher=hasher) == reader


async def test_an_unknown_name_costs_one_dummy_check_and_gets_the_same_answer(
    pool: Pool, hasher: CountingPasswords, reader: users.User
) -> None:
    """P11."""
    told = []
    async with pool.acquire() as db:
        for name in ("nobody", "reader"):
            with pytest.raises(WrongCredentials) as caught:
                await users.authenticate(db, name, "wrong password", hasher=hasher)
            told.append(str(caught.value))
    assert told[0] == told[1]
    assert hasher.asked[0] is None
    assert len(hasher.asked) == 2


@pytest.mark.parametrize("name", ["reader", "nobody"])
async def test_an_oversized_password_is_refused_before_anything_is_hashed(
    pool: Pool, hasher: CountingPasswords, reader: users.User, name: str
) -> None:
    """P10."""
    async with pool.acquire() as db:
        with pytest.raises(BadPassword):
            await users.authenticate(db, name, "a" * 1025, hasher=hasher)
    assert hasher.asked == []


async def test_two_users_cannot_share_a_name_by_case(pool: Pool, hasher: Passwords, reader: users.User) -> None:
    async with pool.acquire() as db:
        with pytest.raises(UsernameTaken):
            await users.add(db, "READER", PASSWORD, admin=True, hasher=hasher)


async def test_the_database_never_sees_a_token(pool: Pool, reader: users.User) -> None:
    async with pool.acquire() as db:
        token = await sessions.start(db, reader.id, days=30)
        stored = await db.fetchval("SELECT token_hash FROM sessions")
    assert stored == tokens.digest(token)


async def test_a_session_ends_on_time(pool: Pool, reader: users.User) -> None:
    async with pool.acquire() as db:
        token = await sessions.start(db, reader.id, days=30)
        assert await sessions.find(db, tokens.digest(token)) is not None
        await db.execute("UPDATE sessions SET expires_at = now()")
        assert await sessions.find(db, tokens.digest(token)) is None
        assert await sessions.reap(db) == 1


async def test_a_held_session_is_not_believed_past_its_end(pool: Pool, reader: users.User) -> None:
    async with pool.acquire() as db:
        token = await sessions.start(db, reader.id, days=1)
        session = await sessions.find(db, tokens.digest(token))
    assert session is not None
    clock = [session.expires_at.timestamp() - 10]
    cache = SessionCache(pool, now=lambda: clock[0], ttl=3600)
    assert await cache.get(token) is not None
    assert cache.peek(token) is not None
    clock[0] += 11
    assert cache.peek(token) is None


async def test_a_clock_that_is_set_back_holds_no_session_for_longer(pool: Pool, reader: users.User) -> None:
    clock = [0.0]
    cache = SessionCache(pool, now=lambda: clock[0], ttl=60)
    async with pool.acquire() as db:
        token = await sessions.start(db, reader.id, days=1)
    assert await cache.get(token) is not None
    clock[0] -= 3600
    assert cache.peek(token) is None, "it is looked up again"
    assert await cache.get(token) is not None
    assert cache.peek(token) is not None


async def test_a_new_password_ends_the_other_sessions_only(pool: Pool, hasher: Passwords, reader: users.User) -> None:
    async with pool.acquire() as db:
        kept, other = [await sessions.start(db, reader.id, days=30) for _ in range(2)]
        async with db.transaction():
            await users.set_password(db, reader.id, "a new password", hasher=hasher, keep=tokens.digest(kept))
        assert await sessions.find(db, tokens.digest(kept)) is not None
        assert await sessions.find(db, tokens.digest(other)) is None
        await users.authenticate(db, "reader", "a new password", hasher=hasher)
        with pytest.raises(WrongCredentials):
            await users.authenticate(db, "reader", PASSWORD, hasher=hasher)


async def test_signing_out_is_heard_by_every_process(dsn: str, pool: Pool, reader: users.User) -> None:
    async with Bus(dsn) as bus:
        await bus.ready()
        cache = SessionCache(pool, now=lambda: 0.0)
        cache.listen(bus)
        heard = asyncio.Event()
        bus.listen("sessions", lambda _: heard.set())
        async with pool.acquire() as db:
            token = await sessions.start(db, reader.id, days=30)
            assert await cache.get(token) is not None
            await sessions.end(db, tokens.digest(token))
        async with asyncio.timeout(5):
            await heard.wait()
        assert cache.peek(token) is None
        assert await cache.get(token) is None


@pytest.mark.parametrize(
    ("sql", "left"),
    [
        ("DELETE FROM users WHERE id = $1", None),
        ("UPDATE users SET is_admin = true WHERE id = $1", True),
        ("UPDATE users SET is_admin = false WHERE id = $1", False),
    ],
    ids=["removed", "raised", "lowered"],
)
async def test_a_removed_user_or_another_right_is_heard_by_every_process(
    dsn: str, pool: Pool, reader: users.User, sql: str, left: bool | None
) -> None:
    """Whoever did it, an operator at the database included; a held session does not outlive it."""
    async with Bus(dsn) as bus:
        await bus.ready()
        cache = SessionCache(pool, now=lambda: 0.0)
        cache.listen(bus)
        heard = asyncio.Event()
        bus.listen("sessions", lambda _: heard.set())
        async with pool.acquire() as db:
            await db.execute("UPDATE users SET is_admin = NOT $2 WHERE id = $1", reader.id, bool(left))
            token = await sessions.start(db, reader.id, days=30)
            async with asyncio.timeout(5):
                await heard.wait()
            heard.clear()
            assert await cache.get(token) is not None
            assert cache.peek(token) is not None
            await db.execute(sql, reader.id)
        async with asyncio.timeout(5):
            await heard.wait()
        assert cache.peek(token) is None
        found = await cache.get(token)
        assert (found.is_admin if found else None) is left


async def test_a_session_that_ends_while_it_is_looked_up_is_not_held(pool: Pool, reader: users.User) -> None:
    """The look-up saw the row before the hint came; the hint must win."""
    async with pool.acquire() as db:
        token = await sessions.start(db, reader.id, days=30)
    cache = SessionCache(pool, now=lambda: 0.0)
    looking = asyncio.create_task(cache.get(token))
    await asyncio.sleep(0)
    cache.forget_all()
    assert await looking is not None
    assert cache.peek(token) is None


async def test_the_cache_stays_small(pool: Pool, reader: users.User) -> None:
    cache = SessionCache(pool, now=lambda: 0.0, most=3)
    async with pool.acquire() as db:
        held = [await sessions.start(db, reader.id, days=30) for _ in range(10)]
    for token in held:
        assert await cache.get(token) is not None
    assert sum(cache.peek(token) is not None for token in held) <= 3


async def test_the_first_start_makes_an_administrator_and_tells_the_password_once(
    pool: Pool, hasher: Passwords
) -> None:
    async with pool.acquire() as db:
        password = await ensure_admin(db, Settings())
        assert password is not None
        made = await users.authenticate(db, "admin", password, hasher=hasher)
        assert made.is_admin
        assert await ensure_admin(db, Settings()) is None


async def test_two_first_starts_at_once_make_one_administrator(pool: Pool) -> None:
    async def start() -> str | None:
        async with pool.acquire() as db:
            return await ensure_admin(db, Settings())

    told = await asyncio.gather(*(start() for _ in range(4)))
    assert sum(password is not None for password in told) == 1
    assert await pool.fetchval("SELECT count(*) FROM users") == 1


async def test_the_environment_names_the_administrator(pool: Pool, hasher: Passwords) -> None:
    settings = Settings(admin_username="Boss", admin_password=PASSWORD)
    async with pool.acquire() as db:
        assert await ensure_admin(db, settings) is None
        assert (await users.authenticate(db, "boss", PASSWORD, hasher=hasher)).is_admin


async def test_an_account_that_exists_is_promoted_and_keeps_its_password(
    pool: Pool, hasher: Passwords, reader: users.User
) -> None:
    """public-api-auth 3.7: the password counts only when the row is made here, even one that no rule would take."""
    settings = Settings(admin_username="reader", admin_password="short")
    async with pool.acquire() as db:
        assert await ensure_admin(db, settings) is None
        promoted = await users.authenticate(db, "reader", PASSWORD, hasher=hasher)
    assert promoted.is_admin
