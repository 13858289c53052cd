"""Entries of the planning API, and the data of a calendar that has them."""

from datetime import UTC, date, datetime

from coachboard.execution.adherence import Done, Planned, match_sessions
from coachboard.pages.calendar.data import AthleteCalendar, CalendarData
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.planning import EntryKind, PlanEntry, PlanOp
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription

MONDAY = date(2026, 3, 2)
EVERYTHING = (PlanOp.UPDATE, PlanOp.MOVE, PlanOp.COPY, PlanOp.DELETE, PlanOp.SKIP)


def workout(name, day, *, user="usr_ana", **changes):
    row = TrainingPrescription(
        **dict.fromkeys(TrainingPrescription.model_fields)
        | {"id": f"tpr_{name}", "date": day, "title": name, "sport": Sport.CYCLING}
    )
    return _entry(EntryKind.WORKOUT, user, {"prescription": row, "id": row.id, **changes})


def note(name, day, kind=NoteType.TRAINING, *, user="usr_ana", **changes):
    row = Note(id=f"not_{name}", type=kind, title=name, content=None, date=day, time=None)
    return _entry(EntryKind.NOTE, user, {"note": row, "id": row.id, **changes})


def race(name, day, *, user="usr_ana", **changes):
    fields = {"id": f"evt_{name}", "name": name, "date": day, "sport": Sport.CYCLING}
    row = Event(**dict.fromkeys(Event.model_fields) | fields)
    return _entry(EntryKind.EVENT, user, {"event": row, "id": row.id, **changes})


def _entry(kind, user, fields):
    empty = dict.fromkeys(PlanEntry.model_fields)
    flags = dict.fromkeys(("is_draft", "is_private", "is_locked"), False)
    base = {
        "kind": kind,
        "user_id": user,
        "etag": "1",
        "allowed": EVERYTHING,
        "updated_at": datetime(2026, 3, 1, tzinfo=UTC),
    }
    return PlanEntry(**empty | flags | base | fields)


def calendar(*entries, done=(), people=("usr_ana",), today=MONDAY):
    """The data of a page that shows these entries; `done` has the ids of workouts with a session."""
    return CalendarData(
        MONDAY, date(2026, 3, 15), today, tuple(_athlete(user, entries, done) for user in people), (), ()
    )


def _athlete(user, entries, done):
    own = [entry for entry in entries if entry.user_id == user]
    plans = [Planned(e.id, e.date, Sport.CYCLING, activity_id=f"act_{e.id}") for e in own if e.prescription]
    sessions = [
        Done(f"act_{name}", plan.day, Sport.CYCLING) for plan in plans for name in done if name == plan.id
    ]
    return AthleteCalendar(
        user_id=user,
        matches=tuple(match_sessions(plans, sessions, excuses=(), today=MONDAY)),
        prescriptions={},
        activities={},
        notes=(),
        events=(),
        season_events=None,
        season_plans=None,
        season_sessions=(),
        entries={entry.id: entry for entry in own},
    )
