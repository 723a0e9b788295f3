"""A catalogue of made-up titles, as many as asked for: Latin, accented, Japanese, Cyrillic, with authors and tags."""

import random
from datetime import UTC, datetime, timedelta

from orihon.db.pool import Connection

_ADJECTIVES = (
    "Silent Crimson Last Hidden Broken Endless Lonely Iron Paper Hollow Golden Wandering Forgotten Frozen Burning "
    "Gentle Reckless Quiet Distant Clockwork Scarlet Midnight Second Thousand Little Cursed Immortal Ordinary Stray "
    "Borrowed Winter Glass Thirteenth Rusty Velvet Nameless Sleepless Café Élan Übermensch"
).split()
_NOUNS = (
    "Garden Sword Alchemist Lighthouse Dragon Village Detective Harbour Princess Knight Fox Library Baker Tower "
    "Orchard Mirror Sister Kingdom Academy Ghost Train Summer Melody Witch Cartographer Island Engine Compass Moon "
    "Butcher Gambler Apothecary Sparrow Labyrinth Merchant Festival Requiem Chronicle Berserker Vagabond Titan"
).split()
_PLACES = "Kyoto Lisbon Sapporo Venice Hakone Prague Odessa Nagasaki Marseille the North the Abyss Nowhere".split()
_KANJI = "進撃巨人鬼滅刃呪術廻戦東京喰種約束国黒執事青春恋愛物語少女革命剣風星空夜森花火海月影王国魔法使"
_KANA = "のはとをにがもへでや"
_CYRILLIC = (
    "Тихий Последний Забытый Красный Ёжик Город Рыцарь Сад Лис Дракон Сестра Башня Песня Зима Остров Ведьма".split()
)
_PEOPLE = "Aoki Baba Chiba Doi Endo Fujii Goto Hayashi Ito Kato Mori Noda Okada Sato Tanaka Ueda Wada Yamada".split()
_GENRES = "Action Adventure Comedy Drama Fantasy Horror Mystery Romance Slice-of-life Sports Thriller".split()
_TAGS = "time-travel school cooking swords magic robots cats office war family food music sea ninja".split()
_STATUSES = ("ongoing", "ongoing", "ongoing", "completed", "completed", "hiatus", "cancelled", None)


def made_title(dice: random.Random, number: int) -> str:
    """A title; one in ten is Japanese, one in twenty Cyrillic."""
    roll = dice.random()
    if roll < 0.10:
        return (
            "".join(dice.choice(_KANJI) for _ in range(dice.randint(1, 3)))
            + dice.choice(_KANA)
            + "".join(dice.choice(_KANJI) for _ in range(dice.randint(1, 3)))
        )
    if roll < 0.15:
        return " ".join(dice.sample(_CYRILLIC, dice.randint(2, 3)))
    shape = dice.randrange(5)
    adjective, noun = dice.choice(_ADJECTIVES), dice.choice(_NOUNS)
    if shape == 0:
        return f"The {adjective} {noun}"
    if shape == 1:
        return f"{noun} of {dice.choice(_PLACES)} {number}"
    if shape == 2:
        return f"{adjective} {noun} and {dice.choice(_NOUNS)}"
    if shape == 3:
        return f"{noun}: {adjective} {dice.choice(_NOUNS)} {dice.randrange(1, 400)}"
    return f"My {noun.lower()} was reborn as a {adjective.lower()} {dice.choice(_NOUNS).lower()}"


async def seed(db: Connection, count: int, *, seed: int = 1) -> None:
    """Fill an empty library with `count` works, their searchable titles, names and counts; statistics included."""
    dice = random.Random(seed)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    records = []
    for number in range(count):
        title = made_title(dice, number)
        alternatives = [made_title(dice, number)] if number % 3 == 0 else []
        authors = [f"{dice.choice(_PEOPLE)} {dice.choice(_PEOPLE)}"] if number % 17 else []
        created = start - timedelta(minutes=dice.randrange(2_000_000))
        records.append(
            (
                title,
                alternatives,
                dice.choice(_STATUSES),
                authors,
                sorted(dice.sample(_GENRES, 3)),
                sorted(dice.sample(_TAGS, 4)),
                authors[0].lower() if authors else None,
                dice.randrange(1, 300),
                created,
                created + timedelta(minutes=dice.randrange(500_000)),
            )
        )
    columns = "title alt_titles status authors genres tags sort_author chapter_count created_at updated_at".split()
    await db.copy_records_to_table("works", records=records, columns=columns)
    await db.execute(
        """INSERT INTO work_titles (work_id, folded)
           SELECT w.id, fold(t.title) FROM works w CROSS JOIN LATERAL unnest(w.title || w.alt_titles) AS t (title)
            WHERE fold(t.title) <> '' ON CONFLICT DO NOTHING"""
    )
    await db.execute("VACUUM ANALYZE works, work_titles")
