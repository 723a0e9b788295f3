"""Places: what stands behind people, from a few strokes of the pen."""

from collections.abc import Callable, Mapping
from math import cos, pi, sin

from orihon.samplesite.dice import Dice
from orihon.samplesite.drawing.canvas import Canvas, Point, around, curve, mix
from orihon.samplesite.drawing.paints import Paints


def hills(c: Canvas, d: Dice, p: Paints) -> None:
    """Rolling country under a sun and clouds."""
    c.gradient(p.sky, p.light, 0, c.height * 0.75)
    sun = d.span(0.15, 0.85) * c.width
    c.ellipse(sun, c.height * 0.25, c.height * 0.1, c.height * 0.1, p.paper, 2)
    _clouds(c, d, p)
    for depth, paint in enumerate((p.pale, p.middle, p.deep)):
        base = c.height * (0.55 + 0.14 * depth)
        c.shape(_ridge(c, d, base, c.height * 0.07), paint, 2.2)
    for _ in range(d.between(2, 5)):
        x, size = d.span(0, c.width), c.height * d.span(0.06, 0.11)
        _tree(c, x, c.height * 0.8, size, p)


def city(c: Canvas, d: Dice, p: Paints) -> None:
    """Houses by night, their windows lit."""
    c.gradient(p.night, p.middle)
    _moon(c, d, p)
    for row, paint in enumerate((p.middle, p.deep)):
        x = -10.0
        while x < c.width:
            wide, top = d.span(0.09, 0.17) * c.width, c.height * (d.span(0.28, 0.55) + 0.15 * row)
            c.shape([(x, c.height + 4), (x, top), (x + wide, top), (x + wide, c.height + 4)], paint, 2.2)
            if d.chance(0.4):
                c.shape([(x - 4, top), (x + wide / 2, top - wide * 0.35), (x + wide + 4, top)], p.ink, 2)
            step = max(14.0, wide / 4)
            for j in range(int((c.height - top) / (step * 1.4))):
                for i in range(int(wide / step) - 0):
                    if d.chance(0.45):
                        left, up = x + 6 + i * step, top + 12 + j * step * 1.4
                        c.tone(
                            [
                                (left, up),
                                (left + step * 0.5, up),
                                (left + step * 0.5, up + step * 0.7),
                                (left, up + step * 0.7),
                            ],
                            p.light,
                        )
            x += wide + d.span(0, 12)


def sea(c: Canvas, d: Dice, p: Paints) -> None:
    """Open water, waves and gulls."""
    horizon = c.height * d.span(0.4, 0.55)
    c.gradient(p.sky, p.light, 0, horizon)
    _clouds(c, d, p)
    c.gradient(p.middle, p.deep, horizon)
    c.line([(0, horizon), (c.width, horizon)], 2)
    for row in range(7):
        y = horizon + (c.height - horizon) * (0.08 + 0.14 * row)
        x = d.span(-60, 0)
        while x < c.width:
            wide = (28 + 14 * row) * d.span(0.8, 1.3)
            c.line(around(x + wide / 2, y, wide / 2, 4 + 1.6 * row, 190, 350, 6), 1.4 + 0.25 * row)
            x += wide * d.span(1.4, 2.4)
    for _ in range(d.between(2, 4)):
        x, y, s = d.span(0, c.width), d.span(0.1, 0.32) * c.height, d.span(8, 16)
        c.line(
            curve(
                [
                    (x - s, y - s * 0.4),
                    (x - s * 0.4, y - s * 0.5),
                    (x, y),
                    (x + s * 0.4, y - s * 0.5),
                    (x + s, y - s * 0.4),
                ],
                closed=False,
                steps=3,
            ),
            2,
        )


