"""Opening a session: the athlete, and the session in the URL; without one the list of all."""

from datetime import date
from typing import Any, NoReturn

import streamlit as st

from coachboard.client import Result
from coachboard.client.errors import NotFound
from coachboard.pages.activity import data as loader
from coachboard.pages.activity.data import ActivityData, ActivityUnknown
from coachboard.pages.activity.session_list import IMPORTING, draw_history
from coachboard.ui.frame import notices, shell, state
from coachboard.ui.frame.addresses import KEPT, LIST, activity_params
from coachboard.ui.frame.page import Athlete, Page
from coachboard.ui.frame.text import md
from coachboard.ui.widgets import pickers


def pick_athlete(page: Page) -> Athlete:
    """The athlete in the URL; a change of athlete opens their session of the same day."""
    return pickers.pick_athlete(page, on_pick=lambda _, athlete_id: _take_athlete(page, athlete_id))


def open_session(page: Page, athlete: Athlete) -> ActivityData:
    """Load the session in the URL; without one, or if the athlete has none of that id, show a list and stop."""
    asked = st.query_params.get("activity")
    activity_id = state.get_id("activity") if asked else _session_of_day(page, athlete)
    if activity_id is None:
        _list_all(page, athlete, is_missing=bool(asked))
    try:
        data, results = _load(page, athlete, activity_id, state.get_day("day"))
    except ActivityUnknown as unknown:
        _list_all(page, athlete, unknown.listed, is_missing=True)
    shell.say_age(page, *results)
    return data


def _list_all(page: Page, athlete: Athlete, *listed: Result[Any], is_missing: bool) -> NoReturn:
    if is_missing:
        text = f"This session was not found, or your key cannot read it. All sessions of {md(athlete.name)}:"
        st.warning(notices.unreadable("activities", listed) or text, icon=":material/search_off:")
    draw_history(page, athlete)
    st.stop()


def _load(
    page: Page, athlete: Athlete, activity_id: str, day: date | None
) -> tuple[ActivityData, tuple[Result[Any], ...]]:
    asked: Any = {"user_id": athlete.id, "activity_id": activity_id, "day": day, "today": page.today}
    data, results = loader.load_activity(page.client, **asked)
    state.put(state.LOADED, data)  # the loader has the record for the next run as long as a session holds it
    return data, results


def _take_athlete(page: Page, athlete_id: str) -> None:
    """Write athlete and day to the URL; remove session, selection and comparison of the former athlete."""
    day = (state.get_day("day") or page.today) if state.get_id("activity") else None
    state.keep_params((*KEPT, *LIST))
    state.set_params({"athlete": athlete_id, "day": day})


def _session_of_day(page: Page, athlete: Athlete) -> str | None:
    """The id of the athlete's session nearest to the URL's day; writes it to the URL."""
    day = state.get_day("day")
    near = loader.find_near(page.client, user_id=athlete.id, day=day, today=page.today) if day else None
    if near is None:
        return None
    state.set_params(activity_params(state.get_param("athlete") or athlete.id, near))
    return near.id


def say_no_streams(data: ActivityData) -> None:
    """Why there are no panels: no streams, import in progress, or failed request."""
    status = data.profile.data_onboarding_status if data.profile else None
    if status in IMPORTING:
        notices.say_empty(
            "No recording of this session yet:",
            fills="the athlete's history is still being imported. The recording appears after the import.",
        )
    elif isinstance(data.streams_error, NotFound):
        notices.say_empty(
            "This session has no second-by-second recording.",
            fills="It was entered by hand, or the device saved a summary only. The summary is above.",
        )
    elif data.streams is not None:
        notices.say_empty(
            "The recording of this session is empty:",
            fills="the device sent no data. The summary is above.",
            rows="streams",
            of=data.results,
        )
