"""Sessions and plans of the service as input of the formulas, for all pages. Missing values are NaN.

`match_sessions` of `execution.adherence` pairs the two.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from heapq import nlargest
from math import isnan, nan
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coachboard.client import Client, Result
from coachboard.client.errors import ServiceError, Unauthorized
from coachboard.client.planning import PlanDecision
from coachboard.execution.adherence import Done, Planned
from coachboard.execution.capacities import capacities_on
from coachboard.execution.sessions import DURATIONS, SWIM_DURATIONS, length_of_steps, planned_of
from coachboard.formulas.plausible import or_nan
from coachboard.formulas.session.estimated_power import is_estimated
from coachboard.formulas.session.session_load import rpe_load
from coachboard.formulas.session.summary_load import (
    RPE_RANGE,
    LoadMethod,
    SessionSummary,
    Thresholds,
    summary_load,
)
from coachboard.loaders.memo import RowsMemo
from coachboard.wire.activities import Activity
from coachboard.wire.enums import Sport, TrainingStimulus
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.users import UserProfile

_MEASURED = ("normalized_power", "average_power", "average_speed", "distance", "average_heart_rate")
_ROUNDING = 0.06
"""The service rounds loads to a tenth."""
_FIGURES = (*DURATIONS, *_MEASURED, "rpe")

_MOST_ATHLETES = 4_000
"""Of all keys: with fewer than a squad has, each refresh of its roster reads all lists again."""
_NEEDS_PROFILE: RowsMemo[bool] = RowsMemo(_MOST_ATHLETES)
"""Cached because converting a year's list takes 3 ms and each click needs it."""


def profile_for_loads(
    client: Client, user_id: str, listed: Result[tuple[Activity, ...]]
) -> Result[UserProfile] | None:
    """The profile, if a session without a volume has data for a computed load.

    Also None if the profile fails: the load then uses RPE and says so.
    """
    if not _NEEDS_PROFILE.of([listed], None, lambda: _needs_profile(listed.frame)):
        return None
    try:
        return client.get_user(user_id)
    except Unauthorized:
        raise
    except ServiceError:
        return None


def _needs_profile(activities: pd.DataFrame) -> bool:
    figures = activities.reindex(columns=["volume", *_MEASURED])
    bare = figures[figures["volume"].isna()]
    return bool(bare[list(_MEASURED)].notna().any(axis=None))


def sessions_of(
    listed: Result[tuple[Activity, ...]], profile: Result[UserProfile] | None
) -> tuple[Done, ...]:
    """Sessions, oldest first, with volume or computed load; drops sessions without a time, which have no day."""
    frame = listed.frame
    done, held = _done_of(frame), profile.value if profile else None
    bare = [
        row_number for row_number, session in enumerate(done) if session is not None and isnan(session.volume)
    ]
    figures = frame.reindex(columns=list(_FIGURES)).iloc[bare].to_dict("records")
    for row_number, row in zip(bare, figures, strict=True):
        done[row_number] = _with_load(done[row_number], {str(name): row[name] for name in row}, held)
    starts = ("" if pd.isna(moment) else moment.isoformat() for moment in column(frame, "started_at"))
    dated = [(session.day, start, session) for session, start in zip(done, starts, strict=True) if session]
    return tuple(session for _, _, session in sorted(dated, key=lambda dated_session: dated_session[:2]))


def unread_days(listed: Result[Any], first: date, last: date, *, today: date) -> frozenset[date | None]:
    """The days of sessions that could not be read; None for one whose day could not be read either.

    A past day of the period also counts if the list was not read since that day ended: after a failed refresh a
    session of that day is not in the list, and its plan is not known to be missed.
    """
    lost = [problem for problem in listed.problems if problem.is_set_aside]
    read = set(column(listed.frame, "id")) if lost else set()
    days = {problem.day for problem in lost if problem.row_id is None or problem.row_id not in read}
    return frozenset(days | set(_not_read_since_their_end(listed, first, min(last, today - _DAY), today)))


