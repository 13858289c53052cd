"""The tabs of one browser: signing out in one ends all of them at once, and downloads are theirs alone.

Streamlit serves `/media/` to everybody who knows the address, and a tab keeps its socket, its state and its page after
another tab has signed out. A cookie with a random name, which no script can read, tells the tabs of one browser.
Without it, downloads are open to everybody with the address, so a failed start-up check does not turn it off.
"""

import asyncio
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from secrets import token_urlsafe

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coachboard.streamlit_hooks import part

COOKIE = "coachboard_browser"
CONNECTION = "x-coachboard-connection"
"""The header with which a script finds its own socket."""
ENDED = "x-coachboard-ended"
"""The header of a socket whose tab was signed out in another tab: it reads with no key of the settings either."""

RECONNECT_S = 600.0
"""For this long a tab that comes back after the sign-out gets a new session."""

_MOST_BROWSERS = 10_000
_MOST_DOWNLOADS = 500
STREAM, MEDIA = "/_stcore/stream", "/media/"
_NAME = re.compile(rb"/media/([0-9a-zA-Z]{8,}\.?[0-9a-zA-Z]*)")
_COOKIE_VALUE = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


@dataclass(slots=True)
class _Browser:
    tabs: dict[str, Callable[[], None]] = field(default_factory=dict)
    downloads: OrderedDict[bytes, None] = field(default_factory=OrderedDict)
    ended_at: float | None = None


