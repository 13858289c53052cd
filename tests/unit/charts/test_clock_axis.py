"""Elapsed time is a number of seconds in every chart over a session, with round clock ticks."""

from datetime import date, datetime

import numpy as np
import plotly.graph_objects as go
import pytest

from coachboard.charts import palette
from coachboard.charts.clock_axis import clock_text, clock_ticks
from coachboard.charts.panel_marks import PartBand, TargetRange
from coachboard.charts.panels import Other, Panel
from coachboard.charts.planned_and_done import Block, planned_and_done_chart
from coachboard.charts.power_and_pace import (
    Curve,
    Half,
    decoupling_chart,
    grade_adjusted_chart,
    mean_maximal_chart,
)
from coachboard.charts.route import Route, route_chart
from coachboard.charts.streams import streams_chart
from coachboard.execution.structure import References, unroll
from coachboard.pages.activity.part_bars import LapBar, lap_bars_chart
from coachboard.pages.activity.pool import LengthBar, lengths_chart
from coachboard.pages.activity.sensors import sensor_chart
from coachboard.pages.activity.w_balance import BalanceLine, w_balance_chart
from coachboard.pages.calendar.workout_profile import structure_chart
from coachboard.ui.frame import formats
from coachboard.wire.enums import StepLabel
from coachboard.wire.prescriptions import StructureIntensity, StructureStep

HOUR = np.linspace(0, 3_600, 61)
LEVEL = np.full(61, 200.0)
COLOUR = palette.quantity("power")


def panels(axis):
    other = Other(HOUR, LEVEL, HOUR, LEVEL, "W")
    panel = Panel(
        "power", "Power", "W", COLOUR, HOUR, LEVEL, 0, 300, average=200, is_filled=True, other=other
    )
    marks = {
        "bands": [PartBand(0, 600, COLOUR, "1")],
        "targets": [TargetRange("power", 0, 600, 180, 220)],
        "selection": (600.0, 1_200.0),
        "cursor": 900.0,
    }
    return streams_chart([panel], axis=axis, other_name="Other", **marks)


def profile():
    wish = dict.fromkeys(
        name for name, field in StructureIntensity.model_fields.items() if field.is_required()
    )
    step = StructureStep(
        type="step", label=StepLabel.ACTIVE, intensity=StructureIntensity(**wish | {"min_power": 200}),
        length={"type": "duration", "duration": 3_600},
    )  # fmt: skip
    return structure_chart(unroll([step], References()))


BLOCK = Block(0, 3_600, 100, COLOUR, "Active")
OVER_TIME = {
    "panels over elapsed time": panels("elapsed"),
    "panels over moving time": panels("moving"),
    "lap bars": lap_bars_chart([LapBar(PartBand(0, 3_600, COLOUR, "1"), 200, "1")], title="P", unit="W"),
    "planned and done": planned_and_done_chart([BLOCK], [BLOCK], [(1_800, 1_800)], reference="CP"),
    "workout profile": profile(),
    "sensor": sensor_chart(HOUR, LEVEL, title="x", colour=COLOUR, digits=0),
    "W' balance": w_balance_chart(
        [BalanceLine("sent", HOUR, LEVEL, is_sent=True)], w_prime_kj=20, dips=[(600.0, 5, "1")]
    ),
}
OTHERS = {
    "panels over distance": panels("distance"),
    "decoupling": decoupling_chart([Half("First half", LEVEL, LEVEL, [""] * 61)], title="W"),
    "lengths": lengths_chart([LengthBar(1, "freestyle", 1.2, 30, "1")], pace_ticks=[]),
    "mean maximal": mean_maximal_chart((1, 60), [Curve("", np.ones(2), ["", ""])], title="W", colour=COLOUR),
    "grade adjusted": grade_adjusted_chart(HOUR, [("", LEVEL, [""] * 61)], unit="km", ticks=[], title="Pace"),
    "route": route_chart(Route(HOUR / 100, HOUR / 100, LEVEL, "P", "W", COLOUR, [""] * 61, 0, 1), marked=3),
}


def values_of(part, key=""):
    """Every value of a figure that lies on an x axis, of traces, shapes, selections, ranges, and ticks."""
    if isinstance(part, dict):
        for name, inner in part.items():
            yield from values_of(inner, name)
    elif isinstance(part, list | tuple | np.ndarray):
        for inner in part:
            yield from values_of(inner, key)
    elif key in {"x", "x0", "x1", "base", "width", "range", "tickvals", "type", "path", "dtick", "tick0"}:
        yield part


def is_date(value):
    is_text_date = isinstance(value, str) and (value == "date" or value[:5].removeprefix("M").isdecimal())
    return is_text_date or isinstance(value, date | datetime | np.datetime64)


@pytest.mark.parametrize("name", [*OVER_TIME, *OTHERS])
def test_no_chart_over_a_session_holds_a_date(name):
    """Plotly reads numbers on a date axis in the browser's time zone: a session began at 16:00 in Los Angeles."""
    values = list(values_of((OVER_TIME | OTHERS)[name].to_plotly_json()))

    assert values
    assert [value for value in values if is_date(value)] == []


@pytest.mark.parametrize("name", OVER_TIME)
def test_every_chart_over_time_runs_from_zero_to_the_hour_in_seconds(name):
    layout = OVER_TIME[name].layout

    assert (layout.xaxis.type, layout.xaxis.range) == ("linear", (0, 3_600))
    assert (layout.xaxis.ticktext[0], layout.xaxis.ticktext[-1]) == ("0:00", "1:00:00")
    assert layout.xaxis.unifiedhovertitle.text == "%{x:.0f} s"
    assert layout.meta["clock_steps_s"][0] == 1


def test_the_walk_knows_a_date_where_it_sees_one():
    shape = {"type": "path", "path": "M1970-01-01_00:00,0V1"}
    figure = go.Figure(go.Bar(x=[date(2026, 1, 1)], y=[1]), {"shapes": [shape], "xaxis_type": "date"})

    assert sum(map(is_date, values_of(figure.to_plotly_json()))) == 3


@pytest.mark.parametrize(
    ("low", "high", "most", "texts"),
    [
        (0, 45, 12, "0:00 0:05 0:10 0:15 0:20 0:25 0:30 0:35 0:40 0:45"),
        (0, 3_600, 6, "0:00 10:00 20:00 30:00 40:00 50:00 1:00:00"),
        (0, 4_430, 4, "0:00 20:00 40:00 1:00:00"),
        (3_400, 3_800, 4, "58:00 1:00:00 1:02:00"),
        (0, 93_600, 5, "0:00 6:00:00 12:00:00 18:00:00 24:00:00"),
        (0, 900_000, 6, "0:00 48:00:00 96:00:00 144:00:00 192:00:00 240:00:00"),
        (-60, 30, 6, "0:00 0:15 0:30"),
    ],
)
def test_ticks_are_round_and_hours_go_on_past_a_day(low, high, most, texts):
    assert " ".join(clock_text(tick) for tick in clock_ticks(low, high, most=most)) == texts


@pytest.mark.parametrize("seconds", [0, 59, 59.6, 60, 3_599, 3_600, 90_061])
def test_an_axis_writes_time_as_the_rest_of_the_page_does(seconds):
    assert clock_text(seconds) == formats.duration_hms(seconds)