def forest(c: Canvas, d: Dice, p: Paints) -> None:
    """Trunks, and light between them."""
    c.gradient(p.light, p.pale)
    for depth, paint in enumerate((p.pale, p.middle, p.deep)):
        for _ in range(4 - depth):
            x, wide = d.span(0, c.width), c.width * (0.025 + 0.028 * depth)
            c.shape(
                [
                    (x - wide, c.height),
                    (x - wide * 0.55, c.height * 0.5),
                    (x - wide * 0.7, 0),
                    (x + wide * 0.6, 0),
                    (x + wide * 0.5, c.height * 0.5),
                    (x + wide * 1.2, c.height),
                ],
                paint,
                1.6 + 0.5 * depth,
            )
            for k in range(3):
                y = c.height * d.span(0.1, 0.85)
                c.line([(x - wide * 0.2 + k * 3, y), (x - wide * 0.1 + k * 3, y + c.height * 0.08)], 1.4)
    for top in (0.0, 0.12):
        leaves = [(x * c.width / 9, c.height * (top + d.span(0.04, 0.12))) for x in range(10)]
        c.shape(curve([(-20, -30), *leaves, (c.width + 20, -30)], steps=4), mix(p.deep, p.middle, top * 5), 2)
    _grass(c, d, p)


def room(c: Canvas, d: Dice, p: Paints) -> None:
    """A room with a window, a picture and a floor."""
    c.gradient(p.light, mix(p.light, p.pale, 0.5))
    floor = c.height * 0.78
    c.shape([(0, floor), (c.width, floor), (c.width, c.height), (0, c.height)], p.pale, 2.2)
    for k in range(9):
        x = c.width * k / 8
        c.line([(x, floor), (c.width / 2 + (x - c.width / 2) * 1.7, c.height)], 1.3)
    left, top = c.width * d.span(0.08, 0.5), c.height * 0.12
    wide, high = c.width * 0.34, c.height * 0.4
    c.shape([(left, top), (left + wide, top), (left + wide, top + high), (left, top + high)], p.sky, 3)
    c.shape(
        _within(left, top, wide, high, [(0.0, 1.0), (0.0, 0.7), (0.3, 0.55), (0.6, 0.75), (1.0, 0.6), (1.0, 1.0)]),
        p.middle,
        1.6,
    )
    c.line([(left + wide / 2, top), (left + wide / 2, top + high)], 3)
    c.line([(left, top + high / 2), (left + wide, top + high / 2)], 3)
    for side in (0, 1):
        x = left + side * wide
        out = (side * 2 - 1) * wide * 0.2
        c.shape(
            curve(
                [
                    (x - out, top - 12),
                    (x + out, top - 12),
                    (x + out * 0.9, top + high * 1.2),
                    (x + out * 0.1, top + high * 1.15),
                    (x - out * 0.3, top + high * 0.4),
                ]
            ),
            p.accent,
            2,
        )
    other = c.width * (0.72 if left < c.width * 0.3 else 0.1)
    c.shape(_within(other, top * 1.4, c.width * 0.16, c.height * 0.2, [(0, 0), (1, 0), (1, 1), (0, 1)]), p.paper, 2.6)
    c.line(
        _within(
            other,
            top * 1.4,
            c.width * 0.16,
            c.height * 0.2,
            [(0.1, 0.9), (0.4, 0.4), (0.6, 0.7), (0.75, 0.5), (0.9, 0.9)],
        ),
        2,
    )


def night(c: Canvas, d: Dice, p: Paints) -> None:
    """Stars, a moon and a dark ridge."""
    c.gradient(p.night, p.deep)
    _moon(c, d, p)
    for _ in range(int(c.width * c.height / 4200)):
        x, y, s = d.span(0, c.width), d.span(0, c.height * 0.7), d.span(1.0, 3.2)
        c.disc(x, y, s, s, p.paper)
    c.solid(_ridge(c, d, c.height * 0.78, c.height * 0.09))
    c.solid(_ridge(c, d, c.height * 0.9, c.height * 0.03))


