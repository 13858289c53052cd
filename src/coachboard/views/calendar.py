"""The planning calendar: what is picked, the grid of days, totals, the season ahead, adherence, exports."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

import pandas as pd
import streamlit as st

from coachboard.analytics.days import week_start
from coachboard.charts.season_strip import season_strip
from coachboard.loaders.calendar import CalendarData, load_calendar
from coachboard.views import calendar_day, calendar_items, formats, notices, pickers, state
from coachboard.views.calendar_grid import View, draw_grid
from coachboard.views.plot import draw_chart
from coachboard.views.shell import Athlete, Page
from coachboard.views.text import md

VIEWS: Mapping[str, str] = {"month": "Month", "week": "Week", "agenda": "Agenda"}
_AGENDA_WEEKS = 4
_MOST_BESIDE = 3
_NEAREST_EVENTS = 4
_DAYS_TOLD_ALONE = 20


@dataclass(frozen=True, slots=True)
class Choice:
    """What the address asks for: whose days, which, and what is open."""

    athletes: tuple[Athlete, ...]
    view: View
    on: date
    start: date
    end: date
    picked: str | None
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def month(self) -> int | None:
        return self.on.month if self.view == "month" else None

    @property
    def title(self) -> str:
        if self.view == "month":
            return f"{self.on:%B %Y}"
        same_month = self.start.month == self.end.month
        first = f"{self.start.day}" if same_month else f"{self.start.day} {self.start:%b}"
        return f"{first} to {self.end.day} {self.end:%b %Y}"


def pick(page: Page) -> Choice:
    """Athletes, view and days, all kept in the address."""
    athlete = pickers.pick_athlete(page)
    assert athlete is not None
    view = _asked_view()
    on = state.get_day("on") or page.today
    start, end = _span(view, on, page.first_weekday)
    athletes = (athlete, *_beside(page, athlete))
    names = {one.id: _initials(one.name) for one in athletes} if len(athletes) > 1 else {}
    return Choice(athletes, view, on, start, end, state.get_param("open"), names)


def _asked_view() -> View:
    asked = state.get_param("view")
    return "week" if asked == "week" else "agenda" if asked == "agenda" else "month"


def _span(view: View, on: date, first_weekday: int) -> tuple[date, date]:
    if view == "month":
        start = week_start(on.replace(day=1), first_weekday=first_weekday)
        following = (on.replace(day=1) + timedelta(days=32)).replace(day=1)
        return start, week_start(following - timedelta(days=1), first_weekday=first_weekday) + timedelta(
            days=6
        )
    start = week_start(on, first_weekday=first_weekday)
    return start, start + timedelta(days=7 * (_AGENDA_WEEKS if view == "agenda" else 1) - 1)


def _beside(page: Page, athlete: Athlete) -> tuple[Athlete, ...]:
    others = {one.id: one for one in page.everyone if one.id != athlete.id}
    asked = [name for name in (state.get_param("beside") or "").split(",") if name in others]
    if not page.athletes:
        return ()
    key = "calendar.beside"
    if state.get(key) != asked:
        state.put(key, asked[:_MOST_BESIDE])
    page.picks.multiselect(
        "Beside",
        list(others),
        key=key,
        format_func=lambda one: others[one].name,
        max_selections=_MOST_BESIDE,
        placeholder="Nobody",
        on_change=lambda: state.set_param("beside", ",".join(state.get(key)) or None),
        width=220,
    )
    return tuple(others[name] for name in asked[:_MOST_BESIDE])


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split()[:2]).upper()


def load(page: Page, choice: Choice) -> CalendarData:
    """The span of every athlete picked; what did not arrive is said above the grid."""
    data = load_calendar(
        page.client,
        [athlete.id for athlete in choice.athletes],
        start=choice.start,
        end=choice.end,
        today=page.today,
    )
    notices.say_stale(*data.results)
    notices.say_problems(*data.results)
    names = {athlete.id: athlete.name for athlete in choice.athletes}
    for missing in data.missing:
        notices.say(missing.error, about=f"{names[missing.user_id]}, {missing.what}")
    return data


@st.fragment
def draw_days(page: Page, choice: Choice, data: CalendarData) -> None:
    """The grid, and under it the day or entry that is open."""
    _draw_steps(page, choice)
    opened = state.get_param("open") or choice.picked
    shown = calendar_items.Shown(
        view=choice.view,
        title=choice.title,
        first_weekday=page.first_weekday,
        units=page.units,
        month=choice.month,
        picked=calendar_day.day_of(data, opened),
        names=choice.names,
    )
    picked = draw_grid(calendar_items.grid(data, shown), key="calendar.grid")
    if picked and picked != opened:
        state.set_param("open", picked.removesuffix(" more"))
        st.rerun(scope="fragment")
    calendar_day.draw_opened(page, data, opened, names={one.id: one.name for one in choice.athletes})


def _draw_steps(page: Page, choice: Choice) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(choice.title, anchor=False, width="stretch")
        st.segmented_control(
            "View",
            list(VIEWS),
            key=_put("calendar.view", choice.view),
            required=True,
            format_func=VIEWS.__getitem__,
            label_visibility="collapsed",
            on_change=lambda: state.set_param("view", state.get("calendar.view")),
        )
        for label, icon, target in (
            ("Earlier", ":material/chevron_left:", _step(choice, -1)),
            ("Today", None, page.today),
            ("Later", ":material/chevron_right:", _step(choice, 1)),
        ):
            st.button(
                label,
                icon=icon,
                key=f"calendar.{label}",
                on_click=state.set_param,
                args=("on", target),
                type="tertiary" if icon else "secondary",
            )


def _put(key: str, value: str) -> str:
    if state.get(key) != value:
        state.put(key, value)
    return key


def _step(choice: Choice, direction: int) -> date:
    if choice.view == "month":
        middle = choice.on.replace(day=15) + timedelta(days=30 * direction)
        return middle.replace(day=1)
    return choice.on + timedelta(days=7 * direction * (_AGENDA_WEEKS if choice.view == "agenda" else 1))


def draw_totals(page: Page, data: CalendarData) -> None:
    """Planned and done of each week by sport, for everybody shown."""
    rows = calendar_items.total_rows(data.athletes, page.first_weekday)
    if not rows:
        notices.say_empty("No sessions in these days.", fills="Plans and recordings would be added up here.")
        return
    frame = pd.DataFrame(
        {
            "Week of": [formats.day(row.week, today=page.today) for row in rows],
            "Sport": [formats.label(row.sport) for row in rows],
            "Planned": [formats.duration_hm(row.planned_s or None) for row in rows],
            "Done": [formats.duration_hm(row.done_s or None) for row in rows],
            "Distance": [
                formats.distance(row.distance_m or None, row.sport, units=page.units) for row in rows
            ],
            "Volume": [formats.number(row.volume or None) for row in rows],
            "Sessions": [f"{row.done} of {row.planned}" if row.planned else str(row.done) for row in rows],
        }
    )
    st.dataframe(frame, hide_index=True, key="calendar.totals")


def draw_season(page: Page, data: CalendarData) -> None:
    """The season's weeks with its events, and the next of them with their countdowns."""
    _draw_strip(page, data)
    ahead = [
        (event, athlete.user_id)
        for athlete in data.athletes
        for event in athlete.season_events
        if event.date >= data.today
    ]
    if not ahead:
        notices.say_empty(
            "No events ahead.", fills="Races and other events of the season would count down here."
        )
        return
    names = {one.id: one.name for one in page.everyone} if len(data.athletes) > 1 else {}
    with st.container(horizontal=True, gap="large"):
        for event, user_id in sorted(ahead, key=lambda found: found[0].date)[:_NEAREST_EVENTS]:
            facts = [formats.day(event.date, today=page.today), formats.label(event.sport)]
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
    weeks = f", {formats.count(days // 7, 'week')}" if days > _DAYS_TOLD_ALONE else ""
    return f"in {formats.count(days, 'day')}{weeks}"


def _draw_strip(page: Page, data: CalendarData) -> None:
    planned = calendar_items.hours_by_week((a.season_plans for a in data.athletes), page.first_weekday)
    done = calendar_items.hours_by_week((a.season_sessions for a in data.athletes), page.first_weekday)
    if not planned and not done:
        return
    events = [(event.date, event.name) for athlete in data.athletes for event in athlete.season_events]
    weeks = sorted({*planned, *done})
    draw_chart(
        season_strip(planned, done, events=events, today=data.today),
        key="calendar.season",
        says=f"Hours planned (outlined) and done (filled) each week, with {formats.count(len(events), 'event')}; "
        "the line is today.",
        data=pd.DataFrame(
            {
                "Week of": weeks,
                "Planned (h)": [round(planned.get(week, 0.0), 2) for week in weeks],
                "Done (h)": [round(done.get(week, 0.0), 2) for week in weeks],
            }
        ),
    )
