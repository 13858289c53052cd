"""The score of each planned session, the same on every page: from its samples, kept by session and workout.

A page that has no samples shows the totals, marked as open, until the background has scored the session.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from hashlib import blake2b
from itertools import count
from math import nan

import orjson

from coachboard.client import Client, Result
from coachboard.client.errors import ServiceError, Unauthorized
from coachboard.execution.adherence import Match
from coachboard.execution.alignment import Alignment, StepMatch
from coachboard.execution.capacities import METRIC_DAYS, references_on
from coachboard.execution.compliance import ComplianceState, by_work_steps
from coachboard.execution.sessions import has_lengths, recorded_streams, score_of
from coachboard.execution.structure import (
    References,
    Target,
)
from coachboard.execution.work_steps import ScoreBasis, WorkOutcome, WorkScore, WorkStep
from coachboard.wire.activities import Activity, local_day
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.streams import ActivityStreams

KIND, VERSION = "execution", 18
"""Increase the version when scores change; kept scores of another version are computed again."""

MOST_NEW = 4
"""Sessions that a page scores itself if their samples are in the cache; the background scores the others."""


def with_verdicts(
    client: Client,
    user_id: str,
    matches: Iterable[Match],
    *,
    sessions: Result[tuple[Activity, ...]],
    plans: Result[tuple[TrainingPrescription, ...]],
    may_score: bool = True,
) -> tuple[Match, ...]:
    """The matches with their final compliance: by work steps where the workout has them, else by totals.

    With `may_score` false, a session without a kept score stays open, and nothing is requested for it.
    """
    listed = tuple(matches)
    session_ids = {
        match.planned.id: match.done.id
        for match in listed
        # The samples of one leg are not those of a multisport session.
        if match.planned is not None and match.done is not None and match.done.group_id is None
    }
    prescribed = {plan.id: plan for plan in plans.rows(set(session_ids)) if plan.structure}
    recorded = {
        session.id: session for session in sessions.rows({session_ids[plan_id] for plan_id in prescribed})
    }
    scored = {
        plan_id: (plan, recorded[session_ids[plan_id]])
        for plan_id, plan in prescribed.items()
        if session_ids[plan_id] in recorded
    }
    scores = _scores(client, user_id, scored, may_score=may_score)
    return tuple(_judged(match, scores) for match in listed)


def _judged(match: Match, scores: Mapping[str, WorkScore | None]) -> Match:
    if match.planned is None or match.compliance is None or match.planned.id not in scores:
        return match
    score = scores[match.planned.id]
    if score is None:
        return replace(match, compliance=replace(match.compliance, state=ComplianceState.OPEN))
    return replace(match, compliance=by_work_steps(score))


def _scores(
    client: Client,
    user_id: str,
    scored: Mapping[str, tuple[TrainingPrescription, Activity]],
    *,
    may_score: bool,
) -> dict[str, WorkScore | None]:
    """The score by plan, None while the background works at it; without an entry if there is nothing to score."""
    keys = {plan_id: _key(*pair) for plan_id, pair in scored.items()}
    kept = _kept(client, user_id, scored, keys)
    without_samples = client.without_streams() if len(kept) < len(keys) else frozenset()
    scored_now = count()
    scores: dict[str, WorkScore | None] = {}
    for plan_id, (plan, session) in scored.items():
        body = kept.get(keys[plan_id])
        if body is None and session.id in without_samples and not has_lengths(session):
            continue
        if body is None and may_score and next(scored_now) < MOST_NEW:
            body = _score_now(client, user_id, plan, session)
        if body is None:
            scores[plan_id] = None
            if may_score:
                job = partial(_score_later, client, user_id, plan, session)
                client.pool.later((KIND, keys[plan_id]), job)
        elif score := _decoded(body):
            scores[plan_id] = score
    return scores


def _kept(
    client: Client,
    user_id: str,
    scored: Mapping[str, tuple[TrainingPrescription, Activity]],
    keys: Mapping[str, str],
) -> dict[str, bytes]:
    """The kept scores by key that were made with the athlete's values of now; all of them if the values cannot be read.

    The values are in the kept score and not in its key: a page without kept scores does not wait for them.
    """
    kept = dict(client.known_derived_of(KIND, VERSION, keys.values())) if keys else {}
    pairs = {plan_id: pair for plan_id, pair in scored.items() if keys[plan_id] in kept}
    try:
        references = _references(client, user_id, pairs)
    except Unauthorized:
        raise
    except ServiceError:
        return kept
    # Plans with equal steps that name one session have one kept score.
    stale = {
        keys[plan_id]
        for plan_id, values in references.items()
        if orjson.loads(kept[keys[plan_id]])[0] != _values(values)
    }
    return {key: body for key, body in kept.items() if key not in stale}


def _references(
    client: Client, user_id: str, pairs: Mapping[str, tuple[TrainingPrescription, Activity]]
) -> dict[str, References]:
    """The athlete's values on the day of each session, by plan."""
    days = {plan_id: local_day(session) or plan.date for plan_id, (plan, session) in pairs.items()}
    if not days:
        return {}
    oldest = timedelta(days=METRIC_DAYS)
    metrics = client.list_metrics(user_id, min(days.values()) - oldest, max(days.values())).value
    profile = client.get_user(user_id).value
    return {
        plan_id: references_on(day, pairs[plan_id][1].sport, metrics=metrics, profile=profile)
        for plan_id, day in days.items()
    }


