"""The frame of every page: the signed-in user, and the context that a page starts with."""

import base64
import time
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from coachboard import monitoring, settings
from coachboard.client import Client
from coachboard.client.errors import ServiceError, Unauthorized
from coachboard.client.result import Result
from coachboard.client.waiting import waits_reported_to
from coachboard.loaders.athlete_today import Clock, is_over
from coachboard.loaders.preferences import load_preferences
from coachboard.ui.frame import (
    connection,
    navigation,
    notices,
    review_bar,
    session_cookie,
    setting_faults,
    sign_in,
    state,
    status,
    syncing,
)
from coachboard.ui.frame.connection import Access
from coachboard.ui.frame.formats import person
from coachboard.ui.frame.page import Athlete, Page, forget_days, leads, noted_days, own_zone, units_of
from coachboard.ui.frame.text import md
from coachboard.wire.users import User, UserProfile

_ICON = base64.b64encode((Path(__file__).with_name("static") / "icon.png").read_bytes()).decode()
ICON = f"data:image/png;base64,{_ICON}"
"""Inlined into the page (2 KB): otherwise a browser requests it three times while it draws the first elements."""
PRODUCT = "Coachboard"
_SIDEBAR_PX = 216
_NEWS = "shell.news"
_NEWS_S = 1.0
_MOST_NEWS = 3
_RECENT = timedelta(hours=1)
"""Younger data that are being refreshed need no line."""
_NEW_DAY_S = 60.0


def run() -> None:
    """Declare the pages and run the requested one; an unread resource becomes a notice."""
    _configure()
    _PEOPLE.set(None)
    if fault := setting_faults.stopping():
        st.error(md(fault), icon=":material/settings_alert:")
        st.stop()
    connection.leave_identity()
    access = connection.current_access()
    position = "sidebar" if access else "hidden"
    session_cookie.draw()
    show_wait = status.show_wait()
    with waits_reported_to(show_wait):
        coaches = access is None or _coaches(access)
        hidden = navigation.pages_for("public") if coaches else navigation.pages_for("public", "coaches")
        hidden |= (
            frozenset() if access is not None and _has_own_data(access) else navigation.pages_for("own data")
        )
        hidden |= frozenset() if access is not None and _has_plans(access) else navigation.pages_for("plans")
        unread = _unread(access) if access is not None else 0
    asked = st.navigation(navigation.streamlit_pages(hidden, unread), position=position)  # type: ignore[arg-type] # one of the two literals
    if not coaches and asked.title.startswith(navigation.PLACES["roster"].title):
        # A user without athletes starts with their own days; the roster has the address "/".
        st.switch_page(navigation.page_path("athlete"))
    started = time.perf_counter()
    try:
        with waits_reported_to(show_wait):
            asked.run()
    except ServiceError as error:
        stop_with(error)
    finally:
        monitoring.PAGE_SECONDS.add(time.perf_counter() - started, asked.url_path or navigation.declared()[0])


def open_page(title: str, *, is_titled: bool = True) -> Page:
    """Check the sign-in, draw the title and the frame; stop with the sign-in form if nobody is signed in.

    With `is_titled=False` the page writes its own title, because a browser would show both.
    """
    st.set_page_config(page_title=f"{title} · {PRODUCT}")
    access = connection.current_access()
    if access is None:
        sign_in.draw()
        st.stop()
    client = connection.client_for(access)
    try:
        return _open(title, access, client, is_titled=is_titled)
    except Unauthorized as error:
        stop_with(error)
    except ServiceError as error:
        st.title(title, anchor=False)
        status.draw_unread(access, error, client)
        st.stop()


def open_public_page(title: str) -> None:
    """Draw the title of a page that needs no key."""
    st.set_page_config(page_title=f"{title} · {PRODUCT}")
    state.enter(title)
    st.title(title, anchor=False)


def stop_with(error: ServiceError) -> NoReturn:
    """Show the error with a button that tries again, and stop; a rejected key removes all its data from the screen."""
    access = connection.current_access()
    if isinstance(error, Unauthorized) and access is not None:
        connection.refuse(access)
        st.rerun()
    notices.say(error, has_retry=access is not None)
    if access is not None:
        status.draw_retry(connection.client_for(access))
    st.stop()


def _configure() -> None:
    # The icon is a bundled file because Streamlit would fetch a Material icon for the tab from another host.
    st.logo(ICON, size="small")
    st.set_page_config(page_title=PRODUCT, page_icon=ICON, layout="wide", initial_sidebar_state=_SIDEBAR_PX)


def _coaches(access: Access) -> bool:
    """Whether the user coaches athletes, so that the navigation offers the roster; true until the profile is known."""
    client = connection.client_for(access)
    try:
        people = _people_of(client)
        _PEOPLE.set(people)
        return leads(people.profile.value, people.users.value)
    except ServiceError:
        return True


