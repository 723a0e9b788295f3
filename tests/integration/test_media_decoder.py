"""Decoder processes: what they see in real pictures, and what becomes of those that break them."""

import asyncio
import os
import resource
import signal
import struct
import subprocess
import sys
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import pytest
from PIL import Image, ImageChops, ImageCms, ImageOps, ImageStat
from tests.support.waiting import eventually

from orihon.media.decoder import Damaged, DecoderPool, DecoderUnavailable, Seen
from orihon.media.sniff import Format

pytestmark = pytest.mark.anyio

RGB = tuple[int, int, int]
CORNERS: tuple[RGB, ...] = ((220, 30, 30), (30, 200, 40), (40, 60, 220), (240, 220, 40))


@pytest.fixture
async def decoder() -> Any:
    async with DecoderPool(processes=1) as pool:
        yield pool


def four_corners() -> Image.Image:
    picture = Image.new("RGB", (96, 64))
    for index, color in enumerate(CORNERS):
        picture.paste(color, (48 * (index % 2), 32 * (index // 2), 48 * (index % 2) + 48, 32 * (index // 2) + 32))
    return picture


def far_apart(left: Image.Image, right: Image.Image) -> float:
    """The mean difference of two pictures, in steps of 256."""
    return sum(ImageStat.Stat(ImageChops.difference(left.convert("RGB"), right.convert("RGB"))).mean) / 3


async def thumbnail(
    decoder: DecoderPool, path: Path, kind: Format, *, width: int = 160, output: Literal["webp", "jpeg"] = "jpeg"
) -> Image.Image:
    target = path.with_name("made")
    answer = await decoder.thumbnail(path, kind, width=width, output=output, target=target)
    assert isinstance(answer, Seen)
    return Image.open(BytesIO(target.read_bytes()))


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp"])
async def test_every_orientation_is_applied_exactly_once(tmp_path: Path, decoder: DecoderPool, kind: Format) -> None:
    """Research 3.4 row 39; F8, F9 of public-api-auth 17.5 with DESIGN ruling 2."""
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        path = tmp_path / f"{orientation}"
        four_corners().save(path, kind, exif=exif, **({"lossless": True} if kind == "webp" else {}))
        shown = ImageOps.exif_transpose(Image.open(path))
        made = await thumbnail(decoder, path, kind)
        assert made.size == shown.size
        assert far_apart(made, shown) < 6
        assert not made.getexif()
        answer = await decoder.check(path, kind)
        assert isinstance(answer, Seen)
        assert (answer.width, answer.height) == shown.size


async def test_colours_of_another_profile_are_converted(fixtures: Path, tmp_path: Path, decoder: DecoderPool) -> None:
    """Research 3.4 row 40: the profile is left behind, the look is not."""
    path = tmp_path / "profiled.jpg"
    path.write_bytes((fixtures / "images" / "icc_profile_big.jpg").read_bytes())
    picture = Image.open(path)
    profile = ImageCms.ImageCmsProfile(BytesIO(picture.info["icc_profile"]))
    meant = ImageCms.profileToProfile(picture, profile, ImageCms.createProfile("sRGB"))
    assert meant is not None
    made = await thumbnail(decoder, path, "jpeg")
    assert "icc_profile" not in made.info
    assert far_apart(made, meant.resize(made.size)) < 6
    assert far_apart(picture.resize(made.size), meant.resize(made.size)) > 8, "the profile matters in this picture"


async def test_a_broken_profile_is_passed_over(tmp_path: Path, decoder: DecoderPool) -> None:
    """Research 3.4 row 41."""
    path = tmp_path / "broken-profile.jpg"
    four_corners().save(path, "jpeg", quality=95, icc_profile=b"junk" * 200)
    assert far_apart(await thumbnail(decoder, path, "jpeg"), four_corners()) < 6
    assert isinstance(await decoder.check(path, "jpeg"), Seen)


async def test_sixteen_bits_are_scaled_not_clipped(tmp_path: Path, decoder: DecoderPool) -> None:
    """Research 3.4 row 42."""
    path = tmp_path / "grey.png"
    Image.new("I;16", (50, 50), 0x4000).save(path)
    answer = await decoder.check(path, "png")
    assert isinstance(answer, Seen)
    assert answer.color == "#404040"
    assert (await thumbnail(decoder, path, "png")).convert("L").getpixel((5, 5)) in range(0x3E, 0x43)


async def test_the_colour_is_that_of_most_of_the_picture(tmp_path: Path, decoder: DecoderPool) -> None:
    path = tmp_path / "page.png"
    page = Image.new("RGBA", (300, 400), (0, 0, 0, 0))
    page.paste((10, 10, 10, 255), (0, 0, 300, 120))
    page.save(path)
    answer = await decoder.check(path, "png")
    assert isinstance(answer, Seen)
    assert answer.color == "#ffffff", "transparent is paper"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("frozenpond.mpo", "jpeg"), ("hopper.avif", "avif"), ("hopper.webp", "webp"), ("hopper_bad_exif.jpg", "jpeg"),
        ("iss634.apng", "png"), ("iss634.gif", "gif"), ("no_palette.gif", "gif"), ("pil_sample_cmyk.jpg", "jpeg"),
        ("rot1mir0.avif", "avif"), ("star.avifs", "avif"), ("tiff_16bit_RGB_target.png", "png"),
        ("transparent.webp", "webp"),
    ],
)  # fmt: skip
async def test_every_kind_of_image_has_a_still_thumbnail(
    fixtures: Path, tmp_path: Path, decoder: DecoderPool, name: str, kind: Format
) -> None:
    path = tmp_path / name
    path.write_bytes((fixtures / "images" / name).read_bytes())
    seen = await decoder.check(path, kind)
    assert isinstance(seen, Seen)
    for output in ("webp", "jpeg"):
        made = await thumbnail(decoder, path, kind, output=output)  # type: ignore[arg-type]  # the loop is of plain words
        assert made.format == output.upper()
        assert made.width == min(160, seen.width)
        assert getattr(made, "n_frames", 1) == 1


async def test_a_strip_taller_than_a_jpeg_can_be_comes_narrower(tmp_path: Path, decoder: DecoderPool) -> None:
    path = tmp_path / "strip.png"
    Image.new("L", (100, 70_000), 200).save(path)
    made = await thumbnail(decoder, path, "png")
    assert made.height <= 65_500
    assert made.width in (93, 94)


async def test_warnings_about_bytes_that_no_one_sees_are_no_damage(tmp_path: Path, decoder: DecoderPool) -> None:
    buffer = BytesIO()
    four_corners().save(buffer, "jpeg", restart_marker_blocks=2)
    body = buffer.getvalue()
    marker = body.index(b"\xff\xd0", body.index(b"\xff\xda"))
    path = tmp_path / "stray.jpg"
    path.write_bytes(body[:marker] + b"\x00\x00\x00" + body[marker:])
    assert isinstance(await decoder.check(path, "jpeg"), Seen)


@pytest.mark.parametrize("lost", [1, 2, 16, 64, 200, 2000])
@pytest.mark.parametrize("name", ["blanche/001.jpg", "haruko/02.jpg", "webtoon/008.jpg"])
async def test_bytes_that_are_lost_at_the_very_end_of_a_jpeg_are_noticed(
    fixtures: Path, tmp_path: Path, decoder: DecoderPool, name: str, lost: int
) -> None:
    """An end marker after them hides the loss from the probe, and libvips does not look after the last row."""
    body = (fixtures / "comics" / name).read_bytes()
    path = tmp_path / "cut.jpg"
    path.write_bytes(body)
    assert isinstance(await decoder.check(path, "jpeg"), Seen)
    path.write_bytes(body[: -2 - lost] + b"\xff\xd9")
    assert isinstance(await decoder.check(path, "jpeg"), Damaged)


async def test_an_earlier_warning_is_not_held_against_the_next_image(
    fixtures: Path, tmp_path: Path, decoder: DecoderPool
) -> None:
    sound = fixtures / "comics" / "haruko" / "02.jpg"
    cut = tmp_path / "cut.jpg"
    cut.write_bytes(sound.read_bytes()[:-66] + b"\xff\xd9")
    assert isinstance(await decoder.check(cut, "jpeg"), Damaged)
    assert isinstance(await decoder.check(sound, "jpeg"), Seen)


# --- Disks that fail -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file of /proc that cannot be read")
async def test_a_file_that_cannot_be_read_is_no_damage(decoder: DecoderPool) -> None:
    """EIO: it opens, and its first byte is an error."""
    with pytest.raises(DecoderUnavailable, match="Input/output error"):
        await decoder.check(Path("/proc/self/mem"), "jpeg")


async def test_a_file_that_is_gone_for_a_moment_is_no_damage(tmp_path: Path, decoder: DecoderPool) -> None:
    with pytest.raises(DecoderUnavailable, match="No such file"):
        await decoder.check(tmp_path / "moved.jpg", "jpeg")


@pytest.mark.skipif(sys.platform != "linux", reason="limits another process")
async def test_too_many_open_files_are_no_damage(fixtures: Path, decoder: DecoderPool) -> None:
    sound = fixtures / "images" / "hopper.webp"
    assert isinstance(await decoder.check(sound, "webp"), Seen)
    (pid,) = decoder.pids
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 100))
    with pytest.raises(DecoderUnavailable, match="Too many open files"):
        await decoder.check(sound, "webp")
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (50, 100))
    assert isinstance(await decoder.check(sound, "webp"), Seen)


