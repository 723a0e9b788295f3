"""Kills and stops of real processes: afterwards `serve` starts clean, with nothing left on the port or the data."""

import asyncio
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.support.serving import Serve, copied, free_port, gone, remove, until

from orihon.db import migrate
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import connect


@pytest.fixture(scope="module")
def prepared() -> Iterator[Path]:
    """A data directory with a migrated database and an account, to be copied."""
    folder = Path(tempfile.mkdtemp(prefix="orihon-kills-"))
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)

    async def fill() -> None:
        server = EmbeddedPostgres(folder / "data" / "postgres", options=["fsync=off"])
        await server.start()
        try:
            await migrate.upgrade_in_child(server.dsn())
            db = await connect(server.dsn())
            await db.execute("INSERT INTO users (username, password_hash, is_admin) VALUES ('admin', 'x', true)")
            await db.close()
        finally:
            await server.stop()

    asyncio.run(fill())
    (folder / "data" / "postgres" / "postgresql.conf").unlink()  # written at every start: shows that one happened
    yield folder / "data"
    remove(folder)


@pytest.fixture
def serve(prepared: Path) -> Iterator[Serve]:
    """A supervisor on data of its own; started by the test."""
    folder = Path(tempfile.mkdtemp(prefix="orihon-serve-"))
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
    yield Serve(copied(prepared, folder / "data"), free_port())
    remove(folder)


def beats(serve: Serve) -> int:
    """How often the worker has written."""

    async def count() -> int:
        db = await connect(EmbeddedPostgres(serve.data / "postgres").dsn())
        try:
            return int(await db.fetchval("SELECT count(*) FROM beats"))
        finally:
            await db.close()

    try:
        return asyncio.run(count())
    except Exception:
        return 0


def port_is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_leaves_no_process_and_no_file_of_a_running_server(serve: Serve, by: signal.Signals) -> None:
    with serve as running:
        running.until_ready()
        processes = running.everything()
        assert running.end(by) == 0
        assert gone(processes)
        assert port_is_free(running.port)
        assert not (running.data / "postgres" / "data" / "postmaster.pid").exists()
        assert (running.data / "supervisor.lock").read_bytes() == b""


IN_A_SCRIPT = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
"""As a shell without job control starts what ends in `&` (POSIX 2.11): SIGINT is ignored."""


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_serve_in_the_background_of_a_script_can_be_stopped(serve: Serve, by: signal.Signals) -> None:
    command = (sys.executable, "-c", IN_A_SCRIPT, "-P", "-m", "orihon.cli", "serve")
    with Serve(serve.data, serve.port, command) as running:
        running.until_ready()
        processes = running.everything()
        assert running.end(by) == 0
        assert gone(processes)
        assert port_is_free(running.port)


def test_nothing_outlives_a_killed_supervisor(serve: Serve) -> None:
    with serve as running:
        running.until_ready()
        processes = running.everything()
        assert len(processes) > 5
        running.kill()
        until(lambda: gone(processes), "every process ended", 15)
        assert port_is_free(running.port)


def test_serve_starts_clean_right_after_its_supervisor_was_killed(serve: Serve) -> None:
    with serve as running:
        running.until_ready()
        running.kill()
    with Serve(serve.data, serve.port) as again:
        again.until_ready()
        until(lambda: beats(again), "the worker works")


def test_serve_starts_clean_after_everything_was_killed_at_once(serve: Serve) -> None:
    """PostgreSQL's pid file is stale then, and its recovery runs."""
    with serve as running:
        running.until_ready()
        until(lambda: beats(running), "the worker has written")
        processes = running.everything()
        processes[0].suspend()  # so that it answers none of the deaths that follow
        for process in processes[1:]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        running.kill()
        until(lambda: gone(processes), "every process ended")
        assert (running.data / "postgres" / "data" / "postmaster.pid").exists()
    with Serve(serve.data, serve.port) as again:
        again.until_ready()
        assert beats(again) > 0


def test_children_that_hang_are_ended_by_the_next_start(serve: Serve) -> None:
    with serve as running:
        running.until_ready()
        web = psutil.Process(running.child("web"))
        web.suspend()  # holds the port, and cannot notice that its supervisor is gone
        running.kill()
    if os.uname().sysname != "Linux":
        web.resume()
        pytest.skip("finding a hung child needs /proc")
    with Serve(serve.data, serve.port) as again:
        again.until_ready()
        assert gone([web])


