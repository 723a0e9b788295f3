"""The works that the sample site offers: plain objects which tests may change while the site runs.

A catalogue is made by code and always the same: `Catalogue.sample()` is the one that the demo follows,
`Catalogue.small()` and `Catalogue.plain()` are cut to the measure of a test. Nothing is drawn here; a page only knows
how it would be drawn.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import msgspec

from orihon.samplesite.dice import Dice, digest
from orihon.samplesite.series import Direction, Series, Status, all_series
from orihon.samplesite.words import Voice

NEWEST = datetime(2026, 3, 1, 12, tzinfo=UTC)
"""When the newest work of a fresh catalogue was last updated; fixed, since the bytes of the HTML hang on it."""

UPLOADERS = ("Moth & Lamp", "Tuesday Scans", "The Second Draft", "Kettle Crew")


class DrawnPage(msgspec.Struct, frozen=True):
    """A page that is drawn when it is first asked for."""

    series: str
    chapter: str
    heading: str
    number: int
    count: int


class DrawnCover(msgspec.Struct, frozen=True):
    """A cover that is drawn when it is first asked for. Another version looks different."""

    series: str
    version: int


class Given(msgspec.Struct, frozen=True):
    """Bytes that a test put in the place of an image."""

    body: bytes
    content_type: str


class OnDisk(msgspec.Struct, frozen=True):
    """An image of the folder that `--with` names, served as it is."""

    path: Path
    content_type: str
    width: int
    height: int


class Swatch(msgspec.Struct, frozen=True):
    """A tiny image of one colour, no two alike: for feeds of ten thousand posts, where drawing would take the day."""

    seed: str


class Packed(msgspec.Struct, frozen=True):
    """A zip of text files: something that a post offers and no reader can show."""

    seed: str
    files: int


Image = DrawnPage | DrawnCover | Swatch | Given | OnDisk
Media = Image | Packed


class Chapter(msgspec.Struct, kw_only=True):
    """One release. `key` names it for ever; its number does not: two uploaders may share one."""

    key: str
    number: Decimal | None
    title: str | None
    uploader: str
    uploaded: datetime
    pages: list[Image]

    @property
    def label(self) -> str:
        """How the site writes it: `Chapter 10.5: The Quiet Bell`, or only the text of a notice."""
        if self.number is None:
            return f"Notice: {self.title}"
        number = f"Chapter {self.number.normalize():f}"
        return f"{number}: {self.title}" if self.title else number


class Work(msgspec.Struct, kw_only=True):
    """A title with everything that its page says. `chapters` stand as listed, newest first.

    `look` names the series in whose manner new pages of this work are drawn.
    """

    slug: str
    title: str
    updated: datetime
    alt_titles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    artists: tuple[str, ...] = ()
    genres: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    status: Status | None = None
    direction: Direction | None = None
    description: str | None = None
    cover: Image | None = None
    cover_name: str = "cover-1"
    look: str = "the-lighthouse-keeps-a-ledger"
    chapters: list[Chapter] = msgspec.field(default_factory=list)

    def chapter(self, key: str) -> Chapter:
        """The chapter of that key. KeyError if there is none."""
        for one in self.chapters:
            if one.key == key:
                return one
        raise KeyError(key)


class Catalogue:
    """Works, newest update first, and the changes that happen to them on a living site."""

    def __init__(self, works: Iterable[Work]) -> None:
        self._works = {work.slug: work for work in works}
        self._order: list[Work] | None = None

    @classmethod
    def sample(cls) -> "Catalogue":
        """The catalogue of the demo, with all the oddities of real ones."""
        return cls(_work(series, place) for place, series in enumerate(all_series()))

    @classmethod
    def small(cls, works: int = 3, chapters: int = 4, pages: int = 5) -> "Catalogue":
        """Drawn works with whole chapter numbers and nothing odd about them, at most as many as there are series."""
        known = all_series()
        if works > len(known):
            raise ValueError(f"There are {len(known)} drawn works; Catalogue.plain() has as many as you like.")
        return cls(_regular(series, place, chapters, pages) for place, series in enumerate(known[:works]))

    @classmethod
    def plain(cls, titles: int, chapters: int = 0, pages: int = 1) -> "Catalogue":
        """Any number of works that cost nothing to make, for walks over long listings; no covers."""
        return cls(_plain(number, chapters, pages) for number in range(titles))

    @property
    def works(self) -> Sequence[Work]:
        """Every work, newest update first; a list of its own, which changes of the catalogue do not touch."""
        if self._order is None:
            self._order = list(self._works.values())
        return self._order

    def __len__(self) -> int:
        return len(self._works)

    def listed(self, start: int, count: int) -> Sequence[Work]:
        """A part of the listing."""
        return self.works[start : start + count]

    def work(self, slug: str) -> Work:
        """The work of that name. KeyError if there is none."""
        return self._works[slug]

    def add(self, work: Work, *, newest: bool = True) -> Work:
        """Put a work at the top of the listing, or at its end."""
        if newest:
            self._works = {work.slug: work, **self._works}
        else:
            self._works[work.slug] = work
        self._order = None
        return work

    def remove(self, slug: str) -> Work:
        """Take a work out; its pages answer 404 from now on."""
        self._order = None
        return self._works.pop(slug)

    def touch(self, slug: str) -> Work:
        """Move a work to the top of the listing, as an update does."""
        work = self.remove(slug)
        work.updated = max([work.updated, *(one.updated for one in self._works.values())]) + timedelta(hours=1)
        return self.add(work)

    def rename(self, slug: str, title: str) -> Work:
        """Give a work another title; its address stays."""
        work = self.work(slug)
        work.title = title
        return work

    def add_chapter(
        self,
        slug: str,
        *,
        number: Decimal | str | None,
        title: str | None = None,
        pages: int | Sequence[Image] = 3,
        key: str | None = None,
        uploader: str = UPLOADERS[0],
    ) -> Chapter:
        """Release a chapter at the top of a work's list, and move the work to the top of the listing."""
        work = self.touch(slug)
        value = None if number is None else Decimal(number)
        key = key or chapter_key(slug, str(value), uploader, len(work.chapters))
        chapter = Chapter(
            key=key,
            number=value,
            title=title,
            uploader=uploader,
            uploaded=work.updated,
            pages=_pages(work.look, key, "" if value is None else f"{value}", pages)
            if isinstance(pages, int)
            else list(pages),
        )
        work.chapters.insert(0, chapter)
        return chapter

    def remove_chapter(self, slug: str, key: str) -> Chapter:
        """Take a chapter out of its work's list."""
        work = self.work(slug)
        chapter = work.chapter(key)
        work.chapters.remove(chapter)
        return chapter

    def change_cover(self, slug: str, image: Image | None = None) -> str:
        """Give a work another cover under another address; returns the new name. The default is a new drawing."""
        work = self.work(slug)
        version = int(work.cover_name.rpartition("-")[2]) + 1
        work.cover_name = f"cover-{version}"
        work.cover = image or DrawnCover(work.look, version)
        return work.cover_name

    def replace_page(self, slug: str, key: str, number: int, body: bytes, content_type: str = "image/jpeg") -> None:
        """Serve these bytes, whole or broken, as a page from now on, under the address it has."""
        self.work(slug).chapter(key).pages[number - 1] = Given(body, content_type)

    def mend_page(self, slug: str, key: str, number: int) -> None:
        """Serve the drawn page again."""
        chapter = self.work(slug).chapter(key)
        heading = "" if chapter.number is None else f"{chapter.number}"
        chapter.pages[number - 1] = DrawnPage(self.work(slug).look, key, heading, number, len(chapter.pages))


