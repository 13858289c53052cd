"""W' balance against sweat's published tests and derived numbers (formulas, section 5)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coachboard.analytics.w_balance import (
    bartram_tau_s,
    depletions,
    skiba_tau_s,
    w_balance,
    w_balance_integral,
)

RAMP = np.arange(100.0)
RAMP_RIDER = {"critical_power_w": 25, "w_prime_j": 2000}
BLOCKS = np.repeat([400.0, 100.0, 400.0], 60)
RIDER = {"critical_power_w": 250.0, "w_prime_j": 20_000.0}

powers = arrays(np.float64, st.integers(0, 400), elements=st.floats(0, 1200))


def slow_balance(power, critical_power_w, w_prime_j):
    """One second after another, as the differential form is written."""
    left, out = w_prime_j, []
    for watts in power:
        over = watts - critical_power_w
        left -= over if over > 0 else over * (w_prime_j - left) / w_prime_j
        out.append(left)
    return out


def slow_integral(power, critical_power_w, w_prime_j, tau_s):
    """The sum over all earlier seconds, for each second."""
    over = np.maximum(power - critical_power_w, 0)
    return [
        w_prime_j - sum(over[u] * np.exp(-(t - u) / tau_s) for u in range(t + 1)) for t in range(len(power))
    ]


def test_ramp_of_sweat_gives_its_published_numbers():
    own = w_balance_integral(RAMP, **RAMP_RIDER)
    differential = w_balance(RAMP, **RAMP_RIDER)

    assert skiba_tau_s(RAMP, 25) == pytest.approx(795.4401052826265, abs=1e-9)
    assert own[[75, 50]] == pytest.approx([750.774177, 1678.243109], abs=1e-6)
    assert w_balance_integral(RAMP, tau_s=100, **RAMP_RIDER)[75] == pytest.approx(909.618947, abs=1e-6)
    assert w_balance_integral(RAMP, tau_s=500, **RAMP_RIDER)[50] == pytest.approx(1680.135644, abs=1e-6)
    assert differential[[75, 50]] == pytest.approx([725.0, 1675.0])


def test_three_blocks_give_derived_numbers():
    ends = [59, 119, 179]

    assert w_balance(BLOCKS, **RIDER)[ends] == pytest.approx([11_000, 14_271.07, 5_271.07], abs=5e-3)
    assert w_balance_integral(BLOCKS, **RIDER)[ends] == pytest.approx(
        [11_579.84, 12_658.16, 5_178.23], abs=5e-3
    )
    assert skiba_tau_s(BLOCKS, 250) == pytest.approx(437.83, abs=5e-3)


def test_time_constants_at_100_w_below_critical_power():
    assert skiba_tau_s([150.0], 250) == pytest.approx(516.862, abs=5e-4)
    assert bartram_tau_s([150.0], 250) == pytest.approx(96.229, abs=5e-4)


def test_time_constants_without_an_easy_second():
    assert skiba_tau_s([300.0], 250) == 862
    assert bartram_tau_s([300.0], 250) == np.inf


@given(powers)
def test_blocks_equal_the_slow_version(power):
    assert w_balance(power, **RIDER) == pytest.approx(slow_balance(power, **RIDER), abs=1e-6)


@given(arrays(np.float64, st.integers(0, 60), elements=st.floats(0, 1200)))
def test_integral_equals_the_slow_version(power):
    assert w_balance_integral(power, tau_s=400, **RIDER) == pytest.approx(
        slow_integral(power, **RIDER, tau_s=400), abs=1e-6
    )


@given(powers)
def test_balance_never_exceeds_w_prime(power):
    assert np.all(w_balance(power, **RIDER) <= RIDER["w_prime_j"] + 1e-9)


def test_balance_stays_finite_over_14_hours_and_for_tiny_w_prime():
    power = np.tile([0.0, 0.0, 0.0, 900.0], 12_600)

    assert np.isfinite(w_balance(power, **RIDER)).all()
    assert np.isfinite(w_balance(power, critical_power_w=300, w_prime_j=100)).all()


def test_pause_gives_w_prime_back():
    power = np.concatenate([np.full(60, 400.0), np.full(600, np.nan)])

    assert w_balance(power, **RIDER)[-1] > 19_900


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"critical_power_w": 0, "w_prime_j": 1}, "critical_power_w"),
        ({"critical_power_w": 1, "w_prime_j": -1}, "w_prime_j"),
    ],
)
def test_impossible_capacities_are_refused(values, name):
    with pytest.raises(ValueError, match=name):
        w_balance([200.0], **values)


def test_impossible_time_constant_is_refused():
    with pytest.raises(ValueError, match="tau_s"):
        w_balance_integral([200.0], tau_s=0, **RIDER)


def test_depletions_run_from_high_to_low_to_recovered():
    balance = w_balance(np.concatenate([BLOCKS, np.zeros(600)]), **RIDER)

    first, second = depletions(balance, RIDER["w_prime_j"])

    assert (first.start, first.lowest, first.end) == (6, 59, 119)
    assert (second.start, second.lowest, second.end) == (125, 179, 779)
    assert second.lowest_j == pytest.approx(5_271.07, abs=5e-3)


@pytest.mark.parametrize("balance", [[], [np.nan] * 5, [20_000.0] * 5])
def test_no_dip_no_depletion(balance):
    assert depletions(balance, 20_000) == []
