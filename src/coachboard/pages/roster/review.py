"""The review queue: one athlete with flags, last session, last night and plan on one screen, and the reader's remark."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from math import isnan

import streamlit as st

from coachboard.charts import palette
from coachboard.execution.adherence import WEEK_D, Adherence, Match, Planned
from coachboard.flags.flag import Flag
from coachboard.loaders.known_days import AHEAD_DAYS, plan_days
from coachboard.loaders.preferences import LONGEST_TAG, MOST_TAGS, Preferences
from coachboard.loaders.reviews import (
    Review,
    delete_review,
    load_reviews,
)
from coachboard.loaders.roster_row import LastNight, RosterRow
from coachboard.pages import workout_outlook
from coachboard.pages.roster import cells, priority
from coachboard.pages.roster.visible_rows import VisibleRoster
from coachboard.ui.frame import choices, formats, groups, notices, review_bar, state, theme
from coachboard.ui.frame.addresses import day_url
from coachboard.ui.frame.formats import MISSING, number
from coachboard.ui.frame.page import Athlete
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets.flag_facts import draw_facts
from coachboard.ui.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_side_by_side
from coachboard.ui.widgets.toolbar import Press, draw_bar

_REMARKS = 3
_PLANS = 4


def draw(visible: VisibleRoster) -> None:
    """The athlete in the URL, else the first one without a review today."""
    queue = [(athlete, row) for athlete in visible.people if (row := visible.row(athlete))]
    if visible.roster.waiting and state.get_id("athlete") not in {athlete.id for athlete, _ in queue}:
        # The first loaded athlete stayed in the URL: the queue began at "3 of 25", and two athletes went unseen.
        st.caption("The review starts when all athletes are loaded.")
        return
    if not queue:
        if not visible.roster.waiting:
            notices.say_empty("No athlete passes search and filters.", fills="Change the filters above.")
        return
    reviews = load_reviews(visible.page.store, visible.page.fingerprint)
    place = _place(queue, reviews)
    athlete, row = queue[place]
    state.set_param("athlete", athlete.id)
    review_bar.remember_queue()
    _draw_head(visible, queue, place, reviews)
    left, right = st.columns([3, 2], gap="large")
    with left:
        draw_facts(visible.active_flags(row))
        draw_side_by_side([_sessions(visible, row)], key="roster.review.sessions")
        _draw_outlook(visible, row)
    with right:
        parts = [
            partial(
                _draw_remarks, visible, row, reviews.get(athlete.id, ()), following=_id_at(queue, place + 1)
            ),
            partial(draw_side_by_side, [night_table(row), plan_table(row)], key="roster.review.days"),
        ]
        # On a phone the remark came before the night and the plan that it is about.
        for draw_part in parts[::-1] if theme.is_phone() else parts:
            draw_part()


def _place(queue: Sequence[tuple[Athlete, RosterRow]], reviews: Mapping[str, tuple[Review, ...]]) -> int:
    asked = state.get_id("athlete")
    ids = [athlete.id for athlete, _ in queue]
    if asked in ids:
        return ids.index(asked)
    open_ones = (place for place, (_, row) in enumerate(queue) if not _is_reviewed(row, reviews))
    return next(open_ones, 0)


def _is_reviewed(row: RosterRow, reviews: Mapping[str, tuple[Review, ...]]) -> bool:
    return any(review.day == row.today for review in reviews.get(row.user.id, ()))


def _id_at(queue: Sequence[tuple[Athlete, RosterRow]], place: int) -> str | None:
    return queue[place][0].id if 0 <= place < len(queue) else None


def _draw_head(
    visible: VisibleRoster,
    queue: Sequence[tuple[Athlete, RosterRow]],
    place: int,
    reviews: Mapping[str, tuple[Review, ...]],
) -> None:
    athlete, row = queue[place]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        # Takes the focus of a flag that led here: a keyboard would start again at the top of the page.
        back = Press("all", "All athletes", "", is_quiet=True, icon="arrow_back", goes_on=True)
        draw_bar(
            [back],
            key="roster.review.all",
            on_change=lambda *_: state.set_params({"view": None, "athlete": None}),
        )
        is_phone = theme.is_phone()
        for label, key, to in (("Previous", "P", place - 1), ("Next", "N", place + 1)):
            st.button(label, key=f"roster.review.{label}", shortcut=None if is_phone else key, disabled=not 0 <= to < len(queue),
                      on_click=_go, args=(_id_at(queue, to),))  # fmt: skip
        priority.draw_name(visible, athlete, row)
        _draw_own(visible, athlete)
    done = sum(_is_reviewed(reviewed_row, reviews) for _, reviewed_row in queue)
    keys = "" if is_phone else "Keys: N next, P previous (not while typing). "
    st.caption(f"{place + 1} of {len(queue)}; {done} reviewed today. {keys}{_news_words(visible, row)}")


def _draw_own(visible: VisibleRoster, athlete: Athlete) -> None:
    """The reader's favourite mark, and the athlete's groups."""
    page, key = visible.page, f"roster.own.{athlete.id}"
    is_favourite = athlete.id in page.preferences.favourites
    names = list(visible.group_names.get(athlete.id, ()))
    what = "Groups" if groups.shared(page) or groups.failure(page) else "Tags"
    st.button("★ Favourite" if is_favourite else "☆ Favourite", key=f"{key}.favourite", type="tertiary",
              help="Remove from your favourites" if is_favourite else "Add to your favourites",
              on_click=_take_favourite, args=(visible, athlete.id, not is_favourite))  # fmt: skip
    label = md(", ".join(names), longest=40) or what
    with st.popover(label, icon=":material/label:", type="tertiary", key=f"{key}.box"):
        if groups.failure(page) is not None:
            groups.say_failure(page)
            return
        options = sorted({*names, *groups.names(page)}, key=str.casefold)
        # Another coach may have changed the groups: the field takes them over.
        field = f"{key}.names.{'|'.join(names)}"
        state.put_default(field, names)
        st.multiselect(
            what,
            options,
            names,
            key=field,
            accept_new_options=True,
            max_selections=MOST_TAGS,
            format_func=lambda name: plain(name, longest=LONGEST_TAG),
            on_change=lambda: groups.choose(page, athlete.id, state.get(field, ()), field),
            placeholder="Choose or type a group" if what == "Groups" else "Choose or type a tag",
        )
        if what == "Groups":
            st.caption("The coaches of the workspace share its groups. Only you see your favourites.")
            groups.draw_take_over(page)
        else:
            st.caption("Only you see your tags and favourites.")


def _take_favourite(visible: VisibleRoster, user_id: str, is_on: bool) -> None:  # noqa: FBT001 (Streamlit's args)
    def change(kept: Preferences) -> Preferences:
        others = tuple(athlete_id for athlete_id in kept.favourites if athlete_id != user_id)
        return replace(kept, favourites=(*others, user_id) if is_on else others)

    choices.keep(visible.page, change)


def _go(user_id: str | None) -> None:
    if user_id:
        state.set_param("athlete", user_id)


def _news_words(visible: VisibleRoster, row: RosterRow) -> str:
    if visible.visit.since is None:
        return "On your next visit, this page lists the data that arrived in between."
    news = cells.news_words(visible.news(row), row)
    since = formats.ago(visible.visit.since, visible.page.now)
    return (
        f"New since your last visit {since}: {md(news)}."
        if news
        else f"Nothing new since your last visit {since}."
    )


def _draw_remarks(
    visible: VisibleRoster, row: RosterRow, reviews: tuple[Review, ...], *, following: str | None
) -> None:
    """A field for today's remark; saving it moves to the next athlete."""
    label = "Reviewed, next athlete" if following else "Reviewed"
    review_bar.draw_remark(
        visible.page, row.user.id, row.today, reviews, label=label, then=partial(_go, following)
    )
    for review in reviews[:_REMARKS]:
        remark = f": {md(review.remark)}" if review.remark else ""
        st.caption(f"Reviewed {formats.day(review.day, today=row.today)}{remark}")
    if any(review.day == row.today for review in reviews):
        st.button("Undo today's review", key=f"roster.review.back.{row.user.id}", type="tertiary",
                  on_click=_undo_review, args=(visible, row))  # fmt: skip


