"""Hair: what lies behind the head, and what falls over it."""

from math import cos, pi, sin

from orihon.samplesite.drawing.canvas import Canvas, Paint, Point, around, curve
from orihon.samplesite.drawing.cast import Person


def behind(c: Canvas, who: Person, x: float, y: float, r: float, f: float, line: float) -> None:
    """What is behind head and shoulders."""
    if who.style in ("long", "tail"):
        drop = 2.5 if who.style == "long" else 1.0
        c.shape(
            curve(
                [
                    (x - 1.12 * r, y - 0.4 * r),
                    (x - 0.7 * r, y - 1.1 * r),
                    (x + 0.7 * r, y - 1.1 * r),
                    (x + 1.12 * r, y - 0.4 * r),
                    (x + 1.15 * r, y + 0.4 * drop * r),
                    (x + 0.9 * r, y + drop * r),
                    (x - 0.9 * r, y + drop * r),
                    (x - 1.15 * r, y + 0.4 * drop * r),
                ]
            ),
            who.hair,
            line,
        )
    if who.style == "tail":
        side = -1 if f > 0 else 1
        c.shape(
            curve(
                [
                    (x + side * 0.7 * r, y - 0.9 * r),
                    (x + side * 1.5 * r, y - 0.9 * r),
                    (x + side * 1.8 * r, y + 0.2 * r),
                    (x + side * 1.5 * r, y + 1.4 * r),
                    (x + side * 1.35 * r, y + 0.3 * r),
                ]
            ),
            who.hair,
            line,
        )
    elif who.style == "bun":
        c.ellipse(x - f * 0.3 * r, y - 1.25 * r, 0.45 * r, 0.42 * r, who.hair, line)
    elif who.style == "bob":
        c.shape(
            curve(
                [
                    (x - 1.15 * r, y - 0.3 * r),
                    (x, y - 1.2 * r),
                    (x + 1.15 * r, y - 0.3 * r),
                    (x + 1.2 * r, y + 0.85 * r),
                    (x + 0.6 * r, y + 0.95 * r),
                    (x - 0.6 * r, y + 0.95 * r),
                    (x - 1.2 * r, y + 0.85 * r),
                ]
            ),
            who.hair,
            line,
        )
    elif who.style == "curls":
        for angle in range(150, 400, 24):
            turn = angle * pi / 180
            c.ellipse(x + 1.02 * r * cos(turn), y - 0.1 * r + 1.0 * r * sin(turn), 0.36 * r, 0.36 * r, who.hair, line)


def before(c: Canvas, who: Person, x: float, y: float, r: float, f: float, line: float) -> None:
    """Crown and fringe, or a cap."""
    if who.style == "cap":
        _cap(c, who, x, y, r, f, line)
        return
    top = 1.22 if who.style != "spiky" else 1.12
    crown: list[Point] = [(x - 1.0 * r, y + 0.3 * r), (x - 1.08 * r, y - 0.3 * r)]
    if who.style == "spiky":
        for k in range(7):
            turn = (200 + k * 24) * pi / 180
            crown.append((x + 1.06 * r * cos(turn), y + top * r * sin(turn) * 0.98))
            tip = turn + 0.26
            crown.append((x + 1.5 * r * cos(tip), y - 0.05 * r + 1.5 * r * sin(tip)))
    else:
        crown = curve(
            [
                *crown,
                (x - 0.72 * r, y - 0.95 * r),
                (x - 0.05 * r, y - top * r),
                (x + 0.72 * r, y - 0.95 * r),
                (x + 1.08 * r, y - 0.3 * r),
                (x + 1.0 * r, y + 0.3 * r),
            ],
            closed=False,
        )
    fringe: list[Point] = [(x + 1.0 * r, y + 0.35 * r), (x + 0.86 * r, y - 0.25 * r)]
    step = 1.72 / len(who.fringe)
    for place, tip in enumerate(who.fringe):
        right = 0.86 - place * step
        lean = f * 0.14 + (0.12 if place % 2 else -0.04)
        fringe.append((x + (right - step * (0.55 + lean)) * r, y + tip * r * 0.7 - 0.02 * r))
        fringe.append((x + (right - step) * r, y - (0.42 + 0.1 * (place % 2)) * r))
    fringe[-1] = (x - 0.86 * r, y - 0.25 * r)
    c.shape([*crown, *fringe], who.hair, line)
    if _is_dark(who.hair):
        return
    for k in range(3):
        start = -0.45 + 0.4 * k
        c.line(
            curve(
                [
                    (x + (start + 0.1) * r, y - 1.0 * r),
                    (x + start * r, y - 0.75 * r),
                    (x + (start - 0.02) * r, y - 0.5 * r),
                ],
                closed=False,
            ),
            line * 0.6,
        )


def _cap(c: Canvas, who: Person, x: float, y: float, r: float, f: float, line: float) -> None:
    for side in (-1, 1):
        c.shape(
            [
                (x + side * 0.98 * r, y + 0.45 * r),
                (x + side * 1.02 * r, y - 0.45 * r),
                (x + side * 0.6 * r, y - 0.4 * r),
                (x + side * 0.8 * r, y),
            ],
            who.hair,
            line,
        )
    c.shape([*around(x, y - 0.35 * r, 1.1 * r, 1.0 * r, 180, 360, 20)], who.trim, line)
    c.shape(
        curve(
            [
                (x - 1.1 * r + f * 0.1 * r, y - 0.4 * r),
                (x + f * 0.3 * r, y - 0.62 * r),
                (x + 1.1 * r + f * 0.1 * r, y - 0.4 * r),
                (x + f * 0.75 * r, y - 0.12 * r),
            ]
        ),
        who.cloth,
        line,
    )


def _is_dark(paint: Paint) -> bool:
    return (sum(paint) / 3 if isinstance(paint, tuple) else paint) < 60
