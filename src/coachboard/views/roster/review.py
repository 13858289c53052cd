"""The review queue: one athlete with flags, last session, last night and plan on one screen, and the reader's remark."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from math import isnan

import streamlit as st

from coachboard.analytics.planning.adherence import Adherence, Match
from coachboard.loaders.known_days import AHEAD_DAYS, plan_days
from coachboard.loaders.preferences import LONGEST_TAG, MOST_TAGS, Preferences, clean_tags
from coachboard.loaders.roster.reviews import (
    Review,
    delete_review,
    load_reviews,
)
from coachboard.loaders.roster.row import LastNight, RosterRow
from coachboard.views.calendar import outlook
from coachboard.views.frame import choices, formats, navigation, notices, review_bar, state, theme
from coachboard.views.frame.formats import MISSING, number
from coachboard.views.frame.page import Athlete
from coachboard.views.frame.text import md, plain
from coachboard.views.roster import cells, priority
from coachboard.views.roster.visible_rows import VisibleRoster
from coachboard.views.widgets.flag_facts import draw_facts
from coachboard.views.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_side_by_side
from coachboard.views.widgets.toolbar import Press, draw_bar

_REMARKS = 3
_PLANS = 4


def draw(shown: VisibleRoster) -> None:
    """The athlete in the URL, else the first one without a review today."""
    queue = [(athlete, row) for athlete in shown.people if (row := shown.row(athlete))]
    if shown.roster.waiting and state.get_id("athlete") not in {athlete.id for athlete, _ in queue}:
        # The first loaded athlete stayed in the URL: the queue began at "3 of 25", and two athletes went unseen.
        st.caption("The review starts when all athletes are loaded.")
        return
    if not queue:
        if not shown.roster.waiting:
            notices.say_empty("No athlete passes search and filters.", fills="Change the filters above.")
        return
    reviews = load_reviews(shown.page.store, shown.page.fingerprint)
    at = _place(queue, reviews)
    athlete, row = queue[at]
    state.set_param("athlete", athlete.id)
    review_bar.remember_queue()
    _draw_head(shown, queue, at, reviews)
    left, right = st.columns([3, 2], gap="large")
    with left:
        draw_facts(shown.standing(row))
        draw_side_by_side([_sessions(shown, row)], key="roster.review.sessions")
        _draw_outlook(shown, row)
    with right:
        parts = [
            partial(_draw_remarks, shown, row, reviews.get(athlete.id, ()), following=_id_at(queue, at + 1)),
            partial(draw_side_by_side, [_night(row), _plan(row)], key="roster.review.days"),
        ]
        # On a phone the remark came before the night and the plan that it is about.
        for draw_part in parts[::-1] if theme.is_phone() else parts:
            draw_part()


def _place(queue: Sequence[tuple[Athlete, RosterRow]], reviews: Mapping[str, tuple[Review, ...]]) -> int:
    asked = state.get_id("athlete")
    ids = [athlete.id for athlete, _ in queue]
    if asked in ids:
        return ids.index(asked)
    open_ones = (at for at, (_, row) in enumerate(queue) if not _is_reviewed(row, reviews))
    return next(open_ones, 0)


def _is_reviewed(row: RosterRow, reviews: Mapping[str, tuple[Review, ...]]) -> bool:
    return any(review.day == row.today for review in reviews.get(row.user.id, ()))


def _id_at(queue: Sequence[tuple[Athlete, RosterRow]], at: int) -> str | None:
    return queue[at][0].id if 0 <= at < len(queue) else None


def _draw_head(
    shown: VisibleRoster,
    queue: Sequence[tuple[Athlete, RosterRow]],
    at: int,
    reviews: Mapping[str, tuple[Review, ...]],
) -> None:
    athlete, row = queue[at]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        # Takes the focus of a flag that led here: a keyboard would start again at the top of the page.
        back = Press("all", "All athletes", "", is_quiet=True, icon="arrow_back", goes_on=True)
        draw_bar(
            [back],
            key="roster.review.all",
            on_change=lambda *_: state.set_params({"view": None, "athlete": None}),
        )
        is_phone = theme.is_phone()
        for label, key, to in (("Previous", "P", at - 1), ("Next", "N", at + 1)):
            st.button(label, key=f"roster.review.{label}", shortcut=None if is_phone else key, disabled=not 0 <= to < len(queue),
                      on_click=_go, args=(_id_at(queue, to),))  # fmt: skip
        st.page_link(
            navigation.page_path("athlete"),
            label=f"**{md(athlete.name)}**",
            query_params={"athlete": athlete.id},
        )
        if shown.standing(row):
            priority.draw(shown, row)
        elif event := priority.near_event(row):
            st.caption(f":material/flag: {md(event)}", width="content")
        _draw_own(shown, athlete)
    done = sum(_is_reviewed(one, reviews) for _, one in queue)
    keys = "" if is_phone else "Keys: N next, P previous (not while typing). "
    st.caption(f"{at + 1} of {len(queue)}; {done} reviewed today. {keys}{_news_words(shown, row)}")


def _draw_own(shown: VisibleRoster, athlete: Athlete) -> None:
    """The reader's favourite mark and tags."""
    page, key = shown.page, f"roster.own.{athlete.id}"
    is_favourite = athlete.id in page.preferences.favourites
    tags = list(page.preferences.tags.get(athlete.id, ()))
    st.button("★ Favourite" if is_favourite else "☆ Favourite", key=f"{key}.favourite", type="tertiary",
              help="Remove from your favourites" if is_favourite else "Add to your favourites",
              on_click=_take_favourite, args=(shown, athlete.id, not is_favourite))  # fmt: skip
    with st.popover(_tags_label(tags), icon=":material/label:", type="tertiary", key=f"{key}.box"):
        known = sorted({*tags, *(name for names in page.preferences.tags.values() for name in names)})
        state.put_default(f"{key}.tags", tags)
        st.multiselect("Tags", known, tags, key=f"{key}.tags", accept_new_options=True, max_selections=MOST_TAGS,
                       format_func=lambda name: plain(name, longest=LONGEST_TAG), on_change=_take_tags,
                       args=(shown, athlete.id, f"{key}.tags"), placeholder="Choose or type a tag")  # fmt: skip
        st.caption("Only you see your tags and favourites.")


