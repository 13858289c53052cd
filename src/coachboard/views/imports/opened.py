"""The import of the address: its CSV columns, its progress, its report, and undoing it."""

from collections.abc import Iterator, Mapping
from functools import partial

import streamlit as st

from coachboard.client.errors import NotFound, ServiceError
from coachboard.loaders.imports import page_data as loader
from coachboard.loaders.matching import local_day
from coachboard.models.activities import Activity
from coachboard.models.own_data import ImportJob, ReportLine
from coachboard.views.activity.headline import title_of
from coachboard.views.frame import formats, navigation, notices, state, theme
from coachboard.views.frame.addresses import page_url
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import md, plain
from coachboard.views.imports.columns import draw_columns
from coachboard.views.imports.upload import FILES, IMPORT
from coachboard.views.imports.workouts import draw_workouts
from coachboard.views.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_table

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
    elif loader.is_unfinished(job):
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
    if not loader.is_unfinished(job):
        st.rerun()
    total = job.total or 0
    share = min(job.done / total, 1.0) if total else 0.0
    of = f"{job.done:,} of {formats.count(total, 'file')}" if total else "Looking for recordings"
    st.progress(share, text=f"{of}{': ' + md(job.current, longest=80) if job.current else ''}")
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
    st.markdown(f"**{loader.summary(job)}**")
    sessions = loader.sessions_of(page.client, job)
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
        label=f"Open the newest {'of these sessions' if is_page else 'session'}: {md(title_of(newest))}, {_start(page, newest)}",
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
        shown = f"Files {first:,} to {first + len(job.report) - 1:,}" if job.report else "No more files"
        st.caption(f"{shown} of {total:,}; problems are first.")


def _rows(page: Page, line: ReportLine, sessions: Mapping[str, Activity]) -> Iterator[TableRow]:
    result = ", ".join(filter(None, (loader.RESULTS[line.outcome], loader.brought(line))))
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
    return Cell(title_of(session), _start(page, session), href=page_url("activity", **_params(page, session)))


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
