"""Drawing by code: pages and covers that look like comics, the same bytes each time."""

from io import BytesIO

from orihon.samplesite import paper
from orihon.samplesite.catalogue import DrawnCover, DrawnPage
from orihon.samplesite.drawing.covers import draw_cover
from orihon.samplesite.drawing.pages import draw_page


def draw(image: DrawnPage | DrawnCover) -> bytes:
    """The encoded bytes of an image. Every parameter of the encoders is pinned: defaults may change, bytes may not."""
    sheet = paper.sheet(image)
    picture = draw_cover(image, sheet) if isinstance(image, DrawnCover) else draw_page(image, sheet)
    out = BytesIO()
    if sheet.format == "png":
        # Sixteen greys are all that dots and lines need.
        picture.save(out, "PNG", compress_level=1)
    elif sheet.format == "webp":
        picture.save(out, "WEBP", lossless=False, quality=72, method=0)
    else:
        picture.save(out, "JPEG", quality=80, subsampling=2, optimize=False, progressive=False)
    return out.getvalue()
