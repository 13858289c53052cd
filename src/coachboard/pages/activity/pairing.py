"""Which planned workout the session belongs to, chosen by the athlete or the coach."""

from collections.abc import Sequence
from datetime import timedelta

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.client.planning import PlanConflict, Planning, decision_of
from coachboard.pages.activity.data import ActivityData
from coachboard.ui.frame import formats, notices, state, theme
from coachboard.ui.frame.own_data import say_rejected
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import plain
from coachboard.wire.planning import Pairing, PairingMode, PlanEntry, PlanOp, PlanOperation

NEAR_D = 1
"""Days between the session and the workouts to choose from."""
NO_WORKOUT = "No workout"
AUTOMATIC = "auto"
"""The choice that takes the choices of people back."""
_OPEN = "activity.pairing"
_CHANGED = "Not saved: the workout was changed meanwhile. Choose again."


def draw_pairing(page: Page, data: ActivityData) -> None:
    """A button that opens the choice; only on a service with the planning API, which is asked when it opens."""
    if data.day is None or not page.client.planning.has("entries"):
        return
    is_open = state.get(_OPEN) == data.activity.id
    st.button(
        "Close" if is_open else "Choose the workout",
        key="activity.pair",
        type="tertiary",
        icon=":material/close:" if is_open else ":material/link:",
        on_click=state.put,
        args=(_OPEN, None if is_open else data.activity.id),
    )
    if not is_open:
        return
    try:
        entries = _near_entries(page, data)
    except ServiceError as error:
        notices.say(error)
        return
    _draw_form(page, data, entries)


def _near_entries(page: Page, data: ActivityData) -> list[PlanEntry]:
    """The workouts of that day, of a day before and after, and the one that the session is paired with."""
    assert data.day is not None
    own = _own_plan(data)
    days = [data.day - timedelta(days=NEAR_D), data.day + timedelta(days=NEAR_D)]
    planned_on = data.match.planned.day if data.match and data.match.planned else data.day
    entries = page.client.planning.entries(data.user_id, min(*days, planned_on), max(*days, planned_on))
    return [
        entry
        for entry in entries
        if entry.prescription is not None
        and PlanOp.PAIR in entry.allowed
        and (days[0] <= entry.date <= days[1] or entry.id == own)
    ]


def _own_plan(data: ActivityData) -> str | None:
    """The id of the workout that the session is paired with, also of a likely match."""
    if data.prescription is not None:
        return data.prescription.id
    return data.match.planned.id if data.match is not None and data.match.planned is not None else None


def _draw_form(page: Page, data: ActivityData, entries: Sequence[PlanEntry]) -> None:
    if not entries:
        st.caption("No workout is planned within a day of this session.")
        return
    named = {entry.id: entry for entry in entries}
    own, names = _own_plan(data), {"": NO_WORKOUT}
    if operations_of(entries, own, AUTOMATIC, data.activity.id):
        names[AUTOMATIC] = "Match automatically"
    with st.form(f"activity.pair.{data.activity.id}", border=True):
        chosen = st.selectbox(
            "Planned workout of this session",
            [*named, *names],
            index=list(named).index(own) if own in named else len(named),
            format_func=lambda key: names.get(key) or _name(page, named[key]),
            help="Your choice counts on every page. Without a choice, sessions and workouts are matched by day, sport and length: "
            "“Match automatically” takes the choices for this session and for the listed workouts without a session back.",
        )
        if st.form_submit_button("Save", type=theme.main_button()):
            _save(page, operations_of(entries, own, chosen or None, data.activity.id))


def _name(page: Page, entry: PlanEntry) -> str:
    row = entry.prescription
    assert row is not None
    length = formats.duration_hm(row.duration) if row.duration else ""
    day = formats.day(row.date, today=page.today)
    return ", ".join(filter(None, (day, plain(row.title, longest=80), formats.sport(row.sport), length)))


def operations_of(
    entries: Sequence[PlanEntry], own: str | None, chosen: str | None, activity_id: str
) -> list[PlanOperation]:
    """The changes that give the session to the chosen workout alone; None for no workout, `AUTOMATIC` for no choice.

    A likely match of another workout needs no change: it ends when the session has its workout.
    """
    if chosen == AUTOMATIC:
        automatic = Pairing(mode=PairingMode.AUTO)
        return [
            Planning.operation(entry, PlanOp.PAIR, pairing=automatic)
            for entry in entries
            if _is_paired_by_hand(entry, activity_id) or decision_of(entry).is_unpaired
        ]
    paired = [
        Planning.operation(entry, PlanOp.PAIR, activity_id=activity_id)
        for entry in entries
        if entry.id == chosen and not _is_paired_by_hand(entry, activity_id)
    ]
    left = [
        Planning.operation(entry, PlanOp.UNPAIR)
        for entry in entries
        if entry.id != chosen and (_session_of(entry) == activity_id or (chosen is None and entry.id == own))
    ]
    return [*left, *paired]


def _is_paired_by_hand(entry: PlanEntry, activity_id: str) -> bool:
    pairing = entry.pairing
    return pairing is not None and pairing.mode is PairingMode.MANUAL and pairing.activity_id == activity_id


def _session_of(entry: PlanEntry) -> str | None:
    return entry.prescription.activity_id if entry.prescription is not None else None


def _save(page: Page, operations: Sequence[PlanOperation]) -> None:
    if operations:
        try:
            page.client.planning.batch(operations, source="Activity")
        except PlanConflict:
            st.warning(_CHANGED, icon=":material/sync_problem:")
            return
        except ServiceError as error:
            notices.let_go(error)
            say_rejected(error, "Not saved")
            return
    state.put(_OPEN, None)
    st.rerun()
