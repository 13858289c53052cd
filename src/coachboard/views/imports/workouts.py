"""The planned workouts of an import: the day of each, its name, and deleting it."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from coachboard.client.errors import EditConflict, ServiceError
from coachboard.models.own_data import ImportJob, OwnPrescription, PrescriptionPatch
from coachboard.views.frame import formats, notices, state, theme
from coachboard.views.frame.own_data import has_feature
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import md

_FAULT = "imports.workouts.fault"
_MOST_LISTED = 50


def draw_workouts(page: Page, job: ImportJob) -> None:
    """The workouts that the import brought and that are still planned; nothing without one."""
    ids = {id_ for line in job.report for id_ in line.prescription_ids}
    if not ids or not has_feature(page, "prescriptions"):
        return
    try:
        rows = [row for row in page.client.own_data.list_prescriptions() if row.prescription.id in ids]
    except ServiceError as error:
        notices.say(error, about="Planned workouts")
        return
    if not rows:
        return
    st.subheader("Planned workouts", anchor=False)
    st.caption("Choose the day of each workout. The calendar follows at once.")
    if fault := state.get(_FAULT):
        state.forget(_FAULT)
        st.error(fault, icon=":material/error:")
    for row in rows[:_MOST_LISTED]:
        _draw_workout(page, row)
    if (more := len(rows) - _MOST_LISTED) > 0:
        st.caption(f"{formats.count(more, 'more workout')} not listed.")


def _draw_workout(page: Page, row: OwnPrescription) -> None:
    """Fields that save on their own. Their keys have the tag: after a change elsewhere they show the new values."""
    workout, key = row.prescription, f"imports.workout.{row.prescription.id}.{row.etag}"
    with st.container(horizontal=True, vertical_alignment="bottom", border=True):
        st.date_input(
            f"Day of {md(workout.title, longest=80)}",
            workout.date,
            key=f"{key}.day",
            on_change=_take,
            args=(page, row, "date", f"{key}.day"),
            width=180,
        )
        st.text_input(
            "Name",
            workout.title,
            max_chars=200,
            key=f"{key}.title",
            on_change=_take,
            args=(page, row, "title", f"{key}.title"),
            width=260,
        )
        with st.popover("Delete", icon=":material/delete:", type="tertiary"):
            st.markdown(f"Delete {md(workout.title, longest=80)}? To plan it again, import its file again.")
            st.button(
                "Delete workout",
                key=f"{key}.delete",
                type=theme.main_button(),
                on_click=partial(
                    _change, lambda: page.client.own_data.delete_prescription(workout.id, row.etag)
                ),
            )


def _take(page: Page, row: OwnPrescription, field: str, key: str) -> None:
    value = state.get(key)
    if value in (None, "", getattr(row.prescription, field)):
        return
    patch = PrescriptionPatch.model_validate({field: value})
    _change(lambda: page.client.own_data.change_prescription(row.prescription.id, patch, row.etag))


def _change(send: Callable[[], object]) -> None:
    try:
        send()
    except EditConflict as conflict:
        was = "changed" if conflict.current else "deleted"
        state.put(_FAULT, f"Not saved: the workout was {was} meanwhile. The list shows it as it is now.")
    except ServiceError as error:
        said = md(error.words, longest=200) if error.code else notices.sentence(error)
        state.put(_FAULT, f"Not saved. {said}")
