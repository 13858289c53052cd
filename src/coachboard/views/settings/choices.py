"""The user's settings: units, first day of the week, time zone, theme."""

from dataclasses import replace

import streamlit as st

from coachboard.loaders.preferences import time_zones
from coachboard.views.frame import choices, formats, navigation, state
from coachboard.views.frame.page import Page
from coachboard.views.settings import theme_switch

_SYSTEMS = {"metric": "Metric", "imperial": "Imperial"}
_AS_ABOVE = "as above"
_SPORTS = ("cycling", "running", "swimming", "rowing", "walking", "hiking")
_WEEKDAYS = {0: "Monday", 6: "Sunday", 5: "Saturday"}


def draw_units(page: Page) -> None:
    """Metric or imperial, with exceptions for single sports."""
    chosen = page.preferences
    state.put_default("settings.system", chosen.system)
    st.segmented_control(
        "Units",
        list(_SYSTEMS),
        key="settings.system",
        default=chosen.system,
        required=True,
        format_func=_SYSTEMS.__getitem__,
        on_change=_take_units,
        args=(page,),
    )
    single = st.expander("Units per sport", expanded=bool(chosen.system_by_sport))
    with single, st.container(horizontal=True):
        for sport in _SPORTS:
            _draw_sport(page, sport)


def draw_week(page: Page) -> None:
    """The first day of the week in the calendar and in weekly totals."""
    state.put_default("settings.weekday", page.preferences.first_weekday)
    st.segmented_control(
        "First day of the week",
        list(_WEEKDAYS),
        key="settings.weekday",
        default=page.preferences.first_weekday,
        required=True,
        format_func=_WEEKDAYS.__getitem__,
        on_change=_take_weekday,
        args=(page,),
    )


def draw_time_zone(page: Page) -> None:
    """The time zone shown next to the athlete's if the two differ; it decides when a day begins."""
    zones = ["", *time_zones()]
    state.put_default("settings.time_zone", page.preferences.time_zone)
    st.selectbox(
        "Your time zone",
        zones,
        zones.index(page.preferences.time_zone),
        key="settings.time_zone",
        format_func=lambda zone: zone.replace("_", " ") or "Browser time zone",
        on_change=_take_time_zone,
        args=(page,),
        help="Sessions show the athlete's local time, and your time where it differs.",
        width=260,
    )


def draw_theme() -> None:
    """System, light or dark; stored in the browser, not with the key."""
    theme_switch.draw(["", *navigation.declared()])


def _draw_sport(page: Page, sport: str) -> None:
    key, systems = f"settings.system.{sport}", [_AS_ABOVE, *_SYSTEMS]
    chosen = page.preferences.system_by_sport.get(sport, _AS_ABOVE)
    state.put_default(key, chosen)
    st.selectbox(
        formats.label(sport),
        systems,
        systems.index(chosen),
        key=key,
        format_func=lambda system: _SYSTEMS.get(system, "Default"),
        on_change=_take_units,
        args=(page,),
        width=140,
    )


def _take_units(page: Page) -> None:
    keys = ["settings.system", *(f"settings.system.{sport}" for sport in _SPORTS)]
    by_sport = {sport: state.get(f"settings.system.{sport}", _AS_ABOVE) for sport in _SPORTS}
    own = {sport: system for sport, system in by_sport.items() if system != _AS_ABOVE}
    system = state.get("settings.system")
    choices.keep(page, lambda kept: replace(kept, system=system, system_by_sport=own), *keys)


def _take_weekday(page: Page) -> None:
    weekday = state.get("settings.weekday")
    choices.keep(page, lambda kept: replace(kept, first_weekday=weekday), "settings.weekday")


def _take_time_zone(page: Page) -> None:
    zone = state.get("settings.time_zone") or ""
    choices.keep(page, lambda kept: replace(kept, time_zone=zone), "settings.time_zone")
