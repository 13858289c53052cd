"""Below the days: next events, then adherence, season or week totals, and exports."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import pandas as pd
import streamlit as st

from coachboard.analytics.season.weeks import week_totals
from coachboard.charts.season_strip import season_strip
from coachboard.loaders.calendar import totals
from coachboard.loaders.calendar.page_data import CalendarData, load_own_rates
from coachboard.loaders.calendar.totals import TotalRow
from coachboard.loaders.newest_day import EVENTS
from coachboard.views.calendar import adherence, files
from coachboard.views.calendar.opening import CalendarChoice, counts_missed
from coachboard.views.frame import formats, notices, state
from coachboard.views.frame.own_data import has_feature
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import md, plain
from coachboard.views.widgets import export, formulas
from coachboard.views.widgets.lazy_section import is_near, mark_reached
from coachboard.views.widgets.plot import draw_chart
from coachboard.views.widgets.toolbar import RadioRow, draw_bar

LOOKS = MappingProxyType({"adherence": "Planned sessions", "season": "Season", "totals": "Week totals"})
_PARTS = ("look", "plans")
"""URL parameters that name a section below the grid scroll to it."""
_PLANS_AND_SESSIONS = "activities training-prescriptions"
_PLACE = "calendar.below"
_NEAREST_EVENTS = 4
_MOST_DAYS_WITHOUT_WEEKS = 20


@st.fragment
def draw_below(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """Load on scroll below a month, which fills the window; immediately below a week."""
    if choice.view == "week" or any(name in st.query_params for name in _PARTS):
        mark_reached(_PLACE)
    if is_near(_PLACE, shows="events, planned sessions, season, totals and files"):
        draw_events(page, data)
        _draw_look(page, choice, data)
        files.draw_downloads(page, choice, data)


def _draw_look(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """The section in the URL; adherence by default, which needs no chart."""
    look = _draw_section_picker()
    if look == "season":
        draw_strip(page, data)
    elif look == "totals":
        draw_totals(page, choice, data if counts_missed() else totals.without_missed(data))
    else:
        adherence.draw_adherence(page, choice, data)


def _draw_section_picker() -> str:
    """Draw the choice of the section; returns the chosen one."""
    asked = state.get_param("look")
    look = asked if asked and asked in LOOKS else "adherence"
    draw_bar([RadioRow("look", "Section", LOOKS, look)], key="calendar.look", on_change=_take_look)
    return look


def _take_look(name: str, look: str) -> None:
    state.set_param(name, None if look == "adherence" else look)


def draw_totals(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """Planned and done of each week by sport, athlete by athlete."""
    if not data.knows_sessions:
        notices.say_empty(
            "The sessions of these days could not be loaded.",
            fills="Reload the page in a minute to see the totals.",
        )
        return
    rates = load_own_rates(page.client, [one.user_id for one in data.athletes], today=page.today)
    rows = {
        one.user_id: totals.total_rows(replace(data, athletes=(one,)), page.first_weekday, rates)
        for one in data.athletes
    }
    if not any(rows.values()):
        notices.say_empty(
            "No plans or sessions in this period.",
            fills="Choose other days; plans and recordings are added up here.",
            rows=_PLANS_AND_SESSIONS,
            of=data.results,
        )
        return
    frame = pd.concat(
        [_totals_frame(page, of_one, choice.full_names.get(who)) for who, of_one in rows.items()]
    )
    right = st.column_config.TextColumn(alignment="right")
    st.dataframe(
        frame,
        hide_index=True,
        key="calendar.totals",
        column_config=dict.fromkeys(frame.columns[list(frame.columns).index("Sport") + 1 :], right),
    )
    st.caption(
        "Plans count in the week they are planned for, sessions in the week they were done. "
        f"{'Missed plans count' if counts_missed() else 'Missed plans do not count'}. Excused plans never count. Planned load is "
        f"estimated from the athlete's median load per hour in similar sessions (120 days).{_load_source(data)}",
        help=formulas.on_demand(week_totals, window="each week of the days shown."),
    )
    export.draw_downloads(lambda: frame, name="week-totals", key="calendar.totals.export")


def _load_source(data: CalendarData) -> str:
    done = (match.done for athlete in data.athletes for match in athlete.matches if match.done is not None)
    source = formats.load_source(totals.load_methods(done))
    return f" The load of sessions that come without one is {source}." if source else ""


def _totals_frame(page: Page, rows: Sequence[TotalRow], athlete: str | None) -> pd.DataFrame:
    def distance(metres: float, sport: str) -> str:
        return formats.distance(metres or None, sport, units=page.units)

    return pd.DataFrame(
        ({"Athlete": [plain(athlete)] * len(rows)} if athlete else {})
        | {
            "Week of": [formats.day(row.week, today=page.today) for row in rows],
            "Sport": [formats.sport(row.sport) for row in rows],
            "Planned": [formats.duration_hm(row.planned_s or None) for row in rows],
            "Done": [formats.duration_hm(row.done_s or None) for row in rows],
            "Planned distance": [distance(row.planned_m, row.sport) for row in rows],
            "Distance": [distance(row.distance_m, row.sport) for row in rows],
            "Planned load": [formats.number(row.planned_volume or None) for row in rows],
            "Load": [formats.number(row.volume or None) for row in rows],
            "Sessions": [f"{row.done} of {row.planned}" if row.planned else str(row.done) for row in rows],
        }
    )


def draw_events(page: Page, data: CalendarData) -> None:
    """The next events with countdowns; none if the calendar shows another year."""
    if not data.is_around_today:
        return
    ahead = [
        (event, athlete.user_id)
        for athlete in data.athletes
        for event in athlete.season_events
        if event.date >= data.today
    ]
    if not ahead:
        is_known = all(missing.what != EVENTS for missing in data.missing)
        # Coachboard's own service takes no events from people.
        fills = "" if has_feature(page, "imports") else "Planned events appear here with a countdown."
        notices.say_empty(
            "No upcoming events." if is_known else "The events could not be loaded.",
            fills=fills if is_known else "Reload the page in a minute.",
            rows=EVENTS,
            of=data.results,
        )
        return
    names = {one.id: one.name for one in page.everyone} if len(data.athletes) > 1 else {}
    with st.container(horizontal=True, gap="medium"):
        for event, user_id in sorted(ahead, key=lambda found: found[0].date)[:_NEAREST_EVENTS]:
            facts = [formats.day(event.date, today=page.today), formats.sport(event.sport)]
            if event.distance is not None:
                facts.append(formats.distance(event.distance, event.sport, units=page.units))
            facts += [names[user_id]] if user_id in names else []
            countdown = _countdown((event.date - data.today).days)
            st.markdown(
                f"**{md(event.name, longest=60)}** {countdown}  \n:small[{md(' · '.join(facts))}]",
                width="content",
            )


def _countdown(days: int) -> str:
    if days == 0:
        return "today"
    weeks, rest = divmod(days, 7)
    exact = " ".join([formats.count(weeks, "week"), *([formats.count(rest, "day")] if rest else [])])
    return f"in {formats.count(days, 'day')}" + (f" ({exact})" if days > _MOST_DAYS_WITHOUT_WEEKS else "")


def _done_words(data: CalendarData) -> str:
    return "done (filled)" if data.knows_sessions else "none done (sessions could not be loaded)"


def draw_strip(page: Page, data: CalendarData) -> None:
    """The season's weeks, planned and done, with its events."""
    planned = totals.hours_by_week((a.season_plans for a in data.athletes), page.first_weekday)
    done = totals.hours_by_week((a.season_sessions for a in data.athletes), page.first_weekday)
    if not planned and not done:
        notices.say_empty(
            "No plans or sessions in this season.",
            fills="Planned and completed hours appear here week by week.",
            rows=_PLANS_AND_SESSIONS,
            of=data.results,
        )
        return
    events = [(event.date, event.name) for athlete in data.athletes for event in athlete.season_events]
    weeks = sorted({*planned, *done})
    draw_chart(
        partial(season_strip, planned, done, events=events, today=data.today),
        key="calendar.season",
        says=f"Hours per week: planned (outlined) and {_done_words(data)}, "
        f"with {formats.count(len(events), 'event')}. Line = today.",
        data=pd.DataFrame(
            {
                "Week of": weeks,
                "Planned (h)": [round(planned.get(week, 0.0), 2) for week in weeks],
                "Done (h)": [round(done.get(week, 0.0), 2) for week in weeks],
            }
        ),
        formulas=formulas.on_demand(
            week_totals, window="each week; season = 60 days back to 300 days ahead."
        ),
    )
