"""Lap bars, pool lengths, the trend of like intervals and the route."""

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from html import unescape
from math import nan

import numpy as np
import pytest

from coachboard.charts.panel_marks import PartBand
from coachboard.charts.route import Route, Sheet, Tile, route_chart, scale_length_m, tiles_over
from coachboard.formulas.recovery.circumstances import Circumstance
from coachboard.pages.activity.like_intervals import IntervalPoint, interval_trend_chart
from coachboard.pages.activity.part_bars import LapBar, lap_bars_chart
from coachboard.pages.activity.pool import LengthBar, bar_at, lengths_chart


def test_a_lap_is_as_wide_as_it_was_long_and_the_chosen_one_is_outlined():
    bars = [
        LapBar(PartBand(0, 60, "#6aa5d8", ""), 150, "1"),
        LapBar(PartBand(60, 300, "#d9762b", ""), 320, "<b>2</b>"),
    ]
    trace = lap_bars_chart(
        bars, title="Average power", unit="W", selected=1, reference=(260, "critical power")
    ).data[0]

    assert list(trace.width) == [60, 240]
    assert list(trace.y) == [150, 320]
    assert trace.marker.pattern.shape == (".", "x")
    assert trace.marker.line.width[1] > trace.marker.line.width[0]
    assert trace.customdata[1] == "&lt;b&gt;2&lt;/b&gt;"


def test_the_legend_of_the_laps_names_each_colour_and_pattern_once_from_easy_to_hard():
    colours = ["#d9762b", "#6aa5d8", "#d9762b"]
    bars = [LapBar(PartBand(at, at + 60, colour, ""), 200, "") for at, colour in enumerate(colours)]
    figure = lap_bars_chart(bars, title="Average power", unit="W")
    entries = [trace for trace in figure.data if trace.showlegend]

    assert [(trace.name, trace.marker.pattern.shape) for trace in entries] == [
        ("Aerobic", (".",)),
        ("VO2max", ("x",)),
    ]
    assert figure.layout.legend.title.text == "<b>Average power</b>, W"
    # Plotly does not count a title beside the entries when it wraps them: a phone cut the last one off.
    assert figure.layout.legend.title.side == "top"
    assert figure.layout.legend.itemclick is False
    assert not figure.layout.annotations


def test_laps_without_an_intensity_have_a_title_and_no_legend():
    figure = lap_bars_chart(
        [LapBar(PartBand(0, 60, "#a9b0b8", ""), 200, "")], title="Average power", unit="W"
    )

    assert [note.text for note in figure.layout.annotations] == ["<b>Average power</b>, W"]
    assert not any(trace.showlegend for trace in figure.data)


def test_the_reference_of_the_laps_is_named_in_the_title_and_not_on_the_bars():
    """The label "critical power" covered the last bars."""
    bars = [LapBar(PartBand(0, 60, "#d9762b", ""), 200, "")]
    figure = lap_bars_chart(bars, title="Average power", unit="W", reference=(260, "critical power"))

    assert figure.layout.legend.title.text == "<b>Average power</b>, W; dashed: critical power"
    assert not figure.layout.annotations
    assert [(shape.y0, shape.line.dash) for shape in figure.layout.shapes] == [(260, "dot")]


def test_lengths_are_grouped_by_stroke_and_a_rest_has_no_bar():
    lengths = [
        LengthBar(1, "freestyle", 1.25, 30, "1"),
        LengthBar(2, "backstroke", 1.0, 39, "2"),
        LengthBar(3, "no stroke", nan, nan, "3"),
    ]
    figure = lengths_chart(lengths, pace_ticks=[(1.0, "1:40")])

    assert [trace.name for trace in figure.data if trace.type == "bar"] == [
        "Freestyle",
        "Backstroke",
        "No stroke",
    ]
    assert list(figure.layout.yaxis.ticktext) == ["1:40"]


def test_a_clicked_bar_or_dot_is_the_length_it_means():
    lengths = [
        LengthBar(n, stroke, 1.0, 30, "") for n, stroke in enumerate(("butterfly", "freestyle", "butterfly"))
    ]

    assert [bar_at(lengths, curve=0, point=0), bar_at(lengths, curve=1, point=0)] == [1, 1]
    assert [bar_at(lengths, curve=2, point=1), bar_at(lengths, curve=3, point=0)] == [2, 0]


