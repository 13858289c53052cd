"""Compare with a second session of the athlete: chosen above the panels, a URL parameter, drawn over this session."""

from dataclasses import dataclass
from math import isfinite, nan
from typing import TypeAlias

import numpy as np
import streamlit as st

from coachboard.charts.panels import Other
from coachboard.client.errors import NotFound, ServiceError
from coachboard.formulas.session.selection import SelectionSummary
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.pages.activity import comparison as loader
from coachboard.pages.activity import stream_panels
from coachboard.pages.activity.columns import Column, pace_text
from coachboard.pages.activity.comparison import ComparedBy, Floats, Overlay
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.stream_panels import AxisName
from coachboard.ui.frame import formats, notices, state
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets.pickers import pick_one
from coachboard.wire.activities import Activity, local_day

BothParts: TypeAlias = tuple[SelectionSummary, SelectionSummary]
_TITLES = {ComparedBy.TIME: "Time", ComparedBy.DISTANCE: "Distance", ComparedBy.LAP: "Lap"}
_BOX, _KEY = "activity.compare", "activity.with"
_STANDING_SHARE = 0.4
"""Below this share of the mean speed a pace tends to hours, and its difference has no meaning."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The second session and its name."""

    overlay: Overlay
    name: str
    day: str

    @property
    def key(self) -> tuple[str, str]:
        """The part of the figure's cache key for this comparison."""
        return self.overlay.other.id, str(self.overlay.alignment)


def pick_compared(page: Page, data: ActivityData, axis: AxisName) -> Compared | None:
    """The choice behind a button. Opening it requests the lists of a year; a choice requests streams."""
    box = st.popover(
        "Compare", key=_BOX, type="tertiary", icon=":material/stacked_line_chart:", on_change="rerun",
        help="Overlay another session of the same sport.",
    )  # fmt: skip
    try:
        if box.open:
            with box:
                _pick(page, data, axis)
        other = loader.find(page.client, data, wanted) if (wanted := state.get_id("with")) else None
        if other is None:
            return None
        overlay = loader.lay_over(
            page.client, data, other, alignment=_alignment(data, other, axis), axis=axis
        )
    except NotFound:
        box.caption("The other session has no second-by-second recording.")
        return None
    except ServiceError as error:
        notices.say(error, about="the other session")
        return None
    if overlay is None:
        box.caption("No overlap with the other session in this alignment.")
        return None
    return Compared(overlay, _listed(page, other), formats.day(local_day(other), today=page.today))


def _pick(page: Page, data: ActivityData, axis: AxisName) -> None:
    candidates = loader.candidates(page.client, data)
    notices.say_stale(candidates.listed)
    notices.say_problems(candidates.listed)
    others = {session.id: session for session in candidates.sessions}
    if not others:
        notices.say_empty(
            "No other session of this sport within 12 months.",
            fills="Further recordings of this sport can be compared here.",
            rows="activities",
            of=[candidates.listed],
        )
        return
    wanted = state.get_id("with")
    chosen = wanted if wanted in others else None
    state.put(_KEY, chosen)
    st.selectbox(
        "Session", list(others), key=_KEY, index=None, placeholder="Choose a session",
        format_func=lambda activity_id: _offered(page, others[activity_id], candidates), on_change=_take_session,
    )  # fmt: skip
    if chosen is None:
        return
    offered = {str(kind): _TITLES[kind] for kind in loader.alignments(data, others[chosen])}
    usual = str(_usual(axis))
    pick_one("Align by", offered, param="align", first=usual if usual in offered else None)


def _offered(page: Page, session: Activity, candidates: loader.Candidates) -> str:
    listed = _listed(page, session)
    if session.id in candidates.same_workout:
        return f"Same workout: {listed}"
    return f"Same name: {listed}" if session.id in candidates.same_name else listed


def _take_session() -> None:
    chosen = state.get(_KEY)
    state.set_params({"with": chosen} if chosen else {"with": None, "align": None})


