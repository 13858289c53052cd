"""The x axis of trends: days, the same for every chart of a range."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

import plotly.graph_objects as go

_HALF_DAY = timedelta(hours=12)
_YEAR_SHOWN_BEYOND_D = 200


def dated(figure: go.Figure, days: Sequence[date]) -> go.Figure:
    """From half a day before the first day to half a day after the last, so that days align in all charts."""
    is_long = (days[-1] - days[0]).days > _YEAR_SHOWN_BEYOND_D
    figure.update_xaxes(
        type="date",
        hoverformat="%a %-d %b %Y",
        tickformat="%-d %b %Y" if is_long else "%-d %b",
        nticks=7,
        range=[datetime.combine(days[0], time()) - _HALF_DAY, datetime.combine(days[-1], time()) + _HALF_DAY],
    )
    return figure
