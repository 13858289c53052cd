"""The service as an ASGI application, mounted under /api."""

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Match, Mount, Route
from starlette.types import Lifespan, Scope

from coachboard import monitoring
from coachboard.log_lines import RequestIds
from coachboard.service.api import openapi
from coachboard.service.api.description_page import description_routes
from coachboard.service.api.errors import HANDLERS
from coachboard.service.api.health import HealthChecks
from coachboard.service.api.limits import OwnCounters, RateLimits, SharedCounters
from coachboard.service.api.reply_cache import ReplyCache
from coachboard.service.api.request_checks import (
    DESCRIPTION_PAGE,
    OWN_DATA_PATH,
    PLAN_PATH,
    RequestChecks,
)
from coachboard.service.api.routes import ReadEndpoints, StreamMaker, UntilWritten, all_is_written
from coachboard.service.invitations.endpoint import Inviting
from coachboard.service.invitations.mail import Mailer, mailer_of
from coachboard.service.own_data.api import OwnDataApi
from coachboard.service.own_data.jobs import Worker
from coachboard.service.planning.api import PlanningApi
from coachboard.service.planning.comment_mails import send_due_mails
from coachboard.service.planning.intervals import Intervals
from coachboard.service.planning.routes import Calendars
from coachboard.service.store import Store
from coachboard.settings import Settings

_NO_MAKERS: Mapping[str, StreamMaker] = {}


def create_app(  # noqa: PLR0913 (what each service may have beside its store)
    store: Store,
    *,
    settings: Settings | None = None,
    stream_makers: Mapping[str, StreamMaker] = _NO_MAKERS,
    shared_limits: bool | None = None,
    until_written: UntilWritten = all_is_written,
    clock: Callable[[], float] = time.time,
    replica: Store | None = None,
) -> Starlette:
    """The ten endpoints and their description over a store.

    Sessions, streams, metrics and nights are read from the replica, if there is one.

    `until_written` returns when a user's rows of a kind since a day, or all rows, are in the store; without it they always
    are.

    Limits are counted in the database if several processes may serve it: by default on PostgreSQL.
    `app.state.mailer` and `app.state.intervals` send in the background, and `app.state.worker` imports; `close` of each
    waits for the current mail, request or step.
    """
    settings = settings or Settings()
    is_shared = not store.is_local if shared_limits is None else shared_limits
    limits = RateLimits(SharedCounters(store) if is_shared else OwnCounters(), clock)
    reply_cache = ReplyCache(store, _today(settings, clock), clock)
    mailer = mailer_of(settings)
    if store.is_local:
        store.release_mails()
    mailer.look()
    mailer.send_queued(store)
    mailer.repeat(
        partial(
            send_due_mails,
            store,
            mailer,
            today=_today(settings, clock),
            clock=clock,
            public_url=settings.public_url,
        )
    )
    reading = ReadEndpoints(
        store,
        reply_cache=reply_cache,
        limits=limits,
        stream_makers=stream_makers,
        until_written=until_written,
        replica=replica,
    )
    inviting = Inviting(store, mailer=mailer, clock=clock, public_url=settings.public_url)
    today = _today(settings, clock)
    worker = Worker(store, today=today)
    worker.start()
    own_data = OwnDataApi(store, worker, mailer, today=today, clock=clock)
    intervals = Intervals(store, settings.intervals_url, today=today, clock=clock)
    intervals.start()
    planning = PlanningApi(
        Calendars(store, today, clock, until_written),
        limits,
        inviting,
        mailer,
        worker,
        read_streams=reading.packed_streams,
    )
    checks = HealthChecks(store)
    app = Starlette(
        routes=[
            *reading.routes(),
            *inviting.routes(),
            *own_data.routes(),
            *planning.routes(),
            *intervals.routes(),
            *checks.routes(metrics_from=settings.metrics_from),
            *description_routes("", openapi.document_json, _OTHER_APIS),
        ],
        middleware=[Middleware(RequestChecks, reply_cache=reply_cache, limits=limits, checks=checks)],
        exception_handlers=HANDLERS,
        lifespan=_closing(mailer, worker, intervals),
    )
    if settings.metrics_from:
        # The first middleware: the checks answer many requests before a route is chosen.
        app.user_middleware.insert(
            0, Middleware(monitoring.Measured, part="service", route_of=partial(_route_of, app.routes))
        )
    # A path with an extra slash is unknown; do not redirect it.
    app.router.redirect_slashes = False
    app.state.mailer = mailer
    app.state.worker = worker
    app.state.intervals = intervals
    return app


def mounted(service: Starlette) -> Starlette:
    """The service alone under /api, as `coachboard serve` runs it."""
    outer = Starlette(
        routes=[Mount("/api", service)],
        middleware=[Middleware(RequestIds)],
        exception_handlers=HANDLERS,
        lifespan=_closing(service.state.mailer, service.state.worker, service.state.intervals),
    )
    outer.router.redirect_slashes = False
    return outer


_OTHER_APIS = (
    ("Own-data API", f"{OWN_DATA_PATH}v1{DESCRIPTION_PAGE}"),
    ("Planning API", f"{PLAN_PATH}{DESCRIPTION_PAGE}"),
)


def _route_of(routes: Sequence[BaseRoute], scope: Scope) -> str:
    matches = (route for route in routes if route.matches(scope)[0] is not Match.NONE)
    return next((f"/api{route.path}" for route in matches if isinstance(route, Route)), monitoring.OTHER)


def _today(settings: Settings, clock: Callable[[], float]) -> Callable[[], date]:
    fixed = settings.today
    if fixed is not None:
        return lambda: fixed
    # spec: not shown: the time zone of a note's hidden day; UTC is used.
    return lambda: datetime.fromtimestamp(clock(), UTC).date()


def _closing(mailer: Mailer, worker: Worker, intervals: Intervals) -> Lifespan[Starlette]:
    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        mailer.close()
        worker.close()
        intervals.close()

    return lifespan
