"""Rows that differ from the interface: the odd part is removed, an unreadable row is set aside."""

import copy
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_rows
import seeded
from coachboard.client.decode import check_rows
from coachboard.client.errors import RowProblem
from coachboard.client.schema_repair import fill_open_fields, repair, report_once
from coachboard.wire.activities import Activity
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.users import User

SOUND = {
    Activity: [row.to_wire() for row in seeded.ACTIVITIES],
    Metric: [row.to_wire() for row in seeded.METRICS],
    Sleep: [row.to_wire() for row in seeded.SLEEPS],
    Event: [row.to_wire() for row in seeded.EVENTS],
    Note: [new.note.to_wire() for new in seeded.NOTES],
    TrainingPrescription: [row.to_wire() for row in seeded.PRESCRIPTIONS],
}
WRONG = [
    None,
    "",
    "x",
    "far",
    1,
    -1,
    1.5,
    10**30,
    True,
    [],
    {},
    [1],
    {"a": 1},
    "2026-13-01",
    "2026-01-01 25:00:00+00",
]


@st.composite
def changed_rows(draw):
    """Sound rows with one value, somewhere, that may be wrong."""
    model = draw(st.sampled_from(list(SOUND)))
    rows = copy.deepcopy(SOUND[model])
    here = draw(st.sampled_from(rows))
    nested = [value[0] for value in here.values() if isinstance(value, list) and value]
    if nested and draw(st.booleans()):
        here = draw(st.sampled_from(nested))
    name = draw(st.sampled_from([*here, "unknown"]))
    if draw(st.booleans()):
        here[name] = draw(st.sampled_from(WRONG))
    else:
        here.pop(name, None)
    return model, rows


@given(changed_rows())
def test_every_row_is_read_or_set_aside_with_its_place(changed):
    """No row is lost, none raises, and the model reads each remaining row."""
    model, rows = changed

    for row in check_rows(model, rows):
        repaired, problems = repair(model, row.whole(), "rows[x]")
        assert row.is_odd == bool(problems)
        assert (repaired is None) == any(problem.is_set_aside for problem in problems)
        if repaired is not None:
            model.from_wire(repaired)


def prescription(**changes):
    return seeded.PRESCRIPTIONS[0].to_wire() | changes


def test_an_unknown_value_where_null_is_not_allowed_is_the_rest():
    repaired, problems = repair(TrainingPrescription, prescription(sport="hoverboarding"), "p")

    assert repaired["sport"] == "generic"
    assert problems == [
        RowProblem(
            "p.sport",
            "unknown value 'hoverboarding', read as other",
            is_set_aside=False,
            row_id="tpr_first",
        )
    ]


def test_a_workout_with_an_unknown_step_is_kept_without_its_structure():
    row = prescription()
    row["structure"][1]["steps"][0]["steps"][0]["label"] = "float"

    repaired, problems = repair(TrainingPrescription, row, "p")

    assert repaired["structure"] is None
    assert problems[0].place == "p.structure[1].steps[0].steps[0].label"


def test_an_unknown_intensity_of_a_lap_costs_the_lap():
    row = copy.deepcopy(SOUND[Activity][0])
    row["laps"][0]["intensity"] = "superhuman"

    repaired, problems = repair(Activity, row, "a")

    assert repaired["laps"] == []
    assert not problems[0].is_set_aside


@pytest.mark.parametrize(
    ("change", "place", "says"),
    [
        ({"distance": "far"}, "a.distance", "is not a number"),
        ({"laps": "none"}, "a.laps", "is not a list"),
        ({"laps": [{"startedAt": 1}]}, "a.laps[0].intensity", "is missing"),
        ({"laps": ["fast"]}, "a.laps[0]", "is not an object"),
        ({"name": 7}, "a.name", "is not a text"),
        ({"startedAt": "2026-03"}, "a.startedAt", "expected a timestamp as YYYY-MM-DD HH:MM:SS+00"),
    ],
)
def test_a_problem_is_described_in_words_of_the_interface(change, place, says):
    repaired, (problem,) = repair(Activity, {**SOUND[Activity][0], **change}, "a")

    assert repaired is None
    assert (problem.place, problem.says) == (place, says)


def test_a_field_that_is_missing_is_named():
    row = {name: value for name, value in SOUND[Activity][0].items() if name != "name"}

    (problem,) = repair(Activity, row, "a")[1]

    assert (problem.place, problem.says) == ("a.name", "is missing")


def test_a_metric_of_an_unknown_type_says_nothing_and_is_set_aside():
    repaired, (problem,) = repair(Metric, SOUND[Metric][0] | {"type": "aura"}, "m")

    assert repaired is None
    assert (problem.place, problem.is_set_aside) == ("m.type", True)


def test_an_athlete_whose_import_has_an_unknown_state_stays_in_the_roster():
    row = {
        "id": "usr_a",
        "firstName": None,
        "lastName": None,
        "dateOfBirth": None,
        "gender": "unknown to us",
        "height": None,
        "dataOnboardingStatus": "queued",
        "userMetricReadiness": None,
        "team": "red",
    }

    repaired, problems = repair(User, row, "users[usr_a]")

    assert (repaired["gender"], repaired["dataOnboardingStatus"]) == (None, "ongoing")
    assert len(problems) == 3


def test_fields_that_the_document_leaves_open_are_no_drift():
    """Metrics may have more fields; of a night only id and day are sure."""
    assert fill_open_fields(Metric, SOUND[Metric][0] | {"createdAt": "x"}) == SOUND[Metric][0]
    assert (
        Sleep.from_wire(fill_open_fields(Sleep, {"id": "slp_a", "day": "2026-03-01"})).total_duration is None
    )


def test_an_oddity_is_reported_once_and_each_row_set_aside_by_itself():
    odd = [RowProblem(f"a[{n}].laps[{n}].mood", "unknown field", is_set_aside=False) for n in range(9)]
    aside = [RowProblem(f"a[{n}].name", "missing", is_set_aside=True) for n in range(3)]

    assert report_once([*odd, *aside]) == (odd[0], *aside)


@pytest.mark.parametrize("row", [None, 3, "text", []])
def test_a_row_that_is_no_object_is_set_aside(row):
    repaired, (problem,) = repair(Note, row, "notes[?]")

    assert (repaired, problem.place, problem.is_set_aside) == (None, "notes[?]", True)


@pytest.mark.parametrize(
    ("fields", "day"),
    [
        ({"startedAtLocal": "2026-03-20 00:30:00+00"}, date(2026, 3, 20)),
        ({"startedAtLocal": None, "startedAt": "2026-03-19 23:30:00+00"}, date(2026, 3, 19)),
        ({"startedAtLocal": "soon", "startedAt": 7}, None),
        ({"startedAtLocal": "9999-12-31 00:00:00+00", "startedAt": None}, None),
    ],
)
def test_a_session_set_aside_keeps_its_day(fields, day):
    _, (problem,) = repair(Activity, plain_rows.activity(0, 1) | {"id": 5} | fields, "a")

    assert (problem.is_set_aside, problem.day) == (True, day)
