"""Recorded nights by day: stages, timing, recovery values and normal ranges."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from coachboard.formulas.days import daily_last, day_row
from coachboard.formulas.recovery import hrv, sleep
from coachboard.formulas.recovery.baseline import OwnNormal, own_normal, trailing_mean
from coachboard.formulas.recovery.main_sleep import DaySleep, SleepRow, day_sleeps, duration_unit
from coachboard.wire.body import Sleep

STAGES = ("deep", "light", "rem", "unphased", "awake", "noData", "nap")
"""In stacking order, by their palette names. `unphased` is sleep without phases."""
BASELINE_DAYS = 75
"""Days before the first shown day: 60 days of the normal range and a margin."""
TOTAL_SLACK_S = 120
"""Largest difference between a night's total and the sum that checks it; a choice of this project."""
NOT_REPORTED = "not reported"

_Row = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Nights:
    """A value per day from `days[0]` to `days[-1]`, NaN without a night."""

    days: list[date]
    range_from: int  # index of the first day of the range; the days before it give the normal range
    stages_s: dict[str, _Row]
    in_bed_s: _Row
    asleep_s: _Row  # of the main sleep
    asleep_24h_s: _Row  # with the naps
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
    total_is: str  # the inferred meaning of totalDuration, in words
    unit: str  # of the durations, inferred

    @property
    def recorded(self) -> int:
        """Number of recorded nights in the range."""
        return int((~np.isnan(self.in_range(self.asleep_s)) | ~np.isnan(self.in_range(self.hrv_ms))).sum())

    @property
    def range_days(self) -> list[date]:
        """The days of the range."""
        return self.days[self.range_from :]

    def in_range(self, row: _Row) -> _Row:
        """The part of a row in the range."""
        return row[self.range_from :]

    def has(self, row: _Row) -> bool:
        """Whether a row has a value in the range."""
        return not np.isnan(self.in_range(row)).all()

    @property
    def hrv_range_ms(self) -> tuple[_Row, _Row]:
        """Both ends of the normal range of HRV."""
        return hrv.to_ms(self.hrv_normal.low), hrv.to_ms(self.hrv_normal.high)

    @property
    def hrv_variation_pct(self) -> float:
        """The coefficient of variation of the last 7 nights' HRV."""
        return hrv.coefficient_of_variation_pct(self.hrv_ms[-7:])

    @property
    def mean_mid_sleep_h(self) -> tuple[float, float]:
        """Circular mean and standard deviation of mid-sleep in the shown nights."""
        middle = self.in_range(self.mid_sleep_h)
        return sleep.circular_mean_h(middle), sleep.circular_deviation_h(middle)

    def debt_h(self, need_h: float, *, last: int | None = None) -> float:
        """Sleep debt over the shown nights, or over the last ones of all."""
        nights = self.in_range(self.asleep_24h_s) if last is None else self.asleep_24h_s[-last:]
        return sleep.debt_h(nights, need_h=need_h)


def nights_of(rows: Iterable[Sleep], *, first: date, start: date, end: date) -> Nights:
    """Recorded nights by day.

    Parameters
    ----------
    rows : iterable of Sleep
        In any order; `main_sleep.day_sleeps` decides which row of a day counts.
    first : date
        First day of the normal range.
    start, end : date
        First and last day that is shown.

    Returns
    -------
    Nights
        One value a day from `first` to `end`, NaN where there is none.

    Notes
    -----
    HRV is taken as rMSSD in ms, temperatures as degrees Celsius; the unit of the durations is detected
    (`main_sleep.duration_unit`). The interface does not state them (docs/assumptions.md).

    Examples
    --------
    >>> day = date(2026, 3, 2)
    >>> nights_of([], first=day, start=day, end=day).recorded
    0
    """
    sent = tuple(rows)
    return _laid_on_days(day_sleeps(sent), first=first, start=start, end=end, unit=duration_unit(sent))


