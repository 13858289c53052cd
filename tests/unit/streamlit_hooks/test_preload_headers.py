"""What the page's own reply asks the browser to fetch ahead."""

import asyncio
from pathlib import Path

import httpx
import streamlit
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route

from coachboard.streamlit_hooks.page_scripts import ELEMENTS, scripts_by_page
from coachboard.streamlit_hooks.preload_headers import PreloadHeaders
from coachboard.views.frame.shell import PLACES


def get(path, cookies=None):
    async def ask():
        plain = Route("/plain", lambda request: PlainTextResponse("x"))
        page = Route(
            "/{name}", lambda request: HTMLResponse("<html></html>", headers={"Link": "<a>; rel=next"})
        )
        by_page = {"trends": ["/assets/a.js", "/static/js/b.js"], "plain": ["/static/js/b.js"]}
        app = PreloadHeaders(Starlette(routes=[plain, page]), by_page=by_page)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://coachboard", cookies=cookies
        ) as client:
            return await client.get(path)

    return asyncio.run(ask())


def test_a_page_names_its_scripts_beside_what_it_named_before():
    assert get("/trends").headers.get_list("link") == [
        "<a>; rel=next",
        "</assets/a.js>;rel=modulepreload,</static/js/b.js>;rel=modulepreload",
    ]


def test_a_browser_that_was_here_has_them():
    assert get("/trends", {"coachboard_narrow": "0"}).headers.get_list("link") == ["<a>; rel=next"]


def test_a_page_without_scripts_of_its_own_names_none():
    assert get("/elsewhere").headers.get_list("link") == ["<a>; rel=next"]


def test_replies_that_are_no_page_name_none():
    assert "link" not in get("/plain").headers


def test_every_entry_names_a_page():
    first, *others = PLACES

    assert set(ELEMENTS) <= {"", *others}
    assert first == "roster"


def test_the_scripts_are_those_of_the_installed_streamlit_without_what_it_brings_itself():
    scripts = scripts_by_page(chart_script="/assets/charts.js")["trends"]
    static = Path(streamlit.__file__).parent / "static"
    own = (static / "index.html").read_text()

    assert scripts[0] == "/assets/charts.js"
    assert len(scripts) > 5
    assert all((static / script.lstrip("/")).is_file() for script in scripts[1:])
    assert not any(script.rpartition("/")[2] in own for script in scripts)


def test_the_names_fit_into_the_head_of_a_reply():
    """Proxies hold it to 4 KB, of which the policy takes one."""
    lengths = [
        sum(len(script) + 22 for script in scripts)
        for scripts in scripts_by_page(chart_script="/a.js").values()
    ]

    assert max(lengths) < 2700