_DAY = timedelta(days=1)


def _not_read_since_their_end(listed: Result[Any], first: date, last: date, today: date) -> Iterator[date]:
    if not listed.read_days:  # of an unknown age
        return
    now = datetime.now(timezone(timedelta(minutes=usual_offset(listed) or 0.0)))
    ages = [(now.date() - (now - timedelta(seconds=part.age_s)).date()) for part in listed.read_days]
    whole = [
        (part.first, min(part.last, today - age - _DAY))
        for part, age in zip(listed.read_days, ages, strict=True)
    ]
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        if not any(start <= day <= end for start, end in whole):
            yield day


_RECENT_OFFSETS: RowsMemo[tuple[tuple[datetime, float], ...]] = RowsMemo(2 * _MOST_ATHLETES)
"""Cached because a year's list has hundreds of offsets and each click needs the newest, of sessions and nights."""
_RECENT_ROWS = 20
_SAME_ZONE_MIN = 60


def usual_offset(sessions: Result[Any] | None, nights: Result[Any] | None = None) -> float | None:
    """The UTC offset of the newest night, or of the newest session whose predecessor agrees, whichever is later.

    A single session may have the zone of a game or a wrong clock. Summer time changes the offset by an hour. The offset of
    the only row counts; None without any.
    """
    rows = sorted(
        (started, offset, listed is nights)
        for listed in (sessions, nights)
        if listed is not None
        for started, offset in _recent_offsets(listed)
    )[::-1]
    if len(rows) == 1:
        return rows[0][1]
    older = [offset for _, offset, _ in rows[1:]]
    for (_, offset, is_night), before in zip(rows, [*older, nan], strict=False):
        if is_night or abs(offset - before) <= _SAME_ZONE_MIN:
            return offset
    return None


def _recent_offsets(listed: Result[Any]) -> tuple[tuple[datetime, float], ...]:
    return _RECENT_OFFSETS.of(
        [listed], None, lambda: tuple(nlargest(_RECENT_ROWS, utc_offsets(listed.frame)))
    )


LOWEST_OFFSET_MIN, HIGHEST_OFFSET_MIN = -12 * 60, 14 * 60
"""The UTC offsets in use on earth."""


def utc_offsets(frame: pd.DataFrame) -> Iterator[tuple[datetime, float]]:
    """Start and UTC offset of each row; drops rows without either and impossible offsets."""
    if "utc_offset" in frame and "started_at" in frame:
        for started, offset in zip(frame["started_at"], frame["utc_offset"], strict=True):
            if not pd.isna(started) and LOWEST_OFFSET_MIN <= offset <= HIGHEST_OFFSET_MIN:
                yield started, float(offset)


def load_of(activity: Activity, profile: UserProfile | None) -> tuple[float, LoadMethod | None]:
    """The volume of a session, or its computed load with the method."""
    if activity.volume is not None:
        return float(activity.volume), None
    figures = {name: getattr(activity, name) for name in _FIGURES}
    return summary_load(_summary(figures, activity.sport), _thresholds(activity.sport, profile))


def is_of_rpe(activity: Activity) -> bool:
    """Whether the load of the service is that of RPE and duration, as for a session that was entered by hand."""
    rpe, seconds, volume = activity.rpe, activity.effective_duration, activity.volume
    if rpe is None or volume is None or not seconds or not RPE_RANGE[0] <= rpe <= RPE_RANGE[1]:
        return False
    return abs(volume - rpe_load(rpe, seconds)) < _ROUNDING


def has_only_estimated_load(activity: Activity) -> bool:
    """Whether the only load that the session can have is one that Coachboard's service estimates."""
    signals = (activity.average_power, activity.average_heart_rate, activity.rpe)
    return is_estimated(activity.sport, activity.sub_sport, *signals)


