"""Large batches of the planning API, several writers at once, a service that is killed, and generated requests."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta
from itertools import count

import httpx
import orjson
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from coachboard.service.api.app import create_app, mounted
from coachboard.service.planning import openapi
from coachboard.service.planning.entries import etag_of
from coachboard.service.store import RowKind, Store
from coachboard.settings import Settings
from coachboard.wire.enums import WorkspaceRole
from databases import DATABASES, empty_database
from intervals_server import NO_INTERVALS
from running import ROOT, free_port, wait_until
from seeded import ADMIN, ADMIN_KEY, ATHLETE, COACH_KEY, OTHER_ATHLETE, RIDE, SQUAD, TODAY, make_streams, seed
from serving import served

DAY = date(2026, 6, 1)
TEXT = "Warm-up\n- 15m 50-60%\n\n3x\n- 12m 95-100%\n- 4m 50%\n\nCool-down\n- 10m 50%"


@pytest.fixture(params=DATABASES)
def store(request, tmp_path):
    with empty_database(request.param, tmp_path) as url, closing(Store.open(url)) as store:
        seed(store)
        store.add_member(SQUAD, ADMIN, WorkspaceRole.COACH)
        yield store


@pytest.fixture
def address(store, tmp_path):
    """A service of its own, whose clock moves on a minute with every look, so that no limit is ever reached."""
    minutes = count(start=1_773_986_400, step=60)
    app = create_app(
        store,
        settings=Settings(outbox=tmp_path / "outbox", today=TODAY, intervals_url=NO_INTERVALS),
        stream_makers={"test": make_streams},
        clock=lambda: next(minutes),
    )
    with served(mounted(app)) as base:
        yield f"{base}/api"


@contextmanager
def client(address, key=COACH_KEY):
    with httpx.Client(base_url=address, timeout=60, headers={"Authorization": f"Bearer {key}"}) as opened:
        yield opened


def creates(number):
    """Workouts for two athletes, on days one after the other."""
    return [
        {"op": "create", "kind": "workout", "userId": (ATHLETE, OTHER_ATHLETE)[place % 2],
         "value": {"date": str(DAY + timedelta(days=place // 2)), "title": f"W {place}", "sport": "cycling", "text": TEXT}}
        for place in range(number)
    ]  # fmt: skip


def planned(opened, user_id=ATHLETE):
    reply = opened.get(f"/users/{user_id}/training-prescriptions?from={DAY}")
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_a_batch_of_many_and_its_undo(address):
    with client(address) as opened:
        reply = opened.post("/plan/v1/batches", json={"operations": creates(1_200)}).json()
        there = [len(planned(opened, user_id)) for user_id in (ATHLETE, OTHER_ATHLETE)]
        undo = opened.post(f"/plan/v1/batches/{reply['id']}/undo")
        left = planned(opened)

    assert there == [600, 600]
    assert (undo.status_code, len(undo.json()["entries"])) == (200, 1_200)
    assert left == []


def test_a_batch_has_at_most_5000_operations(address):
    with client(address) as opened:
        reply = opened.post("/plan/v1/batches", json={"operations": creates(5_001)})

    assert reply.status_code == 400
    assert "operations: must be a list of 1 to 5,000 rows" in reply.json()["error"]


class WeekEditor:
    """A coach who changes random workouts of one week, each as they last saw it; knows what the service accepted."""

    def __init__(self, opened, number):
        self.opened = opened
        self.chance = random.Random(number)
        self.sent_tags = {}  # by accepted batch: the etag of the entry that it changed, None for a new entry
        self.conflicts = 0
        self.undone = []

    def edit(self):
        """One random change of the plan as it was read just before."""
        entries = self.opened.get(
            f"/plan/v1/users/{ATHLETE}/entries?from={DAY}&to={DAY + timedelta(days=6)}"
        ).json()
        if self.undone and self.chance.random() < 0.1:
            self._undo(self.undone.pop())
        elif len(entries) < 4 or self.chance.random() < 0.1:
            (operation,) = creates(1)
            operation["value"]["workspaceId"] = SQUAD
            self._send(None, operation)
        else:
            self._change(self.chance.choice(entries))

    def _change(self, entry):
        days = {str(DAY + timedelta(days=place)) for place in range(7)} - {entry["prescription"]["date"]}
        day = self.chance.choice(sorted(days))
        changes = {
            "update": {
                "description": f"{entry['prescription']['description'] or ''} {self.chance.random()}"[-500:]
            },
            "move": {"date": day},
            "copy": {"date": day, "workspaceId": SQUAD},
            "pair": {"activityId": RIDE},
            "unpair": None,
            "skip": {"reason": "Ill"},
            "unskip": None,
            "delete": None,
        }
        without_effect = {"manual": "pair", "none": "unpair"}.get(entry["pairing"]["mode"])
        ops = [op for op in changes if op in entry["allowed"] and op != without_effect]
        op = self.chance.choice(["update", "move", *ops])
        operation = {"op": op, "kind": "workout", "userId": ATHLETE, "id": entry["id"]}
        if op != "copy":
            operation["ifMatch"] = entry["etag"]
        if changes[op] is not None:
            operation["value"] = changes[op]
        self._send(entry, operation)

    def _send(self, entry, operation):
        reply = self.opened.post("/plan/v1/batches", json={"operations": [operation]})
        if reply.status_code == 200:
            self.sent_tags[reply.json()["id"]] = operation.get("ifMatch")
            self.undone.append(reply.json()["id"])
            return
        if (
            operation["op"] == "copy" and reply.status_code == 404
        ):  # the other coach has deleted what is copied
            return
        assert reply.status_code == 412, reply.text
        (current,) = reply.json()["current"]
        assert current["id"] == entry["id"]
        assert current["entry"] is None or current["entry"]["etag"] != entry["etag"]
        self.conflicts += 1

    def _undo(self, batch_id):
        reply = self.opened.post(f"/plan/v1/batches/{batch_id}/undo")
        if reply.status_code == 200:
            self.sent_tags[reply.json()["id"]] = None
            return
        assert reply.status_code == 412, reply.text
        assert reply.json()["current"]
        self.conflicts += 1


LASTS_S = float(os.environ.get("COACHBOARD_TEST_TWO_COACHES_S", "0"))
"""How long two coaches edit one week in the slow test, instead of a number of changes."""


@pytest.mark.parametrize("edits", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_of_two_coaches_who_edit_one_week_no_update_is_lost(edits, store, address, capsys):
    """Each change began from what the change before it left, and every change that was accepted is in the history."""
    until = time.monotonic() + (LASTS_S if edits > 20 else 0)

    def edit_a_week(key):
        with client(address, key) as opened:
            editor, number = WeekEditor(opened, key), 0
            while time.monotonic() < until if LASTS_S and edits > 20 else number < edits:
                editor.edit()
                number += 1
        return editor, number

    with ThreadPoolExecutor(2) as pool:
        (first, first_edits), (second, second_edits) = pool.map(edit_a_week, [COACH_KEY, ADMIN_KEY])
    with store.reading_plans() as plans:
        history = plans.history(ATHLETE, 1_000_000)[::-1]
        rows = {row.id: row for row in plans.between(ATHLETE, DAY, DAY + timedelta(days=6))}
    with client(address) as opened:
        newest = opened.get(f"/plan/v1/batches?userId={ATHLETE}").json()
    with capsys.disabled():
        print(
            f"\n{first_edits + second_edits} changes, {first.conflicts + second.conflicts} conflicts, {len(history)} batches"
        )

    sent_tags, left = first.sent_tags | second.sent_tags, {}
    for stamp, (change,) in history:
        before, after = (None if row is None else row.content() for row in (change.before, change.after))
        assert before == left.get(change.row.id)
        left[change.row.id] = after
        tag = sent_tags[stamp.batch_id]
        assert tag is None or tag == etag_of(change.before)
    assert {stamp.batch_id for stamp, _changes in history} == set(sent_tags)
    assert {key: row.content() for key, row in rows.items()} == {key: row for key, row in left.items() if row}
    assert [batch["id"] for batch in newest] == [stamp.batch_id for stamp, _changes in history[::-1]][:100]


def test_one_idempotency_key_at_once_is_one_batch(address):
    body = {"operations": creates(3)}

    def send(_number):
        with client(address) as opened:
            return opened.post("/plan/v1/batches", json=body, headers={"Idempotency-Key": "k"}).json()["id"]

    with ThreadPoolExecutor(6) as pool:
        ids = set(pool.map(send, range(6)))

    with client(address) as opened:
        assert len(ids) == 1
        assert len(planned(opened)) == 2


@contextmanager
def service_process(folder):
    """`coachboard serve` on the database of a folder; yields its process and address."""
    port = free_port()
    env = {name: value for name, value in os.environ.items() if not name.startswith("COACHBOARD_")}
    env |= {"COACHBOARD_DATA": str(folder), "COACHBOARD_OUTBOX": str(folder / "outbox")}
    program = "import sys; from coachboard.cli import main; sys.argv[0] = 'coachboard'; main()"
    command = [
        sys.executable,
        "-c",
        program,
        "serve",
        "--port",
        str(port),
        "--db",
        f"sqlite:///{folder / 'store.db'}",
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_until(lambda: process.poll() is not None or is_up(port), "the service did not start")
        yield process, f"http://127.0.0.1:{port}/api"
    finally:
        process.kill()
        process.wait(20)


def is_up(port):
    try:
        return httpx.get(f"http://127.0.0.1:{port}/api/openapi.json", timeout=2).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("what", ["batch", "plan"])
def test_a_killed_batch_is_there_as_a_whole_or_not_at_all(what, tmp_path):
    """Killed ever closer to the moment that it is there from; sent again with its key, it is done exactly once."""
    template = tmp_path / "template"
    template.mkdir()
    with closing(Store.open(f"sqlite:///{template / 'store.db'}")) as store:
        seed(store)
    path, body, whole = written_as_a(what, template)
    headers = {"Idempotency-Key": "once", "Content-Type": "application/json"}
    with (
        service_process(shutil.copytree(template, tmp_path / "whole")) as (_process, base),
        client(base) as opened,
    ):
        began = time.monotonic()
        assert opened.post(path, content=body, headers=headers).status_code == 200
        whole_s = time.monotonic() - began

    sizes = []
    absent_s, there_s = 0.0, 2 * whole_s
    for number in range(7):
        moment_s = (absent_s + there_s) / 2
        folder = shutil.copytree(template, tmp_path / str(number))
        with service_process(folder) as (process, base), client(base) as opened:
            killer = threading.Timer(moment_s, process.send_signal, [signal.SIGKILL])
            killer.start()
            try:
                status = opened.post(path, content=body, headers=headers).status_code
            except httpx.TransportError:
                status = None
            killer.join()
            process.wait(20)
        with closing(Store.open(f"sqlite:///{folder / 'store.db'}")) as store:
            size = sum(
                len(store.row_bodies(RowKind.PRESCRIPTIONS, each, start=DAY))
                for each in (ATHLETE, OTHER_ATHLETE)
            )
        assert size == whole if status == 200 else size in {0, whole}
        absent_s, there_s = (absent_s, moment_s) if size else (moment_s, there_s)
        with service_process(folder) as (_process, base), client(base) as opened:
            assert opened.post(path, content=body, headers=headers).status_code == 200
            assert len(planned(opened)) + len(planned(opened, OTHER_ATHLETE)) == whole
        sizes.append(size)
        shutil.rmtree(folder)

    assert 0 in sizes


def written_as_a(what, folder):
    """Path, body and number of workouts of a large write: a batch, or a plan for two athletes that the folder's store has."""
    if what == "batch":
        return "/plan/v1/batches", json.dumps({"operations": creates(3_000)}).encode(), 3_000
    entries = [
        {"day": 1 + place // 3, "kind": "workout", "value": {"title": f"W {place}", "sport": "cycling", "text": TEXT}}
        for place in range(1_000)
    ]  # fmt: skip
    plan = {"title": "A year", "sport": "cycling", "days": 366, "entries": entries}
    with service_process(folder) as (_process, base), client(base) as opened:
        plan_id = opened.post("/plan/v1/plans", json=plan).json()["id"]
    start = str(datetime.now(UTC).date() + timedelta(days=7))
    athletes = [{"userId": each, "anchor": {"start": start}} for each in (ATHLETE, OTHER_ATHLETE)]
    return f"/plan/v1/plans/{plan_id}/apply", json.dumps({"athletes": athletes}).encode(), 2_000


OPERATIONS = [
    (path, method)
    for path, methods in orjson.loads(openapi.document_json("/api"))["paths"].items()
    for method in methods
]


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("path", "method"),
    [
        pytest.param(
            path, method, marks=() if path.endswith("/batches") and method == "post" else pytest.mark.slow
        )
        for path, method in OPERATIONS
    ],
)
def test_the_service_keeps_to_the_description_of_the_planning_api(address, path, method):
    """Statuses, headers and bodies of generated requests are those of the document."""
    api = schemathesis.openapi.from_dict(httpx.get(f"{address}/plan/v1/openapi.json").json())
    api.config.update(base_url=address)

    @given(case=api[path][method].as_strategy())
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    def holds(case):
        case.call_and_validate(
            headers={"Authorization": f"Bearer {COACH_KEY}"},
            # Which fields an operation takes depends on its kind, which no schema says.
            excluded_checks=[positive_data_acceptance, negative_data_rejection],
        )

    holds()
