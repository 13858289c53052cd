"""W' balance: the service's stream, the computed balance next to it, and a list of depletions."""

from functools import partial

import pandas as pd
import streamlit as st

from coachboard.charts.w_balance import BalanceLine, w_balance_chart
from coachboard.loaders.activity.page_data import ActivityData
from coachboard.loaders.activity.w_balance import Balance, Floats, balance_of
from coachboard.views.activity.choosing_rows import draw_choosing_rows
from coachboard.views.frame import formats
from coachboard.views.frame.page import Page
from coachboard.views.widgets import export
from coachboard.views.widgets.plot import draw_chart, draw_hint

_OWN = "Coachboard (differential model)"


@st.fragment
def draw_w_balance(page: Page, data: ActivityData) -> None:  # noqa: ARG001 (every section takes the page)
    """Chart and depletions; nothing if the service sent no W' balance and power, critical power or W' is missing."""
    found = balance_of(data)
    if found is None:
        return
    lines = [
        _line(name, found, values, is_sent=is_sent)
        for name, values, is_sent in (
            ("Service", found.sent_j, True),
            (_OWN, found.computed_j, found.sent_j is None),
        )
        if values is not None
    ]
    dips = [
        (float(found.elapsed_s[dip.lowest]), dip.lowest_j / 1000, _dip_text(found, number))
        for number, dip in enumerate(found.dips)
    ]
    draw_chart(
        partial(w_balance_chart, lines, w_prime_kj=found.w_prime_j and found.w_prime_j / 1000, dips=dips),
        key=f"activity.balance.{data.activity.id}",
        says=_says(found),
        data=lambda: _table(found),
    )
    if found.dips:
        _draw_dips(data, found)


def _line(name: str, found: Balance, values: Floats, *, is_sent: bool) -> BalanceLine:
    return BalanceLine(name, found.elapsed_s, values / 1000, is_sent)


def _says(found: Balance) -> str:
    counted = formats.count(len(found.dips), "depletion") if found.dips else "No depletion"
    parts = [f"{counted} of at least 15 % of W′"]
    if found.dips:
        lowest = min(found.dips, key=lambda dip: dip.lowest_j)
        parts.append(
            f"lowest {formats.number(lowest.lowest_j / 1000, 1, 'kJ')} "
            f"at {formats.duration_hms(float(found.elapsed_s[lowest.lowest]))}"
        )
    says = ", ".join(parts) + "."
    if found.computed_j is not None:
        says += (
            f" Coachboard line: differential model, critical power {formats.power(found.critical_power_w)}, W′ "
            f"{formats.number((found.w_prime_j or 0) / 1000, 1, 'kJ')}; recovers during pauses."
        )
    if found.is_sent_in_kj:
        says += " The data service states no unit; the values fit kJ."
    if any(dip.lowest_j < 0 for dip in found.dips):
        says += " Below 0: critical power or W′ is set too low for that day."
    return says


def _dip_text(found: Balance, number: int) -> str:
    dip = found.dips[number]
    return (
        f"Depletion {number + 1}: to {formats.number(dip.lowest_j / 1000, 1, 'kJ')} "
        f"at {formats.duration_hms(float(found.elapsed_s[dip.lowest]))}"
    )


def _table(found: Balance) -> pd.DataFrame:
    columns = {"Elapsed time, s": found.elapsed_s}
    for name, values_j in (("Service, kJ", found.sent_j), (f"{_OWN}, kJ", found.computed_j)):
        if values_j is not None:
            columns[name] = (values_j / 1000).round(2)
    return pd.DataFrame(columns)


def _draw_dips(data: ActivityData, found: Balance) -> None:
    at = found.elapsed_s
    rows = pd.DataFrame(
        {
            "Start": [formats.duration_hms(float(at[dip.start])) for dip in found.dips],
            "Minimum at": [formats.duration_hms(float(at[dip.lowest])) for dip in found.dips],
            "Duration": [formats.duration_hms(float(at[dip.lowest] - at[dip.start])) for dip in found.dips],
            "At start, kJ": [round(dip.start_j / 1000, 1) for dip in found.dips],
            "Lowest, kJ": [round(dip.lowest_j / 1000, 1) for dip in found.dips],
            "Used, kJ": [round((dip.start_j - dip.lowest_j) / 1000, 1) for dip in found.dips],
        }
    )
    key = f"activity.dips.{data.activity.id}"
    draw_choosing_rows(
        rows,
        [(float(at[dip.start]), float(at[dip.lowest])) for dip in found.dips],
        key=key,
        first=("Start", "Duration", "Lowest, kJ", "Used, kJ"),
        alt="W′ depletions in order of time. Select a row to mark it in the panels.",
        most_rows=8,
        width="content",
        tenths=("At start, kJ", "Lowest, kJ", "Used, kJ"),
    )
    draw_hint("Select a row to mark it in the panels above.", key=key)
    export.draw_downloads(lambda: rows, name=f"depletions-{data.activity.id}", key="activity.export.dips")
