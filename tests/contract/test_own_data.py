"""The own-data API over real HTTP: discovery, imports, corrections, values, the change stamp, and the conflicts."""

import io
import re
import socket
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import httpx
import orjson
import pytest

import seeded
from coachboard.formulas.session.session_load import rpe_load
from coachboard.service.api import request_body
from coachboard.service.api.app import create_app, mounted
from coachboard.service.importers.importing import athletes_of
from coachboard.service.importers.reread import recompute
from coachboard.service.own_data import imports
from coachboard.service.own_data.activities import Activities
from coachboard.service.own_data.api import OwnDataApi
from coachboard.service.own_data.jobs import new_job
from coachboard.service.own_data.requests import activity_tag
from coachboard.service.store import JobFile, JobKind, JobState, RowKind, Store
from coachboard.settings import Settings
from coachboard.wire.activities import Activity
from seeded import ATHLETE, ATHLETE_KEY, COACH_KEY, TODAY
from serving import served
from unit.service.importers.fit_files import activity, at, fit_file, records, session
from waiting import wait_until

OWN = "/own/v1"


def ride(*, watts=200, first_s=0, seconds=900):
    columns = {
        "power": watts,
        "heart_rate": lambda place: 130 + place % 20,
        "distance": lambda place: place * 8.0,
    }
    durations = {"total_elapsed_time": float(seconds), "total_timer_time": float(seconds)}
    return fit_file(
        *records(seconds, first_s=first_s, **columns),
        session(start_time=at(first_s), **durations),
        activity(offset_s=7200),
    )


@pytest.fixture
def me(service, ask, tmp_path, monkeypatch):
    """Sends requests of the athlete; removes afterwards what their imports brought."""

    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path))  # kept files of a PostgreSQL store

    def send(method, path, **more):
        return ask(f"{OWN}{path}", key=ATHLETE_KEY, method=method, **more)

    yield send
    for job in send("GET", "/imports").json():
        if job["state"] != JobState.UNDONE:  # each test would undo the imports of all tests before it
            send("DELETE", f"/imports/{job['id']}")
    for row in send("GET", "/activities/deleted").json():
        service.store.delete_activities(ATHLETE, [row["id"]])
    typed = service.store.activities_with_correction(ATHLETE, "byHand")
    service.store.delete_activities(ATHLETE, [row.id for row in typed])


def finished(me, path):
    ended = {JobState.DONE, JobState.FAILED}
    wait_until(lambda: me("GET", path).json()["state"] in ended, at_most_s=30)
    return me("GET", path).json()


def imported(me, **files):
    job = me("POST", "/imports", json={}).json()
    for name, data in files.items():
        sent = me("PUT", f"/imports/{job['id']}/files?name={name.replace('__', '.')}", content=data)
        assert sent.status_code == 200, sent.text
    me("POST", f"/imports/{job['id']}/start")
    return finished(me, f"/imports/{job['id']}")


def activity_of(service, activity_id):
    bodies = service.store.row_bodies(RowKind.ACTIVITIES, ATHLETE)
    return next((row for row in map(orjson.loads, bodies) if row["id"] == activity_id), None)


def test_the_service_reports_its_features(me):
    features = me("GET", "").json()

    assert features["version"] == "1"
    assert {"imports", "activities", "metrics"} <= set(features["features"])


def test_a_key_is_required_except_for_the_description(ask):
    assert ask(OWN, key=None).status_code == 401
    assert ask(f"{OWN}/openapi.json", key=None).json()["openapi"] == "3.1.0"


def test_the_reason_why_mails_are_not_sent_has_the_name_of_the_setting(tmp_path):
    with closing(Store.open(f"sqlite:///{tmp_path / 'service.db'}")) as store:
        seeded.seed(store)
        found = {}
        for url in (None, "mail.example:587", "smtp://127.0.0.1:1"):
            app = create_app(store, settings=Settings(data=tmp_path, smtp_url=url))
            app.state.mailer.close()  # it has tried the server
            with served(mounted(app)) as address:
                key = {"Authorization": f"Bearer {ATHLETE_KEY}"}
                found[url] = httpx.get(f"{address}/api{OWN}/mail", headers=key).json()["fault"]
                assert httpx.get(f"{address}/api{OWN}/mail").status_code == 401

    assert found[None] is None
    assert found["mail.example:587"].startswith("COACHBOARD_SMTP_URL is wrong: ")
    assert found["smtp://127.0.0.1:1"] == "COACHBOARD_SMTP_URL: the mail server 127.0.0.1:1 does not answer"


def test_every_route_is_described(ask, running):
    paths = ask(f"{OWN}/openapi.json", key=None).json()["paths"]
    served = {
        (re.sub(r"{.*?}", "{}", route.path), method.lower())
        for route in OwnDataApi(running.store, None, None, today=None).routes()
        for method in route.methods - {"HEAD"}
    }
    described = {
        (re.sub(r"{.*?}", "{}", path), method) for path, methods in paths.items() for method in methods
    }

    assert served - described == {(f"{OWN}/openapi.json", "get"), (f"{OWN}/docs", "get")}
    assert described <= served


def test_every_status_of_sessions_by_hand_and_workouts_is_described(ask):
    for method, path, statuses in [
        ("post", "/activities", "201 400 401 404 408 409 413 429 503 507"),
        ("patch", "/activities/{activityId}", "200 400 401 404 408 409 412 413 428 429 503 507"),
        ("get", "/prescriptions", "200 400 401 404 429 503"),
        ("patch", "/prescriptions/{prescriptionId}", "200 400 401 404 408 412 413 428 429 503 507"),
        ("delete", "/prescriptions/{prescriptionId}", "200 400 401 404 412 428 429 503 507"),
    ]:
        operation = ask(f"{OWN}/openapi.json", key=None).json()["paths"][OWN + path][method]

        assert sorted(operation["responses"]) == statuses.split()


def test_a_file_becomes_a_session_with_a_report(me, service):
    job = imported(me, ride__fit=ride(), notes__fit=b"no recording")
    by_name = {line["name"]: line for line in job["report"]}

    assert (job["state"], job["done"], job["total"], job["received"]) == ("done", 2, 2, [])
    assert job["counts"] == {"imported": 1, "known": 0, "repaired": 0, "skipped": 0, "rejected": 1}
    assert by_name["notes.fit"]["notes"] == ["neither FIT nor TCX nor GPX"]
    assert activity_of(service, by_name["ride.fit"]["activityIds"][0])["averagePower"] == 200


