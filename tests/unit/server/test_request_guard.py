"""Requests that no browser page sends, over real HTTP: refused before they cost memory, time or a lookup."""

import json
import select
import socket
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute

from coachboard.server import request_guard
from coachboard.server.request_guard import RequestGuard
from coachboard.service.api import http_protocol
from serving import served

UPGRADE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


async def echo(request):
    return PlainTextResponse(str(len(await request.body())))


async def accept(websocket):
    await websocket.accept()
    await websocket.close()


@pytest.fixture
def address():
    paths = ("/", "/session", "/media/x", "/api/users", "/_stcore/upload_file/a/b")
    app = Starlette(
        routes=[
            *(Route(path, echo, methods=["GET", "POST"]) for path in paths),
            WebSocketRoute("/ws", accept),
        ]
    )
    with served(
        RequestGuard(app, allowed_hosts=["127.0.0.1", "club.org:8443", "a"], max_upload_bytes=100)
    ) as url:
        yield urlsplit(url)


def answer(address, *parts, until=None, pause_s=0.0):
    """The status and the body that come back for the parts, sent as they are; `until` ends a reply that stays open."""
    with socket.create_connection((address.hostname, address.port), timeout=20) as connection:
        received = b""
        try:
            for part in parts:
                select.select([connection], [], [], pause_s)
                connection.sendall(part)
            while piece := connection.recv(65_536):
                received += piece
                if until and until in received:
                    break
        except (BrokenPipeError, ConnectionResetError):
            received += connection.recv(65_536) if not received else b""
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else None, body


def asked(address, path="/", *, host=None, more=b"", method=b"GET"):
    host = (host or address.netloc).encode()
    return b"%b %b HTTP/1.1\r\nHost: %b\r\n%bConnection: close\r\n\r\n" % (method, path.encode(), host, more)


@pytest.mark.parametrize("path", ["/", "/session", "/media/x", "/api/users"])
def test_a_foreign_host_or_origin_is_refused_on_every_route(address, path):
    foreign = [
        asked(address, path, host="evil.example"),
        asked(address, path, host=f"evil.example:{address.port}"),
        asked(address, path, host="club.org:1"),
        asked(address, path, more=b"Origin: https://evil.example\r\n"),
        asked(address, path, more=b"Origin: http://127.0.0.1:1\r\n"),
        asked(address, path, more=b"Origin: null\r\n"),
        asked(address, path, more=b"Origin: http://[\r\n"),
        asked(address, path, more="Origin: http://℀.org\r\n".encode()),
        asked(address, path, more=b"Host: evil.example\r\n"),
        asked(address, path, more=b"Origin: http://%b\r\nOrigin: null\r\n" % address.netloc.encode()),
    ]
    assert [answer(address, one)[0] for one in foreign] == [403] * len(foreign)


def test_the_own_origin_is_let_in_on_any_allowed_host(address):
    own = [
        asked(address, more=f"Origin: http://{address.netloc}\r\n".encode()),
        asked(address, host="127.0.0.1", more=b"Origin: http://127.0.0.1:80\r\n"),
        asked(address, host="CLUB.org:8443", more=b"Origin: https://club.org:8443\r\n"),
    ]
    assert [answer(address, one)[0] for one in own] == [200] * len(own)


def test_a_refusal_under_api_has_the_error_body_of_the_interface(address):
    _, body = answer(address, asked(address, "/api/users", host="evil.example"))

    assert set(json.loads(body)) == {"code", "error"}


def test_a_websocket_of_a_foreign_origin_is_refused_and_its_own_let_in(address):
    origins = (b"https://evil.example", b"http://127.0.0.1:1", f"http://{address.netloc}".encode())
    statuses = [
        answer(
            address,
            b"GET /ws HTTP/1.1\r\nHost: %b\r\n%bOrigin: %b\r\n\r\n" % (host, UPGRADE, origin),
            until=b"\r\n\r\n",
        )[0]
        for host, origin in ((address.netloc.encode(), origin) for origin in origins)
    ]
    assert statuses == [403, 403, 101]


def test_the_pages_own_client_reaches_the_service_with_any_allowed_hosts():
    app = Starlette(routes=[Route("/api/users", echo), Route("/", echo)])
    with served(RequestGuard(app, allowed_hosts=["club.org"], max_upload_bytes=1)) as url:
        address = urlsplit(url)
        assert [answer(address, asked(address, path))[0] for path in ("/api/users", "/")] == [200, 403]


def test_a_body_beyond_the_limit_is_refused(address):
    head = asked(address, "/session", method=b"POST", more=b"Transfer-Encoding: chunked\r\n")
    promised = asked(address, "/session", method=b"POST", more=b"Content-Length: 70000\r\n")
    chunk = b"8000\r\n" + bytes(0x8000) + b"\r\n"

    assert answer(address, promised)[0] == 413
    assert answer(address, head, chunk, chunk, chunk)[0] == 413
    assert answer(address, head, chunk, b"0\r\n\r\n") == (200, b"32768")


def test_a_body_that_does_not_come_is_not_waited_for(address, monkeypatch):
    monkeypatch.setattr(request_guard, "BODY_TIMEOUT_S", 0.05)

    assert (
        answer(address, asked(address, "/session", method=b"POST", more=b"Content-Length: 9\r\n"))[0] == 408
    )


@pytest.mark.parametrize(("path", "status"), [("/session", 408), ("/_stcore/upload_file/a/b", 200)])
def test_a_small_body_has_a_limit_of_time_as_a_whole_and_an_upload_for_each_part(
    address, monkeypatch, path, status
):
    """One byte now and then held a connection for days."""
    monkeypatch.setattr(request_guard, "BODY_TIMEOUT_S", 0.4)
    head = asked(address, path, method=b"POST", more=b"Content-Length: 6\r\n")

    assert answer(address, head, *[b"x"] * 6, pause_s=0.1)[0] == status


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"x" * 70_000,
        b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 70_000,
        b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: yyy\r\n" * 20_000 + b"\r\n",
    ],
    ids=["request line", "one header", "many headers"],
)
def test_a_head_beyond_the_limit_is_refused(address, head):
    status, body = answer(address, head)

    assert status == 431
    assert json.loads(body)["code"] == "headers_too_large"


def test_a_head_that_does_not_come_is_not_waited_for(address, monkeypatch):
    monkeypatch.setattr(http_protocol, "HEAD_TIMEOUT_S", 0.05)

    assert answer(address, b"GET / HTTP/1.1\r\n") == (None, b"")
    assert answer(address) == (None, b"")


@pytest.mark.slow
def test_a_second_request_has_its_own_limits(address, monkeypatch):
    monkeypatch.setattr(http_protocol, "HEAD_TIMEOUT_S", 0.05)
    first = asked(address).replace(b"Connection: close\r\n", b"")

    status, rest = answer(address, first, b"GET / HTTP/1.1\r\n")

    assert (status, rest) == (200, b"0")
