"""Active flags of each athlete with value, limit, normal range, days flagged and data age; each can be snoozed."""

from datetime import date, datetime
from typing import NamedTuple

import streamlit as st

from coachboard.flags.engine import NOTE_BELOW, RULES_BY_ID
from coachboard.flags.flag import Flag
from coachboard.flags.nights import NORMAL_RANGE
from coachboard.loaders.flag_snooze import LONGEST_REASON, FlagOf, snooze, unsnooze
from coachboard.loaders.roster_row import RosterRow
from coachboard.pages.athlete_words import readiness, unfinished_import
from coachboard.pages.roster import cells, priority
from coachboard.pages.roster.visible_rows import VisibleRoster
from coachboard.ui.frame import choices, formats, notices, state
from coachboard.ui.frame.addresses import page_url
from coachboard.ui.frame.formats import MISSING, number
from coachboard.ui.frame.page import Athlete
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets.flag_facts import draw_facts, draw_rules, note_words
from coachboard.ui.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_table
from coachboard.ui.widgets.toolbar import Press, draw_bar
from coachboard.wire.enums import DataOnboardingStatus

_AT_ONCE = 15
"""Athletes shown with all flag values; the others show flag titles only."""
_NOTE = f"Priority below {NOTE_BELOW:g}: one flag at its limit, or an old note. The review shows these athletes too."
_SHORT_NOTE = 80
_DAYS = (1, 3, 7, 14, 28)


def draw(visible: VisibleRoster) -> None:
    """Athletes with active flags, most serious first; or the clicked athlete."""
    asked = visible.choice.athlete
    if asked:
        everybody = Press("all", "Show all athletes", "", is_quiet=True, icon="arrow_back", goes_on=True)
        draw_bar([everybody], key="roster.look_all", on_change=lambda *_: state.set_param("athlete", None))
    people = [(athlete, row) for athlete in visible.people if (row := visible.row(athlete))]
    listed = [
        (athlete, row)
        for athlete, row in people
        if (athlete.id == asked if asked else bool(visible.active_flags(row)))
    ]
    listed.sort(key=lambda pair: -visible.priority(pair[1]))
    if not listed and not visible.roster.waiting and not visible.roster.failed:
        notices.say_empty(
            "No athlete needs a look under current thresholds.", fills="Change thresholds in Settings."
        )
    if listed and not asked:
        st.caption(
            "Highest priority first (0 = no flag). Select a priority to see how it is calculated. "
            f"Normal range: {NORMAL_RANGE}; for feel scores, mean of the earlier scores ± 1 SD."
        )
    first_note = None if asked else next((row for _, row in listed if not visible.needs_look(row)), None)
    for athlete, row in listed[:_AT_ONCE]:
        if row is first_note:
            st.subheader("Worth a note", help=_NOTE)
        _draw_athlete(visible, athlete, row, with_all=athlete.id == asked)
    if len(listed) > _AT_ONCE:
        _draw_short(visible, listed[_AT_ONCE:])
    draw_rules(flag for _, row in listed[:_AT_ONCE] for flag in visible.active_flags(row))
    _draw_todos([(athlete, row) for athlete, row in people if not asked or athlete.id == asked])
    _draw_snoozed_flags(visible)


def _draw_short(visible: VisibleRoster, listed: list[tuple[Athlete, RosterRow]]) -> None:
    """The other athletes, one line each: 300 athletes with values and forms would take seconds to draw."""
    columns = [TableColumn("name", "Athlete", width=180), TableColumn("flags", "Flags")]
    rows = [
        TableRow(athlete.id, [Cell(plain(athlete.name)), _flags_cell(visible.active_flags(row))],
            href=page_url("", view="look", athlete=athlete.id))
        for athlete, row in listed
    ]  # fmt: skip
    draw_table(PeopleTable("More athletes with flags", columns, rows, kind="list"), key="roster.more")


def _flags_cell(flags: tuple[Flag, ...]) -> Cell:
    """The titles, and the text of a note; the athlete's own view, which the row opens, has it whole."""
    return Cell(", ".join(flag.rule.title for flag in flags), note_words(flags, longest=_SHORT_NOTE))


def _draw_athlete(visible: VisibleRoster, athlete: Athlete, row: RosterRow, *, with_all: bool) -> None:
    with st.container(gap=None):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            priority.draw_name(visible, athlete, row)
            _draw_snooze_form(visible, athlete, row)
        draw_facts(visible.active_flags(row))
    if with_all:
        _draw_rest(row)
        draw_ages(visible, row)


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


def _draw_snooze_form(visible: VisibleRoster, athlete: Athlete, row: RosterRow) -> None:
    active = visible.active_flags(row)
    if not active:
        return
    key = f"roster.off.{athlete.id}"
    # The key contains the athlete: otherwise an open form moves to the next athlete in the list.
    box = st.popover("Snooze", icon=":material/snooze:", type="tertiary", key=f"{key}.box")
    with box, st.form(key, border=False):
        titles = {flag.rule.id: flag.rule.title for flag in active}
        st.pills("Flags", list(titles), selection_mode="multi", default=list(titles), key=f"{key}.rules",
                 format_func=titles.__getitem__)  # fmt: skip
        st.selectbox("For", _DAYS, index=1, key=f"{key}.days", format_func=lambda n: formats.count(n, "day"))
        st.text_input("Reason", key=f"{key}.reason", max_chars=LONGEST_REASON,
                      placeholder="Spoke on the phone, easy week agreed")  # fmt: skip
        st.form_submit_button("Snooze", on_click=_snooze, args=(visible, athlete.id, key))


