"""Panels, selection, parts and route in one fragment, because a selection redraws all of them; two compared sessions in numbers."""

from collections.abc import Callable
from math import isfinite, nan

import pandas as pd
import streamlit as st

from coachboard.charts.panel_marks import TargetRange
from coachboard.formulas.session.selection import SelectionSummary, weighted_mean
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.formulas.session.smoothing import compared_mean
from coachboard.pages.activity import selection
from coachboard.pages.activity.columns import Column
from coachboard.pages.activity.compare import BothParts, Compared, average_of, difference_text, pick_compared
from coachboard.pages.activity.comparison import ComparedBy
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.execution import planned_and_done
from coachboard.pages.activity.lap_pairs import paired_laps
from coachboard.pages.activity.like_intervals import draw_like_intervals
from coachboard.pages.activity.opening import say_no_streams
from coachboard.pages.activity.panels import PanelView
from coachboard.pages.activity.part_bars import draw_bars
from coachboard.pages.activity.part_table import draw_table
from coachboard.pages.activity.planned_rows import PlannedRow
from coachboard.pages.activity.pool import draw_lengths, draw_sets
from coachboard.pages.activity.route import draw_route, has_route
from coachboard.pages.activity.selection import Selection
from coachboard.pages.activity.selection_summary import (
    draw_card,
    draw_line,
    line_of_selection,
    summaries_of_both,
    summary_of,
)
from coachboard.pages.activity.session_parts import Part, counts_of, parts_of
from coachboard.pages.activity.streams import draw_panels, per_unit_of, span_along
from coachboard.pages.activity.view_bar import draw_view_bar
from coachboard.ui.frame import formats, notices
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.ui.widgets import formula_help, lazy_section
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.ui.widgets.pickers import pick_one
from coachboard.wire.enums import Sport

_CLOCKS = {
    "repaired": "Some samples had no valid time and were placed between their neighbours.",
    "assumed": "The samples have no time and are spread evenly over the session.",
}
_TITLES = {
    Part.LAPS: "Laps", Part.CLIMBS: "Climbs", Part.REPETITIONS: "Repetitions", Part.LENGTHS: "Lengths",
    Part.DEVICE: "Device laps",
}  # fmt: skip

_RIDES = frozenset({Sport.CYCLING, Sport.E_BIKING})


@st.fragment
def draw_streams_section(page: Page, data: ActivityData) -> None:
    """The streams section: panels, selection, parts and route."""
    streams = data.streams
    has_record = streams is not None and len(streams) > 0
    if streams is not None and has_record:
        _draw_record(page, data, streams)
    else:
        say_no_streams(data)
    # A session without streams has a short page: load immediately.
    shows = "laps and route" if has_route(streams) else "laps"
    if not has_record or lazy_section.is_near(f"activity.parts.{data.activity.id}", shows=shows):
        _draw_parts(page, data)
        draw_route(page, data)


def _draw_record(page: Page, data: ActivityData, streams: SessionStreams) -> None:
    done = planned_and_done(data)
    rows = done.rows if done else ()
    chosen = selection.current(data)
    summary = summary_of(data, streams, chosen.samples) if chosen else None
    with st.container(gap="xxsmall"):
        view = draw_view_bar(page, data, streams, has_plan=any(map(_has_box, rows)), chosen=chosen)
        if not view.columns:
            st.caption("The recording of this session contains no data to draw.")
            return
        with line_of_selection(chosen):
            draw_line(page, data, chosen=chosen, summary=summary)
            compared = pick_compared(page, data, view.axis)
        targets = _targets(page, data, streams, view=view, rows=rows)
        draw_panels(page, data, streams, view=view, targets=targets, compared=compared)
    if streams.clock in _CLOCKS:
        st.caption(_CLOCKS[streams.clock])
    if compared is not None:
        panel_columns = {name: view.columns[name] for name in view.shown}
        draw_compared(page, data, streams, compared=compared, columns=panel_columns, chosen=chosen)
    if chosen is not None and summary is not None:
        draw_card(page, data, streams, chosen=chosen, summary=summary, columns=view.columns)
        draw_like_intervals(page, data, chosen)


def _has_box(row: PlannedRow) -> bool:
    """Whether a panel can show the target of the step: "Targets" was switched on above a chart without boxes."""
    step = row.step
    targets = (step.power_w, step.heart_rate_bpm, step.speed_mps) if step and row.is_found else ()
    return any(target is not None and target.middle is not None for target in targets)


def _targets(
    page: Page, data: ActivityData, streams: SessionStreams, *, view: PanelView, rows: tuple[PlannedRow, ...]
) -> list[TargetRange]:
    """The planned steps at the time they were done; a step that was not found has no place on the time axis."""
    per_unit = per_unit_of(page, data, view.axis)
    return [
        target
        for row in rows
        if view.has_plan and row.is_found
        for target in _targets_of(row, view, streams=streams, per_unit=per_unit)
    ]


def _targets_of(
    row: PlannedRow, view: PanelView, *, streams: SessionStreams, per_unit: float
) -> list[TargetRange]:
    step = row.step
    if step is None:
        return []
    start, end = span_along(streams, (row.from_s, row.to_s), view.axis, per_unit)
    asked = {"power": step.power_w, "heart_rate": step.heart_rate_bpm, "speed": step.speed_mps}
    targets = []
    for name in view.shown:
        wish = asked.get(name)
        if wish is not None and wish.middle is not None and end > start:
            # Draw an open end a fifth away from the other end.
            low = wish.low if wish.low is not None else wish.middle * 0.8
            high = wish.high if wish.high is not None else wish.middle * 1.2
            column = view.columns[name]
            targets.append(TargetRange(name, start, end, _shown(column, low), _shown(column, high)))
    return targets


def _shown(column: Column, value: float) -> float:
    return value if column.is_pace else column.one(value)


def _draw_parts(page: Page, data: ActivityData) -> None:
    """Laps, climbs, pool lengths or device laps: the most detailed kind first; the reason if no lap has an intensity."""
    counts = counts_of(data)
    reason = _why_unclassified(data)
    if not counts and not reason:
        return
    st.header("Laps", anchor=False)
    if reason:
        notices.say_empty("No laps by intensity:", fills=reason)
    if not counts:
        return
    titles = {str(kind): f"{_TITLES[kind]} ({count})" for kind, count in counts.items()}
    kind = Part(pick_one("Lap type", titles, param="part"))
    if {Part.LAPS, Part.DEVICE} <= counts.keys():
        st.caption("Laps: found by the data service, by intensity. Device laps: as the device recorded them.")
    parts = parts_of(data, kind)
    if kind is Part.REPETITIONS:
        draw_sets(page, data, parts)
    if kind is Part.LENGTHS:
        draw_lengths(page, data, parts)
    else:
        draw_bars(page, data, parts, title=_TITLES[kind])
    draw_table(page, data, parts, title=_TITLES[kind])


def _why_unclassified(data: ActivityData) -> str:
    """Empty if there are classified laps, and in other sports: the interface has them for rides alone."""
    streams = data.streams
    if data.activity.laps or streams is None or not len(streams) or data.activity.sport not in _RIDES:
        return ""
    if streams.get("power") is None:
        return (
            "the data service sent none, and there is no power recording to detect them."
            if streams.get("speed") is not None
            else ""
        )
    if data.capacities.critical_power_w is None:
        return "the data service sent none, and critical power is unknown for that day."
    return ""


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
            help=formula_help.text_of(
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
