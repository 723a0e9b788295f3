"""`orihon source`: what is followed."""

import shlex
from collections.abc import Sequence
from typing import Annotated, TypeVar
from uuid import UUID

import msgspec
from cyclopts import App, Parameter
from cyclopts.validators import Number

from orihon.cli.output import Entry, as_json, line, say, table
from orihon.cli.session import connected
from orihon.cli.settings import changed_settings, chosen_settings
from orihon.cli.status import UNUSABLE, CommandFailed
from orihon.config import load
from orihon.db.pool import Connection
from orihon.ingest import forgetting, sources
from orihon.ingest.rules import Asked, Content
from orihon.jobs.queue import AlreadyQueued
from orihon.sources.adapter import BadSettings
from orihon.sources.registry import open_adapter

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

CONTENT = Parameter(help="Chapters to fetch: all, those of titles that are wanted, or one when a reader opens it.")
MINUTES = Number(gte=1, lte=30 * 24 * 60)
"""How often a source may be walked: once a minute, or once in thirty days, or in between."""

app = App(name="source", help="What is followed: add, list, edit, run, pause, resume, remove, removed, forget, check.")


@app.command
async def add(
    url: Url,
    *,
    profile: Profile = None,
    adapter: AdapterName = "html",
    chosen: Chosen = None,
    name: Annotated[str | None, Parameter(help="What to call it. Left out: the creator's name, or the host.")] = None,
    content: Annotated[Content, CONTENT] = "wanted",
    every: Annotated[int, Parameter(help="Minutes between two walks.", validator=MINUTES)] = 60,
    titles: Annotated[
        int | None, Parameter(help="How many titles, or posts, one walk takes at most.", validator=Number(gte=1))
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
                "settings": chosen_settings(adapter, profile, chosen),
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
    url: Annotated[str | None, Parameter(help="Where the site is now, with the same titles.")] = None,
    content: Annotated[Content | None, CONTENT] = None,
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
    orihon source edit example.org --url https://example.net/latest
    ```
    """
    change: dict[str, object] = {
        "name": name,
        "url": url,
        "content": content,
        "interval_seconds": every * 60 if every is not None else None,
    }
    change = {field: value for field, value in change.items() if value is not None}
    change |= {"item_limit": titles or None} if titles is not None else {}
    change |= {"byte_budget": budget * 1_048_576 or None} if budget is not None else {}
    async with connected("source edit") as db, db.transaction():
        found = await _find(db, source)
        if profile is not None or chosen:
            change["settings"] = changed_settings(found, profile, chosen or ())
        if not change:
            raise CommandFailed("Say what to change: see `orihon source edit --help`.", UNUSABLE)
        try:
            await sources.edit(db, found.id, msgspec.convert(change, sources.SourceEdit))
        except msgspec.ValidationError as error:
            raise CommandFailed(f"It cannot be changed like that: {error}.") from error
        except (BadSettings, sources.AlreadyFollowed) as error:
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


@app.command(name="removed")
async def list_removed(*, json: Json = False) -> None:
    """List the sources that were removed and are still remembered: following one again goes on where it was.

    For example:

    ```
    orihon source removed
    orihon source removed --json
    ```
    """
    async with connected("source removed") as db:
        found = await forgetting.removed(db)
    if json:
        as_json(found)
        return
    table(
        ("Source", "Titles", "Chapters or posts", "Removed"),
        (
            (
                Entry(each.name, (each.url, str(each.id))),
                each.works if each.kind != "feed" else None,
                each.chapters,
                each.removed_at,
            )
            for each in found
        ),
        empty="No removed source is remembered.",
    )


@app.command
async def forget(
    source: Annotated[str, Parameter(help="Name, address or id, as `orihon source removed` shows them.")],
) -> None:
    """Forget a removed source for good: what came from it, its history, and what was deleted here of it.

    Its titles stay in the library, with their files and everybody's reading progress. Following its address again
    begins anew: all of its titles come a second time, beside those that stayed. To go on with them instead, follow the
    address without forgetting it.

    For example:

    ```
    orihon source forget example.org
    ```
    """
    async with connected("source forget") as db, db.transaction():
        known = await forgetting.removed(db)
        found = match(known, source)
        if len(found) > 1:
            raise CommandFailed(
                f"Several removed sources are called {source}: say which by its id, one of {_ids(found)}."
            )
        if not found and (followed := match([each.source for each in await sources.overviews(db)], source)):
            raise CommandFailed(str(forgetting.StillFollowed(followed[0].name)))
        if found:
            await forgetting.forget(db, found[0].id)
    if found:
        line(f"“{found[0].name}” is forgotten. What it has brought stays in the library.")
    else:
        line(f"No removed source {source} is remembered, so there is nothing to forget.")


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
    from orihon.cli.previews import show
    from orihon.fetch.client import FetchClient
    from orihon.fetch.errors import FetchError
    from orihon.sources.preview import preview

    try:
        opened = open_adapter(adapter, url, chosen_settings(adapter, profile, chosen))
    except BadSettings as error:
        raise CommandFailed(str(error)) from error
    settings = load()
    say(f"asking {url}, a page at a time")
    async with FetchClient(settings) as fetcher:
        seen = await preview(opened, fetcher, expected=(FetchError,))
    if json:
        as_json(seen)
    else:
        show(seen)
    return 1 if seen.failure else 0


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


_One = TypeVar("_One", sources.Source, forgetting.Removed)


def match(known: Sequence[_One], sought: str) -> list[_One]:
    """Sources that a person may mean: by id, else by address, else by name whatever its case."""
    by_id = [source for source in known if str(source.id) == sought.lower()]
    by_url = [source for source in known if source.url == sought]
    by_name = [source for source in known if source.name.casefold() == sought.casefold()]
    return by_id or by_url or by_name


def _ids(found: Sequence[sources.Source] | Sequence[forgetting.Removed]) -> str:
    ids: list[UUID] = [source.id for source in found]
    return ", ".join(map(str, ids))
