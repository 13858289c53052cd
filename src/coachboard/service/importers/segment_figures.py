"""Figures of one segment of a leg's records, as laps and climbs report them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.session.distance import distance_along_m, distance_covered_m
from coachboard.formulas.session.elevation import gain_loss
from coachboard.formulas.session.power import cumulative_work_kj
from coachboard.formulas.session.selection import column_mean, moving_speed_mps
from coachboard.service.importers.record_times import held_column, is_moving, record_durations_s
from coachboard.service.importers.recording import Floats, Leg


def moment(seconds: float) -> datetime:
    """Seconds since 1970 as the interface's UTC time, whole seconds."""
    return datetime.fromtimestamp(math.floor(seconds), UTC)


def figure(value: float | None, digits: int = 2) -> float | None:
    """A number of the interface: finite and rounded, or missing."""
    return None if value is None or not math.isfinite(value) else round(float(value), digits)


def cycling_torque_nm(leg: Leg) -> Floats | None:
    """Torque at the crank, recorded or from power and cadence; standing pedals have none."""
    if "torque" in leg.columns:
        return leg.columns["torque"]
    power, cadence = leg.columns.get("power"), leg.columns.get("cadence")
    if power is None or cadence is None:
        return None
    turning = np.where(cadence > 0, cadence, np.nan)
    return power / (2 * math.pi * turning / 60)


@dataclass(frozen=True, slots=True, eq=False)
class LegSeries:
    """A leg's columns with the series that all its segments share; a `selection.Streams`."""

    leg: Leg
    dt_s: Floats
    is_moving: NDArray[np.bool_]
    work_kj: Floats | None  # done before each record
    torque_nm: Floats | None
    distance_m: Floats | None

    @classmethod
    def of(cls, leg: Leg) -> "LegSeries":
        dt_s = record_durations_s(leg)
        power = held_column(leg, "power")
        work = None if power is None else cumulative_work_kj(power, dt_s)
        distance_m = distance_along_m(leg.columns.get("distance"), leg.times_s)
        return cls(leg, dt_s, is_moving(leg), work, cycling_torque_nm(leg), distance_m)

    @property
    def columns(self) -> Mapping[str, Floats]:
        return self.leg.columns

    @property
    def elapsed_s(self) -> Floats:
        return self.leg.times_s - self.leg.times_s[:1]

    def between(self, start: int, end: int) -> "Segment":
        return Segment(self, start, end)


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Records from `start` to `end`, both included; it lasts until the next record."""

    series: LegSeries
    start: int
    end: int

    @property
    def duration_s(self) -> float:
        """Recorded time, pauses left out."""
        return round(float(self.series.dt_s[self._records].sum()), 3)

    @property
    def started_at(self) -> datetime:
        return moment(self.series.leg.times_s[self.start])

    @property
    def ended_at(self) -> datetime:
        return moment(self.series.leg.times_s[self.end])

    @property
    def work_before_kj(self) -> float | None:
        return None if self.series.work_kj is None else figure(self.series.work_kj[self.start])

    @property
    def _records(self) -> slice:
        return slice(self.start, self.end + 1)

    def _column(self, name: str) -> Floats:
        column = self.series.torque_nm if name == "torque" else self.series.leg.columns.get(name)
        return np.empty(0) if column is None else column[self._records]

    def values(self, name: str) -> Floats:
        """The finite values of a column."""
        inside = self._column(name)
        return inside[np.isfinite(inside)]

    def mean(self, name: str) -> float | None:
        """The mean over time of the recorded values; of power and speed with zeros, of cadence without."""
        inside = self._column(name)
        return figure(column_mean(name, inside, self.series.dt_s[self._records])) if len(inside) else None

    def highest(self, name: str) -> float | None:
        values = self.values(name)
        return figure(values.max()) if len(values) else None

    def lowest(self, name: str) -> float | None:
        values = self.values(name)
        return figure(values.min()) if len(values) else None

    def distance_m(self) -> float | None:
        """From boundary to boundary, as a selection measures it: laps add up to the session."""
        return figure(distance_covered_m(self.series.distance_m, self._records))

    @property
    def average_speed_mps(self) -> float | None:
        """Distance over duration; the mean of the speeds where no distance is known."""
        distance = self.distance_m()
        if distance is None or not self.duration_s > 0:
            return self.mean("speed")
        return figure(distance / self.duration_s)

    @property
    def moving_speed_mps(self) -> float | None:
        """Distance over moving time, as a selection has it."""
        return figure(moving_speed_mps(self.series, self._records))

    def gain_loss_m(self) -> tuple[float | None, float | None]:
        gain, loss = gain_loss(self.values("altitude"))
        return figure(gain), figure(loss)
