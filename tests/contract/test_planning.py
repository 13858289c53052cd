"""The planning API over real HTTP: rights, entries, batches, undo, history, and what the ten endpoints show of it."""

from datetime import UTC, date, datetime, timedelta

import pytest

from coachboard.service.store import RowKind
from coachboard.wire.body import Metric
from coachboard.wire.enums import MetricSource, MetricSport, Sport, WorkspaceRole
from coachboard.wire.metrics import MetricType, MetricUnit
from coachboard.wire.planning import BatchRecord, BatchReply, ParsedText, PlanEntry, StaleRowsBody
from seeded import (
    ADMIN,
    ADMIN_KEY,
    ATHLETE,
    ATHLETE_KEY,
    CLUB,
    COACH,
    COACH_KEY,
    METRICS,
    OTHER_ATHLETE,
    OTHER_ATHLETE_KEY,
    RIDE,
    SQUAD,
    STRANGER_KEY,
    STRANGERS_RIDE,
    TODAY,
    activity,
    seed_rows,
)

DAY = date(2026, 5, 4)
WORKOUT = {"date": str(DAY), "title": "Endurance", "sport": "cycling", "duration": 3600}
NOTE = {"date": str(DAY), "title": "Look ahead", "type": "training"}
EVENT = {"date": str(DAY), "name": "Spring classic", "sport": "cycling"}
VALUES = {"workout": WORKOUT, "note": NOTE, "event": EVENT}
LISTS = {"workout": "training-prescriptions", "note": "notes", "event": "events"}


@pytest.fixture
def plan(service, ask):
    """Send one batch as one person; returns the reply."""

    def send(*operations, key=COACH_KEY, headers=None, **batch):
        body = {"operations": operations, **batch}
        return ask("/plan/v1/batches", key=key, method="POST", json=body, headers=headers or {})

    yield send
    for user_id in (ATHLETE, OTHER_ATHLETE, COACH):
        for entry in entries_of(ask, user_id, COACH_KEY):
            if entry["updatedAt"] is not None and "delete" in entry["allowed"]:
                send(change("delete", entry))
        for entry in entries_of(ask, user_id, ATHLETE_KEY):
            if entry["updatedAt"] is not None and "delete" in entry["allowed"]:
                send(change("delete", entry), key=ATHLETE_KEY)
    seed_rows(service.store)


def entries_of(ask, user_id, key, start=DAY - timedelta(days=120), end=DAY + timedelta(days=300)):
    reply = ask(f"/plan/v1/users/{user_id}/entries?from={start}&to={end}", key=key)
    return reply.json() if reply.status_code == 200 else []


def create(kind="workout", user_id=ATHLETE, **value):
    return {"op": "create", "kind": kind, "userId": user_id, "value": {**VALUES[kind], **value}}


def change(op, entry, **value):
    operation = {"op": op, "kind": entry["kind"], "userId": entry["userId"], "id": entry["id"]}
    tag = {} if op == "copy" else {"ifMatch": entry["etag"]}
    return {**operation, **tag, **({"value": value} if value else {})}


def done(reply):
    """The only entry of a batch that was done."""
    assert reply.status_code == 200, reply.text
    BatchReply.from_wire(reply.json())
    (entry,) = reply.json()["entries"]
    return entry


def refused(reply):
    """Status and sentence of a refusal."""
    assert set(reply.json()) - {"current"} == {"code", "error"}
    return reply.status_code, reply.json()["error"]


@pytest.mark.parametrize("kind", VALUES)
def test_a_created_entry_is_in_the_calendar_and_in_the_interface(kind, plan, ask):
    before = ask("/own/v1/changes").json()["stamp"]
    entry = done(plan(create(kind)))
    object_ = entry[{"workout": "prescription"}.get(kind, kind)]

    assert (entry["workspaceId"], entry["createdBy"]) == (SQUAD, {"id": COACH, "name": "Carla Coach"})
    read = ask(f"/plan/v1/entries/{entry['id']}")
    assert (read.json(), read.headers["etag"]) == (entry, f'"{entry["etag"]}"')
    assert entry in entries_of(ask, ATHLETE, COACH_KEY)
    day = f"?from={DAY}&to={DAY}"
    for key, user_id in ((COACH_KEY, ATHLETE), (ATHLETE_KEY, "me"), (ADMIN_KEY, ATHLETE)):
        assert ask(f"/users/{user_id}/{LISTS[kind]}{day}", key=key).json() == [object_]
    assert VALUES[kind].items() <= object_.items()
    assert ask(f"/own/v1/changes?since={before}").json()["changed"] == [ATHLETE]


def test_rows_written_by_other_means_are_entries_that_the_coach_edits(plan, ask):
    (entry,) = (row for row in entries_of(ask, ATHLETE, COACH_KEY) if row["id"] == "tpr_planned")
    assert (entry["createdBy"], entry["workspaceId"]) == (None, None)
    later = done(plan(change("update", entry, title="Shorter")))

    assert later["prescription"] == {**entry["prescription"], "title": "Shorter"}
    assert later["updatedBy"] == {"id": COACH, "name": "Carla Coach"}


def test_entries_of_people_stay_when_a_generator_writes_its_rows_again(service, plan, ask):
    entry = done(plan(create("note")))
    service.store.delete_rows_but(RowKind.NOTES, ATHLETE, ())
    left = [row["id"] for row in entries_of(ask, ATHLETE, COACH_KEY) if row["kind"] == "note"]

    assert left == [entry["id"]]


