"""Make the browser fetch the session cookie; shows nothing."""

from coachboard.server.session_keys import PATH
from coachboard.ui.frame import state
from coachboard.ui.widgets.component import component

_TICKET = "shell.ticket"


def hand_out(ticket: str) -> None:
    """Give the browser this ticket in the next run."""
    state.put(_TICKET, ticket)


def draw() -> None:
    """If a ticket waits, add the script that exchanges it for the cookie."""
    ticket = state.get(_TICKET)
    if ticket is not None:
        component(__package__, "keeper", html="<span hidden></span>")(
            key="shell.keeper", data={"ticket": ticket, "path": PATH}, on_kept_change=_forget_ticket
        )


def _forget_ticket() -> None:
    state.forget(_TICKET)
