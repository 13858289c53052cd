"""The same climb on different days."""

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachboard.formulas.season.repeated_climbs import ClimbEffort, repeated_climbs


def ride(day, **changes):
    fields = {
        "activity_id": f"act_{day}",
        "day": date(2026, 3, day),
        "start_latitude": 46.0,
        "start_longitude": 7.0,
        "distance_m": 5_000.0,
        "elevation_gain_m": 400.0,
        "min_altitude_m": 500.0,
        "duration_s": 1_200.0,
    }
    return ClimbEffort(**fields | changes)


@pytest.mark.parametrize(
    "other",
    [
        {"distance_m": 5_400.0},
        {"elevation_gain_m": 440.0},
        {"min_altitude_m": 530.0},
        {"start_latitude": 46.02},
        {"start_longitude": 7.03},
        {"is_on_foot": True},
    ],
)
def test_a_climb_elsewhere_or_of_another_size_is_another(other):
    assert repeated_climbs([ride(1), ride(2, **other)]) == []


def test_rides_are_oldest_first_and_the_most_ridden_climb_leads():
    big = {"distance_m": 9_000.0, "elevation_gain_m": 800.0}
    groups = repeated_climbs([ride(9), ride(3), ride(4, **big), ride(5, **big), ride(6, **big)])

    assert [[effort.day.day for effort in group] for group in groups] == [[4, 5, 6], [3, 9]]


def test_twice_on_one_day_is_not_ridden_again():
    assert repeated_climbs([ride(1), ride(1, activity_id="act_b")]) == []


def test_vertical_metres_an_hour():
    assert ride(1).vam_m_per_h == 1_200


@given(st.lists(st.builds(ride, st.integers(1, 28), elevation_gain_m=st.floats(30, 900)), max_size=30))
def test_no_effort_is_in_two_groups_and_sizes_fall(efforts):
    groups = repeated_climbs(efforts)

    assert sum(map(len, groups)) <= len(efforts)
    assert all(len(one) >= len(other) for one, other in pairwise(groups))