def test_move_keeps_the_day_first_planned_and_undo_brings_it_back(plan, ask):
    entry = done(plan(create()))
    reply = plan(change("move", entry, date="2026-05-06"), source="Calendar")
    moved = done(reply)
    back = done(ask(f"/plan/v1/batches/{reply.json()['id']}/undo", method="POST", json={}))

    assert (moved["prescription"]["date"], moved["originalDate"]) == ("2026-05-06", str(DAY))
    assert (back["prescription"], back["originalDate"], back["etag"]) == (
        entry["prescription"], None, entry["etag"],
    )  # fmt: skip


def test_a_workout_moved_back_was_never_moved(plan):
    entry = done(plan(create()))
    moved = done(plan(change("move", entry, date="2026-05-06")))
    further = done(plan(change("move", moved, date="2026-05-07")))
    returned = done(plan(change("move", further, date=str(DAY))))

    assert (further["originalDate"], returned["originalDate"]) == (str(DAY), None)
    assert returned["etag"] == entry["etag"]


def test_a_moved_span_keeps_its_length(plan):
    camp = done(plan(create("note", endDate="2026-05-10")))
    moved = done(plan(change("move", camp, date="2026-05-01")))

    assert (moved["note"]["date"], moved["endDate"]) == ("2026-05-01", "2026-05-07")


@pytest.mark.parametrize("kind", ["note", "event"])
@pytest.mark.parametrize("op", ["move", "copy"])
def test_a_span_ends_within_the_days_that_every_reader_takes(op, kind, plan):
    camp = done(plan(create(kind, endDate="2026-05-10")))
    latest = done(plan(change(op, camp, date="2199-12-25"), dryRun=True))

    assert latest["endDate"] == "2199-12-31"
    assert refused(plan(change(op, camp, date="2199-12-26"), dryRun=True)) == (
        400, "endDate: must be at most 2199-12-31.",
    )  # fmt: skip


def test_a_span_is_in_each_range_that_it_touches(plan, ask):
    camp = done(plan(create("note", endDate="2026-05-10")))
    ranges = {(-9, -1): False, (-9, 0): True, (3, 4): True, (6, 20): True, (7, 20): False}

    for (first, last), is_in in ranges.items():
        rows = entries_of(ask, ATHLETE, COACH_KEY, DAY + timedelta(days=first), DAY + timedelta(days=last))
        assert (camp in rows) is is_in


@pytest.mark.parametrize("name", ["entries", "loads", "scores", "targets"])
@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_a_range_may_be_before_or_after_all_rows(name, day, ask):
    reply = ask(f"/plan/v1/users/{ATHLETE}/{name}?from={day}&to={day}")

    assert (reply.status_code, reply.json()) == (200, [])


def test_copy_makes_an_entry_without_what_was_done(plan):
    entry = done(plan(create(comment="Felt strong")))
    paired = done(plan(change("pair", entry, activityId=RIDE)))
    copy = done(plan(change("copy", paired, date="2026-05-11", userId=OTHER_ATHLETE)))

    assert copy["userId"] == OTHER_ATHLETE
    assert copy["id"] != entry["id"]
    assert copy["pairing"] == {"mode": "auto", "activityId": None}
    assert (copy["prescription"]["activityId"], copy["prescription"]["comment"]) == (None, None)
    assert (copy["prescription"]["title"], copy["prescription"]["date"]) == ("Endurance", "2026-05-11")


def test_pairing_by_hand_is_in_the_interface(plan, ask):
    entry = done(plan(create()))
    paired = done(plan(change("pair", entry, activityId=RIDE)))
    (row,) = ask(f"/users/{ATHLETE}/training-prescriptions?from={DAY}&to={DAY}").json()
    apart = done(plan(change("unpair", paired)))
    auto = done(plan(change("pair", apart, pairing={"mode": "auto"}), key=ATHLETE_KEY))

    assert paired["pairing"] == {"mode": "manual", "activityId": RIDE}
    assert row["activityId"] == RIDE
    assert (apart["pairing"]["mode"], apart["prescription"]["activityId"]) == ("none", None)
    assert auto["pairing"] == {"mode": "auto", "activityId": None}
    for value in ({}, {"pairing": {"mode": "none"}}, {"activityId": RIDE, "pairing": {"mode": "auto"}}):
        assert refused(plan(change("pair", auto, **value)))[0] == 400


@pytest.mark.parametrize("kind", ["workout", "event"])
def test_no_entry_is_paired_with_a_session_of_another_person(kind, plan):
    entry, pairing = done(plan(create(kind))), {"mode": "manual", "activityId": STRANGERS_RIDE}
    replies = [
        plan(change("pair", entry, activityId=STRANGERS_RIDE)),
        plan(change("update", entry, pairing=pairing)),
        plan(create(kind, pairing=pairing)),
    ]

    assert [refused(reply) for reply in replies] == [(400, "The athlete has no such session.")] * 3


def test_an_athlete_skips_a_coachs_workout_with_a_reason_and_takes_it_back(plan):
    entry = done(plan(create()))
    assert refused(plan(change("skip", entry), key=ATHLETE_KEY)) == (400, "Skip needs value.reason.")
    skipped = done(plan(change("skip", entry, reason="Sore throat"), key=ATHLETE_KEY))
    again = done(plan(change("unskip", skipped), key=ATHLETE_KEY))

    assert skipped["skipped"] == {"reason": "Sore throat", "by": {"id": ATHLETE, "name": "Ana Berg"}}
    assert (again["skipped"], again["etag"]) == (None, entry["etag"])