def _tags_label(tags: list[str]) -> str:
    return md(", ".join(tags), longest=40) or "Tags"


def _take_favourite(shown: VisibleRoster, user_id: str, is_on: bool) -> None:  # noqa: FBT001 (Streamlit's args)
    def change(kept: Preferences) -> Preferences:
        others = tuple(one for one in kept.favourites if one != user_id)
        return replace(kept, favourites=(*others, user_id) if is_on else others)

    choices.keep(shown.page, change)


def _take_tags(shown: VisibleRoster, user_id: str, key: str) -> None:
    names = clean_tags(state.get(key, ()))

    def change(kept: Preferences) -> Preferences:
        others = {one: tags for one, tags in kept.tags.items() if one != user_id}
        return replace(kept, tags=others | ({user_id: names} if names else {}))

    choices.keep(shown.page, change, key)


def _go(user_id: str | None) -> None:
    if user_id:
        state.set_param("athlete", user_id)


def _news_words(shown: VisibleRoster, row: RosterRow) -> str:
    if shown.visit.since is None:
        return "On your next visit, this page lists the data that arrived in between."
    news = cells.news_words(shown.news(row), row)
    since = formats.ago(shown.visit.since, shown.page.now)
    return (
        f"New since your last visit {since}: {md(news)}."
        if news
        else f"Nothing new since your last visit {since}."
    )


def _draw_remarks(
    shown: VisibleRoster, row: RosterRow, reviews: tuple[Review, ...], *, following: str | None
) -> None:
    """A field for today's remark; saving it moves to the next athlete."""
    label = "Reviewed, next athlete" if following else "Reviewed"
    review_bar.draw_remark(
        shown.page, row.user.id, row.today, reviews, label=label, then=partial(_go, following)
    )
    for review in reviews[:_REMARKS]:
        remark = f": {md(review.remark)}" if review.remark else ""
        st.caption(f"Reviewed {formats.day(review.day, today=row.today)}{remark}")
    if any(review.day == row.today for review in reviews):
        st.button("Undo today's review", key=f"roster.review.back.{row.user.id}", type="tertiary",
                  on_click=_undo_review, args=(shown, row))  # fmt: skip


def _undo_review(shown: VisibleRoster, row: RosterRow) -> None:
    with choices.keeping():
        delete_review(shown.page.store, shown.page.fingerprint, row.user.id, row.today)
        state.forget(review_bar.remark_key(row.user.id))


def _sessions(shown: VisibleRoster, row: RosterRow) -> PeopleTable:
    """The last sessions; the newest first."""
    done = [match for match in row.week if match.done is not None][::-1][:_PLANS]
    columns = [TableColumn("day", "Day", width=84), TableColumn("what", "Session"),
               TableColumn("duration", "Moving", "load", is_number=True, width=74)]  # fmt: skip
    none = "" if done else "No session in the last 7 days."
    return PeopleTable(
        "Last sessions", columns, [_session_row(shown, row, match) for match in done], "list", none
    )


