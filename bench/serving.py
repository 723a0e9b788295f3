"""An original page image over HTTP, 32 connections on one web process, beside a bare path-send application and nginx.

Ours runs in private mode, so that every request is signed in and looked up, and sends every header of the product.
"""

from collections.abc import AsyncIterator, Set
from hashlib import sha256
from pathlib import Path

import pyvips

from bench import harness, served
from bench.harness import Row
from orihon.accounts import sessions
from orihon.db.pool import Connection, connect
from orihon.media import store
from orihon.media.inbound import Inbound
from orihon.storage.local import LocalStorage

ROWS = ("page_vs_bare_pathsend", "page_vs_nginx")

SIZE = 500_000
"""About how many bytes the page has."""


def drawing() -> bytes:
    """A JPEG of about `SIZE` bytes, with the grain of a scan."""
    noise = pyvips.Image.gaussnoise(1300, 1850, sigma=40, mean=128).cast("uchar")
    drawn: list[bytes] = [noise.jpegsave_buffer(Q=quality) for quality in range(5, 70, 2)]
    return min(drawn, key=lambda data: abs(len(data) - SIZE))


async def kept(db: Connection, data: Path, content: bytes) -> store.Medium:
    """Bytes in the store, as an import leaves them."""
    storage = LocalStorage(data)
    with storage.stage() as staged:
        inbound = Inbound(staged)
        inbound.write(content)
        probed = inbound.finish()
        await storage.keep(staged, store.storage_key(probed.sha256, probed.format))
    async with db.transaction():
        return await store.keep(db, storage, probed)


async def signed_in(db: Connection) -> str:
    """The cookie header of somebody who is signed in."""
    user = await db.fetchval("INSERT INTO users (username, password_hash) VALUES ('reader', '-') RETURNING id")
    return f"Cookie: {sessions.COOKIE}={await sessions.start(db, user, days=1)}"


async def run(names: Set[str]) -> AsyncIterator[Row]:
    """Measure."""
    served.need("wrk", *(["nginx"] if "page_vs_nginx" in names else []))
    data = harness.folder("serving", empty=True)
    async with harness.postgres() as postgres:
        dsn = await harness.database(postgres, "serving")
        db = await connect(dsn)
        medium = await kept(db, data, drawing())
        cookie = await signed_in(db)
        await db.close()
        path = f"/api/v1/files/{medium.sha256.hex()}.jpg"
        file = data / store.storage_key(medium.sha256, "jpeg")
        assert sha256(file.read_bytes()).digest() == medium.sha256
        async with (
            served.ours(dsn, data, {"PRIVATE_MODE": "true"}) as mine,
            served.bare("page", {"BENCH_FILE": str(file)}, "/") as plain,
        ):
            sides = [lambda: served.wrk(mine + path, headers=[cookie]), lambda: served.wrk(plain + path)]
            if "page_vs_nginx" not in names:
                ours, bare = await harness.interleaved(sides)
            else:
                async with served.nginx(data, f"/{file.relative_to(data)}") as peer:
                    sides.append(lambda: served.wrk(f"{peer}/{file.relative_to(data)}"))
                    ours, bare, nginx = await harness.interleaved(sides)
                yield harness.ratio("page_vs_nginx", ours, nginx)
            if "page_vs_bare_pathsend" in names:
                yield harness.ratio("page_vs_bare_pathsend", ours, bare)