# Rights: who does it, to an entry of whom, with which status.
COACHS, OWN = (COACH_KEY, ATHLETE), (ATHLETE_KEY, "me")
RIGHTS = [
    (COACHS, COACH_KEY, {"update", "move", "copy", "delete", "pair", "unpair", "skip"}),
    (COACHS, ATHLETE_KEY, {"move", "copy", "pair", "unpair", "skip"}),
    (COACHS, ADMIN_KEY, {"copy"}),
    (COACHS, OTHER_ATHLETE_KEY, None),
    (COACHS, STRANGER_KEY, None),
    (OWN, ATHLETE_KEY, {"update", "move", "copy", "delete", "pair", "unpair", "skip"}),
    (OWN, COACH_KEY, {"update", "move", "copy", "delete", "pair", "unpair", "skip"}),
    (OWN, STRANGER_KEY, None),
]
SENT = {
    "update": {"title": "Other"},
    "move": {"date": "2026-05-05"},
    "copy": {"date": "2026-05-05", "userId": ATHLETE},
    "delete": {},
    "pair": {"activityId": RIDE},
    "unpair": {},
    "skip": {"reason": "Tired"},
}


@pytest.mark.parametrize(("maker", "key", "allowed"), RIGHTS)
def test_rights(maker, key, allowed, plan, ask):
    entry = done(plan(create(user_id=maker[1]), key=maker[0]))
    statuses = {
        op: plan(change(op, entry, **value), key=key, dryRun=True).status_code for op, value in SENT.items()
    }
    read = ask(f"/plan/v1/entries/{entry['id']}", key=key)

    if allowed is None:
        assert read.status_code == 404
        assert set(statuses.values()) == {404}
    else:
        assert set(read.json()["allowed"]) == allowed
        assert statuses == {op: 200 if op in allowed else 403 for op in SENT}


def test_an_entry_of_a_workspace_that_its_athlete_has_left_is_the_athletes(service, plan, ask):
    """Nobody could delete it any more, and a locked one could not even be moved."""
    entry, private = done(plan(create(isLocked=True))), done(plan(create("note", isPrivate=True)))
    service.store.remove_member(SQUAD, ATHLETE)
    reads = [
        ask(f"/plan/v1/entries/{each['id']}", key=key)
        for each in (entry, private)
        for key in (ATHLETE_KEY, ADMIN_KEY, COACH_KEY)
    ]
    deleted = plan(change("delete", entry), key=ATHLETE_KEY, dryRun=True)
    service.store.add_member(SQUAD, ATHLETE, WorkspaceRole.ATHLETE)

    assert [reply.status_code for reply in reads] == [200, 200, 404, 404, 404, 404]
    assert [set(reply.json()["allowed"]) for reply in reads[:2]] == [RIGHTS[0][2]] * 2
    assert deleted.status_code == 200


def test_an_operation_that_an_entry_has_not_is_refused_with_that_reason(plan):
    workout, note, event = (done(plan(create(kind))) for kind in VALUES)
    skipped = done(plan(change("skip", workout, reason="Sore throat")))
    refusals = {
        "Skip is for workouts only.": change("skip", note, reason="Away"),
        "Unskip is for workouts only.": change("unskip", event),
        "Pair is for workouts and events only.": change("pair", note, activityId=RIDE),
        "Unpair is for workouts and events only.": change("unpair", note),
        "This workout is skipped already.": change("skip", skipped, reason="Away"),
    }
    for sentence, operation in refusals.items():
        assert refused(plan(operation))[1] == sentence
    unskipped = done(plan(change("unskip", skipped)))
    assert refused(plan(change("unskip", unskipped)))[1] == "This workout is not skipped."


def test_a_locked_workout_stays_where_the_coach_put_it(plan):
    entry = done(plan(create(isLocked=True)))
    sentence = "The coach has locked this workout; ask them to move it."

    assert refused(plan(change("move", entry, date="2026-05-06"), key=ATHLETE_KEY)) == (403, sentence)
    assert done(plan(change("move", entry, date="2026-05-06")))["prescription"]["date"] == "2026-05-06"


def test_where_a_coach_shares_two_workspaces_the_request_names_one(service, plan):
    service.store.add_member(CLUB, COACH, WorkspaceRole.COACH)
    try:
        unnamed = refused(plan(create()))
        entry = done(plan(create(workspaceId=CLUB)))
    finally:
        service.store.add_member(CLUB, COACH, WorkspaceRole.ATHLETE)

    assert unnamed[0] == 400
    assert "Club (wke_club)" in unnamed[1]
    assert "Squad (wke_squad)" in unnamed[1]
    assert entry["workspaceId"] == CLUB
    assert plan(create(workspaceId=CLUB)).status_code == 404
    assert plan(change("update", entry, title="Mine")).status_code == 403
    assert plan(change("delete", entry), key=ADMIN_KEY).status_code == 200


