"""`orihon source`: what is followed."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import msgspec
from cyclopts import App, Parameter
from cyclopts.validators import Number

from orihon.cli.output import Entry, as_json, line, say, table
from orihon.cli.session import connected
from orihon.cli.status import UNUSABLE, CommandFailed
from orihon.config import load
from orihon.db.pool import Connection
from orihon.ingest import sources
from orihon.ingest.rules import Asked
from orihon.jobs.queue import AlreadyQueued
from orihon.sources.adapter import BadSettings
from orihon.sources.html.loading import MOST_CHARACTERS
from orihon.sources.registry import kinds, open_adapter

Json = Annotated[bool, Parameter("--json", negative="", help="Print JSON, for scripts.")]
Profile = Annotated[
    str | None, Parameter(help="A site profile: a TOML file, or the name of a built-in one (docs/site-profiles.md).")
]
AdapterName = Annotated[
    str, Parameter(name="--adapter", help="What reads the site: `html`, by a profile, or the adapter of a platform.")
]
Chosen = Annotated[
    list[str] | None,
    Parameter(name="--set", negative="", help="A setting of the adapter as NAME=VALUE; may be given more than once."),
]
Url = Annotated[str, Parameter(help="The first page of the site's list, or whom to follow on a platform.")]
Named = Annotated[str, Parameter(help="Name, address or id of the source, as `orihon source list` shows them.")]

MINUTES = Number(gte=1, lte=30 * 24 * 60)
"""How often a source may be walked: once a minute, or once in thirty days, or in between."""

app = App(name="source", help="What is followed: add, list, edit, run, pause, resume, remove, check.")


@app.command
async def add(
    url: Url,
    *,
    profile: Profile = None,
    adapter: AdapterName = "html",
    chosen: Chosen = None,
    name: Annotated[str | None, Parameter(help="What to call it. Left out: the creator's name, or the host.")] = None,
    content: Annotated[
        sources.Content,
        Parameter(help="Chapters to fetch: all, those of titles that are wanted, or one when a reader opens it."),
    ] = "wanted",
    every: Annotated[int, Parameter(help="Minutes between two walks.", validator=MINUTES)] = 60,
    titles: Annotated[
        int | None, Parameter(help="How many titles one walk takes at most.", validator=Number(gte=1))
    ] = None,
    budget: Annotated[int | None, Parameter(help="How many MiB it may fetch in all.", validator=Number(gte=1))] = None,
    json: Json = False,
) -> None:
    """Follow a site: its titles, chapters and covers come in now, and again whenever something is new.

    For example:

    ```
    orihon source check https://example.org/list --profile site.toml
    orihon source add https://example.org/list --profile site.toml
    orihon source add https://example.org/list --profile site.toml --content all --every 180
    orihon source add https://example.org/api/creators/wren --adapter sample_feed --set count=50
    ```
    """
    try:
        new = msgspec.convert(
            {
                "url": url,
                "adapter": adapter,
                "name": name,
                "settings": _settings(adapter, profile, chosen),
                "content": content,
                "interval_seconds": every * 60,
                "item_limit": titles,
                "byte_budget": budget * 1_048_576 if budget is not None else None,
            },
            sources.NewSource,
        )
    except msgspec.ValidationError as error:
        raise CommandFailed(f"This cannot be followed like that: {error}.") from error
    async with connected("source add") as db:
        try:
            async with db.transaction():
                source_id = await sources.add(db, new)
        except BadSettings as error:
            raise CommandFailed(str(error)) from error
        except sources.AlreadyFollowed as error:
            raise CommandFailed(
                f"{error} For example: orihon source edit {shlex.quote(error.name)} --every 180"
            ) from error
    if json:
        as_json({"id": source_id})
    else:
        line(f"Followed as “{new.name or sources.host_name(url)}” ({source_id}). The first walk is queued.")


@app.command(name="list")
async def list_sources(*, json: Json = False) -> None:
    """List the sources with what they have brought.

    For example:

    ```
    orihon source list
    orihon source list --json
    ```
    """
    async with connected("source list") as db:
        found = await sources.overviews(db)
    if json:
        as_json(found)
        return
    table(
        ("Source", "Titles", "Chapters or posts", "Last walk", "Next walk"),
        (
            (
                Entry(each.source.name, (each.source.url, each.source.last_error)),
                each.works if each.source.kind != "feed" else None,
                f"{each.chapters_ready}/{each.chapters}",
                each.last_walk and each.last_walk.started_at,
                "paused" if each.source.paused else each.next_run_at,
            )
            for each in found
        ),
        empty="Nothing is followed yet. Add a site or a creator with `orihon source add`.",
    )


@app.command
async def edit(
    source: Named,
    *,
    name: Annotated[str | None, Parameter(help="What to call it.")] = None,
    content: Annotated[
        sources.Content | None,
        Parameter(help="Chapters to fetch: all, those of titles that are wanted, or one when a reader opens it."),
    ] = None,
    every: Annotated[int | None, Parameter(help="Minutes between two walks.", validator=MINUTES)] = None,
    titles: Annotated[
        int | None,
        Parameter(help="How many titles, or posts, one walk takes at most; 0: any.", validator=Number(gte=0)),
    ] = None,
    budget: Annotated[
        int | None, Parameter(help="How many MiB it may fetch in all; 0: any.", validator=Number(gte=0))
    ] = None,
    profile: Profile = None,
    chosen: Annotated[
        list[str] | None,
        Parameter(name="--set", negative="", help="A setting of the adapter as NAME=VALUE; NAME= takes it away."),
    ] = None,
    json: Json = False,
) -> None:
    """Change a source. What is left out stays as it is.

    For example:

    ```
    orihon source edit example.org --every 180
    orihon source edit "Sample site" --name Comics --content all --budget 0
    orihon source edit wren --set count=50
    ```
    """
    change: dict[str, object] = {
        "name": name,
        "content": content,
        "interval_seconds": every * 60 if every is not None else None,
    }
    change = {field: value for field, value in change.items() if value is not None}
    change |= {"item_limit": titles or None} if titles is not None else {}
    change |= {"byte_budget": budget * 1_048_576 or None} if budget is not None else {}
    async with connected("source edit") as db, db.transaction():
        found = await _find(db, source)
        if profile is not None or chosen:
            change["settings"] = _changed(found, profile, chosen or ())
        if not change:
            raise CommandFailed("Say what to change: see `orihon source edit --help`.", UNUSABLE)
        try:
            await sources.edit(db, found.id, msgspec.convert(change, sources.SourceEdit))
        except msgspec.ValidationError as error:
            raise CommandFailed(f"It cannot be changed like that: {error}.") from error
        except BadSettings as error:
            raise CommandFailed(str(error)) from error
        (after,) = await sources.overviews(db, found.id)
    if json:
        as_json(after)
    else:
        line(f"“{after.source.name}” is changed.")


@app.command
async def run(
    source: Named,
    *,
    mode: Annotated[
        Asked | None,
        Parameter(
            help="backfill: walk the whole list. recovery: also ask again for media that were seen or given up, "
            "unless they are held whole. Left out: look for news."
        ),
    ] = None,
) -> None:
    """Walk a source now instead of at its next turn.

    For example:

    ```
    orihon source run "Sample site"
    orihon source run "Sample site" --mode recovery
    ```
    """
    async with connected("source run") as db:
        found = await _find(db, source)
        async with db.transaction():
            queued = await sources.run_now(db, found.id, mode)
    waits = isinstance(queued, AlreadyQueued)
    line(f"A walk of “{found.name}” {'was queued already' if waits else 'is queued'}.")


@app.command
async def pause(source: Named) -> None:
    """Stop walking a source; what it has brought stays.

    For example:

    ```
    orihon source pause example.org
    ```
    """
    await _set_paused(source, paused=True)


@app.command
async def resume(source: Named) -> None:
    """Walk a paused source again.

    For example:

    ```
    orihon source resume example.org
    ```
    """
    await _set_paused(source, paused=False)


@app.command
async def remove(source: Named) -> None:
    """Stop following a source. What it has brought stays in the library, with everybody's reading progress.

    For example:

    ```
    orihon source remove example.org
    ```
    """
    async with connected("source remove") as db, db.transaction():
        found = await _find(db, source)
        await sources.remove(db, found.id)
    line(f"“{found.name}” is followed no more. What it has brought stays in the library.")


@app.command
async def check(
    url: Url, *, profile: Profile = None, adapter: AdapterName = "html", chosen: Chosen = None, json: Json = False
) -> int:
    """Show what a source would bring in, before it is followed; no image is fetched and nothing is kept.

    Of a catalogue one list page, one title and one chapter are read; of a feed its creator and the newest posts.
    The exit status is 0 if all of them could be read, else 1.

    For example:

    ```
    orihon source check https://example.org/list --profile site.toml
    orihon source check https://example.org/api/creators/wren --adapter sample_feed
    ```
    """
    from orihon.fetch.client import FetchClient
    from orihon.fetch.errors import FetchError
    from orihon.sources.preview import preview

    try:
        opened = open_adapter(adapter, url, _settings(adapter, profile, chosen))
    except BadSettings as error:
        raise CommandFailed(str(error)) from error
    settings = load()
    say(f"asking {url}, a page at a time")
    async with FetchClient(settings) as fetcher:
        seen = await preview(opened, fetcher, expected=(FetchError,))
    if json:
        as_json(seen)
    else:
        _show(seen)
    return 1 if seen.failure else 0


def _show(seen: Any) -> None:
    if seen.listing:
        line(
            f"List: {seen.listing.count} titles on the first page, {'more follow' if seen.listing.next else 'the end'}"
        )
        for ref in seen.listing.refs:
            line(f"  {ref.title}  {ref.url}")
    if seen.title:
        title = seen.title
        line(f"Title: {title.title}")
        for label, values in (("authors", title.authors), ("genres", title.genres), ("tags", title.tags)):
            line(f"  {label}: {_listed(values)}")
        line(f"  status: {title.status or '–'}; cover: {title.cover_url or '–'}")
    if seen.chapters:
        line(f"Chapters: {seen.chapters.count}, {seen.chapters.unnumbered} without a number")
        for chapter in seen.chapters.refs:
            line(f"  {chapter.number if chapter.number is not None else '–'}  {chapter.title or ''}  {chapter.url}")
    if seen.pages:
        line(f"Pages of one chapter: {seen.pages.count}")
        for page in seen.pages.refs:
            line(f"  {page.number}  {page.url}")
    if posts := seen.posts:
        goes_on = "more follow" if posts.next else "the end"
        line(f"Posts: {posts.count} on the first pages with {posts.images} images and {posts.files} files, {goes_on}")
        for post in posts.posts:
            line(f"  {post.published_at:%Y-%m-%d}  {post.title or '–'}  {len(post.media)} media; {_listed(post.tags)}")
    for warning in seen.warnings:
        line(f"Note: {warning}")
    if seen.failure:
        line(f"The {seen.failure.step} could not be read: {seen.failure.text}")


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words) or "–"


def _settings(adapter: str, profile: str | None, chosen: Sequence[str] | None) -> dict[str, object]:
    """The adapter's settings: those that were named, and the profile."""
    if adapter == "html" and profile is None and not chosen:
        raise CommandFailed("Say what reads the site: --profile FILE (docs/site-profiles.md), or --adapter.", UNUSABLE)
    settings: dict[str, object] = dict(_setting(adapter, each) for each in chosen or ())
    return settings | (_profile(profile) if profile is not None else {})


