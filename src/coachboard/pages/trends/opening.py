"""The picked athlete and range, their data with what is missing, and a summary of the most important trends."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType

import numpy as np
import streamlit as st

from coachboard.flags.nights import HRV_UNCERTAINTY_MS, RESTING_HR_UNCERTAINTY_BPM, side_of_normal
from coachboard.formulas.recovery import sleep
from coachboard.formulas.recovery.baseline import LINE_D, MINIMUM_DAYS, OwnNormal, own_normal, trailing_mean
from coachboard.formulas.recovery.hrv import normal_range, seven_day_line
from coachboard.formulas.recovery.main_sleep import day_sleeps, read_row
from coachboard.formulas.recovery.metric_series import metric_series
from coachboard.formulas.recovery.nights import Nights
from coachboard.loaders.newest_day import NIGHTS, SESSIONS
from coachboard.pages.trends.data import TrendsData, load_trends
from coachboard.plurals import digits_to_tell
from coachboard.ui.frame import formats, notices, own_data, shell, state
from coachboard.ui.frame.opening_day import opening_day, say_opening_day
from coachboard.ui.frame.page import Athlete, Page
from coachboard.ui.widgets import formula_help, pickers
from coachboard.wire.metrics import MetricType

_NARROW = 5.0
_DAYS = 90

LEAST_NEED_H, MOST_NEED_H = 5.0, 11.0
DEBT_NIGHTS = 14
"""Number of nights of the sleep debt."""


_OPENS_AT: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"nights": (NIGHTS,), "training": (SESSIONS,), "metrics": ()}
)
"""Rows whose newest day opens a section. A weight set today must not open the others at weeks without a session; metrics
show all values up to today.
"""
_LISTS = MappingProxyType({"sessions": "activities", "nights": "sleeps", "metrics": "metrics"})


@dataclass(frozen=True, slots=True)
class TrendsChoice:
    """The choice in the URL."""

    athlete: Athlete
    start: date
    end: date
    need_h: float  # sleep need per night, as set by the user


def pick(page: Page) -> TrendsChoice:
    """Athlete and range, both in the URL."""
    athlete = pickers.pick_athlete(page)
    kinds = _OPENS_AT.get(state.get_param("look") or "", (NIGHTS, SESSIONS))
    today = opening_day(page, athlete, kinds, days=_DAYS)
    spans = (28, _DAYS, 182, 365)
    start, end = pickers.pick_range(replace(page, today=today), default_days=_DAYS, spans=spans)
    say_opening_day(page, athlete, today)
    return TrendsChoice(athlete, start, end, need_of_address())


def need_of_address() -> float:
    """The sleep need in the URL, in minutes; 8 hours by default."""
    asked = state.get_param("need") or ""
    minutes = int(asked) if asked.isdecimal() and len(asked) < 4 else 0
    return minutes / 60 if LEAST_NEED_H <= minutes / 60 <= MOST_NEED_H else sleep.NEED_H


def load(page: Page, choice: TrendsChoice) -> TrendsData:
    """Load the range; show what failed and what arrived."""
    start, end = choice.start, choice.end
    data = load_trends(page.client, choice.athlete.id, start=start, end=end, today=page.today)
    shell.say_age(page, *data.results)
    notices.say_problems(*data.results)
    for missing in data.missing:
        notices.say(missing.error, about=missing.what.capitalize())
    return data


def say_failed(data: TrendsData, *parts: str) -> bool:
    """Say if the data of a section could not be loaded: it is then not known to be empty."""
    failed = [part for part in parts if data.lacks(part)]
    if failed:
        notices.say_empty(
            f"The {' and '.join(failed)} of this range could not be loaded.",
            fills="Reload the page in a minute.",
        )
    return bool(failed)


def say_none(
    page: Page,
    choice: TrendsChoice,
    data: TrendsData,
    *parts: str,
    otherwise: str,
    fills: str = "Choose a longer one.",
    kind: str = "sessions",
) -> None:
    """Why a section is empty: its data could not be loaded or read, or else there are none."""
    if not say_failed(data, *parts):
        rows = " ".join(_LISTS[part] for part in parts)
        own_data.say_empty(
            page, choice.athlete.id, otherwise, fills=fills, kind=kind, rows=rows, of=data.results
        )


def draw_summary(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """The summary: HRV, resting heart rate, sleep, weight."""
    nights = data.nights
    until = f"up to {formats.day(data.end, today=page.today)}"
    window = f"7 nights vs the previous 60; days {until}"
    of_nights = (
        (hrv_sentence(nights), (seven_day_line, normal_range), window),
        (resting_sentence(nights), (trailing_mean, own_normal), window),
        (
            _sleep_sentence(nights, choice.need_h),
            (day_sleeps, read_row, sleep.debt_h),
            f"last {DEBT_NIGHTS} nights {until}",
        ),
    )
    # Nights whose rows could not be read are not known to be absent; the notices name them.
    is_unread = not np.isfinite(nights.asleep_s[-DEBT_NIGHTS:]).any() and notices.unreadable(
        "sleeps", data.results
    )
    sentences = (
        *(() if data.lacks("nights") or is_unread else of_nights),
        (_weight_sentence(page, data), (metric_series,), f"last value vs 4 weeks earlier, {until}"),
    )
    with st.container(gap="xxsmall"):
        for sentence, functions, window in sentences:
            if sentence:
                st.markdown(sentence, help=formula_help.text_of(*functions, window=f"{window}."))


def hrv_sentence(nights: Nights) -> str:
    """HRV of the last nights against the normal range."""
    of_ln = nights.hrv_normal
    normal = replace(of_ln, low=np.exp(of_ln.low), high=np.exp(of_ln.high))
    return against_normal(
        "HRV", nights.hrv_line, normal, nights=nights.hrv_ms, unit="ms", error=HRV_UNCERTAINTY_MS
    )


def resting_sentence(nights: Nights) -> str:
    """Resting heart rate of the last nights against the normal range."""
    return against_normal(
        "Resting heart rate", nights.resting_line, nights.resting_normal, nights=nights.resting_bpm, unit="bpm",
        error=RESTING_HR_UNCERTAINTY_BPM,
    )  # fmt: skip


def against_normal(
    quantity: str,
    line: np.ndarray,
    normal: OwnNormal,
    *,
    nights: np.ndarray,
    unit: str,
    error: float,
) -> str:
    """The mean of the nights of the last 7 days and the athlete's normal range, or how many nights the range still needs.

    Outside by less than the error of the measurement it is at the edge, as on the roster, which then has no mark.
    """
    if np.isnan(nights).all():
        return f"**{quantity}:** not recorded."
    low, high = normal.low[-1], normal.high[-1]
    if np.isnan(low):
        return f"**{quantity}:** normal range needs {MINIMUM_DAYS} nights, has {int(normal.days[-1])}."
    if np.isnan(line[-1]):
        return f"**{quantity}:** needs 3 nights in the last 7 days."
    value = line[-1]
    where = side_of_normal(value, low, high, error)
    # Avoids "41 bpm, above normal range (40–41 bpm)".
    digits = digits_to_tell(value, low, high, 1 if high - low < _NARROW else 0)
    span = f"{formats.number(low, digits)}–{formats.number(high, digits, unit)}"
    recent = int((~np.isnan(nights[-LINE_D:])).sum())
    mean = f"{LINE_D}-day mean" if recent == LINE_D else f"mean of {recent} nights"
    return f"**{quantity}:** {mean} {formats.number(value, digits, unit)}, {where} normal range ({span})."


def _sleep_sentence(nights: Nights, need_h: float) -> str:
    recent = nights.asleep_s[-DEBT_NIGHTS:]
    recorded = int((~np.isnan(recent)).sum())
    if not recorded:
        return "**Sleep:** no night recorded in the last 14 days."
    debt_h = nights.debt_h(need_h, last=DEBT_NIGHTS)
    gaps = "" if recorded == DEBT_NIGHTS else f" ({recorded} recorded)"
    mean = formats.duration_hm(float(np.nanmean(recent)))
    balance = f"sleep {'debt' if debt_h > 0 else 'surplus'} {formats.duration_hm(abs(debt_h) * 3600)}"
    return (
        f"**Sleep:** {mean} per night over the last {DEBT_NIGHTS} nights{gaps}; "
        f"{balance} at a need of {need_h:g} h.{nap_words(nights.stages_s['nap'][-DEBT_NIGHTS:])}"
    )


def nap_words(nap_s: np.ndarray) -> str:
    """Naps among these days as a sentence; empty without naps."""
    naps = nap_s[~np.isnan(nap_s)]
    if not len(naps):
        return ""
    mean = formats.duration_hm(float(naps.mean()))
    return f" Naps on {formats.count(len(naps), 'day')}, {mean} on average; they count toward the sleep debt."


def _weight_sentence(page: Page, data: TrendsData) -> str:
    weight = next((series for series in data.metrics if series.type is MetricType.WEIGHT), None)
    if weight is None:
        return ""
    change = "no value 4 weeks earlier"
    if weight.change is not None:
        change = f"{formats.weight(weight.change, units=page.units, signed=True)} in 4 weeks"
    kg = formats.weight(float(weight.latest.value), units=page.units)
    return f"**Weight:** {kg} on {formats.day(weight.latest.date, today=page.today)}, {change}."
