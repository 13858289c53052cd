"""No connection outlives its client: a socket left open stays open until the garbage collector finds it."""

import gc
import socket
import threading
import warnings

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from coachboard.client.errors import Unreachable
from coachboard.client.http import Http
from coachboard.client.resources import Request
from serving import served


@pytest.fixture
def address():
    """A service that answers every request at once."""
    with served(Starlette(routes=[Route("/users", lambda request: JSONResponse([]))])) as found:
        yield found


def send(http):
    return http.send(Request("GET", "/users"), bytes)


def left_open(http):
    """The sockets to the service that were open when the garbage collector found them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del http[:]
        gc.collect()
    return [str(warning.message) for warning in caught if warning.category is ResourceWarning]


def test_a_request_after_the_end_of_the_client_is_refused_and_leaves_no_connection(address):
    http = [Http(address, SecretStr("key"))]
    assert send(http[0]) == b"[]"

    http[0].close()
    with pytest.raises(Unreachable, match="closed"):
        send(http[0])

    assert left_open(http) == []


def test_a_connection_that_is_being_made_while_the_client_closes_is_closed(address, monkeypatch):
    connecting, go_on, connect = threading.Event(), threading.Event(), socket.create_connection

    def slow_connect(*args, **options):
        made = connect(*args, **options)
        connecting.set()
        go_on.wait(30)
        return made

    monkeypatch.setattr(socket, "create_connection", slow_connect)
    http = [Http(address, SecretStr("key"))]
    thread = threading.Thread(target=send, args=http)
    thread.start()
    connecting.wait(30)
    http[0].close()
    go_on.set()
    thread.join(30)

    assert left_open(http) == []


def test_a_client_that_closes_leaves_the_connections_of_another_of_the_same_service(address):
    first, second = (Http(address, SecretStr(key)) for key in ("one", "two"))
    send(first)
    first.close()

    assert send(second) == b"[]"
    second.close()
