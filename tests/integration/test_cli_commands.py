"""The command line as a person or a script meets it: real processes, real database."""

import asyncio
import importlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from tests.support.commands import orihon, process
from tests.support.serving import free_port

from orihon.cli.commands import COMMANDS
from orihon.cli.reference import cli, configuration
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Pool
from orihon.jobs.payloads import WalkSource
from orihon.jobs.queue import enqueue
from orihon.samplesite.creators import Creators
from orihon.samplesite.site import SampleSite

pytestmark = pytest.mark.anyio

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="orihon-cli-"))
    made.chmod(0o711 if os.geteuid() == 0 else 0o700)
    yield made
    shutil.rmtree(made, ignore_errors=True)


# Help and mistakes.


async def test_the_list_of_commands_is_quick_and_says_what_each_is_for() -> None:
    """The list has its own one-line texts; they are the first lines of what the commands say of themselves."""
    listed = await process("--help")
    assert listed.status == 0
    page = cli()
    for line in ("Run everything on this machine", "Check the installation", "What is followed"):
        assert line in listed.out
        assert line in page
    for command in COMMANDS:
        module, _, name = command.where.partition(":")
        if name == "app":
            assert getattr(importlib.import_module(f"orihon.cli.{module}"), name).help == command.line


def test_the_generated_pages_are_up_to_date() -> None:
    """`python -m orihon.cli.reference docs` writes them anew."""
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == cli()
    assert (DOCS / "configuration.md").read_text(encoding="utf-8") == configuration()


@pytest.mark.parametrize(
    "words",
    [("serve",), ("demo",), ("source", "add"), ("source", "edit"), ("jobs", "requeue"), ("user", "add"), ("doctor",)],
)
async def test_help_teaches_by_example(words: tuple[str, ...]) -> None:
    told = await orihon(*words, "--help")
    assert told.status == 0
    assert f"orihon {' '.join(words)}" in told.out.partition("For example")[2]


@pytest.mark.parametrize(
    "words", [("sreve",), ("serve", "--prot", "1"), ("jobs", "list", "--state", "lost"), ("user", "add")]
)
async def test_a_mistyped_command_line_ends_with_status_2(words: tuple[str, ...]) -> None:
    assert (await orihon(*words)).status == 2


@pytest.mark.parametrize("words", [("serve",), ("web",), ("source", "list")])
async def test_a_bad_setting_is_named_and_ends_with_status_2(words: tuple[str, ...]) -> None:
    """Status 2 also tells a supervisor that another try is of no use."""
    ended = await process(*words, PORT="70000")
    assert ended.status == 2
    assert "PORT" in ended.err


async def test_an_unreachable_database_is_said_without_its_password() -> None:
    ended = await orihon("source", "list", DATABASE_URL="postgresql://u:geheim@127.0.0.1:1/x")
    assert ended.status == 1
    assert "127.0.0.1:1/x cannot be reached" in ended.err
    assert "geheim" not in ended.err


async def test_a_worker_alone_needs_a_database(folder: Path) -> None:
    ended = await process("worker", ORIHON_DATA=folder)
    assert ended.status == 2
    assert "DATABASE_URL" in ended.err


async def test_an_unknown_lane_is_refused_with_those_that_exist(dsn: str) -> None:
    ended = await process("worker", "--lanes", "crawl,carwl", DATABASE_URL=dsn)
    assert ended.status == 2
    assert "'carwl'" in ended.err
    assert "media" in ended.err


async def test_a_newer_schema_is_refused_by_every_process(pool: Pool, dsn: str) -> None:
    await pool.execute("UPDATE alembic_version SET version_num = '0999'")
    for words in (("web",), ("worker",), ("source", "list")):
        ended = await process(*words, DATABASE_URL=dsn)
        assert ended.status == 2
        assert "newer Orihon" in ended.err
    assert (await orihon("db", "status", DATABASE_URL=dsn)).status == 1


# What is followed.


