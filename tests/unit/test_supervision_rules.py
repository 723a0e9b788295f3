"""When a dead part is started again, how a child learns that its supervisor is gone, and other small rules."""

import os
import threading
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from orihon.cli.output import ago
from orihon.cli.sources import match
from orihon.config import Settings
from orihon.db.leftovers import Postmaster, parse_pid_file
from orihon.db.server import place
from orihon.ingest.sources import Source
from orihon.runtime import lifeline
from orihon.runtime.pulse import Silence
from orihon.supervisor import address
from orihon.supervisor.errors import GaveUp, SupervisorError
from orihon.supervisor.service import STEADY_AFTER, Service, keep_alive, pause_before
from orihon.supervisor.supervise import most_silent

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("restart", "seconds"), [(0, 0.5), (1, 1.0), (2, 2.0), (5, 16.0), (6, 30.0), (5000, 30.0)])
def test_pauses_grow_and_are_capped(restart: int, seconds: float) -> None:
    assert pause_before(restart) == seconds


class Scripted(Service):
    """Lives for the given seconds, life after life; a failing start is an exception in the list."""

    name = "part"

    def __init__(self, lives: list[float | Exception], now: list[float]) -> None:
        self.lives, self.now, self.starts = lives, now, 0

    async def start(self) -> None:
        self.starts += 1
        if isinstance(self.lives[0], SupervisorError):
            raise self.lives.pop(0)

    async def ended(self) -> str:
        life = self.lives.pop(0)
        if isinstance(life, Exception):
            raise life
        self.now[0] += life
        return "exit status 1"

    async def stop(self, seconds: float) -> None:
        raise AssertionError("not asked to")


async def pauses(lives: list[float | Exception]) -> list[float]:
    """Pauses that a service with these lives sees, until it gives up."""
    now, slept = [0.0], list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    with pytest.raises(GaveUp):
        await keep_alive(Scripted([*lives, GaveUp("no use")], now), lambda _: None, sleep=sleep, clock=lambda: now[0])
    return slept


async def test_a_part_that_keeps_dying_is_started_more_and_more_slowly() -> None:
    assert await pauses([0.1, 0.1, 0.1, 0.1]) == [0.5, 1.0, 2.0, 4.0]


async def test_a_part_that_ran_well_is_started_again_quickly() -> None:
    assert await pauses([0.1, 0.1, STEADY_AFTER + 1, 0.1]) == [0.5, 1.0, 0.5, 1.0]


async def test_a_start_that_fails_is_tried_again_after_a_longer_pause() -> None:
    failed = SupervisorError("disk full")
    assert await pauses([0.1, failed, failed, 0.1]) == [0.5, 1.0, 2.0, 4.0]


async def test_a_part_that_gives_up_is_not_started_again() -> None:
    assert await pauses([]) == []


def test_a_child_is_ended_when_its_supervisor_lets_go(monkeypatch: pytest.MonkeyPatch) -> None:
    line = lifeline.Lifeline()
    monkeypatch.setenv(lifeline.DESCRIPTOR, str(os.dup(line.reader)))
    ended, graces = threading.Event(), list[float]()

    def end(grace: float) -> None:
        graces.append(grace)
        ended.set()

    assert lifeline.watch(3, end)
    assert lifeline.DESCRIPTOR not in os.environ, "what this process starts has no lifeline of its own"
    assert not ended.wait(0.05)
    line.close()
    assert ended.wait(5)
    assert graces == [3]


def test_a_process_without_supervisor_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(lifeline.DESCRIPTOR, raising=False)
    assert not lifeline.watch(3, lambda _: pytest.fail("ended"))


def test_silence_is_measured_from_the_last_sign_of_life_and_is_forgiven_while_a_child_starts() -> None:
    silence = Silence(most=10, first=60, rhythm=1, now=0)
    assert not any(silence.too_long(now) for now in range(1, 61))
    assert silence.too_long(61)
    silence = Silence(most=10, first=60, rhythm=1, now=0)
    silence.heard(5)
    assert not any(silence.too_long(now) for now in range(1, 16))
    assert silence.too_long(16)


