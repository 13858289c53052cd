"""The panels' figure: one x axis, bands and outlines where they belong, a drag that spans all panels."""

from itertools import pairwise

import numpy as np
import pytest

from coachboard.charts.panel_marks import PartBand, TargetRange
from coachboard.charts.panels import Other, Panel
from coachboard.charts.streams import PHONE_PANEL_HEIGHT_PX, streams_chart


def panel(name="power", *, x=None, **changes):
    x = np.arange(0, 100, 1.0) if x is None else np.asarray(x, np.float64)
    usual = {
        "title": "Power",
        "unit": "W",
        "colour": "#7a3fb8",
        "y": np.full(len(x), 200.0),
        "low": 0.0,
        "high": 300.0,
    }
    return Panel(name=name, x=x, **(usual | changes))


def traces_of(figure):
    return [trace for trace in figure.data if trace.type == "scatter" and trace.yaxis != "y99"]


def headings_of(figure):
    return [text for trace in figure.data if trace.mode == "text" for text in trace.text]


def test_all_panels_share_one_x_axis_and_do_not_overlap():
    figure = streams_chart([panel(str(n)) for n in range(4)], axis="elapsed")
    domains = [figure.layout[f"yaxis{n or ''}"].domain for n in ("", 2, 3, 4)]

    assert {trace.xaxis for trace in figure.data if trace.mode != "text"} <= {None, "x"}
    assert all(upper[0] > lower[1] for upper, lower in pairwise(domains))
    assert figure.layout.template.layout.hoversubplots == "axis"


def test_a_drag_selects_along_x_over_the_whole_height():
    layout = streams_chart([panel(), panel("hr")], axis="elapsed").layout

    assert (layout.dragmode, layout.selectdirection) == ("select", "h")
    assert tuple(layout.yaxis99.domain) == (0, 1)


def test_a_given_selection_is_drawn_and_none_is_not():
    with_one = streams_chart([panel()], axis="elapsed", selection=(10.0, 20.0))
    without = streams_chart([panel()], axis="elapsed")

    assert with_one.layout.selections[0].x0 == 10
    assert not without.layout.selections


def test_bands_are_a_ribbon_and_tints():
    bands = [PartBand(0, 40, "#6aa5d8", "1: <i>aerobic</i>"), PartBand(40, 100, "#d9762b", "2: vo2max")]
    figure = streams_chart([panel()], axis="elapsed", bands=bands)
    ribbon = [trace for trace in figure.data if trace.type == "bar"]

    assert [trace.customdata for trace in ribbon] == [("1: &lt;i&gt;aerobic&lt;/i&gt;",), ("2: vo2max",)]
    assert [(trace.base, trace.x) for trace in ribbon] == [((0,), (40,)), ((40,), (60,))]
    assert [trace.marker.pattern.shape for trace in ribbon] == [(".",), ("x",)]
    assert [shape.path for shape in figure.layout.shapes] == [
        "M0,0V1H40V0Z",
        "M40,0V1H100V0Z",
    ]


def test_the_legend_names_the_intensities_of_the_ribbon_where_there_is_room():
    bands = [
        PartBand(0, 40, "#d9762b", "1"),
        PartBand(40, 70, "#6aa5d8", "2"),
        PartBand(70, 100, "#a9b0b8", "3"),
    ]

    def named(**options):
        figure = streams_chart([panel()], axis="elapsed", bands=bands, **options)
        entries = [trace for trace in figure.data if trace.type == "bar" and trace.showlegend]
        return [trace.name for trace in sorted(entries, key=lambda trace: trace.legendrank)]

    assert named() == ["Aerobic", "VO2max", "No intensity"]
    assert named(panel_px=PHONE_PANEL_HEIGHT_PX) == []


def test_bands_of_one_colour_are_one_shape_over_distance_too():
    bands = [
        PartBand(0, 4.5, "#6aa5d8", "1"),
        PartBand(4.5, 10, "#d9762b", "2"),
        PartBand(10, 12, "#6aa5d8", "3"),
    ]
    easy, hard = streams_chart([panel()], axis="distance", bands=bands).layout.shapes

    assert (easy.path, hard.path) == ("M0,0V1H4.5V0ZM10,0V1H12V0Z", "M4.5,0V1H10V0Z")


def test_a_target_is_an_outline_on_its_own_panel_and_nowhere_where_that_is_not_shown():
    targets = [TargetRange("power", 0, 50, 180, 220), TargetRange("heart_rate", 0, 50, 120, 130)]
    figure = streams_chart([panel("speed"), panel("power")], axis="elapsed", targets=targets)
    outlines = [shape for shape in figure.layout.shapes if shape.type == "rect"]

    assert [(shape.yref, shape.y0, shape.y1) for shape in outlines] == [("y2", 180, 220)]


def test_a_gap_is_a_break_in_the_line():
    y = np.full(100, 200.0)
    y[40:50] = np.nan
    trace = traces_of(streams_chart([panel(y=y)], axis="elapsed"))[0]

    assert trace.connectgaps is False
    assert np.isnan(trace.y[45])


@pytest.mark.parametrize("gaps", [1, 30])
def test_the_ground_below_a_line_is_filled_for_each_stretch_between_the_gaps_of_a_record(gaps):
    y = np.full(100, 200.0)
    y[3 : 3 + 3 * gaps : 3] = np.nan
    (ground,) = (
        trace for trace in streams_chart([panel(y=y, is_filled=True)], axis="distance").data if trace.fill
    )

    known = np.isfinite(y)
    stretches = np.split(ground.x, np.flatnonzero(np.isnan(ground.x)) + 1)[:-1]
    assert ground.fill == "toself"
    assert len(stretches) == gaps + 1
    for outline in stretches:
        assert known[int(outline[0]) : int(outline[-3]) + 1].all()
        assert (outline[-3], outline[-2]) == (outline[-4], outline[0])


