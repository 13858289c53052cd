"""The tabs of one browser end together, and downloads belong to the browser whose page offers them."""

import asyncio

import pytest
from starlette.responses import HTMLResponse

from coachboard.streamlit_hooks.browser_sessions import (
    CONNECTION,
    COOKIE,
    ENDED,
    RECONNECT_S,
    Browsers,
    BrowserSessions,
)

ANN, BEN = "a" * 43, "b" * 43


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def browsers(clock):
    return Browsers(clock)


def scope_of(path, browser, *protocols, kind="websocket"):
    headers = [(b"cookie", f"{COOKIE}={browser}".encode())] if browser else []
    if protocols:
        headers.append((b"sec-websocket-protocol", ", ".join(protocols).encode()))
    return {"type": kind, "path": path, "headers": headers}


async def replayed(app, scope, *messages):
    """Replay the messages of a browser that then stays silent; return the messages of the application."""
    waiting, sent = list(messages), []

    async def receive():
        if waiting:
            return waiting.pop(0)
        return await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    return sent


def test_signing_out_closes_the_other_tabs_of_the_browser(browsers):
    closed = []
    for browser, tab in ((ANN, "one"), (ANN, "two"), (BEN, "three")):
        browsers.open_tab(browser, tab, lambda tab=tab: closed.append(tab))

    browsers.end(ANN, but="one")

    assert closed == ["two"]


def test_a_closed_tab_comes_back_with_a_new_session_that_runs_at_once(browsers, clock):
    seen = []

    async def streamlit(scope, receive, send):
        seen.append(dict(scope["headers"]))
        seen.append([(await receive())["type"] for _ in range(2)])

    browsers.end(ANN, but=None)
    app = BrowserSessions(streamlit, browsers=browsers)
    scope = scope_of("/_stcore/stream", ANN, "streamlit", "xsrf", "session-7")
    asyncio.run(replayed(app, scope, {"type": "websocket.connect"}))

    assert seen[0][ENDED.encode()] == b"1"
    assert seen[0][b"sec-websocket-protocol"] == b"streamlit, xsrf"
    assert CONNECTION.encode() in seen[0]
    assert seen[1] == ["websocket.connect", "websocket.receive"]
    clock.now = RECONNECT_S
    assert not browsers.open_tab(ANN, "later", lambda: None)


def test_a_socket_that_is_ended_closes(browsers):
    async def streamlit(_scope, receive, send):
        await receive()
        browsers.end(ANN, but=None)
        assert (await receive())["type"] == "websocket.disconnect"

    app = BrowserSessions(streamlit, browsers=browsers)
    sent = asyncio.run(replayed(app, scope_of("/_stcore/stream", ANN), {"type": "websocket.connect"}))

    assert [message["type"] for message in sent] == ["websocket.close"]


@pytest.mark.parametrize(("browser", "status"), [(ANN, 200), (BEN, 404), (None, 404)])
def test_a_download_is_served_to_the_browser_whose_page_offers_it(browsers, browser, status):
    async def streamlit(scope, receive, send):
        if scope["type"] == "websocket":
            await send({"type": "websocket.send", "bytes": b"..\x12/media/0123456789abcdef.csv\x1a.."})
        else:
            await HTMLResponse("x")(scope, receive, send)

    app = BrowserSessions(streamlit, browsers=browsers)
    asyncio.run(replayed(app, scope_of("/_stcore/stream", ANN)))
    sent = asyncio.run(replayed(app, scope_of("/media/0123456789abcdef.csv", browser, kind="http")))

    assert sent[0]["status"] == status
    assert dict(sent[0]["headers"])[b"cache-control"] == b"no-store"
    browsers.end(ANN, but=None)
    assert not browsers.may_download(ANN, b"0123456789abcdef.csv")


def test_the_first_page_names_the_browser_and_no_later_one_does(browsers):
    app = BrowserSessions(HTMLResponse("x"), browsers=browsers)
    first, later = (
        asyncio.run(replayed(app, scope_of("/", browser, kind="http"))) for browser in (None, ANN)
    )

    cookie = dict(first[0]["headers"])[b"set-cookie"].decode()
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly; SameSite=Strict" in cookie
    assert b"set-cookie" not in dict(later[0]["headers"])