def test_a_file_that_is_dropped_twice_is_one_session(me):
    first = imported(me, ride__fit=ride())
    second = imported(me, ride__fit=ride(), copy__fit=ride())
    (known,) = first["report"][0]["activityIds"]

    assert second["counts"]["known"] == 2
    assert {(line["outcome"], *line["activityIds"]) for line in second["report"]} == {("known", known)}
    assert second["report"][0]["notes"] == ["already imported as ride.fit"]


def test_a_file_of_the_same_name_with_other_content_is_another_session(me, service):
    first = imported(me, ride__fit=ride())
    second = imported(me, ride__fit=ride(first_s=86_400, watts=250))
    ids = [job["report"][0]["activityIds"][0] for job in (first, second)]

    assert [job["counts"]["imported"] for job in (first, second)] == [1, 1]
    assert [activity_of(service, id_)["averagePower"] for id_ in ids] == [200, 250]


def test_an_undo_of_the_second_import_keeps_the_sessions_of_the_first(me, service):
    first = imported(me, ride__fit=ride())
    second = imported(me, ride__fit=ride())
    me("DELETE", f"/imports/{second['id']}")

    assert activity_of(service, first["report"][0]["activityIds"][0]) is not None


def test_tables_of_an_export_ask_for_no_columns_and_files_that_were_not_sent_are_counted(me):
    job = me("POST", "/imports", json={}).json()
    for name in ("export_1/activities.csv", "export_1/bikes.csv", "mine/nights.csv"):
        me("PUT", f"/imports/{job['id']}/files", params={"name": name}, content=b"Bike,Brand\n1,2\n")
    received = me("GET", f"/imports/{job['id']}").json()["received"]
    me("POST", f"/imports/{job['id']}/start", json={"others": 7})
    job = finished(me, f"/imports/{job['id']}")

    assert [file["name"] for file in received if file["hasColumns"]] == ["mine/nights.csv"]
    assert job["counts"]["skipped"] == 8


def test_files_beyond_the_limit_are_refused_until_an_import_is_discarded(me, monkeypatch):
    monkeypatch.setattr(imports, "MAX_WAITING_BYTES", 100)
    first, second = (me("POST", "/imports", json={}).json()["id"] for _ in range(2))
    sent = me("PUT", f"/imports/{first}/files?name=a.fit", content=b"x" * 80)
    refused = me("PUT", f"/imports/{second}/files?name=b.fit", content=b"x" * 30)
    received = me("GET", f"/imports/{second}").json()["received"]
    me("DELETE", f"/imports/{first}")
    third = me("POST", "/imports", json={}).json()["id"]

    assert (sent.status_code, refused.status_code) == (200, 413)
    assert refused.json()["error"].endswith("wait for their import: start or discard earlier imports.")
    assert received == []
    assert me("PUT", f"/imports/{third}/files?name=b.fit", content=b"x" * 30).status_code == 200


def test_files_that_arrive_at_the_same_time_count_together(me, monkeypatch):
    monkeypatch.setattr(imports, "MAX_WAITING_BYTES", 100)
    job, both_began = me("POST", "/imports", json={}).json()["id"], threading.Barrier(2)

    def body():
        yield b"x" * 30
        both_began.wait(10)
        yield b"x" * 30

    def send(name):
        return me("PUT", f"/imports/{job}/files?name={name}", content=body()).status_code

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(send, ("a.fit", "b.fit"))) == [200, 413]
    assert [file["size"] for file in me("GET", f"/imports/{job}").json()["received"]] == [60]
    assert send_plain(me, job, 40) == 200  # the refused file counts no more
    assert send_plain(me, job, 1) == 413


def send_plain(me, job, size):
    return me("PUT", f"/imports/{job}/files?name={size}.fit", content=b"x" * size).status_code


@pytest.mark.parametrize("harm", ["missing", "cut", "changed"])
def test_an_original_that_is_lost_is_not_offered_until_it_is_imported_again(me, service, harm):
    data = ride()
    (id_,) = imported(me, ride__fit=data)["report"][0]["activityIds"]
    path = service.store.originals.path(ATHLETE, service.store.own_activity(ATHLETE, id_).parts[0][0])
    assert me("GET", f"/activities/{id_}").json()["fileName"] == "ride.fit"
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes(data[:100] if harm == "cut" else data[:-1] + b"x")

    assert me("GET", f"/activities/{id_}").json()["fileName"] is None
    assert me("GET", f"/activities/{id_}/file").status_code == 409
    imported(me, ride__fit=data)
    assert me("GET", f"/activities/{id_}").json()["fileName"] == "ride.fit"
    assert me("GET", f"/activities/{id_}/file").content == data


def test_an_import_is_undone_as_a_whole(me, service):
    job = imported(me, ride__fit=ride())
    (activity_id,) = job["report"][0]["activityIds"]
    undone = me("DELETE", f"/imports/{job['id']}").json()

    assert undone["state"] == "undone"
    assert activity_of(service, activity_id) is None
    assert imported(me, ride__fit=ride())["counts"]["imported"] == 1


def test_a_number_of_files_that_makes_no_sense_is_refused(me):
    for others in [-1, 0.5, 1e30, 10**18, "1", True, None]:
        job = me("POST", "/imports", json={}).json()["id"]

        assert me("POST", f"/imports/{job}/start", json={"others": others}).status_code == 400
        assert me("GET", f"/imports/{job}").json()["state"] == "receiving"


def test_a_stranger_finds_no_import_and_no_activity(me, ask):
    job = imported(me, ride__fit=ride())
    (activity_id,) = job["report"][0]["activityIds"]

    for path in (f"/imports/{job['id']}", f"/activities/{activity_id}", f"/activities/{activity_id}/file"):
        assert ask(f"{OWN}{path}", key=COACH_KEY).status_code == 404, path


def test_a_name_is_corrected_and_a_second_editor_gets_the_conflict(me, service):
    (activity_id,) = imported(me, ride__fit=ride())["report"][0]["activityIds"]
    path = f"/activities/{activity_id}"
    seen = me("GET", path)
    tag = {"If-Match": seen.headers["etag"]}
    first = me("PATCH", path, json={"name": "Home from work"}, headers=tag)
    second = me("PATCH", path, json={"name": "Commute"}, headers=tag)

    assert (first.status_code, second.status_code) == (200, 412)
    assert second.json()["current"]["name"] == "Home from work"
    assert activity_of(service, activity_id)["name"] == "Home from work"
    assert me("PATCH", path, json={"name": "X"}).status_code == 428