def _with_load(
    done: Done | None, figures: Mapping[str, float | None], profile: UserProfile | None
) -> Done | None:
    if done is None:
        return None
    load, method = summary_load(_summary(figures, done.sport), _thresholds(done.sport, profile))
    return replace(done, volume=load, load_method=method)


def _summary(figures: Mapping[str, float | None], sport: Sport | None) -> SessionSummary:
    number = {name: or_nan(value) for name, value in figures.items()}
    duration_s = next((number[name] for name in DURATIONS if not isnan(number[name])), nan)
    power_w = number["normalized_power"] if number["normalized_power"] > 0 else number["average_power"]
    speed = number["average_speed"]
    return SessionSummary(
        duration_s=duration_s,
        sport=sport,
        power_w=power_w,
        speed_mps=speed if speed > 0 else number["distance"] / (duration_s or nan),
        heart_rate_bpm=number["average_heart_rate"],
        rpe=number["rpe"],
    )


def _thresholds(sport: Sport | None, profile: UserProfile | None) -> Thresholds:
    if profile is None:
        return Thresholds()
    capacities = capacities_on(date.max, sport, metrics=(), profile=profile)
    return Thresholds(
        critical_power_w=capacities.critical_power_w,
        critical_speed_mps=capacities.critical_speed_mps,
        max_heart_rate_bpm=capacities.max_heart_rate_bpm,
        resting_heart_rate_bpm=capacities.resting_heart_rate_bpm,
        gender=profile.gender,
    )


def decisions_of(client: Client, user_id: str) -> frozenset[PlanDecision]:
    """The workouts that a person skipped or left unpaired, and the notes of several days.

    Read them after a list: it drops those that are outdated. Empty if the read fails and none were read before.
    """
    try:
        return client.planning.decisions(user_id)
    except Unauthorized:
        raise
    except ServiceError:
        return frozenset()


def step_loads_of(client: Client, user_id: str, start: date, end: date) -> Mapping[str, float]:
    """The loads that the steps of planned workouts give, by id; read and raises as `decisions_of`."""
    try:
        return client.planning.loads(user_id, start, end)
    except Unauthorized:
        raise
    except ServiceError:
        return {}


def plans_of(
    listed: Result[tuple[TrainingPrescription, ...]],
    decisions: Iterable[PlanDecision],
    loads: Mapping[str, float] = MappingProxyType({}),
) -> tuple[Planned, ...]:
    """Plans as listed, with decisions and loads; a plan without duration and distance gets the length of its steps."""
    decided = {decision.entry_id: decision for decision in decisions}
    planned = [_with_decision(plan, decided.get(plan.id)) for plan in _planned_of(listed)]
    planned = [replace(plan, step_load=loads[plan.id]) if plan.id in loads else plan for plan in planned]
    bare = {plan.id for plan in planned if isnan(plan.duration_s) and isnan(plan.distance_m)}
    if not bare:
        return tuple(planned)
    prescriptions = {row.id: row for row in listed.value if row.id in bare}
    return tuple(_with_length(plan, prescriptions.get(plan.id)) for plan in planned)


def _with_decision(plan: Planned, decision: PlanDecision | None) -> Planned:
    if decision is None or (not decision.is_unpaired and decision.skip_reason is None):
        return plan
    return replace(plan, is_unpaired=decision.is_unpaired, skip_reason=decision.skip_reason)


def _with_length(plan: Planned, prescription: TrainingPrescription | None) -> Planned:
    if prescription is None or prescription.structure is None:
        return plan
    seconds, metres = length_of_steps(prescription)
    return replace(plan, duration_s=seconds, distance_m=metres)


