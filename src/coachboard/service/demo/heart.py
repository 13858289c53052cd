"""The heart: it follows effort with a lag, drifts with time and heat, and stays under its maximum."""

import numpy as np

from coachboard.service.demo.cells import CELL_S, Floats, lag

# Heart rate reserve against relative effort: close to a line up to the threshold, then bending to the maximum
# (Lounana et al. 2007, Med Sci Sports Exerc 39:350; Skinner et al. 2003).
_AT_REST, _PER_EFFORT, _AT_THRESHOLD = 0.09, 0.81, 0.90
_BEND, _HIGHEST = 2.2, 0.995

_QUICK_S, _SLOW_S = 33.0, 280.0  # time constants of the on-response and of its slow component
# It answers late: in the recorded repetitions nothing for ten seconds, then 1.6 beats a second. Shares of an effort
# that arrive so many cells later.
_LATE = np.array([0.0, 0.15, 0.25, 0.3, 0.2, 0.1])
_QUICK = np.convolve(_LATE, np.exp(np.arange(28) * (-CELL_S / _QUICK_S)))
_QUICK /= _QUICK.sum()
_SLOW_SHARE = 0.24
# Of the reserve, when the device is started: 60 to 105 beats in the recordings.
_BEFORE, _BEFORE_DIFFERS, _CALMEST = 0.25, 0.08, 0.1
_DRIFT_AN_HOUR = 0.016  # Coyle and Gonzalez-Alonso 2001: more with heat
_DRIFT_PER_DEGREE = 0.0016
_MILD_C = 18.0
_DRIFT_AT_MOST = 0.11
_RIPPLES, _STEADIER, _TIDES, _TIDE_CELLS = 0.018, 0.014, 0.016, 48


def heart_rate(
    effort: Floats, *, hr_max: float, hr_rest: float, temperature_c: float, ripple: Floats
) -> Floats:
    """Beats a minute on the grid of cells for relative efforts."""
    reserve = _AT_REST + _PER_EFFORT * effort
    is_above = effort > 1
    if np.count_nonzero(is_above):
        bent = -np.expm1(-_BEND * (effort[is_above] - 1))
        reserve[is_above] = _AT_THRESHOLD + (_HIGHEST - _AT_THRESHOLD) * bent
    before = max(_BEFORE + _BEFORE_DIFFERS * float(ripple[0]), _CALMEST)
    followed = np.convolve(np.concatenate((np.full(len(_QUICK) - 1, before), reserve)), _QUICK, "valid")
    followed *= 1 - _SLOW_SHARE
    followed += _SLOW_SHARE * lag(reserve, _SLOW_S / CELL_S, before=before)
    an_hour = _DRIFT_AN_HOUR + _DRIFT_PER_DEGREE * max(0.0, temperature_c - _MILD_C)
    drift = np.arange(len(effort)) * (an_hour * CELL_S / 3600)
    followed *= 1 + np.minimum(drift, _DRIFT_AT_MOST)
    # The calmer the heart, the more it varies from breath to breath; and on some quarters of an hour it beats higher.
    followed += ripple * (_RIPPLES - _STEADIER * followed)
    tides = np.arange(-(-len(effort) // _TIDE_CELLS) + 1) * _TIDE_CELLS
    followed += _TIDES * np.interp(np.arange(len(effort)), tides, np.resize(ripple, len(tides)))
    return np.asarray(hr_rest + (hr_max - hr_rest) * np.minimum(followed, _HIGHEST))
