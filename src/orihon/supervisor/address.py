"""Addresses to listen on: whether one can be had, what to call it, and when another part answers there."""

import asyncio
import errno
import socket

from orihon.config import Settings
from orihon.supervisor.errors import PortUnusable

_WILDCARDS = {"0.0.0.0", "::", ""}  # noqa: S104 - compared with, not bound


def claim(host: str, port: int) -> int:
    """Make sure that the web process will be able to listen; the port, chosen here when it is 0.

    Raises:
        PortUnusable: taken, forbidden, or not an address of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as attempt:
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            attempt.bind(address)
            return int(attempt.getsockname()[1])
    except socket.gaierror as error:
        raise PortUnusable(f"ORIHON_HOST: {host!r} is not an address of this machine ({error.strerror}).") from error
    except OSError as error:
        raise PortUnusable(_words(host, port, error)) from error


def _words(host: str, port: int, error: OSError) -> str:
    where = f"Port {port} on {host or 'every address'}"
    if error.errno == errno.EADDRINUSE:
        return (
            f"{where} is in use by another program. Stop that program, or choose another port: PORT={port + 1}. "
            f"`ss -ltnp` or `lsof -i :{port}` shows who has it."
        )
    if error.errno == errno.EACCES:
        return f"{where} may only be used by root. Choose a port of 1024 or more with PORT, and put a proxy before it."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"ORIHON_HOST: {host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for every address."
    return f"{where} cannot be used: {error.strerror}."


def url(settings: Settings) -> str:
    """What to type into a browser."""
    if settings.public_url:
        return settings.public_url
    host = "localhost" if settings.host in _WILDCARDS else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def strangers(settings: Settings) -> str | None:
    """What to tell an operator whose library can be read from outside without signing in."""
    if settings.private_mode or settings.host in {"127.0.0.1", "::1", "localhost"}:
        return None
    return (
        f"anyone who reaches {settings.host or 'this machine'}:{settings.port} can read the whole library without "
        "signing in; PRIVATE_MODE=true asks for a sign-in first"
    )


async def until_answering(settings: Settings) -> None:
    """Wait until the web process answers HTTP."""
    host = "127.0.0.1" if settings.host in _WILDCARDS else settings.host
    while not await _answers(host, settings.port):  # noqa: ASYNC110 - another process makes it so
        await asyncio.sleep(0.03)


async def until_open(host: str, port: int) -> None:
    """Wait until somebody listens there."""
    while True:
        try:
            _, writer = await asyncio.open_connection(host, port)
        except OSError:
            await asyncio.sleep(0.03)
        else:
            writer.close()
            return


async def _answers(host: str, port: int) -> bool:
    try:
        reader, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    try:
        writer.write(f"GET /readyz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        return b" 200 " in await reader.readline()
    except OSError:
        return False
    finally:
        writer.close()
