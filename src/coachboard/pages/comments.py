"""Comments below an entry of the calendar and below a session, and how many of each athlete are unread."""

from collections import Counter
from collections.abc import Callable, Collection
from functools import partial

import streamlit as st

from coachboard.client.errors import (
    EditConflict,
    Forbidden,
    NotFound,
    RateLimited,
    RequestConflict,
    ServiceError,
    Unreachable,
)
from coachboard.plain_text import plain
from coachboard.ui.frame import formats, navigation, notices, state
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.ui.widgets.comment_thread import (
    CommentPanel,
    CommentReport,
    ThreadComment,
    draw_comments,
)
from coachboard.wire.comments import MOST_COMMENT, Comment, UnreadComment

_STATE = "comments"
_MOST_LINKS = 4


@st.fragment
def draw_thread(page: Page, *, entry_id: str = "", activity_id: str = "") -> None:
    """The comments on a session and on its plan, of which a new one belongs to the session; else on the plan alone.

    Nothing for a service without comments, or for a row that the service does not have.
    """
    if not page.client.planning.has("comments"):
        return
    comments = _comments_or_notice(page, entry_id, activity_id)
    if comments is not None:
        st.markdown("**Comments**")
        _draw(page, comments, entry_id=entry_id, activity_id=activity_id)


@st.fragment
def draw_folded(page: Page, *, entry_id: str, activity_id: str, key: str) -> None:
    """The same under a line that opens; it is open while there are comments."""
    comments = _comments_or_notice(page, entry_id, activity_id)
    if comments is None:
        return
    label = f"Comments ({len(comments)})" if comments else "Comment on this session"
    with st.expander(label, expanded=bool(comments), icon=":material/chat:", key=f"{key}.{activity_id}"):
        _draw(page, comments, entry_id=entry_id, activity_id=activity_id)


def _comments_or_notice(page: Page, entry_id: str, activity_id: str) -> list[Comment] | None:
    try:
        return _read(page, entry_id, activity_id)
    except NotFound:
        return None
    except ServiceError as error:
        notices.say(error, about="The comments")
        return None


def _draw(page: Page, comments: list[Comment], *, entry_id: str, activity_id: str) -> None:
    key = f"{_STATE}.{activity_id or entry_id}"
    new, is_first_look = _mark_read(page, key, comments)
    draw_comments(
        CommentPanel(
            [_shown(page, comment, is_new=comment.id in new) for comment in comments],
            draft_key=f"{page.profile.id} comment {activity_id or entry_id}",
            longest=MOST_COMMENT,
            answered=state.get(f"{key}.answered", 0),
            saved=state.get(f"{key}.saved", 0),
            refusal=state.get(f"{key}.refusal", ""),
        ),
        key=key,
        on_act=partial(
            _act, page, key, comments, entry_id="" if activity_id else entry_id, activity_id=activity_id
        ),
    )
    if is_first_look:
        st.rerun()  # navigation and lists were drawn with these comments as unread


def _read(page: Page, entry_id: str, activity_id: str) -> list[Comment]:
    planning = page.client.planning
    comments = list(planning.comments(activity_id=activity_id)) if activity_id else []
    if entry_id:
        try:
            comments += planning.comments(entry_id=entry_id)
        except NotFound:  # a plan of another service's calendar, or one that was deleted meanwhile
            if not activity_id:
                raise
    return sorted(comments, key=lambda comment: comment.created_at)


def _mark_read(page: Page, key: str, comments: list[Comment]) -> tuple[frozenset[str], bool]:
    """Mark the comments as read; those that were new stay marked on screen until the user opens another row.

    Also replies whether a comment was marked for the first time.
    """
    unread = [comment.id for comment in comments if comment.is_unread]
    opened, new = state.get(f"{_STATE}.new", ("", frozenset()))
    before = new if opened == key else frozenset()
    new = before | frozenset(unread)
    state.put(f"{_STATE}.new", (key, new))
    if unread:
        try:
            page.client.planning.mark_read(unread)
        except ServiceError:
            return new, False  # they stay unread
    return new, new != before


