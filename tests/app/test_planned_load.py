"""The load of a planned session is one number: on every page, in the editor and in the planning API."""

import json
from datetime import timedelta

import pytest

import squad
import training
from coachboard.client import Client
from coachboard.loaders.roster_row import load_row
from coachboard.wire.enums import Sport
from coachboard.wire.planning import EntryKind, PlanOp
from drawn import page_test

DAY = training.TODAY + timedelta(days=1)
TEXTS = {
    Sport.CYCLING: "3x\n- 3m 400w\n- press lap 100w",
    Sport.RUNNING: "- 15m Z2 HR\n\n4x\n- 1km 101% Pace\n- Easy 90s 63% Pace",
    Sport.ROWING: "- 45m 61-68% HR",
}
_METRICS = (
    ("critical speed", 4.37, "m/s"),
    ("max heart rate", 191, "bpm"),
    ("resting heart rate", 47, "bpm"),
)


@pytest.fixture
def client(dashboard_settings, squad_store, squad_service, tmp_path):
    training.seed(squad_store, squad.ANA)
    squad_store.put_metrics(squad.ANA, list(map(_metric, _METRICS)))
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    dashboard_settings.setenv("COACHBOARD_TODAY", training.TODAY.isoformat())
    with Client(squad_service, squad.COACH_KEY, cache_url=f"sqlite:///{tmp_path / 'own.db'}") as client:
        yield client


def _metric(row):
    kind, value, unit = row
    fields = {"id": f"mtr_{kind}", "type": kind, "value": value, "unit": unit, "source": "user"}
    sport = "running" if kind == "critical speed" else "global"
    return training.Metric(**fields, sport=sport, date=training.TODAY - timedelta(days=9))


def page(name, **params):
    at = page_test(name)
    for part in ("below", "weeks", "sessions", "profile"):
        at.session_state[f"athlete.{part}.{squad.ANA}.near"] = True
    at.session_state["calendar.below.near"] = True
    for key, value in {"athlete": squad.ANA, **params}.items():
        at.query_params[key] = value
    at.run()
    assert not at.exception
    return at


def shown_data(at, key):
    """The data of a component."""
    return [json.loads(part.proto.json) for part in at.get("bidi_component") if key in part.proto.id]


def only_plan(client, sport):
    """The text as the only planned workout of the week ahead; returns its id."""
    planning = client.planning
    (seeded,) = planning.entries(squad.ANA, DAY, DAY)
    new = planning.create(
        squad.ANA,
        EntryKind.WORKOUT,
        date=DAY,
        title="Planned",
        sport=sport,
        text=TEXTS[sport],
        free_duration=60,
    )
    return planning.batch([planning.operation(seeded, PlanOp.DELETE), new]).entries[1].id


@pytest.mark.parametrize("sport", TEXTS)
def test_the_planned_load_is_one_number_everywhere(client, sport):
    entry_id = only_plan(client, sport)
    load = client.planning.parse(squad.ANA, sport, TEXTS[sport], DAY, 60).load
    number = f"{load:.0f}"
    user = next(user for user in client.list_users().value if user.id == squad.ANA)
    row = load_row(client, user, today=training.TODAY, thresholds={})
    calendar = page("calendar", look="totals", edit=entry_id)
    (editor,) = shown_data(calendar, "calendar.editor")
    (totals,) = [table.value for table in calendar.dataframe if "Planned load" in table.value]
    next_sessions = json.dumps(shown_data(page("athlete"), "athlete.days"))

    assert client.planning.loads(squad.ANA, DAY, DAY) == {entry_id: load}
    assert row.planned_next == load
    assert dict(map(tuple, editor["preview"]["facts"]))["Load"] == number
    assert number in totals["Planned load"].tolist()
    assert f'"{number}"' in next_sessions


def test_the_steps_of_a_workout_without_a_text_have_one_load_too(client):
    load = client.planning.loads(squad.ANA, DAY, DAY)["tpr_Intervals"]
    (editor,) = shown_data(page("calendar", edit="tpr_Intervals"), "calendar.editor")

    assert load == client.planning.parse(squad.ANA, Sport.CYCLING, TEXTS[Sport.CYCLING], DAY, 60).load
    assert dict(map(tuple, editor["preview"]["facts"]))["Load"] == f"{load:.0f}"


def test_the_time_in_zones_of_the_editor_is_by_the_chosen_zones_of_pace(client):
    """It kept the intensities of laps, whatever the coach chose for the pages."""
    entry_id = only_plan(client, Sport.RUNNING)
    before = zones_of(page("calendar", edit=entry_id))
    page_test("settings").run().selectbox(key="settings.pace_zones").set_value("friel").run()

    assert list(before) == ["Aerobic", "Threshold"]
    assert list(zones_of(page("calendar", edit=entry_id))) == ["Zone 1", "Zone 5a"]


def zones_of(at):
    """The time in zones that the editor shows."""
    (editor,) = shown_data(at, "calendar.editor")
    known = {"Duration", "Distance", "Load", "Lowest W′ balance"}
    return {name: value for name, value in editor["preview"]["facts"] if name not in known}
