"""The section "Errors", and the cases that it leaves open."""

import logging
import re
import socket
from urllib.parse import urlsplit

import httpx
import orjson
import pytest
from pydantic import TypeAdapter

from coachboard.service.api import openapi as interface
from coachboard.service.api.app import create_app, mounted
from coachboard.service.own_data import openapi as own_data
from coachboard.service.planning import openapi as planning
from coachboard.service.store import Store
from coachboard.wire.errors import ErrorBody
from seeded import ATHLETE, COACH_KEY, SQUAD, make_streams, seed
from serving import served

KINDS = ("activities", "training-prescriptions", "notes", "events", "metrics", "sleeps")

MALFORMED = (
    "",
    "2026-3-1",
    "20260301",
    "2026-03-01T00:00:00",
    "2026-W10-1",
    "2026-02-30",
    "0000-01-01",
    "1772323200",
    "today",
    " 2026-03-01",
    "%202026-03-01",
    "2026-03-01%0A",
    "2026-03-01%00",
    "%EF%BC%92026-03-01",
    "%FF",
    "null",
    "+2026-03-01",
    "2026/03/01",
)


def refused(reply, status, code):
    """Hold a reply to the two-field body."""
    body = ErrorBody.from_wire(reply.json())
    assert (reply.status_code, body.code) == (status, code)
    assert reply.headers["content-type"] == "application/json"
    assert body.error
    return True


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("end", ["from", "to"])
def test_a_malformed_date_gives_400_at_every_ranged_endpoint(ask, kind, end):
    """ "Endpoints": a malformed `from` or `to` value is rejected with 400 `bad_request`."""
    assert refused(ask(f"/users/{ATHLETE}/{kind}?{end}=2026-3-1"), 400, "bad_request")


@pytest.mark.parametrize("value", MALFORMED)
def test_anything_but_a_date_gives_400(ask, value):
    """ "Errors": for example a date not in YYYY-MM-DD form."""
    assert refused(ask(f"/users/{ATHLETE}/sleeps?from={value}"), 400, "bad_request")


def test_a_repeated_date_gives_400(ask):
    """Not shown in the document: two values are no date."""
    assert refused(ask("/users/me/sleeps?from=2026-03-01&from=2026-03-02"), 400, "bad_request")


def test_unknown_query_parameters_are_ignored(ask):
    """Not shown in the document."""
    assert ask("/users/me/sleeps?since=yesterday&FROM=x").status_code == 200


def test_the_path_is_looked_at_before_the_query(ask):
    """Not shown in the document: 404 before 400."""
    assert refused(ask("/users/usr_nobody/sleeps?from=x"), 404, "not_found")


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/nowhere",
            "/users/",
            "/users/me/",
            "/users/me/steps",
            "/users/me/activities/",
            "/activities",
            "/",
        ),
        *("/users%2Fme", "/users/me%2factivities", "/users/me%2F..%2Fme"),
    ],
)
def test_unknown_routes_give_404_with_the_body_of_errors(ask, path):
    """ "Errors": every error response has that body. A slash too many is another path."""
    assert refused(ask(path), 404, "not_found")


def test_paths_outside_the_service_give_404_with_the_body_of_errors(service):
    """ "Errors"."""
    assert refused(httpx.get(service.base_url.removesuffix("/api") + "/elsewhere"), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/users"),
        ("DELETE", "/users/me"),
        ("PUT", "/users/me/activities"),
        ("GET", "/workspaces/wke_squad/invitations"),
    ],
)
def test_wrong_methods_give_405_with_the_body_of_errors(ask, method, path):
    """ "Errors"; the status is not shown in the document."""
    reply = ask(path, method=method)

    assert refused(reply, 405, "method_not_allowed")
    assert reply.headers["allow"]


