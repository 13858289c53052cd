"""What the page's own reply asks the browser to fetch ahead."""

import asyncio
from pathlib import Path

import httpx
import streamlit
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route

from coachboard.launch.ahead import Ahead, component_script


def get(path):
    async def ask():
        plain = Route("/plain", lambda request: PlainTextResponse("x"))
        page = Route(
            "/{name}", lambda request: HTMLResponse("<html></html>", headers={"Link": "<a>; rel=next"})
        )
        app = Ahead(
            Starlette(routes=[plain, page]),
            everywhere=["/static/js/b.js"],
            for_charts=["/assets/a.js"],
            charts_on=["trends"],
        )
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://coachboard") as client:
            return await client.get(path)

    return asyncio.run(ask())


def test_a_page_names_the_scripts_beside_what_it_named_before():
    assert get("/settings").headers.get_list("link") == [
        "<a>; rel=next",
        '</static/js/b.js>; rel="modulepreload"',
    ]


def test_a_page_with_charts_names_their_script_too():
    links = get("/trends").headers.get_list("link")[1]

    assert links == '</assets/a.js>; rel="modulepreload", </static/js/b.js>; rel="modulepreload"'


def test_other_replies_name_none():
    assert "link" not in get("/plain").headers


def test_the_component_script_is_one_of_the_installed_streamlit():
    assert (Path(streamlit.__file__).parent / "static" / component_script().lstrip("/")).is_file()
