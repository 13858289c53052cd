"""The season as a strip: planned and done hours by week, with events."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from coachboard.charts import palette
from coachboard.charts.ticks import month_axis
from coachboard.client.errors import ServiceError
from coachboard.execution.weeks import week_totals
from coachboard.pages.calendar.data import LISTS, CalendarData, season_events, season_plans
from coachboard.pages.calendar.totals import hours_by_week
from coachboard.plain_text import plain
from coachboard.ui.frame import formats, notices
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.plot import draw_chart

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
    days = [mark[0] if isinstance(mark, tuple) else mark for part in dated for mark in part]
    first, last = min(days), max(days) + timedelta(days=7)
    return [first + timedelta(days=day) for day in range((last - first).days + 1)]


def draw_strip(page: Page, data: CalendarData) -> None:
    """The season's weeks, planned and done, with its events."""
    try:
        planned = hours_by_week(season_plans(page.client, data), page.first_weekday)
        events = [(event.date, event.name) for _user_id, event in season_events(page.client, data)]
    except ServiceError as error:
        notices.say(error, about="The season")
        return
    done = hours_by_week((a.season_sessions for a in data.athletes), page.first_weekday)
    if not planned and not done:
        notices.say_empty(
            "No plans or sessions in this season.",
            fills="Planned and completed hours appear here week by week.",
            rows=LISTS,
            of=data.results,
        )
        return
    weeks = sorted({*planned, *done})
    done_words = "done (filled)" if data.knows_sessions else "none done (sessions could not be loaded)"
    draw_chart(
        partial(season_strip, planned, done, events=events, today=data.today),
        key="calendar.season",
        says=f"Hours per week: planned (outlined) and {done_words}, "
        f"with {formats.count(len(events), 'event')}. Line = today.",
        data=pd.DataFrame(
            {
                "Week of": weeks,
                "Planned (h)": [round(planned.get(week, 0.0), 2) for week in weeks],
                "Done (h)": [round(done.get(week, 0.0), 2) for week in weeks],
            }
        ),
        formulas=formula_help.text_of(
            week_totals, window="each week; season = 60 days back to 300 days ahead."
        ),
    )
