"""A pool: lengths of one stroke after another, rests at the wall."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from coachboard.wire.activities import Length
from coachboard.wire.enums import StrokeType
from coachboard_demo.chance import chance
from coachboard_demo.grid import CELL_S, Floats, Ints, Spans
from coachboard_demo.rows import Part, parts
from coachboard_demo.session import POOL_M, SimulatedSession, Swum, moments

# Speed of a stroke against freestyle, and metres a stroke cycle (Craig et al. 1985, Med Sci Sports Exerc 17:625).
_STROKES = {
    StrokeType.FREESTYLE: (1.0, 2.05), StrokeType.BACKSTROKE: (0.89, 2.0), StrokeType.BREASTSTROKE: (0.8, 1.75),
    StrokeType.BUTTERFLY: (0.93, 1.8), StrokeType.DRILL: (0.72, 1.6), StrokeType.MIXED: (0.85, 1.8),
    StrokeType.IM: (0.88, 1.85), StrokeType.IM_BY_ROUND: (0.87, 1.85), StrokeType.RIMO: (0.86, 1.85),
}  # fmt: skip
_PUSH_OFF_M = 3.0
_UNEVEN = 0.02
_AT_THE_WALL = 0.15  # relative effort that the heart answers at rest


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of a session in seconds; the rests lie between them."""

    start_s: Ints
    end_s: Ints  # exclusive
    effort: Floats
    strokes: Ints
    stroke: tuple[StrokeType | None, ...]
    total_s: int  # whole cells


def lengths_of(session: SimulatedSession) -> Lengths:
    """Swim the sets."""
    return _swim(session.seed, session.swum, session.body.speed_mps)


@lru_cache(maxsize=64)
def _swim(seed: int, sets: tuple[Swum, ...], speed_mps: float) -> Lengths:
    rng = chance("lengths", seed)
    counts = np.array([swum.lengths for swum in sets])
    kinds = [StrokeType(swum.stroke) if swum.stroke else None for swum in sets]
    effort = np.repeat([swum.effort for swum in sets], counts)
    pace, reach = np.repeat([_STROKES[kind or StrokeType.MIXED] for kind in kinds], counts, axis=0).T
    ends = counts.cumsum()
    speed = speed_mps * effort * pace * np.exp(_UNEVEN * rng.standard_normal(len(effort)))
    seconds = np.rint(np.maximum(POOL_M / speed, 8.0)).astype(np.int64)
    rests = np.zeros(len(seconds), np.int64)
    rests[ends - 1] = [swum.rest_s for swum in sets]
    start = np.append(0, (seconds + rests).cumsum()[:-1])
    usual = (POOL_M - _PUSH_OFF_M) / (reach * (1.12 - 0.12 * effort))
    strokes = np.maximum(np.rint(usual + 0.4 * rng.standard_normal(len(usual))), 1).astype(np.int64)
    stroke = tuple(kind for kind, count in zip(kinds, counts.tolist(), strict=True) for _ in range(count))
    end = start + seconds
    return Lengths(start, end, effort, strokes, stroke, -(-int(end[-1]) // CELL_S) * CELL_S)


def by_cell(lengths: Lengths) -> Floats:
    """Share of the cell in motion, speed, effort and stroke rate, by the share of each cell that lengths fill."""
    spans = lengths.end_s - lengths.start_s
    rows = np.array([np.ones(len(spans)), POOL_M / spans, lengths.effort, lengths.strokes * 60 / spans])
    seconds = np.zeros((4, lengths.total_s))
    seconds[2] = _AT_THE_WALL
    offsets = np.arange(int(spans.sum())) - np.repeat(spans.cumsum() - spans, spans)
    seconds[:, np.repeat(lengths.start_s, spans) + offsets] = np.repeat(rows, spans, axis=1)
    return np.asarray(seconds.reshape(4, -1, CELL_S).mean(axis=2))


def rows_of(session: SimulatedSession, lengths: Lengths, heart_rate: Floats | None) -> tuple[Part, ...]:
    """The lengths as the service lists them."""
    spans = lengths.end_s - lengths.start_s
    first, last = lengths.start_s.tolist(), (lengths.end_s - 1).tolist()
    columns: dict[str, Any] = {
        "started_at_index": first,
        "ended_at_index": last,
        "started_at": moments(session, first),
        "ended_at": moments(session, last),
        "duration": spans.tolist(),
        "stroke_type": lengths.stroke,
        "average_speed": (POOL_M / spans).round(3).tolist(),
        "average_cadence": (lengths.strokes * 60 / spans).round(1).tolist(),
        "stroke_count": lengths.strokes.tolist(),
    }
    if heart_rate is not None:
        first_cell = lengths.start_s // CELL_S
        beats = Spans(first_cell, np.maximum(lengths.end_s // CELL_S, first_cell + 1), len(heart_rate))
        columns["average_heart_rate"] = beats.means(heart_rate).round(1).tolist()
        columns["max_heart_rate"] = np.rint(beats.highest(heart_rate)).tolist()
    return parts(Length, columns)
