"""The plan: workouts in the slots of the weeks, each as the athlete sees it prescribed, and the texts of athletes and coaches."""

from dataclasses import dataclass, replace
from datetime import date, time, timedelta

from coachboard.wire.enums import IntensitySourceKind, Sport, ZonesType
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard_demo.chance import lots, new_id, pick
from coachboard_demo.execution import FREE_S, Fate, Outcome, Terms, fate_of, outline_of, structure_of
from coachboard_demo.outing import Day, body_of, climbed_m, usual_mps
from coachboard_demo.practice import PRACTICES, Mover
from coachboard_demo.rows import built
from coachboard_demo.season import DISCIPLINES, MENUS, Slot, Week
from coachboard_demo.session import SimulatedSession
from coachboard_demo.squad import DemoAthlete
from coachboard_demo.summary import KCAL_PER_KJ, Caption
from coachboard_demo.workouts import WorkoutPlan, workout

_NOUNS = {
    Sport.CYCLING: "ride", Sport.RUNNING: "run", Sport.SWIMMING: "swim", Sport.TRAINING: "gym", Sport.ROWING: "row",
    Sport.FITNESS_EQUIPMENT: "row", Sport.CROSS_COUNTRY_SKIING: "ski", Sport.WALKING: "walk", Sport.HIKING: "hike",
}  # fmt: skip
_DAY_PARTS = ((11, "Morning"), (14, "Lunch"), (17, "Afternoon"), (24, "Evening"))
"""The hour before which a session has this title on the device that records it."""
_DESCRIPTIONS = (
    "Felt good, kept the lid on.", "Slept badly, felt it from the first minute.",
    "Company from the club, a bit faster than planned.", "Work in the head, got going late.", "Legs heavy until halfway.", "Numbers better than the feeling.",
)  # fmt: skip
_DONE_COMMENTS = (
    "Well executed.",
    "Good pacing on the last one.",
    "Easy days easy, please.",
    "Numbers as expected.",
)
_MISSED_COMMENTS = ("Work ran late.", "Sick child, no way.", "Storm warning, stayed in.")
_WHOLE = 0.8  # share of a session


def caption_of(
    activity_id: str,
    day: Day,
    *,
    athlete: DemoAthlete,
    workout: WorkoutPlan,
    session: SimulatedSession,
    share: float,
) -> Caption:
    """The words and ratings of a session."""
    by_device = device_title(session.kind.sport, (session.started_s // 60 + day.utc_offset_min()) // 60 % 24)
    drawn = lots("remarks", athlete.lot, activity_id)
    strained = 1 if drawn[0] > 0.8 else 0
    is_rated = drawn[1] < 0.7 or day.drained > 0  # an athlete who feels weak says so
    feeling = round(3.6 - strained * 1.4 + drawn[4] * 1.2 - (0.8 if share < _WHOLE else 0) - day.drained)
    return Caption(
        id=activity_id,
        utc_offset_min=day.utc_offset_min(),
        stimulus=workout.stimulus,
        name=workout.title if workout.title and drawn[2] < 0.75 else by_device,
        description=pick(_DESCRIPTIONS, drawn[3]) if drawn[2] < 0.16 else None,
        rpe=min(10, max(1, workout.rpe + strained)) if is_rated else None,
        feeling=min(5, max(1, feeling)) if is_rated else None,
        summary=summary(workout, by_device, share) if drawn[0] < 0.35 else None,
    )


def device_title(sport: Sport, hour: int) -> str:
    """`Morning ride`, from the local hour of the start."""
    return f"{next(part for before, part in _DAY_PARTS if hour < before)} {_NOUNS.get(sport, 'session')}"


def summary(workout: WorkoutPlan, by_device: str, share: float) -> str:
    what = workout.title or by_device
    if share < _WHOLE:
        # No percentage: 51 % of the elapsed time contradicted the page's 50 % of the moving time.
        return f"{what}, ended early."
    return f"{what}, completed. Effort stayed within the planned range for most of the session."


def comment(athlete: DemoAthlete, day: date, outcome: Outcome, *, is_done: bool) -> str | None:
    """The comment of the coach or the athlete under a planned session; most have none."""
    drawn, which, *_ = lots("comment", athlete.lot, day)
    if drawn > 0.3:
        return None
    if outcome is Outcome.MISSED and not is_done:
        return pick(_MISSED_COMMENTS, which)
    return pick(_DONE_COMMENTS, which) if is_done else None


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
        comment=comment(athlete, planned.day, planned.fate.outcome, is_done=activity_id is not None),
        activity_id=activity_id,
    )


def _quantity(athlete: DemoAthlete, sport: Sport) -> ZonesType:
    """The athlete's, if the sport has it: speed on foot and in the water, never power there."""
    has_speed = sport in {Sport.RUNNING, Sport.SWIMMING}
    if athlete.quantity is ZonesType.POWER and has_speed:
        return ZonesType.SPEED
    return ZonesType.HEART_RATE if athlete.quantity is ZonesType.SPEED and not has_speed else athlete.quantity
