"""Settings from the environment (and `.env`), read once at start.

A setting is declared once, here: its type, limits, default, variable and text. `docs/configuration.md` is generated
from this declaration. Names and defaults: DESIGN ruling 11 (names of the specs, safe defaults).
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import msgspec
import platformdirs
from msgspec import Meta


class ConfigError(Exception):
    """A variable holds something that cannot be used. The text names it and says what would do."""


class Env(msgspec.Struct, frozen=True):
    """Which variable feeds a setting, what it means, and whether its value may be shown."""

    name: str
    text: str
    secret: bool = False


def _default_data() -> Path:
    # Root's home is closed to the unprivileged user that PostgreSQL runs as.
    return Path("/var/lib/orihon") if os.geteuid() == 0 else Path(platformdirs.user_data_dir("orihon"))


Port = Annotated[int, Meta(ge=0, le=65535)]
Count = Annotated[int, Meta(ge=0)]
AtLeastOne = Annotated[int, Meta(ge=1)]
# What ends up in a date or a timer has a largest value: beyond it, the sum overflows at some later moment.
Days = Annotated[int, Meta(ge=0, le=36_500)]
Pause = Annotated[int, Meta(ge=0, le=3_600_000)]
Items = tuple[str, ...]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the environment decides."""

    data: Annotated[Path, Env("ORIHON_DATA", "The one folder that holds everything: database, media, cache.")] = (
        msgspec.field(default_factory=_default_data)
    )
    database_url: Annotated[
        str | None,
        Env("DATABASE_URL", "A PostgreSQL 18 or newer to use instead of the embedded one.", secret=True),
    ] = None
    postgres_user: Annotated[
        str | None,
        Env(
            "ORIHON_POSTGRES_USER",
            "Who runs the embedded PostgreSQL when root starts Orihon. Unset: the owner of its files, else `nobody`.",
        ),
    ] = None
    drain_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=3600)],
        Env("ORIHON_DRAIN_SECONDS", "How long running work may take to end at a stop, in seconds."),
    ] = 8
    host: Annotated[str, Env("ORIHON_HOST", "Address to listen on. The default is reachable from here only.")] = (
        "127.0.0.1"
    )
    port: Annotated[Port, Env("PORT", "Port to listen on.")] = 8080
    public_url: Annotated[
        Annotated[str, Meta(pattern=r"^https?://[^/?#@\s]+(/\S*)?$")] | None,
        Env("ORIHON_PUBLIC_URL", "The address people type, where a proxy hides it; settles the origin check."),
    ] = None
    allowed_origins: Annotated[
        Items, Env("ADMIN_ALLOWED_ORIGINS", "Further origins whose pages may send changes. Comma separated.")
    ] = ()
    trusted_proxy: Annotated[
        bool,
        Env(
            "AUTH_TRUSTED_PROXY",
            "Believe X-Forwarded-For and X-Forwarded-Host. Only behind a proxy that sets them.",
        ),
    ] = False
    private_mode: Annotated[bool, Env("PRIVATE_MODE", "Nothing can be read without signing in.")] = False
    cookie_secure: Annotated[bool, Env("COOKIE_SECURE", "Send the session cookie over HTTPS only.")] = False
    session_ttl_days: Annotated[
        Annotated[int, Meta(ge=1, le=36_500)], Env("SESSION_TTL_DAYS", "How long a sign-in lasts, in days.")
    ] = 30
    admin_username: Annotated[
        str | None,
        Env("ADMIN_USERNAME", "The first administrator. Unset: `admin`, with a password printed once."),
    ] = None
    admin_password: Annotated[
        str | None, Env("ADMIN_PASSWORD", "Password of that account, used only when it is made.", secret=True)
    ] = None
    auth_rate_per_sec: Annotated[Count, Env("AUTH_RATE_PER_SEC", "Sign-in tries per second and address; 0: any.")] = 5
    auth_rate_burst: Annotated[Count, Env("AUTH_RATE_BURST", "Sign-in tries at once.")] = 10
    private_origins: Annotated[
        Items,
        Env(
            "ORIHON_PRIVATE_ORIGINS",
            "Exact private origins (scheme://host:port) that fetching may reach, never by a redirect from elsewhere.",
        ),
    ] = ()
    fetch_rate_ms: Annotated[
        Pause, Env("CRAWLER_RATE_MS", "Pause between two requests to one host, in ms; 0: none.")
    ] = 1000
    fetch_slowest_ms: Annotated[
        Pause,
        Env("CRAWLER_SLOWEST_MS", "To what that pause grows while a host is slow or busy, in ms; 0: it never grows."),
    ] = 10_000
    fetch_cdn_host: Annotated[str | None, Env("CRAWLER_CDN_HOST", "A host with a pace of its own.")] = None
    fetch_cdn_rate_ms: Annotated[
        Pause | None,
        Env("CRAWLER_CDN_RATE_MS", "That pace, in ms. Unset: as for other hosts."),
    ] = None
    fetch_allowed_hosts: Annotated[
        Items,
        Env(
            "CRAWLER_DOWNLOAD_ALLOWLIST",
            "Hosts that files may come from, besides a source's own and the CDN host. Unset: any public host.",
        ),
    ] = ()
    fetch_proxy: Annotated[
        str | None,
        Env(
            "CRAWLER_PROXY",
            "An HTTP proxy for every request to a site: http://[user:password@]host:port. Named private origins are "
            "reached without it.",
            secret=True,
        ),
    ] = None
    fetch_user_agent: Annotated[str | None, Env("CRAWLER_USER_AGENT", "User-Agent of every request.")] = None
    fetch_max_image_bytes: Annotated[AtLeastOne, Env("CRAWLER_MAX_IMAGE_BYTES", "Largest image, in bytes.")] = (
        33_554_432
    )
    fetch_max_file_bytes: Annotated[
        AtLeastOne, Env("ORIHON_MAX_ATTACHMENT_BYTES", "Largest file beside the images of a post, in bytes.")
    ] = 536_870_912
    max_image_pixels: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000_000)],
        Env("ORIHON_MAX_IMAGE_PIXELS", "Most pixels of an image, width times height. Decoding may take 13 bytes each."),
    ] = 250_000_000
    max_pages_per_chapter: Annotated[
        Count, Env("CRAWLER_MAX_IMAGES_PER_CHAPTER", "Most pages that a chapter may have; 0: any number.")
    ] = 2000
    max_consecutive_failures: Annotated[
        Count,
        Env("CRAWLER_MAX_CONSECUTIVE_FAILURES", "A walk ends after this many failures in a row; 0: never."),
    ] = 10
    whole_walk_days: Annotated[
        Days,
        Env(
            "ORIHON_WHOLE_WALK_DAYS",
            "After so many days a source is walked to its end again, for what changed further down; 0: never.",
        ),
    ] = 30
    lease_seconds: Annotated[
        Annotated[int, Meta(ge=3, le=3600)],
        Env("ORIHON_LEASE_SECONDS", "How long a worker may be silent before others take over its jobs, in seconds."),
    ] = 60
    job_retention_days: Annotated[
        Days, Env("CRAWLER_JOB_RETENTION_DAYS", "How long finished and dead jobs are kept; 0: for ever.")
    ] = 7
    thumbnail_cache_mb: Annotated[AtLeastOne, Env("ORIHON_THUMBNAIL_CACHE_MB", "Size of the thumbnail cache.")] = 1024
    log_json: Annotated[bool, Env("ORIHON_LOG_JSON", "One JSON object per log line.")] = False


