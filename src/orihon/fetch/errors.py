"""What can go wrong at the door, each kind by its own name.

Every text says what happened, what it means and what to do. `retryable` says whether the same request may succeed
later without anybody changing anything; `retry_after` is how long the host asked to be left alone, in seconds.
"""

from typing import Literal

Rule = Literal["BadScheme", "Loopback", "PrivateIp", "HostNotAllowed", "Unparseable", "TooManyHops"]
HtmlKind = Literal["login", "challenge", "page"]


_LONGEST = 300


def shown(url: str) -> str:
    """A URL as error texts and logs may show it: without its query, where signed addresses carry their keys."""
    bare, question, _ = url.partition("?")
    return printable(f"{bare}?…" if question else bare)


def printable(text: str) -> str:
    """Foreign text made fit for logs and database columns: no control characters, no broken code points, bounded."""
    text = "".join(char if char.isprintable() else "\ufffd" for char in text[: _LONGEST + 1])
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


class FetchError(Exception):
    """Something was not fetched."""

    retryable = False
    retry_after: float | None = None

    def __init__(self, url: str, text: str) -> None:
        super().__init__(f"{shown(url)}: {text}")
        self.url = url


class Refused(FetchError):
    """The guard did not let a request out. `rule` names why, `hop` counts redirects (0: the address itself)."""

    def __init__(self, rule: Rule, url: str, text: str, *, hop: int = 0) -> None:
        led = "A redirect led here. " if hop else ""
        super().__init__(url, f"{text} {led}Nothing was asked of it (rule {rule}).")
        self.rule = rule
        self.hop = hop


def inward(where: str, advice: str) -> str:
    """Words for an address that leads into a private network; `advice` says whether and how it can be allowed."""
    return (
        f"this address leads into a private network ({where}). Orihon refuses those so that a hostile site cannot make "
        f"it reach into your network. {advice}"
    )


Cause = Literal[
    "unknown_name",
    "impossible_name",
    "no_name_server",
    "nobody_there",
    "no_way",
    "hung_up",
    "certificate",
    "tls",
    "proxy",
]

_CAUSES: dict[Cause, str] = {
    "unknown_name": "there is no site of this name. It is mistyped, or the site has ended or moved. Check the address.",
    "impossible_name": "no site can have this name. Check the address for what was mistyped.",
    "no_name_server": "its name could not be looked up: no name server answers. This machine may be offline; check its "
    "connection, and try again later.",
    "nobody_there": "nothing answers there: the site is down, or the address is wrong. Check the address, its port "
    "included; if it is right, try again later.",
    "no_way": "this machine has no way there: it may be offline, or the site lies in a network that cannot be reached "
    "from here. Check the connection, and try again later.",
    "hung_up": "the connection broke before an answer came. The site may be overloaded or turn programs away; try "
    "again later.",
    "certificate": "its certificate cannot be trusted ({reason}), so that somebody else may be answering. Nothing was "
    "fetched. Check the address; the certificate is its owner's to mend.",
    "tls": "no secure connection could be agreed on ({reason}). Check the address: it may be one for http:// instead "
    "of https://.",
    "proxy": "the proxy that CRAWLER_PROXY names does not let it through ({reason}). Check that setting and the proxy.",
}

# Nothing about these changes by itself.
_LASTING: frozenset[Cause] = frozenset(("impossible_name", "certificate", "tls"))


class Unreachable(FetchError):
    """No answer. `cause` names why; `reason` is what TLS or the proxy says, in plain words."""

    def __init__(self, url: str, cause: Cause, reason: str = "no reason was given") -> None:
        super().__init__(url, _CAUSES[cause].format(reason=printable(reason)))
        self.cause = cause
        self.retryable = cause not in _LASTING


class TimedOut(FetchError):
    """The host was too slow to connect, to go on, or to finish."""

    retryable = True

    def __init__(self, url: str, doing: str) -> None:
        super().__init__(url, f"the site took too long {doing}. It may be down or overloaded; try again later.")


class Malformed(FetchError):
    """An answer that breaks the rules of HTTP."""

    retryable = True

    def __init__(self, url: str, what: str) -> None:
        super().__init__(
            url,
            f"the answer makes no sense ({printable(what)}). Nothing of it was used; try again later.",
        )


class HttpStatus(FetchError):
    """A status that is not a success. `retryable` for those that pass by themselves."""

    def __init__(self, status: int, url: str, text: str | None = None) -> None:
        self.status = status
        self.retryable = status in (408, 425) or status >= 500
        hint = "Such errors usually pass; try again later." if self.retryable else "Check the address."
        super().__init__(url, f"answered with status {status}. {text or hint}")


class Denied(HttpStatus):
    """401 or 403: a sign-in is needed, or a signed address has expired and a fresh one may work."""

    def __init__(self, status: int, url: str) -> None:
        super().__init__(
            status, url, "It wants a sign-in, or its address has expired; the next walk looks for a fresh one."
        )


class Gone(HttpStatus):
    """404 or 410: not there (any more)."""

    def __init__(self, status: int, url: str) -> None:
        super().__init__(status, url, "It is not there, or not any more. If the site moved it, the next walk finds it.")


class Placeholder(FetchError):
    """A redirect led to the picture that stands for a removed one. The picture itself is gone."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "the host shows a stand-in for a removed picture. Nothing was kept.")


class RateLimited(FetchError):
    """The host asked for a pause (429, or 503 with Retry-After), now or a moment ago. `retry_after` is never None."""

    retryable = True

    def __init__(self, url: str, retry_after: float) -> None:
        super().__init__(
            url, f"the host asked to be left alone for {retry_after:.0f} s. Wait; a larger CRAWLER_RATE_MS avoids it."
        )
        self.retry_after = retry_after


class TooLarge(FetchError):
    """More bytes than the caller allows, announced or delivered (after decompression)."""

    def __init__(self, url: str, limit: int) -> None:
        super().__init__(url, f"is larger than the {limit:,} bytes allowed. Raise the limit if it is right.")
        self.limit = limit


class CutShort(FetchError):
    """The body ended before its announced end, as often as it was asked for."""

    retryable = True

    def __init__(self, url: str, received: int, expected: int | None) -> None:
        of = "an unknown number of" if expected is None else f"{expected:,}"
        super().__init__(url, f"the connection broke after {received:,} of {of} bytes. Try again later.")
        self.received = received
        self.expected = expected


class EmptyBody(FetchError):
    """A success without a single byte."""

    retryable = True

    def __init__(self, url: str) -> None:
        super().__init__(url, "answered with zero bytes. The file is broken at its source, or not there yet.")


_PAGES: dict[HtmlKind, str] = {
    "login": "a sign-in page. The site shows this only to its members, or a session has ended.",
    "challenge": "a bot check. The site wants proof of a human; fetch less often, or later.",
    "page": "an HTML page in place of the file. The address may be wrong or the file removed.",
}


class UnexpectedHtml(FetchError):
    """A page where something else should be. `kind` names it: `login`, `challenge` or `page`."""

    def __init__(self, kind: HtmlKind, url: str) -> None:
        super().__init__(url, f"the site answered with {_PAGES[kind]}")
        self.kind = kind
        # A passing server error is often dressed as a plain page; a login or a bot check does not pass by itself.
        self.retryable = kind == "page"