def test_a_corrected_sport_is_read_again_with_that_sport(me, service):
    (activity_id,) = imported(me, ride__fit=ride())["report"][0]["activityIds"]
    path = f"/activities/{activity_id}"
    tag = {"If-Match": me("GET", path).headers["etag"]}
    changed = me("PATCH", path, json={"sport": "running", "subSport": None, "rpe": 7}, headers=tag).json()

    assert (changed["sport"], changed["subSport"], changed["rpe"]) == ("running", None, 7)
    assert activity_of(service, activity_id)["sport"] == "running"


def test_a_session_is_deleted_and_restored(me, service):
    (activity_id,) = imported(me, ride__fit=ride())["report"][0]["activityIds"]
    path = f"/activities/{activity_id}"
    gone = me("DELETE", path, headers={"If-Match": me("GET", path).headers["etag"]})
    is_listed = [row["id"] for row in me("GET", "/activities/deleted").json()] == [activity_id]
    was = activity_of(service, activity_id)
    me("POST", f"{path}/restore", headers={"If-Match": gone.headers["etag"]})

    assert is_listed
    assert was is None
    assert service.store.streams(activity_id) is not None
    assert activity_of(service, activity_id) is not None


def test_the_original_file_can_be_downloaded(me):
    (activity_id,) = imported(me, ride__fit=ride())["report"][0]["activityIds"]
    got = me("GET", f"/activities/{activity_id}/file")

    assert got.content == ride()
    assert got.headers["content-disposition"] == "attachment; filename*=UTF-8''ride.fit"


def test_two_halves_become_one_session(me, service):
    job = imported(me, a__fit=ride(), b__fit=ride(first_s=1000))
    one, two = (line["activityIds"][0] for line in job["report"])
    tags = {id_: me("GET", f"/activities/{id_}").headers["etag"] for id_ in (one, two)}
    joined = me("POST", f"/activities/{one}/join", json={"activityId": two}, headers={"If-Match": tags[one]})
    whole, second = activity_of(service, one), activity_of(service, two)

    assert joined.json()["files"] == 2
    assert (whole["totalDuration"], whole["effectiveDuration"]) == (1900, 1800)
    assert whole["distance"] == pytest.approx(2 * 899 * 8)
    assert second is None


def test_a_join_of_a_half_that_changed_meanwhile_joins_nothing(me, service):
    """The whole was written before the half was looked at again: its recording counted twice."""
    job = imported(me, a__fit=ride(), b__fit=ride(first_s=1000))
    one, two = (line["activityIds"][0] for line in job["report"])
    store = service.store
    first, second = store.own_activity(ATHLETE, one), store.own_activity(ATHLETE, two)
    me("PATCH", f"/activities/{two}", json={"name": "X"}, headers={"If-Match": activity_tag(second)})

    assert not Activities(store)._joined(first, second)
    assert activity_of(service, one)["totalDuration"] == 900
    assert activity_of(service, two)["name"] == "X"


def test_a_joined_half_that_is_restored_is_a_session_of_its_own(me, service):
    job = imported(me, a__fit=ride(), b__fit=ride(first_s=1000))
    one, two = (line["activityIds"][0] for line in job["report"])
    tag = me("GET", f"/activities/{one}").headers["etag"]
    me("POST", f"/activities/{one}/join", json={"activityId": two}, headers={"If-Match": tag})
    me(
        "POST",
        f"/activities/{two}/restore",
        headers={"If-Match": me("GET", f"/activities/{two}").headers["etag"]},
    )

    assert activity_of(service, one)["totalDuration"] == 900
    assert activity_of(service, two)["totalDuration"] == 900


def test_the_file_of_a_session_is_replaced_and_its_name_stays(me, service):
    (activity_id,) = imported(me, ride__fit=ride())["report"][0]["activityIds"]
    path = f"/activities/{activity_id}"
    named = me("PATCH", path, json={"name": "Hills"}, headers={"If-Match": me("GET", path).headers["etag"]})
    tag = {"If-Match": named.headers["etag"]}
    bad = me("PUT", f"{path}/file?name=a.fit", content=b"no recording", headers=tag)
    me("PUT", f"{path}/file?name=full.fit", content=ride(watts=250, seconds=1200), headers=tag)
    row = activity_of(service, activity_id)

    assert (bad.status_code, bad.json()["error"]) == (400, "a.fit: neither FIT nor TCX nor GPX.")
    assert (row["name"], row["averagePower"], row["totalDuration"]) == ("Hills", 250, 1200)
    assert me("GET", f"{path}/file").content == ride(watts=250, seconds=1200)


def archive(**files):
    """A zip with these files."""
    with io.BytesIO() as whole:
        with zipfile.ZipFile(whole, "w") as packed:
            for name, data in files.items():
                packed.writestr(name.replace("__", "."), data)
        return whole.getvalue()


def test_an_archive_without_a_recording_is_refused_as_a_table_and_as_another_file(me):
    path = f"/activities/{imported(me, ride__fit=ride())['report'][0]['activityIds'][0]}"
    job = me("POST", "/imports", json={}).json()
    me("PUT", f"/imports/{job['id']}/files?name=a.zip", content=archive(readme__txt=b"no ride"))
    shown = me("GET", f"/imports/{job['id']}/preview?name=a.zip")
    tag = {"If-Match": me("GET", path).headers["etag"]}
    changed = me("PUT", f"{path}/file?name=a.zip", content=archive(readme__txt=b"no ride"), headers=tag)

    assert (shown.status_code, shown.json()["error"]) == (400, "contains no recording.")
    assert (changed.status_code, changed.json()["error"]) == (400, "a.zip: contains no recording.")


@pytest.mark.parametrize(
    "name",
    [
        "上海" * 35 + ".fit",
        "Велопрогулка " * 8 + ".fit",
        "фото/" * 12 + "ride.fit",
        ".a%2F.fit",
        "a\\b:c*.fit",
    ],
)
def test_a_name_in_any_script_is_kept(me, name):
    job = me("POST", "/imports", json={}).json()
    sent = me("PUT", f"/imports/{job['id']}/files", params={"name": name}, content=ride())
    listed = me("GET", f"/imports/{job['id']}").json()["received"]
    me("POST", f"/imports/{job['id']}/start", json={})
    (line,) = finished(me, f"/imports/{job['id']}")["report"]

    assert sent.json()["name"] == name
    assert [file["name"] for file in listed] == [name]
    assert (line["name"], line["outcome"]) == (name, "imported")


