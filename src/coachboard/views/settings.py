"""The settings page: the connection, what is kept, the reader's own choices, the formulas, the version."""

import platform
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version

import pandas as pd
import streamlit as st

from coachboard.analytics.flags import RULES
from coachboard.loaders.formula_sheet import Formula, formulas
from coachboard.loaders.preferences import Preferences, save_preferences
from coachboard.views import connection, formats, state, syncing, theme
from coachboard.views.shell import Page
from coachboard.views.text import md

_SYSTEMS = {"metric": "Metric", "imperial": "Imperial"}
_AS_ABOVE = "as above"
_SPORTS = ("cycling", "running", "swimming", "rowing", "walking", "hiking")
_WEEKDAYS = {0: "Monday", 6: "Sunday", 5: "Saturday"}
_REQUESTS_PER_MINUTE = 300
INTERFACE_VERSION = "0.1.0"


def draw_connection(page: Page) -> None:
    """Which service, as whom, how it answers, and how much of the limit is left."""
    rows = {
        "Service": page.access.base_url,
        "Signed in as": page.me.name,
        "With": page.access.way.value,
        "Profile read": formats.ago(page.profile_as_of, page.now),
        "Requests left this minute": f"{page.client.requests_left()} of {_REQUESTS_PER_MINUTE}",
    }
    _draw_facts(rows)
    st.button(
        "Test the connection",
        key="settings.test",
        icon=":material/network_check:",
        on_click=_test_connection,
        args=(page,),
    )
    _draw_outcome("settings.tested")
    if page.access.way is connection.Way.IDENTITY:
        _draw_stored_key()


def draw_cache(page: Page) -> None:
    """How much is kept and how old it is; fetching anew and clearing."""
    kept = page.client.holding()
    _draw_facts(
        {
            "Kept for this key": formats.megabytes(kept.size_bytes),
            "Oldest, newest": f"{_age(page, kept.oldest)}, {_age(page, kept.newest)}",
            "Background sync": _sync_words(page),
        }
    )
    with st.container(horizontal=True):
        st.button(
            "Sync now",
            key="settings.sync",
            icon=":material/sync:",
            on_click=_sync,
            args=(page,),
            help="Fetches what is old in the background, as far as the limit allows.",
        )
        st.button(
            "Clear",
            key="settings.clear",
            icon=":material/delete:",
            on_click=_clear,
            args=(page,),
            help="Forgets what was read with this key; pages fetch it again. Ledger and choices stay.",
        )
    _draw_outcome("settings.kept")


def draw_units(page: Page) -> None:
    """Metric or imperial, and another system for single sports."""
    chosen = page.preferences
    state.put_default("settings.system", chosen.system)
    st.segmented_control(
        "Units",
        list(_SYSTEMS),
        key="settings.system",
        required=True,
        format_func=_SYSTEMS.__getitem__,
        on_change=_take_units,
        args=(page,),
    )
    single = st.expander("Another system for single sports", expanded=bool(chosen.system_by_sport))
    with single, st.container(horizontal=True):
        for sport in _SPORTS:
            _draw_sport(page, sport)


def draw_week(page: Page) -> None:
    """On which day weeks begin, in the calendar and in every weekly total."""
    state.put_default("settings.weekday", page.preferences.first_weekday)
    st.segmented_control(
        "First day of the week",
        list(_WEEKDAYS),
        key="settings.weekday",
        required=True,
        format_func=_WEEKDAYS.__getitem__,
        on_change=_take_weekday,
        args=(page,),
    )


def draw_theme() -> None:
    """Which theme is on, and where it is changed."""
    st.caption(
        f"Theme: {'dark' if theme.is_dark() else 'light'}. It follows your system; another one is chosen "
        "in the menu ⋮ at the top right and kept by your browser."
    )


def draw_flags(page: Page) -> None:
    """The rules of the roster's flags, each with the threshold in force, which may be changed."""
    st.data_editor(
        _rules_frame(page.preferences.flag_thresholds),
        hide_index=True,
        height="content",
        disabled=("Flag", "Raised when", "Unit", "Default", "Needs", "From"),
        key="settings.flags",
        on_change=_take_thresholds,
        args=(page,),
        column_config={
            "Threshold": st.column_config.NumberColumn(width=90, required=True, format="%g"),
            "Default": st.column_config.NumberColumn(width=70, format="%g"),
            "Unit": st.column_config.TextColumn(width=70),
            "Flag": st.column_config.TextColumn(width=240),
            "Raised when": st.column_config.TextColumn(width=420),
        },
    )
    if page.preferences.flag_thresholds:
        st.button(
            "Back to the defaults",
            key="settings.flags_default",
            type="tertiary",
            icon=":material/undo:",
            on_click=_save,
            args=(page, replace(page.preferences, flag_thresholds={})),
        )


