"""Fields of a session in forms: sport, stimulus, start, duration, distance, exertion and feeling."""

import re
from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any

import streamlit as st

from coachboard.imperial import M_PER_MILE
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.wire.enums import Sport, TrainingStimulus
from coachboard.wire.own_data import LONGEST_BY_HAND_S

USUAL_SPORTS = (Sport.CYCLING, Sport.RUNNING, Sport.SWIMMING, Sport.TRAINING, Sport.ROWING, Sport.WALKING)
SPORTS = (*USUAL_SPORTS, *(sport for sport in Sport if sport not in USUAL_SPORTS))
"""All sports, in the order of forms."""
FEELINGS = {1: "1, very weak", 2: "2, weak", 3: "3, normal", 4: "4, strong", 5: "5, very strong"}
OFFSETS_MIN = list(range(-12 * 60, 14 * 60 + 1, 15))
WRONG_START = "Start time: enter it as 07:30 or 07:30:15."
TOO_LONG = "Duration: at most 24 h. Enter each stage of a longer race as its own session."
_CLOCK = re.compile(r"\s*(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?\s*", re.ASCII)
_FIRST_DAY = date(1980, 1, 1)


def sport_options() -> list[tuple[str, str]]:
    """All sports with their names, the usual ones first."""
    return [(sport, formats.sport(sport)) for sport in SPORTS]


def stimulus_options() -> list[tuple[str, str]]:
    """No stimulus, then all with their names."""
    return [("", "No stimulus"), *((stimulus, formats.label(stimulus)) for stimulus in TrainingStimulus)]


def choose(label: str, options: list[Any], value: Any, words: Callable[[Any], str], *, key: str) -> Any:
    """One of the options; a value of another program that is none of them stays one."""
    offered = options if value is None or value in options else [*options, value]
    return st.selectbox(
        label,
        offered,
        index=None if value is None else offered.index(value),
        format_func=lambda each: words(each) if each in options else str(each),
        key=key,
        placeholder="–",
    )


def draw_start(day: date, clock: time | None, *, key: str) -> datetime | None:
    """Day and time of the start on the athlete's clock; None if the time is no time.

    A text, because Streamlit's field for a time has no seconds and follows the browser's language.
    """
    left, right = st.columns(2)
    with left:
        chosen = st.date_input("Date", day, min_value=min(_FIRST_DAY, day), key=f"{key}.day")
    with right:
        stored = "" if clock is None else f"{clock:%H:%M:%S}"
        text = st.text_input("Start time", stored, max_chars=10, placeholder="07:30", key=f"{key}.time")
    entered = _time_of(text)
    return datetime.combine(chosen, entered) if isinstance(chosen, date) and entered is not None else None


def _time_of(text: str) -> time | None:
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    try:
        return time.fromisoformat(":".join(f"{int(part or 0):02}" for part in match.groups()))
    except ValueError:
        return None


def offset_words(minutes: float) -> str:
    """`UTC+5:30`."""
    whole = round(minutes)
    sign = formats.MINUS if whole < 0 else "+"
    return f"UTC{sign}{abs(whole) // 60}:{abs(whole) % 60:02}"


def draw_duration(seconds: float | None, *, key: str) -> float | None:
    """The duration in seconds; None if both fields are empty or 0."""
    hours, minutes = (None, None) if seconds is None else divmod(round(seconds / 60, 2), 60)
    left, right = st.columns(2)
    with left:
        h = st.number_input("Hours", 0, 700, None if hours is None else int(hours), key=f"{key}.hours")
    with right:
        stored_minutes = None if minutes is None else round(minutes, 2)
        m = st.number_input(
            "Minutes", 0.0, 59.99, stored_minutes, step=1.0, format="%g", key=f"{key}.minutes"
        )
    if seconds is not None and (h, m) == (int(hours or 0), stored_minutes):
        return seconds  # an entry of the API may be finer than the fields
    return round((h or 0) * 3600 + (m or 0.0) * 60) or None


def is_too_long(seconds: float | None) -> bool:
    return seconds is not None and seconds > LONGEST_BY_HAND_S


def draw_distance(page: Page, metres: float | None, *, key: str) -> float | None:
    """The distance in metres, entered in the reader's unit."""
    per, unit = (M_PER_MILE, "mi") if page.units.is_imperial(None) else (1000.0, "km")
    stored = None if metres is None else round(metres / per, 3)
    value = st.number_input(
        f"Distance ({unit})",
        0.0,
        max(3000.0, stored or 0.0),
        stored,
        step=1.0,
        format="%g",
        key=f"{key}.distance",
    )
    if value is None or value == stored:
        return None if value is None else metres
    return round(value * per, 1)