async def test_a_source_is_added_listed_paused_resumed_run_and_removed(dsn: str) -> None:
    added = await orihon(
        "source", "add", "http://site.example/works/", "--profile", "sample", "--name", "Site", "--content", "all",
        "--every", "90", "--json", DATABASE_URL=dsn,
    )  # fmt: skip
    assert added.json()["id"]
    again = await orihon("source", "add", "http://site.example/works/", "--profile", "sample", DATABASE_URL=dsn)
    assert again.status == 1
    assert "“Site”" in again.err
    assert "orihon source edit Site" in again.err

    async def listed() -> Any:
        return (await orihon("source", "list", "--json", DATABASE_URL=dsn)).json()[0]

    source = (await listed())["source"]
    assert (source["name"], source["content"], source["interval_seconds"]) == ("Site", "all", 5400)
    assert (await orihon("source", "pause", "site", DATABASE_URL=dsn)).status == 0
    assert (await listed())["source"]["paused"]
    assert (await orihon("source", "resume", source["url"], DATABASE_URL=dsn)).status == 0
    assert not (await listed())["source"]["paused"]
    assert "queued" in (await orihon("source", "run", source["id"], DATABASE_URL=dsn)).out
    assert "queued" in (await orihon("source", "run", "Site", "--mode", "recovery", DATABASE_URL=dsn)).out
    assert "stays in the library" in (await orihon("source", "remove", "Site", DATABASE_URL=dsn)).out
    assert (await orihon("source", "list", "--json", DATABASE_URL=dsn)).json() == []


async def test_a_removed_source_is_listed_and_forgotten(dsn: str) -> None:
    address = "http://site.example/works/"
    assert "No removed source" in (await orihon("source", "removed", DATABASE_URL=dsn)).out
    await orihon("source", "add", address, "--profile", "sample", "--name", "Site", DATABASE_URL=dsn)
    followed = await orihon("source", "forget", "Site", DATABASE_URL=dsn)
    assert (followed.status, "Remove it first" in followed.err) == (1, True)
    await orihon("source", "remove", "Site", DATABASE_URL=dsn)
    assert address in (await orihon("source", "removed", DATABASE_URL=dsn)).out
    (listed,) = (await orihon("source", "removed", "--json", DATABASE_URL=dsn)).json()
    assert (listed["name"], listed["works"]) == ("Site", 0)
    assert "is forgotten" in (await orihon("source", "forget", "site", DATABASE_URL=dsn)).out
    again = await orihon("source", "forget", "site", DATABASE_URL=dsn)
    assert (again.status, "nothing to forget" in again.out) == (0, True)


async def test_the_list_of_sources_fits_a_terminal_and_leaves_nothing_out(pool: Pool, dsn: str) -> None:
    """80 columns hold the numbers whole; what is long folds in the first column."""
    address = "https://a-long-name-of-a-site.example/works/list?order=newest&page=1&language=english"
    trouble = f"{address}: nothing answers there: the site is down, or the address is wrong. Check the address."
    await pool.execute(
        "INSERT INTO sources (adapter, kind, name, url, last_error) VALUES ('html', 'catalogue', 'A [b]long[/b] name', "
        "$1, $2)",
        address,
        trouble,
    )
    shown = await orihon("source", "list", DATABASE_URL=dsn, COLUMNS=80)
    lines = shown.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split("  ")[0] == "Source"
    for heading in ("Titles", "Chapters", "Last walk", "Next walk"):
        assert heading in lines[0], "no heading is cut"
    assert "A [b]long[/b] name" in lines[1], "what a site says is no markup"
    assert "0/0" in lines[1]
    packed = "".join(line[:45].strip() for line in lines[1:])
    assert address in packed
    assert "Check the address." in " ".join(line[:45].strip() for line in lines)


async def test_a_job_that_can_be_requeued_is_shown_with_its_whole_id(pool: Pool, dsn: str) -> None:
    async with pool.acquire() as db:
        source = await db.fetchval(
            "INSERT INTO sources (adapter, kind, name, url) VALUES ('html', 'catalogue', 'x', 'u') RETURNING id"
        )
        await enqueue(db, WalkSource(source_id=source))
        await db.execute("UPDATE jobs SET state = 'dead', last_error = $1", "the site was down " * 20)
    job = await pool.fetchval("SELECT id FROM jobs")
    shown = await orihon("jobs", "dead", DATABASE_URL=dsn, COLUMNS=80)
    assert str(job) in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


async def test_a_source_that_does_not_exist_is_answered_with_those_that_do(dsn: str) -> None:
    ended = await orihon("source", "run", "nothing", DATABASE_URL=dsn)
    assert ended.status == 1
    assert "There is no source nothing" in ended.err


async def test_a_profile_file_that_is_not_there_is_said_in_words() -> None:
    ended = await orihon("source", "check", "http://s.example/", "--profile", "nowhere.toml")
    assert ended.status == 2
    assert "There is no file nowhere.toml." in ended.err
    assert "Errno" not in ended.err


