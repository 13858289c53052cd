"""What a page is told before Streamlit's script: its server and colours, how narrow a window is, one entry a step.

A page asks under its own address first, `/trends/_stcore/health`, and where that is not found it waits 100 ms before it
asks at the root: a third of what an empty page takes to load, on every page but the first one.

How wide a window is, Streamlit does not tell; a cookie that is set before it connects does.

And it has the browser fetch its own face ahead, which no page of ours is set in; ours came when all was drawn in
another, and all was drawn again.
"""

import base64
import json
import re
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coachboard.launch import assets

NARROW = "coachboard_narrow"
"""The cookie: `1` in a narrow window, `0` in a wide one. It holds nothing else."""

_NARROW_PX = 640
_HOST = (
    'window.__streamlit={BACKEND_BASE_URL:new URL(".",location).href,'
    'HOST_CONFIG:{allowedOrigins:["https://nobody.invalid"],useExternalAuthToken:false},'
    "...JSON.parse(document.currentScript.dataset.themes)}"
)
"""Pages stand side by side, so that the server's root is the folder of each page's address, whatever lies before it.

With a host named, be it none that there is, Streamlit's script connects at once and asks for its settings meanwhile.
"""
_WIDTH = (
    "{let sent=document.currentScript.dataset.narrow;"
    f'const narrow=matchMedia("(max-width:{_NARROW_PX}px)"),tell=()=>{{const now=`${{+narrow.matches}}`;'
    f'if(now!==sent)document.cookie=`{NARROW}=${{now}};path=${{new URL(".",location).pathname}};samesite=lax`;'
    'sent=now};tell();narrow.addEventListener("change",tell)}'
)
"""A browser waits for another of its processes where a cookie is written: it is where the server knows another one."""
_ONE_ENTRY = (
    '{const push=history.pushState;let isAsked=false;for(const kind of["pointerdown","click","keydown","input"])'
    "addEventListener(kind,()=>{isAsked=true},true);history.pushState=(...entry)=>{"
    "if(isAsked)push.apply(history,entry);else history.replaceState(...entry);isAsked=false}}"
)
"""What a reader does writes one entry at the most; what a page adds by itself completes that one."""
SCRIPT = f"{_HOST};{_WIDTH};{_ONE_ENTRY}"
SCRIPT_HASH = f"sha256-{base64.b64encode(sha256(SCRIPT.encode()).digest()).decode()}"

_BEFORE = b'<script type="module"'
"""At the end of the page it would wait for the styles, and the modules for it: 100 ms of 650 until the first request."""
_FACE_OF_STREAMLIT = re.compile(rb"\./static/media/SourceSans[^\"]+")
_FACE = b"./app/static/inter.woff2"
_ADDED = (
    '<script data-narrow="{narrow}" data-themes="{themes}">{script}</script>{printing}<style>{styles}</style>'
)
_STYLES = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
_PRINTING = f'<script async src=".{assets.address_of(Path(__file__).with_name("print.js"))}"></script>'
_NOT_PASSED_ON = (b"if-none-match", b"if-modified-since", b"accept-encoding")
_VALIDATORS = ("etag", "last-modified")


class PageHead:
    """Adds our scripts and styles to the page before its first module, and replaces Streamlit's font by ours.

    `themes` are the page's colours, under the names by which Streamlit's script looks for them.
    """

    def __init__(self, app: ASGIApp, *, themes: Mapping[str, Any] = MappingProxyType({})) -> None:
        self._app = app
        self._themes = escape(json.dumps(dict(themes), separators=(",", ":")))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "GET" and _takes_pages(scope):
            told = HTTPConnection(scope).cookies.get(NARROW, "")
            narrow = told if told in {"0", "1"} else ""
            added = _ADDED.format(
                narrow=narrow, themes=self._themes, script=SCRIPT, printing=_PRINTING, styles=_STYLES
            )
            await self._app(_plain(scope), receive, _Adding(send, added.encode()))
        else:
            await self._app(scope, receive, send)


class _Adding:
    """Passes everything on but a page, which it holds back until it is whole."""

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
        body = _FACE_OF_STREAMLIT.sub(_FACE, self._body.replace(_BEFORE, self._added + _BEFORE, 1))
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
    """The request of somebody who knows nothing of the page yet and takes it uncompressed.

    Streamlit's file may be the same while what is added to it is not, and the policy allows the new script alone.
    """
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] not in _NOT_PASSED_ON]}
