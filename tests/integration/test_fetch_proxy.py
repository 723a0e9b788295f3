"""The door through an HTTP proxy (spec crawler-support 6.6): what it is asked for, and what it is never asked for."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from orihon.config import Settings
from orihon.fetch.client import FetchClient
from orihon.fetch.errors import FetchError, Refused, Unreachable

pytestmark = pytest.mark.anyio

PUBLIC = "93.184.216.34"


class Names(AbstractResolver):
    """Names as a test says; the proxy's own leads home."""

    def __init__(self, addresses: dict[str, list[str]]) -> None:
        self.addresses = addresses | {"proxy.internal": ["127.0.0.1"]}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        if host not in self.addresses:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return [
            ResolveResult(hostname=host, host=address, port=port, family=socket.AF_INET, proto=6, flags=0)
            for address in self.addresses[host]
        ]

    async def close(self) -> None:
        pass


class HttpProxy:
    """A proxy that answers everything itself, and remembers what it was asked."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        self.port = 0
        self.refuses_tunnels = "403 No"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                self.heads.append(head)
                status = self.refuses_tunnels if head.startswith("CONNECT") else "200 OK"
                writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\nhello".encode())
                await writer.drain()
        writer.close()


@pytest.fixture
async def proxy() -> AsyncIterator[HttpProxy]:
    running = HttpProxy()
    server = await asyncio.start_server(running.serve, "127.0.0.1", 0)
    running.port = server.sockets[0].getsockname()[1]
    yield running
    server.close()


@asynccontextmanager
async def opened(proxy: str, *private: str, **addresses: list[str]) -> AsyncIterator[FetchClient]:
    names = {name.replace("_", "."): found for name, found in addresses.items()}
    settings = Settings(fetch_proxy=proxy, private_origins=private, fetch_rate_ms=0)
    async with FetchClient(settings, resolver=lambda: Names(names)) as door:
        yield door


async def caught(door: FetchClient, url: str) -> FetchError:
    with pytest.raises(FetchError) as error:
        await door.get(url)
    return error.value


async def test_a_public_site_is_asked_for_through_the_proxy_whose_own_name_is_private(proxy: HttpProxy) -> None:
    async with opened(f"http://user:secret@proxy.internal:{proxy.port}", site_example=[PUBLIC]) as door:
        document = await door.get("http://site.example/works/")
    assert document.body == b"hello"
    (head,) = proxy.heads
    assert head.startswith("GET http://site.example/works/ HTTP/1.1")
    assert "Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=" in head
    assert "Host: site.example\r\n" in head


async def test_a_site_over_tls_is_asked_for_by_a_tunnel(proxy: HttpProxy) -> None:
    """The credentials are for the proxy, and a refusal of its is said in words."""
    async with opened(f"http://user:secret@proxy.internal:{proxy.port}", site_example=[PUBLIC]) as door:
        error = await caught(door, "https://site.example/works/")
    (head,) = proxy.heads
    assert head.startswith("CONNECT site.example:443 HTTP/1.1")
    assert "Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=" in head
    assert isinstance(error, Unreachable)
    assert error.cause == "proxy"
    assert "status 403" in str(error)
    assert "secret" not in str(error)


@pytest.mark.parametrize("addresses", [["10.0.0.5"], [PUBLIC, "169.254.169.254"], []], ids=["one", "any", "none"])
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_name_with_any_private_address_is_not_asked_of_the_proxy(
    proxy: HttpProxy, scheme: str, addresses: list[str]
) -> None:
    """PX-1: the proxy resolves again, and might pick that one."""
    async with opened(f"proxy.internal:{proxy.port}", rebind_attacker=addresses) as door:
        error = await caught(door, f"{scheme}://rebind.attacker/")
    assert isinstance(error, Refused)
    assert error.rule == "PrivateIp"
    assert PUBLIC not in str(error)
    assert proxy.heads == []


async def test_a_private_address_is_not_asked_of_the_proxy(proxy: HttpProxy) -> None:
    async with opened(f"proxy.internal:{proxy.port}") as door:
        assert isinstance(await caught(door, "http://10.0.0.5/"), Refused)
        assert isinstance(await caught(door, f"http://127.0.0.1:{proxy.port}/"), Refused)
    assert proxy.heads == []


async def test_a_named_private_origin_is_reached_without_the_proxy(proxy: HttpProxy) -> None:
    async with opened("http://proxy.internal:1", f"http://proxy.internal:{proxy.port}") as door:
        assert (await door.get(f"http://proxy.internal:{proxy.port}/a")).body == b"hello"
    assert proxy.heads[0].startswith("GET /a HTTP/1.1")


@pytest.mark.parametrize("where", ["proxy.internal:1", "unknown.internal:8080"], ids=["closed port", "unknown name"])
async def test_a_proxy_that_is_not_there_is_named_as_the_cause(where: str) -> None:
    async with opened(where, site_example=[PUBLIC]) as door:
        error = await caught(door, "http://site.example/")
    assert isinstance(error, Unreachable)
    assert error.cause == "proxy"
    assert "CRAWLER_PROXY" in str(error)
    assert "Cannot connect" not in str(error)


async def test_an_unknown_name_is_told_before_the_proxy_is_asked(proxy: HttpProxy) -> None:
    async with opened(f"proxy.internal:{proxy.port}") as door:
        error = await caught(door, "http://nowhere.example/")
    assert isinstance(error, Unreachable)
    assert error.cause == "unknown_name"
    assert proxy.heads == []
