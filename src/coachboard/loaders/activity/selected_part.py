"""The figures of a part of a session, and its time in intensity bands by power, else heart rate, else speed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import nan

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.session import zones
from coachboard.analytics.session.power import power_ratio
from coachboard.analytics.session.selection import SelectionSummary, summarize
from coachboard.loaders.activity.comparison import Overlay
from coachboard.loaders.activity.efficiency import effort_mps
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.session_streams import SessionStreams
from coachboard.loaders.capacities import Capacities

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BandTimes:
    """Seconds in each band of a model, in ascending order, and the reference of the limits' percentages."""

    reference: str
    seconds: Mapping[str, float]


def summary_of(data: ActivityData, streams: SessionStreams, samples: slice) -> SelectionSummary:
    """The figures of the part, from every recorded sample."""
    return _summary(streams, samples, effort_mps=effort_mps(data), weight_kg=data.capacities.weight_kg)


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
    found = summarize(streams, samples, effort_mps=effort_mps, weight_kg=weight_kg)
    normalized_w = streams.figure("normalized_power_w", samples, found.normalized_power_w)
    columns = {
        name: replace(column, average=streams.figure(name, samples, column.average))
        for name, column in found.columns.items()
    }
    average_w = columns["power"].average if "power" in columns else nan
    return replace(
        found,
        active_s=streams.figure("active_s", samples, found.active_s),
        distance_m=streams.figure("distance_m", samples, found.distance_m),
        gain_m=streams.figure("gain_m", samples, found.gain_m),
        loss_m=streams.figure("loss_m", samples, found.loss_m),
        work_kj=streams.figure("work_kj", samples, found.work_kj),
        normalized_power_w=normalized_w,
        columns=columns,
        power_per_kg=average_w / weight_kg if weight_kg else nan,
        variability_index=power_ratio(normalized_w, average_w),
    )


def band_times(streams: SessionStreams, samples: slice, capacities: Capacities) -> BandTimes | None:
    """The bands of the first recorded measure with a known reference on that day."""
    choices = (
        ("power", capacities.critical_power_w, zones.POWER_BANDS),
        ("heart_rate", capacities.max_heart_rate_bpm, zones.HEART_RATE_BANDS),
        ("speed", capacities.critical_speed_mps, zones.SPEED_BANDS),
    )
    for name, reference, model in choices:
        values = streams.columns.get(name)
        if values is not None and reference and np.isfinite(values[samples]).any():
            times = zones.time_by_model(
                values[samples], streams.dt_s[samples], reference=reference, model=model
            )
            return BandTimes(model.reference, times)
    return None
