"""Whatever fault there is, anywhere, the library ends exactly right.

UNSEEN are the faults that no reader can tell from a site that changed: half a list, a list in another order, a
work that says it has no chapters. They end right as soon as the title is read again.
"""

import pytest
from tests.support.line import Line
from tests.support.rows import rounds, wrong

from orihon.samplesite.faults import FAULTS

pytestmark = pytest.mark.anyio

# What is given where: everywhere, unless that takes the time of many pauses.
WHERE = {
    "too_many_requests": ("/works/", 0.0),
    "too_many_requests_dated": ("/works/", 0.0),
    "time_out": ("/*/*/00[12].*", 1.0),
    "slow_body": ("/img/*", 0.1),
}
UNSEEN = frozenset(("vanished_rows", "changed_order", "empty_page"))


@pytest.mark.parametrize("fault", sorted(FAULTS))
async def test_whatever_every_address_does_once_the_library_ends_exactly_right(small: Line, fault: str) -> None:
    path, seconds = WHERE.get(fault, ("*", None))
    small.site.faults.set(fault, path=path, each=1, seconds=seconds)
    source = await small.follow()
    await rounds(small)
    assert small.site.log.faults[fault] or fault == "range_ignored"
    if fault in UNSEEN:
        await small.pool.execute("UPDATE sources SET clean = false")
        await small.walk_again(source)
        await rounds(small)
    assert await wrong(small) == []
    served = small.site.log.served
    assert all(served[path] <= 2 for path in served if path.startswith("/img/")), "no storm"


async def test_whatever_mix_of_faults_there_is_the_library_ends_exactly_right(small: Line) -> None:
    for fault in sorted(FAULTS.keys() - UNSEEN - WHERE.keys()):
        small.site.faults.set(fault, rate=0.02)
    await small.follow()
    for _ in range(4):
        await rounds(small, 3)
    small.site.faults.clear()
    await small.pool.execute("UPDATE jobs SET state = 'pending', attempts = 0 WHERE state = 'dead'")
    await rounds(small)
    assert await wrong(small) == []
