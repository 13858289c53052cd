"""Security headers of every reply, and routes that are closed to the public."""

from collections.abc import Mapping
from types import MappingProxyType

from starlette.datastructures import MutableHeaders
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
