"""An adapter's settings from the words of a command: `--set NAME=VALUE` and `--profile`."""

from collections.abc import Sequence
from pathlib import Path

from orihon.cli.status import UNUSABLE, CommandFailed
from orihon.ingest.sources import Source
from orihon.sources.html.loading import MOST_CHARACTERS
from orihon.sources.registry import kinds


def chosen_settings(adapter: str, profile: str | None, chosen: Sequence[str] | None) -> dict[str, object]:
    """The adapter's settings: those that were named, and the profile.

    Raises:
        CommandFailed: nothing says what reads the site, or what is said cannot be used.
    """
    if adapter == "html" and profile is None and not chosen:
        raise CommandFailed("Say what reads the site: --profile FILE (docs/site-profiles.md), or --adapter.", UNUSABLE)
    settings: dict[str, object] = dict(_setting(adapter, each) for each in chosen or ())
    return settings | (_profile(profile) if profile is not None else {})


def changed_settings(source: Source, profile: str | None, chosen: Sequence[str]) -> dict[str, object]:
    """A source's settings with those that were named in place of its own; a profile is one, however it is given.

    Raises:
        CommandFailed: what is said cannot be used.
    """
    settings = dict(source.settings)
    if profile is not None:
        settings = {name: value for name, value in settings.items() if name not in ("profile", "profile_toml")}
        settings |= _profile(profile)
    for written in chosen:
        name, _, value = written.partition("=")
        if value or "=" not in written:
            settings |= dict([_setting(source.adapter, written)])
        else:
            settings.pop(name, None)
    return settings


def _setting(adapter: str, written: str) -> tuple[str, object]:
    """NAME=VALUE, the value as the adapter declares it: a whole number or text."""
    name, equals, value = written.partition("=")
    if not equals or not name:
        raise CommandFailed(f"A setting is written NAME=VALUE, not “{written}”.", UNUSABLE)
    declared = (each for kind in kinds() if kind.name == adapter for each in kind.settings)
    number = any(each.name == name and each.least is not None for each in declared)
    try:
        return name, int(value) if number else value
    except ValueError as error:
        raise CommandFailed(f"`{name}` is a whole number, not “{value}”.", UNUSABLE) from error


def _profile(profile: str) -> dict[str, object]:
    """The text of a profile file, or the name of a built-in profile."""
    path = Path(profile)
    if path.suffix != ".toml" and not path.exists():
        return {"profile": profile}
    try:
        with path.open(encoding="utf-8") as file:
            # One more than is taken is enough to be refused, however much there is.
            return {"profile_toml": file.read(MOST_CHARACTERS + 1)}
    except FileNotFoundError as error:
        raise CommandFailed(
            f"There is no file {profile}. How to write one: docs/site-profiles.md.", UNUSABLE
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailed(f"The site profile {profile} cannot be read: {error}.", UNUSABLE) from error
