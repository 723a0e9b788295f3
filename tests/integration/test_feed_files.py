"""Files of posts that are no pages: brought, stored once, offered for download, swept, compared with the site.

Row 29 of research 3.2 (gallery-dl #6721, #6916): every medium is either fetched or listed as not, with the reason.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.exactness import differences
from tests.support.feeds import SLUG, again, as_read, asked, counts, follow, last, posts, same
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.ingest import sources
from orihon.ingest.sources import SourceEdit
from orihon.library.chapters import Attachment as Offered
from orihon.media.sweep import sweep
from orihon.ops import store_check
from orihon.samplesite.catalogue import Given, Packed, Swatch
from orihon.samplesite.creators import Attachment, Creators, Post
from orihon.samplesite.small import swatch

pytestmark = pytest.mark.anyio

LARGE = 3_000_000
PDF = Given(b"%PDF-1.7\n" + bytes(range(256)) * (LARGE // 256), "application/pdf")


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """One creator with three posts of one image each, on one page."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(3, 1)) as opened:
        yield opened


def attach(post: Post, name: str, content: Any, **more: Any) -> Attachment:
    """Another file of a post."""
    one = Attachment(id=f"{post.id}-{name}", name=name, content=content, **more)
    post.attachments = [*post.attachments, one]
    return one


async def offered(made: Line, post: Post) -> list[Offered]:
    """The files of a post as readers get them."""
    return (await as_read(made, post)).attachments


async def wrong(made: Line) -> list[str]:
    return await differences(made.pool, await made.manifest(), made.data)


async def test_the_files_of_a_post_are_brought_and_stored_once(made: Line) -> None:
    """Whatever they are: a zip in two posts, a document that is too large for memory, a picture that is a page, too."""
    one, two, three = posts(made)
    pack = Packed("sketches", 5)
    attach(one, "sketches.zip", pack)
    attach(two, "sketches again.zip", pack)
    attach(three, "a book.pdf", PDF)
    attach(three, "the picture.pdf", Given(swatch(Swatch(f"{three.id}/1")), "application/octet-stream"))
    source = await follow(made)
    ran = await made.drain()
    assert [ran_one.error for ran_one in ran if ran_one.error] == []
    await same(made)
    assert await wrong(made) == []
    formats = await made.pool.fetch(
        "SELECT format, count(*) AS n, min(state) AS state FROM media GROUP BY 1 ORDER BY 1"
    )
    assert [tuple(row) for row in formats] == [("file", 2, "verified"), ("png", 3, "verified")]
    assert (await counts(made.pool))["media_new"] == 7
    (zipped,) = await offered(made, one)
    assert zipped.error is None
    assert (zipped.url or "").endswith(".bin")
    assert zipped.url == (await offered(made, two))[0].url
    book, picture = await offered(made, three)
    assert book.size == len(PDF.body)
    assert (picture.url or "").endswith(".png")
    made.site.log.clear()
    await made.walk_again(source)
    await again(made, source, "recovery")
    assert asked(made) == {}, "neither a tick nor a recovery asks for a file that the store has whole"
    assert (await counts(made.pool))["media_held"] == 7


async def test_a_file_that_fails_holds_nothing_back_and_is_dead_after_three_walks(made: Line) -> None:
    """C15 for files; the post tells why it is not there."""
    broken = posts(made)[1]
    attach(broken, "gone.zip", None)
    attach(broken, "here.zip", Packed("here", 2))
    source = await follow(made)
    await made.drain()
    await same(made)
    gone, here = await offered(made, broken)
    assert gone.url is None
    assert "404" in (gone.error or "")
    assert here.url is not None
    for walked in (2, 3):
        await again(made, source, "backfill")
        assert await made.pool.fetchval("SELECT attempts FROM source_failures") == walked
    made.site.log.clear()
    await again(made, source, "backfill")
    assert asked(made) == {}
    assert (await counts(made.pool))["media_dead"] == 1
    assert "404" in ((await offered(made, broken))[0].error or ""), "what is dead still says why"


async def test_a_file_that_comes_after_all_says_nothing_of_its_failures(made: Line) -> None:
    """C16, C17."""
    post = posts(made)[0]
    attach(post, "late.zip", Packed("late", 2))
    made.site.faults.set("not_found", path="*late.zip")
    source = await follow(made)
    await made.drain()
    assert (await offered(made, post))[0].error
    made.site.faults.clear()
    await made.walk_again(source)
    (late,) = await offered(made, post)
    assert late.error is None
    assert late.url is not None
    assert await made.pool.fetchval("SELECT count(*) FROM source_failures") == 0
    assert await wrong(made) == []


