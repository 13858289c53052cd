"""Adherence of any period: plans done, moved, missed or excused, and unplanned sessions."""

from collections import Counter
from datetime import date, timedelta

import streamlit as st

from coachboard.execution.adherence import (
    Adherence,
    AdherenceSummary,
    Match,
    Shift,
    match_sessions,
    shift,
)
from coachboard.execution.compliance import compliance
from coachboard.loaders.requests import Missing
from coachboard.pages.calendar.choice import CalendarChoice
from coachboard.pages.calendar.data import LISTS, CalendarData, PeriodAdherence, load_adherence
from coachboard.ui.frame import formats, notices, state
from coachboard.ui.frame.addresses import day_url
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.ui.widgets import formula_help, pickers
from coachboard.ui.widgets.toolbar import RadioRow, draw_bar
from coachboard.wire.base import plausible_day

_PERIODS = {
    "": "",  # the dates of the calendar
    "28": "4 weeks",
    "90": "3 months",
    "182": "6 months",
    "365": "12 months",
    "own": "Custom dates",
}
_MOST_LISTED = 40
_ADHERENCE_WORDS = {
    Adherence.ON_TIME: "on the planned day",
    Adherence.MOVED: "moved",
    Adherence.MISSED: "missed",
    Adherence.EXCUSED: "excused",
    Adherence.UNPLANNED: "unplanned",
    Adherence.AHEAD: "to come",
    Adherence.UNKNOWN: "unknown (sessions or plans could not be read)",
}


