"""Events around training: illness, travel, weight; and the calendar besides workouts: events with targets, notes."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from itertools import cycle

from coachboard.service.store import NewNote
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.plans import Event, Note
from coachboard_demo.chance import chance, new_id
from coachboard_demo.grid import CELL_S
from coachboard_demo.outing import Day, climbed_m, offset_min
from coachboard_demo.practice import PRACTICES
from coachboard_demo.races import Race, expected_s, race_of
from coachboard_demo.routes import Place
from coachboard_demo.rows import built
from coachboard_demo.squad import AS_USUAL, BOULDER, GIRONA, NAIROBI, DemoAthlete, Lately

_CAMPS = (GIRONA, BOULDER, NAIROBI)
_JET_LAG_MIN, _LOST_TO_JET_LAG_H = 120, 1.3


@dataclass(frozen=True, slots=True)
class Life:
    """One athlete's life from the first to the last day of their data."""

    athlete: DemoAthlete
    first: date
    today: date
    illness: tuple[date, date] | None = None  # first and last day
    away: Mapping[date, Place] = field(default_factory=dict)

    def days(self) -> Iterator[Day]:
        """Each day of the data."""
        last = self.today - timedelta(days=self.athlete.until_days)
        day = self.first
        while day <= last:
            lately = self.athlete.lately if Lately.covers(day, self.today) else AS_USUAL
            yield Day(
                day,
                self._health(day),
                self.place(day),
                self.mass_kg(day),
                drained=lately.drained,
                sleep_lost_h=lately.sleep_lost_h + _LOST_TO_JET_LAG_H * self._has_jet_lag(day),
            )
            day += timedelta(days=1)

    def place(self, day: date) -> Place:
        """Where the athlete is."""
        return self.away.get(day, self.athlete.place)

    def mass_kg(self, day: date) -> float:
        """Weight goes up in winter and down for the races, by a kilogram or so."""
        year = math.cos((day.timetuple().tm_yday - 15) / 365.25 * 2 * math.pi)
        week = math.sin(day.toordinal() / 9.0)
        return round(self.athlete.mass_kg * (1 + 0.014 * year + 0.003 * week), 1)

    def is_ill(self, day: date) -> bool:
        """Whether the illness covers the day."""
        return self._days_since_illness(day) <= 0

    def _health(self, day: date) -> float:
        """Capacity left by the illness, coming back within three weeks."""
        return 1 - 0.09 * math.exp(-max(0, self._days_since_illness(day)) / 9)

    def _days_since_illness(self, day: date) -> float:
        """Days since the last day of the illness: not above 0 while it lasts."""
        if self.illness is None or day < self.illness[0]:
            return math.inf
        return (day - self.illness[1]).days

    def _has_jet_lag(self, day: date) -> bool:
        """Whether the athlete has crossed time zones within the last four days."""
        then = day - timedelta(days=4)
        here, there = offset_min(self.place(day).zone, day), offset_min(self.place(then).zone, then)
        return abs(here - there) >= _JET_LAG_MIN


def life_of(athlete: DemoAthlete, first: date, today: date) -> Life:
    """The athlete's life: travel at random, and one illness some months ago, or lately for one athlete."""
    ago, days = int(chance("illness", athlete.lot).integers(55, 150)), 4
    if athlete.key == "comeback":
        ago, days = 17, 11
    illness = (today - timedelta(days=ago), today - timedelta(days=ago - days))
    return Life(athlete, first, today, illness, _travel(athlete, first, today))


def _travel(athlete: DemoAthlete, first: date, today: date) -> dict[date, Place]:
    """Each day away, with its place."""
    rng = chance("travel", athlete.lot)
    often = 45 if athlete.key == "short course" else 190
    away: dict[date, Place] = {}
    day = first
    while day < today:
        day += timedelta(days=round(often * float(rng.uniform(0.6, 1.5))))
        camp = _CAMPS[int(rng.integers(len(_CAMPS)))]
        for at in range(int(rng.integers(6, 16)) + 1):
            away.setdefault(day + timedelta(days=at), camp)
        day += timedelta(days=20)
    return away


