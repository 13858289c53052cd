"""What the commands that serve share: the port, the protocol, and whether the address is free, said in one line."""

import socket

import click

PORT = click.IntRange(1, 65_535)

HTTP = "coachboard.service.api.http_protocol:ServiceProtocol"
"""What uvicorn speaks, by name: only what serves imports it."""


_ANY = {"0.0.0.0", "::", "localhost", ""}  # noqa: S104 # compared with, not bound to


def embedded_url(host: str, port: int) -> str:
    """Where the pages find the service of their own process that listens there."""
    host = "127.0.0.1" if host in _ANY else host
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/api"


def require_free(host: str, port: int) -> None:
    """Fail where nothing can listen there: what follows takes seconds, and the server's own message is many lines."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise click.ClickException(
            f"cannot listen on {host}, port {port}: {reason}; choose another port"
        ) from error
