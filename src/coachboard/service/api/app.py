"""The service as an ASGI application, to be mounted under /api."""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.types import Lifespan

from coachboard.service.api import openapi
from coachboard.service.api.compression import accepted, json_reply
from coachboard.service.api.errors import HANDLERS
from coachboard.service.api.limits import Limits, OwnCounters, SharedCounters
from coachboard.service.api.reply_cache import ReplyCache
from coachboard.service.api.request_checks import DESCRIPTION_PATH, RequestChecks
from coachboard.service.api.routes import Reading, StreamMaker, UntilWritten, all_is_written
from coachboard.service.invitations.endpoint import Inviting
from coachboard.service.invitations.mail import Mailer
from coachboard.service.store import Store
from coachboard.settings import Settings

_NO_MAKERS: Mapping[str, StreamMaker] = {}


def create_app(
    store: Store,
    *,
    settings: Settings | None = None,
    stream_makers: Mapping[str, StreamMaker] = _NO_MAKERS,
    shared_limits: bool | None = None,
    until_written: UntilWritten = all_is_written,
    clock: Callable[[], float] = time.time,
) -> Starlette:
    """The ten endpoints and their description over a store.

    `until_written` returns when a user's rows of a kind since a day, else all, are there; without it they always are.

    Limits are counted in the database where several processes may serve it: unless told otherwise, on
    PostgreSQL. `app.state.mailer` sends in the background; its `close` waits for what is under way.
    """
    settings = settings or Settings()
    is_shared = not store.is_local if shared_limits is None else shared_limits
    limits = Limits(SharedCounters(store) if is_shared else OwnCounters(), clock)
    reply_cache = ReplyCache(store, _today(settings, clock), clock)
    mailer = _mailer(settings)
    reading = Reading(
        store,
        reply_cache=reply_cache,
        limits=limits,
        stream_makers=stream_makers,
        until_written=until_written,
    )
    inviting = Inviting(store, reply_cache=reply_cache, mailer=mailer, clock=clock)
    app = Starlette(
        routes=[*reading.routes(), *inviting.routes(), Route(DESCRIPTION_PATH, describe)],
        middleware=[Middleware(RequestChecks, reply_cache=reply_cache, limits=limits)],
        exception_handlers=HANDLERS,
        lifespan=_closing(mailer),
    )
    # A path with a slash too many is another path, not a redirection to the right one.
    app.router.redirect_slashes = False
    app.state.mailer = mailer
    return app


def mounted(service: Starlette) -> Starlette:
    """The service alone under /api, as `coachboard serve` runs it."""
    outer = Starlette(
        routes=[Mount("/api", service)], exception_handlers=HANDLERS, lifespan=_closing(service.state.mailer)
    )
    outer.router.redirect_slashes = False
    return outer


async def describe(request: Request) -> Response:
    """The interface's own description, with the address it is served under."""
    body = openapi.document_json(request.scope["root_path"] or "/")
    encodings = request.headers.get("accept-encoding", "").encode("latin-1")
    return await json_reply(body, accepted(encodings))


def _today(settings: Settings, clock: Callable[[], float]) -> Callable[[], date]:
    fixed = settings.today
    if fixed is not None:
        return lambda: fixed
    # spec: not shown: in whose time zone a note's hidden day ends; it is UTC's.
    return lambda: datetime.fromtimestamp(clock(), UTC).date()


def _mailer(settings: Settings) -> Mailer:
    smtp_url = settings.smtp_url.get_secret_value() if settings.smtp_url else None
    return Mailer(smtp_url=smtp_url, sender=settings.mail_from, outbox=settings.outbox)


def _closing(mailer: Mailer) -> Lifespan[Starlette]:
    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        mailer.close()

    return lifespan
