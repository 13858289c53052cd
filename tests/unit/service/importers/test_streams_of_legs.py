"""Streams of a leg: grade and W' balance where they are missing and can be known."""

import numpy as np
import pytest

from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.streams import has_plausible_altitude, streams_of
from coachboard.wire.enums import Sport
from unit.service.importers.legs import leg

ATHLETE = AthleteValues(critical_power_w=250, w_prime_j=20_000)
UPHILL = {"distance": np.arange(600) * 5.0, "altitude": 500 + np.arange(600) * 0.25}


def test_a_leg_without_records_has_no_streams():
    assert streams_of(leg(0), ATHLETE) is None


def test_times_are_utc():
    streams = streams_of(leg(2, power=200), AthleteValues())

    assert streams.timestamps.astype(str).tolist() == ["2026-05-04T06:00:00.000", "2026-05-04T06:00:01.000"]


def test_grade_comes_from_altitude_and_distance():
    grade = streams_of(leg(600, **UPHILL), AthleteValues()).columns["grade"]

    assert np.median(grade) == pytest.approx(5, abs=0.05)


def test_a_recorded_grade_stays():
    assert set(streams_of(leg(600, grade=7.0, **UPHILL), AthleteValues()).columns["grade"]) == {7}


@pytest.mark.parametrize(
    "more",
    [
        {"altitude": 500.0},
        {"altitude": 500.0, "distance": 0.0},
        {"distance": 5.0},
        {**UPHILL, "sport": Sport.SWIMMING},
        {**UPHILL, "altitude": np.resize([500.0, 700.0], 600)},
    ],
    ids=["no distance", "standing", "no altitude", "water", "faulty altitude"],
)
def test_no_grade_where_it_cannot_be_known(more):
    assert "grade" not in streams_of(leg(600, **more), AthleteValues()).columns


def test_an_altitude_without_a_distance_is_believed():
    assert has_plausible_altitude(leg(60, altitude=500.0))
    assert not has_plausible_altitude(leg(60, power=200))


def test_w_balance_falls_above_critical_power_and_gaps_recover():
    power = np.where(np.arange(100) < 60, 350.0, 0.0)
    times = [*range(60), *range(360, 400)]
    balance = streams_of(leg(times=times, power=power), ATHLETE).columns["wPrimeBalance"]

    assert balance[59] == pytest.approx(14_000)
    assert balance[60] > 19_500  # 300 s of pause count as 0 W


@pytest.mark.parametrize(
    "athlete", [AthleteValues(), AthleteValues(critical_power_w=250), AthleteValues(w_prime_j=20_000)]
)
def test_no_w_balance_without_both_metrics(athlete):
    assert "wPrimeBalance" not in streams_of(leg(60, power=200), athlete).columns


def test_no_w_balance_without_power_and_none_over_a_recorded_one():
    assert "wPrimeBalance" not in streams_of(leg(60, heartRate=120), ATHLETE).columns
    assert set(streams_of(leg(60, power=200, wPrimeBalance=5.0), ATHLETE).columns["wPrimeBalance"]) == {5}


def test_a_dead_power_meter_gives_no_w_balance():
    assert "wPrimeBalance" not in streams_of(leg(600, power=0.0, speed=3.0), ATHLETE).columns


def test_a_grade_is_known_where_the_distance_is_lost_for_a_second():
    distance = np.where(np.arange(600) % 3 == 1, np.nan, UPHILL["distance"])

    assert np.isfinite(
        streams_of(leg(600, **UPHILL | {"distance": distance}), AthleteValues()).columns["grade"]
    ).all()


def test_values_are_rounded_to_the_resolution_of_sensors():
    columns = streams_of(leg(1, positionLat=46.123456789, speed=1 / 3), AthleteValues()).columns

    assert (columns["positionLat"][0], columns["speed"][0]) == (46.1234568, 0.333)
