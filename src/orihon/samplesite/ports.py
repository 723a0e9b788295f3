"""The port of the sample site, kept between runs.

A library that follows the site knows it by its origin, and the port is a part of that: on another port it would be
another site.
"""

import errno
import socket
from pathlib import Path

from orihon.samplesite.dice import digest

# Below the range from which systems take the ports of outgoing connections, which would hold a kept one at random.
_FIRST, _COUNT = 23_000, 2_000


class PortTaken(Exception):
    """Another program listens where the sample site should. The text says what to do."""


def kept_port(host: str, folder: Path) -> int:
    """The port of earlier runs, or a free one that is kept from now on, for who must name it before the site runs.

    Raises:
        PortTaken: not one free port was found.
    """
    known = _read(folder)
    if known is not None:
        return known
    with listen(host, 0, folder) as found:
        port: int = found.getsockname()[1]
    return port


def listen(host: str, port: int, folder: Path) -> socket.socket:
    """A listening socket on that port; 0 stands for the one of earlier runs, or else a free one, which is then kept.

    Raises:
        PortTaken: somebody else listens there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    asked = port or _read(folder)
    if asked is None:
        return _first_free(host, folder)
    try:
        listening = _bind(host, asked)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise PortTaken(
            f"Port {asked} on {host}, where the sample site belongs, is in use by another program (perhaps a sample"
            f" site that still runs). End that program and start again. To move the site to another port, delete"
            f" {folder / 'port'}; to a library that follows it, it will then be a new site."
        ) from error
    _write(folder, asked)
    return listening


def _first_free(host: str, folder: Path) -> socket.socket:
    # Starting somewhere else for each folder keeps two demos on one machine apart.
    offset = digest("port", folder.resolve())
    for step in range(_COUNT):
        port = _FIRST + (offset + step) % _COUNT
        try:
            listening = _bind(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            continue
        _write(folder, port)
        return listening
    raise PortTaken(f"No port from {_FIRST} to {_FIRST + _COUNT - 1} is free on {host}. Name one with --port.")


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Without it, connections of the last run in TIME_WAIT would pass for another program.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)
    except OSError:
        listening.close()
        raise
    return listening


def _read(folder: Path) -> int | None:
    try:
        text = (folder / "port").read_text(encoding="ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return int(text) if text.isdigit() and 0 < int(text) < 65_536 else None


def _write(folder: Path, port: int) -> None:
    temporary = folder / ".port"
    temporary.write_text(f"{port}\n", encoding="ascii")
    temporary.replace(folder / "port")