@pytest.mark.parametrize("kind", VALUES)
def test_a_hidden_entry_is_its_creators_in_the_interface_and_its_workspaces_here(kind, service, plan, ask):
    service.store.add_member(SQUAD, ADMIN, WorkspaceRole.COACH)
    service.store.add_member(CLUB, OTHER_ATHLETE, WorkspaceRole.COACH)
    try:
        hidden = done(plan(create(kind, visibleFrom=str(TODAY + timedelta(days=3)))))
        here = {key: ask(f"/plan/v1/entries/{hidden['id']}", key=key).status_code for key in
                (COACH_KEY, ADMIN_KEY, ATHLETE_KEY, OTHER_ATHLETE_KEY)}  # fmt: skip
        there = {key: len(ask(f"/users/{ATHLETE}/{LISTS[kind]}?from={DAY}&to={DAY}", key=key).json()) for key in
                 (COACH_KEY, ADMIN_KEY, ATHLETE_KEY, OTHER_ATHLETE_KEY)}  # fmt: skip
        service.clock.now += 3 * 86_400
        shown = [ask(f"/users/me/{LISTS[kind]}?from={DAY}&to={DAY}", key=ATHLETE_KEY).json()]
    finally:
        service.clock.now -= 3 * 86_400
        service.store.remove_member(SQUAD, ADMIN)
        service.store.remove_member(CLUB, OTHER_ATHLETE)

    assert here == {COACH_KEY: 200, ADMIN_KEY: 200, ATHLETE_KEY: 404, OTHER_ATHLETE_KEY: 404}
    assert there == {COACH_KEY: 1, ADMIN_KEY: 0, ATHLETE_KEY: 0, OTHER_ATHLETE_KEY: 0}
    assert len(shown[0]) == 1


def test_a_coach_who_hides_a_workout_without_an_author_still_sees_it(plan, ask):
    entry = next(
        row for row in entries_of(ask, ATHLETE, COACH_KEY) if row["prescription"] and not row["createdBy"]
    )
    path = f"/plan/v1/entries/{entry['id']}"

    hidden = done(plan(change("update", entry, visibleFrom=str(TODAY + timedelta(days=3)))))
    seen = {key: ask(path, key=key).status_code for key in (COACH_KEY, ATHLETE_KEY)}
    shown = done(plan(change("update", hidden, visibleFrom=None)))

    assert seen == {COACH_KEY: 200, ATHLETE_KEY: 404}
    assert shown["visibleFrom"] is None
    assert ask(path, key=ATHLETE_KEY).status_code == 200


def test_other_steps_leave_nothing_that_described_the_former_ones(plan):
    described = {"trainingStimulus": "vo2max", "averagePower": 200, "work": 800, "calories": 810, "rpe": 7}
    entry = done(plan(create(structure=[percent(110, 120)], **described)))
    renamed = done(plan(change("update", entry, title="Same steps", structure=[percent(110, 120)])))
    typed = done(plan(change("update", renamed, text="- 1h 60%")))
    named = done(plan(change("update", typed, text="- 1h 65%", trainingStimulus="aerobic")))

    def kept(entry):
        return {name: entry["prescription"][name] for name in described}

    assert kept(entry) == kept(renamed) == described
    assert kept(typed) == dict.fromkeys(described) | {"rpe": 7}
    assert kept(named) == kept(typed) | {"trainingStimulus": "aerobic"}


def test_a_private_note_is_for_coaches_of_its_workspace(service, plan, ask):
    note = done(plan(create("note", isPrivate=True)))
    service.store.add_member(SQUAD, ADMIN, WorkspaceRole.COACH)
    both = ask(f"/users/{ATHLETE}/notes?from={DAY}&to={DAY}", key=ADMIN_KEY).json()
    service.store.remove_member(SQUAD, ADMIN)

    assert both == [note["note"]]
    for key in (ATHLETE_KEY, ADMIN_KEY):
        assert ask(f"/users/{ATHLETE}/notes?from={DAY}&to={DAY}", key=key).json() == []
        assert note["id"] not in {row["id"] for row in entries_of(ask, ATHLETE, key)}
        assert ask(f"/plan/v1/entries/{note['id']}", key=key).status_code == 404
        history = ask(f"/plan/v1/batches?userId={ATHLETE}", key=key).json()
        assert note["id"] not in {change["id"] for row in history for change in row["changes"]}
    assert refused(plan(create("note", "me", isPrivate=True), key=ATHLETE_KEY))[0] == 400


def percent(low, high):
    target = {
        "serviceIntensity": None, "zone": None, "fromPower": "metric", "fromHeartRate": None, "minPower": None,
        "maxPower": None, "minPowerThresholdPercentage": low, "maxPowerThresholdPercentage": high,
        "minHeartRate": None, "maxHeartRate": None, "minMaxHeartRatePercentage": None,
        "maxMaxHeartRatePercentage": None, "minCadence": None, "maxCadence": None,
    }  # fmt: skip
    length = {"type": "duration", "duration": 600}
    return {"type": "step", "label": "active", "intensity": target, "length": length}


def test_targets_in_percent_follow_the_value_of_the_day_at_each_read(service, plan, ask):
    entry = done(plan(create(structure=[percent(90, 100)])))
    path = f"/users/{ATHLETE}/training-prescriptions?from={DAY}&to={DAY}"

    def watts():
        (row,) = ask(path).json()
        target = row["structure"][0]["intensity"]
        assert target["minPowerThresholdPercentage"] == 90
        assert ask(f"/plan/v1/entries/{entry['id']}").json()["prescription"] == row
        return target["minPower"], target["maxPower"]

    read = []
    seeded_metric = next(metric for metric in METRICS if metric.id == "mtr_new")
    for value in (250, 200):
        metric = Metric(
            id="mtr_new", type=MetricType.CRITICAL_POWER, value=value, unit=MetricUnit.W, source=MetricSource.USER,
            date=date(2026, 5, 1), sport=MetricSport.CYCLING,
        )  # fmt: skip
        service.store.put_metrics(ATHLETE, [metric])
        read.append(watts())
    service.store.put_metrics(ATHLETE, [seeded_metric])  # the other tests of this service

    assert read == [(225, 250), (180, 200)]


