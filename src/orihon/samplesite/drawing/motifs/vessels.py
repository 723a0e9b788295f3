"""What carries people away."""

from math import cos

from orihon.samplesite.drawing.canvas import Canvas, around, curve
from orihon.samplesite.drawing.motifs.shapes import at, box, pen
from orihon.samplesite.drawing.paints import Paints


def train(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.shape(box(x, y, s, -1.0, -0.35, 0.95, 0.45), p.deep, w)
    c.shape(at(x, y, s, (-1.05, -0.35), (-0.95, -0.5), (0.9, -0.5), (1.0, -0.35)), p.accent, w)
    for k in range(5):
        c.shape(box(x, y, s, -0.88 + 0.37 * k, -0.22, -0.64 + 0.37 * k, 0.1), p.light, w)
    c.shape(box(x, y, s, -1.0, 0.22, 0.95, 0.3), p.accent, w)
    for k in range(4):
        c.ellipse(x + (-0.72 + 0.48 * k) * s, y + 0.52 * s, 0.16 * s, 0.16 * s, p.middle, w * 1.4)
    c.line(at(x, y, s, (-1.3, 0.7), (1.3, 0.7)), w * 1.6)
    for k in range(3):
        paper_lantern(c, x + (-0.6 + 0.6 * k) * s, y - 0.85 * s, 0.2 * s, p)


def paper_lantern(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.line([(x, y - 1.6 * s), (x, y - s)], w)
    c.ellipse(x, y, 0.8 * s, s, p.accent, w)
    for k in (-0.5, 0.0, 0.5):
        c.line(around(x, y + k * s, 0.78 * s * cos(k), 0.16 * s, 0, 180, 8), w * 0.7)
    c.shape(box(x, y, s, -0.3, -1.1, 0.3, -0.9), p.deep, w)
    c.shape(box(x, y, s, -0.3, 0.9, 0.3, 1.1), p.deep, w)


def ship(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    c.line(at(x, y, s, (0, 0.3), (0, -1.05)), w * 2)
    c.line(at(x, y, s, (-0.55, 0.3), (-0.55, -0.7)), w * 2)
    c.shape(
        curve(at(x, y, s, (0.02, -0.9), (0.75, -0.72), (0.85, -0.2), (0.75, 0.1), (0.02, 0.12), (0.2, -0.4)), steps=4),
        p.paper,
        w,
    )
    c.shape(
        curve(
            at(x, y, s, (-0.53, -0.6), (-0.1, -0.5), (-0.02, -0.15), (-0.12, 0.08), (-0.53, 0.1), (-0.42, -0.25)),
            steps=4,
        ),
        p.light,
        w,
    )
    c.shape(at(x, y, s, (0, -1.05), (0.42, -0.98), (0, -0.88)), p.accent, w)
    c.shape(
        curve(
            at(
                x,
                y,
                s,
                (-1.0, 0.1),
                (-0.6, 0.26),
                (0.6, 0.26),
                (1.1, 0.05),
                (0.85, 0.55),
                (0.6, 0.72),
                (-0.6, 0.72),
                (-0.85, 0.5),
            )
        ),
        p.deep,
        w,
    )
    c.line(at(x, y, s, (-0.88, 0.4), (0.9, 0.4)), w)
    for k in range(4):
        c.ellipse(x + (-0.48 + 0.32 * k) * s, y + 0.54 * s, 0.07 * s, 0.07 * s, p.accent, w)
    for k in range(5):
        c.shape(
            curve(
                at(
                    x,
                    y,
                    s,
                    (-1.3 + 0.52 * k, 0.95),
                    (-1.15 + 0.52 * k, 0.68),
                    (-0.9 + 0.52 * k, 0.74),
                    (-0.75 + 0.52 * k, 0.95),
                )
            ),
            p.middle,
            w,
        )


def balloon(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = pen(s)
    for k in (-0.3, 0.3):
        c.line(at(x, y, s, (k * 1.4, 0.25), (k * 0.7, 0.75)), w)
    c.shape(
        curve(
            at(
                x,
                y,
                s,
                (0, -1.05),
                (0.62, -0.82),
                (0.8, -0.3),
                (0.45, 0.25),
                (0, 0.4),
                (-0.45, 0.25),
                (-0.8, -0.3),
                (-0.62, -0.82),
            )
        ),
        p.accent,
        w,
    )
    c.shape(
        curve(
            at(
                x,
                y,
                s,
                (0, -1.05),
                (0.3, -0.8),
                (0.4, -0.3),
                (0.2, 0.25),
                (0, 0.4),
                (-0.2, 0.25),
                (-0.4, -0.3),
                (-0.3, -0.8),
            )
        ),
        p.light,
        w,
    )
    c.line(at(x, y, s, (0, -1.05), (0, 0.4)), w)
    c.shape(box(x, y, s, -0.22, 0.72, 0.22, 1.0), p.deep, w)
