"""Keeping what the reader chose; where that cannot be, it is said, and nothing that was kept before is lost."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from coachboard.loaders.local_store import StoreUnreachable
from coachboard.loaders.preferences import Preferences, change_preferences
from coachboard.views import state
from coachboard.views.shell import Page

_SAYS = "Not saved: the dashboard's database does not answer. Try again in a minute."
"""A toast shows some 80 letters before it folds the rest away."""


def keep(page: Page, change: Callable[[Preferences], Preferences], *keys: str) -> None:
    """Change some of the reader's choices; the widgets of these keys show what is in force where it cannot be."""
    with keeping(*keys):
        change_preferences(page.store, page.fingerprint, change)


@contextmanager
def keeping(*keys: str) -> Iterator[None]:
    """The same for anything that is kept in the dashboard's own store."""
    try:
        yield
    except StoreUnreachable:
        state.forget(*keys)
        st.toast(_SAYS, icon=":material/cloud_off:", duration="long")
