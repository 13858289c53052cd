"""The plan: workouts in the slots of the weeks, and each as the athlete sees it prescribed."""

from dataclasses import dataclass, replace
from datetime import date, time, timedelta

from coachboard.wire.enums import IntensitySourceKind, Sport, ZonesType
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard_demo import remarks
from coachboard_demo.chance import new_id
from coachboard_demo.execution import Fate, Outcome, fate_of
from coachboard_demo.outing import Day, body_of, climbed_m, usual_mps
from coachboard_demo.practice import PRACTICES, Mover
from coachboard_demo.prescription import FREE_S, Terms, outline_of, structure_of
from coachboard_demo.rows import built
from coachboard_demo.season import DISCIPLINES, MENUS, Slot, Week
from coachboard_demo.squad import DemoAthlete
from coachboard_demo.summary import KCAL_PER_KJ
from coachboard_demo.workouts import WorkoutPlan, workout


@dataclass(frozen=True, slots=True)
class PlannedSession:
    """One session of the plan."""

    id: str
    day: date
    slot: Slot
    workout: WorkoutPlan
    fate: Fate


_KEY_SLOT = Slot(1, "first", 0.2, "road")


def plan_of(
    athlete: DemoAthlete, weeks: list[Week], goals: tuple[date, ...], *, today: date
) -> dict[date, list[PlannedSession]]:
    """The sessions of the plan by their day; on the day of a goal there is nothing but the race."""
    plan: dict[date, list[PlannedSession]] = {}
    for week in weeks:
        load = _load(week, athlete.lately.load, today)
        for at, slot in enumerate(DISCIPLINES[athlete.discipline]):
            planned = _planned(athlete, replace(week, load=load), slot, at)
            if planned.day not in goals or not athlete.has_plan:
                plan.setdefault(planned.day, []).append(planned)
    if athlete.lately.has_hard_tomorrow:
        day, hard = today + timedelta(days=1), workout("vo2max", 80, _KEY_SLOT.practice)
        plan[day] = [
            PlannedSession(new_id("tpr", athlete.lot, day, "key"), day, _KEY_SLOT, hard, Fate(Outcome.DONE))
        ]
    if athlete.lately.plan_has_ended:
        plan = {day: sessions for day, sessions in plan.items() if day < today}
    return plan


_BLOCK_DAYS = 10  # how long a block of heavy training has lasted
_EASY_BEFORE = 0.5  # load of the fortnight before it


def _load(week: Week, of_block: float, today: date) -> float:
    """The load of the week, with a block in the last of them after an easy fortnight, if the load of a block is not 1."""
    begun, ends = today - timedelta(days=_BLOCK_DAYS), week.monday + timedelta(days=6)
    if of_block == 1.0 or week.monday > today or ends < begun - timedelta(days=14):
        return week.load
    return of_block if ends >= begun else _EASY_BEFORE


def _planned(athlete: DemoAthlete, week: Week, slot: Slot, at: int) -> PlannedSession:
    day = week.monday + timedelta(days=slot.weekday)
    minutes = min(athlete.hours * 60 * slot.share * week.load, PRACTICES[slot.practice].longest_min)
    choices = MENUS[slot.menu][week.phase]
    found = workout(choices[week.number % len(choices)], 5 * round(max(25.0, minutes) / 5), slot.practice)
    return PlannedSession(new_id("tpr", athlete.lot, day, at), day, slot, found, fate_of(athlete, day, at))


def prescribed(
    athlete: DemoAthlete, now: Day, planned: PlannedSession, activity_id: str | None
) -> TrainingPrescription:
    """The plan's session as the athlete sees it."""
    kind = PRACTICES[planned.workout.practice]
    asked, body = planned.workout, body_of(athlete, now, kind.sport)
    # In the steps in which coaches change them: weeks share their structures.
    power_w, speed_mps = 5 * round(body.power_w / 5), round(body.speed_mps, 1)
    written = IntensitySourceKind.ZONE if planned.slot.menu == "easy" else athlete.kind
    terms = Terms(_quantity(athlete, kind.sport), written, power_w, round(body.hr_max), speed_mps)
    is_structured = kind.mover is not Mover.NOTHING and planned.slot.menu != "gym"
    outline = outline_of(asked, terms.speed_mps)
    seconds = outline.seconds
    by_power = kind.sport is Sport.CYCLING and "power" in athlete.sensors
    watts = round(outline.effort * body.power_w)
    work_kj = watts * seconds / 1000
    reach_m = seconds * usual_mps(kind, outline.effort, power_w=body.power_w, speed_mps=body.speed_mps)
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
        elevation_gain=climbed_m(kind, now.place, reach_m) if "long" in planned.slot.menu else None,
        average_power=watts if by_power else None,
        work=round(work_kj) if by_power else None,
        calories=round(work_kj * KCAL_PER_KJ) if by_power else None,
        rpe=asked.rpe,
        carb_intake=60 if seconds > 7_200 else None,
        comment=remarks.comment(athlete, planned.day, planned.fate.outcome, is_done=activity_id is not None),
        activity_id=activity_id,
    )


def _quantity(athlete: DemoAthlete, sport: Sport) -> ZonesType:
    """The athlete's, if the sport has it: speed on foot and in the water, never power there."""
    has_speed = sport in {Sport.RUNNING, Sport.SWIMMING}
    if athlete.quantity is ZonesType.POWER and has_speed:
        return ZonesType.SPEED
    return ZonesType.HEART_RATE if athlete.quantity is ZonesType.SPEED and not has_speed else athlete.quantity
