"""Has the browser fetch and compile what every page with charts needs, while Streamlit's own script still starts.

Without the header the two scripts are asked for one after the other, once the page's first elements are drawn.
"""

from collections.abc import Iterable
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SCRIPTS = Path(streamlit.__file__).parent / "static" / "static" / "js"


def component_script() -> str:
    """The address of the script with which the installed Streamlit mounts components."""
    return "/static/js/" + next(_SCRIPTS.glob("BidiComponent.*.js")).name


class Ahead:
    """Adds a `Link: rel=modulepreload` to the page itself."""

    def __init__(self, app: ASGIApp, *, addresses: Iterable[str]) -> None:
        self._app = app
        self._links = ", ".join(f'<{address}>; rel="modulepreload"' for address in addresses)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_links(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("Link", self._links)
            await send(message)

        await self._app(scope, receive, with_links if scope["type"] == "http" else send)