def test_a_name_that_no_disk_takes_is_refused(me):
    job = me("POST", "/imports", json={}).json()
    sent = me("PUT", f"/imports/{job['id']}/files", params={"name": "海" * 90 + ".fit"}, content=ride())

    said = "The name of the file and its folders is too long: use a shorter one."
    assert (sent.status_code, sent.json()["error"]) == (400, said)


def test_a_table_of_nights_is_previewed_and_imported_with_the_chosen_columns(me, service):
    job = me("POST", "/imports", json={}).json()
    table = b"When,HRV\n2026-05-02,61\n2026-05-03,many\n"
    me("PUT", f"/imports/{job['id']}/files?name=nights.csv", content=table)
    shown = me("GET", f"/imports/{job['id']}/preview?name=nights.csv").json()
    chosen = {"columns": {"nights.csv": {"When": "date", "HRV": "average_hrv"}}}
    me("POST", f"/imports/{job['id']}/start", json=chosen)
    (line,) = finished(me, f"/imports/{job['id']}")["report"]

    assert [column["header"] for column in shown["columns"]] == ["When", "HRV"]
    assert (line["outcome"], line["nights"]) == ("imported", 1)
    assert line["notes"] == ["line 3: 'many' is not a number"]


def test_the_service_answers_others_while_it_previews_a_table(me, service, monkeypatch):
    """A table of 64 MB took 28 s of the event loop, in which the service answered nobody."""
    others_have_asked = threading.Event()

    def preview(*_args):
        assert others_have_asked.wait(10)
        raise imports.RecordingError("is no table")

    monkeypatch.setattr(imports, "preview", preview)
    job = me("POST", "/imports", json={}).json()
    me("PUT", f"/imports/{job['id']}/files?name=a.csv", content=b"date,hrv\n")
    replies = []
    previewing = threading.Thread(
        target=lambda: replies.append(me("GET", f"/imports/{job['id']}/preview?name=a.csv"))
    )
    previewing.start()
    is_answered = httpx.get(f"{service.base_url}/health", timeout=5).status_code == 200
    others_have_asked.set()
    previewing.join(20)

    assert is_answered
    assert replies[0].json() == {"code": "bad_request", "error": "is no table."}


@pytest.mark.parametrize(
    ("method", "path", "key"),
    [
        ("POST", f"{OWN}/invitations/look-up", None),
        ("POST", f"{OWN}/keys", ATHLETE_KEY),
        ("PUT", f"{OWN}/imports/{{}}/files?name=a.fit", ATHLETE_KEY),
        ("POST", "/workspaces/wke_squad/invitations", COACH_KEY),
    ],
)
@pytest.mark.parametrize("is_dripping", [False, True])
def test_a_body_that_does_not_come_is_not_waited_for(
    me, service, monkeypatch, method, path, key, is_dripping
):
    """Such requests held their connections for ever, also without a key."""
    monkeypatch.setattr(request_body, "BODY_TIMEOUT_S", 0.3)
    path = path.format(me("POST", "/imports", json={}).json()["id"])
    address = urlsplit(service.base_url)
    head = f"{method} /api{path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: 100\r\n"
    head += f"Authorization: Bearer {key}\r\n" if key else ""
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        connection.sendall(f"{head}\r\n{{".encode())
        connection.settimeout(0.1 if is_dripping else 10)
        received, drips = b"", 0
        while not received.endswith(b"}") and drips < 30:
            try:
                received += connection.recv(65_536)
            except TimeoutError:
                drips += 1
                # A file may take any time while parts of it come.
                if not path.startswith(f"{OWN}/imports") or drips < 2:
                    with suppress(ConnectionError):  # closed since
                        connection.sendall(b" ")
        status = int(received.split()[1])

        assert (status, b"request_timeout" in received) == (408, True)
        with suppress(ConnectionError):  # closed before the last byte came
            assert connection.recv(1) == b"", "still open"
    assert service.client.get("/health").status_code == 200


def correct(me, activity_id, **changes):
    etag = me("GET", f"/activities/{activity_id}").json()["etag"]
    return me("PATCH", f"/activities/{activity_id}", json=changes, headers={"If-Match": etag})


def times_of(ask, activity_id):
    """The first and last time of the streams, and the starts of laps, as seconds since the session's start."""
    row = next(
        row for row in ask(f"/users/{ATHLETE}/activities", key=COACH_KEY).json() if row["id"] == activity_id
    )
    start = datetime.fromisoformat(row["startedAt"][:19])
    stamps = ask(f"/activities/{activity_id}/streams", key=COACH_KEY).json()["timestamp"]
    marks = [
        stamps[0],
        stamps[-1],
        *(lap["startedAt"] for kind in ("laps", "providerLaps") for lap in row[kind]),
    ]
    return [(datetime.fromisoformat(mark[:19]) - start).total_seconds() for mark in marks]


def days(ask, day):
    """The ids of the athlete's sessions of a day of the calendar."""
    return {
        row["id"] for row in ask(f"/users/{ATHLETE}/activities?from={day}&to={day}", key=COACH_KEY).json()
    }


ROUTE = {"position_lat": 565_000_000, "position_long": lambda place: 102_000_000 + place * 100}  # near Zürich
START = ("startedAt", "startedAtLocal", "utcOffset", "recordedAt")


def placed_ride(**columns):
    durations = {"total_elapsed_time": 900.0, "total_timer_time": 900.0}
    return fit_file(
        *records(900, power=200, **ROUTE, **columns), session(**durations), activity(offset_s=7200)
    )


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_corrected_start_moves_streams_laps_and_day_and_can_be_undone(me, ask, service, is_kept):
    """Also without the original file: the stored rows move."""
    (id_,) = imported(me, ride__fit=placed_ride())["report"][0]["activityIds"]
    recorded, before = me("GET", f"/activities/{id_}").json(), times_of(ask, id_)
    if not is_kept:
        (digest, _place), *_ = service.store.own_activity(ATHLETE, id_).parts
        service.store.originals.remove(ATHLETE, digest)

    moved = correct(me, id_, startedAtLocal="2026-01-15 23:30:00+00").json()

    # Winter: the place's offset is an hour less than that of the recording in May.
    assert recorded["utcOffset"] == 120
    assert [moved[name] for name in START] == [
        "2026-01-15 22:30:00+00", "2026-01-15 23:30:00+00", 60, recorded["startedAt"]
    ]  # fmt: skip
    assert moved["corrected"] == ["startedAt", "utcOffset"]
    assert times_of(ask, id_) == before
    assert id_ in days(ask, "2026-01-15")
    assert id_ not in days(ask, recorded["startedAtLocal"][:10])

    back = correct(me, id_, startedAtLocal=None).json()
    assert {name: back[name] for name in back if name != "etag"} == {
        **{name: recorded[name] for name in recorded if name != "etag"}, "fileName": back["fileName"]
    }  # fmt: skip
    assert times_of(ask, id_) == before
    assert id_ in days(ask, recorded["startedAtLocal"][:10])


