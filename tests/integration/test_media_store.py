"""Store once, check, thumbnails and the sweeper, on a real database and real files."""

import asyncio
import os
import shutil
import time
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest
from tests.support.waiting import eventually

from orihon.db.pool import Connection, Pool
from orihon.ingest.checking import MediumChecker
from orihon.jobs import leases, queue
from orihon.jobs.handlers import Job
from orihon.jobs.payloads import CheckMedium
from orihon.media.decoder import DecoderPool
from orihon.media.errors import SweepRefused
from orihon.media.inbound import Inbound, Probed
from orihon.media.store import Medium, keep, keep_all, storage_key
from orihon.media.sweep import sweep
from orihon.media.thumbnails import NoThumbnail, Thumbnails
from orihon.storage.errors import StorageError, Vanished
from orihon.storage.local import LocalStorage

pytestmark = pytest.mark.anyio

# The smallest whole PNG: one black pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63606060000000040001f61738550000000049454e44ae426082"
)


def variant(number: int) -> bytes:
    """Other bytes with the same look: what follows a picture's end is passed over."""
    return PNG + number.to_bytes(4, "big")


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
    async with pool.acquire() as db:
        return await a_page_of(db, media_id)


async def a_page_of(db: Connection, media_id: UUID) -> UUID:
    work = await db.fetchval("INSERT INTO works (title) VALUES ('W') RETURNING id")
    chapter = await db.fetchval("INSERT INTO chapters (work_id, sort_key) VALUES ($1, 1) RETURNING id", work)
    page: UUID = await db.fetchval(
        "INSERT INTO pages (chapter_id, number, media_id) VALUES ($1, 1, $2) RETURNING id", chapter, media_id
    )
    return page


async def check(pool: Pool, storage: LocalStorage, media_id: UUID) -> None:
    async with pool.acquire() as db:
        await queue.enqueue(db, CheckMedium(media_id=media_id))
        (leased,) = await leases.lease(db, "media")
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
    with pytest.raises(Vanished, match="gone"):
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


async def test_a_store_that_is_away_is_no_damage(pool: Pool, storage: LocalStorage) -> None:
    """DESIGN ruling 14: the job fails and comes back; nothing is marked, nothing is fetched again."""
    media_id = await record(pool, storage, PNG)
    page = await a_page(pool, media_id)
    (storage.root / "media").rename(storage.root / "elsewhere")
    with pytest.raises(StorageError, match="not mounted"):
        await check(pool, storage, media_id)
    assert await pool.fetchval("SELECT damage FROM pages WHERE id = $1", page) is None
    assert await pool.fetchval("SELECT state FROM media") == "probed"
    assert await pool.fetchval("SELECT count(*) FROM jobs WHERE kind = 'page_refetch'") == 0
    (storage.root / "elsewhere").rename(storage.root / "media")
    await pool.execute("DELETE FROM jobs")
    await check(pool, storage, media_id)
    assert await pool.fetchval("SELECT state FROM media") == "verified"


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


async def forgettable(pool: Pool, storage: LocalStorage, count: int) -> None:
    """Media of a day ago that nothing shows."""
    for number in range(count):
        await record(pool, storage, variant(number))
    await outdate(pool, storage)


async def outdate(pool: Pool, storage: LocalStorage) -> None:
    age(storage)
    await pool.execute("UPDATE media SET kept_at = now() - interval '2 days'")


