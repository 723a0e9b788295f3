"""Which user runs the embedded PostgreSQL, and whether that user can reach its files.

PostgreSQL refuses to run as root. When root starts Orihon, the server runs as an unprivileged user; nothing above the
data directory is ever given other rights to make that work.
"""

import os
import pwd
import subprocess
from pathlib import Path
from typing import Any

import msgspec

from orihon.db.errors import DataUnusable

DEFAULT_USER = "nobody"
"""Who runs the server when root starts it and nothing else is said."""

# The kernel's own verdict, since rights on paper miss access lists and network mounts: prints the first folder that
# cannot be entered. The paths are absolute, so that CDPATH has no say.
_ENTER = 'for folder do cd "$folder" 2>/dev/null || { printf %s "$folder"; exit 1; }; done'


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """The user that runs the server."""

    uid: int
    gid: int
    name: str
    switched: bool
    """True when root hands over to this user."""

    @property
    def spawn(self) -> dict[str, Any]:
        """Arguments that make a subprocess run as this user, with no further groups."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switched else {}


def choose(data: Path, wanted: str | None) -> Identity:
    """Decide who runs the server on `data`.

    A user runs it themself. Root runs it as the owner of the files that are there, else as `wanted`
    (`ORIHON_POSTGRES_USER`), else as `nobody`.

    Raises:
        DataUnusable: the user does not exist, or the files belong to someone else.
    """
    me = os.geteuid()
    owner = data.stat().st_uid if data.exists() else None
    if me != 0:
        if owner not in (None, me):
            raise DataUnusable(
                f"The database in {data} belongs to {_name_of(owner)}, and Orihon runs as {_name_of(me)}. "
                f"Start Orihon as {_name_of(owner)} or as root, or choose another folder with ORIHON_DATA."
            )
        return Identity(uid=me, gid=os.getegid(), name=_require_name(me), switched=False)
    if owner:
        name = _require_name(owner)
        if wanted not in (None, name):
            raise DataUnusable(
                f"ORIHON_POSTGRES_USER says {wanted}, and the database in {data} belongs to {name}. "
                f"Unset the variable, or run `chown -R {wanted} {data}` while Orihon is stopped."
            )
    else:
        name = wanted or DEFAULT_USER
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise DataUnusable(
            f"There is no user {name} on this machine to run PostgreSQL. "
            "Name one that exists in ORIHON_POSTGRES_USER, or start Orihon as a normal user."
        ) from None
    if entry.pw_uid == 0:
        raise DataUnusable("ORIHON_POSTGRES_USER: PostgreSQL refuses to run as root. Name another user.")
    return Identity(uid=entry.pw_uid, gid=entry.pw_gid, name=name, switched=True)


def require_reach(identity: Identity, folder: Path) -> None:
    """Make sure that the server's user can enter `folder`.

    Raises:
        DataUnusable: naming the first folder in the way, and what to do.
    """
    closed = closed_to(identity, folder)
    if closed is not None:
        raise DataUnusable(
            f"PostgreSQL runs as {identity.name} when root starts Orihon, and {identity.name} cannot enter {closed}. "
            "Choose a folder that others can get to with ORIHON_DATA (such as /var/lib/orihon), "
            f"open this one yourself with `chmod o+x {closed}`, or start Orihon as a normal user."
        )


def closed_to(identity: Identity, folder: Path) -> str | None:
    """The first folder on the way into `folder` that the server's user cannot enter, or None."""
    if not identity.switched:
        return None
    way = [str(parent) for parent in [*reversed(folder.parents), folder]]
    check = subprocess.run(
        ["/bin/sh", "-c", _ENTER, "sh", *way], cwd="/", capture_output=True, text=True, check=False, **identity.spawn
    )
    return check.stdout if check.returncode else None


def _require_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        raise DataUnusable(
            f"The user id {uid} has no name on this machine, and PostgreSQL needs one. "
            "Add it to /etc/passwd, or use a server of your own with DATABASE_URL."
        ) from None


def _name_of(uid: int | None) -> str:
    try:
        return pwd.getpwuid(uid or 0).pw_name
    except KeyError:
        return f"user id {uid}"
