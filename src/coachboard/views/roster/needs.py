"""Who needs a look, and why: each flag with its rule, value, own normal, standing and age; to be put off."""

from datetime import timedelta
from math import isnan

import streamlit as st

from coachboard.analytics.baseline import digits_to_tell
from coachboard.analytics.flags import Flag, Standing
from coachboard.loaders.put_off import LONGEST_REASON, FlagOf, put_off, take_back
from coachboard.loaders.roster_row import RosterRow
from coachboard.models.enums import DataOnboardingStatus
from coachboard.models.users import User
from coachboard.views import choices, formats, notices, shell, state
from coachboard.views.addresses import page_url
from coachboard.views.bar import Press, draw_bar
from coachboard.views.formats import number
from coachboard.views.people_table import Cell, Column, Row, Table, draw_table
from coachboard.views.roster import ages, cells
from coachboard.views.roster.shown import Shown
from coachboard.views.shell import Athlete
from coachboard.views.text import md, plain

_AT_ONCE = 15
"""Athletes with all values of their flags; the others follow by their flags' titles alone."""
_DAYS = (1, 3, 7, 14, 28)


def draw(shown: Shown) -> None:
    """The athletes whose flags stand, as their flags compound; or the one that was clicked."""
    asked = shown.choice.athlete
    if asked:
        everybody = Press("all", "Show all athletes", "", is_quiet=True, icon="arrow_back", goes_on=True)
        draw_bar([everybody], key="roster.look_all", hears=lambda *_: state.set_param("athlete", None))
    people = [(athlete, row) for athlete in shown.people if (row := shown.row(athlete))]
    listed = [
        (athlete, row)
        for athlete, row in people
        if (athlete.id == asked if asked else bool(shown.standing(row)))
    ]
    listed.sort(key=lambda pair: -shown.concern(pair[1]))
    if not listed and not shown.roster.waiting:
        notices.say_empty(
            "No athlete needs a look under current thresholds.", fills="Change thresholds in Settings."
        )
    for athlete, row in listed[:_AT_ONCE]:
        _draw_athlete(shown, athlete, row, with_all=athlete.id == asked)
    if len(listed) > _AT_ONCE:
        _draw_short(shown, listed[_AT_ONCE:])
    _draw_put_off(shown)


def _draw_short(shown: Shown, listed: list[tuple[Athlete, RosterRow]]) -> None:
    """The others a line each: 300 athletes with their values and forms would take seconds to draw."""
    columns = [Column("name", "Athlete", width=180), Column("flags", "Flags")]
    rows = [
        Row(athlete.id, [Cell(plain(athlete.name)), Cell(_titles(shown.standing(row)))],
            href=page_url("", view="look", athlete=athlete.id))
        for athlete, row in listed
    ]  # fmt: skip
    draw_table(Table("More athletes with flags", columns, rows, kind="list"), key="roster.more")


def _titles(flags: tuple[Flag, ...]) -> str:
    return ", ".join(flag.rule.title for flag in flags)


def _draw_athlete(shown: Shown, athlete: Athlete, row: RosterRow, *, with_all: bool) -> None:
    with st.container(gap=None):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.page_link(
                shell.page_path("athlete"),
                label=f"**{md(athlete.name)}**",
                query_params={"athlete": athlete.id},
            )
            _draw_put_off_form(shown, athlete, row)
        st.markdown("\n".join(line_of(flag) for flag in shown.standing(row)) or "No active flags.")
    if with_all:
        _draw_rest(row)
        ages.draw(shown, row)


def _draw_rest(row: RosterRow) -> None:
    """The rules that raised nothing: for want of data, or because all is well."""
    short = [flag for flag in row.flags if flag.standing is Standing.TOO_LITTLE_DATA]
    if short:
        st.caption("Not enough data: " + "; ".join(f"{f.rule.title} ({md(f.shortage)})" for f in short) + ".")
    clear = [flag for flag in row.flags if flag.standing is Standing.CLEAR]
    if clear:
        st.caption("Checked, OK: " + "; ".join(flag.rule.title for flag in clear) + ".")
    if unfinished := unfinished_import(row.user):
        st.caption(unfinished)


def unfinished_import(user: User) -> str:
    """What a history that is not all there means for the numbers; empty where it is."""
    return {
        DataOnboardingStatus.ONGOING: "History import in progress: figures over several weeks are not complete yet.",
        DataOnboardingStatus.FAILED: "History import failed: figures use data received before the failure.",
        DataOnboardingStatus.NOT_STARTED: "History import has not started.",
    }.get(user.data_onboarding_status, "")


def line_of(flag: Flag) -> str:
    value = " ".join(part for part in (flag.rule.measure, _value(flag), _of(flag)) if part)
    parts = [value, _normal(flag), flag.detail, _stands(flag), _data_age(flag)]
    facts = ", ".join(md(part) for part in parts if part)
    return f"- **{md(flag.rule.title)}**: {facts}.  \n  :small[{md(flag.rule.says(flag.threshold))}]"


