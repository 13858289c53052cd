"""One path from bytes to rows: each row is read as its model reads it, or reported, fresh and from the cache."""

import copy
from datetime import UTC, date, datetime

import orjson
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import plain_rows
from coachboard.client.decode import (
    MAX_TEXT,
    ListRows,
    decode_json,
    read_invitation,
    read_list,
    read_model,
    read_models,
    read_object,
)
from coachboard.client.errors import UnreadableResponse
from coachboard.client.frames import build_frame
from coachboard.client.lists import assembled, entries_of
from coachboard.client.months import Days
from coachboard.client.resources import ACTIVITIES, HAS_MORE_FIELDS, RANGED
from coachboard.client.result import Result
from coachboard.client.schema_repair import fill_open_fields, read_sound
from coachboard.plain_text import MOST_LEVELS
from coachboard.wire.activities import Activity, Climb, Length
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.planning import ChangedRowBody
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.users import User, UserProfile
from unit.client.test_schema_repair import SOUND as SEEDED

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
"""Texts of JSON, valid and invalid, for any value."""

ODD_MOMENTS = [
    "2026-02-30 08:00:00+00",
    "2026-03-10 24:00:00+00",
    "2026-03-10 08:60:00+00",
    "2026-03-10 08:00:60+00",
    "2026-03-10 08:00:00+01",
    "1899-12-31 08:00:00+00",
    "2026-03-10T08:00:00+00",
    "2026-03-10 0٨:00:00+00",
    MOMENT * 2,
    1,
]

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
        shown = orjson.dumps(here)
        body = body.replace(shown, shown[:-1] + b',"%b":%b}' % (name.encode(), token), 1)
    return model, body.replace(orjson.dumps(HOLE), token)


HUGE = (Metric, orjson.dumps(SEEDED[Metric]).replace(b"{", b'{"unknown":1e999,', 1))
"""A field that the interface does not list, with a number that no double holds."""
BAD_BYTES = (Metric, orjson.dumps(SEEDED[Metric]).replace(b"{", b'{"unknown":"\xff",', 1))


def nested_of(model):
    return next((one.nested for one in RANGED if one.model is model), ())


def read(model, body):
    return read_list(body, model, nested=nested_of(model))


def read_by_model(model, body):
    return [model.from_wire(fill_open_fields(model, row)) for row in decode_json(body)]


def through_cache(resource, rows):
    everything = Days(None, None)
    entries = entries_of(resource, rows, everything, 1.0, date(2026, 3, 20))
    return assembled(resource.order, everything, [entry for entry in entries.values() if entry.body])


@given(bodies())
@example(HUGE)
@example(BAD_BYTES)
def test_a_valid_reply_equals_its_models(case):
    model, body = case
    try:
        expected = read_by_model(model, body)
    except ValueError:
        return

    rows = ListRows(model, read(model, body), name="rows")

    by_id = {one.id: one for one in expected}
    assert rows.value() == tuple(by_id.values())
    assert not rows.problems
    pd.testing.assert_frame_equal(rows.frame(), build_frame(model, [one.to_wire() for one in by_id.values()]))


@given(bodies())
@example(HUGE)
@example(BAD_BYTES)
def test_rows_that_are_sound_at_once_are_read_by_the_model(case):
    model, body = case
    rows = read_sound(model, body, nested_of(model))
    if rows is None:
        return

    try:
        read_one_by_one = [fill_open_fields(model, value) for value in decode_json(body)]
    except ValueError:  # in a field that is skipped
        assert model in HAS_MORE_FIELDS
        return
    assert [row.whole() for row in rows] == read_one_by_one
    assert [model.from_wire(row.whole()) for row in rows] == [model.from_wire(row) for row in read_one_by_one]


