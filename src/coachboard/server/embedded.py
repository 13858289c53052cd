"""The service inside the dashboard's process, for the demo and for a user's own computer."""

import os

from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount, Route

from coachboard.plain_text import first_line
from coachboard.server.address import HAS_DEMO_KEYS
from coachboard.service.api.app import create_app
from coachboard.service.api.request_checks import DESCRIPTION_PAGE, OWN_DATA_PATH
from coachboard.service.demo_squad import STREAM_MAKERS, until_written
from coachboard.service.store import Store
from coachboard.service.store.keys import digest_of
from coachboard.settings import Settings, name_of
from coachboard.wire.errors import ErrorBody

DEMO_KEY = "demo-coach-key"

DESCRIPTIONS = tuple(f"api{path}" for path in (DESCRIPTION_PAGE, f"{OWN_DATA_PATH}v1{DESCRIPTION_PAGE}"))
"""The service's own pages."""


def open_service(settings: Settings) -> tuple[Starlette, Store]:
    """The service over the store of the settings, and that store; the caller closes it.

    A server that imports the application would print a traceback of 60 lines for a file that is damaged.
    """
    try:
        store = Store.open(settings.database_url)
    except (SQLAlchemyError, OSError) as error:
        name = name_of("database_url", settings)
        raise SystemExit(f"Error: cannot open the database: {first_line(error)} (setting {name})") from error
    if store.caller(digest_of(DEMO_KEY)) is not None:
        os.environ[HAS_DEMO_KEYS] = "1"
    service = create_app(
        store,
        settings=settings,
        stream_makers=STREAM_MAKERS,
        until_written=until_written(store, settings.database_url),
    )
    return service, store


def routes_of(service: Starlette) -> list[BaseRoute]:
    """The service under `/api`; the bare path is not a page."""
    return [Route("/api", _nothing_here), Mount("/api", app=service)]


async def _nothing_here(_request: Request) -> JSONResponse:
    body = ErrorBody(code="not_found", error="There is no such resource.")
    return JSONResponse(body.to_wire(), 404)
