"""A download without a network: what is asked for, what is kept, when it is whole."""

import gzip
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orihon.fetch.errors import EmptyBody, Malformed, TooLarge, UnexpectedHtml
from orihon.fetch.transfer import Transfer

URL = "http://site.example/1.jpg"
IMAGE = b"\xff\xd8\xff" + bytes(range(256)) * 4


class Memory:
    """A sink that remembers."""

    def __init__(self) -> None:
        self.held = b""
        self.restarts = 0

    def write(self, chunk: bytes) -> None:
        self.held += chunk

    def restart(self) -> None:
        self.held = b""
        self.restarts += 1


def begun(size: int = len(IMAGE), limit: int = 10_000, **headers: str) -> tuple[Transfer, Memory]:
    sink = Memory()
    transfer = Transfer(sink, limit)
    transfer.begin(URL, 200, {"Content-Length": str(size), "ETag": '"v1"'} | headers)
    return transfer, sink


def test_a_whole_body_is_whole() -> None:
    transfer, sink = begun()
    transfer.take(IMAGE)
    assert transfer.finish()
    assert sink.held == IMAGE


@given(st.lists(st.integers(1, 400), min_size=1, max_size=6), st.integers(1, 300))
def test_any_cuts_and_slices_give_the_same_bytes(cuts: list[int], step: int) -> None:
    transfer, sink = begun()
    for cut in [*cuts, len(IMAGE)]:
        part = IMAGE[transfer.received : transfer.received + cut]
        for at in range(0, len(part), step):
            transfer.take(part[at : at + step])
        if transfer.finish():
            break
        assert transfer.ask()["Range"] == f"bytes={transfer.received}-"
        assert transfer.ask()["If-Range"] == '"v1"'
        transfer.begin(
            URL, 206, {"Content-Range": f"bytes {transfer.received}-{len(IMAGE) - 1}/{len(IMAGE)}", "ETag": '"v1"'}
        )
    assert sink.held == IMAGE
    assert sink.restarts == 0


def test_a_whole_answer_to_a_range_starts_over() -> None:
    """Research 3.2 row 23: kemono-dl appended it, and the bytes were there twice."""
    transfer, sink = begun()
    transfer.take(IMAGE[:100])
    assert not transfer.finish()
    transfer.begin(URL, 200, {"Content-Length": str(len(IMAGE))})
    transfer.take(IMAGE)
    assert transfer.finish()
    assert sink.held == IMAGE
    assert sink.restarts == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Range": "bytes 0-1026/1027"},
        {"Content-Range": "bytes 101-1026/1027"},
        {"Content-Range": "bytes 100-1999/2000"},
        {"Content-Range": "bytes 100-1026/1027", "ETag": '"v2"'},
        {"Content-Range": "bytes 100-1026/1027", "Content-Encoding": "gzip"},
        {"Content-Type": "multipart/byteranges"},
        {},
    ],
)
def test_a_wrong_part_is_an_error(headers: Mapping[str, str]) -> None:
    """Research 3.2 row 23: only a matching range of the same version is appended."""
    transfer, sink = begun()
    transfer.take(IMAGE[:100])
    transfer.finish()
    with pytest.raises(Malformed):
        transfer.begin(URL, 206, headers)
    assert sink.held == IMAGE[:100]


def test_a_part_that_nobody_asked_for_is_an_error() -> None:
    with pytest.raises(Malformed):
        Transfer(Memory(), 100).begin(URL, 206, {"Content-Range": "bytes 0-9/10"})


@pytest.mark.parametrize(
    "headers", [{"ETag": 'W/"v1"'}, {"ETag": ""}, {"Accept-Ranges": "none"}, {"Content-Encoding": "gzip"}]
)
def test_without_proof_of_the_same_file_it_comes_from_the_start(headers: dict[str, str]) -> None:
    body = gzip.compress(IMAGE) if "Content-Encoding" in headers else IMAGE
    transfer, _ = begun(len(body), **headers)
    transfer.take(body[:100])
    assert not transfer.finish()
    assert "Range" not in transfer.ask()


def test_the_cap_is_the_last_byte_that_passes() -> None:
    """CP-1, CP-2: exactly at the cap is fine, one over is an error that nothing reaches the sink of."""
    transfer, _ = begun(10, limit=10)
    transfer.take(IMAGE[:10])
    assert transfer.finish()
    over = Transfer(Memory(), 10)
    over.begin(URL, 200, {})
    with pytest.raises(TooLarge):
        over.take(IMAGE[:11])
    assert over.received == 0


def test_an_announced_size_over_the_cap_is_refused_before_the_body() -> None:
    with pytest.raises(TooLarge):
        begun(11, limit=10)


def test_a_part_that_announces_more_than_the_cap_is_refused() -> None:
    transfer, _ = begun(0, limit=2000, **{"Content-Length": ""})
    transfer.take(IMAGE)
    with pytest.raises(TooLarge):
        transfer.begin(URL, 206, {"Content-Range": f"bytes {len(IMAGE)}-9999/10000"})


def test_more_than_announced_is_an_error() -> None:
    transfer, _ = begun()
    transfer.take(IMAGE[:100])
    transfer.finish()
    transfer.begin(URL, 206, {"Content-Range": f"bytes 100-{len(IMAGE) - 1}/{len(IMAGE)}"})
    transfer.take(IMAGE)
    with pytest.raises(Malformed):
        transfer.finish()


def test_zero_bytes_are_an_error() -> None:
    """Research 3.2 row 24."""
    transfer, _ = begun(0)
    with pytest.raises(EmptyBody, match="zero bytes"):
        transfer.finish()


def test_a_page_never_reaches_the_sink() -> None:
    """CP-5, research 3.2 row 20."""
    page = b"<!doctype html><title>Log in</title>" + b"x" * 1000
    transfer, sink = begun(len(page), **{"Content-Type": "image/jpeg"})
    for at in range(len(page)):
        transfer.take(page[at : at + 1])
    with pytest.raises(UnexpectedHtml, match="sign-in page") as caught:
        transfer.finish()
    assert caught.value.kind == "login"
    assert sink.held == b""


def test_an_endless_page_is_named_without_reading_it_all() -> None:
    transfer, _ = begun(0, limit=100_000_000, **{"Content-Length": ""})
    transfer.take(b"<html>" + b"x" * 60_000)
    with pytest.raises(UnexpectedHtml):
        transfer.take(b"x" * 10_000)


def test_a_page_that_breaks_off_is_still_a_page() -> None:
    transfer, _ = begun(5000)
    transfer.take(b"<html><title>x</title>")
    with pytest.raises(UnexpectedHtml):
        transfer.break_off()


def test_an_image_that_breaks_off_is_no_page() -> None:
    transfer, _ = begun()
    transfer.take(IMAGE[:10])
    transfer.break_off()
    assert transfer.received == 10


def test_something_short_that_is_no_page_is_delivered() -> None:
    """What it is, is for the media store to say; the door only knows that it is not HTML."""
    transfer, sink = begun(4)
    transfer.take(b"<svg")
    assert transfer.finish()
    assert sink.held == b"<svg"


def test_a_compressed_file_is_unpacked_within_the_cap() -> None:
    packed = gzip.compress(IMAGE)
    transfer, sink = begun(len(packed), **{"Content-Encoding": "gzip"})
    transfer.take(packed)
    assert transfer.finish()
    assert sink.held == IMAGE
    bomb, _ = begun(0, limit=100, **{"Content-Encoding": "gzip"})
    with pytest.raises(TooLarge):
        bomb.take(packed)
