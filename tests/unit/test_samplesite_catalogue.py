"""The sample catalogue: what it promises, and how it changes under a test's hands."""

from collections import Counter
from decimal import Decimal
from itertools import pairwise

import pytest

from orihon.samplesite import Catalogue, DrawnPage, Given
from orihon.samplesite.dice import Dice
from orihon.samplesite.drawing.layout import GUTTER, panels
from orihon.samplesite.folder import natural
from orihon.samplesite.series import all_series
from orihon.samplesite.words import Voice


def test_the_catalogue_is_large_enough() -> None:
    """Issue floor: 24 works, 200 chapters, 3,000 pages."""
    works = Catalogue.sample().works
    chapters = [chapter for work in works for chapter in work.chapters]
    assert len(works) >= 24
    assert len(chapters) >= 200
    assert sum(len(chapter.pages) for chapter in chapters) >= 3000


def test_the_catalogue_has_the_oddities_of_real_ones() -> None:
    works = Catalogue.sample().works
    chapters = [(work, chapter) for work in works for chapter in work.chapters]
    assert {work.direction for work in works} == {"ltr", "rtl", "vertical"}
    assert any(chapter.number is not None and chapter.number % 1 for _, chapter in chapters)
    assert any(chapter.number is None for _, chapter in chapters)
    assert any(work.cover is None for work in works)
    assert any(not work.chapters for work in works)
    assert any(work.status is None for work in works)
    assert any(len(work.description or "") > 1000 for work in works)
    titles = "".join(work.title for work in works)
    for sample in ("夜", "С", "É", "ح"):
        assert sample in titles
    doubled = [
        [chapter.uploader for chapter in work.chapters if chapter.number == number]
        for work in works
        for number, count in Counter(chapter.number for chapter in work.chapters).items()
        if number is not None and count == 2
    ]
    assert doubled
    assert all(first != second for first, second in doubled)
    assert any(
        [chapter.number for chapter in work.chapters if chapter.number]
        != sorted((chapter.number for chapter in work.chapters if chapter.number), reverse=True)
        for work in works
    )


def test_chapters_differ_in_key_though_their_numbers_agree() -> None:
    for work in Catalogue.sample().works:
        keys = [chapter.key for chapter in work.chapters]
        assert len(keys) == len(set(keys))


def test_works_stand_newest_update_first() -> None:
    updated = [work.updated for work in Catalogue.sample().works]
    assert updated == sorted(updated, reverse=True)


def test_two_makings_of_the_catalogue_are_equal() -> None:
    assert Catalogue.sample().works == Catalogue.sample().works


@pytest.mark.parametrize(
    ("label", "number"), [("Chapter 4.5", Decimal("4.5")), ("Chapter 10", Decimal(10)), ("Notice", None)]
)
def test_a_label_begins_with_its_number(label: str, number: Decimal | None) -> None:
    found = [
        chapter.label for work in Catalogue.sample().works for chapter in work.chapters if chapter.number == number
    ]
    assert found
    assert all(text.startswith(f"{label}: ") for text in found)


def test_pages_say_different_things() -> None:
    """Text search has to find one page among thousands."""
    said = [Voice(series, Dice("test", series.slug, page)).exchange() for series in all_series() for page in range(40)]
    assert len(set(said)) > len(said) * 0.9


def test_a_small_catalogue_has_the_measure_asked_for() -> None:
    catalogue = Catalogue.small(works=2, chapters=3, pages=4)
    assert [[len(chapter.pages) for chapter in work.chapters] for work in catalogue.works] == [[4, 4, 4]] * 2
    assert [chapter.number for chapter in catalogue.works[0].chapters] == [3, 2, 1]


def test_a_plain_catalogue_is_as_long_as_asked_for() -> None:
    catalogue = Catalogue.plain(5000, chapters=2)
    assert len(catalogue) == 5000
    assert len({work.title for work in catalogue.works}) == 5000
    assert [work.slug for work in catalogue.listed(4990, 20)][-1] == "title-004999"


def test_a_new_chapter_comes_first_and_moves_its_work_to_the_top() -> None:
    catalogue = Catalogue.small(works=3)
    last = catalogue.works[-1].slug
    chapter = catalogue.add_chapter(last, number="4.5", title="News", pages=2)
    assert catalogue.works[0].slug == last
    assert catalogue.works[0].updated > catalogue.works[1].updated
    assert catalogue.work(last).chapters[0] is chapter
    assert all(isinstance(page, DrawnPage) for page in chapter.pages)


def test_changes_keep_what_they_do_not_touch() -> None:
    catalogue = Catalogue.small(works=2)
    first, second = (work.slug for work in catalogue.works)
    before = catalogue.work(first).chapters[0]
    catalogue.rename(first, "Another Title")
    assert catalogue.work(first).chapters[0] is before
    assert catalogue.change_cover(first) == "cover-2"
    catalogue.replace_page(first, before.key, 2, b"no image")
    assert before.pages[1] == Given(b"no image", "image/jpeg")
    catalogue.mend_page(first, before.key, 2)
    assert catalogue.works[0] == _renamed(first)
    catalogue.remove(second)
    assert [work.slug for work in catalogue.works] == [first]


def _renamed(slug: str) -> object:
    same = Catalogue.small(works=2)
    same.rename(slug, "Another Title")
    same.change_cover(slug)
    return same.work(slug)


@pytest.mark.parametrize("backwards", [False, True])
def test_panels_fill_the_page_in_reading_order_and_never_overlap(backwards: bool) -> None:
    for seed in range(200):
        cut = panels(840, 1230, Dice("cut", seed), right_to_left=backwards, slants=0.5)
        assert 3 <= len(cut) <= 8
        for first, second in pairwise(cut):
            (ax, ay), (bx, by), (_, bottom), _ = first.corners
            (cx, cy), (dx, _), _, _ = second.corners
            if cy > ay:
                assert cy == pytest.approx(bottom + GUTTER)
            elif backwards:
                assert dx == pytest.approx(ax - GUTTER)
            else:
                assert cx == pytest.approx(bx + GUTTER)
            assert ay == by


def test_names_sort_as_people_count() -> None:
    assert sorted(["10.jpg", "2.jpg", "Page 3", "page 12", "1.jpg"], key=natural) == [
        "1.jpg",
        "2.jpg",
        "10.jpg",
        "Page 3",
        "page 12",
    ]


def test_dice_fall_evenly_and_always_alike() -> None:
    dice = Dice("fixed", 1)
    assert [dice.between(1, 6) for _ in range(8)] == [1, 2, 2, 4, 6, 2, 2, 6]
    counts = Counter(Dice("even", throw).between(1, 6) for throw in range(6000))
    assert all(850 < count < 1150 for count in counts.values())
