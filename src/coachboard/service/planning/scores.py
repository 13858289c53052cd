"""The planned workouts of a calendar with the sessions that did them, paired and scored as on the pages."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import isnan
from typing import Any

import orjson
import zstandard

from coachboard.execution.adherence import Match, match_sessions
from coachboard.execution.capacities import references_on
from coachboard.execution.compliance import Compliance, by_work_steps
from coachboard.execution.sessions import (
    done_of,
    has_lengths,
    planned_of,
    recorded_streams,
    score_of,
)
from coachboard.service.planning import targets
from coachboard.service.planning.rights import Rights
from coachboard.service.store.plans import PlanRow, Plans
from coachboard.wire.activities import Activity, local_day
from coachboard.wire.body import Metric
from coachboard.wire.planning import EntryKind, PairingMode, WorkoutScore
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.streams import ActivityStreams
from coachboard.wire.users import UserProfile

StreamReader = Callable[[str, str], bytes | None]
"""The packed streams of a session, by its id and its person's; None without a recording."""
NEAR_DAYS = 7
"""A session of a neighbouring day may belong to a plan next to the range, so plans and sessions of a week around it are paired."""
_NESTED: dict[str, Any] = {"laps": [], "climbs": [], "lengths": [], "providerLaps": []}


@dataclass(frozen=True, slots=True)
class DoneWorkout:
    """A planned workout and its session, as the ten endpoints return them."""

    match: Match
    plan: TrainingPrescription
    session: Activity
    metrics: tuple[Metric, ...]


def scores_of(done: Iterable[DoneWorkout], profile: UserProfile, read_streams: StreamReader) -> bytes:
    """The scores of an athlete's workouts from the stored samples of the sessions, as JSON."""
    return orjson.dumps([_score(workout, profile, read_streams).to_wire() for workout in done])


def _score(workout: DoneWorkout, profile: UserProfile, read_streams: StreamReader) -> WorkoutScore:
    compliance = _compliance(workout, profile, read_streams)
    ratio, work = compliance.ratio, compliance.work
    measure = None if compliance.measure is None else str(compliance.measure)
    return WorkoutScore(
        id=workout.plan.id,
        activity_id=workout.session.id,
        is_likely_match=workout.match.is_inferred,
        mark=None if compliance.state is None else str(compliance.state),
        score=None if isnan(ratio) else _percent(compliance.share),
        extra=None if isnan(ratio) else _percent(max(ratio - 1, 0)),
        compared_by=str(work.compared) if work else measure,
        work_steps=len(work.steps) if work else None,
        done_steps=work.done if work else None,
    )


def _compliance(workout: DoneWorkout, profile: UserProfile, read_streams: StreamReader) -> Compliance:
    """By the work steps, else by the totals of plan and session."""
    plan, session, totals = workout.plan, workout.session, workout.match.compliance
    assert totals is not None
    if not plan.structure or session.group_id is not None:
        return totals
    body = None if has_lengths(session) else read_streams(session.id, profile.id)
    streams = None
    if body is not None:
        unpacked = ActivityStreams.from_json(zstandard.ZstdDecompressor().decompress(body))
        streams = recorded_streams(unpacked, session)
    day = local_day(session) or plan.date
    references = references_on(day, session.sport, metrics=workout.metrics, profile=profile)
    score = score_of(plan, session, streams, references)
    return totals if score is None else by_work_steps(score)


def _percent(share: float) -> float:
    return round(100 * share, 1)


def done_workouts(plans: Plans, rights: Rights, user_id: str, start: date, end: date) -> list[DoneWorkout]:
    """The planned workouts of these days that a session did, as far as the caller may read them."""
    near = timedelta(days=NEAR_DAYS)
    bodies = {
        orjson.loads(body)["id"]: body for body in plans.activity_bodies(user_id, start - near, end + near)
    }
    rows = [row for row in rights.rows(user_id, start - near, end + near) if row.kind is EntryKind.WORKOUT]
    athlete = targets.PlannedAthlete(plans, user_id, today=rights.today)
    workouts = {row.id: (row, prescription_of(row, athlete)) for row in rows}
    matches = matches_of(workouts.values(), map(summary_of, bodies.values()), today=rights.today)
    return [
        DoneWorkout(
            match,
            workouts[match.planned.id][1],
            Activity.from_wire(orjson.loads(bodies[match.done.id])),
            tuple(athlete.metrics),
        )
        for match in matches
        if match.planned is not None and match.done is not None and start <= match.planned.day <= end
    ]


def matches_of(
    workouts: Iterable[tuple[PlanRow, TrainingPrescription]], sessions: Iterable[Activity], *, today: date
) -> list[Match]:
    """Plans and sessions paired as on the pages; a note of the athlete excuses none of the plans."""
    planned = []
    for row, plan in workouts:
        skipped, pairing = row.entry.get("skipped"), row.entry.get("pairing") or {}
        reason = None if skipped is None else skipped["reason"]
        is_unpaired = pairing.get("mode") == PairingMode.NONE
        planned.append(replace(planned_of(plan), is_unpaired=is_unpaired, skip_reason=reason))
    done = [session for session in map(done_of, sessions) if session is not None]
    return match_sessions(planned, done, excuses=(), today=today)


def summary_of(body: bytes) -> Activity:
    """A session without its lists, which take most of the time."""
    return Activity.from_wire({**orjson.loads(body), **_NESTED})


def prescription_of(row: PlanRow, athlete: targets.PlannedAthlete) -> TrainingPrescription:
    body = targets.resolved(row.body, athlete, row.entry.get("text")) if row.in_percent else row.body
    return TrainingPrescription.from_wire(orjson.loads(body))
