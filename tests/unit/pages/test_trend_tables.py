"""The tables of the trends, and the words for a relation."""

import math
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from coachboard.formulas.recovery.baseline import own_normal
from coachboard.formulas.recovery.metric_lines import Line, MetricPoint
from coachboard.formulas.recovery.metric_series import metric_series
from coachboard.formulas.season.durability import DurabilitySlope, power_by_work
from coachboard.formulas.season.relation import relation
from coachboard.formulas.season.repeated_climbs import ClimbEffort
from coachboard.pages.trends.climbs import ascent_text, climb_name, climb_names, prior_work_text
from coachboard.pages.trends.metrics import (
    change_text,
    in_units,
    latest_values,
    metrics_chart,
    pace_labels,
    value_text,
)
from coachboard.pages.trends.relations import NamedRelation, reading, values
from coachboard.pages.trends.training import durability_values, prior_work, ratio_words, slope_words
from coachboard.ui.frame.formats import System, Units
from coachboard.wire.body import Metric
from coachboard.wire.enums import LapIntensity, MetricSport
from coachboard.wire.metrics import MetricType
from unit.formulas.test_metric_series import metric, series

ROWS = np.arange(24.0)
DAY = date(2026, 3, 10)


def named(x, y):
    return NamedRelation("sleep duration", "RPE", relation(x, y), np.asarray(x), np.asarray(y))


def test_the_latest_metrics_go_out_as_numbers_with_their_units():
    frame = latest_values(series(metric(40, 62.0), metric(3, 61.0)))

    (row,) = frame.to_dict("records")
    assert (row["Metric"], row["Latest"], row["Unit"], row["4-week change"]) == (
        "weight",
        61.0,
        "kg",
        -1.0,
    )
    assert isinstance(row["Date"], date)


@pytest.mark.parametrize(
    ("line", "unit", "value"),
    [
        (
            Line(MetricType.WEIGHT, MetricSport.GLOBAL, "kg", (MetricPoint(DAY, 45.359237, None),)),
            "lb",
            100.0,
        ),
        (
            Line(MetricType.CRITICAL_SPEED, MetricSport.RUNNING, "m/s", (MetricPoint(DAY, 4.4704, None),)),
            "/mi",
            4.4704,
        ),
        (Line(MetricType.D_PRIME, MetricSport.RUNNING, "m", (MetricPoint(DAY, 182.88, None),)), "yd", 200.0),
        (Line(MetricType.CRITICAL_POWER, MetricSport.CYCLING, "W", (MetricPoint(DAY, 250, None),)), "W", 250),
    ],
)
def test_a_line_is_drawn_in_the_readers_units(line, unit, value):
    shown = in_units(line, Units(System.IMPERIAL))

    assert (shown.unit, shown.points[0].value) == (unit, pytest.approx(value))


@pytest.mark.parametrize(
    ("sport", "mps", "system", "shown", "change"),
    [
        (MetricSport.RUNNING, 4.2, System.METRIC, "3:58 /km", "−12 s /km"),
        (MetricSport.SWIMMING, 1.25, System.METRIC, "1:20 /100 m", "−15 s /100 m"),
        (MetricSport.RUNNING, 4.2, System.IMPERIAL, "6:23 /mi", "−19 s /mi"),
        (MetricSport.CYCLING, 10.0, System.METRIC, "36.0 km/h", "+0.72 km/h"),
    ],
)
def test_the_critical_speed_of_runners_and_swimmers_is_a_pace(sport, mps, system, shown, change):
    """A runner read "4.20 m/s"; the change is that since 4 weeks ago, 0.2 m/s slower."""
    rows = [
        Metric(
            id=f"mtr_{days}", type=MetricType.CRITICAL_SPEED, value=value, unit="m/s", source="user",
            date=DAY - timedelta(days=days), sport=sport,
        )
        for days, value in ((40, mps - 0.2), (3, mps))
    ]  # fmt: skip
    (found,) = metric_series(rows, start=DAY - timedelta(days=60), end=DAY)

    assert value_text(found.latest, units=Units(system)) == shown
    assert change_text(found, units=Units(system)) == change


@pytest.mark.parametrize(("before", "change"), [(98, "−1 point"), (99, "−2 points"), (97, "0 points")])
def test_a_change_of_percent_is_in_points(before, change):
    """ "−1 %" of a saturation of 98 % reads as a ratio."""
    rows = [
        Metric(
            id=f"mtr_{days}", type=MetricType.SPO2, value=value, unit="%", source="user",
            date=DAY - timedelta(days=days), sport="global",
        )
        for days, value in ((40, before), (3, 97))
    ]  # fmt: skip
    (found,) = metric_series(rows, start=DAY - timedelta(days=60), end=DAY)

    assert change_text(found, units=Units()) == change


def test_a_line_of_paces_has_paces_at_its_axis_and_its_points():
    line = Line(
        MetricType.CRITICAL_SPEED, MetricSport.RUNNING, "m/s",
        (MetricPoint(DAY, 4.0, None), MetricPoint(DAY, 4.2, None)),
    )  # fmt: skip
    shown = in_units(line, Units())
    labels = pace_labels(shown, 1000)
    figure = metrics_chart([shown], days=[DAY], paces={line.key: labels})

    assert list(figure.layout.yaxis.ticktext) == ["4:00", "4:05", "4:10"]
    assert list(figure.data[0].customdata) == ["4:10 /km", "3:58 /km"]
    assert figure.layout.annotations[0].text.endswith(", /km")


