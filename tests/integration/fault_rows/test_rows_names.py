"""Research 3.3: names, identity and time."""

from decimal import Decimal

import pytest
from tests.support.line import Line
from tests.support.rows import errors, wrong

from orihon.samplesite.catalogue import Given, Swatch
from orihon.samplesite.small import swatch

pytestmark = pytest.mark.anyio


async def test_names_of_any_length_are_kept(small: Line) -> None:
    """3.3 row 31: no name becomes the name of a file."""
    work = small.site.catalogue.works[0]
    small.site.catalogue.rename(work.slug, "灯" * 160)
    work.chapters[0].title = "狐" * 120
    await small.follow()
    assert errors(await small.drain()) == []
    assert await wrong(small) == []
    assert all(len(file.key) < 100 for file in small.storage.kept())


async def test_a_wrong_ending_is_no_reason_to_fetch_again(small: Line) -> None:
    """3.3 row 32: an image is known by its content, and by its place in its chapter."""
    work = small.site.catalogue.works[0]
    png = swatch(Swatch("a png that is called a jpeg"))
    work.chapters[0].pages[0] = Given(png, "image/jpeg")
    source = await small.follow()
    await small.drain()
    assert await small.pool.fetchval("SELECT count(*) FROM media WHERE format = 'png' AND size = $1", len(png)) == 1
    small.site.log.clear()
    await small.pool.execute("UPDATE sources SET clean = false")
    await small.walk_again(source)
    assert small.site.log.under("/img/") == {}
    assert await wrong(small) == []


async def test_what_a_site_removes_is_kept(small: Line) -> None:
    """3.3 row 37: deletions are never mirrored."""
    source = await small.follow()
    await small.drain()
    small.site.catalogue.remove(small.site.catalogue.works[-1].slug)
    small.site.catalogue.add_chapter(small.site.catalogue.works[0].slug, number=Decimal(9), pages=1)
    await small.pool.execute("UPDATE sources SET clean = false")
    await small.walk_again(source)
    assert await small.pool.fetchval("SELECT count(*) FROM works") == 2
    assert await small.pool.fetchval("SELECT count(*) FROM pages") == 13
