"""The part of the roster that updates while rows load: progress, the chosen view, and actions of clicks."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from math import ceil

import streamlit as st

from coachboard.flags.nights import NORMAL_RANGE
from coachboard.flags.rules import hard_meets_poor_recovery, medical_note
from coachboard.loaders.athlete_today import athlete_today
from coachboard.loaders.preferences import load_preferences
from coachboard.loaders.roster.flag_snooze import load_snoozes
from coachboard.loaders.roster.page_data import FRESH_S, Roster, RosterFill, RosterPhase
from coachboard.loaders.roster.reviews import note_visit
from coachboard.loaders.roster.row import SPARK_WEEKS, RosterRow
from coachboard.loaders.workspaces.page_data import inviting_workspaces
from coachboard.views.frame import connection, formats, navigation, notices, state, theme
from coachboard.views.frame.page import Page, note_days
from coachboard.views.roster import flags, review, rows, squad
from coachboard.views.roster.choice import RosterChoice, asked_sort, asked_view
from coachboard.views.roster.visible_rows import VisibleRoster
from coachboard.views.widgets.people_table import PeopleTable, draw_table
from coachboard.views.widgets.plot import draw_hint

_TICKS_S = {RosterPhase.READING: 1.0, RosterPhase.RENEWING: 3.0, RosterPhase.WHOLE: None}
"""Seconds between redraws while rows load."""
_FRESH_TICK_S = 30.0
"""While rows of the last ten minutes are renewed: no user waits for them, and each redraw costs each session a run."""
_TICK_HOLDS_FOR = 50
_FIRST_LOOK_S = 0.25
_ZONES_APART = timedelta(days=1)
"""How far an athlete's date may lie behind the reader's: their snoozes last until their own day ends."""


def open_squad(page: Page) -> RosterFill:
    """All athletes' rows, loading in the background; stops if there are no athletes."""
    if not page.athletes:
        may_invite = bool(inviting_workspaces(page.profile))
        notices.say_empty(
            "No athletes in your workspaces yet.",
            fills="Athletes appear here when they accept your invitation."
            if may_invite
            else "Athletes appear here when they join a workspace in which you are coach or admin.",
            rows="users",
            of=page.people_results,
        )
        with st.container(horizontal=True):
            if may_invite:
                st.page_link(
                    navigation.page_path("workspaces"), label="Invite athletes", icon=":material/group_add:"
                )
            st.page_link(navigation.page_path("athlete"), label="Your own page", icon=":material/person:")
        st.stop()
    fill = squad_rows(page)
    fill.wait(_FIRST_LOOK_S)
    return fill


def squad_rows(page: Page) -> RosterFill:
    """The rows of the page's athletes, shared by the pages that need them; loading starts in the background."""
    thresholds = tuple(sorted(page.preferences.flag_thresholds.items()))
    users = tuple(athlete.user for athlete in page.athletes)
    client, clock = page.client, page.clock
    newest: dict[str, RosterRow] = connection.shared(client, "newest roster rows", dict)

    def make() -> RosterFill:
        return RosterFill(
            client,
            users,
            day_of=lambda user_id: athlete_today(client, user_id, clock),
            thresholds=dict(thresholds),
            newest=newest,
        )

    # The rows hold the client: in Streamlit's cache they kept it for an hour, 300 MB after twelve people had left.
    fill = connection.shared(client, ("roster", page.today, thresholds, users), make)
    fill.read_again_after(FRESH_S)
    return fill


def draw_squad(page: Page, choice: RosterChoice, fill: RosterFill) -> None:
    """The chosen view; redraws itself while rows load or refresh."""
    roster = fill.look()
    for error in roster.failed.values():
        notices.let_go(error)
    tick_s = redraw_after_s(roster, athletes=len(page.athletes))
    try:
        st.fragment(draw_rows, run_every=tick_s)(page, choice, fill, tick_s=tick_s)
    finally:
        fill.go_on()


def redraw_after_s(roster: Roster, *, athletes: int) -> float | None:
    """Less often for a larger squad: 300 athletes are half a megabyte and a second of work per redraw.

    The first numbers do not wait for this: they came 6 s after the names of 300 athletes.
    """
    tick_s = _TICKS_S[roster.phase]
    if roster.phase is RosterPhase.RENEWING and not any(row.is_incomplete for row in roster.rows.values()):
        return _FRESH_TICK_S
    return tick_s and tick_s * max(1.0, athletes / _TICK_HOLDS_FOR if roster.rows else 1.0)


