"""The form that applies a plan: athletes, anchor, treatment of days with a workout, preview, one button."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from coachboard.client.errors import EditConflict, ServiceError
from coachboard.pages.plans.listing import send, week_of
from coachboard.pages.plans.rolling_out import draw_clashes, draw_undo, names_of, note_batch, press
from coachboard.ui.frame import formats, groups, notices, state, theme
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets import pickers
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.wire.planning import EntryKind, EventPriority, PlanEntry, WarningCode
from coachboard.wire.training_plans import (
    MOST_ADDED,
    MOST_ATHLETES,
    AnchoredAthlete,
    ApplyRequest,
    ConflictRule,
    PlanAnchor,
    PlanOutcome,
    TrainingPlan,
)

_ANCHORS = {"start": "From a day", "end": "Until a day", "race": "Back from a race"}
_RULES = {
    ConflictRule.KEEP: "Keep both",
    ConflictRule.REPLACE: "Replace",
    ConflictRule.SKIP: "Leave the day out",
}
_NEXT_A, _NEXT = "next-a", "next"
_AWAY = frozenset({WarningCode.ILL, WarningCode.NOT_AVAILABLE, WarningCode.DAY_OFF})
_RACE_DAYS = 366
_AT_ONCE = 5
"""Athletes of one request of the preview: few enough for a count that moves, many enough for few requests."""
_Part = TypeVar("_Part")
_Read = TypeVar("_Read")
_COLUMNS = (
    "Athlete", "Race", "First day", "Last day", "Added", "Days with a workout", "Replaced", "Left out", "In the past",
    "Ill, off or too few hours", "Other warnings",
)  # fmt: skip


def draw_applying(page: Page, plan: TrainingPlan) -> None:
    """The form and the preview; nothing is written before its button."""
    draw_undo(page)
    if not plan.entries:
        st.caption("Add a workout first.")
        return
    chosen = _athletes(page)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        anchor = pickers.pick_one("Anchor", _ANCHORS, param="anchor")
        anchors = _anchors(page, anchor, chosen)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("On a day that has a workout:", width="content")
        rule = pickers.pick_one("On a day that has a workout", _RULES, param="conflicts")
    if not chosen:
        st.caption("Choose athletes to see what changes on their calendars.")
        return
    names = names_of(page)
    without = [names[user_id] for user_id in chosen if user_id not in anchors]
    if without:
        st.warning(
            f"Left out, without such a race: {md(', '.join(without), longest=400)}.", icon=":material/flag:"
        )
    if len(anchors) > MOST_ATHLETES:
        st.warning(f"Choose at most {MOST_ATHLETES} athletes at once.", icon=":material/groups:")
    elif anchors:
        athletes = tuple(AnchoredAthlete(user_id=each, anchor=anchors[each]) for each in anchors)
        _draw_preview(page, plan, ApplyRequest(athletes=athletes, conflicts=rule))


def _athletes(page: Page) -> list[str]:
    """The chosen athletes, by name or by group: all, the reader's favourites, the groups of the roster."""
    names = names_of(page)
    key = f"plans.to.{press()}"  # empty again after an application
    asked = [each for each in (state.get_param("to") or "").split(",") if each in names]
    if not page.athletes:
        asked = [page.profile.id]
    if state.get(key) is None:
        state.put(key, asked)
    groups.say_failure(page)
    ids = pickers.pick_athletes(page, names, key=key)
    link = ",".join(ids)
    state.set_param("to", link if ids and len(link) <= 200 else None)
    return ids


def _anchors(page: Page, kind: str, chosen: list[str]) -> dict[str, PlanAnchor]:
    """The anchor of each chosen athlete; without those who have no such race."""
    if kind == "race":
        return _race_anchors(page, chosen)
    monday = week_of(page, page.today) + timedelta(days=7)
    key = "plans.on"
    day = st.date_input(
        "First day" if kind == "start" else "Last day",
        state.get_day("on") or monday,
        key=key,
        format="YYYY-MM-DD",
        width=160,
    )
    state.set_param("on", day)
    anchor = PlanAnchor(start=day) if kind == "start" else PlanAnchor(end=day)
    return dict.fromkeys(chosen, anchor)


def _race_anchors(page: Page, chosen: list[str]) -> dict[str, PlanAnchor]:
    read = _counted(
        [(user_id,) for user_id in chosen], lambda part: _races(page, part[0]), "Reading the races"
    )
    races = dict(zip(chosen, read, strict=True))
    named = sorted({plain(race.title) for of_one in races.values() for race in of_one})
    options = {_NEXT: "A race of each, else the next race", _NEXT_A: "Next A race of each"} | {
        name: name for name in named
    }
    asked = state.get_text("race")
    rule = st.selectbox(
        "Race on the last day", list(options), list(options).index(asked) if asked in options else 0,
        format_func=options.__getitem__, key="plans.race", width=320,
    )  # fmt: skip
    state.set_param("race", None if rule == _NEXT else rule)
    return {
        user_id: PlanAnchor(event_id=race.id)
        for user_id, of_one in races.items()
        if (race := race_of(of_one, rule)) is not None
    }


def race_of(races: list[PlanEntry], rule: str) -> PlanEntry | None:
    """The first race of an athlete that the rule means: their next A race, that or the next of any, or by name."""
    if rule in {_NEXT, _NEXT_A}:
        first = [race for race in races if race.priority is EventPriority.A]
        races = first or ([] if rule == _NEXT_A else races)
    else:
        races = [race for race in races if plain(race.title) == rule]
    return races[0] if races else None


