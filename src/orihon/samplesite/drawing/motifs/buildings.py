"""What people built to stay."""

from orihon.samplesite.drawing.canvas import Canvas, around, curve, mix
from orihon.samplesite.drawing.motifs.shapes import at, box, pen
from orihon.samplesite.drawing.paints import Paints


def lighthouse(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    for side in (-1, 1):
        c.tone(at(x, y, s, (side * 0.15, -0.68), (side * 1.5, -1.0), (side * 1.5, -0.45)), mix(p.light, p.paper, 0.5))
    c.shape(curve(at(x, y, s, (-1.0, 1.0), (-0.7, 0.72), (-0.2, 0.62), (0.4, 0.66), (0.8, 0.8), (1.0, 1.0))), p.deep, w)
    c.shape(at(x, y, s, (-0.3, 0.8), (-0.17, -0.5), (0.17, -0.5), (0.3, 0.8)), p.paper, w)
    for k in range(3):
        top, bottom = -0.3 + 0.4 * k, -0.12 + 0.4 * k
        a, b = 0.187 + 0.04 * k, 0.205 + 0.04 * k
        c.shape(at(x, y, s, (-a, top), (a, top), (b, bottom), (-b, bottom)), p.accent, w)
    c.shape(box(x, y, s, -0.25, -0.56, 0.25, -0.48), p.deep, w)
    c.shape(box(x, y, s, -0.13, -0.82, 0.13, -0.56), p.light, w)
    c.shape(at(x, y, s, (-0.2, -0.82), (0, -1.02), (0.2, -0.82)), p.accent, w)


def bridge(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    deck = curve(at(x, y, s, (-1.1, -0.1), (-0.5, -0.34), (0.5, -0.34), (1.1, -0.1)), closed=False)
    c.shape([*deck, *at(x, y, s, (1.1, 0.75), (-1.1, 0.75))], p.middle, w)
    for k in (-0.62, 0.0, 0.62):
        c.shape(
            [
                *around(x + k * s, y + 0.45 * s, 0.23 * s, 0.42 * s, 180, 360),
                (x + (k + 0.23) * s, y + 0.8 * s),
                (x + (k - 0.23) * s, y + 0.8 * s),
            ],
            p.light,
            w,
        )
    for k in (-0.93, -0.31, 0.31, 0.93):
        c.shape(
            curve(at(x, y, s, (k - 0.16, 0.72), (k + 0.08, 0.68), (k + 0.3, 0.86), (k + 0.26, 0.98), (k - 0.16, 0.98))),
            p.deep,
            w,
        )
    for k in range(7):
        c.line(
            at(
                x,
                y,
                s,
                (-0.9 + 0.3 * k, -0.22 - 0.12 * (1 - abs(k - 3) / 3)),
                (-0.9 + 0.3 * k, -0.42 - 0.14 * (1 - abs(k - 3) / 3)),
            ),
            w * 1.6,
        )
    c.line(curve(at(x, y, s, (-1.0, -0.38), (-0.4, -0.56), (0.4, -0.56), (1.0, -0.38)), closed=False), w * 1.8)


def stairs(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.shape(box(x, y, s, -0.95, -1.0, 0.95, 1.0), p.deep, w)
    for turn in range(4):
        top = 0.9 - 0.47 * turn
        way = 1 if turn % 2 == 0 else -1
        for k in range(6):
            left, up = way * (-0.75 + 0.25 * k), top - 0.075 * k
            paint = mix(p.light, p.middle, turn / 4)
            c.shape(
                at(x, y, s, (left, up), (left + way * 0.25, up), (left + way * 0.25, up - 0.09), (left, up - 0.09)),
                paint,
                w,
            )
    c.shape(box(x, y, s, 0.45, -0.98, 0.75, -0.6), p.accent, w)
    c.spot(x + 0.52 * s, y - 0.78 * s, 0.025 * s, 0.025 * s)


def castle(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.shape(box(x, y, s, -0.8, 0.1, 0.8, 1.0), p.pale, w)
    for left, top, paint in ((-0.95, -0.35, p.middle), (0.55, -0.35, p.middle), (-0.22, -0.6, p.light)):
        c.shape(box(x, y, s, left, top, left + 0.42, 1.0), p.paper, w)
        c.shape(at(x, y, s, (left - 0.08, top), (left + 0.21, top - 0.46), (left + 0.5, top)), p.accent, w)
        c.shape(box(x, y, s, left + 0.14, top + 0.16, left + 0.28, top + 0.42), paint, w)
    c.shape([*around(x, y + 0.7 * s, 0.2 * s, 0.3 * s, 180, 360), *at(x, y, s, (0.2, 1.0), (-0.2, 1.0))], p.deep, w)
    for k in range(5):
        c.shape(box(x, y, s, -0.78 + 0.34 * k, 0.02, -0.62 + 0.34 * k, 0.16), p.pale, w)
