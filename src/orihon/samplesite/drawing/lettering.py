"""Letters: fonts, the breaking of lines, speech bubbles and drawn noises."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import cos, pi, sin
from typing import Literal

import msgspec
from font_amatic_sc import AmaticSCBold
from font_fredoka_one import FredokaOne
from font_roboto import RobotoBlack, RobotoBold, RobotoMedium
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from orihon.samplesite.dice import Dice
from orihon.samplesite.drawing.canvas import Canvas, Paint, Point, around, curve

Kind = Literal["say", "shout", "think", "caption"]


class Hand(msgspec.Struct, frozen=True):
    """A manner of lettering: its fonts, and sizes that look alike. Sizes are pixels on a page of usual width."""

    speech: str
    title: str
    size: int
    leading: float
    title_scale: float


HANDS: Mapping[str, Hand] = {
    "amatic": Hand(AmaticSCBold, AmaticSCBold, 34, 1.0, 1.45),
    "fredoka": Hand(FredokaOne, FredokaOne, 22, 1.15, 1.0),
    "roboto": Hand(RobotoMedium, RobotoBlack, 22, 1.2, 0.95),
}
_NOISES = (FredokaOne, RobotoBlack, AmaticSCBold)
SIGNS = RobotoBold
_PAD = 3


class Block(msgspec.Struct, frozen=True):
    """Broken lines of text, and the room that they take."""

    lines: tuple[str, ...]
    path: str
    size: int
    leading: float
    width: float
    height: float


@lru_cache(maxsize=256)
def font(path: str, size: int) -> ImageFont.FreeTypeFont:
    """A font. The basic layout, since the other one depends on a library that may be absent or of another version."""
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)


def set_text(text: str, path: str, size: int, leading: float, width: float) -> Block:
    """Break a text into lines that are about as wide as each other, none wider than `width` if words allow."""
    whole = _length(text, path, size)
    height = size * leading
    # A block about twice as wide as high sits well in an oval.
    rows = max(1, round((whole / (2.1 * height)) ** 0.5), -(-int(whole * 1.06) // max(1, int(width))))
    lines = _break(text, path, size, min(width, whole / rows * 1.12 + size))
    widest = max(_length(line, path, size) for line in lines)
    return Block(tuple(lines), path, size, leading, widest, height * len(lines))


def _break(text: str, path: str, size: int, width: float) -> list[str]:
    lines: list[str] = []
    space = _advance(" ", path, size)
    used = 0.0
    for word in text.split():
        wide = _advance(word, path, size)
        if lines and used + space + wide <= width:
            lines[-1] += f" {word}"
            used += space + wide
        else:
            lines.append(word)
            used = wide
    return lines


def fit(text: str, hand: Hand, width: float, height: float, *, scale: float = 1.0) -> Block | None:
    """The text as large as it goes, up to the size of the hand, or None where it would have to be too small to read."""
    for shrink in (1.0, 0.9, 0.8):
        block = set_text(text, hand.speech, round(hand.size * scale * shrink), hand.leading, width)
        if block.width <= width and block.height <= height:
            return block
    return None


def write(image: Pillow.Image, block: Block, x: float, y: float, paint: Paint) -> None:
    """Put a block of text around (x, y)."""
    step = block.size * block.leading
    top = y - step * (len(block.lines) - 1) / 2
    space = _advance(" ", block.path, block.size)
    for place, line in enumerate(block.lines):
        left = x - _length(line, block.path, block.size) / 2
        for word in line.split():
            mask = _drawn(word, block.path, block.size)
            image.paste(paint, (round(left) - _PAD, round(top + step * place - mask.height / 2)), mask)
            left += _advance(word, block.path, block.size) + space


@lru_cache(maxsize=20_000)
def _advance(word: str, path: str, size: int) -> float:
    return font(path, size).getlength(word)


def _length(line: str, path: str, size: int) -> float:
    words = line.split()
    return sum(_advance(word, path, size) for word in words) + _advance(" ", path, size) * (len(words) - 1)


@lru_cache(maxsize=4_000)
def _drawn(word: str, path: str, size: int) -> Pillow.Image:
    """A word as a mask. The same few hundred words are said over and over, and shaping letters is slow."""
    mask = Pillow.new("L", (round(_advance(word, path, size)) + 2 * _PAD, round(size * 1.5)))
    ImageDraw.Draw(mask).text((_PAD, mask.height / 2), word, 255, font(path, size), "lm")
    return mask


def room(kind: Kind, block: Block) -> tuple[float, float]:
    """Half the width and half the height of the bubble around a block."""
    if kind == "caption":
        return block.width / 2 + 14, block.height / 2 + 9
    pad = {"say": 1.0, "think": 1.08, "shout": 1.16}[kind]
    # An oval around a box, flattened at the corners (a superellipse) so that it takes less room.
    return (block.width * 0.59 + 16) * pad, (block.height * 0.62 + 13) * pad


def bubble(c: Canvas, kind: Kind, block: Block, x: float, y: float, mouth: Point | None, paper: Paint) -> None:
    """A bubble around (x, y) with its tail towards a mouth; the text is written once the panel is finished."""
    rx, ry = room(kind, block)
    if kind == "caption":
        c.shape([(x - rx, y - ry), (x + rx, y - ry), (x + rx, y + ry), (x - rx, y + ry)], paper, 2.4)
    elif kind == "shout":
        _tail(c, x, y, rx, ry, mouth, paper, lambda: c.shape(_burst(x, y, rx, ry, block), paper, 3.2))
    elif kind == "think":
        c.shape(_cloud(x, y, rx, ry), paper, 2.4)
        if mouth is not None:
            for share, size in ((0.3, 9.0), (0.55, 6.0), (0.75, 4.0)):
                start = (x, y + ry)
                c.ellipse(
                    start[0] + (mouth[0] - start[0]) * share,
                    start[1] + (mouth[1] - start[1]) * share,
                    size,
                    size * 0.8,
                    paper,
                    2,
                )
    else:
        _tail(c, x, y, rx, ry, mouth, paper, lambda: c.shape(_oval(x, y, rx, ry), paper, 2.4))
    c.later(lambda image: write(image, block, x, y, c.ink_paint))


def _oval(x: float, y: float, rx: float, ry: float) -> list[Point]:
    points = []
    for step in range(48):
        turn = step * 2 * pi / 48
        across, down = cos(turn), sin(turn)
        points.append(
            (
                x + rx * abs(across) ** 0.75 * (1 if across >= 0 else -1),
                y + ry * abs(down) ** 0.75 * (1 if down >= 0 else -1),
            )
        )
    return points


def _burst(x: float, y: float, rx: float, ry: float, block: Block) -> list[Point]:
    dice = Dice("burst", *block.lines)
    points = []
    for spike in range(36):
        turn = spike * 2 * pi / 36
        reach = 1.16 + dice.span(0, 0.2) if spike % 2 else 0.98
        points.append((x + rx * reach * cos(turn), y + ry * reach * sin(turn)))
    return points


def _cloud(x: float, y: float, rx: float, ry: float) -> list[Point]:
    points: list[Point] = []
    for puff in range(10):
        turn = puff * 36
        cx, cy = x + rx * 0.86 * cos(turn * pi / 180), y + ry * 0.82 * sin(turn * pi / 180)
        points += around(cx, cy, rx * 0.3, ry * 0.34, turn - 75, turn + 75, 6)
    return points


def _tail(
    c: Canvas, x: float, y: float, rx: float, ry: float, mouth: Point | None, paper: Paint, body: Callable[[], None]
) -> None:
    if mouth is None:
        body()
        return
    # From the middle of the bubble to a little short of the mouth; the seam is then wiped away.
    dx, dy = mouth[0] - x, mouth[1] - y
    far = max(1.0, (dx * dx + dy * dy) ** 0.5)
    ax, ay = dx / far, dy / far
    edge = 1 / max(0.001, ((ax / rx) ** 2 + (ay / ry) ** 2) ** 0.5)
    length = min(far - 14, edge + 46)
    if length < edge + 10:
        body()
        return
    half = min(15.0, ry * 0.32)
    base = edge * 0.72
    tip = (x + ax * length, y + ay * length)
    bend = (
        x + ax * (edge + (length - edge) * 0.45) - ay * half * 0.35,
        y + ay * (edge + (length - edge) * 0.45) + ax * half * 0.35,
    )
    left = (x + ax * base - ay * half, y + ay * base + ax * half)
    right = (x + ax * base + ay * half, y + ay * base - ax * half)
    shape = [left, *curve([left, bend, tip], closed=False, steps=4), tip, right]
    c.shape(shape, paper, 2.4)
    body()
    inner = half - 2.2
    c.shape(
        [
            (x + ax * base - ay * inner, y + ay * base + ax * inner),
            (bend[0] + ay * 2, bend[1] - ax * 2),
            (x + ax * (length - 8), y + ay * (length - 8)),
            (x + ax * base + ay * inner, y + ay * base - ax * inner),
        ],
        paper,
        0,
    )


def noise(c: Canvas, text: str, dice: Dice, x: float, y: float, width: float, fill: Paint, edge: Paint) -> None:
    """A sound effect: large, leaning letters with a thick edge, over everything in the panel."""
    path = dice.pick(_NOISES)
    size = max(24, min(150, round(width / max(3, len(text)) * (2.3 if path == AmaticSCBold else 1.35))))
    letters = font(path, size)
    stroke = max(3, size // 12)
    wide, high = round(letters.getlength(text)) + 4 * stroke, round(size * 1.3) + 2 * stroke
    lean = dice.span(-16, 16)

    def put(image: Pillow.Image) -> None:
        patch = Pillow.new("LA", (wide, high), (0, 0))
        draw = ImageDraw.Draw(patch)
        draw.text((wide / 2, high / 2), text, (255, 255), letters, "mm", stroke_width=stroke, stroke_fill=(0, 255))
        turned = patch.rotate(lean, Pillow.Resampling.BILINEAR, expand=True)
        light, alpha = turned.split()
        corner = (round(x - turned.width / 2), round(y - turned.height / 2))
        image.paste(edge, corner, alpha)
        image.paste(fill, corner, light)

    c.later(put)


def title(text: str, path: str, size: int, width: float) -> Sequence[str]:
    """A title in lines for a cover."""
    return _break(text, path, size, width)
