"""Pair the laps of two sessions, in order or by similarity."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

from coachboard.execution.alignment import align
from coachboard.execution.alignment_costs import Piece
from coachboard.formulas.session.part_measures import Spans, device_spans, indexed_spans
from coachboard.formulas.session.selection import weighted_mean
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.wire.activities import Activity

_LEVELS = ("power", "speed", "heart_rate")
_MOST_MATCHED = 60
"""With more laps per session pair in order: matching by similarity would take seconds."""

Recorded: TypeAlias = tuple[Activity, SessionStreams]


@dataclass(frozen=True, slots=True)
class LapPair:
    """Two paired laps: their numbers from one on, and their spans."""

    numbers: tuple[int, ...]
    other_numbers: tuple[int, ...]
    this: tuple[float, float]
    other: tuple[float, float]


def can_pair(activity: Activity, other: Activity) -> bool:
    """Whether both sessions have several laps of one kind: classified, else device laps."""
    return _kind(activity, other) is not None


def pair_laps(first: Recorded, second: Recorded) -> tuple[LapPair, ...]:
    """In order if both have the same number, else by level and duration; drops laps without a counterpart."""
    kind = _kind(first[0], second[0])
    if kind is None:
        return ()
    spans, others = (_spans(*session, kind) for session in (first, second))
    if len(spans) == len(others) or max(len(spans), len(others)) > _MOST_MATCHED:
        rows = zip(range(1, len(spans) + 1), spans, others, strict=False)
        return tuple(LapPair((number,), (number,), this, other) for number, this, other in rows)
    return _alike(spans, others, first=first[1], second=second[1])


def paired_laps(pairs: Sequence[LapPair], first: SessionStreams, second: SessionStreams) -> pd.DataFrame:
    """A row per pair in the service's units: time and means of both sessions; NaN without the column."""
    rows = [
        {
            "laps": "+".join(map(str, pair.numbers)),
            "other_laps": "+".join(map(str, pair.other_numbers)),
            "duration_s": pair.this[1] - pair.this[0],
            "other_duration_s": pair.other[1] - pair.other[0],
            **{name: _mean(first, name, pair.this) for name in _LEVELS},
            **{f"other_{name}": _mean(second, name, pair.other) for name in _LEVELS},
        }
        for pair in pairs
    ]
    return pd.DataFrame(rows)


def _mean(streams: SessionStreams, name: str, span: tuple[float, float]) -> float:
    return streams.mean(name, streams.between(*span))


def _kind(activity: Activity, other: Activity) -> str | None:
    for kind in ("laps", "provider_laps"):
        if min(len(getattr(session, kind)) for session in (activity, other)) > 1:
            return kind
    return None


def _spans(activity: Activity, streams: SessionStreams, kind: str) -> Spans:
    if kind == "laps":
        return indexed_spans(activity, streams, activity.laps)
    return device_spans(activity, streams)


def _alike(
    spans: Spans, others: Spans, *, first: SessionStreams, second: SessionStreams
) -> tuple[LapPair, ...]:
    column = next((name for name in _LEVELS if name in first.columns and name in second.columns), None)
    # Any reference works, because both sides are percent of the same value: this session's mean.
    reference = weighted_mean(first.columns[column], first.dt_s) if column else np.nan
    pieces = [
        _piece(streams, span, column, reference)
        for streams, rows in ((first, spans), (second, others))
        for span in rows
    ]
    alignment = align(pieces[: len(spans)], pieces[len(spans) :])
    return tuple(
        LapPair(
            _numbers(match.steps),
            _numbers(match.stretches),
            (spans[match.steps[0]][0], spans[match.steps[-1]][1]),
            (others[match.stretches[0]][0], others[match.stretches[-1]][1]),
        )
        for match in alignment.matches
        if match.steps and match.stretches
    )


def _piece(streams: SessionStreams, span: tuple[float, float], column: str | None, reference: float) -> Piece:
    level = _mean(streams, column, span) if column else np.nan
    return Piece(level / reference * 100 if reference else np.nan, span[1] - span[0])


def _numbers(places: Sequence[int]) -> tuple[int, ...]:
    return tuple(place + 1 for place in places)
