"""Fields that vanish: of single titles, or of all."""

from orihon.ingest.doubts import LEAST, Doubts
from orihon.sources.records import Title, TitleRef


def title(key: str, **fields: object) -> Title:
    return Title(key=key, title=key.upper(), url=f"http://site.test/{key}/", **fields)  # type: ignore[arg-type]


def ref(key: str) -> TitleRef:
    return TitleRef(key=key, url=f"http://site.test/{key}/", title=key.upper())


def test_a_field_that_no_title_shows_any_more_keeps_its_value_and_is_told() -> None:
    doubts = Doubts()
    for key in ("a", "b", "c"):
        assert doubts.open or key == "a"
        kept = doubts.weigh(ref(key), title(key, genres=("Drama",)), title(key, authors=("Ann",), genres=("Drama",)))
        assert (kept.authors, kept.genres) == (("Ann",), ("Drama",))
    assert not doubts.open
    assert "authors" in (doubts.in_words() or "")
    assert doubts.proved() == []


def test_few_titles_are_no_proof_of_a_change() -> None:
    doubts = Doubts()
    for number in range(LEAST - 1):
        doubts.weigh(ref(str(number)), title(str(number)), title(str(number), description="Once"))
    assert doubts.open
    assert doubts.in_words() is None


def test_a_field_that_another_title_shows_is_believed_to_be_gone() -> None:
    doubts = Doubts()
    doubts.weigh(ref("shown"), title("shown", status="ongoing"), None)
    kept = doubts.weigh(ref("lost"), title("lost"), title("lost", status="completed"))
    assert kept.status is None
    assert (doubts.open, doubts.in_words(), doubts.proved()) == (False, None, [])


def test_a_title_that_was_doubted_before_another_showed_the_field_is_read_again() -> None:
    doubts = Doubts()
    first = doubts.weigh(ref("lost"), title("lost"), title("lost", tags=("x",)))
    assert first.tags == ("x",)
    doubts.weigh(ref("shown"), title("shown", tags=("y",)), title("shown", tags=("y",)))
    assert doubts.proved() == [ref("lost")]
    assert not doubts.open


def test_what_was_never_told_is_not_missed() -> None:
    doubts = Doubts()
    for key in ("a", "b", "c"):
        assert doubts.weigh(ref(key), title(key), title(key)).authors == ()
        assert doubts.weigh(ref(key), title(key), None).authors == ()
    assert doubts.in_words() is None