def _values(references: References) -> list[float | None]:
    return [references.critical_power_w, references.max_heart_rate_bpm, references.critical_speed_mps]


def _key(plan: TrainingPrescription, session: Activity) -> str:
    """The parts of plan and session on which the score depends; its samples never change."""
    wire = plan.to_wire()
    of_session = session.id, session.sport, session.average_speed, len(session.laps), len(session.lengths)
    named = orjson.dumps([wire["structure"], wire["freeDuration"], *of_session])
    return f"{session.id} {blake2b(named, digest_size=12).hexdigest()}"


def _score_now(client: Client, user_id: str, plan: TrainingPrescription, session: Activity) -> bytes | None:
    """The score if it needs no request for the samples; None otherwise."""
    stored = client.known_streams(session.id)
    if stored is None and not has_lengths(session):
        return None
    try:
        return _score_and_keep(client, user_id, plan, session, stored.value if stored else None)
    except Unauthorized:
        raise
    except ServiceError:
        return None  # without the athlete's values


def _score_later(client: Client, user_id: str, plan: TrainingPrescription, session: Activity) -> None:
    """In the background: only the limit of the key counts, and pages get their requests first."""
    _score_and_keep(client, user_id, plan, session, client.pass_streams(session.id))


def _score_and_keep(
    client: Client,
    user_id: str,
    plan: TrainingPrescription,
    session: Activity,
    streams: ActivityStreams | None,
) -> bytes:
    """The encoded score, against the athlete's values on the day of the session."""
    references = _references(client, user_id, {plan.id: (plan, session)})[plan.id]
    recorded = recorded_streams(streams, session) if streams is not None else None
    body = _encoded(score_of(plan, session, recorded, references), references)
    client.keep_derived(KIND, VERSION, _key(plan, session), body)
    return body


def _encoded(score: WorkScore | None, references: References) -> bytes:
    """None: a workout without work steps, or a session that shows none of their quantities."""
    if score is None:
        return orjson.dumps([_values(references), None, [], None])
    steps = [
        (step.index, step.outcome, step.credit, *(_ends(step.target)), step.from_s, step.to_s, step.level)
        for step in score.steps
    ]
    matches = (
        [(match.steps, match.stretches) for match in score.alignment.matches] if score.alignment else None
    )
    return orjson.dumps(
        [_values(references), score.compared, steps, matches], option=orjson.OPT_SERIALIZE_NUMPY
    )


def _ends(target: Target | None) -> tuple[float | None, float | None]:
    return (target.low, target.high) if target else (None, None)


def _decoded(body: bytes) -> WorkScore | None:
    _, compared, steps, matches = orjson.loads(body)
    if compared is None:
        return None
    return WorkScore(
        tuple(
            WorkStep(
                index,
                WorkOutcome(outcome),
                credit,
                None if low is None and high is None else Target(low, high),
                *(nan if value is None else value for value in place),
            )
            for index, outcome, credit, low, high, *place in steps
        ),
        ScoreBasis(compared),
        Alignment(tuple(StepMatch(tuple(own), tuple(done)) for own, done in matches), 0.0)
        if matches
        else None,
    )
