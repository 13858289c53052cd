"""Has the browser fetch the cookie of its session; draws nothing."""

from functools import cache
from importlib.resources import files
from typing import Any

import streamlit as st

from coachboard.launch.vault import PATH
from coachboard.views import state

_TICKET = "shell.ticket"


def hand_out(ticket: str) -> None:
    """Have the next run hand this ticket to the browser."""
    state.put(_TICKET, ticket)


def draw() -> None:
    """Where a ticket waits, the small script that exchanges it for the cookie."""
    ticket = state.get(_TICKET)
    if ticket is not None:
        _component()(key="shell.keeper", data={"ticket": ticket, "path": PATH}, on_kept_change=_take_back)


def _take_back() -> None:
    state.forget(_TICKET)


@cache
def _component() -> Any:
    script = files(__package__).joinpath("keeper.js").read_text(encoding="utf-8")
    return st.components.v2.component("coachboard_keeper", html="<span hidden></span>", js=script)