def _usual(axis: AxisName) -> ComparedBy:
    return ComparedBy.DISTANCE if axis == "distance" else ComparedBy.TIME


def _alignment(data: ActivityData, other: Activity, axis: AxisName) -> ComparedBy:
    """From the URL if both sessions allow it, else as the panels' axis suggests."""
    offered = loader.alignments(data, other)
    usual = _usual(axis) if _usual(axis) in offered else offered[0]
    return next((kind for kind in offered if kind == state.get_param("align")), usual)


def _listed(page: Page, session: Activity) -> str:
    name = plain(session.name, longest=60) or formats.sport(session.sport)
    return f"{formats.day(local_day(session), today=page.today)}, {name}"


def laid_over(  # noqa: PLR0913 (a line over a panel depends on all that the panel does)
    compared: Compared,
    streams: SessionStreams,
    column: Column,
    *,
    axis: AxisName,
    smoothing_s: float,
    window: slice,
    per_unit: float,
    both: BothParts | None,
) -> tuple[Other, Floats] | None:
    """The second session's line and difference, and its values in the service's unit; None without data.

    `both` has the averages of the window, so that the panel and the table below it name the same difference.
    """
    values = compared.overlay.column(column.name, smoothing_s=smoothing_s)
    means = loader.means_of_both(compared.overlay, streams, column.name)
    if values is None or means is None:
        return None
    x, y = stream_panels.line_of(streams, values[window], axis=axis, window=window)
    apart, unit, number = _apart(means, column)
    apart_x, apart_y = stream_panels.line_of(streams, apart[window], axis=axis, window=window)
    other = Other(
        x=x / per_unit,
        y=column.shown(y),
        difference_x=apart_x / per_unit,
        difference=apart_y,
        unit=unit,
        number=number,
        note=_average(both, column),
        hover=[pace_text(mps, column.pace_per_m) for mps in y.tolist()] if column.pace_per_m else None,
    )
    return other, values[window]


def _apart(means: tuple[Floats, Floats], column: Column) -> tuple[Floats, str, str]:
    """The difference of this session to the second one in the user's unit; a pace difference only where both move."""
    this, other = means
    if column.pace_per_m is None:
        return (
            column.shown(this) - column.shown(other),
            column.unit,
            formats.hover_format(column.digits, signed=True),
        )
    least = _STANDING_SHARE * float(np.nanmean(this)) if np.isfinite(this).any() else np.inf
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = column.pace_per_m / this - column.pace_per_m / other
    return (
        np.where((this > least) & (other > least), apart, np.nan),
        f"s {column.unit}",
        formats.hover_format(signed=True),
    )


def _average(both: BothParts | None, column: Column) -> str:
    if column.is_running_total:
        return "no average of a running total"
    this, other = (average_of(part, column) for part in both) if both else (nan, nan)
    text = difference_text(this, other, column)
    return "no overlap here" if text == formats.MISSING else f"{text} on average"


def average_of(part: SelectionSummary, column: Column) -> float:
    """The average of the part: speed and pace over moving time, other columns over all samples; NaN if unknown or a total."""
    is_known = column.name in part.columns and not column.is_running_total
    return part.columns[column.name].average if is_known else nan


def difference_text(this: float, other: float, column: Column) -> str:
    """The average of this minus that of the other in the user's unit, from the displayed values, so that 140 and 141 differ by one."""
    if not (isfinite(this) and isfinite(other)):
        return formats.MISSING
    if column.pace_per_m is None:
        # In the user's unit: a Fahrenheit offset of 32 cancels out.
        apart = round(column.one(this), column.digits) - round(column.one(other), column.digits)
        return formats.signed(apart, column.digits, column.unit)
    if not (this > 0 and other > 0):
        return formats.MISSING
    apart_s = column.pace_per_m / this - column.pace_per_m / other
    return f"{formats.signed_text(apart_s, formats.duration_hms)} {column.unit}"
