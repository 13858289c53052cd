"""Metrics as series: latest, change over four weeks, separate sources."""

from datetime import date, timedelta

import pytest

from coachboard.formulas.recovery.metric_series import metric_series
from coachboard.wire.body import Metric

TODAY = date(2026, 3, 1)


def metric(days_ago, value, *, kind="weight", source="user", sport="global", unit="kg"):
    return Metric(
        id=f"mtr_{kind}{days_ago}{source}",
        type=kind,
        value=value,
        unit=unit,
        source=source,
        date=TODAY - timedelta(days=days_ago),
        sport=sport,
    )


def series(*rows, days=14):
    return metric_series(rows, start=TODAY - timedelta(days=days), end=TODAY)


def test_change_is_against_the_value_four_weeks_before_the_latest():
    (weight,) = series(metric(60, 64.0), metric(30, 63.0), metric(10, 62.0), metric(0, 61.0))

    assert weight.change == -2.0


def test_change_compares_like_sources_where_there_are_any():
    (power,) = series(
        metric(40, 250, kind="critical power", unit="W", source="user"),
        metric(35, 270, kind="critical power", unit="W", source="service"),
        metric(0, 255, kind="critical power", unit="W", source="user"),
    )

    assert power.change == 5.0


def test_nothing_old_enough_gives_no_change():
    (weight,) = series(metric(10, 62.0), metric(0, 61.0))

    assert weight.change is None


def test_joules_and_kilojoules_are_subtracted_in_one_unit():
    (w_prime,) = series(
        metric(40, 20.0, kind="w prime", unit="kJ"), metric(0, 21_000, kind="w prime", unit="J")
    )

    assert w_prime.change == 1.0


def test_a_series_without_a_value_in_the_range_keeps_its_latest():
    (weight,) = series(metric(100, 64.0))

    assert weight.rows == ()
    assert weight.latest.value == 64.0


def test_values_after_the_range_are_left_out_and_values_before_it_stay_known():
    (weight,) = series(metric(100, 64.0), metric(2, 61.0, source="service"), metric(-5, 50.0))

    assert [row.value for row in weight.rows] == [61.0]
    assert [row.value for row in weight.known] == [64.0, 61.0]
    assert weight.latest.value == 61.0


def test_a_value_that_nobody_has_is_no_latest():
    (weight,) = series(metric(10, 62.0), metric(0, 0))

    assert weight.latest.value == 62.0


@pytest.mark.parametrize(("value", "unit"), [(20_000, "J"), (20, "kJ"), (20_000, None), (20, None)])
def test_w_prime_is_shown_in_kilojoules(value, unit):
    (found,) = series(metric(0, value, kind="w prime", unit=unit))

    assert (found.latest.value, found.latest.unit) == (20, "kJ")


def test_a_metric_without_a_unit_has_that_of_its_type():
    assert series(metric(0, 62.0, unit=None))[0].latest.unit == "kg"
