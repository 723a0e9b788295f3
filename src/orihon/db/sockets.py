"""Where the server's socket lives: a folder that only the server's user and root can enter."""

import contextlib
import os
import socket
import stat
import tempfile
from pathlib import Path
from urllib.parse import quote

from orihon.db.errors import DataUnusable
from orihon.db.identity import Identity

_PATH_LIMIT = 103  # bytes of a socket's path; the smaller of Linux (107) and macOS
_LONGEST_NAME = "/.s.PGSQL.5432"


def folder_for(directory: Path, cluster: str, who: Identity) -> Path:
    """Make or prove the folder: `run` in the server's directory, else one in the temporary directory.

    The second is for paths too long for a socket, and for shared and network mounts that hold none.

    Raises:
        DataUnusable: somebody else could enter or replace the folder.
    """
    inside = directory / "run"
    if len(os.fsencode(inside)) + len(_LONGEST_NAME) <= _PATH_LIMIT:
        own(inside, who)
        if _holds_sockets(inside):
            return inside
    outside = Path(tempfile.gettempdir()) / cluster
    own(outside, who)
    return outside


def own(folder: Path, who: Identity) -> None:
    """Make `folder` the server's alone, or prove that it is: in /tmp anyone may have made it first.

    Raises:
        DataUnusable: it is not.
    """
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        if who.switched:
            os.chown(folder, who.uid, who.gid)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != who.uid or found.st_mode & 0o077:
        raise DataUnusable(
            f"{folder} should be a folder that only {who.name} can enter, and is not. "
            "Someone else may have made it; remove it and start again."
        )


def dsn(folder: Path, database: str = "orihon") -> str:
    """Connection string for the server whose socket is in `folder`."""
    return f"postgresql://orihon@/{database}?host={quote(str(folder))}"


def _holds_sockets(folder: Path) -> bool:
    probe = folder / "probe"
    probe.unlink(missing_ok=True)
    try:
        with socket.socket(socket.AF_UNIX) as test:
            test.bind(str(probe))
    except OSError:
        return False
    finally:
        probe.unlink(missing_ok=True)
    return True
