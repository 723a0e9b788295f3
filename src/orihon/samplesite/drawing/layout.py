"""How a page is cut into panels."""

from collections.abc import Sequence

import msgspec

from orihon.samplesite.dice import Dice
from orihon.samplesite.drawing.canvas import Point

GUTTER = 14
MARGIN = 34

_ROWS: Sequence[Sequence[int]] = (
    (1, 2, 2),
    (2, 1, 2),
    (2, 2, 1),
    (1, 3, 2),
    (2, 2, 2),
    (1, 1, 2),
    (2, 1, 1),
    (3, 1, 2),
    (1, 2),
    (2, 1),
    (2, 3, 1),
)


class Panel(msgspec.Struct, frozen=True):
    """A panel's corners (top left, top right, bottom right, bottom left), in pixels of the page."""

    corners: tuple[Point, Point, Point, Point]

    @property
    def box(self) -> tuple[int, int, int, int]:
        """The upright box around it: left, top, right, bottom."""
        across = [x for x, _ in self.corners]
        down = [y for _, y in self.corners]
        return int(min(across)), int(min(down)), int(max(across)) + 1, int(max(down)) + 1

    @property
    def upright(self) -> bool:
        """Whether the box is the panel."""
        (ax, _), (bx, _), (cx, _), (dx, _) = self.corners
        return ax == dx and bx == cx


def panels(width: int, height: int, dice: Dice, *, right_to_left: bool, slants: float) -> list[Panel]:
    """Panels in reading order. `slants` is the share of cuts that lean."""
    rows = dice.pick(_ROWS)
    weights = [dice.span(0.8, 1.3) * (1.15 if count == 1 else 1.0) for count in rows]
    inner = height - 2 * MARGIN - GUTTER * (len(rows) - 1)
    found: list[Panel] = []
    top = float(MARGIN)
    for count, weight in zip(rows, weights, strict=True):
        bottom = top + inner * weight / sum(weights)
        found += _row(width, top, bottom, count, dice, slants, right_to_left)
        top = bottom + GUTTER
    return found


def _row(
    width: int, top: float, bottom: float, count: int, dice: Dice, slants: float, right_to_left: bool
) -> list[Panel]:
    shares = [dice.span(0.8, 1.25) for _ in range(count)]
    inner = width - 2 * MARGIN - GUTTER * (count - 1)
    cuts: list[tuple[float, float]] = [(MARGIN, MARGIN)]
    right = float(MARGIN)
    for share in shares[:-1]:
        right += inner * share / sum(shares)
        lean = dice.span(14, 34) * (1 if dice.chance(0.5) else -1) if dice.chance(slants) else 0.0
        cuts.append((right + lean, right - lean))
        right += GUTTER
    row = []
    for place in range(count):
        upper, lower = cuts[place]
        gap = GUTTER if place else 0
        if place + 1 < count:
            far_upper, far_lower = cuts[place + 1]
        else:
            far_upper = far_lower = float(width - MARGIN)
        row.append(Panel(((upper + gap, top), (far_upper, top), (far_lower, bottom), (lower + gap, bottom))))
    return row[::-1] if right_to_left else row