def test_a_corrected_start_survives_other_corrections_and_reading_the_file_again(me, ask):
    (id_,) = imported(me, ride__fit=placed_ride())["report"][0]["activityIds"]
    before = times_of(ask, id_)
    correct(me, id_, startedAtLocal="2026-04-01 06:00:00+00")
    correct(me, id_, rpe=7)
    again = me("POST", "/imports", json={"again": True}).json()["id"]
    me("PUT", f"/imports/{again}/files?name=ride.fit", content=placed_ride())
    me("POST", f"/imports/{again}/start")
    finished(me, f"/imports/{again}")
    second = correct(me, id_, startedAtLocal="2026-04-02 06:00:00+00", utcOffset=330).json()

    assert second["startedAt"] == "2026-04-02 00:30:00+00"
    assert second["recordedAt"] == "2026-05-04 06:00:00+00"
    assert times_of(ask, id_) == before
    assert days(ask, "2026-04-02") >= {id_}


def test_another_file_of_a_moved_session_is_the_same_session(me):
    (id_,) = imported(me, ride__fit=placed_ride())["report"][0]["activityIds"]
    correct(me, id_, startedAtLocal="2026-04-01 06:00:00+00")

    line = imported(me, copy__fit=placed_ride(cadence=90))["report"][0]
    assert (line["outcome"], line["activityIds"]) == ("same session", [id_])


def test_an_offset_alone_moves_the_local_time_only(me):
    (id_,) = imported(me, ride__fit=ride())["report"][0]["activityIds"]
    before = me("GET", f"/activities/{id_}").json()
    after = correct(me, id_, utcOffset=-300).json()

    assert (after["startedAt"], after["utcOffset"]) == (before["startedAt"], -300)
    assert after["startedAtLocal"] == "2026-05-04 01:00:00+00"


def test_the_workout_of_a_sessions_own_file_moves_with_it(me, ask):
    step = ("WORKOUT_STEP", {"duration_type": "time", "duration_value": 600_000, "intensity": "active"})
    title = ("WORKOUT", {"wkt_name": "Hills", "sport": "cycling"})
    data = fit_file(
        title, step, *records(900, power=200), session(total_elapsed_time=900.0), activity(offset_s=0)
    )
    line = imported(me, ride__fit=data)["report"][0]
    (id_,), (workout_id,) = line["activityIds"], line["prescriptionIds"]

    assert correct(me, id_, startedAtLocal="2026-04-01 06:00:00+00").status_code == 200
    assert planned(ask)[workout_id][0] == "2026-04-01"


def test_a_start_that_makes_no_sense_is_refused(me):
    (id_,) = imported(me, ride__fit=ride())["report"][0]["activityIds"]
    before = me("GET", f"/activities/{id_}").json()
    for changes, status in [
        ({"startedAtLocal": "2999-01-01 06:00:00+00"}, 400),
        ({"startedAtLocal": "1970-01-01 06:00:00+00"}, 400),
        ({"startedAtLocal": "yesterday"}, 400),
        ({"startedAtLocal": None}, 400),
        ({"utcOffset": None}, 400),
        ({"utcOffset": 61}, 400),
        ({"utcOffset": 900}, 400),
        ({"totalDuration": 60}, 400),
        ({"distance": 60}, 400),
    ]:
        assert correct(me, id_, **changes).status_code == status
        assert me("GET", f"/activities/{id_}").json() == before


def from_now(*, offset_min, minutes):
    """The local time at that offset, so many minutes from now."""
    moment = datetime.now(UTC).replace(tzinfo=None, microsecond=0)
    return f"{moment + timedelta(minutes=offset_min + minutes)}+00"


STARTS = [(offset, minutes) for offset in (-840, 0, 840) for minutes in (-10, 10)]


@pytest.mark.parametrize(("offset", "minutes"), STARTS)
def test_a_start_in_the_future_is_refused_at_every_offset(me, offset, minutes):
    """The moment counts: a local time of tomorrow is past in the east, one of today is to come in the west."""
    is_past = minutes < 0
    start = {"startedAtLocal": from_now(offset_min=offset, minutes=minutes), "utcOffset": offset}
    (id_,) = imported(me, ride__fit=ride())["report"][0]["activityIds"]
    entered, moved = me("POST", "/activities", json={**RUN, **start}), correct(me, id_, **start)

    assert (entered.status_code, moved.status_code) == ((201, 200) if is_past else (400, 400))
    assert is_past or "The start is in the future" in entered.text
    assert is_past or "The start is in the future" in moved.text


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_start_without_an_offset_has_that_of_its_place_else_of_the_earliest_day(me, minutes):
    now = datetime.now(UTC)
    zurich_min = now.astimezone(ZoneInfo("Europe/Zurich")).utcoffset() // timedelta(minutes=1)
    nowhere = fit_file(*records(900, power=200, first_s=3600), session(start_time=at(3600)))
    for data, offset in ((placed_ride(), zurich_min), (nowhere, 840)):
        (id_,) = imported(me, ride__fit=data)["report"][0]["activityIds"]
        moved = correct(me, id_, startedAtLocal=from_now(offset_min=offset, minutes=minutes))

        assert moved.status_code == (200 if minutes < 0 else 400), moved.text


RUN = {
    "startedAtLocal": "2026-05-01 18:00:00+00", "utcOffset": 330, "sport": "running",
    "totalDuration": 3600, "distance": 12_000, "rpe": 6, "feeling": 4, "description": "On the track",
}  # fmt: skip


