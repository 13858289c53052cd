"""Push of planned workouts to the athlete's account at intervals.icu, against a server that follows its documentation."""

import base64
import io
import socketserver
import threading
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta

import fitdecode
import httpx
import pytest
import sqlalchemy as sa

from coachboard.service.api.app import create_app, mounted
from coachboard.service.planning import intervals
from coachboard.service.store import RowKind, Store
from coachboard.service.store.tables import prescriptions
from coachboard.settings import Settings
from databases import REPLY_DATABASES, empty_database
from intervals_server import ATHLETE_ID, KEY, IntervalsServer
from seeded import ATHLETE, ATHLETE_KEY, COACH_KEY, OTHER_ATHLETE, OTHER_ATHLETE_KEY, TODAY, seed
from serving import served
from waiting import wait_until

DAY = TODAY + timedelta(days=2)
PATH = "/plan/v1/intervals"


class Pushing:
    """A service, a calendar at intervals.icu, and the requests of people."""

    def __init__(self, url, folder):
        self.server, self.now = IntervalsServer(), datetime(2026, 3, 20, 6, tzinfo=UTC).timestamp()
        self._url, self._folder = url, folder
        self.log = ""

    @contextmanager
    def running(self, there=None):
        """The service, from its start to its end; `there` is the address of another server."""
        with ExitStack() as stack:
            there = there or stack.enter_context(served(self.server.app()))
            store = Store.open(self._url)
            stack.callback(store.close)
            settings = Settings(outbox=self._folder / "outbox", today=TODAY, intervals_url=there)
            app = create_app(store, settings=settings, clock=lambda: self.now)
            address = stack.enter_context(served(mounted(app)))
            self._client = stack.enter_context(httpx.Client(base_url=f"{address}/api", timeout=30))
            yield self

    def ask(self, method, path=PATH, *, key=ATHLETE_KEY, json=None):
        return self._client.request(method, path, json=json, headers={"Authorization": f"Bearer {key}"})

    def connect(self, **fields):
        reply = self.ask("PUT", json={"athleteId": ATHLETE_ID, "apiKey": KEY, **fields})
        assert reply.status_code == 200, reply.text
        return reply.json()

    def batch(self, op, entry=None, *, user_id=ATHLETE, kind="workout", key=COACH_KEY, **value):
        """One operation, of the coach unless another key is given; returns the entry as it is now."""
        operation = {"op": op, "kind": kind, "userId": user_id}
        if entry is not None:
            operation |= {"id": entry["id"], "ifMatch": entry["etag"]}
        if value:
            operation["value"] = value
        reply = self.ask("POST", "/plan/v1/batches", key=key, json={"operations": [operation]})
        assert reply.status_code == 200, reply.text
        return reply.json()["entries"][0]

    def plan(self, title="Hills", day=DAY, **value):
        return self.batch("create", date=str(day), title=title, sport="cycling", **value)

    def state(self):
        return self.ask("GET").json()

    def push(self):
        """Push now, and wait for the end."""
        before = len(self.server.requests)
        assert self.ask("POST", f"{PATH}/push").status_code == 200
        wait_until(lambda: len(self.server.requests) > before)
        wait_until(lambda: not self.state()["isWaiting"])

    def look(self):
        """Wait until the service has looked for due accounts once more: another account was due and sent one request."""
        body = {"athleteId": ATHLETE_ID, "apiKey": KEY}
        assert self.ask("PUT", key=OTHER_ATHLETE_KEY, json=body).status_code == 200
        wait_until(lambda: not self.ask("GET", key=OTHER_ATHLETE_KEY).json()["isWaiting"])

    def damage(self, entry):
        """Make the body of a planned workout unreadable in the database."""
        engine = sa.create_engine(self._url)
        with engine.begin() as connection:
            change = sa.update(prescriptions).where(prescriptions.c.id == entry["id"])
            connection.execute(change.values(body=b"{"))
        engine.dispose()

    def titles(self):
        return sorted(event["name"] for event in self.server.pushed().values())


@pytest.fixture(params=REPLY_DATABASES)
def service(request, tmp_path, monkeypatch):
    monkeypatch.setattr(intervals, "LOOK_EVERY_S", 0.05)
    with empty_database(request.param, tmp_path) as url:
        store = Store.open(url)
        seed(store)
        store.delete_rows_but(RowKind.PRESCRIPTIONS, ATHLETE, ())
        store.close()
        yield Pushing(url, tmp_path)


@pytest.fixture
def pushing(service):
    with service.running():
        yield service


def test_without_an_account_nothing_is_sent(pushing):
    pushing.plan()
    assert pushing.state() == {
        "athleteId": None,
        "days": None,
        "pushedAt": None,
        "count": 0,
        "error": None,
        "isWaiting": False,
    }
    assert pushing.ask("POST", f"{PATH}/push").status_code == 404
    assert pushing.ask("DELETE").status_code == 404

    assert pushing.server.requests == []


