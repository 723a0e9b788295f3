"""The cast of a work: who has which face, hair and clothes, on every page."""

from functools import lru_cache
from typing import Literal

import msgspec

from orihon.samplesite.dice import Dice
from orihon.samplesite.drawing import paints as mixing
from orihon.samplesite.drawing.canvas import Paint, mix
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