class Browsers:
    """The browsers of this process by their cookie; safe for many threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._browsers: OrderedDict[str, _Browser] = OrderedDict()

    def open_tab(self, browser: str, connection: str, close: Callable[[], None]) -> bool:
        """Note a socket; whether its tab comes back after its browser was signed out."""
        with self._lock:
            record = self._of(browser)
            record.tabs[connection] = close
            return record.ended_at is not None and self._clock() - record.ended_at < RECONNECT_S

    def close_tab(self, browser: str, connection: str) -> None:
        with self._lock:
            self._of(browser).tabs.pop(connection, None)

    def end(self, browser: str | None, *, but: str | None) -> None:
        """Close the sockets of all tabs but the one that signs out, and revoke their downloads."""
        if browser is None:
            return
        with self._lock:
            record = self._of(browser)
            record.ended_at = self._clock()
            record.downloads.clear()
            closing = [close for connection, close in record.tabs.items() if connection != but]
        for close in closing:
            close()

    def was_signed_out(self, browser: str | None) -> bool:
        """Whether this browser has signed out since the process started."""
        with self._lock:
            kept = self._browsers.get(browser or "")
            return kept is not None and kept.ended_at is not None

    def allow(self, browser: str, names: Iterable[bytes]) -> None:
        with self._lock:
            downloads = self._of(browser).downloads
            for name in names:
                downloads[name] = None
                downloads.move_to_end(name)
            while len(downloads) > _MOST_DOWNLOADS:
                downloads.popitem(last=False)

    def may_download(self, browser: str | None, name: bytes) -> bool:
        with self._lock:
            record = self._browsers.get(browser or "")
            return record is not None and name in record.downloads

    def _of(self, browser: str) -> _Browser:
        record = self._browsers.setdefault(browser, _Browser())
        self._browsers.move_to_end(browser)
        while len(self._browsers) > _MOST_BROWSERS:
            self._browsers.popitem(last=False)
        return record


BROWSERS = Browsers()
"""One for the process: the middleware fills it, the pages sign out through it."""


class BrowserSessions:
    """Middleware over `Browsers`."""

    def __init__(self, app: ASGIApp, *, browsers: Browsers = BROWSERS) -> None:
        self._app = app
        self._browsers = browsers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        browser = _browser_of(scope)
        if scope["type"] == "websocket":
            await self._stream(scope, receive, send, browser)
        elif scope["path"].startswith(MEDIA):
            await self._download(scope, receive, send, browser)
        else:
            await self._app(scope, receive, send if browser else _with_cookie(scope, send))

    async def _stream(self, scope: Scope, receive: Receive, send: Send, browser: str | None) -> None:
        if browser is None or not scope["path"].endswith(STREAM):
            await self._app(scope, receive, send)
            return
        name = token_urlsafe(16)
        tab = _Tab(receive, send, lambda names: self._browsers.allow(browser, names))
        is_ended = self._browsers.open_tab(browser, name, tab.close)
        try:
            await self._app(_marked(scope, name, is_ended=is_ended, tab=tab), tab.receive, tab.send)
        finally:
            tab.stop()
            self._browsers.close_tab(browser, name)

    async def _download(self, scope: Scope, receive: Receive, send: Send, browser: str | None) -> None:
        name = scope["path"].removeprefix(MEDIA).encode()
        if not self._browsers.may_download(browser, name):
            await PlainTextResponse("Not found", 404, {"Cache-Control": "no-store"})(scope, receive, send)
            return

        async def uncached(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Cache-Control"] = "no-store"
            await send(message)

        await self._app(scope, receive, uncached)


class _Tab:
    """One socket, which the server can close from another thread."""

    def __init__(self, receive: Receive, send: Send, allow: Callable[[Iterable[bytes]], None]) -> None:
        self._receive = receive
        self._send = send
        self._allow = allow
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._next: asyncio.Future[Message] | None = None
        self._is_connected = False
        self.first: bytes | None = None
        """A message that Streamlit reads before those of the tab."""

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        if not self._ended.done():
            self._ended.set_result(None)

    def stop(self) -> None:
        if self._next is not None:
            self._next.cancel()

    async def receive(self) -> Message:
        if self._is_connected and self.first is not None:
            payload, self.first = self.first, None
            return {"type": "websocket.receive", "bytes": payload}
        if self._next is None:
            self._next = asyncio.ensure_future(self._receive())
        await asyncio.wait((self._next, self._ended), return_when=asyncio.FIRST_COMPLETED)
        if self._ended.done():
            await self._send({"type": "websocket.close", "code": 1001})
            return {"type": "websocket.disconnect", "code": 1001}
        message, self._next = self._next.result(), None
        self._is_connected = True
        return message

    async def send(self, message: Message) -> None:
        payload = message.get("bytes") or b""
        if b"/media/" in payload:
            self._allow(_NAME.findall(payload))
        await self._send(message)


def _browser_of(scope: Scope) -> str | None:
    value = HTTPConnection(scope).cookies.get(COOKIE, "")
    return value if _COOKIE_VALUE.fullmatch(value) else None


def _with_cookie(scope: Scope, send: Send) -> Send:
    """Name the browser with the first page; the name ends with the browser session."""

    async def named(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if headers.get("content-type", "").startswith("text/html"):
                secure = "; Secure" if scope.get("scheme") == "https" else ""
                cookie = f"{COOKIE}={token_urlsafe(32)}; Path=/; HttpOnly; SameSite=Strict{secure}"
                headers.append("Set-Cookie", cookie)
        await send(message)

    return named


def _rerun_message() -> bytes:
    state = part("streamlit.proto.ClientState_pb2:ClientState")()
    message: bytes = part("streamlit.proto.BackMsg_pb2:BackMsg")(rerun_script=state).SerializeToString()
    return message


def _marked(scope: Scope, name: str, *, is_ended: bool, tab: _Tab) -> Scope:
    own = (CONNECTION.encode(), ENDED.encode(), b"sec-websocket-protocol")
    headers = [header for header in scope["headers"] if header[0] not in own]
    headers.append((CONNECTION.encode(), name.encode()))
    protocols = [
        protocol.strip() for protocol in HTTPConnection(scope).headers.get(own[2].decode(), "").split(",")
    ]
    if is_ended and len(protocols) > 2:  # the third names the session that the tab had
        protocols = protocols[:2]
        headers.append((ENDED.encode(), b"1"))
        # The page of the tab does not ask for a rerun, and shows the data until then.
        tab.first = _rerun_message()
    if any(protocols):
        headers.append((own[2], ", ".join(protocols).encode("latin-1")))
    return {**scope, "headers": headers}