def chapter_key(*parts: object) -> str:
    """An opaque key, as sites have them: it says nothing about number or place."""
    letters = "0123456789abcdefghjkmnpqrstvwxyz"
    rest, text = digest("chapter", *parts), ""
    for _ in range(8):
        rest, letter = divmod(rest, len(letters))
        text += letters[letter]
    return text


def _pages(slug: str, key: str, heading: str, count: int) -> list[Image]:
    return [DrawnPage(slug, key, heading, number, count) for number in range(1, count + 1)]


def _updated(place: int) -> datetime:
    # Gaps that grow: the first works were updated hours ago, the last ones years ago.
    return NEWEST - timedelta(hours=3 * place + place * place * 4)


def _bare(series: Series, place: int) -> Work:
    return Work(
        slug=series.slug,
        title=series.title,
        updated=_updated(place),
        alt_titles=series.alt,
        authors=series.authors,
        artists=series.artists,
        genres=series.genres,
        tags=series.tags,
        status=series.status,
        direction=series.direction,
        description=series.description.strip(),
        cover=DrawnCover(series.slug, 1) if series.cover else None,
        look=series.slug,
    )


def _work(series: Series, place: int) -> Work:
    work = _bare(series, place)
    dice = Dice("chapters", series.slug)
    uploader = dice.pick(UPLOADERS)
    releases: list[tuple[Decimal | None, str, str]] = []
    for whole in range(1, series.chapters + 1):
        number = Decimal(whole)
        releases.append((number, Voice(series, dice).chapter_title(), uploader))
        if str(whole) in series.doubled:
            other = UPLOADERS[(UPLOADERS.index(uploader) + 1) % len(UPLOADERS)]
            releases.append((number, releases[-1][1], other))
        releases += [
            (Decimal(text), Voice(series, dice).chapter_title(), uploader)
            for text in series.decimals
            if int(Decimal(text)) == whole
        ]
    releases += [(None, notice, uploader) for notice in series.notices]
    for age, (shown, title, by) in enumerate(reversed(releases)):
        key = chapter_key(series.slug, shown, title, by)
        count = 1 if shown is None else dice.between(*series.pages)
        work.chapters.append(
            Chapter(
                key=key,
                number=shown,
                title=title,
                uploader=by,
                uploaded=work.updated - timedelta(days=6 * age, minutes=dice.between(0, 600)),
                pages=_pages(series.slug, key, "" if shown is None else f"{shown}", count),
            )
        )
    if series.shuffled:
        work.chapters = dice.shuffled(work.chapters)
    return work


