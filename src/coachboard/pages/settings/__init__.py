"""The sections of the settings page, in the order of the page, with the user's settings and the formulas."""

import platform
from dataclasses import replace

import streamlit as st

from coachboard import __version__
from coachboard.client.errors import BadRequest, ServiceError
from coachboard.formulas.session.zones import PACE_BANDS
from coachboard.loaders.formula_sheet import Formula, formula_sheet
from coachboard.loaders.preferences import time_zones
from coachboard.pages.settings.flags import draw_flags
from coachboard.pages.settings.intervals import draw_intervals
from coachboard.pages.settings.keys import draw_keys
from coachboard.pages.settings.service import draw_cache, draw_connection
from coachboard.pages.settings.theme_switch import draw as draw_theme_switch
from coachboard.ui.frame import choices, formats, navigation, notices, state
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.wire.comments import CommentMail

__all__ = [
    "draw_cache",
    "draw_comment_mail",
    "draw_connection",
    "draw_flags",
    "draw_formulas",
    "draw_intervals",
    "draw_keys",
    "draw_pace_zones",
    "draw_theme",
    "draw_time_zone",
    "draw_units",
    "draw_version",
    "draw_week",
]


INTERFACE_VERSION = "0.1.0"


def draw_formulas() -> None:
    """One number at a time, found by a part of its name: meaning, formula, unit and source."""
    sheet = {formula.name: formula for formula in formula_sheet()}
    chosen = st.selectbox(
        "Number",
        list(sheet),
        index=None,
        key="settings.formula",
        placeholder=f"Search {len(sheet)} numbers",
        width=440,
    )
    if chosen:
        _draw_formula(sheet[chosen])


def draw_version() -> None:
    parts = {
        "Coachboard": __version__,
        "Interface": INTERFACE_VERSION,
        "Streamlit": st.__version__,
        "Python": platform.python_version(),
    }
    st.caption(" · ".join(f"{name} {number}" for name, number in parts.items()))


def _draw_formula(formula: Formula) -> None:
    with st.container(border=True, gap="xsmall", width=820):
        st.markdown(md(formula.says))
        for heading, body in (
            ("Formula", formula.notes),
            ("Unit", formula.unit),
            ("Missing data", formula.missing_data),
            ("Worked example", formula.example),
            ("Source", formula.source),
        ):
            if body:
                st.caption(heading)
                st.text(body)


_SYSTEMS = {"metric": "Metric", "imperial": "Imperial"}
_AS_ABOVE = "as above"
_SPORTS = ("cycling", "running", "swimming", "rowing", "walking", "hiking")
_PACE_ZONES = {
    "intensities": "Aerobic to neuromuscular",
    "friel": "Friel, 7 zones",
    "domains": "Moderate, heavy, severe",
}
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


def draw_pace_zones(page: Page) -> None:
    """The zone system for time in pace zones."""
    state.put_default("settings.pace_zones", page.preferences.pace_zones)
    st.selectbox(
        "Pace zones",
        list(PACE_BANDS),
        list(PACE_BANDS).index(page.preferences.pace_zones),
        key="settings.pace_zones",
        format_func=_limits,
        on_change=_take_pace_zones,
        args=(page,),
        help="Limits in percent of critical speed, for time in zones of a session. The intensity of a planned step keeps "
        "the limits of the first system.",
        width=440,
    )


def _limits(name: str) -> str:
    edges = "/".join(f"{edge:.0f}" for edge in PACE_BANDS[name].edges)
    return f"{_PACE_ZONES[name]}: {edges} %"


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
    draw_theme_switch(["", *navigation.declared()])


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


def _take_pace_zones(page: Page) -> None:
    zones = state.get("settings.pace_zones")
    choices.keep(page, lambda kept: replace(kept, pace_zones=zones), "settings.pace_zones")


def _take_weekday(page: Page) -> None:
    weekday = state.get("settings.weekday")
    choices.keep(page, lambda kept: replace(kept, first_weekday=weekday), "settings.weekday")


def _take_time_zone(page: Page) -> None:
    zone = state.get("settings.time_zone") or ""
    choices.keep(page, lambda kept: replace(kept, time_zone=zone), "settings.time_zone")


_CHOICES = {
    CommentMail.OFF: "Off",
    CommentMail.AT_ONCE: "At once",
    CommentMail.DAILY: "Daily summary",
}
_KEY = "settings.comment_mail"
_UNCONFIRMED = f"{_KEY}.unconfirmed"


def draw_comment_mail(page: Page) -> None:
    """The choice of the mails; nothing for a service without comments."""
    planning = page.client.planning
    if not planning.has("comments"):
        return
    st.header("Mails about comments", anchor=False)
    try:
        kept = planning.comment_mail()
    except ServiceError as error:
        notices.say(error, about="The choice of mails")
        return
    if not kept.address:
        st.caption("You get no mails: the service has no address of yours. Enter it here.")
    if not kept.has_mail_server:
        st.caption("This service has no mail server: mails are saved in a folder on the server and not sent.")
    if state.get(_UNCONFIRMED):
        _draw_code(page, *state.get(_UNCONFIRMED))
    with st.form(_KEY, border=False, width=440):
        mail = st.segmented_control(
            "New comments that you have not read",
            list(_CHOICES),
            key=f"{_KEY}.when",
            default=kept.mail,
            required=True,
            format_func=_CHOICES.__getitem__,
            help="At once: a minute after the comment. Daily summary: at 6:00 in your time zone, if there are any.",
        )
        address = st.text_input(
            "Address",
            kept.address or "",
            key=f"{_KEY}.address",
            max_chars=320,
            placeholder="name@example.org",
            help="Empty: the address of the invitation that you accepted.",
        )
        is_sent = st.form_submit_button("Save mails", icon=":material/mail:")
    if is_sent:
        _save(page, mail or kept.mail, address)


def _draw_code(page: Page, mail: CommentMail, address: str) -> None:
    """The code that was mailed to a new address."""
    with st.form(f"{_KEY}.confirm", width=440):
        st.markdown(f"A code was sent to {md(address)}. Your address changes when you enter it.")
        code = st.text_input("Code", key=f"{_KEY}.code", max_chars=20, autocomplete="one-time-code")
        with st.container(horizontal=True):
            is_sent = st.form_submit_button("Confirm address")
            is_left = st.form_submit_button("Cancel", type="tertiary")
    if is_left:
        state.forget(_UNCONFIRMED)
        st.rerun()
    if is_sent:
        _save(page, mail, address, code.strip() or "-")


def _save(page: Page, mail: CommentMail, address: str, code: str | None = None) -> None:
    try:
        choice = page.client.planning.choose_comment_mail(mail, address.strip() or None, code)
    except BadRequest as error:
        st.error(f"Not saved: {md(error.words, longest=200)}", icon=":material/error:")
    except ServiceError as error:
        notices.say(error, about="Mails about comments")
    else:
        state.forget(f"{_KEY}.address", _UNCONFIRMED)
        if choice.unconfirmed:
            state.put(_UNCONFIRMED, (mail, choice.unconfirmed))
        st.rerun()
