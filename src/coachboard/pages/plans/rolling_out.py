"""The athletes who have a plan: bring a later edit to them, or take the plan off one calendar."""

from secrets import token_hex

import pandas as pd
import streamlit as st

from coachboard.client.errors import EditConflict, ServiceError
from coachboard.client.planning import PlanConflict
from coachboard.pages.plans.listing import NEWS, send
from coachboard.ui.frame import formats, groups, notices, state, theme
from coachboard.ui.frame.own_data import say_rejected
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.wire.training_plans import (
    AthleteOutcome,
    ClashReason,
    PlanOutcome,
    RollOutRequest,
    TrainingPlan,
)

REASONS = {
    ClashReason.PLANNED: "planned already",
    ClashReason.DONE: "done",
    ClashReason.CHANGED: "changed on the calendar: stays as it is",
    ClashReason.DELETED: "deleted on the calendar: stays deleted",
}
_FORCED = "plans.off.forced"
_COLUMNS = ("Athlete", "First day", "Last day", "New", "Changed", "Removed", "Kept as they are")


def draw_athletes(page: Page, plan: TrainingPlan) -> None:
    """A table of the calendars that have the plan, with what a roll-out would change."""
    try:
        preview = page.client.planning.roll_out_plan(plan, RollOutRequest(dry_run=True))
    except EditConflict:
        st.rerun()
    except ServiceError as error:
        notices.say(error, about="the athletes with this plan")
        return
    draw_undo(page)
    if not preview.athletes:
        notices.say_empty("No calendar has this plan.", fills="Apply adds it to the calendars of athletes.")
        return
    names = names_of(page)
    rows = [
        (plain(names.get(each.user_id, each.user_id)), _day(page, each.first_day), _day(page, each.last_day),
         each.added, each.changed, each.deleted, each.left_out)
        for each in preview.athletes
    ]  # fmt: skip
    table = fitted(
        pd.DataFrame(rows, columns=_COLUMNS), ("Athlete", "Last day", "Changed"), key="plans.users"
    )
    st.dataframe(table, hide_index=True, key="plans.users", width="stretch")
    draw_clashes(page, preview, "Unchanged entries")
    _draw_roll_out(page, plan, preview)
    _draw_removal(page, preview.athletes, names)


def names_of(page: Page) -> dict[str, str]:
    """Names of the athletes and the user by the ids of the service."""
    return {athlete.id: athlete.name for athlete in page.athletes} | {page.profile.id: page.me.name}


def _day(page: Page, day: object) -> str:
    return formats.day(day, today=page.today)  # type: ignore[arg-type] # a date


def draw_clashes(page: Page, outcome: PlanOutcome, title: str) -> None:
    """Each entry of a calendar that matters, folded."""
    names = names_of(page)
    rows = [
        (
            plain(names.get(each.user_id, each.user_id)),
            _day(page, clash.date),
            plain(clash.title),
            REASONS[clash.reason],
        )
        for each in outcome.athletes
        for clash in each.clashes
    ] + [
        (plain(names.get(each.user_id, each.user_id)), _day(page, warning.date), "", plain(warning.text))
        for each in outcome.athletes
        for warning in each.warnings
    ]
    if not rows:
        return
    key = f"plans.clashes.{title}"
    box = st.expander(f"{title} ({len(rows)})", key=key, on_change="rerun")
    if box.open:
        frame = pd.DataFrame(rows, columns=("Athlete", "Day", "Entry", "Note"))
        box.dataframe(fitted(frame, ("Athlete", "Day", "Note"), key=key), hide_index=True, width="stretch")


def _draw_roll_out(page: Page, plan: TrainingPlan, preview: PlanOutcome) -> None:
    counts = [each.added + each.changed + each.deleted for each in preview.athletes]
    athletes = len({each.user_id for each, count in zip(preview.athletes, counts, strict=True) if count})
    if not athletes:
        st.caption(
            "Nothing to roll out: the calendars are up to date, except for entries that stay as they are."
        )
        return
    who = formats.count(athletes, "athlete")
    st.caption("Days before today, and what was changed or deleted on a calendar, stay as they are.")
    if st.button(
        f"Roll out {formats.count(sum(counts), 'change')} to {who}",
        key="plans.roll_out",
        type=theme.main_button(),
    ):
        with st.spinner(f"Rolling out to {who}…", show_time=True):
            key = press()
            send(
                lambda: note_batch(
                    page.client.planning.roll_out_plan(plan, RollOutRequest(), idempotency_key=key),
                    f"the roll-out to {who}",
                ),
                f"Rolled out to {who}.",
            )


_PRESS = "plans.press"


def press() -> str:
    """The idempotency key of the next batch: the same until one is done, as the answer to an attempt may be lost."""
    state.put_default(_PRESS, token_hex(16))
    return str(state.get(_PRESS))


LAST = "plans.batch"
"""Session key of the last batch of the page and its name, which can be undone."""


def note_batch(outcome: PlanOutcome, text: str) -> None:
    """Keep a batch for an undo."""
    state.forget(_PRESS, state.LOADED)
    state.put(LAST, (outcome.id, text) if outcome.id else None)


def draw_undo(page: Page) -> None:
    """A button that undoes the last batch of the page."""
    last = state.get(LAST)
    if last is not None and st.button(f"Undo {last[1]}", key="plans.undo", icon=":material/undo:"):
        with st.spinner(f"Undoing {last[1]}…", show_time=True):
            _undo(page, last[0], None, f"Undone: {last[1]}.")


def _draw_removal(page: Page, athletes: tuple[AthleteOutcome, ...], names: dict[str, str]) -> None:
    """Take the plan off one calendar: the undo of its application for one athlete."""
    labels = {
        f"{each.user_id} {each.batch_id}": f"{groups.listed(page, each.user_id, names.get(each.user_id, each.user_id))}, from {_day(page, each.first_day)}"
        for each in athletes
    }
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Take the plan off a calendar", list(labels), None, format_func=labels.__getitem__, key="plans.off", width=340,
            placeholder="Choose an athlete",
        )  # fmt: skip
        is_forced = chosen is not None and state.get(_FORCED) == chosen
        label = "Take off the others" if is_forced else "Take off"
        if st.button(label, key="plans.off.do", disabled=chosen is None) and chosen is not None:
            user_id, _, batch_id = chosen.partition(" ")
            _undo(
                page,
                batch_id,
                user_id,
                f"Taken off the calendar of {md(names.get(user_id, user_id))}.",
                mark=chosen,
            )
    if is_forced:
        st.warning(
            "Some entries were changed since. They stay; the others can be taken off.",
            icon=":material/sync_problem:",
        )


def _undo(page: Page, batch_id: str, user_id: str | None, news: str, *, mark: str = "") -> None:
    is_forced = bool(mark) and state.get(_FORCED) == mark
    try:
        page.client.planning.undo(batch_id, user_id=user_id, force=is_forced)
    except PlanConflict as error:
        if mark:
            state.put(_FORCED, mark)
            st.rerun()
        changed = formats.count(len(error.rows), "entry", "entries")
        st.error(
            f"Not undone: {changed} changed since. Take the plan off the calendars one by one.",
            icon=":material/sync_problem:",
        )
        return
    except ServiceError as error:
        say_rejected(error, "Not undone")
        return
    state.forget(_FORCED, LAST, state.LOADED)
    state.put(NEWS, news)
    st.rerun()
