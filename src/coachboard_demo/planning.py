"""The plan: workouts in the slots of the weeks, and each as the athlete sees it prescribed."""

from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from functools import lru_cache
from math import inf

from coachboard.models.enums import IntensitySourceKind, Sport, ZonesType
from coachboard.models.prescriptions import TrainingPrescription
from coachboard_demo import remarks
from coachboard_demo.chance import new_id
from coachboard_demo.execution import Fate, Outcome, fate_of
from coachboard_demo.outing import Day, body_of
from coachboard_demo.practice import PRACTICES, Mover, Practice
from coachboard_demo.prescription import FREE_S, Terms, outline_of, structure_of
from coachboard_demo.routes import Ground, Shape
from coachboard_demo.rows import built
from coachboard_demo.season import DISCIPLINES, MENUS, Slot, Week
from coachboard_demo.squad import DemoAthlete
from coachboard_demo.workouts import WorkoutPlan, steps_of, workout


@dataclass(frozen=True, slots=True)
class PlannedSession:
    """One session of the plan."""

    id: str
    day: date
    slot: Slot
    workout: WorkoutPlan
    fate: Fate
    practice: str


_KEY_SLOT = Slot(1, "first", 0.2, "road")
_KEY_MINUTES = 80


def plan_of(
    athlete: DemoAthlete, weeks: list[Week], goals: tuple[date, ...], *, today: date
) -> dict[date, list[PlannedSession]]:
    """The sessions of the plan by their day; on the day of a goal there is nothing but the race."""
    plan: dict[date, list[PlannedSession]] = {}
    for week in _with_block(athlete.lately.load, weeks, today):
        for at, slot in enumerate(DISCIPLINES[athlete.discipline]):
            planned = _planned(athlete, week, slot, at)
            if planned.day not in goals or not athlete.has_plan:
                plan.setdefault(planned.day, []).append(planned)
    if athlete.lately.has_hard_tomorrow:
        tomorrow = today + timedelta(days=1)
        plan[tomorrow] = [_key_session(athlete, tomorrow)]
    if athlete.lately.plan_has_ended:
        plan = {day: sessions for day, sessions in plan.items() if day < today}
    return plan


_BLOCK_DAYS = 10  # how long a block of heavy training has lasted
_EASY_BEFORE = 0.5  # load of the fortnight before it


def _with_block(load: float, weeks: list[Week], today: date) -> list[Week]:
    """The weeks with a block of that load in the last of them, after an easy fortnight."""
    if load == 1.0:
        return weeks
    first = today - timedelta(days=_BLOCK_DAYS)
    found = []
    for week in weeks:
        ends = week.monday + timedelta(days=6)
        if first - timedelta(days=14) <= ends and week.monday <= today:
            found.append(replace(week, load=load if ends >= first else _EASY_BEFORE))
        else:
            found.append(week)
    return found


def _key_session(athlete: DemoAthlete, day: date) -> PlannedSession:
    hard = workout("vo2max", _KEY_MINUTES, _KEY_SLOT.practice)
    return PlannedSession(
        new_id("tpr", athlete.lot, day, "key"), day, _KEY_SLOT, hard, Fate(Outcome.DONE), _KEY_SLOT.practice
    )


def _planned(athlete: DemoAthlete, week: Week, slot: Slot, at: int) -> PlannedSession:
    day = week.monday + timedelta(days=slot.weekday)
    minutes = max(25.0, min(athlete.hours * 60 * slot.share * week.load, _longest_min(slot.practice)))
    minutes = 5 * round(minutes / 5)
    choices = [name for name in MENUS[slot.menu][week.phase] if _suits(workout(name, minutes), slot.practice)]
    name = choices[week.number % len(choices)]
    practice = workout(name, minutes).practice or slot.practice
    found = workout(name, minutes, practice)
    return PlannedSession(
        new_id("tpr", athlete.lot, day, at), day, slot, found, fate_of(athlete, day, at), practice
    )


def _longest_min(practice: str) -> float:
    """Indoor sessions end after an hour or two."""
    kind = PRACTICES[practice]
    return inf if kind.shape is not None else _INDOORS_MIN.get(practice, 120)