def test_a_killed_postgresql_comes_back_and_the_parts_live_on(serve: Serve) -> None:
    with serve as running:
        running.until_ready()
        web, worker, postgres = (running.child(name) for name in ("web", "worker", "postgres"))
        os.kill(postgres, signal.SIGKILL)
        until(lambda: running.child("postgres") != postgres, "a new PostgreSQL")
        until(running.answers, "web answers again")
        before = beats(running)
        until(lambda: beats(running) > before, "the worker goes on")
        assert (running.child("web"), running.child("worker")) == (web, worker)


@pytest.mark.parametrize("name", ["web", "worker"])
def test_a_killed_part_is_started_again(serve: Serve, name: str) -> None:
    with serve as running:
        running.until_ready()
        victim = running.child(name)
        os.kill(victim, signal.SIGKILL)
        until(lambda: running.child(name) != victim, f"a new {name}")
        until(running.answers, "web answers")


def stopped(process: int) -> None:
    os.kill(process, signal.SIGSTOP)


def blocked(process: int) -> None:
    os.kill(process, signal.SIGUSR2)


@pytest.mark.parametrize("name", ["web", "worker"])
@pytest.mark.parametrize("hang", [stopped, blocked], ids=lambda hang: hang.__name__)
def test_a_part_that_hangs_is_killed_and_started_again(serve: Serve, name: str, hang: Callable[[int], None]) -> None:
    with serve as running:
        running.until_ready()
        until(lambda: beats(running) > 0, "the worker works")
        victim = running.child(name)
        hang(victim)
        until(lambda: running.child(name) != victim, f"a new {name}")
        until(running.answers, "web answers")
        before = beats(running)
        until(lambda: beats(running) > before, "the worker works")
        assert f"{name} ended (it gave no sign of life for 2 s, so it was killed)" in running.output()


def test_a_part_that_is_merely_busy_is_left_alone(serve: Serve) -> None:
    with serve as running:
        running.until_ready()
        until(lambda: beats(running) > 0, "the worker works")
        worker = running.child("worker")
        for _ in range(3):
            os.kill(worker, signal.SIGUSR1)
            before = beats(running)
            until(lambda: beats(running) > before + 5, "it goes on")  # noqa: B023 - used in this round only
        assert running.child("worker") == worker
        assert "no sign of life" not in running.output()


def test_what_a_dead_part_had_started_goes_with_it(serve: Serve) -> None:
    """A web server's own workers, a decoder process: they would hold the port or the memory."""
    with serve as running:
        running.until_ready()
        web = psutil.Process(running.child("web"))
        until(web.children, "web has started something")
        helpers = web.children()
        web.kill()
        until(lambda: gone(helpers), "its helpers are gone")


def test_a_second_serve_on_the_same_data_is_refused_in_words(serve: Serve) -> None:
    with serve as running:
        running.until_ready()
        with Serve(serve.data, free_port()) as second:
            assert second.process is not None
            assert second.process.wait(20) == 1
            said = second.output()
        assert f"process {running.pid}" in said
        assert "ORIHON_DATA" in said
        assert "Traceback" not in said
        assert running.answers()


def test_a_port_that_is_taken_is_said_before_anything_starts(serve: Serve) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", serve.port))
        other.listen()
        with serve as refused:
            assert refused.process is not None
            assert refused.process.wait(20) == 1
            said = refused.output()
    assert f"Port {serve.port}" in said
    assert f"PORT={serve.port + 1}" in said
    assert "Traceback" not in said
    assert not (serve.data / "postgres" / "postgresql.conf").exists()


def test_the_real_web_and_worker_live_through_the_same(serve: Serve) -> None:
    """`orihon serve` itself: each part is killed in turn, then the supervisor."""
    command = (sys.executable, "-P", "-m", "orihon.cli", "serve")
    with Serve(serve.data, serve.port, command) as running:
        running.until_ready()
        for name in ("web", "worker", "postgres"):
            victim = running.child(name)
            os.kill(victim, signal.SIGKILL)
            until(lambda: running.child(name) != victim, f"a new {name}")  # noqa: B023 - used in this round only
            until(running.answers, f"an answer after the end of {name}")
        processes = running.everything()
        running.kill()
        until(lambda: gone(processes), "every process ended", 15)
    with Serve(serve.data, serve.port, command) as again:
        again.until_ready()
        processes = again.everything()
        assert again.end(signal.SIGINT) == 0
        assert gone(processes)
        assert port_is_free(again.port)
        assert "Traceback" not in again.output()