@pytest.mark.parametrize(
    ("model", "changes"),
    [
        *((Length, {"startedAt": moment}) for moment in ODD_MOMENTS),
        *((Activity, {"startedAtLocal": moment}) for moment in ODD_MOMENTS),
        *((Sleep, {"day": day}) for day in ("2026-3-1", "2026-02-30", "1899-12-31", "20260310", None)),
        (Event, {"time": "25:00:00"}),
        (Event, {"sport": "hoverboarding"}),
        (Event, {"sport": None}),
        (Event, {"name": 1}),
        (Event, {"unknown": 1}),
        (Length, {"unknown": 1}),
        (Length, {"startedAtIndex": -1}),
        (Length, {"startedAtIndex": 1.5}),
        (Length, {"averageSpeed": 10**12 + 1}),
        (Length, {"averageSpeed": -1e13}),
        (Length, {"averageSpeed": True}),
        (Activity, {"lengths": None}),
        (Activity, {"name": "x" * (MAX_TEXT + 1)}),
    ],
)
def test_a_part_that_differs_from_the_interface_is_found(model, changes):
    row = SOUND[Activity][0] if model is Length else SOUND[model][0]
    other = row | {"id": "other"} | changes
    if model is Length:
        other = row | {"id": "other", "lengths": [*row["lengths"], row["lengths"][0] | changes]}
    model = Activity if model is Length else model
    assert read_sound(model, orjson.dumps([row, row | {"id": "other"}]), nested_of(model)) is not None

    assert read_sound(model, orjson.dumps([row, other]), nested_of(model)) is None


@pytest.mark.parametrize("model", [Activity, Metric, Sleep, Event, Note])
def test_rows_of_the_interface_are_read_at_once(model):
    """Else each row is checked by its model, which takes four times as long."""
    rows = read_sound(model, orjson.dumps(SOUND[model]), nested_of(model))

    assert [row.whole() for row in rows or ()] == SOUND[model]
    assert {row.nested is None for row in rows or ()} == {model is not Activity}


@pytest.mark.parametrize(
    ("model", "row"),
    [
        (Metric, SOUND[Metric][0] | {"unknown": 1}),
        (Sleep, {name: value for name, value in SOUND[Sleep][0].items() if name != "averageHrv"}),
    ],
)
def test_fields_that_the_interface_leaves_open_do_not_cost_a_second_reading(model, row):
    (found,) = read_sound(model, orjson.dumps([row]), ()) or ()

    assert found.value == fill_open_fields(model, row)


@pytest.mark.parametrize("part", [b'"\xff"', b'"x","unknown":' + b"[" * 100_000])
def test_a_body_that_msgspec_cannot_read_is_not_sound(part):
    body = orjson.dumps([SOUND[Metric][0] | {"id": HOLE}]).replace(orjson.dumps(HOLE), part)

    assert read_sound(Metric, body, ()) is None


def test_a_repeated_id_is_not_sound_at_once():
    row = SOUND[Metric][0]

    assert read_sound(Metric, orjson.dumps([row, row]), ()) is None


@given(bodies())
@example(HUGE)
@example(BAD_BYTES)
def test_rows_and_problems_are_the_same_after_the_cache(case):
    model, body = case
    resource = next((one for one in RANGED if one.model is model), None)
    try:
        fresh = read(model, body)
    except UnreadableResponse:
        return
    if resource is None:
        return

    rows, cached = (ListRows(model, one, name="r") for one in (fresh, through_cache(resource, fresh)))

    assert {one.id: one for one in cached.value()} == {one.id: one for one in rows.value()}
    assert sorted(map(repr, cached.problems)) == sorted(map(repr, rows.problems))


def test_the_missing_fields_of_a_night_are_empty():
    (row,) = read(Sleep, b'[{"id": "slp_a", "day": "2026-03-01"}]')

    assert (row.is_odd, row.value["day"], row.value["totalDuration"]) == (False, "2026-03-01", None)


