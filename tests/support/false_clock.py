"""A clock for whole processes, PostgreSQL included, that can be set while they run: libfaketime, where installed."""

from pathlib import Path

_PLACES = ("/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1",
           "/usr/local/lib/faketime/libfaketimeMT.so.1")  # fmt: skip


def library() -> Path | None:
    """Where libfaketime is, if it is anywhere."""
    return next((found for place in _PLACES for found in Path("/").glob(place.removeprefix("/"))), None)


class FalseClock:
    """The true time, until it is set. Clocks that only go forward stay as they are."""

    def __init__(self, faketime: Path, file: Path) -> None:
        self._faketime = faketime
        self._file = file
        self.set("+0")

    def set(self, offset: str) -> None:
        """Show a time that is off by so much (`-1h`), to processes that run, within a second."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{offset}\n")
        new.chmod(0o644)
        new.replace(self._file)

    @property
    def environment(self) -> dict[str, str]:
        """What processes must find in their environment."""
        return {
            "LD_PRELOAD": str(self._faketime),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
