"""The frame of every page: who is reading, which pages there are, what a page needs to begin."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import streamlit as st
from sqlalchemy import Engine
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from coachboard import settings
from coachboard.client import Client
from coachboard.client.errors import ServiceError, Unauthorized
from coachboard.client.result import Result
from coachboard.client.waiting import heard_by
from coachboard.loaders.athlete_day import AthleteDay, Clock, athlete_day, is_over
from coachboard.loaders.preferences import Preferences, load_preferences
from coachboard.models.enums import WorkspaceRole
from coachboard.models.users import User, UserProfile
from coachboard.views import connection, keeper, notices, sign_in, state, status, syncing
from coachboard.views.clock import own_zone
from coachboard.views.connection import Access
from coachboard.views.formats import System, Units, person

PAGES_FOLDER = Path(__file__).resolve().parents[3] / "pages"
_ICON = base64.b64encode((Path(__file__).with_name("static") / "icon.png").read_bytes()).decode()
ICON = f"data:image/png;base64,{_ICON}"
"""Sent with the page: 2 KB, which a browser otherwise asks for three times while it draws the first elements."""
PRODUCT = "Coachboard"
_SIDEBAR_PX = 216
_NEWS = "shell.news"
_NEWS_S = 1.0
_MOST_NEWS = 3
_DAYS = "shell.days"
_NEW_DAY_S = 60.0
_COACHING = frozenset({"roster"})
"""Pages that make no sense to somebody without athletes."""
_LEADERS = frozenset({WorkspaceRole.COACH, WorkspaceRole.ADMIN})


class Place(NamedTuple):
    """A page of the navigation; its file is `pages/<name>.py`, its address `/<name>`."""

    title: str
    icon: str


PLACES = MappingProxyType(
    {
        "roster": Place("Roster", ":material/groups:"),
        "athlete": Place("Athlete", ":material/person:"),
        "activity": Place("Activity", ":material/monitor_heart:"),
        "calendar": Place("Calendar", ":material/calendar_month:"),
        "trends": Place("Trends", ":material/show_chart:"),
        "workspaces": Place("Workspaces", ":material/group_add:"),
        "settings": Place("Settings", ":material/tune:"),
    }
)
"""In the order of the navigation; the first is the one at `/`."""


@dataclass(frozen=True, slots=True)
class Athlete:
    """Somebody whose data this key may read; `id` goes into requests, `me` for the reader's own."""

    id: str
    name: str
    user: User

    @property
    def is_me(self) -> bool:
        return self.id == state.OWN


@dataclass(frozen=True, slots=True)
class Page:
    """What a page begins with."""

    title: str
    client: Client
    access: Access
    profile: UserProfile
    me: Athlete
    athletes: tuple[Athlete, ...]  # of the reader's workspaces, without the reader
    today: date  # the reader's; what is due or missed goes by `today_of` the athlete
    clock: Clock
    now: datetime
    profile_as_of: datetime
    preferences: Preferences
    units: Units
    first_weekday: int  # 0 is Monday
    is_coach: bool
    store: Engine
    picks: DeltaGenerator  # beside the title, for the page's pickers
    heading: DeltaGenerator  # holds the title, which a page may replace by the name of what it shows
    read: tuple[Result[Any], ...]  # who reads and their athletes, as they arrived
    age: DeltaGenerator  # holds the one line on how old what is shown is

    @property
    def fingerprint(self) -> str:
        return self.access.fingerprint

    @property
    def zone(self) -> tzinfo | None:
        """The reader's own clock; the athlete's comes with each session."""
        return own_zone(self.preferences.time_zone)

    def today_of(self, user_id: str) -> date:
        """The athlete's current date; the page draws itself again when that day is over."""
        found = athlete_day(self.client, user_id, self.clock)
        note_days({user_id: found})
        return found.day

    @property
    def everyone(self) -> tuple[Athlete, ...]:
        return (*self.athletes, self.me)


def run() -> None:
    """Declare the pages and run the one that is asked for; what it could not read becomes a notice."""
    _configure()
    connection.leave_identity()
    access = connection.current_access()
    position = "sidebar" if access else "hidden"
    keeper.draw()
    show_wait = status.show_wait()
    with heard_by(show_wait):
        coaches = access is None or _coaches(access)
    asked = st.navigation(_pages(coaches=coaches), position=position)  # type: ignore[arg-type] # one of the two literals
    if not coaches and asked.title == PLACES["roster"].title:
        # Somebody without athletes begins with their own days; the address "/" is the roster's.
        st.switch_page(page_path("athlete"))
    try:
        with heard_by(show_wait):
            asked.run()
    except ServiceError as error:
        stop_with(error)


