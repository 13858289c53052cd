"""Values, availability and weekly targets over HTTP: who may set them, and what follows from them."""

from datetime import date, timedelta

import pytest

from coachboard.wire.body import Metric
from contract.test_planning import create, done, plan, refused
from seeded import ATHLETE, ATHLETE_KEY, COACH, COACH_KEY, STRANGER_KEY

__all__ = ["plan"]

MONDAY = date(2026, 5, 4)
WEEK = [{"hours": 2}] * 5 + [{"hours": 4, "sports": ["cycling"]}, {"hours": 0}]
SETTINGS = {
    "values": {"type": "critical power", "sport": "cycling", "value": 280, "date": "2026-05-01"},
    "availability": {"date": "2026-05-01", "weekdays": WEEK},
}
THRESHOLD_MISSING = (
    'text: Line 1, column 7: "90-95% LTHR" needs the threshold heart rate of the athlete, which is not set. '
    "Write a target in bpm, or set the threshold heart rate."
)
TARGET = f"targets/{MONDAY}"


@pytest.fixture
def send(ask):
    """Sends a request about the athlete's settings; those that the test leaves are deleted at the end."""

    def request(method, place, body=None, *, key=COACH_KEY, etag=None, user=ATHLETE):
        headers = {} if etag is None else {"If-Match": f'"{etag}"'}
        return ask(f"/plan/v1/users/{user}/{place}", key=key, method=method, json=body, headers=headers)

    before = {row["id"] for row in request("GET", "values").json()}
    yield request
    for row in request("GET", "values").json():
        if row["id"] not in before:
            request("DELETE", f"values/{row['id']}", etag=row["etag"])
    for row in request("GET", "availability").json():
        request("DELETE", f"availability/{row['id']}", etag=row["etag"])
    for row in request("GET", "targets?from=2020-01-01&to=2030-01-01").json():
        request("DELETE", f"targets/{row['monday']}", etag=row["etag"])


def saved(reply):
    """The setting of a reply that succeeded; a value is in its `saved`."""
    assert reply.status_code in {200, 201}, reply.text
    body = reply.json()
    return body["saved"] if "recompute" in body else body


def test_a_coachs_value_is_a_metric_of_the_interface_and_names_who_set_it(send, ask):
    value = saved(send("POST", "values", SETTINGS["values"]))

    assert (value["value"], value["unit"], value["source"]) == (280, "W", "user")
    assert value["setBy"] == {"id": COACH, "name": "Carla Coach"}
    assert value in send("GET", "values", key=ATHLETE_KEY, user="me").json()
    metrics = {row["id"]: row for row in ask(f"/users/{ATHLETE}/metrics").json()}
    assert metrics[value["id"]] == {
        **SETTINGS["values"], "id": value["id"], "unit": "W", "source": "user"
    }  # fmt: skip


def test_a_value_that_its_athlete_enters_elsewhere_names_the_athlete(send, ask):
    ask("/own/v1/metrics", key=ATHLETE_KEY, method="POST", json={**SETTINGS["values"], "value": 283})
    assert [row["setBy"] for row in send("GET", "values").json() if row["value"] == 283] == [
        {"id": ATHLETE, "name": "Ana Berg"}
    ]


def test_a_metric_without_unit_and_source_is_a_value_that_a_person_corrects(service, send):
    bare = {
        "id": "mtr_bare",
        "type": "weight",
        "value": 70,
        "unit": None,
        "source": None,
        "date": date(2026, 5, 2),
    }
    service.store.put_metrics(ATHLETE, [Metric(**bare, sport="global")])
    (row,) = (row for row in send("GET", "values").json() if row["id"] == "mtr_bare")
    assert (row["unit"], row["source"], row["setBy"]) == (None, None, None)
    corrected = saved(send("PATCH", "values/mtr_bare", {"value": 71}, etag=row["etag"]))
    assert (corrected["value"], corrected["unit"], corrected["source"]) == (71, "kg", "user")


