"""The sections of the settings page, in the order of the page."""

import platform

import streamlit as st

from coachboard import __version__
from coachboard.loaders.settings.formula_sheet import Formula, formulas
from coachboard.views.frame.text import md
from coachboard.views.settings.choices import draw_theme, draw_time_zone, draw_units, draw_week
from coachboard.views.settings.flags import draw_flags
from coachboard.views.settings.keys import draw_keys
from coachboard.views.settings.service import draw_cache, draw_connection

__all__ = [
    "draw_cache",
    "draw_connection",
    "draw_flags",
    "draw_formulas",
    "draw_keys",
    "draw_theme",
    "draw_time_zone",
    "draw_units",
    "draw_version",
    "draw_week",
]


INTERFACE_VERSION = "0.1.0"


def draw_formulas() -> None:
    """One formula at a time, found by a part of its name."""
    sheet = {f"{formula.topic}: {formula.name}": formula for formula in formulas()}
    chosen = st.selectbox(
        "Formula",
        list(sheet),
        index=None,
        key="settings.formula",
        placeholder=f"Search {len(sheet)} formulas",
        width=440,
    )
    if chosen:
        _draw_formula(sheet[chosen])


def draw_version() -> None:
    parts = {
        "Coachboard": __version__,
        "Interface": INTERFACE_VERSION,
        "Streamlit": st.__version__,
        "Python": platform.python_version(),
    }
    st.caption(" · ".join(f"{name} {number}" for name, number in parts.items()))


def _draw_formula(formula: Formula) -> None:
    with st.container(border=True, gap="xsmall", width=820):
        st.markdown(md(formula.says))
        for heading, body in (
            ("Method", formula.notes),
            ("Missing data", formula.missing_data),
            ("Worked example", formula.example),
            ("Source", formula.references),
        ):
            if body:
                st.caption(heading)
                st.text(body)
