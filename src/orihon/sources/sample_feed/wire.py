"""The documents of the API as records. Whatever is missing or of another type is named by its path."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from orihon.sources.adapter import Document, EmptyListing, EndUnproven
from orihon.sources.answers import address, decoded, moment, readable
from orihon.sources.records import MediumKind, Post, PostMedium, Title

Key = Annotated[str, Meta(min_length=1, max_length=200)]
Name = Annotated[str, Meta(max_length=2000)]
Size = Annotated[int, Meta(ge=0, le=2**50)]
Moment = Annotated[datetime, Meta(tz=True)]


class _Creator(msgspec.Struct, frozen=True):
    id: Key
    name: Annotated[str, Meta(min_length=1, max_length=500)]
    about: str | None
    avatar: Name | None


class _Attachment(msgspec.Struct, frozen=True):
    id: Key
    name: Name
    url: Name
    kind: MediumKind
    size: Size
    width: Size | None = None
    height: Size | None = None


class _Post(msgspec.Struct, frozen=True):
    id: Key
    title: Name
    text: str
    published_at: Moment
    edited_at: Moment | None
    pinned: bool
    tags: tuple[Name, ...]
    attachments: Annotated[tuple[_Attachment, ...], Meta(max_length=5000)]


class _Page(msgspec.Struct, frozen=True):
    posts: tuple[Raw, ...]
    next: str | None | UnsetType = UNSET


class Read(msgspec.Struct, frozen=True):
    """A page of posts; `next` is the site's own cursor, None at the end; `dropped` posts could not be read."""

    posts: tuple[Post, ...]
    next: str | None
    dropped: int


def creator(document: Document, url: str) -> Title:
    """Who posts.

    Raises:
        SourceError: see `decoded`.
    """
    told = decoded(document, _Creator)
    return Title(
        key=told.id,
        title=told.name,
        url=url,
        description=told.about or None,
        reading_direction="ltr",
        authors=(told.name,),
        cover_url=address(document.url, told.avatar) if told.avatar else None,
    )


def page(document: Document, asked: str) -> Read:
    """A page of posts; `asked` is the address that leads back to them.

    One post that cannot be read is left out and counted; when none can, the site has changed.

    Raises:
        EndUnproven: nothing says whether more posts follow.
        EmptyListing: more posts are said to follow a page without any.
        SourceError: see `decoded`.
    """
    told = decoded(document, _Page)
    if isinstance(told.next, UnsetType):
        raise EndUnproven(
            f"{document.url} does not say whether more posts follow (`next` is missing), so nobody knows whether the "
            "feed ends here. What is held stays. If this lasts, the API has changed and its adapter needs an update."
        )
    if told.next is not None and not told.posts:
        raise EmptyListing(f"{document.url} lists no posts and says that more follow. What is held stays.")
    posts, dropped = readable(told.posts, lambda one: _post(decoded(document, _Post, one), document.url, asked))
    return Read(posts=posts, next=told.next, dropped=dropped)


def _post(told: _Post, base: str, asked: str) -> Post:
    media: dict[str, PostMedium] = {}
    for one in told.attachments:
        # The address stays when a file is exchanged; its size is all that tells.
        key = f"{one.id}:{one.size}"
        media.setdefault(
            key,
            PostMedium(
                key=key,
                url=address(base, one.url),
                name=one.name,
                kind=one.kind,
                size=one.size,
                width=one.width,
                height=one.height,
            ),
        )
    return Post(
        key=told.id,
        url=f"{asked}#{told.id}",
        title=told.title or None,
        text=told.text,
        published_at=moment(base, told.published_at),
        edited_at=moment(base, told.edited_at) if told.edited_at else None,
        pinned=told.pinned,
        tags=told.tags,
        media=tuple(media.values()),
    )
