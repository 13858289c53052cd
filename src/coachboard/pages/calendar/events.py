"""The next events with countdowns."""

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.loaders.newest_day import EVENTS
from coachboard.pages.calendar.data import CalendarData, season_events
from coachboard.ui.frame import formats, notices
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md

_NEAREST_EVENTS = 4
_MOST_DAYS_WITHOUT_WEEKS = 20


def draw_events(page: Page, data: CalendarData) -> None:
    """The next events with countdowns; none if the calendar shows another year."""
    if not data.is_around_today:
        return
    try:
        dated = season_events(page.client, data)
    except ServiceError as error:
        notices.say(error, about="Events")
        return
    today = {athlete.user_id: page.today_of(athlete.user_id) for athlete in data.athletes}
    ahead = [(user_id, event) for user_id, event in dated if event.date >= today[user_id]]
    if not ahead:
        is_known = all(missing.what != EVENTS for missing in data.missing)
        fills = (
            "Add one with + in its day." if data.can_plan else "Planned events appear here with a countdown."
        )
        notices.say_empty(
            "No upcoming events." if is_known else "The events could not be loaded.",
            fills=fills if is_known else "Reload the page in a minute.",
            rows=EVENTS,
            of=data.results,
        )
        return
    names = {person.id: person.name for person in page.everyone} if len(data.athletes) > 1 else {}
    with st.container(horizontal=True, gap="medium"):
        for user_id, event in ahead[:_NEAREST_EVENTS]:
            facts = [formats.day(event.date, today=page.today), formats.sport(event.sport)]
            if event.distance is not None:
                facts.append(formats.distance(event.distance, event.sport, units=page.units))
            facts += [names[user_id]] if user_id in names else []
            countdown = _countdown((event.date - today[user_id]).days)
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