def test_a_batch_of_the_coach_reaches_the_account_with_its_steps(pushing):
    pushing.connect()
    wait_until(lambda: pushing.state()["pushedAt"])
    workout = pushing.plan(time="09:30:00", text="3x\n- 12m 95%\n- Easy 4m 50%", description="Hold back")
    wait_until(pushing.server.pushed)
    (event,) = pushing.server.pushed().values()

    assert (event["name"], event["type"], event["start_date_local"], event["moving_time"]) == (
        "Hills",
        "Ride",
        f"{DAY}T09:30:00",
        2880,
    )
    assert (event["external_id"], event["description"]) == (f"coachboard-{workout['id']}", "Hold back")
    with fitdecode.FitReader(io.BytesIO(base64.b64decode(event["file_contents_base64"]))) as reader:
        names = [frame.name for frame in reader if isinstance(frame, fitdecode.FitDataMessage)]
    assert names.count("workout_step") == 3


def test_ten_rounds_make_no_duplicate_and_leave_entries_by_hand(pushing):
    pushing.server.events[1] = {"name": "By hand", "category": "NOTE", "is_of_app": False}
    pushing.connect()
    entry = pushing.plan()
    other = pushing.plan("Sprints", DAY + timedelta(days=1))
    for number in range(10):
        entry = pushing.batch("update", entry, title=f"Hills {number}")
        pushing.push()
        wait_until(lambda number=number: f"Hills {number}" in pushing.titles())

    assert pushing.titles() == ["Hills 9", "Sprints"]
    pushing.batch("delete", other)
    wait_until(lambda: pushing.titles() == ["Hills 9"])
    assert pushing.server.events[1]["name"] == "By hand"


def test_hidden_skipped_draft_and_far_workouts_and_notes_stay_here(pushing):
    pushing.plan("Seen")
    pushing.plan("Hidden", visibleFrom=str(TODAY + timedelta(days=1)))
    pushing.plan("Hidden by the athlete", key=ATHLETE_KEY, visibleFrom=str(TODAY + timedelta(days=1)))
    pushing.batch("skip", pushing.plan("Skipped"), reason="ill")
    pushing.plan("Draft", text="- 10m nonsense=1", isDraft=True)
    pushing.plan("Far", TODAY + timedelta(days=14))
    pushing.plan("Past", TODAY - timedelta(days=1))
    pushing.batch("create", kind="note", date=str(DAY), title="Private", type="training", isPrivate=True)
    pushing.batch("create", user_id=OTHER_ATHLETE, date=str(DAY), title="Of another", sport="cycling")
    pushing.connect(days=14)
    wait_until(lambda: pushing.state()["pushedAt"])

    assert pushing.titles() == ["Seen"]


def test_a_workout_that_is_hidden_or_moved_away_later_is_deleted_there(pushing):
    pushing.connect()
    hidden, moved = pushing.plan("Hidden later"), pushing.plan("Moved away")
    wait_until(lambda: len(pushing.server.pushed()) == 2)
    pushing.batch("update", hidden, visibleFrom=str(TODAY + timedelta(days=1)))
    pushing.batch("move", moved, date=str(TODAY + timedelta(days=60)))

    wait_until(lambda: pushing.server.pushed() == {})


def test_a_change_while_the_service_is_down_is_pushed_at_its_start(service):
    with service.running():
        service.connect()
        wait_until(lambda: service.state()["pushedAt"])
        service.server.status = 503
        service.plan()
        wait_until(lambda: service.state()["error"])
    service.server.status = None
    service.now += 7200
    with service.running():
        wait_until(lambda: service.titles() == ["Hills"])


def test_a_refused_key_is_named_and_tried_again_only_after_a_change(pushing):
    pushing.server.key = "another"
    pushing.connect()
    wait_until(lambda: pushing.state()["error"])
    assert pushing.state()["error"] == "intervals.icu does not accept the athlete id or the API key."
    count = len(pushing.server.requests)
    pushing.now += 86_400
    pushing.plan()
    pushing.look()
    assert len(pushing.server.requests) == count + 1
    pushing.server.key = KEY
    pushing.connect(days=7)
    wait_until(lambda: pushing.titles() == ["Hills"])

    assert (pushing.state()["error"], pushing.state()["days"]) == (None, 7)


