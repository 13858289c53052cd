"""The launcher: one process serves the dashboard and, where no other service is set, the service under `/api`.

Both `streamlit run app.py` and `uvicorn app:app` serve it, from any folder.
"""

import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route
from streamlit import config

from coachboard.launch import assets, theme, vault
from coachboard.launch.address import OwnAddress
from coachboard.launch.ahead import Ahead
from coachboard.launch.compression import StaticCompression
from coachboard.launch.embedded import open_service, routes_of
from coachboard.launch.headers import SecurityHeaders
from coachboard.launch.left_pages import LeftPages
from coachboard.launch.page_head import PageHead
from coachboard.launch.page_scripts import scripts_by_page
from coachboard.settings import Settings
from coachboard.views import connection, figure, shell

ROOT = Path(__file__).resolve().parent
SETTINGS = Settings()

# Under uvicorn Streamlit looks for .streamlit beside the script alone; `streamlit run` sets this to the launcher.
if config._main_script_path is None:  # noqa: SLF001 # there is no public way
    config._main_script_path = str(ROOT / "app.py")  # noqa: SLF001
config.set_option("server.allowedHosts", [name.strip() for name in SETTINGS.allowed_hosts.split(",")])

SERVICE, STORE = open_service(SETTINGS) if SETTINGS.base_url is None else (None, None)


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Import all of it, take it out of the garbage collector's sight, and let that look less often."""
    shell.import_pages()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    gc.enable()  # a command may have turned it off for the imports, of whose time it takes a fifth
    # Addresses hold ids of athletes; Streamlit sets this logger up to speak whatever uvicorn was told.
    logging.getLogger("uvicorn.access").setLevel(logging.WARNING)
    try:
        yield
    finally:
        connection.close_all()
        if SERVICE is not None and STORE is not None:
            SERVICE.state.mailer.close()  # a mounted application's own lifespan is not run
            STORE.close()


def say_fault(_error: Exception) -> bool:
    """In place of a traceback, which belongs in the log."""
    st.error(
        "Something went wrong in the dashboard. No data is lost. Reload the page; if it happens again, "
        "contact your administrator: the details are in the server log.",
        icon=":material/error:",
    )
    return True


def tile_origin() -> str:
    """The one other host that pictures may come from, where map tiles are set."""
    parts = urlsplit(SETTINGS.tile_url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def first_page_route() -> Route:
    """The first page stands at `/`, where Streamlit puts it; under its own name it is found too."""

    async def at_root(request: Request) -> RedirectResponse:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/{query}")

    return Route(f"/{shell.declared()[0]}", at_root)


app = st.App(
    ROOT / "src" / "coachboard" / "views" / "main.py",
    routes=[
        first_page_route(),
        *vault.routes(),
        *assets.routes(),
        *(routes_of(SERVICE) if SERVICE is not None else []),
    ],
    middleware=[
        Middleware(OwnAddress),
        Middleware(SecurityHeaders, image_sources=tile_origin()),
        Middleware(StaticCompression),
        Middleware(Ahead, by_page=scripts_by_page(chart_script=figure.bundle())),
        Middleware(PageHead, themes=theme.take()),
        Middleware(LeftPages),
    ],
    lifespan=lifespan,
    on_script_error=say_fault,
)
