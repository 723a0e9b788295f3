"""Store once, check, thumbnails and the sweeper, on a real database and real files."""

import asyncio
import os
import time
from pathlib import Path
from uuid import UUID

import pytest

from orihon.db.pool import Pool
from orihon.ingest.checking import MediumChecker
from orihon.jobs import queue
from orihon.jobs.handlers import Job
from orihon.jobs.payloads import CheckMedium
from orihon.media.decoder import DecoderPool
from orihon.media.inbound import Inbound, Probed
from orihon.media.store import keep, storage_key
from orihon.media.sweep import sweep
from orihon.media.thumbnails import NoThumbnail, Thumbnails
from orihon.storage.errors import StorageError
from orihon.storage.local import LocalStorage

pytestmark = pytest.mark.anyio

# The smallest whole PNG: one black pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63606060000000040001f61738550000000049454e44ae426082"
)


@pytest.fixture
def storage(tmp_path: Path) -> LocalStorage:
    return LocalStorage(tmp_path)


async def arrive(storage: LocalStorage, body: bytes) -> Probed:
    with storage.stage() as staged:
        inbound = Inbound(staged)
        inbound.write(body)
        probed = inbound.finish()
        await storage.keep(staged, storage_key(probed.sha256, probed.format))
    return probed


async def record(pool: Pool, storage: LocalStorage, body: bytes) -> UUID:
    probed = await arrive(storage, body)
    async with pool.acquire() as db, db.transaction():
        return (await keep(db, storage, probed)).id


async def a_page(pool: Pool, media_id: UUID) -> UUID:
    work = await pool.fetchval("INSERT INTO works (title) VALUES ('W') RETURNING id")
    chapter = await pool.fetchval("INSERT INTO chapters (work_id, sort_key) VALUES ($1, 1) RETURNING id", work)
    page: UUID = await pool.fetchval(
        "INSERT INTO pages (chapter_id, number, media_id) VALUES ($1, 1, $2) RETURNING id", chapter, media_id
    )
    return page


async def check(pool: Pool, storage: LocalStorage, media_id: UUID) -> None:
    async with pool.acquire() as db:
        await queue.enqueue(db, CheckMedium(media_id=media_id))
        (leased,) = await queue.lease(db, "media")
    async with DecoderPool(processes=1) as decoder:
        await MediumChecker(storage, decoder)(
            Job(payload=CheckMedium(media_id=media_id), claim=leased.claim, pool=pool)
        )


async def test_two_imports_of_equal_bytes_at_once_end_as_one_row_and_one_file(
    pool: Pool, storage: LocalStorage
) -> None:
    ids = await asyncio.gather(*(record(pool, storage, PNG) for _ in range(6)))
    assert len(set(ids)) == 1
    assert await pool.fetchval("SELECT count(*) FROM media") == 1
    assert await pool.fetchval("SELECT count(*) FROM media_locations") == 1
    assert len(list(storage.kept())) == 1


async def test_a_row_is_never_made_without_its_file(pool: Pool, storage: LocalStorage) -> None:
    probed = await arrive(storage, PNG)
    await storage.delete(storage_key(probed.sha256, probed.format))
    with pytest.raises(StorageError, match="gone"):
        async with pool.acquire() as db, db.transaction():
            await keep(db, storage, probed)
    assert await pool.fetchval("SELECT count(*) FROM media") == 0


async def test_a_file_that_went_missing_is_restored_by_the_next_import(pool: Pool, storage: LocalStorage) -> None:
    first = await record(pool, storage, PNG)
    for kept in list(storage.kept()):
        await storage.delete(kept.key)
    assert await record(pool, storage, PNG) == first
    assert len(list(storage.kept())) == 1


async def test_a_sound_image_is_verified_with_its_colour(pool: Pool, storage: LocalStorage) -> None:
    media_id = await record(pool, storage, PNG)
    await check(pool, storage, media_id)
    row = await pool.fetchrow("SELECT state, dominant_color, damage FROM media")
    assert tuple(row or ()) == ("verified", "#000000", None)


async def test_damage_marks_the_page_and_asks_for_it_again_once(
    pool: Pool, storage: LocalStorage, fixtures: Path
) -> None:
    body = bytearray((fixtures / "comics" / "blanche" / "001.jpg").read_bytes())
    middle = len(body) // 2
    body[middle : middle + 4000] = b"\xff\xd3" * 2000
    media_id = await record(pool, storage, bytes(body))
    page = await a_page(pool, media_id)
    for _ in range(2):
        await check(pool, storage, media_id)
    row = await pool.fetchrow("SELECT damage, refetches FROM pages WHERE id = $1", page)
    assert row is not None
    assert "damaged" in row["damage"]
    assert row["refetches"] == 1
    assert await pool.fetchval("SELECT count(*) FROM jobs WHERE kind = 'page_refetch'") == 1


async def test_a_missing_file_is_damage_not_an_error_for_ever(pool: Pool, storage: LocalStorage) -> None:
    media_id = await record(pool, storage, PNG)
    for kept in list(storage.kept()):
        await storage.delete(kept.key)
    await check(pool, storage, media_id)
    assert "missing" in await pool.fetchval("SELECT damage FROM media")