def draw_adherence(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """Adherence of the shown days or of another period, athlete by athlete."""
    start, end = _adherence_period(page, choice)
    by_athlete, missing = _adherence(page, choice, data, (start, end))
    names = page.names
    for failure in missing:
        notices.say(failure.error, about=f"{names[failure.user_id]}, {failure.what}")
    for user_id, period in by_athlete.items():
        label = f"**{md(names[user_id])}**: " if len(choice.athletes) > 1 else ""
        st.markdown(label + (adherence_sentence(period.summary) if period.matches else _nothing(data)))
        if moved := moved_words(period):
            st.caption(moved)
        if listed := _listed(page, user_id, period):
            st.markdown(listed)
    has_likely = any(period.summary.inferred for period in by_athlete.values())
    st.caption(
        f"{pickers.range_words(page, start, end)}. "
        f"Compliance: {formats.COMPLIANCE}"
        f"{' ? likely match: same sport, within a day of the plan, not far off.' if has_likely else ''}",
        help=formula_help.text_of(
            compliance,
            match_sessions,
            shift,
            window=f"{pickers.range_words(page, start, end)}, plans due by today.",
        ),
    )


def _listed(page: Page, user_id: str, period: PeriodAdherence) -> str:
    """The missed and the moved plans, newest first, each with a link to its day in the calendar."""
    kinds = (Adherence.MISSED, Adherence.MOVED)
    matches = sorted(
        (match for match in period.matches if match.adherence in kinds),
        key=lambda match: match.day,
        reverse=True,
    )
    lines = [_line(page, user_id, match) for match in matches[:_MOST_LISTED]]
    if len(matches) > _MOST_LISTED:
        lines.append(f"- {len(matches) - _MOST_LISTED} earlier ones: choose a shorter period")
    return "\n".join(lines)


def _line(page: Page, user_id: str, match: Match) -> str:
    assert match.planned is not None
    title = md(match.planned.title) or formats.sport(match.planned.sport)
    outcome = "missed"
    if match.done is not None:
        outcome = f"done {_direction(match.days_moved)}, {formats.day(match.done.day, today=page.today)}"
    link = f"[{title}]({day_url(user_id, match.planned.day)})"
    return f"- {formats.day(match.planned.day, today=page.today)}: {link}, {outcome}"


def _nothing(data: CalendarData) -> str:
    """Why a period has neither plans nor sessions."""
    if any(missing.what in {"sessions", "planned workouts"} for missing in data.missing):
        return "Plans or sessions of these days could not be loaded. Reload the page in a minute."
    return notices.unreadable(LISTS, data.results) or "Nothing planned; 0 sessions done."


def _adherence_period(page: Page, choice: CalendarChoice) -> tuple[date, date]:
    """A period in the URL (`plans=90`, or `plans=2026-01-01,2026-02-28`), else the shown days."""
    asked = state.get_param("plans") or ""
    own = [day for day in map(_day_or_none, asked.split(",")) if day]
    mode = asked if asked in _PERIODS else "own" if len(own) == 2 else ""
    # "Days shown" was wrong on a phone, which shows the weeks from today until "Show earlier weeks".
    named = {**_PERIODS, "": pickers.range_words(page, choice.start, choice.end)}
    periods = RadioRow("plans", "Period", named, mode, is_labelled=True)
    draw_bar([periods], key="calendar.plans", on_change=_take_period)
    if mode == "own":
        return _own_period(page, own)
    if mode:
        return page.today - timedelta(days=int(mode) - 1), page.today
    return choice.start, choice.end


def _take_period(name: str, period: str) -> None:
    state.set_param(name, period or None)


def _own_period(page: Page, own: list[date]) -> tuple[date, date]:
    first, last = own if len(own) == 2 else (page.today - timedelta(days=27), page.today)
    with st.container(horizontal=True, gap="small"):
        first = st.date_input("From", first, key="calendar.plans.from", width=140) or first
        last = st.date_input("To", last, key="calendar.plans.to", width=140) or last
    first, last = min(first, last), max(first, last)
    state.set_param("plans", f"{first},{last}")
    return first, last


def _day_or_none(text: str) -> date | None:
    try:
        return plausible_day(text)
    except ValueError:
        return None


def _adherence(
    page: Page, choice: CalendarChoice, data: CalendarData, period: tuple[date, date]
) -> tuple[dict[str, PeriodAdherence], tuple[Missing, ...]]:
    if period == (choice.start, choice.end):
        return data.adherence_in(*period), ()
    ids = [athlete.id for athlete in choice.athletes]
    return load_adherence(page.client, ids, start=period[0], end=period[1], today_of=page.today_of)


def adherence_sentence(summary: AdherenceSummary) -> str:
    if not any((summary.due, summary.counts[Adherence.AHEAD], summary.counts[Adherence.UNKNOWN])):
        return f"Nothing planned; {formats.count(summary.counts[Adherence.UNPLANNED], 'session')} done."
    counts = summary.counts
    parts = [
        f"{summary.done} of {formats.count(summary.due, 'due session')} done ({formats.percent(100 * summary.share)})"
        if summary.due
        else "Done vs planned unknown"
        if counts[Adherence.UNKNOWN]
        else "No plan due yet",
        *(f"{_how_many(kind, summary)} {words}" for kind, words in _ADHERENCE_WORDS.items() if counts[kind]),
    ]
    return ", ".join(parts) + "."


def _how_many(kind: Adherence, summary: AdherenceSummary) -> str:
    count = summary.counts[kind]
    return "all" if kind is Adherence.ON_TIME and 1 < count == summary.done else str(count)


def _shift_words(moved: Shift) -> str:
    """The mean with its direction, and the total without one: two opposite moves are no quiet week."""
    direction = "later" if moved.mean_d > 0 else "earlier"
    mean = f"{abs(moved.mean_d):.1f}".removesuffix(".0")
    average = (
        f"on average {mean} {'day' if mean == '1' else 'days'} {direction}"
        if mean != "0"
        else "on average on the day"
    )
    return f"{average}, {formats.count(moved.total_d, 'day')} in total"


def moved_words(period: PeriodAdherence) -> str:
    """How far plans were moved; if all moved by the same days, the mean and the total would repeat them."""
    days = Counter(match.days_moved for match in period.matches if match.adherence is Adherence.MOVED)
    if not days:
        return ""
    moved = f"{formats.count(days.total(), 'session')} moved:"
    if len(days) == 1:
        return f"{moved} {'each ' if days.total() > 1 else ''}{_direction(*days)}."
    parts = ", ".join(f"{count} of them {_direction(by)}" for by, count in sorted(days.items()))
    return f"{moved} {parts}; {_shift_words(period.shift)}."


def _direction(by_d: int) -> str:
    return f"{formats.count(abs(by_d), 'day')} {'later' if by_d > 0 else 'earlier'}"
