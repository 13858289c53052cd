"""The sections of the settings page, in the order of the page."""

import platform

import streamlit as st

from coachboard import __version__
from coachboard.loaders.formula_sheet import Formula, formula_sheet
from coachboard.pages.settings.choices import (
    draw_comment_mail,
    draw_pace_zones,
    draw_theme,
    draw_time_zone,
    draw_units,
    draw_week,
)
from coachboard.pages.settings.flags import draw_flags
from coachboard.pages.settings.intervals import draw_intervals
from coachboard.pages.settings.keys import draw_keys
from coachboard.pages.settings.service import draw_cache, draw_connection
from coachboard.ui.frame.text import md

__all__ = [
    "draw_cache",
    "draw_comment_mail",
    "draw_connection",
    "draw_flags",
    "draw_formulas",
    "draw_intervals",
    "draw_keys",
    "draw_pace_zones",
    "draw_theme",
    "draw_time_zone",
    "draw_units",
    "draw_version",
    "draw_week",
]


INTERFACE_VERSION = "0.1.0"


def draw_formulas() -> None:
    """One number at a time, found by a part of its name: meaning, formula, unit and source."""
    sheet = {formula.name: formula for formula in formula_sheet()}
    chosen = st.selectbox(
        "Number",
        list(sheet),
        index=None,
        key="settings.formula",
        placeholder=f"Search {len(sheet)} numbers",
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
            ("Formula", formula.notes),
            ("Unit", formula.unit),
            ("Missing data", formula.missing_data),
            ("Worked example", formula.example),
            ("Source", formula.source),
        ):
            if body:
                st.caption(heading)
                st.text(body)
