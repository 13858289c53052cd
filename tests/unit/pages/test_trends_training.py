"""Training analysis of a range and the days before it."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

import rides
from coachboard.formulas.recovery.circumstances import Circumstance
from coachboard.formulas.recovery.metric_series import metric_series
from coachboard.formulas.recovery.nights import nights_of
from coachboard.formulas.season.daily_load import daily_load
from coachboard.pages.trends.climbs import climbs_of
from coachboard.pages.trends.data import TrendsData
from coachboard.pages.trends.training import (
    durability,
    load_ratio,
    longest_chart,
    longest_sessions,
    monotony_and_strain,
)
from coachboard.pages.trends.zones import zone_times, zones_trend_chart
from coachboard.wire.activities import local_day
from coachboard.wire.enums import LapIntensity, Sport
from seeded import activity
from unit.formulas.test_metric_series import metric

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


def done(day, sport, hours):
    began = datetime(2026, 3, day, 8, tzinfo=UTC)
    return activity(f"act_{day}_{sport}", began).model_copy(
        update={"sport": sport, "moving_duration": hours * 3600, "effective_duration": hours * 3600 + 600}
    )


def test_the_longest_session_of_each_week_is_by_sport_in_the_readers_weeks():
    sessions = (
        done(13, Sport.RUNNING, 1.5), done(11, Sport.SWIMMING, 1.0), done(8, Sport.RUNNING, 2.5), done(4, Sport.RUNNING, 1.0),
        done(3, Sport.CYCLING, 6.0), done(3, Sport.HIKING, 0.5),
    )  # fmt: skip
    data = replace(trends(WEEK * 2, first=START), activities=sessions)

    weeks, hours = longest_sessions(data, first_weekday=0)
    from_sunday, of_sunday = longest_sessions(data, first_weekday=6)

    assert weeks == [date(2026, 3, 2), date(2026, 3, 9)]
    assert list(hours) == [Sport.CYCLING, Sport.RUNNING, Sport.SWIMMING]
    np.testing.assert_array_equal(hours[Sport.CYCLING], [6.0, np.nan])
    np.testing.assert_array_equal(hours[Sport.RUNNING], [2.5, 1.5])
    assert hours[Sport.SWIMMING][1] == pytest.approx(1.0 + 600 / 3600)
    assert from_sunday == [date(2026, 3, 1), date(2026, 3, 8), date(2026, 3, 15)]
    np.testing.assert_array_equal(of_sunday[Sport.RUNNING], [1.0, 2.5, np.nan])


def test_the_longest_sessions_are_a_bar_for_each_sport_and_week():
    hours = {Sport.RUNNING: np.array([2.5, np.nan]), Sport.TRAINING: np.array([1.0, 0.5])}
    figure = longest_chart([START, START + timedelta(days=7)], hours, days=[START, END])

    assert [trace.name for trace in figure.data] == ["Running", "Strength"]
    assert [day.day for day in figure.data[0].x] == [5, 12]
    assert figure.layout.yaxis.title.text == "Longest (h)"


def test_the_first_days_of_a_range_have_their_week_too():
    monotony, strain = monotony_and_strain(trends(WEEK * 3, first=START - timedelta(days=7)).load)

    assert len(monotony) == len(strain) == 14
    # The same seven loads in whatever order: 1.49241 and 3656.39 are Foster's week.
    assert monotony == pytest.approx(np.full(14, 1.49241), abs=1e-5)
    assert strain == pytest.approx(np.full(14, 3656.39), abs=6e-3)


def test_where_nothing_is_known_of_the_days_before_the_first_week_is_not_made_up():
    monotony, _ = monotony_and_strain(trends(WEEK * 2, first=START).load)

    assert np.isnan(monotony[:6]).all()
    assert monotony[6] == pytest.approx(1.49241, abs=1e-5)


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

    _, slopes = durability(data)

    (slope,) = slopes.values()
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

    ((first, second, third),) = climbs_of(data.activities)

    assert (first.heart_rate_bpm, first.work_before_kj) == (160, 800)
    assert np.isnan([second.heart_rate_bpm, second.work_before_kj]).all()
    assert (third.heart_rate_bpm, third.work_before_kj) == (150, 20)


def test_the_ratio_is_the_one_of_the_flag_with_its_normal_range():
    """70 a day for 8 weeks is a ratio of 1; a week at 140 raises it as two averages of 7 and 28 days do."""
    first = START - timedelta(days=60)
    steady, jump = [70.0] * 67, [140.0] * 7
    ratio, normal = load_ratio(trends([*steady, *jump], first=first).load)

    acute = chronic = 70.0
    expected = []
    for load in jump:
        expected.append(acute / chronic)
        acute += (load - acute) * 2 / 8
        chronic += (load - chronic) * 2 / 29
    assert ratio[:7] == pytest.approx(1.0)
    assert ratio[7:] == pytest.approx(expected)
    assert normal.high[7] == pytest.approx(1.0)
    assert normal.days[7] == 39  # from day 28 of 67


def test_zones_are_summed_by_the_readers_weeks():
    """Sunday 8 March is of the first week from Monday and of the second from Sunday."""
    rows = [
        rides.activity(f"act_{n}", start=rides.START.replace(day=day), laps=(rides.lap(0, seconds, intensity=band),))
        for n, (day, seconds, band) in enumerate(
            [(3, 600, LapIntensity.TEMPO), (8, 300, LapIntensity.TEMPO), (10, 60, LapIntensity.VO2MAX)]
        )
    ]  # fmt: skip
    data = replace(trends(WEEK * 3, first=START - timedelta(days=7)), activities=tuple(rows))

    monday, sunday = zone_times(data), zone_times(data, first_weekday=6)

    assert [str(week) for week in monday.weeks] == ["2026-03-02", "2026-03-09"]
    assert {str(band): row.tolist() for band, row in monday.week_band_s.items()} == {
        "tempo": [900, 0], "vo2max": [0, 60],
    }  # fmt: skip
    assert [str(week) for week in sunday.weeks] == ["2026-03-01", "2026-03-08", "2026-03-15"]
    assert sunday.week_band_s[LapIntensity.TEMPO].tolist() == [600, 300, 0]


@pytest.mark.parametrize(
    ("first", "last", "names"),
    [
        (0, 13, ["2 Mar", "9 Mar"]),
        (3, 13, ["2 Mar, from Thu 5 Mar", "9 Mar"]),
        (0, 11, ["2 Mar", "9 Mar, to Fri 13 Mar"]),
    ],
)
def test_a_week_that_the_range_cuts_is_pale_and_names_the_day_of_the_cut(first, last, names):
    """The first bar of the weeks had four of seven days and looked like a week of less training."""
    days = [START + timedelta(days=n) for n in range(first, last + 1)]
    weeks = [START, START + timedelta(days=7)]
    hours = np.array([2.0, 3.0])
    longest = longest_chart(weeks, {Sport.RUNNING: hours}, days=days)
    zones = zones_trend_chart(
        replace(
            zone_times(trends(WEEK * 2, first=START)),
            weeks=weeks,
            week_band_s={LapIntensity.TEMPO: hours * 3600},
            polarization=np.full(len(days), np.nan),
        ),
        days=days,
    )

    for bars in (longest.data[0], zones.data[0]):
        assert list(bars.customdata) == names
        assert [opacity < 1 for opacity in bars.marker.opacity] == ["," in name for name in names]


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
    times = zone_times(data)

    (band,) = times.band_s
    assert times.band_s[band] == 2 * times.race_band_s[band] > 0
