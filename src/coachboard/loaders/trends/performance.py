"""Training analysis of a range: monotony and strain, time in bands, durability, repeated climbs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coachboard.analytics.days import week_start
from coachboard.analytics.frames import POWER_W
from coachboard.analytics.recovery.baseline import OwnNormal, own_normal
from coachboard.analytics.season.daily_load import DailyLoad
from coachboard.analytics.season.durability import DurabilitySlope, durability_slope, power_by_work
from coachboard.analytics.season.intensity_distribution import (
    ZONE_OF_INTENSITY,
    ThreeZones,
    polarization_trend,
    zones_by_session,
    zones_by_time,
)
from coachboard.analytics.season.load import own_start
from coachboard.analytics.season.monotony import WEEK_D, acute_chronic_ratio, rolling_monotony
from coachboard.analytics.season.repeated_climbs import ClimbEffort, fastest, repeated_climbs
from coachboard.loaders.matching import local_day
from coachboard.loaders.trends.page_data import TrendsData
from coachboard.models.activities import Activity
from coachboard.models.enums import LapIntensity, MetricType

DURABILITY_BANDS = (LapIntensity.TEMPO, LapIntensity.THRESHOLD, LapIntensity.VO2MAX)
"""Intensities in which efforts are compared; easy laps do not show durability."""


@dataclass(frozen=True, slots=True, eq=False)
class SeasonPerformance:
    """Computed from summaries and laps only, without streams."""

    monotony: NDArray[np.float64]  # of the seven days that end on each day of the load
    strain: NDArray[np.float64]
    band_s: dict[LapIntensity, float]  # from classified laps, which only cycling has
    race_band_s: dict[LapIntensity, float]  # the part of it on days of races
    by_time: ThreeZones
    by_session: ThreeZones
    sessions: int
    weeks: tuple[date, ...]  # first days of the weeks of the range
    week_band_s: dict[LapIntensity, NDArray[np.float64]]  # of each week
    polarization: NDArray[np.float64]  # of the 28 days that end on each day
    ratio: NDArray[np.float64]  # acute:chronic, as each day begins
    ratio_normal: OwnNormal
    durability: dict[LapIntensity, pd.DataFrame]
    durability_slopes: dict[LapIntensity, DurabilitySlope]
    weight_kg: float
    climbs: list[tuple[ClimbEffort, ...]]

    @property
    def best_ascents(self) -> list[ClimbEffort]:
        """The fastest ride of each climb."""
        return [fastest(group) for group in self.climbs]


def season_performance(data: TrendsData, *, first_weekday: int = 0) -> SeasonPerformance:
    """The analysis of the range; parts without data are empty."""
    band_s: dict[LapIntensity, float] = defaultdict(float)
    race_band_s: dict[LapIntensity, float] = defaultdict(float)
    races = {one.start for one in data.circumstances if one.kind == "race"}
    for activity in data.activities:
        is_race = local_day(activity) in races
        for lap in activity.laps:
            band_s[lap.intensity] += lap.duration
            if is_race:
                race_band_s[lap.intensity] += lap.duration
    monotony, strain = _monotony(data.load)
    ratio, normal = _ratio(data.load)
    weeks, week_band_s = _weeks(data, first_weekday)
    weight_kg = _weight_kg(data)
    bands = DURABILITY_BANDS if weight_kg > 0 else ()
    laps = {band: _laps(data.activities, band) for band in bands}
    return SeasonPerformance(
        monotony=monotony,
        strain=strain,
        band_s={band: band_s[band] for band in LapIntensity if band in band_s},
        race_band_s=dict(race_band_s),
        by_time=zones_by_time(band_s),
        by_session=zones_by_session(activity.training_stimulus for activity in data.activities),
        sessions=sum(activity.training_stimulus is not None for activity in data.activities),
        weeks=weeks,
        week_band_s={band: week_band_s[band] for band in LapIntensity if band in week_band_s},
        polarization=polarization_trend(_zone_s(data)),
        ratio=ratio,
        ratio_normal=normal,
        durability=_durability(laps, weight_kg),
        durability_slopes=_slopes(laps, weight_kg),
        weight_kg=weight_kg,
        climbs=repeated_climbs(effort for activity in data.activities for effort in _efforts(activity)),
    )


def _monotony(load: DailyLoad) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each day of the range; the first weeks use days before it."""
    volume = np.concatenate([load.volume_before[-(WEEK_D - 1) :], load.volume])
    monotony = rolling_monotony(volume)
    week = np.full(len(volume), nan)
    if len(volume) >= WEEK_D:
        week[WEEK_D - 1 :] = np.convolve(volume, np.ones(WEEK_D), "valid")
    return monotony[-len(load.days) :], (week * monotony)[-len(load.days) :]