def test_a_drill_without_speed_does_not_stretch_the_paces():
    lengths = [LengthBar(1, "freestyle", 1.25, 30, "1"), LengthBar(2, "drill", 0.0, nan, "2")]
    low, high = lengths_chart(lengths, pace_ticks=[]).layout.yaxis.range

    assert low == 0.6 * 1.25
    assert high > 1.25


def test_laps_of_a_paced_sport_are_read_as_paces():
    bar = LapBar(PartBand(0, 60, "#6aa5d8", "1"), 1.2, "1")
    figure = lap_bars_chart([bar], title="Average pace", unit="/100 m", ticks=[(1.25, "1:20")])

    assert figure.layout.yaxis.ticktext == ("1:20",)


def test_this_session_is_filled_among_the_others():
    points = [IntervalPoint(date(2026, 3, day), 300 + day, day == 3, str(day)) for day in (1, 2, 3)]
    others, this = interval_trend_chart(points).data

    assert (len(others.x), len(this.x)) == (2, 1)
    assert (others.marker.symbol, this.marker.symbol) == ("circle-open", "circle")


def test_races_are_shaded_behind_similar_intervals():
    points = [IntervalPoint(date(2026, 3, day), 300, day == 3, str(day)) for day in (1, 2, 3)]
    noon = datetime.combine(date(2026, 3, 2), time(12))
    race = Circumstance(date(2026, 3, 2), date(2026, 3, 2), "race", "Spring race")
    layout = interval_trend_chart(points, shades=(race,)).layout

    assert [(shape.x0, shape.x1) for shape in layout.shapes if shape.type == "rect"] == [
        (noon - timedelta(days=1), noon)
    ]
    assert [(word.text, word.hovertext) for word in layout.annotations] == [("race", "Spring race")]


def plane(latitude, longitude):
    return Sheet.of(latitude, longitude).plane(latitude, longitude)


def test_the_plane_is_true_to_scale():
    """A degree of latitude is 111.2 km; of longitude at 60 degrees north half of that."""
    east, north = plane(np.array([60.0, 60.0, 60.001]), np.array([10.0, 10.001, 10.0]))

    assert north[2] - north[0] == pytest.approx(111.2, abs=0.1)
    assert east[1] - east[0] == pytest.approx(55.6, abs=0.1)


def test_a_track_over_the_date_line_is_one_piece():
    east, _ = plane(np.array([0.0, 0.0]), np.array([179.999, -179.999]))

    assert abs(east[1] - east[0]) < 500


def test_missing_positions_break_the_route():
    east, north = plane(np.array([47.0, np.nan, 47.1]), np.array([8.0, 8.0, 8.1]))

    assert np.isnan(east[1])
    assert np.isnan(north[1])


@pytest.mark.parametrize(
    ("width_m", "imperial", "name"),
    [(10_000, False, "2 km"), (900, False, "200 m"), (30, False, "5 m"), (30_000, True, "2 mi")],
)
def test_the_scale_bar_is_a_round_length(width_m, imperial, name):
    assert scale_length_m(width_m, imperial=imperial)[1] == name


def route(count=50):
    at = np.arange(count, dtype=np.float64)
    return Route(
        latitude=47 + at * 1e-4, longitude=8 + at * 1e-4, values=at, title="Power", unit="W", colour="#7a3fb8",
        texts=[str(n) for n in range(count)], low=0, high=count,
    )  # fmt: skip


def test_the_route_has_one_scale_for_both_axes_and_asks_for_no_tiles():
    figure = route_chart(route())

    assert figure.layout.xaxis.scaleanchor == "y"
    assert not any("map" in trace.type for trace in figure.data)


