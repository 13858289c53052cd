"""Active flags of each athlete with value, limit, normal range, days flagged and data age; each can be snoozed."""

from datetime import date, timedelta

import streamlit as st

from coachboard.flags.engine import NOTE_BELOW, RULES_BY_ID
from coachboard.flags.flag import Flag
from coachboard.flags.nights import NORMAL_RANGE
from coachboard.loaders.roster.flag_snooze import LONGEST_REASON, FlagOf, snooze, unsnooze
from coachboard.loaders.roster.row import RosterRow
from coachboard.models.enums import DataOnboardingStatus
from coachboard.models.users import User
from coachboard.views.frame import choices, formats, navigation, notices, state
from coachboard.views.frame.addresses import page_url
from coachboard.views.frame.page import Athlete
from coachboard.views.frame.text import md, plain
from coachboard.views.roster import cells, data_age, priority
from coachboard.views.roster.visible_rows import VisibleRoster
from coachboard.views.widgets.flag_facts import draw_facts, draw_rules
from coachboard.views.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_table
from coachboard.views.widgets.toolbar import Press, draw_bar

_AT_ONCE = 15
"""Athletes shown with all flag values; the others show flag titles only."""
_NOTE = f"Priority below {NOTE_BELOW:g}: one flag at its limit, or an old note. The review shows these athletes too."
_DAYS = (1, 3, 7, 14, 28)


def draw(shown: VisibleRoster) -> None:
    """Athletes with active flags, most serious first; or the clicked athlete."""
    asked = shown.choice.athlete
    if asked:
        everybody = Press("all", "Show all athletes", "", is_quiet=True, icon="arrow_back", goes_on=True)
        draw_bar([everybody], key="roster.look_all", on_change=lambda *_: state.set_param("athlete", None))
    people = [(athlete, row) for athlete in shown.people if (row := shown.row(athlete))]
    listed = [
        (athlete, row)
        for athlete, row in people
        if (athlete.id == asked if asked else bool(shown.standing(row)))
    ]
    listed.sort(key=lambda pair: -shown.priority(pair[1]))
    if not listed and not shown.roster.waiting and not shown.roster.failed:
        notices.say_empty(
            "No athlete needs a look under current thresholds.", fills="Change thresholds in Settings."
        )
    if listed and not asked:
        st.caption(
            "Highest priority first (0 = no flag). Select a priority to see how it is calculated. "
            f"Normal range: {NORMAL_RANGE}; for feel scores, mean of the earlier scores ± 1 SD."
        )
    first_note = None if asked else next((row for _, row in listed if not shown.needs_look(row)), None)
    for athlete, row in listed[:_AT_ONCE]:
        if row is first_note:
            st.subheader("Worth a note", help=_NOTE)
        _draw_athlete(shown, athlete, row, with_all=athlete.id == asked)
    if len(listed) > _AT_ONCE:
        _draw_short(shown, listed[_AT_ONCE:])
    draw_rules(flag for _, row in listed[:_AT_ONCE] for flag in shown.standing(row))
    _draw_todos([(athlete, row) for athlete, row in people if not asked or athlete.id == asked])
    _draw_snoozed_flags(shown)


def _draw_short(shown: VisibleRoster, listed: list[tuple[Athlete, RosterRow]]) -> None:
    """The other athletes, one line each: 300 athletes with values and forms would take seconds to draw."""
    columns = [TableColumn("name", "Athlete", width=180), TableColumn("flags", "Flags")]
    rows = [
        TableRow(athlete.id, [Cell(plain(athlete.name)), Cell(_titles(shown.standing(row)))],
            href=page_url("", view="look", athlete=athlete.id))
        for athlete, row in listed
    ]  # fmt: skip
    draw_table(PeopleTable("More athletes with flags", columns, rows, kind="list"), key="roster.more")


def _titles(flags: tuple[Flag, ...]) -> str:
    return ", ".join(flag.rule.title for flag in flags)


def _draw_athlete(shown: VisibleRoster, athlete: Athlete, row: RosterRow, *, with_all: bool) -> None:
    with st.container(gap=None):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.page_link(
                navigation.page_path("athlete"),
                label=f"**{md(athlete.name)}**",
                query_params={"athlete": athlete.id},
            )
            if shown.standing(row):
                priority.draw(shown, row)
            _draw_snooze_form(shown, athlete, row)
        draw_facts(shown.standing(row))
    if with_all:
        _draw_rest(row)
        data_age.draw(shown, row)


def _draw_rest(row: RosterRow) -> None:
    """The rules without a flag: missing data, or a normal value."""
    short = [flag for flag in row.flags if flag.shortage]
    if short:
        st.caption("Not enough data: " + "; ".join(f"{f.rule.title} ({md(f.shortage)})" for f in short) + ".")
    clear = [flag for flag in row.flags if flag.is_clear]
    if clear:
        st.caption("Checked, OK: " + "; ".join(flag.rule.title for flag in clear) + ".")
    if unfinished := unfinished_import(row.user, row.no_data_since, today=row.today):
        st.caption(unfinished)