_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


def declared() -> list[tuple[str, Env, Any]]:
    """Field name, variable and bare type of every setting, in the order of declaration."""
    found = []
    for field, hint in get_type_hints(Settings, include_extras=True).items():
        bare, *notes = get_args(hint)
        # `Annotated` flattens when nested, so limits and the variable arrive as one list of notes.
        limits = [note for note in notes if isinstance(note, Meta)]
        env = next(note for note in notes if isinstance(note, Env))
        for limit in limits:
            bare = Annotated[bare, limit]
        found.append((field, env, bare))
    return found


def from_environment(environ: Mapping[str, str]) -> Settings:
    """Read the settings.

    A blank variable counts as unset.

    Raises:
        ConfigError: naming the variable, its value (unless secret) and what would be accepted.
    """
    values = {}
    for field, env, kind in declared():
        text = environ.get(env.name, "").strip()
        if text:
            values[field] = _parse(env, kind, text)
    return Settings(**values)


def _parse(env: Env, kind: Any, text: str) -> Any:
    shown = "its value" if env.secret else repr(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{env.name}: {shown} holds bytes that are no text in UTF-8. {env.text}") from None
    try:
        if kind is bool:
            if text.lower() in _TRUE | _FALSE:
                return text.lower() in _TRUE
            raise ConfigError(f"{env.name}: {shown} is neither yes nor no. Use true or false.")
        if kind is Path:
            return Path(text).expanduser()
        if kind == Items:
            return tuple(item.strip() for item in text.split(",") if item.strip())
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{env.name}: {shown} does not do: {error}. {env.text}") from error


def read_dotenv(path: Path) -> dict[str, str]:
    """Variables of a `.env` file: `NAME=value` lines, `#` comments, optional quotes. A missing file has none.

    Raises:
        ConfigError: a line is not of that form (the text names it), or the file cannot be read.
    """
    if not path.is_file():
        return {}
    try:
        text = path.read_text(encoding="utf-8-sig")  # with the mark that editors on Windows put first
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is no text in UTF-8. Save it as UTF-8, or remove it.") from None
    found = {}
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip().removeprefix("export ")
        if not line or line.startswith("#"):
            continue
        name, separator, value = line.partition("=")
        if not separator or not name.strip().isidentifier():
            raise ConfigError(f"{path}, line {number}: expected NAME=value.")
        found[name.strip()] = value.strip().strip("'\"")
    return found


def load() -> Settings:
    """Settings of this process: `.env` in the working directory, overridden by the environment."""
    return from_environment(read_dotenv(Path(".env")) | dict(os.environ))