def test_a_session_entered_by_hand_is_an_activity_of_the_interface(me, service):
    made = me("POST", "/activities", json=RUN)
    row = activity_of(service, made.json()["id"])
    given = {
        "startedAt": "2026-05-01 12:30:00+00", "startedAtLocal": "2026-05-01 18:00:00+00", "utcOffset": 330,
        "totalDuration": 3600, "effectiveDuration": 3600, "distance": 12_000, "rpe": 6, "feeling": 4,
        "averageSpeed": 3.33, "description": "On the track", "sport": "running", "id": made.json()["id"],
    }  # fmt: skip
    # Foster's session RPE, as `rpe_load` scales it: an hour of RPE 6.
    scored = {"volume": round(rpe_load(6, 3600), 1), "intensity": row["intensity"]}
    lists = {name: [] for name in ("laps", "climbs", "lengths", "providerLaps")}

    assert made.status_code == 201
    assert made.headers["ETag"].strip('"') == made.json()["etag"]
    assert (made.json()["byHand"], made.json()["corrected"], made.json()["files"]) == (True, [], 0)
    assert Activity.from_wire(row)
    assert {name: value for name, value in row.items() if value is not None} == given | scored | lists


@pytest.mark.parametrize("letter", ["x", "あ", "🚴"])
def test_a_note_of_10_000_characters_is_kept_in_every_script(me, letter):
    made = me("POST", "/activities", json={**RUN, "name": letter * 500, "description": letter * 10_000})

    assert (made.status_code, made.json()["description"]) == (201, letter * 10_000)


def test_a_session_that_several_tabs_save_at_once_is_entered_once(me):
    with ThreadPoolExecutor(8) as pool:
        statuses = pool.map(lambda _: me("POST", "/activities", json=RUN).status_code, range(8))
        assert sorted(statuses) == [201, *[409] * 7]


def test_a_session_entered_by_hand_is_edited_deleted_and_restored(me, ask, service):
    id_ = me("POST", "/activities", json=RUN).json()["id"]
    changed = correct(
        me, id_, totalDuration=1800, distance=None, rpe=8, startedAtLocal="2026-05-02 07:00:00+00"
    )
    row = activity_of(service, id_)

    assert changed.status_code == 200
    assert (row["totalDuration"], row["distance"], row["averageSpeed"]) == (1800, None, None)
    assert row["volume"] == round(rpe_load(8, 1800), 1)
    assert row["startedAt"] == "2026-05-02 01:30:00+00"
    assert days(ask, "2026-05-02") >= {id_}
    assert correct(me, id_, startedAtLocal=None).status_code == 400
    assert correct(me, id_, name="Tempo").json()["name"] == "Tempo"
    assert activity_of(service, id_)["totalDuration"] == 1800

    gone = me(
        "DELETE", f"/activities/{id_}", headers={"If-Match": me("GET", f"/activities/{id_}").json()["etag"]}
    )
    assert id_ not in days(ask, "2026-05-02")
    me("POST", f"/activities/{id_}/restore", headers={"If-Match": gone.json()["etag"]})
    assert days(ask, "2026-05-02") >= {id_}


def test_a_session_entered_by_hand_keeps_its_figures_when_loads_are_recomputed(me, service):
    id_ = me("POST", "/activities", json=RUN).json()["id"]
    before = activity_of(service, id_)
    athlete_on = athletes_of(service.store, ATHLETE)
    assert recompute(service.store, ATHLETE, id_, athlete_on)

    assert activity_of(service, id_) == before


def test_a_session_by_hand_lasts_at_most_a_day(me, service):
    """30 days of RPE 10 had a load of 102,857."""
    made = me("POST", "/activities", json={**RUN, "totalDuration": 86_400, "rpe": 10})
    longer = correct(me, made.json()["id"], totalDuration=86_401)

    assert (made.status_code, longer.status_code) == (201, 400)
    assert "totalDuration" in longer.text
    assert activity_of(service, made.json()["id"])["totalDuration"] == 86_400


def test_fields_that_are_not_entered_are_null(me, service):
    bare = {name: RUN[name] for name in ("startedAtLocal", "utcOffset", "sport")}
    row = activity_of(
        service, me("POST", "/activities", json=bare | {"distance": 2000, "rpe": 5}).json()["id"]
    )

    unknown = (
        "totalDuration",
        "effectiveDuration",
        "movingDuration",
        "volume",
        "averageSpeed",
        "feeling",
        "name",
    )
    assert [row[name] for name in unknown] == [None] * len(unknown)
    assert row["distance"] == 2000


def test_a_second_session_of_the_same_time_is_refused_and_a_recording_of_it_is_handled(me):
    """As the importer does: the first one of the same start and duration stays; an overlap is named."""
    typed = {
        **RUN,
        "startedAtLocal": "2026-05-04 08:00:00+00",
        "utcOffset": 120,
        "sport": "cycling",
        "totalDuration": 900,
    }
    id_ = me("POST", "/activities", json=typed).json()["id"]
    assert me("POST", "/activities", json=typed).status_code == 409

    line = imported(me, ride__fit=ride())["report"][0]
    assert (line["outcome"], line["activityIds"]) == ("same session", [id_])
    later = imported(me, later__fit=ride(first_s=600))["report"][0]
    assert later["outcome"] == "imported"
    assert later["notes"] == [
        "overlaps the session of 2026-05-04 08:00 that was entered by hand; delete one of the two"
    ]


def test_the_file_of_a_session_entered_by_hand_replaces_its_figures(me, service):
    made = me("POST", "/activities", json=RUN).json()
    path = f"/activities/{made['id']}"
    read = me("PUT", f"{path}/file?name=a.fit", content=ride(), headers={"If-Match": made["etag"]}).json()
    row = activity_of(service, made["id"])
    me("DELETE", path, headers={"If-Match": read["etag"]})  # no import removes it

    assert (read["byHand"], read["files"], read["fileName"]) == (False, 1, "a.fit")
    assert (row["totalDuration"], row["averagePower"], row["rpe"]) == (900, 200, 6)
    assert row["startedAt"] == "2026-05-04 06:00:00+00"


def test_a_session_that_makes_no_sense_is_refused(me):
    for change in [
        {"sport": None},
        {"utcOffset": None},
        {"totalDuration": 0},
        {"totalDuration": 86_401},
        {"rpe": 11},
        {"startedAtLocal": "2999-01-01 00:00:00+00"},
    ]:
        assert me("POST", "/activities", json={**RUN, **change}).status_code == 400, change
    assert me("POST", "/activities", json={}).status_code == 400


