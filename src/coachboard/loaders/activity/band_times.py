"""Time in intensity bands of a part of a session, by power, else heart rate, else speed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coachboard.analytics.session import zones
from coachboard.loaders.activity.session_streams import SessionStreams
from coachboard.loaders.capacities import Capacities


@dataclass(frozen=True, slots=True)
class BandTimes:
    """Seconds in each band of a model, in ascending order, and the reference of the limits' percentages."""

    reference: str
    seconds: Mapping[str, float]


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
