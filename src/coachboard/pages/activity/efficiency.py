"""Output per heartbeat by minute, and grade-adjusted speed by kilometre or mile."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coachboard.formulas.session.clock_grid import per_second
from coachboard.formulas.session.decoupling import Decoupling, decoupling
from coachboard.formulas.session.even_speed import effort_speed_mps
from coachboard.formulas.session.grade import ADJUSTED_SPEED, GradeModel, grade_adjusted_speed, grade_pct
from coachboard.formulas.session.selection import adjusted_speed_mps, moving_speed_mps, weighted_mean
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.formulas.session.zones import SPEED_BANDS, BandModel
from coachboard.loaders.memo import once
from coachboard.pages.activity.bands import Intensity, speed_intensity
from coachboard.pages.activity.data import ActivityData

Floats = NDArray[np.float64]

_MINUTE_S = 60


@dataclass(frozen=True, slots=True, eq=False)
class HeartRateAgainstOutput:
    """One-minute means of output and heart rate, and the decoupling."""

    column: str  # the output: power or speed
    is_adjusted: bool  # speed adjusted for the grade as in `GradeModel.MINETTI`
    minutes: Floats
    output: Floats
    heart_rate_bpm: Floats
    decoupling: Decoupling

    @property
    def middle(self) -> int:
        """The first minute of the second half."""
        return (len(self.minutes) + 1) // 2


@dataclass(frozen=True, slots=True, eq=False)
class GradeAdjusted:
    """Measured and grade-adjusted speed: total, and per kilometre or mile."""

    model: GradeModel
    speed_mps: float
    adjusted_mps: float
    splits: pd.DataFrame  # a row per kilometre or mile: way (its number), speed_mps, adjusted_mps, grade_pct
    intensity: Intensity  # time at each adjusted speed while moving
    grade_source: str


@once
def heart_rate_against_output(data: ActivityData) -> HeartRateAgainstOutput | None:
    """None without heart rate, and without power or a speed that measures effort."""
    streams = data.streams
    if streams is None or streams.get("heart_rate") is None:
        return None
    column = "speed" if streams.get("power") is None else "power"
    values = effort_mps(data) if column == "speed" else streams.columns[column]
    if values is None:
        return None
    is_adjusted = column == "speed" and can_adjust(data)
    output, rate = (per_second(series, streams.dt_s) for series in (values, streams.columns["heart_rate"]))
    drift = decoupling(output, rate, is_power=column == "power")
    both = np.isfinite(output) & (rate > 0)
    minutes, means = minute_means(np.where(both, output, np.nan), np.where(both, rate, np.nan))
    return HeartRateAgainstOutput(column, is_adjusted, minutes, means[0], means[1], drift)


def effort_mps(data: ActivityData) -> Floats | None:
    """The speed that measures effort, grade-adjusted on foot; None for other sports."""
    return None if data.streams is None else effort_speed_mps(data.streams, data.activity.sport)


def minute_means(*series: Floats) -> tuple[Floats, list[Floats]]:
    """The minutes with a value in at least half of their seconds, and each series' means over them."""
    count = len(series[0]) // _MINUTE_S
    blocks = [values[: count * _MINUTE_S].reshape(count, _MINUTE_S) for values in series]
    is_full = np.isfinite(blocks[0]).sum(axis=1) >= _MINUTE_S // 2 if count else np.empty(0, np.bool_)
    return np.flatnonzero(is_full).astype(np.float64), [
        np.nanmean(block[is_full], axis=1) for block in blocks
    ]


def can_adjust(data: ActivityData) -> bool:
    """Whether the sport is on foot, with speed, distance and altitude."""
    return data.streams is not None and data.streams.get(ADJUSTED_SPEED) is not None


@once
def grade_adjusted(
    data: ActivityData, model: GradeModel, *, per_m: float, pace_bands: BandModel = SPEED_BANDS
) -> GradeAdjusted | None:
    """None if `can_adjust` is false. Grades come from altitude, because the unit of the grade stream is not stated."""
    streams = data.streams
    if streams is None or streams.distance_m is None or not can_adjust(data):
        return None
    speed = streams.columns["speed"]
    grades = grade_pct(streams.distance_m, streams.columns["altitude"])
    adjusted = grade_adjusted_speed(speed, grades, model)
    pace = streams.mean("speed", slice(None))
    ratio = adjusted_speed_mps(streams, slice(None), adjusted) / moving_speed_mps(streams, slice(None))
    splits = _splits(streams, streams.distance_m, per_m, adjusted, grades)
    moving_mps = np.where(streams.is_moving, adjusted, np.nan)
    intensity = speed_intensity(data, moving_mps, streams.dt_s, pace_bands)
    return GradeAdjusted(model, pace, pace * ratio, splits, intensity, "altitude over distance")


def _splits(
    streams: SessionStreams, distance_m: Floats, per_m: float, adjusted: Floats, grades: Floats
) -> pd.DataFrame:
    numbers = np.floor((distance_m - distance_m[0]) / per_m)
    moving_s = np.where(streams.is_moving, streams.dt_s, 0.0)
    rows = []
    for number in np.unique(numbers):
        window = slice(*np.searchsorted(numbers, [number, number + 1]).tolist())
        if moving_s[window].sum() > 0:
            speed = moving_speed_mps(streams, window)
            grade = weighted_mean(grades[window], moving_s[window])
            rows.append((number + 1, speed, adjusted_speed_mps(streams, window, adjusted), grade))
    return pd.DataFrame(rows, columns=["way", "speed_mps", "adjusted_mps", "grade_pct"])
