"""The figures of the trends and of planned workouts, as values."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import plotly.graph_objects as go
import pytest
from coloraide import Color

from coachboard.charts import palette
from coachboard.charts.shades import COLOURS, add_shades
from coachboard.execution.structure import FlatStep, Target
from coachboard.formulas.recovery.baseline import own_normal
from coachboard.formulas.recovery.circumstances import Circumstance
from coachboard.formulas.recovery.metric_lines import metric_lines
from coachboard.formulas.recovery.nights import nights_of
from coachboard.formulas.season.daily_load import daily_load
from coachboard.formulas.season.intensity_distribution import zones_by_time
from coachboard.formulas.season.relation import relation
from coachboard.formulas.season.repeated_climbs import ClimbEffort
from coachboard.pages.calendar.workout_profile import (
    ProfileScale,
    SpeedAxis,
    heights,
    scale_of,
    structure_chart,
)
from coachboard.pages.trends.climbs import climbs_chart
from coachboard.pages.trends.load import load_and_body_chart
from coachboard.pages.trends.metrics import metrics_chart, metrics_together_chart
from coachboard.pages.trends.nights import clock, deviation_chart, recovery_chart, stages_chart, timing_chart
from coachboard.pages.trends.relations import NamedRelation, relation_chart
from coachboard.pages.trends.training import monotony_chart, ratio_chart
from coachboard.pages.trends.zones import ZoneTimes, bands_chart, zones_trend_chart
from coachboard.wire.enums import LapIntensity, StepLabel
from coachboard.wire.metrics import HRV
from unit.formulas.test_metric_series import metric, series
from unit.formulas.test_nights import FIRST, laid, night

NIGHTS = laid([night(FIRST + timedelta(days=n)) for n in range(25)])
DAYS = NIGHTS.range_days
SICK = Circumstance(date(2026, 1, 24), date(2026, 1, 26), "medical", "<b>Cold</b>")


def titles(figure):
    layout = figure.to_plotly_json()["layout"]
    return [layout[name]["title"]["text"] for name in sorted(layout) if name.startswith("yaxis")]


def test_every_panel_names_its_quantity_and_unit():
    load = daily_load([(FIRST, 50.0)], first=FIRST, start=FIRST, end=FIRST + timedelta(days=29))

    figure = load_and_body_chart(load, NIGHTS)

    assert titles(figure) == [
        "Daily load", "HRV (ms)", "Resting heart rate (bpm)", "Sleep (h)", "Fitness, fatigue",
    ]  # fmt: skip
    assert len({figure.layout[axis].title.font.size for axis in ("yaxis", "yaxis4")}) == 1


def test_the_first_weeks_of_a_history_are_marked_as_settling_in():
    load = daily_load([(FIRST, 50.0)], first=FIRST - timedelta(days=9), start=DAYS[0], end=DAYS[-1])
    figure = load_and_body_chart(load, NIGHTS)

    assert [shape.x0.date() for shape in figure.layout.shapes] == [max(FIRST, DAYS[0]) - timedelta(days=1)]
    assert "settling in" in [word.text for word in figure.layout.annotations]


def test_a_constant_hrv_has_no_rounding_noise_that_the_axis_scales_to():
    nights = laid([night(FIRST + timedelta(days=n), average_hrv=62) for n in range(25)])
    load = daily_load([(FIRST, 50.0)], first=FIRST, start=DAYS[0], end=DAYS[-1])
    recovery = recovery_chart(nights, HRV)
    body = [trace for trace in load_and_body_chart(load, nights).data if trace.yaxis == "y2"]

    drawn = np.concatenate([np.asarray(trace.y, dtype=float) for trace in (*recovery.data, *body)])
    assert set(drawn[~np.isnan(drawn)]) == {62.0}


def test_a_quantity_without_values_has_no_panel():
    load = daily_load([(FIRST, 50.0)], first=FIRST, start=DAYS[0], end=DAYS[-1])
    without_hrv = laid([night(FIRST + timedelta(days=n), average_hrv=None) for n in range(25)])

    assert titles(load_and_body_chart(load, laid([]))) == ["Daily load", "Fitness, fatigue"]
    figure = load_and_body_chart(load, without_hrv)
    assert titles(figure) == ["Daily load", "Resting heart rate (bpm)", "Sleep (h)", "Fitness, fatigue"]
    domains = [figure.layout[axis].domain for axis in ("yaxis", "yaxis2", "yaxis3")]
    assert domains[0][1] == 1
    assert domains[-1][0] == pytest.approx(0)
    assert domains[0][0] > domains[1][1] > domains[1][0] > domains[2][1]


def test_a_night_without_a_record_leaves_a_gap():
    hours = stages_chart(NIGHTS, need_h=8).data[0].y

    assert np.isnan(hours[-5:]).all()
    assert not np.isnan(hours[0])


def test_more_days_than_pixels_are_one_surface_that_keeps_its_gaps():
    gap = 500
    rows = [night(FIRST + timedelta(days=n)) for n in range(900) if n != gap]
    long = nights_of(rows, first=FIRST, start=FIRST, end=FIRST + timedelta(days=899))

    for figure in (stages_chart(long, need_h=8), timing_chart(long), deviation_chart(long)):
        assert "bar" not in {trace.type for trace in figure.data}
    deep = stages_chart(long, need_h=8).data[0]
    assert (deep.y[gap], deep.hovertemplate[gap]) == (0, "–")
    assert (deep.y[gap - 1], deep.hovertemplate[gap - 1]) == (1.5, "%{y:.1f} h")
    bed = timing_chart(long).data[0]
    assert np.isnan(bed.y[3 * gap : 3 * gap + 3]).all()


def test_only_one_of_close_clock_changes_is_named():
    abroad = {10, 22}
    rows = [night(FIRST + timedelta(days=n), utc_offset=120 if n in abroad else 60) for n in range(30)]

    figure = timing_chart(nights_of(rows, first=FIRST, start=FIRST, end=FIRST + timedelta(days=29)))

    assert len(figure.layout.shapes) == 4
    assert len([word for word in figure.layout.annotations if "clock" in word.text]) == 2


def test_a_circumstance_is_shaded_and_its_word_named_but_its_title_is_no_markup():
    figure = timing_chart(NIGHTS, shades=[SICK])

    assert len(figure.layout.shapes) == 1
    assert "<b>" not in str(figure.layout.annotations)


@pytest.mark.parametrize(
    ("hours", "text"), [(12, "12:00"), (22.5, "22:30"), (26.25, "02:15"), (float("nan"), "–")]
)
def test_hours_since_midnight_read_as_the_clock(hours, text):
    assert clock(hours) == text


def test_measured_is_filled_and_estimated_is_open():
    weight = metric_lines(series(metric(3, 62.0), metric(2, 61.0, source="service")))

    figure = metrics_chart(weight, days=DAYS)

    assert {trace.name: trace.marker.symbol for trace in figure.data} == {
        "Weight, measured": "circle",
        "Weight, estimated": "circle-open",
    }


def test_each_metric_has_its_name_and_unit_above_its_panel():
    """Next to a low panel, "(kJ)" ran into the numbers of the axis."""
    (weight,) = metric_lines(series(metric(12, 50.0), metric(2, 55.0)))
    figure = metrics_chart([weight, replace(weight, unit="<b>")], days=DAYS)
    first, second = figure.layout.annotations

    assert (first.text, second.text) == ("<b>Weight</b>, kg", "<b>Weight</b>, &lt;b&gt;")
    assert (first.y, second.y) == (figure.layout.yaxis.domain[1], figure.layout.yaxis2.domain[1])
    assert first.y < 1
    assert figure.layout.yaxis.title.text is None


def test_a_metric_of_a_narrow_range_has_several_ticks():
    """W′ from 57.2 to 57.8 kJ had the tick 17.5 alone."""
    weight = metric_lines(series(metric(12, 57.2), metric(2, 57.8)))
    axis = metrics_chart(weight, days=DAYS).layout.yaxis
    steady = metric_lines(series(metric(12, 50.0), metric(2, 50.0)))

    assert axis.ticktext == ("57.2", "57.4", "57.6", "57.8")
    assert axis.tickvals == pytest.approx([57.2, 57.4, 57.6, 57.8])
    assert metrics_chart(steady, days=DAYS).layout.yaxis.tickvals is None


def test_climbs_differ_by_symbol_and_not_by_colour_alone():
    """The lines of two of six climbs were nearly the same brown."""
    climb = (ClimbEffort("act_1", DAYS[0], 46.0, 7.0, 1500, 90, 300, 1080),)
    figure = climbs_chart([climb] * 7, names=list("ABCDEFG"), days=DAYS)
    symbols = [trace.marker.symbol for trace in figure.data]

    assert len(set(symbols)) == 6
    assert symbols[6] == symbols[0]


def test_metrics_on_one_chart_start_at_zero_and_show_their_own_value_on_hover():
    lines = metric_lines(series(metric(12, 50.0), metric(2, 55.0)))

    (trace,) = metrics_together_chart(lines, days=DAYS).data

    assert list(trace.y) == [0.0, 10.0]
    assert trace.customdata[1] == "55 kg"


def test_days_of_availability_have_another_colour_than_rest_days():
    kinds = ("rest day", "availability", "illness", "race", "travel")
    one_each = [Circumstance(DAYS[at], DAYS[at], kind, "Note") for at, kind in enumerate(kinds)]
    figure = timing_chart(NIGHTS, shades=one_each)

    bands = [shape.fillcolor for shape in figure.layout.shapes if shape.type == "rect"]
    assert len(set(bands[-len(kinds) :])) == len(kinds)
    assert "availability" not in [note.text for note in figure.layout.annotations]
    assert set(COLOURS) | {"rest day"} >= set(kinds)


def test_the_legend_is_one_row_of_words_above_a_chart_of_any_height():
    for figure in every_chart_over_days(shades=[SICK]):
        plot_px = figure.layout.height - figure.layout.margin.t - figure.layout.template.layout.margin.b
        assert (figure.layout.legend.y - 1) * plot_px == pytest.approx(16)


def every_chart_over_days(shades=()):
    weight = metric_lines(series(metric(3, 62.0)))
    ones = np.ones(len(DAYS))
    long_ago = DAYS[0] - timedelta(days=90)
    load = daily_load([(long_ago, 50.0)], first=long_ago, start=DAYS[0], end=DAYS[-1])
    climb = ClimbEffort("act_1", DAYS[0], 46.0, 7.0, 5000, 400, 500, 1200)
    return (
        load_and_body_chart(load, NIGHTS, shades=shades),
        recovery_chart(NIGHTS, HRV, shades=shades),
        stages_chart(NIGHTS, need_h=8, shades=shades),
        timing_chart(NIGHTS, shades=shades),
        deviation_chart(NIGHTS, shades=shades),
        metrics_chart(weight, days=DAYS, shades=shades),
        metrics_together_chart(weight, days=DAYS, shades=shades),
        monotony_chart(DAYS, ones, ones, shades=shades),
        ratio_chart(DAYS, ones, own_normal(ones), shades=shades),
        zones_trend_chart(two_hours_of_tempo(ones), days=DAYS, shades=shades),
        climbs_chart([(climb,)], names=["1.5 km, 90 m"], days=DAYS, shades=shades),
    )


def two_hours_of_tempo(polarization):
    """In the first week."""
    by_time = zones_by_time({LapIntensity.TEMPO: 7200.0})
    week_band_s = {LapIntensity.TEMPO: np.array([7200.0])}
    return ZoneTimes(
        {LapIntensity.TEMPO: 7200.0}, {}, [DAYS[0]], week_band_s, polarization, by_time, by_time, 1
    )


def test_a_day_is_at_the_same_place_in_every_chart_of_the_range():
    assert len({figure.layout.xaxis.range for figure in every_chart_over_days()}) == 1


def test_illness_shades_every_trend():
    for figure in every_chart_over_days(shades=[SICK]):
        bands = [shape for shape in figure.layout.shapes if shape.type == "rect"]
        assert [band.x0.date() for band in bands] == [date(2026, 1, 23)]
        assert "medical" in [note.text for note in figure.layout.annotations]


def test_only_one_of_two_close_shades_is_named():
    race = Circumstance(SICK.start, SICK.start, "race", "Cup")

    figure = timing_chart(NIGHTS, shades=[SICK, race])

    assert len(figure.layout.shapes) == 2
    assert [note.text for note in figure.layout.annotations] == ["medical"]


def test_words_of_shades_do_not_overlap_on_a_phone():
    """Three months are 257 px wide there, the word "medical" 37 px."""
    starts = [FIRST + timedelta(days=n) for n in (0, 10, 20)]
    shades = [Circumstance(start, start, "medical", "Cold") for start in starts]
    figure = palette.layout(go.Figure(), height=240).update_xaxes(range=[FIRST, FIRST + timedelta(days=90)])

    add_shades(figure, shades)

    assert [note.x for note in figure.layout.annotations] == [starts[0], starts[2]]


def test_a_frequent_kind_is_named_where_the_others_leave_room():
    """Bands without a word looked like a fault of the chart; first in their row, they pushed "injury" out."""
    days = {0: "rest day", 4: "injury", 40: "availability"}
    shades = [
        Circumstance(FIRST + timedelta(days=n), FIRST + timedelta(days=n), kind, "")
        for n, kind in days.items()
    ]
    figure = palette.layout(go.Figure(), height=240).update_xaxes(range=[FIRST, FIRST + timedelta(days=90)])

    add_shades(figure, shades)

    words = {note.text: note.xanchor for note in figure.layout.annotations}
    assert words == {"injury": "left", "availability": "center"}  # in its middle it covered the axis


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["rest day", "availability", "injury"])
def test_a_band_is_distinct_from_the_page(kind, theme):
    """In dark, a rest day had 1.15:1."""
    figure = palette.layout(go.Figure(), height=240).update_xaxes(range=[FIRST, FIRST + timedelta(days=9)])
    add_shades(figure, [Circumstance(FIRST, FIRST, kind, "")])
    shown = palette.to_dark(figure) if theme == "dark" else figure
    *rgb, alpha = (float(part) for part in shown.layout.shapes[0].fillcolor[5:-1].split(","))
    page = Color(getattr(palette.SURFACE, theme))
    band = Color(
        "srgb", [alpha * one / 255 + (1 - alpha) * behind for one, behind in zip(rgb, page, strict=False)]
    )

    assert band.contrast(page) >= 1.25


def test_where_the_clock_moved_is_a_line_with_its_hours():
    moved = laid([night(FIRST + timedelta(days=n), utc_offset=60 if n < 25 else 540) for n in range(30)])

    figure = timing_chart(moved)

    assert [note.text for note in figure.layout.annotations] == ["clock +8 h"]
    assert "clock" not in str(timing_chart(NIGHTS).layout.annotations)


def test_efficiency_has_its_panel_and_the_line_of_a_good_value():
    figure = stages_chart(NIGHTS, need_h=8)

    assert figure.layout.yaxis2.title.text == "Sleep efficiency (%)"
    assert [shape.y0 for shape in figure.layout.shapes] == [8, 85]


def test_bands_are_in_order_of_intensity_at_any_size():
    figure = bands_chart({LapIntensity.VO2MAX: 3600.0, LapIntensity.AEROBIC: 7200.0})
    assert len(figure.data) == 1  # without a race

    assert list(figure.data[0].y) == ["Aerobic", "VO2max"]
    assert list(figure.data[0].text) == ["2h00, 67 %", "1h00, 33 %"]


def test_a_short_time_in_a_zone_is_not_0():
    figure = bands_chart(
        {LapIntensity.AEROBIC: 720_000.0, LapIntensity.TEMPO: 0.0, LapIntensity.ANAEROBIC: 20.0}
    )

    assert list(figure.data[0].text) == ["200h00, 100 %", "0 min, 0 %", "<1 min, <1 %"]


def test_monotony_and_strain_share_their_days():
    figure = monotony_chart([FIRST], np.array([1.2]), np.array([500.0]))

    assert [list(trace.x) for trace in figure.data] == [[FIRST], [FIRST]]


def step(**targets):
    fields = {"power_w": None, "heart_rate_bpm": None, "speed_mps": None, "cadence_rpm": None} | targets
    return FlatStep(0, (), StepLabel.ACTIVE, LapIntensity.TEMPO, None, 600.0, None, **fields)


@pytest.mark.parametrize(
    ("targets", "scale", "edges"),
    [
        ({"power_w": Target(200, 220)}, ProfileScale.POWER, (200, 220)),
        ({"power_w": Target(None, 220)}, ProfileScale.POWER, (220, 220)),
        ({"heart_rate_bpm": Target(140, 150)}, ProfileScale.HEART_RATE, (140, 150)),
        ({"speed_mps": Target(3, 4)}, ProfileScale.SPEED, (10.8, 14.4)),
        ({}, ProfileScale.INTENSITY, (3, 3)),
    ],
)
def test_profile_is_drawn_on_the_scale_that_the_steps_name(targets, scale, edges):
    one = step(**targets)

    assert scale_of([one]) is scale
    assert heights(one, scale) == pytest.approx(edges)
    assert len(structure_chart([one]).data) == (2 if edges[1] > edges[0] else 1)


def test_a_profile_in_speed_can_be_read_as_paces():
    axis = SpeedAxis("Pace (/km)", 1.0, [(4.0, "4:10"), (3.0, "5:33")])
    figure = structure_chart([step(speed_mps=Target(3, 4))], speed_axis=axis)

    assert figure.layout.yaxis.title.text == "Pace (/km)"
    assert list(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True)) == axis.ticks
    assert max(figure.data[-1].y) == 4


def test_a_workouts_profile_runs_on_the_clock_as_a_sessions_chart_does():
    figure = structure_chart([step(power_w=Target(200, 220))] * 7)

    assert figure.layout.xaxis.ticktext[-1] == "1:10:00"
    assert max(figure.data[-1].x) == 7 * 600


def test_stages_stack_on_nights_that_lack_some_of_them():
    """Above a missing value Plotly would start the stack at 0 again."""
    rows = [
        night(FIRST),
        night(FIRST + timedelta(days=1), light_duration=0, rem_duration=0, deep_duration=0),
    ]
    nights = nights_of(rows, first=FIRST, start=FIRST, end=FIRST + timedelta(days=2))
    bars = {trace.name: list(trace.y) for trace in stages_chart(nights, need_h=8).data if trace.type == "bar"}

    assert [sum(heights) for heights in zip(*bars.values(), strict=True)][:2] == pytest.approx([8, 8])
    assert bars["Asleep, no stages"][:2] == [0, 7.5]


def test_the_steps_of_a_workout_differ_in_their_pattern_and_the_legend_names_it():
    intensities = (LapIntensity.AEROBIC, LapIntensity.VO2MAX)
    steps = [replace(step(power_w=Target(200, 220)), intensity=intensity) for intensity in intensities]
    data = structure_chart(steps).data

    assert [trace.name for trace in data if trace.showlegend] == ["Aerobic", "VO2max"]
    assert [trace.fillpattern.shape for trace in data] == [".", ".", "x", "x"]


def test_a_correlation_has_a_line_only_if_it_is_clear():
    """y = 2x + 1 with a missing pair on each side: the line runs from 0 to 19 and 1 to 39."""
    x = np.array([*np.arange(20.0), np.nan, 9])
    y = np.array([*(2 * np.arange(20.0) + 1), 5, np.nan])
    pair = NamedRelation("sleep duration", "<b>RPE", relation(x, y), x, y)
    clear = relation_chart(pair)

    assert list(clear.data[0].x) == list(range(20))
    assert list(clear.data[1].x) == [0, 19]
    assert clear.data[1].y == pytest.approx([1, 39])
    assert clear.layout.xaxis.title.text == "Sleep duration (h)"
    assert clear.layout.yaxis.title.text == "&lt;b&gt;RPE"
    assert len(relation_chart(replace(pair, result=relation(x, x * 0))).data) == 1


def test_zones_without_an_index_take_one_panel():
    nothing = np.full(len(DAYS), np.nan)
    figure = zones_trend_chart(two_hours_of_tempo(nothing), days=DAYS)

    assert list(figure.data[0].y) == [2.0]
    assert figure.layout.yaxis.domain == (0, 1)
    assert "yaxis2" not in figure.layout.to_plotly_json()


def test_the_part_of_a_zone_on_race_days_is_outlined():
    hours = {LapIntensity.VO2MAX: 3600.0, LapIntensity.AEROBIC: 7200.0}
    figure = bands_chart(hours, race_s={LapIntensity.VO2MAX: 1800.0})

    whole, raced = figure.data
    assert dict(zip(raced.y, raced.x, strict=True)) == {"Aerobic": 0, "VO2max": 0.5}
    assert dict(zip(whole.y, whole.x, strict=True)) == {"Aerobic": 2, "VO2max": 1}
    assert raced.marker.line.color == palette.INK.light
    assert figure.layout.barmode == "overlay"
