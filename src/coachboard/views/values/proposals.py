"""Values that the recordings allow, with method, fit and interval; a click takes one over."""

import streamlit as st

from coachboard.catalogues.metrics import METRICS
from coachboard.client.errors import ServiceError
from coachboard.loaders.values import page_data as loader
from coachboard.models.enums import MetricSource
from coachboard.models.own_data import MetricInput
from coachboard.views.frame import formats, notices, state
from coachboard.views.frame.page import Page
from coachboard.views.values.form import save_new, sport_words, value_words

_SHOWN = "values.proposals"
_POLL_S = 1.0


def draw_proposals(page: Page) -> None:
    """A line for each proposal, on demand: a year of recordings is read for them."""
    if not state.get(_SHOWN):
        st.button(
            "Show suggestions",
            key="values.propose",
            icon=":material/query_stats:",
            on_click=state.put,
            args=(_SHOWN, True),
        )
        return
    try:
        unread = loader.proposals(page.client).unread
    except ServiceError as error:
        notices.say(error, about="Suggested values")
        return
    st.fragment(_draw_found, run_every=_POLL_S if unread else None)(page)


def _draw_found(page: Page) -> None:
    try:
        proposals = loader.proposals(page.client)
    except ServiceError as error:
        notices.say(error, about="Suggested values")
        return
    if proposals.unread:
        st.caption(
            f":material/hourglass: Reading {formats.count(proposals.unread, 'recording')} for best efforts."
        )
    elif not proposals.found:
        notices.say_empty(
            "No suggestion.",
            fills="Suggestions need recordings with power, running speed, pool lengths or heart rate, or nights.",
        )
    for place, one in enumerate(proposals.found):
        _draw(page, one, place)
    st.caption("Recordings do not measure weight: set it above, or import a table of weights.")


def _draw(page: Page, one: loader.Proposal, place: int) -> None:
    record = METRICS[one.type]
    found, low, high = (
        value_words(page, one.type, one.sport, value) for value in (one.value, one.low, one.high)
    )
    name = record.title if one.sport == "global" else f"{record.title}, {sport_words(one.sport).lower()}"
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(gap="xxsmall", width="stretch"):
            st.markdown(f"**{name}: {found}** ({low} to {high})")
            if one.caution:
                st.caption(f":material/warning: {one.caution}")
            st.caption(f"{one.method} Up to {formats.day(one.day, today=page.today)}.")
        value = round(one.value / record.per_shown, record.digits) * record.per_shown
        new = MetricInput(
            type=one.type, value=value, date=one.day, sport=one.sport, source=MetricSource.SERVICE
        )
        label = "Use anyway" if one.caution else "Use"
        if st.button(label, key=f"values.use.{place}", help=f"Set {name} to {found}"):
            save_new(page, new)
