"""The verdict of each planned session, the same on every page: from the lists alone, without streams."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

from coachboard.analytics.planning.adherence import Match
from coachboard.analytics.planning.compliance import verdict
from coachboard.analytics.planning.structure import FlatStep, step_duration_s, unroll
from coachboard.analytics.planning.swim_sets import NoSets, swim_score
from coachboard.analytics.planning.work_steps import LapEffort, WorkScore, load_ratio, work_score
from coachboard.client import Result
from coachboard.loaders.activity.pool_lengths import pool_length_m, with_rests
from coachboard.loaders.matching import duration_s
from coachboard.loaders.memo import RowsMemo
from coachboard.models.activities import Activity
from coachboard.models.enums import Sport
from coachboard.models.prescriptions import TrainingPrescription

MOST_PIECES = 200
"""A longer workout or a session with more laps is judged by its totals: the time to match grows with the square."""

MOST_SWUM = 1000
"""The same for the steps and pool lengths of a swim."""


@dataclass(frozen=True, slots=True)
class _Work:
    score: WorkScore
    load_ratio: float


_WORK: RowsMemo[dict[str, _Work]] = RowsMemo(200)
"""Cached because each click needs them: a session of 11 steps takes 0.9 ms to match, one of 65 steps 43 ms."""


def with_verdicts(
    matches: Iterable[Match],
    sessions: Result[tuple[Activity, ...]],
    plans: Result[tuple[TrainingPrescription, ...]],
) -> tuple[Match, ...]:
    """The matches with their final compliance: by work steps if the session has laps, else by its totals."""
    listed = tuple(matches)
    pairs = tuple(
        (match.planned.id, match.done.id)
        for match in listed
        # The laps of one leg are not those of a multisport session.
        if match.planned is not None and match.done is not None and match.done.group_id is None
    )
    works = _WORK.of((sessions, plans), pairs, lambda: _works(pairs, sessions, plans))
    return tuple(_judged(match, works) for match in listed)


def _judged(match: Match, works: dict[str, _Work]) -> Match:
    work = works.get(match.planned.id) if match.planned is not None else None
    if work is None or match.compliance is None:
        return match
    return replace(match, compliance=verdict(match.compliance, work.score, work.load_ratio))


def _works(pairs: Sequence[tuple[str, str]], sessions: Result[Any], plans: Result[Any]) -> dict[str, _Work]:
    prescribed = {plan.id: plan for plan in plans.rows({plan_id for plan_id, _ in pairs})}
    structured = {
        plan_id: done_id
        for plan_id, done_id in pairs
        if plan_id in prescribed and prescribed[plan_id].structure
    }
    recorded = {one.id: one for one in sessions.rows(set(structured.values()))}
    found = {
        plan_id: _work(prescribed[plan_id], recorded[done_id])
        for plan_id, done_id in structured.items()
        if done_id in recorded
    }
    return {plan_id: work for plan_id, work in found.items() if work is not None}


def _work(plan: TrainingPrescription, session: Activity) -> _Work | None:
    if session.sport is Sport.SWIMMING:
        found = swim_work(plan, session)
        return _Work(found, nan) if isinstance(found, WorkScore) else None
    steps = unroll(plan.structure)
    if not max(len(steps), len(session.laps)) <= MOST_PIECES:
        return None
    durations_s = _durations_s(plan, session, steps)
    score = work_score(steps, durations_s, sections_of(session))
    if score is None:
        return None
    power_w = session.normalized_power or session.average_power
    ratio = load_ratio(steps, durations_s, power_w=_number(power_w), duration_s=_number(duration_s(session)))
    return _Work(score, ratio)


def swim_work(plan: TrainingPrescription, session: Activity) -> WorkScore | NoSets | None:
    """The repetitions of a swim by its pool lengths, or why they cannot be counted."""
    steps = unroll(plan.structure)
    if max(len(steps), len(session.lengths)) > MOST_SWUM:
        return None
    durations_s = _durations_s(plan, session, steps)
    return swim_score(steps, durations_s, with_rests(session), pool_length_m(session))


def _durations_s(plan: TrainingPrescription, session: Activity, steps: Sequence[FlatStep]) -> list[float]:
    return [
        step_duration_s(step, free_duration_s=plan.free_duration, speed_mps=session.average_speed)
        for step in steps
    ]


def sections_of(session: Activity) -> list[LapEffort]:
    """The classified laps of a session."""
    return [LapEffort(lap.duration, _number(lap.average_power), lap.intensity) for lap in session.laps]


def _number(value: float | None) -> float:
    return nan if value is None else float(value)
