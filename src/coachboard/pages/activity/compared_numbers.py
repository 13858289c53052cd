"""Two sessions in numbers: the shared part, and lap by lap for paired laps."""

from collections.abc import Callable
from math import isfinite, nan

import pandas as pd
import streamlit as st

from coachboard.formulas.session.selection import SelectionSummary, weighted_mean
from coachboard.formulas.session.smoothing import compared_mean
from coachboard.loaders.session_streams import SessionStreams
from coachboard.pages.activity import selection
from coachboard.pages.activity.columns import Column
from coachboard.pages.activity.compare import BothParts, Compared, average_of, difference_text
from coachboard.pages.activity.comparison import ComparedBy
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.lap_pairs import paired_laps
from coachboard.pages.activity.selected_part import summaries_of_both
from coachboard.pages.activity.selection import Selection
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.ui.widgets import formulas
from coachboard.ui.widgets.phone_columns import fitted

_ALIGNED = {
    ComparedBy.TIME: "aligned by time",
    ComparedBy.DISTANCE: "aligned by distance",
    ComparedBy.LAP: "aligned lap by lap (same share of each lap)",
}


def draw_compared(
    page: Page,
    data: ActivityData,
    streams: SessionStreams,
    *,
    compared: Compared,
    columns: dict[str, Column],
    chosen: Selection | None,
) -> None:
    """Both sessions over the shared part of the selection, else of the panels: their difference and the paired laps."""
    overlay = compared.overlay
    part = chosen or selection.zoomed(data)
    common = overlay.common(part.samples if part else slice(None))
    with st.container(border=True):
        st.markdown(f"**Compared with {md(compared.name)}**")
        if common.stop > common.start:
            rows = _rows(page, data, summaries_of_both(streams, overlay, common), columns)
            heads = ["Metric", "This session", compared.day, f"vs {compared.day}"]
            st.table(pd.DataFrame(rows, columns=heads).set_index("Metric"), border="horizontal")
        else:
            st.caption("The other session has no data for this part.")
        if overlay.pairs:
            _draw_laps(page, data, paired_laps(overlay.pairs, streams, overlay.streams))
        st.caption(
            f"Compared over the shared part of {'the selection' if chosen else 'the panels'}, {_ALIGNED[overlay.alignment]}, from all samples; speed and pace over "
            "moving time. "
            f"vs {compared.day} = this session minus that one, in table and panels; a pace with a minus is faster.",
            help=formulas.on_demand(
                weighted_mean, compared_mean, window="the part of the selection that both sessions have."
            ),
        )


def _rows(
    page: Page,
    data: ActivityData,
    both: BothParts,
    columns: dict[str, Column],
) -> list[tuple[str, str, str, str]]:
    sport, units = data.activity.sport, page.units
    amounts: list[tuple[str, Callable[[SelectionSummary], float], Callable[[float], str]]] = [
        ("Elapsed time", lambda part: part.elapsed_s, formats.duration_hms),
        ("Moving time", lambda part: part.active_s, formats.duration_hms),
        ("Distance", lambda part: part.distance_m, lambda m: formats.distance(m, sport, units=units)),
        (
            "Elevation gain",
            lambda part: part.gain_m,
            lambda m: formats.elevation(m, units=units, sport=sport),
        ),
        ("Normalized power", lambda part: part.normalized_power_w, formats.power),
        ("Work", lambda part: part.work_kj, formats.work),
    ]
    this, other = both
    rows = [(name, *_texts_of(value(this), value(other), text)) for name, value, text in amounts]
    rows += [
        (column.title, *_texts_of_column(average_of(this, column), average_of(other, column), column))
        for column in columns.values()
    ]
    return [row for row in rows if formats.MISSING not in row[1:]]


def _texts_of(this: float, other: float, text: Callable[[float], str]) -> tuple[str, str, str]:
    # The difference of the displayed values, so that 140 and 141 differ by one.
    apart = round(this) - round(other) if isfinite(this) and isfinite(other) else nan
    return text(this), text(other), formats.signed_text(apart, text)


def _texts_of_column(this: float, other: float, column: Column) -> tuple[str, str, str]:
    apart = difference_text(this, other, column)
    return (
        (formats.MISSING,) * 3 if apart == formats.MISSING else (column.text(this), column.text(other), apart)
    )


_FIRST = ("Laps", "Other laps", "Power, W", "Power vs other, W", "This", "Other")


def _draw_laps(page: Page, data: ActivityData, laps: pd.DataFrame) -> None:
    sport, units = data.activity.sport, page.units
    cells = {
        "Laps": laps["laps"],
        "Other laps": laps["other_laps"],
        "Duration": laps["duration_s"].map(formats.duration_hms),
        "Other duration": laps["other_duration_s"].map(formats.duration_hms),
    }
    for name, title, unit in (("power", "Power", "W"), ("heart_rate", "HR", "bpm")):
        if laps[name].notna().any() and laps[f"other_{name}"].notna().any():
            cells[f"{title}, {unit}"] = laps[name].round()
            apart = laps[name].round() - laps[f"other_{name}"].round()
            cells[f"{title} vs other, {unit}"] = apart.map(formats.signed)
    if "Power, W" not in cells and laps["speed"].notna().any():
        cells["This"] = laps["speed"].map(lambda mps: formats.speed_or_pace(mps, sport, units=units))
        cells["Other"] = laps["other_speed"].map(lambda mps: formats.speed_or_pace(mps, sport, units=units))
    st.dataframe(
        fitted(pd.DataFrame(cells), _FIRST, key="activity.compare.laps"), hide_index=True, placeholder=formats.MISSING, key="activity.compare.laps",
        height="auto" if len(laps) <= 10 else 360, alt="Matching laps of both sessions.",
    )  # fmt: skip