def _races(page: Page, user_id: str) -> list[PlanEntry]:
    """The events to come, the next one first."""
    kept = _kept(page)
    if user_id not in kept:
        end = page.today + timedelta(days=_RACE_DAYS)
        try:
            read = page.client.planning.entries(user_id, page.today, end)
        except ServiceError as error:
            notices.say(error, about="races")
            return []
        kept[user_id] = [
            entry for entry in read if entry.kind is EntryKind.EVENT and entry.date >= page.today
        ]
    return kept[user_id]  # type: ignore[no-any-return] # put above


def _kept(page: Page) -> dict[Any, Any]:
    """Replies about many athletes: they count until data of the service change, or the day; without a stamp not at all."""
    version = page.client.look_for_changes() or page.now, page.today
    if state.get(state.LOADED, (None,))[0] != version:
        state.put(state.LOADED, (version, {}))
    return state.get(state.LOADED)[1]  # type: ignore[no-any-return] # put above


def _draw_preview(page: Page, plan: TrainingPlan, request: ApplyRequest) -> None:
    try:
        preview = _previewed(page, plan, request)
    except EditConflict:
        st.rerun()
    except ServiceError as error:
        st.error(f"{md(error.words, longest=400) or notices.sentence(error)}", icon=":material/error:")
        return
    if earlier := earlier_words(page, preview, names_of(page)):
        st.warning(f"Have this plan already: {md(earlier, longest=400)}.", icon=":material/content_copy:")
    races = {each.user_id: _race_title(page, each.user_id, each.anchor) for each in request.athletes}
    frame = pd.DataFrame(preview_rows(page, preview, names_of(page), races), columns=_COLUMNS)
    table = fitted(
        frame if any(races.values()) else frame.drop(columns="Race"),
        ("Athlete", "Added", "Days with a workout"),
        key="plans.preview",
    )
    st.dataframe(table, hide_index=True, key="plans.preview", width="stretch")
    draw_clashes(page, preview, "Days to look at")
    added = sum(each.added for each in preview.athletes)
    who = formats.count(len(preview.athletes), "athlete")
    if not added:
        st.caption("Nothing to add: all days are in the past or left out.")
        return
    what = formats.count(added, "entry", "entries")
    if st.button(
        f"Apply to {who}", key="plans.apply", type=theme.main_button(), icon=":material/playlist_add_check:"
    ):
        key = press()
        with st.spinner(f"Adding {what} to the calendars of {who}…", show_time=True):
            send(
                lambda: note_batch(
                    page.client.planning.apply_plan(plan, request, idempotency_key=key), f"the plan for {who}"
                ),
                f"Added {what} to the calendars of {who}.",
            )


def _previewed(page: Page, plan: TrainingPlan, request: ApplyRequest) -> PlanOutcome:
    """The changes of the application, asked for some athletes at a time; an application that is too large is refused whole."""
    athletes = request.athletes
    size = len(athletes) if len(athletes) * len(plan.entries) > MOST_ADDED else _AT_ONCE
    parts = [athletes[start : start + size] for start in range(0, len(athletes), size)]
    kept = _kept(page)

    def read(part: tuple[AnchoredAthlete, ...]) -> PlanOutcome:
        asked = request.model_copy(update={"athletes": part, "dry_run": True})
        key = plan.id, plan.etag, asked
        if key not in kept:
            kept[key] = page.client.planning.apply_plan(plan, asked)
        return kept[key]  # type: ignore[no-any-return] # put above

    outcomes = _counted(parts, read, "Reading the calendars")
    return PlanOutcome(id=None, athletes=tuple(each for outcome in outcomes for each in outcome.athletes))


def _counted(
    parts: Sequence[tuple[_Part, ...]], read: Callable[[tuple[_Part, ...]], _Read], what: str
) -> list[_Read]:
    """The result of each part of the athletes; until then a bar with the number of athletes that are read."""
    total, done, results = sum(map(len, parts)), 0, list[_Read]()
    place = st.empty()
    try:
        for part in parts:
            place.progress(done / total, text=f"{what}: {done} of {formats.count(total, 'athlete')}…")
            results.append(read(part))
            done += len(part)
    finally:
        place.empty()
    return results


def _race_title(page: Page, user_id: str, anchor: PlanAnchor) -> str:
    if anchor.event_id is None:
        return ""
    return next((plain(race.title) for race in _races(page, user_id) if race.id == anchor.event_id), "")


def earlier_words(page: Page, preview: PlanOutcome, names: Mapping[str, str]) -> str:
    """`Ana (from Mon 4 May), Ben (from Mon 1 Jun, Mon 6 Jul)`: the athletes who have the plan, with its first days."""
    return ", ".join(
        f"{plain(names.get(each.user_id, each.user_id))}"
        f" (from {', '.join(formats.day(day, today=page.today) for day in each.earlier)})"
        for each in preview.athletes
        if each.earlier
    )


def preview_rows(
    page: Page, preview: PlanOutcome, names: Mapping[str, str], races: Mapping[str, str]
) -> list[tuple[str | int, ...]]:
    """One row for each athlete, in the order of the columns."""
    rows = list[tuple[str | int, ...]]()
    for each in preview.athletes:
        away = {warning.date for warning in each.warnings if warning.code in _AWAY}
        others = [warning for warning in each.warnings if warning.code not in _AWAY]
        first, last = (formats.day(day, today=page.today) for day in (each.first_day, each.last_day))
        met = len({clash.date for clash in each.clashes})
        name = plain(names.get(each.user_id, each.user_id))
        rows.append(
            (
                name,
                races.get(each.user_id, ""),
                first,
                last,
                each.added,
                met,
                each.deleted,
                each.left_out,
                each.past,
                len(away),
                len(others),
            )
        )
    return rows
