"""Under which address this process answers, learnt from its own socket and not from what a caller claims."""

import os

from starlette.types import ASGIApp, Receive, Scope, Send

EMBEDDED_URL = "COACHBOARD_EMBEDDED_URL"
_ANY = {"0.0.0.0", "::", ""}  # noqa: S104 # compared with, not bound to


class OwnAddress:
    """Notes the socket of the first request as the address of the embedded service."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if EMBEDDED_URL not in os.environ and (server := scope.get("server")) and server[1]:
            host = "127.0.0.1" if server[0] in _ANY else server[0]
            host = f"[{host}]" if ":" in host else host
            os.environ[EMBEDDED_URL] = f"http://{host}:{server[1]}/api"
        await self._app(scope, receive, send)