def _snooze(visible: VisibleRoster, user_id: str, key: str) -> None:
    until = visible.end_of_snooze(user_id, int(state.get(f"{key}.days")))
    with choices.keeping():
        for rule_id in state.get(f"{key}.rules", []):
            snooze(
                visible.page.store,
                visible.page.fingerprint,
                FlagOf(user_id, rule_id),
                until=until,
                reason=str(state.get(f"{key}.reason") or "").strip(),
                now=visible.page.now,
            )


def _unsnooze(visible: VisibleRoster, flag: FlagOf) -> None:
    with choices.keeping():
        unsnooze(visible.page.store, visible.page.fingerprint, flag)


def _draw_snoozed_flags(visible: VisibleRoster) -> None:
    names = {athlete.id: athlete.name for athlete in visible.page.athletes}
    snoozed = [
        (flag, kept)
        for flag, kept in visible.snoozes.items()
        if flag.user_id in names and flag.rule_id in RULES_BY_ID and visible.is_snoozed(flag)
    ]
    if not snoozed:
        return
    st.subheader("Snoozed flags", anchor=False)
    for flag, kept in sorted(snoozed, key=lambda pair: pair[1].until):
        with st.container(horizontal=True, vertical_alignment="center"):
            rule = next((f.rule.title for f in _flags_of(visible, flag)), flag.rule_id)
            reason = f": {md(kept.reason)}" if kept.reason else ""
            day = formats.day(kept.until, today=visible.today_of(flag.user_id))
            st.markdown(f"{md(names[flag.user_id])}, {md(rule)}, until {day}{reason}")
            st.button("Unsnooze", key=f"roster.back.{flag.user_id}.{flag.rule_id}", type="tertiary",
                      on_click=_unsnooze, args=(visible, flag))  # fmt: skip


def _flags_of(visible: VisibleRoster, flag: FlagOf) -> list[Flag]:
    row = visible.roster.rows.get(flag.user_id)
    return [raised for raised in row.flags if raised.rule.id == flag.rule_id] if row else []


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


class Aged(NamedTuple):
    """A number as text, with its newest day."""

    name: str
    value: str
    newest: date | None
    read_at: datetime


def draw_ages(visible: VisibleRoster, row: RosterRow) -> None:
    """A line per number; the same as the tooltips, but reachable by touch and keyboard."""
    columns = [
        TableColumn("name", "Metric", width=220),
        TableColumn("value", "Value"),
        TableColumn("newest", "Newest data", width=120),
        TableColumn("read", "Updated", width=104),
    ]
    now = visible.page.now
    rows = [
        TableRow(
            aged.name,
            [
                Cell(aged.name),
                Cell(aged.value),
                _newest(aged, row.today),
                Cell(formats.ago(aged.read_at, now)),
            ],
        )
        for aged in numbers(visible, row)
    ]
    draw_table(PeopleTable("Age of each value", columns, rows, kind="list"), key=f"roster.ages.{row.user.id}")
    ready = readiness(row.user)
    if ready:
        words = (f"{name} {'ready' if is_ready else 'not ready'}" for name, is_ready in ready.items())
        st.caption(f"Performance models: {', '.join(words)}.")
    unread = "; ".join(notices.unread_words(gap) for gap in row.unread)
    if unread:
        st.caption(f":material/rule: {unread}.")


def _newest(aged: Aged, today: date) -> Cell:
    if aged.newest is None:
        return Cell(MISSING)
    midnight = datetime.combine(today, datetime.min.time())
    return Cell(formats.day(aged.newest, today=today), formats.ago(aged.newest, midnight))


def numbers(visible: VisibleRoster, row: RosterRow) -> list[Aged]:
    """Every number of the athlete's row."""
    load, model = row.loads[visible.choice.model.id], visible.choice.model
    plan, event = row.next_session, row.next_event
    done = f"{row.adherence.done} of {row.adherence.due}" if row.adherence.due else MISSING
    sessions, plans, nights = row.sessions_as_of, row.plans_as_of, row.nights_as_of
    last = row.last_session
    return [
        Aged("Load, done vs planned, last 7 days", cells.week_words(row), last, sessions),
        Aged("Planned load, next 7 days with today", number(row.planned_next), None, plans),
        Aged(f"{model.fitness} {model.fitness_d:g} d, {model.fatigue.lower()} {model.fatigue_d:g} d",
             f"{number(load.fitness)}, {number(load.fatigue)}", last, sessions),
        Aged("Form", number(load.form, signed=True), last, sessions),
        Aged("Planned sessions done, last 7 days", done, last, min(sessions, plans)),
        Aged(f"Sleep, {cells.mean_words(row.sleep_h)}", _night(row, "sleep_h"), row.sleep_h.day, nights),
        Aged(f"HRV (ms), {cells.mean_words(row.hrv_ms)}", _night(row, "hrv_ms"), row.hrv_ms.day, nights),
        Aged("Next session", plain(plan.title, longest=60) if plan else MISSING, plan.day if plan else None, plans),
        Aged("Next event", plain(event[1], longest=60) if event else MISSING, event[0] if event else None, plans),
    ]  # fmt: skip


def _night(row: RosterRow, name: str) -> str:
    body, write = (
        (row.sleep_h, formats.hours) if name == "sleep_h" else (row.hrv_ms, cells.milliseconds(row.hrv_ms))
    )
    if body.day is None:
        return MISSING
    return f"{write(body.mean)}, last {write(body.last)}, normal {cells.range_words(body, write)}"
