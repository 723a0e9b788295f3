"""How a route says which errors it answers with, for the OpenAPI document."""

from litestar.openapi.datastructures import ResponseSpec

from orihon.api.errors import ErrorEnvelope

_WORDS = {
    400: "The request makes no sense.",
    401: "Nobody is signed in.",
    403: "Only an administrator may, or the change came from a page elsewhere.",
    404: "There is no such thing.",
    409: "It stands against something that is there.",
    413: "Too large.",
    415: "The body is not JSON.",
    422: "A value cannot be used; `details` name it.",
    429: "Too many tries; see `Retry-After`.",
    503: "Not now; see `Retry-After`.",
}


def errors(*statuses: int) -> dict[int, ResponseSpec]:
    """Responses of a route besides its success. Any route may answer 400, 422 and 503."""
    return {
        status: ResponseSpec(ErrorEnvelope, description=_WORDS[status], generate_examples=False)
        for status in sorted({400, 422, 503, *statuses})
    }


def answers(kind: type | None, status: int = 200) -> dict[int, ResponseSpec]:
    """The success of a route whose return type does not tell it. None: no body."""
    return {status: ResponseSpec(kind, description="Request fulfilled", generate_examples=False)}
