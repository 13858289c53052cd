"""Repeated climbs: ascents grouped by place, gain and length, with their speed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from math import cos, hypot, nan, radians

MOST_APART_M = 1_500.0
"""Largest distance between the starts of two rides with the same climb: the interface has no position of a climb."""
LIKE_SHARE = 0.05
"""Largest difference in gain and length of the same climb; a choice of this project."""
LEAST_GAIN_M = 40.0
"""Smaller climbs are too similar to distinguish; a choice of this project."""
_M_A_DEGREE = 111_195.0


@dataclass(frozen=True, slots=True)
class ClimbEffort:
    """An ascent; its position, in degrees, is the start of the activity."""

    activity_id: str
    day: date
    start_latitude: float
    start_longitude: float
    distance_m: float
    elevation_gain_m: float
    min_altitude_m: float
    duration_s: float
    power_w: float = nan
    power_w_per_kg: float = nan
    heart_rate_bpm: float = nan
    work_before_kj: float = nan
    is_on_foot: bool = False

    @property
    def vam_m_per_h(self) -> float:
        """Vertical metres per hour (VAM)."""
        return self.elevation_gain_m / self.duration_s * 3600 if self.duration_s > 0 else nan


def repeated_climbs(efforts: Iterable[ClimbEffort], *, least: int = 2) -> list[tuple[ClimbEffort, ...]]:
    """Efforts grouped by climb.

    Parameters
    ----------
    efforts : iterable of ClimbEffort
        Any order; those below `LEAST_GAIN_M` are left out.
    least : int
        Days on which a climb must have been ridden.

    Returns
    -------
    list of tuple of ClimbEffort
        The most often ridden first, each oldest first.

    Notes
    -----
    Two efforts count as the same climb if both are ridden or both on foot, the activities start within 1.5 km of each other, the altitudes of the
    bottom differ by at most 15 m, and length and gain by at most 5 %. Coachboard's own definition: the interface
    places activities, not climbs, so equal climbs from distant starts are not recognised.

    *Missing data*: climbs with less than 40 m of gain, and those ridden on one day only.

    *Worked example*: three climbs from one place with 400, 405 and 700 m of gain: the first two are one climb,
    ridden 2 times.

    Examples
    --------
    >>> def ride(n, gain):
    ...     return ClimbEffort(f"act_{n}", date(2026, 3, n), 46.0, 7.0, 5000, gain, 500, 1200)
    >>> [len(group) for group in repeated_climbs([ride(1, 400), ride(2, 405), ride(3, 700)])]
    [2]
    """
    groups: list[list[ClimbEffort]] = []
    for effort in sorted(efforts, key=lambda climb: (climb.day, climb.activity_id)):
        if effort.elevation_gain_m < LEAST_GAIN_M:
            continue
        home = next((group for group in groups if _is_same(group[0], effort)), None)
        if home is None:
            groups.append([effort])
        else:
            home.append(effort)
    often = [tuple(group) for group in groups if len({climb.day for climb in group}) >= least]
    return sorted(often, key=len, reverse=True)


def _is_same(effort: ClimbEffort, other: ClimbEffort) -> bool:
    return (
        effort.is_on_foot == other.is_on_foot
        and _like(effort.distance_m, other.distance_m)
        and _like(effort.elevation_gain_m, other.elevation_gain_m)
        and abs(effort.min_altitude_m - other.min_altitude_m) <= 15
        and _apart_m(effort, other) <= MOST_APART_M
    )


def _like(size: float, other: float) -> bool:
    return abs(size - other) <= LIKE_SHARE * max(size, other)


def _apart_m(effort: ClimbEffort, other: ClimbEffort) -> float:
    """Flat-earth distance, accurate for a few kilometres."""
    north = (effort.start_latitude - other.start_latitude) * _M_A_DEGREE
    east = (
        (effort.start_longitude - other.start_longitude) * _M_A_DEGREE * cos(radians(effort.start_latitude))
    )
    return hypot(north, east)


def fastest(group: Sequence[ClimbEffort]) -> ClimbEffort:
    """The effort with the highest VAM.

    Parameters
    ----------
    group : sequence of ClimbEffort
        At least one.

    Returns
    -------
    ClimbEffort
        The first of equals.

    Notes
    -----
    VAM is the gain divided by the time.

    *Missing data*: climbs with less than 40 m of gain.

    *Worked example*: 500 m in 1500 s is 1200 m/h, and in 1200 s 1500 m/h: the second is the fastest.

    Examples
    --------
    >>> slow = ClimbEffort("act_1", date(2026, 3, 1), 46.0, 7.0, 5000, 400, 500, 1500)
    >>> quick = ClimbEffort("act_2", date(2026, 3, 2), 46.0, 7.0, 5000, 400, 500, 1200)
    >>> fastest([slow, quick]).activity_id, fastest([slow, quick]).vam_m_per_h
    ('act_2', 1200.0)
    """
    return max(group, key=lambda effort: effort.vam_m_per_h)