def test_structure_and_duration_follow_the_text(plan):
    entry = done(plan(create(title="Threshold", duration=None, text="3x\n- 12m 95-100%\n- 4m 50%")))
    workout = entry["prescription"]
    longer = done(plan(change("update", entry, text="- 2h 60%")))
    free = done(plan(change("update", longer, text=None)))

    assert (workout["duration"], workout["zonesType"], workout["structure"][0]["nRepetitions"]) == (
        2880,
        "power",
        3,
    )
    assert workout["structure"][0]["steps"][0]["intensity"]["minPower"] == round(0.95 * 290)
    assert (longer["prescription"]["duration"], longer["text"]) == (7200, "- 2h 60%")
    assert (free["text"], free["prescription"]["structure"], free["prescription"]["duration"]) == (
        None,
        None,
        7200,
    )
    assert refused(plan(change("update", longer, duration=60)))[0] == 412
    assert done(plan(create(duration=None, text="- 1h 60%")))["prescription"]["duration"] == 3600
    assert refused(plan(create(text="- 1h 60%"))) == (400, "duration: follows from the text.")


def test_a_text_with_errors_is_refused_in_words_or_stored_as_a_draft(plan):
    value = {"text": "- 15m 60%\n- 30h 50%", "duration": None}
    status, sentence = refused(plan(create(**value)))
    assert status == 400
    assert sentence.startswith("text: Line 2, column 3: ")
    draft = done(plan(create(isDraft=True, **value)))
    healed = done(plan(change("update", draft, text="- 15m 60%")))

    assert (draft["isDraft"], draft["text"], draft["prescription"]["structure"]) == (
        True,
        value["text"],
        None,
    )
    assert (healed["isDraft"], healed["prescription"]["duration"]) == (False, 900)


def test_the_time_of_a_distance_is_that_of_its_pace_or_of_the_usual_speed(service, plan, ask):
    entry = done(plan(create(sport="running", duration=None, text="- 5km")))
    paced = done(plan(create(sport="running", duration=None, text="- 5km 5:00/km Pace")))
    runs = [
        activity(f"act_run_{number}", datetime(2026, 3, number, tzinfo=UTC)).model_copy(
            update={"sport": Sport.RUNNING, "average_speed": speed}
        )
        for number, speed in ((11, 2.0), (12, 2.5), (13, 4.0))
    ]
    service.store.put_activities(ATHLETE, runs)
    known = ask(f"/plan/v1/entries/{entry['id']}").json()
    service.store.delete_activities(ATHLETE, [run.id for run in runs])

    assert (entry["prescription"]["distance"], entry["prescription"]["duration"]) == (5000, None)
    assert paced["prescription"]["duration"] == pytest.approx(1500, abs=5)
    assert known["prescription"]["duration"] == 2000


IMPOSSIBLE = [
    ({"length": {"type": "duration", "duration": 30 * 3600}}, "above 0 to 86,400 s"),
    ({"minCadence": 2000, "maxCadence": 2000}, "cadence is 10 to 250 rpm"),
    ({"maxPowerThresholdPercentage": 900}, "1 to 400 % of critical power"),
    ({"minPower": 300, "maxPower": 200}, "the lower end first"),
]


@pytest.mark.parametrize(("fields", "sentence"), IMPOSSIBLE)
def test_impossible_values_are_refused_with_their_limit(fields, sentence, plan):
    step = percent(90, 100)
    length = fields.get("length", step["length"])
    target = step["intensity"] | {name: value for name, value in fields.items() if name != "length"}
    status, text = refused(plan(create(structure=[{**step, "intensity": target, "length": length}])))

    assert status == 400
    assert sentence in text


def test_parse_sums_a_text_up_for_the_athlete(ask):
    asked = {"userId": ATHLETE, "sport": "cycling", "text": "- 1h 100%"}
    parsed = ask("/plan/v1/parse", method="POST", json=asked).json()
    wrong = ask("/plan/v1/parse", method="POST", json={**asked, "text": "- 1h 100%\n- 4x30s"}).json()

    assert ParsedText.from_wire(parsed).to_wire() == parsed
    assert (parsed["duration"], round(parsed["load"])) == (3600, 100)
    assert parsed["structure"][0]["intensity"]["minPower"] == 290
    assert sum(zone["seconds"] for zone in parsed["zones"]) == 3600
    assert wrong["structure"] is None
    assert (wrong["errors"][0]["line"], wrong["errors"][0]["column"]) == (2, 3)
    assert ask("/plan/v1/parse", method="POST", json=asked, key=STRANGER_KEY).status_code == 404


def test_a_batch_is_done_as_a_whole_or_not_at_all(plan, ask):
    before = entries_of(ask, ATHLETE, COACH_KEY)
    reply = plan(create(), create(title="  "), create())

    assert refused(reply) == (400, "Operation 2 of 3: title: has no visible character.")
    assert entries_of(ask, ATHLETE, COACH_KEY) == before


def test_a_dry_run_replies_the_same_and_writes_nothing(plan, ask):
    entry = done(plan(create()))
    dry = plan(change("move", entry, date="2026-05-09"), dryRun=True).json()

    assert dry["id"] is None
    assert dry["entries"][0]["prescription"]["date"] == "2026-05-09"
    assert ask(f"/plan/v1/entries/{entry['id']}").json() == entry


