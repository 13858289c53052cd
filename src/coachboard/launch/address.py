"""Under which address this process answers, learnt from its own socket and not from what a caller claims."""

import os

from starlette.types import ASGIApp, Receive, Scope, Send

from coachboard.listening import embedded_url

EMBEDDED_URL = "COACHBOARD_EMBEDDED_URL"


class OwnAddress:
    """Notes the socket of the first request as the address of the embedded service."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if EMBEDDED_URL not in os.environ and (server := scope.get("server")) and server[1]:
            os.environ[EMBEDDED_URL] = embedded_url(*server)
        await self._app(scope, receive, send)
