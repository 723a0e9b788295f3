"""The sample site: an original catalogue, drawn by code, which the demo, the tests and the benchmarks follow.

The markup, newest first everywhere (`site.css` aside, this is all that a profile needs to know):

* every whole page has `a#logo`; a page without it is broken;
* the listing, `/works/` and `/works/page/2/`...: `ul.works li.work-item a.title` (text: the title; href:
  `/works/<slug>/`, whose `<slug>` is the key). `nav.pagination` holds `b.current` (this page's number), `a.last` (text:
  the last page's number), `a[rel=next]` and `a[rel=prev]`. A page past the last answers 404. A site without works says
  `p.no-works` on page 1 of 1;
* the title page, `/works/<slug>/`: `article.work` with `h1.title`, `img.cover` (absent: no cover), and in
  `dl.facts`: `ul.alt-titles li`, `ul.authors li`, `ul.artists li`, `ul.genres li`, `ul.tags li` (text: `Found family
  (12)`), `dd.status` (`Ongoing`, `Completed`, `Hiatus`, `Cancelled`; absent: not said), `dd.direction` (`Left to
  right`, `Right to left`, `Vertical strip`; absent: not said); `section.description p`, one paragraph each;
* its chapters: `table#chapters tbody tr`, newest first, each with `td.chapter a` (text: `Chapter 10.5: The Second
  Lantern`, `Chapter 3`, or `Notice: ...` without a number; href: `/read/<slug>/<key>/`), `td.uploader`,
  `td.date time[datetime]`. A work that has none says `p.no-chapters`;
* the reader page, `/read/<slug>/<key>/`: `p.page-count` (`14 pages`), `a#pic_container img:not(.loading)` with the ids
  `page1`, `page2`... and the addresses in `src`; `nav.chapters a[rel=prev]` and `a[rel=next]`;
* errors are HTML with their status, `main.error`.

Addresses are relative to the host. The creators' feed, a JSON API, is described in `feed.py`.

`GET /manifest.json` says the same for machines, `{"version", "works": [...], "creators": [...]}`, with SHA-256 and size
of every image and file (`?hashes=0`: without, and without drawing anything; `?work=<slug>`, `?creator=<slug>`: only
that one). `GET /requests`, for this machine only, tells what was asked for: `{"total", "statuses", "paths", "served",
"faults"}`, where `served` counts, per path, the successes that no fault touched. Faults are described in `faults/`.
"""

try:
    from orihon.samplesite.catalogue import (
        Catalogue,
        Chapter,
        DrawnCover,
        DrawnPage,
        Given,
        OnDisk,
        Packed,
        Swatch,
        Work,
    )
    from orihon.samplesite.creators import Attachment, Creator, Creators, Post
    from orihon.samplesite.folder import BadFolder
    from orihon.samplesite.log import RequestLog, Seen
    from orihon.samplesite.ports import PortTaken, kept_port
    from orihon.samplesite.site import SampleSite, run, serve, site_folder
except ModuleNotFoundError as error:
    if error.name is not None and error.name.partition(".")[0] == "orihon":
        raise
    raise ModuleNotFoundError(
        f"The sample site draws its pages, and for that {error.name} is missing. Install it with: pip install"
        " 'orihon[demo]'",
        name=error.name,
    ) from error

__all__ = [
    "Attachment",
    "BadFolder",
    "Catalogue",
    "Chapter",
    "Creator",
    "Creators",
    "DrawnCover",
    "DrawnPage",
    "Given",
    "OnDisk",
    "Packed",
    "PortTaken",
    "Post",
    "RequestLog",
    "SampleSite",
    "Seen",
    "Swatch",
    "Work",
    "kept_port",
    "run",
    "serve",
    "site_folder",
]
