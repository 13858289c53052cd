"""The season as a strip: planned and done hours by week, with events."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from html import escape
from typing import Any

import plotly.graph_objects as go

from coachboard.charts import palette
from coachboard.charts.ticks import month_axis
from coachboard.plain_text import plain

_MID_WEEK = timedelta(days=3)  # from the first day of a week: bars are centred on their week


def season_strip(
    planned_h: Mapping[date, float],
    done_h: Mapping[date, float],
    *,
    events: Sequence[tuple[date, str]],
    today: date,
) -> go.Figure:
    """Outlined bars are planned hours, filled bars done hours, keyed by the first day of the week.

    Events are stars above the bars.
    """
    figure = go.Figure()
    for hours, name, filled in ((done_h, "Done", True), (planned_h, "Planned", False)):
        colour = palette.ACCENT.light if filled else palette.PLANNED.light
        figure.add_bar(
            x=[week + _MID_WEEK for week in hours],
            y=list(hours.values()),
            name=name,
            width=6 * 86_400_000,
            marker={
                "color": palette.translucent(colour, 0.55 if filled else 0.0),
                "line": {"color": colour, "width": 0 if filled else 1},
            },
            hovertemplate="%{y:.1f} h",
        )
    figure.add_vline(x=today, line={"color": palette.ACCENT.light, "width": 1})
    top = max([*planned_h.values(), *done_h.values(), 1.0])
    figure.add_scatter(
        x=[day for day, _ in events],
        y=[top * 1.12] * len(events),
        mode="markers",
        name="Event",
        marker={"symbol": "star", "size": 10, "color": palette.INK.light},
        text=[escape(plain(name)) for _, name in events],
        hovertemplate="%{text}<extra></extra>",
    )
    palette.layout(figure, height=190)
    figure.update_layout(barmode="overlay", hovermode="closest")
    figure.update_xaxes(hoverformat="Week of %-d %b", **month_axis(_days(planned_h, done_h, events)))
    figure.update_yaxes(title_text="Hours per week", rangemode="tozero", nticks=4)
    return figure


def _days(*dated: Iterable[Any]) -> list[date]:
    """From the first week to a week after the last week or event, so that no mark is cut off."""
    found = [one[0] if isinstance(one, tuple) else one for part in dated for one in part]
    first, last = min(found), max(found) + timedelta(days=7)
    return [first + timedelta(days=at) for at in range((last - first).days + 1)]
