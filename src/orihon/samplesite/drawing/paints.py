"""The paints of a work: its palette in colour, or greys that are printed as dots."""

import msgspec

from orihon.samplesite.dice import Dice
from orihon.samplesite.drawing.canvas import Paint, mix
from orihon.samplesite.series import Palette, Series


class Paints(msgspec.Struct, frozen=True):
    """Named by use, so that the drawing code does not care whether a work is in colour."""

    paper: Paint
    ink: Paint
    deep: Paint
    middle: Paint
    pale: Paint
    light: Paint
    accent: Paint
    sky: Paint
    night: Paint


_SKINS: tuple[tuple[int, int, int], ...] = (
    (255, 226, 203),
    (246, 207, 176),
    (224, 172, 132),
    (176, 120, 84),
    (124, 80, 58),
)
_HAIRS: tuple[tuple[int, int, int], ...] = (
    (38, 30, 36),
    (92, 56, 36),
    (190, 120, 50),
    (224, 186, 110),
    (150, 44, 40),
    (70, 84, 130),
    (226, 226, 230),
    (120, 70, 130),
)


def paints(series: Series) -> Paints:
    """The paints of a series."""
    colours: Palette = series.colours
    if not series.colour:
        return Paints(255, 0, 90, 158, 212, 246, 120, 230, 64)
    return Paints(
        paper=(255, 255, 255),
        ink=mix(colours.ink, (0, 0, 0), 0.4),
        deep=colours.deep,
        middle=colours.middle,
        pale=mix(colours.middle, colours.light, 0.5),
        light=colours.light,
        accent=colours.accent,
        sky=mix(colours.middle, colours.light, 0.35),
        night=mix(colours.ink, colours.deep, 0.45),
    )


def skin(series: Series, dice: Dice) -> Paint:
    """A skin; left white in black and white, as is the custom, or lightly toned."""
    tone = dice.pick(_SKINS)
    return tone if series.colour else (255 if sum(tone) > 450 else 205)


def hair(series: Series, dice: Dice) -> Paint:
    """A colour of hair."""
    tone = dice.pick(_HAIRS)
    return tone if series.colour else dice.pick((0, 20, 95, 165, 225, 250))


def cloth(series: Series, dice: Dice, paints: Paints) -> Paint:
    """A colour of clothes."""
    if not series.colour:
        return dice.pick((255, 205, 150, 90, 0))
    return dice.pick((paints.accent, paints.deep, paints.middle, paints.pale, mix(paints.accent, paints.deep, 0.5)))


def shade(paint: Paint) -> Paint:
    """The same in shadow."""
    if isinstance(paint, tuple):
        return mix(paint, (30, 20, 60), 0.22)
    return max(0, paint - 45)
