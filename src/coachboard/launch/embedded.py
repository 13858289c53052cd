"""The service inside the dashboard's process, for the demo and for one person's own machine."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount, Route

from coachboard.models.errors import ErrorBody
from coachboard.service.api.app import create_app
from coachboard.service.demo_squad import STREAM_MAKERS, until_written
from coachboard.service.store import Store
from coachboard.settings import Settings


def open_service(settings: Settings) -> tuple[Starlette, Store]:
    """The service over the store of the settings, and that store; the caller closes it."""
    store = Store.open(settings.database_url)
    service = create_app(
        store,
        settings=settings,
        stream_makers=STREAM_MAKERS,
        until_written=until_written(store, settings.database_url),
    )
    return service, store


def routes_of(service: Starlette) -> list[BaseRoute]:
    """The service under `/api`; the bare path is no page of the dashboard either."""
    return [Route("/api", _nothing_here), Mount("/api", app=service)]


async def _nothing_here(_request: Request) -> JSONResponse:
    body = ErrorBody(code="not_found", error="There is no such resource.")
    return JSONResponse(body.to_wire(), 404)
