"""The session in the URL, else the list of all sessions."""

from datetime import date
from functools import partial
from typing import Any

import streamlit as st

from coachboard.client import Result
from coachboard.client.errors import NotFound
from coachboard.loaders.activity import page_data as loader
from coachboard.loaders.activity.page_data import ActivityData, ActivityUnknown
from coachboard.loaders.matching import local_day
from coachboard.models.activities import Activity
from coachboard.views.activity.addresses import KEPT, LIST, activity_params
from coachboard.views.activity.history import IMPORTING, draw_history
from coachboard.views.frame import connection, formats, notices, shell, state
from coachboard.views.frame.page import Athlete, Page
from coachboard.views.frame.text import md
from coachboard.views.widgets import pickers

_SHOWN_INSTEAD = "activity.instead"


def pick_athlete(page: Page) -> Athlete:
    """The athlete in the URL; a change of athlete opens their session of the same day."""
    return pickers.pick_athlete(page, on_pick=lambda _, athlete_id: _take_athlete(page, athlete_id))


def open_session(page: Page, athlete: Athlete) -> ActivityData:
    """Load the session in the URL; without one, show a list and stop."""
    activity_id = state.get_id("activity") or _session_of_day(page, athlete)
    if activity_id is None:
        draw_history(page, athlete)
        st.stop()
    try:
        data, results = _load(page, athlete, activity_id, state.get_day("day"))
    except ActivityUnknown as unknown:
        data, results = _load_instead(page, athlete, unknown)
    shell.say_age(page, *results)
    _say_instead(page, athlete, data)
    return data


def _load(
    page: Page, athlete: Athlete, activity_id: str, day: date | None
) -> tuple[ActivityData, tuple[Result[Any], ...]]:
    asked: Any = {"user_id": athlete.id, "activity_id": activity_id, "day": day, "today": page.today}
    load = partial(loader.load_activity, page.client, **asked)
    return connection.kept(page.client, state.LOADED, (page.client.scope, *asked.values()), load)


def _load_instead(
    page: Page, athlete: Athlete, unknown: ActivityUnknown
) -> tuple[ActivityData, tuple[Result[Any], ...]]:
    """The athlete's session of the link's day, as after a change of athlete; without one, show a list and stop.

    A link in which only the athlete was edited names a session of another athlete.
    """
    is_unread = notices.unreadable("activities", [unknown.listed])  # then the link's session may exist
    found = None if is_unread else _near_day(page, athlete)
    if found is None:
        notices.say_empty(
            f"This link's session was not found for {md(athlete.name)}.",
            fills="All sessions:",
            rows="activities",
            of=[unknown.listed],
        )
        draw_history(page, athlete)
        st.stop()
    params = activity_params(state.get_param("athlete") or athlete.id, found)
    state.keep_params((*KEPT, *LIST))  # the selection belongs to the link's session
    state.set_params(params)
    # This run corrects the URL; the next run, which may follow immediately, must still say so.
    state.put(_SHOWN_INSTEAD, found.id)
    return _load(page, athlete, found.id, local_day(found))


def _say_instead(page: Page, athlete: Athlete, data: ActivityData) -> None:
    if state.get(_SHOWN_INSTEAD) != data.activity.id:
        state.forget(_SHOWN_INSTEAD)
        return
    day = formats.day(data.day, today=page.today)
    notices.say_empty(
        f"This link's session was not found for {md(athlete.name)};", fills=f"showing their session of {day}."
    )


def _take_athlete(page: Page, athlete_id: str) -> None:
    """Write athlete and day to the URL; remove session, selection and comparison of the former athlete."""
    day = (state.get_day("day") or page.today) if state.get_id("activity") else None
    state.keep_params((*KEPT, *LIST))
    state.set_params({"athlete": athlete_id, "day": day})


def _session_of_day(page: Page, athlete: Athlete) -> str | None:
    """The id of the athlete's session nearest to the URL's day; writes it to the URL."""
    found = _near_day(page, athlete)
    if found is None:
        return None
    state.set_params(activity_params(state.get_param("athlete") or athlete.id, found))
    return found.id


def _near_day(page: Page, athlete: Athlete) -> Activity | None:
    day = state.get_day("day")
    return loader.find_near(page.client, user_id=athlete.id, day=day, today=page.today) if day else None


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