def _session_row(shown: VisibleRoster, row: RosterRow, match: Match) -> TableRow:
    done = match.done
    assert done is not None
    href = review_bar.session_url(row.user.id, done.id, done.day, today=row.today)
    volume = f"{number(done.volume)} points" if not isnan(done.volume) else ""
    return TableRow(done.id, [
        Cell(formats.day(done.day, today=row.today)),
        Cell(session_title(match), _outcome(shown, row, match), href=href),
        Cell(formats.duration_hm(done.duration_s), volume),
    ], href=href)  # fmt: skip


def session_title(match: Match) -> str:
    """The plan's name, as in the calendar: devices name most sessions "Ride"."""
    part = match.planned or match.done
    assert part is not None
    return plain(part.title, longest=60) or formats.sport(part.sport or "session")


def _outcome(shown: VisibleRoster, row: RosterRow, match: Match) -> str:
    """Distance, compliance and feel score of the session."""
    done, compliance = match.done, match.compliance
    assert done is not None
    distance = formats.distance(done.distance_m or None, done.sport, units=shown.page.units)
    share = (
        f"{formats.compliance(compliance.ratio)} of the planned {compliance.measure}"
        if compliance and compliance.measure
        else ""
    )
    felt = [value for day, value in row.days.feelings if day == done.day]
    others = [one for one in row.week if one.done and one.done.day == done.day and one.done.id != done.id]
    # A feel score has a day and no session: with two sessions it may be the other one's.
    feeling = f"feel {number(felt[0])} of 5" if felt and not others else ""
    unplanned = "unplanned" if match.adherence is Adherence.UNPLANNED else ""
    known = distance if distance != MISSING else ""
    return ", ".join(part for part in (known, share or unplanned, feeling) if part)


def _night(row: RosterRow) -> PeopleTable:
    """Last night with the 7-day mean and the normal range."""
    columns = [TableColumn("what", "Metric", width=160), TableColumn("last", "Last", is_number=True, width=76),
               TableColumn("mean", "7-day mean", "normal", is_number=True)]  # fmt: skip
    bodies = (
        ("Sleep", row.sleep_h, formats.hours),
        ("HRV, ms", row.hrv_ms, cells.milliseconds(row.hrv_ms)),
        ("Resting heart rate, bpm", row.resting_hr_bpm, number),
    )
    rows = [_night_row(row, name, body, write) for name, body, write in bodies if body.day is not None]
    return PeopleTable("Last night", columns, rows, "list", "" if rows else "No night in the last 7 days.")


def _night_row(row: RosterRow, name: str, body: LastNight, write: Callable[[float], str]) -> TableRow:
    return TableRow(name, [
        Cell(name),
        Cell(write(body.last), formats.day(body.day, today=row.today)),
        Cell(write(body.mean), cells.normal_words(body, write)),
    ])  # fmt: skip


def _plan(row: RosterRow) -> PeopleTable:
    """The next plans; a click opens the day in the calendar."""
    end = row.today + timedelta(days=AHEAD_DAYS)  # the week of the squad has a day more
    ahead = [
        match
        for match in row.week
        if match.adherence is Adherence.AHEAD and match.planned and match.day < end
    ][:_PLANS]
    columns = [TableColumn("day", "Day", width=84), TableColumn("what", "Plan"),
               TableColumn("duration", "Planned", is_number=True, width=74)]  # fmt: skip
    none = "" if ahead else "Nothing planned in the next 7 days."
    return PeopleTable("Plan", columns, [_plan_row(row, match) for match in ahead], "list", none)


def _draw_outlook(shown: VisibleRoster, row: RosterRow) -> None:
    """Whether tomorrow's plans are feasible on W′ and on recovery, and the last three like each."""
    tomorrow = row.today + timedelta(days=1)
    plans = [match.planned for match in row.week if match.planned and match.planned.day == tomorrow]
    if not plans:
        st.caption("Nothing planned for tomorrow.")
        return
    for plan in plans:
        found = shown.page.client.list_prescriptions(row.user.id, *plan_days(row.today)).rows({plan.id})
        if found:
            st.markdown(f"**Tomorrow: {md(plan.title, longest=60)}**")
            outlook.draw(shown.page, row.user.id, found[0], with_feasibility=True)


def _plan_row(row: RosterRow, match: Match) -> TableRow:
    plan = match.planned
    assert plan is not None
    days = (plan.day - row.today).days
    day = {0: "Today", 1: "Tomorrow"}.get(days, formats.day(plan.day, today=row.today))
    stimulus = formats.label(plan.stimulus) if plan.stimulus else formats.sport(plan.sport or "session")
    href = review_bar.day_url(row.user.id, plan.day, today=row.today)
    duration = MISSING if isnan(plan.duration_s) else formats.duration_hm(plan.duration_s)
    title = plain(plan.title, longest=60) or stimulus
    return TableRow(plan.id, [
        Cell(day), Cell(title, "" if title == stimulus else stimulus, href=href), Cell(duration),
    ], href=href)  # fmt: skip
