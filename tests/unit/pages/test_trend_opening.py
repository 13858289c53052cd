"""The sentences that open the trends."""

import numpy as np
import pytest

from coachboard.formulas.recovery.baseline import OwnNormal
from coachboard.pages.trends.opening import against_normal


def test_a_mean_above_its_normal_range_reads_higher_than_the_bound():
    """50.143 bpm and a bound of 50.102 read 50.1 both with one digit."""
    ends = {"mean": [49.0], "deviation": [1.0], "low": [47.9], "high": [50.102], "days": [60]}
    normal = OwnNormal(**{name: np.array(values) for name, values in ends.items()})

    says = against_normal(
        "Resting heart rate", np.array([50.143]), normal, nights=np.full(7, 50.0), unit="bpm", error=0.0
    )

    assert says == ("**Resting heart rate:** 7-day mean 50.14 bpm, above normal range (47.90–50.10 bpm).")


@pytest.mark.parametrize(("nights", "words"), [(7, "7-day mean 50 bpm"), (5, "mean of 5 nights 50 bpm")])
def test_a_mean_names_its_nights(nights, words):
    """The mean of five nights was called a 7-day mean."""
    rates = np.full(40, 50.0)
    rates[len(rates) - 7 : len(rates) - nights] = np.nan
    ends = {"mean": [50.0], "deviation": [3.0], "low": [47.0], "high": [53.0], "days": [60]}
    normal = OwnNormal(**{name: np.array(values) for name, values in ends.items()})

    assert words in against_normal(
        "Resting heart rate", np.array([50.0]), normal, nights=rates, unit="bpm", error=1.0
    )


@pytest.mark.parametrize(
    ("bpm", "where"), [(53.5, "at the edge of"), (54.0, "above"), (46.5, "at the edge of"), (46.0, "below")]
)
def test_a_mean_closer_to_the_range_than_its_error_is_not_outside(bpm, where):
    ends = {"mean": [50.0], "deviation": [3.0], "low": [47.0], "high": [53.0], "days": [60]}
    normal = OwnNormal(**{name: np.array(values) for name, values in ends.items()})
    says = against_normal(
        "Resting heart rate", np.array([bpm]), normal, nights=np.full(7, bpm), unit="bpm", error=1.0
    )

    assert f", {where} normal range (47.0–53.0 bpm)" in says or f", {where} normal range (47–53 bpm)" in says
