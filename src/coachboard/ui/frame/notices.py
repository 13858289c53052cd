"""Error messages for the user: the event, the data that are still valid, the next step."""

from collections.abc import Iterable
from datetime import UTC, datetime
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, NamedTuple

import streamlit as st

from coachboard.client.errors import (
    BadRequest,
    EditConflict,
    Forbidden,
    NotFound,
    RateLimited,
    RequestConflict,
    RowProblem,
    ServiceError,
    TimedOut,
    Unauthorized,
    UnexpectedStatus,
    Unreachable,
    UnreadableResponse,
    Untrusted,
)
from coachboard.client.result import Result
from coachboard.loaders.requests import Unread, unread_of
from coachboard.ui.frame import connection, formats
from coachboard.ui.frame.text import md


class Saying(NamedTuple):
    """One sentence about the event and one about the next step."""

    happened: str
    next_step: str
    with_button: str = ""  # the next step beside a button "Try again", if it differs


_RELOAD = ("Reload the page in a minute.", "Try again in a minute.")
_SAYINGS: MappingProxyType[type[ServiceError], Saying] = MappingProxyType(
    {
        TimedOut: Saying(
            "The data service did not answer in time.",
            *_RELOAD,
        ),
        Unreachable: Saying(
            "The data service cannot be reached.",
            "Check the network and the address of the data service, then reload the page.",
            "Check the network and the address of the data service, then try again.",
        ),
        Untrusted: Saying(
            "The data service's certificate is not valid, so nothing was sent.",
            "Check its address. If it is right, contact its administrator.",
        ),
        EditConflict: Saying(
            "The data has changed since you opened it. Nothing was saved.",
            "Reload the page, then repeat your change.",
            "Try again, then repeat your change.",
        ),
        BadRequest: Saying(
            "The data service rejected the request.",
            "Open the page from the navigation, not from an edited address.",
        ),
        Unauthorized: Saying(
            "The data service does not accept this key: it is wrong, revoked or expired.",
            "Sign in with a valid key.",
        ),
        Forbidden: Saying(
            "The data service does not let this key make the change. Nothing was saved.",
            "Ask a coach or admin of the workspace to make it.",
        ),
        RequestConflict: Saying(
            "The change does not fit the data of the service. Nothing was saved.",
            "Reload the page, then repeat your change.",
            "Try again, then repeat your change.",
        ),
        NotFound: Saying(
            "Not found, or not visible with this key.",
            "It was deleted, or belongs to an athlete outside your workspaces. Choose another one.",
        ),
        RateLimited: Saying(
            "Request limit of the data service reached.",
            "Data already loaded stays on screen; the rest loads after the wait.",
        ),
        UnexpectedStatus: Saying(
            "The data service failed with an internal error.",
            *_RELOAD,
        ),
        UnreadableResponse: Saying(
            "The data service sent an unreadable reply.",
            "Data already loaded stays on screen. If it happens again, contact its administrator.",
        ),
    }
)
_DISK_FULL = Saying(
    "The disk of the data service is full: nothing was saved.",
    "Ask its administrator to free some space, then try again.",
)
_UNAVAILABLE = Saying("The data service is not available at the moment.", *_RELOAD)
_GENERAL = Saying("The request to the data service failed.", *_RELOAD)


def saying(error: ServiceError) -> Saying:
    """The message for an error, by its most specific class."""
    if isinstance(error, UnexpectedStatus) and error.status == HTTPStatus.SERVICE_UNAVAILABLE:
        return _UNAVAILABLE
    if isinstance(error, UnexpectedStatus) and error.status == HTTPStatus.INSUFFICIENT_STORAGE:
        return _DISK_FULL
    return next((_SAYINGS[kind] for kind in type(error).__mro__ if kind in _SAYINGS), _GENERAL)


def next_step_of(error: ServiceError, *, has_retry: bool) -> str:
    """The action for the reader: the button, if there is one, else a reload."""
    notice = saying(error)
    return notice.with_button or notice.next_step if has_retry else notice.next_step


def sentence(error: ServiceError) -> str:
    """The event as one sentence for a table row."""
    return _with_wait(error, saying(error).happened)


def with_cause(error: ServiceError) -> str:
    """The event and its cause from the service or the network, as two sentences."""
    return f"{sentence(error)}{reply_words(error)}"


def let_go(error: ServiceError | None) -> None:
    """If the service rejects the key, hide all data of the key and ask for another one."""
    access = connection.current_access() if isinstance(error, Unauthorized) else None
    if access is not None:
        connection.refuse(access)
        st.rerun()


def say(error: ServiceError, *, about: str | None = None, has_retry: bool = False) -> None:
    """Show an error in place of content; `about` names the content as plain text.

    With a button "Try again" below, the text names the button: a reader who is asked to reload the page overlooks it.
    """
    let_go(error)
    happened, next_step = saying(error).happened, next_step_of(error, has_retry=has_retry)
    subject = f"{md(about[:1].upper() + about[1:])}: " if about else ""
    st.warning(
        f"{subject}{_with_wait(error, happened)} {next_step}{reply_words(error)}", icon=":material/cloud_off:"
    )


