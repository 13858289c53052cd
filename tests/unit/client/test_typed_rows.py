"""What is decoded and checked in one go is what the models read, value by value, and never more than that."""

import copy

import orjson
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coachboard.client.building import build
from coachboard.client.cache.packing import lean, pack, place, unpacked
from coachboard.client.cache.spans import Days
from coachboard.client.drift import settle
from coachboard.client.http import Request
from coachboard.client.reading import RawRow, Rows, decode_json, read_list
from coachboard.client.resources import ACTIVITIES, RANGED
from coachboard.client.rows import build_frame, values_of
from coachboard.client.typed import read_one, read_rows
from coachboard.models.activities import Activity, Climb, Length
from coachboard.models.body import Metric, Sleep
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.models.users import User
from unit.client.test_drift import SOUND as SEEDED

MOMENT = "2026-03-10 08:00:00+00"
PART = {"startedAt": MOMENT, "endedAt": MOMENT, "startedAtIndex": 1, "endedAtIndex": 2}


def _number_row(model, **known):
    return {field.alias: known.get(field.alias, 1.5) for field in model.model_fields.values()}


SOUND = {
    **SEEDED,
    Activity: [
        {
            **SEEDED[Activity][0],
            "climbs": [_number_row(Climb, **PART)],
            "lengths": [_number_row(Length, **PART, strokeType="drill")],
        },
        *SEEDED[Activity][1:],
    ],
    User: [
        {
            "id": "usr_a",
            "firstName": "Ann",
            "lastName": None,
            "dateOfBirth": "1990-05-17",
            "gender": "female",
            "height": 171.5,
            "dataOnboardingStatus": "not started",
            "userMetricReadiness": {
                "hasServiceCyclingCriticalPower": True,
                "hasServiceRunningCriticalPower": False,
                "hasServiceRunningCriticalSpeed": False,
            },
        }
    ],
}
TOKENS = [
    *("null", "true", "0", "-0", "-1", "1", "3.0", "1.5", "-0.0", "1e2", "1e18", "1e400", "1e-400", "NaN"),
    *(str(2**63 - 1), str(2**63), str(2**64), str(2**64 + 1), str(-(2**63) - 1), "1" + "0" * 30, "01", "1."),
    *(
        '""',
        '"x"',
        '"far"',
        '"1"',
        '"NaN"',
        '"generic"',
        '"step"',
        '"rest"',
        '"free"',
        '"\\u0000"',
        '"\\ud800"',
    ),
    *('"\\ud83d\\ude00"', '"2026-03-10"', '"2026-3-1"', '"2026-13-01"', '"20260310"', '"0000-01-01"'),
    *(f'"{MOMENT}"', f'"{MOMENT},{MOMENT}"', '"2026-03-10T08:00:00+00"', '"2026-03-10 08:00:00+01"'),
    *('"2026-02-30 08:00:00+00"', '"2026-03-10 24:00:00+00"', '"10:00:00"', '"10:00"', '"25:00:00"'),
    *(
        '"2026-03-10 08:00:00+00\\n"',
        '"٢٠٢٦-03-10"',
        "[]",
        "{}",
        "[1]",
        '{"a":1}',
        "[null]",
        '{"type":"free"}',
    ),
]
"""Texts of JSON, sound and unsound, that may stand anywhere."""

HOLE = "a hole in the text"


def objects_in(value):
    """Every object in a decoded value, however deep."""
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from objects_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from objects_in(part)


@st.composite
def bodies(draw):
    """A body of sound rows in which one thing, somewhere, may be another."""
    model = draw(st.sampled_from(list(SOUND)))
    rows = copy.deepcopy(SOUND[model])
    here = draw(st.sampled_from(list(objects_in(rows))))
    name = draw(st.sampled_from([*here, "unknown"]))
    change = draw(st.sampled_from(["none", "missing", "another", "twice", "turned"]))
    if change == "missing":
        here.pop(name, None)
    elif change == "turned":
        turned = list(reversed(here.items()))
        here.clear()
        here.update(turned)
    elif change == "another":
        here[name] = HOLE
    body = orjson.dumps(rows)
    token = draw(st.sampled_from(TOKENS)).encode()
    if change == "twice":
        told = orjson.dumps(here)
        body = body.replace(told, told[:-1] + b',"%b":%b}' % (name.encode(), token), 1)
    return model, body.replace(orjson.dumps(HOLE), token)


HUGE = (Metric, orjson.dumps(SEEDED[Metric]).replace(b"{", b'{"unknown":1e999,', 1))
"""A field that the interface does not list, with a number that no double holds."""
BAD_BYTES = (Metric, orjson.dumps(SEEDED[Metric]).replace(b"{", b'{"unknown":"\xff",', 1))


def read_by_model(model, body):
    return [model.from_wire(settle(model, row)) for row in decode_json(body)]


@given(bodies())
@example(HUGE)
@example(BAD_BYTES)
def test_what_is_typed_the_model_reads_with_the_same_values(case):
    model, body = case

    typed = read_rows(model, body)

    if typed is not None:
        rows = Rows(model, [RawRow(row, is_odd=False) for row in typed], name="rows")
        read = read_by_model(model, body)
        assert repr(rows.value()) == repr(tuple(read))
        assert [one.model_fields_set for one in rows.value()] == [one.model_fields_set for one in read]
        assert orjson.dumps([one.to_wire() for one in rows.value()]) == orjson.dumps(
            [one.to_wire() for one in read]
        )
        settled = [settle(model, row) for row in decode_json(body)]
        pd.testing.assert_frame_equal(
            rows.frame(), build_frame(model, [values_of(model, row) for row in settled])
        )


