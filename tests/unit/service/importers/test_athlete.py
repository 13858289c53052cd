"""Which metric counts on which day for which sport."""

from datetime import date, timedelta

import pytest

from coachboard.execution.capacities import capacities_on
from coachboard.service.importers.athlete import AthleteValues, athlete_on
from coachboard.wire.body import Metric
from coachboard.wire.enums import Gender, MetricSource, MetricSport, Sport
from coachboard.wire.metrics import MetricType, MetricUnit

DAY = date(2026, 5, 4)


def metric(kind, value, day, *, sport=MetricSport.CYCLING, unit=None):
    return Metric(id=f"mtr_{value}", type=kind, value=value, unit=unit, source=None, date=day, sport=sport)


def power(value, day, sport=MetricSport.CYCLING):
    return metric(MetricType.CRITICAL_POWER, value, day, sport=sport)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ({date(2026, 1, 1): 240, date(2026, 5, 4): 250, date(2026, 5, 5): 260}, 250),
        ({date(2026, 1, 1): 240, date(2026, 6, 1): 260}, 240),
        ({date(2026, 7, 1): 270, date(2026, 6, 1): 260}, 260),
        ({}, None),
        ({date(2026, 1, 1): 0}, None),
    ],
)
def test_the_latest_up_to_the_day_counts_else_the_first_after_it(days, expected):
    metrics = [power(value, day) for day, value in days.items()]

    assert athlete_on(metrics)(Sport.CYCLING, DAY).critical_power_w == expected


def test_a_critical_power_of_another_sport_says_nothing_and_a_global_one_does():
    run, general = power(300, DAY, MetricSport.RUNNING), power(220, DAY, MetricSport.GLOBAL)

    assert athlete_on([run])(Sport.CYCLING, DAY).critical_power_w is None
    assert athlete_on([run, general])(Sport.E_BIKING, DAY).critical_power_w == 220
    assert athlete_on([run, general])(Sport.RUNNING, DAY).critical_power_w == 300
    assert athlete_on([run])(None, DAY).critical_power_w is None


@pytest.mark.parametrize("order", [1, -1])
def test_on_the_same_day_a_measured_value_counts_before_an_estimate(order):
    measured, estimate = (
        power(value, DAY).model_copy(update={"source": source})
        for value, source in ((290, MetricSource.USER), (301.5, MetricSource.SERVICE))
    )
    metrics = [measured, estimate][::order]

    for day in (DAY, DAY - timedelta(days=1)):  # nearest before, earliest after
        assert athlete_on(metrics)(Sport.CYCLING, day).critical_power_w == 290
    assert capacities_on(DAY, Sport.CYCLING, metrics=metrics, profile=None).critical_power_w == 290


def test_weight_and_heart_rates_count_for_all_sports():
    metrics = [
        metric(MetricType.WEIGHT, 70, DAY, sport=MetricSport.RUNNING),
        metric(MetricType.MAX_HEART_RATE, 190, DAY, sport=MetricSport.GLOBAL),
    ]
    athlete = athlete_on(metrics, gender=Gender.FEMALE)(Sport.CYCLING, DAY)

    assert athlete == AthleteValues(weight_kg=70, max_heart_rate_bpm=190, gender=Gender.FEMALE)


@pytest.mark.parametrize(("value", "unit"), [(20, MetricUnit.KJ), (20_000, MetricUnit.J)])
def test_w_prime_is_read_in_joules(value, unit):
    w_prime = metric(MetricType.W_PRIME, value, DAY, unit=unit)

    assert athlete_on([w_prime])(Sport.CYCLING, DAY).w_prime_j == 20_000