def open_page(title: str, *, is_titled: bool = True) -> Page:
    """The guard, the title and the frame; stops here with the sign-in form where nobody is signed in.

    A page that knows a better title a moment later writes its own at once: a browser would draw both.
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
        status.draw_unread(access, error)
        st.stop()


def stop_with(error: ServiceError) -> NoReturn:
    """Say what went wrong and stop; a key that is not accepted takes all its data off the screen."""
    access = connection.current_access()
    if isinstance(error, Unauthorized) and access is not None:
        connection.refuse(access)
        st.rerun()
    notices.say(error)
    st.stop()


def page_path(name: str) -> str:
    """What `st.page_link` and `st.switch_page` take for a page of the navigation."""
    return str(PAGES_FOLDER / f"{name}.py")


def _configure() -> None:
    # The icon is our own because Streamlit would fetch a Material icon for the tab from another host.
    st.logo(ICON, size="small")
    st.set_page_config(page_title=PRODUCT, page_icon=ICON, layout="wide", initial_sidebar_state=_SIDEBAR_PX)


def declared() -> list[str]:
    """The pages whose files are there, in the order of the navigation."""
    return [name for name in PLACES if (PAGES_FOLDER / f"{name}.py").exists()]


def import_pages() -> None:
    """Import what the pages are made of before the first reader asks: half a second of CPU."""
    for name in declared():
        import_module(f"coachboard.views.{name}")


def _coaches(access: Access) -> bool:
    """Whether the roster makes sense to the reader; where that cannot be told yet, it is offered."""
    client = connection.client_for(access)
    try:
        profile, users = _reader(client)
        return _leads(profile.value, users.value)
    except ServiceError:
        return True


def _reader(client: Client) -> tuple[Result[UserProfile], Result[tuple[User, ...]]]:
    """Who reads, and their athletes; both asked at once, as a first page needs both before it can begin."""
    client.fetch_users_soon()
    return client.get_user(state.OWN), client.list_users()


def _pages(*, coaches: bool) -> list[StreamlitPage]:
    names = declared()
    return [
        st.Page(
            PAGES_FOLDER / f"{name}.py",
            title=PLACES[name].title,
            icon=PLACES[name].icon,
            url_path=name,
            default=name == names[0],
            visibility="visible" if coaches or name not in _COACHING else "hidden",
        )
        for name in names
    ]


def _open(title: str, access: Access, client: Client, *, is_titled: bool) -> Page:
    state.enter(title)
    profile, users = _reader(client)
    _check_accepted(profile, users)
    store = connection.local_store()
    preferences = load_preferences(store, access.fingerprint)
    clock = Clock(own_zone(preferences.time_zone), settings.current().today)
    heading, picks = _draw_head(title if is_titled else "")
    page = Page(
        title=title,
        client=client,
        access=access,
        profile=profile.value,
        me=Athlete(state.OWN, person(profile.value), profile.value),
        athletes=_athletes(users.value, profile.value),
        today=clock.day(),
        clock=clock,
        now=clock.now(),
        profile_as_of=profile.as_of,
        preferences=preferences,
        units=units_of(preferences),
        first_weekday=preferences.first_weekday,
        is_coach=_leads(profile.value, users.value),
        store=store,
        picks=picks,
        heading=heading,
        read=(profile, users),
        age=st.empty(),
    )
    syncing.of(access.fingerprint, client)
    status.draw_sidebar(page, profile)
    say_age(page)
    _watch_days(page)
    return page


def say_age(page: Page, *results: Result[Any]) -> None:
    """Where anything shown is the last known state, one line with the oldest's age; a later call replaces it.

    What is being fetched anew is shown as soon as it is there.
    """
    shown = (*page.read, *results)
    is_renewed = any(one.is_stale and one.error is None for one in shown)
    if not is_renewed:
        state.forget(_NEWS)
    if not any(one.is_stale for one in shown):
        return  # an empty container would cost a browser what a full one does
    with page.age.container():
        notices.say_stale(*shown)
        if is_renewed and state.get(_NEWS, 0) < _MOST_NEWS:
            st.fragment(_show_news, run_every=_NEWS_S)(page.client)


def _show_news(client: Client) -> None:
    """Draw the page again once the refreshing is done; not for ever, should it still come back stale."""
    if client.is_settled():
        state.put(_NEWS, state.get(_NEWS, 0) + 1)
        st.rerun()


def note_days(days: Mapping[str, AthleteDay]) -> None:
    """Keep the athletes' days that the page shows."""
    state.put(_DAYS, {**state.get(_DAYS, {}), **days})


def _watch_days(page: Page) -> None:
    state.put(_DAYS, {})
    if page.clock.fixed is None:
        st.fragment(_redraw_on_a_new_day, run_every=_NEW_DAY_S)(page)


def _redraw_on_a_new_day(page: Page) -> None:
    """A page that is left open over midnight would go on to call yesterday today."""
    if is_over(page.clock, page.today, state.get(_DAYS, {}).values()):
        st.rerun()


def _check_accepted(*results: Result[Any]) -> None:
    """A key that was revoked meanwhile must not go on showing what was kept for it."""
    for result in results:
        if isinstance(result.error, Unauthorized):
            raise result.error


def _athletes(users: tuple[User, ...], profile: UserProfile) -> tuple[Athlete, ...]:
    others = (Athlete(user.id, person(user), user) for user in users if user.id != profile.id)
    return tuple(sorted(others, key=lambda athlete: athlete.name.casefold()))


def _leads(profile: UserProfile, users: tuple[User, ...]) -> bool:
    return bool(users) or any(membership.role in _LEADERS for membership in profile.workspaces or ())


def units_of(preferences: Preferences) -> Units:
    by_sport = {sport: System(system) for sport, system in preferences.system_by_sport.items()}
    return Units(System(preferences.system), by_sport)


def _draw_head(title: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        heading = st.empty()
        if title:
            heading.title(title, anchor=False)
        # As wide as what it holds: beside the title where there is room, else in rows of its own below it.
        return heading, st.container(horizontal=True, vertical_alignment="center", width="content")