def test_targets_in_percent_follow_a_value_that_a_coach_set(send, plan, ask):
    workout = done(plan(create(text="- 1h 100%", duration=None)))
    send("POST", "values", SETTINGS["values"])
    read = ask(f"/plan/v1/entries/{workout['id']}", key=ATHLETE_KEY).json()
    assert read["prescription"]["structure"][0]["intensity"]["minPower"] == 280


def test_targets_of_the_threshold_heart_rate_follow_its_value_of_the_day(send, plan, ask):
    def rates(day):
        entries = ask(f"/users/{ATHLETE}/training-prescriptions?from={day}&to={day}", key=ATHLETE_KEY).json()
        step = next(row["structure"][0] for row in entries if row["title"] == "Endurance")
        return step["intensity"]["minHeartRate"], step["intensity"]["maxHeartRate"]

    text = "- 20m 90-95% LTHR"
    assert refused(plan(create(text=text, duration=None))) == (
        400,
        THRESHOLD_MISSING,
    )
    threshold = {"type": "threshold heart rate", "value": 160, "date": "2026-05-01"}
    value = saved(send("POST", "values", threshold))
    assert value["unit"] == "bpm"
    send("POST", "values", {**threshold, "value": 170, "date": "2026-05-11"})

    workout = done(plan(create(text=text, duration=None, date="2026-05-04")))
    assert rates("2026-05-04") == (144, 152)
    assert ask(f"/plan/v1/users/{ATHLETE}/loads?from=2026-05-04&to=2026-05-04").status_code == 200
    move = {
        "op": "move",
        "kind": "workout",
        "userId": ATHLETE,
        "id": workout["id"],
        "ifMatch": workout["etag"],
    }
    done(plan({**move, "value": {"date": "2026-05-12"}}))
    assert rates("2026-05-12") == (153, 162)
    assert threshold["type"] not in ask(f"/users/{ATHLETE}/metrics").text

    for row in send("GET", "values").json():
        if row["type"] == threshold["type"]:
            send("DELETE", f"values/{row['id']}", etag=row["etag"])
    assert rates("2026-05-12") == (None, None)


@pytest.mark.parametrize(
    ("place", "change"), [("values", {"value": 290}), ("availability", {"endDate": "2026-05-20"})]
)
def test_settings_are_corrected_and_deleted_with_their_tag(place, change, send):
    row = saved(send("POST", place, SETTINGS[place]))
    path = f"{place}/{row['id']}"
    assert send("PATCH", path, change).status_code == 428
    corrected = saved(send("PATCH", path, change, key=ATHLETE_KEY, etag=row["etag"], user="me"))
    assert {name: corrected[name] for name in change} == change
    assert corrected["setBy"]["id"] == ATHLETE

    stale = send("DELETE", path, etag=row["etag"])
    assert (stale.status_code, stale.json()["current"]) == (412, corrected)
    assert send("DELETE", path, etag=corrected["etag"]).status_code == 200
    assert send("DELETE", path, etag=corrected["etag"]).status_code == 404


def test_the_target_of_a_week_is_the_coachs(send):
    target = saved(send("PUT", TARGET, {"load": 450, "phase": "build"}))
    assert (target["monday"], target["load"], target["hours"], target["phase"]) == (
        "2026-05-04",
        450,
        None,
        "build",
    )
    assert send("PUT", TARGET, {"hours": 9}).status_code == 428
    forbidden = send("PUT", TARGET, {"hours": 9}, key=ATHLETE_KEY, etag=target["etag"])
    assert refused(forbidden) == (403, "Your coach sets the targets of your weeks.")
    changed = saved(send("PUT", TARGET, {"hours": 9}, etag=target["etag"]))
    assert (changed["load"], changed["hours"], changed["phase"]) == (None, 9, None)
    assert send("GET", "targets?from=2026-05-01&to=2026-05-31", key=ATHLETE_KEY).json() == [changed]
    assert send("GET", "targets?from=2026-05-05&to=2026-05-31").json() == []
    assert send("DELETE", TARGET, etag=target["etag"]).status_code == 412
    assert send("DELETE", TARGET, etag=changed["etag"]).status_code == 200
    assert send("DELETE", TARGET, etag=changed["etag"]).status_code == 404
    gone = send("PUT", TARGET, {"hours": 10}, etag=changed["etag"])
    assert (gone.status_code, gone.json()["current"]) == (412, None)


