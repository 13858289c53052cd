"""Legs made by hand, one record a second unless the test says otherwise."""

from typing import Any

import numpy as np

from coachboard.service.importers.recording import Leg

START_S = 1_777_874_400.0  # 2026-05-04 06:00 UTC


def leg(count: int = 60, *, step_s: float = 1.0, times: Any = None, figures: Any = None, **more: Any) -> Leg:
    """A leg; arguments in camelCase of the interface's streams are columns, a number standing for all rows."""
    elapsed = np.arange(count) * step_s if times is None else np.asarray(times, np.float64)
    fields = {name: more.pop(name) for name in list(more) if name in Leg.__dataclass_fields__}
    columns = {
        name: np.broadcast_to(np.asarray(values, np.float64), elapsed.shape) for name, values in more.items()
    }
    return Leg(
        started_s=START_S,
        times_s=START_S + elapsed,
        columns=columns,
        **{"figures": figures or {}, **fields},
    )
