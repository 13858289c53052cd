"""The roster page: the part that updates while rows load, with progress, the chosen view, and actions of clicks."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from math import ceil

import streamlit as st

from coachboard.flags.rules import hard_meets_poor_recovery, medical_note
from coachboard.loaders.flag_snooze import load_snoozes
from coachboard.loaders.preferences import load_preferences
from coachboard.loaders.reviews import note_visit
from coachboard.loaders.roster_row import RosterRow
from coachboard.pages import comments
from coachboard.pages.roster import feed, flags, review, rows, squad
from coachboard.pages.roster.choice import RosterChoice, asked_sort, asked_view, pick
from coachboard.pages.roster.visible_rows import VisibleRoster
from coachboard.pages.squad_rows import Roster, RosterFill, RosterPhase, squad_rows
from coachboard.ui.frame import formats, groups, navigation, notices, state, theme
from coachboard.ui.frame.page import Page, inviting_workspaces, note_days

__all__ = ["draw_squad", "open_squad", "pick"]


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
    unread = comments.unread_by_athlete(page)
    visible = VisibleRoster(
        page,
        choice,
        roster,
        snoozes,
        is_dark=theme.is_dark(),
        visit=visit,
        unread=unread,
        group_names=groups.by_athlete(page),
    )
    st.caption(summary_words(visible, roster))
    if roster.is_filling and roster.waiting:
        st.progress(1 - len(roster.waiting) / _size(roster))
    draw_failed(page, fill, roster)
    draw = {
        "look": flags.draw,
        "review": review.draw,
        "feed": feed.draw,
        "week": squad.draw_week,
        "stimulus": squad.draw_stimulus,
    }.get(choice.view, rows.draw)
    draw(visible)


def flagged_words(visible: VisibleRoster, flagged: list[RosterRow]) -> Iterator[str]:
    if noted := sum(not visible.needs_look(row) for row in flagged):
        yield f"{noted} more {'is' if noted == 1 else 'are'} worth a note"
    rules = [(row, {flag.rule.id for flag in visible.active_flags(row)}) for row in flagged]
    poor = sum(hard_meets_poor_recovery.RULE.id in ids for _, ids in rules)
    # Without them the sentence seemed to have missed the athlete with a cough and VO2max tomorrow.
    ill = sum(medical_note.RULE.id in ids and row.has_hard_session_due for row, ids in rules)
    due = {"with poor recovery": poor, "with illness or injury": ill}
    if hard_days := [f"{athletes} {how}" for how, athletes in due.items() if athletes]:
        yield f"hard session due today or tomorrow: {', '.join(hard_days)}"


def summary_words(visible: VisibleRoster, roster: Roster) -> str:
    flagged = [row for row in roster.rows.values() if visible.active_flags(row)]
    looked = [row for row in flagged if visible.needs_look(row)]
    is_alone = len(visible.page.athletes) == 1
    verb = "needs" if is_alone or len(looked) == 1 else "need"
    if roster.waiting:  # whether they need a look is unknown
        parts = [progress_words(roster)]
        parts += [f"{len(looked)} of these {verb} a look"] if roster.rows else []
    else:
        parts = [f"{len(looked)} of {formats.count(len(visible.page.athletes), 'athlete')} {verb} a look"]
    parts += flagged_words(visible, flagged)
    if roster.failed and not roster.waiting:
        parts.append(f"{formats.count(len(roster.failed), 'athlete')} could not be loaded")
    if unread := [row for row in roster.rows.values() if row.unread]:
        rows = sum(gap.rows for row in unread for gap in row.unread)
        parts.append(
            f"{formats.count(rows, 'row')} of {formats.count(len(unread), 'athlete')} could not be read"
        )
    if old := sum(row.is_stale for row in roster.rows.values()):
        parts.append(f"refreshing {formats.count(old, 'athlete')}")
    parts += _last_known(roster)
    if news := sum(bool(visible.news(row)) for row in roster.rows.values()):
        since = formats.ago(visible.visit.since, visible.page.now)
        parts.append(f"new data of {formats.count(news, 'athlete')} since your last visit {since}")
    hidden = len(visible.page.athletes) - len(visible.people)
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


def draw_failed(page: Page, fill: RosterFill, roster: Roster) -> None:
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
            on_click=_read_again,
            args=(page, fill),
        )


def _read_again(page: Page, fill: RosterFill) -> None:
    page.client.forget_failures()
    fill.read_again_after(0.0)
