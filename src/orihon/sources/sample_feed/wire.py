"""The documents of the API as records. Whatever is missing or of another type is named by its path."""

from datetime import datetime
from typing import Annotated, TypeVar
from urllib.parse import urljoin, urlsplit

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from orihon.sources.adapter import Document, EmptyListing, EndUnproven, LayoutChanged, LoginRequired, Transient
from orihon.sources.records import MediumKind, Post, PostMedium, Title

T = TypeVar("T")


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
        SourceError: see `_decoded`.
    """
    told = _decoded(document, document.body, _Creator)
    return Title(
        key=told.id,
        title=told.name,
        url=url,
        description=told.about or None,
        reading_direction="ltr",
        authors=(told.name,),
        cover_url=_address(document.url, told.avatar) if told.avatar else None,
    )


def page(document: Document, asked: str) -> Read:
    """A page of posts; `asked` is the address that leads back to them.

    One post that cannot be read is left out and counted; when none can, the site has changed.

    Raises:
        EndUnproven: nothing says whether more posts follow.
        EmptyListing: more posts are said to follow a page without any.
        SourceError: see `_decoded`.
    """
    told = _decoded(document, document.body, _Page)
    if isinstance(told.next, UnsetType):
        raise EndUnproven(
            f"{document.url} does not say whether more posts follow (`next` is missing), so nobody knows whether the "
            "feed ends here. What is held stays. If this lasts, the API has changed and its adapter needs an update."
        )
    if told.next is not None and not told.posts:
        raise EmptyListing(f"{document.url} lists no posts and says that more follow. What is held stays.")
    posts: list[Post] = []
    first: LayoutChanged | None = None
    for raw in told.posts:
        try:
            posts.append(_post(_decoded(document, bytes(raw), _Post), document.url, asked))
        except LayoutChanged as error:
            first = first or error
    if first is not None and not posts:
        raise first
    return Read(posts=tuple(posts), next=told.next, dropped=len(told.posts) - len(posts))


def _post(told: _Post, base: str, asked: str) -> Post:
    media: dict[str, PostMedium] = {}
    for one in told.attachments:
        # The address stays when a file is exchanged; its size is all that tells.
        key = f"{one.id}:{one.size}"
        media.setdefault(
            key,
            PostMedium(
                key=key,
                url=_address(base, one.url),
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
        published_at=told.published_at,
        edited_at=told.edited_at,
        pinned=told.pinned,
        tags=told.tags,
        media=tuple(media.values()),
    )


def _decoded(document: Document, body: bytes, kind: type[T]) -> T:
    """JSON as a record.

    Raises:
        LoginRequired: a page for people in place of data.
        Transient: half a document.
        LayoutChanged: a field is missing, renamed or of another type; the text names it.
    """
    try:
        # No column of the database takes the character that this escape stands for.
        return msgspec.json.decode(body.replace(b"\\u0000", b""), type=kind)
    except msgspec.ValidationError as error:
        raise LayoutChanged(
            f"{document.url} is not what this adapter reads: {error}. What is held stays. The API has changed, and "
            "its adapter needs an update."
        ) from error
    except (msgspec.DecodeError, UnicodeError) as error:
        if body.lstrip()[:1] == b"<":
            raise LoginRequired(
                f"{document.url} answered with a page for people in place of data: a sign-in or a bot check. Open the "
                "address in a browser to see what it wants."
            ) from error
        raise Transient(f"{document.url} answered with broken data ({error}). It is read again by itself.") from error


def _address(base: str, url: str) -> str:
    """A whole address.

    Raises:
        LayoutChanged: it is none of the web's.
    """
    try:
        whole = urljoin(base, url)
        parts = urlsplit(whole)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise LayoutChanged(f"{base} names an address that is none: `{url[:100]}`. What is held stays.")
    return whole
