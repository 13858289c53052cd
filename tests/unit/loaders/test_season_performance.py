"""Training analysis of a range and the days before it."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

import rides
from coachboard.analytics.recovery.circumstances import Circumstance
from coachboard.analytics.recovery.metric_series import metric_series
from coachboard.analytics.recovery.nights import nights_of
from coachboard.analytics.season.daily_load import daily_load
from coachboard.loaders.matching import local_day
from coachboard.loaders.trends.page_data import TrendsData
from coachboard.loaders.trends.performance import season_performance
from coachboard.models.enums import LapIntensity
from unit.analytics.test_metric_series import metric

START, END = date(2026, 3, 2), date(2026, 3, 15)
WEEK = (600, 200, 400, 500, 100, 650, 0)


def trends(volumes, *, first):
    dated = [(first + timedelta(days=n), float(volume)) for n, volume in enumerate(volumes)]
    return TrendsData(
        start=START,
        end=END,
        today=END,
        metrics=(),
        nights=nights_of([], first=START, start=START, end=END),
        load=daily_load(dated, first=first, start=START, end=END),
        activities=(),
        circumstances=(),
        missing=(),
        results=(),
    )


def test_the_first_days_of_a_range_have_their_week_too():
    season = season_performance(trends(WEEK * 3, first=START - timedelta(days=7)))

    assert len(season.monotony) == len(season.strain) == 14
    # The same seven loads in whatever order: 1.49241 and 3656.39 are Foster's week.
    assert season.monotony == pytest.approx(np.full(14, 1.49241), abs=1e-5)
    assert season.strain == pytest.approx(np.full(14, 3656.39), abs=6e-3)


def test_where_nothing_is_known_of_the_days_before_the_first_week_is_not_made_up():
    season = season_performance(trends(WEEK * 2, first=START))

    assert np.isnan(season.monotony[:6]).all()
    assert season.monotony[6] == pytest.approx(1.49241, abs=1e-5)


def test_the_slope_of_durability_is_of_the_laps_of_each_session_at_the_athletes_weight():
    """Per ride two laps, the second after 700 kJ more and 5 W lower: 10 kJ/kg at 70 kg, 2 % of 250 W."""
    rides_of = [
        rides.activity(
            f"act_{n}",
            start=rides.START + timedelta(days=n),
            laps=(rides.lap(0, 60, power=252.5, work_before=n * 100), rides.lap(60, 120, power=247.5, work_before=n * 100 + 700)),
        )
        for n in range(10)
    ]  # fmt: skip
    data = replace(
        trends(WEEK * 3, first=START - timedelta(days=7)),
        activities=tuple(rides_of),
        metrics=metric_series([metric(3, 70.0)], start=START, end=END),
    )

    (slope,) = season_performance(data).durability_slopes.values()

    assert slope.change_pct == pytest.approx(-2.0)
    assert (slope.efforts, slope.sessions) == (20, 10)


def test_an_ascent_has_its_heart_rate_and_the_work_before_it():
    climbs = [
        rides.activity(
            f"act_{n}",
            start=rides.START + timedelta(days=n),
            start_latitude=46.0,
            start_longitude=7.0,
            climbs=(rides.climb(0, 300, average_heart_rate=rate, work_before=work),),
        )
        for n, (rate, work) in enumerate([(160, 800), (None, None), (150, 20)])
    ]
    data = replace(trends(WEEK * 3, first=START - timedelta(days=7)), activities=tuple(climbs))

    ((first, second, third),) = season_performance(data).climbs

    assert (first.heart_rate_bpm, first.work_before_kj) == (160, 800)
    assert np.isnan([second.heart_rate_bpm, second.work_before_kj]).all()
    assert (third.heart_rate_bpm, third.work_before_kj) == (150, 20)


def test_the_ratio_is_the_one_of_the_flag_with_its_normal_range():
    """70 a day for 8 weeks is a ratio of 1; a week at 140 raises it as two averages of 7 and 28 days do."""
    first = START - timedelta(days=60)
    steady, jump = [70.0] * 67, [140.0] * 7
    found = season_performance(trends([*steady, *jump], first=first))

    acute = chronic = 70.0
    expected = []
    for load in jump:
        expected.append(acute / chronic)
        acute += (load - acute) * 2 / 8
        chronic += (load - chronic) * 2 / 29
    assert found.ratio[:7] == pytest.approx(1.0)
    assert found.ratio[7:] == pytest.approx(expected)
    assert found.ratio_normal.high[7] == pytest.approx(1.0)
    assert found.ratio_normal.days[7] == 39  # from day 28 of 67


def test_zones_are_summed_by_the_readers_weeks():
    """Sunday 8 March is of the first week from Monday and of the second from Sunday."""
    rows = [
        rides.activity(f"act_{n}", start=rides.START.replace(day=day), laps=(rides.lap(0, seconds, intensity=band),))
        for n, (day, seconds, band) in enumerate(
            [(3, 600, LapIntensity.TEMPO), (8, 300, LapIntensity.TEMPO), (10, 60, LapIntensity.VO2MAX)]
        )
    ]  # fmt: skip
    data = replace(trends(WEEK * 3, first=START - timedelta(days=7)), activities=tuple(rows))

    monday, sunday = season_performance(data), season_performance(data, first_weekday=6)

    assert [str(week) for week in monday.weeks] == ["2026-03-02", "2026-03-09"]
    assert {str(band): row.tolist() for band, row in monday.week_band_s.items()} == {
        "tempo": [900, 0], "vo2max": [0, 60],
    }  # fmt: skip
    assert [str(week) for week in sunday.weeks] == ["2026-03-01", "2026-03-08", "2026-03-15"]
    assert sunday.week_band_s[LapIntensity.TEMPO].tolist() == [600, 300, 0]


def test_time_on_race_days_is_counted_apart():
    """Two rides of 60 s at tempo, one on the day of a race, and a note of illness on the other."""
    of = [
        rides.activity(f"act_{n}", start=rides.START + timedelta(days=n), laps=(rides.lap(0, 60, power=250),))
        for n in range(2)
    ]
    race, ill = (
        Circumstance(local_day(one), local_day(one), kind, kind)
        for one, kind in zip(of, ("race", "illness"), strict=True)
    )
    first = local_day(of[0])
    data = replace(
        trends([0.0] * 14, first=START),
        activities=tuple(of),
        circumstances=(race, ill),
        start=first,
        end=first + timedelta(days=13),
        load=daily_load([(first, 1.0)], first=first, start=first, end=first + timedelta(days=13)),
    )
    season = season_performance(data)

    (band,) = season.band_s
    assert season.band_s[band] == 2 * season.race_band_s[band] > 0
