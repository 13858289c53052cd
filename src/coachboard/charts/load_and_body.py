"""Load beside the body on one time axis: what was done, and how sleep, HRV and heart rate answered."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from coachboard.analytics.circumstances import Circumstance
from coachboard.analytics.daily_load import DailyLoad
from coachboard.analytics.frames import FATIGUE, FITNESS
from coachboard.analytics.hrv import to_ms
from coachboard.analytics.nights import Nights
from coachboard.charts import palette
from coachboard.charts.daily_bars import add_daily
from coachboard.charts.day_axis import dated
from coachboard.charts.shades import add_shades

_PANELS = (
    ("Volume", (0.72, 1.0)),
    ("HRV (ms)", (0.48, 0.68)),
    ("Resting HR (bpm)", (0.24, 0.44)),
    ("Asleep (h)", (0.0, 0.20)),
)


def load_and_body_chart(load: DailyLoad, nights: Nights, *, shades: Sequence[Circumstance] = ()) -> go.Figure:
    """Four panels over the same days: load with its means, HRV in its range, resting heart rate, sleep."""
    days = nights.days[nights.shown_from :]
    figure = go.Figure()
    add_daily(
        figure,
        load.days,
        load.volume,
        colour=palette.translucent(palette.quantity("load"), 0.45),
        hover="%{y:.0f}",
        name="Volume",
    )
    for column, quantity, name in (
        (FITNESS, "fitness", f"{load.model.fitness} ({load.model.fitness_d:g} d)"),
        (FATIGUE, "fatigue", f"{load.model.fatigue} ({load.model.fatigue_d:g} d)"),
    ):
        figure.add_scatter(
            x=load.days,
            y=load.frame[column].to_numpy(),
            name=name,
            mode="lines",
            line={"color": palette.quantity(quantity), "width": 2},
            hovertemplate="%{y:.0f}",
        )
    normal = nights.hrv_normal
    _band(
        figure,
        days,
        nights.shown(to_ms(normal.low)),
        nights.shown(to_ms(normal.high)),
        axis="y2",
        quantity="hrv",
    )
    _line(figure, days, nights.shown(nights.hrv_line), name="HRV, 7-day mean", axis="y2", quantity="hrv")
    resting = nights.resting_normal
    _band(
        figure,
        days,
        nights.shown(resting.low),
        nights.shown(resting.high),
        axis="y3",
        quantity="restingHeartRate",
    )
    _line(
        figure,
        days,
        nights.shown(nights.resting_line),
        name="Resting HR, 7-day mean",
        axis="y3",
        quantity="restingHeartRate",
    )
    add_daily(
        figure,
        days,
        nights.shown(nights.asleep_s) / 3600,
        colour=palette.translucent(palette.quantity("light"), 0.6),
        hover="%{y:.1f} h",
        yaxis="y4",
        name="Asleep",
        showlegend=False,
    )
    for n, (title, domain) in enumerate(_PANELS, start=1):
        axis = "yaxis" if n == 1 else f"yaxis{n}"
        figure.update_layout({axis: {"title": {"text": title}, "domain": list(domain), "anchor": "x"}})
    palette.layout(figure, height=560)
    figure.update_xaxes(anchor="free", position=0)
    figure.update_yaxes(nticks=4)
    return add_shades(dated(figure, load.days), shades)


def _band(
    figure: go.Figure,
    days: Sequence[object],
    low: np.ndarray,
    high: np.ndarray,
    *,
    axis: str,
    quantity: str,
) -> None:
    options = {"mode": "lines", "line": {"width": 0}, "showlegend": False, "hoverinfo": "skip", "yaxis": axis}
    figure.add_scatter(x=days, y=low, **options)
    fill = palette.translucent(palette.quantity(quantity), 0.14)
    figure.add_scatter(x=days, y=high, fill="tonexty", fillcolor=fill, **options)


def _line(
    figure: go.Figure, days: Sequence[object], values: np.ndarray, *, name: str, axis: str, quantity: str
) -> None:
    figure.add_scatter(
        x=days,
        y=values,
        yaxis=axis,
        name=name,
        showlegend=False,  # its panel is named at the side
        mode="lines",
        line={"color": palette.quantity(quantity), "width": 2},
        hovertemplate="%{y:.0f}",
    )