@pytest.mark.parametrize(
    ("text", "words"),
    [("colour = 1\n", "colour"), ("= nonsense", "not TOML")],
    ids=["unknown key", "no TOML"],
)
async def test_a_bad_profile_is_refused_by_add_and_check(dsn: str, tmp_path: Path, text: str, words: str) -> None:
    profile = tmp_path / "site.toml"
    profile.write_text(text)
    for command in ("add", "check"):
        ended = await orihon("source", command, "http://s.example/", "--profile", str(profile), DATABASE_URL=dsn)
        assert ended.status == 1
        assert words in ended.err


async def test_a_profile_without_end_is_refused_without_being_read_to_it(dsn: str) -> None:
    ended = await orihon("source", "check", "http://s.example/", "--profile", "/dev/zero", DATABASE_URL=dsn)
    assert ended.status == 1
    assert "at most" in ended.err


async def test_a_creator_of_a_platform_is_checked_and_followed(dsn: str, tmp_path: Path) -> None:
    """A platform needs no profile but its adapter's name, and its settings where they differ."""
    async with SampleSite(tmp_path, titles=0, creators=Creators.plain(3, 2)) as site:
        source = (site.feed_url("creator-1"), "--adapter", "sample_feed", "--set", "count=2")
        checked = await orihon("source", "check", *source, ORIHON_PRIVATE_ORIGINS=site.origin, CRAWLER_RATE_MS=0)
        assert checked.status == 0, checked.err
        assert "Title: Creator 1" in checked.out
        assert "Posts: 3 on the first pages with 6 images and 0 files, the end" in checked.out
        assert (await orihon("source", "add", *source, DATABASE_URL=dsn)).status == 0
    (followed,) = (await orihon("source", "list", "--json", DATABASE_URL=dsn)).json()
    assert (followed["source"]["kind"], followed["source"]["settings"]) == ("feed", {"count": 2})


async def test_what_is_named_of_a_source_is_changed_and_the_rest_stays(dsn: str) -> None:
    creator = "http://site.example/api/creators/wren"
    words = (
        "source",
        "add",
        creator,
        "--adapter",
        "sample_feed",
        "--name",
        "Wren",
        "--set",
        "count=5",
        "--budget",
        "9",
    )
    assert (await orihon(*words, DATABASE_URL=dsn)).status == 0

    async def edited(*words: str) -> Any:
        return (await orihon("source", "edit", *words, "--json", DATABASE_URL=dsn)).json()["source"]

    before = await edited("wren", "--every", "180")
    assert (before["interval_seconds"], before["settings"], before["byte_budget"]) == (10_800, {"count": 5}, 9 << 20)
    after = await edited("Wren", "--name", "Wren Calloway", "--titles", "40", "--budget", "0", "--set", "count=50")
    assert (after["name"], after["item_limit"], after["byte_budget"]) == ("Wren Calloway", 40, None)
    assert (after["settings"], after["interval_seconds"], after["content"]) == ({"count": 50}, 10_800, "all")
    assert (await edited("Wren Calloway", "--set", "count="))["settings"] == {}


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ((), 2, "Say what to change"),
        (("--every", "0"), 2, "--every"),
        (("--every", "43201"), 2, "43200"),
        (("--titles", "-1"), 2, "--titles"),
        (("--budget", "-1"), 2, "--budget"),
        (("--name", " "), 1, "name"),
        (("--set", "count=900"), 1, "count"),
        (("--set", "count"), 2, "NAME=VALUE"),
    ],
)
async def test_an_edit_that_cannot_be_is_refused_in_words_and_changes_nothing(
    dsn: str, words: tuple[str, ...], status: int, says: str
) -> None:
    creator = ("http://site.example/api/creators/wren", "--adapter", "sample_feed", "--name", "Wren")
    assert (await orihon("source", "add", *creator, DATABASE_URL=dsn)).status == 0
    refused = await orihon("source", "edit", "Wren", *words, DATABASE_URL=dsn)
    assert refused.status == status
    assert says in refused.err
    (kept,) = (await orihon("source", "list", "--json", DATABASE_URL=dsn)).json()
    assert (kept["source"]["name"], kept["source"]["settings"]) == ("Wren", {})


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ((), 2, "--profile FILE"),
        (("--adapter", "nothing"), 1, "`sample_feed`"),
        (("--adapter", "sample_feed", "--set", "count=many"), 2, "`count` is a whole number"),
        (("--adapter", "sample_feed", "--set", "count"), 2, "NAME=VALUE"),
        (("--adapter", "sample_feed", "--set", "colour=red"), 1, "`colour`"),
    ],
)
async def test_what_no_adapter_can_use_is_refused_by_name(words: tuple[str, ...], status: int, says: str) -> None:
    ended = await orihon("source", "check", "http://s.example/api/creators/wren", *words)
    assert ended.status == status
    assert says in ended.err


