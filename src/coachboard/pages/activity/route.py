"""The route, coloured by a chosen column, with the selection; on a map where tiles are set."""

from functools import partial
from typing import TypeGuard
from urllib.parse import urlsplit

import numpy as np
import streamlit as st

from coachboard import settings
from coachboard.charts.route import Route, route_chart
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.pages.activity import selection
from coachboard.pages.activity.columns import Column, columns_of
from coachboard.pages.activity.data import ActivityData
from coachboard.ui.frame import formats, setting_faults, state
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets.figure import Listener, Report
from coachboard.ui.widgets.pace_ticks import pace_ticks
from coachboard.ui.widgets.pickers import pick_one
from coachboard.ui.widgets.plot import draw_chart

_AT = "activity.at"
_OPENSTREETMAP = "openstreetmap.org"
_POINTS = 1_000
"""Dots of a route: each is a browser element, and more dots overlap."""


def has_route(streams: SessionStreams | None) -> TypeGuard[SessionStreams]:
    """Whether positions were recorded: not indoors, nor in a pool."""
    return streams is not None and {"position_lat", "position_long"} <= set(streams.columns)


def draw_route(page: Page, data: ActivityData) -> None:
    """The route if positions were recorded."""
    streams = data.streams
    if not has_route(streams):
        return
    st.header("Route", anchor=False)
    recorded = columns_of(streams, data.activity.sport, units=page.units)
    # A constant column has no colours.
    columns = {name: c for name, c in recorded.items() if np.isfinite(streams.columns[name]).sum() > 1}
    if not columns:
        return
    titles = {name: column.title for name, column in list(columns.items())[:8]}
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        column = columns[pick_one("Colour by", titles, param="map", wrap=True)]
        _draw_moment(data, streams)
    kept = streams.route_samples(_POINTS)
    chosen = selection.current(data)
    selected = _within(kept, chosen.samples) if chosen else None
    at_s = selection.moment(data)
    part = (
        f", {formats.duration_hms(chosen.from_s)} to {formats.duration_hms(chosen.to_s)} highlighted "
        "between the triangles"
        if chosen
        else ""
    )
    key, credit = f"activity.route.{data.activity.id}", _credit()
    place = "" if at_s is None else f" Cross = position at {formats.duration_hms(at_s)}."
    draw_chart(
        partial(
            route_chart,
            _route(streams, column, kept),
            selected=selected,
            marked=None if at_s is None else _nearest(streams, kept, at_s),
            imperial=page.units.is_imperial(data.activity.sport),
            tile_url=settings.current().tile_url if credit else None,
            tile_credit=credit,
        ),
        key=key,
        says=f"Route (north up, to scale), colour = {column.title.lower()}{part}.{place}",
        hint="Select a point of the route, or enter a time, to mark it in the panels.",
        listener=Listener("point", lambda place: _take_place(place, streams, kept)),
    )
    if fault := setting_faults.about_tiles():
        st.caption(f":material/settings_alert: {md(fault)}")


def _credit() -> str:
    """The credit of the map's owner; empty without a map."""
    current = settings.current()
    if current.tile_url is None or setting_faults.wrong_tiles(current.tile_url):
        return ""
    host = urlsplit(current.tile_url).hostname or ""
    is_openstreetmap = host == _OPENSTREETMAP or host.endswith(f".{_OPENSTREETMAP}")
    usual = "© OpenStreetMap contributors" if is_openstreetmap else host
    return plain(current.tile_attribution) or usual


def _draw_moment(data: ActivityData, streams: SessionStreams) -> None:
    """The marked moment as a text field: the keyboard's version of a click on the route."""
    at_s = selection.moment(data)
    state.put(_AT, "" if at_s is None else formats.duration_hms(at_s))
    st.text_input(
        "At", key=_AT, placeholder="At 0:00", width=98, label_visibility="collapsed",
        on_change=_take_typed, args=(float(streams.elapsed_s[-1]),),
    )  # fmt: skip


def _take_typed(last_s: float) -> None:
    text = state.get(_AT) or ""
    at_s = formats.seconds_of(text)
    # Ignore invalid input; an empty field removes the mark.
    if at_s is not None or not text.strip():
        selection.mark(None if at_s is None else min(at_s, last_s))


def _nearest(streams: SessionStreams, kept: np.ndarray, at_s: float) -> int | None:
    """The sample nearest in time of those with a position."""
    fixes = np.flatnonzero(np.isfinite(streams.columns["position_lat"][kept]))
    if not len(fixes):
        return None
    return int(fixes[np.argmin(np.abs(streams.elapsed_s[kept[fixes]] - at_s))])


def _take_place(place: Report | None, streams: SessionStreams, kept: np.ndarray) -> None:
    selection.mark(float(streams.elapsed_s[kept[place["point"]]]) if place else None)


def _within(kept: np.ndarray, samples: slice) -> slice:
    start, stop = np.searchsorted(kept, [samples.start, samples.stop])
    return slice(int(start), int(stop))


def _route(streams: SessionStreams, column: Column, kept: np.ndarray) -> Route:
    raw = streams.columns[column.name]
    recorded = raw[np.isfinite(raw)]
    low, high = np.percentile(recorded, [2, 98]).tolist() if len(recorded) else (0.0, 1.0)
    values = raw if column.is_pace else column.shown(raw)
    ends = (low, high) if column.is_pace else tuple(column.one(e) for e in (low, high))
    elapsed = streams.elapsed_s[kept].tolist()
    texts = [
        f"{formats.duration_hms(elapsed_s)} · {column.text(value)}"
        for elapsed_s, value in zip(elapsed, raw[kept].tolist(), strict=True)
    ]
    return Route(
        latitude=streams.columns["position_lat"][kept],
        longitude=streams.columns["position_long"][kept],
        values=values[kept],
        title=column.title,
        unit=column.unit,
        colour=column.colour,
        texts=texts,
        low=ends[0],
        high=ends[1],
        ticks=pace_ticks(low, high, column.pace_per_m) if column.pace_per_m else (),
    )
