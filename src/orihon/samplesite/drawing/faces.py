"""Faces. `x`, `y` and `r` are the middle and the radius of the head, `f` where it looks: -1 is left, 1 is right."""

from math import cos, pi, sin

from orihon.samplesite.drawing.canvas import Canvas, Paint, Point, around, curve, mix
from orihon.samplesite.drawing.cast import Mood, Person


def head(c: Canvas, who: Person, x: float, y: float, r: float, f: float, line: float) -> None:
    """The bare head, with one ear."""
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


def face(c: Canvas, who: Person, x: float, y: float, r: float, mood: Mood, f: float, line: float) -> Point:
    """Eyes, nose and mouth; returns where the mouth is."""
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


def brows(c: Canvas, who: Person, x: float, y: float, r: float, mood: Mood, f: float, line: float) -> None:
    """Eyebrows, which go over the hair."""
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
