"""Has the browser fetch and compile the scripts that a page needs, while Streamlit's own still starts.

Without the header they are asked for one after the other, once the page's first elements are drawn. A browser that
was here before has kept them; to it the header is only in the way of what the page starts with, 30 of 1,000 ms.
"""

from collections.abc import Iterable, Mapping

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from coachboard.launch.page_head import NARROW


class Ahead:
    """Adds a `Link: rel=modulepreload` to the first reply that is a page; pages are known by the end of their address.

    The cookie that every page sets tells that it is not the first.
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
    # Short, as proxies hold the head of a reply to 4 KB.
    return ",".join(f"<{address}>;rel=modulepreload" for address in addresses)
