"""What is searched for in the bench: eight ways to type, made from the seeded vocabulary, the same each time."""

import random

WAYS = ("word", "beginning", "two words", "whole title", "two kanji", "one kanji", "cyrillic", "misspelt")

EACH = 12
"""Queries of each way."""


def queries(titles: list[str], *, seed: int = 7) -> dict[str, list[str]]:
    """Distinct queries by the way of typing, `EACH` of each, from titles of the library."""
    dice = random.Random(seed)
    latin = [title for title in titles if title.isascii()]
    kanji = [title for title in titles if ord(title[0]) > 0x3000 and len(title) > 3]
    cyrillic = [title for title in titles if 0x400 <= ord(title[0]) < 0x500]

    def words(title: str, least: int = 5) -> list[str]:
        return [word.strip(":") for word in title.lower().split() if len(word.strip(":")) >= least]

    def one(way: str) -> str:
        match way:
            case "word":
                return dice.choice(words(dice.choice(latin)) or ["garden"])
            case "beginning":
                return dice.choice(words(dice.choice(latin)) or ["garden"])[:4]
            case "two words":
                return " ".join(words(dice.choice(latin), 3)[:2])
            case "whole title":
                return dice.choice(latin).lower()
            case "two kanji":
                return dice.choice(kanji)[:2]
            case "one kanji":
                return dice.choice(kanji)[0]
            case "cyrillic":
                return dice.choice(dice.choice(cyrillic).lower().split())
            case _:
                return slipped(dice.choice(words(dice.choice(latin), 6) or ["garden"]), dice)

    found: dict[str, list[str]] = {}
    for way in WAYS:
        distinct: dict[str, None] = {}
        for _ in range(EACH * 200):
            if len(distinct) < EACH:
                distinct.setdefault(one(way))
        found[way] = list(distinct)
    return found


def slipped(word: str, dice: random.Random) -> str:
    """A word with one slip of the finger: a letter left out, doubled, or changed places with the next."""
    at = dice.randrange(1, len(word) - 1)
    match dice.randrange(3):
        case 0:
            return word[:at] + word[at + 1 :]
        case 1:
            return word[:at] + word[at] + word[at:]
        case _:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
