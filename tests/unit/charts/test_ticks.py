"""Round ticks: steps that can be read, zero among them, months by their first day."""

from datetime import date, timedelta

import pytest

from coachboard.charts.ticks import month_axis, round_ticks, value_axis


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 100, [0, 20, 40, 60, 80, 100]),
        (-23, 31, [-20, 0, 20]),
        (0, 7, [0, 2, 4, 6]),
        (0, 0.3, [0, 0.1, 0.2, 0.3]),
    ],
)
def test_ticks_are_multiples_of_a_round_step(low, high, expected):
    assert round_ticks(low, high) == pytest.approx(expected)


def test_an_axis_holds_zero_and_all_values_with_room_above():
    axis = value_axis(-24.0, 31.0)

    assert axis["range"][0] < -24
    assert axis["range"][1] > 31
    assert axis["ticktext"] == ["−20", "0", "20"]
    assert value_axis(5.0, 1_200.0)["range"][0] == 0
    assert value_axis(5.0, 1_200.0)["ticktext"][-1] == "1,000"


def test_an_axis_of_nothing_has_a_range():
    axis = value_axis(0.0, 0.0)

    assert axis["range"][1] > axis["range"][0]


def test_months_are_at_their_first_day_with_a_year_under_the_first_and_january():
    axis = month_axis([date(2026, 11, 20) + timedelta(days=at) for at in range(80)])

    assert axis["range"] == ["2026-11-20", "2027-02-07"]
    assert axis["tickvals"] == ["2026-12-01", "2027-01-01", "2027-02-01"]
    assert axis["ticktext"] == ["1 Dec<br>2026", "1 Jan<br>2027", "1 Feb"]
