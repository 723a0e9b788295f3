"""Beasts, and a mask that looks back."""

from math import cos, pi, sin

from orihon.samplesite.drawing.canvas import Canvas, around, curve
from orihon.samplesite.drawing.motifs.shapes import at, pen
from orihon.samplesite.drawing.paints import Paints


def whale(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.shape(
        curve(
            at(x, y, s, (0.75, 0.05), (0.95, -0.35), (1.25, -0.5), (1.12, -0.1), (1.3, 0.15), (0.98, 0.1), (0.8, 0.3))
        ),
        p.deep,
        w,
    )
    c.shape(
        curve(
            at(
                x,
                y,
                s,
                (-1.1, 0.05),
                (-0.95, -0.4),
                (-0.4, -0.58),
                (0.3, -0.35),
                (0.85, 0.05),
                (0.7, 0.3),
                (0.1, 0.52),
                (-0.6, 0.5),
                (-1.0, 0.3),
            )
        ),
        p.deep,
        w,
    )
    c.tone(
        curve(at(x, y, s, (-1.04, 0.2), (-0.5, 0.24), (0.1, 0.3), (0.6, 0.32), (0.1, 0.5), (-0.6, 0.48), (-0.98, 0.3))),
        p.light,
    )
    for k in range(4):
        c.line(
            curve(
                at(x, y, s, (-0.95, 0.24 + 0.06 * k), (-0.4, 0.28 + 0.06 * k), (0.2 - 0.1 * k, 0.36 + 0.03 * k)),
                closed=False,
            ),
            w * 0.7,
        )
    c.shape(curve(at(x, y, s, (-0.35, 0.3), (-0.1, 0.75), (0.15, 0.8), (0.02, 0.35))), p.middle, w)
    c.spot(x - 0.68 * s, y + 0.06 * s, 0.05 * s, 0.06 * s)
    for k in range(5):
        tip = -0.5 + 0.14 * k
        c.shape(
            curve(
                at(
                    x,
                    y,
                    s,
                    (tip - 0.06, -0.5),
                    (tip - 0.09, -0.72 - 0.06 * (k % 2)),
                    (tip + 0.09, -0.7 - 0.06 * (k % 2)),
                    (tip + 0.06, -0.48),
                )
            ),
            p.accent if k % 2 else p.middle,
            w,
        )


def fox(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    for side in (-1, 1):
        c.shape(at(x, y, s, (side * 0.75, -0.15), (side * 0.72, -1.0), (side * 0.15, -0.5)), p.accent, w)
        c.tone(at(x, y, s, (side * 0.62, -0.4), (side * 0.64, -0.8), (side * 0.36, -0.54)), p.ink)
    c.shape(
        curve(
            at(
                x,
                y,
                s,
                (0, -0.58),
                (0.5, -0.42),
                (0.95, 0.1),
                (0.5, 0.45),
                (0, 0.95),
                (-0.5, 0.45),
                (-0.95, 0.1),
                (-0.5, -0.42),
            )
        ),
        p.accent,
        w,
    )
    for side in (-1, 1):
        c.shape(
            curve(
                at(
                    x,
                    y,
                    s,
                    (side * 0.05, 0.25),
                    (side * 0.4, 0.02),
                    (side * 0.88, 0.12),
                    (side * 0.5, 0.42),
                    (side * 0.06, 0.86),
                )
            ),
            p.paper,
            w,
        )
        c.solid(curve(at(x, y, s, (side * 0.2, 0.0), (side * 0.42, -0.16), (side * 0.6, -0.16), (side * 0.4, 0.02))))
        c.shape(at(x, y, s, (side * 0.1, -0.42), (side * 0.24, -0.34), (side * 0.14, -0.22)), p.deep, w)
    c.spot(x, y + 0.84 * s, 0.12 * s, 0.09 * s)


def koi(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.shape(curve(at(x, y, s, (0.1, 0.55), (0.5, 1.0), (0.15, 0.92), (-0.1, 1.1), (-0.2, 0.7))), p.accent, w)
    for side in (-1, 1):
        c.shape(
            curve(at(x, y, s, (side * 0.25, -0.3), (side * 0.75, -0.15), (side * 0.62, 0.1), (side * 0.25, -0.02))),
            p.pale,
            w,
        )
    c.shape(
        curve(
            at(
                x,
                y,
                s,
                (0.0, -1.0),
                (0.3, -0.75),
                (0.36, -0.3),
                (0.2, 0.25),
                (0.05, 0.62),
                (-0.15, 0.62),
                (-0.32, 0.2),
                (-0.36, -0.3),
                (-0.28, -0.78),
            )
        ),
        p.paper,
        w,
    )
    c.shape(curve(at(x, y, s, (-0.05, -0.78), (0.22, -0.6), (0.12, -0.35), (-0.2, -0.42))), p.accent, w * 0.8)
    c.shape(curve(at(x, y, s, (0.05, -0.1), (0.26, 0.05), (0.1, 0.35), (-0.15, 0.2))), p.accent, w * 0.8)
    for side in (-1, 1):
        c.spot(x + side * 0.18 * s, y - 0.75 * s, 0.04 * s, 0.05 * s)
    for k in range(3):
        c.line(around(x, y, (0.95 + 0.14 * k) * s, (0.95 + 0.14 * k) * s, 200 + 20 * k, 330 - 10 * k, 16), w)


def dragon(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    for side in (-1, 1):
        c.shape(
            at(
                x,
                y,
                s,
                (side * 0.3, 0.1),
                (side * 0.75, -0.65),
                (side * 1.2, -0.5),
                (side * 1.05, -0.1),
                (side * 0.9, -0.05),
                (side * 0.8, 0.25),
                (side * 0.6, 0.2),
                (side * 0.45, 0.5),
            ),
            p.accent,
            w,
        )
    c.shape(
        curve(at(x, y, s, (-0.42, 1.0), (-0.45, 0.4), (-0.25, 0.0), (0.25, 0.0), (0.45, 0.4), (0.42, 1.0))), p.deep, w
    )
    for side in (-1, 1):
        c.shape(
            curve(at(x, y, s, (side * 0.2, -0.62), (side * 0.32, -1.05), (side * 0.45, -1.0), (side * 0.4, -0.5))),
            p.light,
            w,
        )
    c.shape(
        curve(
            at(
                x,
                y,
                s,
                (0, -0.72),
                (0.42, -0.6),
                (0.5, -0.2),
                (0.32, 0.22),
                (0, 0.3),
                (-0.32, 0.22),
                (-0.5, -0.2),
                (-0.42, -0.6),
            )
        ),
        p.middle,
        w,
    )
    for side in (-1, 1):
        c.ellipse(x + side * 0.22 * s, y - 0.3 * s, 0.13 * s, 0.15 * s, p.paper, w)
        c.spot(x + side * 0.2 * s, y - 0.28 * s, 0.045 * s, 0.1 * s)
        c.spot(x + side * 0.08 * s, y + 0.05 * s, 0.03 * s, 0.03 * s)
    c.line(around(x, y + 0.08 * s, 0.24 * s, 0.1 * s, 20, 160), w * 1.3)
    c.shape(
        at(x, y, s, (-0.1, 0.34), (0.1, 0.34), (0.06, 0.44), (0.14, 0.85), (0, 1.0), (-0.14, 0.85), (-0.06, 0.44)),
        p.accent,
        w,
    )


def mask(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    for k in range(5):
        turn = (210 + 30 * k) * pi / 180
        c.shape(
            curve(
                [
                    (x + 0.3 * s * cos(turn), y + 0.3 * s * sin(turn)),
                    (x + 0.9 * s * cos(turn - 0.16), y + 0.9 * s * sin(turn - 0.16)),
                    (x + 1.15 * s * cos(turn), y + 1.15 * s * sin(turn)),
                    (x + 0.9 * s * cos(turn + 0.16), y + 0.9 * s * sin(turn + 0.16)),
                ]
            ),
            p.accent if k % 2 else p.middle,
            w,
        )
    c.shape(
        curve(
            at(
                x,
                y,
                s,
                (0, -0.25),
                (0.6, -0.38),
                (1.0, -0.2),
                (0.85, 0.35),
                (0.4, 0.5),
                (0, 0.2),
                (-0.4, 0.5),
                (-0.85, 0.35),
                (-1.0, -0.2),
                (-0.6, -0.38),
            )
        ),
        p.paper,
        w,
    )
    for side in (-1, 1):
        c.solid(curve(at(x, y, s, (side * 0.18, 0.05), (side * 0.45, -0.12), (side * 0.72, 0.02), (side * 0.45, 0.2))))
        c.line(
            curve(at(x, y, s, (side * 0.15, -0.16), (side * 0.5, -0.28), (side * 0.85, -0.1)), closed=False), w * 1.6
        )
