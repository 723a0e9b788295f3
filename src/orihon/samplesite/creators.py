"""The creators that the sample site offers, with their posts: plain objects which tests may change while it runs.

`Creators.sample()` is what the demo offers: three people and every oddity of real feeds. `Creators.plain()` is as long
as a test or a measurement likes. Nothing is drawn here; an attachment only knows how it would be made.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from orihon.samplesite.catalogue import NEWEST, DrawnCover, Given, Image, Media, Packed, Swatch
from orihon.samplesite.dice import Dice, digest
from orihon.samplesite.series import series
from orihon.samplesite.words import Voice

Kind = Literal["image", "file"]

FILE_ENDINGS = (".zip", ".psd", ".pdf", ".mp4")

LOST_SIZE = 48_213
"""The size that the feed claims for a file that nobody can fetch."""


class Attachment(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a post. `id` names it for ever; its name does not: every post may have a `1.jpg`.

    `content` None: the feed lists it, and its address answers 404, for ever. `claims`: the size that the feed tells in
    place of the true one.
    """

    id: str
    name: str
    content: Media | None
    claims: int | None = None

    @property
    def kind(self) -> Kind:
        """Whether the site shows it as a picture."""
        if isinstance(self.content, Given):
            return "image" if self.content.content_type.startswith("image/") else "file"
        return "file" if isinstance(self.content, Packed) or self.name.endswith(FILE_ENDINGS) else "image"


class Post(msgspec.Struct, kw_only=True):
    """One post. `number` is its place in its creator's life, which cursors hang on: it is never given twice."""

    id: str
    number: int
    title: str
    text: str
    published: datetime
    edited: datetime | None = None
    pinned: bool = False
    tags: tuple[str, ...] = ()
    attachments: list[Attachment] = msgspec.field(default_factory=list)


class Creator(msgspec.Struct, kw_only=True):
    """Somebody who posts. `posts` stand newest first; `look` names the series in whose manner new images are drawn."""

    slug: str
    id: str
    name: str
    about: str
    avatar: Image | None
    look: str
    posts: list[Post] = msgspec.field(default_factory=list)

    def post(self, post_id: str) -> Post:
        """The post of that id. KeyError if there is none."""
        for one in self.posts:
            if one.id == post_id:
                return one
        raise KeyError(post_id)

    @property
    def pinned(self) -> Sequence[Post]:
        """The posts that stand on top of the first page, besides their own place."""
        return [post for post in self.posts if post.pinned]


class Creators:
    """Everyone who posts, and what happens to their feeds while the site runs."""

    def __init__(self, creators: Iterable[Creator] = ()) -> None:
        self._creators = {creator.slug: creator for creator in creators}

    @classmethod
    def sample(cls) -> "Creators":
        """The three of the demo. Between them they have every case that a feed walk must stand:

        * `wren-calloway`: 48 posts, several images each; a pinned old post; a text-only post; an image that always
          answers 404; a post without a title; the same picture in two posts;
        * `haru-mizuno`: 24 posts; an edited post; a zip beside the images; one picture twice in one post under two
          ids; a file name of 250 bytes that is not Latin;
        * `ren-kuroda`: 3 posts, so that the whole feed is one page.
        """
        return cls((_wren(), _haru(), _ren()))

    @classmethod
    def plain(cls, posts: int, media: int = 2, *, creators: int = 1) -> "Creators":
        """Any number of posts with tiny images that cost nothing to make, and nothing odd about them.

        The slugs are `creator-1`, `creator-2`...
        """
        return cls(_plain(number, posts, media) for number in range(1, creators + 1))

    @property
    def all(self) -> Sequence[Creator]:
        """Every creator."""
        return list(self._creators.values())

    def creator(self, slug: str) -> Creator:
        """The creator of that name. KeyError if there is none."""
        return self._creators[slug]

    def remove(self, slug: str) -> Creator:
        """A creator who left; their addresses answer 404 from now on."""
        return self._creators.pop(slug)

    def publish(
        self, slug: str, *, title: str = "News", images: int = 1, attachments: Sequence[Attachment] = ()
    ) -> Post:
        """A new post at the head of a feed; walks that are under way go on below it."""
        creator = self.creator(slug)
        newest = creator.posts[0] if creator.posts else None
        number = newest.number + 1 if newest else 1
        post_id = _post_id(slug, number)
        post = Post(
            id=post_id,
            number=number,
            title=title,
            text=f"Post {number}.",
            published=(newest.published if newest else NEWEST) + timedelta(hours=1),
            attachments=[_tiny(post_id, place) for place in range(1, images + 1)] + list(attachments),
        )
        creator.posts.insert(0, post)
        return post

    def edit(
        self, slug: str, post_id: str, *, text: str | None = None, tags: Sequence[str] | None = None, images: int = 1
    ) -> Post:
        """An edit: the post stays where it is, `edited_at` changes, and images are added to its end."""
        post = self.creator(slug).post(post_id)
        post.edited = (post.edited or post.published) + timedelta(days=1)
        post.text = f"{post.text} (edited)" if text is None else text
        post.tags = post.tags if tags is None else tuple(tags)
        first = len(post.attachments) + 1
        post.attachments = post.attachments + [_tiny(post_id, place) for place in range(first, first + images)]
        return post

    def pin(self, slug: str, post_id: str | None) -> None:
        """Pin this post and no other; None: no post."""
        for post in self.creator(slug).posts:
            post.pinned = post.id == post_id

    def delete(self, slug: str, post_id: str) -> Post:
        """A creator deletes a post; the numbers of the others stay."""
        creator = self.creator(slug)
        post = creator.post(post_id)
        creator.posts.remove(post)
        return post

    def replace(self, slug: str, post_id: str, attachment_id: str, content: Media | None) -> None:
        """Other bytes under an address that stays; None: 404 from now on."""
        post = self.creator(slug).post(post_id)
        post.attachments = [
            msgspec.structs.replace(one, content=content) if one.id == attachment_id else one
            for one in post.attachments
        ]


