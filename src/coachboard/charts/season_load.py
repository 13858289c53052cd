"""Fitness, fatigue and form over the season and the planned weeks, with events and training phases."""

import textwrap
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from html import escape
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.charts.shades import day_band, settling_word
from coachboard.charts.ticks import month_axis, value_axis
from coachboard.formulas.frames import FATIGUE, FITNESS, FORM
from coachboard.formulas.season.phases import Phase, PhaseKind
from coachboard.formulas.season.season_outlook import Future, Season
from coachboard.plain_text import plain

_DASHES = ("dash", "dot", "dashdot")
HEIGHT_PX = 430
_BAR_ALPHA = 0.5
"""Bars are visible in both themes, and the lines over them stay readable."""
_MOST_ROWS = 3
_ROW_PX = 14
_LABEL_SHARE = 0.08
"""Height of a row of names, as a share of the upper panel."""
_UPPER_FROM = 0.42
"""Where the panel of fitness, fatigue and the events' names begins, from the bottom of the chart."""
_LOWER_TO = 0.34
"""Where the panel of form ends."""
_PHASES_IN = (0.344, 0.414)
"""The band of phases, between the panels: Plotly hides a name if its bar is less than 21 px high."""
_PHASE_COLOURS = MappingProxyType(
    {
        PhaseKind.BASE: palette.translucent(palette.quantity("fitness"), 0.2),
        PhaseKind.BUILD: palette.translucent(palette.quantity("fitness"), 0.45),
        PhaseKind.TAPER: palette.translucent(palette.quantity("form"), 0.35),
        PhaseKind.RACE: palette.translucent(palette.ACCENT.light, 0.7),
        PhaseKind.RECOVERY: palette.translucent(palette.STALE.light, 0.45),
    }
)
_DAY_MS = 86_400_000
_NAME_PX = 10
_LETTER_SHARE = 0.022
"""Width of a letter of a name, as a share of the axis on a phone (258 px)."""
_LONGEST_LINE, _MOST_LINES = 28, 2
"""Letters of a line, and lines of a name."""
_LEFTWARDS_FROM = 0.4
"""From this share of the width on, a name goes to the left of its line: the chart's edge would cut it off."""


def season_load_chart(season: Season, *, from_at: int) -> palette.Spec:
    """Two panels over the same days from `from_at` on, an index: fitness and fatigue with daily volume, and form."""
    layout = _axes(season, from_at) | _marks(season, from_at)
    return palette.figure(
        [
            *_volume(season, from_at),
            *_lines(season, from_at),
            *_dash_legend(season),
            *_bands(season),
            *map(_phase, season.phases_from(from_at)),
        ],
        layout,
        height=HEIGHT_PX,
    )


def _lines(season: Season, from_at: int) -> Iterator[dict[str, Any]]:
    model, split = season.model, season.today_at + 1
    days = [day.isoformat() for day in season.days]
    for column, name, axis in (
        (FITNESS, f"{model.fitness} ({model.fitness_d:g} d)", "y"),
        (FATIGUE, f"{model.fatigue} ({model.fatigue_d:g} d)", "y"),
        (FORM, "Form", "y3"),
    ):
        past = season.actual[column].to_numpy()[from_at:split]
        yield _line((days[from_at:split], past), name, column, axis=axis)
        for future, dash in zip(_futures_with_lines(season), _DASHES, strict=False):
            if column == FATIGUE and dash != _DASHES[0]:
                continue
            from_today = slice(season.today_at, season.lines_end_at + 1)
            ahead = future.frame[column].to_numpy()[from_today]
            title = f"{_title_of(column, season)}, {future.name}"
            yield _line((days[from_today], ahead), title, column, axis=axis, dash=dash)


def _futures_with_lines(season: Season) -> list[Future]:
    """Each future but that without a done plan, which is an edge of the area."""
    return [future for future in season.futures if not future.is_rest]


def _bands(season: Season) -> Iterator[dict[str, Any]]:
    """The area between the lowest and the highest future of fitness and form."""
    days = [day.isoformat() for day in season.days[season.today_at : season.lines_end_at + 1]]
    for column, (low, high) in season.bands.items():
        edge = {
            "type": "scatter", "mode": "lines", "x": days, "yaxis": "y3" if column == FORM else "y",
            "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False,
        }  # fmt: skip
        yield edge | {"y": low[: len(days)].round(1)}
        yield edge | {
            "y": high[: len(days)].round(1), "fill": "tonexty", "name": "Range of all scenarios",
            "fillcolor": palette.translucent(palette.quantity(column), 0.12), "showlegend": column == FITNESS,
        }  # fmt: skip


