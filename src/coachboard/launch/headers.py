"""Security headers of every reply, and what nobody outside needs to see."""

from collections.abc import Mapping
from types import MappingProxyType

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coachboard.launch import page_head

INLINE_SCRIPT_HASH = "sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA="
"""The one inline script of Streamlit's index.html; a test computes it from the installed one."""

CONTENT_POLICY = MappingProxyType(
    {
        "default-src": "'self'",
        # blob: because components without a file of their own are imported from one. wasm-unsafe-eval because Streamlit's
        # protobuf compiles WebAssembly for 64-bit numbers: Firefox logged the refusal as an error on each page.
        "script-src": f"'self' blob: 'wasm-unsafe-eval' '{INLINE_SCRIPT_HASH}' '{page_head.SCRIPT_HASH}'",
        # Streamlit, Plotly and the data table set styles from script.
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

# Figures about the process, and the agent's door with its description: of no use to a reader.
_CLOSED = ("/_stcore/metrics", "/_stcore/agent")


def policy(extra: Mapping[str, str] | None = None) -> str:
    """The content policy as one header; `extra` adds sources to a directive, as for map tiles."""
    added = extra or {}
    parts = (
        f"{directive} {sources} {added.get(directive, '')}".strip()
        for directive, sources in CONTENT_POLICY.items()
    )
    return "; ".join(parts)


class SecurityHeaders:
    """Pure ASGI, so that websockets and streamed replies pass untouched."""

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
