"""What is wrong with a session's record, and what the numbers of the page left out for it."""

from dataclasses import dataclass

import numpy as np

from coachboard.analytics.quality import ColumnQuality, Gap, column_quality, find_gaps
from coachboard.loaders.activity import ActivityData


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """One column: its quality and how many of its values were no numbers on the wire."""

    quality: ColumnQuality
    non_finite: int


@dataclass(frozen=True, slots=True, eq=False)
class QualityReport:
    """The record as a whole and column by column, the worst first."""

    samples: int
    elapsed_s: float
    recorded_s: float
    gaps: tuple[tuple[Gap, float], ...]  # with the elapsed second before each
    clock: str
    columns: tuple[ColumnReport, ...]
    empty_columns: tuple[str, ...]
    left_out: tuple[str, ...]


def report_of(data: ActivityData) -> QualityReport | None:
    """None where there are no streams."""
    streams = data.streams
    if streams is None or not len(streams):
        return None
    columns = tuple(
        ColumnReport(
            column_quality(name, values, streams.dt_s, streams.is_moving), streams.non_finite.get(name, 0)
        )
        for name, values in streams.columns.items()
    )
    gaps = tuple(
        (gap, float(streams.elapsed_s[gap.before])) for gap in find_gaps(streams.elapsed_s, streams.pause_s)
    )
    return QualityReport(
        samples=len(streams),
        elapsed_s=float(streams.elapsed_s[-1]),
        recorded_s=float(np.sum(streams.dt_s)),
        gaps=gaps,
        clock=streams.clock,
        columns=tuple(sorted(columns, key=_badness, reverse=True)),
        empty_columns=streams.empty_columns,
        left_out=_left_out(data, {column.quality.name: column.quality for column in columns}),
    )


def _badness(column: ColumnReport) -> float:
    found = column.quality
    return found.missing_s + found.dropout_s + found.flat_s + 60 * found.spikes + column.non_finite


def _left_out(data: ActivityData, columns: dict[str, ColumnQuality]) -> tuple[str, ...]:
    streams = data.streams
    texts = []
    power, rate = columns.get("power"), columns.get("heart_rate")
    if power is not None:
        texts.append(
            f"Average power leaves out {power.missing_s:.0f} s without a value; normalized power, work and "
            "best efforts count them as 0 W."
        )
        texts.append("Best efforts and W′ balance count pauses as 0 W; normalized power leaves pauses out.")
    if rate is not None:
        texts.append(
            f"Average heart rate leaves out {rate.missing_s:.0f} s without a value; its {rate.dropout_s:.0f} s of "
            "zeros count in it, and not in decoupling."
        )
    if streams is not None and streams.get("speed") is not None:
        standing_s = float(np.sum(streams.dt_s[~streams.is_moving]))
        texts.append(
            f"Active time, bands of speed and adjusted pace leave out {standing_s:.0f} s of standing."
        )
    texts.append("Spikes and flat stretches are reported, not repaired: they count in every number.")
    return tuple(texts)