def _phase(phase: Phase) -> dict[str, Any]:
    """A bar over the days of the phase, with its name where the bar is wide enough."""
    length = (phase.last - phase.first).days + 1
    # The middle of the bar: noon of the middle day for odd lengths, midnight for even ones.
    middle = datetime.combine(phase.first, time()) + timedelta(days=(length - 1) / 2)
    return {
        "type": "bar", "yaxis": "y4", "x": [middle.isoformat()], "y": [1], "width": length * _DAY_MS,
        "text": [str(phase.kind)], "textposition": "inside", "insidetextanchor": "middle", "textangle": 0,
        "textfont": {"size": _NAME_PX + 1, "color": palette.INK.light}, "hoverinfo": "skip", "showlegend": False,
        "marker": {"color": _PHASE_COLOURS[phase.kind], "line": {"width": 0}},
    }  # fmt: skip


def _title_of(column: str, season: Season) -> str:
    """The name of the average under the chosen constants: the service has its own names."""
    return {FITNESS: season.model.fitness, FATIGUE: season.model.fatigue}.get(column, column.capitalize())


def _dash_legend(season: Season) -> Iterator[dict[str, Any]]:
    """The meaning of each dash, the same for fitness, fatigue and form: traces without data."""
    for future, dash in zip(_futures_with_lines(season), _DASHES, strict=False):
        yield {
            "type": "scatter", "mode": "lines", "x": [None], "y": [None], "hoverinfo": "skip",
            "name": escape(future.name[:1].upper() + future.name[1:]),
            "line": {"color": palette.INK.light, "width": 1.4, "dash": dash},
        }  # fmt: skip


def _line(
    points: tuple[Sequence[str], NDArray[np.float64]],
    name: str,
    column: str,
    *,
    axis: str,
    dash: str | None = None,
) -> dict[str, Any]:
    return {
        "type": "scatter", "mode": "lines", "x": points[0], "y": points[1].round(1), "yaxis": axis,
        "name": escape(name), "hovertemplate": "%{y:.0f}", "showlegend": dash is None,
        "line": {"color": palette.quantity(column), "width": 1.4 if dash else 2, "dash": dash or "solid"},
    }  # fmt: skip


def _volume(season: Season, from_at: int) -> Iterator[dict[str, Any]]:
    days = [day.isoformat() for day in season.days]
    bars = {"type": "bar", "yaxis": "y2", "hovertemplate": "%{y:.0f}"}
    yield bars | {
        "x": days[from_at:], "y": season.volume[from_at:], "name": "Daily load",
        "marker": {"color": palette.translucent(palette.quantity("load"), _BAR_ALPHA), "line": {"width": 0}},
    }  # fmt: skip
    yield bars | {
        "x": days[season.today_at :], "y": season.planned[season.today_at :].round(),
        "name": "Planned load (estimated)",
        "marker": {"color": "rgba(0,0,0,0)", "line": {"width": 1, "color": palette.PLANNED.light}},
    }  # fmt: skip


def _axes(season: Season, from_at: int) -> dict[str, Any]:
    """Fixed ranges and ticks, so that the axes do not change while the chart loads."""
    model = season.model
    quiet = {"size": 12, "color": palette.MUTED.light}
    # Fixed margins with room for labels: with automatic ones Plotly draws all axes twice, a third of the time.
    fixed = {"automargin": False}
    return {
        "barmode": "overlay",
        "legend": {"traceorder": "normal"},  # a filled area reverses the order of the legend
        "yaxis": {
            "domain": [_UPPER_FROM, 1],
            "title": {"text": f"{model.fitness}, {model.fatigue.lower()}"},
            **value_axis(0.0, _highest(season, (FITNESS, FATIGUE), from_at) * _room_for(season)),
            **fixed,
        },
        "yaxis2": {
            "overlaying": "y",
            "side": "right",
            "title": {"text": "Daily load", "font": quiet},
            "showgrid": False,
            **value_axis(0.0, _most_volume(season, from_at) * _room_for(season), most=4),
            **fixed,
        },
        "yaxis3": {
            "domain": [0, _LOWER_TO],
            "title": {"text": "Form", "font": quiet},
            **value_axis(-_highest(season, (FORM,), from_at, sign=-1), _highest(season, (FORM,), from_at)),
            **fixed,
        },
        "yaxis4": {"domain": list(_PHASES_IN), "range": [0, 1], "visible": False, "fixedrange": True},
        "uniformtext": {
            "mode": "hide",
            "minsize": _NAME_PX,
        },  # a name that does not fit its phase would cover the next
        "xaxis": {
            "anchor": "y3",
            "hoverformat": "%a %-d %b %Y",
            **month_axis(season.days[from_at:]),
            **fixed,
        },
        "margin": {"r": 56, "t": 56, "b": 48},
    }


