"""Quality of a session's streams, and the seconds that each metric excludes, counts as zero or bridges."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Literal, NamedTuple

import numpy as np

from coachboard.formulas.plausible import plausible_value
from coachboard.formulas.session.clock_grid import held
from coachboard.formulas.session.part_measures import highest
from coachboard.formulas.session.quality import ColumnQuality, Gap, column_quality, find_gaps
from coachboard.formulas.session.session_streams import Floats, SessionStreams
from coachboard.loaders.memo import once
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.efficiency import can_adjust, effort_mps
from coachboard.wire.activities import Activity
from coachboard.wire.stream_columns import BY_NAME, groups

Treatment = Literal["left out", "zero", "bridged"]


class MissingValueRule(NamedTuple):
    """How a metric treats missing seconds, pauses, zeros and standing still."""

    number: str
    column: str
    missing: Treatment
    pauses: Treatment
    leaves_zeros: bool = False
    leaves_standing: bool = False


W_BALANCE, BEST_BY_SPEED = "W′ balance (Coachboard)", "Best efforts by speed"
ADJUSTED_PACE = "Grade-adjusted pace"
EFFICIENCY, DECOUPLING = "Efficiency", "Decoupling, heart rate vs output"
RULES = (
    MissingValueRule("Average and maximum power", "power", "left out", "left out"),
    MissingValueRule("Normalized power, variability", "power", "zero", "left out"),
    MissingValueRule("Work, prior work", "power", "zero", "left out"),
    MissingValueRule("Best efforts by power", "power", "zero", "zero"),
    MissingValueRule(W_BALANCE, "power", "zero", "zero"),
    MissingValueRule("Time in power zones, distribution", "power", "left out", "left out"),
    MissingValueRule(
        "Average and maximum heart rate", "heart_rate", "left out", "left out", leaves_zeros=True
    ),
    MissingValueRule("Time in heart rate zones, distribution", "heart_rate", "left out", "left out"),
    MissingValueRule(EFFICIENCY, "heart_rate", "left out", "left out"),
    MissingValueRule(DECOUPLING, "heart_rate", "left out", "left out", leaves_zeros=True),
    MissingValueRule("Average speed", "speed", "left out", "left out", leaves_standing=True),
    MissingValueRule(
        "Time in speed zones, distribution", "speed", "left out", "left out", leaves_standing=True
    ),
    MissingValueRule(ADJUSTED_PACE, "speed", "left out", "left out", leaves_standing=True),
    MissingValueRule(BEST_BY_SPEED, "speed", "zero", "zero"),
    MissingValueRule("Distance of a selection", "distance", "bridged", "bridged"),
    MissingValueRule("Elevation gain and loss, grade", "altitude", "bridged", "bridged"),
    MissingValueRule("Average and maximum cadence", "cadence", "left out", "left out", leaves_zeros=True),
    MissingValueRule("Route", "position_lat", "left out", "left out"),
    *(
        MissingValueRule(
            "Sensor averages", column.name, "left out", "left out", leaves_zeros=column.zero != "value"
        )
        for columns in groups().values()
        for column in columns
    ),
)
"""The metrics computed by the dashboard; the service does not say what its summary excludes."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One metric: seconds excluded, counted as zero, bridged, and spikes included."""

    number: str
    column: str
    left_out_s: float
    as_zero_s: float
    bridged_s: float
    spikes: int

    @property
    def is_whole(self) -> bool:
        """Whether the metric uses every second, all without doubt."""
        return not (self.left_out_s or self.as_zero_s or self.bridged_s or self.spikes)


def left_out(
    streams: SessionStreams, qualities: Mapping[str, ColumnQuality], *, absent: Collection[str]
) -> tuple[LeftOut, ...]:
    """The metrics of this session in the page's order; `absent` are metrics it lacks."""
    return tuple(
        _of_rule(rule, streams, qualities[rule.column])
        for rule in RULES
        if rule.column in qualities and rule.number not in absent
    )


def _of_rule(rule: MissingValueRule, streams: SessionStreams, quality: ColumnQuality) -> LeftOut:
    pauses_s = float(streams.elapsed_s[-1] - streams.elapsed_s[0] + streams.dt_s[-1] - streams.dt_s.sum())
    seconds = {"left out": 0.0, "zero": 0.0, "bridged": 0.0}
    values = streams.columns[rule.column]
    # Metrics that count a dropout as zero bridge a short one with the last value.
    lost_s = float(streams.dt_s[np.isnan(held(values, streams.elapsed_s))].sum())
    held_s = quality.missing_s - lost_s if rule.missing == "zero" else 0.0
    seconds[rule.missing] += quality.missing_s - held_s
    seconds["bridged"] += held_s
    seconds[rule.pauses] += max(pauses_s, 0.0)
    is_recorded = np.isfinite(values)
    if rule.leaves_zeros:
        seconds["left out"] += float(streams.dt_s[is_recorded & (values <= 0)].sum())
    if rule.leaves_standing:
        seconds["left out"] += float(streams.dt_s[is_recorded & ~streams.is_moving].sum())
    return LeftOut(
        rule.number, rule.column, seconds["left out"], seconds["zero"], seconds["bridged"], quality.spikes
    )


