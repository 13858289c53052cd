"""The load of an imported session: the signal that it uses."""

import numpy as np
import pytest

from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.load import load_of
from coachboard.service.importers.record_times import durations
from coachboard.service.importers.streams import grade_of
from coachboard.wire.enums import Sport
from unit.service.importers.legs import leg

ATHLETE = AthleteValues(
    critical_power_w=250, critical_speed_mps=4.0, max_heart_rate_bpm=190, resting_heart_rate_bpm=50
)
COUNT = 1000


def volume(**more):
    made = leg(COUNT, **more)
    return load_of(made, ATHLETE, durations(made))["volume"]


def known_for(share, value):
    """A column that ends after a share of the session; a value that changes, as of a living sensor."""
    at = np.arange(COUNT)
    return np.where(at < share * COUNT, value + at % 2, np.nan)


@pytest.mark.parametrize(
    ("name", "value", "sport"),
    [("power", 250, Sport.CYCLING), ("speed", 4, Sport.RUNNING), ("heartRate", 150, Sport.ROWING)],
)
def test_a_signal_of_less_than_half_of_the_session_gives_no_load(name, value, sport):
    assert volume(sport=sport, **{name: known_for(0.4, value)}) is None
    assert volume(sport=sport, **{name: known_for(0.6, value)}) > 0


def test_a_run_uphill_counts_for_more_than_the_same_run_on_level_ground_and_a_swim_has_no_slope():
    run, swim = ({"sport": sport, "speed": 3.0} for sport in (Sport.RUNNING, Sport.SWIMMING))

    assert volume(**run, grade=8.0) > 1.2 * volume(**run, grade=0.0)
    assert volume(**swim, grade=8.0) == volume(**swim, grade=0.0)


@pytest.mark.parametrize(("gap", "expected_mps"), [(60, 3.6), (200, 3.0)])
def test_open_water_reads_the_speed_where_it_is_dense_and_else_the_distance(gap, expected_mps):
    """The watch writes a speed of 3.6 m/s but for a gap of 6 % or 20 % of the session; its distance says 3.0 m/s."""
    at = np.arange(COUNT)
    speed = np.where((at >= 500) & (at < 500 + gap), np.nan, 3.6 + 0.001 * (at % 2))
    swum = volume(sport=Sport.SWIMMING, speed=speed, distance=3.0 * at)
    even = volume(sport=Sport.SWIMMING, speed=np.full(COUNT, expected_mps))

    assert swum == pytest.approx(even, rel=0.08)


def test_grade_and_climbs_read_a_distance_that_never_falls():
    """A receiver that drifts back 5 m at a stop would turn the slope round."""
    at = np.arange(COUNT)
    distance = np.where((at > 500) & (at < 520), 5.0 * 500 - 5, 5.0 * at)
    made = leg(COUNT, sport=Sport.CYCLING, distance=distance, altitude=0.25 * at)

    grade = grade_of(made)

    assert np.nanmin(grade) > 0
    assert np.isfinite(grade).all()