@pytest.mark.parametrize(
    ("place", "body", "sentence"),
    [
        ("values", {"type": "iq"}, "type: write one of weight, critical power,"),
        ("values", {"value": 3}, "value: A critical power of 3 W is not plausible: enter 20 to 700 W."),
        ("values", {"sport": "swimming"}, "sport: critical power is set for cycling, running."),
        ("availability", {"weekdays": WEEK[:6]}, "Invalid request body: weekdays"),
        ("availability", {"weekdays": [{"hours": 25}] * 7}, "Invalid request body: weekdays"),
        ("availability", {"endDate": "2026-04-01"}, "endDate: must be from 2026-05-01 on, and within 366 days."),
        ("targets/2026-05-05", {"load": 1}, "2026-05-05 is no Monday: the week begins on 2026-05-04."),
        ("targets/4.5.", {"load": 1}, "Write the Monday of the week as YYYY-MM-DD."),
        (TARGET, {}, "Send load, hours or phase; DELETE removes a target."),
        (TARGET, {"load": 400, "hours": 8}, "Send load or hours, not both."),
        (TARGET, {"phase": "holiday"}, "Invalid request body: phase"),
    ],
)  # fmt: skip
def test_impossible_settings_are_refused_in_words(place, body, sentence, send):
    reply = send("PUT" if "/" in place else "POST", place, {**SETTINGS.get(place, {}), **body})
    assert reply.status_code == 400
    assert reply.json()["error"].startswith(sentence)


@pytest.mark.parametrize("place", [*SETTINGS, TARGET])
def test_settings_of_others_do_not_exist_for_a_stranger(place, send):
    method, body = ("PUT", {"load": 400}) if place == TARGET else ("POST", SETTINGS[place])
    row = saved(send(method, place, body))
    path = place if place == TARGET else f"{place}/{row['id']}"
    for request in (
        send("GET", "targets?from=2026-05-01&to=2026-05-31" if place == TARGET else place, key=STRANGER_KEY),
        send(method, place, body, key=STRANGER_KEY),
        send("DELETE", path, etag=row["etag"], key=STRANGER_KEY),
        *([] if place == TARGET else [send("DELETE", path, etag=row["etag"], key=STRANGER_KEY, user="me")]),
    ):
        assert request.status_code == 404


def test_a_batch_warns_of_days_without_enough_hours_and_moves_nothing(send, plan):
    def warnings(**value):
        reply = plan(create(**value), dryRun=True).json()
        assert reply["entries"][0]["prescription"]["date"] == value["date"]
        return [row["text"] for row in reply["warnings"] if row["code"] == "notAvailable"]

    assert warnings(date="2026-05-10") == []
    send("POST", "availability", SETTINGS["availability"])
    assert warnings(date="2026-05-10") == ["The athlete is not available on Sun 10 May."]
    assert warnings(date="2026-05-09", sport="running") == [
        "The athlete is available for cycling on Sat 9 May, not for running."
    ]
    for sport, words in (("crossCountrySkiing", "cross country skiing"), ("training", "strength")):
        (text,) = warnings(date="2026-05-09", sport=sport)
        assert text == f"The athlete is available for cycling on Sat 9 May, not for {words}."
    assert warnings(date="2026-05-08", duration=9000) == ["2h30 planned on Fri 8 May, 2h00 available."]
    assert warnings(date="2026-05-08", duration=7200) == []
    camp = {"date": "2026-05-08", "endDate": "2026-05-10", "weekdays": [{"hours": 6}] * 7}
    send("POST", "availability", camp)
    assert warnings(date="2026-05-10", duration=9000) == []
    assert warnings(date=str(date(2026, 5, 10) + timedelta(days=7))) == [
        "The athlete is not available on Sun 17 May."
    ]
