"""The laps that the device itself wrote: one for each step of a workout it led through, else one of the whole."""

from itertools import accumulate
from typing import Any

import numpy as np

from coachboard.models.activities import ProviderLap
from coachboard.models.enums import Sport
from coachboard_demo.batch import Batch
from coachboard_demo.built import Part, parts
from coachboard_demo.cells import CELL_S, Floats
from coachboard_demo.session import Session, moments
from coachboard_demo.trace import Trace

_DEVICE_LABELS = {
    "warm up": "warmup", "cool down": "cooldown", "intra-recovery": "recovery", "rest": "rest", "active": "active",
    "maximum": "active",
}  # fmt: skip


_AUTO_LAP_M = 1000.0


def provider_laps_of(batch: Batch, trace: Trace) -> list[tuple[Part, ...]]:
    """Laps of each session as the device lists them."""
    return [
        _of_one(session, here.stop - here.start, None if trace.distance_m is None else trace.distance_m[here])
        for session, here in zip(batch.sessions, batch.slices(), strict=True)
    ]


def _of_one(session: Session, cells: int, distance_m: Floats | None) -> tuple[Part, ...]:
    if any(part.label in _DEVICE_LABELS for part in session.done):
        planned = list(accumulate(part.duration_s for part in session.done))
        labels = [_DEVICE_LABELS.get(part.label) for part in session.done]
        return _laps(session, planned, labels, ["time"] * len(labels))
    ends = [*_kilometres(session, distance_m), cells * CELL_S]
    return _laps(session, ends, [None] * len(ends), ["distance"] * (len(ends) - 1) + ["session_end"])


def _kilometres(session: Session, distance_m: Floats | None) -> list[int]:
    """The seconds at which a watch ends a lap by itself; only runners leave that on."""
    if session.kind.sport is not Sport.RUNNING or distance_m is None:
        return []
    marks = np.arange(_AUTO_LAP_M, float(distance_m[-1]) - 1, _AUTO_LAP_M)
    return [(cell + 1) * CELL_S for cell in distance_m.searchsorted(marks).tolist()]


def _laps(
    session: Session, ends: list[int], labels: list[str | None], triggers: list[str]
) -> tuple[Part, ...]:
    starts = moments(session, [0, *ends[:-1]])
    columns: dict[str, list[Any]] = {
        "started_at": starts,
        # A lap lasts until the next begins, the last one until its last record's second is over.
        "ended_at": [*starts[1:], *moments(session, ends[-1:])],
        "intensity": labels,
        "lap_trigger": triggers,
    }
    return parts(ProviderLap, columns)