def _undo_review(visible: VisibleRoster, row: RosterRow) -> None:
    with choices.keeping():
        delete_review(visible.page.store, visible.page.fingerprint, row.user.id, row.today)
        state.forget(review_bar.remark_key(row.user.id))


def _sessions(visible: VisibleRoster, row: RosterRow) -> PeopleTable:
    """The last sessions, and all missed plans of the week, which the roster counts; the newest first."""
    past = [match for match in row.week if match.done is not None or match.adherence is Adherence.MISSED]
    newest = sorted(past, key=lambda match: match.calendar_day, reverse=True)
    due = [
        match for place, match in enumerate(newest) if place < _PLANS or match.adherence is Adherence.MISSED
    ]
    columns = [TableColumn("day", "Day", width=84), TableColumn("what", "Session"),
               TableColumn("duration", "Time", "load", is_number=True, width=74)]  # fmt: skip
    none = "" if due else "No session in the last 7 days."
    return PeopleTable(
        "Last sessions", columns, [session_row(visible, row, match) for match in due], "list", none
    )


def session_row(visible: VisibleRoster, row: RosterRow, match: Match) -> TableRow:
    """Day, name with the mark of its compliance and outcome, time with load."""
    done = match.done
    if done is None:
        return _missed_row(visible, row, match)
    href = review_bar.session_url(row.user.id, done.id, done.day, today=row.today)
    volume = f"{number(done.volume)} points" if not isnan(done.volume) else ""
    return TableRow(done.id, [
        Cell(formats.day(done.day, today=row.today)),
        _named(visible, match, outcome_words(visible, match), href),
        Cell(formats.duration_hm(done.duration_s), volume),
    ], href=href)  # fmt: skip