def test_of_two_changes_of_one_row_the_second_gets_the_row_as_it_is(plan):
    entry = done(plan(create()))
    first = done(plan(change("update", entry, title="First")))
    second = plan(change("update", entry, title="Second"), create(title="Lost"))

    assert refused(second)[0] == 412
    StaleRowsBody.from_wire(second.json())
    assert second.json()["current"] == [{"id": entry["id"], "entry": first}]
    done(plan(change("delete", first)))
    assert plan(change("update", first, title="Third")).json()["current"] == [
        {"id": entry["id"], "entry": None}
    ]
    assert plan({**change("update", first, title="x"), "id": "tpr_never"}).status_code == 404


def test_a_change_needs_the_etag(plan):
    entry = done(plan(create()))
    operation = change("move", entry, date="2026-05-09")
    del operation["ifMatch"]

    assert refused(plan(operation)) == (428, "Move needs the entry's etag as ifMatch.")


def test_a_batch_that_is_sent_twice_with_one_key_is_done_once(plan, ask):
    headers = {"Idempotency-Key": "a1"}
    before = len(entries_of(ask, ATHLETE, COACH_KEY))
    first, second = (plan(create(), headers=headers).json() for _ in range(2))
    other = plan(create(title="Another"), headers=headers)

    assert first == second
    assert refused(other) == (409, "This Idempotency-Key was used for another batch.")
    assert len(entries_of(ask, ATHLETE, COACH_KEY)) == before + 1


def test_undo_brings_back_all_rows_and_can_be_undone(plan, ask):
    one, two = (done(plan(create(title=title))) for title in ("One", "Two"))
    reply = plan(change("delete", one), change("update", two, title="Changed"), create("event")).json()
    undo = ask(f"/plan/v1/batches/{reply['id']}/undo", method="POST").json()
    redo = ask(f"/plan/v1/batches/{undo['id']}/undo", method="POST").json()

    assert [entry and entry["etag"] for entry in undo["entries"]] == [one["etag"], two["etag"], None]
    assert [entry and entry["etag"] for entry in redo["entries"]] == [
        None, reply["entries"][1]["etag"], reply["entries"][2]["etag"],
    ]  # fmt: skip


def test_undo_is_refused_where_a_row_changed_since_and_force_leaves_it(plan, ask):
    entries = plan(create(title="One"), create(title="Two")).json()
    later = done(plan(change("update", entries["entries"][0], title="Later")))
    path = f"/plan/v1/batches/{entries['id']}/undo"
    refusal = ask(path, method="POST", json={})
    forced = ask(path, method="POST", json={"force": True}).json()

    assert refused(refusal)[0] == 412
    assert refusal.json()["current"] == [{"id": later["id"], "entry": later}]
    assert forced["conflicts"] == [{"id": later["id"], "entry": later}]
    assert forced["entries"] == [None]
    assert ask(f"/plan/v1/entries/{later['id']}").json() == later


def test_a_forced_undo_that_is_sent_again_names_the_rows_that_it_left(plan, ask):
    one, two, three = (done(plan(create(title=title))) for title in ("One", "Two", "Three"))
    made = plan(*(change("update", each, title="Changed") for each in (one, two, three))).json()
    later = done(plan(change("update", made["entries"][0], title="Later")))
    done(plan(change("update", made["entries"][1], title="Two")))  # as before the batch: nothing to undo
    path, key = f"/plan/v1/batches/{made['id']}/undo", {"Idempotency-Key": "forced"}

    def send():
        return ask(path, method="POST", json={"force": True}, headers=key)

    first = send().json()
    assert [row["id"] for row in first["conflicts"]] == [one["id"]]
    assert [entry["id"] for entry in first["entries"]] == [three["id"]]
    assert send().json() == first

    latest = done(plan(change("update", later, title="Latest")))
    assert send().json() == {**first, "conflicts": [{"id": one["id"], "entry": latest}]}


@pytest.mark.parametrize("force", [False, True])
def test_a_batch_with_an_entry_that_was_hidden_since_does_not_exist_for_the_athlete(force, plan, ask):
    entry = done(plan(create()))
    moved = plan(change("move", entry, date="2026-05-08"), key=ATHLETE_KEY).json()
    hidden = done(
        plan(
            change("update", moved["entries"][0], visibleFrom=str(TODAY + timedelta(days=3)), title="Secret")
        )
    )
    undo = {
        key: ask(f"/plan/v1/batches/{moved['id']}/undo", method="POST", key=key, json={"force": force})
        for key in (ATHLETE_KEY, COACH_KEY)
    }

    assert refused(undo[ATHLETE_KEY]) == (404, "No such batch, or you have no access.")
    assert "current" not in undo[ATHLETE_KEY].json()
    assert (undo[COACH_KEY].json()["conflicts"] if force else undo[COACH_KEY].json()["current"]) == [
        {"id": hidden["id"], "entry": hidden}
    ]