def test_single_values_are_dots():
    assert traces_of(streams_chart([panel(is_sparse=True)], axis="elapsed"))[0].mode == "markers"


def test_distance_has_its_unit_and_time_its_clock():
    way = streams_chart([panel()], axis="distance", distance_unit="mi").layout.xaxis
    moving = streams_chart([panel()], axis="moving").layout

    assert way.ticksuffix == " mi"
    assert moving.xaxis.ticktext[:2] == ("0:00", "0:10")
    assert moving.meta["clock_steps_s"][0] == 1


def test_titles_are_shown_as_text():
    figure = streams_chart([panel(title="<a href='x'>P</a>")], axis="elapsed")

    assert "<a" not in headings_of(figure)[0]


def test_a_selection_does_not_dim_the_headings():
    figure = streams_chart(
        [panel(note="average 200"), panel("hr", colour="#c2303f")], axis="elapsed", selection=(10.0, 20.0)
    )
    texts = [trace for trace in figure.data if trace.mode == "text"]

    assert len(texts) == 3
    assert all(trace.unselected.textfont.color == trace.textfont.color for trace in texts)


@pytest.mark.parametrize("panels", [[], [panel(x=[])], [panel(x=[0.0])]])
def test_next_to_nothing_is_drawn_without_fault(panels):
    assert streams_chart(panels, axis="moving").layout.height > 0


@pytest.mark.parametrize("x", [[0.0], [0.0, 1.0]])
def test_a_second_or_less_has_a_range_and_a_tick_at_either_end(x):
    axis = streams_chart([panel(x=x)], axis="elapsed").layout.xaxis

    assert axis.range == (0, 1)
    assert axis.ticktext == ("0:00", "0:01")


def test_six_hours_of_eight_panels_stay_small():
    x = np.linspace(0, 21_600, 1_500)
    panels = [panel(str(n), x=x, y=np.random.default_rng(n).normal(200, 20, 1_500)) for n in range(8)]

    assert len(streams_chart(panels, axis="elapsed").to_json()) < 300_000


def test_a_marked_moment_is_one_line_through_all_panels():
    plain, marked = (streams_chart([panel(), panel("hr")], axis="elapsed", cursor=at) for at in (None, 50.0))
    line = marked.layout.shapes[-1]

    assert len(marked.layout.shapes) == len(plain.layout.shapes) + 1
    assert (line.yref, line.y0, line.y1) == ("paper", 0, 1)
    assert line.x0 == line.x1 == 50


def test_a_phone_gets_taller_panels():
    usual, phone = (streams_chart([panel()], axis="elapsed", panel_px=px) for px in (95, 160))

    assert phone.layout.height - usual.layout.height == (160 - 95) - (30 - 4)


def other(count=100, **changes):
    x = np.arange(count, dtype=np.float64)
    usual = {"x": x, "y": np.full(count, 210.0), "difference_x": x, "difference": np.full(count, 10.0)}
    return Other(**(usual | {"unit": "W"} | changes))


def test_a_second_session_lies_on_the_panel_under_this_ones_line_with_its_difference_below():
    figure = streams_chart([panel(other=other()), panel("hr")], axis="elapsed", other_name="Tue, <b>Ride</b>")
    over, this, difference = traces_of(figure)[:3]
    strip = figure.layout[f"yaxis{difference.yaxis[1:]}"]

    assert over.yaxis == this.yaxis == "y"
    assert over.line.color != this.line.color
    assert difference.yaxis not in {"y", "y2"}
    assert strip.domain[1] < figure.layout.yaxis.domain[0]
    assert strip.domain[0] > figure.layout.yaxis2.domain[1]


def test_the_legend_names_both_sessions_as_text():
    figure = streams_chart([panel(other=other())], axis="elapsed", other_name="Tue, <b>Ride</b>")

    assert [trace.name for trace in figure.data if trace.showlegend] == [
        "This session (in colour)",
        "Tue, &lt;b&gt;Ride&lt;/b&gt;",
    ]


@pytest.mark.parametrize(("apart", "reach"), [(10.0, 10), (10.1, 20), (0.3, 0.5), (-77.0, 100), (0.0, 1)])
def test_the_difference_is_even_to_both_sides_of_zero_with_round_ends(apart, reach):
    figure = streams_chart(
        [panel(other=other(difference=np.full(100, apart)))], axis="elapsed", other_name="Other"
    )

    assert figure.layout.yaxis2.range == pytest.approx((-reach, reach))
    assert f"this minus other, ± {reach:g} W" in headings_of(figure)


def test_a_difference_that_is_nowhere_known_is_drawn_empty():
    empty = other(difference=np.full(100, np.nan))

    assert streams_chart([panel(other=empty)], axis="moving", other_name="Other").layout.yaxis2.range == (
        -1,
        1,
    )


def test_a_second_session_adds_a_strip_to_the_height_and_its_legend_takes_the_room_above():
    alone, both = (
        streams_chart([panel(other=o)], axis="elapsed", other_name=o and "Other") for o in (None, other())
    )

    assert both.layout.height - alone.layout.height == 54