@pytest.mark.parametrize("port", ["-1", "65536", "99999999999"])
async def test_the_sample_site_is_offered_no_port_that_is_none(port: str) -> None:
    ended = await orihon("demo-site", f"--port={port}")
    assert ended.status == 2
    assert "--port" in ended.err + ended.out
    assert "Traceback" not in ended.err


async def test_the_sample_site_starts_with_faults(folder: Path) -> None:
    port = free_port()
    site = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "orihon.cli", "demo-site", f"--port={port}",
        "--fault", "server_error=0.25", "--fault", "zero_bytes",
        env=os.environ | {"ORIHON_DATA": str(folder)}, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert site.stderr is not None
    try:
        async with asyncio.timeout(30):
            assert b"the sample site is at" in await site.stderr.readline()
        async with ClientSession() as session, session.get(f"http://127.0.0.1:{port}/faults") as answer:
            told = await answer.json()
    finally:
        site.terminate()
        await site.communicate()
    assert [(one["fault"], one.get("rate", 1.0)) for one in told["faults"]] == [
        ("server_error", 0.25),
        ("zero_bytes", 1.0),
    ]


async def test_a_fault_that_the_sample_site_does_not_have_is_refused_in_words(folder: Path) -> None:
    ended = await orihon("demo-site", "--fault", "server_eror=0.05", ORIHON_DATA=folder)
    assert ended.status == 1
    assert "Did you mean server_error?" in ended.err


async def test_check_names_the_rule_that_refused_an_address() -> None:
    ended = await orihon("source", "check", "http://127.0.0.1:9/works/", "--profile", "sample")
    assert ended.status == 1
    assert "(rule PrivateIp)" in ended.out


# The queue.


async def test_the_queue_is_counted_and_its_dead_get_another_try(pool: Pool, dsn: str) -> None:
    async with pool.acquire() as db:
        source = await db.fetchval(
            "INSERT INTO sources (adapter, kind, name, url) VALUES ('html', 'catalogue', 'x', 'u') RETURNING id"
        )
        await enqueue(db, WalkSource(source_id=source))
        await db.execute("UPDATE jobs SET state = 'dead', last_error = 'the site was down'")
    counts = (await orihon("jobs", "counts", "--json", DATABASE_URL=dsn)).json()
    assert [(lane["lane"], lane["dead"]) for lane in counts] == [("crawl", 1)]
    assert (await orihon("jobs", "--json", DATABASE_URL=dsn)).json() == counts
    assert "the site was down" in (await orihon("jobs", "dead", DATABASE_URL=dsn)).out
    assert "Ended" in (await orihon("jobs", "list", "--state", "dead", DATABASE_URL=dsn)).out
    refused = await orihon("jobs", "list", "--limit", "-1", DATABASE_URL=dsn)
    assert (refused.status, "--limit" in refused.err) == (2, True)
    assert (await orihon("jobs", "requeue", DATABASE_URL=dsn)).status == 1, "what to requeue must be said"
    requeued = await orihon("jobs", "requeue", "--everything", DATABASE_URL=dsn)
    assert requeued.out == "1 job waits again.\n"
    assert len((await orihon("jobs", "list", "--json", DATABASE_URL=dsn)).json()) == 1


# Accounts.


async def test_a_user_is_added_and_gets_another_password(pool: Pool, dsn: str) -> None:
    first = await orihon(
        "user", "add", "Kana", "--admin", "--password-stdin", feed="a long first one\n", DATABASE_URL=dsn
    )
    assert first.status == 0, first.err
    hashed = await pool.fetchval("SELECT password_hash FROM users WHERE username = 'Kana' AND is_admin")
    assert hashed.startswith("$argon2id$")
    taken = await orihon("user", "add", "kana", "--password-stdin", feed="a long other one\n", DATABASE_URL=dsn)
    assert taken.status == 1
    changed = await orihon("user", "password", "kana", "--password-stdin", feed="a long new one\n", DATABASE_URL=dsn)
    assert changed.status == 0, changed.err
    assert await pool.fetchval("SELECT password_hash FROM users") != hashed
    assert (await orihon("user", "password", "nobody", "--password-stdin", feed="x\n", DATABASE_URL=dsn)).status == 1


