"""Drawing by code: pages and covers that look like comics, the same bytes each time."""

from io import BytesIO

from PIL import Image as Pillow

from orihon.samplesite import paper
from orihon.samplesite.catalogue import DrawnCover, DrawnPage
from orihon.samplesite.series import series


def draw(image: DrawnPage | DrawnCover) -> bytes:
    """The encoded bytes of an image."""
    sheet = paper.sheet(image)
    canvas = Pillow.new("RGB", (sheet.width, sheet.height), series(image.series).colours.light)
    out = BytesIO()
    canvas.save(out, sheet.format)
    return out.getvalue()
