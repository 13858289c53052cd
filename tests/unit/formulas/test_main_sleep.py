"""One sleep a day: the longest row counts, naps add to the day, phases that do not add up are not shown."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from coachboard.formulas.recovery.main_sleep import day_sleeps, duration_unit, read_row
from coachboard.wire.body import Sleep
from unit.formulas.test_nights import laid, night

DAY = date(2026, 1, 1)
NO_PHASES = {"light_duration": 0, "rem_duration": 0, "deep_duration": 0}
NULL_PHASES = dict.fromkeys(NO_PHASES)
DURATIONS = [name for name in Sleep.model_fields if name.endswith("_duration")]


def nap(day=DAY, *, minutes=25, hour=14, **changes):
    start = datetime(day.year, day.month, day.day, hour, tzinfo=UTC)
    end = start + timedelta(minutes=minutes)
    empty = dict.fromkeys(Sleep.model_fields)
    fields = {
        "id": "slp_nap",
        "day": day,
        "started_at": start,
        "ended_at": end,
        "total_duration": 60 * minutes,
    }
    return Sleep(**empty | fields | changes)


def only(*rows):
    (found,) = day_sleeps(rows)
    return found


@pytest.mark.parametrize("rows", [[night(DAY), nap()], [nap(), night(DAY)]])
def test_the_longest_row_is_the_main_sleep_in_either_order(rows):
    found = only(*rows)

    assert found.main.asleep_s == 27_000
    assert found.nap_s == 1_500
    assert found.value("average_hrv") == 55


def test_a_nap_adds_to_the_24_hours_and_leaves_the_night_alone():
    nights = laid([night(DAY), nap()])

    assert (nights.asleep_s[0], nights.asleep_24h_s[0]) == (27_000, 28_500)
    assert (nights.stages_s["nap"][0], nights.end_h[0], nights.resting_bpm[0]) == (1_500, 6.5, 50)


def test_the_same_night_by_a_second_device_is_no_nap_and_lends_its_values():
    twin = night(DAY, id="slp_2", total_duration=25_000, in_bed_duration=26_000)
    found = only(night(DAY, average_hrv=None), twin)

    assert np.isnan(found.nap_s)
    assert found.value("average_hrv") == 55


def test_naps_without_times_count_by_their_length():
    bare = {"started_at": None, "ended_at": None}

    assert only(night(DAY), nap(**bare)).nap_s == 1_500
    assert np.isnan(only(night(DAY), nap(minutes=400, **bare)).nap_s)


@pytest.mark.parametrize("phases", [NO_PHASES, NULL_PHASES, NULL_PHASES | {"light_duration": 9_000}])
@pytest.mark.parametrize("total", [27_000, 28_800])
def test_a_night_whose_phases_do_not_add_up_is_read_by_its_total_and_shows_no_phases(phases, total):
    found = read_row(night(DAY, total_duration=total, **phases))

    assert found.asleep_s == 27_000
    assert not found.phases_s


def test_without_time_in_bed_the_time_awake_comes_off_the_total():
    found = read_row(night(DAY, in_bed_duration=None, total_duration=27_360, **NO_PHASES))

    assert found.asleep_s == 27_360 - 1_800


@pytest.mark.parametrize("gone", ["total_duration", "in_bed_duration", "awake_duration", "deep_duration"])
def test_each_duration_may_be_missing_and_the_sleep_is_the_same(gone):
    assert read_row(night(DAY, **{gone: None})).asleep_s == 27_000


def test_a_total_with_time_awake_keeps_the_phases_where_that_time_is_missing():
    found = read_row(night(DAY, total_duration=28_800, awake_duration=None, in_bed_duration=None))

    assert found.asleep_s == 27_000


@pytest.mark.parametrize(
    ("unit", "seconds"), [("seconds", 1), ("minutes", 60), ("hours", 3600), ("milliseconds", 0.001)]
)
@pytest.mark.parametrize("times", [{}, {"started_at": None, "started_at_local": None}])
def test_durations_are_read_in_the_unit_that_fits_a_night(unit, seconds, times):
    plain = night(DAY)
    row = night(DAY, **{name: getattr(plain, name) / seconds for name in DURATIONS}, **times)

    assert duration_unit([row]) == unit
    assert only(row).main.asleep_s == pytest.approx(27_000)


def test_local_times_and_offset_replace_each_other():
    shifted = night(DAY, started_at_local=None, ended_at_local=None, utc_offset=60)
    local = night(DAY)

    assert laid([shifted]).start_h[0] == 23.5
    assert laid([local.model_copy(update={"utc_offset": None})]).utc_offset_min[0] == 0


@pytest.mark.parametrize("zero", ["average_hrv", "resting_heart_rate", "skin_body_temperature"])
def test_a_zero_is_a_value_that_was_not_measured(zero):
    nights = laid([night(DAY + timedelta(days=n), **{zero: 0}) for n in range(30)])
    row = {
        "average_hrv": nights.hrv_ms, "resting_heart_rate": nights.resting_bpm,
        "skin_body_temperature": nights.skin_c,
    }[zero]  # fmt: skip

    assert np.isnan(row).all()
    assert not np.isnan(nights.asleep_s).any()