async def test_forgetting_goes_through_all_windows_and_takes_the_files_along(
    pool: Pool, storage: LocalStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many: they were known, so that no question is asked."""
    monkeypatch.setattr("orihon.media.sweep._WINDOW", 3)
    monkeypatch.setattr("orihon.media.sweep.FEW", 2)
    await forgettable(pool, storage, 8)
    await a_page(pool, await record(pool, storage, PNG))
    await outdate(pool, storage)
    swept = await sweep(pool, storage)
    assert (swept.media, swept.files) == (8, 8)
    assert len(list(storage.kept())) == 1


async def test_a_database_that_knows_nothing_of_the_store_removes_nothing(
    pool: Pool, storage: LocalStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN ruling 14: a new or an old database beside a full store must not empty it."""
    monkeypatch.setattr("orihon.media.sweep.FEW", 2)
    for number in range(3):
        await arrive(storage, variant(number))
    age(storage)
    with pytest.raises(SweepRefused, match="3 of the 3 files"):
        await sweep(pool, storage)
    assert len(list(storage.kept())) == 3
    assert (await sweep(pool, storage, force=True)).files == 3


async def test_nothing_is_removed_when_the_database_cannot_answer(pool: Pool, storage: LocalStorage) -> None:
    await arrive(storage, PNG)
    age(storage)
    pool.terminate()
    with pytest.raises(asyncpg.InterfaceError):
        await sweep(pool, storage)
    assert len(list(storage.kept())) == 1


@pytest.mark.parametrize("name", ["Thumbs.db", "notes.txt", "ab/.DS_Store", "ab/page.jpg", f"ab/cd/{'ab' * 32}.jpg"])
async def test_files_of_others_are_none_of_the_sweepers_business(pool: Pool, storage: LocalStorage, name: str) -> None:
    stranger = storage.root / "media" / name
    stranger.parent.mkdir(parents=True)
    stranger.write_bytes(b"a person put this here")
    os.utime(stranger, (0, 0))
    assert (await sweep(pool, storage)).files == 0
    assert stranger.exists()


async def test_a_sweep_waits_for_no_import_and_takes_nothing_from_it(pool: Pool, storage: LocalStorage) -> None:
    medium = await record(pool, storage, PNG)
    await outdate(pool, storage)
    async with pool.acquire() as db, db.transaction():
        await keep(db, storage, await arrive(storage, PNG))
        swept = await sweep(pool, storage)
        assert (swept.media, swept.files) == (0, 0)
        await a_page_of(db, medium)
    assert await pool.fetchval("SELECT count(*) FROM media") == 1
    assert len(list(storage.kept())) == 1


async def test_imports_of_the_same_media_in_any_order_do_not_wait_for_each_other_for_ever(
    pool: Pool, storage: LocalStorage
) -> None:
    probed = [await arrive(storage, variant(number)) for number in range(6)]

    async def chapter(order: list[Probed]) -> dict[bytes, Medium]:
        async with pool.acquire() as db, db.transaction():
            return await keep_all(db, storage, order)

    orders = [probed, probed[::-1], probed[3:] + probed[:3], probed * 2]
    kept = await asyncio.gather(*(chapter(order) for order in orders * 3))
    assert all(media == kept[0] for media in kept)
    assert len(kept[0]) == await pool.fetchval("SELECT count(*) FROM media") == 6


async def test_what_was_damaged_is_judged_again_when_it_arrives_again(pool: Pool, storage: LocalStorage) -> None:
    """A file that rotted is marked damaged; whole on the disk again, it is sound again, and so is its page."""
    media_id = await record(pool, storage, PNG)
    page = await a_page(pool, media_id)
    for kept in list(storage.kept()):
        storage.path(kept.key).write_bytes(PNG[:50])
    await check(pool, storage, media_id)
    assert await pool.fetchval("SELECT damage FROM pages WHERE id = $1", page)
    assert await record(pool, storage, PNG) == media_id
    await check(pool, storage, media_id)
    assert await pool.fetchval("SELECT state FROM media") == "verified"
    assert await pool.fetchval("SELECT damage FROM pages WHERE id = $1", page) is None


async def test_bytes_that_arrive_while_they_are_swept_are_not_lost(pool: Pool, storage: LocalStorage) -> None:
    """Whoever comes first: a row is never left without its file."""
    for _ in range(12):
        await record(pool, storage, PNG)
        age(storage)
        await pool.execute("UPDATE media SET kept_at = now() - interval '2 days'")
        _, kept = await asyncio.gather(sweep(pool, storage), record(pool, storage, PNG), return_exceptions=True)
        assert isinstance(kept, UUID | Vanished)
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


async def test_a_thumbnail_that_a_power_cut_emptied_is_made_again(fixtures: Path, tmp_path: Path) -> None:
    original = fixtures / "images" / "hopper.webp"
    async with DecoderPool(processes=1) as decoder:
        cache = Thumbnails(tmp_path, decoder, most_bytes=10**9)
        empty = cache.path("ab" * 32, 160, "jpeg")
        empty.parent.mkdir(parents=True)
        empty.touch()
        path, _ = await cache.get("ab" * 32, original, "webp", width=160, output="jpeg")
    assert path == empty
    assert path.stat().st_size > 0


async def test_the_cache_may_be_deleted_at_any_time(fixtures: Path, tmp_path: Path) -> None:
    original = fixtures / "images" / "hopper.webp"
    async with DecoderPool(processes=1) as decoder:
        cache = Thumbnails(tmp_path / "thumbs", decoder, most_bytes=10**9)
        for _ in range(2):
            path, _ = await cache.get("ab" * 32, original, "webp", width=160, output="jpeg")
            assert path.is_file()
            shutil.rmtree(tmp_path / "thumbs")


async def test_a_cache_without_room_is_no_error_of_the_server(fixtures: Path, tmp_path: Path) -> None:
    """The original is served instead (F10 of public-api-auth 17.5)."""
    (tmp_path / "thumbs").write_bytes(b"a file where the folder should be")
    async with DecoderPool(processes=1) as decoder:
        cache = Thumbnails(tmp_path / "thumbs", decoder, most_bytes=10**9)
        with pytest.raises(NoThumbnail, match="could not be kept"):
            await cache.get("ab" * 32, fixtures / "images" / "hopper.webp", "webp", width=160, output="jpeg")


async def test_one_reader_that_goes_away_does_not_spoil_a_thumbnail_for_the_others(
    fixtures: Path, tmp_path: Path
) -> None:
    original = fixtures / "comics" / "blanche" / "001.jpg"
    async with DecoderPool(processes=1) as decoder:
        cache = Thumbnails(tmp_path, decoder, most_bytes=10**9)
        readers = [
            asyncio.create_task(cache.get("ab" * 32, original, "jpeg", width=320, output="webp")) for _ in range(3)
        ]
        await eventually(lambda: bool(decoder.pids))
        readers[0].cancel()
        paths = await asyncio.gather(*readers[1:])
    assert all(path.is_file() for path, _ in paths)
