"""What kind of failure ended a walk: one word for programs and people, beside the text (curator 2.18)."""

from enum import StrEnum

from orihon.fetch.errors import Denied, FetchError, Gone, HttpStatus, RateLimited, Refused, UnexpectedHtml
from orihon.jobs.excuses import NoRoom, excuse
from orihon.library.tombstones import Buried
from orihon.sources.adapter import BadCursor, BadSettings, Challenge, LayoutChanged, LoginRequired, SourceError
from orihon.storage.errors import StorageError


class Failure(StrEnum):
    """Kinds of failure, each with another thing to do."""

    AUTH = "auth"
    """The site wants a sign-in, or the one that is kept has ended."""
    CHALLENGE = "challenge"
    """The site wants proof of a human."""
    DRIFT = "drift"
    """The site has changed; its adapter or profile needs an update."""
    RATE_LIMITED = "rate_limited"
    """The site asked for a pause; the walk goes on after it."""
    NOT_FOUND = "not_found"
    """What is followed is not there (any more)."""
    HTTP = "http"
    """The site answered with another error."""
    NETWORK = "network"
    """No whole answer came."""
    REFUSED = "refused"
    """The guard of the fetch door let nothing out."""
    SETTINGS = "settings"
    """The source's address or settings cannot be used."""
    STORAGE = "storage"
    """The disk is full or fails."""
    BREAKER = "breaker"
    """Too many items in a row could not be fetched."""
    STALLED = "stalled"
    """Chunk after chunk got nowhere, or the walk took too many; the source is paused until a person looks."""
    DELETED = "deleted"
    """What is followed was deleted here."""
    PROGRAM = "program"
    """A mistake of this program; its log has the details."""


_KINDS: tuple[tuple[type[Exception], Failure], ...] = (
    (RateLimited, Failure.RATE_LIMITED),
    (Denied, Failure.AUTH),
    (Gone, Failure.NOT_FOUND),
    (HttpStatus, Failure.HTTP),
    (Refused, Failure.REFUSED),
    (FetchError, Failure.NETWORK),
    (LoginRequired, Failure.AUTH),
    (Challenge, Failure.CHALLENGE),
    (LayoutChanged, Failure.DRIFT),
    (BadSettings, Failure.SETTINGS),
    (BadCursor, Failure.SETTINGS),
    (SourceError, Failure.NETWORK),
    (StorageError, Failure.STORAGE),
    (Buried, Failure.DELETED),
)

_PAGES = {"login": Failure.AUTH, "challenge": Failure.CHALLENGE, "page": Failure.DRIFT}


def failure_of(error: BaseException) -> Failure:
    """The kind of what a walk raised."""
    if isinstance(excuse(error), NoRoom):
        return Failure.STORAGE
    if isinstance(error, UnexpectedHtml):
        return _PAGES[error.kind]
    return next((failure for kind, failure in _KINDS if isinstance(error, kind)), Failure.PROGRAM)


def in_words(error: BaseException) -> str:
    """What a walk raised, for people."""
    if isinstance(found := excuse(error), NoRoom):
        return found.reason
    if isinstance(error, FetchError | SourceError | StorageError | Buried):
        return str(error)
    return "The program made a mistake here; its log has the details. The walk is tried again by itself."