def draw_formulas() -> None:
    """One formula at a time, found by typing a part of its name."""
    sheet = {f"{formula.topic}: {formula.name}": formula for formula in formulas()}
    chosen = st.selectbox(
        "Formula",
        list(sheet),
        index=None,
        key="settings.formula",
        placeholder=f"Find one of {len(sheet)}",
        width=440,
    )
    if chosen:
        _draw_formula(sheet[chosen])


def draw_version() -> None:
    parts = {
        "Coachboard": version("coachboard"),
        "Interface": INTERFACE_VERSION,
        "Streamlit": version("streamlit"),
        "Python": platform.python_version(),
    }
    st.caption(" · ".join(f"{name} {number}" for name, number in parts.items()))


def _draw_facts(rows: Mapping[str, str]) -> None:
    st.markdown("  \n".join(f":gray[{name}]\u2002{md(value)}" for name, value in rows.items()))


def _sync_words(page: Page) -> str:
    sync = syncing.of(page.fingerprint, page.client)
    progress = sync.progress
    if sync.error is not None:
        return f"stopped: {sync.error.summary}"
    if progress is None:
        return "under way" if sync.has_begun else "begins a minute after the first page"
    if progress.done == progress.total:
        return "up to date; every 15 minutes"
    return f"{progress.done} of {progress.total}, {formats.duration_hm(progress.seconds_left)} left"


def _age(page: Page, when: datetime | None) -> str:
    return formats.ago(when, page.now) if when else formats.MISSING


def _draw_outcome(key: str) -> None:
    if says := state.get(key):
        st.caption(says)


def _test_connection(page: Page) -> None:
    started = datetime.now(UTC)
    says = connection.probe(page.client)
    took_ms = (datetime.now(UTC) - started).total_seconds() * 1000
    state.put("settings.tested", says or f"The service answered in {formats.number(took_ms, 0, 'ms')}.")


def _sync(page: Page) -> None:
    syncing.of(page.fingerprint, page.client).begin()
    state.put("settings.kept", "Fetching what is old in the background.")


def _clear(page: Page) -> None:
    page.client.forget()
    state.put("settings.kept", "Cleared; pages fetch anew.")


def _draw_stored_key() -> None:
    st.caption("Your key is held by this server for your identity, encrypted.")
    st.button(
        "Remove my key from this server", key="settings.unseal", on_click=connection.remove_identity_key
    )


def _draw_sport(page: Page, sport: str) -> None:
    key = f"settings.system.{sport}"
    state.put_default(key, page.preferences.system_by_sport.get(sport, _AS_ABOVE))
    st.selectbox(
        formats.label(sport),
        [_AS_ABOVE, *_SYSTEMS],
        key=key,
        format_func=lambda system: _SYSTEMS.get(system, "As above"),
        on_change=_take_units,
        args=(page,),
        width=140,
    )


def _take_units(page: Page) -> None:
    by_sport = {sport: state.get(f"settings.system.{sport}", _AS_ABOVE) for sport in _SPORTS}
    own = {sport: system for sport, system in by_sport.items() if system != _AS_ABOVE}
    _save(page, replace(page.preferences, system=state.get("settings.system"), system_by_sport=own))


def _take_weekday(page: Page) -> None:
    _save(page, replace(page.preferences, first_weekday=state.get("settings.weekday")))


def _take_thresholds(page: Page) -> None:
    edited = state.get("settings.flags")["edited_rows"]
    thresholds = dict(page.preferences.flag_thresholds)
    for position, cells in edited.items():
        rule = RULES[int(position)]
        value = cells.get("Threshold")
        if value is None or value == rule.threshold:
            thresholds.pop(rule.id, None)
        else:
            thresholds[rule.id] = float(value)
    _save(page, replace(page.preferences, flag_thresholds=thresholds))


def _save(page: Page, preferences: Preferences) -> None:
    save_preferences(page.store, page.fingerprint, preferences)


def _rules_frame(own: Mapping[str, float]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Flag": [rule.title for rule in RULES],
            "Threshold": [own.get(rule.id, rule.threshold) for rule in RULES],
            "Unit": [rule.unit for rule in RULES],
            "Default": [rule.threshold for rule in RULES],
            "Raised when": [rule.says(own.get(rule.id)) for rule in RULES],
            "Needs": [rule.minimum_data for rule in RULES],
            "From": [rule.source for rule in RULES],
        }
    )


def _draw_formula(formula: Formula) -> None:
    with st.container(border=True, gap="xsmall", width=820):
        st.markdown(md(formula.says))
        for heading, body in (
            ("How", formula.notes),
            ("Missing data", formula.missing_data),
            ("From", formula.references),
        ):
            if body:
                st.caption(heading)
                st.text(body)
