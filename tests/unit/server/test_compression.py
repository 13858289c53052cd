"""Streamlit's own files are compressed for browsers on other machines."""

import asyncio

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from coachboard.server.headers import StaticCompression


def encoding(path, *, client="203.0.113.7", headers=None):
    async def ask():
        route = Route("/{rest:path}", lambda request: PlainTextResponse("x" * 5_000))
        app = StaticCompression(Starlette(routes=[route]))
        transport = httpx.ASGITransport(app, client=(client, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://coachboard") as browser:
            return (await browser.get(path, headers=headers)).headers.get("content-encoding")

    return asyncio.run(ask())


def test_streamlits_files_travel_compressed():
    assert encoding("/static/js/index.js") == "gzip"


@pytest.mark.parametrize("path", ["/api/users", "/"])
def test_other_files_are_not_compressed(path):
    assert encoding(path) is None


@pytest.mark.parametrize("client", ["127.0.0.1", "::1"])
def test_a_browser_on_this_machine_gets_them_as_they_are(client):
    assert encoding("/static/js/index.js", client=client) is None


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded"])
def test_a_proxy_on_this_machine_sends_requests_of_remote_browsers(name):
    assert encoding("/static/js/index.js", client="127.0.0.1", headers={name: "203.0.113.7"}) == "gzip"
