"""Paths without a page are 404, over real HTTP; everything else passes unchanged."""

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from coachboard.server.unknown_paths import UnknownPaths
from serving import served


async def html_page(_request):
    return HTMLResponse("<title>Streamlit</title>")


@pytest.fixture(scope="module")
def address():
    app = Starlette(
        routes=[
            Route("/healthz", lambda _request: PlainTextResponse("ok")),
            Route("/broken", lambda _request: HTMLResponse("<p>Error</p>", 500)),
            Route("/moved", lambda _request: Response(status_code=307, headers={"location": "/"})),
            Route("/{path:path}", html_page),
        ]
    )
    with served(UnknownPaths(app, pages=["trends"])) as url:
        yield url


@pytest.mark.parametrize("path", ["/", "/trends", "/trends/", "/trends?look=nights", "/media/print.html"])
def test_a_page_or_file_is_served(address, path):
    reply = httpx.get(f"{address}{path}")

    assert (reply.status_code, reply.text) == (200, "<title>Streamlit</title>")


@pytest.mark.parametrize("path", ["/wp-login.php", "/trends/more", "/Trends", "/%2e%2e/trends", "/trendsx"])
def test_a_path_without_a_page_is_not_found(address, path):
    reply = httpx.get(f"{address}{path}")

    assert (reply.status_code, reply.text) == (404, "There is no such page.")


@pytest.mark.parametrize(("path", "status"), [("/healthz", 200), ("/broken", 500), ("/moved", 307)])
def test_other_replies_pass(address, path, status):
    assert httpx.get(f"{address}{path}").status_code == status
