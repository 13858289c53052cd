"""The country that routes lead through: straight slopes, edges at the top, flat valleys."""

import numpy as np
import pytest

from coachboard_demo.routes import Shape, route
from coachboard_demo.squad import ANNECY, GIRONA


@pytest.mark.parametrize("place", [GIRONA, ANNECY])
def test_slopes_are_straight_and_turn_over_at_edges(place):
    """Recorded roads: where the grade changes most, it does so 4 to 6 times as much as elsewhere; rounded hills 3 times."""
    bends = []
    for number in range(12):
        height = route(place, Shape.LOOP, 60_000, f"way {number}").altitude_m[::4]
        grade = np.convolve(np.diff(height), np.full(3, 1 / 3), "valid")
        bend = np.abs(np.diff(grade))
        bends.append(np.quantile(bend, 0.95) / np.median(bend))

    assert np.mean(bends) > 3.7


@pytest.mark.parametrize("place", [GIRONA, ANNECY])
def test_valleys_have_floors(place):
    """Of the longest recorded ride, over 300 m of heights, a third is level (less than 0.8 %)."""
    level = []
    for number in range(12):
        height = route(place, Shape.LOOP, 60_000, f"way {number}").altitude_m[::4]
        level.append((np.abs(np.diff(height)) < 0.8).mean())

    assert 0.27 < np.mean(level) < 0.5