def test_undo_needs_the_right_to_write(plan, ask):
    entry = done(plan(create()))
    moved = plan(change("move", entry, date="2026-05-08"), key=ATHLETE_KEY).json()
    coachs = plan(change("update", moved["entries"][0], title="Hills")).json()

    def undo(batch, key):
        return ask(f"/plan/v1/batches/{batch['id']}/undo", method="POST", key=key).status_code

    def may_undo(batch, key):
        rows = ask(f"/plan/v1/batches?userId={ATHLETE}", key=key).json()
        return next(row["mayUndo"] for row in rows if row["id"] == batch["id"])

    assert [may_undo(coachs, ATHLETE_KEY), may_undo(coachs, COACH_KEY)] == [False, True]
    assert may_undo(moved, ATHLETE_KEY) is True
    assert undo(coachs, ATHLETE_KEY) == 403
    assert undo(coachs, STRANGER_KEY) == 404
    assert undo(coachs, COACH_KEY) == 200
    assert undo(moved, ATHLETE_KEY) == 200


def test_the_history_names_who_when_what_and_from_where(plan, ask):
    entry = done(plan(create(), source="Editor"))
    moved = plan(change("move", entry, date="2026-05-08"), key=ATHLETE_KEY, source="Calendar").json()
    undo = ask(f"/plan/v1/batches/{moved['id']}/undo", method="POST", key=ATHLETE_KEY).json()
    rows = ask(f"/plan/v1/batches?userId={ATHLETE}").json()[:3]

    assert [BatchRecord.from_wire(row).to_wire() for row in rows] == rows
    assert [(row["by"]["name"], row["source"], row["undoOf"], row["undoneBy"]) for row in rows] == [
        ("Ana Berg", None, moved["id"], None),
        ("Ana Berg", "Calendar", None, undo["id"]),
        ("Carla Coach", "Editor", None, None),
    ]
    assert rows[1]["changes"] == [
        {"op": "move", "kind": "workout", "id": entry["id"], "title": "Endurance",
         "date": "2026-05-08", "fromDate": str(DAY)},
    ]  # fmt: skip


WARNINGS = [
    ("note", {"type": "medical", "date": "2026-05-02", "endDate": "2026-05-06"}, "ill"),
    ("note", {"type": "availability"}, "notAvailable"),
    ("note", {"type": "rest day"}, "dayOff"),
    ("workout", {"date": "2026-05-05", "trainingStimulus": "threshold"}, "hardDays"),
    ("event", {"date": "2026-05-07"}, "raceSoon"),
    ("event", {"date": "2026-05-08"}, None),
    ("workout", {"date": "2026-05-05", "trainingStimulus": "aerobic"}, None),
]


@pytest.mark.parametrize(("kind", "value", "code"), WARNINGS)
def test_warnings(kind, value, code, plan):
    done(plan(create(kind, **value)))
    reply = plan(create(trainingStimulus="vo2max"), dryRun=True).json()

    assert [(row["code"], row["date"], row["operation"]) for row in reply["warnings"]] == (
        [] if code is None else [(code, str(DAY), 0)]
    )
    assert all("Mon 4 May" in row["text"] and "2026" not in row["text"] for row in reply["warnings"])


WRONG = [
    (create(rpe=11), "value.rpe: must be a number from 1 to 10, or null"),
    (create(priority="A"), "Create of a workout has no priority"),
    (create(sport=None), "A new workout needs sport"),
    (create("note", endDate="2026-05-03"), "endDate: must be from 2026-05-04 on"),
    ({**create(), "op": "make"}, "operations[0].op: must be one of create, update"),
    ({**create(), "id": "tpr_1"}, "Create takes no id"),
    ({"op": "move", "kind": "workout", "userId": ATHLETE}, "Move needs an id"),
]


@pytest.mark.parametrize(("operation", "sentence"), WRONG)
def test_a_wrong_operation_is_refused_in_words(operation, sentence, plan):
    status, text = refused(plan(operation))

    assert status == 400
    assert sentence in text


def test_athletes_plan_for_themselves_alone(plan):
    own = done(plan(create(user_id="me"), key=ATHLETE_KEY))

    assert (own["userId"], own["workspaceId"]) == (ATHLETE, None)
    assert plan(create(user_id=OTHER_ATHLETE), key=ATHLETE_KEY).status_code == 404
    assert (
        plan(change("copy", own, date="2026-05-05", userId=OTHER_ATHLETE), key=ATHLETE_KEY).status_code == 404
    )


def test_features_are_named(ask):
    assert ask("/plan/v1").json() == {
        "version": "1",
        "features": [
            "entries",
            "decisions",
            "loads",
            "scores",
            "dayValues",
            "values",
            "availability",
            "targets",
            "batches",
            "parse",
            "files",
            "feeds",
            "library",
            "members",
            "comments",
            "groups",
            "plans",
            "intervals",
        ],
    }


def test_loads_are_those_of_the_steps_as_far_as_the_caller_sees_the_workouts(plan, ask):
    path = f"/plan/v1/users/{ATHLETE}/loads?from={DAY}&to={DAY}"
    typed = done(plan(create(text="- 1h 100%", duration=None)))
    hidden = done(plan(create(text="- 30m 100%", duration=None, visibleFrom=str(DAY + timedelta(days=1)))))
    done(plan(create()))  # without steps

    assert {row["id"]: row["load"] for row in ask(path).json()} == {typed["id"]: 100, hidden["id"]: 50}
    assert ask(path, key=ATHLETE_KEY).json() == [{"id": typed["id"], "load": 100}]
    assert ask(path, key=STRANGER_KEY).status_code == 404
    assert ask(f"/plan/v1/users/{ATHLETE}/loads?from={DAY}").status_code == 400


