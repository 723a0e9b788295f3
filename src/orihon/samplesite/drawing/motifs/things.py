"""What fits on a table, or in a hand."""

from math import cos, pi, sin

from orihon.samplesite.drawing.canvas import Canvas, Paint, around, curve
from orihon.samplesite.drawing.motifs.shapes import at, box, pen, star
from orihon.samplesite.drawing.paints import Paints


def books(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    for row in range(3):
        top = -0.95 + 0.66 * row
        c.shape(box(x, y, s, -1.05, top + 0.55, 1.05, top + 0.64), p.deep, w)
        left = -1.0
        for k in range(9):
            wide = 0.14 + 0.05 * ((k * 7 + row * 3) % 4)
            high = 0.36 + 0.05 * ((k * 5 + row) % 4)
            paint: Paint = (p.accent, p.middle, p.light, p.pale, p.deep)[(k * 3 + row) % 5]
            if left + wide > 1.0:
                break
            c.shape(box(x, y, s, left, top + 0.55 - high, left + wide, top + 0.55), paint, w)
            c.line(at(x, y, s, (left + 0.02, top + 0.65 - high), (left + wide - 0.02, top + 0.65 - high)), w)
            left += wide
    _cat(c, x + 0.62 * s, y - 0.62 * s, 0.26 * s)


def _cat(c: Canvas, x: float, y: float, s: float) -> None:
    c.solid(curve(at(x, y, s, (-0.5, 0.9), (-0.55, 0.1), (-0.2, -0.35), (0.25, -0.35), (0.55, 0.1), (0.5, 0.9))))
    c.spot(x, y - 0.55 * s, 0.48 * s, 0.42 * s)
    for side in (-1, 1):
        c.solid(at(x, y, s, (side * 0.45, -0.6), (side * 0.42, -1.2), (side * 0.08, -0.9)))
        c.spot(x + side * 0.18 * s, y - 0.58 * s, 0.1 * s, 0.08 * s, ink=False)
    c.line(curve(at(x, y, s, (0.45, 0.8), (0.95, 0.6), (0.9, 0.1)), closed=False), max(2.0, s * 0.18))


def gear(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    for gx, gy, r, teeth, paint in ((-0.2, 0.1, 0.72, 12, p.middle), (0.66, -0.55, 0.4, 8, p.accent)):
        rim = []
        for k in range(teeth * 4):
            reach = r * (1.0 if k % 4 in (0, 1) else 0.8)
            turn = 2 * pi * k / (teeth * 4)
            rim.append((x + (gx + reach * cos(turn)) * s, y + (gy + reach * sin(turn)) * s))
        c.shape(rim, paint, w)
        c.ellipse(x + gx * s, y + gy * s, r * 0.5 * s, r * 0.5 * s, p.light, w)
        c.ellipse(x + gx * s, y + gy * s, r * 0.16 * s, r * 0.16 * s, p.deep, w)
    for k in range(3):
        left = -0.85 + 0.5 * k
        c.line(curve(at(x, y, s, (left, 1.0), (left + 0.1, 0.6), (left, 0.3 - 0.1 * k)), closed=False), w * 1.6)
        c.shape(curve(at(x, y, s, (left + 0.05, 0.55), (left + 0.3, 0.4), (left + 0.32, 0.6))), p.accent, w)


def cup(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.line(around(x + 0.62 * s, y + 0.3 * s, 0.34 * s, 0.28 * s, -100, 110), w * 4)
    c.ellipse(x, y + 0.85 * s, 0.95 * s, 0.16 * s, p.pale, w)
    c.shape(curve(at(x, y, s, (-0.7, 0.0), (0.7, 0.0), (0.6, 0.5), (0.3, 0.85), (-0.3, 0.85), (-0.6, 0.5))), p.paper, w)
    c.ellipse(x, y + 0.02 * s, 0.7 * s, 0.15 * s, p.accent, w)
    star(c, x, y + 0.45 * s, 0.2 * s, p.accent, w)
    for k in (-1, 0, 1):
        c.line(
            curve(
                at(
                    x, y, s, (0.28 * k, -0.2), (0.28 * k + 0.12, -0.45), (0.28 * k - 0.1, -0.7), (0.28 * k + 0.06, -1.0)
                ),
                closed=False,
            ),
            w * 1.5,
        )


def teapot(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.line(around(x + 0.78 * s, y + 0.1 * s, 0.36 * s, 0.42 * s, -110, 110), w * 4)
    c.shape(
        curve(
            at(x, y, s, (-0.6, 0.35), (-0.95, 0.1), (-1.12, -0.45), (-0.92, -0.42), (-0.75, -0.1), (-0.5, 0.0)),
            steps=4,
        ),
        p.accent,
        w,
    )
    c.ellipse(x, y + 0.2 * s, 0.82 * s, 0.66 * s, p.accent, w)
    c.ellipse(x, y - 0.38 * s, 0.42 * s, 0.12 * s, p.middle, w)
    c.ellipse(x, y - 0.56 * s, 0.11 * s, 0.11 * s, p.middle, w)
    for side in (-1, 1):
        c.ellipse(x + side * 0.28 * s, y + 0.12 * s, 0.15 * s, 0.17 * s, p.paper, w)
        c.spot(x + side * 0.28 * s, y + 0.14 * s, 0.06 * s, 0.08 * s)
    c.line(around(x, y + 0.4 * s, 0.2 * s, 0.12 * s, 10, 170), w * 1.5)
    for k in range(4):
        c.spot(x + (-0.45 + 0.3 * k) * s, y + 0.72 * s - abs(k - 1.5) * 0.07 * s, 0.035 * s, 0.035 * s)


def umbrella(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.line([(x, y - s), (x, y + 0.7 * s), *around(x - 0.17 * s, y + 0.7 * s, 0.17 * s, 0.2 * s, 0, 180)], w * 2.2)
    c.shape(
        [
            *around(x, y + 0.02 * s, s, 0.9 * s, 180, 360, 24),
            *(
                pt
                for k in range(4)
                for pt in around(x + (0.75 - 0.5 * k) * s, y + 0.02 * s, 0.25 * s, 0.16 * s, 0, -180, 6)
            ),
        ],
        p.accent,
        w,
    )
    for k, paint in ((-0.5, p.paper), (0.5, p.paper)):
        c.shape(
            [
                (x, y - 0.88 * s),
                *curve(
                    [(x, y - 0.88 * s), (x + k * 0.8 * s, y - 0.6 * s), (x + k * s * 1.5, y - 0.05 * s)], closed=False
                ),
                *around(x + k * s, y + 0.02 * s, 0.25 * s, 0.16 * s, 0 if k > 0 else -180, -180 if k > 0 else 0, 6),
                (x + k * 0.3 * s, y - 0.4 * s),
            ],
            paint,
            w,
        )
    for k in range(6):
        c.line(at(x, y, s, (-1.1 + 0.42 * k, -1.0 + 0.1 * (k % 3)), (-1.16 + 0.42 * k, -0.8 + 0.1 * (k % 3))), w * 1.5)


def violin(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.shape(
        curve(
            at(
                x,
                y,
                s,
                (0, -0.15),
                (0.34, -0.02),
                (0.3, 0.25),
                (0.2, 0.4),
                (0.45, 0.7),
                (0.28, 1.0),
                (0, 1.05),
                (-0.28, 1.0),
                (-0.45, 0.7),
                (-0.2, 0.4),
                (-0.3, 0.25),
                (-0.34, -0.02),
            )
        ),
        p.accent,
        w,
    )
    c.shape(box(x, y, s, -0.06, -0.85, 0.06, 0.4), p.ink, w)
    c.shape(curve(at(x, y, s, (-0.1, -0.82), (0, -1.08), (0.14, -1.0), (0.1, -0.82))), p.deep, w)
    c.shape(box(x, y, s, -0.16, 0.5, 0.16, 0.56), p.light, w)
    for k in (-0.04, 0.0, 0.04):
        c.line(at(x, y, s, (k, -0.8), (k * 1.6, 0.9)), w * 0.6, ink=False)
    for side in (-1, 1):
        c.line(curve(at(x, y, s, (side * 0.22, 0.3), (side * 0.16, 0.45), (side * 0.24, 0.6)), closed=False), w * 1.4)
    c.line(at(x, y, s, (-1.0, 0.75), (0.95, -0.35)), w * 2.2)
    for dx, dy in ((0.7, -0.7), (-0.75, -0.45), (0.85, 0.5)):
        c.spot(x + dx * s, y + dy * s, 0.09 * s, 0.07 * s)
        c.line(at(x, y, s, (dx + 0.08, dy), (dx + 0.08, dy - 0.32), (dx + 0.24, dy - 0.22)), w * 1.5)


def bell(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.ellipse(x, y - 0.92 * s, 0.16 * s, 0.16 * s, p.deep, w)
    c.ellipse(x, y + 0.78 * s, 0.18 * s, 0.2 * s, p.deep, w)
    c.shape(
        curve(
            at(
                x,
                y,
                s,
                (0, -0.85),
                (0.34, -0.7),
                (0.48, -0.2),
                (0.6, 0.35),
                (0.95, 0.72),
                (0, 0.78),
                (-0.95, 0.72),
                (-0.6, 0.35),
                (-0.48, -0.2),
                (-0.34, -0.7),
            )
        ),
        p.accent,
        w,
    )
    c.line(around(x, y + 0.35 * s, 0.6 * s, 0.1 * s, 5, 175), w * 1.5)
    c.line(around(x, y - 0.3 * s, 0.45 * s, 0.08 * s, 5, 175), w * 1.5)
    for side in (-1, 1):
        for k in (1.1, 1.28):
            c.line(around(x, y + 0.2 * s, k * s, k * s, 90 - side * 105, 90 - side * 75, 8), w * 1.5)


def kite(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.line(curve(at(x, y, s, (0.0, 0.4), (0.25, 0.65), (-0.1, 0.85), (0.15, 1.1)), closed=False), w * 1.5)
    c.shape(at(x, y, s, (0, -1.05), (0.75, -0.35), (0, 0.5), (-0.75, -0.35)), p.accent, w)
    c.shape(at(x, y, s, (0, -1.05), (0.75, -0.35), (0, -0.35)), p.light, w)
    c.shape(at(x, y, s, (0, -0.35), (0, 0.5), (-0.75, -0.35)), p.paper, w)
    for side in (-1, 1):
        c.spot(x + side * 0.24 * s, y - 0.42 * s, 0.07 * s, 0.1 * s)
    c.line(around(x, y - 0.2 * s, 0.22 * s, 0.14 * s, 20, 160), w * 2)
    for k in range(3):
        dx, dy = (0.1, -0.05, 0.1)[k], 0.66 + 0.16 * k
        c.shape(at(x, y, s, (dx, dy), (dx - 0.16, dy - 0.07), (dx - 0.16, dy + 0.07)), p.accent, w)
        c.shape(at(x, y, s, (dx, dy), (dx + 0.16, dy - 0.07), (dx + 0.16, dy + 0.07)), p.middle, w)
