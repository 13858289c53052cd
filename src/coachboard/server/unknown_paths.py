"""404 for paths without a page: Streamlit answers every path with its HTML page and status 200."""

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_FILES = ("/media/", "/component/")
"""Files that may be HTML themselves, such as the printable page of the calendar."""


class UnknownPaths:
    """Replace Streamlit's HTML page at a path that is not `/` or one of the pages."""

    def __init__(self, app: ASGIApp, *, pages: Collection[str]) -> None:
        self._app = app
        self._paths = {"/", *(f"/{name}" for name in pages)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_known = (path.rstrip("/") or "/") in self._paths or path.startswith(_FILES)
        if scope["type"] != "http" or is_known:
            await self._app(scope, receive, send)
            return
        is_replaced = False

        async def send_unless_page(message: Message) -> None:
            nonlocal is_replaced
            if message["type"] == "http.response.start":
                media_type = Headers(raw=message["headers"]).get("content-type", "")
                is_replaced = message["status"] == 200 and media_type.startswith("text/html")
                if is_replaced:
                    await PlainTextResponse("There is no such page.", 404)(scope, receive, send)
            if not is_replaced:
                await send(message)

        await self._app(scope, receive, send_unless_page)
