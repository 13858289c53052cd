"""The service inside the dashboard's process, for the demo and for one person's own machine."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount, Route

from coachboard.models.errors import ErrorBody
from coachboard.service.app import create_app
from coachboard.service.demo.filling import filling_of
from coachboard.service.demo.streams import make_streams
from coachboard.service.store import Store
from coachboard.settings import Settings

STREAM_MAKERS = {"demo": make_streams}
"""Streams that the store keeps as a recipe are made when somebody asks for them."""


def open_service(settings: Settings) -> tuple[Starlette, Store]:
    """The service over the store of the settings; whoever opens it closes the store."""
    store = Store.open(settings.database_url)
    filling = filling_of(settings.database_url)
    filling.start(store)
    service = create_app(
        store, settings=settings, stream_makers=STREAM_MAKERS, until_written=filling.until_written
    )
    return service, store


def routes_of(service: Starlette) -> list[BaseRoute]:
    """The service under `/api`; the bare path is no page of the dashboard either."""
    return [Route("/api", _nothing_here), Mount("/api", app=service)]


async def _nothing_here(_request: Request) -> JSONResponse:
    body = ErrorBody(code="not_found", error="There is no such resource.")
    return JSONResponse(body.to_wire(), 404)
