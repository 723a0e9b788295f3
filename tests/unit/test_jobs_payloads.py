"""Payload kinds and the list of handlers (spec crawler-core 2.3)."""

from uuid import UUID, uuid4

import msgspec
import pytest

from orihon.jobs.handlers import BadHandlers, Done, Job, registry
from orihon.jobs.payloads import (
    KINDS,
    BadPayload,
    FetchChapter,
    PageRefetch,
    Payload,
    SyncTitle,
    WalkSource,
    decode,
    kind_of,
)

SOURCE = UUID("0198a000-0000-7000-8000-000000000001")


async def nothing(job: Job[Payload]) -> Done:
    return Done()


def test_a_payload_carries_its_kind() -> None:
    """JB-1: the discriminator and the fields are in the JSON (analyze_page belongs to a later issue)."""
    page = uuid4()
    stored = msgspec.json.encode(PageRefetch(page_id=page))
    assert msgspec.json.decode(stored) == {"kind": "page_refetch", "page_id": str(page)}
    assert decode(PageRefetch, stored.decode()).page_id == page


def test_a_title_payload_round_trips() -> None:
    """JB-2."""
    payload = SyncTitle(source_id=SOURCE, key="foo", url="https://target.example/manga/foo", title="Foo Title")
    stored = msgspec.json.encode(payload).decode()
    assert msgspec.json.decode(stored) == {
        "kind": "sync_title",
        "source_id": str(SOURCE),
        "key": "foo",
        "url": "https://target.example/manga/foo",
        "title": "Foo Title",
    }
    assert decode(SyncTitle, stored) == payload


def test_an_old_title_payload_without_url_and_title_is_decoded() -> None:
    """JB-3."""
    payload = decode(SyncTitle, f'{{"kind": "sync_title", "source_id": "{SOURCE}", "key": "foo"}}')
    assert (payload.key, payload.url, payload.title) == ("foo", "", "")


@pytest.mark.parametrize(
    "raw",
    [
        "{}",
        "[]",
        "null",
        '{"kind": "walk_source"}',
        '{"kind": "walk_source", "source_id": "x"}',
        '{"kind": "sync_title", "source_id": "0198a000-0000-7000-8000-000000000001", "key": "x"}',
        '{"kind": "walk_source", "source_id": 1e400}',
        "[" * 100_000,
    ],
)
def test_what_is_no_payload_is_refused_and_nothing_else_happens(raw: str) -> None:
    """H5, ruling 5."""
    with pytest.raises(BadPayload):
        decode(WalkSource, raw)


def test_every_kind_has_a_name_and_a_lane_of_its_own_choosing() -> None:
    names = [kind_of(kind) for kind in KINDS]
    assert len(set(names)) == len(names)
    assert {kind.lane for kind in KINDS} == {"crawl", "content", "feeds", "media", "maintenance"}
    assert all(kind.time_limit > 0 and kind.max_attempts >= 1 for kind in KINDS)


def test_a_chapter_is_one_job_whichever_source_brings_it() -> None:
    chapter = uuid4()
    keys = {FetchChapter(source_id=uuid4(), chapter_id=chapter).dedupe_key() for _ in range(2)}
    assert keys == {str(chapter)}


def test_walks_go_before_the_chapters_that_they_find() -> None:
    """A backlog of chapters must not keep new ones from being found."""
    assert WalkSource.priority < FetchChapter.priority


def test_every_kind_must_have_a_handler() -> None:
    with pytest.raises(BadHandlers, match="reap_jobs"):
        registry([(kind, nothing) for kind in KINDS if kind_of(kind) != "reap_jobs"], kinds=KINDS)


def test_no_kind_may_have_two_handlers() -> None:
    with pytest.raises(BadHandlers, match="walk_source"):
        registry([(WalkSource, nothing), *((kind, nothing) for kind in KINDS)], kinds=KINDS)


def test_a_handler_of_an_unlisted_kind_is_refused() -> None:
    with pytest.raises(BadHandlers, match="page_refetch"):
        registry([(WalkSource, nothing), (PageRefetch, nothing)], kinds=[WalkSource])


def test_a_complete_list_finds_the_handler_by_kind() -> None:
    entries = registry([(kind, nothing) for kind in KINDS], kinds=KINDS)
    assert entries["walk_source"].payload is WalkSource
