"""The heart: it follows effort with a lag, drifts with time and heat, and stays under its maximum."""

from dataclasses import dataclass

import numpy as np

from coachboard_demo.cells import CELL_S, Floats, between
from coachboard_demo.rows import Rows

# Heart rate reserve against relative effort: close to a line up to the threshold, then bending to the maximum
# (Lounana et al. 2007, Med Sci Sports Exerc 39:350; Skinner et al. 2003).
_AT_REST, _PER_EFFORT, _AT_THRESHOLD = 0.09, 0.81, 0.90
_BEND, _HIGHEST = 2.2, 0.995

_SLOW_S = 280.0  # time constant of the slow component of the on-response
# It answers late and then in a straight line: in the recorded repetitions on a track nothing for ten seconds, 1.6
# beats a second for 50 s and then a corner; on the rowing machine 50 beats within 20 s and a slow creep after that.
# Once they are over it falls as straight. So an effort arrives evenly over a shorter or a longer while, in cells, and
# one time more of it over the shorter one than another time, and less of it when it falls.
_LATE, _SOON, _LONG = 3, 5, 14
_ROUND_S = 13.0  # a device tells a mean of the last beats, and corners and peaks are rounded by as much
_SOON_SHARE, _SOON_DIFFERS, _SOON_DOWN = 0.45, 0.4, 0.3
SLOW_SHARE = 0.24
_TAIL = 0.14
# Who stands for minutes within a session still beats at 85 to 110 in the recordings: sugar and warmth are carried on.
_STANDING = 0.29
# Of the reserve, when the device is started: 60 to 105 beats in the recordings.
_BEFORE, _BEFORE_DIFFERS, _CALMEST = 0.25, 0.08, 0.1
_DRIFT_AN_HOUR = 0.016  # Coyle and Gonzalez-Alonso 2001: more with heat
_DRIFT_PER_DEGREE = 0.0016
_MILD_C = 18.0
_DRIFT_AT_MOST = 0.11
_RIPPLES, _STEADIER, _TIDES, _TIDE_CELLS, _HIGH_TIDE = 0.016, 0.0126, 0.011, 48, 1.12
_STIFF_FROM, _STIFFER = 0.94, 0.5
_LIVELY, _LIVELIEST = 1.1, (0.9, 2.2)


@dataclass(frozen=True, slots=True)
class Hearts:
    """The heart of one session, or those of several."""

    hr_max: Floats | float
    hr_rest: Floats | float
    temperature_c: Floats | float
    slow_share: float = SLOW_SHARE  # of an effort, answered within minutes only


def heart_rate(effort: Floats, ripple: Floats, hearts: Hearts, rows: Rows | None = None) -> Floats:
    """Beats a minute on the grid of cells for relative efforts; `rows` are the sessions where it is several."""
    rows = rows or Rows(np.array([len(effort)]))
    hr_max, hr_rest, degrees = (
        np.broadcast_to(each, rows.sizes.shape)
        for each in (hearts.hr_max, hearts.hr_rest, hearts.temperature_c)
    )
    reserve = _AT_REST + _PER_EFFORT * effort
    is_above = effort > 1
    if np.count_nonzero(is_above):
        bent = -np.expm1(-_BEND * (effort[is_above] - 1))
        reserve[is_above] = _AT_THRESHOLD + (_HIGHEST - _AT_THRESHOLD) * bent
    np.maximum(reserve, _STANDING, out=reserve)
    before = np.maximum(_BEFORE + _BEFORE_DIFFERS * rows.first(ripple), _CALMEST)
    tide = _tide(rows, ripple)
    arrived = _answered(rows, reserve, before, _SOON_SHARE + _SOON_DIFFERS * tide)
    followed = rows.lagged(arrived, _ROUND_S / CELL_S, before=before)
    followed *= 1 - hearts.slow_share
    slow = rows.lagged(reserve, _SLOW_S / CELL_S, before=before)
    # It falls fast at first and then for minutes.
    followed += hearts.slow_share * slow + _TAIL * np.maximum(slow - arrived, 0)
    an_hour = _DRIFT_AN_HOUR + _DRIFT_PER_DEGREE * np.maximum(0.0, degrees - _MILD_C)
    followed *= np.minimum(1 + rows.gone * rows.each(an_hour * (CELL_S / 3600)), 1 + _DRIFT_AT_MOST)
    # The calmer the heart, the more it varies from breath to breath, at some times more than at others; and on some
    # quarters of an hour it beats higher.
    followed += ripple * (_RIPPLES - _STEADIER * followed) * between(_LIVELY + _LIVELY * tide, *_LIVELIEST)
    followed += _TIDES * tide
    # The nearer to the maximum, the more it takes.
    followed -= _STIFFER * np.maximum(followed - _STIFF_FROM, 0)
    return np.asarray(rows.each(hr_rest) + rows.each(hr_max - hr_rest) * np.minimum(followed, _HIGHEST))


def _tide(rows: Rows, ripple: Floats) -> Floats:
    """What changes from one quarter of an hour to the next, in straight lines between one mark and another."""
    marks = Rows(-(-rows.sizes // _TIDE_CELLS) + 1)
    drawn = ripple[marks.each(rows.starts) + marks.gone % marks.each(rows.sizes)]
    height = between(drawn, -_HIGH_TIDE, _HIGH_TIDE)
    since = rows.gone // _TIDE_CELLS
    mark = rows.each(marks.starts) + since
    low = height[mark]
    return np.asarray(
        low + (height[mark + 1] - low) * ((rows.gone - since * _TIDE_CELLS) * (1 / _TIDE_CELLS))
    )


def _answered(rows: Rows, reserve: Floats, before: Floats, soon: Floats) -> Floats:
    """What has arrived of the efforts: means over two whiles that ended some seconds ago."""
    found = rows.meant(reserve, _LONG, late=_LATE, before=before)
    quick = rows.meant(reserve, _SOON, late=_LATE, before=before)
    quick -= found
    quick *= soon
    np.maximum(quick, _SOON_DOWN * quick, out=quick)
    found += quick
    return found
