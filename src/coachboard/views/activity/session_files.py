"""The session as files for other programs: the original, GPX and TCX."""

from functools import partial
from pathlib import PurePosixPath

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.loaders.activity import session_files as files
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.models.own_data import OwnActivity
from coachboard.views.frame import notices, state
from coachboard.views.frame.own_data import has_feature
from coachboard.views.frame.page import Page

_FORMATS = {
    "gpx": ("application/gpx+xml", files.why_no_gpx, files.gpx),
    "tcx": ("application/vnd.garmin.tcx+xml", files.why_no_tcx, files.tcx),
}


def draw_session_files(page: Page, data: ActivityData) -> None:
    """A button for each format that the session has, and why another one is missing."""
    own, why_no_fit = _original(page, data)
    with st.container(horizontal=True, gap="small"):
        reasons = [_draw_original(page, own, data) if own else why_no_fit]
        reasons += [_draw_written(data, name) for name in _FORMATS]
    if missing := [reason for reason in reasons if reason]:
        st.caption(f"Not available: {'; '.join(missing)}.")


def _draw_written(data: ActivityData, name: str) -> str:
    """The button of a format that is written from the streams, else the reason why there is none."""
    kind, why_not, write = _FORMATS[name]
    if reason := why_not(data.activity, data.streams):
        return f"{name.upper()} ({reason})"
    assert data.streams is not None  # else there is a reason
    _draw_button(
        name.upper(),
        partial(write, data.activity, data.streams),
        f"{files.file_stem(data.activity)}.{name}",
        kind,
    )
    return ""


def _original(page: Page, data: ActivityData) -> tuple[OwnActivity | None, str]:
    """The reader's own session with its original file, else why there is none."""
    if data.user_id not in {state.OWN, page.profile.id}:
        return None, "FIT (only the athlete can download the original)"
    if not has_feature(page, "activities"):
        return None, "FIT (this service keeps no original files)"
    try:
        row = page.client.own_data.get_activity(data.activity.id)
    except ServiceError as error:
        return None, f"FIT ({notices.sentence(error).rstrip('.')})"
    if row.file_name is not None:
        return row, ""
    lost = "the original file is missing or damaged; import it again"
    return None, f"FIT ({lost if row.files else 'no original file'})"


def _draw_original(page: Page, row: OwnActivity, data: ActivityData) -> str:
    """The original file, of a joined session the first one; a reason if it is no FIT file."""
    suffix = PurePosixPath(row.file_name or "").suffix.lower().lstrip(".")
    kind = suffix if suffix in {"fit", "gpx", "tcx"} else "bin"
    name = f"{files.file_stem(data.activity)}-original.{kind}"
    _draw_button(
        "FIT" if kind == "fit" else "Original",
        partial(page.client.own_data.download_file, row.id),
        name,
        None,
    )
    return (
        ""
        if kind == "fit"
        else f"FIT (the original is {'an unknown' if kind == 'bin' else f'a {kind.upper()}'} file)"
    )


def _draw_button(label: str, make: partial[bytes], name: str, kind: str | None) -> None:
    st.download_button(
        label,
        # With bytes, the button's address answered 404 in this fragment; and each view would write the file.
        make,
        file_name=name,
        mime=kind,
        key=f"activity.export.file.{label.lower()}",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )
