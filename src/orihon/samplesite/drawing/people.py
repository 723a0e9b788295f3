"""People: a member of the cast from the shoulders up, or whole."""

from orihon.samplesite.drawing import faces, hair
from orihon.samplesite.drawing.canvas import Canvas, Point, around, curve
from orihon.samplesite.drawing.cast import Mood, Person
from orihon.samplesite.drawing.paints import shade


def bust(c: Canvas, who: Person, x: float, y: float, r: float, mood: Mood, facing: float) -> Point:
    """Head and shoulders. `r` is the radius of the head, `facing` from -1 (left) to 1; returns where the mouth is."""
    width = max(1.6, min(4.5, r / 26))
    hair.behind(c, who, x, y, r, facing, width)
    _body(c, who, x, y, r, facing, width)
    faces.head(c, who, x, y, r, facing, width)
    mouth = faces.face(c, who, x, y, r, mood, facing, width)
    hair.before(c, who, x, y, r, facing, width)
    faces.brows(c, who, x, y, r, mood, facing, width)
    return mouth


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
            shade(who.cloth),
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
    hair.behind(c, who, hx, hy, r, facing, line)
    faces.head(c, who, hx, hy, r, facing, line)
    mouth = faces.face(c, who, hx, hy, r, "shocked" if stride > 0.5 else "calm", facing, line)
    hair.before(c, who, hx, hy, r, facing, line)
    return mouth


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
        [(x - 0.32 * r, y + 0.95 * r), (x + 0.32 * r, y + 0.95 * r), (x + f * 0.1 * r, y + 1.45 * r)], shade(who.skin)
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
        shade(who.cloth),
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
                shade(who.trim),
                line,
            )
        else:
            c.line([(x, neck + 0.5 * r), (x, neck + 3 * r)], line)
