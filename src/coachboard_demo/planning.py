"""The plan: phases that count back from goals, weeks that load and unload, workouts in their slots, and the texts of people."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from enum import StrEnum

from coachboard.wire.enums import IntensitySourceKind, Sport, ZonesType
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard_demo.chance import lots, new_id, pick
from coachboard_demo.execution import FREE_S, Fate, Outcome, Terms, fate_of, outline_of, structure_of
from coachboard_demo.outing import Day, body_of, climbed_m, usual_mps
from coachboard_demo.practice import PRACTICES, Mover
from coachboard_demo.rows import built
from coachboard_demo.session import SimulatedSession
from coachboard_demo.squad import DemoAthlete
from coachboard_demo.summary import KCAL_PER_KJ, Caption
from coachboard_demo.workouts import WorkoutPlan, workout


class SeasonPhase(StrEnum):
    """Periods of a plan (Bompa; Issurin)."""

    BASE = "base"
    BUILD = "build"
    PEAK = "peak"
    TAPER = "taper"
    RACE = "race"
    OFF = "off"


# Weeks before a goal at which each phase ends, and its load against the year's usual week.
_UNTIL_WEEKS = ((1, SeasonPhase.RACE), (3, SeasonPhase.TAPER), (6, SeasonPhase.PEAK), (13, SeasonPhase.BUILD))
LOAD = {
    SeasonPhase.BASE: 0.95,
    SeasonPhase.BUILD: 1.1,
    SeasonPhase.PEAK: 1.05,
    SeasonPhase.TAPER: 0.65,
    SeasonPhase.RACE: 0.6,
    SeasonPhase.OFF: 0.4,
}
_WAVE = (0.92, 1.0, 1.1, 0.65)  # three weeks up, one to recover
_OFF_WEEKS = 2


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in the week: which day, which menu, what share of the week's time, on what."""

    weekday: int
    menu: str
    share: float
    practice: str
    hour: float = 17.5


_Menu = Mapping[SeasonPhase, tuple[str, ...]]


def _menu(base: str, build: str, peak: str, *, race: str = "openers", off: str = "recovery") -> _Menu:
    return {
        SeasonPhase.BASE: tuple(base.split(", ")), SeasonPhase.BUILD: tuple(build.split(", ")),
        SeasonPhase.PEAK: tuple(peak.split(", ")), SeasonPhase.TAPER: (peak.split(", ", maxsplit=1)[0], race),
        SeasonPhase.RACE: (race,), SeasonPhase.OFF: (off,),
    }  # fmt: skip


MENUS: Mapping[str, _Menu] = {
    "first": _menu("tempo, low cadence, sweet spot, test", "threshold, over-unders, vo2max, threshold", "vo2max, 30/15, anaerobic"),
    "second": _menu("endurance, sweet spot, progressive, endurance", "sweet spot, 30/15, anaerobic, sprints", "over-unders, sprints, threshold"),
    "easy": _menu("endurance, by feel, endurance", "endurance, recovery, endurance", "recovery, endurance", race="recovery"),
    "long": _menu("long", "long, group", "group, long", race="endurance", off="endurance"),
    "long alone": _menu("long", "long", "long", race="endurance", off="endurance"),
    "ski first": _menu("tempo, sweet spot, test", "threshold, over-unders, vo2max, threshold", "vo2max, 30/15, anaerobic"),
    "run easy": _menu("easy run, strides", "easy run, strides", "easy run, strides", race="strides", off="easy run"),
    "run first": _menu("run tempo, hills, easy run", "run reps, run tempo, hills", "run reps, run short", race="strides", off="easy run"),
    "run second": _menu("hills, strides", "run tempo, run short", "run short, run tempo", race="easy run", off="easy run"),
    "run long": _menu("long run", "long run", "long run", race="easy run", off="easy run"),
    "swim first": _menu("swim endurance, css, technique", "css, swim sprints, medley", "swim sprints, css", race="technique", off="technique"),
    "swim second": _menu("technique, medley", "swim endurance, technique", "technique, css", race="technique", off="technique"),
    "row": _menu("endurance, row pieces", "row pieces, threshold", "vo2max, row pieces", race="endurance", off="recovery"),
    "gym": _menu("gym", "gym", "mobility", race="mobility", off="mobility"),
}  # fmt: skip

