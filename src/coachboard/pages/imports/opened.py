"""The import of the address: its CSV columns, its progress, its report with planned workouts, and undoing it."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import streamlit as st

from coachboard.client.errors import EditConflict, NotFound, ServiceError
from coachboard.loaders import import_jobs
from coachboard.pages.imports.upload import FILES, IMPORT
from coachboard.ui.frame import formats, navigation, notices, state, theme
from coachboard.ui.frame.addresses import page_url
from coachboard.ui.frame.own_data import has_feature
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_table
from coachboard.wire.activities import Activity, local_day
from coachboard.wire.metrics import METRICS, NIGHT_FIELDS
from coachboard.wire.own_data import (
    CsvColumn,
    ImportJob,
    OwnPrescription,
    PrescriptionPatch,
    Preview,
    ReportLine,
)

_IGNORED = "ignore"
_WORDS = {
    _IGNORED: "–",
    "started_at": "Bedtime",
    "ended_at": "Wake-up time",
    **{name: field.title for name, field in NIGHT_FIELDS.items()},
    **{str(kind): record.title for kind, record in METRICS.items()},
}
_COLUMNS_FAULT = "imports.columns.fault"
_MOST_SAMPLES = 3


def draw_columns(page: Page, job: ImportJob) -> None:
    """A chooser for each CSV file, then the button that starts the import."""
    previews, faults = import_jobs.previews(page.client, job)
    for preview in previews:
        _draw_file(job, preview)
    for name, fault in faults.items():
        st.warning(
            f"{md(name, longest=80)}: {md(fault, longest=200)} The other files can be imported.",
            icon=":material/error:",
        )
    if fault := state.get(_COLUMNS_FAULT):
        state.forget(_COLUMNS_FAULT)
        st.error(fault, icon=":material/error:")
    with st.container(horizontal=True):
        st.button(
            f"Import {formats.count(len(job.received), 'file')}",
            key="imports.start",
            type=theme.main_button(),
            on_click=_act,
            args=(lambda: page.client.own_data.start_import(job.id, _chosen(job, previews)),),
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
    return _WORDS.get(quantity) or quantity.replace("_", " ").capitalize()


def _chosen(job: ImportJob, previews: list[Preview]) -> dict[str, dict[str, str]]:
    return {preview.name: _chosen_of(job, preview) for preview in previews}


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
        state.put(_COLUMNS_FAULT, f"{notices.sentence(error)} {md(error.words, longest=200)}")


_WORKOUTS_FAULT = "imports.workouts.fault"
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
    if fault := state.get(_WORKOUTS_FAULT):
        state.forget(_WORKOUTS_FAULT)
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
        state.put(
            _WORKOUTS_FAULT, f"Not saved: the workout was {was} meanwhile. The list shows it as it is now."
        )
    except ServiceError as error:
        said = md(error.words, longest=200) if error.code else notices.sentence(error)
        state.put(_WORKOUTS_FAULT, f"Not saved. {said}")


_POLL_S = 0.5
_LINES = 200
_MOST_SESSIONS = 10
"""Of one file with a row each: a list of Strava may bring hundreds."""


def draw_opened(page: Page) -> None:
    """The import that the address names; nothing if it names none."""
    import_id = state.get_param(IMPORT)
    if import_id is None:
        return
    number = _report_page()
    try:
        job = page.client.own_data.get_import(import_id, offset=(number - 1) * _LINES, limit=_LINES)
    except NotFound:
        notices.say_empty(
            "That import is not yours or was removed.", fills="Earlier imports are listed below."
        )
        return
    if job.state == "receiving":
        draw_columns(page, job)
    elif import_jobs.is_unfinished(job):
        st.fragment(_draw_progress, run_every=_POLL_S)(page, job.id)
    else:
        _draw_report(page, job)


def _draw_progress(page: Page, import_id: str) -> None:
    """How many files are done and which one is in work; the page shows the report when all are done.

    No session is read meanwhile: each imported file drops the cached lists, and a minute has 30 requests for a person.
    """
    try:
        job = page.client.own_data.get_import(import_id, limit=0)
    except NotFound:
        st.rerun()
    except ServiceError as error:
        notices.say(error, about="Progress of the import")
        return
    if not import_jobs.is_unfinished(job):
        st.rerun()
    total = job.total or 0
    share = min(job.done / total, 1.0) if total else 0.0
    progress = f"{job.done:,} of {formats.count(total, 'file')}" if total else "Looking for recordings"
    st.progress(share, text=f"{progress}{': ' + md(job.current, longest=80) if job.current else ''}")
    _draw_undo(page, job, "Cancel and undo")


def _draw_report(page: Page, job: ImportJob) -> None:
    """The result of the import in one sentence, the newest session, then a line for each file."""
    if job.state == "undone":
        st.info("This import is undone: everything it added is removed.", icon=":material/undo:")
        return
    if job.state == "failed":
        st.error(
            f"The import stopped: {md(job.error or 'no reason given')}. Files marked as imported are in your data; "
            "import the others again.",
            icon=":material/error:",
        )
    st.markdown(f"**{import_jobs.summary(job)}**")
    sessions = import_jobs.sessions_of(page.client, job)
    _draw_newest(page, sessions, is_page=job.report_lines > len(job.report))
    if any(line.nights for line in job.report):
        st.page_link(
            navigation.page_path("trends"),
            label="Open sleep",
            icon=":material/bedtime:",
            query_params={"athlete": page.profile.id, "look": "nights"},
        )
    draw_workouts(page, job)
    _draw_lines(page, job, sessions)
    _draw_undo(page, job, "Undo import")


def _draw_newest(page: Page, sessions: Mapping[str, Activity], *, is_page: bool) -> None:
    newest = next(iter(sessions.values()), None)
    if newest is None:
        return
    st.page_link(
        navigation.page_path("activity"),
        label=f"Open the newest {'of these sessions' if is_page else 'session'}: {md(formats.session_title(newest))}, {_start(page, newest)}",
        icon=":material/monitor_heart:",
        query_params=_params(page, newest),
    )


def _draw_lines(page: Page, job: ImportJob, sessions: Mapping[str, Activity]) -> None:
    """A row for each file with its result and its session; a file with several sessions has a row for each."""
    file_px, session_px = (96, 112) if theme.is_phone() else (300, 260)
    columns = [
        TableColumn("file", "File", width=file_px),
        TableColumn("result", "Result"),
        TableColumn("session", "Session", width=session_px),
    ]
    rows = [row for line in job.report for row in _rows(page, line, sessions)]
    draw_table(
        PeopleTable("Files of this import", columns, rows, kind="list"), key=f"imports.report.{job.id}"
    )
    _draw_pages(job)


def _report_page() -> int:
    """The part of the report that the address names, from 1."""
    text = state.get_param(FILES) or ""
    return int(text) if text.isascii() and text.isdigit() and int(text[:6]) > 0 and len(text) <= 6 else 1


def _draw_pages(job: ImportJob) -> None:
    """Which lines of a long report these are, and the way to the others."""
    total, number = max(job.report_lines, len(job.report)), _report_page()
    if total <= _LINES and number == 1:
        return
    last = -(-total // _LINES)
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, other, is_there in (
            ("Previous", min(number - 1, last), number > 1),
            ("Next", number + 1, number < last),
        ):
            st.button(
                label,
                key=f"imports.report.{label.lower()}",
                type="tertiary",
                disabled=not is_there,
                on_click=state.set_param,
                args=(FILES, str(other) if other > 1 else None),
            )
        first = (number - 1) * _LINES + 1
        files = f"Files {first:,} to {first + len(job.report) - 1:,}" if job.report else "No more files"
        st.caption(f"{files} of {total:,}; problems are first.")


def _rows(page: Page, line: ReportLine, sessions: Mapping[str, Activity]) -> Iterator[TableRow]:
    result = ", ".join(filter(None, (import_jobs.RESULTS[line.outcome], import_jobs.brought(line))))
    notes = plain("; ".join(line.notes), longest=300)
    cells = [_session(page, sessions.get(id_)) for id_ in line.activity_ids[:_MOST_SESSIONS]] or [Cell()]
    if (more := len(line.activity_ids) - _MOST_SESSIONS) > 0:
        cells.append(Cell(f"{more:,} more", href=page_url("activity", athlete=page.profile.id)))
    for place, cell in enumerate(cells):
        said = Cell("same file") if place else Cell(result, notes)
        yield TableRow(f"{place} {line.name}", [Cell(plain(line.name)), said, cell], href=cell.href)


def _session(page: Page, session: Activity | None) -> Cell:
    if session is None:
        return Cell("deleted")
    return Cell(
        formats.session_title(session),
        _start(page, session),
        href=page_url("activity", **_params(page, session)),
    )


def _start(page: Page, session: Activity) -> str:
    return formats.moment(session.started_at_local or session.started_at, today=page.today)


def _params(page: Page, session: Activity) -> dict[str, str]:
    day = local_day(session)
    return {"athlete": page.profile.id, "activity": session.id} | ({"day": day.isoformat()} if day else {})


def _draw_undo(page: Page, job: ImportJob, label: str) -> None:
    with st.popover(label, icon=":material/undo:", type="tertiary"):
        st.markdown("Remove all sessions, nights and values that this import added?")
        st.button(
            "Remove them",
            key=f"imports.undo.{job.id}",
            type=theme.main_button(),
            on_click=partial(_undo, page, job.id),
        )


def _undo(page: Page, import_id: str) -> None:
    try:
        page.client.own_data.undo_import(import_id)
    except ServiceError as error:
        st.toast(f"Not undone. {notices.sentence(error)}", icon=":material/cloud_off:")