@pytest.mark.parametrize(
    "request_text",
    [
        "FOO /api/users/me HTTP/1.1\r\nHost: here\r\n\r\n",
        "get /api/users/me HTTP/1.1\r\nHost: here\r\n\r\n",
        "POST /api/users HTTP/1.1\r\nHost: here\r\nContent-Length: some\r\n\r\n",
        "hello\r\n\r\n",
    ],
)
def test_a_request_that_is_no_http_gives_400_with_the_body_of_errors(service, request_text):
    """ "Errors": every error response has that body, also where no route was ever asked."""
    address = urlsplit(service.base_url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as client:
        client.sendall(request_text.encode())
        # To the end: the connection is closed after it.
        received = b"".join(iter(lambda: client.recv(65_536), b""))
    head, _, body = received.partition(b"\r\n\r\n")
    status_line, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)

    assert status_line == "HTTP/1.1 400 Bad Request"
    assert int(headers["content-length"]) == len(body)
    assert headers["connection"] == "close"
    assert refused(httpx.Response(400, headers=headers, content=body), 400, "bad_request")


def test_an_internal_fault_gives_500_without_details(tmp_path, caplog):
    """ "Errors"; the status is not shown in the document. The log has the error and not the key."""

    def broken(_recipe: bytes):
        raise RuntimeError("the secret of the inside")

    store = Store.open(f"sqlite:///{tmp_path / 'store.db'}")
    seed(store)
    caplog.set_level(logging.DEBUG)
    headers = {"Authorization": f"Bearer {COACH_KEY}"}
    with served(mounted(create_app(store, stream_makers={"test": broken}))) as address:
        reply = httpx.get(f"{address}/api/activities/act_made/streams", headers=headers)
    store.close()

    assert refused(reply, 500, "internal_error")
    assert "secret" not in reply.text
    assert "the secret of the inside" in caplog.text
    assert COACH_KEY not in caplog.text


def test_streams_whose_maker_is_not_installed_are_absent(tmp_path, caplog):
    """A squad of a demo that is not installed cost 500 and a traceback for each session."""
    store = Store.open(f"sqlite:///{tmp_path / 'store.db'}")
    seed(store)
    headers = {"Authorization": f"Bearer {COACH_KEY}"}
    with served(mounted(create_app(store))) as address:
        reply = httpx.get(f"{address}/api/activities/act_made/streams", headers=headers)
    store.close()

    assert refused(reply, 404, "not_found")
    assert "the streams of act_made need the maker 'test', which is not installed" in caplog.text
    assert "Traceback" not in caplog.text


def test_streams_whose_recipe_is_of_another_version_are_absent(tmp_path, caplog):
    """50 people on a squad of a former generator had 48 tracebacks in half an hour."""

    def make(recipe: bytes):
        return TypeAdapter(list[int]).validate_json(recipe)

    store = Store.open(f"sqlite:///{tmp_path / 'store.db'}")
    seed(store)
    headers = {"Authorization": f"Bearer {COACH_KEY}"}
    with served(mounted(create_app(store, stream_makers={"test": make}))) as address:
        reply = httpx.get(f"{address}/api/activities/act_made/streams", headers=headers)
    store.close()

    assert refused(reply, 404, "not_found")
    assert (
        "the maker 'test' cannot read the recipe of act_made: create the demo database again" in caplog.text
    )
    assert "Traceback" not in caplog.text


WITH_BODY = [
    (path, method)
    for document in (interface, own_data, planning)
    for path, methods in orjson.loads(document.document_json(""))["paths"].items()
    for method, operation in methods.items()
    if "application/json" in operation.get("requestBody", {}).get("content", {})
]


@pytest.mark.parametrize(("path", "method"), WITH_BODY)
def test_a_body_that_is_nested_too_deeply_gives_400_at_every_endpoint(path, method, ask):
    """Not shown in the document. Deeper bodies met the limit of recursion of what reads and writes them."""
    path = re.sub(r"{workspace_?[iI]d}", SQUAD, path)
    body = b'{"value":' + b"[" * 101 + b"]" * 101 + b"}"
    reply = ask(path, method=method.upper(), content=body, headers={"If-Match": "tag"})

    assert refused(reply, 400, "bad_request")
    assert reply.json()["error"] == "Invalid request body: nested deeper than 60 levels."


def test_a_head_request_gives_the_headers_alone(ask):
    """HTTP asks for HEAD wherever there is GET."""
    reply = ask("/users", method="HEAD")

    assert (reply.status_code, reply.content) == (200, b"")


def test_the_test_maker_follows_its_recipe():
    """The seeded recipe is a real one."""
    assert len(make_streams(b"7")) == 7
