"""Seasons count back from goals, capacities follow load."""

from datetime import date, timedelta
from itertools import chain

import orjson
import pytest
from pydantic import TypeAdapter

from coachboard.wire.enums import IntensitySourceKind, NoteType, ZonesType
from coachboard.wire.prescriptions import StructureElement
from coachboard_demo import planning
from coachboard_demo.execution import Outcome, Terms, fate_of, outline_of, structure_of, timed
from coachboard_demo.life import Life, events_of, life_of, notes_of
from coachboard_demo.outing import Condition
from coachboard_demo.people import Size
from coachboard_demo.planning import DISCIPLINES, LOAD, MENUS, SeasonPhase, plan_of, weeks_of
from coachboard_demo.practice import PRACTICES, Mover
from coachboard_demo.races import RACES
from coachboard_demo.squad import SQUAD, squad_of
from coachboard_demo.training import Training
from coachboard_demo.workouts import CATALOGUE, steps_of, workout

GOAL = date(2026, 6, 21)
STRUCTURE_ELEMENT = TypeAdapter(StructureElement)


def phase_on(day):
    return next(week.phase for week in weeks_of(day, day, (GOAL,)))


@pytest.mark.parametrize(
    ("weeks_before", "phase"),
    [(20, SeasonPhase.BASE), (10, SeasonPhase.BUILD), (5, SeasonPhase.PEAK), (2, SeasonPhase.TAPER), (0, SeasonPhase.RACE), (-1, SeasonPhase.OFF), (-4, SeasonPhase.BASE)],
)  # fmt: skip
def test_phases_count_back_from_the_goal(weeks_before, phase):
    assert phase_on(GOAL - timedelta(weeks=weeks_before)) is phase


def test_every_fourth_week_of_a_build_up_is_easier():
    weeks = weeks_of(date(2025, 11, 3), date(2026, 2, 1), (GOAL,))

    assert all(week.load < 0.7 * LOAD[week.phase] for week in weeks[3::4])


def test_every_menu_names_workouts_and_every_slot_a_menu_and_a_practice():
    for menu in MENUS.values():
        assert all(name in CATALOGUE for names in menu.values() for name in names)
    for slots in DISCIPLINES.values():
        assert all(slot.menu in MENUS and slot.practice in PRACTICES for slot in slots)
        assert sum(slot.share for slot in slots) == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("quantity", ZonesType)
@pytest.mark.parametrize("kind", IntensitySourceKind)
@pytest.mark.parametrize("name", ["by feel", "over-unders", "run reps", "sprints", "css"])
def test_structures_say_the_same_in_all_terms(name, kind, quantity):
    asked = workout(name, 75)
    terms = Terms(quantity, kind, 250, 190, 4.0)

    structure = orjson.loads(orjson.dumps(structure_of(asked, terms)))

    assert len(structure) == len(asked.parts)
    for part in structure:
        assert STRUCTURE_ELEMENT.validate_python(part, by_alias=True, by_name=False).to_wire() == part


@pytest.mark.parametrize(
    ("kind", "percent"),
    [(IntensitySourceKind.METRIC, [95, 102]), (IntensitySourceKind.ABSOLUTE, [None, None])],
)
def test_an_absolute_prescription_has_no_percentages(kind, percent):
    structure = orjson.loads(
        orjson.dumps(structure_of(workout("threshold", 90), Terms(ZonesType.POWER, kind, 200, 190, 4.0)))
    )
    intensity = structure[1]["steps"][0]["intensity"]

    assert [intensity["minPower"], intensity["maxPower"]] == [190, 204]
    assert [intensity["minPowerThresholdPercentage"], intensity["maxPowerThresholdPercentage"]] == percent


def test_unrolled_steps_last_as_long_as_the_workout():
    steps = list(timed(CATALOGUE["30/15"](60), 4.0))

    assert len(steps) == len(steps_of(CATALOGUE["30/15"](60))) == 65
    assert sum(seconds for _, seconds in steps) == 1200 + 3 * (10 * 45 + 300) + 600


def test_capacity_rises_with_load_and_falls_with_fatigue():
    hard, usual, idle = (Condition.steady(80.0) for _ in range(3))
    for _ in range(60):
        hard.take(125.0)
        usual.take(80.0)
        idle.take(5.0)
    tired = hard.form
    for _ in range(8):
        hard.take(60.0)

    assert idle.form < usual.form < tired < hard.form
    assert hard.strain < 0