async def test_a_decoder_that_cannot_be_started_says_nothing_about_the_image(
    fixtures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    async with DecoderPool(processes=1) as decoder:
        with pytest.raises(DecoderUnavailable, match="could be started"):
            await decoder.check(fixtures / "images" / "hopper.webp", "webp")


# --- Hostile bytes ---------------------------------------------------------------------------------------------------


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


async def test_a_bomb_costs_one_image_and_not_the_decoder(fixtures: Path, tmp_path: Path, decoder: DecoderPool) -> None:
    """Interlaced, it has to be unpacked whole: ten gigabytes."""
    bomb = tmp_path / "bomb.png"
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 1))
    bomb.write_bytes(b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(10**7))) + chunk(b"IEND", b""))
    assert isinstance(await decoder.check(bomb, "png"), Damaged)
    assert isinstance(await decoder.check(fixtures / "images" / "decompression_bomb.gif", "gif"), Damaged)
    assert isinstance(await decoder.check(fixtures / "images" / "hopper.webp", "webp"), Seen)


@pytest.mark.parametrize("most", [99, 100])
async def test_the_operator_says_how_many_pixels_are_decoded(tmp_path: Path, most: int) -> None:
    """ORIHON_MAX_IMAGE_PIXELS also holds for what was stored before it was lowered."""
    path = tmp_path / "ten.png"
    Image.new("RGB", (10, 10)).save(path)
    async with DecoderPool(processes=1, most_pixels=most) as decoder:
        answer = await decoder.check(path, "png")
        made = await decoder.thumbnail(path, "png", width=160, output="jpeg", target=tmp_path / "made")
    assert isinstance(answer, Seen if most == 100 else Damaged)
    assert isinstance(made, Seen if most == 100 else Damaged)
    if isinstance(answer, Damaged):
        assert "10 × 10 pixels" in answer.reason
        assert "ORIHON_MAX_IMAGE_PIXELS" in answer.reason


