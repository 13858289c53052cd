"""The import of the address: its CSV columns, its progress, its report, and undoing it."""

from functools import partial

import pandas as pd
import streamlit as st

from coachboard.client.errors import NotFound, ServiceError
from coachboard.loaders.imports import page_data as loader
from coachboard.models.own_data import ImportJob, ReportLine
from coachboard.views.activity.headline import title_of
from coachboard.views.frame import formats, navigation, notices, state, theme
from coachboard.views.frame.shell import Page
from coachboard.views.frame.text import md, plain
from coachboard.views.imports.columns import draw_columns
from coachboard.views.imports.upload import IMPORT

_POLL_S = 0.5
_MOST_LINES = 10_000
_MOST_LISTED = 100


def draw_opened(page: Page) -> None:
    """The import that the address names; nothing if it names none."""
    import_id = state.get_param(IMPORT)
    if import_id is None:
        return
    try:
        job = page.client.own_data.get_import(import_id)
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
        job = page.client.own_data.get_import(import_id)
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
    _draw_newest(page, job)
    if any(line.nights for line in job.report):
        st.page_link(
            navigation.page_path("trends"),
            label="Open sleep",
            icon=":material/bedtime:",
            query_params={"athlete": page.profile.id, "look": "nights"},
        )
    found = loader.lines(job)
    listed = [line for line in found if line.notes or theme.is_phone()]
    rest = [line for line in found if not (line.notes or theme.is_phone())]
    if listed:
        _draw_list(listed)
    if rest:
        st.dataframe(_table(rest), hide_index=True, key=f"imports.report.{job.id}", height="content")
    _draw_undo(page, job, "Undo import")


def _draw_newest(page: Page, job: ImportJob) -> None:
    newest = loader.newest_session(page.client, job)
    if newest is None:
        return
    when = formats.moment(newest.started_at_local or newest.started_at, today=page.today)
    st.page_link(
        navigation.page_path("activity"),
        label=f"Open the newest session: {md(title_of(newest))}, {when}",
        icon=":material/monitor_heart:",
        query_params={"athlete": page.profile.id, "activity": newest.id},
    )


def _draw_list(found: list[ReportLine]) -> None:
    """Files with a reason or a repair, one below the other: no column of a table is wide enough for the reasons."""
    texts = [
        f"- **{md(line.name, longest=80)}** ({_result(line)})"
        f"{': ' if line.notes else ''}{md('; '.join(line.notes), longest=300)}"
        for line in found[:_MOST_LISTED]
    ]
    st.markdown("\n".join(texts))
    if (more := len(found) - _MOST_LISTED) > 0:
        st.caption(f"{formats.count(more, 'more file')} not listed.")


def _result(line: ReportLine) -> str:
    return ", ".join(filter(None, (loader.RESULTS[line.outcome], loader.brought(line))))


def _table(found: list[ReportLine]) -> pd.DataFrame:
    rows = [
        (plain(line.name), loader.RESULTS[line.outcome], loader.brought(line)) for line in found[:_MOST_LINES]
    ]
    return pd.DataFrame(rows, columns=["File", "Result", "Contains"])


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
