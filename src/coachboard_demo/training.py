"""Training day by day: the plan is made, sessions are done, load moves what the athlete can do tomorrow."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from coachboard.models.enums import TrainingStimulus
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.service.store import RowKind
from coachboard_demo import race_days, remarks
from coachboard_demo.athlete import Athlete
from coachboard_demo.catalogue import workout
from coachboard_demo.chance import lots, new_id
from coachboard_demo.execution import Fate, Outcome
from coachboard_demo.life import Life
from coachboard_demo.outing import Day, session_of
from coachboard_demo.part import Part
from coachboard_demo.physiology import Condition
from coachboard_demo.planning import Planned, prescribed
from coachboard_demo.race_days import RaceDay
from coachboard_demo.races import expected_s, race_of
from coachboard_demo.recording import Outing, Recorded, record
from coachboard_demo.season import DISCIPLINES
from coachboard_demo.summary import Told
from coachboard_demo.training_load import load_of
from coachboard_demo.workouts import Workout

_USUAL_LOAD_AN_HOUR = 52.0
_PLANNED_AHEAD_DAYS = 38


@dataclass(slots=True)
class Diary:
    """What has come together for one athlete, and how each day went; rows are kept of the days of a part alone."""

    today: date
    part: Part = Part.WHOLE
    outings: list[Outing] = field(default_factory=list)
    race_days: list[RaceDay] = field(default_factory=list)
    recorded: list[Recorded] = field(default_factory=list)
    prescriptions: list[TrainingPrescription] = field(default_factory=list)
    days: list[Day] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)
    strains: list[float] = field(default_factory=list)
    raced: dict[date, str] = field(default_factory=dict)  # the activity of each race day

    def keeps(self, kind: RowKind, day: date) -> bool:
        """Whether such rows of that day are made: what each day brings to the next does not hang on them."""
        return self.part.holds(kind, day, self.today)


def train(
    athlete: Athlete,
    life: Life,
    plan: dict[date, list[Planned]],
    goals: tuple[date, ...],
    *,
    today: date,
    part: Part = Part.WHOLE,
) -> Diary:
    """Live through the days up to today, then look at the plan ahead."""
    condition = Condition.steady(athlete.hours * _USUAL_LOAD_AN_HOUR / 7)
    diary, moved = Diary(today, part), list[Planned]()
    for day in life.days(today):
        now = day.with_body(
            form=condition.form * life.health(day.day), mass_kg=round(day.mass_kg * condition.mass, 1)
        )
        todo, skipped = plan.get(day.day, []), list[Planned]()
        if todo and life.is_away_from_training(day.day):
            todo, skipped = skipped, todo
        load, moved = _live(athlete, now, todo, moved, diary)
        for each in skipped:
            _prescribe(athlete, now, each, None, diary)
        if athlete.has_plan and day.day in goals and day.day < today and not life.is_ill(day.day):
            load += _race(athlete, now, diary)
        condition.take(load)
        diary.days.append(now)
        diary.loads.append(load)
        diary.strains.append(condition.strain)
    _look_ahead(athlete, diary, plan)
    # No day hangs on what was measured on another: all of it is reckoned at last, many sessions at one go.
    if diary.race_days:
        diary.outings += race_days.outings_of(athlete, diary.race_days)
    diary.recorded += record(diary.outings)
    return diary


def _live(
    athlete: Athlete, now: Day, todo: list[Planned], carried: list[Planned], diary: Diary
) -> tuple[float, list[Planned]]:
    load = 0.0
    for each in carried:
        activity_id = _do(athlete, now, each, 1.0, hour=each.slot.hour - 1.5, diary=diary)
        _prescribe(athlete, replace(now, day=each.day), each, activity_id, diary)
        load += load_of(each.workout, each.practice, athlete)
    moved = []
    for each in todo:
        if now.day == diary.today and each.slot.hour > _NOW_HOUR:
            _prescribe(athlete, now, each, None, diary)
        elif each.fate.outcome is Outcome.MOVED and athlete.has_plan:
            moved.append(each)
        elif each.fate.outcome is Outcome.MISSED:
            _prescribe(athlete, now, each, None, diary)
        else:
            activity_id = _do(athlete, now, each, each.fate.share, hour=each.slot.hour, diary=diary)
            _prescribe(athlete, now, each, activity_id, diary)
            load += load_of(each.workout, each.practice, athlete) * each.fate.share
    return load + _unplanned(athlete, now, diary, has_session=bool(todo)), moved


_NOW_HOUR = 9.0
"""Sessions of today that began before nine are done: the demo is alive whenever it is opened."""


def _unplanned(athlete: Athlete, now: Day, diary: Diary, *, has_session: bool) -> float:
    overdoes = athlete.lately.adds_on(now.day, diary.today)
    if now.day >= diary.today or (has_session and not overdoes):
        return 0.0
    drawn, minutes, hour, *_ = lots("unplanned", athlete.lot, now.day)
    if not overdoes and drawn > 0.12 * (1.6 - athlete.reliability):
        return 0.0
    slot = DISCIPLINES[athlete.discipline][0]
    easy, practice = (
        ("easy run", "run")
        if overdoes or athlete.discipline in {"road run", "trail run"}
        else ("endurance", "road")
    )
    if athlete.discipline in {"swim", "beginner"} and not overdoes:
        practice, easy = "walk", "endurance"
    if athlete.discipline == "hand cycle":
        practice = "hand cycle"
    minutes = 10 + 6 * minutes if overdoes else 7 + 11 * minutes
    found = replace(workout(easy, 5 * round(minutes), practice), title="")
    each = Planned("", now.day, slot, found, Fate(Outcome.DONE), practice)
    _do(athlete, now, each, 1.0, hour=round(8 + 11 * hour, 2), diary=diary)
    return load_of(found, practice, athlete)


def _race(athlete: Athlete, now: Day, diary: Diary) -> float:
    """Note the race, which is run with all others at last; gives the load that its legs bring."""
    if diary.keeps(RowKind.ACTIVITIES, now.day):
        diary.race_days.append(RaceDay(now, races_before=len(diary.raced)))
    diary.raced[now.day] = race_days.activity_id(athlete, now)
    legs = [(leg, leg.workout(athlete.goal_name, expected_s(leg, athlete))) for leg in race_of(athlete).legs]
    return sum(load_of(race, leg.practice, athlete) for leg, race in legs)


def _do(athlete: Athlete, now: Day, planned: Planned, share: float, *, hour: float, diary: Diary) -> str:
    """Do a session; gives the id of its activity, which is written where the diary keeps that day."""
    activity_id = new_id("act", athlete.lot, now.day, hour, planned.practice)
    if diary.keeps(RowKind.ACTIVITIES, now.day):
        diary.outings.append(_outing(athlete, now, planned, share, hour=hour, activity_id=activity_id))
    return activity_id


def _outing(
    athlete: Athlete, now: Day, planned: Planned, share: float, *, hour: float, activity_id: str
) -> Outing:
    session = session_of(athlete, now, planned.workout, practice=planned.practice, hour=hour, share=share)
    told = remarks.told(
        Told(id=activity_id, utc_offset_min=now.utc_offset_min(), stimulus=_stimulus(planned.workout, share)),
        athlete=athlete, workout=planned.workout, kind=session.kind, share=share, drained=now.drained,
    )  # fmt: skip
    return Outing(session, told)


def _stimulus(workout: Workout, share: float) -> TrainingStimulus | None:
    # The service sees what intervals were; half a session it judges by what was done.
    return workout.stimulus if share > 0.8 else None


def _look_ahead(athlete: Athlete, diary: Diary, plan: dict[date, list[Planned]]) -> None:
    last = diary.days[-1] if diary.days else None
    if last is None:
        return
    for ahead in range(1, _PLANNED_AHEAD_DAYS + 1):
        day = diary.today + timedelta(days=ahead)
        for each in plan.get(day, []):
            _prescribe(athlete, replace(last, day=day), each, None, diary)


def _prescribe(athlete: Athlete, now: Day, planned: Planned, activity_id: str | None, diary: Diary) -> None:
    if athlete.has_plan and planned.id and diary.keeps(RowKind.PRESCRIPTIONS, now.day):
        diary.prescriptions.append(prescribed(athlete, now, planned, activity_id))


def recorded_days(diary: Diary) -> Iterator[tuple[Day, float, float]]:
    """Each day with its load and strain."""
    return zip(diary.days, diary.loads, diary.strains, strict=True)
