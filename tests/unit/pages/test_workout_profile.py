"""The axis of a planned workout in speeds: in the measure of the sport and the reader's units."""

import pytest

from coachboard.execution.structure import FlatStep, Target
from coachboard.pages.calendar.workout_profile import speed_axis
from coachboard.ui.frame.formats import METRIC, System, Units
from coachboard.wire.enums import StepLabel

IMPERIAL = Units(System.IMPERIAL)


def step(low_mps, high_mps):
    target = Target(low_mps, high_mps)
    return FlatStep(0, (), StepLabel.ACTIVE, None, None, 600, None, None, None, target, None)


@pytest.mark.parametrize(
    ("sport", "units", "title"),
    [
        ("running", METRIC, "Pace (/km)"),
        ("running", IMPERIAL, "Pace (/mi)"),
        ("swimming", METRIC, "Pace (/100 m)"),
        ("cycling", METRIC, "Speed (km/h)"),
        ("cycling", IMPERIAL, "Speed (mph)"),
    ],
)
def test_the_axis_is_that_of_the_sport_and_of_the_readers_units(sport, units, title):
    assert speed_axis([step(3.0, 4.0)], sport, units=units).title == title


def test_round_paces_are_at_their_speeds():
    axis = speed_axis([step(3.0, 4.0)], "running", units=METRIC)

    assert ("5:00", 1000 / 300) in [(text, pytest.approx(at)) for at, text in axis.ticks]
    assert axis.per_mps == 1.0
