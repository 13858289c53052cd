"""Headers of every reply, and the one inline script that the content policy lets through."""

import asyncio
import base64
import hashlib
import os
import re
from pathlib import Path

import httpx
import pytest
import streamlit
from starlette.responses import PlainTextResponse

from coachboard.server.address import EMBEDDED_URL, OwnAddress
from coachboard.server.headers import SecurityHeaders, policy
from coachboard.streamlit_hooks.html_head import STREAMLIT_SCRIPT_HASH


async def text(scope, receive, send):
    await PlainTextResponse("x" * 5_000)(scope, receive, send)


def get(app, path, **headers):
    async def ask():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://coachboard", headers=headers
        ) as client:
            return await client.get(path)

    return asyncio.run(ask())


def test_the_hash_is_that_of_the_one_inline_script_of_the_installed_streamlit():
    index = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    inline = re.findall(r"<script>(.*?)</script>", index, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(inline[0].encode()).digest()).decode()

    assert len(inline) == 1
    assert f"sha256-{digest}" == STREAMLIT_SCRIPT_HASH


@pytest.mark.parametrize("path", ["/", "/roster", "/static/x.js", "/api/users"])
def test_every_reply_carries_the_policy(path):
    headers = get(SecurityHeaders(text), path).headers

    assert headers["content-security-policy"] == policy()
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics/", "/_stcore/agent/openapi.json"])
def test_internal_addresses_give_404(path):
    reply = get(SecurityHeaders(text), path)

    assert reply.status_code == 404
    assert "content-security-policy" in reply.headers


def test_the_policy_lets_nothing_be_evaluated_and_nothing_come_from_elsewhere():
    words = policy()

    assert "'unsafe-eval'" not in words
    assert "http" not in words
    assert "frame-ancestors 'none'" in words


def test_map_tiles_add_their_host_to_pictures_alone():
    with_tiles = policy({"img-src": "https://tiles.example"})

    assert "img-src 'self' data: blob: https://tiles.example" in with_tiles
    assert with_tiles.count("https://") == 1


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        (("127.0.0.1", 9000), "http://127.0.0.1:9000/api"),
        (("0.0.0.0", 8501), "http://127.0.0.1:8501/api"),
        (("::1", 8501), "http://[::1]:8501/api"),
    ],
)
def test_the_own_address_is_that_of_the_socket_and_not_of_the_host_header(monkeypatch, server, expected):
    monkeypatch.delenv(EMBEDDED_URL, raising=False)
    scope = {"type": "http", "path": "/", "server": server, "headers": [(b"host", b"evil.example")]}

    async def ends(scope, receive, send):
        pass

    asyncio.run(OwnAddress(ends)(scope, None, None))

    assert os.environ.pop(EMBEDDED_URL) == expected
