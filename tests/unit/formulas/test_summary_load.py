"""A load from a session's summary: the first method that the figures and the references allow."""

from math import isnan, nan
from types import SimpleNamespace

import pytest

from coachboard.formulas.session.summary_load import (
    LoadMethod,
    SessionSummary,
    Thresholds,
    methods_of,
    summary_load,
)
from coachboard.wire.enums import Gender, Sport

ALL = Thresholds(250, 4.0, 190, 60, Gender.MALE)
RUN = SessionSummary(3600, Sport.RUNNING, power_w=250, speed_mps=4.0, heart_rate_bpm=0.89 * 190, rpe=7)


@pytest.mark.parametrize(
    ("lost", "method"),
    [
        ({}, LoadMethod.POWER),
        ({"power_w": nan}, LoadMethod.PACE),
        ({"power_w": nan, "speed_mps": nan}, LoadMethod.HEART_RATE),
        ({"power_w": 0, "speed_mps": 0, "heart_rate_bpm": 0}, LoadMethod.RPE),
    ],
)
def test_an_hour_at_threshold_is_100_by_every_method(lost, method):
    load, found = summary_load(
        SessionSummary(**{name: getattr(RUN, name) for name in RUN.__slots__} | lost), ALL
    )

    assert (load, found) == (pytest.approx(100), method)


def test_without_references_only_rpe_is_left():
    assert summary_load(RUN, Thresholds()) == (pytest.approx(100), LoadMethod.RPE)
    assert (
        summary_load(RUN, Thresholds(max_heart_rate_bpm=60, resting_heart_rate_bpm=60))[1] is LoadMethod.RPE
    )


@pytest.mark.parametrize(
    "summary",
    [SessionSummary(3600), SessionSummary(nan, rpe=7), SessionSummary(0, rpe=7), SessionSummary(3600, rpe=0)],
)
def test_load_without_any_usable_value_is_unknown_and_not_0(summary):
    load, method = summary_load(summary, ALL)

    assert (isnan(load), method) == (True, None)


def test_the_speed_of_a_ride_says_nothing_of_its_load():
    assert summary_load(SessionSummary(3600, Sport.CYCLING, speed_mps=8.0), ALL)[1] is None
    swim, slow = (summary_load(SessionSummary(3600, Sport.SWIMMING, speed_mps=v), ALL)[0] for v in (4.0, 2.0))
    assert swim / slow == pytest.approx(8)


def test_methods_are_named_by_how_often_they_are_used():
    used = [LoadMethod.RPE, None, LoadMethod.POWER, LoadMethod.POWER]

    assert methods_of(SimpleNamespace(load_method=one) for one in used) == (LoadMethod.POWER, LoadMethod.RPE)