def rain(c: Canvas, d: Dice, p: Paints) -> None:
    """A wet street; everything leans."""
    c.gradient(p.middle, p.light)
    c.shape(_ridge(c, d, c.height * 0.7, c.height * 0.05), p.pale, 2)
    for _ in range(int(c.width / 5)):
        x, y, long = d.span(0, c.width * 1.1), d.span(-20, c.height), d.span(18, 60)
        c.line([(x, y), (x - long * 0.25, y + long)], 1.4)
    for _ in range(8):
        x, y = d.span(0, c.width), d.span(0.75, 0.98) * c.height
        c.line(around(x, y, d.span(10, 34), 4, 0, 360, 10), 1.3)


def steps(c: Canvas, d: Dice, p: Paints) -> None:
    """A flight of stairs that goes on."""
    c.gradient(p.deep, p.light)
    count, rise = 9, c.height * 0.085
    turn = d.chance(0.5)
    for k in range(count):
        y = c.height - k * rise
        inset = k * c.width * 0.045
        left, right = (inset, c.width - inset * 0.2) if turn else (inset * 0.2, c.width - inset)
        c.shape(
            [(left, y - rise), (right, y - rise), (right + 8, y), (left - 8, y)], mix(p.light, p.middle, k / count), 2.2
        )
        c.tone(
            [(left, y - rise * 0.55), (right, y - rise * 0.55), (right + 6, y), (left - 6, y)],
            mix(p.middle, p.deep, k / count),
        )


def focus(c: Canvas, d: Dice, p: Paints) -> None:
    """Lines that run to one point: speed, or shock."""
    x, y = c.width * d.span(0.35, 0.65), c.height * d.span(0.4, 0.6)
    reach = c.width + c.height
    for k in range(72):
        turn = (k + d.unit()) * 2 * pi / 72
        near = min(c.width, c.height) * d.span(0.34, 0.52)
        half = d.span(0.004, 0.02)
        c.solid(
            [
                (x + near * 1.25 * cos(turn), y + near * sin(turn)),
                (x + reach * cos(turn - half), y + reach * sin(turn - half)),
                (x + reach * cos(turn + half), y + reach * sin(turn + half)),
            ]
        )


def speed(c: Canvas, d: Dice, p: Paints) -> None:
    """Level lines: somebody is fast."""
    c.gradient(p.light, p.pale)
    for _ in range(46):
        y, start, thick = d.span(0, c.height), d.span(-0.3, 0.8) * c.width, d.span(0.6, 4)
        end = start + d.span(0.2, 0.7) * c.width
        c.solid([(start, y), (end, y - thick), (end, y + thick)])


def mood(c: Canvas, d: Dice, p: Paints) -> None:
    """No place at all: a tone that fades, and a few sparks."""
    top, bottom = d.pick(((p.light, p.paper), (p.pale, p.light), (p.paper, p.pale), (p.middle, p.light)))
    c.gradient(top, bottom)
    for _ in range(d.between(0, 9)):
        x, y, s = d.span(0, c.width), d.span(0, c.height), d.span(6, 22)
        c.shape(
            [
                (x, y - s),
                (x + s * 0.22, y - s * 0.22),
                (x + s, y),
                (x + s * 0.22, y + s * 0.22),
                (x, y + s),
                (x - s * 0.22, y + s * 0.22),
                (x - s, y),
                (x - s * 0.22, y - s * 0.22),
            ],
            p.paper,
            1.3,
        )


def gloom(c: Canvas, d: Dice, p: Paints) -> None:
    """Dark above, hatched: something is wrong."""
    c.gradient(p.night, p.pale)
    for k in range(int(c.width / 9)):
        x = k * 9 + d.span(-3, 3)
        c.line([(x, 0), (x - 6, c.height * d.span(0.1, 0.42))], 2.4)


Place = Callable[[Canvas, Dice, Paints], None]

WIDE: Mapping[str, Place] = {
    "hills": hills,
    "city": city,
    "sea": sea,
    "forest": forest,
    "room": room,
    "night": night,
    "rain": rain,
    "steps": steps,
}
PLAIN: tuple[Place, ...] = (mood, mood, gloom, room)

