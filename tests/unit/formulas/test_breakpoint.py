"""The breakpoint of ventilation: found where two lines meet, and not claimed where one line fits."""

import numpy as np
import pytest

from coachboard.formulas.session.breakpoint import breakpoint_of
from coachboard.pages.activity.sensors import breakpoint_words, ventilation_breakpoint
from session_data import data_of, recorded

WATTS = np.linspace(100, 300, 41)


def bent(bend, *, noise=0.0, seed=1):
    """0.2 l/min per watt, and more above 210 W."""
    drift = np.random.default_rng(seed).normal(0, noise, len(WATTS))
    return 0.2 * WATTS + bend * np.maximum(WATTS - 210, 0) + drift


def test_the_breakpoint_is_where_the_lines_meet():
    found = breakpoint_of(WATTS, bent(0.3))

    assert found.at == pytest.approx(210, abs=1)
    assert found.low <= found.at <= found.high
    assert found.high - found.low < 3


def test_the_interval_holds_the_true_breakpoint_and_grows_with_noise():
    """Of 40 noisy tests at least 34 intervals hold 210 W (95 % of 40 is 38); twice the noise, a wider interval."""
    found = [breakpoint_of(WATTS, bent(0.3, noise=2.0, seed=seed)) for seed in range(40)]
    known = [one for one in found if one.is_known]

    assert len(known) >= 38
    assert sum(one.low <= 210 <= one.high for one in known) >= 34
    calm = [one.high - one.low for one in known]
    rough = [breakpoint_of(WATTS, bent(0.3, noise=4.0, seed=seed)) for seed in range(40)]
    assert np.mean([one.high - one.low for one in rough if one.is_known]) > np.mean(calm)


@pytest.mark.parametrize("bend", [0.0, -0.1, -0.3])
def test_a_straight_line_and_one_that_flattens_have_none(bend):
    assert not breakpoint_of(WATTS, bent(bend)).is_known


def test_noise_around_a_straight_line_is_hardly_ever_a_breakpoint():
    found = [breakpoint_of(WATTS, bent(0.0, noise=3.0, seed=seed)).is_known for seed in range(60)]

    assert sum(found) <= 3


def test_few_minutes_and_missing_values_claim_nothing():
    values = bent(0.3)
    values[:22] = np.nan
    few = breakpoint_of(WATTS, values)

    assert (few.is_known, few.minutes) == (False, 19)
    assert breakpoint_words(few) == "No breakpoint: needs 20 minutes with power, has 19."
    assert not breakpoint_of([200.0] * 41, values).is_known


def test_the_session_gives_minutes_of_pedalling():
    """A ramp of 40 minutes with a stop of ten in the middle, during which ventilation falls."""
    watts = np.concatenate([np.repeat(WATTS[:20], 60), np.zeros(600), np.repeat(WATTS[20:], 60)])
    litres = np.where(watts > 0, 0.2 * watts + 0.3 * np.maximum(watts - 210, 0), 20.0)
    found = ventilation_breakpoint(data_of(streams=recorded(power=watts, minuteVentilation=litres)))

    assert found.minutes == 41
    assert found.at == pytest.approx(210, abs=2)
    assert breakpoint_words(found).startswith("Breakpoint vs power: 2")
    assert ventilation_breakpoint(data_of(streams=recorded(power=watts))) is None
