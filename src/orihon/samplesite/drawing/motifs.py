"""The emblem of each series, drawn large on its cover and small in its panels.

Every function draws around (x, y) into a square of twice `s`.
"""

from collections.abc import Callable, Mapping
from math import cos, pi, sin

from orihon.samplesite.drawing.canvas import Canvas, Paint, Point, around, curve, mix
from orihon.samplesite.drawing.paints import Paints

Motif = Callable[[Canvas, float, float, float, Paints], None]


def _at(x: float, y: float, s: float, *points: Point) -> list[Point]:
    return [(x + px * s, y + py * s) for px, py in points]


def _box(x: float, y: float, s: float, left: float, top: float, right: float, bottom: float) -> list[Point]:
    return _at(x, y, s, (left, top), (right, top), (right, bottom), (left, bottom))


def _line(s: float) -> float:
    return max(1.6, min(5.0, s / 55))


def lighthouse(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    for side in (-1, 1):
        c.tone(_at(x, y, s, (side * 0.15, -0.68), (side * 1.5, -1.0), (side * 1.5, -0.45)), mix(p.light, p.paper, 0.5))
    c.shape(
        curve(_at(x, y, s, (-1.0, 1.0), (-0.7, 0.72), (-0.2, 0.62), (0.4, 0.66), (0.8, 0.8), (1.0, 1.0))), p.deep, w
    )
    c.shape(_at(x, y, s, (-0.3, 0.8), (-0.17, -0.5), (0.17, -0.5), (0.3, 0.8)), p.paper, w)
    for k in range(3):
        top, bottom = -0.3 + 0.4 * k, -0.12 + 0.4 * k
        a, b = 0.187 + 0.04 * k, 0.205 + 0.04 * k
        c.shape(_at(x, y, s, (-a, top), (a, top), (b, bottom), (-b, bottom)), p.accent, w)
    c.shape(_box(x, y, s, -0.25, -0.56, 0.25, -0.48), p.deep, w)
    c.shape(_box(x, y, s, -0.13, -0.82, 0.13, -0.56), p.light, w)
    c.shape(_at(x, y, s, (-0.2, -0.82), (0, -1.02), (0.2, -0.82)), p.accent, w)


def train(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.shape(_box(x, y, s, -1.0, -0.35, 0.95, 0.45), p.deep, w)
    c.shape(_at(x, y, s, (-1.05, -0.35), (-0.95, -0.5), (0.9, -0.5), (1.0, -0.35)), p.accent, w)
    for k in range(5):
        c.shape(_box(x, y, s, -0.88 + 0.37 * k, -0.22, -0.64 + 0.37 * k, 0.1), p.light, w)
    c.shape(_box(x, y, s, -1.0, 0.22, 0.95, 0.3), p.accent, w)
    for k in range(4):
        c.ellipse(x + (-0.72 + 0.48 * k) * s, y + 0.52 * s, 0.16 * s, 0.16 * s, p.middle, w * 1.4)
    c.line(_at(x, y, s, (-1.3, 0.7), (1.3, 0.7)), w * 1.6)
    for k in range(3):
        paper_lantern(c, x + (-0.6 + 0.6 * k) * s, y - 0.85 * s, 0.2 * s, p)


def paper_lantern(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.line([(x, y - 1.6 * s), (x, y - s)], w)
    c.ellipse(x, y, 0.8 * s, s, p.accent, w)
    for k in (-0.5, 0.0, 0.5):
        c.line(around(x, y + k * s, 0.78 * s * cos(k), 0.16 * s, 0, 180, 8), w * 0.7)
    c.shape(_box(x, y, s, -0.3, -1.1, 0.3, -0.9), p.deep, w)
    c.shape(_box(x, y, s, -0.3, 0.9, 0.3, 1.1), p.deep, w)


def whale(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.shape(
        curve(
            _at(x, y, s, (0.75, 0.05), (0.95, -0.35), (1.25, -0.5), (1.12, -0.1), (1.3, 0.15), (0.98, 0.1), (0.8, 0.3))
        ),
        p.deep,
        w,
    )
    c.shape(
        curve(
            _at(
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
        curve(
            _at(x, y, s, (-1.04, 0.2), (-0.5, 0.24), (0.1, 0.3), (0.6, 0.32), (0.1, 0.5), (-0.6, 0.48), (-0.98, 0.3))
        ),
        p.light,
    )
    for k in range(4):
        c.line(
            curve(
                _at(x, y, s, (-0.95, 0.24 + 0.06 * k), (-0.4, 0.28 + 0.06 * k), (0.2 - 0.1 * k, 0.36 + 0.03 * k)),
                closed=False,
            ),
            w * 0.7,
        )
    c.shape(curve(_at(x, y, s, (-0.35, 0.3), (-0.1, 0.75), (0.15, 0.8), (0.02, 0.35))), p.middle, w)
    c.spot(x - 0.68 * s, y + 0.06 * s, 0.05 * s, 0.06 * s)
    for k in range(5):
        tip = -0.5 + 0.14 * k
        c.shape(
            curve(
                _at(
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
    w = _line(s)
    for side in (-1, 1):
        c.shape(_at(x, y, s, (side * 0.75, -0.15), (side * 0.72, -1.0), (side * 0.15, -0.5)), p.accent, w)
        c.tone(_at(x, y, s, (side * 0.62, -0.4), (side * 0.64, -0.8), (side * 0.36, -0.54)), p.ink)
    c.shape(
        curve(
            _at(
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
                _at(
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
        c.solid(curve(_at(x, y, s, (side * 0.2, 0.0), (side * 0.42, -0.16), (side * 0.6, -0.16), (side * 0.4, 0.02))))
        c.shape(_at(x, y, s, (side * 0.1, -0.42), (side * 0.24, -0.34), (side * 0.14, -0.22)), p.deep, w)
    c.spot(x, y + 0.84 * s, 0.12 * s, 0.09 * s)


def ship(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.line(_at(x, y, s, (0, 0.3), (0, -1.05)), w * 2)
    c.line(_at(x, y, s, (-0.55, 0.3), (-0.55, -0.7)), w * 2)
    c.shape(
        curve(_at(x, y, s, (0.02, -0.9), (0.75, -0.72), (0.85, -0.2), (0.75, 0.1), (0.02, 0.12), (0.2, -0.4)), steps=4),
        p.paper,
        w,
    )
    c.shape(
        curve(
            _at(x, y, s, (-0.53, -0.6), (-0.1, -0.5), (-0.02, -0.15), (-0.12, 0.08), (-0.53, 0.1), (-0.42, -0.25)),
            steps=4,
        ),
        p.light,
        w,
    )
    c.shape(_at(x, y, s, (0, -1.05), (0.42, -0.98), (0, -0.88)), p.accent, w)
    c.shape(
        curve(
            _at(
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
    c.line(_at(x, y, s, (-0.88, 0.4), (0.9, 0.4)), w)
    for k in range(4):
        c.ellipse(x + (-0.48 + 0.32 * k) * s, y + 0.54 * s, 0.07 * s, 0.07 * s, p.accent, w)
    for k in range(5):
        c.shape(
            curve(
                _at(
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


def books(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    for row in range(3):
        top = -0.95 + 0.66 * row
        c.shape(_box(x, y, s, -1.05, top + 0.55, 1.05, top + 0.64), p.deep, w)
        left = -1.0
        for k in range(9):
            wide = 0.14 + 0.05 * ((k * 7 + row * 3) % 4)
            high = 0.36 + 0.05 * ((k * 5 + row) % 4)
            paint: Paint = (p.accent, p.middle, p.light, p.pale, p.deep)[(k * 3 + row) % 5]
            if left + wide > 1.0:
                break
            c.shape(_box(x, y, s, left, top + 0.55 - high, left + wide, top + 0.55), paint, w)
            c.line(_at(x, y, s, (left + 0.02, top + 0.65 - high), (left + wide - 0.02, top + 0.65 - high)), w)
            left += wide
    _cat(c, x + 0.62 * s, y - 0.62 * s, 0.26 * s)


def _cat(c: Canvas, x: float, y: float, s: float) -> None:
    c.solid(curve(_at(x, y, s, (-0.5, 0.9), (-0.55, 0.1), (-0.2, -0.35), (0.25, -0.35), (0.55, 0.1), (0.5, 0.9))))
    c.spot(x, y - 0.55 * s, 0.48 * s, 0.42 * s)
    for side in (-1, 1):
        c.solid(_at(x, y, s, (side * 0.45, -0.6), (side * 0.42, -1.2), (side * 0.08, -0.9)))
        c.spot(x + side * 0.18 * s, y - 0.58 * s, 0.1 * s, 0.08 * s, ink=False)
    c.line(curve(_at(x, y, s, (0.45, 0.8), (0.95, 0.6), (0.9, 0.1)), closed=False), max(2.0, s * 0.18))


def bolt(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.shape(
        curve(
            _at(
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
        _at(x, y, s, (0.15, -0.5), (-0.5, 0.3), (-0.08, 0.26), (-0.35, 1.05), (0.55, 0.05), (0.12, 0.08), (0.5, -0.5)),
        p.accent,
        w * 1.4,
    )
    for side in (-1, 1):
        c.line(_at(x, y, s, (side * 0.75, 0.0), (side * 0.62, 0.25), (side * 0.8, 0.3), (side * 0.68, 0.6)), w * 1.4)


def gear(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
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
        c.line(curve(_at(x, y, s, (left, 1.0), (left + 0.1, 0.6), (left, 0.3 - 0.1 * k)), closed=False), w * 1.6)
        c.shape(curve(_at(x, y, s, (left + 0.05, 0.55), (left + 0.3, 0.4), (left + 0.32, 0.6))), p.accent, w)


def cup(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.line(around(x + 0.62 * s, y + 0.3 * s, 0.34 * s, 0.28 * s, -100, 110), w * 4)
    c.ellipse(x, y + 0.85 * s, 0.95 * s, 0.16 * s, p.pale, w)
    c.shape(
        curve(_at(x, y, s, (-0.7, 0.0), (0.7, 0.0), (0.6, 0.5), (0.3, 0.85), (-0.3, 0.85), (-0.6, 0.5))), p.paper, w
    )
    c.ellipse(x, y + 0.02 * s, 0.7 * s, 0.15 * s, p.accent, w)
    _star(c, x, y + 0.45 * s, 0.2 * s, p.accent, w)
    for k in (-1, 0, 1):
        c.line(
            curve(
                _at(
                    x, y, s, (0.28 * k, -0.2), (0.28 * k + 0.12, -0.45), (0.28 * k - 0.1, -0.7), (0.28 * k + 0.06, -1.0)
                ),
                closed=False,
            ),
            w * 1.5,
        )


def _star(c: Canvas, x: float, y: float, s: float, paint: Paint, line: float) -> None:
    reach = [(1.0 if k % 2 == 0 else 0.42, (k * 36 - 90) * pi / 180) for k in range(10)]
    c.shape([(x + s * r * cos(turn), y + s * r * sin(turn)) for r, turn in reach], paint, line)


def forest(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    for k, (left, high, paint) in enumerate(((-0.7, 0.8, p.middle), (0.65, 0.9, p.middle), (0.0, 1.15, p.deep))):
        c.shape(_box(x, y, s, left - 0.07, 0.6, left + 0.07, 0.95), p.ink, w)
        for level in range(3):
            top, half = 0.7 - high + 0.36 * level * high - 0.1, (0.22 + 0.12 * level) * (1 + 0.1 * k)
            c.shape(
                _at(x, y, s, (left, top - 0.12), (left + half, top + 0.45 * high), (left - half, top + 0.45 * high)),
                paint,
                w,
            )
    for side in (-1, 1):
        c.line(
            curve(_at(x, y, s, (side * 0.08, -0.6), (side * 0.35, -0.85), (side * 0.4, -1.1)), closed=False), w * 2.4
        )
        c.line(_at(x, y, s, (side * 0.3, -0.8), (side * 0.58, -0.95)), w * 2)


def teapot(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.line(around(x + 0.78 * s, y + 0.1 * s, 0.36 * s, 0.42 * s, -110, 110), w * 4)
    c.shape(
        curve(
            _at(x, y, s, (-0.6, 0.35), (-0.95, 0.1), (-1.12, -0.45), (-0.92, -0.42), (-0.75, -0.1), (-0.5, 0.0)),
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


def moon(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    crescent = [
        *around(x, y, 0.9 * s, 0.9 * s, 60, 300, 24),
        *reversed(around(x + 0.38 * s, y - 0.05 * s, 0.72 * s, 0.72 * s, 72, 288, 24)),
    ]
    c.shape(crescent, p.accent, w)
    for k, (dx, dy) in enumerate(((0.5, -0.5), (0.75, 0.1), (0.35, 0.35), (0.1, -0.15))):
        _star(c, x + dx * s, y + dy * s, (0.16 - 0.02 * k) * s, p.light, w)
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


def umbrella(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
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
        c.line(_at(x, y, s, (-1.1 + 0.42 * k, -1.0 + 0.1 * (k % 3)), (-1.16 + 0.42 * k, -0.8 + 0.1 * (k % 3))), w * 1.5)


def balloon(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    for k in (-0.3, 0.3):
        c.line(_at(x, y, s, (k * 1.4, 0.25), (k * 0.7, 0.75)), w)
    c.shape(
        curve(
            _at(
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
            _at(
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
    c.line(_at(x, y, s, (0, -1.05), (0, 0.4)), w)
    c.shape(_box(x, y, s, -0.22, 0.72, 0.22, 1.0), p.deep, w)


def comet(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    for k, paint in enumerate((p.deep, p.middle, p.light)):
        wide = 0.5 - 0.13 * k
        c.shape(
            curve(
                _at(
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
    c.shape(_at(x, y, s, (-0.7, 0.35), (-0.3, 0.2), (-0.2, 0.55), (-0.6, 0.7)), p.paper, w)
    c.line(_at(x, y, s, (-0.5, 0.28), (-0.4, 0.62)), w)
    for dx, dy in ((0.8, 0.6), (-0.9, -0.6), (0.2, 0.95), (-0.3, -0.9)):
        _star(c, x + dx * s, y + dy * s, 0.09 * s, p.paper, w * 0.6)


def koi(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.shape(curve(_at(x, y, s, (0.1, 0.55), (0.5, 1.0), (0.15, 0.92), (-0.1, 1.1), (-0.2, 0.7))), p.accent, w)
    for side in (-1, 1):
        c.shape(
            curve(_at(x, y, s, (side * 0.25, -0.3), (side * 0.75, -0.15), (side * 0.62, 0.1), (side * 0.25, -0.02))),
            p.pale,
            w,
        )
    c.shape(
        curve(
            _at(
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
    c.shape(curve(_at(x, y, s, (-0.05, -0.78), (0.22, -0.6), (0.12, -0.35), (-0.2, -0.42))), p.accent, w * 0.8)
    c.shape(curve(_at(x, y, s, (0.05, -0.1), (0.26, 0.05), (0.1, 0.35), (-0.15, 0.2))), p.accent, w * 0.8)
    for side in (-1, 1):
        c.spot(x + side * 0.18 * s, y - 0.75 * s, 0.04 * s, 0.05 * s)
    for k in range(3):
        c.line(around(x, y, (0.95 + 0.14 * k) * s, (0.95 + 0.14 * k) * s, 200 + 20 * k, 330 - 10 * k, 16), w)


def tree(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.shape(
        curve(_at(x, y, s, (-0.3, 1.0), (-0.12, 0.4), (-0.2, 0.1), (0.2, 0.1), (0.14, 0.4), (0.34, 1.0))), p.deep, w
    )
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


def dragon(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    for side in (-1, 1):
        c.shape(
            _at(
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
        curve(_at(x, y, s, (-0.42, 1.0), (-0.45, 0.4), (-0.25, 0.0), (0.25, 0.0), (0.45, 0.4), (0.42, 1.0))), p.deep, w
    )
    for side in (-1, 1):
        c.shape(
            curve(_at(x, y, s, (side * 0.2, -0.62), (side * 0.32, -1.05), (side * 0.45, -1.0), (side * 0.4, -0.5))),
            p.light,
            w,
        )
    c.shape(
        curve(
            _at(
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
        _at(x, y, s, (-0.1, 0.34), (0.1, 0.34), (0.06, 0.44), (0.14, 0.85), (0, 1.0), (-0.14, 0.85), (-0.06, 0.44)),
        p.accent,
        w,
    )


def violin(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.shape(
        curve(
            _at(
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
    c.shape(_box(x, y, s, -0.06, -0.85, 0.06, 0.4), p.ink, w)
    c.shape(curve(_at(x, y, s, (-0.1, -0.82), (0, -1.08), (0.14, -1.0), (0.1, -0.82))), p.deep, w)
    c.shape(_box(x, y, s, -0.16, 0.5, 0.16, 0.56), p.light, w)
    for k in (-0.04, 0.0, 0.04):
        c.line(_at(x, y, s, (k, -0.8), (k * 1.6, 0.9)), w * 0.6, ink=False)
    for side in (-1, 1):
        c.line(curve(_at(x, y, s, (side * 0.22, 0.3), (side * 0.16, 0.45), (side * 0.24, 0.6)), closed=False), w * 1.4)
    c.line(_at(x, y, s, (-1.0, 0.75), (0.95, -0.35)), w * 2.2)
    for dx, dy in ((0.7, -0.7), (-0.75, -0.45), (0.85, 0.5)):
        c.spot(x + dx * s, y + dy * s, 0.09 * s, 0.07 * s)
        c.line(_at(x, y, s, (dx + 0.08, dy), (dx + 0.08, dy - 0.32), (dx + 0.24, dy - 0.22)), w * 1.5)


def bell(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.ellipse(x, y - 0.92 * s, 0.16 * s, 0.16 * s, p.deep, w)
    c.ellipse(x, y + 0.78 * s, 0.18 * s, 0.2 * s, p.deep, w)
    c.shape(
        curve(
            _at(
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
    w = _line(s)
    c.line(curve(_at(x, y, s, (0.0, 0.4), (0.25, 0.65), (-0.1, 0.85), (0.15, 1.1)), closed=False), w * 1.5)
    c.shape(_at(x, y, s, (0, -1.05), (0.75, -0.35), (0, 0.5), (-0.75, -0.35)), p.accent, w)
    c.shape(_at(x, y, s, (0, -1.05), (0.75, -0.35), (0, -0.35)), p.light, w)
    c.shape(_at(x, y, s, (0, -0.35), (0, 0.5), (-0.75, -0.35)), p.paper, w)
    for side in (-1, 1):
        c.spot(x + side * 0.24 * s, y - 0.42 * s, 0.07 * s, 0.1 * s)
    c.line(around(x, y - 0.2 * s, 0.22 * s, 0.14 * s, 20, 160), w * 2)
    for k in range(3):
        dx, dy = (0.1, -0.05, 0.1)[k], 0.66 + 0.16 * k
        c.shape(_at(x, y, s, (dx, dy), (dx - 0.16, dy - 0.07), (dx - 0.16, dy + 0.07)), p.accent, w)
        c.shape(_at(x, y, s, (dx, dy), (dx + 0.16, dy - 0.07), (dx + 0.16, dy + 0.07)), p.middle, w)


def bridge(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    deck = curve(_at(x, y, s, (-1.1, -0.1), (-0.5, -0.34), (0.5, -0.34), (1.1, -0.1)), closed=False)
    c.shape([*deck, *_at(x, y, s, (1.1, 0.75), (-1.1, 0.75))], p.middle, w)
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
            curve(
                _at(x, y, s, (k - 0.16, 0.72), (k + 0.08, 0.68), (k + 0.3, 0.86), (k + 0.26, 0.98), (k - 0.16, 0.98))
            ),
            p.deep,
            w,
        )
    for k in range(7):
        c.line(
            _at(
                x,
                y,
                s,
                (-0.9 + 0.3 * k, -0.22 - 0.12 * (1 - abs(k - 3) / 3)),
                (-0.9 + 0.3 * k, -0.42 - 0.14 * (1 - abs(k - 3) / 3)),
            ),
            w * 1.6,
        )
    c.line(curve(_at(x, y, s, (-1.0, -0.38), (-0.4, -0.56), (0.4, -0.56), (1.0, -0.38)), closed=False), w * 1.8)


def stairs(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.shape(_box(x, y, s, -0.95, -1.0, 0.95, 1.0), p.deep, w)
    for turn in range(4):
        top = 0.9 - 0.47 * turn
        way = 1 if turn % 2 == 0 else -1
        for k in range(6):
            left, up = way * (-0.75 + 0.25 * k), top - 0.075 * k
            paint = mix(p.light, p.middle, turn / 4)
            c.shape(
                _at(x, y, s, (left, up), (left + way * 0.25, up), (left + way * 0.25, up - 0.09), (left, up - 0.09)),
                paint,
                w,
            )
    c.shape(_box(x, y, s, 0.45, -0.98, 0.75, -0.6), p.accent, w)
    c.spot(x + 0.52 * s, y - 0.78 * s, 0.025 * s, 0.025 * s)


def castle(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.shape(_box(x, y, s, -0.8, 0.1, 0.8, 1.0), p.pale, w)
    for left, top, paint in ((-0.95, -0.35, p.middle), (0.55, -0.35, p.middle), (-0.22, -0.6, p.light)):
        c.shape(_box(x, y, s, left, top, left + 0.42, 1.0), p.paper, w)
        c.shape(_at(x, y, s, (left - 0.08, top), (left + 0.21, top - 0.46), (left + 0.5, top)), p.accent, w)
        c.shape(_box(x, y, s, left + 0.14, top + 0.16, left + 0.28, top + 0.42), paint, w)
    c.shape([*around(x, y + 0.7 * s, 0.2 * s, 0.3 * s, 180, 360), *_at(x, y, s, (0.2, 1.0), (-0.2, 1.0))], p.deep, w)
    for k in range(5):
        c.shape(_box(x, y, s, -0.78 + 0.34 * k, 0.02, -0.62 + 0.34 * k, 0.16), p.pale, w)


def planet(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.ellipse(x, y, 0.66 * s, 0.66 * s, p.accent, w)
    for k, r in ((-0.3, 0.56), (0.05, 0.65), (0.35, 0.54)):
        c.line(around(x, y + k * s, r * s, 0.1 * s, 10, 170), w * 1.2)
    ring = [*around(x, y, 1.15 * s, 0.3 * s, -15, 195, 24), *reversed(around(x, y, 0.86 * s, 0.16 * s, -15, 195, 24))]
    c.shape([(px + (py - y) * 0.2, py - (px - x) * 0.22) for px, py in ring], p.light, w)
    for dx, dy in ((-0.8, -0.7), (0.85, -0.8), (0.7, 0.85), (-0.65, 0.9)):
        _star(c, x + dx * s, y + dy * s, 0.1 * s, p.paper, w * 0.7)


def mountain(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
    c.shape(_at(x, y, s, (0.1, 0.9), (0.62, -0.3), (1.2, 0.9)), p.pale, w)
    c.shape(_at(x, y, s, (-1.15, 0.9), (-0.2, -0.95), (0.8, 0.9)), p.middle, w)
    c.shape(
        _at(x, y, s, (-0.48, -0.4), (-0.2, -0.95), (0.1, -0.38), (-0.08, -0.5), (-0.2, -0.3), (-0.34, -0.48)),
        p.paper,
        w,
    )
    c.line(curve(_at(x, y, s, (-0.3, 0.9), (0.1, 0.6), (-0.3, 0.35), (0.0, 0.1), (-0.2, -0.2)), closed=False), w * 1.6)
    c.shape(curve(_at(x, y, s, (-0.1, -0.95), (0.1, -1.02), (0.16, -0.9), (0.3, -0.8), (-0.1, -0.85))), p.accent, w)
    c.ellipse(x - 0.75 * s, y - 0.7 * s, 0.2 * s, 0.2 * s, p.accent, w)


def mask(c: Canvas, x: float, y: float, s: float, p: Paints) -> None:
    w = _line(s)
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
            _at(
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
        c.solid(curve(_at(x, y, s, (side * 0.18, 0.05), (side * 0.45, -0.12), (side * 0.72, 0.02), (side * 0.45, 0.2))))
        c.line(
            curve(_at(x, y, s, (side * 0.15, -0.16), (side * 0.5, -0.28), (side * 0.85, -0.1)), closed=False), w * 1.6
        )


MOTIFS: Mapping[str, Motif] = {
    function.__name__: function
    for function in (
        lighthouse,
        train,
        whale,
        fox,
        ship,
        books,
        bolt,
        gear,
        cup,
        forest,
        teapot,
        moon,
        umbrella,
        balloon,
        comet,
        koi,
        tree,
        dragon,
        violin,
        bell,
        kite,
        bridge,
        stairs,
        castle,
        planet,
        mountain,
        mask,
    )
}
