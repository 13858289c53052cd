"""Compare: a second session of the athlete over this one, by time, distance or lap, with the difference."""

import numpy as np
import pandas as pd
import streamlit as st

from coachboard.charts.comparison import Pair, comparison_chart
from coachboard.client.errors import ServiceError
from coachboard.loaders import comparison as loader
from coachboard.loaders.activity import ActivityData
from coachboard.loaders.comparison import Alignment, Comparison, Overlay
from coachboard.loaders.matching import local_day
from coachboard.models.activities import Activity
from coachboard.views import formats, notices, state
from coachboard.views.activity import choices
from coachboard.views.activity.columns import Column, columns_of
from coachboard.views.plot import draw_chart
from coachboard.views.shell import Page
from coachboard.views.text import plain

_TITLES = {Alignment.TIME: "Time", Alignment.DISTANCE: "Distance", Alignment.LAP: "Lap"}
_AXES = {Alignment.TIME: "Elapsed time", Alignment.LAP: "Lap"}
_KEY = "activity.with"


@st.fragment
def draw_compare(page: Page, data: ActivityData) -> None:
    """A picker; charts once a session is chosen, which the address keeps."""
    if data.streams is None:
        return
    st.header("Compare", anchor=False)
    others = {session.id: session for session in loader.candidates(page.client, data)}
    if not others:
        notices.say_empty(
            "No other session of this sport within a year.",
            fills="One that is recorded can be laid over this.",
        )
        return
    other = _pick(page, others)
    if other is None:
        st.caption("Choose another session of the same sport to lay over this one.")
        return
    options = {str(kind): _TITLES[kind] for kind in loader.alignments(data, other)}
    alignment = Alignment(choices.pick_one("Aligned by", options, param="align"))
    try:
        found = loader.compare(page.client, data, other, alignment)
    except ServiceError as error:
        notices.say(error, about="the streams of the other session")
        return
    if found is not None:
        _draw(page, data, other, found)


def _pick(page: Page, others: dict[str, Activity]) -> Activity | None:
    wanted = state.get_id("with")
    if state.get(_KEY) not in (None, *others):
        state.forget(_KEY)
    state.put_default(_KEY, wanted if wanted in others else None)
    chosen = st.selectbox(
        "Session", list(others), key=_KEY, index=None, placeholder="Another session",
        format_func=lambda activity_id: _listed(page, others[activity_id]),
    )  # fmt: skip
    state.set_param("with", chosen)
    return others.get(chosen) if chosen else None


def _listed(page: Page, session: Activity) -> str:
    name = plain(session.name, longest=60) or formats.label(session.sport)
    return f"{formats.day(local_day(session), today=page.today)}, {name}"


def _draw(page: Page, data: ActivityData, other: Activity, found: Comparison) -> None:
    if data.streams is None or not found.overlays:
        st.caption("The two sessions share no recorded column.")
        return
    known = columns_of(data.streams, data.activity.sport, units=page.units)
    overlays = [overlay for overlay in found.overlays if overlay.column in known][:3]
    names = ("This session", _listed(page, other))
    at, axis_title = _axis(page, data, found)
    draw_chart(
        comparison_chart(
            at,
            [_pair(overlay, known[overlay.column]) for overlay in overlays],
            names=names,
            axis_title=axis_title,
            is_time=found.alignment is Alignment.TIME,
        ),
        key=f"activity.compare.{data.activity.id}.{other.id}",
        says=_says(overlays, known, found, names[1]),
        data=pd.DataFrame(
            {
                str(found.alignment): found.overlays[0].at,
                **{f"{o.column}_{side}": getattr(o, side) for o in overlays for side in ("this", "other")},
            }
        ),
    )
    if found.alignment is Alignment.LAP and not found.laps.empty:
        _draw_laps(found.laps)


def _axis(page: Page, data: ActivityData, found: Comparison) -> tuple[loader.Floats, str]:
    at = found.overlays[0].at
    if found.alignment is not Alignment.DISTANCE:
        return at, _AXES[found.alignment]
    is_imperial = page.units.is_imperial(data.activity.sport)
    return at / (1609.344 if is_imperial else 1000.0), f"Distance, {'mi' if is_imperial else 'km'}"


def _pair(overlay: Overlay, column: Column) -> Pair:
    if column.is_pace:
        # A difference of paces has no meaning at a stop: speeds are compared instead.
        return Pair("Speed", "km/h", column.colour, overlay.this * 3.6, overlay.other * 3.6, 1)
    this, other = column.shown(overlay.this), column.shown(overlay.other)
    return Pair(column.title, column.unit, column.colour, this, other, column.digits)


def _says(overlays: list[Overlay], known: dict[str, Column], found: Comparison, name: str) -> str:
    told = []
    for overlay in overlays:
        difference = overlay.difference[np.isfinite(overlay.difference)]
        if len(difference):
            pair = _pair(overlay, known[overlay.column])
            mean = float(np.nanmean(pair.other - pair.this))
            told.append(f"{pair.title.lower()} {formats.signed(mean, pair.digits, pair.unit)}")
    return (
        f"This session solid, {name} dotted, aligned by {found.alignment}, means of 30 s over the part that both have. "
        f"The other less this one: {', '.join(told) or 'nothing in common'}."
    )


def _draw_laps(laps: pd.DataFrame) -> None:
    st.dataframe(
        pd.DataFrame(
            {
                "#": laps["number"],
                "Intensity": [formats.label(value) for value in laps["intensity"]],
                "Other": [formats.label(value) for value in laps["other_intensity"]],
                "Duration": [formats.duration_hms(value) for value in laps["duration_s"]],
                "Other duration": [formats.duration_hms(value) for value in laps["other_duration_s"]],
                "Power, W": laps["power_w"],
                "Difference, W": laps["other_power_w"] - laps["power_w"],
                "HR, bpm": laps["heart_rate_bpm"],
                "Difference, bpm": laps["other_heart_rate_bpm"] - laps["heart_rate_bpm"],
            }
        ),
        hide_index=True, key="activity.compare.laps", alt="The laps of both sessions in order.",
    )  # fmt: skip
