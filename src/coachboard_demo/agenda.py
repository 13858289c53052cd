"""The calendar besides workouts: events with targets, notes of all kinds, some hidden until a day."""

from collections.abc import Iterator
from datetime import date, time, timedelta
from itertools import cycle

from coachboard.service.store import NewNote
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.plans import Event, Note
from coachboard_demo.chance import chance, new_id
from coachboard_demo.grid import CELL_S
from coachboard_demo.life import Life
from coachboard_demo.outing import climbed_m
from coachboard_demo.practice import PRACTICES
from coachboard_demo.races import Race, expected_s, race_of
from coachboard_demo.rows import built
from coachboard_demo.squad import DemoAthlete


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
