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
from coachboard.charts.ticks import month_axis, value_axis

_DASHES = ("dash", "dot", "dashdot")
HEIGHT_PX = 430
_MOST_ROWS = 3
_ROW_PX = 14
_LABEL_SHARE = 0.08
"""Of the upper panel's height, a row of names."""
_LETTER_SHARE = 0.008
"""Of the axis, a letter of a name, on a desk."""
_LONGEST_NAME = 28
_MIDDLE = 0.4
"""Beyond it a name stands left of its line, or it would run over the chart's edge."""


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
    palette.layout(figure, height=HEIGHT_PX, is_still=True)
    _axes(figure, season, from_at)
    _marks(figure, season, from_at)
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


def _axes(figure: go.Figure, season: Season, from_at: int) -> None:
    """Ranges and ticks are given, so that the picture that stands there first and Plotly's own are the same."""
    model = season.model
    quiet = {"size": 12, "color": palette.MUTED.light}
    figure.update_layout(
        barmode="overlay",
        yaxis={
            "domain": [0.42, 1],
            "title": {"text": f"{model.fitness}, {model.fatigue.lower()}"},
            **value_axis(0.0, _highest(season, (FITNESS, FATIGUE), from_at) * _room_for(season)),
        },
        yaxis2={
            "overlaying": "y",
            "side": "right",
            "title": {"text": "Volume a day", "font": quiet},
            "showgrid": False,
            **value_axis(0.0, _most_volume(season, from_at) * _room_for(season), most=4),
        },
        yaxis3={
            "domain": [0, 0.34],
            "title": {"text": "Form", "font": quiet},
            **value_axis(-_highest(season, (FORM,), from_at, sign=-1), _highest(season, (FORM,), from_at)),
        },
        xaxis={"anchor": "y3", "hoverformat": "%a %-d %b %Y", **month_axis(season.days[from_at:])},
        margin={"r": 56, "t": 56, "b": 48},
    )
    # The margins hold every label: made to measure, Plotly draws all axes twice, a third of the chart's time.
    figure.update_xaxes(automargin=False)
    figure.update_yaxes(automargin=False)


def _highest(season: Season, columns: Sequence[str], from_at: int, *, sign: int = 1) -> float:
    shown = [
        season.actual.iloc[from_at:],
        *(future.frame.iloc[season.today_at :] for future in season.futures),
    ]
    return _largest(np.concatenate([sign * frame[name].to_numpy() for frame in shown for name in columns]))


def _most_volume(season: Season, from_at: int) -> float:
    return _largest(np.concatenate([season.volume[from_at:], season.planned[season.today_at :]]))


def _largest(values: NDArray[np.float64]) -> float:
    """Zero where nothing is above it or known."""
    return float(np.max(values, initial=0.0, where=~np.isnan(values)))


def _room_for(season: Season) -> float:
    """Names of events stand above the lines, not across them."""
    return 1.0 + _LABEL_SHARE * _MOST_ROWS if season.events else 1.0


def _marks(figure: go.Figure, season: Season, from_at: int) -> None:
    """Today and the events, through both panels."""
    _upright(figure, season.days[season.today_at], palette.MUTED.light, dash="dot")
    first, last = season.days[from_at], season.days[-1]
    rows = [-1.0] * _MOST_ROWS  # how far along the axis each row of names is taken
    for day, name in sorted(season.events):
        if not first <= day <= last:
            continue
        _upright(figure, day, palette.ACCENT.light)
        place = (day - first).days / max((last - first).days, 1)
        text = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1].rstrip()}…"
        is_late = place > _MIDDLE
        begins = place - len(text) * _LETTER_SHARE if is_late else place
        row = next((at for at, taken in enumerate(rows) if taken <= begins), rows.index(min(rows)))
        rows[row] = begins + len(text) * _LETTER_SHARE
        figure.add_annotation(
            x=day.isoformat(), y=1, yref="paper", yanchor="top", yshift=-_ROW_PX * row, showarrow=False,
            xanchor="right" if is_late else "left", text=escape(text, quote=False),
            font={"size": 11, "color": palette.ACCENT.light}, bgcolor=palette.SURFACE.light, borderpad=0,
        )  # fmt: skip


def _upright(figure: go.Figure, day: date, colour: str, *, dash: str = "solid") -> None:
    figure.add_shape(
        type="line", x0=day.isoformat(), x1=day.isoformat(), y0=0, y1=1, yref="paper",
        line={"color": colour, "width": 1, "dash": dash},
    )  # fmt: skip
