"""Names, identity and time (research 3.3 rows 34 and 35), and the walk that looks at a whole list (3.1 row 12)."""

import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest
from tests.support.feeds import SLUG, counts, follow, posts, walks
from tests.support.line import line

from orihon.db.pool import Pool
from orihon.ingest.rules import Chunk, Outcome, plan
from orihon.library.posts import fingerprint, sort_key
from orihon.samplesite.creators import Creators
from orihon.search.catalogue import Query, search
from orihon.sources.adapter import Document, LayoutChanged
from orihon.sources.html.addresses import key_of
from orihon.sources.html.profile import Key
from orihon.sources.records import Post
from orihon.sources.sample_feed import wire

pytestmark = pytest.mark.anyio

NFC, NFD = "Café Ōkami が", unicodedata.normalize("NFD", "Café Ōkami が")


async def test_a_name_has_one_spelling_and_a_title_is_found_by_either(pool: Pool, tmp_path: Path) -> None:
    """Row 34: one person, one tag; and a title that comes in the other form is no edit."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(3, 1)) as made:
        made.site.creators.creator(SLUG).name = NFD
        for post, tag in zip(posts(made), (NFC, NFD, NFD), strict=True):
            post.tags = (tag,)
        source = await follow(made)
        await made.drain()
        assert await pool.fetchval("SELECT count(*) FROM tags") == 1
        assert await pool.fetchval("SELECT title FROM works") == NFD, "shown as its source spells it"
        assert [row["name"] for row in await pool.fetch("SELECT name FROM people")] == [NFC]
        async with pool.acquire() as db:
            for text in (NFC, NFD, "cafe okami"):
                assert b"feed" not in (await search(db, Query(text=text))).cards
                assert NFD.encode() in (await search(db, Query(text=text, kind="feed"))).cards
        before = await pool.fetchval("SELECT updated_at FROM works")
        made.site.creators.creator(SLUG).name = NFC
        for post in posts(made):
            post.tags = (NFD,)
        await made.walk_again(source)
        assert (await counts(pool))["updated"] == 0
        assert await pool.fetchval("SELECT updated_at FROM works") == before


@pytest.mark.parametrize("written", ["/works/café/", "/works/cafe\u0301/", "/works/cafe%CC%81/", "/works/caf%C3%A9/"])
def test_an_address_gives_one_key_however_its_accents_are_spelled(written: str) -> None:
    """Row 34: escaped and plain are two forms that a site does not mix; composed and decomposed it does."""
    assert key_of(written, Key(after="works")) in ("café", "caf%C3%A9")


POST = Post(key="1", url="https://s.example/1", published_at=datetime(2026, 3, 1, 23, 30, 0, 5, tzinfo=UTC))


def test_the_same_moment_in_another_zone_is_no_edit() -> None:
    """Row 35."""
    tokyo = timezone(timedelta(hours=9))
    there = msgspec.structs.replace(POST, published_at=POST.published_at.astimezone(tokyo))
    assert fingerprint(there) == fingerprint(POST)
    assert sort_key(there.published_at) == sort_key(POST.published_at)


def test_a_second_is_a_second_and_nothing_is_rounded() -> None:
    """Row 35: whole microseconds, so that no two times become one and none moves by a second."""
    later = POST.published_at + timedelta(microseconds=1)
    assert sort_key(later) - sort_key(POST.published_at) == 1
    assert sort_key(datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)) == 253_402_300_799_999_999


@pytest.mark.parametrize("told", ["2026-03-01T23:30:00", "2 hours ago", "1772407800", ""])
def test_a_time_without_a_zone_is_not_guessed(told: str) -> None:
    """Row 35: it is the site's format that changed, and a guess would move every post."""
    post = {"id": "1", "title": "", "text": "", "published_at": told, "edited_at": None, "pinned": False}
    body = msgspec.json.encode({"posts": [post | {"tags": [], "attachments": []}], "next": None})
    document = Document(url="https://s.example/api", status=200, content_type="application/json", body=body)
    with pytest.raises(LayoutChanged, match="published_at"):
        wire.page(document, document.url)


@pytest.mark.parametrize(
    ("clean", "overdue", "mode"), [(True, False, "tick"), (True, True, "backfill"), (False, True, "backfill")]
)
def test_a_list_that_was_not_walked_whole_for_long_is_walked_whole(clean: bool, overdue: bool, mode: str) -> None:
    """3.1 row 12: an early stop misses what changed further down."""
    last = Chunk(mode="tick", cursor=None, outcome=Outcome.CAUGHT_UP)
    assert plan(last, clean=clean, recovery_cursor=None, overdue=overdue).mode == mode


async def test_what_changed_far_down_is_found_by_the_whole_walk_of_the_month(pool: Pool, tmp_path: Path) -> None:
    """3.1 row 12: hidden posts that are shown again stand below the twenty that end a tick."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(30, 1)) as made:
        hidden = made.site.creators.delete(SLUG, posts(made)[27].id)
        source = await follow(made, count=10)
        await made.drain()
        posts(made).insert(27, hidden)
        await made.walk_again(source)
        assert (await walks(pool))[-1] == ("tick", "caught_up")
        assert await pool.fetchval("SELECT count(*) FROM chapters") == 29
        await pool.execute("UPDATE sources SET whole_at = now() - interval '31 days'")
        await made.walk_again(source)
        assert (await walks(pool))[-1] == ("backfill", "end_of_list")
        assert await pool.fetchval("SELECT count(*) FROM chapters") == 30
        await made.walk_again(source)
        assert (await walks(pool))[-1] == ("tick", "caught_up")
