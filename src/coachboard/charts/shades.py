"""Days that explain a trend, shaded behind it: illness, rest, travel, races."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from html import escape

import plotly.graph_objects as go

from coachboard.analytics.circumstances import Circumstance
from coachboard.charts import palette

_TONES = {
    "medical": palette.COMPLIANCE["missed"].tone,
    "race": palette.ACCENT,
    "travel": palette.COMPLIANCE["off"].tone,
}
_MOST_NAMED = 12


def add_shades(figure: go.Figure, shades: Sequence[Circumstance]) -> go.Figure:
    """Bands over whole days, the kind of each above it; the legend moves up to make room."""
    if any(one.kind in _TONES for one in shades):
        figure.update_layout(legend_y=1.08, margin_t=44)
    for n, shade in enumerate(shades):
        tone = _TONES.get(shade.kind, palette.STALE)
        half_day = timedelta(hours=12)
        figure.add_vrect(
            x0=datetime.combine(shade.start, time()) - half_day,
            x1=datetime.combine(shade.end, time()) + half_day,
            fillcolor=palette.translucent(tone.light, 0.12),
            line_width=0,
            layer="below",
        )
        if n < _MOST_NAMED and shade.kind in _TONES:
            figure.add_annotation(
                x=shade.start,
                y=1,
                yref="paper",
                yanchor="bottom",
                text=escape(shade.kind),
                showarrow=False,
                font={"size": 10, "color": tone.light},
            )
    return figure
