"""A fault between client and service gives a typed error, or the cached data with their age."""

import gzip
import json
import logging
import threading
import time
import traceback
from contextlib import ExitStack
from datetime import date

import pytest
import zstandard

import faulty_proxy as faults
import seeded
from coachboard.client import (
    Client,
    RateLimited,
    ServiceError,
    TimedOut,
    UnexpectedStatus,
    Unreachable,
    UnreadableResponse,
)
from coachboard.client.reply_limits import MAX_BODY_BYTES
from coachboard.client.waiting import waits_reported_to
from coachboard.wire.enums import InvitedRole
from coachboard.wire.users import CreateWorkspaceInvitation
from running import refusing_port

ANA = seeded.ATHLETE
MARCH = (date(2026, 3, 1), date(2026, 3, 31))
INVITATION = CreateWorkspaceInvitation(email="new@example.org", role=InvitedRole.ATHLETE)
HTML = ("content-type", "text/html")

TRANSIENT = [
    (faults.reset, Unreachable),
    (faults.cut, Unreachable),
    (faults.says(500, b"{}"), UnexpectedStatus),
    (faults.says(502, b"<html>", HTML), UnexpectedStatus),
    (faults.says(503), UnexpectedStatus),
    (faults.changed(lambda body: body[: len(body) // 2]), UnreadableResponse),
    (
        faults.says(200, gzip.compress(b"[]" * 50)[:20], faults.JSON, ("content-encoding", "gzip")),
        UnreadableResponse,
    ),
]
LASTING = [
    (faults.says(302, b"", ("location", "http://127.0.0.1:1/stolen")), UnexpectedStatus),
    (faults.says(403, b'{"code":"forbidden","error":"No."}'), UnexpectedStatus),
    (faults.says(200, b"<html>", HTML), UnreadableResponse),
    (faults.says(200, b"[1,2"), UnreadableResponse),
    (faults.says(200, b'{"not":"a list"}'), UnreadableResponse),
    (faults.says(200, b'[1, "x", null, {"rows": 0}]'), UnreadableResponse),
    (faults.says(200, b"x", faults.JSON, ("content-encoding", "br")), UnreadableResponse),
]


@pytest.mark.parametrize(("fault", "kind"), TRANSIENT)
def test_a_fault_that_passes_is_not_seen(client, proxy, fault, kind):
    client.get_user()
    proxy.faults.extend([fault, fault])

    assert len(client.list_users().value) == 2
    assert len(proxy.requests) == 4


@pytest.mark.parametrize(("fault", "kind"), [*TRANSIENT, *LASTING])
def test_a_fault_that_stays_is_a_typed_error_with_method_and_path(client, proxy, fault, kind):
    proxy.always = fault

    with pytest.raises(kind) as caught:
        client.list_users()

    assert (caught.value.method, caught.value.path) == ("GET", "/users")


@pytest.mark.parametrize(("fault", "kind"), [*TRANSIENT, *LASTING])
def test_no_error_and_no_log_carries_the_key(connect, proxy, caplog, fault, kind):
    caplog.set_level(logging.DEBUG)
    proxy.always = fault
    key = "the-secret-key-of-this-test"

    with pytest.raises(ServiceError) as caught:
        connect(key).list_users()

    shown = "".join(traceback.format_exception(caught.value)) + caplog.text + repr(caught.value)
    assert key not in shown
    assert key not in repr([vars(error) for error in chain(caught.value)])


def chain(error):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def test_a_repeated_request_is_logged_with_its_cause(client, proxy, caplog):
    client.get_user()
    proxy.faults.extend([faults.says(503), faults.reset])

    client.list_users()

    # The service, in this process too, tells what it was asked where another test has turned its log on.
    said = [record.getMessage() for record in caplog.records if record.name.startswith("coachboard.client")]
    assert [line.split(" s ")[1] for line in said] == [
        "(attempt 2): The service sent an unexpected status: GET /users: 503",
        "(attempt 3): Could not reach the service: GET /users: [Errno 104] Connection reset by peer",
    ]


def test_a_key_that_the_service_echoes_is_masked(client, proxy):
    echo = json.dumps({"code": "unauthorized", "error": f"unknown key {seeded.COACH_KEY}"}).encode()
    proxy.always = faults.says(401, echo)

    with pytest.raises(ServiceError) as caught:
        client.list_users()

    assert caught.value.text == "unknown key ***"


@pytest.mark.parametrize(("encoding", "compress"), [("gzip", gzip.compress), ("zstd", zstandard.compress)])
def test_a_body_that_unfolds_beyond_all_bounds_is_asked_for_once(client, proxy, encoding, compress):
    bomb = compress(bytes(MAX_BODY_BYTES + 1))
    proxy.always = faults.says(200, bomb, faults.JSON, ("content-encoding", encoding))

    with pytest.raises(UnreadableResponse, match="more than 64 MB") as caught:
        client.list_users()

    assert len(proxy.requests) == 1
    assert (caught.value.method, caught.value.path) == ("GET", "/users")


def test_a_redirect_is_not_followed(client, proxy):
    proxy.always = faults.says(307, b"", ("location", proxy.url + "/elsewhere"))

    with pytest.raises(UnexpectedStatus) as caught:
        client.list_users()

    assert caught.value.status == 307
    assert not [request for request in proxy.requests if "elsewhere" in request]


def test_a_service_that_is_down_costs_no_budget(tmp_path):
    """Thirty attempts for one user would else have every later one wait for a minute, to say the same."""
    cache_url = f"sqlite:///{tmp_path / 'cache.db'}"
    with (
        refusing_port() as port,
        Client(f"http://127.0.0.1:{port}/api", seeded.COACH_KEY, cache_url=cache_url) as client,
    ):
        for _ in range(2):
            with pytest.raises(Unreachable):
                client.get_user()

        assert client.requests_left() == 300


@pytest.fixture
def waiting_client(connect):
    """A client whose pauses take their time."""
    return connect(sleep=None)


@pytest.fixture
def away(proxy):
    """Takes the service away, and brings it back at its address after so many seconds."""
    with ExitStack() as stack:

        def go_away(client, back_after_s=None):
            nobody = f"http://127.0.0.1:{stack.enter_context(refusing_port())}"
            client._http.base_url, real = f"{nobody}/api", client._http.base_url
            if back_after_s is not None:
                timer = threading.Timer(back_after_s, setattr, (client._http, "base_url", real))
                stack.callback(timer.join)
                timer.start()

        yield go_away


def test_a_restart_of_the_service_is_ridden_out_where_nothing_is_known(waiting_client, away):
    away(waiting_client, back_after_s=2.0)

    assert len(waiting_client.list_users().value) == 2


def test_a_restart_is_not_waited_for_where_something_is_known(waiting_client, away, clock):
    waiting_client.list_notes(ANA, date(2026, 2, 1), date(2026, 2, 15))
    away(waiting_client)
    started = time.monotonic()

    result = waiting_client.list_notes(ANA, date(2026, 2, 1), MARCH[1])

    assert result.is_stale
    assert isinstance(result.error, Unreachable)
    assert time.monotonic() - started < 2.5


def test_while_the_service_is_unreachable_attempts_do_not_delay_cached_data(waiting_client, away, caplog):
    """A roster of 25 whose wider range cannot be fetched waited for half a minute."""
    for read in (waiting_client.list_notes, waiting_client.list_events):
        read(ANA, date(2026, 2, 1), date(2026, 2, 15))
    away(waiting_client)
    waiting_client.list_notes(ANA, date(2026, 2, 1), MARCH[1])
    caplog.clear()

    result = waiting_client.list_events(ANA, date(2026, 2, 1), MARCH[1])

    assert isinstance(result.error, Unreachable)
    assert result.is_stale
    assert not [record for record in caplog.records if "retrying in" in record.getMessage()]


@pytest.mark.slow
def test_a_service_that_stays_away_is_waited_for_once(waiting_client, away):
    away(waiting_client)
    took_s = []
    for _ in range(2):
        started = time.monotonic()
        with pytest.raises(Unreachable):
            waiting_client.list_users()
        took_s.append(time.monotonic() - started)

    assert 5 < took_s[0] < 10
    assert took_s[1] < 2.5


def test_a_service_that_is_silent_has_timed_out(connect, proxy):
    proxy.always = faults.silent

    with pytest.raises(TimedOut):
        connect(timeout_s=0.05).list_users()


def test_a_body_that_unfolds_without_end_is_not_read(client, proxy, monkeypatch):
    monkeypatch.setattr("coachboard.client.reply_limits.read_body.__kwdefaults__", {"limit": 2**14})
    bomb = gzip.compress(b"[" + b" " * 50_000_000 + b"]")
    proxy.always = faults.says(200, bomb, faults.JSON, ("content-encoding", "gzip"))

    with pytest.raises(UnreadableResponse, match=r"more than 0\.01562 MB"):
        client.list_users()


@pytest.mark.parametrize("row", [b"{},", b"0,0,0,0,0,0,0,0,0,0,"], ids=["objects", "numbers"])
def test_a_reply_of_more_values_than_fit_in_memory_is_not_parsed(client, proxy, row):
    """60 MB of empty objects took 4.3 GB once they were parsed."""
    body = b"[" + row * 700_000 + b"0]"
    proxy.always = faults.says(200, gzip.compress(body), faults.JSON, ("content-encoding", "gzip"))

    with pytest.raises(UnreadableResponse, match="more values than any reply has"):
        client.list_users()


def test_a_reply_that_drips_ends_with_the_whole_replys_limit(connect, proxy):
    """Each byte arrives within the timeout of a single read."""

    def drip(exchange):
        exchange.connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[")
        while not exchange.proxy.closing.wait(0.02):
            exchange.connection.sendall(b" ")

    proxy.always = drip

    with pytest.raises(TimedOut):
        connect(timeout_s=0.1).list_users()


def test_known_rows_are_shown_with_the_error_when_a_wider_range_cannot_be_fetched(client, proxy):
    client.list_activities(ANA, *MARCH)
    proxy.always = faults.reset

    result = client.list_activities(ANA, date(2026, 1, 1), MARCH[1])

    assert result.is_stale
    assert isinstance(result.error, Unreachable)
    assert len(result.value) == 4


def test_without_the_service_everything_that_was_read_is_there_with_its_age(connect, proxy, clock):
    first = connect()
    lists = [first.list_activities, first.list_notes, first.list_sleeps, first.list_metrics]
    known = [len(read(ANA, *MARCH).value) for read in lists]
    first.list_users()
    first.close()
    fetched_at = clock.now
    proxy.always = faults.reset
    clock.now += 30 * 86_400

    client = connect()
    lists = [client.list_activities, client.list_notes, client.list_sleeps, client.list_metrics]
    assert [len(read(ANA, *MARCH).value) for read in lists] == known
    assert client.list_users().is_stale
    assert client.is_settled(10)

    result = client.list_activities(ANA, *MARCH)
    assert isinstance(result.error, Unreachable)
    assert result.as_of.timestamp() == pytest.approx(fetched_at)


def test_a_reply_of_no_rows_at_all_takes_nothing_away(client, proxy, clock):
    known = client.list_activities(ANA, *MARCH).value
    clock.now += 30 * 86_400
    proxy.always = faults.says(200, b'[1, "x", null, {"rows": 0}]')
    client.list_activities(ANA, *MARCH)
    assert client.is_settled(10)

    result = client.list_activities(ANA, *MARCH)

    assert result.value == known
    assert isinstance(result.error, UnreadableResponse)


def test_once_the_service_is_known_to_be_down_every_old_result_says_so(client, proxy, clock):
    """Also one whose own refresh has not been tried yet; and none any more once the service is back."""
    client.list_activities(ANA, *MARCH)
    client.list_notes(ANA, *MARCH)
    clock.now += 30 * 86_400
    proxy.always = faults.reset
    client.list_activities(ANA, *MARCH)
    assert client.is_settled(10)

    assert isinstance(client.list_notes(ANA, *MARCH).error, Unreachable)

    assert client.is_settled(10)
    proxy.always = None
    clock.now += 60
    client.list_activities(ANA, *MARCH)
    assert client.is_settled(10)
    assert client.list_activities(ANA, *MARCH).error is None
    assert client.list_notes(ANA, *MARCH).error is None


def test_a_refresh_that_failed_is_not_tried_again_at_once(client, proxy, clock):
    client.list_notes(ANA, *MARCH)
    clock.now += 3_600
    proxy.always = faults.reset
    for _ in range(5):
        client.list_notes(ANA, *MARCH)
        assert client.is_settled(10)
    tried = len(proxy.requests)

    proxy.always = None
    clock.now += 60
    client.list_notes(ANA, *MARCH)
    assert client.is_settled(10)
    assert not client.list_notes(ANA, *MARCH).is_stale
    assert len(proxy.requests) <= tried + 2


def test_a_429_is_waited_for_as_long_as_the_service_says(client, proxy, clock):
    client.get_user()
    proxy.faults.append(faults.limited("7"))
    heard = []

    with waits_reported_to(heard.append):
        client.list_users()

    assert sum(clock.slept) == pytest.approx(7.0)
    limits = [waiting.seconds_left for waiting in heard if waiting.reason != "the service"]
    assert (limits[0], limits[-1]) == (7.0, 0.0)  # a busy machine adds that the service is slow


def test_a_429_without_an_end_is_an_error_in_the_end(client, proxy):
    proxy.always = faults.limited("40")

    with pytest.raises(RateLimited) as caught:
        client.list_users()

    assert caught.value.retry_after_s == 40
    assert len(proxy.requests) == 2


def test_during_many_429_replies_cached_data_are_shown_with_few_requests(client, proxy, clock):
    for user_id in (ANA, seeded.OTHER_ATHLETE):
        client.list_notes(user_id, *MARCH)
    clock.now += 3_600
    proxy.always = faults.limited("30")
    made = len(proxy.requests)

    results = [
        client.list_notes(user_id, *MARCH) for _ in range(10) for user_id in (ANA, seeded.OTHER_ATHLETE)
    ]

    assert all(result.is_stale for result in results)
    assert client.is_settled(20)
    assert len(proxy.requests) - made < 60


def test_fifty_reads_of_one_user_keep_within_the_users_limit(client, proxy, clock):
    """Thirty at once, the rest after the window; the service never has to say no."""
    for day in range(1, 51):
        client.list_notes(
            ANA,
            date(2024, 1, 1).replace(month=day % 12 + 1, day=day % 28 + 1),
            date(2024, 12, 31),
            max_age_s=-1,
        )

    assert len(proxy.requests) == 51
    assert 55 < sum(clock.slept) < 70


def test_many_who_ask_at_once_for_the_same_make_one_request(client, proxy):
    client.get_user()
    proxy.always = faults.held
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(client.list_activities(ANA, *MARCH))) for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    proxy.gate.set()
    for thread in threads:
        thread.join(10)

    assert len([request for request in proxy.requests if "activities" in request]) == 1
    assert [len(result.value) for result in found] == [4] * 12


@pytest.mark.parametrize(
    "fault", [faults.reset_after_arrival, faults.reset, faults.cut, faults.says(500), faults.says(200, b"{")]
)
def test_an_invitation_that_may_have_arrived_is_not_repeated_and_the_error_says_so(client, proxy, fault):
    proxy.always = fault

    with pytest.raises(ServiceError) as caught:
        client.create_invitation(seeded.SQUAD, INVITATION)

    assert len(proxy.requests) == 1
    assert caught.value.may_have_arrived
    assert "may have reached the service" in str(caught.value)


def test_an_invitation_that_could_not_be_sent_did_not_arrive(client, service):
    client._http.base_url = "http://127.0.0.1:1/api"

    with pytest.raises(Unreachable) as caught:
        client.create_invitation(seeded.SQUAD, INVITATION)

    assert not caught.value.may_have_arrived


def edited(edit):
    def change(body):
        rows = json.loads(body)
        edit(rows)
        return json.dumps(rows).encode()

    return faults.changed(change)


def read_edited(client, proxy, edit):
    client.get_user()
    proxy.faults.append(edited(edit))
    return client.list_activities(ANA, *MARCH)


def test_a_new_field_costs_no_row_and_is_reported_once(client, proxy):
    result = read_edited(client, proxy, lambda rows: [row.update(mood="fine") for row in rows])

    assert len(result.value) == 4
    assert [(problem.place, problem.is_set_aside) for problem in result.problems] == [
        ("activities[act_late].mood", False)
    ]


def test_a_new_value_is_left_empty_and_reported(client, proxy):
    result = read_edited(client, proxy, lambda rows: rows[0].update(sport="hoverboarding"))

    assert result.value[0].sport is None
    assert "hoverboarding" in result.problems[0].says
    assert not result.set_aside


def test_rows_that_cannot_be_read_are_set_aside_and_counted(client, proxy):
    def edit(rows):
        rows[0]["distance"] = "far"
        del rows[1]["name"]

    result = read_edited(client, proxy, edit)

    assert (len(result.value), result.set_aside) == (2, 2)
    assert [problem.row_id for problem in result.problems] == ["act_late", "act_ride"]


def test_of_different_rows_with_one_id_the_first_is_shown_and_the_others_are_reported(connect, proxy):
    def edit(rows):
        rows += [{**rows[1], "name": "Another"}, rows[2], {**rows[1], "name": "A third"}]

    first = connect()
    fresh = read_edited(first, proxy, edit)
    first.close()
    kept = connect().list_activities(ANA, *MARCH)

    for result in (fresh, kept):
        assert len({row.id for row in result.value}) == len(result.value) == 4
        assert not {"Another", "A third"} & {row.name for row in result.value}
        assert [(problem.place, problem.says) for problem in result.problems] == [
            ("activities[act_ride]", "another row with the same id")
        ] * 2
        assert result.set_aside == 2


def test_users_with_one_id_are_reported_too(client, proxy):
    client.get_user()
    proxy.faults.append(edited(lambda rows: rows.extend([rows[0], {**rows[0], "firstName": "Another"}])))

    result = client.list_users()

    assert len(result.value) == 2
    assert [problem.place for problem in result.problems] == [f"users[{result.value[0].id}]"]


def test_an_odd_row_is_also_reported_from_the_cache(connect, proxy):
    first = connect()
    read_edited(first, proxy, lambda rows: rows[0].update(distance="far"))
    first.close()

    assert connect().list_activities(ANA, *MARCH).set_aside == 1
    assert len(connect().list_activities(ANA, *MARCH).frame) == 3


def test_a_stream_column_that_is_odd_costs_itself_alone(client, proxy):
    def edit(payload):
        payload["aura"] = [1, 2]
        payload["heartRate"] = ["high"]

    proxy.faults.append(edited(edit))
    result = client.get_streams(seeded.RIDE)

    assert set(result.value.columns) == {"power"}
    assert {problem.place for problem in result.problems} == {"streams.aura", "streams.heartRate"}


def test_after_a_failed_refresh_only_a_person_who_tries_again_asks_at_once(client, proxy, clock):
    """Pages show the cached rows for a while without asking; "Try again" did so too."""
    client.list_notes(ANA, *MARCH)
    clock.now += 86_400
    proxy.always = faults.says(503)
    while client.list_notes(ANA, *MARCH).error is None:
        assert client.is_settled(5)
    proxy.always = None
    asked = len(proxy.requests)
    client.list_notes(ANA, *MARCH)
    assert client.is_settled(5)
    assert not [path for path in proxy.requests[asked:] if "/notes" in path]
    client.forget_failures()
    client.list_notes(ANA, *MARCH)
    assert client.is_settled(5)

    assert client.list_notes(ANA, *MARCH).error is None
    assert not client.list_notes(ANA, *MARCH).is_stale
