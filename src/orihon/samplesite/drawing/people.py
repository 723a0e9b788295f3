"""People: the cast of a work, recognisable from page to page, in a few moods."""

from functools import lru_cache
from math import cos, pi, sin
from typing import Literal

import msgspec

from orihon.samplesite.dice import Dice
from orihon.samplesite.drawing import paints as mixing
from orihon.samplesite.drawing.canvas import Canvas, Paint, Point, around, curve, mix
from orihon.samplesite.drawing.paints import Paints
from orihon.samplesite.series import Series

Mood = Literal["calm", "happy", "angry", "shocked", "sad", "sly"]
MOODS: tuple[Mood, ...] = ("calm", "calm", "happy", "angry", "shocked", "sad", "sly")

_STYLES = ("short", "spiky", "bob", "long", "tail", "bun", "cap", "curls")
_EXTRAS = ("none", "none", "glasses", "scarf", "earrings", "freckles", "scar")


class Person(msgspec.Struct, frozen=True):
    """What makes somebody look like themselves."""

    style: str
    extra: str
    collar: str
    skin: Paint
    hair: Paint
    cloth: Paint
    trim: Paint
    eye: Paint
    fringe: tuple[float, ...]
    jaw: float


@lru_cache(maxsize=256)
def person(series: Series, place: int, colours: Paints) -> Person:
    """The member of the cast at that place."""
    dice = Dice("person", series.slug, series.cast[place])
    styles = Dice("styles", series.slug).shuffled(_STYLES)
    teeth = dice.between(4, 7)
    return Person(
        style=styles[place],
        extra=dice.pick(_EXTRAS),
        collar=dice.pick(("v", "round", "coat", "tie")),
        skin=mixing.skin(series, dice),
        hair=mixing.hair(series, dice),
        cloth=mixing.cloth(series, dice, colours),
        trim=colours.paper if dice.chance(0.6) else colours.light,
        eye=mix(colours.accent, colours.deep, dice.unit()) if series.colour else dice.pick((30, 90, 150)),
        fringe=tuple(dice.span(-0.3, 0.12) for _ in range(teeth)),
        jaw=dice.span(1.02, 1.16),
    )


def bust(c: Canvas, who: Person, x: float, y: float, r: float, mood: Mood, facing: float) -> Point:
    """Head and shoulders. `r` is the radius of the head, `facing` from -1 (left) to 1; returns where the mouth is."""
    width = max(1.6, min(4.5, r / 26))
    _hair_behind(c, who, x, y, r, facing, width)
    _body(c, who, x, y, r, facing, width)
    _head(c, who, x, y, r, facing, width)
    mouth = _face(c, who, x, y, r, mood, facing, width)
    _hair_before(c, who, x, y, r, facing, width)
    _brows(c, who, x, y, r, mood, facing, width)
    return mouth


def _hair_behind(c: Canvas, who: Person, x: float, y: float, r: float, f: float, line: float) -> None:
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


def _body(c: Canvas, who: Person, x: float, y: float, r: float, f: float, line: float) -> None:
    neck, chest = y + 1.45 * r, y + 5.2 * r
    c.shape(
        [
            (x - 0.34 * r, y + 0.6 * r),
            (x + 0.34 * r, y + 0.6 * r),
            (x + 0.42 * r, neck + 0.3 * r),
            (x - 0.42 * r, neck + 0.3 * r),
        ],
        who.skin,
        line,
    )
    c.tone(
        [(x - 0.32 * r, y + 0.95 * r), (x + 0.32 * r, y + 0.95 * r), (x + f * 0.1 * r, y + 1.45 * r)], _shade(who.skin)
    )
    shoulders = curve(
        [
            (x - 0.4 * r, neck - 0.05 * r),
            (x - 1.3 * r, neck + 0.32 * r),
            (x - 1.72 * r, neck + 0.95 * r),
            (x - 1.95 * r, chest),
        ],
        closed=False,
    ) + curve(
        [
            (x + 1.95 * r, chest),
            (x + 1.72 * r, neck + 0.95 * r),
            (x + 1.3 * r, neck + 0.32 * r),
            (x + 0.4 * r, neck - 0.05 * r),
        ],
        closed=False,
    )
    c.shape(shoulders, who.cloth, line)
    side = 1 if f <= 0 else -1
    c.tone(
        [
            (x + side * 0.9 * r, neck + 0.5 * r),
            (x + side * 1.7 * r, neck + 0.9 * r),
            (x + side * 1.95 * r, chest),
            (x + side * 1.1 * r, chest),
        ],
        _shade(who.cloth),
    )
    c.line([(x - 1.25 * r, chest), (x - 1.18 * r, neck + 1.5 * r)], line)
    c.line([(x + 1.25 * r, chest), (x + 1.18 * r, neck + 1.5 * r)], line)
    _collar(c, who, x, neck, r, line)


