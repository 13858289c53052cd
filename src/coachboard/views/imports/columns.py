"""The columns of CSV files: a preview, and the quantity of each column, proposed by the service."""

from collections.abc import Callable

import streamlit as st

from coachboard.catalogues.metrics import NIGHT_FIELDS
from coachboard.client.errors import ServiceError
from coachboard.loaders.imports import page_data as loader
from coachboard.models.own_data import CsvColumn, ImportJob, Preview
from coachboard.views.frame import formats, notices, state, theme
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import md
from coachboard.views.imports.upload import IMPORT

_IGNORED = "ignore"
_WORDS = {_IGNORED: "–", "started_at": "Bedtime", "ended_at": "Wake-up time"}
_FAULT = "imports.columns.fault"
_MOST_SAMPLES = 3


def draw_columns(page: Page, job: ImportJob) -> None:
    """A chooser for each CSV file, then the button that starts the import."""
    found, faults = loader.previews(page.client, job)
    for preview in found:
        _draw_file(job, preview)
    for name, fault in faults.items():
        st.warning(
            f"{md(name, longest=80)}: {md(fault, longest=200)} The other files can be imported.",
            icon=":material/error:",
        )
    if fault := state.get(_FAULT):
        state.forget(_FAULT)
        st.error(fault, icon=":material/error:")
    with st.container(horizontal=True):
        st.button(
            f"Import {formats.count(len(job.received), 'file')}",
            key="imports.start",
            type=theme.main_button(),
            on_click=_act,
            args=(lambda: page.client.own_data.start_import(job.id, _chosen(job, found)),),
        )
        st.button(
            "Discard",
            key="imports.discard",
            type="tertiary",
            on_click=_act,
            args=(lambda: _discard(page, job),),
        )


def _draw_file(job: ImportJob, preview: Preview) -> None:
    st.subheader(md(preview.name), anchor=False)
    st.caption(f"{formats.count(preview.rows, 'row')}. Choose what each column contains; “–” leaves it out.")
    options = list(dict.fromkeys((_IGNORED, *preview.quantities)))
    for place, column in enumerate(preview.columns):
        name, samples, choice = st.columns([2, 3, 2], vertical_alignment="center")
        name.markdown(md(column.header) or "Unnamed column")
        samples.caption(md(", ".join(column.samples[:_MOST_SAMPLES])) or "–")
        choice.selectbox(
            f"Content of {md(column.header)}",
            options,
            index=options.index(column.proposal) if column.proposal in options else 0,
            format_func=quantity_words,
            key=_key(job, preview, place),
            label_visibility="collapsed",
        )


def quantity_words(quantity: str) -> str:
    """The quantity as the pages call it: `average_hrv` is HRV."""
    field = NIGHT_FIELDS.get(quantity)
    return _WORDS.get(quantity) or (field.title if field else quantity.replace("_", " ").capitalize())


def _chosen(job: ImportJob, found: list[Preview]) -> dict[str, dict[str, str]]:
    return {preview.name: _chosen_of(job, preview) for preview in found}


def _chosen_of(job: ImportJob, preview: Preview) -> dict[str, str]:
    picked = [(column, _chosen_quantity(job, preview, place)) for place, column in enumerate(preview.columns)]
    return {column.header: quantity for column, quantity in picked}


def _chosen_quantity(job: ImportJob, preview: Preview, place: int) -> str:
    column: CsvColumn = preview.columns[place]
    return str(state.get(_key(job, preview, place), column.proposal or _IGNORED))


def _key(job: ImportJob, preview: Preview, place: int) -> str:
    return f"imports.column.{job.id}.{preview.name}.{place}"


def _discard(page: Page, job: ImportJob) -> None:
    page.client.own_data.undo_import(job.id)
    state.set_param(IMPORT, None)


def _act(change: Callable[[], object]) -> None:
    try:
        change()
    except ServiceError as error:
        state.put(_FAULT, f"{notices.sentence(error)} {md(error.words, longest=200)}")
