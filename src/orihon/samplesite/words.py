"""What is said on the pages: small grammars over the nouns of each series.

The sentences are made to differ from page to page and from work to work, because a reader will search for them.
"""

from orihon.samplesite.dice import Dice
from orihon.samplesite.series import Series

_EXCHANGES = (
    ("Did you bring the {thing}?", "I brought it as far as {place}. Then it wanted to go on alone."),
    ("Why are we going to {place} again?", "Because last time {name} left the {thing} there."),
    ("You promised to {want}.", "I promised to try. Trying has no date on it."),
    ("Who told you about {place}?", "{name} did, in a dream, with a pointer."),
    ("Is that a {thing}?", "It was one this morning. Now I would call it evidence."),
    ("Do you trust {name}?", "With my life. Not with my {thing}."),
    ("What will you do once we {want}?", "Sleep. Then complain that nobody woke me."),
    ("Hush. Somebody is at {place}.", "Somebody is always at {place}. That is what worries me."),
    ("How much for the {thing}?", "One true story, and you must not have told it before."),
    ("Are you crying?", "No. It is raining, and only on my face."),
    ("What does the {thing} say?", "It says that we are {number} years too early."),
    ("Can we still {want}?", "Ask me after breakfast. Nothing is impossible after breakfast."),
    ("{name} is late.", "{name} is never late. The rest of the world is in a hurry."),
    ("Where did you learn that?", "At {place}, from someone who was doing it wrong."),
    ("Give me the {thing}!", "Say please, and mean it this time."),
    ("Was it always this quiet at {place}?", "Only since we started to listen."),
)
_SAYINGS = (
    "I counted {number} steps to {place}, and {number2} back.",
    "Nobody has ever managed to {want}. That is why the chair is free.",
    "The {thing} is warm. Someone held it a moment ago.",
    "If we are to {want}, we need {name} and a longer rope.",
    "You can smell {place} before you can see it.",
    "My grandmother kept a {thing} for exactly this sort of evening.",
    "Put the {thing} down. Slowly. It startles easily.",
    "There are {number} ways out of {place}, and I have locked all but one.",
    "Listen to me, {name}: a {thing} does not forget.",
    "I am not lost. I am early for the place where I shall be.",
    "Tomorrow I will {want}. Tonight I need soup.",
    "We were so close that I could read the label on the {thing}.",
    "Every map leaves out {place}. I used to think that was a mistake.",
    "One more word about the {thing} and I walk home.",
    "They say {name} once slept at {place} for {number} days.",
    "You look at that {thing} as if it owed you money.",
    "I wrote it down so that I would not have to be brave twice.",
    "Some doors only open when you stop knocking.",
    "Even the {thing} had better manners than you do.",
    "Meet me at {place} when the clock has given up.",
    "It was I who hid the {thing}. I was {number} years old, and right.",
    "To {want}, first you have to be bad at it for {number} years.",
)
_OPENERS = (
    "Look, {name}.",
    "Honestly.",
    "Wait, {name}!",
    "Hm.",
    "All right, then.",
    "Listen, {name}.",
    "So.",
    "Well, well.",
    "Between us, {name}.",
    "No, truly.",
    "It is {number} past.",
    "Shh!",
)
_SHOUTS = (
    "{NAME}, BEHIND YOU!",
    "NOT THE {THING}!",
    "RUN FOR {PLACE}!",
    "GIVE IT BACK!",
    "NOW OR NEVER!",
    "I SAID NO!",
    "HOLD ON TO THE {THING}!",
    "WE MADE IT!",
    "OPEN THE DOOR, {NAME}!",
    "THAT IS MINE!",
    "WAKE UP!",
    "DO NOT LOOK DOWN!",
)
_CAPTIONS = (
    "Meanwhile, at {place} ...",
    "{number} minutes later.",
    "That night nobody at {place} slept.",
    "It began, as it often does, with a {thing}.",
    "The next morning smelled of rain and of bad decisions.",
    "Somewhere beyond {place}, a light went on.",
    "{name} did not answer for a long time.",
    "By the third day they had stopped asking about the {thing}.",
    "Nobody had told {name}.",
    "And still the {thing} would not move.",
)
_SOUNDS = ("KRAK", "FWOOSH", "THUD", "CLANG", "ZZZT", "SPLASH", "TAP TAP", "RUMBLE", "WHAM", "DONG", "SWISH", "KA-CHAK")
_TITLES = (
    "The {Thing}",
    "What {name} Saw",
    "A Light at {Place}",
    "Nobody Asked {name}",
    "The Second {Thing}",
    "How to {Want}",
    "Rain over {Place}",
    "{name} and the {Thing}",
    "One Door Too Many",
    "The Road to {Place}",
    "An Honest Mistake",
    "Before the Morning",
    "Letters to {name}",
    "The Price of a {Thing}",
)
_SMALL = frozenset({"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})


def _capitals(text: str) -> str:
    return " ".join(
        word if place and word in _SMALL else word[:1].upper() + word[1:] for place, word in enumerate(text.split())
    )


def _inside(text: str) -> str:
    """A name in the middle of a title keeps its article small."""
    return " ".join(word if word in _SMALL else word[:1].upper() + word[1:] for word in text.split())


class Voice:
    """Draws sentences for one page or one chapter of a series."""

    def __init__(self, series: Series, dice: Dice) -> None:
        self._series = series
        self._dice = dice

    def exchange(self) -> tuple[str, str]:
        """A remark and the answer to it."""
        asked, answered = self._dice.pick(_EXCHANGES)
        words = self._words()
        return self._opened(asked.format_map(words)), _sentence(answered.format_map(words))

    def saying(self) -> str:
        """One sentence that somebody says."""
        return self._opened(self._dice.pick(_SAYINGS).format_map(self._words()))

    def shout(self) -> str:
        """A few words in capitals."""
        return self._dice.pick(_SHOUTS).format_map(self._words())

    def caption(self) -> str:
        """What the narrator puts into a box."""
        return _sentence(self._dice.pick(_CAPTIONS).format_map(self._words()))

    def sound(self) -> str:
        """A noise, drawn large."""
        return self._dice.pick(_SOUNDS)

    def chapter_title(self) -> str:
        """A title for a chapter."""
        return _capitals(self._dice.pick(_TITLES).format_map(self._words()))

    def _opened(self, text: str) -> str:
        if self._dice.chance(0.4):
            return _sentence(text)
        return f"{self._dice.pick(_OPENERS).format_map(self._words())} {_sentence(text)}"

    def _words(self) -> dict[str, str]:
        dice, series = self._dice, self._series
        name, place = dice.pick(series.cast), dice.pick(series.places)
        thing, want = dice.pick(series.things), dice.pick(series.wants)
        return {
            "name": name,
            "place": place,
            "thing": thing,
            "want": want,
            "number": str(dice.between(3, 40)),
            "number2": str(dice.between(41, 99)),
            "NAME": name.upper(),
            "PLACE": place.upper(),
            "THING": thing.upper(),
            "Place": _inside(place),
            "Thing": _inside(thing),
            "Want": _inside(want),
        }


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
