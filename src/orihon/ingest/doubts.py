"""Fields that titles used to have and show no more: removed by the site, or lost to a redesign that nothing else shows.

One title proves nothing. As long as no title of the same chunk shows a field, what its source told before stands; once
one does, the field is believed to be gone where it is missing (ingest-anchors 3.1, rows 13 and 15).
"""

from msgspec.structs import replace

from orihon.sources.records import Title, TitleRef

FIELDS = {
    "alt_titles": "other titles",
    "description": "description",
    "status": "status",
    "authors": "authors",
    "artists": "artists",
    "genres": "genres",
    "tags": "tags",
    "cover_url": "cover",
}
"""Fields that may be missing, in words for people."""

LEAST = 3
"""Titles that must have lost a field before people are told."""

MOST = 1000
"""Doubted titles of a field that a chunk remembers."""


class Doubts:
    """What one chunk of a walk has not seen again."""

    def __init__(self) -> None:
        self._shown: set[str] = set()
        self._missed: dict[str, dict[str, TitleRef]] = {}

    def weigh(self, ref: TitleRef, title: Title, told: Title | None) -> Title:
        """The title to keep: with the fields that its source told before where their loss is in doubt."""
        lost = {}
        for field in FIELDS:
            if getattr(title, field):
                self._shown.add(field)
            elif told is not None and getattr(told, field) and field not in self._shown:
                lost[field] = getattr(told, field)
                missed = self._missed.setdefault(field, {})
                if len(missed) < MOST:
                    missed[ref.key] = ref
        return replace(title, **lost)

    @property
    def open(self) -> bool:
        """Whether more titles must be read to tell a site that changed from single titles that did."""
        return any(field not in self._shown and len(refs) < LEAST for field, refs in self._missed.items())

    def proved(self) -> list[TitleRef]:
        """Titles whose loss is no longer in doubt, since another one showed the field later; read them again."""
        sure = {key: ref for field in self._shown for key, ref in self._missed.get(field, {}).items()}
        return list(sure.values())

    def in_words(self) -> str | None:
        """What people should know: fields that several titles lost and none showed."""
        gone = [
            FIELDS[field] for field, refs in self._missed.items() if len(refs) >= LEAST and field not in self._shown
        ]
        if not gone:
            return None
        return (
            f"Titles of this source are shown without what they had before: {', '.join(gone)}. What is held was kept. "
            "The site has probably changed, and the source's profile needs an update."
        )
