"""The wire's plans and sessions as the analytics compare them; what is missing is NaN."""

from collections.abc import Iterable
from datetime import date
from math import nan

from coachboard.analytics.adherence import Done, Match, Planned, match_sessions
from coachboard.models.activities import Activity
from coachboard.models.plans import Note
from coachboard.models.prescriptions import TrainingPrescription


def planned_from(prescription: TrainingPrescription, *, volume: float = nan) -> Planned:
    """One prescription; the interface gives it no volume, so an estimate is the caller's to bring."""
    return Planned(
        id=prescription.id,
        day=prescription.date,
        sport=prescription.sport,
        stimulus=prescription.training_stimulus,
        duration_s=_number(prescription.duration),
        distance_m=_number(prescription.distance),
        volume=volume,
        work_kj=_number(prescription.work),
        activity_id=prescription.activity_id,
        title=prescription.title,
    )


def done_from(activity: Activity) -> Done | None:
    """One session, or None where the service gives it no time and so no day."""
    day = local_day(activity)
    if day is None:
        return None
    return Done(
        id=activity.id,
        day=day,
        sport=activity.sport,
        stimulus=activity.training_stimulus,
        duration_s=_number(duration_s(activity)),
        distance_m=_number(activity.distance),
        volume=_number(activity.volume),
        work_kj=_number(activity.work),
        title=activity.name or "",
    )


def match(
    prescriptions: Iterable[TrainingPrescription],
    activities: Iterable[Activity],
    *,
    notes: Iterable[Note],
    today: date,
) -> list[Match]:
    """Plans and sessions of one athlete laid beside each other, by day."""
    done = [session for activity in activities if (session := done_from(activity)) is not None]
    planned = [planned_from(prescription) for prescription in prescriptions]
    return match_sessions(planned, done, excuses=[(note.date, note.type) for note in notes], today=today)


def local_day(activity: Activity) -> date | None:
    """The local date of a session, by which the service's ranges work."""
    moment = activity.started_at_local or activity.started_at
    return moment.date() if moment else None


def duration_s(activity: Activity) -> float | None:
    """The time that counts as training: moving, else elapsed less pauses, else elapsed, in seconds."""
    for duration in (activity.moving_duration, activity.effective_duration, activity.total_duration):
        if duration is not None:
            return float(duration)
    return None


def _number(value: float | None) -> float:
    return nan if value is None else float(value)
