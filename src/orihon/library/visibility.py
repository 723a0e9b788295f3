"""Who may see what. All access to lists and bytes passes through here (DESIGN section 5).

Today the answer is the same for every work and reader. A restriction goes here and nowhere else; from that day on
`shared_caches` is false, so that no cache between the server and one reader answers another.
"""

WORKS = "w.kind = 'manga'"
"""Condition on `works w`: what the catalogue lists and finds; on `work_tally w`, which has its columns: counts."""


def shared_caches(*, private_mode: bool) -> bool:
    """Whether caches that people share (a proxy, a CDN) may keep bytes of the library."""
    return not private_mode