DURATION = "totalDuration: must be a number above 0 and at most 86,400, or null"
DAY = "a date as YYYY-MM-DD from 1900-01-01 to 2199-12-31"
TIME = "a time as YYYY-MM-DD HH:MM:SS+00 from 1900 to 2199"
SPORTS = "one of global, cycling, running, swimming"


def test_a_wrong_body_names_the_field_and_what_it_has_to_be(me):
    for path, body, says in [
        *(
            ("/activities", {**RUN, "totalDuration": value}, DURATION)
            for value in ("x", 0, 86_401, 9e4, [], True)
        ),
        *(("/activities", body, "must be a JSON object") for body in ([], "x", 1)),
        *(
            (
                "/activities",
                {**RUN, "utcOffset": value},
                "utcOffset: must be a number from -840 to 840, a multiple of 15",
            )
            for value in (61, 855, 15.5, "Z", None)
        ),
        *(
            ("/activities", {**RUN, "startedAtLocal": value}, f"startedAtLocal: must be {TIME}")
            for value in ("2026-02-30 00:00:00+00", "2026-05-01T06:00:00Z", "0999-01-01 00:00:00+00", 5)
        ),
        ("/activities", {**RUN, "rpe": 11.5}, "rpe: must be a number from 1 to 10, or null"),
        (
            "/activities",
            {**RUN, "name": "x" * 501},
            "name: must be a text of at most 500 characters, or null",
        ),
        ("/activities", {**RUN, "RPE": 5}, "RPE: no such field"),
        ("/activities", {**RUN, "started_at_local": 5}, "started_at_local: no such field"),
        ("/activities", {}, f"startedAtLocal: required, {TIME}"),
        ("/imports", {"day": "2026-02-30"}, f"day: must be {DAY}, or null"),
        ("/imports", {"day": "1.5.2026"}, f"day: must be {DAY}, or null"),
        ("/imports", {"again": 1}, "again: must be true or false"),
        (
            "/metrics",
            {"type": "weight", "value": 70, "date": "2026-05-01", "sport": "chess"},
            f"sport: must be {SPORTS}",
        ),
        ("/keys", {"label": ""}, "label: must be a text of 1 to 100 characters"),
        (
            "/keys",
            {"label": "a", "expiresInDays": 1.5},
            "expiresInDays: must be a whole number from 1 to 36,525, or null",
        ),
        ("/invitations/look-up", {}, "code: required, a text of 1 to 200 characters"),
    ]:
        refused = me("POST", path, json=body)

        assert (refused.status_code, refused.json()["error"]) == (400, f"Invalid request body: {says}.")


def workout(name="Hills", **schedule):
    """A workout file of a device, with a day if it is scheduled."""
    step = {"duration_type": "time", "duration_value": 600_000, "intensity": "active"}
    rows = [("SCHEDULE", schedule)] if schedule else []
    return fit_file(
        ("WORKOUT", {"wkt_name": name, "sport": "cycling"}), ("WORKOUT_STEP", step), *rows, kind="workout"
    )


def planned(ask):
    """The athlete's planned workouts of the interface, by id."""
    rows = ask(f"/users/{ATHLETE}/training-prescriptions", key=COACH_KEY).json()
    return {row["id"]: (row["date"], row["title"]) for row in rows}


def test_an_imported_workout_is_moved_renamed_and_deleted(me, ask):
    (id_,) = imported(me, hills__fit=workout())["report"][0]["prescriptionIds"]
    (row,) = me("GET", "/prescriptions").json()
    path, tag = f"/prescriptions/{id_}", {"If-Match": row["etag"]}

    moved = me("PATCH", path, json={"date": "2026-05-03"}, headers=tag)
    stale = me("PATCH", path, json={"title": "Other"}, headers=tag)
    renamed = me(
        "PATCH", path, json={"title": " Long\u200f hills "}, headers={"If-Match": moved.headers["ETag"]}
    )

    assert row["prescription"]["title"] == "Hills"
    assert (moved.status_code, stale.status_code, renamed.status_code) == (200, 412, 200)
    assert stale.json()["current"] == moved.json()
    assert planned(ask)[id_] == ("2026-05-03", "Long hills")
    assert me("DELETE", path, headers=tag).status_code == 412
    assert me("DELETE", path, headers={"If-Match": renamed.json()["etag"]}).status_code == 200
    assert id_ not in planned(ask)
    assert me("DELETE", path, headers=tag).status_code == 404


def test_an_imported_workout_that_a_coach_hides_does_not_exist_for_the_athlete_until_its_day(
    me, ask, service
):
    (id_,) = imported(me, hills__fit=workout())["report"][0]["prescriptionIds"]
    (row,) = me("GET", "/prescriptions").json()
    entry = ask(f"/plan/v1/entries/{id_}", key=COACH_KEY).json()
    hide = {"op": "update", "kind": "workout", "userId": ATHLETE, "id": id_, "ifMatch": entry["etag"],
            "value": {"visibleFrom": str(TODAY + timedelta(days=1))}}  # fmt: skip
    ask("/plan/v1/batches", key=COACH_KEY, method="POST", json={"operations": [hide]})
    path, tag = f"/prescriptions/{id_}", {"If-Match": row["etag"]}

    before = [
        me("GET", "/prescriptions").json(),
        me("PATCH", path, json={"title": "Mine"}, headers=tag).status_code,
        me("DELETE", path, headers=tag).status_code,
    ]
    service.clock.now += 86_400
    after = me("GET", "/prescriptions").json()
    service.clock.now -= 86_400

    assert before == [[], 404, 404]
    assert after == [row]


def test_a_moved_workout_stays_when_its_file_is_read_again_and_a_deleted_one_returns(me, ask):
    (id_,) = imported(me, hills__fit=workout())["report"][0]["prescriptionIds"]
    (row,) = me("GET", "/prescriptions").json()
    change = {"date": "2026-05-03", "title": "Long hills"}
    row = me("PATCH", f"/prescriptions/{id_}", json=change, headers={"If-Match": row["etag"]}).json()

    again = me("POST", "/imports", json={"again": True}).json()["id"]
    me("PUT", f"/imports/{again}/files?name=hills.fit", content=workout())
    me("POST", f"/imports/{again}/start")
    finished(me, f"/imports/{again}")
    assert planned(ask)[id_] == ("2026-05-03", "Long hills")

    assert imported(me, hills__fit=workout())["counts"]["known"] == 1
    me("DELETE", f"/prescriptions/{id_}", headers={"If-Match": row["etag"]})
    assert imported(me, hills__fit=workout())["counts"]["imported"] == 1
    assert planned(ask)[id_][1] == "Hills"


