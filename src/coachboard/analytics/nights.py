"""Recorded nights laid on days: stages, timing, recovery values and what is normal for this athlete."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics import hrv, sleep
from coachboard.analytics.baseline import OwnNormal, own_normal, trailing_mean
from coachboard.analytics.days import daily_last, day_row
from coachboard.models.body import Sleep

STAGES = ("deep", "light", "rem", "awake", "noData")
"""In the order in which they are stacked; the names of the palette."""
BASELINE_DAYS = 75
"""How far before the first day shown nights are read: 60 days of own normal and some slack."""
TOTAL_SLACK_S = 120
"""How far a night's total may lie from the sum it is checked against; ours."""

_Row = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Nights:
    """One value a day from `days[0]` to `days[-1]`, NaN where no night was recorded."""

    days: list[date]
    shown_from: int  # index of the first day that is shown; the days before it carry the own normal
    stages_s: dict[str, _Row]
    in_bed_s: _Row
    asleep_s: _Row
    efficiency_pct: _Row
    start_h: _Row  # local clock time
    end_h: _Row
    mid_sleep_h: _Row
    utc_offset_min: _Row
    hrv_ms: _Row
    hrv_line: _Row  # 7-day mean, ms
    hrv_normal: OwnNormal  # on ln ms
    resting_bpm: _Row
    resting_line: _Row
    resting_normal: OwnNormal
    skin_deviation_c: _Row
    skin_c: _Row
    total_is: str  # what totalDuration was found to hold, in words

    @property
    def recorded(self) -> int:
        """Nights recorded among the days shown."""
        return int(
            (~np.isnan(self.asleep_s[self.shown_from :]) | ~np.isnan(self.hrv_ms[self.shown_from :])).sum()
        )

    def shown(self, row: _Row) -> _Row:
        """The part of a row that is shown."""
        return row[self.shown_from :]


def nights_of(rows: Iterable[Sleep], *, first: date, start: date, end: date) -> Nights:
    """Recorded nights laid on days.

    Parameters
    ----------
    rows : iterable of Sleep
        In any order; of two rows of one day the later wins.
    first : date
        From where the own normal is built.
    start, end : date
        First and last day that is shown.

    Returns
    -------
    Nights
        One value a day from `first` to `end`, NaN where there is none.

    Notes
    -----
    Durations are taken as seconds, HRV as rMSSD in ms, temperatures as degrees Celsius: the interface does
    not state them (docs/assumptions.md).

    Examples
    --------
    >>> day = date(2026, 3, 2)
    >>> nights_of([], first=day, start=day, end=day).recorded
    0
    """
    return _laid_on_days(sorted(rows, key=lambda night: night.day), first=first, start=start, end=end)


def _laid_on_days(rows: list[Sleep], *, first: date, start: date, end: date) -> Nights:
    dates = [night.day for night in rows]

    def on_days(name: str) -> _Row:
        return daily_last(dates, [getattr(night, name) for night in rows], start=first, end=end)

    stages = {
        "deep": on_days("deep_duration"),
        "light": on_days("light_duration"),
        "rem": on_days("rem_duration"),
        "awake": on_days("awake_duration"),
        "noData": on_days("no_data_duration"),
    }
    asleep = sleep.asleep_s(stages["light"], stages["rem"], stages["deep"])
    in_bed = on_days("in_bed_duration")
    start_h = daily_last(dates, [clock_h(night.started_at_local) for night in rows], start=first, end=end)
    end_h = daily_last(dates, [clock_h(night.ended_at_local) for night in rows], start=first, end=end)
    hrv_ms, resting = on_days("average_hrv"), on_days("resting_heart_rate")
    return Nights(
        days=day_row(first, end),
        shown_from=(start - first).days,
        stages_s=stages,
        in_bed_s=in_bed,
        asleep_s=asleep,
        efficiency_pct=sleep.efficiency_pct(asleep, in_bed),
        start_h=start_h,
        end_h=end_h,
        mid_sleep_h=sleep.mid_sleep_h(start_h, end_h),
        utc_offset_min=on_days("utc_offset"),
        hrv_ms=hrv_ms,
        hrv_line=hrv.to_ms(hrv.seven_day_line(hrv_ms)),
        hrv_normal=hrv.normal_range(hrv_ms),
        resting_bpm=resting,
        resting_line=trailing_mean(resting),
        resting_normal=own_normal(resting),
        skin_deviation_c=on_days("skin_body_temperature_deviation"),
        skin_c=on_days("skin_body_temperature"),
        total_is=total_holds(rows),
    )


def clock_h(moment: datetime | None) -> float | None:
    """Hours since midnight of a local moment.

    Parameters
    ----------
    moment : datetime or None
        Local wall-clock time.

    Returns
    -------
    float or None
        None for none. [h, 0 to 24]

    Examples
    --------
    >>> clock_h(datetime(2026, 3, 2, 22, 45))
    22.75
    """
    return None if moment is None else moment.hour + moment.minute / 60 + moment.second / 3600


def total_holds(rows: Iterable[Sleep]) -> str:
    """What `totalDuration` turned out to be; the interface does not say whether time awake is in it.

    Parameters
    ----------
    rows : iterable of Sleep
        Any nights.

    Returns
    -------
    str
        "asleep in 20 of 21 nights", or "not sent".

    Examples
    --------
    >>> total_holds([])
    'not sent'
    """
    counts = {"in bed": 0, "all stages": 0, "asleep": 0, "none of these": 0}
    for night in rows:
        if night.total_duration is not None:
            counts[_held(night)] += 1
    if not any(counts.values()):
        return "not sent"
    name, most = max(counts.items(), key=lambda item: item[1])
    return f"{name} in {most} of {sum(counts.values())} nights"


def _held(night: Sleep) -> str:
    asleep = _sum(night.light_duration, night.rem_duration, night.deep_duration)
    every = _sum(asleep, night.awake_duration, night.no_data_duration)
    candidates = (("asleep", asleep), ("in bed", night.in_bed_duration), ("all stages", every))
    total = night.total_duration or 0
    return next(
        (name for name, value in candidates if value is not None and abs(total - value) <= TOTAL_SLACK_S),
        "none of these",
    )


def _sum(*values: float | None) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
