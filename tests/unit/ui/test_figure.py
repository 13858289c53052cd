"""A figure is built once for equal calls of the same API key."""

import json
from datetime import date
from functools import partial

import numpy as np
import plotly.graph_objects as go
import pytest
import streamlit as st

from coachboard.charts import palette
from coachboard.pages.activity.like_intervals import IntervalPoint, interval_trend_chart
from coachboard.pages.activity.sensors import sensor_chart
from coachboard.ui.frame import state
from coachboard.ui.widgets import figure


@pytest.fixture(autouse=True)
def no_session():
    yield
    st.session_state.clear()


def trend(watts, *, of="one key", text="1 May", is_dark=False):
    state.put(state.OF_KEY, of)
    chart = partial(interval_trend_chart, [IntervalPoint(date(2026, 5, 1), watts, True, text)])
    return figure.figure_of(chart, is_dark=is_dark)


def test_an_equal_call_gets_the_figure_built_before():
    assert trend(250.0) is trend(250.0)


@pytest.mark.parametrize("other", [{"of": "another key"}, {"text": "2 May"}, {"is_dark": True}])
def test_another_key_choice_or_theme_gets_a_figure_of_its_own(other):
    assert trend(251.0) is not trend(251.0, **other)


def test_other_data_of_the_same_length_gets_a_figure_of_its_own():
    elapsed, values = np.arange(3.0), np.array([1.0, np.nan, 3.0])
    first, second = (
        figure.figure_of(
            partial(sensor_chart, elapsed, shown, title="Heat", colour="#7a3fb8", digits=1), is_dark=False
        )
        for shown in (values, values * 2)
    )

    assert json.loads(first.json) != json.loads(second.json)


def test_the_dark_figure_has_the_dark_colours_and_the_height_of_the_chart():
    light, dark = trend(252.0), trend(252.0, is_dark=True)

    assert palette.INK.dark.encode() in dark.json
    assert palette.INK.dark.encode() not in light.json
    assert light.height == json.loads(light.json)["layout"]["height"] == dark.height


def test_figures_that_nobody_looked_at_for_long_leave_the_memory(monkeypatch):
    monkeypatch.setattr(figure, "_FIGURES", figure.Memo(3 * len(trend(1.0).json)))
    first = trend(2.0)
    for watts in range(10, 20):
        trend(float(watts))

    assert trend(2.0) is not first


def test_another_chart_of_the_same_arguments_is_another_figure():
    low, high = (figure.figure_of(partial(chart, 7), is_dark=False) for chart in (low_chart, high_chart))

    assert (low.height, high.height) == (107, 207)


def low_chart(more):
    return palette.layout(go.Figure(), height=100 + more)


def high_chart(more):
    return palette.layout(go.Figure(), height=200 + more)
