"""One image from a site into the store: streamed, hashed, sniffed and probed on the way in."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from orihon.fetch.client import FetchClient
from orihon.fetch.errors import FetchError
from orihon.media.errors import MediaError
from orihon.media.inbound import Inbound, Probed
from orihon.media.store import storage_key
from orihon.storage.local import LocalStorage, Staged

TRIES = 3
"""How often one image is asked for before its job fails (crawler-core A4)."""

PAUSE = 2.0
"""Seconds between two tries (crawler-core A4)."""


class BadImage(Exception):
    """What arrived is not a usable image. The text names the address and the reason."""


class Arrived(msgspec.Struct, frozen=True, kw_only=True):
    """An image whose bytes lie in the store, ready to be recorded."""

    probed: Probed
    key: str


class _Sink:
    """Feeds a download into the staging file; a body that starts over starts a new one."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage
        self._open()

    def _open(self) -> None:
        self.staged: Staged = self._storage.stage()
        self.inbound = Inbound(self.staged)

    def write(self, chunk: bytes) -> None:
        self.inbound.write(chunk)

    def restart(self) -> None:
        self.staged.discard()
        self._open()


@contextmanager
def _sink(storage: LocalStorage) -> Iterator[_Sink]:
    sink = _Sink(storage)
    try:
        yield sink
    finally:
        sink.staged.discard()


async def download_image(
    fetcher: FetchClient,
    storage: LocalStorage,
    url: str,
    *,
    referer: str | None,
    max_bytes: int,
    pause: float = PAUSE,
) -> Arrived:
    """Fetch an image into the store. Its bytes are on disk when this returns; no row names them yet.

    Passing failures are tried again inline; whatever ends it leaves nothing behind but, at worst, a file that
    the sweeper takes.

    Raises:
        FetchError: the door refused or the site failed.
        BadImage: the bytes are no whole image of an accepted format.
        StorageFull: the disk is full.
    """
    for attempt in range(1, TRIES + 1):
        try:
            return await _once(fetcher, storage, url, referer=referer, max_bytes=max_bytes)
        except FetchError as error:
            if attempt == TRIES or not error.retryable or error.retry_after is not None:
                raise
        except BadImage:
            if attempt == TRIES:
                raise
        await asyncio.sleep(pause)
    raise AssertionError  # the last attempt returns or raises


async def _once(
    fetcher: FetchClient, storage: LocalStorage, url: str, *, referer: str | None, max_bytes: int
) -> Arrived:
    with _sink(storage) as sink:
        await fetcher.download(url, sink, referer=referer, max_bytes=max_bytes)
        try:
            probed = sink.inbound.finish()
        except MediaError as error:
            raise BadImage(f"{url}: {error}") from error
        key = storage_key(probed.sha256, probed.format)
        await storage.keep(sink.staged, key)
        return Arrived(probed=probed, key=key)
