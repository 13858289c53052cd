"""What happened in a part of a session, always from every recorded sample of it, whatever the chart shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics import decoupling, elevation, power, zones
from coachboard.loaders.capacities import Capacities
from coachboard.loaders.session_streams import SessionStreams

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """Mean over time and extremes of one column; NaN where nothing of it was recorded in the part."""

    average: float
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class BandTimes:
    """Seconds in each band of one model, from below."""

    model: str
    reference: str
    seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SelectionSummary:
    """The numbers of the card; NaN where their inputs are missing."""

    elapsed_s: float
    active_s: float  # recorded and moving
    distance_m: float
    elevation_gain_m: float
    elevation_loss_m: float
    columns: Mapping[str, ColumnSummary]
    normalized_power_w: float
    power_per_kg: float
    variability_index: float
    efficiency: float  # normalized power a beat
    decoupling: decoupling.Decoupling | None
    work_kj: float
    work_before_kj: float
    bands: BandTimes | None


def summary_of(
    streams: SessionStreams, samples: slice, *, capacities: Capacities, from_s: float, to_s: float
) -> SelectionSummary:
    """Everything the card shows of the samples between two elapsed seconds."""
    part = {name: values[samples] for name, values in streams.columns.items()}
    dt_s = streams.dt_s[samples]
    power_w = part.get("power")
    normalized_w = _normalized(power_w, dt_s)
    average_w = _mean(power_w, dt_s)
    heart_rate = part.get("heart_rate")
    return SelectionSummary(
        elapsed_s=to_s - from_s,
        active_s=float(dt_s[streams.is_moving[samples]].sum()),
        distance_m=_covered(streams.distance_m, samples),
        **_climbed(part.get("altitude")),
        columns={name: _summary(values, dt_s) for name, values in part.items()},
        normalized_power_w=normalized_w,
        power_per_kg=average_w / capacities.weight_kg if capacities.weight_kg else nan,
        variability_index=normalized_w / average_w if average_w > 0 else nan,
        efficiency=decoupling.efficiency_factor(normalized_w, _mean(heart_rate, dt_s)),
        decoupling=_decoupling(part, dt_s),
        work_kj=power.work_kj(power_w, dt_s) if power_w is not None else nan,
        work_before_kj=_work_before(streams, samples.start),
        bands=_bands(part, dt_s, capacities),
    )


def _by_seconds(values: Floats, dt_s: Floats) -> Floats:
    # The formulas count in samples of a second; a record every 4 s stands for four of them.
    return np.repeat(values, np.maximum(np.rint(dt_s), 1).astype(np.intp))


def _normalized(power_w: Floats | None, dt_s: Floats) -> float:
    if power_w is None or not np.isfinite(power_w).any():
        return nan
    return power.normalized_power(_by_seconds(power_w, dt_s))


def _mean(values: Floats | None, dt_s: Floats) -> float:
    if values is None:
        return nan
    is_known = np.isfinite(values)
    weight = float(dt_s[is_known].sum())
    return float((values[is_known] * dt_s[is_known]).sum() / weight) if weight > 0 else nan


def _summary(values: Floats, dt_s: Floats) -> ColumnSummary:
    known = values[np.isfinite(values)]
    if not len(known):
        return ColumnSummary(nan, nan, nan)
    return ColumnSummary(_mean(values, dt_s), float(known.min()), float(known.max()))


def _covered(distance_m: Floats | None, samples: slice) -> float:
    if distance_m is None or samples.stop <= samples.start:
        return nan
    return float(distance_m[samples.stop - 1] - distance_m[samples.start])


def _climbed(altitude_m: Floats | None) -> dict[str, float]:
    gain, loss = (nan, nan)
    if altitude_m is not None and np.isfinite(altitude_m).any():
        gain, loss = elevation.gain_loss(altitude_m)
    return {"elevation_gain_m": gain, "elevation_loss_m": loss}


def _decoupling(part: Mapping[str, Floats], dt_s: Floats) -> decoupling.Decoupling | None:
    output = part.get("power", part.get("speed"))
    heart_rate = part.get("heart_rate")
    if output is None or heart_rate is None:
        return None
    return decoupling.decoupling(
        _by_seconds(output, dt_s), _by_seconds(heart_rate, dt_s), is_power="power" in part
    )


def _work_before(streams: SessionStreams, start: int) -> float:
    power_w = streams.get("power")
    return nan if power_w is None else power.work_kj(power_w[:start], streams.dt_s[:start])


def _bands(part: Mapping[str, Floats], dt_s: Floats, capacities: Capacities) -> BandTimes | None:
    choices = (
        ("power", capacities.critical_power_w, zones.POWER_BANDS),
        ("heart_rate", capacities.max_heart_rate_bpm, zones.HEART_RATE_BANDS),
        ("speed", capacities.critical_speed_mps, zones.SPEED_BANDS),
    )
    for name, reference, model in choices:
        values = part.get(name)
        if values is not None and reference and np.isfinite(values).any():
            times = zones.time_by_model(values, dt_s, reference=reference, model=model)
            return BandTimes(model.name, model.reference, times)
    return None
