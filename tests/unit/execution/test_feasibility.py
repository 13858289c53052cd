"""Whether a plan can be held, against the derived numbers of the W' balance."""

import pytest

from coachboard.execution.feasibility import feasibility
from coachboard.execution.structure import FlatStep, Target
from coachboard.wire.enums import StepLabel

CP, W_PRIME = 250.0, 20_000.0


def step(index, seconds, watts):
    target = None if watts is None else Target(watts, watts)
    return FlatStep(index, (), StepLabel.ACTIVE, None, None, seconds, None, target, None, None, None)


def judge(*steps):
    return feasibility(steps, critical_power_w=CP, w_prime_j=W_PRIME)


def test_minute_blocks_end_where_the_published_derivation_ends():
    """60 s 400 W, 60 s 100 W, 60 s 400 W leave 5,261 to 5,271 J of 20 kJ (differential form)."""
    found = judge(step(0, 60, 400), step(1, 60, 100), step(2, 60, 400))

    assert found.lowest_j == pytest.approx(5_266, abs=10)
    assert (found.is_feasible, found.step.index) == (True, 2)


def test_the_step_at_which_it_would_run_empty_is_named():
    found = judge(step(0, 100, 400), step(1, 10, 100), step(2, 120, 400), step(3, 60, 500))

    assert (found.is_feasible, found.step.index) == (False, 2)


def test_a_step_without_power_recovers():
    assert judge(step(0, 120, 400), step(1, 600, None), step(2, 120, 400)).is_feasible


def test_nothing_is_claimed_without_a_power():
    assert judge(step(0, 120, None)) is None
    assert judge() is None
