"""What happens in a panel: shots of the cast in their places, with what they say."""

from collections.abc import Callable, Sequence

import msgspec

from orihon.samplesite.dice import Dice
from orihon.samplesite.drawing import places
from orihon.samplesite.drawing.canvas import Canvas, Point
from orihon.samplesite.drawing.cast import MOODS, Mood, Person, person
from orihon.samplesite.drawing.lettering import Block, Hand, Kind, bubble, fit, noise, room
from orihon.samplesite.drawing.motifs import MOTIFS
from orihon.samplesite.drawing.paints import Paints
from orihon.samplesite.drawing.people import bust, figure
from orihon.samplesite.series import Series
from orihon.samplesite.words import Voice

_EDGE = 12.0
_STRONG: Sequence[Mood] = ("angry", "shocked", "sad", "sly", "happy")


class Scene(msgspec.Struct, frozen=True):
    """Who tells what, and by which means; the same for all panels of a page."""

    series: Series
    paints: Paints
    hand: Hand
    dice: Dice
    voice: Voice
    haunts: tuple[str, ...]
    letters: float = 1.0

    @property
    def backwards(self) -> bool:
        """Whether it is read from right to left."""
        return self.series.direction == "rtl"

    def somebody(self, place: int) -> Person:
        """A member of the cast."""
        return person(self.series, place % 3, self.paints)


Shot = Callable[[Canvas, Scene], None]


def establishing(c: Canvas, scene: Scene) -> None:
    """Where we are: the place, somebody small in it, and the narrator."""
    d = scene.dice
    places.WIDE[d.pick(scene.haunts)](c, d, scene.paints)
    if d.chance(0.35) and c.height > 260:
        s = min(c.width, c.height) * 0.27
        MOTIFS[scene.series.motif](c, c.width * d.span(0.3, 0.7), c.height * 0.6, s, scene.paints)
    elif c.height > 220:
        high = min(c.height * 0.46, c.width * 0.6)
        facing = 1.0 if d.chance(0.5) else -1.0
        figure(c, scene.somebody(d.between(0, 2)), c.width * d.span(0.3, 0.7), c.height * 0.95, high, 0.0, facing)
    _caption(c, scene, scene.voice.caption(), at_top=True)


def talk(c: Canvas, scene: Scene) -> None:
    """Two people, or one where there is no room for two, and what they say."""
    d = scene.dice
    _behind(c, scene)
    if c.width < c.height * 1.15 or c.width < 380:
        _alone(c, scene)
        return
    asked, answered = scene.voice.exchange()
    first = d.between(0, 2)
    r = min(c.height * 0.19, c.width * 0.13)
    y = c.height - 1.95 * r
    near, far = (0.75, 0.25) if scene.backwards else (0.25, 0.75)
    look = 1.0 if near < far else -1.0
    mouths = (
        bust(c, scene.somebody(first + 1), far * c.width, y, r, _mood(d), -0.8 * look),
        bust(c, scene.somebody(first), near * c.width, y, r, _mood(d), 0.8 * look),
    )
    top = y - 1.35 * r
    half = c.width * 0.5 - _EDGE
    _speech(c, scene, "say", asked, near, (half, top), mouths[1])
    _speech(c, scene, "say", answered, far, (half, top), mouths[0], lower=True)


def _alone(c: Canvas, scene: Scene) -> None:
    d = scene.dice
    r = min(c.height * 0.2, c.width * 0.2)
    y = c.height - 1.9 * r
    x = c.width * d.span(0.42, 0.58)
    mouth = bust(c, scene.somebody(d.between(0, 2)), x, y, r, _mood(d), d.pick((-1.0, -0.6, 0.6, 1.0)))
    kind: Kind = "think" if d.chance(0.18) else "say"
    _speech(c, scene, kind, scene.voice.saying(), d.span(0.4, 0.6), (c.width - 2 * _EDGE, y - 1.3 * r), mouth)


def close_up(c: Canvas, scene: Scene) -> None:
    """A face that fills the panel."""
    d = scene.dice
    d.pick((places.mood, places.focus, places.gloom))(c, d, scene.paints)
    r = min(c.height * 0.37, c.width * 0.34)
    side = d.pick((0.36, 0.64)) if c.width > c.height * 1.2 else 0.5
    mood: Mood = d.pick(_STRONG)
    mouth = bust(
        c, scene.somebody(d.between(0, 2)), c.width * side, c.height * 0.55, r, mood, 0.7 if side < 0.5 else -0.7
    )
    if side == 0.5:
        return
    beside = 0.82 if side < 0.5 else 0.18
    width = c.width * (1 - max(side, 1 - side)) * 1.0 + 0.02 * c.width
    loud = mood in ("angry", "shocked")
    text = scene.voice.shout() if loud else scene.voice.saying()
    _speech(c, scene, "shout" if loud else "say", text, beside, (width, c.height * 0.6), mouth)