@pytest.mark.parametrize(
    ("status", "headers", "text", "rest_s"),
    [
        (429, {"Retry-After": "600"}, "intervals.icu takes no more requests at present.", 600),
        (429, {}, "intervals.icu takes no more requests at present.", 60),
        (500, {}, "intervals.icu has a fault (status 500).", 60),
        (503, {"Retry-After": "soon"}, "intervals.icu has a fault (status 503).", 60),
    ],
)
def test_a_passing_fault_is_named_and_tried_again_later(pushing, status, headers, text, rest_s):
    pushing.server.status, pushing.server.headers = status, headers
    pushing.plan()
    pushing.connect()
    wait_until(lambda: pushing.state()["error"])
    assert pushing.state()["error"] == text
    pushing.server.status, count = None, len(pushing.server.requests)
    pushing.now += rest_s - 1
    pushing.plan("Sprints")  # a change does not break the rest
    pushing.look()
    assert len(pushing.server.requests) == count + 1
    pushing.now += 1
    wait_until(lambda: pushing.titles() == ["Hills", "Sprints"] and pushing.state()["error"] is None)


def test_a_redirect_is_not_followed_with_the_key(pushing):
    other = IntervalsServer()
    with served(other.app()) as address:
        pushing.server.status, pushing.server.headers = (
            307,
            {"Location": f"{address}/api/v1/athlete/i1/events/bulk"},
        )
        pushing.plan()
        pushing.connect()
        wait_until(lambda: pushing.state()["error"])

    assert pushing.state()["error"] == "intervals.icu did not take the workouts (status 307)."
    assert other.requests == []


def test_a_server_that_does_not_answer_holds_no_request_and_is_named(pushing, monkeypatch):
    monkeypatch.setattr(intervals, "TIMEOUT_S", 0.3)
    pushing.server.hold = threading.Event()
    pushing.plan()
    pushing.connect()
    wait_until(lambda: pushing.state()["error"])
    assert pushing.state()["error"] == "intervals.icu did not answer in time."
    pushing.server.hold.set()


@contextmanager
def endless_server():
    """A server that answers each request with interim replies until the client or the test ends; gives its address."""
    is_over = threading.Event()

    class Endless(socketserver.BaseRequestHandler):
        def handle(self):
            with suppress(OSError):
                while not is_over.wait(0.005):
                    self.request.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Endless) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            is_over.set()
            server.shutdown()


def test_a_reply_without_an_end_is_ended(service, monkeypatch):
    """Each part comes in time, so no timeout of a read ends it; all other athletes would wait, and the end of the process."""
    monkeypatch.setattr(intervals, "TIMEOUT_S", 0.3)
    with endless_server() as there, service.running(there) as pushing:
        pushing.connect()
        wait_until(lambda: pushing.state()["error"])

        assert pushing.state()["error"] == "intervals.icu did not answer in time."


def test_a_damaged_workout_of_one_athlete_holds_up_no_other(pushing):
    damaged = pushing.plan()
    pushing.damage(damaged)
    pushing.connect()
    wait_until(lambda: pushing.state()["error"])
    pushing.look()

    assert pushing.state()["error"] == "The workouts could not be read."


def test_the_key_is_in_no_reply_log_or_error(pushing, caplog):
    pushing.server.status = 500
    pushing.plan()
    connected = pushing.connect()
    wait_until(lambda: pushing.state()["error"])
    refused = pushing.ask("PUT", json={"athleteId": ATHLETE_ID, "apiKey": f"{KEY} with a space"})

    assert refused.status_code == 400
    assert "intervals.icu of" in caplog.text
    encoded = base64.b64encode(f"API_KEY:{KEY}".encode()).decode()
    for text in (repr(connected), repr(pushing.state()), refused.text, caplog.text):
        assert KEY not in text
        assert encoded not in text


@pytest.mark.parametrize(
    "fields",
    [
        {"athleteId": "../../x"},
        {"athleteId": "i1/events"},
        {"athleteId": ""},
        {"apiKey": "a\r\nHost: evil.example"},
        {"apiKey": ""},
        {"days": 0},
        {"days": 85},
        {"unknown": 1},
    ],
)
def test_a_wrong_account_is_refused_and_the_former_stays(pushing, fields):
    pushing.connect(days=7)
    reply = pushing.ask("PUT", json={"athleteId": ATHLETE_ID, "apiKey": KEY, "days": 14, **fields})

    assert reply.status_code == 400
    assert pushing.state()["days"] == 7


def test_a_new_account_needs_a_key_and_a_disconnected_one_is_forgotten(pushing):
    assert pushing.ask("PUT", json={"athleteId": ATHLETE_ID}).status_code == 400
    pushing.connect()
    wait_until(lambda: pushing.state()["pushedAt"])
    assert pushing.ask("PUT", json={"athleteId": ATHLETE_ID, "days": 3}).status_code == 200
    assert pushing.ask("DELETE").json()["athleteId"] is None
    assert pushing.ask("PUT", json={"athleteId": ATHLETE_ID}).status_code == 400
    pushing.plan()

    assert pushing.server.pushed() == {}
    assert pushing.ask("GET", key=COACH_KEY).json()["athleteId"] is None