DISCIPLINES: Mapping[str, tuple[Slot, ...]] = {
    "road": (
        Slot(1, "first", 0.16, "road"), Slot(2, "easy", 0.17, "road"), Slot(3, "second", 0.16, "trainer"),
        Slot(4, "easy", 0.1, "road"), Slot(5, "long", 0.3, "road", 9.0), Slot(6, "easy", 0.21, "road", 9.5),
        Slot(0, "gym", 0.07, "strength", 18.5),
    ),
    "time trial": (
        Slot(1, "first", 0.2, "time trial"), Slot(3, "second", 0.2, "trainer"), Slot(4, "easy", 0.15, "road"),
        Slot(5, "long", 0.3, "road", 9.0), Slot(6, "easy", 0.15, "time trial", 10.0),
    ),
    "mountain bike": (
        Slot(1, "first", 0.2, "road"), Slot(3, "second", 0.2, "trainer"), Slot(5, "long", 0.33, "mountain bike", 10.0),
        Slot(6, "easy", 0.27, "gravel", 10.0),
    ),
    "track": (
        Slot(0, "gym", 0.12, "strength", 10.0), Slot(1, "second", 0.2, "velodrome"), Slot(3, "first", 0.2, "velodrome"),
        Slot(4, "gym", 0.12, "strength", 10.0), Slot(5, "long", 0.3, "road", 9.0),
    ),
    "hand cycle": (
        Slot(1, "first", 0.22, "hand cycle"), Slot(3, "second", 0.2, "hand cycle"), Slot(4, "gym", 0.12, "strength"),
        Slot(6, "long alone", 0.35, "hand cycle", 10.0),
    ),
    "road run": (
        Slot(0, "run easy", 0.13, "run", 7.0), Slot(1, "run first", 0.17, "run"), Slot(2, "run easy", 0.13, "run", 7.0),
        Slot(3, "run second", 0.16, "treadmill"), Slot(5, "run easy", 0.12, "run", 8.0), Slot(6, "run long", 0.3, "run", 8.0),
        Slot(4, "gym", 0.08, "strength", 18.0),
    ),
    "trail run": (
        Slot(1, "run first", 0.16, "run"), Slot(2, "run easy", 0.14, "trail"), Slot(3, "run second", 0.15, "trail"),
        Slot(5, "run long", 0.38, "trail", 7.5), Slot(6, "easy", 0.17, "hike", 9.0),
    ),
    "triathlon": (
        Slot(0, "swim first", 0.09, "pool", 6.5), Slot(1, "first", 0.13, "trainer"), Slot(2, "run first", 0.1, "run"),
        Slot(3, "swim second", 0.09, "pool", 6.5), Slot(3, "easy", 0.11, "road"), Slot(4, "run easy", 0.07, "run", 12.2),
        Slot(5, "long", 0.25, "road", 8.5), Slot(6, "run long", 0.16, "run", 9.0),
    ),
    "swim": (
        Slot(0, "swim first", 0.2, "pool", 5.75), Slot(1, "swim second", 0.18, "pool", 5.75), Slot(2, "gym", 0.1, "strength"),
        Slot(3, "swim first", 0.2, "pool", 5.75), Slot(4, "swim second", 0.16, "pool", 5.75), Slot(5, "swim first", 0.2, "pool", 8.0),
    ),
    "rowing": (
        Slot(1, "row", 0.2, "rowing machine", 6.5), Slot(2, "gym", 0.12, "strength"), Slot(3, "row", 0.2, "rowing machine", 6.5),
        Slot(5, "row", 0.28, "water rowing", 8.0), Slot(6, "easy", 0.2, "water rowing", 9.0),
    ),
    "skiing": (
        Slot(1, "ski first", 0.2, "skating", 16.0), Slot(2, "run easy", 0.12, "run"), Slot(3, "second", 0.18, "skating", 16.0),
        Slot(5, "long alone", 0.3, "skating", 9.5), Slot(6, "run long", 0.2, "trail", 10.0),
    ),
    "beginner": (
        Slot(1, "run easy", 0.25, "run", 18.5), Slot(3, "easy", 0.2, "walk", 18.5), Slot(5, "run easy", 0.3, "run", 9.5),
        Slot(6, "gym", 0.15, "yoga", 10.0),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Week:
    """One week of the plan."""

    monday: date
    phase: SeasonPhase
    load: float  # against the usual week
    number: int


def weeks_of(first: date, last: date, goals: tuple[date, ...]) -> list[Week]:
    """The weeks that touch the span, each in its phase."""
    monday = first - timedelta(days=first.weekday())
    found: list[Week] = []
    while monday <= last:
        phase = _phase(monday, goals)
        wave = _WAVE[len(found) % 4] if phase in {SeasonPhase.BASE, SeasonPhase.BUILD} else 1.0
        found.append(Week(monday, phase, LOAD[phase] * wave, len(found)))
        monday += timedelta(days=7)
    return found


def _phase(monday: date, goals: tuple[date, ...]) -> SeasonPhase:
    since = min((monday - goal for goal in goals if goal < monday), default=None)
    if since is not None and since.days < 7 * _OFF_WEEKS:
        return SeasonPhase.OFF
    until = min(((goal - monday).days for goal in goals if goal >= monday), default=999) / 7
    return next((phase for weeks, phase in _UNTIL_WEEKS if until < weeks), SeasonPhase.BASE)


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