def say_stale(*results: Result[Any]) -> None:
    """One line if the page shows cached data: its age and the reason."""
    stale = [result for result in results if result.is_stale]
    for result in stale:
        let_go(result.error)
    if not stale:
        return
    oldest = min(stale, key=lambda result: result.as_of)
    age = formats.ago(oldest.as_of, datetime.now(UTC))
    reason = sentence(oldest.error) if oldest.error else "Refreshing now."
    st.caption(f":material/history: Last known data, updated {age}. {reason}")


def say_problems(*results: Result[Any]) -> None:
    """One line if rows do not match the interface; a click lists the fields."""
    problems = [problem for result in results for problem in result.problems]
    if problems:
        sentences = [f"{unread_words(unread)}." for unread in unread_of(*results)]
        odd = sum(not problem.is_set_aside for problem in problems)
        if odd:
            sentences.append(
                f"{formats.count(odd, 'unknown field or value', 'unknown fields or values')} ignored."
            )
        st.caption(f":material/rule: {' '.join(sentences)}", help=_places(problems))


def unread_words(unread: Unread) -> str:
    """`3 of 240 activities could not be read`."""
    return f"{unread.rows:,} of {unread.total:,} {ROWS.get(unread.name, 'rows')} could not be read"


ROWS = MappingProxyType(
    {
        "users": "athletes",
        "activities": "activities",
        "training-prescriptions": "planned workouts",
        "notes": "notes",
        "events": "events",
        "metrics": "metrics",
        "sleeps": "nights",
        "streams": "columns of the recording",
    }
)
"""Words for the rows of a list, by the list's name on the wire."""


def say_empty(what: str, *, fills: str, rows: str = "", of: Iterable[Result[Any]] = ()) -> None:
    """Show an empty state: why there is nothing and what fills it.

    `rows` names the lists that would fill it: if rows of them could not be read, nothing is known to be absent.
    """
    st.caption(unreadable(rows, of) or f"{what} {fills}")


def unreadable(rows: str, results: Iterable[Result[Any]]) -> str:
    """The sentences of an empty state if rows of these lists could not be read; else nothing."""
    gaps = [unread_words(unread) for unread in unread_of(*results) if unread.name in rows.split()]
    return f"No readable data here: {', '.join(gaps)}. {_UNREADABLE}" if gaps else ""


_UNREADABLE = "Contact the data service's administrator."


def _places(problems: Iterable[RowProblem], most: int = 12) -> str:
    listed = list(problems)
    lines = [f"- {md(problem.place)}: {md(problem.says, longest=120)}" for problem in listed[:most]]
    more = len(listed) - most
    return "\n".join(lines + ([f"- and {more:,} more"] if more > 0 else []))


def _with_wait(error: ServiceError, happened: str) -> str:
    if isinstance(error, RateLimited):
        return f"{happened[:-1]}: try again in {formats.number(error.wait_s, 0, 's')}."
    return happened


def reply_words(error: ServiceError) -> str:
    """The service's own words, else the cause that the client found or the address that does not answer."""
    if isinstance(error, Unreachable) and not error.words and not connection.is_embedded():
        return f" It does not answer at {md(connection.base_url())} (setting COACHBOARD\\_BASE\\_URL)."
    words = md(error.words if error.code else error.words.rstrip("."), longest=160)
    if not words or isinstance(error, Unauthorized | NotFound):
        return ""
    if error.code:
        return f" The data service said: “{words}”"
    is_set = isinstance(error, Unreachable) and not connection.is_embedded()
    setting = " (setting COACHBOARD\\_BASE\\_URL)" if is_set else ""
    return f" Cause: {words}{setting}."


_DATABASE_CAUSES = {
    "disk is full": "the disk is full",
    "no space left": "the disk is full",
    "disk i/o error": "the disk cannot be read or written",
    "readonly": "the file may not be changed",
    "read-only": "the file may not be changed",
    "permission denied": "Coachboard has no right to the file",
    "locked": "another program holds the file",
    "another version of coachboard": "another version of Coachboard uses the file",
    "no such column": "its tables belong to another version of Coachboard",
    "no such table": "its tables are missing",
    "unable to open": "the file cannot be opened",
    "no such file": "the folder does not exist",
    "not a directory": "the folder's path is a file",
    "file exists": "the folder's path is a file",
    "not a database": "the file is damaged",
    "malformed": "the file is damaged",
    "password authentication": "the database server refused the password",
    "does not exist": "the database or the user does not exist on the server",
    "could not translate host": "the server's name is unknown",
    "starting up": "the database server is starting",
    "shutting down": "the database server is shutting down",
    "queuepool": "the database is busy",
    "connection": "the database server does not answer",
    "timeout": "the database server does not answer",
}
"""By a part of the words of SQLite, PostgreSQL or the operating system; the first that fits counts."""


def database_cause(words: str) -> str:
    """Why a database cannot be used, without the words of its driver, which the log has."""
    lowered = words.lower()
    return next(
        (cause for part, cause in _DATABASE_CAUSES.items() if part in lowered),
        "not known here; the server's log has the error",
    )
