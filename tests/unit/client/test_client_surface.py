"""The public names that a notebook imports, and the errors as the interface lists them."""

import gzip
import inspect
import pickle
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files

import httpx
import pytest
import zstandard

import coachboard.client
from coachboard import __version__
from coachboard.client import (
    Client,
    Options,
    RateLimited,
    Result,
    ServiceError,
    TimedOut,
    Unauthorized,
    UnreadableResponse,
    errors,
    reply_limits,
)
from coachboard.client.http import Http, check_base_url, check_key, proxy_of, read_retry_after
from coachboard.client.reply_limits import LARGE_BODIES, SMALL_BODY_BYTES, read_body
from coachboard.client.resources import Request, path_of
from coachboard.settings import Settings

READS = [
    "list_users",
    "get_user",
    "list_activities",
    "get_streams",
    "list_prescriptions",
    "list_notes",
    "list_events",
    "list_metrics",
    "list_sleeps",
    "create_invitation",
]


def test_the_public_names_are_these():
    assert sorted(coachboard.client.__all__) == [
        "Activity",
        "ActivityStreams",
        "BadRequest",
        "Client",
        "Climb",
        "CreateWorkspaceInvitation",
        "EditConflict",
        "Event",
        "Invitation",
        "Lap",
        "LatestMetric",
        "Length",
        "Metric",
        "NotFound",
        "Note",
        "Options",
        "Progress",
        "ProviderLap",
        "RateLimited",
        "Result",
        "RowProblem",
        "ServiceError",
        "Sleep",
        "StructureIntensity",
        "StructureRepetition",
        "StructureStep",
        "TimedOut",
        "TrainingPrescription",
        "Unauthorized",
        "UnexpectedStatus",
        "Unreachable",
        "UnreadableResponse",
        "Untrusted",
        "User",
        "UserProfile",
        "Waiting",
        "WorkspaceMembership",
    ]
    assert files("coachboard").joinpath("py.typed").is_file()


def test_there_is_a_method_for_each_of_the_ten_endpoints():
    assert all(callable(getattr(Client, name)) for name in READS)


@pytest.mark.parametrize(
    "name", [name for name in READS if name.startswith("list_") and name != "list_users"]
)
def test_lists_take_a_user_and_two_days(name):
    assert list(inspect.signature(getattr(Client, name)).parameters) == [
        "self",
        "user_id",
        "start",
        "end",
        "max_age_s",
    ]


def test_every_status_of_the_interface_has_its_error_and_every_error_the_root():
    assert {status: kind.__name__ for status, kind in errors.CLASS_BY_STATUS.items()} == {
        400: "BadRequest",
        401: "Unauthorized",
        404: "NotFound",
        429: "RateLimited",
    }
    kinds = [
        kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__
    ]
    assert all(issubclass(kind, ServiceError) for kind in kinds if issubclass(kind, Exception))


def test_errors_cross_process_borders_whole():
    error = RateLimited(
        "GET", "/users", retry_after_s=3.0, status=429, code="rate_limited", text="Slow down."
    )

    again = pickle.loads(pickle.dumps(error))

    assert vars(again) == vars(error)
    assert str(again) == "The rate limit of the service is exceeded: GET /users: 429 rate_limited: Slow down."


def test_a_result_is_frozen_and_shows_no_rows(tmp_path):
    result = Result(("secret",), datetime(2026, 3, 1, tzinfo=UTC))

    with pytest.raises(AttributeError):
        result.is_stale = True
    assert repr(result) == "<Result 1 x str as of 2026-03-01 00:00:00Z>"


def test_a_client_shows_no_key(tmp_path):
    with Client("http://127.0.0.1:1/api/", "very-secret", cache_url=f"sqlite:///{tmp_path}/c.db") as client:
        assert repr(client) == "Client('http://127.0.0.1:1/api', api_key='***')"
        assert "very-secret" not in repr(vars(client))


@pytest.mark.parametrize("key", ["", "  ", "two words", "ключ", "line\nbreak"])
def test_a_key_that_no_header_carries_is_refused_without_showing_it(key):
    with pytest.raises(ValueError, match=r"^the API key is empty or has invalid characters$"):
        check_key(key)


@pytest.mark.parametrize(
    "url", ["", "ftp://x", "service.example", "http://", "http://u:p@x", "http://x?a=1", "http://x#a"]
)
def test_an_address_that_no_key_should_go_to_is_refused(url):
    with pytest.raises(ValueError, match="expected an"):
        check_base_url(url)


def test_one_address_is_written_one_way():
    assert check_base_url(" HTTP://Host.Example:81/api/ ") == "http://host.example:81/api"


def test_the_retry_after_of_an_error_is_the_services_and_the_wait_is_bounded():
    error = RateLimited("GET", "/users", retry_after_s=read_retry_after("99999999"))
    assert (error.retry_after_s, error.wait_s) == (99999999.0, 900.0)
    assert read_retry_after("9" * 400) == 60.0


@pytest.mark.parametrize(
    ("text", "seconds"), [("7", 7.0), (" 0 ", 0.0), (None, 60.0), ("soon", 60.0), ("-1", 60.0), ("²", 60.0)]
)
def test_a_retry_after_that_cannot_be_read_is_a_whole_window(text, seconds):
    assert read_retry_after(text) == seconds


