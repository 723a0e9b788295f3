"""From a source's settings to a checked profile, with errors that a person can act on."""

import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec

from orihon.sources.adapter import BadSettings
from orihon.sources.html.profile import Profile, Table
from orihon.sources.html.text import Css, Pattern

MOST_CHARACTERS = 64 * 1024


class HtmlSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a source that uses this adapter: one of the two."""

    profile: Annotated[
        str | dict[str, Any] | None,
        msgspec.Meta(description="The name of a built-in site profile, or a whole profile as an object."),
    ] = None
    profile_toml: Annotated[
        str | None, msgspec.Meta(description="A whole site profile as TOML text (docs/site-profiles.md).")
    ] = None


def from_settings(settings: Mapping[str, object]) -> Profile:
    """The profile that a source's settings name or hold.

    Raises:
        BadSettings: naming the key, where it stands, and what was perhaps meant.
    """
    _refuse_unknown(dict(settings), HtmlSettings, "the settings")
    try:
        given = msgspec.convert(dict(settings), HtmlSettings)
    except msgspec.ValidationError as error:
        raise BadSettings(f"The settings of this source: {_words(error)}.") from error
    if (given.profile is None) == (given.profile_toml is None):
        raise BadSettings(
            "A source of this kind needs either `profile`, the name of a built-in site profile "
            f"({_names()}), or `profile_toml`, the text of one of your own."
        )
    if given.profile_toml is not None:
        return from_toml(given.profile_toml)
    if isinstance(given.profile, str):
        return built_in(given.profile)
    return from_tables(given.profile or {})


def built_in_names() -> list[str]:
    """The site profiles that come with the program."""
    return sorted(entry.name.removesuffix(".toml") for entry in _folder().iterdir() if entry.name.endswith(".toml"))


@cache
def built_in(name: str) -> Profile:
    """A site profile that comes with the program.

    Raises:
        BadSettings: there is none of this name; the text lists those that exist.
    """
    names = built_in_names()
    if name not in names:
        raise BadSettings(
            f"There is no built-in site profile `{name[:80]}`{_meant(name, names)}. There are: {_names()}."
        )
    return from_toml((_folder() / f"{name}.toml").read_text(encoding="utf-8"))


def from_toml(text: str) -> Profile:
    """Read a profile.

    Raises:
        BadSettings: it is not TOML, or not a profile; the text names the place.
    """
    if len(text) > MOST_CHARACTERS:
        raise BadSettings(f"The site profile has {len(text):,} characters; a profile has at most {MOST_CHARACTERS:,}.")
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"The site profile is not TOML: {error}.") from error
    except RecursionError as error:
        raise BadSettings("The site profile is nested deeper than any profile is.") from error
    return from_tables(tables)


def from_tables(tables: Mapping[str, Any]) -> Profile:
    """Check a profile that is already parsed.

    Raises:
        BadSettings: naming the key that is unknown, missing or wrong, and where it stands.
    """
    spelled_out = _spelled_out(dict(tables), Profile)
    _refuse_unknown(spelled_out, Profile, "the site profile")
    try:
        return msgspec.convert(spelled_out, Profile, dec_hook=_own_type)
    except msgspec.ValidationError as error:
        raise BadSettings(f"The site profile: {_words(error)}.") from error


def _folder() -> Any:
    return files("orihon.sources.html") / "profiles"


def _names() -> str:
    return ", ".join(f"`{name}` ({built_in(name).name})" for name in built_in_names())


def _own_type(kind: type, value: object) -> object:
    if kind not in {Css, Pattern}:
        raise NotImplementedError
    if not isinstance(value, str):
        raise ValueError(f"Expected `str`, got `{type(value).__name__}`")  # noqa: TRY004  msgspec adds the place to a ValueError
    return kind(value)


def table_of(hint: Any) -> type[Table] | None:
    """The table that a key of this type holds, if it holds one."""
    if isinstance(hint, type):
        return hint if issubclass(hint, Table) else None
    if get_origin(hint) in {tuple, dict}:
        return None
    return next((found for part in get_args(hint) if (found := table_of(part))), None)


def _keys(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _spelled_out(value: Any, kind: type[Table]) -> Any:
    """The same tables, with `key = "selector"` written as `key = { select = "selector" }`."""
    keys = _keys(kind)
    if isinstance(value, str) and "select" in keys:
        return {"select": value}
    if not isinstance(value, dict):
        return value
    return {
        key: _spelled_out(part, table) if key in keys and (table := table_of(keys[key])) else part
        for key, part in value.items()
    }


def _refuse_unknown(value: dict[str, Any], kind: type, whole: str) -> None:
    found = [
        f"`{key[:80]}` in {f'[{where}]' if where else whole} is no key that it knows{_meant(key, known)}; "
        f"there are {', '.join(f'`{name}`' for name in known)}"
        for where, key, known in _unknown(value, kind, "")
    ]
    if found:
        raise BadSettings(f"Unknown {'key' if len(found) == 1 else 'keys'}: {'. '.join(found)}.")


def _unknown(value: Any, kind: type, where: str) -> Iterator[tuple[str, str, list[str]]]:
    if not isinstance(value, dict):
        return
    keys = _keys(kind)
    for key, part in value.items():
        if key not in keys:
            yield where, str(key), list(keys)
        elif table := table_of(keys[key]):
            yield from _unknown(part, table, f"{where}.{key}" if where else key)


def _meant(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=3, cutoff=0.6)
    return f" (did you mean {' or '.join(f'`{match}`' for match in near)}?)" if near else ""


def _words(error: msgspec.ValidationError) -> str:
    """What msgspec says, with the place as people write it: `title.chapters.rows`, not `$.title.chapters.rows`."""
    text, _, place = str(error).partition(" - at `$")
    place = place.rstrip("`").lstrip(".")
    text = text.replace("Object missing required field", "the key is missing:")
    return f"{text}, in `{place}`" if place else text
