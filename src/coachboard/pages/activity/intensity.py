"""Time in bands and distribution of a session, with model and reference."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.session.even_speed import even_speed
from coachboard.formulas.session.zones import (
    HEART_RATE_BANDS,
    POWER_BANDS,
    SPEED_BANDS,
    BandModel,
    Distribution,
    distribution,
    time_by_model,
)
from coachboard.loaders.memo import once
from coachboard.pages.activity.data import ActivityData
from coachboard.wire.metrics import MetricType

Floats = NDArray[np.float64]

_WIDTHS = {"power": 10.0, "heart_rate": 2.0, "speed": 0.1}
_REFERENCES = {
    "power": MetricType.CRITICAL_POWER,
    "heart_rate": MetricType.MAX_HEART_RATE,
    "speed": MetricType.CRITICAL_SPEED,
}
COLUMNS = tuple(_REFERENCES)


def band_model(column: str, pace_bands: BandModel) -> BandModel:
    """The zones of a quantity; those of speed and pace are the reader's choice."""
    return {"power": POWER_BANDS, "heart_rate": HEART_RATE_BANDS, "speed": pace_bands}[column]


@dataclass(frozen=True, slots=True, eq=False)
class Intensity:
    """One quantity: seconds by band (None without the athlete's reference) and seconds by value."""

    column: str
    model: BandModel
    reference: float | None
    seconds: dict[str, float] | None
    histogram: Distribution


def columns_with_values(data: ActivityData) -> list[str]:
    """The recorded ones of power, heart rate and speed."""
    return [] if data.streams is None else [name for name in COLUMNS if data.streams.get(name) is not None]


@once
def intensity_by(data: ActivityData, column: str, pace_bands: BandModel = SPEED_BANDS) -> Intensity | None:
    """Time in bands while recording; for speed moving time only, because a stop is not easy running."""
    streams = data.streams
    values = None if streams is None else streams.get(column)
    if streams is None or values is None:
        return None
    if column == "speed":
        even = even_speed(streams)
        values = np.where(streams.is_moving, values if even is None else even, np.nan)
    return _intensity(data, column, values, streams.dt_s, band_model(column, pace_bands))


def speed_intensity(
    data: ActivityData, speed_mps: Floats, dt_s: Floats, pace_bands: BandModel = SPEED_BANDS
) -> Intensity:
    """The same for another speed of the session, such as the grade-adjusted one."""
    return _intensity(data, "speed", speed_mps, dt_s, pace_bands)


def _intensity(data: ActivityData, column: str, values: Floats, dt_s: Floats, model: BandModel) -> Intensity:
    capacity = data.capacities.of(_REFERENCES[column])
    reference = capacity.value if capacity and capacity.value > 0 else None
    seconds = None if reference is None else time_by_model(values, dt_s, reference=reference, model=model)
    return Intensity(column, model, reference, seconds, distribution(values, dt_s, width=_WIDTHS[column]))
