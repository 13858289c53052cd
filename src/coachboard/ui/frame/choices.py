"""Save the user's settings; if the store cannot be written, say so and keep the former settings."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from coachboard.loaders.local_store import StoreUnreachable
from coachboard.loaders.preferences import Preferences, change_preferences
from coachboard.ui.frame import state
from coachboard.ui.frame.page import Page

_SAYS = "Not saved: the dashboard's database does not answer. Try again in a minute."
"""A toast folds text away after about 80 letters."""


def keep(page: Page, change: Callable[[Preferences], Preferences], *keys: str) -> None:
    """Change some settings. If the store fails, show an error and set the widgets back to the saved values."""
    with keeping(*keys):
        change_preferences(page.store, page.fingerprint, change)


@contextmanager
def keeping(*keys: str) -> Iterator[None]:
    """Show an error if writing to the dashboard's own store fails."""
    try:
        yield
    except StoreUnreachable:
        state.forget(*keys)
        st.toast(_SAYS, icon=":material/cloud_off:", duration="long")