@pytest.mark.parametrize("depth", [1, 20, 200, 2_000])
def test_a_workout_nested_at_any_depth_is_read_or_reported(depth):
    row = SOUND[TrainingPrescription][0] | {"structure": HOLE}
    inner = b'{"type":"repetition","nRepetitions":2,"steps":['
    body = b"[%b]" % orjson.dumps(row).replace(orjson.dumps(HOLE), b"[%b]" % (inner * depth + b"]}" * depth))

    try:
        rows = ListRows(TrainingPrescription, read(TrainingPrescription, body), name="p")
    except UnreadableResponse:
        assert depth > 1_000
        return

    assert len(rows.value()) + len(rows.problems) == 1
    assert not rows.problems or depth > 100


def test_rows_next_to_an_odd_row_keep_their_order():
    sound, odd = SOUND[Activity][:2], SOUND[Activity][0] | {"id": "act_odd", "distance": "far"}

    rows = ListRows(Activity, read(Activity, orjson.dumps([sound[0], odd, sound[1]])), name="a")

    assert [one.id for one in rows.value()] == [row["id"] for row in sound]
    assert list(rows.frame()["id"]) == [row["id"] for row in sound]
    assert [problem.row_id for problem in rows.problems] == ["act_odd"]


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"1" + b"0" * 400])
def test_a_reply_with_a_number_too_large_for_a_double_is_unreadable(number):
    rows = [SOUND[Activity][0], SOUND[Activity][1] | {"distance": HOLE}]

    with pytest.raises(UnreadableResponse, match="not JSON"):
        read(Activity, orjson.dumps(rows).replace(orjson.dumps(HOLE), number))


@pytest.mark.parametrize("text", [b'{"a": NaN}', b'{"a": "\\ud800"}', b'{"a": 1', b"[1,]"])
def test_a_reply_that_is_no_json_is_unreadable(text):
    with pytest.raises(ValueError, match="line 1"):
        decode_json(text)


def test_a_text_that_is_not_utf_8_costs_its_own_letters():
    rows = [SOUND[Activity][0] | {"name": "Fahrt"}, SOUND[Activity][1]]
    fresh = read(Activity, orjson.dumps(rows).replace(b"Fahrt", b"F\xe4hrt"))

    for kept in (fresh, through_cache(ACTIVITIES, fresh)):
        assert {row.name for row in ListRows(Activity, kept, name="a").value()} == {
            "F\ufffdhrt",
            rows[1]["name"],
        }


@pytest.mark.parametrize("name", ["Hills", 7])
def test_nested_lists_are_decoded_for_models_and_stay_packed_in_memory(name):
    """Of 1.2 GB for thirty people, 210 MB were the laps and pool lengths of sessions."""
    sound = SOUND[Activity][0]
    body = orjson.dumps([sound | {"name": name, "laps": sound["laps"] * 50}])
    (row,) = read(Activity, body)

    assert "laps" not in row.value
    assert len(row.nested) < len(body) / 5
    assert row.whole()["laps"] == sound["laps"] * 50


def test_a_row_with_nested_lists_becomes_its_model():
    (row,) = read(Activity, orjson.dumps(SOUND[Activity][:1]))

    assert ListRows(Activity, [row], name="a").value() == (Activity.from_wire(SOUND[Activity][0]),)


@pytest.mark.parametrize(("model", "nested", "is_kept"), [(Metric, (), True), (Activity, ("laps",), False)])
def test_models_with_nested_lists_end_with_their_result(model, nested, is_kept):
    """After twelve people had left, their models were 116 of 450 MB."""
    body = orjson.dumps(SOUND[model][:1])
    rows = ListRows(model, read_list(body, model, nested=nested), name="a")
    result = Result(rows, datetime(2026, 3, 12, tzinfo=UTC))

    assert result.value is result.value
    assert (rows.value() is rows.value()) == is_kept


LONG = "x" * 600_000


