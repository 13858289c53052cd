"""Nights by day: missing values stay missing, and units that the service leaves open are derived and shown."""

import math
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from coachboard.formulas.recovery.main_sleep import read_row
from coachboard.formulas.recovery.nights import nights_of, total_holds
from coachboard.formulas.recovery.sleep import social_jet_lag
from coachboard.wire.body import Sleep

FIRST = date(2026, 1, 1)


def night(day, **changes):
    start = datetime.combine(day - timedelta(days=1), datetime.min.time()) + timedelta(hours=22, minutes=30)
    fields = {
        "id": f"slp_{day}",
        "day": day,
        "started_at": start.replace(tzinfo=UTC),
        "ended_at": (start + timedelta(hours=8)).replace(tzinfo=UTC),
        "utc_offset": 0,
        "started_at_local": start,
        "ended_at_local": start + timedelta(hours=8),
        "total_duration": 27_000,
        "in_bed_duration": 28_800,
        "awake_duration": 1_800,
        "light_duration": 14_400,
        "rem_duration": 7_200,
        "deep_duration": 5_400,
        "no_data_duration": 0,
        "average_hrv": 55,
        "resting_heart_rate": 50,
        "skin_body_temperature": 34.1,
        "skin_body_temperature_deviation": 0.2,
    }
    return Sleep(**fields | changes)


def laid(rows, days=30):
    end = FIRST + timedelta(days=days - 1)
    return nights_of(rows, first=FIRST, start=FIRST + timedelta(days=days - 10), end=end)


def test_a_night_without_a_record_is_missing_in_every_row():
    nights = laid([night(FIRST)])

    assert nights.asleep_s[0] == 27_000
    assert np.isnan(nights.asleep_s[1:]).all()
    assert np.isnan(nights.hrv_ms[1:]).all()


def test_asleep_is_the_sum_of_the_stages_and_efficiency_its_share_of_the_bed():
    nights = laid([night(FIRST)])

    assert nights.efficiency_pct[0] == pytest.approx(93.75)


def test_clock_times_are_local_and_cross_midnight():
    nights = laid([night(FIRST)])

    assert (nights.start_h[0], nights.end_h[0], nights.mid_sleep_h[0]) == (22.5, 6.5, 2.5)


def test_every_field_may_be_null():
    empty = {
        name: None
        for name, field in Sleep.model_fields.items()
        if name not in {"id", "day"} and field.is_required()
    }
    nights = laid([night(FIRST, **empty)])

    assert nights.recorded == 0
    assert np.isnan(nights.mid_sleep_h).all()


def test_normal_range_needs_fourteen_nights_and_leaves_the_day_itself_out():
    nights = laid([night(FIRST + timedelta(days=n), average_hrv=50 + n % 3) for n in range(20)])

    known = ~np.isnan(nights.hrv_normal.mean)
    assert not known[13]
    assert known[14]


def test_recorded_counts_only_the_days_shown():
    nights = laid([night(FIRST), night(FIRST + timedelta(days=29))])

    assert nights.recorded == 1


@pytest.mark.parametrize(
    ("total", "holds"),
    [
        (27_000, "asleep in 1 of 1 nights"),
        (28_800, "in bed in 1 of 1 nights"),
        (9, "other in 1 of 1 nights"),
    ],
)
def test_the_meaning_of_the_total_duration_is_found_from_the_nights(total, holds):
    assert total_holds([read_row(night(FIRST, total_duration=total))]) == holds


def weeks_of_sleep(weekday_h, weekend_h, weeks=4):
    return [weekday_h] * 5 * weeks + [weekend_h] * 2 * weeks, [False] * 5 * weeks + [True] * 2 * weeks


@pytest.mark.parametrize(
    ("weekday_h", "weekend_h", "hours"),
    [(3.0, 4.5, 1.5), (4.0, 3.5, -0.5), (23.5, 1.0, 1.5), (0.5, 23.0, -1.5), (3.0, 3.0, 0.0)],
)
def test_social_jet_lag_is_mid_sleep_of_free_less_working_days(weekday_h, weekend_h, hours):
    """Wittmann 2006, also across midnight."""
    middle, free = weeks_of_sleep(weekday_h, weekend_h)
    found = social_jet_lag(middle, free, [False] * 28)

    assert found.hours == pytest.approx(hours)
    assert (found.free_nights, found.work_nights) == (8, 20)


def test_nights_after_travel_and_nights_without_a_record_are_no_jet_lag():
    middle, free = weeks_of_sleep(3.0, 4.0)
    away = [False] * 28
    middle[0], away[0] = 11.0, True
    middle[27] = math.nan
    found = social_jet_lag(middle, free, away)

    assert found.hours == pytest.approx(1.0)
    assert (found.free_nights, found.work_nights) == (7, 19)


@pytest.mark.parametrize(("work", "free", "is_known"), [(8, 4, True), (7, 4, False), (8, 3, False)])
def test_social_jet_lag_needs_nights_of_both_kinds(work, free, is_known):
    found = social_jet_lag(
        [3.0] * work + [5.0] * free, [False] * work + [True] * free, [False] * (work + free)
    )

    assert found.is_known is is_known
    assert (found.free_nights, found.work_nights) == (free, work)