def _regular(series: Series, place: int, chapters: int, pages: int) -> Work:
    work = _bare(series, place)
    for age, number in enumerate(range(chapters, 0, -1)):
        key = chapter_key("small", series.slug, number)
        work.chapters.append(
            Chapter(
                key=key,
                number=Decimal(number),
                title=Voice(series, Dice("small", series.slug, number)).chapter_title(),
                uploader=UPLOADERS[0],
                uploaded=work.updated - timedelta(days=age),
                pages=_pages(series.slug, key, f"{number}", pages),
            )
        )
    return work


def _plain(number: int, chapters: int, pages: int) -> Work:
    series = all_series()[number % len(all_series())]
    slug = f"title-{number:06d}"
    updated = NEWEST - timedelta(minutes=7 * number)
    work = Work(
        slug=slug,
        title=f"{series.lettered} {number:06d}",
        updated=updated,
        authors=series.authors,
        genres=series.genres,
        status=series.status,
        direction=series.direction,
        look=series.slug,
    )
    for whole in range(chapters, 0, -1):
        key = chapter_key(slug, whole)
        drawn: list[Image] = [DrawnPage(series.slug, key, f"{whole}", page, pages) for page in range(1, pages + 1)]
        work.chapters.append(
            Chapter(key=key, number=Decimal(whole), title=None, uploader=UPLOADERS[0], uploaded=updated, pages=drawn)
        )
    return work