def age(storage: LocalStorage) -> None:
    for kept in storage.kept():
        os.utime(storage.path(kept.key), (0, time.time() - 2 * 86400))


async def test_the_sweeper_takes_what_nothing_names_and_nothing_else(pool: Pool, storage: LocalStorage) -> None:
    shown = await record(pool, storage, PNG)
    await a_page(pool, shown)
    loose = await arrive(
        storage, PNG.replace(b"\x00\x00\x00\x01\x00\x00\x00\x01\x08", b"\x00\x00\x00\x02\x00\x00\x00\x01\x08")
    )
    swept = await sweep(pool, storage)
    assert (swept.media, swept.files) == (0, 0), "the young are left alone"
    age(storage)
    await pool.execute("UPDATE media SET kept_at = now() - interval '2 days'")
    swept = await sweep(pool, storage)
    assert (swept.media, swept.files) == (0, 1)
    assert not await storage.exists(storage_key(loose.sha256, loose.format))
    assert len(list(storage.kept())) == 1


async def test_the_sweeper_forgets_media_that_no_page_shows_any_more(pool: Pool, storage: LocalStorage) -> None:
    await record(pool, storage, PNG)
    age(storage)
    await pool.execute("UPDATE media SET kept_at = now() - interval '2 days'")
    swept = await sweep(pool, storage)
    assert (swept.media, swept.files) == (1, 1)
    assert swept.bytes == len(PNG)


async def test_bytes_that_arrive_while_they_are_swept_are_not_lost(pool: Pool, storage: LocalStorage) -> None:
    """Whoever comes first: a row is never left without its file."""
    for _ in range(12):
        await record(pool, storage, PNG)
        age(storage)
        await pool.execute("UPDATE media SET kept_at = now() - interval '2 days'")
        _, kept = await asyncio.gather(sweep(pool, storage), record(pool, storage, PNG), return_exceptions=True)
        assert isinstance(kept, UUID | StorageError)
        rows = await pool.fetchval("SELECT count(*) FROM media_locations")
        assert rows == 0 or len(list(storage.kept())) == 1


async def test_a_thumbnail_is_made_once_and_never_larger_than_the_original(fixtures: Path, tmp_path: Path) -> None:
    original = fixtures / "comics" / "blanche" / "001.jpg"
    async with DecoderPool() as decoder:
        cache = Thumbnails(tmp_path, decoder, most_bytes=10**9)
        made = await asyncio.gather(
            *(cache.get("ab" * 32, original, "jpeg", width=320, output="webp") for _ in range(5))
        )
        assert len({path for path, _ in made}) == 1
        (path, _) = made[0]
        assert path.read_bytes()[8:12] == b"WEBP"
        before = path.stat().st_mtime_ns
        await cache.get("ab" * 32, original, "jpeg", width=320, output="webp")
        assert path.stat().st_mtime_ns == before
    assert [entry.name for entry in path.parent.iterdir()] == ["w320.webp"]


@pytest.mark.parametrize("name", ["hopper_orientation_6.jpg", "hopper_orientation_3.jpg", "hopper_orientation_6.webp"])
async def test_orientation_is_applied_and_metadata_left_out(fixtures: Path, tmp_path: Path, name: str) -> None:
    original = fixtures / "images" / name
    kind = "webp" if name.endswith("webp") else "jpeg"
    async with DecoderPool(processes=1) as decoder:
        cache = Thumbnails(tmp_path, decoder, most_bytes=10**9)
        path, _ = await cache.get("cd" * 32, original, kind, width=160, output="jpeg")  # type: ignore[arg-type]
    assert b"Exif" not in path.read_bytes()


async def test_a_strip_that_webp_cannot_hold_comes_as_jpeg(tmp_path: Path, fixtures: Path) -> None:
    async with DecoderPool(processes=1) as decoder:
        cache = Thumbnails(tmp_path, decoder, most_bytes=10**9)
        original = fixtures / "comics" / "blanche" / "001.jpg"
        path, output = await cache.get("ef" * 32, original, "jpeg", width=960, output="webp", size=(960, 20_000))
    assert (path.suffix, output) == (".jpg", "jpeg")


async def test_what_cannot_be_decoded_has_no_thumbnail_and_leaves_none(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"\xff\xd8\xff\xe0 nothing")
    async with DecoderPool(processes=1) as decoder:
        cache = Thumbnails(tmp_path / "cache", decoder, most_bytes=10**9)
        with pytest.raises(NoThumbnail):
            await cache.get("12" * 32, broken, "jpeg", width=160, output="webp")
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


async def test_the_cache_stays_within_its_size_and_drops_the_oldest(fixtures: Path, tmp_path: Path) -> None:
    original = fixtures / "images" / "hopper.webp"
    async with DecoderPool(processes=1) as decoder:
        cache = Thumbnails(tmp_path, decoder, most_bytes=12_000)
        for number in range(12):
            path, _ = await cache.get(f"{number:02x}" * 32, original, "webp", width=160, output="jpeg")
            os.utime(path, (number, number))
    kept = sorted(path.parent.name[:2] for path in tmp_path.rglob("w160.jpg"))
    assert sum(path.stat().st_size for path in tmp_path.rglob("w160.jpg")) <= 12_000
    assert "0b" in kept
    assert "00" not in kept
