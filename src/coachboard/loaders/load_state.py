"""Fitness, fatigue and form of an athlete after the known days, for the roster and the athlete page."""

from dataclasses import dataclass
from math import nan

from coachboard.formulas.frames import FATIGUE, FITNESS, FORM
from coachboard.formulas.season.load import MODELS, fitness_fatigue_form, own_start
from coachboard.loaders.known_days import KnownDays
from coachboard.wire.enums import DataOnboardingStatus


@dataclass(frozen=True, slots=True)
class LoadState:
    """Fitness and fatigue after today, form at the beginning of today."""

    fitness: float
    fatigue: float
    form: float
    is_settling: bool = False  # in the first six weeks of data: shown, not judged


_UNKNOWN = {model.id: LoadState(nan, nan, nan) for model in MODELS.values()}


def load_states(known_days: KnownDays, import_status: DataOnboardingStatus) -> dict[str, LoadState]:
    """The load state under each pair of constants.

    Unknown, not 0, if no session of the year has a volume, and after a failed import without a session of this week.
    """
    if not known_days.has_volume or known_days.no_data_since(import_status) is not None:
        return _UNKNOWN
    return known_days.once("load states", lambda: _load_states(known_days))


def _load_states(known_days: KnownDays) -> dict[str, LoadState]:
    start = own_start(known_days.volumes)
    is_settling = len(known_days.volumes) <= start.settled_at
    states = {}
    for model in MODELS.values():
        last = fitness_fatigue_form(known_days.volumes, model, start=start).iloc[-1]
        states[model.id] = LoadState(
            float(last[FITNESS]), float(last[FATIGUE]), float(last[FORM]), is_settling=is_settling
        )
    return states
