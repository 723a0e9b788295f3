"""Real images, whole and broken: what is kept, what is refused, and in which words."""

import itertools
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.waiting import eventually

from orihon.media.decoder import Damaged, DecoderPool, DecoderUnavailable, Seen
from orihon.media.errors import BadDimensions, BadHeader, MediaError, NotAnImage, Truncated
from orihon.media.inbound import Inbound, Probed
from orihon.storage.local import LocalStorage

pytestmark = pytest.mark.anyio


def judge(storage: LocalStorage, body: bytes, cuts: list[int] | None = None) -> Probed | type[MediaError]:
    with storage.stage() as staged:
        inbound = Inbound(staged)
        edges = [0, *sorted(cut % (len(body) + 1) for cut in cuts or []), len(body)]
        for start, end in itertools.pairwise(edges):
            inbound.write(body[start:end])
        try:
            return inbound.finish()
        except MediaError as error:
            return type(error)


@pytest.fixture
def storage(tmp_path: Path) -> LocalStorage:
    return LocalStorage(tmp_path)


REFUSED = {
    "broken.png": BadHeader,
    "broken_data_stream.png": Truncated,
    "decompression_bomb.gif": Truncated,
    "hopper.heif": NotAnImage,
    "truncated_end_chunk.png": Truncated,
    "truncated_image.png": Truncated,
    "truncated_jpeg.jpg": Truncated,
    "zero_width.gif": BadDimensions,
}

KEPT = {
    "frozenpond.mpo": ("jpeg", 640, 480, 1),
    "hopper.avif": ("avif", 128, 128, 1),
    "hopper.webp": ("webp", 128, 128, 1),
    "hopper_bad_exif.jpg": ("jpeg", 500, 500, 1),
    "hopper_orientation_3.jpg": ("jpeg", 128, 128, 3),
    "hopper_orientation_6.jpg": ("jpeg", 128, 128, 6),
    "hopper_orientation_6.webp": ("webp", 128, 128, 6),
    "icc_profile_big.jpg": ("jpeg", 425, 250, 1),
    "iss634.apng": ("png", 245, 245, 1),
    "iss634.gif": ("gif", 245, 245, 1),
    "no_palette.gif": ("gif", 1, 1, 1),
    "pil_sample_cmyk.jpg": ("jpeg", 100, 100, 1),
    "rot1mir0.avif": ("avif", 640, 427, 1),
    "star.avifs": ("avif", 159, 159, 1),
    "tiff_16bit_RGB_target.png": ("png", 100, 40, 1),
    "transparent.webp": ("webp", 200, 150, 1),
}


def test_every_fixture_has_an_expected_verdict(fixtures: Path) -> None:
    assert {path.name for path in (fixtures / "images").iterdir()} == REFUSED.keys() | KEPT.keys()


@pytest.mark.parametrize(("name", "reason"), REFUSED.items())
def test_what_is_no_whole_image_is_refused_on_the_way_in(
    fixtures: Path, storage: LocalStorage, name: str, reason: type[MediaError]
) -> None:
    assert judge(storage, (fixtures / "images" / name).read_bytes()) is reason
    assert list((storage.root / "staging").iterdir()) == []


@pytest.mark.parametrize(("name", "facts"), KEPT.items())
async def test_what_is_kept_is_what_the_decoder_sees(
    fixtures: Path, storage: LocalStorage, name: str, facts: tuple[str, int, int, int]
) -> None:
    path = fixtures / "images" / name
    probed = judge(storage, path.read_bytes())
    assert isinstance(probed, Probed)
    assert (probed.format, probed.width, probed.height, probed.orientation) == facts
    async with DecoderPool(processes=1) as decoder:
        answer = await decoder.check(path, probed.format)
    assert isinstance(answer, Seen)
    assert (answer.width, answer.height) == (probed.width, probed.height)


@pytest.mark.parametrize("name", ["hopper.webp", "truncated_jpeg.jpg", "hopper.avif", "iss634.gif", "broken.png"])
def test_the_verdict_does_not_depend_on_how_the_bytes_are_cut(fixtures: Path, storage: LocalStorage, name: str) -> None:
    body = (fixtures / "images" / name).read_bytes()
    whole = judge(storage, body)

    @settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(st.integers(0, 2**20), max_size=6))
    def any_cut(cuts: list[int]) -> None:
        assert judge(storage, body, cuts) == whole

    any_cut()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    head=st.sampled_from(
        [b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF\0\0\0\0WEBP", b"\0\0\0\x18ftypavif"]
    ),
    rest=st.binary(max_size=300),
)
def test_hostile_heads_end_in_a_typed_refusal(
    tmp_path_factory: pytest.TempPathFactory, head: bytes, rest: bytes
) -> None:
    storage = LocalStorage(tmp_path_factory.getbasetemp() / "hostile")
    verdict = judge(storage, head + rest)
    assert isinstance(verdict, Probed) or issubclass(verdict, MediaError)


async def test_damage_in_the_middle_is_found_by_the_full_decode(fixtures: Path, tmp_path: Path) -> None:
    """Research 3.2 row 22: the end marker is there, the picture is not."""
    body = bytearray((fixtures / "comics" / "blanche" / "001.jpg").read_bytes())
    middle = len(body) // 2
    body[middle : middle + 4000] = b"\xff\xd3" * 2000
    path = tmp_path / "grey.jpg"
    path.write_bytes(body)
    assert isinstance(judge(LocalStorage(tmp_path), bytes(body)), Probed)
    async with DecoderPool(processes=1) as decoder:
        answer = await decoder.check(path, "jpeg")
    assert isinstance(answer, Damaged)
    assert "damaged" in answer.reason


async def test_a_decoder_that_is_killed_costs_nothing_but_time(fixtures: Path) -> None:
    path = fixtures / "images" / "hopper.webp"
    async with DecoderPool(processes=1) as decoder:
        assert isinstance(await decoder.check(path, "webp"), Seen)
        (pid,) = decoder.pids
        os.kill(pid, signal.SIGKILL)
        assert isinstance(await decoder.check(path, "webp"), Seen)
        assert decoder.pids != [pid]


async def test_a_decode_that_gets_nowhere_is_given_up_and_says_nothing_about_the_image(fixtures: Path) -> None:
    """A mount that hangs, a machine that is busy: what wastes the processor's time is ended by the system instead."""
    async with DecoderPool(processes=1, patience=0.0) as decoder:
        with pytest.raises(DecoderUnavailable, match="tried again later"):
            await decoder.check(fixtures / "images" / "hopper.webp", "webp")


async def test_idle_decoders_end_and_come_back_when_needed(fixtures: Path) -> None:
    path = fixtures / "images" / "hopper.webp"
    async with DecoderPool(processes=1, idle=0.0) as decoder:
        await decoder.check(path, "webp")
        await eventually(lambda: not decoder.pids)
        assert isinstance(await decoder.check(path, "webp"), Seen)
