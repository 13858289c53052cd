"""The whole dashboard, started as any server starts it, against requests that no browser page sends."""

import json
import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from coachboard.wire.errors import ErrorBody
from running import dashboard_process

pytestmark = pytest.mark.slow


def status_of(address, head):
    """The status of the reply to a request without its last empty line."""
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall(head + b"\r\n\r\n")
        reply = connection.recv(65_536)
    return int(reply.split()[1])


def reply_to(address, head):
    """The whole reply; the request must close the connection."""
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall(head + b"\r\n\r\n")
        return b"".join(iter(lambda: connection.recv(65_536), b""))


@pytest.mark.parametrize("path", ["", "athlete", "api", "api/users", "session", "media/x", "_stcore/health"])
def test_every_route_refuses_a_foreign_host_and_a_foreign_origin(squad_dashboard, path):
    address = urlsplit(squad_dashboard)
    line = f"GET /{path} HTTP/1.1\r\n".encode()

    assert status_of(address, line + b"Host: evil.example") == 403
    assert status_of(address, line + f"Host: {address.netloc}\r\nOrigin: http://localhost:1".encode()) == 403


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("", 200),
        ("trends", 200),
        ("trend", 404),
        ("wp-login.php", 404),
        ("api/docs", 200),
        ("api/own/v1/docs", 200),
        ("api/docs2", 401),
    ],
)
def test_only_pages_are_served_as_pages(squad_dashboard, path, status):
    address = urlsplit(squad_dashboard)

    assert status_of(address, f"GET /{path} HTTP/1.1\r\nHost: {address.netloc}".encode()) == status


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("users%2fme", 401),
        ("users/..%2f..", 400),
        ("%2e%2e/x", 400),
        ("users/me%2f..%2fx?a=%2f", 400),
        ("%00", 400),
    ],
)
def test_the_embedded_service_has_the_error_body_for_every_path(squad_dashboard, path, status):
    address = urlsplit(squad_dashboard)
    head = f"GET /api/{path} HTTP/1.1\r\nHost: {address.netloc}\r\nConnection: close"
    reply = reply_to(address, head.encode())
    body = ErrorBody.from_wire(json.loads(reply.partition(b"\r\n\r\n")[2]))

    assert int(reply.split()[1]) == status
    assert body.code == {400: "bad_request", 401: "unauthorized"}[status]
    assert b"content-type: application/json" in reply.lower()


def test_a_websocket_of_another_port_is_refused(squad_dashboard):
    address = urlsplit(squad_dashboard)
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    head = f"GET /_stcore/stream HTTP/1.1\r\nHost: {address.netloc}\r\n{upgrade}\r\nOrigin: "

    assert status_of(address, f"{head}http://127.0.0.1:1".encode()) == 403
    assert status_of(address, f"{head}http://{address.netloc}".encode()) == 101


def test_uvicorns_own_protocol_has_the_limits_too(squad_dashboard):
    assert status_of(urlsplit(squad_dashboard), b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: a") == 431


def test_other_users_of_the_machine_read_no_file(tmp_path):
    with dashboard_process(tmp_path):
        made = [file for file in tmp_path.rglob("*") if file.suffix != ".log"]

    assert made
    assert [file.name for file in made if file.exists() and file.stat().st_mode & 0o077] == []


def test_400_half_sent_requests_leave_the_server_answering_and_are_closed(squad_dashboard):
    address = urlsplit(squad_dashboard)
    with ExitStack() as stack:
        halves = []
        for _ in range(400):
            half = stack.enter_context(socket.create_connection((address.hostname, address.port), timeout=60))
            half.sendall(f"GET / HTTP/1.1\r\nHost: {address.netloc}\r\nX-Half: ".encode())
            halves.append(half)

        assert status_of(address, f"GET / HTTP/1.1\r\nHost: {address.netloc}".encode()) == 200
        assert [half.recv(1) for half in halves] == [b""] * 400  # closed after the time limit of the head
