"""Time in bands of a part of a session, by the best measure there is: power, else heart rate, else speed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from coachboard.analytics import zones
from coachboard.loaders.capacities import Capacities
from coachboard.loaders.session_streams import SessionStreams


@dataclass(frozen=True, slots=True)
class BandTimes:
    """Seconds in each band of one model, from below, and what its edges are percent of."""

    reference: str
    seconds: Mapping[str, float]


def band_times(streams: SessionStreams, samples: slice, capacities: Capacities) -> BandTimes | None:
    """The bands of the first measure that was recorded and whose reference is known for that day."""
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
