"""The fit of critical power and W' to best efforts."""

import numpy as np
import pytest

from coachboard.formulas.session.critical_power import FIT_DURATIONS_S, fit_critical

EXACT = np.array([250 + 20_000 / t for t in FIT_DURATIONS_S])


def test_the_interval_is_that_of_an_independent_regression():
    """Against the covariance of numpy's least squares, and Student's t of 4 degrees of freedom."""
    t = np.array(FIT_DURATIONS_S, float)
    means = EXACT + np.array([3, -2, 1, -1, 2, -3])

    fit = fit_critical(t, means)
    (slope, offset), covariance = np.polyfit(t, means * t, 1, cov=True)

    assert (fit.critical, fit.reserve) == pytest.approx((slope, offset))
    assert fit.critical_range[1] - slope == pytest.approx(2.776 * np.sqrt(covariance[0, 0]))
    assert offset - fit.reserve_range[0] == pytest.approx(2.776 * np.sqrt(covariance[1, 1]))
    assert 0.99 < fit.r_squared < 1


def test_unknown_efforts_are_left_out():
    means = np.where(np.array(FIT_DURATIONS_S) > 500, np.nan, EXACT)

    fit = fit_critical(FIT_DURATIONS_S, means)

    assert (round(fit.critical, 6), round(fit.reserve, 3), fit.efforts) == (250, 20_000, 4)


@pytest.mark.parametrize(
    "means",
    [
        np.where(np.array(FIT_DURATIONS_S) > 400, np.nan, EXACT),  # three efforts
        np.array([200.0, 210, 220, 230, 240, 250]),  # longer efforts harder: W' below 0
        np.zeros(6),
    ],
)
def test_efforts_without_a_hyperbola_give_nothing(means):
    assert fit_critical(FIT_DURATIONS_S, means) is None
