"""Sleep: stages and debt, timing and regularity, HRV and resting heart rate in the normal range, skin temperature."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from coachboard.analytics.recovery import hrv, main_sleep, sleep
from coachboard.analytics.recovery.baseline import MINIMUM_DAYS, OwnNormal, own_normal, trailing_mean
from coachboard.analytics.recovery.circumstances import offset_shifts
from coachboard.analytics.recovery.nights import NOT_REPORTED, Nights
from coachboard.catalogues.metrics import HRV, RESTING
from coachboard.charts.night_timing import timing_chart
from coachboard.charts.nights import STAGE_NAMES, deviation_chart, stages_chart
from coachboard.charts.recovery import recovery_chart
from coachboard.loaders.trends.page_data import TrendsData
from coachboard.views.frame import formats, state
from coachboard.views.frame.own_data import say_empty
from coachboard.views.frame.page import Page
from coachboard.views.trends.opening import (
    LEAST_NEED_H,
    MOST_NEED_H,
    TrendsChoice,
    nap_words,
    need_of_address,
)
from coachboard.views.trends.unread import say_unread
from coachboard.views.widgets import formulas
from coachboard.views.widgets.plot import draw_chart


def draw_nights(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """The recorded quantities, each with a summary; the others take no room."""
    nights = data.nights
    if not nights.recorded:
        if say_unread(data, "nights"):
            return
        say_empty(
            page,
            choice.athlete.id,
            "No nights in this range.",
            fills="Nights appear when the data service receives them.",
            kind="nights",
        )
        return
    _draw_recovery(data)
    _draw_stages(data, _draw_sleep_need(choice.need_h))
    _draw_timing(data)
    _draw_skin(page, data)
    total = "" if nights.total_is == NOT_REPORTED else f" Total duration is the time {nights.total_is}."
    st.caption(
        "Implausible values, such as an HRV of 0, count as missing.",
        help=f"The reported values have no units. Assumed: durations in {nights.unit}, HRV as rMSSD in ms, temperatures in "
        f"°C.{total}",
    )


def _draw_sleep_need(stated_h: float) -> float:
    """The sleep need; a change sets the URL parameter and updates the summary above."""
    key = "trends.need"
    asked_h = need_of_address()
    if _minutes(state.get(key, 0.0)) != _minutes(asked_h):
        state.put(key, asked_h)
    need_h = st.number_input(
        "Sleep need (h)",
        LEAST_NEED_H,
        MOST_NEED_H,
        asked_h,
        step=0.25,
        key=key,
        width=180,
        on_change=lambda: state.set_param("need", str(_minutes(state.get(key)))),
        help="Used to calculate sleep debt; adults need 7 to 9 h (Hirshkowitz 2015).",
    )
    if _minutes(need_h) != _minutes(stated_h):
        st.rerun()
    return float(need_h)


def _minutes(hours: float) -> int:
    return round(60 * hours)


def _draw_recovery(data: TrendsData) -> None:
    nights = data.nights
    days = nights.days[nights.shown_from :]
    normal, (low, high) = nights.hrv_normal, nights.hrv_range_ms
    if not np.isnan(nights.shown(nights.hrv_ms)).all():
        draw_chart(
            partial(
                recovery_chart,
                days,
                values=nights.shown(nights.hrv_ms),
                line=nights.shown(nights.hrv_line),
                low=nights.shown(low),
                high=nights.shown(high),
                field=HRV,
                shades=data.circumstances,
            ),
            key="trends.hrv",
            says="HRV of each night, 7-day mean (3 nights or more) and normal range (mean ± 0.5 SD of ln HRV over the previous "
            f"60 days). Coefficient of variation of ln HRV, last 7 nights: {formats.percent(nights.hrv_variation_pct, 1)}. {_known(normal)}",
            data=_table(
                nights,
                {
                    HRV.heading: nights.hrv_ms,
                    "7-day mean (ms)": nights.hrv_line,
                    "normal from (ms)": low,
                    "normal to (ms)": high,
                },
            ),
            formulas=formulas.on_demand(
                hrv.seven_day_line,
                hrv.normal_range,
                hrv.coefficient_of_variation_pct,
                window="7 nights for the mean and variation, the previous 60 days for the normal range.",
            ),
        )
    resting = nights.resting_normal
    if not np.isnan(nights.shown(nights.resting_bpm)).all():
        draw_chart(
            partial(
                recovery_chart,
                days,
                values=nights.shown(nights.resting_bpm),
                line=nights.shown(nights.resting_line),
                low=nights.shown(resting.low),
                high=nights.shown(resting.high),
                field=RESTING,
                shades=data.circumstances,
            ),
            key="trends.resting",
            says="Resting heart rate of each night, 7-day mean (3 nights or more) and normal range (± 0.5 SD, previous 60 days). "
            + _known(resting),
            data=_table(
                nights,
                {
                    RESTING.heading: nights.resting_bpm,
                    "7-day mean (bpm)": nights.resting_line,
                    "normal from (bpm)": resting.low,
                    "normal to (bpm)": resting.high,
                },
            ),
            formulas=formulas.on_demand(
                trailing_mean,
                own_normal,
                window="7 nights for the mean, the previous 60 days for the normal range.",
            ),
        )


def _draw_stages(data: TrendsData, need_h: float) -> None:
    nights = data.nights
    asleep = nights.shown(nights.asleep_s)
    if np.isnan(asleep).all():
        return
    draw_chart(
        partial(stages_chart, nights, need_h=need_h, shades=data.circumstances),
        key="trends.stages",
        says=f"{_stages_shown(nights)}: mean sleep {formats.duration_hm(float(np.nanmean(asleep)))} in the days shown (dashed line: sleep need of "
        f"{need_h:g} h; time awake does not count)"
        f"{_efficiency_words(nights)}.{nap_words(nights.shown(nights.stages_s['nap']))}",
        data=_table(
            nights,
            {
                f"{STAGE_NAMES[name].lower()} (h)": row / 3600
                for name, row in nights.stages_s.items()
                if not np.isnan(nights.shown(row)).all()
            }
            | {"in bed (h)": nights.in_bed_s / 3600, "efficiency (%)": nights.efficiency_pct},
        ),
        formulas=formulas.on_demand(
            main_sleep.day_sleeps,
            main_sleep.read_row,
            sleep.efficiency_pct,
            window="recorded nights of the selected range.",
        ),
    )


def _efficiency_words(nights: Nights) -> str:
    """The mean with the line of good efficiency; empty if no night has a time in bed, as the panel is missing then."""
    if not _has(nights, "efficiency_pct"):
        return ""
    mean = formats.percent(float(np.nanmean(nights.shown(nights.efficiency_pct))))
    return f", efficiency {mean} (dashed line: {sleep.GOOD_EFFICIENCY_PCT:.0f} %, above is good)"


def _stages_shown(nights: Nights) -> str:
    """Which nights have stages: a service may send none, or only some."""
    unphased = int((~np.isnan(nights.shown(nights.stages_s["unphased"]))).sum())
    recorded = int((~np.isnan(nights.shown(nights.asleep_s))).sum())
    if not unphased:
        return "Sleep stages per night"
    if unphased == recorded:
        return "Sleep per night, no sleep stages recorded"
    return f"Sleep stages per night, {formats.count(unphased, 'night')} without stages"


def _draw_timing(data: TrendsData) -> None:
    nights = data.nights
    if np.isnan(nights.shown(nights.mid_sleep_h)).all():
        return
    mean, spread = nights.mean_mid_sleep_h
    minutes = formats.number(spread * 60, 0, "min")
    draw_chart(
        partial(timing_chart, nights, shades=data.circumstances),
        key="trends.timing",
        says=f"Start and end of each night in local time. Mean mid-sleep {_clock(mean)}, "
        f"± {minutes} (SD). {_shift_note(data.time_changes)}",
        data=_table(
            nights,
            {
                "start (h)": nights.start_h,
                "end (h)": nights.end_h,
                "mid-sleep (h)": nights.mid_sleep_h,
                "from UTC (min)": nights.utc_offset_min,
            },
        ),
        formulas=formulas.on_demand(
            sleep.mid_sleep_h,
            sleep.circular_deviation_h,
            offset_shifts,
            window="recorded nights of the selected range.",
        ),
    )
    st.markdown(
        f"**Social jet lag:** {jet_lag_words(data.social_jet_lag)}",
        help=formulas.on_demand(
            sleep.social_jet_lag, sleep.mid_sleep_h, window="recorded nights of the selected range."
        ),
    )


def jet_lag_words(lag: sleep.SocialJetLag) -> str:
    """Social jet lag with both mid-sleeps, or how many nights it needs; which days count as free."""
    nights = f"{formats.count(lag.free_nights, 'weekend night')}, {formats.count(lag.work_nights, 'weekday night')}"
    if not lag.is_known:
        return (
            f"not enough nights: needs {sleep.LEAST_FREE_NIGHTS} at weekends and {sleep.LEAST_WORK_NIGHTS} on weekdays "
            f"({nights})."
        )
    minutes = round(lag.hours * 60)
    side = "later" if minutes > 0 else "earlier"
    apart = f"{formats.duration_hm(abs(minutes) * 60)} {side} at weekends" if minutes else "none"
    return (
        f"{apart}, mid-sleep {_clock(lag.free_h)} vs {_clock(lag.work_h)} on weekdays ({nights}). A weekend night ends on "
        "Saturday or Sunday."
    )


def _shift_note(shifts: int) -> str:
    if not shifts:
        return "No time change or travel."
    return f"{formats.count(shifts, 'time change')} (clock change or travel, dashed)."


def _known(normal: OwnNormal) -> str:
    """Why there is no normal range yet; empty if there is one."""
    known = int(normal.days[-1])
    return "" if known >= MINIMUM_DAYS else f"The normal range needs {MINIMUM_DAYS} nights, has {known}."


def _clock(hours: float) -> str:
    if np.isnan(hours):
        return formats.MISSING
    minutes = round(hours * 60) % (24 * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _draw_skin(page: Page, data: TrendsData) -> None:
    factor, unit = scale = formats.degrees_scale(page.units)
    skin = data.nights.skin_c * factor + (32 if page.units.is_imperial() else 0)
    if _has(data.nights, "skin_deviation_c"):
        draw_chart(
            partial(deviation_chart, data.nights, scale=scale, shades=data.circumstances),
            key="trends.skin",
            says="Skin temperature of each night vs the athlete's usual, as reported by the device.",
            formulas="**Window:** each night. The device calculates the difference; its reference period is not stated.",
            data=_table(
                data.nights,
                {f"deviation ({unit})": data.nights.skin_deviation_c * factor, f"skin ({unit})": skin},
            ),
        )


def _has(nights: Nights, name: str) -> bool:
    return not np.isnan(nights.shown(getattr(nights, name))).all()


def _table(nights: Nights, columns: dict[str, np.ndarray]) -> pd.DataFrame:
    shown = {name: nights.shown(row).round(3) for name, row in columns.items()}
    return pd.DataFrame({"Day": nights.days[nights.shown_from :]} | shown).dropna(
        how="all", subset=list(shown)
    )
