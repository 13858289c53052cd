"""What the reader is told when something went wrong: what happened, what is still true, what to do next."""

from collections.abc import Iterable
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, NamedTuple

import streamlit as st

from coachboard.client.errors import (
    BadRequest,
    NotFound,
    RateLimited,
    ServiceError,
    TimedOut,
    Unauthorized,
    UnexpectedStatus,
    Unreachable,
    UnreadableResponse,
)
from coachboard.client.result import Result, RowProblem
from coachboard.loaders.gathering import Unread, unread_of
from coachboard.views import connection, formats
from coachboard.views.text import md


class Saying(NamedTuple):
    """One sentence of what happened and one of what to do."""

    happened: str
    next_step: str


_SAYINGS: MappingProxyType[type[ServiceError], Saying] = MappingProxyType(
    {
        TimedOut: Saying(
            "The service did not answer in time.",
            "Reload the page in a minute.",
        ),
        Unreachable: Saying(
            "The service cannot be reached.",
            "Check the network and the service address, then reload the page.",
        ),
        BadRequest: Saying(
            "The service rejected the request.",
            "Open the page from the navigation, not from an edited address.",
        ),
        Unauthorized: Saying(
            "The service does not accept this key: it is wrong, revoked or expired.",
            "Sign in with a valid key.",
        ),
        NotFound: Saying(
            "Not found, or not visible with this key.",
            "It was deleted, or belongs to an athlete outside your workspaces. Choose another one.",
        ),
        RateLimited: Saying(
            "Request limit of the service reached.",
            "Data already loaded stays on screen; the rest loads after the wait.",
        ),
        UnexpectedStatus: Saying(
            "The service failed with an internal error.",
            "Reload the page in a minute.",
        ),
        UnreadableResponse: Saying(
            "The service sent an unreadable reply.",
            "Data already loaded stays on screen. If it happens again, contact the service's administrator.",
        ),
    }
)
_GENERAL = Saying("The request to the service failed.", "Reload the page in a minute.")


def saying(error: ServiceError) -> Saying:
    """The words for an error; those of its closest class."""
    return next((_SAYINGS[kind] for kind in type(error).__mro__ if kind in _SAYINGS), _GENERAL)


def sentence(error: ServiceError) -> str:
    """What happened in one sentence, for a row of a table."""
    return _with_wait(error, saying(error).happened)


def with_cause(error: ServiceError) -> str:
    """What happened and what the service or the network said of it, in two sentences."""
    return f"{sentence(error)}{_reply(error)}"


def let_go(error: ServiceError | None) -> None:
    """Where the key is not accepted, take all that was read with it off the screen, and ask for another."""
    access = connection.current_access() if isinstance(error, Unauthorized) else None
    if access is not None:
        connection.refuse(access)
        st.rerun()


def say(error: ServiceError, *, about: str | None = None) -> None:
    """A notice in place of what could not be shown; `about` names it, as plain text."""
    let_go(error)
    happened, next_step = saying(error)
    subject = f"{md(about[:1].upper() + about[1:])}: " if about else ""
    st.warning(
        f"{subject}{_with_wait(error, happened)} {next_step}{_reply(error)}", icon=":material/cloud_off:"
    )


def say_stale(*results: Result[Any]) -> None:
    """One quiet line where what is shown is the last known state, with its age and the reason."""
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
    """One quiet line for rows that are not of the interface, with the places on demand."""
    problems = [problem for result in results for problem in result.problems]
    if problems:
        said = [f"{unread_words(unread)}." for unread in unread_of(*results)]
        odd = sum(not problem.is_set_aside for problem in problems)
        if odd:
            said.append(
                f"{formats.count(odd, 'unknown field or value', 'unknown fields or values')} ignored."
            )
        st.caption(f":material/rule: {' '.join(said)}", help=_places(problems))


def unread_words(unread: Unread) -> str:
    """How many rows of a list: `3 of 240 activities could not be read`."""
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
"""What the rows of a list are called, by its name on the wire."""


def say_empty(what: str, *, fills: str) -> None:
    """An empty place: why it is empty and what would fill it."""
    st.caption(f"{what} {fills}")


def _places(problems: Iterable[RowProblem], most: int = 12) -> str:
    listed = list(problems)
    lines = [f"- {md(problem.place)}: {md(problem.says, longest=120)}" for problem in listed[:most]]
    more = len(listed) - most
    return "\n".join(lines + ([f"- and {more:,} more"] if more > 0 else []))


def _with_wait(error: ServiceError, happened: str) -> str:
    if isinstance(error, RateLimited):
        return f"{happened[:-1]}: try again in {formats.number(error.retry_after_s, 0, 's')}."
    return happened


def _reply(error: ServiceError) -> str:
    """The service's own words, or else the cause as the client found it; they may help whoever runs it."""
    words = md(error.words if error.code else error.words.rstrip("."), longest=160)
    if not words or isinstance(error, Unauthorized | NotFound):
        return ""
    return f" The service said: “{words}”" if error.code else f" Cause: {words}."
