"""Weeks of a calendar as a new plan, or an empty plan."""

from datetime import date, timedelta

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.pages.plans.listing import NEWS, PLAN, SAVING, sharing_options, week_of
from coachboard.ui.frame import formats, groups, notices, state, theme
from coachboard.ui.frame.own_data import say_rejected
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.wire.planning import EntryKind, PlanEntry, PlanValue
from coachboard.wire.training_plans import MOST_DAYS, MOST_ENTRIES, TrainingPlanEntry, TrainingPlanInput

_EMPTY = "empty"
_USUAL_WEEKS = 12
_OF_ENTRY = ("id", "date", "activity_id", "comment")
_FROM_TEXT = ("structure", "zones_type", "duration", "distance")


def draw_saving(page: Page) -> None:
    """The form of a new plan, if the URL asks for it."""
    if not state.get_param(SAVING):
        return
    st.header("New plan", anchor=False)
    athletes = {athlete.id: athlete.name for athlete in page.everyone}
    asked = state.get_id("athlete")
    who = st.selectbox(
        "Calendar",
        [*athletes, _EMPTY],
        list(athletes).index(asked) if asked in athletes else 0,
        format_func=lambda name: (
            "None: an empty plan" if name == _EMPTY else groups.listed(page, name, athletes[name])
        ),
        key="plans.saving.athlete",
        width=320,
    )
    first, last = _days(page) if who != _EMPTY else (page.today, page.today)
    entries = _entries(page, who, first, last) if who != _EMPTY else ()
    with st.form("plans.saving", border=False):
        title = st.text_input(
            "Title", max_chars=200, key="plans.saving.title", placeholder="Twelve weeks to a road race"
        )
        options = sharing_options(page)
        owner = st.selectbox(
            "Who may use it",
            list(options),
            format_func=options.__getitem__,
            key="plans.saving.owner",
            width=320,
        )
        weeks = (
            st.number_input("Weeks", 1, 52, _USUAL_WEEKS, key="plans.saving.weeks", width=160)
            if who == _EMPTY
            else 0
        )
        is_saved = st.form_submit_button("Save as plan", type=theme.main_button())
    st.button("Cancel", key="plans.saving.cancel", type="tertiary", on_click=_leave)
    days = int(weeks) * 7 if who == _EMPTY else (last - first).days + 1
    if is_saved:
        _save(page, title, owner, days, entries)
    st.stop()


def _days(page: Page) -> tuple[date, date]:
    usual = week_of(page, page.today)
    start = state.get_day("from") or usual
    end = state.get_day("to") or start + timedelta(days=7 * _USUAL_WEEKS - 1)
    with st.container(horizontal=True):
        first = st.date_input("First day", start, key="plans.saving.from", format="YYYY-MM-DD", width=160)
        last = st.date_input("Last day", end, key="plans.saving.to", format="YYYY-MM-DD", width=160)
    state.set_params({"from": first, "to": last})
    return first, last


def _entries(page: Page, who: str, first: date, last: date) -> tuple[TrainingPlanEntry, ...]:
    """The entries of the days, with a line that counts them; stops with the reason for days that no plan can have."""
    days = (last - first).days + 1
    if not 1 <= days <= MOST_DAYS:
        st.error(
            f"Choose 1 to {MOST_DAYS} days: the last day is on or after the first.", icon=":material/error:"
        )
        st.button("Cancel", key="plans.saving.cancel", type="tertiary", on_click=_leave)
        st.stop()
    user_id = page.profile.id if who == state.OWN else who
    try:
        read = page.client.planning.entries(user_id, first, last)
    except ServiceError as error:
        notices.say(error, about="the calendar")
        st.stop()
    entries = tuple(plan_entry(entry, first) for entry in read if entry.is_repeatable and entry.date >= first)
    workouts = sum(entry.kind is EntryKind.WORKOUT for entry in entries)
    notes = len(entries) - workouts
    weeks = formats.count(days, "day")
    st.caption(
        f"{weeks}: {formats.count(workouts, 'workout')} and {formats.count(notes, 'note')}. Races, illness and travel stay "
        "with the athlete."
    )
    return entries[:MOST_ENTRIES]


def plan_entry(entry: PlanEntry, first: date) -> TrainingPlanEntry:
    """A workout or a note of a calendar as an entry of a plan that begins on that day."""
    row = entry.prescription or entry.note
    assert row is not None
    left_out = {*_OF_ENTRY, *(_FROM_TEXT if entry.text is not None else ())}
    fields = {
        name: value
        for name in type(row).model_fields
        if name not in left_out and (value := getattr(row, name)) is not None
    }
    if entry.kind is EntryKind.WORKOUT:
        of_entry = {"text": entry.text, "is_draft": entry.is_draft, "is_locked": entry.is_locked}
    else:
        of_entry = {"is_private": entry.is_private}
    value = PlanValue(**fields, **{name: value for name, value in of_entry.items() if value})
    day = (entry.date - first).days + 1
    span = {"last_day": (entry.end_date - first).days + 1} if entry.end_date else {}
    return TrainingPlanEntry(day=day, kind=entry.kind, value=value, **span)


def _save(
    page: Page, title: str | None, owner: str, days: int, entries: tuple[TrainingPlanEntry, ...]
) -> None:
    if not (title or "").strip():
        st.error("Not saved. Enter a title.", icon=":material/error:")
        return
    longest = max([days, *(entry.last_day or 0 for entry in entries)])
    plan = TrainingPlanInput(
        title=str(title), workspace_id=owner or None, days=min(longest, MOST_DAYS), entries=entries
    )
    try:
        made = page.client.planning.add_plan(plan)
    except ServiceError as error:
        say_rejected(error, "Not saved")
        return
    _leave()
    state.set_param(PLAN, made.id)
    state.put(NEWS, f"Saved {md(made.title)}.")
    st.rerun()


def _leave() -> None:
    state.set_params({SAVING: None, "from": None, "to": None, "athlete": None})
