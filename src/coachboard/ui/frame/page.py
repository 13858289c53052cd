"""The context of a page: who reads it, of whom, on which day, in which units."""

from collections.abc import Mapping, Sequence, ValuesView
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st
from sqlalchemy import Engine
from streamlit.delta_generator import DeltaGenerator

from coachboard.client import Client
from coachboard.client.result import Result
from coachboard.formulas.session.zones import PACE_BANDS, BandModel
from coachboard.loaders.athlete_today import AthleteToday, Clock, athlete_today
from coachboard.loaders.preferences import Preferences
from coachboard.ui.frame import state
from coachboard.ui.frame.connection import Access
from coachboard.ui.frame.formats import System, Units
from coachboard.wire.enums import WorkspaceRole
from coachboard.wire.users import User, UserProfile, WorkspaceMembership

_DAYS = "shell.days"


@dataclass(frozen=True, slots=True)
class Athlete:
    """A person whose data this key may read; `id` goes into requests, `me` for the user."""

    id: str
    name: str
    user: User

    @property
    def is_me(self) -> bool:
        return self.id == state.OWN


@dataclass(frozen=True, slots=True)
class Page:
    """The context that `open_page` hands to each section of a page: client, athletes, dates, units, and places to draw in."""

    title: str
    client: Client
    access: Access
    profile: UserProfile
    me: Athlete
    athletes: tuple[Athlete, ...]  # of the user's workspaces, without the user
    today: date  # the user's; the athlete's on a page that `on_day_of` returns
    clock: Clock
    profile_as_of: datetime
    preferences: Preferences
    units: Units
    first_weekday: int  # 0 is Monday
    store: Engine
    picks: DeltaGenerator  # next to the title, for the page's pickers
    heading: DeltaGenerator  # holds the title, which a page may replace
    people_results: tuple[Result[Any], ...]  # the user and their athletes, as fetched
    age: DeltaGenerator  # holds the line with the age of the data

    @property
    def fingerprint(self) -> str:
        return self.access.fingerprint

    @property
    def names(self) -> dict[str, str]:
        """The names of the user and the athletes, by the ids of requests and of the service."""
        return {person.id: person.name for person in self.everyone} | {self.profile.id: self.me.name}

    @property
    def now(self) -> datetime:
        """The current time, read at each use: a click may run a section or a callback hours after the page."""
        return self.clock.now()

    @property
    def zone(self) -> tzinfo | None:
        """The user's time zone; each session has the athlete's."""
        return own_zone(self.preferences.time_zone)

    def today_of(self, user_id: str) -> date:
        """The athlete's current date; the page reruns when that day ends."""
        athlete_day = athlete_today(self.client, user_id, self.clock)
        note_days({user_id: athlete_day})
        return athlete_day.day

    def on_day_of(self, user_id: str) -> "Page":
        """The page with the athlete's date as `today`: ranges end and labels count from it."""
        return replace(self, today=self.today_of(user_id))

    @property
    def pace_bands(self) -> BandModel:
        """The zones of speed and pace that the user chose."""
        return PACE_BANDS[self.preferences.pace_zones]

    @property
    def coaches(self) -> bool:
        """Whether the user has athletes, or a role that may have some."""
        return leads(self.profile, self.athletes)

    @property
    def everyone(self) -> tuple[Athlete, ...]:
        return (*self.athletes, self.me)


def leads(profile: UserProfile, athletes: Sequence[object]) -> bool:
    return bool(athletes) or bool(inviting_workspaces(profile))


def inviting_workspaces(profile: UserProfile) -> tuple[WorkspaceMembership, ...]:
    """The workspaces in which the user may invite."""
    return tuple(membership for membership in profile.workspaces or () if membership.role in LEADERS)


LEADERS = frozenset({WorkspaceRole.COACH, WorkspaceRole.ADMIN})


def note_days(days: Mapping[str, AthleteToday]) -> None:
    """Record the athletes' days that the page shows."""
    state.put(_DAYS, {**state.get(_DAYS, {}), **days})


def forget_days() -> None:
    state.put(_DAYS, {})


def noted_days() -> ValuesView[AthleteToday]:
    """The athletes' days that the page shows."""
    days: Mapping[str, AthleteToday] = state.get(_DAYS, {})
    return days.values()


def units_of(preferences: Preferences) -> Units:
    by_sport = {sport: System(system) for sport, system in preferences.system_by_sport.items()}
    return Units(System(preferences.system), by_sport)


def own_zone(chosen: str) -> tzinfo | None:
    """The user's zone: from the settings, else from the browser; None until the browser has reported it."""
    name = chosen or st.context.timezone or ""
    if name:
        with suppress(ZoneInfoNotFoundError, ValueError):
            return ZoneInfo(name)
    offset_min = st.context.timezone_offset
    # The browser reports minutes from local time to UTC: two hours east of Greenwich is -120.
    return None if offset_min is None else timezone(timedelta(minutes=-offset_min))
