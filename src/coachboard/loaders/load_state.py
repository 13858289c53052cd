"""Fitness, fatigue and form of an athlete after the known days, for the roster and the athlete page."""

from dataclasses import dataclass
from math import nan

from coachboard.analytics.frames import FATIGUE, FITNESS, FORM
from coachboard.analytics.season.load import MODELS, fitness_fatigue_form, own_start
from coachboard.loaders.known_days import KnownDays
from coachboard.models.enums import DataOnboardingStatus


@dataclass(frozen=True, slots=True)
class LoadState:
    """Fitness and fatigue after today, form at the beginning of today."""

    fitness: float
    fatigue: float
    form: float
    is_settling: bool = False  # in the first six weeks of data: shown, not judged


_UNKNOWN = {model.id: LoadState(nan, nan, nan) for model in MODELS.values()}


def load_states(known: KnownDays, import_status: DataOnboardingStatus) -> dict[str, LoadState]:
    """The load state under each pair of constants.

    Unknown, not 0, if no session of the year has a volume, and after a failed import without a session of this week.
    """
    if not known.has_volume or known.no_data_since(import_status) is not None:
        return _UNKNOWN
    return known.once("load states", lambda: _load_states(known))


def _load_states(known: KnownDays) -> dict[str, LoadState]:
    start = own_start(known.volumes)
    is_settling = len(known.volumes) <= start.settled_at
    states = {}
    for model in MODELS.values():
        last = fitness_fatigue_form(known.volumes, model, start=start).iloc[-1]
        states[model.id] = LoadState(
            float(last[FITNESS]), float(last[FATIGUE]), float(last[FORM]), is_settling=is_settling
        )
    return states
