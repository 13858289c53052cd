"""Metrics as lines: one unit each, power per kilo of the weight of its day, change since the first value."""

from datetime import date
from math import isnan

from coachboard.formulas.recovery.metric_lines import Line, MetricPoint, changes_pct, metric_lines
from coachboard.wire.enums import MetricSport
from coachboard.wire.metrics import MetricType
from unit.formulas.test_metric_series import metric, series


def power(days_ago, watts):
    return metric(days_ago, watts, kind="critical power", unit="W", sport="cycling")


def lines(*rows):
    return {line.key: line for line in metric_lines(series(*rows, days=60))}


def test_power_per_kilo_uses_the_weight_of_its_day():
    found = lines(metric(90, 70.0), metric(20, 60.0), power(40, 280), power(10, 270))

    per_kilo = found["critical power cycling per kilo"]
    assert [point.value for point in per_kilo.points] == [280 / 70, 270 / 60]
    assert per_kilo.unit == "W/kg"


def test_a_power_older_than_every_weight_has_no_value_per_kilo():
    found = lines(metric(20, 60.0), power(40, 280), power(10, 270))

    assert [point.value for point in found["critical power cycling per kilo"].points] == [4.5]


def test_without_a_weight_there_is_no_line_per_kilo():
    assert list(lines(power(10, 270))) == ["critical power cycling"]


def test_joules_and_kilojoules_of_one_metric_share_a_unit():
    found = lines(
        metric(40, 20.0, kind="w prime", unit="kJ", sport="cycling"),
        metric(10, 21_000, kind="w prime", unit="J", sport="cycling"),
    )

    w_prime = found["w prime cycling"]
    assert (w_prime.unit, [point.value for point in w_prime.points]) == ("kJ", [20.0, 21.0])


def test_change_since_nothing_is_unknown():
    days = (date(2026, 3, 1), date(2026, 3, 2))
    points = tuple(MetricPoint(day, value, None) for day, value in zip(days, (0.0, 12.0), strict=True))
    line = Line(MetricType.BODY_FAT, MetricSport.GLOBAL, "%", points)

    assert all(isnan(change) for change in changes_pct(line))