_OF_WHAT = {"form_low": "of fitness", "over_plan": "of the planned time"}
_NORMALS = {"over_plan": "on target:"}
_COUNTED = frozenset({"hard_meets_poor_recovery", "missed_sessions"})
_DIGITS = {"SD": 2, "": 2, "of 5": 1}
_PLURALS = frozenset({"signs", "sessions", "days"})
_UNITS = {"hrv_low": "ms", "signs": "signs"}


def _unit(flag: Flag, value: float) -> str:
    unit = _UNITS.get(flag.rule.id, flag.rule.unit)
    return formats.noun(value, unit.removesuffix("s")) if unit in _PLURALS else unit


def _value(flag: Flag) -> str:
    if isnan(flag.value):
        return ""
    return f"{_written(flag, flag.value)} {_unit(flag, flag.value)}".rstrip()


def _normal(flag: Flag) -> str:
    if isnan(flag.low) or isnan(flag.high) or flag.rule.id in _COUNTED:
        return ""
    low, high = _written(flag, flag.low), _written(flag, flag.high)
    # A dash after a minus sign would read as another minus.
    between = " to " if flag.low < 0 else "–"
    span = low if low == high else f"{low}{between}{high}"
    unit = _unit(flag, 1 if span == "1" else flag.high)
    return f"{_NORMALS.get(flag.rule.id, 'normal')} {span} {unit}".rstrip()


def _written(flag: Flag, value: float) -> str:
    """The value or a bound, precise enough to show on which side the value lies; hours as elsewhere, by the clock."""
    if flag.rule.unit == "h":
        return cells.hours(value)
    digits = 0 if flag.rule.id == "hrv_low" else _DIGITS.get(flag.rule.unit, 0)
    return number(value, digits_to_tell(flag.value, flag.low, flag.high, digits))


def _of(flag: Flag) -> str:
    return f"of {number(flag.high)}" if flag.rule.id in _COUNTED else _OF_WHAT.get(flag.rule.id, "")


def _stands(flag: Flag) -> str:
    return f"active for {formats.count(flag.days_standing, 'day')}" if flag.days_standing else ""


def _data_age(flag: Flag) -> str:
    if flag.age_d is None:
        return ""
    return "data from today" if flag.age_d == 0 else f"data {formats.count(flag.age_d, 'day')} old"


def _draw_put_off_form(shown: Shown, athlete: Athlete, row: RosterRow) -> None:
    standing = shown.standing(row)
    if not standing:
        return
    key = f"roster.off.{athlete.id}"
    # By its key the box is this athlete's: an open one would else go on to whoever moves up in the list.
    box = st.popover("Snooze", icon=":material/snooze:", type="tertiary", key=f"{key}.box")
    with box, st.form(key, border=False):
        titles = {flag.rule.id: flag.rule.title for flag in standing}
        st.pills("Flags", list(titles), selection_mode="multi", default=list(titles), key=f"{key}.rules",
                 format_func=titles.__getitem__)  # fmt: skip
        st.selectbox("For", _DAYS, index=1, key=f"{key}.days", format_func=lambda n: formats.count(n, "day"))
        st.text_input("Reason", key=f"{key}.reason", max_chars=LONGEST_REASON,
                      placeholder="Spoke on the phone, easy week agreed")  # fmt: skip
        st.form_submit_button("Snooze", on_click=_put_off, args=(shown, athlete.id, key))


def _put_off(shown: Shown, user_id: str, key: str) -> None:
    until = shown.page.today + timedelta(days=int(state.get(f"{key}.days")) - 1)
    with choices.keeping():
        for rule_id in state.get(f"{key}.rules", []):
            put_off(
                shown.page.store,
                shown.page.fingerprint,
                FlagOf(user_id, rule_id),
                until=until,
                reason=str(state.get(f"{key}.reason") or "").strip(),
                now=shown.page.now,
            )


def _take_back(shown: Shown, flag: FlagOf) -> None:
    with choices.keeping():
        take_back(shown.page.store, shown.page.fingerprint, flag)


def _draw_put_off(shown: Shown) -> None:
    names = {athlete.id: athlete.name for athlete in shown.page.athletes}
    kept = [(flag, until) for flag, until in shown.put_off.items() if flag.user_id in names]
    if not kept:
        return
    st.subheader("Snoozed flags", anchor=False)
    for flag, until in sorted(kept, key=lambda pair: pair[1].until):
        with st.container(horizontal=True, vertical_alignment="center"):
            rule = next((f.rule.title for f in _flags_of(shown, flag)), flag.rule_id)
            reason = f": {md(until.reason)}" if until.reason else ""
            day = formats.day(until.until, today=shown.page.today)
            st.markdown(f"{md(names[flag.user_id])}, {md(rule)}, until {day}{reason}")
            st.button("Unsnooze", key=f"roster.back.{flag.user_id}.{flag.rule_id}", type="tertiary",
                      on_click=_take_back, args=(shown, flag))  # fmt: skip


def _flags_of(shown: Shown, flag: FlagOf) -> list[Flag]:
    row = shown.roster.rows.get(flag.user_id)
    return [found for found in row.flags if found.rule.id == flag.rule_id] if row else []
