"""W' balance against sweat's published tests and derived numbers (formulas, section 5)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coachboard.formulas.session.w_balance import depletions, w_balance

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


def test_ramp_of_sweat_gives_its_published_numbers():
    assert w_balance(RAMP, **RAMP_RIDER)[[75, 50]] == pytest.approx([725.0, 1675.0])


def test_three_blocks_give_derived_numbers():
    ends = [59, 119, 179]

    assert w_balance(BLOCKS, **RIDER)[ends] == pytest.approx([11_000, 14_271.07, 5_271.07], abs=5e-3)


@given(powers)
def test_blocks_equal_the_slow_version(power):
    assert w_balance(power, **RIDER) == pytest.approx(slow_balance(power, **RIDER), abs=1e-6)


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


def test_depletions_run_from_high_to_low_to_recovered():
    balance = w_balance(np.concatenate([BLOCKS, np.zeros(600)]), **RIDER)

    first, second = depletions(balance, RIDER["w_prime_j"])

    assert (first.start, first.lowest, first.end) == (6, 59, 119)
    assert (second.start, second.lowest, second.end) == (125, 179, 779)
    assert second.lowest_j == pytest.approx(5_271.07, abs=5e-3)


@pytest.mark.parametrize("balance", [[], [np.nan] * 5, [20_000.0] * 5])
def test_no_dip_no_depletion(balance):
    assert depletions(balance, 20_000) == []
