"""One section of the trends page at a time, because ten charts would slow the page down."""

from types import MappingProxyType

import streamlit as st

from coachboard.loaders.trends.page_data import TrendsData
from coachboard.views.frame import state
from coachboard.views.frame.shell import Page
from coachboard.views.trends.load import draw_load_and_body
from coachboard.views.trends.metrics import draw_metrics
from coachboard.views.trends.nights import draw_nights
from coachboard.views.trends.opening import TrendsChoice
from coachboard.views.trends.relations import draw_relations
from coachboard.views.trends.season import draw_performance
from coachboard.views.trends.shaded import draw_shaded

LOOKS = MappingProxyType(
    {
        "load": "Load and recovery",
        "nights": "Sleep",
        "metrics": "Metrics",
        "training": "Training analysis",
        "relations": "Sleep vs next day",
    }
)


@st.fragment
def draw_look(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """The section in the URL; load and recovery by default."""
    look = _picked()
    if look != "relations":
        draw_shaded(page, data)
    if look == "nights":
        draw_nights(page, choice, data)
    elif look == "metrics":
        draw_metrics(page, choice, data)
    elif look == "training":
        draw_performance(page, choice, data)
    elif look == "relations":
        draw_relations(data)
    else:
        draw_load_and_body(page, choice, data)


def _picked() -> str:
    key, asked = "trends.look", state.get_param("look")
    state.put(key, asked if asked in LOOKS else "load")
    st.segmented_control(
        "Section",
        list(LOOKS),
        key=key,
        required=True,
        format_func=LOOKS.__getitem__,
        label_visibility="collapsed",
        on_change=lambda: state.set_param("look", None if state.get(key) == "load" else state.get(key)),
        wrap=True,
    )
    return str(state.get(key))
