"""Shared by commands that serve: port, protocol, port check, and the dashboard's server."""

import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

import click

PORT = click.IntRange(1, 65_535)

HTTP = "coachboard.service.api.http_protocol:ServiceProtocol"
"""uvicorn's protocol classes by name: only commands that serve import them."""


_ANY = {"0.0.0.0", "::", "localhost", ""}  # noqa: S104 # compared with, not bound to


def embedded_url(host: str, port: int) -> str:
    """The address of the embedded service from the pages' view."""
    host = "127.0.0.1" if host in _ANY else host
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/api"


def is_free(host: str, port: int) -> bool:
    """Whether a server can listen there."""
    try:
        require_free(host, port)
    except click.ClickException:
        return False
    return True


def require_free(host: str, port: int) -> None:
    """Fail if no server can listen there: the next steps take seconds, and the server's own message is many lines."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise click.ClickException(
            f"cannot listen on {host}, port {port}: {reason}; choose another port"
        ) from error


_NOT_STARTED = 3
GRACE_S = 10
"""At the end of a process its running requests have so long: an upload that never ends would hold the process for ever."""
_MAX_MESSAGE_BYTES = 2**20
"""Limit of a websocket message: the state of a page's widgets takes some kilobytes."""


def _dashboard_folder() -> Path:
    """The folder of app.py, pages and .streamlit: the checkout, or the copy that a wheel has in the package."""
    package = Path(__file__).resolve().parent
    in_wheel = package / "dashboard"
    return in_wheel if in_wheel.is_dir() else package.parents[1]


DASHBOARD = _dashboard_folder()


def proxy_options(trusted: str | None) -> dict[str, Any]:
    """Uvicorn's options: headers of these proxies alone count. By default uvicorn trusts every program of this machine."""
    addresses = [each.strip() for each in (trusted or "").split(",") if each.strip()]
    return {"proxy_headers": bool(addresses), "forwarded_allow_ips": addresses}


def serve_dashboard(host: str, port: int, *, when_ready: Callable[[], None] = lambda: None) -> None:
    """Serve the dashboard until it stops; `when_ready` runs on a thread when the port answers.

    One process: sessions, uploads and sign-in are in memory. Several processes need a load balancer and a port each.
    """
    uvicorn = import_module("uvicorn")

    class Server(uvicorn.Server):  # type: ignore[name-defined,misc] # imported late: it takes half a second
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                Thread(target=when_ready, daemon=True).start()

    config = uvicorn.Config(
        "app:app",
        host=host,
        port=port,
        http=HTTP,
        **proxy_options(import_module("coachboard.settings").Settings().trusted_proxies),
        ws_max_size=_MAX_MESSAGE_BYTES,
        timeout_graceful_shutdown=GRACE_S,
        log_level="warning",
        access_log=False,
    )
    sys.path.insert(0, str(DASHBOARD))
    server = Server(config)
    with suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        sys.exit(_NOT_STARTED)
