"""Which session the page is about: the one of the address, else a list of the latest to choose from."""

import pandas as pd
import streamlit as st

from coachboard.client.errors import NotFound
from coachboard.loaders import activity as loader
from coachboard.loaders.activity import ActivityData, ActivityUnknown
from coachboard.loaders.matching import duration_s, local_day
from coachboard.models.activities import Activity
from coachboard.models.enums import DataOnboardingStatus
from coachboard.views import formats, notices, shell, state
from coachboard.views.activity.headline import activity_params, title_of
from coachboard.views.narrow import fitted
from coachboard.views.shell import Athlete, Page
from coachboard.views.text import md

_IMPORTING = (DataOnboardingStatus.NOT_STARTED, DataOnboardingStatus.ONGOING)


def open_session(page: Page, athlete: Athlete | None) -> ActivityData:
    """The session of the address with all its page shows; stops with a list where there is none."""
    activity_id = state.get_id("activity")
    if athlete is None:
        notices.say_empty(
            "There is no athlete to show.", fills="Whoever joins a workspace of yours appears here."
        )
        st.stop()
    if activity_id is None:
        draw_latest(page, athlete)
        st.stop()
    try:
        data = loader.load_activity(
            page.client,
            user_id=athlete.id,
            activity_id=activity_id,
            day=state.get_day("day"),
            today=page.today,
        )
    except ActivityUnknown:
        st.caption(md(f"{athlete.name} has no session with the id in the address; these are the latest."))
        draw_latest(page, athlete)
        st.stop()
    return data


def draw_latest(page: Page, athlete: Athlete) -> None:
    """The athlete's latest sessions as a table; a click on a row opens the session."""
    listed = loader.load_recent(page.client, user_id=athlete.id, today=page.today)
    shell.say_age(page, listed)
    notices.say_problems(listed)
    sessions = listed.value
    if not sessions:
        notices.say_empty(f"No session in the last {loader.RECENT_DAYS} days.", fills=_what_fills(athlete))
        return
    st.header("Latest sessions", anchor=False)
    key = f"activity.latest.{athlete.id}.{sessions[0].id}.{len(sessions)}"
    st.dataframe(
        fitted(_latest_table(page, sessions), ("Day", "Session", "Duration"), key="activity.latest"),
        hide_index=True, placeholder=formats.MISSING,
        key=key,
        on_select=lambda: _open(key, athlete, sessions),
        selection_mode="single-row",
        column_config={"Volume": st.column_config.NumberColumn(format="%.0f"),
                       "Intensity": st.column_config.NumberColumn(format="%.0f")},
        alt=f"The sessions of the last {loader.RECENT_DAYS} days, newest first.",
    )  # fmt: skip
    st.caption("Choose a row to open the session.")


def say_no_streams(data: ActivityData) -> None:
    """Why there are no panels: none recorded, still being imported, or not to be had at the moment."""
    status = data.profile.data_onboarding_status if data.profile else None
    if status in _IMPORTING:
        notices.say_empty(
            "The record of this session is not there yet:",
            fills="the athlete's history is still being imported; it appears when that is done.",
        )
    elif isinstance(data.streams_error, NotFound):
        notices.say_empty(
            "No record second by second belongs to this session.",
            fills="It was entered by hand, or its device kept a summary alone; what the summary holds is above.",
        )


def _what_fills(athlete: Athlete) -> str:
    if athlete.user.data_onboarding_status in _IMPORTING:
        return "The athlete's history is still being imported; sessions appear as it goes on."
    return "A recording that is uploaded or imported appears here."


def _open(key: str, athlete: Athlete, sessions: tuple[Activity, ...]) -> None:
    rows = (state.get(key) or {}).get("selection", {}).get("rows", [])
    if rows:
        state.set_params(dict(activity_params(athlete.id, sessions[rows[0]])))


def _latest_table(page: Page, sessions: tuple[Activity, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Day": [formats.day(local_day(session), today=page.today) for session in sessions],
            "Session": [title_of(session) for session in sessions],
            "Sport": [formats.sport(session.sport) for session in sessions],
            "Duration": [formats.duration_hms(duration_s(session)) for session in sessions],
            "Distance": [
                formats.distance(session.distance, session.sport, units=page.units) for session in sessions
            ],
            "Stimulus": [formats.label(session.training_stimulus) for session in sessions],
            "Volume": [session.volume for session in sessions],
            "Intensity": [session.intensity for session in sessions],
        }
    )