@pytest.mark.parametrize("identifier", ["", ".", ".."])
def test_an_id_that_would_change_the_path_is_refused(identifier):
    with pytest.raises(ValueError, match="not an id"):
        path_of("/users/{}", identifier)


def unpacked(body, encoding, **limit):
    with ExitStack() as turn:
        return read_body([body[:5], body[5:]], encoding, turn, **limit)


def test_bodies_are_unpacked_to_a_bound():
    plain = b"[]" * 1000
    assert unpacked(gzip.compress(plain), "gzip") == plain
    assert unpacked(gzip.compress(plain) + gzip.compress(plain), "gzip") == plain * 2
    assert unpacked(zstandard.compress(plain), "zstd") == plain
    with pytest.raises(UnreadableResponse, match=r"more than 0\.001 MB"):
        unpacked(zstandard.compress(plain), "zstd", limit=1049)
    with pytest.raises(UnreadableResponse, match="incomplete"):
        unpacked(gzip.compress(plain)[:-5], "gzip")
    with pytest.raises(UnreadableResponse, match="incomplete"):
        unpacked(zstandard.compress(plain)[:-5], "zstd")


def test_large_bodies_wait_for_their_turn(monkeypatch):
    monkeypatch.setattr(reply_limits, "_LONGEST_TURN_S", 0.0)
    large = bytes(SMALL_BODY_BYTES + 1)
    with ExitStack() as turns:
        for _ in range(LARGE_BODIES):
            read_body([large, large], "identity", turns)
        with pytest.raises(TimedOut, match="too many large replies"):
            read_body([large], "identity", turns)
        assert read_body([b"[]"], "identity", turns) == b"[]"
    assert unpacked(large, "identity") == large


@pytest.mark.parametrize(
    ("address", "environment", "expected"),
    [
        ("https://service.example/api", {}, None),
        ("https://service.example/api", {"https_proxy": "http://house:3128"}, "http://house:3128"),
        ("https://service.example/api", {"http_proxy": "http://house:3128"}, None),
        ("http://service.example/api", {"http_proxy": "house:3128"}, "http://house:3128"),
        ("http://service.example/api", {"all_proxy": "http://house:3128"}, "http://house:3128"),
        ("http://a.example:80/api", {"http_proxy": "http://house:1", "no_proxy": "b.org,.example"}, None),
        ("http://service.example/api", {"http_proxy": "http://house:1", "no_proxy": "*"}, None),
        ("http://127.0.0.1:8000/api", {"http_proxy": "http://house:3128"}, None),
        ("http://localhost:8000/api", {"all_proxy": "http://house:3128"}, None),
    ],
)
def test_the_proxy_is_the_one_of_the_environment(monkeypatch, address, environment, expected):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert proxy_of(address) == expected


def test_a_caller_can_pass_in_the_transport(tmp_path):
    seen = []

    def answer(request):
        seen.append(request)
        return httpx.Response(200, json=[], headers={"set-cookie": "a=1"})

    options = Options(transport=httpx.MockTransport(answer))
    cache_url = f"sqlite:///{tmp_path}/c.db"
    with Client("https://service.example/api", "a-key", cache_url=cache_url, options=options) as client:
        assert client.list_users().value == ()

    (request,) = seen
    assert str(request.url) == "https://service.example/api/users"
    assert request.headers["authorization"] == "Bearer a-key"


@pytest.mark.parametrize(
    ("address", "lists"),
    [
        ("https://service.example/api", "zstd, gzip"),
        ("http://127.0.0.1:8501/api", "identity"),
        ("http://localhost/api", "identity"),
    ],
)
def test_lists_of_a_service_on_this_machine_come_plain_and_streams_as_they_are_stored(address, lists):
    encodings = {}

    def answer(request):
        encodings[request.url.path] = request.headers["accept-encoding"]
        return httpx.Response(200, json=[])

    http = Http(address, None, transport=httpx.MockTransport(answer))
    for path in ("/users/usr_a/activities", "/activities/act_a/streams"):
        http.send(Request("GET", path), bytes)

    assert encodings == {"/api/users/usr_a/activities": lists, "/api/activities/act_a/streams": "zstd, gzip"}


def test_a_proxy_of_the_environment_gets_no_request_to_this_machine(squad_service, monkeypatch, tmp_path):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")

    cache_url = f"sqlite:///{tmp_path}/c.db"
    with Client(squad_service, "wrong", cache_url=cache_url) as client, pytest.raises(Unauthorized):
        client.get_user()


def test_options_come_from_the_settings():
    options = Options.of(Settings(timeout_s=3, cache_max_mb=20))

    assert (options.timeout_s, options.cache_max_mb) == (3, 20)
    assert UnreadableResponse("GET", "/users").place is None


def test_a_client_names_its_version_while_streamlit_changes_the_path(tmp_path, monkeypatch):
    """Of 380 sign-ins one failed: the client searched its version in `sys.path`."""
    agents = []

    def answer(request):
        agents.append(request.headers["User-Agent"])
        return httpx.Response(404)

    expected = f"coachboard/{version('coachboard')}"
    monkeypatch.setattr(sys, "path", [])
    options = Options(transport=httpx.MockTransport(answer))
    url = f"sqlite:///{tmp_path / 'cache.db'}"
    with (
        Client("https://service.example/api", "key", cache_url=url, options=options) as client,
        pytest.raises(ServiceError),
    ):
        client.get_user()

    assert agents == [expected]
    assert expected == f"coachboard/{__version__}"
