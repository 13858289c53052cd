"""Align a second session with this one: by time, distance or lap."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from coachboard.client import Client, Result
from coachboard.client.errors import ServiceError
from coachboard.formulas.session import smoothing
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders.summary_motion import recorded_session
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.lap_pairs import LapPair, can_pair, pair_laps
from coachboard.pages.activity.stream_panels import AxisName
from coachboard.wire.activities import Activity
from coachboard.wire.prescriptions import TrainingPrescription

Floats = NDArray[np.float64]

CANDIDATE_DAYS = 365


class ComparedBy(StrEnum):
    """The axis on which the two sessions are aligned."""

    TIME = "time"
    DISTANCE = "distance"
    LAP = "lap"


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """The other session, resampled to the samples of this one."""

    other: Activity
    streams: SessionStreams
    alignment: ComparedBy
    at_s: Floats  # the other's elapsed second at each sample of this session; NaN without a counterpart
    pairs: tuple[LapPair, ...]

    def column(self, name: str, *, smoothing_s: float = 0.0) -> Floats | None:
        """The other's values at the samples of this session; None if it has no such column."""
        values = self.streams.get(name)
        if values is None or not len(self.streams):
            return None
        smooth = smoothing.smoothed(
            values, self.streams.elapsed_s, window_s=smoothing_s, starts=self.streams.is_after_gap
        )
        return self._placed(smooth)

    def samples_of(self, samples: slice) -> slice:
        """The other's samples for a section of this session; empty without a counterpart."""
        matched_s = self.at_s[samples]
        matched_s = matched_s[np.isfinite(matched_s)]
        if not len(matched_s):
            return slice(0, 0)
        return self.streams.between(float(matched_s[0]), float(np.nextafter(matched_s[-1], np.inf)))

    def common(self, samples: slice) -> slice:
        """The part of a section of this session that the other has too."""
        inside = np.flatnonzero(np.isfinite(self.at_s[samples])) + samples.indices(len(self.at_s))[0]
        return slice(int(inside[0]), int(inside[-1]) + 1) if len(inside) else slice(0, 0)

    def _placed(self, values: Floats) -> Floats:
        clock = self.streams.elapsed_s
        has_counterpart = np.isfinite(self.at_s)
        other_s = np.where(has_counterpart, self.at_s, 0.0)
        after = np.clip(np.searchsorted(clock, other_s), 0, len(clock) - 1)
        before = np.maximum(after - 1, 0)
        nearest = np.where(other_s - clock[before] < clock[after] - other_s, before, after)
        # NaN inside the other's pauses, and further from its samples than a pause.
        is_near = np.abs(clock[nearest] - other_s) <= self.streams.pause_s / 2
        return np.where(has_counterpart & is_near, values[nearest], np.nan)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Sessions that can be compared with this one: same workout, same name, others; each newest first."""

    sessions: tuple[Activity, ...]
    listed: Result[tuple[Activity, ...]] = field(repr=False)
    same_workout: frozenset[str] = frozenset()
    same_name: frozenset[str] = frozenset()  # without those of the same workout


def candidates(client: Client, data: ActivityData) -> Candidates:
    """The other sessions of the same sport, from a year before to a year after."""
    listed = _listed(client, data)
    others = [
        session
        for session in listed.value
        if session.sport == data.activity.sport and session.id != data.activity.id
    ]
    plans = _plans(client, data)
    workout = frozenset(
        other.id for other in others if _is_same_workout(data.prescription, plans.get(other.id))
    )
    name = _name(data.activity.name)
    named = frozenset(other.id for other in others if name and _name(other.name) == name) - workout
    ordered = sorted(others, key=lambda other: (other.id not in workout, other.id not in named))
    return Candidates(tuple(ordered), listed, workout, named)


def _listed(client: Client, data: ActivityData) -> Result[tuple[Activity, ...]]:
    return client.list_activities(data.user_id, *_year_around(data))


def _year_around(data: ActivityData) -> tuple[date, date]:
    day, span = data.day or data.today, timedelta(days=CANDIDATE_DAYS)
    return day - span, min(day + span, data.today)


def _plans(client: Client, data: ActivityData) -> dict[str, TrainingPrescription]:
    """The plans by the session that did them; none if they cannot be loaded, as the names still compare."""
    try:
        listed = client.list_prescriptions(data.user_id, *_year_around(data)).value
    except ServiceError:
        return {}
    return {plan.activity_id: plan for plan in listed if plan.activity_id}


def _is_same_workout(this: TrainingPrescription | None, other: TrainingPrescription | None) -> bool:
    if this is None or other is None:
        return False
    title = _name(this.title)
    return bool(title and title == _name(other.title)) or bool(
        this.structure and this.structure == other.structure
    )


_OF_ANY_SESSION = frozenset(
    [
        "early",
        "late",
        "morning",
        "lunch",
        "midday",
        "noon",
        "afternoon",
        "evening",
        "night",
        "my",
        "workout",
        "training",
        "activity",
        "session",
        "indoor",
        "outdoor",
        "virtual",
        "road",
        "trail",
        "gravel",
        "mountain",
        "open",
        "water",
        "pool",
        "track",
        "treadmill",
        "bike",
        "biking",
        "ride",
        "riding",
        "cycling",
        "run",
        "running",
        "walk",
        "walking",
        "hike",
        "hiking",
        "swim",
        "swimming",
        "row",
        "rowing",
        "ski",
        "skiing",
        "strength",
    ]
)
"""Words of names that devices give to any session: two morning rides have no name in common."""


def _name(text: str | None) -> str:
    """The name to compare; empty if it says nothing about the workout."""
    words = (text or "").casefold().split()
    return "" if _OF_ANY_SESSION.issuperset(words) else " ".join(words)


def find(client: Client, data: ActivityData, activity_id: str) -> Activity | None:
    """The session to compare with, from loaded lists if possible."""
    at_hand = _by_id(data.history, activity_id)
    session = at_hand or _by_id(_listed(client, data).value, activity_id)
    return session if session is not None and session.sport == data.activity.sport else None


def _by_id(sessions: Sequence[Activity], activity_id: str) -> Activity | None:
    return next((session for session in sessions if session.id == activity_id), None)


def alignments(data: ActivityData, other: Activity) -> list[ComparedBy]:
    """The possible alignments: by distance if recorded, by laps if both have several."""
    choices = [ComparedBy.TIME]
    if data.streams is not None and data.streams.distance_m is not None:
        choices.append(ComparedBy.DISTANCE)
    if can_pair(data.activity, other):
        choices.append(ComparedBy.LAP)
    return choices


def lay_over(
    client: Client, data: ActivityData, other: Activity, *, alignment: ComparedBy, axis: AxisName
) -> Overlay | None:
    """None if either session has no samples or they share none; raises `ServiceError` if streams fail.

    Alignment by time uses the panels' clock: with moving time both sessions have no stops.
    """
    streams = data.streams
    second = recorded_session(client.get_streams(other.id).value, other)
    if streams is None or not len(streams) or not len(second):
        return None
    pairs: tuple[LapPair, ...] = ()
    if alignment is ComparedBy.LAP:
        pairs = pair_laps((data.activity, streams), (other, second))
        at_s = _by_lap(streams, pairs)
    elif alignment is ComparedBy.DISTANCE and streams.distance_m is not None:
        at_s = _by_distance(streams, second)
    elif axis == "moving":
        at_s = _same_place(streams.moving_s, second.moving_s, second.elapsed_s)
    else:
        at_s = np.where(streams.elapsed_s <= second.elapsed_s[-1], streams.elapsed_s, np.nan)
    if not np.isfinite(at_s).any():
        return None
    return Overlay(other, second, alignment, at_s, pairs)


def means_of_both(overlay: Overlay, streams: SessionStreams, name: str) -> tuple[Floats, Floats] | None:
    """Means of this and the other session at each moment of this one; None if the other lacks the column."""
    other = overlay.column(name, smoothing_s=smoothing.DIFFERENCE_S)
    if other is None:
        return None
    this = smoothing.compared_mean(streams.columns[name], streams.elapsed_s, starts=streams.is_after_gap)
    return this, other


def _by_distance(streams: SessionStreams, second: SessionStreams) -> Floats:
    if streams.distance_m is None or second.distance_m is None:
        return np.full(len(streams), np.nan)
    this, other = (metres - metres[0] for metres in (streams.distance_m, second.distance_m))
    return _same_place(this, other, second.elapsed_s)


def _same_place(this: Floats, other: Floats, clock_s: Floats) -> Floats:
    """Where the other first reached the same distance; a stop has many samples at one distance."""
    samples = np.clip(np.searchsorted(other, this, side="left"), 0, len(other) - 1)
    return np.where(this <= other[-1], clock_s[samples], np.nan)


def _by_lap(streams: SessionStreams, pairs: Sequence[LapPair]) -> Floats:
    """Aligned by share of lap time; NaN between paired laps."""
    at_s = np.full(len(streams), np.nan)
    for pair in pairs:
        inside = streams.between(*pair.this)
        length = max(pair.this[1] - pair.this[0], 1e-9)
        share = (streams.elapsed_s[inside] - pair.this[0]) / length
        at_s[inside] = pair.other[0] + share * (pair.other[1] - pair.other[0])
    return at_s
