"""The images and files of one post into the store, each on its own: one that fails holds no other back."""

from collections.abc import Awaitable, Callable, Container, Mapping, Sequence

import msgspec

from orihon.fetch.errors import Denied, FetchError, RateLimited
from orihon.ingest.download import BadImage, Batch, Draft, Intake, side_by_side
from orihon.ingest.walk import TimeIsUp
from orihon.media.inbound import Judged, Probed
from orihon.sources.records import PostMedium

STREAMS = 4
"""Media of one post that are fetched side by side; pacing decides how fast a host is really asked."""

Fresh = Callable[[], Awaitable[Mapping[str, str]]]
"""Reads the post again: the addresses of its media as they are now, by key."""

Affordable = Callable[[int], bool]
"""Whether the source may fetch another medium after so many bytes of this post."""


class Brought(msgspec.Struct, kw_only=True):
    """What came of it, by key. Media in neither were not asked for: time or budget ran out, or the site wants a pause.

    The bytes of those that arrived are on the disk; no row names them yet.
    """

    arrived: dict[str, Judged] = {}
    failed: dict[str, str] = {}
    out_of_time: bool = False
    out_of_budget: bool = False
    paused: RateLimited | None = None

    @property
    def size(self) -> int:
        """Bytes that arrived."""
        return sum(one.size for one in self.arrived.values())

    @property
    def stopped(self) -> bool:
        """Whether it ended before everything was asked for."""
        return self.out_of_time or self.out_of_budget or self.paused is not None


class Bringer(msgspec.Struct, frozen=True, kw_only=True):
    """Fetches the media of posts through an intake."""

    intake: Intake

    def refuses(self, medium: PostMedium) -> str | None:
        """Why a file is not even asked for, in words: by what its post says of its size, it is too large."""
        most = self.intake.max_file_bytes
        if medium.kind == "image" or medium.size is None or medium.size <= most:
            return None
        return (
            f"It has {medium.size:,} bytes, more than the {most:,} that ORIHON_MAX_ATTACHMENT_BYTES "
            "allows. Raise it and have the whole feed walked again, if the file is wanted."
        )

    async def bring(
        self,
        media: Sequence[PostMedium],
        *,
        referer: str,
        fresh: Fresh,
        affordable: Affordable,
        time_is_up: TimeIsUp,
        stand_ins: Container[str] = (),
    ) -> Brought:
        """Fetch some media. Time and budget are asked before each; `stand_ins` as `Intake.image` has them.

        Raises:
            StorageError: the disk failed, which says nothing about any of them.
        """
        brought = Brought()
        waiting = iter(media)

        async def stream() -> None:
            for medium in waiting:
                brought.out_of_time = brought.out_of_time or time_is_up()
                brought.out_of_budget = brought.out_of_budget or not affordable(brought.size)
                if brought.stopped:
                    return
                try:
                    draft = await self._draft(medium, referer, fresh, stand_ins)
                except RateLimited as error:
                    brought.paused = error
                except (FetchError, BadImage) as error:
                    brought.failed[medium.key] = str(error)
                else:
                    await batch.add(draft)
                    brought.arrived[medium.key] = draft.probed

        async with Batch(self.intake.storage) as batch:
            await side_by_side(stream, min(STREAMS, len(media)))
        return brought

    async def _draft(
        self, medium: PostMedium, referer: str, fresh: Fresh, stand_ins: Container[str]
    ) -> Draft[Probed] | Draft[Judged]:
        try:
            return await self._ask(medium, medium.url, medium.referer or referer, stand_ins)
        except Denied:
            # A signed address that ran out since the page was read; one look at the post tells.
            now = (await fresh()).get(medium.key)
            if now is None or now == medium.url:
                raise
            return await self._ask(medium, now, medium.referer or referer, stand_ins)

    async def _ask(
        self, medium: PostMedium, url: str, referer: str, stand_ins: Container[str]
    ) -> Draft[Probed] | Draft[Judged]:
        if medium.kind == "file":
            return await self.intake.file(url, referer=referer)
        return await self.intake.image(url, referer=referer, stand_ins=stand_ins)