def _done_of(activities: pd.DataFrame) -> list[Done | None]:
    """A session per row; None without a time, because it has no day."""
    columns = zip(
        column(activities, "id"),
        local_days(activities),
        _texts(activities, "sport", Sport),
        _texts(activities, "training_stimulus", TrainingStimulus),
        _training_times_s(activities),
        _distances(activities),
        numbers(activities, "volume"),
        numbers(activities, "work"),
        _texts(activities, "name", str),
        _texts(activities, "group_id", str),
        _texts(activities, "race_type", str),
        numbers(activities, "feeling"),
        strict=True,
    )
    return [
        Done(
            str(activity_id), day, sport, stimulus, duration, distance, volume, work, name or "", group,
            is_race=race is not None or stimulus is TrainingStimulus.RACE, feeling=feeling,
        )
        if day is not None
        else None
        for activity_id, day, sport, stimulus, duration, distance, volume, work, name, group, race, feeling in columns
    ]  # fmt: skip


def _training_times_s(activities: pd.DataFrame) -> NDArray[np.float64]:
    is_swim = np.array([sport == Sport.SWIMMING for sport in column(activities, "sport")], dtype=bool)
    return np.where(is_swim, _first_of(activities, SWIM_DURATIONS), _first_of(activities, DURATIONS))


def _distances(activities: pd.DataFrame) -> NDArray[np.float64]:
    """As in the headline: derived from speed where the device sent none, else a list would show no distance."""
    distance, seconds = numbers(activities, "distance"), _first_of(activities, DURATIONS)
    derived = numbers(activities, "average_speed") * seconds
    return np.where(np.isnan(distance) & (derived > 0), derived, distance)


def _planned_of(listed: Result[tuple[TrainingPrescription, ...]]) -> list[Planned]:
    """From the frame, which decodes no model, unless the models are there already, as from the planning API."""
    if isinstance(listed.source, tuple):
        return [planned_of(row) for row in listed.source]
    prescriptions = listed.frame
    columns = zip(
        column(prescriptions, "id"),
        column(prescriptions, "date"),
        _texts(prescriptions, "sport", Sport),
        _texts(prescriptions, "training_stimulus", TrainingStimulus),
        _stated(prescriptions, "duration").tolist(),
        _stated(prescriptions, "distance").tolist(),
        numbers(prescriptions, "work").tolist(),
        _texts(prescriptions, "activity_id", str),
        _texts(prescriptions, "title", str),
        strict=True,
    )
    return [
        Planned(
            str(plan_id), day.date(), sport, stimulus, duration, distance, nan, work, activity, title or ""
        )
        for plan_id, day, sport, stimulus, duration, distance, work, activity, title in columns
    ]


def column(frame: pd.DataFrame, name: str) -> list[Any]:
    """The values of a column; empty for an empty frame, which has no columns."""
    return frame[name].tolist() if name in frame else []


def numbers(frame: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """A numeric column; missing values are NaN."""
    return np.array(column(frame, name), dtype=np.float64)


def local_days(frame: pd.DataFrame) -> list[date | None]:
    """The local date of each session, as `wire.activities.local_day`; None without a time."""
    starts, offsets = column(frame, "started_at"), numbers(frame, "utc_offset")
    locals_ = zip(column(frame, "started_at_local"), starts, offsets, strict=True)
    return [_day_of(local, started, offset) for local, started, offset in locals_]


def _day_of(local: datetime | None, started: datetime | None, offset_min: float) -> date | None:
    if not pd.isna(local):
        return local.date()
    if pd.isna(started):
        return None
    return (started + timedelta(minutes=0 if isnan(offset_min) else offset_min)).date()


def _texts(frame: pd.DataFrame, name: str, read: Callable[[str], Any]) -> list[Any]:
    return [read(value) if isinstance(value, str) else None for value in column(frame, name)]


def _stated(frame: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """A target; 0 means none, because a plan has a length."""
    values = numbers(frame, name)
    return np.where(values > 0, values, nan)


def _first_of(frame: pd.DataFrame, names: Sequence[str]) -> NDArray[np.float64]:
    first, *others = (numbers(frame, name) for name in names)
    for other in others:
        first = np.where(np.isnan(first), other, first)
    return first