def test_silence_proves_nothing_when_the_watcher_was_stopped_itself() -> None:
    """A machine that slept, a frozen container: everything was silent, the watcher too."""
    silence = Silence(most=10, first=60, rhythm=1, now=0)
    silence.heard(1)
    assert not silence.too_long(2)
    assert not any(silence.too_long(3600 + now) for now in range(11))
    assert silence.too_long(3611)


@pytest.mark.parametrize(("lease", "seconds"), [(3, 15), (60, 120), (3600, 7200)])
def test_a_part_is_stuck_when_others_have_had_its_jobs_for_long(lease: int, seconds: float) -> None:
    assert most_silent(lease) == seconds


PID_FILE = "4711\n/data\n1700000000\n5432\n/run/x\n\n  1234  5678\nready   \n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (PID_FILE, Postmaster(4711, "/run/x", "ready")),
        (PID_FILE.replace("ready", "starting"), Postmaster(4711, "/run/x", "starting")),
        (PID_FILE.rpartition("ready")[0], None),
        ("4711\n/data\n", None),
        ("", None),
        ("x\n" * 8, None),
    ],
)
def test_the_pid_file_of_postgresql(text: str, found: Postmaster | None) -> None:
    assert parse_pid_file(text) == found


@pytest.mark.parametrize(
    ("dsn", "shown"),
    [
        ("postgresql://u:geheim@db.example:5433/orihon", "db.example:5433/orihon"),
        ("postgresql://orihon@/orihon?host=/run/x", "the local socket/orihon"),
        ("postgresql://u:ge/heim@host:port/x", "DATABASE_URL"),
    ],
)
def test_a_password_is_never_shown(dsn: str, shown: str) -> None:
    assert place(dsn) == shown


@pytest.mark.parametrize(
    ("host", "public_url", "url"),
    [
        ("127.0.0.1", None, "http://127.0.0.1:8080"),
        ("0.0.0.0", None, "http://localhost:8080"),
        ("::1", None, "http://[::1]:8080"),
        ("0.0.0.0", "https://books.example", "https://books.example"),
    ],
)
def test_what_to_type_into_a_browser(host: str, public_url: str | None, url: str) -> None:
    assert address.url(Settings(host=host, public_url=public_url)) == url


@pytest.mark.parametrize(
    ("host", "private", "warned"),
    [("127.0.0.1", False, False), ("0.0.0.0", False, True), ("0.0.0.0", True, False), ("192.168.1.5", False, True)],
)
def test_an_open_library_says_what_strangers_can_see(host: str, private: bool, warned: bool) -> None:
    """DESIGN ruling 11."""
    assert bool(address.strangers(Settings(host=host, private_mode=private))) is warned


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "now"), (5, "5 s ago"), (90, "1 min ago"), (7200, "2 h ago"), (200_000, "2 d ago"), (-120, "in 2 min")],
)
def test_moments_in_words(seconds: int, words: str) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert ago(now - timedelta(seconds=seconds), now) == words


def source(name: str, url: str) -> Source:
    return Source(
        id=uuid4(), adapter="html", kind="catalogue", name=name, url=url, settings={}, content="all", byte_budget=None,
        bytes_fetched=0, item_limit=None, interval_seconds=60, paused=False, clean=True, last_error=None,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip


def test_a_source_is_found_by_id_then_address_then_name() -> None:
    one, two = source("Site", "http://one/"), source("site", "http://two/")
    odd = source("http://one/", "http://three/")
    known = [one, two, odd]
    assert match(known, str(two.id)) == [two]
    assert match(known, "http://one/") == [one]
    assert match(known, "SITE") == [one, two]
    assert match(known, "other") == []
