"""Choices that live in the address: which athlete, which days; a link shows what its sender saw."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from types import MappingProxyType

import streamlit as st

from coachboard.views import formats, notices, state
from coachboard.views.bar import Pick, draw_bar
from coachboard.views.shell import Athlete, Page
from coachboard.views.text import md

_LAST_ATHLETE = "shell.athlete"
_OWN_RANGE = "own"
_FIRST_DAY = date(1970, 1, 1)
_AHEAD = timedelta(days=730)
MOST_DAYS = 3_653
"""Ten years: what a range reaches back at most, so that no address makes the page work for a minute."""
SPANS: Mapping[int, str] = MappingProxyType(
    {7: "7 days", 28: "4 weeks", 42: "6 weeks", 90: "3 months", 182: "6 months", 365: "1 year"}
)


def pick_athlete(page: Page, *, on_pick: Callable[[str, str], None] = state.set_param) -> Athlete | None:
    """The athlete of the address, else the last one looked at, else the first; None if the key reads no athlete.

    A coach gets a list beside the title; a reader without athletes sees their own data and no list. `on_pick` writes
    the choice to the address; a page passes its own where other values of its address belong to the former athlete.
    """
    if not page.athletes:
        _say_unknown(page, page.me)
        state.set_param("athlete", _in_address(page, page.me))
        return page.me
    athletes = {athlete.id: athlete for athlete in page.everyone}
    chosen = _asked_athlete(page, athletes)
    names = {athlete.id: _listed(athlete) for athlete in page.everyone}
    with page.picks:
        draw_bar([Pick("athlete", "Athlete", names, chosen.id)], key="pick.athlete", hears=on_pick)
    _say_unknown(page, chosen)
    state.set_param("athlete", _in_address(page, chosen))
    state.put(_LAST_ATHLETE, chosen.id)
    return chosen


def _say_unknown(page: Page, chosen: Athlete) -> None:
    """A link to somebody whom this key may not read must not pass for the one who is shown."""
    asked = st.query_params.get("athlete")
    if asked and asked not in {state.OWN, page.profile.id, *(athlete.id for athlete in page.everyone)}:
        # The address is put right in this run; the next one, which may follow at once, still has to say it.
        state.put(state.SHOWN_INSTEAD, chosen.id)
    if state.get(state.SHOWN_INSTEAD) != chosen.id:
        state.forget(state.SHOWN_INSTEAD)
    else:
        notices.say_empty("You can't access that athlete;", fills=f"showing {md(chosen.name)}.")


def pick_range(
    page: Page,
    *,
    default_days: int = 42,
    spans: Sequence[int] = (7, 28, 90, 365),
    key: str = "pick.range",
) -> tuple[date, date]:
    """First and last day, both inclusive: a span that ends today, or own days typed or picked.

    Up to today, as what is shown over a range has been recorded.
    """
    start, end = _asked_range(page, default_days)
    _correct_address(start, end)
    days = (end - start).days + 1
    offered = sorted({*spans, default_days})
    is_span = end == page.today and days in offered and not state.get(f"{key}.open")
    choice = str(days) if is_span else _OWN_RANGE
    state.put(key, choice)
    page.picks.segmented_control(
        "Days",
        [*(str(span) for span in offered), _OWN_RANGE],
        key=key,
        required=True,
        format_func=lambda span: "Custom" if span == _OWN_RANGE else SPANS.get(int(span), f"{span} days"),
        on_change=_take_span,
        args=(key, page.today),
        label_visibility="collapsed",
        wrap=True,
    )
    if choice == _OWN_RANGE:
        _draw_days(page, start, end, key=key)
    return start, end


def _asked_athlete(page: Page, athletes: Mapping[str, Athlete]) -> Athlete:
    for asked in (state.get_id("athlete"), state.get(_LAST_ATHLETE)):
        if asked in {page.profile.id, state.OWN}:
            return page.me
        if asked is not None and asked in athletes:
            return athletes[asked]
    return page.athletes[0]


def _in_address(page: Page, athlete: Athlete) -> str:
    """By their own id, as "me" would be somebody else to whom the link is sent."""
    return page.profile.id if athlete.is_me else athlete.id


def _listed(athlete: Athlete) -> str:
    return f"{athlete.name} (me)" if athlete.is_me else athlete.name


def _asked_range(page: Page, default_days: int) -> tuple[date, date]:
    first, last = _first_of_range(page), page.today
    end = min(max(state.get_day("to") or last, first), last)
    start = min(max(state.get_day("from") or end - timedelta(days=default_days - 1), first), last)
    return (start, end) if start <= end else (end, start)


def _first_of_range(page: Page) -> date:
    return page.today - timedelta(days=MOST_DAYS - 1)


def _correct_address(start: date, end: date) -> None:
    """What the address says of days is what is shown: a day out of reach is exchanged and said, nonsense goes."""
    asked = {name: state.get_day(name) for name in ("from", "to") if name in st.query_params}
    if any(day and not start <= day <= end for day in asked.values()):
        notices.say_empty("Days out of range;", fills="showing the last ten years up to today.")
    state.set_params(
        {
            name: shown if asked[name] else None
            for name, shown in (("from", start), ("to", end))
            if name in asked
        }
    )


def reachable(page: Page, day: date) -> date:
    """The day, or the first or last one that the fields take: an address may name any."""
    return min(max(day, _FIRST_DAY), page.today + _AHEAD)


def _take_span(key: str, today: date) -> None:
    choice = st.session_state[key]
    state.put(f"{key}.open", choice == _OWN_RANGE)
    if choice == _OWN_RANGE:
        return
    span = timedelta(days=int(choice) - 1)
    state.set_params({"from": today - span, "to": today})


def _draw_days(page: Page, start: date, end: date, *, key: str) -> None:
    for name, label, value in (("from", "From", start), ("to", "To", end)):
        field = f"{key}.{name}"
        state.put(field, value)
        page.picks.date_input(
            label,
            key=field,
            format="YYYY-MM-DD",
            min_value=_first_of_range(page),
            max_value=page.today,
            on_change=_take_day,
            args=(field, name),
            width=130,
        )


def _take_day(field: str, name: str) -> None:
    state.set_param(name, st.session_state[field])


def range_words(page: Page, start: date, end: date) -> str:
    """`Tue 3 Nov to Mon 9 Nov`."""
    return f"{formats.day(start, today=page.today)} to {formats.day(end, today=page.today)}"
