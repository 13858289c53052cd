"""The calendar besides workouts: events with targets, notes of all kinds, some hidden until a day."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time, timedelta

from coachboard.models.enums import NoteType, Sport, SubSport
from coachboard.models.plans import Event, Note
from coachboard.service.demo.athlete import Athlete
from coachboard.service.demo.chance import chance, new_id
from coachboard.service.demo.life import Life
from coachboard.service.store import NewNote

_AHEAD_DAYS = 200


@dataclass(frozen=True, slots=True)
class Race:
    """What a discipline races."""

    sport: Sport
    sub_sport: SubSport | None
    distance_m: int | None
    climb_m: int | None
    seconds: int | None
    work_kj: int | None
    carbs: int | None


RACES = {
    "road": Race(Sport.CYCLING, SubSport.ROAD, 128_000, 1850, 12_600, 2900, 90),
    "time trial": Race(Sport.CYCLING, SubSport.TIME_TRIAL, 27_500, 210, 2_280, 760, None),
    "mountain bike": Race(Sport.CYCLING, SubSport.MOUNTAIN, 26_000, 1100, 5_400, 1500, 80),
    "track": Race(Sport.CYCLING, SubSport.TRACK_CYCLING, 4_000, None, 270, None, None),
    "hand cycle": Race(Sport.CYCLING, SubSport.HAND_CYCLING, 48_000, 260, 5_700, 620, 60),
    "road run": Race(Sport.RUNNING, SubSport.STREET, 42_195, 180, 9_600, None, 75),
    "trail run": Race(Sport.RUNNING, SubSport.ULTRA, 55_000, 700, 25_200, None, 60),
    "triathlon": Race(Sport.MULTISPORT, SubSport.TRIATHLON, 113_000, 1200, 18_000, None, 85),
    "swim": Race(Sport.SWIMMING, SubSport.OPEN_WATER, 2_000, None, 1_500, None, None),
    "rowing": Race(Sport.FITNESS_EQUIPMENT, SubSport.INDOOR_ROWING, 2_000, None, 378, None, None),
    "skiing": Race(Sport.CROSS_COUNTRY_SKIING, SubSport.SKATE_SKIING, 42_000, 620, 7_500, None, 60),
    "beginner": Race(Sport.RUNNING, None, 10_000, None, None, None, None),
}


def event_id(athlete: Athlete, day: date) -> str:
    """The id of the athlete's event on that day."""
    return new_id("evt", athlete.lot, day)


def events_of(
    athlete: Athlete, goals: tuple[date, ...], today: date, raced: dict[date, str]
) -> Iterator[Event]:
    """The goals of the plan as events, those behind paired with what was raced."""
    race = RACES[athlete.discipline]
    if not athlete.has_plan:
        return
    for at, day in enumerate(goal for goal in goals if goal <= today + timedelta(days=_AHEAD_DAYS)):
        told = at % 2 == 0
        yield Event.model_construct(
            id=event_id(athlete, day),
            name=athlete.goal_name,
            description="Main goal of the season. Arrive two days before." if told else None,
            date=day,
            time=time(9, 30) if told else None,
            sport=race.sport,
            sub_sport=race.sub_sport,
            distance=race.distance_m,
            elevation_gain=race.climb_m,
            duration=race.seconds,
            work=race.work_kj,
            carb_intake=race.carbs,
            activity_id=raced.get(day),
        )


_NOTES: dict[NoteType, tuple[tuple[str, str | None], ...]] = {
    NoteType.REST_DAY: (("Rest day", None), ("Rest, really", "No garden work either.")),
    NoteType.AVAILABILITY: (("Travelling for work", "Only mornings until Thursday."), ("Exams", None)),
    NoteType.TRAINING: (("Focus of this block", "Long climbs at threshold, cadence 75 to 85."), ("Check saddle height", "Two millimetres up.")),
    NoteType.MEDICAL: (("Tight calf", "Physio on Wednesday, no hills until then."), ("Blood test", "Ferritin 42.")),
    NoteType.NUTRITION: (("Practise race fuelling", "80 g/h, the bottles of race day."), ("Iron", None)),
    NoteType.MENTAL: (("Race week nerves", "Write the plan down, then leave it."), ("Motivation low", "Talked on the phone.")),
    NoteType.OTHER: (("New bike", "Cranks 170 mm."), ("Birthday", None)),
}  # fmt: skip


def notes_of(life: Life, *, coach_id: str, user_id: str) -> Iterator[NewNote]:
    """Notes every ten days or so by either of the two, and what the coach keeps back for later."""
    athlete, today = life.athlete, life.today
    rng = chance("notes", athlete.lot)
    kinds, day = list(NoteType), life.first + timedelta(days=3)
    at = 0
    while day <= today + timedelta(days=21):
        choices = _NOTES[kinds[at % len(kinds)]]
        title, content = choices[int(rng.integers(len(choices)))]
        creator = coach_id if rng.random() < 0.6 and athlete.has_plan else user_id
        yield NewNote(_note(athlete, day, kinds[at % len(kinds)], title, content), creator, None)
        day += timedelta(days=int(rng.integers(5, 17)))
        at += 1
    for spell in life.illness:
        yield NewNote(
            _note(athlete, spell.first, NoteType.MEDICAL, "Sick", "Fever, no training until it is gone."),
            user_id,
        )
    if athlete.lately.medical_note:
        title, content = athlete.lately.medical_note
        yield NewNote(
            _note(athlete, today - timedelta(days=1), NoteType.MEDICAL, title, content), user_id, None
        )
    if athlete.has_plan:
        ahead = today + timedelta(days=12)
        note = _note(
            athlete,
            ahead,
            NoteType.TRAINING,
            "Camp selection",
            "Decided after the next test; not to be shown before.",
        )
        yield NewNote(note, coach_id, ahead)


def _note(athlete: Athlete, day: date, kind: NoteType, title: str, content: str | None) -> Note:
    return Note.model_construct(
        id=new_id("not", athlete.lot, day, kind, title),
        type=kind, title=title, content=content, date=day, time=time(7, 45) if day.day % 3 == 0 else None,
    )  # fmt: skip
