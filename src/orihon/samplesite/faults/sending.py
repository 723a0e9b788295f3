"""Answers on their way out: slowly, in part, or not at all."""

from collections.abc import Awaitable, Callable

from aiohttp import web

from orihon.samplesite.faults.answer import Answer

PIECES = 20
"""Into how many pieces a slow body is cut."""

Sleep = Callable[[float], Awaitable[None]]

# The server knows these itself.
_OWN = frozenset(("content-length", "date", "server", "connection", "transfer-encoding"))


def taken(response: web.StreamResponse) -> Answer | None:
    """What a handler answered; None for one that is on its way already."""
    if response.prepared or not isinstance(response, web.Response):
        return None
    body = response.body
    headers = {name: value for name, value in response.headers.items() if name.lower() not in _OWN}
    if body is not None and not isinstance(body, bytes | bytearray):
        return None
    return Answer(status=response.status, body=bytes(body or b""), headers=headers)


async def send(request: web.Request, answer: Answer, sleep: Sleep) -> web.StreamResponse:
    """Send an answer as it says."""
    if answer.delay:
        await sleep(answer.delay)
    if answer.held:
        _close(request)
        return web.Response(status=answer.status)
    if not answer.spread and answer.sent is None:
        return web.Response(status=answer.status, body=answer.body, headers=answer.headers)
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    response.content_length = len(answer.body)
    await response.prepare(request)
    body = answer.body if answer.sent is None else answer.body[: answer.sent]
    step = max(1, -(-len(body) // PIECES)) if answer.spread else max(1, len(body))
    for start in range(0, len(body), step):
        if start:
            await sleep(answer.spread / PIECES)
        await response.write(body[start : start + step])
    if answer.sent is not None:
        _close(request)
    return response


def _close(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.close()
