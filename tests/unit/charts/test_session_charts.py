"""The charts of the analyses: traces, axes and words."""

import numpy as np
import pytest

from coachboard.charts import palette
from coachboard.charts.planned_and_done import Block, planned_and_done_chart
from coachboard.charts.power_and_pace import (
    Curve,
    Half,
    decoupling_chart,
    grade_adjusted_chart,
    mean_maximal_chart,
)
from coachboard.pages.activity.bands import BandBar, HistogramBar, bands_chart, distribution_chart
from coachboard.pages.activity.sensors import SensorScale, by_effort_chart, sensor_chart
from coachboard.pages.activity.w_balance import BalanceLine, w_balance_chart

MARKUP = "<img src=x onerror=alert(1)>"


def texts_of(figure):
    return figure.to_json()


def test_curve_axis_ends_where_the_longest_session_does():
    values = np.array([400.0, 300.0, 250.0, np.nan])
    curves = [Curve("This session", values, ["", "", "", ""], is_this=True)]

    figure = mean_maximal_chart(
        (1, 60, 1200, 3600),
        curves,
        title="Power, W",
        colour=palette.quantity("power"),
        reference=(250, "critical power"),
    )

    assert figure.layout.xaxis.type == "log"
    assert figure.layout.xaxis.unifiedhovertitle.text == "%{x:.0f} s"
    assert 10 ** figure.layout.xaxis.range[1] == pytest.approx(1200)
    assert list(figure.layout.xaxis.ticktext) == ["1 s", "5 s", "15 s", "1 min", "5 min", "20 min"]
    assert figure.data[0].line.color == palette.quantity("power")


def test_curve_without_a_value_is_drawn_empty():
    empty = np.full(2, np.nan)

    figure = mean_maximal_chart((1, 60), [Curve("None yet", empty, ["", ""])], title="W", colour="#7a3fb8")

    assert np.isnan(figure.data[0].y).all()
    assert figure.data[0].showlegend is False  # the legend named a line that nobody saw


def test_bands_run_from_easy_to_hard_with_their_time():
    bars = [
        BandBar("aerobic", 60, "#6aa5d8", "1:00:00, 80 %"),
        BandBar("tempo", 15, "#2f8f6b", "15:00, 20 %"),
    ]

    figure = bands_chart(bars)

    assert list(figure.data[0].y) == ["aerobic", "tempo"]
    assert list(figure.data[0].text) == ["1:00:00, 80 %", "15:00, 20 %"]
    assert bands_chart([]).data[0].x == ()


def test_histogram_bars_are_in_the_middle_of_their_bins():
    figure = distribution_chart([HistogramBar(100, 3, "#6aa5d8", "100 to 110 W")], width=10, title="Power, W")

    assert list(figure.data[0].x) == [105]


def test_halves_are_distinguished_by_symbol_and_not_by_colour_alone():
    half = Half("First half", np.array([200.0]), np.array([140.0]), ["Minute 1"])
    other = Half("Second half", np.array([200.0]), np.array([146.0]), ["Minute 2"])

    figure = decoupling_chart([half, other], title="Power, W")

    dots = [trace.marker.symbol for trace in figure.data if trace.showlegend is None]
    assert dots == ["circle-open", "circle"]


def test_empty_half_draws_no_mean():
    empty = Half("First half", np.empty(0), np.empty(0), [])

    assert len(decoupling_chart([empty], title="Power, W").data) == 1


def test_balance_shows_the_sent_line_solid_and_the_dips():
    at = np.arange(3.0)
    lines = [BalanceLine("as sent", at, at, is_sent=True), BalanceLine("ours", at, at, is_sent=False)]

    figure = w_balance_chart(lines, w_prime_kj=20.0, dips=[(2.0, 1.5, "Depletion 1")])

    assert [trace.line.dash for trace in figure.data[:2]] == ["solid", "dot"]
    assert list(figure.data[2].y) == [1.5]
    assert len(w_balance_chart([], w_prime_kj=None).layout.shapes) == 1


def test_a_sensor_axis_ends_with_its_record():
    figure = sensor_chart(np.array([0.0, 7200.0]), np.zeros(2), title="x", colour="#5a55b5", digits=0)

    assert figure.layout.xaxis.range == (0, 7200)
    assert figure.layout.xaxis.ticktext[-1] == "2:00:00"


def test_skipped_step_is_an_outline_and_links_break_between_pairs():
    step = Block(0, 60, 100, "#e3bf45", "Active")
    skipped = Block(60, 120, 100, "#e3bf45", "Active", is_missing=True)

    figure = planned_and_done_chart([step, skipped], [step], [(30, 30)], reference="% of critical power")

    fills = figure.data[0].marker.color
    assert fills[0] == "#e3bf45"
    assert fills[1].startswith("rgba")
    assert figure.data[2].x[2] is None
    titles = [axis.title.text for axis in (figure.layout.yaxis, figure.layout.yaxis2)]
    assert titles == ["Planned<br>% of critical power", "Done<br>% of critical power"]


@pytest.mark.parametrize(
    "figure",
    [
        bands_chart([BandBar(MARKUP, 1, "#6aa5d8", MARKUP)]),
        distribution_chart([HistogramBar(0, 1, "#6aa5d8", MARKUP)], width=1, title=MARKUP),
        mean_maximal_chart((1,), [Curve(MARKUP, np.ones(1), [MARKUP])], title=MARKUP, colour="#7a3fb8", reference=(1, MARKUP)),
        grade_adjusted_chart(np.ones(1), [(MARKUP, np.ones(1), [MARKUP])], unit=MARKUP, ticks=[], title=MARKUP),
        planned_and_done_chart([Block(0, 1, 1, "#e3bf45", MARKUP)], [], [], reference=MARKUP),
        by_effort_chart(np.ones(1), np.ones(1), against=SensorScale(MARKUP), title=MARKUP, colour="#5a55b5", digits=0),
    ],
)  # fmt: skip
def test_texts_of_strangers_are_escaped(figure):
    assert "<img" not in texts_of(figure)


def test_a_scale_of_paces_is_ticked_by_paces():
    ticks = [(2.5, "6:40"), (4.0, "4:10")]
    half = Half("First half", np.array([2.4, 4.1]), np.array([140.0, 165.0]), ["", ""])
    for figure in (
        decoupling_chart([half], title="Pace, /km", ticks=ticks),
        by_effort_chart(
            np.ones(2),
            np.ones(2),
            against=SensorScale("Pace, /km", ticks),
            title="",
            colour="#5a55b5",
            digits=0,
        ),
    ):
        assert figure.layout.xaxis.title.text == "Pace, /km"
        assert figure.layout.xaxis.ticktext == ("6:40", "4:10")
