"""Seconds that each metric of the page excludes, counts as zero or bridges, and the doubtful values it uses."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from coachboard.formulas.session.clock_grid import held
from coachboard.formulas.session.quality import ColumnQuality
from coachboard.loaders.session_streams import SessionStreams
from coachboard.wire.stream_columns import groups

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
