"""Sleep stages with efficiency, and skin temperature, by night."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from coachboard.analytics.recovery.circumstances import Circumstance
from coachboard.analytics.recovery.nights import STAGES, Nights
from coachboard.analytics.recovery.sleep import GOOD_EFFICIENCY_PCT
from coachboard.catalogues.metrics import NIGHT_FIELDS, SKIN_DEVIATION
from coachboard.charts import palette
from coachboard.charts.daily_bars import add_daily
from coachboard.charts.day_axis import dated
from coachboard.charts.shades import add_shades

STAGE_NAMES = {
    "deep": NIGHT_FIELDS["deep_duration"].title,
    "light": NIGHT_FIELDS["light_duration"].title,
    "rem": NIGHT_FIELDS["rem_duration"].title,
    "unphased": "Asleep, no stages",
    "awake": NIGHT_FIELDS["awake_duration"].title,
    "noData": NIGHT_FIELDS["no_data_duration"].title,
    "nap": "Nap",
}  # fmt: skip
_TITLE = {"color": palette.MUTED.light, "size": 12}
_AXIS = {
    "gridcolor": palette.GRID.light,
    "linecolor": palette.GRID.light,
    "tickfont": {"color": palette.MUTED.light},
    "automargin": True,
}


def stages_chart(nights: Nights, *, need_h: float, shades: Sequence[Circumstance] = ()) -> go.Figure:
    """Hours of each stage by night, with the sleep need as a line; efficiency in a panel below."""
    days = nights.days[nights.shown_from :]
    figure = go.Figure()
    rows = {stage: nights.shown(nights.stages_s[stage]) / 3600 for stage in STAGES}
    is_recorded = ~np.isnan(list(rows.values())).all(axis=0)
    for stage, hours in rows.items():
        if np.nansum(hours) > 0:
            is_absent = is_recorded & np.isnan(hours)
            add_daily(
                figure,
                days,
                # Plotly starts a stack at 0 again above a missing value: the bars would cover each other.
                np.where(is_absent, 0.0, hours),
                colour=palette.quantity(stage),
                hover=np.where(is_absent, "–", "%{y:.1f} h"),
                is_stacked=True,
                name=STAGE_NAMES[stage],
            )
    palette.layout(figure, height=260)
    figure.update_layout(barmode="stack", bargap=0.15)
    figure.update_yaxes(title_text="Time (h)", rangemode="tozero")
    lines = [_level("y", need_h)]
    if not np.isnan(nights.shown(nights.efficiency_pct)).all():
        _add_efficiency(figure, nights)
        lines.append(_level("y2", GOOD_EFFICIENCY_PCT))
    figure.layout.shapes = lines
    return add_shades(dated(figure, days), shades)


def _add_efficiency(figure: go.Figure, nights: Nights) -> None:
    figure.add_scatter(
        x=nights.days[nights.shown_from :],
        y=nights.shown(nights.efficiency_pct),
        yaxis="y2",
        name="Efficiency",
        mode="lines+markers",
        line={"color": palette.INK.light, "width": 1.2},
        marker={"size": 3},
        hovertemplate="%{y:.0f} %",
    )
    figure.update_layout(
        height=360,
        yaxis={"domain": [0.36, 1.0]},
        yaxis2={
            "title": {"text": "Sleep efficiency (%)", "font": _TITLE},
            "domain": [0.0, 0.26],
            "anchor": "x",
            "nticks": 4,
        }
        | _AXIS,
    )
    figure.update_xaxes(anchor="free", position=0)


def _level(axis: str, value: float) -> dict[str, Any]:
    """A dotted horizontal line."""
    line = {"color": palette.MUTED.light, "width": 1, "dash": "dot"}
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "yref": axis,
        "y0": value,
        "y1": value,
        "line": line,
    }


def deviation_chart(
    nights: Nights, *, scale: tuple[float, str] = (1.0, "°C"), shades: Sequence[Circumstance] = ()
) -> go.Figure:
    """Skin temperature minus the athlete's mean by night; `scale` is the factor from °C and the unit."""
    factor, unit = scale
    days = nights.days[nights.shown_from :]
    figure = go.Figure()
    add_daily(
        figure,
        days,
        nights.shown(nights.skin_deviation_c) * factor,
        colour=palette.quantity(SKIN_DEVIATION.colour),
        hover=f"%{{y:+.1f}} {unit}",
        name="Deviation",
        showlegend=False,
    )
    palette.layout(figure, height=180)
    figure.update_yaxes(title_text=f"{SKIN_DEVIATION.title} ({unit})", zeroline=True)
    return add_shades(dated(figure, days), shades)
