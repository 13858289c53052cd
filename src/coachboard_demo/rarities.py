"""Rare values: one athlete has each value and each missing field that ordinary training does not bring."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, time, timedelta
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args

from coachboard.wire.activities import Activity, Climb, Lap, Length, ProviderLap
from coachboard.wire.base import Wire, wire_names
from coachboard.wire.body import Metric
from coachboard.wire.enums import (
    MetricSource,
    MetricSport,
    NoteType,
    RaceType,
    Sport,
    StepLabel,
    StrokeType,
    SubSport,
    TrainingStimulus,
)
from coachboard.wire.metrics import MetricType, MetricUnit
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard_demo.chance import new_id, pick
from coachboard_demo.outing import Day, session_of, swum
from coachboard_demo.rows import Part, built
from coachboard_demo.session import SensorFault, SimulatedSession, Swum
from coachboard_demo.squad import EVERYTHING, DemoAthlete
from coachboard_demo.summary import Caption, Recorded, record
from coachboard_demo.training import Diary
from coachboard_demo.workouts import Step, WorkoutPlan, on

TITLES = (
    '<script>alert("title")</script>', '=HYPERLINK("http://example.test","open")', "Ride with cake 🚴🧁", "**bold** [link](http://example.test)",
    "$x^2$ :red[text]", "-1+1", "@SUM(A1:A9)", "رحلة طويلة", "長距離", "Line one\nline two", "A title that goes on and on " * 6, "   ",
)  # fmt: skip
_EVERY_DAYS = 4
_MINUTES = 25

_Row = TypeVar("_Row", bound=Wire)


def add_rarities(athlete: DemoAthlete, diary: Diary, today: date) -> None:
    """Add the rare sessions to the ordinary ones, spread over the diary's days."""
    days = [day for day in diary.days if day.day < today]
    for at, sub in enumerate(SubSport):
        day = days[-1 - (at * _EVERY_DAYS) % len(days)]
        diary.recorded.append(_rare(athlete, day, pick(list(Sport), at % len(Sport) / len(Sport)), sub, at))
    for name, session, day in _specials(athlete, days):
        caption = Caption(
            id=new_id("act", athlete.lot, name), utc_offset_min=day.utc_offset_min(), name=name.capitalize()
        )
        recorded = record(session, caption)
        diary.recorded += [recorded, _bare(athlete, name, recorded.activity)]
    diary.prescriptions.extend(_prescriptions(athlete, diary.prescriptions, today))


def _rare(athlete: DemoAthlete, day: Day, sport: Sport, sub: SubSport, at: int) -> Recorded:
    workout = WorkoutPlan("", None, (on(0.35, 0.6, _MINUTES * 60),), None, 3, "strength")
    session = session_of(athlete, day, workout, hour=round(12 + at % 7 * 0.5, 1))
    caption = Caption(
        id=new_id("act", athlete.lot, "rare", at),
        utc_offset_min=day.utc_offset_min(),
        name=TITLES[at % len(TITLES)],
        sport=sport,
        sub_sport=sub,
        rpe=1 + at % 10,
        feeling=1 + at % 5,
        race_type=list(RaceType)[at % 5] if at < 5 else None,
        stimulus=list(TrainingStimulus)[at % len(TrainingStimulus)],
    )
    return record(session, caption)


def _specials(athlete: DemoAthlete, days: list[Day]) -> Iterator[tuple[str, SimulatedSession, Day]]:
    """A medley of all strokes, a ride with every sensor and words in its columns, and a ride over climbs."""
    lengths = WorkoutPlan("", None, (on(0.9, 1.0, metres=100),), practice="pool")
    swim = session_of(athlete, days[-12], lengths, hour=6.5)
    sets = tuple(Swum(4, 0.9, 25, stroke) for stroke in (*StrokeType, None))
    yield "every stroke", swum(replace(swim, swum=sets)), days[-12]
    workout = WorkoutPlan("", None, tuple(_marked(each) for each in range(6)), None, 6, "road")
    ride = session_of(athlete, days[-13], workout, hour=8.0)
    faults = SensorFault("NaN", "power", 300, 4), SensorFault("Infinity", "intensity", 400, 2)
    yield "every sensor", replace(ride, faults=faults, sensors=EVERYTHING), days[-13]
    hilly = WorkoutPlan("", None, (on(0.7, 0.8, 7_200),), practice="road")
    yield "every climb", session_of(athlete, days[-14], hilly, hour=8.0), days[-14]