def unfinished_import(user: User, no_data_since: date | None, *, today: date) -> str:
    """The effect of an incomplete import on the numbers; empty if the import is complete."""
    if no_data_since is not None:
        end = cells.no_data_words(no_data_since, today)
        return f"History import failed: {end}. Load, fitness and form are unknown from then on; charts count the days as rest."
    return {
        DataOnboardingStatus.ONGOING: "History import in progress: figures over several weeks are not complete yet.",
        DataOnboardingStatus.FAILED: "History import failed: figures use data received before the failure.",
        DataOnboardingStatus.NOT_STARTED: "History import has not started.",
    }.get(user.data_onboarding_status, "")


def _draw_snooze_form(shown: VisibleRoster, athlete: Athlete, row: RosterRow) -> None:
    standing = shown.standing(row)
    if not standing:
        return
    key = f"roster.off.{athlete.id}"
    # The key contains the athlete: otherwise an open form moves to the next athlete in the list.
    box = st.popover("Snooze", icon=":material/snooze:", type="tertiary", key=f"{key}.box")
    with box, st.form(key, border=False):
        titles = {flag.rule.id: flag.rule.title for flag in standing}
        st.pills("Flags", list(titles), selection_mode="multi", default=list(titles), key=f"{key}.rules",
                 format_func=titles.__getitem__)  # fmt: skip
        st.selectbox("For", _DAYS, index=1, key=f"{key}.days", format_func=lambda n: formats.count(n, "day"))
        st.text_input("Reason", key=f"{key}.reason", max_chars=LONGEST_REASON,
                      placeholder="Spoke on the phone, easy week agreed")  # fmt: skip
        st.form_submit_button("Snooze", on_click=_snooze, args=(shown, athlete.id, key))


def _snooze(shown: VisibleRoster, user_id: str, key: str) -> None:
    until = shown.today_of(user_id) + timedelta(days=int(state.get(f"{key}.days")) - 1)
    with choices.keeping():
        for rule_id in state.get(f"{key}.rules", []):
            snooze(
                shown.page.store,
                shown.page.fingerprint,
                FlagOf(user_id, rule_id),
                until=until,
                reason=str(state.get(f"{key}.reason") or "").strip(),
                now=shown.page.now,
            )


def _unsnooze(shown: VisibleRoster, flag: FlagOf) -> None:
    with choices.keeping():
        unsnooze(shown.page.store, shown.page.fingerprint, flag)


def _draw_snoozed_flags(shown: VisibleRoster) -> None:
    names = {athlete.id: athlete.name for athlete in shown.page.athletes}
    snoozed = [
        (flag, kept)
        for flag, kept in shown.snoozes.items()
        if flag.user_id in names and flag.rule_id in RULES_BY_ID and shown.is_snoozed(flag)
    ]
    if not snoozed:
        return
    st.subheader("Snoozed flags", anchor=False)
    for flag, kept in sorted(snoozed, key=lambda pair: pair[1].until):
        with st.container(horizontal=True, vertical_alignment="center"):
            rule = next((f.rule.title for f in _flags_of(shown, flag)), flag.rule_id)
            reason = f": {md(kept.reason)}" if kept.reason else ""
            day = formats.day(kept.until, today=shown.today_of(flag.user_id))
            st.markdown(f"{md(names[flag.user_id])}, {md(rule)}, until {day}{reason}")
            st.button("Unsnooze", key=f"roster.back.{flag.user_id}.{flag.rule_id}", type="tertiary",
                      on_click=_unsnooze, args=(shown, flag))  # fmt: skip


def _flags_of(shown: VisibleRoster, flag: FlagOf) -> list[Flag]:
    row = shown.roster.rows.get(flag.user_id)
    return [found for found in row.flags if found.rule.id == flag.rule_id] if row else []


def _draw_todos(people: list[tuple[Athlete, RosterRow]]) -> None:
    """Organisational tasks of the coach, one line each: no plan, no sessions, no critical power, an import that failed."""
    tasks = [(athlete, task) for athlete, row in people for task in _tasks(row)]
    if not tasks:
        return
    st.subheader("To do", anchor=False)
    st.markdown("\n".join(f"- {md(athlete.name)}: {md(task)}" for athlete, task in tasks))


def _tasks(row: RosterRow) -> list[str]:
    planned = [f"{flag.rule.title.lower()} for the next {flag.threshold:g} days" for flag in row.todos]
    silent = [] if row.last_session else [cells.NO_SESSION]
    failed = row.user.data_onboarding_status is DataOnboardingStatus.FAILED
    powerless = [cells.without_critical_power_words(sport) for sport in row.without_critical_power]
    return [*planned, *silent, *powerless, *(["history import failed"] if failed else [])]