def _collar(c: Canvas, who: Person, x: float, neck: float, r: float, line: float) -> None:
    if who.extra == "scarf":
        c.shape(
            curve(
                [
                    (x - 0.8 * r, neck - 0.1 * r),
                    (x, neck + 0.15 * r),
                    (x + 0.8 * r, neck - 0.1 * r),
                    (x + 0.7 * r, neck + 0.4 * r),
                    (x, neck + 0.62 * r),
                    (x - 0.7 * r, neck + 0.4 * r),
                ]
            ),
            who.trim,
            line,
        )
        c.shape(
            [
                (x + 0.2 * r, neck + 0.4 * r),
                (x + 0.7 * r, neck + 0.3 * r),
                (x + 0.85 * r, neck + 1.5 * r),
                (x + 0.35 * r, neck + 1.55 * r),
            ],
            who.trim,
            line,
        )
    elif who.collar == "v":
        c.shape([(x - 0.44 * r, neck - 0.1 * r), (x + 0.44 * r, neck - 0.1 * r), (x, neck + 0.85 * r)], who.skin, line)
    elif who.collar == "round":
        c.line(around(x, neck, 0.55 * r, 0.42 * r, 0, 180), line * 1.4)
    else:
        for side in (-1, 1):
            c.shape(
                [
                    (x, neck + 0.5 * r),
                    (x + side * 0.45 * r, neck - 0.15 * r),
                    (x + side * 0.85 * r, neck + 0.25 * r),
                    (x + side * 0.35 * r, neck + 1.0 * r),
                ],
                who.trim,
                line,
            )
        if who.collar == "tie":
            c.shape(
                [
                    (x - 0.12 * r, neck + 0.5 * r),
                    (x + 0.12 * r, neck + 0.5 * r),
                    (x + 0.2 * r, neck + 1.5 * r),
                    (x, neck + 1.8 * r),
                    (x - 0.2 * r, neck + 1.5 * r),
                ],
                _shade(who.trim),
                line,
            )
        else:
            c.line([(x, neck + 0.5 * r), (x, neck + 3 * r)], line)


def _head(c: Canvas, who: Person, x: float, y: float, r: float, f: float, line: float) -> None:
    ear = -1 if f > 0 else 1
    c.ellipse(x + ear * 0.93 * r, y + 0.22 * r, 0.17 * r, 0.25 * r, who.skin, line)
    if who.extra == "earrings":
        c.ellipse(x + ear * 0.97 * r, y + 0.55 * r, 0.09 * r, 0.12 * r, who.trim, line)
    outline = []
    for step in range(33):
        turn = step / 32 * 2 * pi
        down = max(0.0, sin(turn))
        outline.append(
            (
                x + 0.93 * r * cos(turn) * (1 - 0.34 * down**2.2) + f * 0.12 * r * down**3,
                y + r * (who.jaw if down else 1.0) * sin(turn),
            )
        )
    c.shape(outline, who.skin, line)