def _changed(source: sources.Source, profile: str | None, chosen: Sequence[str]) -> dict[str, object]:
    """A source's settings with those that were named in place of its own; a profile is one, however it is given."""
    settings = dict(source.settings)
    if profile is not None:
        settings = {name: value for name, value in settings.items() if name not in ("profile", "profile_toml")}
        settings |= _profile(profile)
    for written in chosen:
        name, _, value = written.partition("=")
        if value or "=" not in written:
            settings |= dict([_setting(source.adapter, written)])
        else:
            settings.pop(name, None)
    return settings


def _setting(adapter: str, written: str) -> tuple[str, object]:
    """NAME=VALUE, the value as the adapter declares it: a whole number or text."""
    name, equals, value = written.partition("=")
    if not equals or not name:
        raise CommandFailed(f"A setting is written NAME=VALUE, not “{written}”.", UNUSABLE)
    declared = (each for kind in kinds() if kind.name == adapter for each in kind.settings)
    number = any(each.name == name and each.least is not None for each in declared)
    try:
        return name, int(value) if number else value
    except ValueError as error:
        raise CommandFailed(f"`{name}` is a whole number, not “{value}”.", UNUSABLE) from error


def _profile(profile: str) -> dict[str, object]:
    """The text of a profile file, or the name of a built-in profile."""
    path = Path(profile)
    if path.suffix != ".toml" and not path.exists():
        return {"profile": profile}
    try:
        with path.open(encoding="utf-8") as file:
            # One more than is taken is enough to be refused, however much there is.
            return {"profile_toml": file.read(MOST_CHARACTERS + 1)}
    except FileNotFoundError as error:
        raise CommandFailed(
            f"There is no file {profile}. How to write one: docs/site-profiles.md.", UNUSABLE
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailed(f"The site profile {profile} cannot be read: {error}.", UNUSABLE) from error


async def _set_paused(source: str, *, paused: bool) -> None:
    async with connected("source pause" if paused else "source resume") as db, db.transaction():
        found = await _find(db, source)
        await sources.edit(db, found.id, sources.SourceEdit(paused=paused))
    line(f"“{found.name}” is {'paused' if paused else 'walked again'}.")


async def _find(db: Connection, sought: str) -> sources.Source:
    known = [each.source for each in await sources.overviews(db)]
    found = match(known, sought)
    if len(found) == 1:
        return found[0]
    if found:
        raise CommandFailed(f"Several sources are called {sought}: say which by its id, one of {_ids(found)}.")
    names = ", ".join(f"“{source.name}”" for source in known) or "none yet"
    raise CommandFailed(f"There is no source {sought}. There are: {names}.")


def match(known: Sequence[sources.Source], sought: str) -> list[sources.Source]:
    """Sources that a person may mean: by id, else by address, else by name whatever its case."""
    by_id = [source for source in known if str(source.id) == sought.lower()]
    by_url = [source for source in known if source.url == sought]
    by_name = [source for source in known if source.name.casefold() == sought.casefold()]
    return by_id or by_url or by_name


def _ids(found: Sequence[sources.Source]) -> str:
    ids: list[UUID] = [source.id for source in found]
    return ", ".join(map(str, ids))
