"""Has the browser fetch the cookie of its session; draws nothing."""

from coachboard.launch.vault import PATH
from coachboard.views import state
from coachboard.views.component import component

_TICKET = "shell.ticket"


def hand_out(ticket: str) -> None:
    """Have the next run hand this ticket to the browser."""
    state.put(_TICKET, ticket)


def draw() -> None:
    """Where a ticket waits, the small script that exchanges it for the cookie."""
    ticket = state.get(_TICKET)
    if ticket is not None:
        component(__package__, "keeper", html="<span hidden></span>")(
            key="shell.keeper", data={"ticket": ticket, "path": PATH}, on_kept_change=_take_back
        )


def _take_back() -> None:
    state.forget(_TICKET)
