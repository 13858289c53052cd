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
from coachboard.views import formats
from coachboard.views.text import md


class Saying(NamedTuple):
    """One sentence of what happened and one of what to do."""

    happened: str
    next_step: str


_SAYINGS: MappingProxyType[type[ServiceError], Saying] = MappingProxyType(
    {
        TimedOut: Saying(
            "The service did not answer in time.",
            "Nothing is lost; reload the page in a minute.",
        ),
        Unreachable: Saying(
            "The service cannot be reached.",
            "Nothing is lost; check the network and the address in Settings, then reload.",
        ),
        BadRequest: Saying(
            "The service did not understand the request.",
            "Open the page from the navigation instead of an edited address.",
        ),
        Unauthorized: Saying(
            "The service does not accept this key; it is wrong, revoked or expired.",
            "Sign in with a valid key.",
        ),
        NotFound: Saying(
            "The service has nothing here that this key may see.",
            "It was removed, or belongs to an athlete outside your workspaces; choose another.",
        ),
        RateLimited: Saying(
            "The service's limit of requests is used up.",
            "Known data stays on screen; the rest can be fetched after the wait.",
        ),
        UnexpectedStatus: Saying(
            "The service reported a fault of its own.",
            "Nothing is lost; reload the page in a minute.",
        ),
        UnreadableResponse: Saying(
            "The service's reply could not be read.",
            "Known data stays as it is; if it happens again, tell whoever runs the service.",
        ),
    }
)
_GENERAL = Saying("The service could not be asked.", "Reload the page in a minute.")


def saying(error: ServiceError) -> Saying:
    """The words for an error; those of its closest class."""
    return next((_SAYINGS[kind] for kind in type(error).__mro__ if kind in _SAYINGS), _GENERAL)


def sentence(error: ServiceError) -> str:
    """What happened in one sentence, for a row of a table."""
    return _with_wait(error, saying(error).happened)


def say(error: ServiceError, *, about: str | None = None) -> None:
    """A notice in place of what could not be shown; `about` names it, as plain text."""
    happened, next_step = saying(error)
    subject = f"{md(about)}: " if about else ""
    st.warning(
        f"{subject}{_with_wait(error, happened)} {next_step}{_reply(error)}", icon=":material/cloud_off:"
    )


def say_stale(*results: Result[Any]) -> None:
    """One quiet line where what is shown is the last known state, with its age and the reason."""
    stale = [result for result in results if result.is_stale]
    if not stale:
        return
    oldest = min(stale, key=lambda result: result.as_of)
    age = formats.ago(oldest.as_of, datetime.now(UTC))
    reason = sentence(oldest.error) if oldest.error else "It is being fetched anew."
    st.caption(f":material/history: Last known data, from {age}. {reason}")


def say_problems(*results: Result[Any]) -> None:
    """One quiet line for rows that are not of the interface, with the places on demand."""
    problems = [problem for result in results for problem in result.problems]
    if problems:
        aside = sum(problem.is_set_aside for problem in problems)
        st.caption(
            f":material/rule: {formats.count(len(problems), 'oddity', 'oddities')} in the service's reply, "
            f"{formats.count(aside, 'row')} left out.",
            help=_places(problems),
        )


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
        return f"{happened[:-1]}; it asks to wait {formats.number(error.retry_after_s, 0, 's')}."
    return happened


def _reply(error: ServiceError) -> str:
    """The service's own words, which may help whoever runs it."""
    words = md(error.text, longest=160) if error.text else ""
    return f" The service said: “{words}”" if words and not isinstance(error, Unauthorized | NotFound) else ""
