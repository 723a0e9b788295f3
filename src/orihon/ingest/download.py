"""One image or file from a site into the store: streamed, hashed, sniffed and probed on the way in."""

import asyncio
from collections.abc import Callable, Container, Coroutine
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import msgspec

from orihon.fetch.client import FetchClient
from orihon.fetch.errors import FetchError, Placeholder
from orihon.media.errors import MediaError
from orihon.media.inbound import Inbound, Judged, Probed, judge, judge_file
from orihon.media.probe import MOST_PIXELS
from orihon.media.store import storage_key
from orihon.storage.errors import StorageError
from orihon.storage.local import LocalStorage, Staged

TRIES = 3
"""How often one image is asked for before its job fails (crawler-core A4)."""

PAUSE = 2.0
"""Seconds between two tries (crawler-core A4)."""


T = TypeVar("T", bound=Judged)


class BadImage(Exception):
    """What arrived is not a usable image, or an empty file. The text names the address and the reason."""


class Arrived(msgspec.Struct, frozen=True, kw_only=True):
    """An image whose bytes lie in the store, ready to be recorded."""

    probed: Probed
    key: str


class Draft(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """A whole file, on the disk under a temporary name. Put it into the store, or discard it."""

    probed: T
    staged: Staged

    @property
    def key(self) -> str:
        """Its place in the store."""
        return storage_key(self.probed.sha256, self.probed.format)


GROUP = 32
"""Images that find their places in the store together, since each flush of a folder then serves several."""


class Batch:
    """Brings drafts into the store, group by group; left without an error, all of them are on disk."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage
        self._waiting: list[Draft[Any]] = []

    async def add(self, draft: Draft[Any]) -> None:
        """Take a draft over; the batch discards what it does not keep.

        Raises:
            StorageFull, StorageError: the disk failed.
        """
        self._waiting.append(draft)
        if len(self._waiting) >= GROUP:
            await self._keep()

    async def _keep(self) -> None:
        group, self._waiting = self._waiting, []
        await self._storage.keep_all([(draft.staged, draft.key) for draft in group])

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None and self._waiting:
            await self._keep()
        for draft in self._waiting:
            draft.staged.discard()


async def side_by_side(stream: Callable[[], Coroutine[None, None, None]], count: int) -> None:
    """Run `count` of a stream until all have ended. The first that fails ends the others, and its error is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(count):
                group.create_task(stream())
    except* Exception as errors:
        raise errors.exceptions[0] from None


HELD = 1024 * 1024
"""Bytes that a download holds in memory before it writes them: most images whole. So the event loop rarely touches the
disk, a thread takes each image in a few calls, and what is no image never gets to the disk at all."""


class _Judge(msgspec.Struct, Generic[T], frozen=True):
    """What makes a verdict of a file that was held in memory, and of one that was written on the way."""

    held: Callable[..., T]
    written: Callable[[Inbound], T]


_IMAGES: _Judge[Probed] = _Judge(judge, Inbound.finish)
_FILES: _Judge[Judged] = _Judge(judge_file, Inbound.finish_file)


class _Sink(Generic[T]):
    """Where the bytes of a download go; a body that starts over starts a new one."""

    def __init__(self, storage: LocalStorage, most_pixels: int, judge: _Judge[T]) -> None:
        self._storage = storage
        self._judge = judge
        self._most_pixels = most_pixels
        self._held: list[bytes] = []
        self._size = 0
        # What is too long to be held is written on the way.
        self._long: tuple[Staged, Inbound] | None = None

    def write(self, chunk: bytes) -> None:
        self._held.append(chunk)
        self._size += len(chunk)
        if self._size > HELD:
            if self._long is None:
                staged = self._storage.stage()
                self._long = staged, Inbound(staged, most_pixels=self._most_pixels)
            self._long[1].write(self._rest())

    def restart(self) -> None:
        self.discard()
        self._rest()

    def discard(self) -> None:
        if self._long is not None:
            self._long[0].discard()
            self._long = None

    def settle(self) -> Draft[T]:
        """Judge the whole and bring it to the disk. Blocks: for a thread.

        Raises:
            MediaError: it is not what was asked for.
            StorageError: it could not be written.
        """
        if self._long is None:
            body = self._rest()
            probed = self._judge.held(body, most_pixels=self._most_pixels)
            staged = self._storage.stage()
            staged.write(body)
        else:
            staged, inbound = self._long
            inbound.write(self._rest())
            probed = self._judge.written(inbound)
        try:
            staged.flush()
        except StorageError:
            staged.discard()
            raise
        return Draft(probed=probed, staged=staged)

    def _rest(self) -> bytes:
        rest = b"".join(self._held)
        self._held, self._size = [], 0
        return rest


class Intake(msgspec.Struct, frozen=True, kw_only=True):
    """The way of a site's images and files into the store, and the most that one of them may be: `max_bytes` and
    `max_pixels` an image, `max_file_bytes` any other file.

    Passing failures are tried again inline, `pause` seconds apart. Whatever ends a download leaves nothing behind.
    """

    fetcher: FetchClient
    storage: LocalStorage
    max_bytes: int
    max_file_bytes: int
    max_pixels: int = MOST_PIXELS
    pause: float = PAUSE

    async def stored_image(self, url: str, *, referer: str | None, stand_ins: Container[str] = ()) -> Arrived:
        """Fetch an image into the store. Its bytes are on disk when this returns; no row names them yet, so at worst
        the sweeper takes them.

        Raises:
            FetchError, BadImage, StorageFull: see `image`.
        """
        draft = await self.image(url, referer=referer, stand_ins=stand_ins)
        await self.storage.keep(draft.staged, draft.key)
        return Arrived(probed=draft.probed, key=draft.key)

    async def image(self, url: str, *, referer: str | None, stand_ins: Container[str] = ()) -> Draft[Probed]:
        """Fetch an image under a temporary name, for callers that put several into the store at once. `stand_ins` are
        the hashes (SHA-256, hex) of pictures that the site shows for removed ones.

        Raises:
            FetchError: the door refused or the site failed, or this stands for a picture that was removed.
            BadImage: the bytes are no whole image of an accepted format.
            StorageFull: the disk is full.
        """
        return await self._draft(_IMAGES, url, referer, self.max_bytes, stand_ins)

    async def file(self, url: str, *, referer: str | None) -> Draft[Judged]:
        """Fetch a file that may be anything but a page for people; see `image`.

        Raises:
            FetchError: see `image`; `TooLarge` where it has more than `max_file_bytes`.
            BadImage: it is empty.
            StorageFull: the disk is full.
        """
        return await self._draft(_FILES, url, referer, self.max_file_bytes, ())

    async def _draft(
        self, judge: _Judge[T], url: str, referer: str | None, most: int, stand_ins: Container[str]
    ) -> Draft[T]:
        for attempt in range(1, TRIES + 1):
            try:
                draft = await self._once(judge, url, referer, most)
                _refuse_stand_in(draft, url, stand_ins)
            except FetchError as error:
                if attempt == TRIES or not error.retryable or error.retry_after is not None:
                    raise
            except BadImage:
                if attempt == TRIES:
                    raise
            else:
                return draft
            await asyncio.sleep(self.pause)
        raise AssertionError  # the last attempt returns or raises

    async def _once(self, judge: _Judge[T], url: str, referer: str | None, most: int) -> Draft[T]:
        sink = _Sink(self.storage, self.max_pixels, judge)
        try:
            await self.fetcher.download(url, sink, referer=referer, max_bytes=most)
            return await _settled(sink)
        except BaseException as error:
            sink.discard()
            if isinstance(error, MediaError):
                raise BadImage(f"{url}: {error}") from error
            raise


def _refuse_stand_in(draft: Draft[Any], url: str, stand_ins: Container[str]) -> None:
    if draft.probed.sha256.hex() in stand_ins:
        draft.staged.discard()
        raise Placeholder(url)


async def _settled(sink: _Sink[T]) -> Draft[T]:
    settling = asyncio.ensure_future(asyncio.to_thread(sink.settle))
    try:
        return await asyncio.shield(settling)
    except asyncio.CancelledError:
        # A thread cannot be called off: what it still brings is thrown away when it is done.
        settling.add_done_callback(_throw_away)
        raise


def _throw_away(settling: "asyncio.Future[Draft[Any]]") -> None:
    if not settling.cancelled() and settling.exception() is None:
        settling.result().staged.discard()
