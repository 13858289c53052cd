"""The address of this process, read from its own socket instead of a request header that a caller can forge."""

import os

from starlette.types import ASGIApp, Receive, Scope, Send

from coachboard.listening import embedded_url

EMBEDDED_URL = "COACHBOARD_EMBEDDED_URL"
HAS_DEMO_KEYS = "COACHBOARD_HAS_DEMO_KEYS"
"""Set while the embedded store accepts the demo's keys; every other store would reject them."""


class OwnAddress:
    """Stores the socket of the first request as the address of the embedded service."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if EMBEDDED_URL not in os.environ and (server := scope.get("server")) and server[1]:
            os.environ[EMBEDDED_URL] = embedded_url(*server)
        await self._app(scope, receive, send)
