"""Whether the service lets the reader change their own data."""

import streamlit as st

from coachboard.client.errors import ServiceError
from coachboard.views.frame import shell, state
from coachboard.views.frame.shell import Page


def has_feature(page: Page, name: str) -> bool:
    """Whether the service has this feature of the own-data API; False while the service does not answer."""
    try:
        features = page.client.own_data.features()
    except ServiceError:
        return False
    return features is not None and name in features.features


def offer_import(page: Page, user_id: str) -> None:
    """The button that leads to the import page, on an empty page of the reader's own data."""
    is_own = user_id in {state.OWN, page.profile.id}
    # A link would fail where the page is opened without the navigation.
    if (
        is_own
        and has_feature(page, "imports")
        and st.button("Import recordings", key="own.import", icon=":material/upload:")
    ):
        st.switch_page(shell.page_path("imports"))