@dataclass(frozen=True, slots=True)
class ColumnReport:
    """A column with its quality and the number of its non-numeric values on the wire."""

    quality: ColumnQuality
    non_finite: int


@dataclass(frozen=True, slots=True, eq=False)
class QualityReport:
    """The quality of the streams as a whole and by column, worst first."""

    samples: int
    elapsed_s: float
    recorded_s: float
    gaps: tuple[tuple[Gap, float], ...]  # with the elapsed second before each
    clock: str
    columns: tuple[ColumnReport, ...]
    empty_columns: tuple[str, ...]
    left_out: tuple[LeftOut, ...]


@once
def usable_summary(data: ActivityData) -> Activity:
    """The session without summary values of columns without information, and without impossible heart rates.

    Cadence and the maxima are those of the panels: devices differ in whether a stop counts as 0, and a walk had 33 in
    the headline and 52 above its panel.
    """
    unused = data.streams.unused if data.streams else {}
    # A device may know a distance that its records do not have.
    lost = {figure for name in unused if name != "distance" for figure in BY_NAME[name].figures}
    heart_rates = BY_NAME["heart_rate"].figures
    lost.update(name for name in heart_rates if isnan(plausible_value(name, getattr(data.activity, name))))
    return data.activity.model_copy(update=_cadence(data) | _maxima(data) | dict.fromkeys(lost))


def _cadence(data: ActivityData) -> dict[str, float]:
    """The mean without stops, in the field that the device used; empty if the recording has none of the whole session."""
    mean_rpm = data.streams.mean("cadence", slice(None)) if data.streams and data.streams.whole else nan
    averages = [name for name in BY_NAME["cadence"].figures if name.startswith("average_")]
    fields = [name for name in averages if getattr(data.activity, name) is not None]
    return {} if isnan(mean_rpm) else dict.fromkeys(fields, mean_rpm)


def _maxima(data: ActivityData) -> dict[str, float]:
    """The highest heart rate and power of the recording, if it has all of the session."""
    streams = data.streams
    if streams is None or not streams.whole:
        return {}
    maxima = {f"max_{name}": highest(streams, name, slice(None)) for name in ("heart_rate", "power")}
    return {field: value for field, value in maxima.items() if not isnan(value)}


@once
def report_of(data: ActivityData) -> QualityReport | None:
    """None without streams."""
    streams = data.streams
    if streams is None or not len(streams):
        return None
    columns = tuple(
        ColumnReport(_quality(streams, name, values), streams.non_finite.get(name, 0))
        for name, values in streams.recorded.items()
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
        left_out=left_out(
            streams,
            {column.quality.name: column.quality for column in columns if column.quality.is_sensor},
            absent=_absent(data),
        ),
    )


def _quality(streams: SessionStreams, name: str, values: Floats) -> ColumnQuality:
    """The quality of a column, with the judgement of `SessionStreams` whether it is used.

    The streams decide before they know the rests of a swim. A second judgement used a stuck strap whose values the
    streams lack: the page ended with a fault.
    """
    quality = column_quality(name, values, streams.dt_s, streams.is_moving)
    stuck = streams.stuck.get(name)
    flat_s = quality.flat_s if stuck is None else max(quality.flat_s, stuck.stuck_s)
    return replace(quality, is_sensor=stuck is None, flat_s=flat_s)


def _absent(data: ActivityData) -> set[str]:
    """Metrics that the page lacks for this session."""
    capacities = data.capacities
    has_output = data.effort_column == "power" or effort_mps(data) is not None
    has = {
        W_BALANCE: capacities.critical_power_w is not None and capacities.w_prime_j is not None,
        BEST_BY_SPEED: data.effort_column == "speed",
        ADJUSTED_PACE: can_adjust(data),
        EFFICIENCY: has_output,
        DECOUPLING: has_output,
    }
    return {number for number, is_there in has.items() if not is_there}


def _badness(column: ColumnReport) -> tuple[bool, float]:
    quality = column.quality
    return (
        not quality.is_sensor,
        quality.missing_s + quality.dropout_s + quality.flat_s + 60 * quality.spikes + column.non_finite,
    )
