"""Training analysis of a range: monotony and strain, time in bands, repeated climbs."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from html import escape
from types import MappingProxyType

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard import plurals
from coachboard.analytics.recovery.circumstances import Circumstance
from coachboard.analytics.season.repeated_climbs import ClimbEffort
from coachboard.charts import palette
from coachboard.charts.day_axis import dated
from coachboard.charts.shades import add_normal_range, add_shades
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

_DAY_MS = 86_400_000
_MINUTE_S = 60
_LEAST_PERCENT = 0.5


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


def ratio_chart(
    days: Sequence[date],
    ratio: NDArray[np.float64],
    *,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    shades: Sequence[Circumstance] = (),
) -> go.Figure:
    """The acute:chronic ratio over its normal range."""
    colour = palette.quantity("load")
    figure = go.Figure()
    add_normal_range(figure, days, (low, high), colour=colour)
    figure.add_scatter(
        x=days,
        y=ratio,
        name="Acute:chronic ratio",
        mode="lines",
        line={"color": colour, "width": 2},
        hovertemplate="%{y:.2f}",
    )
    palette.layout(figure, height=220)
    figure.update_yaxes(title_text="Acute:chronic ratio", nticks=5)
    return add_shades(dated(figure, days), shades)


def zones_trend_chart(  # noqa: PLR0913 (two panels of one range)
    weeks: Sequence[date],
    week_band_s: Mapping[LapIntensity, NDArray[np.float64]],
    polarization: NDArray[np.float64],
    *,
    names: Mapping[LapIntensity, str],
    polarized_above: float,
    days: Sequence[date],
    shades: Sequence[Circumstance] = (),
) -> go.Figure:
    """Hours in each zone by week, and below them the polarization index of 28 days where it has any value."""
    figure = go.Figure()
    middles = [week + timedelta(days=3) for week in weeks]
    has_index = bool(np.isfinite(polarization).any())
    for band in (band for band in _BANDS if band in week_band_s):
        figure.add_bar(
            x=middles,
            y=week_band_s[band] / 3600,
            width=6 * _DAY_MS,
            name=names[band],
            marker={"color": palette.intensity(band), "line": {"width": 0}},
            customdata=[f"{week:%-d %b}" for week in weeks],
            hovertemplate="Week of %{customdata}: %{y:.1f} h",
        )
    if has_index:
        figure.add_scatter(
            x=days,
            y=polarization,
            yaxis="y2",
            name="Polarization index, 28 days",
            mode="lines",
            line={"color": palette.quantity("form"), "width": 2},
            hovertemplate="%{y:.2f}",
        )
        figure.add_shape(
            type="line", xref="paper", yref="y2", x0=0, x1=1, y0=polarized_above, y1=polarized_above,
            line={"width": 1, "dash": "dot", "color": palette.MUTED.light},
        )  # fmt: skip
    figure.update_layout(
        barmode="stack",
        yaxis={"domain": [0.42, 1.0] if has_index else [0.0, 1.0], "title": {"text": "Time (h)"}},
    )
    if has_index:
        figure.update_layout(yaxis2={"domain": [0.0, 0.3], "title": {"text": "Polarization"}, "anchor": "x"})
    palette.layout(figure, height=340 if has_index else 240)
    figure.update_xaxes(anchor="free", position=0)
    figure.update_yaxes(nticks=4)
    return add_shades(dated(figure, days), shades)


def relation_chart(
    x: NDArray[np.float64], y: NDArray[np.float64], *, titles: tuple[str, str], has_line: bool
) -> go.Figure:
    """A dot per pair, with the least squares line if the correlation is clear."""
    both = np.isfinite(x) & np.isfinite(y)
    x, y = x[both], y[both]
    figure = go.Figure()
    figure.add_scatter(
        x=x, y=y, mode="markers", showlegend=False,
        marker={"size": 6, "color": palette.translucent(palette.quantity("load"), 0.6)},
        hovertemplate="%{x:.2f}, %{y:.1f}<extra></extra>",
    )  # fmt: skip
    if has_line:
        slope = float(np.cov(x, y)[0, 1] / np.var(x, ddof=1))
        ends = np.array([x.min(), x.max()])
        figure.add_scatter(
            x=ends, y=y.mean() + slope * (ends - x.mean()), mode="lines", showlegend=False, hoverinfo="skip",
            line={"width": 1.5, "color": palette.MUTED.light},
        )  # fmt: skip
    palette.layout(figure, height=200)
    figure.update_layout(hovermode="closest", margin={"t": 8, "b": 40, "l": 48, "r": 8})
    figure.update_xaxes(title_text=escape(titles[0]), nticks=5)
    figure.update_yaxes(title_text=escape(titles[1]), nticks=4)
    return figure


def bands_chart(
    band_s: Mapping[LapIntensity, float],
    *,
    names: Mapping[LapIntensity, str],
    race_s: Mapping[LapIntensity, float] = MappingProxyType({}),
) -> go.Figure:
    """Hours in each band, easiest at the bottom, with an outline for the part on race days; `names` are the labels."""
    whole = sum(band_s.values()) or 1.0
    bands = [band for band in _BANDS if band in band_s]
    hours = [band_s[band] / 3600 for band in bands]
    figure = go.Figure(
        go.Bar(
            x=hours,
            y=[names[band] for band in bands],
            orientation="h",
            marker={"color": [palette.intensity(band) for band in bands], "line": {"width": 0}},
            text=[_time_and_share(band_s[band], whole) for band in bands],
            textposition="outside",  # inside a light bar it has no contrast in one of the themes
            cliponaxis=False,
            hoverinfo="skip",
        )
    )
    if any(race_s.values()):
        figure.add_bar(
            x=[race_s.get(band, 0.0) / 3600 for band in bands],
            y=[names[band] for band in bands],
            orientation="h",
            marker={"color": "rgba(0,0,0,0)", "line": {"width": 2, "color": palette.INK.light}},
            hoverinfo="skip",
        )
    figure.update_layout(barmode="overlay", showlegend=False)
    palette.layout(figure, height=60 + 26 * len(bands))
    figure.update_yaxes(dtick=1, showgrid=False)
    # Room for the text next to the longest bar, on a phone too.
    figure.update_xaxes(title_text="Time (h)", range=[0, max(hours, default=1) * 1.45])
    return figure


def _time_and_share(seconds: float, whole_s: float) -> str:
    """`18h30, 15 %`; `<1 min` for a sprint, which 0 min would hide."""
    time = "<1 min" if 0 < seconds < _MINUTE_S else plurals.duration_hm(seconds)
    percent = 100 * seconds / whole_s
    return f"{time}, {'<1' if 0 < percent < _LEAST_PERCENT else f'{percent:.0f}'} %"


_CLIMB_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "circle-open")
"""By climb: the colours of two climbs were nearly the same brown."""


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
    for at, (group, name, labels) in enumerate(zip(groups, names, texts, strict=True)):
        figure.add_scatter(
            x=[effort.day for effort in group],
            y=[effort.vam_m_per_h for effort in group],
            name=name,
            mode="lines+markers",
            marker={"symbol": _CLIMB_SYMBOLS[at % len(_CLIMB_SYMBOLS)], "size": 8},
            text=[escape(label) for label in labels],
            hovertemplate="%{text}",
        )
    palette.layout(figure, height=260)
    figure.update_yaxes(title_text="VAM (m/h)")
    return add_shades(dated(figure, days), shades)
