"""Let the browser fetch and compile the scripts of a page while Streamlit's first script starts.

Without the header the browser asks for the scripts one after the other, after it drew the first elements. A browser
that has visited before keeps the scripts; the header would delay its page by 30 of 1,000 ms.
"""

from collections.abc import Iterable, Mapping

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coachboard.streamlit_hooks.html_head import NARROW


class PreloadHeaders:
    """Add `Link: rel=modulepreload` to the first page that a browser loads, by the last part of the address.

    Every page sets the cookie of the window width, so a request with the cookie is not the first.
    """

    def __init__(self, app: ASGIApp, *, by_page: Mapping[str, Iterable[str]]) -> None:
        self._app = app
        self._links = {page: _links(addresses) for page, addresses in by_page.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        links = self._links.get(scope.get("path", "").rpartition("/")[2])
        if links is None or scope["type"] != "http" or NARROW in HTTPConnection(scope).cookies:
            await self._app(scope, receive, send)
            return

        async def with_links(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("Link", links)
            await send(message)

        await self._app(scope, receive, with_links)


def _links(addresses: Iterable[str]) -> str:
    # Short: proxies limit the head of a reply to 4 KB.
    return ",".join(f"<{address}>;rel=modulepreload" for address in addresses)
