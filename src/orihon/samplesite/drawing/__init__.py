"""Drawing by code: pages and covers that look like comics, the same bytes each time."""

from io import BytesIO

from orihon.samplesite import paper
from orihon.samplesite.catalogue import DrawnCover, DrawnPage
from orihon.samplesite.drawing.covers import draw_cover
from orihon.samplesite.drawing.pages import draw_page

_SIXTEEN = [round(grey / 17) for grey in range(256)]


def draw(image: DrawnPage | DrawnCover) -> bytes:
    """The encoded bytes of an image. Every parameter of the encoders is pinned: defaults may change, bytes may not."""
    sheet = paper.sheet(image)
    picture = draw_cover(image, sheet) if isinstance(image, DrawnCover) else draw_page(image, sheet)
    out = BytesIO()
    if sheet.format == "png":
        # Sixteen greys are all that dots and lines need.
        picture = picture.point(_SIXTEEN)
        picture.putpalette(bytes(grey * 17 for grey in range(16) for _ in range(3)))
        picture.save(out, "PNG", bits=4, compress_level=1)
    elif sheet.format == "webp":
        picture.save(out, "WEBP", lossless=False, quality=72, method=0)
    else:
        quality = 74 if picture.mode == "RGB" else 58
        picture.save(out, "JPEG", quality=quality, subsampling=2, optimize=False, progressive=False)
    return out.getvalue()