HAUNTS: Mapping[str, tuple[str, ...]] = {
    "lighthouse": ("sea", "room", "night", "steps"),
    "train": ("city", "night", "hills", "rain"),
    "fox": ("forest", "rain", "hills", "night"),
    "whale": ("hills", "sea", "rain"),
    "ship": ("sea", "sea", "room", "hills"),
    "books": ("room", "night", "steps"),
    "bolt": ("city", "rain", "hills"),
    "gear": ("hills", "forest", "rain"),
    "cup": ("city", "room", "rain"),
    "forest": ("forest", "forest", "night"),
    "teapot": ("room", "city", "rain"),
    "moon": ("night", "hills", "city"),
    "umbrella": ("rain", "room", "city"),
    "balloon": ("hills", "sea", "night"),
    "comet": ("night", "city", "night"),
    "koi": ("sea", "night", "rain"),
    "tree": ("hills", "forest", "room"),
    "dragon": ("city", "room", "steps"),
    "violin": ("hills", "room", "night"),
    "bell": ("sea", "night", "steps"),
    "kite": ("hills", "forest", "hills"),
    "bridge": ("hills", "forest", "sea"),
    "stairs": ("steps", "room", "steps"),
    "castle": ("hills", "room", "night"),
    "planet": ("night", "hills", "room"),
    "mountain": ("hills", "forest", "night"),
    "mask": ("city", "sea", "night"),
}
"""Where each motif's story takes place."""


def _within(left: float, top: float, wide: float, high: float, shape: list[Point]) -> list[Point]:
    return [(left + x * wide, top + y * high) for x, y in shape]


def _ridge(c: Canvas, d: Dice, base: float, rough: float) -> list[Point]:
    line = [(c.width * k / 6, base + d.span(-rough, rough)) for k in range(-1, 8)]
    return [(-20, c.height + 20), *curve(line, closed=False, steps=5), (c.width + 20, c.height + 20)]


def _clouds(c: Canvas, d: Dice, p: Paints) -> None:
    for _ in range(d.between(2, 4)):
        x, y, s = d.span(0, c.width), d.span(0.06, 0.3) * c.height, d.span(0.05, 0.1) * c.width
        c.shape(
            curve(
                [
                    (x - 1.6 * s, y),
                    (x - 1.1 * s, y - 0.5 * s),
                    (x - 0.5 * s, y - 0.45 * s),
                    (x, y - 0.9 * s),
                    (x + 0.7 * s, y - 0.5 * s),
                    (x + 1.2 * s, y - 0.55 * s),
                    (x + 1.7 * s, y),
                    (x, y + 0.08 * s),
                ],
                steps=4,
            ),
            p.paper,
            2,
        )


def _moon(c: Canvas, d: Dice, p: Paints) -> None:
    r = min(c.width, c.height) * d.span(0.09, 0.15)
    x, y = c.width * d.span(0.15, 0.85), c.height * d.span(0.15, 0.3)
    c.disc(x, y, r * 1.5, r * 1.5, mix(p.night, p.pale, 0.4))
    c.ellipse(x, y, r, r, p.paper, 0)
    c.disc(x + r * 0.3, y - r * 0.2, r * 0.18, r * 0.18, p.light)
    c.disc(x - r * 0.25, y + r * 0.3, r * 0.25, r * 0.25, p.light)


def _tree(c: Canvas, x: float, ground: float, s: float, p: Paints) -> None:
    c.shape(
        [(x - 0.1 * s, ground), (x + 0.1 * s, ground), (x + 0.06 * s, ground - s), (x - 0.06 * s, ground - s)],
        p.deep,
        1.6,
    )
    c.shape(
        curve(
            [(x + 0.6 * s * cos(k), ground - 1.4 * s + 0.7 * s * sin(k) * (1 + 0.1 * (k % 2))) for k in range(6)],
            steps=3,
        ),
        p.middle,
        2,
    )


def _grass(c: Canvas, d: Dice, p: Paints) -> None:
    for _ in range(int(c.width / 16)):
        x, y, s = d.span(0, c.width), c.height - d.span(0, c.height * 0.08), d.span(10, 26)
        c.solid([(x - 3, y), (x + d.span(-6, 6), y - s), (x + 3, y)])