def _highest(season: Season, columns: Sequence[str], from_at: int, *, sign: int = 1) -> float:
    frames = [
        season.actual.iloc[from_at:],
        *(future.frame.iloc[season.today_at :] for future in season.futures),
    ]
    return _largest(np.concatenate([sign * frame[name].to_numpy() for frame in frames for name in columns]))


def _most_volume(season: Season, from_at: int) -> float:
    return _largest(np.concatenate([season.volume[from_at:], season.planned[season.today_at :]]))


def _largest(values: NDArray[np.float64]) -> float:
    """Zero if no value is positive or known."""
    return float(np.max(values, initial=0.0, where=~np.isnan(values)))


def _room_for(season: Season) -> float:
    """Names of events go above the lines, not across them."""
    return 1.0 + _LABEL_SHARE * _MOST_ROWS if season.events else 1.0


def _marks(season: Season, from_at: int) -> dict[str, Any]:
    """Today and the events, through both panels."""
    # Today's line ends below the names of events: the name of next week's event covered it.
    below_names = 1 - (1 - _UPPER_FROM) * (1 - 1 / _room_for(season))
    today = season.days[season.today_at]
    shapes = [_upright(today, palette.MUTED.light, dash="dot", top=below_names)]
    names: list[dict[str, Any]] = [{
        "x": today.isoformat(), "y": below_names, "yref": "paper", "yanchor": "top", "xanchor": "right",
        "yshift": -8, "showarrow": False, "text": "today", "font": {"size": 11, "color": palette.MUTED.light},
        "bgcolor": palette.translucent(palette.SURFACE.light, 0.7), "borderpad": 0,
    }]  # fmt: skip
    first, last = season.days[from_at], season.days[-1]
    if settling := [day for day in season.settling if day >= first]:
        band = day_band(settling[0], min(settling[-1], last))
        shapes.append(band | {"x0": settling[0].isoformat(), "x1": min(settling[-1], last).isoformat()})
        names.append(settling_word(settling[0]))
    rows = [-1.0] * _MOST_ROWS  # right end of the last name in each row
    for day, name in sorted(season.events):
        if not first <= day <= last:
            continue
        shapes.append(_upright(day, palette.ACCENT.light))
        place = (day - first).days / max((last - first).days, 1)
        lines = _name_lines(name)
        width = max(map(len, lines)) * _LETTER_SHARE
        is_late = place > _LEFTWARDS_FROM
        begins = place - width if is_late else place
        row = _free_row(rows, begins, len(lines))
        rows[row : row + len(lines)] = [begins + width] * len(lines)
        side = "right" if is_late else "left"
        names.append({
            "x": day.isoformat(), "y": 1, "yref": "paper", "yanchor": "top", "yshift": -_ROW_PX * row,
            "xanchor": side, "align": side, "showarrow": False,
            "text": "<br>".join(escape(line, quote=False) for line in lines),
            "font": {"size": 11, "color": palette.ACCENT.light}, "bgcolor": palette.SURFACE.light, "borderpad": 0,
        })  # fmt: skip
    return {"shapes": shapes, "annotations": names}


def _name_lines(name: str) -> list[str]:
    """The name of an event in one or two lines: cut after 28 letters, a race lost its place."""
    lines = textwrap.wrap(plain(name), _LONGEST_LINE, max_lines=_MOST_LINES, placeholder="…")
    return lines or [""]


def _free_row(rows: Sequence[float], begins: float, lines: int) -> int:
    """The first row with room for so many lines; without any the one whose names end first."""
    row_ends = [max(rows[row : row + lines]) for row in range(len(rows) - lines + 1)]
    return next((row for row, end in enumerate(row_ends) if end <= begins), row_ends.index(min(row_ends)))


def _upright(day: date, colour: str, *, dash: str = "solid", top: float = 1.0) -> dict[str, Any]:
    return {
        "type": "line", "x0": day.isoformat(), "x1": day.isoformat(), "y0": 0, "y1": top, "yref": "paper",
        "line": {"color": colour, "width": 1, "dash": dash},
    }  # fmt: skip