async def test_a_password_is_not_asked_for_without_a_terminal(dsn: str) -> None:
    ended = await orihon("user", "add", "kana", DATABASE_URL=dsn)
    assert ended.status == 1
    assert "--password-stdin" in ended.err


# Care.


async def test_commands_work_on_the_embedded_database_whether_or_not_it_runs(folder: Path) -> None:
    data = folder / "data"
    assert (await orihon("db", "upgrade", ORIHON_DATA=data)).status == 0
    assert (await orihon("db", "status", "--json", ORIHON_DATA=data)).json()["state"] == "current"
    server = EmbeddedPostgres(data / "postgres")
    await server.start("a test")
    try:
        assert (await orihon("jobs", "counts", "--json", ORIHON_DATA=data)).json() == []
        assert (await orihon("db", "url", ORIHON_DATA=data)).out.strip() == server.dsn()
        assert server.pid is not None, "a command does not stop what it did not start"
    finally:
        await server.stop()
    assert (await orihon("db", "url", ORIHON_DATA=data)).status == 1
    looked = await orihon("doctor", "--json", ORIHON_DATA=data)
    verdicts = {check["name"]: check["verdict"] for check in json.loads(looked.out)}
    assert verdicts["Database"] == verdicts["Schema"] == verdicts["Data directory"] == "ok"


async def test_doctor_says_what_a_killed_process_left(folder: Path) -> None:
    data = folder / "data"
    assert (await orihon("db", "upgrade", ORIHON_DATA=data)).status == 0
    pid_file = data / "postgres" / "data" / "postmaster.pid"
    pid_file.write_text("999999\n/x\n0\n5432\n/x\n\n  1 1\nready\n")
    looked = await orihon("doctor", ORIHON_DATA=data)
    assert "PostgreSQL was killed" in looked.out
    assert not pid_file.exists(), "looking at the database has recovered it"


async def test_doctor_makes_nothing_where_nothing_is(folder: Path) -> None:
    looked = await orihon("doctor", ORIHON_DATA=folder / "data")
    assert "is made by the first `orihon serve`" in looked.out
    assert not (folder / "data").exists()


LOOKING = [
    ("jobs",), ("jobs", "dead"), ("jobs", "requeue", "--everything"), ("source", "list"), ("source", "run", "x"),
    ("source", "add", "http://s.example/", "--profile", "sample"), ("user", "add", "kana", "--password-stdin"),
    ("user", "password", "kana", "--password-stdin"), ("db", "status"), ("db", "url"), ("sweep",),
]  # fmt: skip


@pytest.mark.parametrize("words", LOOKING, ids=" ".join)
async def test_where_there_is_no_library_a_command_says_so_and_makes_none(folder: Path, words: tuple[str, ...]) -> None:
    data = folder / "data"
    ended = await orihon(*words, feed="a long password\n", ORIHON_DATA=data)
    assert ended.status == 1
    assert f"There is no library in {data}" in ended.err
    assert "orihon serve --data" in ended.err
    assert "ORIHON_DATA=" in ended.err
    assert not data.exists()


async def test_who_looks_in_the_wrong_place_is_told_where_the_demo_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "demo-data" / "postgres" / "data").mkdir(parents=True)
    monkeypatch.chdir(folder)
    ended = await orihon("jobs", ORIHON_DATA=folder / "data")
    assert f"ORIHON_DATA={folder / 'demo-data'}" in ended.err


async def test_sweep_reports_what_it_removed(dsn: str, folder: Path) -> None:
    swept = (await orihon("sweep", "--json", DATABASE_URL=dsn, ORIHON_DATA=folder)).json()
    assert swept["files"] == 0


async def test_a_closed_pipe_is_no_error_worth_words(dsn: str) -> None:
    process = await asyncio.create_subprocess_shell(
        f"{sys.executable} -m orihon.cli jobs list --json | true",
        env=os.environ | {"DATABASE_URL": dsn},
        stderr=asyncio.subprocess.PIPE,
    )
    _, err = await process.communicate()
    assert err == b""
