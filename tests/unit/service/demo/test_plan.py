"""Seasons count back from goals, capacities follow load."""

from datetime import date, timedelta

import orjson
import pytest
from pydantic import TypeAdapter

from coachboard.models.enums import IntensitySourceKind, ZonesType
from coachboard.models.prescriptions import StructureElement
from coachboard.service.demo.agenda import RACES
from coachboard.service.demo.catalogue import CATALOGUE, workout
from coachboard.service.demo.execution import Outcome, fate_of
from coachboard.service.demo.physiology import Condition
from coachboard.service.demo.practice import PRACTICES
from coachboard.service.demo.prescription import Terms, structure_of, timed
from coachboard.service.demo.races import LEGS
from coachboard.service.demo.season import DISCIPLINES, LOAD, MENUS, Phase, weeks_of
from coachboard.service.demo.squad import SQUAD
from coachboard.service.demo.workouts import unrolled

GOAL = date(2026, 6, 21)
STRUCTURE_ELEMENT = TypeAdapter(StructureElement)


def phase_on(day):
    return next(week.phase for week in weeks_of(day, day, (GOAL,)))


@pytest.mark.parametrize(
    ("weeks_before", "phase"),
    [(20, Phase.BASE), (10, Phase.BUILD), (5, Phase.PEAK), (2, Phase.TAPER), (0, Phase.RACE), (-1, Phase.OFF), (-4, Phase.BASE)],
)  # fmt: skip
def test_phases_count_back_from_the_goal(weeks_before, phase):
    assert phase_on(GOAL - timedelta(weeks=weeks_before)) is phase


def test_every_fourth_week_of_a_build_up_is_easier():
    weeks = weeks_of(date(2025, 11, 3), date(2026, 2, 1), (GOAL,))

    assert all(week.load < 0.7 * LOAD[week.phase] for week in weeks[3::4])


def test_every_menu_names_workouts_and_every_slot_a_menu_and_a_practice():
    for menu in MENUS.values():
        assert all(name in CATALOGUE for names in menu.values() for name in names)
    for discipline, slots in DISCIPLINES.items():
        assert discipline in LEGS
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


def test_unrolled_steps_last_as_long_as_the_workout():
    steps = list(timed(CATALOGUE["30/15"](60).parts, 4.0))

    assert len(steps) == len(list(unrolled(CATALOGUE["30/15"](60).parts))) == 65
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


def test_fates_of_an_unreliable_athlete_are_of_all_kinds():
    athlete = next(each for each in SQUAD if each.key == "mountain biker")
    fates = [fate_of(athlete, at).outcome for at in range(400)]

    assert set(fates) == set(Outcome)
    assert fates.count(Outcome.DONE) / 400 == pytest.approx(athlete.reliability, abs=0.06)


@pytest.mark.parametrize("discipline", [each for each, race in RACES.items() if race.seconds])
def test_a_goal_asks_for_a_race_as_long_as_the_one_that_is_raced(discipline):
    raced_s = sum(leg.minutes for leg in LEGS[discipline]) * 60

    assert RACES[discipline].seconds == pytest.approx(raced_s, rel=0.15)
