"""Whether nights and the sessions after them go together for this athlete; no claim without enough pairs."""

import pandas as pd
import streamlit as st

from coachboard.analytics.relation import MINIMUM_PAIRS
from coachboard.loaders.relations import Named, night_and_day
from coachboard.loaders.trends import TrendsData
from coachboard.views import formats


def draw_relations(data: TrendsData) -> None:
    """One row a pair of quantities, with n and the 95 % interval."""
    named = night_and_day(data)
    frame = pd.DataFrame(
        {
            "Night": [one.night for one in named],
            "Day after": [one.day for one in named],
            "Correlation": [formats.signed(one.found.r, 2) for one in named],
            "95 % interval": [_interval(one) for one in named],
            "Pairs": [one.found.pairs for one in named],
            "Reads as": [_reading(one) for one in named],
        }
    )
    st.dataframe(frame, hide_index=True, key="trends.relations")
    st.caption(
        f"Product-moment correlation with Fisher's interval; nothing is claimed below {MINIMUM_PAIRS} pairs. "
        "Days follow on each other, so the true interval is wider, and a correlation is no cause."
    )


def _interval(one: Named) -> str:
    if not one.found.is_known:
        return formats.MISSING
    return f"{formats.signed(one.found.low, 2)} to {formats.signed(one.found.high, 2)}"


def _reading(one: Named) -> str:
    if not one.found.is_known:
        return f"not enough pairs: {one.found.pairs} of {MINIMUM_PAIRS}"
    if not one.found.excludes_zero:
        return "no relation shown"
    return "more with more" if one.found.r > 0 else "less with more"
