"""Additions to the head of Streamlit's page: server address, window width, history, styles, font.

- Server address: a page asks for `/trends/_stcore/health` first and waits 100 ms before it asks at the root, a third
  of the load of an empty page, on every page but the first.
- Window width: Streamlit does not report it; a cookie that the page sets before it connects does.
- Font: Streamlit preloads its own font, which no page uses; with the page's font preloaded, text is drawn once.
"""

import base64
import re
from hashlib import sha256
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coachboard.server import assets

NARROW = "coachboard_narrow"
"""The cookie: `1` in a narrow window, `0` in a wide one. It holds nothing else."""

_NARROW_PX = 640
_HOST = (
    'window.__streamlit={BACKEND_BASE_URL:new URL(".",location).href,'
    'HOST_CONFIG:{allowedOrigins:["https://nobody.invalid"],useExternalAuthToken:false}}'
)
"""All pages have addresses in one folder, so that folder is the root of the server, also behind a proxy's prefix.

With any allowed origin, Streamlit's script connects at once and asks for its settings meanwhile.
"""
_WIDTH = (
    "{let sent=document.currentScript.dataset.narrow;"
    f'const narrow=matchMedia("(max-width:{_NARROW_PX}px)"),tell=()=>{{const now=`${{+narrow.matches}}`;'
    f'if(now!==sent)document.cookie=`{NARROW}=${{now}};path=${{new URL(".",location).pathname}};samesite=lax`;'
    'sent=now};tell();narrow.addEventListener("change",tell)}'
)
"""Writing a cookie makes the browser wait for another process: write it only if the server has another value."""
_ONE_ENTRY = (
    '{const push=history.pushState;let isAsked=false;for(const kind of["pointerdown","click","keydown","input"])'
    "addEventListener(kind,()=>{isAsked=true},true);history.pushState=(...entry)=>{"
    "if(isAsked)push.apply(history,entry);else history.replaceState(...entry);isAsked=false}}"
)
"""One action of the user adds at most one history entry; an address that a page changes by itself replaces the entry."""
SCRIPT = f"{_HOST};{_WIDTH};{_ONE_ENTRY}"
STREAMLIT_SCRIPT_HASH = "sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA="
"""The inline script of Streamlit's index.html; a test computes the hash from the installed file."""
SCRIPT_HASH = f"sha256-{base64.b64encode(sha256(SCRIPT.encode()).digest()).decode()}"

BEFORE = b'<script type="module"'
"""At the end of the page the addition would wait for the styles: 100 of 650 ms until the first request."""
_STREAMLIT_FONT = re.compile(rb"\./static/media/SourceSans[^\"]+")
_FONT = b"./app/static/inter.woff2"
_ADDED = '<script data-narrow="{narrow}">{script}</script>{printing}<style>{styles}</style>'
_STYLES = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
_PRINTING = f'<script async src=".{assets.address_of(Path(__file__).with_name("print.js"))}"></script>'
_NOT_PASSED_ON = (b"if-none-match", b"if-modified-since", b"accept-encoding")
_VALIDATORS = ("etag", "last-modified")


class HtmlHead:
    """Add the scripts and styles to the page before its first module, and replace Streamlit's font."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "GET" and _takes_pages(scope):
            cookie = HTTPConnection(scope).cookies.get(NARROW, "")
            narrow = cookie if cookie in {"0", "1"} else ""
            added = _ADDED.format(narrow=narrow, script=SCRIPT, printing=_PRINTING, styles=_STYLES)
            await self._app(_plain(scope), receive, _Adding(send, added.encode()))
        else:
            await self._app(scope, receive, send)


class _Adding:
    """Collect a page until it is complete, add to it, send it; send everything else at once."""

    def __init__(self, send: Send, added: bytes) -> None:
        self._send = send
        self._added = added
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_whole(self._start)

    async def _send_whole(self, start: Message) -> None:
        body = _STREAMLIT_FONT.sub(_FONT, self._body.replace(BEFORE, self._added + BEFORE, 1))
        headers = MutableHeaders(scope=start)
        headers["content-length"] = str(len(body))
        for name in _VALIDATORS:
            if name in headers:
                del headers[name]
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})


def _takes_pages(scope: Scope) -> bool:
    return "text/html" in Headers(scope=scope).get("accept", "")


def _is_page(start: Message) -> bool:
    kind = Headers(raw=start["headers"]).get("content-type", "")
    return start["status"] == 200 and kind.startswith("text/html")


def _plain(scope: Scope) -> Scope:
    """The same request without validators and compression.

    A 304 would keep a page with former additions in the browser, and the content policy allows the new script only.
    """
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] not in _NOT_PASSED_ON]}