def shown_texts(value):
    """All texts in a decoded value."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from shown_texts(part)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("model", SEEDED, ids=lambda model: model.__name__)
def test_of_a_long_text_only_the_beginning_is_read(model):
    resource = next((one for one in RANGED if one.model is model), None)

    def lengthened(value):
        if isinstance(value, dict):
            return {name: lengthened(part) for name, part in value.items()} | {"added": LONG}
        if isinstance(value, list):
            return [lengthened(part) for part in value]
        return LONG if isinstance(value, str) else value

    payload = lengthened(SEEDED[model][0]) | {"id": "a"}
    rows = read_list(orjson.dumps([payload]), model, nested=resource.nested if resource else ())

    lengths = {len(text) for row in rows for text in shown_texts(row.whole())}
    assert max(lengths) == MAX_TEXT + 1


def test_of_a_long_name_and_a_long_code_only_the_beginning_is_read():
    profile = plain_rows.plain().profiles["me"] | {"firstName": LONG}
    value, _ = read_object(orjson.dumps(profile), UserProfile)
    invitation = read_invitation(orjson.dumps({"code": LONG, "extra": [LONG]}))

    assert value.first_name == "x" * MAX_TEXT + "…"
    assert max(map(len, shown_texts(dict(invitation.raw)))) == len(invitation.code) == MAX_TEXT + 1


def workout(step, levels):
    """JSON of a workout with so many repetitions within each other; orjson writes at most 254 levels."""
    repetition = b'{"type":"repetition","nRepetitions":2,"steps":['
    return b"[" + repetition * levels + orjson.dumps(step) + b"]}" * levels + b"]"


@pytest.mark.parametrize("levels", [20, 60, 125, 500])
def test_a_workout_of_many_repetitions_within_each_other_costs_its_row_alone(levels):
    (seeded,) = SEEDED[TrainingPrescription][:1]
    whole = orjson.dumps({**seeded, "structure": "here"}).replace(
        b'"here"', workout(seeded["structure"][0], levels)
    )
    rows = read_list(
        b"[" + whole + b"," + orjson.dumps(seeded | {"id": "other"}) + b"]", TrainingPrescription
    )
    found = ListRows(TrainingPrescription, rows, name="plans")

    ids = [seeded["id"], "other"]
    assert [plan.id for plan in found.value()] == (ids if levels == 20 else ids[1:])
    assert [(problem.row_id, problem.is_set_aside) for problem in found.problems] == [(ids[0], True)][
        : levels > 20
    ]
    assert orjson.loads(orjson.dumps(rows[0].value))["id"] == ids[0]


def test_a_lap_with_a_part_that_nests_deeper_than_json_is_written_keeps_its_own_values():
    (seeded,) = SEEDED[Activity][:1]
    whole = orjson.dumps({**seeded, "laps": [seeded["laps"][0] | {"more": "here"}]})
    whole = whole.replace(b'"here"', b"[" * 500 + b"]" * 500)
    (row,) = read_list(b"[" + whole + b"]", Activity, nested=ACTIVITIES.nested)
    (session,) = ListRows(Activity, [row], name="sessions").value()

    assert (session.id, len(session.laps)) == (seeded["id"], 1)


@pytest.mark.parametrize("opening", ["[", '{"steps":'])
def test_an_object_of_a_coachboard_service_that_is_nested_too_deeply_is_unreadable(opening):
    """A page met the limit of orjson, or of Python, when it read the steps of such a workout."""

    def body(levels):
        closing = "]" if opening == "[" else "}"
        deep = opening * (levels - 3) + "[]" + closing * (levels - 3)
        return f'{{"code": "a", "error": "b", "current": {{"row": {deep}}}}}'.encode()

    assert read_model(ChangedRowBody, body(MOST_LEVELS)).code == "a"
    for read, sent in (
        (read_model, body(MOST_LEVELS + 1)),
        (read_models, b"[" + body(MOST_LEVELS + 1) + b"]"),
    ):
        with pytest.raises(UnreadableResponse, match="nested deeper than 60 levels"):
            read(ChangedRowBody, sent)