def draw_rows(page: Page, choice: RosterChoice, fill: RosterFill, *, tick_s: float | None) -> None:
    roster = fill.look()
    next_tick_s = redraw_after_s(roster, athletes=len(page.athletes))
    are_first = roster.phase is RosterPhase.READING and next_tick_s != tick_s
    if asked_view() != choice.view or are_first:
        # A button of this fragment changed the view, and a full run marks it in the row of controls; or these are the
        # first numbers of a large squad, after which it is drawn less often.
        st.rerun()
    note_days(fill.days)
    draw_view(page, choice, fill, roster)
    if next_tick_s != tick_s:
        # Only after the drawing: it has handled a click of this run.
        st.rerun()


def draw_view(page: Page, choice: RosterChoice, fill: RosterFill, roster: Roster) -> None:
    snoozes = load_snoozes(page.store, page.fingerprint, today=page.today - _ZONES_APART)
    # A click after the page run changes the order and the athlete.
    choice = replace(choice, sort=asked_sort(), athlete=state.get_id("athlete"))
    # A click reruns this fragment with the page of an earlier run: a tag that was added since was missing.
    page = replace(page, preferences=load_preferences(page.store, page.fingerprint))
    visit = note_visit(page.store, page.fingerprint, roster.rows, now=page.now)
    shown = VisibleRoster(page, choice, roster, snoozes, is_dark=theme.is_dark(), visit=visit)
    st.caption(summary_words(shown, roster))
    if roster.is_filling and roster.waiting:
        st.progress(1 - len(roster.waiting) / _size(roster))
    draw_failed(fill, roster)
    draw = {"look": flags.draw, "review": review.draw, "week": _draw_week, "stimulus": _draw_stimulus}.get(
        choice.view, _draw_everyone
    )
    draw(shown)


def flagged_words(shown: VisibleRoster, flagged: list[RosterRow]) -> Iterator[str]:
    if noted := sum(not shown.needs_look(row) for row in flagged):
        yield f"{noted} more {'is' if noted == 1 else 'are'} worth a note"
    rules = [(row, {flag.rule.id for flag in shown.standing(row)}) for row in flagged]
    poor = sum(hard_meets_poor_recovery.RULE.id in ids for _, ids in rules)
    # Without them the sentence seemed to have missed the athlete with a cough and VO2max tomorrow.
    ill = sum(medical_note.RULE.id in ids and row.has_hard_session_due for row, ids in rules)
    due = {"with poor recovery": poor, "with illness or injury": ill}
    if known := [f"{athletes} {how}" for how, athletes in due.items() if athletes]:
        yield f"hard session due today or tomorrow: {', '.join(known)}"


def summary_words(shown: VisibleRoster, roster: Roster) -> str:
    flagged = [row for row in roster.rows.values() if shown.standing(row)]
    looked = [row for row in flagged if shown.needs_look(row)]
    verb = "needs" if len(looked) == 1 else "need"
    if roster.waiting:  # whether they need a look is unknown
        parts = [progress_words(roster)]
        parts += [f"{len(looked)} of these {verb} a look"] if roster.rows else []
    else:
        parts = [f"{len(looked)} of {formats.count(len(shown.page.athletes), 'athlete')} {verb} a look"]
    parts += flagged_words(shown, flagged)
    if roster.failed and not roster.waiting:
        parts.append(f"{formats.count(len(roster.failed), 'athlete')} could not be loaded")
    if unread := [row for row in roster.rows.values() if row.unread]:
        rows = sum(one.rows for row in unread for one in row.unread)
        parts.append(
            f"{formats.count(rows, 'row')} of {formats.count(len(unread), 'athlete')} could not be read"
        )
    if old := sum(row.is_stale for row in roster.rows.values()):
        parts.append(f"refreshing {formats.count(old, 'athlete')}")
    parts += _last_known(roster)
    if news := sum(bool(shown.news(row)) for row in roster.rows.values()):
        since = formats.ago(shown.visit.since, shown.page.now)
        parts.append(f"new data of {formats.count(news, 'athlete')} since your last visit {since}")
    hidden = len(shown.page.athletes) - len(shown.people)
    if hidden:
        parts.append(f"{hidden} hidden by search or filter")
    return "; ".join(parts) + "."


def _last_known(roster: Roster) -> list[str]:
    """How many rows show cached data, by reason; each row shows its age."""
    errors = [row.error for row in roster.rows.values() if row.error is not None and not row.is_stale]
    reasons = Counter(notices.sentence(error).rstrip(".") for error in errors)
    return [
        f"last known values for {formats.count(count, 'athlete')}: {reason[:1].lower()}{reason[1:]}"
        for reason, count in reasons.items()
    ]


