"""The toolbar above the panels: x axis, smoothing, bands, and the section as start and end fields.

Each option is a URL parameter, so that a link opens the same view.
"""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.pages.activity import selection
from coachboard.pages.activity.columns import Column, columns_of, first_choice
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.panels import PanelView
from coachboard.pages.activity.selection import Selection
from coachboard.pages.activity.session_parts import Part, counts_of
from coachboard.pages.activity.stream_panels import AxisName
from coachboard.ui.frame import formats, state, theme
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets.pickers import chosen_of, take_one
from coachboard.ui.widgets.toolbar import Control, Press, RadioRow, Search, draw_bar
from coachboard.wire.enums import Sport

AXES: dict[AxisName, str] = {"elapsed": "Time", "moving": "Moving time", "distance": "Distance"}
SMOOTHINGS = {"0": "Raw", "5": "5 s", "30": "30 s"}
BANDS = {
    "classified": "Laps",
    "climbs": "Climbs",
    "repetitions": "Repetitions",
    "device": "Device laps",
    "none": "Off",
}


def is_on(param: str) -> bool:
    """On unless the URL says `0`."""
    return state.get_param(param) != "0"


def axes_of(streams: SessionStreams) -> dict[AxisName, str]:
    """Elapsed time, moving time, and distance if recorded."""
    has_distance = streams.distance_m is not None and streams.distance_m[-1] > streams.distance_m[0]
    return {name: title for name, title in AXES.items() if name != "distance" or has_distance}


def _pick_columns(columns: dict[str, Column], sport: Sport | None, streams: SessionStreams) -> list[str]:
    """The panels to show, in order of priority."""
    first = first_choice(sport, streams, list(columns))
    usual = [name for name in columns if name in first]
    wanted = (state.get_param("cols") or "").split(",")
    picked = [name for name in columns if name in wanted] or usual
    key = "activity.cols"
    state.put(key, picked)
    box = st.popover(
        "Panels", key="activity.panels", on_change="rerun", help="Choose which recordings to show."
    )
    if box.open:
        box.pills(
            "Panels",
            list(columns),
            selection_mode="multi",
            key=key,
            format_func=lambda name: columns[name].title,
            label_visibility="collapsed",
            on_change=_take_columns,
            args=(usual,),
        )
    return picked


def _take_columns(usual: list[str]) -> None:
    chosen = state.get("activity.cols") or usual
    state.set_param("cols", None if set(chosen) == set(usual) else ",".join(chosen))


_FIELD_PX, _PHONE_FIELD_PX = 92, 86
_FOLD, _OPEN = "view", "activity.view.is_open"
_FROM, _TO = "from", "to"


def draw_view_bar(
    page: Page,
    data: ActivityData,
    streams: SessionStreams,
    *,
    has_plan: bool,
    chosen: Selection | None,
) -> PanelView:
    """Draw the toolbar; return the view options in the URL."""
    columns = columns_of(streams, data.activity.sport, units=page.units)
    # At the bottom: the groups of buttons have their labels above them.
    row = st.container(horizontal=True, gap="xsmall", vertical_alignment="bottom")
    with row:
        picked = _pick_columns(columns, data.activity.sport, streams)
    bands = _bands_offered(data)
    axes = axes_of(streams)
    offered: dict[str, Mapping[str, str]] = {
        "axis": {str(name): title for name, title in axes.items()},
        "smooth": SMOOTHINGS,
    }
    offered |= {"bands": bands} if len(bands) > 1 else {}
    view = PanelView(
        columns,
        picked,
        chosen_of("axis", axes),
        chosen_of("smooth", SMOOTHINGS),
        chosen_of("bands", bands),
        has_plan and is_on("plan"),
    )
    views: list[Control] = [
        RadioRow(param, _LABELS[param], options, chosen_of(param, options), is_labelled=True)
        for param, options in offered.items()
    ]
    if has_plan:
        help_text = "Show the targets of the planned steps as grey boxes on the chart."
        views.append(Press("plan", "Targets", "0" if view.has_plan else "", help_text, is_on=view.has_plan))
    on_change = partial(_take_change, offered=offered, last_s=streams.end_s, chosen=chosen)
    _draw_controls(views, _span_fields(chosen, end_s=streams.end_s), row=row, on_change=on_change)
    return view


def _draw_controls(
    views: list[Control], span: list[Control], *, row: DeltaGenerator, on_change: Callable[[str, str], None]
) -> None:
    """All controls in one row; a phone shows the fields and folds the view options."""
    if not theme.is_phone():
        with row:
            draw_bar([*views, *span], key="activity.view", on_change=on_change)
        return
    is_open = bool(state.get(_OPEN))
    fold = Press(_FOLD, "View", "", "X axis, smoothing and colour bands", is_open=is_open)
    with row:
        draw_bar([fold, *span], key="activity.view", on_change=on_change)
    if is_open:
        draw_bar(views, key="activity.view.choices", on_change=on_change)


def _span_fields(chosen: Selection | None, *, end_s: float) -> list[Control]:
    width = _PHONE_FIELD_PX if theme.is_phone() else _FIELD_PX
    return [
        Search(_FROM, "From", _typed(chosen.from_s if chosen else None), width, "From 0:00"),
        Search(_TO, "To", _typed(chosen.to_s if chosen else None), width, f"To {_typed(end_s)}"),
    ]


def _typed(seconds: float | None) -> str:
    return "" if seconds is None else formats.duration_hms(seconds)


_LABELS = {"axis": "X axis", "smooth": "Smoothing", "bands": "Colour bands"}


def _take_change(
    name: str,
    choice: str,
    *,
    offered: Mapping[str, Mapping[str, str]],
    last_s: float,
    chosen: Selection | None,
) -> None:
    if name == _FOLD:
        state.put(_OPEN, not state.get(_OPEN))
    elif name in offered:
        take_one(name, choice, usual=next(iter(offered[name])))
    elif name == "plan":
        state.set_param("plan", choice or None)
    else:
        _take_typed(name, choice, last_s=last_s, chosen=chosen)


def _take_typed(name: str, text: str, *, last_s: float, chosen: Selection | None) -> None:
    """Select the section between the two fields; an empty field means start or end of the session."""
    if not text.strip():
        typed: float | None = 0.0 if name == _FROM else last_s
    else:
        typed = formats.seconds_of(text)
    if typed is None:
        return
    from_s = typed if name == _FROM else (chosen.from_s if chosen else 0.0)
    to_s = typed if name == _TO else (chosen.to_s if chosen else last_s)
    if from_s != to_s:
        selection.choose(min(from_s, last_s), min(to_s, last_s))


def _bands_offered(data: ActivityData) -> dict[str, str]:
    # A single device lap is the whole session.
    kinds = [str(kind) for kind, count in counts_of(data).items() if (kind, count) != (Part.DEVICE, 1)]
    return {name: BANDS[name] for name in [*kinds, "none"] if name in BANDS}