def _face(c: Canvas, who: Person, x: float, y: float, r: float, mood: Mood, f: float, line: float) -> Point:
    middle, height = x + f * 0.24 * r, y + 0.2 * r
    for side in (-1, 1):
        # The eye on the far side is narrower: that is all the perspective there is.
        narrow = 1 - 0.22 * max(0.0, side * f)
        _eye(c, who, middle + side * 0.41 * r, height, 0.235 * r * narrow, 0.29 * r, mood, f, line)
    nose = middle + f * 0.1 * r
    c.line([(nose, y + 0.46 * r), (nose + f * 0.1 * r, y + 0.6 * r), (nose - f * 0.03 * r, y + 0.62 * r)], line * 0.8)
    if who.extra == "freckles":
        for side in (-1, 1):
            for k in (-1, 0, 1):
                c.spot(middle + side * 0.5 * r + k * 0.1 * r, y + 0.58 * r + (k % 2) * 0.06 * r, 0.025 * r, 0.025 * r)
    elif who.extra == "scar":
        c.line([(middle + 0.55 * r, y + 0.4 * r), (middle + 0.35 * r, y + 0.72 * r)], line)
    elif who.extra == "glasses":
        for side in (-1, 1):
            c.line(around(middle + side * 0.41 * r, height, 0.34 * r, 0.33 * r, 0, 360, 20), line)
        c.line([(middle - 0.08 * r, height), (middle + 0.08 * r, height)], line)
    if mood in ("happy", "sad"):
        for side in (-1, 1):
            for k in (0, 1, 2):
                left = middle + side * 0.52 * r + (k - 1) * 0.09 * r
                c.line([(left, y + 0.64 * r), (left - 0.05 * r, y + 0.54 * r)], line * 0.6)
    return _mouth(c, who, middle + f * 0.06 * r, y + 0.82 * r, r, mood, line)


def _eye(c: Canvas, who: Person, x: float, y: float, rx: float, ry: float, mood: Mood, f: float, line: float) -> None:
    if mood == "happy":
        c.line(around(x, y + 0.5 * ry, rx * 1.15, ry * 0.9, 200, 340), line * 1.8)
        return
    if mood == "sly":
        ry *= 0.62
    white: Paint = (255, 255, 255) if c.colour else 255
    c.ellipse(x, y, rx, ry, white, 0)
    size = 0.5 if mood == "shocked" else 0.82
    ix, iy = x + f * 0.16 * rx, y + 0.06 * ry
    c.disc(ix, iy, rx * size, ry * size, who.eye)
    c.line(around(ix, iy, rx * size, ry * size, 0, 360, 16), line * 0.7)
    c.spot(ix, iy, rx * size * 0.5, ry * size * 0.52)
    c.spot(ix - rx * 0.28, iy - ry * 0.34, rx * 0.26, ry * 0.24, ink=False)
    c.disc(ix - rx * 0.28, iy - ry * 0.34, rx * 0.26, ry * 0.24, white)
    c.line(around(x, y, rx * 1.1, ry * 1.02, 195, 345), line * 2.1)
    c.line(around(x, y, rx, ry, 50, 130), line * 0.8)
    if mood == "sad":
        c.disc(x, y + 1.05 * ry, rx * 0.4, ry * 0.3, white)
        c.line(around(x + rx * 0.5, y + 1.5 * ry, rx * 0.24, ry * 0.4, 0, 360), line * 0.7)


def _brows(c: Canvas, who: Person, x: float, y: float, r: float, mood: Mood, f: float, line: float) -> None:
    middle, height = x + f * 0.24 * r, y - 0.24 * r
    tilt = {"angry": 0.16, "sad": -0.14, "sly": 0.08, "shocked": -0.02}.get(mood, 0.0)
    lift = {"shocked": -0.16, "happy": -0.06, "angry": 0.1}.get(mood, 0.0)
    for side in (-1, 1):
        inner = (middle + side * 0.2 * r, height + (lift + tilt) * r)
        arch = (middle + side * 0.42 * r, height + (lift - 0.06) * r)
        outer = (middle + side * 0.64 * r, height + (lift - tilt * 0.6) * r)
        c.line(curve([inner, arch, outer], closed=False), line * 2.0)


