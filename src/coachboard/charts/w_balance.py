"""W' balance over time: the service's stream, the computed balance, and depletions."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from coachboard.analytics.session.downsample import kept
from coachboard.charts import palette
from coachboard.charts.clock_axis import set_clock_axis

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
        x=[at for at, _, _ in dips], y=[low for _, low, _ in dips], mode="markers", name="Minimum",
        marker={"color": palette.INK.light, "size": 6}, customdata=[escape(text) for _, _, text in dips],
        hovertemplate="%{customdata}<extra></extra>",
    )  # fmt: skip
    for at, name in ((w_prime_kj, "W′"), (0.0, "empty")):
        if at is not None:
            figure.add_hline(
                y=at, line={"color": palette.MUTED.light, "width": 1, "dash": "dot"},
                annotation={"text": name, "font": {"size": 11, "color": palette.MUTED.light}},
                annotation_position="top right",
            )  # fmt: skip
    figure.update_layout(dragmode=False, margin={"t": 34, "b": 36, "l": 50, "r": 12})
    longest_s = max((float(line.elapsed_s[-1]) for line in lines if len(line.elapsed_s)), default=0.0)
    set_clock_axis(figure, longest_s, title={"text": "Elapsed time"})
    figure.update_yaxes(fixedrange=True, title={"text": "W′ balance, kJ"})
    return figure
