"""Covers: the first thing that anyone sees of a work. Always in colour, as printed ones are."""

import msgspec
from PIL import Image as Pillow
from PIL import ImageDraw

from orihon.samplesite.catalogue import DrawnCover
from orihon.samplesite.dice import Dice
from orihon.samplesite.drawing import places
from orihon.samplesite.drawing.canvas import Canvas, around, mix
from orihon.samplesite.drawing.cast import MOODS, person
from orihon.samplesite.drawing.lettering import HANDS, SIGNS, font, title
from orihon.samplesite.drawing.motifs import MOTIFS
from orihon.samplesite.drawing.paints import Paints, paints
from orihon.samplesite.drawing.people import bust
from orihon.samplesite.paper import Sheet
from orihon.samplesite.series import Series, series


def draw_cover(cover: DrawnCover, sheet: Sheet) -> Pillow.Image:
    """The cover of a work; `version` changes who is on it and where."""
    told = msgspec.structs.replace(series(cover.series), colour=True)
    dice = Dice("cover", cover.series, cover.version)
    p = paints(told)
    c = Canvas(sheet.width, sheet.height, p.light, p.ink)
    scheme = dice.between(0, 2)
    if scheme == 0:
        places.WIDE[dice.pick([name for name in places.HAUNTS[told.motif] if name != "room"])](c, dice, p)
    elif scheme == 1:
        c.gradient(p.deep, p.accent)
        c.disc(c.width / 2, c.height * 0.5, c.width * 0.46, c.width * 0.46, mix(p.light, p.accent, 0.15))
    else:
        c.gradient(p.middle, p.light)
        _rays(c, p)
    MOTIFS[told.motif](c, c.width * 0.5, c.height * 0.48, c.width * 0.28, p)
    _cast(c, told, dice, p)
    image = c.finish()
    _dots(image, p)
    _lettering(image, told, p)
    return image


def _rays(c: Canvas, p: Paints) -> None:
    reach, x, y = c.width + c.height, c.width / 2, c.height * 0.5
    for k in range(0, 24, 2):
        turn = k * 15
        c.tone(
            [(x, y), *_edge(x, y, reach, turn), *_edge(x, y, reach, turn + 15)],
            mix(p.middle, p.light, 0.55 if k % 4 else 0.8),
        )


def _edge(x: float, y: float, reach: float, turn: float) -> list[tuple[float, float]]:
    return around(x, y, reach, reach, turn, turn, 1)[:1]


def _cast(c: Canvas, told: Series, dice: Dice, p: Paints) -> None:
    hero = dice.between(0, 2)
    if dice.chance(0.7):
        for side, place in ((-1, 1), (1, 2)):
            who = person(told, (hero + place) % 3, p)
            bust(c, who, c.width * (0.5 + 0.27 * side), c.height * 0.8, c.width * 0.11, dice.pick(MOODS), -0.7 * side)
    facing = dice.pick((-0.6, 0.6))
    bust(c, person(told, hero, p), c.width * 0.5, c.height * 0.8, c.width * 0.15, dice.pick(MOODS), facing)


def _dots(image: Pillow.Image, p: Paints) -> None:
    """Printed dots that grow towards the foot."""
    draw = ImageDraw.Draw(image)
    step = 18
    start = round(image.height * 0.86)
    for row, y in enumerate(range(start, image.height + step, step)):
        r = 1.5 + 0.95 * row
        for x in range(-step if row % 2 else 0, image.width + step, step):
            shift = step / 2 if row % 2 else 0
            draw.ellipse((x + shift - r, y - r, x + shift + r, y + r), fill=p.night)


def _lettering(image: Pillow.Image, told: Series, p: Paints) -> None:
    hand = HANDS[told.lettering]
    draw = ImageDraw.Draw(image)
    size = round(104 * hand.title_scale)
    lines = title(told.lettered.upper(), hand.title, size, image.width - 90)
    while size > 40 and (
        len(lines) > 3 or max(font(hand.title, size).getlength(line) for line in lines) > image.width - 80
    ):
        size = int(size * 0.94)
        lines = title(told.lettered.upper(), hand.title, size, image.width - 90)
    for place, line in enumerate(lines):
        at = (image.width / 2, 60 + size * 0.55 + place * size * 1.02)
        draw.text(at, line, p.paper, font(hand.title, size), "mm", stroke_width=max(6, size // 11), stroke_fill=p.night)
    names = " · ".join(dict.fromkeys(name for name in (*told.authors, *told.artists) if name.isascii() or _latin(name)))
    if names:
        at = (image.width / 2, image.height - 40)
        draw.text(at, names, p.paper, font(SIGNS, 30), "mm", stroke_width=5, stroke_fill=p.night)


def _latin(name: str) -> bool:
    return all(ord(letter) < 0x250 for letter in name)
