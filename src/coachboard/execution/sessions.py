"""A planned workout and a session of the interface: their compared values, and the score of their work steps."""

from collections.abc import Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

from coachboard.execution.adherence import Done, Planned
from coachboard.execution.compared_steps import SessionSamples
from coachboard.execution.pool_lengths import pool_length_m, swum, with_rests
from coachboard.execution.score import execution_score
from coachboard.execution.structure import (
    DEFAULT_SPEED_MPS,
    FlatStep,
    References,
    estimated_duration_s,
    step_duration_s,
    unroll,
)
from coachboard.execution.swim_sets import NoSets, swim_score
from coachboard.execution.work_steps import WorkScore
from coachboard.formulas.plausible import or_nan
from coachboard.formulas.session.clock_grid import held, per_second
from coachboard.formulas.session.even_speed import effort_speed_mps, with_adjusted_speed
from coachboard.formulas.session.part_measures import device_spans, indexed_spans
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.wire.activities import Activity, local_day
from coachboard.wire.enums import Sport, TrainingStimulus
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.streams import ActivityStreams

Floats = NDArray[np.float64]

DURATIONS = ("moving_duration", "effective_duration", "total_duration")
"""The time that counts as training: moving, else elapsed minus pauses, else elapsed. [s]"""
SWIM_DURATIONS = ("effective_duration", "total_duration", "moving_duration")
"""Of a swim with the rests at the wall, as its plan has them: 3,000 m as planned read as 80 % of the planned time. [s]"""
MOST_SWUM = 1000
"""A swim with more steps or pool lengths has no score: the time to match grows with the square."""


def duration_s(activity: Activity) -> float | None:
    """The time that counts as training, as a plan states it, in seconds: moving time, of a swim with its rests."""
    return _first_of(activity, SWIM_DURATIONS if activity.sport is Sport.SWIMMING else DURATIONS)


def moving_s(activity: Activity) -> float | None:
    """The moving time, else elapsed minus pauses, else elapsed, in seconds."""
    return _first_of(activity, DURATIONS)


def _first_of(activity: Activity, names: Sequence[str]) -> float | None:
    durations = (getattr(activity, name) for name in names)
    return next((float(duration) for duration in durations if duration is not None), None)


def done_of(activity: Activity) -> Done | None:
    """The compared values of a session, but its load; None without a time, because it has no day."""
    day, seconds, speed = local_day(activity), moving_s(activity), activity.average_speed
    if day is None:
        return None
    distance = activity.distance
    if distance is None and speed and seconds is not None:
        distance = speed * seconds
    stimulus, duration = activity.training_stimulus, duration_s(activity)
    return Done(
        activity.id, day, activity.sport, stimulus,
        duration_s=or_nan(duration),
        distance_m=or_nan(distance),
        work_kj=or_nan(activity.work),
        title=activity.name or "",
        group_id=activity.group_id,
        is_race=activity.race_type is not None or stimulus is TrainingStimulus.RACE,
        feeling=or_nan(activity.feeling),
    )  # fmt: skip


def planned_of(plan: TrainingPrescription) -> Planned:
    """The compared values of a planned workout; without duration and distance it has the length of its steps."""
    # A target of 0 means none, because a plan has a length.
    duration, distance = float(plan.duration or nan), float(plan.distance or nan)
    if not plan.duration and not plan.distance and plan.structure is not None:
        duration, distance = length_of_steps(plan)
    return Planned(
        plan.id, plan.date, plan.sport, plan.training_stimulus, duration, distance,
        work_kj=or_nan(plan.work),
        activity_id=plan.activity_id,
        title=plan.title or "",
    )  # fmt: skip


def length_of_steps(plan: TrainingPrescription) -> tuple[float, float]:
    """Seconds and metres of the steps: their distance if all have one, else their time; NaN for the other."""
    structure = plan.structure or ()
    distances = [step.distance_m for step in unroll(structure)]
    if distances and all(distances):
        return nan, sum(distance or 0.0 for distance in distances)
    speed = DEFAULT_SPEED_MPS.get(str(plan.sport))
    return estimated_duration_s(structure, free_duration_s=plan.free_duration, speed_mps=speed), nan


def recorded_streams(streams: ActivityStreams, activity: Activity) -> SessionStreams:
    """The recording of a session, with the grade-adjusted speed on foot."""
    recorded = SessionStreams.from_streams(
        streams,
        total_duration_s=activity.total_duration or activity.effective_duration,
        swum=swum(activity),
    )
    return with_adjusted_speed(recorded, activity.sport)


def has_lengths(session: Activity) -> bool:
    """Whether a swim is scored by its pool lengths, without samples."""
    return session.sport is Sport.SWIMMING and bool(session.lengths)


def score_of(
    plan: TrainingPrescription, session: Activity, streams: SessionStreams | None, references: References
) -> WorkScore | None:
    """The work steps of a workout as the session shows them: a swim by its pool lengths, else by its samples."""
    if has_lengths(session):
        swim = swim_work(plan, session)
        return swim if isinstance(swim, WorkScore) else None
    if streams is None or not plan.structure:
        return None
    steps = unroll(plan.structure, references)
    return execution_score(
        steps, _durations_s(plan, session, steps), _recording(streams, session), references
    )


def swim_work(plan: TrainingPrescription, session: Activity) -> WorkScore | NoSets | None:
    """The repetitions of a swim by its pool lengths, or why they cannot be counted."""
    steps = unroll(plan.structure)
    if max(len(steps), len(session.lengths)) > MOST_SWUM:
        return None
    durations_s = _durations_s(plan, session, steps)
    return swim_score(steps, durations_s, with_rests(session), pool_length_m(session))


def _durations_s(plan: TrainingPrescription, session: Activity, steps: Sequence[FlatStep]) -> list[float]:
    speed_mps = session.average_speed or DEFAULT_SPEED_MPS.get(str(session.sport))
    return [step_duration_s(step, free_duration_s=plan.free_duration, speed_mps=speed_mps) for step in steps]


def _recording(streams: SessionStreams, session: Activity) -> SessionSamples:
    """The samples second by second without pauses; no speed where hills and wind decide it."""

    def seconds(values: Floats | None) -> Floats | None:
        return None if values is None else per_second(held(values, streams.elapsed_s), streams.dt_s)

    clock_s = per_second(streams.elapsed_s, streams.dt_s)
    return SessionSamples(
        clock_s,
        power_w=seconds(streams.get("power")),
        speed_mps=seconds(effort_speed_mps(streams, session.sport)),
        heart_rate_bpm=seconds(streams.get("heart_rate")),
        distance_m=seconds(streams.distance_m),
        laps=_scored_laps(streams, session, clock_s),
    )


def _scored_laps(streams: SessionStreams, session: Activity, clock_s: Floats) -> tuple[tuple[int, int], ...]:
    """Classified laps, else those that the athlete has set at the device; automatic laps hide the repetitions."""
    spans = indexed_spans(session, streams, session.laps)
    if not spans:
        manual = [(lap.lap_trigger or "").casefold() == "manual" for lap in session.provider_laps]
        spans = [
            span for span, is_manual in zip(device_spans(session, streams), manual, strict=True) if is_manual
        ]
    edges = np.searchsorted(clock_s, spans)
    return tuple((int(first), int(after)) for first, after in edges if after > first)
