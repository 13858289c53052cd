"""The recomputation that follows a change of a value, and its progress."""

import streamlit as st

from coachboard.client.errors import NotFound, ServiceError
from coachboard.models.own_data import SavedMetric
from coachboard.views.frame import formats, notices, state
from coachboard.views.frame.shell import Page

_JOB, _DONE = "values.job", "values.done"
_POLL_S = 0.5
_UNFINISHED = frozenset({"queued", "running"})


def follow(saved: SavedMetric) -> None:
    """Show the progress of this change's recomputation from the next run on."""
    state.put(_JOB, saved.recompute.id)
    state.forget(_DONE)


def draw_recompute(page: Page) -> None:
    """The progress while sessions are recomputed, then their number."""
    if not draw_progress(page) and (says := state.get(_DONE)):
        st.caption(f":material/check: {says}")


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
    of = f"{job.done:,} of {formats.count(total, 'session')}" if total else "Looking for sessions"
    st.progress(min(job.done / total, 1.0) if total else 0.0, text=f"Recomputing loads: {of}")


def _done_words(outcome: str, sessions: int) -> str:
    if outcome == "failed":
        return "Saved. The recomputation failed: the loads are as before. Save the value again to repeat it."
    return f"Saved. All loads are up to date ({formats.count(sessions, 'session')} checked)."
