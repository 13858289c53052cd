"""The figures of a part of a session, and its time in intensity bands by power, else heart rate, else speed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite, nan

import numpy as np
from numpy.typing import NDArray

from coachboard.execution.capacities import Capacities
from coachboard.formulas.session import zones
from coachboard.formulas.session.decoupling import Decoupling, efficiency_factor
from coachboard.formulas.session.power import power_ratio
from coachboard.formulas.session.selection import SelectionSummary, summarize
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.pages.activity.comparison import Overlay
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.efficiency import effort_mps, heart_rate_against_output
from coachboard.wire.activities import Activity

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BandTimes:
    """Seconds in each band of a model, in ascending order, and the reference of the limits' percentages."""

    reference: str
    seconds: Mapping[str, float]


def summary_of(data: ActivityData, streams: SessionStreams, samples: slice) -> SelectionSummary:
    """The figures of the part, from every recorded sample."""
    return _summary(streams, samples, effort_mps=effort_mps(data), weight_kg=data.capacities.weight_kg)


@dataclass(frozen=True, slots=True)
class HeadlineRatios:
    """Ratios of the headline; NaN where unknown."""

    intensity_factor: float
    variability_index: float
    efficiency: float  # as in `SelectionSummary`
    decoupling: Decoupling | None


def headline_ratios(data: ActivityData, summary: Activity) -> HeadlineRatios:
    """From the powers of the summary, so that the headline's ratios fit the powers next to them."""
    normalized_w = summary.normalized_power
    drift = heart_rate_against_output(data)
    return HeadlineRatios(
        power_ratio(normalized_w, data.capacities.critical_power_w),
        power_ratio(normalized_w, summary.average_power),
        nan if data.streams is None else summary_of(data, data.streams, slice(None)).efficiency,
        None if drift is None else drift.decoupling,
    )


def summaries_of_both(
    streams: SessionStreams, overlay: Overlay, samples: slice
) -> tuple[SelectionSummary, SelectionSummary]:
    """The figures of the part in this session and in the compared session."""
    return _summary(streams, samples), _summary(overlay.streams, overlay.samples_of(samples))


def _summary(
    streams: SessionStreams,
    samples: slice,
    *,
    effort_mps: Floats | None = None,
    weight_kg: float | None = None,
) -> SelectionSummary:
    """The figures of the whole recording are those of the headline."""
    summary = summarize(streams, samples, effort_mps=effort_mps, weight_kg=weight_kg)
    normalized_w = streams.figure("normalized_power_w", samples, summary.normalized_power_w)
    columns = {
        name: replace(column, average=streams.figure(name, samples, column.average))
        for name, column in summary.columns.items()
    }
    average_w = columns["power"].average if "power" in columns else nan
    is_by_power = "power" in columns and isfinite(summary.efficiency)
    return replace(
        summary,
        active_s=streams.figure("active_s", samples, summary.active_s),
        distance_m=streams.figure("distance_m", samples, summary.distance_m),
        gain_m=streams.figure("gain_m", samples, summary.gain_m),
        loss_m=streams.figure("loss_m", samples, summary.loss_m),
        work_kj=streams.figure("work_kj", samples, summary.work_kj),
        normalized_power_w=normalized_w,
        efficiency=efficiency_factor(normalized_w, columns["heart_rate"].average)
        if is_by_power
        else summary.efficiency,
        columns=columns,
        power_per_kg=average_w / weight_kg if weight_kg else nan,
        variability_index=power_ratio(normalized_w, average_w),
    )


def band_times(
    streams: SessionStreams,
    samples: slice,
    capacities: Capacities,
    pace_bands: zones.BandModel = zones.SPEED_BANDS,
) -> BandTimes | None:
    """The bands of the first recorded measure with a known reference on that day."""
    choices = (
        ("power", capacities.critical_power_w, zones.POWER_BANDS),
        ("heart_rate", capacities.max_heart_rate_bpm, zones.HEART_RATE_BANDS),
        ("speed", capacities.critical_speed_mps, pace_bands),
    )
    for name, reference, model in choices:
        values = streams.columns.get(name)
        if values is not None and reference and np.isfinite(values[samples]).any():
            times = zones.time_by_model(
                values[samples], streams.dt_s[samples], reference=reference, model=model
            )
            return BandTimes(model.reference, times)
    return None
