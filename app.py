"""The launcher: one process serves the dashboard and, unless another service is set, the service under `/api`.

Start it with `streamlit run app.py` or `uvicorn app:app`, from any folder.
"""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.routing import Route
from starlette.types import Scope
from streamlit import config

from coachboard import log_lines, monitoring
from coachboard.log_lines import RequestIds
from coachboard.private_files import keep_private, report_wide
from coachboard.server import assets, session_keys
from coachboard.server.address import OwnAddress
from coachboard.server.embedded import DESCRIPTIONS, open_service, routes_of
from coachboard.server.headers import SecurityHeaders, StaticCompression
from coachboard.server.request_guard import RequestGuard
from coachboard.server.sign_in_links import Links
from coachboard.server.unknown_paths import UnknownPaths
from coachboard.service.api.http_protocol import limit_requests
from coachboard.settings import Settings
from coachboard.streamlit_hooks import hooks
from coachboard.streamlit_hooks.browser_sessions import BrowserSessions
from coachboard.streamlit_hooks.html_head import HtmlHead
from coachboard.ui.frame import connection, navigation, setting_faults, shell

ROOT = Path(__file__).resolve().parent
SETTINGS = Settings()

log_lines.use(as_json=SETTINGS.log_format == "json")
hooks.start(off=SETTINGS.streamlit_hooks_off)
hooks.use_config_beside(ROOT / "app.py")
config.set_option("server.allowedHosts", [name.strip() for name in SETTINGS.allowed_hosts.split(",")])

limit_requests()
keep_private()

SERVICE, STORE = open_service(SETTINGS) if SETTINGS.base_url is None else (None, None)
report_wide(SETTINGS.data, SETTINGS.outbox, SETTINGS.cache_url, *([SETTINGS.database_url] if SERVICE else []))


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Import all pages and exclude them from garbage collection, which pauses every session."""
    navigation.import_pages()
    gc.collect()
    gc.freeze()
    gc.enable()  # commands disable it for the imports, which saves a fifth of the import time
    for fault in setting_faults.wrong():
        logging.getLogger("coachboard").warning(fault)
    tasks = [asyncio.create_task(report_unanswered()), asyncio.create_task(close_idle_clients())]
    # Access logs contain athletes' ids; Streamlit enables this logger despite uvicorn's options.
    logging.getLogger("uvicorn.access").setLevel(logging.WARNING)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        connection.close_all()
        if SERVICE is not None and STORE is not None:
            SERVICE.state.mailer.close()  # Starlette does not run the lifespan of a mounted application
            SERVICE.state.worker.close()
            STORE.close()


async def report_unanswered() -> None:
    """Name the setting of an address that does not answer in the log, once; the dashboard starts nevertheless."""
    while True:
        for fault in await run_in_threadpool(setting_faults.look):
            logging.getLogger("coachboard").warning(fault)
        await asyncio.sleep(LOOK_AGAIN_S)


async def close_idle_clients() -> None:
    """Close the clients of people who have left, also if nobody comes any more."""
    while True:
        await asyncio.sleep(CLOSE_IDLE_S)
        await run_in_threadpool(connection.close_idle)


CLOSE_IDLE_S = 60.0
LOOK_AGAIN_S = 300.0
"""Between two looks at the addresses of the settings: pages may name an address for so long after it answers again."""


def say_fault(_error: Exception) -> bool:
    """Show a message instead of a traceback, which goes to the log."""
    st.error(
        "Something went wrong in the dashboard. No data is lost. Reload the page; if it happens again, "
        "contact your administrator: the details are in the server log.",
        icon=":material/error:",
    )
    return True


def tile_origin() -> str:
    """The origin of map tiles, the only other host of images."""
    if setting_faults.wrong_tiles(SETTINGS.tile_url) is not None:
        return ""
    parts = urlsplit(SETTINGS.tile_url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def first_page_route() -> Route:
    """The first page is at `/`; its own name redirects there."""

    async def at_root(request: Request) -> RedirectResponse:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/{query}")

    return Route(f"/{navigation.declared()[0]}", at_root)


async def gauges() -> list[monitoring.Gauge]:
    is_open = await run_in_threadpool(connection.can_use_local_store)
    explained = "1 if the dashboard's own data can be used, else 0."
    return [monitoring.sessions(), ("coachboard_dashboard_store_ready", explained, is_open)]


def no_page() -> PlainTextResponse:
    return PlainTextResponse("There is no such page.", 404)


def route_of(scope: Scope) -> str:
    """The page, or the folder of a file or an endpoint."""
    first = scope["path"].split("/")[1]
    if scope["path"] == "/" or first in navigation.declared():
        return scope["path"] if scope["path"] in {"/", f"/{first}"} else monitoring.OTHER
    return f"/{first}/*" if first in PARTS else monitoring.OTHER


PARTS = frozenset({"_stcore", "api", "assets", "component", "media", "metrics", "session", "static"})


def measuring() -> list[Middleware]:
    if not SETTINGS.metrics_from:
        return []
    return [Middleware(monitoring.Measured, part="dashboard", route_of=route_of)]


app = st.App(
    Path(shell.__file__).with_name("main.py"),
    routes=[
        first_page_route(),
        *session_keys.routes(),
        *assets.routes(),
        Route(monitoring.PATH, monitoring.endpoint(SETTINGS.metrics_from or "", gauges, no_page)),
        *(routes_of(SERVICE) if SERVICE is not None else []),
        *(Links(SETTINGS.data).routes() if SERVICE is not None else []),
    ],
    middleware=[
        Middleware(RequestIds),
        *measuring(),
        Middleware(
            RequestGuard,
            allowed_hosts=config.get_option("server.allowedHosts"),
            max_upload_bytes=(config.get_option("server.maxUploadSize") + 1) * 2**20,
        ),
        *([Middleware(BrowserSessions)] if hooks.is_on(hooks.BROWSER_SESSIONS) else []),
        Middleware(OwnAddress),
        Middleware(SecurityHeaders, image_sources=tile_origin()),
        Middleware(StaticCompression),
        Middleware(UnknownPaths, pages=[*navigation.declared(), *(DESCRIPTIONS if SERVICE else ())]),
        *([Middleware(HtmlHead)] if hooks.is_on(hooks.HTML_HEAD) else []),
    ],
    lifespan=lifespan,
    on_script_error=say_fault,
)
log_lines.use(as_json=SETTINGS.log_format == "json")  # with the loggers of the imports
