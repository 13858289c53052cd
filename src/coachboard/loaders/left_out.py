"""What each number of the page left out, took for zero or bridged, and how many doubtful values count in it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from coachboard.analytics.clock_grid import held
from coachboard.analytics.quality import ColumnQuality
from coachboard.loaders.session_streams import SessionStreams

Treatment = Literal["left out", "zero", "bridged"]


class Rule(NamedTuple):
    """How one number treats seconds without a value, pauses of the record, zeros, and standing still."""

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
    Rule("Average and maximum power", "power", "left out", "left out"),
    Rule("Normalized power, variability", "power", "zero", "left out"),
    Rule("Work, prior work", "power", "zero", "left out"),
    Rule("Best efforts by power", "power", "zero", "zero"),
    Rule(W_BALANCE, "power", "zero", "zero"),
    Rule("Time in power zones, distribution", "power", "left out", "left out"),
    Rule("Average and maximum heart rate", "heart_rate", "left out", "left out"),
    Rule("Time in heart rate zones, distribution", "heart_rate", "left out", "left out"),
    Rule(EFFICIENCY, "heart_rate", "left out", "left out"),
    Rule(DECOUPLING, "heart_rate", "left out", "left out", leaves_zeros=True),
    Rule("Average speed", "speed", "left out", "left out", leaves_standing=True),
    Rule("Time in speed zones, distribution", "speed", "left out", "left out", leaves_standing=True),
    Rule(ADJUSTED_PACE, "speed", "left out", "left out", leaves_standing=True),
    Rule(BEST_BY_SPEED, "speed", "zero", "zero"),
    Rule("Distance of a selection", "distance", "bridged", "bridged"),
    Rule("Elevation gain and loss, grade", "altitude", "bridged", "bridged"),
    Rule("Average and maximum cadence", "cadence", "left out", "left out"),
    Rule("Route", "position_lat", "left out", "left out"),
    *(
        Rule("Sensor averages", name, "left out", "left out", leaves_zeros=True)
        for name in ("ground_contact_time", "step_length", "vertical_oscillation", "left_right_balance")
    ),
    *(
        Rule("Sensor averages", name, "left out", "left out")
        for name in (
            "torque",
            "core_temperature",
            "skin_temperature",
            "heat_strain_index",
            "breathing_rate",
            "tidal_volume",
            "minute_ventilation",
            "fluid_loss",
            "sodium_loss",
        )
    ),
)
"""Every number that is computed here from a column; the service's own summary says nothing of what it left out."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One number: seconds left out, taken for zero, bridged between neighbours, and spikes that count in it."""

    number: str
    column: str
    left_out_s: float
    as_zero_s: float
    bridged_s: float
    spikes: int

    @property
    def is_whole(self) -> bool:
        """Whether the number rests on every second, none of them doubtful."""
        return not (self.left_out_s or self.as_zero_s or self.bridged_s or self.spikes)


def left_out(
    streams: SessionStreams, found: Mapping[str, ColumnQuality], *, absent: Collection[str]
) -> tuple[LeftOut, ...]:
    """The numbers of this session in the order of the page; `absent` are those that it does not have."""
    return tuple(
        _of_rule(rule, streams, found[rule.column])
        for rule in RULES
        if rule.column in found and rule.number not in absent
    )


def _of_rule(rule: Rule, streams: SessionStreams, quality: ColumnQuality) -> LeftOut:
    pauses_s = float(streams.elapsed_s[-1] - streams.elapsed_s[0] + streams.dt_s[-1] - streams.dt_s.sum())
    seconds = {"left out": 0.0, "zero": 0.0, "bridged": 0.0}
    values = streams.columns[rule.column]
    # Numbers that count a loss as zero hold the last value over a short one.
    lost_s = float(streams.dt_s[np.isnan(held(values, streams.elapsed_s))].sum())
    held_s = quality.missing_s - lost_s if rule.missing == "zero" else 0.0
    seconds[rule.missing] += quality.missing_s - held_s
    seconds["bridged"] += held_s
    seconds[rule.pauses] += max(pauses_s, 0.0)
    known = np.isfinite(values)
    if rule.leaves_zeros:
        seconds["left out"] += float(streams.dt_s[known & (values <= 0)].sum())
    if rule.leaves_standing:
        seconds["left out"] += float(streams.dt_s[known & ~streams.is_moving].sum())
    return LeftOut(
        rule.number, rule.column, seconds["left out"], seconds["zero"], seconds["bridged"], quality.spikes
    )
