"""Dropping files, and the list of earlier imports, whose reports can be reopened."""

from collections.abc import Iterable

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.loaders import import_jobs
from coachboard.ui.frame import formats, notices, own_data, shell, state
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.wire.own_data import ImportJob

IMPORT = "import"
FILES = "files"
"""The page of the report, in the address."""
_COUNT, _FAULT, _KIND = "imports.count", "imports.fault", "imports.kind"
_TAKEN = "imports.taken"
_FILES, _FOLDER = "Files", "Folder"
_MEGABYTES = 1_000_000
_MOST_EARLIER = 20
_FIRST_REPORT_S = 1.0
"""How long the page waits for the report of a small import; drawing its progress first took 0.7 s more for one ride."""


def open_imports(page: Page) -> tuple[ImportJob, ...]:
    """All imports, newest first; stop with the reason if the service takes none, or does not answer.

    The page asks for them before it draws the upload: files dropped while the service is down would be lost.
    """
    own_data.require(
        page,
        "imports",
        "This service takes no imports.",
        fills="It receives recordings from its own sources.",
    )
    try:
        return page.client.own_data.list_imports()
    except ServiceError as error:
        shell.stop_with(error)


def draw_upload(page: Page) -> None:
    """The place to drop files; the import starts when they have arrived."""
    features = page.client.own_data.features()
    assert features is not None
    most_mb = max(1, min(features.max_upload_bytes // _MEGABYTES, st.get_option("server.maxUploadSize")))
    # Coaches took the page for a way to import for an athlete; an athlete has no others.
    not_others = ", not to an athlete's" if page.coaches else ""
    st.markdown(f"Imports are added to your own data (**{md(formats.person(page.profile))}**){not_others}.")
    st.caption(
        "FIT, TCX and GPX recordings (also .gz), zip archives, exports of Strava, Garmin, WHOOP, Apple Health and Samsung "
        f"Health, and CSV files with sleep, HRV, resting heart rate or weight. Up to {formats.number(most_mb, 0, 'MB')} per file; "
        "unpack a larger archive and drop its folder."
    )
    kind = st.segmented_control(
        "Import", [_FILES, _FOLDER], default=_FILES, key=_KIND, required=True, label_visibility="collapsed"
    )
    key = f"imports.files.{kind}.{state.get(_COUNT, 0)}"
    st.file_uploader(
        "Drop files or archives here" if kind == _FILES else "Drop a folder here",
        accept_multiple_files=True if kind == _FILES else "directory",
        max_upload_size=most_mb,
        key=key,
        on_change=_take,
        args=(page, key),
    )
    if fault := state.get(_FAULT):
        state.forget(_FAULT)
        st.error(fault, icon=":material/error:")


def _take(page: Page, key: str) -> None:
    """Send the files that the browser has sent; an empty uploader takes their place."""
    sent = state.get(key) or ()
    file_ids = [file.file_id for file in sent]
    if not sent or file_ids == state.get(_TAKEN):
        return  # a rerun that overtakes this one calls again with the same files: they were imported twice
    state.put(_TAKEN, file_ids)
    files = [import_jobs.UploadedFile(file.name, file) for file in sent]
    try:
        import_id = import_jobs.send(page.client, files)
        open_report(import_id)
        state.put(_COUNT, state.get(_COUNT, 0) + 1)  # Streamlit keeps the files until the tab closes
        import_jobs.await_end(page.client, import_id, for_s=_FIRST_REPORT_S)
    except ServiceError as error:
        state.put(
            _FAULT, f"Not imported. {notices.sentence(error)} The files are unchanged; drop them again."
        )


def open_report(import_id: str) -> None:
    """Put an import and the first page of its report into the address."""
    state.set_params({IMPORT: import_id, FILES: None})


def draw_earlier(page: Page, imports: Iterable[ImportJob]) -> None:
    """Each earlier import; a click opens its report."""
    jobs = [job for job in imports if job.id != state.get_param(IMPORT)]
    if not jobs:
        notices.say_empty("No earlier imports.", fills="The report of each import stays here.")
        return
    with st.container(gap="xxsmall"):
        for job in jobs[:_MOST_EARLIER]:
            when = formats.moment(job.created_at.astimezone(page.zone), today=page.today)
            outcome = {"undone": "undone", "receiving": "not started"}.get(job.state) or import_jobs.summary(
                job
            )
            # A link to the page that is open keeps the old address in the browser; the next run lost the import.
            st.button(
                f"{when}: {outcome}",
                key=f"imports.open.{job.id}",
                icon=":material/description:",
                type="tertiary",
                on_click=open_report,
                args=(job.id,),
            )