def _ratio(load: DailyLoad) -> tuple[NDArray[np.float64], OwnNormal]:
    """The ratio that the flag of a load spike reads, with the athlete's normal range of the 60 days before."""
    volume = np.concatenate([load.volume_before, load.volume])
    ratio = acute_chronic_ratio(volume, start=own_start(volume))
    normal = own_normal(ratio, width_sd=1)
    shown = len(load.volume_before)
    return ratio[shown:], OwnNormal(*(getattr(normal, name)[shown:] for name in OwnNormal.__slots__))


def _weeks(
    data: TrendsData, first_weekday: int
) -> tuple[tuple[date, ...], dict[LapIntensity, NDArray[np.float64]]]:
    """The time in each band by week."""
    weeks = tuple(dict.fromkeys(week_start(day, first_weekday=first_weekday) for day in data.load.days))
    band_s: dict[LapIntensity, NDArray[np.float64]] = {}
    for activity in data.activities:
        if (day := local_day(activity)) is None:
            continue
        at = weeks.index(week_start(day, first_weekday=first_weekday))
        for lap in activity.laps:
            band_s.setdefault(lap.intensity, np.zeros(len(weeks)))[at] += lap.duration
    return weeks, band_s


def _zone_s(data: TrendsData) -> NDArray[np.float64]:
    """Easy, moderate and hard time of each day."""
    zone_s = np.zeros((len(data.load.days), 3))
    for activity in data.activities:
        if (day := local_day(activity)) is None:
            continue
        for lap in activity.laps:
            zone_s[(day - data.start).days, ZONE_OF_INTENSITY[lap.intensity]] += lap.duration
    return zone_s


def _weight_kg(data: TrendsData) -> float:
    found = [series.latest.value for series in data.metrics if series.type is MetricType.WEIGHT]
    return float(found[0]) if found else nan


@dataclass(frozen=True, slots=True)
class _Laps:
    """The classified laps of one intensity."""

    power_w: list[float]
    work_before_kj: list[float]
    session: list[str]


def _laps(activities: Sequence[Activity], band: LapIntensity) -> _Laps:
    laps = [(lap, one.id) for one in activities for lap in one.laps if lap.intensity is band]
    return _Laps(
        [_number(lap.average_power) for lap, _ in laps],
        [_number(lap.work_before) for lap, _ in laps],
        [session for _, session in laps],
    )


def _durability(laps: Mapping[LapIntensity, _Laps], weight_kg: float) -> dict[LapIntensity, pd.DataFrame]:
    tables = {}
    for band, of_band in laps.items():
        table = power_by_work(of_band.power_w, of_band.work_before_kj, weight_kg=weight_kg)
        if table[POWER_W].notna().sum() > 1:
            tables[band] = table
    return tables


def _slopes(laps: Mapping[LapIntensity, _Laps], weight_kg: float) -> dict[LapIntensity, DurabilitySlope]:
    return {
        band: durability_slope(one.power_w, one.work_before_kj, one.session, weight_kg=weight_kg)
        for band, one in laps.items()
        if one.power_w
    }


def _efforts(activity: Activity) -> list[ClimbEffort]:
    day = local_day(activity)
    if day is None or activity.start_latitude is None or activity.start_longitude is None:
        return []
    return [
        ClimbEffort(
            activity_id=activity.id,
            day=day,
            start_latitude=float(activity.start_latitude),
            start_longitude=float(activity.start_longitude),
            distance_m=float(climb.distance),
            elevation_gain_m=float(climb.elevation_gain),
            min_altitude_m=float(climb.min_altitude),
            duration_s=float(climb.duration),
            power_w=_number(climb.average_power),
            power_w_per_kg=_number(climb.average_power_per_kilo),
            heart_rate_bpm=_number(climb.average_heart_rate),
            work_before_kj=_number(climb.work_before),
        )
        for climb in activity.climbs
    ]


def _number(value: float | None) -> float:
    return nan if value is None else float(value)
