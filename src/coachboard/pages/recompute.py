"""The recomputation that follows a change of a value, and its progress."""

from collections.abc import Mapping

import streamlit as st

from coachboard.client.errors import NotFound, ServiceError
from coachboard.ui.frame import formats, navigation, notices, state
from coachboard.ui.frame.page import Page
from coachboard.wire.own_data import Job

_JOB, _DONE, _FROM = "values.job", "values.done", "values.from"
_POLL_S = 0.5
_UNFINISHED = frozenset({"queued", "running"})


def follow(job: Job) -> None:
    """Show the progress of a recomputation of the user's sessions from the next run on."""
    state.put(_JOB, job.id)
    state.forget(_DONE)


def open_values(session: Mapping[str, str]) -> None:
    """Open the user's own values, with a way back to the session of these URL parameters."""
    state.put(_FROM, dict(session))
    st.switch_page(navigation.page_path("values"), query_params={"athlete": state.OWN})


def draw_recompute(page: Page) -> None:
    """The progress while sessions are recomputed, then their number; the way back to the session that lacked a value."""
    if not draw_progress(page) and (outcome := state.get(_DONE)):
        st.caption(f":material/check: {outcome}")
    session = state.get(_FROM)
    # A link would fail where the page is opened without the navigation.
    if session and st.button(
        "Back to the session", key="values.back", type="tertiary", icon=":material/arrow_back:"
    ):
        state.forget(_FROM)
        st.switch_page(navigation.page_path("activity"), query_params=session)


def draw_progress(page: Page) -> bool:
    """The progress while sessions are recomputed, then the page again with the loads that hold; False without one."""
    is_running = bool(state.get(_JOB))
    if is_running:
        st.fragment(_draw_progress, run_every=_POLL_S)(page)
    return is_running


def _draw_progress(page: Page) -> None:
    try:
        job = page.client.own_data.get_recomputation(state.get(_JOB))
    except NotFound:
        state.forget(_JOB)
        st.rerun()
    except ServiceError as error:
        notices.say(error, about="Progress of the recomputation")
        return
    if job.state not in _UNFINISHED:
        state.forget(_JOB)
        state.put(_DONE, _done_words(job.state, job.done))
        st.rerun()
    total = job.total or 0
    progress = f"{job.done:,} of {formats.count(total, 'session')}" if total else "Looking for sessions"
    st.progress(min(job.done / total, 1.0) if total else 0.0, text=f"Recomputing loads: {progress}")


def _done_words(outcome: str, sessions: int) -> str:
    if outcome == "failed":
        return "Saved. The recomputation failed: the loads are as before. Save the value again to repeat it."
    return f"Saved. All loads are up to date ({formats.count(sessions, 'session')} checked)."