def _missed_row(visible: VisibleRoster, row: RosterRow, match: Match) -> TableRow:
    href, planned = day_url(row.user.id, match.day), match.planned
    assert planned is not None
    length = "" if isnan(planned.duration_s) else f", {formats.duration_hm(planned.duration_s)} planned"
    return TableRow(planned.id, [
        Cell(formats.day(match.day, today=row.today)),
        _named(visible, match, f"missed{length}", href),
        Cell(MISSING),
    ], href=href)  # fmt: skip


def _named(visible: VisibleRoster, match: Match, words: str, href: str) -> Cell:
    state = match.compliance.state if match.compliance else None
    look = palette.COMPLIANCE[state] if state else None
    sign, tone = (look.sign, visible.colour(look.tone)) if look else (None, None)
    return Cell(session_title(match), words, href=href, sign=sign, tone=tone)


def session_title(match: Match) -> str:
    """The plan's name, as in the calendar: devices name most sessions "Ride"."""
    part = match.planned or match.done
    assert part is not None
    return plain(part.title, longest=60) or formats.sport(part.sport or "session")


def outcome_words(visible: VisibleRoster, match: Match) -> str:
    """Distance, compliance and feel score of the session."""
    done, compliance = match.done, match.compliance
    assert done is not None
    distance = formats.distance(done.distance_m or None, done.sport, units=visible.page.units)
    share = (
        f"{formats.compliance(compliance.ratio)} of the planned {compliance.compared}"
        if compliance and compliance.measure
        else ""
    )
    feeling = "" if isnan(done.feeling) else f"feel {number(done.feeling)} of 5"
    unplanned = "unplanned" if match.adherence is Adherence.UNPLANNED else ""
    covered = distance if distance != MISSING else ""
    return ", ".join(part for part in (covered, share or unplanned, feeling) if part)


def night_table(row: RosterRow) -> PeopleTable:
    """Last night with the mean of seven days and the normal range; each line says how many nights are missing."""
    bodies = (
        ("Sleep", row.sleep_h, formats.hours),
        ("HRV, ms", row.hrv_ms, cells.milliseconds(row.hrv_ms)),
        ("Resting heart rate, bpm", row.resting_hr_bpm, number),
    )
    listed = [(name, body, write) for name, body, write in bodies if body.day is not None]
    is_whole = all(body.recent >= WEEK_D for _, body, _ in listed)
    columns = [TableColumn("what", "Metric", width=160), TableColumn("last", "Last", is_number=True, width=76),
               TableColumn("mean", "7-day mean" if is_whole else "Mean", "normal", is_number=True)]  # fmt: skip
    rows = [_night_row(row, name, body, write) for name, body, write in listed]
    return PeopleTable("Last night", columns, rows, "list", "" if rows else "No night in the last 7 days.")


def _night_row(row: RosterRow, name: str, body: LastNight, write: Callable[[float], str]) -> TableRow:
    return TableRow(name, [
        Cell(name),
        Cell(write(body.last), formats.day(body.day, today=row.today)),
        Cell(write(body.mean), cells.range_words(body, write)),
    ])  # fmt: skip


def plan_table(row: RosterRow) -> PeopleTable:
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
    return PeopleTable("Plan", columns, [plan_row(row, match) for match in ahead], "list", none)


def _draw_outlook(visible: VisibleRoster, row: RosterRow) -> None:
    """Whether the next plans are feasible on W′ and on recovery, and the last three like each."""
    plans = _next_plans(row, visible.active_flags(row))
    if not plans:
        st.caption("Nothing left for today, nothing planned for tomorrow.")
        return
    for plan in plans:
        prescriptions = visible.page.client.list_prescriptions(row.user.id, *plan_days(row.today)).rows(
            {plan.id}
        )
        if prescriptions:
            day = "Today" if plan.day == row.today else "Tomorrow"
            st.markdown(f"**{day}: {md(plan.title, longest=60)}**")
            workout_outlook.draw(visible.page, row.user.id, prescriptions[0], with_feasibility=True)


def _next_plans(row: RosterRow, flags: Sequence[Flag]) -> list[Planned]:
    """The open plans of the day that the most serious flag is about, else of today, else of tomorrow."""
    ahead = [match.planned for match in row.week if match.planned and match.adherence is Adherence.AHEAD]
    days = [*(flag.due for flag in flags if flag.due), row.today, row.today + timedelta(days=1)]
    return next((plans for day in days if (plans := [plan for plan in ahead if plan.day == day])), [])


def plan_row(row: RosterRow, match: Match) -> TableRow:
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