def progress_words(roster: Roster) -> str:
    """How many athletes are loaded, and how many failed; a rate limit with the seconds left."""
    failed = f", {len(roster.failed)} failed" if roster.failed else ""
    wait = ceil(roster.progress.seconds_left)
    limit = f"; request limit reached, continues in {wait} s" if wait else ""
    return f"Loaded {len(roster.rows)} of {formats.count(_size(roster), 'athlete')}{failed}{limit}"


def _size(roster: Roster) -> int:
    return len(roster.rows) + len(roster.failed) + len(roster.waiting)


def draw_failed(fill: RosterFill, roster: Roster) -> None:
    """Why athletes could not be loaded or refreshed, and a button that loads them again."""
    counts = Counter(map(notices.sentence, roster.failed.values()))
    errors = {notices.sentence(error): error for error in roster.failed.values()}
    for reason, count in counts.items():
        notices.say(
            errors[reason], about=f"{formats.count(count, 'athlete')} could not be loaded", has_retry=True
        )
    is_old = any(row.error is not None and not row.is_stale for row in roster.rows.values())
    if roster.phase is RosterPhase.WHOLE and (roster.failed or is_old):
        st.button(
            "Try again",
            key="roster.again",
            icon=":material/refresh:",
            on_click=fill.read_again_after,
            args=(0.0,),
        )


_COLUMNS = (
    f"Weeks: weekly load, {SPARK_WEEKS} weeks; pale = the last 7 days. Small numbers under sleep and HRV: normal range, "
    f"{NORMAL_RANGE}. CP, CS: how many of three estimates are ready (critical power bike, critical power run, "
    'critical speed run); "no" = sessions with power but no critical power. Data: when the row was loaded, or '
    "the state of the history import."
)
"""Explains the short headers."""


def _draw_everyone(shown: VisibleRoster) -> None:
    table = rows.table(shown)
    _follow(draw_table(table, key="roster.table", on_pick=take_order))
    how = "Select a card for all numbers." if theme.is_phone() else "Select a header to sort, a row to open."
    notes = f"{_COLUMNS} {shown.choice.model.says} Today and yesterday follow each athlete's time zone."
    st.caption("  \n".join(part for part in (rows.legend(table), notes) if part))
    draw_hint(how, key="roster")


def _draw_week(shown: VisibleRoster) -> None:
    # On a phone the table is a long list: its signs come before it.
    draw = (_draw_week_legend, _draw_week_table)
    for draw_part in draw if theme.is_phone() else draw[::-1]:
        draw_part(shown)


def _draw_week_table(shown: VisibleRoster) -> None:
    _follow(draw_table(squad.week_table(shown), key="roster.week"))


def _draw_week_legend(shown: VisibleRoster) -> None:
    shade = "" if squad.has_one_today(shown) else " Shaded = today in the athlete's time zone."
    st.caption(
        "Filled = done, outlined = planned, missed or excused, dashed = likely match (by day, sport and duration). "
        "A box names the type; a session planned or done without a type, or done as another type than planned, shows its "
        "title. "
        f"{formats.COMPLIANCE} ✕ missed, + unplanned, ⊘ excused. "
        f"A session counts as missed when the athlete's day has ended.{shade}"
    )


def _draw_stimulus(shown: VisibleRoster) -> None:
    table: PeopleTable = squad.stimulus_table(shown)
    if not table.rows:
        notices.say_empty(
            "No planned session was matched with a completed one in the last 28 days.",
            fills="Planned sessions that have a stimulus are compared here once they are done.",
        )
        return
    draw_table(table, key="roster.stimulus")
    st.caption(
        "Planned sessions that were done, last 28 days. Rows: planned stimulus; columns: stimulus done. "
        "Diagonal = as planned. Missed and unplanned sessions are not counted. Not classified: planned, or done, without a "
        f"stimulus, such as a group ride or strength.{' Swipe the table sideways for all columns.' if theme.is_phone() else ''}"
    )


def take_order() -> None:
    """Handle a click on a header before drawing, so that the table is sent once, in the new order."""
    word, _, which = (state.get("roster.table").picked or "").partition(" ")
    if word == "sort":
        now = asked_sort()
        state.set_param("sort", which if now != which else f"-{which}")


def _follow(picked: str | None) -> None:
    """A click on an athlete's flag opens the review, on the age of the data all rules and values."""
    word, _, which = (picked or "").partition(" ")
    if word in {"look", "review"}:
        state.set_params({"view": word, "athlete": which})
        st.rerun()
