"""Has the browser fetch and compile the scripts that a page needs, while Streamlit's own still starts.

Without the header they are asked for one after the other, once the page's first elements are drawn.
"""

from collections.abc import Collection, Iterable
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SCRIPTS = Path(streamlit.__file__).parent / "static" / "static" / "js"


def component_script() -> str:
    """The address of the script with which the installed Streamlit mounts components."""
    return "/static/js/" + next(_SCRIPTS.glob("BidiComponent.*.js")).name


class Ahead:
    """Adds a `Link: rel=modulepreload` to the page itself; a chart's script only where there are charts."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        everywhere: Iterable[str],
        for_charts: Iterable[str],
        charts_on: Collection[str],
    ) -> None:
        self._app = app
        self._links = _links(everywhere)
        # Compiling it beside Streamlit's own start would hold up a page that draws no chart.
        self._links_with_charts = _links((*for_charts, *everywhere))
        self._charts_on = frozenset(charts_on)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_charts = scope.get("path", "").rpartition("/")[2] in self._charts_on

        async def with_links(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("Link", self._links_with_charts if has_charts else self._links)
            await send(message)

        await self._app(scope, receive, with_links if scope["type"] == "http" else send)


def _links(addresses: Iterable[str]) -> str:
    return ", ".join(f'<{address}>; rel="modulepreload"' for address in addresses)
