"""Training analysis of a range and the days before it."""

from datetime import date, timedelta

import numpy as np
import pytest

from coachboard.analytics.recovery.nights import nights_of
from coachboard.analytics.season.daily_load import daily_load
from coachboard.loaders.trends.page_data import TrendsData
from coachboard.loaders.trends.performance import season_performance

START, END = date(2026, 3, 2), date(2026, 3, 15)
WEEK = (600, 200, 400, 500, 100, 650, 0)


def trends(volumes, *, first):
    dated = [(first + timedelta(days=n), float(volume)) for n, volume in enumerate(volumes)]
    return TrendsData(
        start=START,
        end=END,
        today=END,
        metrics=(),
        nights=nights_of([], first=START, start=START, end=END),
        load=daily_load(dated, first=first, start=START, end=END),
        activities=(),
        circumstances=(),
        missing=(),
        results=(),
    )


def test_the_first_days_of_a_range_have_their_week_too():
    season = season_performance(trends(WEEK * 3, first=START - timedelta(days=7)))

    assert len(season.monotony) == len(season.strain) == 14
    # The same seven loads in whatever order: 1.49241 and 3656.39 are Foster's week.
    assert season.monotony == pytest.approx(np.full(14, 1.49241), abs=1e-5)
    assert season.strain == pytest.approx(np.full(14, 3656.39), abs=6e-3)


def test_where_nothing_is_known_of_the_days_before_the_first_week_is_not_made_up():
    season = season_performance(trends(WEEK * 2, first=START))

    assert np.isnan(season.monotony[:6]).all()
    assert season.monotony[6] == pytest.approx(1.49241, abs=1e-5)
