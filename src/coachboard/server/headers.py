"""Security headers of every reply, routes that are closed to the public, and compressed scripts, styles and fonts."""

from collections.abc import Mapping
from ipaddress import ip_address
from types import MappingProxyType

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coachboard.streamlit_hooks import html_head

CONTENT_POLICY = MappingProxyType(
    {
        "default-src": "'self'",
        # blob: because the browser imports components without a file from blobs. wasm-unsafe-eval because Streamlit's
        # protobuf compiles WebAssembly for 64-bit numbers: Firefox logged the refusal as an error on each page.
        "script-src": f"'self' blob: 'wasm-unsafe-eval' '{html_head.STREAMLIT_SCRIPT_HASH}' '{html_head.SCRIPT_HASH}'",
        # Scripts of Streamlit, Plotly and the data table set styles.
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "frame-src": "'none'",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
)

_ALWAYS = MappingProxyType(
    {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
)

# Process metrics and Streamlit's agent endpoint with its description: users do not need them.
_CLOSED = ("/_stcore/metrics", "/_stcore/agent")


def policy(extra: Mapping[str, str] | None = None) -> str:
    """The Content-Security-Policy; `extra` adds sources to a directive, such as map tiles."""
    added = extra or {}
    parts = (
        f"{directive} {sources} {added.get(directive, '')}".strip()
        for directive, sources in CONTENT_POLICY.items()
    )
    return "; ".join(parts)


class SecurityHeaders:
    """Pure ASGI, so that websockets and streamed replies pass unchanged."""

    def __init__(self, app: ASGIApp, *, image_sources: str = "") -> None:
        self._app = app
        self._headers = {**_ALWAYS, "Content-Security-Policy": policy({"img-src": image_sources})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["path"].rstrip("/").startswith(_CLOSED):
            await PlainTextResponse("Not found", 404)(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)


_LEVEL = 6  # level 9, the default, blocks the event loop three times as long for one per cent
_PASSED_ON = ("x-forwarded-for", "forwarded")


class StaticCompression:
    """gzip for files under `/static/` and the page itself, once per browser, because browsers cache them for a year.

    Streamlit sends its scripts, styles and fonts uncompressed: on a slow line (10 Mbit/s) a chart page shrinks from 7.4
    to 2.5 MB. Replies of the service and of sessions stay as they are. A browser on the same machine gets uncompressed
    files: it would decompress its cached copies at every visit, 60 of 1,000 ms.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._plain = app
        self._compressed = GZipMiddleware(app, minimum_size=2_000, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_static = scope["type"] == "http" and scope["path"].startswith("/static/")
        is_worth = is_static and not _is_this_machine(scope)
        await (self._compressed if is_worth else self._plain)(scope, receive, send)


def _is_this_machine(scope: Scope) -> bool:
    """Whether the browser is on this machine; a proxy on this machine sends the browser's address."""
    headers = Headers(scope=scope)
    if any(name in headers for name in _PASSED_ON):
        return False
    try:
        return ip_address((scope.get("client") or ("",))[0]).is_loopback
    except ValueError:
        return False
