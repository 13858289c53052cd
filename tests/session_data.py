"""The data of an activity page, made by hand for tests of loaders."""

import dataclasses
from datetime import date

import numpy as np

import rides
from coachboard.execution.adherence import Adherence, Done, Match, Planned
from coachboard.execution.capacities import Capacities, Reference, references_of
from coachboard.execution.compliance import by_work_steps, compliance
from coachboard.execution.sessions import score_of
from coachboard.loaders.summary_motion import recorded_session
from coachboard.pages.activity.data import ActivityData
from coachboard.wire.enums import MetricSport
from coachboard.wire.metrics import MetricType
from coachboard.wire.streams import ActivityStreams

TODAY = date(2026, 3, 10)
KNOWN = {
    MetricType.CRITICAL_POWER: 250.0,
    MetricType.W_PRIME: 20_000.0,
    MetricType.MAX_HEART_RATE: 190.0,
    MetricType.CRITICAL_SPEED: 4.0,
}


def data_of(activity=None, streams=None, *, known=KNOWN, **changes):
    references = {kind: Reference(value, None, None, MetricSport.CYCLING) for kind, value in known.items()}
    fields = {one.name: None for one in dataclasses.fields(ActivityData) if one.init}
    fields |= {
        "user_id": "me", "today": TODAY, "activity": activity or rides.activity(), "history": (), "legs": (),
        "capacities": Capacities(references), "candidates": (), "missing": (),
        "results": (),
    }  # fmt: skip
    fields["streams"] = None if streams is None else recorded_session(streams, fields["activity"])
    data = ActivityData(**(fields | changes))
    return data if data.match or not data.prescription else dataclasses.replace(data, match=matched(data))


def matched(data):
    """The pair of the session and its workout, scored as the lists score it."""
    score = score_of(data.prescription, data.activity, data.streams, references_of(data.capacities))
    day = data.prescription.date
    totals = (float(each or "nan") for each in (data.prescription.duration, data.activity.moving_duration))
    planned_s, done_s = totals
    planned = Planned("tpr_1", day, data.activity.sport, duration_s=planned_s)
    done = Done("act_1", day, data.activity.sport, duration_s=done_s)
    judged = by_work_steps(score) if score else compliance(planned, done)
    return Match(planned, done, Adherence.ON_TIME, judged)


def recorded(**columns):
    count = len(next(iter(columns.values())))
    at = np.datetime64("2026-03-09T08:00:00", "ms") + np.arange(count) * np.timedelta64(1000, "ms")
    return ActivityStreams({name: np.asarray(values, float) for name, values in columns.items()}, at)
