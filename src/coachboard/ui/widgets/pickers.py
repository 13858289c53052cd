"""Pickers of an athlete, of days and of one option, with their value in the URL, so that a link shows the same."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from types import MappingProxyType
from typing import TypeVar

import streamlit as st

from coachboard.ui.frame import formats, groups, notices, state
from coachboard.ui.frame.page import Athlete, Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets.toolbar import Pick, draw_bar

_Choice = TypeVar("_Choice", bound=str)

_LAST_ATHLETE = "shell.athlete"
_OWN_RANGE = "own"
_FIRST_DAY = date(1970, 1, 1)
_AHEAD = timedelta(days=730)
MOST_DAYS = 3_653
"""Longest range, ten years: a URL cannot make the page compute for a minute."""
SPANS: Mapping[int, str] = MappingProxyType(
    {7: "7 days", 28: "4 weeks", 42: "6 weeks", 90: "3 months", 182: "6 months", 365: "12 months"}
)


def pick_athlete(page: Page, *, on_pick: Callable[[str, str], None] = state.set_param) -> Athlete:
    """The athlete in the URL, else the last one shown, else the first; the user if the key reads no athlete.

    A coach gets a list next to the title; a user without athletes gets none. `on_pick` writes the
    choice to the URL; a page passes its own to clear parameters that belong to the former athlete.
    """
    if not page.athletes:
        _say_unknown(page, page.me)
        state.set_param("athlete", _in_address(page, page.me))
        return page.me
    athletes = {athlete.id: athlete for athlete in page.everyone}
    chosen = _asked_athlete(page, athletes)
    names = {athlete.id: _listed(athlete) for athlete in page.everyone}
    named = groups.by_athlete(page)
    notes = {athlete.id: groups.words(named.get(athlete.id, ())) for athlete in page.athletes}
    with page.picks:
        pick = Pick("athlete", "Athlete", names, chosen.id, notes=notes)
        draw_bar([pick], key="pick.athlete", on_change=on_pick)
    _say_unknown(page, chosen)
    state.set_param("athlete", _in_address(page, chosen))
    state.put(_LAST_ATHLETE, chosen.id)
    return chosen


def pick_athletes(
    page: Page,
    names: Mapping[str, str],
    *,
    key: str,
    placeholder: str = "Choose athletes or groups",
    on_change: Callable[[], None] | None = None,
) -> list[str]:
    """The ids of several athletes, chosen by name, or all of a group, of the favourites or of the roster at once."""
    titled = groups.several(page)
    st.multiselect(
        "Athletes", [*titled, *names],
        format_func=lambda each: f"{plain(each)} ({len(titled[each])})" if each in titled else plain(names[each]),
        key=key, placeholder=placeholder, on_change=on_change,
    )  # fmt: skip
    return picked_athletes(page, key)


def picked_athletes(page: Page, key: str) -> list[str]:
    """The ids in a field of `pick_athletes`, each once."""
    titled, chosen = groups.several(page), state.get(key) or ()
    ids = {athlete.id for athlete in page.everyone}  # a group may be renamed while it is chosen
    picked = (user_id for each in chosen for user_id in titled.get(each, (each,)))
    return list(dict.fromkeys(user_id for user_id in picked if user_id in ids))


def _say_unknown(page: Page, chosen: Athlete) -> None:
    """Warn that the link's athlete is not readable, so that nobody takes the shown athlete for the linked one."""
    asked = st.query_params.get("athlete")
    if asked and asked not in {state.OWN, page.profile.id, *(athlete.id for athlete in page.everyone)}:
        # This run corrects the URL; the next run, which may follow immediately, must still show the warning.
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
    """First and last day, both inclusive: a preset that ends today, or custom days.

    Ranges end today because they show recorded data.
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


def pick_one(
    label: str,
    options: Mapping[_Choice, str],
    *,
    param: str,
    first: _Choice | None = None,
    wrap: bool | None = None,
) -> _Choice:
    """A choice between a few options; the URL parameter `param` holds it unless it is the default."""
    usual = first if first is not None else next(iter(options))
    value = chosen_of(param, options, usual=usual)
    key = f"pick.{param}"
    state.put(key, value)
    st.segmented_control(
        label,
        list(options),
        key=key,
        format_func=lambda option: options[option],
        label_visibility="collapsed",
        required=True,
        on_change=_take_one,
        args=(param, usual),
        wrap=wrap,
    )
    return value


def chosen_of(param: str, options: Mapping[_Choice, str], *, usual: _Choice | None = None) -> _Choice:
    """The option in the URL, else the default, else the first."""
    asked = state.get_param(param)
    return next((option for option in options if option == asked), usual or next(iter(options)))


def take_one(param: str, chosen: str, *, usual: str) -> None:
    """Set the URL parameter; the default needs none."""
    state.set_param(param, None if chosen == usual else chosen)


def _take_one(param: str, usual: str) -> None:
    take_one(param, state.get(f"pick.{param}") or usual, usual=usual)


def _asked_athlete(page: Page, athletes: Mapping[str, Athlete]) -> Athlete:
    for asked in (state.get_id("athlete"), state.get(_LAST_ATHLETE)):
        if asked in {page.profile.id, state.OWN}:
            return page.me
        if asked is not None and asked in athletes:
            return athletes[asked]
    return page.athletes[0]


def _in_address(page: Page, athlete: Athlete) -> str:
    """The user's own id instead of "me": "me" is another person for the receiver of the link."""
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
    """Correct the URL to the shown days: report an unreachable day, remove an invalid one."""
    asked = {name: state.get_day(name) for name in ("from", "to") if name in st.query_params}
    if any(day and not start <= day <= end for day in asked.values()):
        notices.say_empty("Days out of range;", fills="showing the last ten years up to today.")
    state.set_params(
        {
            name: bound if asked[name] else None
            for name, bound in (("from", start), ("to", end))
            if name in asked
        }
    )


def reachable(page: Page, day: date) -> date:
    """The day, or the first or last day that the fields accept: a URL may contain any day."""
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
    """`Tue 3 Nov to Mon 9 Nov`; both with the weekday or both without."""
    days = [formats.day(day, today=page.today) for day in (start, end)]
    if len({text[0].isdigit() for text in days}) > 1:
        days = [text if text[0].isdigit() else text.partition(" ")[2] for text in days]
    return " to ".join(days)