class _People(NamedTuple):
    """The user and their athletes, as fetched and as pages name them."""

    profile: Result[UserProfile]
    users: Result[tuple[User, ...]]
    athletes: tuple[Athlete, ...]


_PEOPLE: ContextVar[_People | None] = ContextVar("people", default=None)
"""The user as the navigation read them, for the page of the same run."""


def _people_of(client: Client) -> _People:
    profile, users = client.get_user(state.OWN), client.list_users()
    return _People(profile, users, _athletes(users.value, profile.value))


def _unread(access: Access) -> int:
    """The number of comments that the user has not read; 0 while the service does not answer."""
    planning = connection.client_for(access).planning
    try:
        return len(planning.unread_comments()) if planning.has("comments") else 0
    except ServiceError:
        return 0


def _has_own_data(access: Access) -> bool:
    try:
        return connection.client_for(access).own_data.features() is not None
    except ServiceError:
        return False


def _has_plans(access: Access) -> bool:
    return connection.client_for(access).planning.has("plans")


def _open(title: str, access: Access, client: Client, *, is_titled: bool) -> Page:
    state.enter(title)
    profile, users, athletes = _PEOPLE.get() or _people_of(client)
    _check_accepted(profile, users)
    store = connection.local_store()
    state.put(state.OF_KEY, access.fingerprint)
    preferences = load_preferences(store, access.fingerprint)
    clock = Clock(own_zone(preferences.time_zone), settings.current().today)
    heading, picks = _draw_head(title if is_titled else "")
    page = Page(
        title=title,
        client=client,
        access=access,
        profile=profile.value,
        me=Athlete(state.OWN, person(profile.value), profile.value),
        athletes=athletes,
        today=clock.day(),
        clock=clock,
        profile_as_of=profile.as_of,
        preferences=preferences,
        units=units_of(preferences),
        first_weekday=preferences.first_weekday,
        store=store,
        picks=picks,
        heading=heading,
        people_results=(profile, users),
        age=st.empty(),
    )
    syncing.of(client)
    status.draw_sidebar(page, profile)
    say_age(page)
    review_bar.draw(page, navigation.page_path)
    _watch_days(page)
    return page


def say_age(page: Page, *results: Result[Any]) -> None:
    """One line with the oldest age if the page shows data that are old or could not be refreshed; a later call replaces it.

    The page reruns when the refresh has finished. A line that comes and goes would move the page under the pointer:
    a refresh of recent data has none, and a line stays until the page is left.
    """
    listed = (*page.people_results, *results)
    stale = [result for result in listed if result.is_stale]
    is_renewed = any(result.error is None for result in stale)
    if not is_renewed:
        state.forget(_NEWS)
    # Drawn in each run: a fragment that comes and goes moves all that is below it.
    is_awaited = is_renewed and state.get(_NEWS, 0) < _MOST_NEWS
    st.fragment(_show_news, run_every=_NEWS_S if is_awaited else None)(page.client, is_awaited)
    if any(result.error is not None or datetime.now(UTC) - result.as_of > _RECENT for result in stale):
        state.put(state.AGE, True)
    if not state.get(state.AGE):
        return  # an empty container costs a browser as much as a full one
    with page.age.container():
        if stale:
            notices.say_stale(*listed)
        else:
            st.caption(":material/history: Up to date.")


def _show_news(client: Client, is_awaited: bool) -> None:  # noqa: FBT001 (of a fragment)
    """Rerun the page after the refresh, a limited number of times in case the data stay stale."""
    if is_awaited and client.is_settled():
        state.put(_NEWS, state.get(_NEWS, 0) + 1)
        st.rerun()


def _watch_days(page: Page) -> None:
    forget_days()
    if page.clock.fixed is None:
        st.fragment(redraw_on_a_new_day, run_every=_NEW_DAY_S)(page)


def redraw_on_a_new_day(page: Page) -> None:
    """Rerun at midnight: an open page would call yesterday "today". Also start the sync, which needs a call after a minute."""
    syncing.of(page.client)
    if is_over(page.clock, page.today, noted_days()):
        st.rerun()


def _check_accepted(*results: Result[Any]) -> None:
    """Rerun if the service rejects the key meanwhile: a revoked key must not show cached data."""
    for result in results:
        if isinstance(result.error, Unauthorized):
            raise result.error


def _athletes(users: tuple[User, ...], profile: UserProfile) -> tuple[Athlete, ...]:
    others = (Athlete(user.id, person(user), user) for user in users if user.id != profile.id)
    return tuple(sorted(others, key=lambda athlete: athlete.name.casefold()))


def _draw_head(title: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        heading = st.empty()
        if title:
            heading.title(title, anchor=False)
        # As wide as its content: next to the title if there is room, else in rows below it.
        return heading, st.container(horizontal=True, vertical_alignment="center", width="content")
