"""A panel's drawing surface: flat tones below, inked lines above.

As on paper, tones are laid without care for their edges and the line on top makes them clean. So only the ink is drawn
at twice the size and shrunk (smooth lines at a quarter of the cost of doing everything large). In black and white the
tones are greys until `finish` turns the whole surface into printed dots at once, gradients included.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import ceil, cos, pi, sin

from PIL import Image as Pillow
from PIL import ImageChops, ImageDraw

Point = tuple[float, float]
Paint = int | tuple[int, int, int]

_INK, _CLEAR = 0, 255
_DENSE = 10
_SHARPNESS = 6
_CELL = 8


class Canvas:
    """One panel. Coordinates are pixels of the finished page, from the panel's top left corner.

    `at` is where the panel stands on its page, so that the rows of dots run on from panel to panel; `slant` is how much
    its leaning sides take away on the left and on the right: letters keep between `left` and `right`.
    """

    def __init__(
        self,
        width: int,
        height: int,
        ground: Paint,
        ink: Paint,
        *,
        at: tuple[int, int] = (0, 0),
        slant: tuple[float, float] = (0.0, 0.0),
        fine: int = 2,
    ) -> None:
        self.width = width
        self.height = height
        self.left = slant[0]
        self.right = width - slant[1]
        self._at = at
        self.colour = isinstance(ground, tuple)
        self.ink_paint = ink
        self._fine = fine
        self.flat = Pillow.new("RGB" if self.colour else "L", (width, height), ground)
        self._ink = Pillow.new("L", (width * fine, height * fine), _CLEAR)
        self._later: list[Callable[[Pillow.Image], None]] = []
        self._on_flat = ImageDraw.Draw(self.flat)
        self._on_ink = ImageDraw.Draw(self._ink)

    def shape(self, points: Sequence[Point], paint: Paint | None, line: float = 2.5) -> None:
        """A filled area that hides what lies behind it, with an outline; `paint` None: only what it hides."""
        fine = [(x * self._fine, y * self._fine) for x, y in points]
        if paint is not None:
            self._on_flat.polygon(points, fill=paint)
        self._on_ink.polygon(fine, fill=_CLEAR)
        if line:
            self._stroke([*fine, fine[0]], line, _INK)

    def tone(self, points: Sequence[Point], paint: Paint) -> None:
        """A tone without outline, under whatever ink there is."""
        self._on_flat.polygon(points, fill=paint)

    def solid(self, points: Sequence[Point]) -> None:
        """An area of pure ink with smooth edges."""
        self._on_ink.polygon([(x * self._fine, y * self._fine) for x, y in points], fill=_INK)

    def ellipse(self, x: float, y: float, rx: float, ry: float, paint: Paint | None, line: float = 2.5) -> None:
        """A filled ellipse around (x, y) that hides what lies behind it."""
        if paint is not None:
            self._on_flat.ellipse((x - rx, y - ry, x + rx, y + ry), fill=paint)
        fine = self._fine
        box = ((x - rx) * fine, (y - ry) * fine, (x + rx) * fine, (y + ry) * fine)
        self._on_ink.ellipse(box, fill=_CLEAR, outline=_INK if line else _CLEAR, width=max(1, round(line * fine)))

    def spot(self, x: float, y: float, rx: float, ry: float, *, ink: bool = True) -> None:
        """An ellipse of pure ink, or a highlight cut out of it."""
        fine = self._fine
        self._on_ink.ellipse(
            ((x - rx) * fine, (y - ry) * fine, (x + rx) * fine, (y + ry) * fine), fill=_INK if ink else _CLEAR
        )

    def disc(self, x: float, y: float, rx: float, ry: float, paint: Paint) -> None:
        """An ellipse of tone, without outline."""
        self._on_flat.ellipse((x - rx, y - ry, x + rx, y + ry), fill=paint)

    def line(self, points: Sequence[Point], width: float = 2.5, *, ink: bool = True) -> None:
        """An inked line, or a white one scratched into the ink."""
        self._stroke([(x * self._fine, y * self._fine) for x, y in points], width, _INK if ink else _CLEAR)

    def gradient(self, top: Paint, bottom: Paint, start: float = 0, end: float | None = None) -> None:
        """Tone from `top` to `bottom` over the whole width, between two heights."""
        end = self.height if end is None else end
        steps = max(2, min(64, ceil((end - start) / 6)))
        column = Pillow.new(self.flat.mode, (1, steps))
        column.putdata([_mix(top, bottom, step / (steps - 1)) for step in range(steps)])
        size = (self.width, max(1, ceil(end - start)))
        self.flat.paste(column.resize(size, Pillow.Resampling.NEAREST), (0, round(start)))

    def later(self, put: Callable[[Pillow.Image], None]) -> None:
        """Do something to the finished panel: letters are neither printed as dots nor hidden by ink."""
        self._later.append(put)

    def finish(self) -> Pillow.Image:
        """The panel with tones printed, lines inked and letters written."""
        if not self.colour:
            x, y = self._at[0] % _CELL, self._at[1] % _CELL
            sheet = _screen(*_bucket(self.width + _CELL, self.height + _CELL))
            screen = sheet.crop((x, y, x + self.width, y + self.height))
            offset = 128 - 255 * _SHARPNESS
            self.flat = ImageChops.add(self.flat, screen, 1 / _SHARPNESS, offset)
        ink = self._ink.reduce(self._fine) if self._fine > 1 else self._ink
        # The darker of the two is a quarter of the work of painting through a mask.
        self.flat = ImageChops.darker(self.flat, Pillow.merge("RGB", (ink, ink, ink)) if self.colour else ink)
        for put in self._later:
            put(self.flat)
        return self.flat

    def _stroke(self, fine: Sequence[Point], width: float, value: int) -> None:
        # Rounding the joints costs more than all else together; where points are dense nobody would see it.
        joint = "curve" if len(fine) <= _DENSE else None
        self._on_ink.line(fine, fill=value, width=max(1, round(width * self._fine)), joint=joint)


def curve(points: Sequence[Point], *, closed: bool = True, steps: int = 6) -> list[Point]:
    """A smooth line through the points (Catmull-Rom)."""
    count = len(points)
    if closed:
        spans = [(points[i - 1], points[i], points[(i + 1) % count], points[(i + 2) % count]) for i in range(count)]
    else:
        ends = [points[0], *points, points[-1]]
        spans = [(ends[i], ends[i + 1], ends[i + 2], ends[i + 3]) for i in range(count - 1)]
    found: list[Point] = []
    for (ax, ay), (bx, by), (cx, cy), (dx, dy) in spans:
        for step in range(steps):
            t = step / steps
            u, v = t * t, t * t * t
            found.append(
                (
                    0.5
                    * (2 * bx + (cx - ax) * t + (2 * ax - 5 * bx + 4 * cx - dx) * u + (3 * bx - ax - 3 * cx + dx) * v),
                    0.5
                    * (2 * by + (cy - ay) * t + (2 * ay - 5 * by + 4 * cy - dy) * u + (3 * by - ay - 3 * cy + dy) * v),
                )
            )
    if not closed:
        found.append(points[-1])
    return found


def around(x: float, y: float, rx: float, ry: float, start: float, end: float, steps: int = 12) -> list[Point]:
    """Points along an ellipse, from one angle to another (degrees, clockwise from three o'clock)."""
    angles = [(start + (end - start) * step / steps) * pi / 180 for step in range(steps + 1)]
    return [(x + rx * cos(angle), y + ry * sin(angle)) for angle in angles]


def _mix(first: Paint, second: Paint, share: float) -> Paint:
    if isinstance(first, tuple) and isinstance(second, tuple):
        red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
        return red, green, blue
    if isinstance(first, tuple) or isinstance(second, tuple):
        raise TypeError("A grey and a colour do not mix.")
    return round(first + (second - first) * share)


def mix(first: Paint, second: Paint, share: float) -> Paint:
    """A paint between two of a kind; `share` is how much of the second."""
    return _mix(first, second, share)


def _bucket(width: int, height: int) -> tuple[int, int]:
    return ceil(width / 256) * 256, ceil(height / 256) * 256


@lru_cache(maxsize=32)
def _screen(width: int, height: int) -> Pillow.Image:
    """A sheet of thresholds for rows of dots at 45 degrees; 24 to 231, so that white and black stay pure.

    The wave is one that JPEG itself is made of (8 pixels, half a pixel in). Dots out of step with its blocks would take
    four times the bytes.
    """
    cell = Pillow.new("L", (_CELL, _CELL))
    wave = [cos((step + 0.5) * 2 * pi / _CELL) for step in range(_CELL)]
    cell.putdata([round(127.5 + 103.5 * across * down) for down in wave for across in wave])
    sheet = Pillow.new("L", (width, height))
    sheet.paste(cell, (0, 0))
    across, down = _CELL, _CELL
    while across < width:
        sheet.paste(sheet.crop((0, 0, across, down)), (across, 0))
        across *= 2
    while down < height:
        sheet.paste(sheet.crop((0, 0, width, down)), (0, down))
        down *= 2
    return sheet