_INDOORS_MIN = {"trainer": 90, "treadmill": 75}


def _suits(asked: WorkoutPlan, usual: str) -> bool:
    """A workout may move a session within a sport, or to the gym, and not onto another sport's ground."""
    kind = PRACTICES[usual]
    if kind.mover is not Mover.WHEELS and _asks_for_cadence(asked):
        return False  # 50 turns of the cranks a minute are no strides
    if asked.practice is None:
        return True
    to = PRACTICES[asked.practice]
    # A hand cyclist rides neither in the bunch nor on a trainer.
    return to.mover is Mover.NOTHING or (to.sport is kind.sport and usual != "hand cycle")


@lru_cache(maxsize=8192)
def _asks_for_cadence(asked: WorkoutPlan) -> bool:
    return any(step.cadence for step in steps_of(asked))


def prescribed(
    athlete: DemoAthlete, now: Day, planned: PlannedSession, activity_id: str | None
) -> TrainingPrescription:
    """The plan's session as the athlete sees it."""
    kind = PRACTICES[planned.practice]
    asked, body = planned.workout, body_of(athlete, now, kind.sport)
    # In the steps in which coaches change them: weeks share their structures.
    power_w, speed_mps = 5 * round(body.power_w / 5), round(body.speed_mps, 1)
    quantity = _quantity(athlete, kind.sport)
    terms = Terms(quantity, _kind(athlete, planned), power_w, round(body.hr_max), speed_mps)
    is_structured = kind.mover is not Mover.NOTHING and planned.slot.menu != "gym"
    outline = outline_of(asked, terms.speed_mps)
    seconds = outline.seconds
    by_power = kind.sport is Sport.CYCLING and "power" in athlete.sensors
    watts = round(outline.effort * body.power_w)
    hour = planned.slot.hour
    return built(
        TrainingPrescription,
        id=planned.id,
        date=planned.day,
        time=time(int(hour), int(hour % 1 * 60)) if planned.slot.share < 0.25 else None,
        title=asked.title,
        description=asked.description,
        sport=kind.sport,
        sub_sport=kind.sub_sport,
        training_stimulus=asked.stimulus,
        structure=structure_of(asked, terms) if is_structured else None,
        zones_type=terms.quantity if is_structured else None,
        distance=outline.metres or None,
        duration=seconds,
        free_duration=FREE_S if outline.has_free_length else None,
        elevation_gain=_climb_m(now, kind, seconds) if "long" in planned.slot.menu else None,
        average_power=watts if by_power else None,
        work=round(watts * seconds / 1000) if by_power else None,
        calories=round(watts * seconds / 1000 * 1.04) if by_power else None,
        rpe=asked.rpe,
        carb_intake=60 if seconds > 7_200 else None,
        comment=remarks.comment(athlete, planned.day, planned.fate.outcome, is_done=activity_id is not None),
        activity_id=activity_id,
    )


_CLIMBED_M_AN_HOUR = {Ground.FLAT: 50, Ground.ROLLING: 140, Ground.HILLY: 190, Ground.MOUNTAIN: 250}
"""The squad's own long sessions."""


def _climb_m(now: Day, kind: Practice, seconds: int) -> int | None:
    if kind.shape is not Shape.LOOP:
        return None
    return 10 * round(seconds / 3600 * _CLIMBED_M_AN_HOUR[now.place.ground] / 10)


def _quantity(athlete: DemoAthlete, sport: Sport) -> ZonesType:
    if sport in {Sport.RUNNING, Sport.SWIMMING} and athlete.quantity is ZonesType.POWER:
        return ZonesType.SPEED
    if sport not in {Sport.RUNNING, Sport.SWIMMING} and athlete.quantity is ZonesType.SPEED:
        return ZonesType.HEART_RATE
    return athlete.quantity


def _kind(athlete: DemoAthlete, planned: PlannedSession) -> IntensitySourceKind:
    return IntensitySourceKind.ZONE if planned.slot.menu == "easy" else athlete.kind
