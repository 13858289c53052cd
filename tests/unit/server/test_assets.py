"""Large scripts of the package: one address per content, cached by the browser, compressed if it accepts that."""

import asyncio
import gzip

import httpx
from starlette.applications import Starlette

from coachboard.server import assets


def get(path, **headers):
    async def ask():
        transport = httpx.ASGITransport(Starlette(routes=list(assets.routes())))
        async with httpx.AsyncClient(transport=transport, base_url="http://coachboard") as client:
            return await client.get(path, headers=headers)

    return asyncio.run(ask())


def test_a_file_is_served_as_a_script_that_a_browser_may_keep(tmp_path):
    file = tmp_path / "draw.js"
    file.write_text("export const a = 1;")
    reply = get(assets.address_of(file), **{"Accept-Encoding": "identity"})

    assert reply.text == "export const a = 1;"
    assert reply.headers["content-type"].startswith("text/javascript")
    assert "immutable" in reply.headers["cache-control"]
    assert "content-encoding" not in reply.headers


def test_a_browser_that_takes_gzip_gets_it(tmp_path):
    file = tmp_path / "long.js"
    file.write_text("let a = 1;\n" * 1_000)
    reply = get(assets.address_of(file), **{"Accept-Encoding": "gzip, br"})

    assert reply.headers["content-encoding"] == "gzip"
    assert reply.text == file.read_text()
    assert int(reply.headers["content-length"]) == len(gzip.compress(file.read_bytes(), 6))


def test_another_content_has_another_address(tmp_path):
    first, second = tmp_path / "a" / "x.js", tmp_path / "b" / "x.js"
    for file, text in ((first, "1"), (second, "2")):
        file.parent.mkdir()
        file.write_text(text)

    assert assets.address_of(first) != assets.address_of(second)


def test_nothing_else_is_served():
    assert get("/assets/passwd").status_code == 404
    assert get("/assets/..%2F..%2Fapp.py").status_code == 404