@pytest.mark.parametrize(
    ("kind", "other"),
    [("jpeg", "svg"), ("png", "pnm"), ("webp", "png"), ("gif", "svg"), ("avif", "svg"), ("jpeg", "png")],
)
async def test_no_other_loader_than_the_named_one_is_tried(
    tmp_path: Path, decoder: DecoderPool, kind: Format, other: str
) -> None:
    path = tmp_path / "other"
    if other == "png":
        four_corners().save(path, "png")
    else:
        path.write_bytes(
            {"svg": b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"}.get(other, b"P1 1 1 0")
        )
    assert isinstance(await decoder.check(path, kind), Damaged)
    answer = await decoder.thumbnail(path, kind, width=160, output="jpeg", target=tmp_path / "made")
    assert isinstance(answer, Damaged)
    assert str(tmp_path) not in answer.reason


async def test_a_decoder_knows_no_secrets_and_no_terminal(fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://orihon:secret@localhost/orihon")
    monkeypatch.setenv("ADMIN_PASSWORD", "secret")
    async with DecoderPool(processes=1) as decoder:
        await decoder.check(fixtures / "images" / "hopper.webp", "webp")
        (pid,) = decoder.pids
        assert b"secret" not in Path(f"/proc/{pid}/environ").read_bytes()
        assert os.getsid(pid) == pid, "a Ctrl-C is not for it"


def test_servers_share_the_code_of_the_decoder_and_not_its_library() -> None:
    """DESIGN ruling 13, and the memory of an idle installation."""
    code = "import orihon.app.web, orihon.app.worker, orihon.cli, sys; sys.exit('pyvips' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# --- Ends ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """An image that never comes: whoever opens it waits."""
    path = tmp_path / "endless.jpg"
    os.mkfifo(path)
    return path


async def end_each(decoder: DecoderPool, sent: signal.Signals, times: int) -> None:
    ended: set[int] = set()
    while len(ended) < times:
        await eventually(lambda: bool(set(decoder.pids) - ended))
        (pid,) = set(decoder.pids) - ended
        os.kill(pid, sent)
        ended.add(pid)


async def test_an_image_that_crashes_the_decoder_twice_is_damaged(endless: Path, decoder: DecoderPool) -> None:
    answer, _ = await asyncio.gather(decoder.check(endless, "jpeg"), end_each(decoder, signal.SIGSEGV, 2))
    assert isinstance(answer, Damaged)
    assert "give up" in answer.reason
    assert decoder.pids == []


async def test_a_decoder_that_is_ended_from_outside_says_nothing_about_the_image(
    endless: Path, decoder: DecoderPool
) -> None:
    """Out of memory, the system ends whom it likes; a sound page must not be marked for that."""
    with pytest.raises(DecoderUnavailable, match="outside"):
        await asyncio.gather(decoder.check(endless, "jpeg"), end_each(decoder, signal.SIGKILL, 2))


async def test_a_pool_that_closes_leaves_no_process_and_no_verdict(endless: Path) -> None:
    async with DecoderPool(processes=1) as decoder:
        asked = asyncio.create_task(decoder.check(endless, "jpeg"))
        await eventually(lambda: bool(decoder.pids))
        (pid,) = decoder.pids
    with pytest.raises(DecoderUnavailable, match="stopping"):
        await asked
    assert decoder.pids == []
    assert not Path(f"/proc/{pid}").exists()


async def test_who_goes_away_takes_the_decoder_along(endless: Path, fixtures: Path, decoder: DecoderPool) -> None:
    """Its answer would be read as the next one's."""
    asked = asyncio.create_task(decoder.check(endless, "jpeg"))
    await eventually(lambda: bool(decoder.pids))
    asked.cancel()
    await asyncio.wait([asked])
    assert isinstance(await decoder.check(fixtures / "images" / "hopper.webp", "webp"), Seen)


async def test_decoders_end_with_the_server_that_is_killed(fixtures: Path) -> None:
    """End of file on the pipe."""
    code = f"""
import asyncio, time
from pathlib import Path
from orihon.media.decoder import DecoderPool
async def main():
    pool = DecoderPool(processes=1)
    await pool.check(Path({str(fixtures / "images" / "hopper.webp")!r}), "webp")
    print(*pool.pids, flush=True)
    time.sleep(60)
asyncio.run(main())
"""
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=subprocess.PIPE)
    assert server.stdout is not None
    decoder = int(await server.stdout.readline())
    server.kill()
    await server.wait()
    await eventually(lambda: not Path(f"/proc/{decoder}").exists() or _is_zombie(decoder))


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


async def test_a_full_disk_is_no_damage_of_the_image(fixtures: Path, decoder: DecoderPool) -> None:
    with pytest.raises(DecoderUnavailable, match="No space"):
        await decoder.thumbnail(
            fixtures / "images" / "hopper.webp", "webp", width=160, output="jpeg", target=Path("/dev/full")
        )


async def test_decoders_that_were_ended_while_nobody_used_them_condemn_no_image(tmp_path: Path) -> None:
    """The system takes the idle first when memory runs out, and then every page would pass for damaged."""
    path = tmp_path / "sound.png"
    four_corners().save(path)
    async with DecoderPool(processes=2) as pool:
        for _ in range(3):
            await asyncio.gather(*(pool.check(path, "png") for _ in range(2)))
            ended = pool.pids
            assert len(ended) == 2
            for pid in ended:
                os.kill(pid, signal.SIGKILL)
            await eventually(lambda gone=ended: not any(Path(f"/proc/{pid}").exists() for pid in gone))
            assert isinstance(await pool.check(path, "png"), Seen)


async def test_a_decoder_that_is_ended_at_any_moment_condemns_no_image(tmp_path: Path) -> None:
    path = tmp_path / "sound.png"
    four_corners().save(path)
    async with DecoderPool(processes=2) as pool:
        for pause in (0, 0, 0, 0.001, 0.002):
            await asyncio.gather(*(pool.check(path, "png") for _ in range(2)))
            for pid in pool.pids:
                os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(pause)
            try:
                answer = await pool.check(path, "png")
            except DecoderUnavailable:
                continue
            assert isinstance(answer, Seen)
