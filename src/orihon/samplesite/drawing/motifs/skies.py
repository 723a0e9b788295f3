"""What is above: weather, stars, tree tops."""

from math import cos, pi, sin

from orihon.samplesite.drawing.canvas import Canvas, around, curve
from orihon.samplesite.drawing.motifs.shapes import at, box, pen, star
from orihon.samplesite.drawing.paints import Paints


def bolt(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.shape(
        curve(
            at(
                x,
                y,
                s,
                (-1.1, -0.3),
                (-0.8, -0.8),
                (-0.3, -0.72),
                (0.1, -1.02),
                (0.6, -0.7),
                (1.0, -0.66),
                (1.1, -0.2),
                (0.5, -0.1),
                (-0.6, -0.1),
            )
        ),
        p.pale,
        w,
    )
    c.shape(
        at(x, y, s, (0.15, -0.5), (-0.5, 0.3), (-0.08, 0.26), (-0.35, 1.05), (0.55, 0.05), (0.12, 0.08), (0.5, -0.5)),
        p.accent,
        w * 1.4,
    )
    for side in (-1, 1):
        c.line(at(x, y, s, (side * 0.75, 0.0), (side * 0.62, 0.25), (side * 0.8, 0.3), (side * 0.68, 0.6)), w * 1.4)


def moon(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    crescent = [
        *around(x, y, 0.9 * s, 0.9 * s, 60, 300, 24),
        *reversed(around(x + 0.38 * s, y - 0.05 * s, 0.72 * s, 0.72 * s, 72, 288, 24)),
    ]
    c.shape(crescent, p.accent, w)
    for k, (dx, dy) in enumerate(((0.5, -0.5), (0.75, 0.1), (0.35, 0.35), (0.1, -0.15))):
        star(c, x + dx * s, y + dy * s, (0.16 - 0.02 * k) * s, p.light, w)
    for side in (-1, 0, 1):
        c.shape(
            [
                *around(x + side * 0.55 * s, y + 0.9 * s, 0.26 * s, 0.3 * s, 180, 360),
                (x + (side * 0.55 + 0.26) * s, y + 1.1 * s),
                (x + (side * 0.55 - 0.26) * s, y + 1.1 * s),
            ],
            p.deep,
            w,
        )


def comet(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    for k, paint in enumerate((p.deep, p.middle, p.light)):
        wide = 0.5 - 0.13 * k
        c.shape(
            curve(
                at(
                    x,
                    y,
                    s,
                    (-0.5 - wide * 0.5, 0.5 - wide * 0.5),
                    (0.3, -0.6 - wide * 0.4),
                    (1.15 - 0.2 * k, -1.0 + 0.15 * k),
                    (0.6 + wide * 0.3, -0.2),
                    (-0.5 + wide * 0.7, 0.5 + wide * 0.7),
                )
            ),
            paint,
            w,
        )
    c.ellipse(x - 0.45 * s, y + 0.45 * s, 0.46 * s, 0.46 * s, p.accent, w)
    c.shape(at(x, y, s, (-0.7, 0.35), (-0.3, 0.2), (-0.2, 0.55), (-0.6, 0.7)), p.paper, w)
    c.line(at(x, y, s, (-0.5, 0.28), (-0.4, 0.62)), w)
    for dx, dy in ((0.8, 0.6), (-0.9, -0.6), (0.2, 0.95), (-0.3, -0.9)):
        star(c, x + dx * s, y + dy * s, 0.09 * s, p.paper, w * 0.6)


def planet(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.ellipse(x, y, 0.66 * s, 0.66 * s, p.accent, w)
    for k, r in ((-0.3, 0.56), (0.05, 0.65), (0.35, 0.54)):
        c.line(around(x, y + k * s, r * s, 0.1 * s, 10, 170), w * 1.2)
    ring = [*around(x, y, 1.15 * s, 0.3 * s, -15, 195, 24), *reversed(around(x, y, 0.86 * s, 0.16 * s, -15, 195, 24))]
    c.shape([(px + (py - y) * 0.2, py - (px - x) * 0.22) for px, py in ring], p.light, w)
    for dx, dy in ((-0.8, -0.7), (0.85, -0.8), (0.7, 0.85), (-0.65, 0.9)):
        star(c, x + dx * s, y + dy * s, 0.1 * s, p.paper, w * 0.7)


def forest(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    for k, (left, high, paint) in enumerate(((-0.7, 0.8, p.middle), (0.65, 0.9, p.middle), (0.0, 1.15, p.deep))):
        c.shape(box(x, y, s, left - 0.07, 0.6, left + 0.07, 0.95), p.ink, w)
        for level in range(3):
            top, half = 0.7 - high + 0.36 * level * high - 0.1, (0.22 + 0.12 * level) * (1 + 0.1 * k)
            c.shape(
                at(x, y, s, (left, top - 0.12), (left + half, top + 0.45 * high), (left - half, top + 0.45 * high)),
                paint,
                w,
            )
    for side in (-1, 1):
        c.line(curve(at(x, y, s, (side * 0.08, -0.6), (side * 0.35, -0.85), (side * 0.4, -1.1)), closed=False), w * 2.4)
        c.line(at(x, y, s, (side * 0.3, -0.8), (side * 0.58, -0.95)), w * 2)


def tree(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.shape(curve(at(x, y, s, (-0.3, 1.0), (-0.12, 0.4), (-0.2, 0.1), (0.2, 0.1), (0.14, 0.4), (0.34, 1.0))), p.deep, w)
    c.shape(
        curve(
            [
                (x + (0.9 + 0.12 * (k % 2)) * s * cos(k * pi / 5), y + (-0.35 + 0.66 * sin(k * pi / 5)) * s)
                for k in range(10)
            ]
        ),
        p.middle,
        w,
    )
    for k, (dx, dy) in enumerate(((-0.5, -0.3), (0.45, -0.5), (0.05, -0.05), (-0.1, -0.72), (0.6, -0.05))):
        r = (0.2 - 0.015 * k) * s
        c.ellipse(x + dx * s, y + dy * s, r, r, p.accent if k % 2 else p.light, w)
        c.line(
            [
                (x + dx * s, y + dy * s - 0.7 * r),
                (x + dx * s, y + dy * s),
                (x + dx * s + 0.5 * r, y + dy * s + 0.2 * r),
            ],
            w,
        )


def mountain(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.shape(at(x, y, s, (0.1, 0.9), (0.62, -0.3), (1.2, 0.9)), p.pale, w)
    c.shape(at(x, y, s, (-1.15, 0.9), (-0.2, -0.95), (0.8, 0.9)), p.middle, w)
    c.shape(
        at(x, y, s, (-0.48, -0.4), (-0.2, -0.95), (0.1, -0.38), (-0.08, -0.5), (-0.2, -0.3), (-0.34, -0.48)),
        p.paper,
        w,
    )
    c.line(curve(at(x, y, s, (-0.3, 0.9), (0.1, 0.6), (-0.3, 0.35), (0.0, 0.1), (-0.2, -0.2)), closed=False), w * 1.6)
    c.shape(curve(at(x, y, s, (-0.1, -0.95), (0.1, -1.02), (0.16, -0.9), (0.3, -0.8), (-0.1, -0.85))), p.accent, w)
    c.ellipse(x - 0.75 * s, y - 0.7 * s, 0.2 * s, 0.2 * s, p.accent, w)