def _post_id(slug: str, number: int) -> str:
    # As on real platforms: digits that say nothing, and fit a 64-bit column.
    return str(10_000_000 + digest("post", slug, number) % 80_000_000)


def _attachment_id(post_id: str, place: int) -> str:
    return f"{digest('attachment', post_id, place):016x}"


def _attachment(post_id: str, place: int, content: Media | None, name: str | None = None) -> Attachment:
    return Attachment(id=_attachment_id(post_id, place), name=name or f"{place}.jpg", content=content)


def _tiny(post_id: str, place: int) -> Attachment:
    return _attachment(post_id, place, Swatch(f"{post_id}/{place}"), f"{place}.png")


def _plain(number: int, posts: int, media: int) -> Creator:
    slug = f"creator-{number}"
    creator = Creator(
        slug=slug,
        id=str(1000 + number),
        name=f"Creator {number}",
        about="Posts without end.",
        avatar=None,
        look="the-lighthouse-keeps-a-ledger",
    )
    for place in range(posts, 0, -1):
        post_id = _post_id(slug, place)
        creator.posts.append(
            Post(
                id=post_id,
                number=place,
                title=f"Post {place}",
                text=f"The text of post {place}.",
                published=NEWEST - timedelta(hours=posts - place),
                attachments=[_tiny(post_id, image) for image in range(1, media + 1)],
            )
        )
    return creator


def _drawn(slug: str, name: str, look: str, about: str, posts: int) -> Creator:
    """A creator whose posts have one to four illustrations each, no two alike."""
    kind = series(look)
    creator = Creator(
        slug=slug,
        id=str(2000 + digest("creator", slug) % 7000),
        name=name,
        about=about,
        avatar=DrawnCover(look, 100),
        look=look,
    )
    version = 101
    for number in range(1, posts + 1):
        dice = Dice("post", slug, number)
        voice = Voice(kind, dice)
        post_id = _post_id(slug, number)
        count = dice.between(1, 4)
        creator.posts.insert(
            0,
            Post(
                id=post_id,
                number=number,
                title=voice.chapter_title(),
                text=f"{voice.saying()}\n\n{voice.saying()}",
                published=NEWEST - timedelta(days=3 * (posts - number), minutes=dice.between(0, 900)),
                tags=tuple(tag.partition(" (")[0] for tag in kind.tags[: dice.between(0, len(kind.tags))]),
                attachments=[
                    _attachment(post_id, place, DrawnCover(look, version + place)) for place in range(1, count + 1)
                ],
            ),
        )
        version += count
    return creator


def _wren() -> Creator:
    wren = _drawn(
        "wren-calloway", "Wren Calloway", "the-lighthouse-keeps-a-ledger", "Lamps, tides, and what is between.", 48
    )
    newest_first = wren.posts
    newest_first[40].pinned = True
    newest_first[3].attachments = []
    newest_first[6].attachments = [*newest_first[6].attachments, _attachment(newest_first[6].id, 90, None)]
    newest_first[8].title = ""
    again = newest_first[30].attachments[0].content
    newest_first[10].attachments = [*newest_first[10].attachments, _attachment(newest_first[10].id, 91, again)]
    return wren


def _haru() -> Creator:
    haru = _drawn("haru-mizuno", "水野 はる", "paper-lantern-express", "夜行列車の絵を描いています。", 24)
    newest_first = haru.posts
    edited = newest_first[5]
    edited.edited = edited.published + timedelta(days=2)
    pack = newest_first[2]
    pack.attachments = [*pack.attachments, _attachment(pack.id, 90, Packed("sketches", 5), "sketches.zip")]
    twice = newest_first[7]
    twice.attachments = [*twice.attachments, _attachment(twice.id, 90, twice.attachments[0].content, "full.jpg")]
    named = newest_first[9]
    first = named.attachments[0]
    named.attachments = [msgspec.structs.replace(first, name="灯" * 82 + ".jpg"), *named.attachments[1:]]
    return haru


def _ren() -> Creator:
    return _drawn("ren-kuroda", "Ren Kuroda", "fox-rain", "Foxes, mostly.", 3)