def test_a_climb_is_named_in_the_readers_units():
    climb = ClimbEffort("act_a", DAY, 46.0, 7.0, 3_218.7, 152.4, 500, 600)

    assert climb_name(climb, Units(System.IMPERIAL)) == "2.00 mi, 500 ft, 4.7 %"


def test_two_climbs_of_the_same_size_have_different_names():
    climb = ClimbEffort("act_a", DAY, 46.0, 7.0, 1_290, 40, 500, 600)

    assert climb_names([(climb,), (climb,)], Units()) == [
        "A: 1.29 km, 40 m, 3.1 %",
        "B: 1.29 km, 40 m, 3.1 %",
    ]


def test_durability_goes_out_as_numbers():
    table = power_by_work([300, 300, 300, 285, 285, 285], [0, 50, 100, 900, 900, 950], weight_kg=70)
    frame = durability_values(table[:2].assign(band=LapIntensity.TEMPO))

    assert frame.to_dict("list") == {
        "Intensity": ["tempo", "tempo"],
        "Prior work from (kJ/kg)": [0.0, 10.0],
        "Laps": [3, 3],
        "Median power (W)": [300.0, 285.0],
        "vs 0–10 kJ/kg (%)": [0.0, -5.0],
    }


@pytest.mark.parametrize(
    ("slope", "says"),
    [
        (DurabilitySlope(-2.04, -3.0, -1.1, 24, 6), "falls"),
        (DurabilitySlope(2.04, 1.1, 3.0, 24, 6), "rises"),
        (DurabilitySlope(-2.04, -4.5, 0.4, 24, 6), "no clear change"),
    ],
)
def test_a_slope_says_its_interval_and_claims_no_more_than_it(slope, says):
    words = slope_words(slope)

    sign = "+" if slope.change_pct > 0 else "−"
    assert words.startswith(f"**{says}**, {sign}2.0 % per 10 kJ/kg (95 % interval ")
    assert words.endswith("; 24 laps of 6 sessions)")


def test_a_slope_of_few_laps_names_the_missing_data():
    words = slope_words(DurabilitySlope(math.nan, math.nan, math.nan, 12, 1))

    assert words == "not enough laps: needs 20 in 5 sessions, has 12 laps of 1 session"


def test_rows_of_prior_work_do_not_overlap():
    assert [prior_work(edge) for edge in (0.0, 10.0, 40.0, 50.0)] == [
        "0–10 kJ/kg", "10–20 kJ/kg", "40–50 kJ/kg", "50+ kJ/kg",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("last", "says"),
    [
        (
            1.2,
            "1.20 on the last day, within the athlete's own normal range (0.90–1.30); 0.80 to 1.20 in the days shown",
        ),
        (
            1.4,
            "1.40 on the last day, above the athlete's own normal range (0.90–1.30); 0.80 to 1.40 in the days shown",
        ),
        (
            0.5,
            "0.50 on the last day, below the athlete's own normal range (0.90–1.30); 0.50 to 0.80 in the days shown",
        ),
        (math.nan, "no value on the last day; 0.80 to 0.80 in the days shown"),
    ],
)
def test_the_ratio_is_shown_with_both_of_its_ranges(last, says):
    normal = own_normal([0.0])
    row = np.array([math.nan, 1.1])
    normal = replace(normal, low=row - 0.2, high=row + 0.2)

    assert says in ratio_words(np.array([0.8, last]), normal)


def test_the_ratio_without_a_normal_range_names_the_missing_data():
    assert "no normal range yet, which needs 14 days" in ratio_words(np.array([1.1]), own_normal([1.1]))


def test_an_ascent_has_its_heart_rate_and_prior_work_where_they_are_known():
    ascent = ClimbEffort("act_1", DAY, 46.0, 7.0, 5000, 400, 500, 1200, 260.0, 4.0, 162.4, 1234.0)

    assert ascent_text(ascent) == "1,200 m/h, 4.00 W/kg, 162 bpm, after 1,234 kJ"
    assert ascent_text(ClimbEffort("act_1", DAY, 46.0, 7.0, 5000, 400, 500, 1200)) == "1,200 m/h"


@pytest.mark.parametrize(
    ("power_w", "per_kg", "work_kj", "says"),
    [
        (260.0, 4.0, 1234.0, "1,234 kJ, 19 kJ/kg"),
        (math.nan, math.nan, 1234.0, "1,234 kJ"),
        (0.0, 0.0, 1234.0, "1,234 kJ"),
        (260.0, 4.0, math.nan, "–"),
    ],
)
def test_the_prior_work_of_a_climb_is_also_per_kilogram_as_in_durability(power_w, per_kg, work_kj, says):
    ascent = ClimbEffort("act_1", DAY, 46.0, 7.0, 5000, 400, 500, 1200, power_w, per_kg, 162.4, work_kj)

    assert prior_work_text(ascent) == says


def test_relations_go_out_as_numbers():
    (row,) = values([named(ROWS, [*ROWS[1:], 0.0])]).to_dict("records")

    assert row["Pairs"] == 24
    assert row["95 % from"] < row["Correlation"] < row["95 % to"]


@pytest.mark.parametrize(
    ("x", "y", "says"),
    [
        (ROWS[:8], ROWS[:8], "needs 20 pairs, has 8"),
        (ROWS, np.ones(24), "no result: one value never varied"),
        (ROWS, ROWS % 2, "no clear link"),
        (ROWS, ROWS, "clear, positive"),
        (ROWS, -ROWS, "clear, negative"),
    ],
)
def test_a_relation_claims_no_more_than_its_interval(x, y, says):
    assert reading(named(x, y)) == says
