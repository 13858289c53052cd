"""W' balance: the service's stream, the computed balance next to it, and a list of depletions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.charts.clock_axis import set_clock_axis
from coachboard.formulas.session.clock_grid import clock_seconds
from coachboard.formulas.session.downsample import kept
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.formulas.session.w_balance import Depletion, depletions, w_balance
from coachboard.loaders.memo import once
from coachboard.loaders.power_curves import per_clock_second
from coachboard.pages.activity.columns import is_in_kj
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.selection import draw_choosing_rows
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import export
from coachboard.ui.widgets.plot import draw_chart, draw_hint

HEIGHT_PX = 240
_POINTS = 1000
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class BalanceLine:
    """Seconds, kilojoules, and whether the line comes from the service."""

    name: str
    elapsed_s: Floats
    balance_kj: Floats
    is_sent: bool


def w_balance_chart(
    lines: Sequence[BalanceLine],
    *,
    w_prime_kj: float | None,
    dips: Sequence[tuple[float, float, str]] = (),
) -> go.Figure:
    """Lines over elapsed time; a dot marks each depletion's lowest point."""
    figure = palette.layout(go.Figure(), height=HEIGHT_PX)
    colour = palette.quantity("wPrimeBalance")
    for line in lines:
        drawn = kept(line.elapsed_s, line.balance_kj, _POINTS)
        figure.add_scatter(
            x=line.elapsed_s[drawn].astype(np.float32), y=line.balance_kj[drawn], mode="lines", name=escape(line.name),
            line={"color": colour if line.is_sent else palette.MUTED.light, "width": 1.6,
                  "dash": "solid" if line.is_sent else "dot"},
            hovertemplate="%{y:.1f} kJ", connectgaps=False,
        )  # fmt: skip
    figure.add_scatter(
        x=[elapsed_s for elapsed_s, _, _ in dips], y=[low for _, low, _ in dips], mode="markers", name="Minimum",
        marker={"color": palette.INK.light, "size": 6}, customdata=[escape(text) for _, _, text in dips],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    for level_kj, name in ((w_prime_kj, "W′"), (0.0, "empty")):
        if level_kj is not None:
            figure.add_hline(
                y=level_kj, line={"color": palette.MUTED.light, "width": 1, "dash": "dot"},
                annotation={"text": name, "font": {"size": 11, "color": palette.MUTED.light}},
                annotation_position="top right",
            )  # fmt: skip
    figure.update_layout(dragmode=False, margin={"t": 34, "b": 36, "l": 50, "r": 12})
    longest_s = max((float(line.elapsed_s[-1]) for line in lines if len(line.elapsed_s)), default=0.0)
    set_clock_axis(figure, longest_s, title={"text": "Elapsed time"})
    figure.update_yaxes(fixedrange=True, title={"text": "W′ balance, kJ"})
    return figure


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """W' balance over elapsed time in joules: the service's, the computed one, and depletions of the first one."""

    elapsed_s: Floats
    sent_j: Floats | None
    computed_j: Floats | None
    w_prime_j: float | None
    critical_power_w: float | None
    dips: tuple[Depletion, ...]
    is_sent_in_kj: bool


@once
def balance_of(data: ActivityData) -> Balance | None:
    """None without the stream, and without power, critical power and W'."""
    streams = data.streams
    if streams is None or not len(streams):
        return None
    sent, is_kj = _sent(streams)
    computed = _computed(data, streams)
    balance_j = sent if sent is not None else computed
    if balance_j is None:
        return None
    w_prime_j = data.capacities.w_prime_j or float(np.nanmax(balance_j))
    dips = tuple(depletions(balance_j, w_prime_j)) if w_prime_j > 0 else ()
    return Balance(
        elapsed_s=streams.elapsed_s,
        sent_j=sent,
        computed_j=computed,
        w_prime_j=data.capacities.w_prime_j,
        critical_power_w=data.capacities.critical_power_w,
        dips=dips,
        is_sent_in_kj=is_kj,
    )


def _sent(streams: SessionStreams) -> tuple[Floats | None, bool]:
    sent = streams.get("w_prime_balance")
    if sent is None:
        return None, False
    is_kj = is_in_kj(sent)
    return (sent * 1000 if is_kj else sent), is_kj


def _computed(data: ActivityData, streams: SessionStreams) -> Floats | None:
    critical_w, w_prime_j = data.capacities.critical_power_w, data.capacities.w_prime_j
    if not critical_w or not w_prime_j or streams.get("power") is None:
        return None
    grid = w_balance(per_clock_second(streams, "power"), critical_power_w=critical_w, w_prime_j=w_prime_j)
    return grid[clock_seconds(streams.elapsed_s)]


_OWN = "Coachboard (differential model)"


@st.fragment
def draw_w_balance(page: Page, data: ActivityData) -> None:  # noqa: ARG001 (every section takes the page)
    """Chart and depletions; nothing if the service sent no W' balance and power, critical power or W' is missing."""
    balance = balance_of(data)
    if balance is None:
        return
    lines = [
        BalanceLine(name, balance.elapsed_s, values / 1000, is_sent)
        for name, values, is_sent in (
            ("Service", balance.sent_j, True),
            (_OWN, balance.computed_j, balance.sent_j is None),
        )
        if values is not None
    ]
    dips = [
        (float(balance.elapsed_s[dip.lowest]), dip.lowest_j / 1000, _dip_text(balance, number))
        for number, dip in enumerate(balance.dips)
    ]
    draw_chart(
        partial(w_balance_chart, lines, w_prime_kj=balance.w_prime_j and balance.w_prime_j / 1000, dips=dips),
        key=f"activity.balance.{data.activity.id}",
        says=_says(balance),
        data=lambda: _table(balance),
    )
    if balance.dips:
        _draw_dips(data, balance)


def _says(balance: Balance) -> str:
    counted = formats.count(len(balance.dips), "depletion") if balance.dips else "No depletion"
    parts = [f"{counted} of at least 15 % of W′"]
    if balance.dips:
        lowest = min(balance.dips, key=lambda dip: dip.lowest_j)
        parts.append(
            f"lowest {formats.number(lowest.lowest_j / 1000, 1, 'kJ')} "
            f"at {formats.duration_hms(float(balance.elapsed_s[lowest.lowest]))}"
        )
    text = ", ".join(parts) + "."
    if balance.computed_j is not None:
        text += (
            f" Coachboard line: differential model, critical power {formats.power(balance.critical_power_w)}, W′ "
            f"{formats.number((balance.w_prime_j or 0) / 1000, 1, 'kJ')}; recovers during pauses."
        )
    if balance.is_sent_in_kj:
        text += " The data service states no unit; the values fit kJ."
    if any(dip.lowest_j < 0 for dip in balance.dips):
        text += " Below 0: critical power or W′ is set too low for that day."
    return text


def _dip_text(balance: Balance, number: int) -> str:
    dip = balance.dips[number]
    return (
        f"Depletion {number + 1}: to {formats.number(dip.lowest_j / 1000, 1, 'kJ')} "
        f"at {formats.duration_hms(float(balance.elapsed_s[dip.lowest]))}"
    )


def _table(balance: Balance) -> pd.DataFrame:
    columns = {"Elapsed time, s": balance.elapsed_s}
    for name, values_j in (("Service, kJ", balance.sent_j), (f"{_OWN}, kJ", balance.computed_j)):
        if values_j is not None:
            columns[name] = (values_j / 1000).round(2)
    return pd.DataFrame(columns)


def _draw_dips(data: ActivityData, balance: Balance) -> None:
    elapsed_s = balance.elapsed_s
    rows = pd.DataFrame(
        {
            "Start": [formats.duration_hms(float(elapsed_s[dip.start])) for dip in balance.dips],
            "Minimum at": [formats.duration_hms(float(elapsed_s[dip.lowest])) for dip in balance.dips],
            "Duration": [
                formats.duration_hms(float(elapsed_s[dip.lowest] - elapsed_s[dip.start]))
                for dip in balance.dips
            ],
            "At start, kJ": [round(dip.start_j / 1000, 1) for dip in balance.dips],
            "Lowest, kJ": [round(dip.lowest_j / 1000, 1) for dip in balance.dips],
            "Used, kJ": [round((dip.start_j - dip.lowest_j) / 1000, 1) for dip in balance.dips],
        }
    )
    key = f"activity.dips.{data.activity.id}"
    draw_choosing_rows(
        rows,
        [(float(elapsed_s[dip.start]), float(elapsed_s[dip.lowest])) for dip in balance.dips],
        key=key,
        first=("Start", "Duration", "Lowest, kJ", "Used, kJ"),
        alt="W′ depletions in order of time. Select a row to mark it in the panels.",
        most_rows=8,
        width="content",
        tenths=("At start, kJ", "Lowest, kJ", "Used, kJ"),
    )
    draw_hint("Select a row to mark it in the panels above.", key=key)
    export.draw_downloads(lambda: rows, name=f"depletions-{data.activity.id}", key="activity.export.dips")
