"""Signing in and out."""

from typing import Any

import structlog
from litestar import Controller, Request, Response, get, post
from litestar.datastructures import Cookie
from litestar.params import JSONBody

from orihon.accounts import addresses, sessions, tokens, users
from orihon.accounts.errors import BadPassword, WrongCredentials
from orihon.accounts.sessions import Session
from orihon.accounts.users import User
from orihon.api.context import Given
from orihon.api.documented import answers, errors
from orihon.api.errors import ApiError, Code, bad_input, rate_limited
from orihon.api.gate import session_tokens
from orihon.api.rights import anyone, person, signed_in
from orihon.api.shapes import AuthConfig, Login, UserAnswer
from orihon.config import Settings

log = structlog.get_logger(__name__)

_DAY = 24 * 3600


class AuthController(Controller):
    path = "/auth"
    tags = ("Accounts",)

    @get("/config", guards=[anyone], responses=errors(), summary="What a sign-in page shows")
    async def config(self, context: Given) -> AuthConfig:
        # Strangers cannot make accounts in this version.
        return AuthConfig(self_register_enabled=False, private_mode=context.settings.private_mode)

    @post("/login", guards=[anyone], status_code=200, responses=errors(401, 403, 415, 429), summary="Sign in")
    async def login(
        self, context: Given, request: Request[Any, Any, Any], data: JSONBody[Login]
    ) -> Response[UserAnswer]:
        settings = context.settings
        address = addresses.client_address(request.headers.get("x-forwarded-for"), trusted_proxy=settings.trusted_proxy)
        if (wait := context.limiter.take(address)) is not None:
            log.warning("sign-in tries are limited", endpoint="login", address=address)
            raise rate_limited(wait)
        if not data.username.strip() or not data.password:
            raise bad_input("Say a user name and a password.")
        try:
            async with context.pool.acquire() as db:
                user = await users.authenticate(db, data.username, data.password, hasher=context.passwords)
                token = await sessions.start(db, user.id, days=settings.session_ttl_days)
        except BadPassword as error:
            raise bad_input(str(error)) from error
        except WrongCredentials as error:
            raise ApiError(401, Code.UNAUTHENTICATED, str(error)) from error
        return Response(
            UserAnswer(user=user),
            cookies=[_cookie(settings, token, settings.session_ttl_days * _DAY)],
            headers={"Cache-Control": "no-store"},
        )

    @post(
        "/logout", guards=[anyone], status_code=204, responses={**answers(None, 204), **errors(403)}, summary="Sign out"
    )
    async def logout(self, context: Given, request: Request[Any, Any, Any]) -> Response[None]:
        for token in session_tokens(request.scope["headers"]):
            digest = tokens.digest(token)
            async with context.pool.acquire() as db:
                await sessions.end(db, digest)
            context.sessions.forget(digest)
        return Response(None, status_code=204, cookies=[_cookie(context.settings, "", 0)])

    @get("/me", guards=[signed_in], responses=errors(401), summary="Who is signed in")
    async def me(self, request: Request[Any, Any, Any]) -> UserAnswer:
        return UserAnswer(user=_user(person(request)))


def _user(session: Session) -> User:
    return User(
        id=session.user_id,
        username=session.username,
        is_admin=session.is_admin,
        created_at=session.user_created_at,
    )


def _cookie(settings: Settings, value: str, seconds: int) -> Cookie:
    return Cookie(
        key=sessions.COOKIE,
        value=value,
        max_age=seconds,
        path="/",
        httponly=True,
        samesite="lax",
        secure=settings.cookie_secure,
    )