def events_of(athlete: DemoAthlete, goals: tuple[date, ...], raced: dict[date, str]) -> Iterator[Event]:
    """The goals of the plan as events, past goals paired with their races."""
    if not athlete.has_plan:
        return
    race = race_of(athlete)
    targets = _targets(race, athlete)
    for at, day in enumerate(goals):
        is_described = at % 2 == 0
        yield built(
            Event,
            id=new_id("evt", athlete.lot, day),
            name=f"{athlete.goal_name} ({'A' if is_described else 'B'} race)",
            description="Main goal of the season. Arrive two days before." if is_described else None,
            date=day,
            time=time(9, 30) if is_described else None,
            sport=race.sport,
            sub_sport=race.sub_sport,
            distance=race.metres,
            carb_intake=race.carbs,
            activity_id=raced.get(day),
            **targets,
        )


def _targets(race: Race, athlete: DemoAthlete) -> dict[str, int | None]:
    """The coach's targets: the time that the efforts should take, the climb of such ground, the work of a ride."""
    seconds = sum(expected_s(leg, athlete) for leg in race.legs)
    climbs = [climbed_m(PRACTICES[leg.practice], athlete.place, leg.metres) for leg in race.legs]
    is_ride = race.sport is Sport.CYCLING and "power" in athlete.sensors
    work_kj = race.legs[0].effort * athlete.power_w * seconds / 1000
    return {
        "duration": CELL_S * round(seconds / CELL_S),
        "elevation_gain": sum(filter(None, climbs)) or None,
        "work": 10 * round(work_kj / 10) if is_ride else None,
    }


_NOTES: dict[NoteType, tuple[tuple[str, str | None], ...]] = {
    NoteType.REST_DAY: (("Rest day", None), ("Rest, really", "No garden work either.")),
    NoteType.AVAILABILITY: (("Travelling for work", "Only mornings until Thursday."), ("Exams", None)),
    NoteType.TRAINING: (("Focus of this block", "Even efforts, the last repetition the best."), ("Next test", "In the easy week, rested.")),
    NoteType.MEDICAL: (("Tight calf", "Physio on Wednesday, no hills until then."), ("Blood test", "Ferritin 42.")),
    NoteType.NUTRITION: (("Practise race fuelling", "80 g/h, the bottles of race day."), ("Iron", None)),
    NoteType.MENTAL: (("Race week nerves", "Write the plan down, then leave it."), ("Motivation low", "Talked on the phone.")),
    NoteType.OTHER: (("Club evening", "Bring cake."), ("Birthday", None)),
}  # fmt: skip

_OF_THE_PAST = frozenset({NoteType.MEDICAL, NoteType.MENTAL})
"""Nobody notes a tight calf or a low mood of next week."""


def notes_of(life: Life, *, coach_id: str, user_id: str) -> Iterator[NewNote]:
    """Notes every ten days or so by athlete or coach, some hidden until a day."""
    athlete, today = life.athlete, life.today
    rng = chance("notes", athlete.lot)
    kinds, day = cycle(NoteType), life.first + timedelta(days=3)
    while day <= today + timedelta(days=21):
        kind = next(kinds)
        title, content = _NOTES[kind][int(rng.integers(len(_NOTES[kind])))]
        creator = coach_id if rng.random() < 0.6 and athlete.has_plan else user_id
        if day <= today or kind not in _OF_THE_PAST:
            yield NewNote(_note(athlete, day, kind, title, content), creator, None)
        day += timedelta(days=int(rng.integers(5, 17)))
    if life.illness and life.illness[0] >= life.first:
        text = "Fever, no training until it is gone."
        yield NewNote(_note(athlete, life.illness[0], NoteType.MEDICAL, "Sick", text), user_id)
    if athlete.lately.medical_note:
        title, content = athlete.lately.medical_note
        yesterday = today - timedelta(days=1)
        yield NewNote(_note(athlete, yesterday, NoteType.MEDICAL, title, content), user_id, None)
    if athlete.has_plan:
        ahead = today + timedelta(days=12)
        text = "Decided after the next test; not to be shown before."
        yield NewNote(_note(athlete, ahead, NoteType.TRAINING, "Camp selection", text), coach_id, ahead)


def _note(athlete: DemoAthlete, day: date, kind: NoteType, title: str, content: str | None) -> Note:
    return Note.model_construct(
        id=new_id("not", athlete.lot, day, kind, title),
        type=kind, title=title, content=content, date=day, time=time(7, 45) if day.day % 3 == 0 else None,
    )  # fmt: skip