@pytest.mark.parametrize(
    ("north", "east", "sides"),
    [
        # North from the start: the labels above and below would be on the line.
        (np.linspace(0, 1, 50), np.zeros(50), {"middle right", "middle left", "bottom center"}),
        # A loop that begins to the east and ends from the east.
        (
            np.sin(np.linspace(0, 2 * np.pi, 60)),
            1 - np.cos(np.linspace(0, 2 * np.pi, 60)),
            {"middle left", "middle right"},
        ),
    ],
)
def test_the_names_of_start_and_end_are_not_on_the_line(north, east, sides):
    """The word "Start" was on the line of each route that begins northwards."""
    shape = route(len(north))
    figure = route_chart(replace(shape, latitude=north * 0.01, longitude=east * 0.01))
    places = {
        trace.text[0]: trace.textposition
        for trace in figure.data
        if trace.text and trace.text[0] in {"Start", "End"}
    }

    assert places["Start"] in sides
    assert places["Start"] != places["End"]


def test_the_selected_stretch_is_drawn_over_the_route_from_mark_to_mark():
    plain, chosen = route_chart(route()), route_chart(route(), selected=slice(10, 20))
    stretch, ends = chosen.data[2:4]

    assert len(chosen.data) == len(plain.data) + 2
    assert list(ends.text) == ["From", "To"]
    assert (ends.x[0], ends.x[1]) == (stretch.x[0], stretch.x[-1])


def test_a_marked_place_is_where_the_athlete_was():
    plain, marked = route_chart(route()), route_chart(route(), marked=10)

    assert len(marked.data) == len(plain.data) + 1
    assert marked.data[-2].marker.symbol == "circle-cross-open"
    assert marked.data[-2].x[0] == pytest.approx(float(marked.data[1].x[10]), abs=0.1)


def test_the_words_at_the_ends_have_room():
    """On a phone `Start` was cut off at the western end."""
    route = Route(
        np.array([47.0, 47.0]), np.array([8.0, 8.1]), np.ones(2), "P", "W", "#7a3fb8", ["", ""], 0, 1
    )
    figure = route_chart(route)
    east = figure.data[0].x

    assert figure.layout.xaxis.range[0] < min(east)
    assert figure.layout.xaxis.range[1] > max(east)


def test_a_route_without_a_fix_is_empty():
    empty = Route(
        np.full(3, np.nan), np.full(3, np.nan), np.zeros(3), "Power", "W", "#7a3fb8", ["", "", ""], 0, 1
    )

    assert len(route_chart(empty).data) == 2


def test_tiles_lie_under_the_route_where_they_are_set():
    figure = route_chart(route(), tile_url="https://tiles.example/{z}/{x}/{y}.png")
    left = min(picture.x for picture in figure.layout.images)
    right = max(picture.x + picture.sizex for picture in figure.layout.images)

    assert 1 <= len(figure.layout.images) <= 20
    assert left <= min(figure.data[0].x)
    assert right >= max(figure.data[0].x)
    assert figure.layout.images[0].source.startswith("https://tiles.example/")


def test_the_credit_of_the_map_is_text_in_short_lines():
    url = "https://tiles.example/{z}/{x}/{y}.png"
    figure = route_chart(route(), tile_url=url, tile_credit=f"<a href='x'>A & B</a> {'and others ' * 12}")
    (credit,) = figure.layout.annotations
    lines = credit.text.split("<br>")

    assert credit.text.startswith("&lt;a href=&#x27;x&#x27;&gt;A &amp; B&lt;/a&gt;")
    assert max(len(unescape(line)) for line in lines) <= 44
    assert len(lines) > 2
    assert not route_chart(route(), tile_credit="nobody").layout.annotations


def test_a_tile_is_where_the_scheme_has_it():
    """The example of the OpenStreetMap wiki's page on tile names: 51.51202, 0.02435 is 17/65544/43582."""
    tile = Tile(17, 65_544, 43_582)
    north, west = tile.north_west
    south, east = tile.south_east

    assert tiles_over(51.51202, 0.02435, 51.51202, 0.02435) == [tile]
    assert south < 51.51202 < north
    assert west < 0.02435 < east


def test_bars_of_climbs_show_the_whole_session():
    """The chart of a hike ended at its last climb."""
    bars = [LapBar(PartBand(300, 900, "#6aa5d8", "1"), 200, "1")]
    figure = lap_bars_chart(bars, title="Average pace", unit="/km", end_s=5400)

    assert figure.layout.xaxis.range == (0, 5400)
