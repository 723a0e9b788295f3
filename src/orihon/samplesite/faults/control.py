"""The switches over HTTP, for whoever is on this machine."""

from ipaddress import ip_address

import msgspec
from aiohttp import web

from orihon.samplesite.faults.answer import Rule
from orihon.samplesite.faults.switches import BadRule, Switches

PATH = "/faults"


class Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a `PUT /faults`."""

    faults: list[Rule]
    seed: int = 0


def add_to(app: web.Application, switches: Switches) -> None:
    """Add the routes."""

    async def show(request: web.Request) -> web.StreamResponse:
        _from_here(request)
        return _shown(switches)

    async def put(request: web.Request) -> web.StreamResponse:
        _from_here(request)
        try:
            wanted = msgspec.json.decode(await request.read(), type=Wanted)
            switches.replace(wanted.faults, wanted.seed)
        except (msgspec.DecodeError, BadRule) as error:
            return _json({"error": str(error)}, 400)
        return _shown(switches)

    async def end(request: web.Request) -> web.StreamResponse:
        _from_here(request)
        switches.clear()
        return web.Response(status=204)

    app.router.add_get(PATH, show)
    app.router.add_put(PATH, put)
    app.router.add_delete(PATH, end)


def _from_here(request: web.Request) -> None:
    if not is_loopback(request.remote):
        raise web.HTTPForbidden(text="Faults are switched from this machine only.")
    # A browser on this machine may show a page of somebody else, and says so.
    if "Origin" in request.headers:
        raise web.HTTPForbidden(text="Faults are not switched by pages in a browser.")


def is_loopback(address: str | None) -> bool:
    """Whether a peer is on this machine."""
    try:
        return address is not None and ip_address(address).is_loopback
    except ValueError:
        return False


def _shown(switches: Switches) -> web.Response:
    faults = [{**msgspec.to_builtins(rule), "given": given} for rule, given in switches.given()]
    return _json({"seed": switches.seed, "faults": faults})


def _json(value: object, status: int = 200) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), status=status, content_type="application/json")