def test_the_values_of_a_day_are_those_that_the_figures_follow(ask):
    path = f"/plan/v1/users/{ATHLETE}/day-values"
    values = ask(f"{path}?sport=cycling&date={DAY}").json()

    assert set(values) == {
        "criticalPower", "wPrime", "criticalSpeed", "maxHeartRate", "restingHeartRate", "thresholdHeartRate",
        "usualSpeed", "gender",
    }  # fmt: skip
    assert (
        values["criticalPower"]
        == ask(f"/plan/v1/users/me/day-values?sport=cycling&date={DAY}", key=ATHLETE_KEY).json()[
            "criticalPower"
        ]
        > 0
    )
    assert ask(f"{path}?sport=cycling&date={DAY}", key=STRANGER_KEY).status_code == 404
    for query in ("", "?sport=cycling", f"?sport=quidditch&date={DAY}", "?sport=cycling&date=4.5.2026"):
        assert ask(path + query).status_code == 400


def test_each_entry_of_the_squad_is_of_the_promised_shape(ask):
    for entry in entries_of(ask, ATHLETE, COACH_KEY):
        assert PlanEntry.from_wire(entry).to_wire() == entry


def test_entries_with_a_decision_are_listed_alone_over_all_days(plan, ask):
    skipped, paired, unpaired = (done(plan(create(title=title))) for title in ("Sick", "Done", "Not done"))
    done(plan(create("note", content='"skipped" and "pairing"')))
    done(plan(create("note", title="Away", type="availability", endDate="2026-05-09")))
    done(plan(change("skip", skipped, reason="Ill")))
    done(plan(change("pair", paired, activityId=RIDE)))
    done(plan(change("unpair", unpaired)))
    decided = ask(f"/plan/v1/users/{ATHLETE}/entries?from=1900-01-01&to=2199-12-31&decided=true")

    titles = {(entry["prescription"] or entry["note"])["title"] for entry in decided.json()}
    assert titles == {"Sick", "Done", "Not done", "Away"}
    for wrong in ("decided=yes", "decided=true&decided=true", "decided="):
        reply = ask(f"/plan/v1/users/{ATHLETE}/entries?from=2026-05-01&to=2026-05-31&{wrong}")
        assert refused(reply) == (400, "The query parameter 'decided' must be true or false, once.")


@pytest.mark.parametrize(
    ("kind", "field"), [*((kind, "visibleFrom") for kind in VALUES), ("note", "isPrivate")]
)
@pytest.mark.parametrize("ends", [False, True], ids=["kept", "deleted"])
def test_an_entry_that_its_coach_hides_later_leaves_the_history_of_the_athlete(kind, field, ends, plan, ask):
    value = {"visibleFrom": str(TODAY + timedelta(days=3)), "isPrivate": True}[field]
    entry = done(plan(create(kind)))
    open_ = history_of(ask, ATHLETE_KEY)
    hidden = done(plan(change("update", entry, **{field: value})))
    if ends:
        plan(change("delete", hidden))

    assert entry["id"] in open_
    assert entry["id"] not in history_of(ask, ATHLETE_KEY)
    assert entry["id"] in history_of(ask, COACH_KEY)


def history_of(ask, key):
    history = ask(f"/plan/v1/batches?userId={ATHLETE}", key=key).json()
    return {change["id"] for batch in history for change in batch["changes"]}


@pytest.mark.parametrize(
    ("kind", "field"), [*((kind, "visibleFrom") for kind in VALUES), ("note", "isPrivate")]
)
def test_no_read_of_the_athlete_has_what_a_coach_keeps_back(kind, field, plan, ask):
    value = {"visibleFrom": str(TODAY + timedelta(days=3)), "isPrivate": True}[field]
    title = {"name" if kind == "event" else "title": "Kept back"}
    text = {"text": "- 30m 100%", "duration": None} if kind == "workout" else {}
    batch = plan(create(kind, date=str(TODAY), **title, **text, **{field: value}))
    entry = done(batch)
    feed = ask("/plan/v1/feeds", method="POST", json={"userId": ATHLETE}, key=ATHLETE_KEY).json()
    days = f"from={TODAY}&to={TODAY}"
    reads = [
        f"/users/{ATHLETE}/{LISTS[kind]}?{days}",
        f"/plan/v1/users/{ATHLETE}/entries?{days}",
        f"/plan/v1/users/{ATHLETE}/entries?{days}&decided=true",
        f"/plan/v1/users/{ATHLETE}/loads?{days}",
        f"/plan/v1/users/{ATHLETE}/scores?{days}",
        f"/plan/v1/users/{ATHLETE}/files?{days}&format=zwo",
        f"/plan/v1/batches?userId={ATHLETE}",
        f"/plan/v1/entries/{entry['id']}",
        f"/plan/v1/entries/{entry['id']}/file?format=zwo",
        feed["path"],
    ]
    undo = ask(f"/plan/v1/batches/{batch.json()['id']}/undo", method="POST", json={}, key=ATHLETE_KEY)
    seen = {
        key: [path for path in reads if shows(ask(path, key=key), entry)] for key in (ATHLETE_KEY, COACH_KEY)
    }
    ask(f"/plan/v1/feeds/{feed['id']}", method="DELETE", key=ATHLETE_KEY)

    assert seen[ATHLETE_KEY] == []
    assert {reads[0], reads[1], reads[6], reads[7]} <= set(seen[COACH_KEY])
    assert undo.status_code == 404


def shows(reply, entry):
    return any(word.encode() in reply.content for word in ("Kept back", "Kept%20back", entry["id"]))