def action(c: Canvas, scene: Scene) -> None:
    """Somebody in a hurry, and the noise of it."""
    d, p = scene.dice, scene.paints
    (places.speed if d.chance(0.5) else places.focus)(c, d, p)
    facing = -1.0 if scene.backwards else 1.0
    high = c.height * 0.78
    x = c.width * (0.62 if facing < 0 else 0.38)
    mouth = figure(c, scene.somebody(d.between(0, 2)), x, c.height * 0.96, min(high, c.width * 0.9), 0.9, facing)
    away = 0.25 if facing < 0 else 0.75
    fill = p.accent if c.colour else p.paper
    noise(
        c, scene.voice.sound(), d, c.width * away, c.height * 0.72, c.width * 0.5, fill, p.paper if c.colour else p.ink
    )
    if c.height > 200 and c.width > 1.15 * c.height:
        _speech(c, scene, "shout", scene.voice.shout(), away, (c.width * 0.5, c.height * 0.42), mouth)


def thing(c: Canvas, scene: Scene) -> None:
    """The emblem of the series, close."""
    d = scene.dice
    places.mood(c, d, scene.paints)
    MOTIFS[scene.series.motif](c, c.width * 0.5, c.height * 0.55, min(c.width, c.height) * 0.36, scene.paints)
    if d.chance(0.6):
        _caption(c, scene, scene.voice.caption(), at_top=False)


def silence(c: Canvas, scene: Scene) -> None:
    """A place, and nobody."""
    places.WIDE[scene.dice.pick(scene.haunts)](c, scene.dice, scene.paints)
    if scene.dice.chance(0.4):
        p = scene.paints
        sound = scene.voice.sound()
        noise(
            c, sound, scene.dice, c.width * 0.5, c.height * 0.5, c.width * 0.6, p.paper, p.accent if c.colour else p.ink
        )


SHOTS: Sequence[Shot] = (talk, talk, talk, talk, close_up, close_up, action, thing, silence)


def _behind(c: Canvas, scene: Scene) -> None:
    d = scene.dice
    if d.chance(0.45):
        places.WIDE[d.pick(scene.haunts)](c, d, scene.paints)
    else:
        d.pick(places.PLAIN)(c, d, scene.paints)


def _mood(d: Dice) -> Mood:
    return d.pick(MOODS)


def _speech(
    c: Canvas,
    scene: Scene,
    kind: Kind,
    text: str,
    middle: float,
    space: tuple[float, float],
    mouth: Point,
    *,
    lower: bool = False,
) -> None:
    """A bubble at the top of the panel around `middle` (a share of the width), inside `space` (width, height)."""
    width, height = min(space[0], c.right - c.left - 2 * _EDGE), space[1] - _EDGE
    # What the oval adds around the text, undone.
    grow = 1.45 if kind == "shout" else 1.2
    block = fit(text, scene.hand, (width - 36) / grow, (height - 28) / (grow + 0.06), scale=scene.letters)
    if block is None and kind != "shout":
        # No room for a sentence: a few loud words may still fit.
        kind = "shout"
        block = fit(scene.voice.shout(), scene.hand, (width - 36) / 1.45, (height - 28) / 1.5, scale=scene.letters)
    if block is None:
        return
    x, y = _inside(c, kind, block, middle * c.width)
    if lower:
        y = min(y + 18, max(y, space[1] - room(kind, block)[1] - 6))
    bubble(c, kind, block, x, y, mouth, scene.paints.paper)


def _inside(c: Canvas, kind: Kind, block: Block, x: float) -> Point:
    rx, ry = room(kind, block)
    spread = 1.2 if kind == "shout" else 1.0
    left, right = c.left + rx * spread + _EDGE, c.right - rx * spread - _EDGE
    return (min(max(x, left), right) if left < right else (c.left + c.right) / 2), ry * spread + _EDGE


def _caption(c: Canvas, scene: Scene, text: str, *, at_top: bool) -> None:
    block = fit(text, scene.hand, (c.right - c.left) * 0.85 - 60, c.height * 0.3, scale=scene.letters * 0.92)
    if block is None:
        return
    rx, ry = room("caption", block)
    x = c.right - rx - _EDGE if scene.backwards == at_top else c.left + rx + _EDGE
    y = ry + _EDGE if at_top else c.height - ry - _EDGE
    bubble(c, "caption", block, x, y, None, scene.paints.paper)
