"""Fitness, fatigue and form over the season, carried into the planned weeks, with the events."""

from collections.abc import Sequence
from datetime import date
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.analytics.frames import FATIGUE, FITNESS, FORM
from coachboard.analytics.season_outlook import Season
from coachboard.charts import palette

_DASHES = ("dash", "dot", "dashdot")
HEIGHT_PX = 430


def season_load_chart(season: Season, *, from_at: int) -> go.Figure:
    """Two panels over the same days: fitness and fatigue with daily volume, and form."""
    figure = go.Figure()
    days, split = season.days, season.today_at + 1
    _volume(figure, season, from_at)
    past = season.actual
    model = season.model
    for column, name, axis in (
        (FITNESS, f"{model.fitness} ({model.fitness_d:g} d)", "y"),
        (FATIGUE, f"{model.fatigue} ({model.fatigue_d:g} d)", "y"),
        (FORM, "Form", "y3"),
    ):
        _line(figure, (days[from_at:split], past[column].to_numpy()[from_at:split]), name, column, axis=axis)
        for future, dash in zip(season.futures, _DASHES, strict=False):
            if column == FATIGUE and dash != _DASHES[0]:
                continue
            ahead = future.frame[column].to_numpy()[season.today_at :]
            title = f"{_called(column, season)}, {future.name}"
            _line(figure, (days[season.today_at :], ahead), title, column, axis=axis, dash=dash)
    palette.layout(figure, height=HEIGHT_PX)
    _axes(figure, season)
    _events(figure, season)
    return figure


def _called(column: str, season: Season) -> str:
    """The word of the pair of means in force: the service calls its slow one otherwise."""
    return {FITNESS: season.model.fitness, FATIGUE: season.model.fatigue}.get(column, column.capitalize())


def _line(
    figure: go.Figure,
    points: tuple[Sequence[date], NDArray[np.float64]],
    name: str,
    column: str,
    *,
    axis: str,
    dash: str | None = None,
) -> None:
    figure.add_scatter(
        x=list(points[0]), y=points[1].round(1), name=escape(name), mode="lines", yaxis=axis,
        line={"color": palette.quantity(column), "width": 1.4 if dash else 2, "dash": dash or "solid"},
        hovertemplate="%{y:.0f}", showlegend=dash is None or column == FITNESS,
    )  # fmt: skip


def _volume(figure: go.Figure, season: Season, from_at: int) -> None:
    colour = palette.quantity("load")
    figure.add_bar(
        x=list(season.days[from_at:]), y=season.volume[from_at:], name="Volume", yaxis="y2",
        marker={"color": palette.translucent(colour, 0.28), "line": {"width": 0}}, hovertemplate="%{y:.0f}",
    )  # fmt: skip
    figure.add_bar(
        x=list(season.days[season.today_at :]), y=season.planned[season.today_at :].round(), yaxis="y2",
        name="Volume, planned (estimated)", hovertemplate="%{y:.0f}",
        marker={"color": "rgba(0,0,0,0)", "line": {"width": 1, "color": palette.PLANNED.light}},
    )  # fmt: skip


def _axes(figure: go.Figure, season: Season) -> None:
    model = season.model
    figure.update_layout(
        barmode="overlay",
        yaxis={
            "domain": [0.42, 1],
            "title": {"text": f"{model.fitness}, {model.fatigue.lower()}"},
            "rangemode": "tozero",
        },
        yaxis2={
            "overlaying": "y",
            "side": "right",
            "title": {"text": "Volume a day", "font": {"size": 12, "color": palette.MUTED.light}},
            "showgrid": False,
            "rangemode": "tozero",
            "nticks": 4,
            # By itself it takes the left axis's lines, and then reads 163 and 326.
            "tickmode": "auto",
        },
        yaxis3={"domain": [0, 0.34], "title": {"text": "Form", "font": {"size": 12}}},
        xaxis={"anchor": "y3", "tickformat": "%-d %b\n%Y", "nticks": 10},
        margin={"r": 56, "t": 56, "b": 48},
    )
    # The margins hold every label: made to measure, Plotly draws all axes twice, a third of the chart's time.
    figure.update_xaxes(automargin=False)
    figure.update_yaxes(automargin=False)
    figure.add_vline(
        x=season.days[season.today_at].isoformat(),
        line={"color": palette.MUTED.light, "width": 1, "dash": "dot"},
    )


def _events(figure: go.Figure, season: Season) -> None:
    for day, name in season.events:
        if day > season.days[-1]:
            continue
        figure.add_vline(x=day.isoformat(), line={"color": palette.ACCENT.light, "width": 1})
        figure.add_annotation(
            x=day.isoformat(), y=1, yref="paper", yanchor="top", xanchor="right", textangle=-90, showarrow=False,
            text=escape(name[:28]), font={"size": 10, "color": palette.ACCENT.light},
        )  # fmt: skip