def _shown(page: Page, comment: Comment, *, is_new: bool) -> ThreadComment:
    when = formats.ago(comment.created_at, page.now)
    return ThreadComment(
        comment.id,
        "You" if comment.is_own else plain(comment.author.name, longest=80),
        f"{when}, changed" if comment.edited_at else when,
        comment.text,
        is_own=comment.is_own,
        is_new=is_new,
    )


def _act(
    page: Page, key: str, comments: list[Comment], report: CommentReport, *, entry_id: str, activity_id: str
) -> None:
    number, text = report.get("number"), str(report.get("text") or "")
    comment = next((row for row in comments if row.id == report.get("id")), None)
    planning = page.client.planning
    actions: dict[object, Callable[[], object]] = {
        "add": lambda: planning.add_comment(text[:MOST_COMMENT], entry_id=entry_id, activity_id=activity_id)
    }
    if comment is not None:
        actions["change"] = lambda: planning.change_comment(comment, text[:MOST_COMMENT])
        actions["delete"] = lambda: planning.delete_comment(comment.id)
    state.put(f"{key}.answered", number)
    state.forget(f"{key}.refusal")
    try:
        actions.get(report.get("act"), _gone)()
    except NotFound:
        if report.get("act") == "delete":
            state.put(f"{key}.saved", number)
        else:
            state.put(f"{key}.refusal", "Not saved: what you commented on is gone. Your text stays here.")
    except ServiceError as error:
        state.put(f"{key}.refusal", refusal(error))
    else:
        state.put(f"{key}.saved", number)


def _gone() -> None:
    raise NotFound("POST", "/comments")


def refusal(error: ServiceError) -> str:
    """Why a comment was not saved, in one line."""
    if isinstance(error, EditConflict):
        return "Not saved: the comment was changed in another window. Read it, then change it again."
    if isinstance(error, RequestConflict):
        return "Not saved: there are 500 comments here. Delete one of yours first."
    if isinstance(error, Forbidden):
        return "Not saved: only the author changes a comment."
    if isinstance(error, RateLimited):
        return "Not saved: too many comments in a minute. Your text stays here; try again in a minute."
    if isinstance(error, Unreachable):
        return "No answer from the service: perhaps saved. Reload the page to see it. Your text stays here."
    return f"Not saved: {notices.sentence(error)} Your text stays here."


def unread_comments(page: Page) -> tuple[UnreadComment, ...]:
    """The unread comments, oldest first; none without the feature, or while the service does not answer."""
    if not page.client.planning.has("comments"):
        return ()
    try:
        return page.client.planning.unread_comments()
    except ServiceError:
        return ()


def unread_by_athlete(page: Page) -> Counter[str]:
    """The number of unread comments by athlete."""
    return Counter(comment.user_id for comment in unread_comments(page))


def unread_by_row(page: Page) -> Counter[str]:
    """The number of unread comments by entry or session."""
    return Counter(comment.activity_id or comment.entry_id or "" for comment in unread_comments(page))


def draw_unread_links(page: Page, user_ids: Collection[str]) -> None:
    """A link to each entry and session of these athletes with unread comments, the newest first."""
    rows = {
        (comment.activity_id or comment.entry_id): comment
        for comment in unread_comments(page)
        if comment.user_id in user_ids
    }
    if not rows:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="comments.unread"):
        st.caption(f"{formats.count(len(rows), 'entry', 'entries')} with new comments:", width="content")
        for comment in list(rows.values())[: -_MOST_LINKS - 1 : -1]:
            name, params = address_of(page, comment)
            day = f", {formats.day(comment.date, today=page.today)}" if comment.date else ""
            st.page_link(
                navigation.page_path(name),
                label=md(f"{plain(comment.title, longest=40)}{day}"),
                icon=":material/mark_chat_unread:",
                query_params=params,
            )


def address_of(page: Page, comment: Comment) -> tuple[str, dict[str, str]]:
    """The page of the comment's entry or session, and its parameters."""
    day = comment.date.isoformat() if isinstance(comment, UnreadComment) and comment.date else ""
    user = state.OWN if comment.user_id == page.profile.id else comment.user_id
    if comment.activity_id:
        params = {"athlete": user, "activity": comment.activity_id, "day": day}
        return "activity", {name: value for name, value in params.items() if value}
    return "calendar", {"athlete": user, "view": "week", "on": day, "open": comment.entry_id or ""}
