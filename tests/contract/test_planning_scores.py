"""Scores of planned workouts over real HTTP: who reads them, what was compared, which workouts are left out."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

import rides
from coachboard.service.store import RowKind
from coachboard.wire.enums import Sport
from coachboard.wire.planning import WorkoutScore
from seeded import ATHLETE, ATHLETE_KEY, COACH_KEY, STRANGER_KEY, metric, seed_rows

DAY = date(2026, 1, 12)
CRITICAL_W = 250
INTERVALS = "- 10m 50%\n\n4x\n- 4m 105-110%\n- 2m 50%\n\n- 10m 50%"


@pytest.fixture
def ride(service):
    """Write a ride of parts (watts, seconds) on a day, with its samples."""
    service.store.put_metrics(ATHLETE, [metric("mtr_scored", DAY - timedelta(days=9), CRITICAL_W)])

    def write(name, day, *parts, has_samples=True):
        seconds = sum(length for _, length in parts)
        start = datetime(day.year, day.month, day.day, 8, tzinfo=UTC)
        durations = dict.fromkeys(("moving_duration", "effective_duration", "total_duration"), seconds)
        service.store.put_activities(
            ATHLETE, [rides.activity(name, start=start, sport=Sport.CYCLING, **durations)]
        )
        if has_samples:
            power = np.concatenate([np.full(length, float(watts)) for watts, length in parts])
            service.store.put_streams(name, rides.streams(seconds, at=start, power=power))

    yield write
    for kind in (RowKind.ACTIVITIES, RowKind.METRICS):
        service.store.delete_rows_but(kind, ATHLETE, ())
    seed_rows(service.store)


def blocks(watts, repetitions):
    return [(125, 600), *[(watts, 240), (125, 120)] * repetitions, (125, 600)]


@pytest.fixture
def workout(ask):
    """Plan a workout; returns its id."""
    written = []

    def write(day, **value):
        value = {"date": str(day), "title": "Intervals", "sport": "cycling", **value}
        operation = {"op": "create", "kind": "workout", "userId": ATHLETE, "value": value}
        reply = ask("/plan/v1/batches", method="POST", json={"operations": [operation]})
        written.append(reply.json()["entries"][0]["id"])
        return written[-1]

    yield write
    for id_ in written:
        etag = ask(f"/plan/v1/entries/{id_}").json()["etag"]
        operation = {"op": "delete", "kind": "workout", "userId": ATHLETE, "id": id_, "ifMatch": etag}
        assert ask("/plan/v1/batches", method="POST", json={"operations": [operation]}).status_code == 200


def scores(ask, key=COACH_KEY, start=DAY, end=DAY + timedelta(days=7), user_id=ATHLETE):
    return ask(f"/plan/v1/users/{user_id}/scores?from={start}&to={end}", key=key)


def test_a_workout_that_was_done_has_the_score_of_its_work_steps(ask, ride, workout):
    ride("act_two", DAY, *blocks(268, 2))
    plan = workout(DAY, text=INTERVALS)
    (row,) = scores(ask, end=DAY).json()

    WorkoutScore.from_wire(row)
    assert row == {
        "id": plan, "activityId": "act_two", "isLikelyMatch": True, "mark": "off", "score": 50, "extra": 0,
        "comparedBy": "power", "workSteps": 4, "doneSteps": 2,
    }  # fmt: skip


def test_without_samples_or_steps_the_totals_are_compared_and_named(ask, ride, workout):
    ride("act_bare", DAY, *blocks(268, 4), has_samples=False)
    ride("act_free", DAY + timedelta(days=2), (150, 4500))
    bare, free = workout(DAY, text=INTERVALS), workout(DAY + timedelta(days=2), duration=3600)
    rows = {row["id"]: row for row in scores(ask).json()}

    named = ("mark", "score", "extra", "comparedBy", "workSteps")
    assert [rows[bare][name] for name in named] == ["on target", 100, 0, "duration", None]
    assert [rows[free][name] for name in named] == ["off", 100, 25, "duration", None]
    assert [row["id"] for row in scores(ask, end=DAY).json()] == [bare]


def test_a_workout_without_a_session_or_that_the_caller_may_not_see_is_left_out(ask, ride, workout):
    ride("act_seen", DAY, *blocks(268, 4))
    workout(DAY + timedelta(days=3), text=INTERVALS)
    hidden = workout(DAY, text=INTERVALS, visibleFrom="2026-12-31")

    assert [row["id"] for row in scores(ask).json()] == [hidden]
    assert scores(ask, key=ATHLETE_KEY).json() == []
    assert scores(ask, key=STRANGER_KEY).status_code == 404


def test_a_workout_that_a_person_left_unpaired_or_paired_by_hand_is_scored_accordingly(ask, ride, workout):
    near, far = DAY, DAY + timedelta(days=2)
    ride("act_near", near, *blocks(268, 4))
    ride("act_far", far, *blocks(268, 2))
    plan = workout(near, text=INTERVALS)
    assert [row["activityId"] for row in scores(ask).json()] == ["act_near"]

    paired = decided(ask, plan, "pair", activityId="act_far")
    (row,) = scores(ask).json()
    assert (row["activityId"], row["score"], row["isLikelyMatch"]) == ("act_far", 50, False)
    assert decided(ask, plan, "unpair") != paired
    assert scores(ask).json() == []


def decided(ask, plan, op, **value):
    """The tag of the workout after a decision about its session."""
    tag = ask(f"/plan/v1/entries/{plan}").json()["etag"]
    operation = {"op": op, "kind": "workout", "userId": ATHLETE, "id": plan, "ifMatch": tag}
    operation |= {"value": value} if value else {}
    reply = ask("/plan/v1/batches", method="POST", json={"operations": [operation]})
    assert reply.status_code == 200, reply.text
    return reply.json()["entries"][0]["etag"]


def test_at_most_a_month_is_scored_at_once(ask, ride):
    assert scores(ask, start=DAY, end=DAY + timedelta(days=30)).status_code == 200
    assert scores(ask, start=DAY, end=DAY + timedelta(days=31)).status_code == 400
    assert ask(f"/plan/v1/users/{ATHLETE}/scores?from={DAY}").status_code == 400