def _laid_on_days(sleeps: Sequence[DaySleep], *, first: date, start: date, end: date, unit: str) -> Nights:
    dates = [night.day for night in sleeps]

    def on_days(read: Callable[[DaySleep], float]) -> _Row:
        return daily_last(dates, [read(night) for night in sleeps], start=first, end=end)

    asleep, in_bed = on_days(lambda night: night.main.asleep_s), on_days(lambda night: night.main.in_bed_s)
    stages = {stage: on_days(_stage(stage)) for stage in STAGES}
    start_h = on_days(lambda night: clock_h(night.started_local))
    end_h = on_days(lambda night: clock_h(night.ended_local))
    hrv_ms = on_days(lambda night: night.value("average_hrv"))
    resting = on_days(lambda night: night.value("resting_heart_rate"))
    return Nights(
        days=day_row(first, end),
        range_from=(start - first).days,
        stages_s=stages,
        in_bed_s=in_bed,
        asleep_s=asleep,
        asleep_24h_s=asleep + np.nan_to_num(stages["nap"]),
        efficiency_pct=sleep.efficiency_pct(asleep, in_bed),
        start_h=start_h,
        end_h=end_h,
        mid_sleep_h=sleep.mid_sleep_h(start_h, end_h),
        utc_offset_min=on_days(lambda night: night.offset_min),
        hrv_ms=hrv_ms,
        hrv_line=hrv.to_ms(hrv.seven_day_line(hrv_ms)),
        hrv_normal=hrv.normal_range(hrv_ms),
        resting_bpm=resting,
        resting_line=trailing_mean(resting),
        resting_normal=own_normal(resting),
        skin_deviation_c=on_days(lambda night: night.value("skin_body_temperature_deviation")),
        skin_c=on_days(lambda night: night.value("skin_body_temperature")),
        total_is=total_holds(night.main for night in sleeps),
        unit=unit,
    )


def _stage(stage: str) -> Callable[[DaySleep], float]:
    """A function that reads the stage from a day."""
    others: dict[str, Callable[[DaySleep], float]] = {
        "awake": lambda night: night.main.awake_s,
        "noData": lambda night: night.main.no_data_s,
        "nap": lambda night: night.nap_s,
        "unphased": lambda night: nan if night.main.phases_s else night.main.asleep_s,
    }
    return others.get(stage) or (lambda night: night.main.phases_s.get(stage, nan))


def clock_h(moment: datetime | None) -> float:
    """Hours since midnight of a local moment.

    Parameters
    ----------
    moment : datetime or None
        Local wall-clock time.

    Returns
    -------
    float
        NaN for none. [h, 0 to 24]

    Examples
    --------
    >>> clock_h(datetime(2026, 3, 2, 22, 45))
    22.75
    """
    return nan if moment is None else moment.hour + moment.minute / 60 + moment.second / 3600


def total_holds(rows: Iterable[SleepRow]) -> str:
    """Meaning of `totalDuration`, which the interface leaves open: with or without time awake.

    Parameters
    ----------
    rows : iterable of SleepRow
        Any nights.

    Returns
    -------
    str
        "asleep in 20 of 21 nights", or "not reported".

    Examples
    --------
    >>> total_holds([])
    'not reported'
    """
    counts = {"in bed": 0, "all stages": 0, "asleep": 0, "other": 0}
    for night in rows:
        if not isnan(night.total_s):
            counts[_held(night)] += 1
    if not any(counts.values()):
        return NOT_REPORTED
    name, most = max(counts.items(), key=lambda item: item[1])
    return f"{name} in {most} of {sum(counts.values())} nights"


def _held(night: SleepRow) -> str:
    every = night.phase_sum_s + np.nansum([night.awake_s, night.no_data_s])
    candidates = (("asleep", night.asleep_s), ("in bed", night.in_bed_s), ("all stages", every))
    return next((name for name, value in candidates if abs(night.total_s - value) <= TOTAL_SLACK_S), "other")
