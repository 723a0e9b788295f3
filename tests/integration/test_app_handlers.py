"""The composition: every kind of job has a handler and a lane that is served."""

from pathlib import Path

import pytest

from orihon.app.worker import HOUSEKEEPING, LANES, Tools, handlers
from orihon.config import Settings
from orihon.db.pool import Pool
from orihon.fetch.client import FetchClient
from orihon.jobs.payloads import KINDS, kind_of
from orihon.media.decoder import DecoderPool
from orihon.storage.local import LocalStorage

pytestmark = pytest.mark.anyio


async def test_every_kind_of_job_has_a_handler(pool: Pool, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    async with FetchClient(settings) as fetcher, DecoderPool() as decoder:
        tools = Tools(settings=settings, pool=pool, storage=LocalStorage(tmp_path), fetcher=fetcher, decoder=decoder)
        assert handlers(tools).keys() == {kind_of(kind) for kind in KINDS}


def test_every_lane_that_jobs_name_is_served() -> None:
    assert {kind.lane for kind in KINDS} <= LANES.keys()


def test_housekeeping_jobs_have_names_of_their_own() -> None:
    names = [name for name, _, _ in HOUSEKEEPING]
    assert len(set(names)) == len(names)
