"""The newest sessions of all athletes, and older ones and plans with new comments, each with its comments to answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

import streamlit as st

from coachboard.charts import palette
from coachboard.execution.adherence import Match
from coachboard.pages import comments
from coachboard.pages.roster import review
from coachboard.pages.roster.visible_rows import VisibleRoster
from coachboard.ui.frame import formats, navigation, notices, state, theme
from coachboard.ui.frame.formats import MISSING
from coachboard.ui.frame.page import Athlete
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_table
from coachboard.wire.comments import UnreadComment

_MOST_ROWS = 60
_OPEN = "session"
"""URL parameter of the open session or entry."""
_ANSWERED = "roster.feed.commented"
_TABLE = "roster.feed"


@dataclass(frozen=True, slots=True)
class FeedItem:
    """A session with its plan, or an older session or an entry that has new comments."""

    athlete: Athlete
    title: str
    day: date | None
    detail: str
    address: tuple[str, dict[str, str]]  # page and parameters
    entry_id: str = ""
    activity_id: str = ""
    sign: str = ""
    tone: str = ""

    @property
    def id(self) -> str:
        """The id in the URL."""
        return self.activity_id or self.entry_id


def draw(visible: VisibleRoster) -> None:
    """The list at the left, the open session with its comments at the right; below each other on a phone."""
    items = feed_items(visible, _commented(visible))
    if not items:
        if not visible.roster.waiting:
            notices.say_empty(
                "No sessions in the last 7 days.", fills="Sessions of your athletes appear here."
            )
        return
    opened = next((place for place, item in enumerate(items) if item.id == state.get_id(_OPEN)), None)
    unread = comments.unread_by_row(visible.page)
    is_phone = theme.is_phone()
    left, right = st.columns([2, 3], gap="large")
    with right if not is_phone else left:
        _draw_steps(items, opened, unread)
        if opened is not None:
            _draw_item(visible, items[opened])
    with left if not is_phone else right:
        picked = draw_table(_table(visible, items, opened, unread), key=_TABLE, on_pick=_take)
        if picked:
            st.rerun()
        marks = {item.sign for item in items}
        words = [f"{each.sign} {each.word}" for each in palette.COMPLIANCE.values() if each.sign in marks]
        st.caption(md(" · ".join(words)))
        st.caption("Older sessions and plans are here while they have new comments.")


def feed_items(visible: VisibleRoster, commented: Mapping[str, UnreadComment]) -> list[FeedItem]:
    """The sessions of the last days and every row with a new comment of the visible athletes, the newest day first."""
    people = {athlete.id: athlete for athlete in visible.people}
    sessions = _newest_first(
        [
            session_item(visible, athlete, match)
            for athlete in people.values()
            if (row := visible.row(athlete))
            for match in row.week
            if match.done is not None
        ]
    )
    rows = {row_id for item in sessions for row_id in (item.activity_id, item.entry_id)}
    return _newest_first(
        [
            item
            for place, item in enumerate(sessions)
            if place < _MOST_ROWS or item.activity_id in commented or item.entry_id in commented
        ]
        + [
            _commented_item(visible, people[comment.user_id], comment)
            for row_id, comment in commented.items()
            if row_id not in rows and comment.user_id in people
        ]
    )


def _newest_first(items: Sequence[FeedItem]) -> list[FeedItem]:
    by_name = sorted(items, key=lambda item: item.athlete.name.casefold())
    return sorted(by_name, key=lambda item: item.day or date.min, reverse=True)


def session_item(visible: VisibleRoster, athlete: Athlete, match: Match) -> FeedItem:
    """A session with the mark of its compliance."""
    done = match.done
    assert done is not None
    compliance = match.compliance.state if match.compliance else None
    mark = palette.COMPLIANCE[compliance] if compliance else None
    params = {"athlete": athlete.id, "activity": done.id, "day": done.day.isoformat()}
    return FeedItem(
        athlete,
        review.session_title(match),
        done.day,
        review.outcome_words(visible, match),
        ("activity", params),
        entry_id=match.planned.id if match.planned else "",
        activity_id=done.id,
        sign=mark.sign if mark else "",
        tone=visible.colour(mark.tone) if mark else "",
    )


def _commented_item(visible: VisibleRoster, athlete: Athlete, comment: UnreadComment) -> FeedItem:
    return FeedItem(
        athlete,
        plain(comment.title, longest=60),
        comment.date,
        "comment on the session" if comment.activity_id else "comment on the plan",
        comments.address_of(visible.page, comment),
        entry_id=comment.entry_id or "",
        activity_id=comment.activity_id or "",
    )


def _commented(visible: VisibleRoster) -> dict[str, UnreadComment]:
    """One new comment of each session and entry, by its id; those that this visit has opened stay in the list."""
    kept: dict[str, UnreadComment] = state.get(_ANSWERED, {})
    new = {
        comment.activity_id or comment.entry_id or "": comment
        for comment in comments.unread_comments(visible.page)
    }
    state.put(_ANSWERED, kept | new)
    return kept | new


def _table(
    visible: VisibleRoster, items: Sequence[FeedItem], opened: int | None, unread: Mapping[str, int]
) -> PeopleTable:
    columns = [TableColumn("day", "Day", width=84), TableColumn("what", "Session")]
    rows = []
    for place, item in enumerate(items):
        new = _new_words(item, unread)
        # Isolated: a name in Arabic turned the order of the numbers behind it.
        name = f"\u2068{plain(item.athlete.name, longest=40)}\u2069"
        sub = ", ".join(part for part in (name, new, item.detail) if part)
        day = formats.day(item.day, today=visible.page.today) if item.day else MISSING
        title = f"▸ {item.title}" if place == opened else item.title
        what = Cell(title, sub, pick=f"open {item.id}", sign=item.sign or None, tone=item.tone or None)
        rows.append(TableRow(item.id, [Cell(day), what]))
    return PeopleTable("Newest sessions", columns, rows, "list")


def _new_words(item: FeedItem, unread: Mapping[str, int]) -> str:
    new = sum(unread.get(row_id, 0) for row_id in {item.entry_id, item.activity_id} - {""})
    return formats.count(new, "new comment") if new else ""


def _draw_steps(items: Sequence[FeedItem], opened: int | None, unread: Mapping[str, int]) -> None:
    """Buttons and keys to the next session, the previous one and the next with new comments."""
    place = -1 if opened is None else opened
    after = [*range(place + 1, len(items)), *range(max(place, 0))]
    waiting = next((number for number in after if _new_words(items[number], unread)), None)
    is_phone = theme.is_phone()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for label, key, to in (
            ("Previous", "P", place - 1),
            ("Next", "N", place + 1),
            ("Next new comment", "U", waiting),
        ):
            is_there = to is not None and 0 <= to < len(items)
            st.button(
                label,
                key=f"roster.feed.{label}",
                shortcut=None if is_phone else key,
                disabled=not is_there,
                on_click=partial(
                    state.set_param, _OPEN, items[to].id if is_there and to is not None else None
                ),
            )
    keys = "" if is_phone else " Keys: N next, P previous, U next new comment (not while typing)."
    where = f"{place + 1} of {len(items)}" if opened is not None else formats.count(len(items), "session")
    if opened is None and items:
        where += f" (the last 7 days, at most {_MOST_ROWS}). Choose a session to see its figures and comments"
    st.caption(f"{where}.{keys}")


def _draw_item(visible: VisibleRoster, item: FeedItem) -> None:
    day = formats.day(item.day, today=visible.page.today) if item.day else ""
    st.markdown(f"**{md(item.title)}** · {md(item.athlete.name)}")
    st.caption(md(" · ".join(part for part in (day, f"{item.sign} {item.detail}".strip()) if part)))
    name, params = item.address
    with st.container(horizontal=True, gap="small"):
        label = "Open session" if item.activity_id else "Open plan"
        st.page_link(
            navigation.page_path(name), label=label, query_params=params, icon=":material/open_in_new:"
        )
        st.page_link(
            navigation.page_path("roster"),
            label=f"Review of {md(item.athlete.name)}",
            query_params={"view": "review", "athlete": item.athlete.id},
            icon=":material/person:",
        )
    comments.draw_thread(visible.page, entry_id=item.entry_id, activity_id=item.activity_id)


def _take() -> None:
    word, _, item_id = (state.get(_TABLE).picked or "").partition(" ")
    if word == "open":
        state.set_param(_OPEN, item_id)
