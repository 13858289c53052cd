"""Load and recovery on one time axis: load, sleep, HRV and resting heart rate."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from coachboard.analytics.frames import FATIGUE, FITNESS
from coachboard.analytics.recovery.circumstances import Circumstance
from coachboard.analytics.recovery.hrv import to_ms
from coachboard.analytics.recovery.nights import Nights
from coachboard.analytics.season.daily_load import DailyLoad
from coachboard.catalogues.metrics import HRV, RESTING
from coachboard.charts import palette
from coachboard.charts.daily_bars import add_daily
from coachboard.charts.day_axis import dated
from coachboard.charts.shades import add_shades, day_band, settling_word
from coachboard.charts.ticks import without_noise

_GAP = 0.05
_VOLUME_SHARE = 1.4
"""Relative height of the first panel: bars of volume and two lines."""
_PANEL_PX = 132
_MEANS = "yaxis9"
"""A second y axis for fitness and fatigue over the first panel, numbered after all panels."""


def load_and_body_chart(load: DailyLoad, nights: Nights, *, shades: Sequence[Circumstance] = ()) -> go.Figure:
    """Panels over the same days: load with its averages, HRV, resting heart rate and sleep.

    Omits the first panel if the sessions are unknown.
    """
    figure = go.Figure()
    titles = []
    if not np.isnan(load.volume).all():
        titles.append("Daily load")
        _add_load(figure, load)
    for title, row, add in (
        (HRV.heading, nights.hrv_ms, _add_hrv),
        (RESTING.heading, nights.resting_bpm, _add_resting),
        ("Sleep (h)", nights.asleep_s, _add_asleep),
    ):
        if not np.isnan(nights.shown(row)).all():
            titles.append(title)
            add(figure, nights, f"y{len(titles)}" if len(titles) > 1 else "y")
    for n, (title, domain) in enumerate(zip(titles, _domains(len(titles)), strict=True), start=1):
        axis = "yaxis" if n == 1 else f"yaxis{n}"
        figure.update_layout({axis: {"title": {"text": title}, "domain": domain, "anchor": "x"}})
    palette.layout(figure, height=80 + round(_PANEL_PX * (len(titles) - 1 + _VOLUME_SHARE)))
    figure.update_xaxes(anchor="free", position=0)
    figure.update_yaxes(nticks=4)
    if _MEANS in figure.layout:
        # A day's volume is several times its mean: on one scale the two lines would be flat at the bottom.
        figure.update_layout(
            {"yaxis": {"side": "right", "showgrid": False, "rangemode": "tozero"}, "margin": {"r": 56}}
        )
    figure = add_shades(dated(figure, load.days), shades)
    first, after = load.settling
    if after:
        figure.layout.shapes = [*figure.layout.shapes, day_band(load.days[first], load.days[after - 1])]
        figure.layout.annotations = [*figure.layout.annotations, settling_word(load.days[first])]
    return figure


def _domains(panels: int) -> list[list[float]]:
    """From the top down: low and high of each panel, as shares of the height."""
    unit = (1 - _GAP * (panels - 1)) / (panels - 1 + _VOLUME_SHARE)
    domains, top = [], 1.0
    for n in range(panels):
        low = top - unit * (_VOLUME_SHARE if n == 0 else 1.0)
        domains.append([max(low, 0.0), top])
        top = low - _GAP
    return domains


def _add_load(figure: go.Figure, load: DailyLoad) -> None:
    add_daily(
        figure,
        load.days,
        load.volume,
        colour=palette.translucent(palette.quantity("load"), 0.45),
        hover="%{y:.0f}",
        name="Load",
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
            yaxis=_MEANS.replace("axis", ""),
        )
    title = f"{load.model.fitness}, {load.model.fatigue.lower()}"
    # Otherwise Plotly aligns the ticks with those of the volume, at 46.8 and 93.5.
    figure.update_layout(
        {
            _MEANS: {
                "title": {"text": title}, "overlaying": "y", "rangemode": "tozero", "tickmode": "auto",
                "showgrid": True,
            }
        }
    )  # fmt: skip


def _add_hrv(figure: go.Figure, nights: Nights, axis: str) -> None:
    days, normal = nights.days[nights.shown_from :], nights.hrv_normal
    low, high = nights.shown(to_ms(normal.low)), nights.shown(to_ms(normal.high))
    _band(figure, days, low, high, axis=axis, quantity=HRV.colour)
    _line(figure, days, nights.shown(nights.hrv_line), name="HRV, 7-day mean", axis=axis, quantity=HRV.colour)


def _add_resting(figure: go.Figure, nights: Nights, axis: str) -> None:
    days, normal = nights.days[nights.shown_from :], nights.resting_normal
    quantity, line = RESTING.colour, nights.shown(nights.resting_line)
    _band(figure, days, nights.shown(normal.low), nights.shown(normal.high), axis=axis, quantity=quantity)
    _line(figure, days, line, name="Resting heart rate, 7-day mean", axis=axis, quantity=quantity)


def _add_asleep(figure: go.Figure, nights: Nights, axis: str) -> None:
    add_daily(
        figure,
        nights.days[nights.shown_from :],
        nights.shown(nights.asleep_s) / 3600,
        colour=palette.translucent(palette.quantity("light"), 0.6),
        hover="%{y:.1f} h",
        yaxis=axis,
        name="Sleep",
        showlegend=False,
    )


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
    figure.add_scatter(x=days, y=without_noise(low), **options)
    fill = palette.translucent(palette.quantity(quantity), 0.14)
    figure.add_scatter(x=days, y=without_noise(high), fill="tonexty", fillcolor=fill, **options)


def _line(
    figure: go.Figure, days: Sequence[object], values: np.ndarray, *, name: str, axis: str, quantity: str
) -> None:
    figure.add_scatter(
        x=days,
        y=without_noise(values),
        yaxis=axis,
        name=name,
        showlegend=False,  # the panel's heading names it
        mode="lines",
        line={"color": palette.quantity(quantity), "width": 2},
        hovertemplate="%{y:.0f}",
    )
