"""Training day by day: sessions are done or not, and their load changes the athlete's abilities of tomorrow."""

from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from coachboard.wire.prescriptions import TrainingPrescription
from coachboard_demo import planning, races
from coachboard_demo.chance import lots, new_id
from coachboard_demo.execution import Fate, Outcome
from coachboard_demo.grid import CELL_S
from coachboard_demo.life import Life
from coachboard_demo.outing import Condition, Day, session_of
from coachboard_demo.people import Size
from coachboard_demo.planning import DISCIPLINES, PlannedSession, prescribed
from coachboard_demo.session import SimulatedSession
from coachboard_demo.squad import DemoAthlete
from coachboard_demo.summary import Caption, Recorded, record
from coachboard_demo.workouts import workout

_USUAL_LOAD_AN_HOUR = 52.0
_PLANNED_AHEAD_DAYS = 38


@dataclass(slots=True)
class Diary:
    """The sessions and plans of one athlete, and the state of each day."""

    recorded: list[Recorded] = field(default_factory=list)
    prescriptions: list[TrainingPrescription] = field(default_factory=list)
    days: list[Day] = field(default_factory=list)
    raced: dict[date, str] = field(default_factory=dict)  # the activity of each race day


@dataclass(slots=True)
class Training:
    """The days of one athlete while they are lived."""

    life: Life
    plan: dict[date, list[PlannedSession]]
    goals: tuple[date, ...]
    size: Size
    diary: Diary = field(default_factory=Diary)
    moved: list[PlannedSession] = field(default_factory=list)  # to the next day
    athlete: DemoAthlete = field(init=False)
    condition: Condition = field(init=False)

    def __post_init__(self) -> None:
        self.athlete = self.life.athlete
        self.condition = Condition.steady(self.athlete.hours * _USUAL_LOAD_AN_HOUR / 7)

    def done(self) -> Diary:
        """Live through the days up to today, then look at the plan ahead."""
        for day in self.life.days():
            self._live(replace(day, form=self.condition.form * day.form))
        self._look_ahead()
        return self.diary

    def _live(self, now: Day) -> None:
        carried, self.moved, load = self.moved, [], 0.0
        todo = self.plan.get(now.day, [])
        is_ill = self.life.is_ill(now.day)
        for each in carried:
            then = replace(now, day=each.day)
            load += (
                self._skip(then, each) if is_ill else self._do(then, each, hour=each.slot.hour - 1.5, on=now)
            )
        for each in todo:
            load += self._skip(now, each) if is_ill else self._meet(now, each)
        load += self._unplanned(now, has_session=bool(todo) and not is_ill)
        load += self._race(now)
        self.condition.take(load)
        self.diary.days.append(replace(now, strain=self.condition.strain))

    def _meet(self, now: Day, each: PlannedSession) -> float:
        """A planned session whose day has come; returns its load."""
        if each.fate.outcome is Outcome.MISSED:
            return self._skip(now, each)
        if each.fate.outcome is Outcome.MOVED and self.athlete.has_plan:
            if now.day == self.size.today:
                return self._skip(now, each)
            self.moved.append(each)
            return 0.0
        return self._do(now, each, hour=each.slot.hour, share=each.fate.share)

    def _skip(self, now: Day, each: PlannedSession) -> float:
        self._prescribe(now, each, None)
        return 0.0

    def _do(
        self, now: Day, each: PlannedSession, *, hour: float, share: float = 1.0, on: Day | None = None
    ) -> float:
        """Do a session, on another day than planned if one is given; returns its load."""
        day = on or now
        session = session_of(self.athlete, day, each.workout, hour=hour, share=share)
        if not self._is_over(session):
            return self._skip(now, each)
        activity_id = new_id("act", self.athlete.lot, day.day, hour, each.workout.practice)
        caption = planning.caption_of(
            activity_id, day, athlete=self.athlete, workout=each.workout, session=session, share=share
        )
        self._prescribe(now, each, activity_id)
        return self._record(session, caption)

    def _record(self, session: SimulatedSession, caption: Caption) -> float:
        self.diary.recorded.append(record(session, caption))
        return self.diary.recorded[-1].activity.volume or 0.0

    def _is_over(self, session: SimulatedSession) -> bool:
        """Whether the session ended before now: in the athlete's zone it may be three in the night."""
        lasted_s = session.cells * CELL_S + sum(gap for _, gap in session.pauses)
        return session.started_s + lasted_s <= self.size.now_s

    def _unplanned(self, now: Day, *, has_session: bool) -> float:
        athlete, lately = self.athlete, self.athlete.lately
        overdoes = lately.runs_every_day and lately.covers(now.day, self.size.today)
        if now.day >= self.size.today or (has_session and not overdoes):
            return 0.0
        drawn, minutes, hour, *_ = lots("unplanned", athlete.lot, now.day)
        if not overdoes and drawn > 0.12 * (1.6 - athlete.reliability):
            return 0.0
        easy, practice = _EASY.get(athlete.discipline, ("endurance", "road"))
        if overdoes:
            easy, practice = "easy run", "run"
        found = replace(workout(easy, 5 * round(10 + 6 * minutes), practice), title="")
        each = PlannedSession("", now.day, DISCIPLINES[athlete.discipline][0], found, Fate(Outcome.DONE))
        return self._do(now, each, hour=round(8 + 11 * hour, 2))

    def _race(self, now: Day) -> float:
        athlete, day = self.athlete, now.day
        is_racing = athlete.has_plan and day in self.goals and day < self.size.today
        if not is_racing or self.life.is_ill(day):
            return 0.0
        legs = list(races.raced(athlete, now, len(self.diary.raced)))
        self.diary.raced[day] = legs[0][1].id
        return sum(self._record(session, caption) for session, caption in legs)

    def _look_ahead(self) -> None:
        for ahead in range(1, _PLANNED_AHEAD_DAYS + 1 if self.diary.days else 0):
            day = self.size.today + timedelta(days=ahead)
            for each in self.plan.get(day, []):
                self._prescribe(replace(self.diary.days[-1], day=day), each, None)

    def _prescribe(self, now: Day, planned: PlannedSession, activity_id: str | None) -> None:
        if now.day >= self.size.today and activity_id is None:
            # A plan of next week said "Storm warning, stayed in."
            planned = replace(planned, fate=Fate(Outcome.DONE))
        if self.athlete.has_plan and planned.id:
            self.diary.prescriptions.append(prescribed(self.athlete, now, planned, activity_id))


_EASY = {
    "road run": ("easy run", "run"), "trail run": ("easy run", "run"), "swim": ("endurance", "walk"),
    "beginner": ("endurance", "walk"), "hand cycle": ("endurance", "hand cycle"),
}  # fmt: skip
"""The workout and practice of a session that nobody planned, by discipline."""