@given(bodies())
@example(HUGE)
@example(BAD_BYTES)
def test_a_row_is_typed_alone_where_it_is_among_others(case):
    model, body = case
    typed = read_rows(model, body)

    if typed is not None:
        assert [read_one(model, row) for row in decode_json(body)] == typed


@given(bodies())
@example(HUGE)
@example(BAD_BYTES)
def test_what_comes_back_from_the_cache_is_what_was_put_there(case):
    model, body = case
    resource = next((one for one in RANGED if one.model is model), None)
    typed = read_rows(model, body)

    if typed is not None and resource is not None:
        raw = [RawRow(row, is_odd=False) for row in typed]
        items = pack(resource, place(resource, raw, Days(1, 1_000_000)))
        for kept in (lean(items), unpacked(resource, items)):
            rows = Rows(model, kept, name="rows")
            told = {one.id: one for one in rows.value()}
            assert told == {one.id: one for one in read_by_model(model, body)}
            assert not rows.problems


@pytest.mark.parametrize("model", SOUND)
def test_rows_of_the_interface_are_typed_whatever_the_order_of_their_keys(model):
    turned = [dict(reversed(row.items())) for row in SOUND[model]]

    assert read_rows(model, orjson.dumps(SOUND[model])) is not None
    assert read_rows(model, orjson.dumps(turned)) == read_rows(model, orjson.dumps(SOUND[model]))


def test_what_a_night_does_not_tell_is_unknown():
    (row,) = read_rows(Sleep, b'[{"id": "slp_a", "day": "2026-03-01"}]')

    assert (row.day, row.total_duration) == ("2026-03-01", None)


@given(st.integers(1, 2_000))
@example(20)
@example(45)
def test_workouts_nested_however_deep_are_typed_where_the_model_reads_them(depth):
    (row,) = copy.deepcopy(SOUND[TrainingPrescription][:1])
    inner = b'{"type":"repetition","nRepetitions":2,"steps":['
    deep = inner * depth + b"]}" * depth
    row["structure"] = HOLE
    body = b"[%b]" % orjson.dumps(row).replace(orjson.dumps(HOLE), b"[%b]" % deep)

    typed = read_rows(TrainingPrescription, body)

    assert typed is not None or depth > 40  # which no coach plans
    if typed is not None:
        assert repr(build(TrainingPrescription, typed)) == repr(
            tuple(read_by_model(TrainingPrescription, body))
        )


def test_a_position_that_is_no_whole_number_is_read_by_the_model_alone():
    row = copy.deepcopy(SOUND[Activity][0])
    row["laps"][0]["startedAtIndex"] = 0.0

    (read,) = read_list(Request("GET", "/"), orjson.dumps([row]), Activity)
    (activity,) = Rows(Activity, [read], name="a").value()

    assert read_rows(Activity, orjson.dumps([row])) is None
    assert (read.value, read.is_odd) == (row, False)
    assert isinstance(activity.laps[0].started_at_index, int)


def test_rows_beside_an_odd_one_are_typed_and_keep_their_order():
    sound, odd = SOUND[Activity][:2], SOUND[Activity][0] | {"id": "act_odd", "distance": "far"}
    body = orjson.dumps([sound[0], odd, sound[1]])

    rows = Rows(Activity, read_list(Request("GET", "/"), body, Activity), name="a")

    assert [one.id for one in rows.value()] == [row["id"] for row in sound]
    assert list(rows.frame()["id"]) == [row["id"] for row in sound]
    assert [problem.row_id for problem in rows.problems] == ["act_odd"]


def test_nested_lists_of_another_version_in_the_cache_are_left_to_the_model():
    """What stands there an older Coachboard may have put there, which took what this one does not."""
    (typed,) = read_rows(Activity, orjson.dumps(SOUND[Activity][:1]))
    days = Days(1, 1_000_000)
    (item,) = pack(ACTIVITIES, place(ACTIVITIES, [RawRow(typed, is_odd=False)], days))
    nested = orjson.loads(item.nested)
    nested["laps"][0]["startedAtIndex"] = 0.0

    (activity,) = Rows(
        Activity, [RawRow(item.rest, is_odd=False, nested=orjson.dumps(nested))], name="a"
    ).value()

    assert activity == Activity.from_wire(SOUND[Activity][0])


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"1" + b"0" * 400])
def test_a_number_too_large_for_a_double_costs_its_own_row_however_it_is_read(number):
    rows = [SOUND[Activity][0], SOUND[Activity][1] | {"distance": HOLE}]
    body = orjson.dumps(rows).replace(orjson.dumps(HOLE), number)
    days = Days(1, 1_000_000)

    raw = read_list(Request("GET", "/"), body, Activity)
    items = pack(ACTIVITIES, place(ACTIVITIES, raw, days))
    readings = [Rows(Activity, kept, name="a") for kept in (raw, lean(items), unpacked(ACTIVITIES, items))]

    for read in readings:
        assert [one.id for one in read.value()] == [rows[0]["id"]]
        assert [(one.row_id, one.says) for one in read.problems] == [(rows[1]["id"], "is not a number")]


def test_a_reply_that_is_no_json_stays_unreadable():
    for text in (b'{"a": NaN}', b'{"a": "\\ud800"}', b'{"a": 1e999', b"[1e999,]"):
        with pytest.raises(ValueError, match="line 1"):
            decode_json(text)


def test_a_frame_takes_rows_with_and_without_their_nested_lists():
    """The cache keeps nested lists apart of typed rows only; a lap index of 700.0 makes its row an untyped one."""
    whole = values_of(Activity, SOUND[Activity][0])

    frame = build_frame(Activity, [whole, whole[:-4]])

    assert frame["id"].tolist() == [SOUND[Activity][0]["id"]] * 2
