"""The cluster: the files of the embedded PostgreSQL, made once."""

import asyncio
import contextlib
import ctypes
import locale
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from orihon.db.errors import DataUnusable, ServerFailed
from orihon.db.identity import Identity
from orihon.db.program import MAJOR

_PR_SET_PDEATHSIG = 1


def exists(data: Path) -> bool:
    """Whether `data` holds a cluster that these binaries can open.

    Raises:
        DataUnusable: it holds something else.
    """
    try:
        found = (data / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        if data.exists() and any(data.iterdir()):
            raise DataUnusable(
                f"{data} holds files and is no PostgreSQL cluster (there is no PG_VERSION). "
                "Move it away, or restore it from a backup."
            ) from None
        return False
    if found != str(MAJOR):
        raise DataUnusable(
            f"The database in {data} was made by PostgreSQL {found}, and this Orihon carries {MAJOR}. "
            "Start the Orihon that made it, dump with pg_dump, and restore into a new data directory."
        )
    return True


async def make(data: Path, who: Identity, binaries: Path) -> None:
    """Make the cluster, with an empty database `orihon` owned by the role `orihon`.

    It is made under another name, so that a kill half-way leaves nothing that looks complete.

    Raises:
        ServerFailed: PostgreSQL's own tools refused; their words are in the text.
    """
    for old in data.parent.glob("new-*"):
        shutil.rmtree(old, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix="new-", dir=data.parent))
    if who.switched:
        os.chown(new, who.uid, who.gid)
    await _run(
        who, binaries / "initdb", "-D", str(new), "-U", "orihon", "-E", "UTF8",
        "--auth-local=peer", "--auth-host=reject", "--locale=C", f"--lc-ctype={_character_locale()}",
        "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
    )  # fmt: skip
    await _run(who, binaries / "postgres", "--single", "-D", str(new), "postgres", feed=b"CREATE DATABASE orihon\n")
    with contextlib.suppress(FileNotFoundError):
        data.rmdir()
    new.rename(data)
    descriptor = os.open(data.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def environment() -> dict[str, str]:
    """Environment of PostgreSQL's programs. Nothing of ours: it would stand in every backend, secrets included."""
    return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


def dies_with_parent(by: signal.Signals) -> Callable[[], None] | None:
    """A hook for a new process: the kernel sends it `by` when this one dies, even by SIGKILL.

    Linux only. Elsewhere the next start ends what was left.
    """
    if sys.platform != "linux":
        return None
    libc, parent = ctypes.CDLL(None), os.getpid()

    def ask_kernel() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(by))
        if os.getppid() != parent:
            os._exit(1)

    return ask_kernel


async def _run(who: Identity, program: Path, *arguments: str, feed: bytes = b"") -> None:
    child = await asyncio.create_subprocess_exec(
        program, *arguments, cwd="/", env=environment(), start_new_session=True,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        preexec_fn=dies_with_parent(signal.SIGKILL), **who.spawn,
    )  # fmt: skip
    try:
        output, _ = await child.communicate(feed)
    except BaseException:
        child.kill()
        raise
    if child.returncode:
        raise ServerFailed(
            f"The database could not be prepared. {program.name} said:\n{output.decode(errors='replace').strip()}"
        )


def _character_locale() -> str:
    """A libc locale that knows letters beyond ASCII.

    Collation is the builtin provider's, but pg_trgm of PostgreSQL 18 still asks libc what a letter is: under
    `lc_ctype=C` the trigrams of Japanese and Cyrillic are empty.
    """
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        for name in ("C.UTF-8", "C.utf8", "en_US.UTF-8", "UTF-8"):
            with contextlib.suppress(locale.Error):
                locale.setlocale(locale.LC_CTYPE, name)
                return name
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    raise DataUnusable(
        "This machine has no UTF-8 locale (C.UTF-8 or en_US.UTF-8), so titles in Japanese or Cyrillic could not be "
        "searched. Install one (Debian: `apt install locales`), or use a server of your own with DATABASE_URL."
    )
