"""Training analysis of a range: monotony and strain, time in bands, repeated climbs."""

from collections.abc import Mapping, Sequence
from datetime import date
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.analytics.recovery.circumstances import Circumstance
from coachboard.analytics.season.repeated_climbs import ClimbEffort
from coachboard.charts import palette
from coachboard.charts.day_axis import dated
from coachboard.charts.shades import add_shades
from coachboard.models.enums import LapIntensity

_BANDS = (
    LapIntensity.RECOVERY,
    LapIntensity.AEROBIC,
    LapIntensity.TEMPO,
    LapIntensity.THRESHOLD,
    LapIntensity.VO2MAX,
    LapIntensity.ANAEROBIC,
    LapIntensity.NEUROMUSCULAR,
)


def monotony_chart(
    days: Sequence[date],
    monotony: NDArray[np.float64],
    strain: NDArray[np.float64],
    *,
    shades: Sequence[Circumstance] = (),
) -> go.Figure:
    """Two panels over the same days."""
    figure = go.Figure()
    figure.add_scatter(
        x=days,
        y=monotony,
        name="Monotony",
        mode="lines",
        line={"color": palette.quantity("form"), "width": 2},
        hovertemplate="%{y:.2f}",
    )
    figure.add_scatter(
        x=days,
        y=strain,
        yaxis="y2",
        name="Strain",
        mode="lines",
        line={"color": palette.quantity("fatigue"), "width": 2},
        hovertemplate="%{y:,.0f}",
    )
    figure.update_layout(
        yaxis={"domain": [0.55, 1.0], "title": {"text": "Monotony"}},
        yaxis2={"domain": [0.0, 0.45], "title": {"text": "Strain"}, "anchor": "x"},
    )
    palette.layout(figure, height=260)
    figure.update_xaxes(anchor="free", position=0)
    figure.update_yaxes(nticks=4, rangemode="tozero")
    return add_shades(dated(figure, days), shades)


def bands_chart(band_s: Mapping[LapIntensity, float], *, names: Mapping[LapIntensity, str]) -> go.Figure:
    """Hours in each band, easiest at the bottom; `names` are the labels."""
    whole = sum(band_s.values()) or 1.0
    bands = [band for band in _BANDS if band in band_s]
    hours = [band_s[band] / 3600 for band in bands]
    figure = go.Figure(
        go.Bar(
            x=hours,
            y=[names[band] for band in bands],
            orientation="h",
            marker={"color": [palette.intensity(band) for band in bands], "line": {"width": 0}},
            text=[
                f"{value:.1f} h, {100 * band_s[band] / whole:.0f} %"
                for band, value in zip(bands, hours, strict=True)
            ],
            textposition="auto",  # inside the bar if a narrow window has no room next to the longest one
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    palette.layout(figure, height=60 + 26 * len(bands))
    figure.update_yaxes(dtick=1, showgrid=False)
    # Room for the text next to the longest bar.
    figure.update_xaxes(title_text="Time (h)", range=[0, max(hours, default=1) * 1.25])
    return figure


def climbs_chart(
    groups: Sequence[Sequence[ClimbEffort]],
    *,
    names: Sequence[str],
    texts: Sequence[Sequence[str]],
    days: Sequence[date],
    shades: Sequence[Circumstance] = (),
) -> go.Figure:
    """VAM over the days of the range, a line per climb; `texts` are the labels of the ascents."""
    figure = go.Figure()
    for group, name, labels in zip(groups, names, texts, strict=True):
        figure.add_scatter(
            x=[effort.day for effort in group],
            y=[effort.vam_m_per_h for effort in group],
            name=name,
            mode="lines+markers",
            text=[escape(label) for label in labels],
            hovertemplate="%{text}",
        )
    palette.layout(figure, height=260)
    figure.update_yaxes(title_text="VAM (m/h)")
    return add_shades(dated(figure, days), shades)