async def test_a_file_that_says_it_is_too_large_is_not_asked_for_and_the_post_says_so(made: Line) -> None:
    """It is a choice, not a failure: nothing is counted against it, the walk is caught up, a higher cap brings it."""
    post = posts(made)[0]
    attach(post, "book.pdf", PDF)
    made.max_file_bytes = 1_000_000
    source = await follow(made)
    await made.drain()
    await same(made)
    assert [path for path in asked(made) if "book" in path] == []
    (book,) = await offered(made, post)
    assert "ORIHON_MAX_ATTACHMENT_BYTES" in (book.error or "")
    assert (book.url, book.size) == (None, len(PDF.body))
    assert (await counts(made.pool))["media_refused"] == 1
    assert await made.pool.fetchval("SELECT count(*) FROM source_failures") == 0
    made.max_file_bytes = 10_000_000
    await again(made, source, "backfill")
    (book,) = await offered(made, post)
    assert (book.error, book.url is None) == (None, False)
    assert await wrong(made) == []


async def test_a_file_that_lies_about_its_size_is_left_at_the_cap(made: Line) -> None:
    """Cut off while it streams; the images of its post are kept, nothing of it stays on the disk."""
    post = posts(made)[0]
    attach(post, "book.pdf", PDF, claims=10)
    made.max_file_bytes = 1_500_000
    await follow(made)
    await made.drain()
    await same(made)
    (book,) = await offered(made, post)
    assert "1,500,000 bytes allowed" in (book.error or "")
    assert await made.pool.fetchval("SELECT attempts FROM source_failures") == 1
    assert list((made.data / "staging").iterdir()) == []
    assert await made.pool.fetchval("SELECT count(*) FROM media WHERE format = 'file'") == 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param(b"", "zero bytes", id="row 24 zero bytes"),
        pytest.param(b"<!doctype html><html><title>Sign in</title></html>", "page", id="row 20 HTML"),
    ],
)
async def test_what_is_no_file_is_not_kept_as_one(made: Line, body: bytes, said: str) -> None:
    post = posts(made)[0]
    attach(post, "pack.zip", Given(body, "application/zip"), claims=100)
    await follow(made)
    await made.drain()
    await same(made)
    (pack,) = await offered(made, post)
    assert pack.url is None
    assert said in (pack.error or "")


async def test_an_expired_address_of_a_file_is_read_anew(made: Line) -> None:
    """Row 26."""
    post = posts(made)[0]
    attach(post, "pack.zip", Packed("pack", 2))
    made.site.faults.set("expired_address", path="/api/*", each=1)
    await follow(made)
    await made.drain()
    assert made.site.log.faults["expired_address"]
    assert await made.pool.fetchval("SELECT count(*) FROM source_failures") == 0
    assert await wrong(made) == []


async def test_a_file_that_an_edit_takes_away_is_swept_and_comes_back_with_the_next(made: Line) -> None:
    post = posts(made)[0]
    attach(post, "pack.zip", Packed("pack", 2))
    source = await follow(made)
    await made.drain()
    swept = await sweep(made.pool, made.storage, grace=-60)
    assert swept.media == 0, "what a post offers is named"
    kept = post.attachments.pop()
    made.site.creators.edit(SLUG, post.id, images=0)
    await made.walk_again(source)
    assert await wrong(made) == []
    swept = await sweep(made.pool, made.storage, grace=-60)
    assert (swept.media, swept.files) == (1, 1)
    post.attachments.append(kept)
    made.site.creators.edit(SLUG, post.id, images=0)
    await made.walk_again(source)
    assert await wrong(made) == []


async def test_a_file_that_was_exchanged_is_fetched_anew(made: Line) -> None:
    """The adapter's key changes with the size that the site tells."""
    post = posts(made)[0]
    one = attach(post, "pack.zip", Packed("pack", 2))
    source = await follow(made)
    await made.drain()
    made.site.creators.replace(SLUG, post.id, one.id, Packed("pack", 4))
    await made.walk_again(source)
    assert await wrong(made) == []
    assert await made.pool.fetchval("SELECT count(*) FROM attachments") == 1


async def test_the_doctor_finds_a_file_that_is_lost_or_exchanged_on_the_disk(made: Line) -> None:
    post = posts(made)[0]
    attach(post, "pack.zip", Packed("pack", 2))
    await follow(made)
    await made.drain()
    key = await made.pool.fetchval(
        "SELECT storage_key FROM media_locations l JOIN media m ON m.id = l.media_id WHERE m.format = 'file'"
    )
    (made.data / key).write_bytes(b"other")
    assert [fault async for fault in store_check.faults(made.pool, made.storage)] == [
        f"{key} has other bytes than its name says"
    ]
    (made.data / key).unlink()
    (fault,) = [fault async for fault in store_check.faults(made.pool, made.storage)]
    assert "cannot be read" in fault
    await made.pool.execute("UPDATE attachments SET media_id = NULL")
    assert any("files is" in fault for fault in await wrong(made)), "beside its site, too"


async def test_the_byte_budget_counts_files(made: Line) -> None:
    for post in posts(made):
        attach(post, "book.pdf", PDF)
    source = await follow(made, byte_budget=1_000)
    await made.drain()
    assert (await last(made.pool))["outcome"] == "limit"
    async with made.pool.acquire() as db, db.transaction():
        await sources.edit(db, source, SourceEdit(byte_budget=None))
    await made.walk_again(source)
    assert await wrong(made) == []