def _mouth(c: Canvas, who: Person, x: float, y: float, r: float, mood: Mood, line: float) -> Point:
    dark: Paint = mix(who.skin, (120, 20, 30), 0.8) if c.colour else 70
    if mood == "happy":
        c.shape([*around(x, y - 0.04 * r, 0.28 * r, 0.26 * r, 0, 180)], dark, line)
    elif mood == "shocked":
        c.ellipse(x, y + 0.02 * r, 0.12 * r, 0.17 * r, dark, line)
    elif mood == "angry":
        c.shape(
            [
                (x - 0.22 * r, y + 0.06 * r),
                (x - 0.1 * r, y - 0.08 * r),
                (x + 0.14 * r, y - 0.07 * r),
                (x + 0.22 * r, y + 0.09 * r),
            ],
            who.skin,
            line,
        )
        c.line([(x - 0.2 * r, y + 0.01 * r), (x + 0.2 * r, y + 0.02 * r)], line * 0.7)
    elif mood == "sad":
        c.line(around(x, y + 0.12 * r, 0.17 * r, 0.12 * r, 200, 340), line)
    elif mood == "sly":
        c.line([(x - 0.2 * r, y + 0.02 * r), (x, y + 0.06 * r), (x + 0.24 * r, y - 0.08 * r)], line)
    else:
        c.line(around(x, y - 0.08 * r, 0.17 * r, 0.11 * r, 20, 160), line)
    return x, y


def _hair_before(c: Canvas, who: Person, x: float, y: float, r: float, f: float, line: float) -> None:
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


def figure(c: Canvas, who: Person, x: float, ground: float, h: float, stride: float, facing: float) -> Point:
    """A whole person, `h` high, standing on `ground`; `stride` from 0 (still) to 1 (running). Returns the mouth."""
    line = max(1.4, h / 110)
    r = h * 0.135
    hip, neck = ground - 0.45 * h, ground - 0.74 * h
    lean = facing * stride * 0.1 * h
    for side in (-1, 1):
        foot = x + side * (0.09 + 0.22 * stride) * h
        lift = 0.14 * h * stride if side * facing < 0 else 0.0
        knee = (x + side * 0.12 * h * (0.5 + stride), hip + 0.22 * h)
        c.shape(
            [
                (x - 0.07 * h, hip),
                (x + 0.07 * h, hip),
                (knee[0] + 0.06 * h, knee[1]),
                (foot + 0.045 * h, ground - lift),
                (foot - 0.045 * h, ground - lift),
                (knee[0] - 0.06 * h, knee[1]),
            ],
            _shade(who.cloth),
            line,
        )
        c.shape(around(foot + facing * 0.03 * h, ground - lift, 0.085 * h, 0.035 * h, 0, 360), who.hair, line)
    for side in (-1, 1):
        swing = side * stride * 0.2 * h
        hand = (x + lean + side * 0.16 * h + swing, hip - 0.02 * h - abs(swing) * 0.5)
        shoulder = (x + lean + side * 0.11 * h, neck + 0.05 * h)
        c.shape(
            [
                (shoulder[0] - 0.03 * h, shoulder[1]),
                (shoulder[0] + 0.03 * h, shoulder[1]),
                (hand[0] + 0.03 * h, hand[1]),
                (hand[0] - 0.03 * h, hand[1]),
            ],
            who.cloth,
            line,
        )
        c.ellipse(hand[0], hand[1], 0.035 * h, 0.035 * h, who.skin, line)
    c.shape(
        curve(
            [
                (x + lean - 0.12 * h, neck),
                (x + lean + 0.12 * h, neck),
                (x + 0.13 * h, hip),
                (x + 0.16 * h, hip + 0.1 * h),
                (x - 0.16 * h, hip + 0.1 * h),
                (x - 0.13 * h, hip),
            ],
            steps=4,
        ),
        who.cloth,
        line,
    )
    hx, hy = x + lean * 1.3, neck - r * 0.85
    _hair_behind(c, who, hx, hy, r, facing, line)
    _head(c, who, hx, hy, r, facing, line)
    mouth = _face(c, who, hx, hy, r, "shocked" if stride > 0.5 else "calm", facing, line)
    _hair_before(c, who, hx, hy, r, facing, line)
    return mouth


def _shade(paint: Paint) -> Paint:
    if isinstance(paint, tuple):
        return mix(paint, (30, 20, 60), 0.22)
    return max(0, paint - 45)


def _is_dark(paint: Paint) -> bool:
    return (sum(paint) / 3 if isinstance(paint, tuple) else paint) < 60
