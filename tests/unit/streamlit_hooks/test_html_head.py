"""A script that the content policy allows gives the page its server address; nothing else is touched."""

import asyncio
import re
import tomllib
from pathlib import Path

import httpx
import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, HTMLResponse
from starlette.routing import Route

from coachboard.server.headers import policy
from coachboard.streamlit_hooks.html_head import SCRIPT, SCRIPT_HASH, HtmlHead

INDEX = Path(streamlit.__file__).parent / "static" / "index.html"
CONFIG = Path(__file__).parents[3] / ".streamlit" / "config.toml"
A_BROWSER = {"accept": "text/html,application/xhtml+xml"}


async def streamlits_page(_request):
    return FileResponse(INDEX)


async def a_fault(_request):
    return HTMLResponse('<script type="module"></script>', 500)


def get(path, **headers):
    pages = Starlette(routes=[Route("/trends", streamlits_page), Route("/fault", a_fault)])
    app = HtmlHead(GZipMiddleware(pages))  # as in Streamlit, which compresses its page

    async def ask():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://coachboard") as client:
            return await client.get(path, headers=headers)

    return asyncio.run(ask())


def test_the_script_is_before_every_module_of_the_installed_streamlit():
    reply = get("/trends", **A_BROWSER)

    before, _, after = reply.text.partition(f'<script data-narrow="">{SCRIPT}</script>')
    assert 'type="module"' in after
    assert 'type="module"' not in before
    assert "stylesheet" not in before  # a script below one waits for it
    printing, _, after = after.partition("</style>")
    assert printing.startswith('<script async src="./assets/')  # a script in its own time holds no module up
    streamlits = re.sub(r"\./static/media/SourceSans[^\"]+", "./app/static/inter.woff2", INDEX.read_text())
    assert before + after == streamlits
    assert int(reply.headers["content-length"]) == len(reply.content)


def test_the_face_that_is_fetched_ahead_is_ours():
    ahead = re.findall(r'href="([^"]+)"\s+as="font"', get("/trends", **A_BROWSER).text)
    faces = tomllib.loads(CONFIG.read_text())["theme"]["fontFaces"]

    assert ahead == [f"./{faces[0]['url']}"]


@pytest.mark.parametrize(
    ("cookie", "width"),
    [("coachboard_narrow=1", "1"), ("a=b; coachboard_narrow=0", "0"), ('coachboard_narrow="><b>', "")],
)
def test_a_window_width_that_the_server_knows_is_not_sent_again(cookie, width):
    assert f'<script data-narrow="{width}">' in get("/trends", **A_BROWSER, cookie=cookie).text


def test_the_policy_allows_it():
    assert f"'{SCRIPT_HASH}'" in policy()


def test_a_page_kept_by_the_browser_is_not_called_unchanged():
    """Streamlit's part of it may be; a script of a former version would be refused by the policy."""
    known = get("/trends").headers["etag"]
    reply = get("/trends", **A_BROWSER, **{"if-none-match": known})

    assert reply.status_code == 200
    assert "etag" not in reply.headers


@pytest.mark.parametrize(("path", "headers"), [("/trends", {"accept": "*/*"}), ("/fault", A_BROWSER)])
def test_replies_without_html_stay_unchanged(path, headers):
    assert SCRIPT not in get(path, **headers).text
