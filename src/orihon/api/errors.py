"""Every error that the API answers with, in one envelope (public-api-auth 1.2, 1.3).

The code and the keys of `details` are contract; the message is for people and may change.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import asyncpg
import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import (
    HTTPException,
    MethodNotAllowedException,
    NotFoundException,
    SerializationException,
    ValidationException,
)
from litestar.types import ExceptionHandlersMap

log = structlog.get_logger(__name__)


class Code(StrEnum):
    """What went wrong, for programs."""

    INVALID_INPUT = "invalid_input"
    VALIDATION_FAILED = "validation_failed"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    CROSS_SITE = "cross_site_request"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`details`: an object whose keys name what is wrong, where that can be told."""

    code: Code
    message: str
    details: dict[str, Any] | None = None


class ErrorEnvelope(msgspec.Struct, frozen=True, kw_only=True):
    """The body of every answer that is an error."""

    error: ErrorBody


class ApiError(Exception):
    """An answer that is an error."""

    def __init__(
        self,
        status: int,
        code: Code,
        message: str,
        *,
        details: dict[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.body = ErrorEnvelope(error=ErrorBody(code=code, message=message, details=details))
        self.headers = dict(headers or {})


def invalid(field: str, text: str, message: str) -> ApiError:
    """A value that a person can mistype: 422, and `details` name the field."""
    return ApiError(422, Code.VALIDATION_FAILED, message, details={field: text})


def bad_input(message: str) -> ApiError:
    """400 without details."""
    return ApiError(400, Code.INVALID_INPUT, message)


def not_found(what: str) -> ApiError:
    """404 for a thing that does not exist, or not for this reader."""
    return ApiError(404, Code.NOT_FOUND, f"There is no such {what}. It may have been removed.")


def unauthenticated() -> ApiError:
    """401: nobody is signed in, or no longer."""
    return ApiError(401, Code.UNAUTHENTICATED, "Sign in first.")


def forbidden() -> ApiError:
    """403: signed in, but not as an administrator."""
    return ApiError(403, Code.FORBIDDEN, "Only an administrator may do this.")


def unsupported_media_type(kind: str) -> ApiError:
    """415: the body says that it is no JSON."""
    return ApiError(
        415,
        Code.UNSUPPORTED_MEDIA_TYPE,
        f"The body says that it is {kind[:100]}. Send JSON, with `Content-Type: application/json`.",
        headers={"Accept": "application/json"},
    )


def rate_limited(seconds: int) -> ApiError:
    """429: try again in so many seconds."""
    return ApiError(
        429,
        Code.RATE_LIMITED,
        f"Too many tries. Wait {seconds} s and try again.",
        headers={"Retry-After": str(seconds)},
    )


def unavailable(message: str, *, seconds: int = 2) -> ApiError:
    """503: not now, perhaps in so many seconds."""
    return ApiError(503, Code.UNAVAILABLE, message, headers={"Retry-After": str(seconds)})


_UNSTORABLE = "The text holds characters that cannot be kept, such as a zero byte. Leave them out."

# OSError: an embedded server that is being started again has no socket for a moment.
_AWAY = (
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.InsufficientResourcesError,
    OSError,
    TimeoutError,
)


def envelope(error: Exception) -> ApiError:
    """Any exception as an answer; of what is not expected the client learns as little as possible."""
    match error:
        case ApiError():
            return error
        case ValidationException():
            message = "Something in the request cannot be used; see `details`."
            return ApiError(422, Code.VALIDATION_FAILED, message, details=_named(error.extra, error.detail))
        case RecursionError():  # of the decoder: nothing of ours goes deep
            return bad_input("The body is nested too deeply.")
        case SerializationException() | msgspec.DecodeError():
            return _no_json(str(error))
        case HTTPException(status_code=400) if isinstance(error.__cause__, SerializationException):
            return _no_json(error.detail)
        case NotFoundException():
            return ApiError(404, Code.NOT_FOUND, "There is nothing at this address.")
        case MethodNotAllowedException():
            message = "This address does not take this method."
            return ApiError(405, Code.METHOD_NOT_ALLOWED, message, headers=error.headers)
        case HTTPException(status_code=413):
            return ApiError(413, Code.PAYLOAD_TOO_LARGE, "The body is larger than what is taken here.")
        case HTTPException() if error.status_code < 500:
            return ApiError(error.status_code, Code.INVALID_INPUT, error.detail, headers=error.headers)
        case asyncpg.DataError():
            return bad_input(_UNSTORABLE)
        case asyncpg.DiskFullError():
            log.warning("the database's disk is full", error=str(error))
            return unavailable(
                "The disk of the database is full, so nothing was changed. Free some space and try again.", seconds=30
            )
        case _ if isinstance(error, _AWAY):
            log.warning("the database did not answer", error=str(error) or type(error).__name__)
            return unavailable("The database does not answer at the moment. Try again shortly.")
        case _:
            return ApiError(500, Code.INTERNAL, "Something went wrong on the server. Its log says what.")


_NO_BODY = "'data'"
"""Litestar's finding where there is no body at all: the name of the argument that would hold it."""


def _no_json(found: str) -> ApiError:
    text = "It ends before it is complete." if "truncated" in found else "It is not JSON."
    message = "The body cannot be read; a JSON object is expected here."
    return ApiError(400, Code.INVALID_INPUT, message, details={"body": text})


def _named(extra: Any, detail: str) -> dict[str, Any]:
    """Litestar's list of findings as field -> text."""
    found = {}
    for finding in extra if isinstance(extra, list) else ():
        if isinstance(finding, dict):
            key, message = finding.get("key"), str(finding.get("message", "not accepted"))
            if key in {None, "", "data"}:
                key, message = "body", "It is empty; a JSON object is expected." if message == _NO_BODY else message
            found[str(key)] = message
    return found or {"body": detail}


def respond(request: Request[Any, Any, Any], error: Exception) -> Response[ErrorEnvelope]:
    """Litestar's exception handler."""
    answer = envelope(error)
    if answer.body.error.code is Code.INTERNAL:
        log.error("request failed", method=request.method, path=request.url.path, exc_info=error)
    return Response(answer.body, status_code=answer.status, headers={**answer.headers, "Cache-Control": "no-store"})


HANDLERS: ExceptionHandlersMap = {Exception: respond, HTTPException: respond}