def test_a_change_of_a_workout_that_makes_no_sense_is_refused(me):
    (id_,) = imported(me, hills__fit=workout())["report"][0]["prescriptionIds"]
    (row,) = me("GET", "/prescriptions").json()
    for body, status in [
        ({}, 400),
        ({"date": None}, 400),
        ({"date": "2026-02-30"}, 400),
        ({"title": " \u200f "}, 400),
        ({"title": "x" * 201}, 400),
        ({"sport": "running"}, 400),
    ]:
        assert (
            me("PATCH", f"/prescriptions/{id_}", json=body, headers={"If-Match": row["etag"]}).status_code
            == status
        )
        assert me("PATCH", f"/prescriptions/{id_}", json={"title": "A"}).status_code == 428
        assert me("GET", "/prescriptions").json() == [row]


def test_a_plan_of_the_coach_and_a_workout_of_another_person_cannot_be_changed(me, ask, service):
    (id_,) = imported(me, hills__fit=workout())["report"][0]["prescriptionIds"]
    own = next(row for row in planned(ask) if row != id_)

    assert [row["prescription"]["id"] for row in me("GET", "/prescriptions").json()] == [id_]
    assert me("DELETE", f"/prescriptions/{own}", headers={"If-Match": "x"}).status_code == 404
    assert (
        ask(
            f"{OWN}/prescriptions/{id_}", key=COACH_KEY, method="DELETE", headers={"If-Match": "x"}
        ).status_code
        == 404
    )


def test_a_new_critical_power_changes_the_load_and_keeps_the_name(me, service):
    (activity_id,) = imported(me, ride__fit=ride())["report"][0]["activityIds"]
    path = f"/activities/{activity_id}"
    me("PATCH", path, json={"name": "Mine"}, headers={"If-Match": me("GET", path).headers["etag"]})
    before = activity_of(service, activity_id)["volume"]
    value = {"type": "critical power", "value": 150, "date": "2026-05-01", "sport": "cycling"}
    saved = me("POST", "/metrics", json=value).json()
    finished(me, f"/recomputations/{saved['recompute']['id']}")
    after = activity_of(service, activity_id)
    me("DELETE", f"/metrics/{saved['saved']['metric']['id']}", headers={"If-Match": saved["saved"]["etag"]})

    assert after["volume"] != before
    assert after["name"] == "Mine"


def test_an_implausible_value_is_refused_in_one_sentence(me):
    value = {"type": "weight", "value": 7, "date": "2026-01-01"}
    refused = me("POST", "/metrics", json=value)

    assert refused.status_code == 400
    assert refused.json()["error"] == "A weight of 7 kg is not plausible: enter 20 to 300 kg."


def test_a_value_that_changed_meanwhile_is_not_overwritten(me):
    value = {"type": "weight", "value": 70, "date": "2026-01-01"}
    saved = me("POST", "/metrics", json=value).json()["saved"]
    path, tag = f"/metrics/{saved['metric']['id']}", {"If-Match": saved["etag"]}
    first = me("PUT", path, json={**value, "value": 71}, headers=tag)
    second = me("DELETE", path, headers=tag)
    last = me("DELETE", path, headers={"If-Match": first.headers["etag"]})

    assert [reply.status_code for reply in (first, second, last)] == [200, 412, 200]
    assert second.json()["current"]["metric"]["value"] == 71


def test_the_stamp_names_whose_data_changed_also_for_their_coach(me, ask):
    before = ask(f"{OWN}/changes", key=COACH_KEY).json()["stamp"]
    imported(me, ride__fit=ride())
    after = ask(f"{OWN}/changes?since={before}", key=COACH_KEY).json()
    later = ask(f"{OWN}/changes?since={after['stamp']}", key=COACH_KEY).json()

    assert (after["changed"], later["changed"]) == ([ATHLETE], [])
    assert len({before, after["stamp"]}) == 2


def test_the_limits_are_apart_from_those_of_the_interface(ask, service):
    codes = {ask(f"{OWN}/changes", key=ATHLETE_KEY).status_code for _ in range(305)}

    assert codes == {200}
    assert ask("/users/me", key=ATHLETE_KEY).status_code == httpx.codes.OK


def test_a_long_report_comes_in_pages_with_problems_first(service, me):
    """A report of 100,000 lines held the service for seconds at each look of a page that follows the import."""
    job = new_job(ATHLETE, JobKind.IMPORT, JobState.RUNNING)
    service.store.add_job(job)
    outcomes = {7: "failed", 900: "failed", 13: "skipped"}
    store_lines = [
        JobFile(
            f"{n:04}.fit",
            n,
            outcomes.get(n, "imported"),
            {"notes": ["repaired"] if n == 500 else [], "nights": 0},
        )
        for n in range(1200)
    ]
    service.store.put_progress(job.id, store_lines, done=1200)
    path = f"/imports/{job.id}"
    pages = [me("GET", f"{path}{query}").json() for query in ("", "?offset=500", "?offset=1000&limit=400")]
    names = [line["name"] for page in pages for line in page["report"]]

    assert [len(page["report"]) for page in pages] == [500, 500, 200]
    assert names[:5] == ["0007.fit", "0900.fit", "0013.fit", "0500.fit", "0000.fit"]
    assert len(set(names)) == 1200
    for page in pages:
        assert page["reportLines"] == 1200
        assert page["counts"] == {"imported": 1197, "known": 0, "repaired": 1, "skipped": 1, "rejected": 2}
    assert me("GET", f"{path}?limit=0").json()["report"] == []
    assert me("GET", f"{path}?offset=5000").json()["report"] == []


def test_a_page_of_a_report_that_cannot_be_is_an_error(service, me):
    for query in [
        "limit=501",
        "limit=-1",
        "limit=x",
        "offset=1.5",
        "limit=1&limit=2",
        "offset=",
        "limit=%D9%A3",
    ]:
        job = new_job(ATHLETE, JobKind.IMPORT, JobState.RUNNING)
        service.store.add_job(job)
        reply = me("GET", f"/imports/{job.id}?{query}")

        assert reply.status_code == 400
        assert "must be a whole number from 0 to" in reply.json()["error"]