def _marked(at: int) -> Step:
    cadence = ((52, 58), None, (108, 114), None, None, None)[at]
    label = StepLabel.INTRA_RECOVERY if at % 2 else StepLabel.ACTIVE
    return Step(label, 0.5 + at % 2 * 0.02, 0.95, 600, cadence=cadence)


def _bare(athlete: DemoAthlete, name: str, activity: Activity) -> Recorded:
    """An activity of which little is known.

    One keeps its sport, as only rides have laps and climbs and only pool swims have lengths; one has neither sport nor
    parts. Without a start no range finds an activity: two keep theirs, so that pages meet such an activity.
    """
    start = {key: getattr(activity, key) for key in ("started_at", "utc_offset", "started_at_local")}
    known = {
        "sport": activity.sport,
        "sub_sport": activity.sub_sport,
        "laps": _bare_parts(Lap, activity.laps),
        "climbs": _bare_parts(Climb, activity.climbs),
        "lengths": _bare_parts(Length, activity.lengths),
        "provider_laps": _bare_parts(ProviderLap, activity.provider_laps),
    }
    update: dict[str, Any] = {
        "every stroke": known,
        "every sensor": start | dict.fromkeys(("laps", "climbs", "lengths"), ()),
        "every climb": start | known,
    }[name]
    return Recorded(
        bare(activity).model_copy(update=update | {"id": new_id("act", athlete.lot, "bare", name)}), None
    )


def bare(row: _Row) -> _Row:
    """The row with null in every field that may be."""
    return built(type(row), **(row.__dict__ | dict.fromkeys(_nullable(type(row)))))


def _bare_parts(model: type[Wire], rows: tuple[Any, ...]) -> tuple[Part, ...]:
    nothing = dict.fromkeys(wire_names(model)[name] for name in _nullable(model))
    return tuple(row | nothing for row in rows)


@cache
def _nullable(model: type[Wire]) -> tuple[str, ...]:
    return tuple(name for name, field in model.model_fields.items() if NoneType in get_args(field.annotation))


def _prescriptions(
    athlete: DemoAthlete, usual: list[TrainingPrescription], today: date
) -> Iterator[TrainingPrescription]:
    """Titles that are markup and formulas, and one prescription with nothing but a title."""
    like = [row for row in usual if row.structure is not None][-1]
    for at, title in enumerate(TITLES):
        day = today + timedelta(days=at - 5)
        yield like.model_copy(update={
            "id": new_id("tpr", athlete.lot, "title", at), "title": title, "description": title, "comment": title, "date": day,
            "time": time(12, 0), "activity_id": None,
        })  # fmt: skip
    yield bare(like).model_copy(
        update={"id": new_id("tpr", athlete.lot, "bare"), "title": "By feel", "date": today}
    )


def rare_notes(athlete: DemoAthlete, today: date) -> Iterator[Note]:
    """A note of each title."""
    for at, title in enumerate(TITLES):
        yield built(Note,
            id=new_id("not", athlete.lot, "title", at), type=list(NoteType)[at % len(NoteType)], title=title,
            content=title if at % 2 else None, date=today - timedelta(days=3 * at), time=None,
        )  # fmt: skip


def rare_event(athlete: DemoAthlete, like: Event, today: date) -> Event:
    """An event of which only the day and the name are known; the name is a formula."""
    known = {"id": new_id("evt", athlete.lot, "bare"), "date": today + timedelta(days=3), "name": TITLES[1]}
    return bare(like).model_copy(update=known)


def rare_metrics(athlete: DemoAthlete, today: date) -> Iterator[Metric]:
    """Every type in some sport, W' in kilojoules, values of unknown unit and source."""
    for at, kind in enumerate(MetricType):
        yield built(Metric,
            id=new_id("mtr", athlete.lot, "rare", kind), type=kind, value=10.0 + at, unit=None, source=None,
            date=today - timedelta(days=400 + at), sport=list(MetricSport)[at % 4],
        )  # fmt: skip
    yield built(Metric,
        id=new_id("mtr", athlete.lot, "kilojoules"), type=MetricType.W_PRIME, value=17.4, unit=MetricUnit.KJ,
        source=MetricSource.USER, date=today - timedelta(days=90), sport=MetricSport.CYCLING,
    )  # fmt: skip