def test_everybody_with_a_plan_has_a_race():
    assert all((each.race or each.discipline) in RACES for each in SQUAD if each.has_plan)


def test_fates_of_an_unreliable_athlete_are_of_all_kinds():
    athlete = next(each for each in SQUAD if each.key == "mountain biker")
    fates = [fate_of(athlete, at).outcome for at in range(400)]

    assert set(fates) == set(Outcome)
    assert fates.count(Outcome.DONE) / 400 == pytest.approx(athlete.reliability, abs=0.06)


RACERS = [each for each in SQUAD if each.has_plan]


@pytest.mark.slow
@pytest.mark.parametrize("athlete", RACERS, ids=lambda athlete: athlete.key)
def test_a_race_is_over_the_distance_of_its_event_and_takes_about_the_time_aimed_at(athlete, today):
    first = today - timedelta(days=2)
    life = Life(athlete, first, today)
    goals = (today - timedelta(days=1),)
    diary = Training(life, {}, goals, Size(today)).done()
    event = next(events_of(athlete, goals, diary.raced))
    legs = [each.activity for each in diary.recorded if each.activity.name == athlete.goal_name]

    assert sum(leg.distance or 0 for leg in legs) == pytest.approx(event.distance, rel=0.012)
    if event.duration is not None:
        assert sum(leg.moving_duration for leg in legs) == pytest.approx(event.duration, rel=0.2)


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_workouts_suit_their_practice(discipline):
    """No bunch for a skier, no turns of the cranks for a runner, no 3 h indoors."""
    athlete = next(each for each in SQUAD if each.discipline == discipline)
    weeks = weeks_of(GOAL - timedelta(weeks=40), GOAL, (GOAL,))
    for planned in chain.from_iterable(plan_of(athlete, weeks, (GOAL,), today=GOAL).values()):
        kind, usual = PRACTICES[planned.workout.practice], PRACTICES[planned.slot.practice]
        assert kind.sport is usual.sport or kind.mover is Mover.NOTHING
        if any(step.cadence for step in steps_of(planned.workout)):
            assert kind.mover is Mover.WHEELS
        if planned.workout.practice in {"trainer", "treadmill"}:
            assert outline_of(planned.workout, 4.0).seconds <= 100 * 60


@pytest.mark.parametrize("name", ["css", "technique", "swim endurance", "swim sprints", "medley"])
def test_swims_fill_the_time_that_there_is(name):
    seconds = outline_of(workout(name, 100), 1.4).seconds

    assert 60 * 60 < seconds < 110 * 60
    assert outline_of(workout(name, 40), 1.2).seconds < 60 * 60


@pytest.mark.parametrize("key", ["mountain biker", "comeback", "age group"])
def test_a_plan_that_is_still_to_come_has_no_reason_for_being_missed(key):
    """Plans of the next weeks said "Storm warning, stayed in."."""
    athlete = next(each for each in SQUAD if each.key == key)
    today = date(2026, 11, 3)
    first, last = today - timedelta(days=42), today + timedelta(days=42)
    planned = plan_of(athlete, weeks_of(first, last, ()), (), today=today)
    diary = Training(life_of(athlete, first, today), planned, (), Size(today)).done()

    past = [each.comment for each in diary.prescriptions if each.date < today]
    ahead = [each.comment for each in diary.prescriptions if each.date >= today and each.activity_id is None]
    assert set(past) & set(planning._MISSED_COMMENTS)
    assert len(ahead) > 10
    assert not set(ahead) & set(planning._MISSED_COMMENTS)


def test_no_note_of_illness_or_mood_is_dated_ahead():
    """Five athletes had a tight calf of next week."""
    today = date(2026, 6, 17)
    for athlete in squad_of(24):
        life = life_of(athlete, today - timedelta(days=60), today)
        ahead = [
            new.note for new in notes_of(life, coach_id="usr_c", user_id="usr_a") if new.note.date > today
        ]

        assert {note.type for note in ahead} & {NoteType.MEDICAL, NoteType.MENTAL} == set()


def test_the_summary_of_a_short_session_has_no_percentage_of_its_own():
    """A run "ended after 51 % of the planned 1h30" of elapsed time, and the page said 50 % of the moving time."""
    run = workout("easy run", 90, "run")

    assert planning.summary(run, "Run", 0.51) == f"{run.title}, ended early."
