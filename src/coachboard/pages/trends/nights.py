"""Sleep: stages and debt, timing and regularity, HRV and resting heart rate in the normal range, skin temperature."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.charts.day_axis import MOST_BARS, add_daily, add_level, add_line, dated
from coachboard.charts.shades import add_normal_range, add_shades
from coachboard.charts.ticks import without_noise
from coachboard.formulas.recovery import hrv, main_sleep, sleep
from coachboard.formulas.recovery.baseline import MINIMUM_DAYS, OwnNormal, own_normal, trailing_mean
from coachboard.formulas.recovery.circumstances import Circumstance, offset_shifts
from coachboard.formulas.recovery.nights import NOT_REPORTED, STAGES, Nights
from coachboard.pages.trends.data import TrendsData
from coachboard.pages.trends.opening import (
    LEAST_NEED_H,
    MOST_NEED_H,
    TrendsChoice,
    nap_words,
    need_of_address,
    say_none,
)
from coachboard.ui.frame import formats, state
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.metrics import HRV, NIGHT_FIELDS, RESTING, SKIN_DEVIATION, NightField

_Row = NDArray[np.float64]

STAGE_NAMES = {
    "deep": NIGHT_FIELDS["deep_duration"].title,
    "light": NIGHT_FIELDS["light_duration"].title,
    "rem": NIGHT_FIELDS["rem_duration"].title,
    "unphased": "Asleep, no stages",
    "awake": NIGHT_FIELDS["awake_duration"].title,
    "noData": NIGHT_FIELDS["no_data_duration"].title,
    "nap": "Nap",
}
_SATURDAY, _TRAVEL_DAYS, _SUMMER_TIME_MIN = 5, 3, 60
_NOON_H = 12.0
_WORD_SHARE = 0.2
"""Width of a shift's label on a narrow screen, as a share of the days."""
_WINDOW = "recorded nights of the selected range."


def draw_nights(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """The recorded quantities, each with a summary; the others take no room."""
    nights = data.nights
    if not nights.recorded:
        fills = "Nights appear when the data service receives them."
        none = "No nights in this range."
        say_none(page, choice, data, "nights", otherwise=none, fills=fills, kind="nights")
        return
    _draw_hrv(data)
    _draw_resting(data)
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


def _draw_hrv(data: TrendsData) -> None:
    nights = data.nights
    if nights.has(nights.hrv_ms):
        draw_chart(
            partial(recovery_chart, nights, HRV, shades=data.circumstances),
            key="trends.hrv",
            says="HRV of each night, 7-day mean (3 nights or more) and normal range (mean ± 0.5 SD of ln HRV over the previous "
            f"60 days). Coefficient of variation of ln HRV, last 7 nights: {formats.percent(nights.hrv_variation_pct, 1)}. "
            + _nights_to_go(nights.hrv_normal),
            data=_recovery_table(nights, HRV),
            formulas=formula_help.text_of(
                hrv.seven_day_line,
                hrv.normal_range,
                hrv.coefficient_of_variation_pct,
                window="7 nights for the mean and variation, the previous 60 days for the normal range.",
            ),
        )


def _draw_resting(data: TrendsData) -> None:
    nights = data.nights
    if nights.has(nights.resting_bpm):
        draw_chart(
            partial(recovery_chart, nights, RESTING, shades=data.circumstances),
            key="trends.resting",
            says="Resting heart rate of each night, 7-day mean (3 nights or more) and normal range (± 0.5 SD, previous 60 days). "
            + _nights_to_go(nights.resting_normal),
            data=_recovery_table(nights, RESTING),
            formulas=formula_help.text_of(
                trailing_mean,
                own_normal,
                window="7 nights for the mean, the previous 60 days for the normal range.",
            ),
        )


def _nights_to_go(normal: OwnNormal) -> str:
    """Why there is no normal range yet; empty if there is one."""
    nights = int(normal.days[-1])
    return "" if nights >= MINIMUM_DAYS else f"The normal range needs {MINIMUM_DAYS} nights, has {nights}."


def recovery_rows(nights: Nights, field: NightField) -> tuple[_Row, ...]:
    """Values, 7-day mean and both ends of the normal range of HRV [ms] or resting heart rate [bpm], in the range."""
    rows: tuple[_Row, ...] = (nights.hrv_ms, nights.hrv_line, *nights.hrv_range_ms)
    if field is RESTING:
        normal = nights.resting_normal
        rows = (nights.resting_bpm, nights.resting_line, normal.low, normal.high)
    return tuple(without_noise(nights.in_range(row)) for row in rows)


def _recovery_table(nights: Nights, field: NightField) -> pd.DataFrame:
    heads = (
        field.heading,
        *(f"{statistic} ({field.unit})" for statistic in ("7-day mean", "normal from", "normal to")),
    )
    return _table(nights, dict(zip(heads, recovery_rows(nights, field), strict=True)))


def recovery_chart(nights: Nights, field: NightField, *, shades: Sequence[Circumstance] = ()) -> go.Figure:
    """Each night as a dot, the 7-day line, and the normal range behind both."""
    colour, days = palette.quantity(field.colour), nights.range_days
    values, line, low, high = recovery_rows(nights, field)
    figure = go.Figure()
    add_normal_range(figure, days, (low, high), colour=colour)
    dots = {"color": palette.translucent(colour, 0.55), "size": 5}
    hover = f"%{{y:.0f}} {field.unit}"
    figure.add_scatter(x=days, y=values, name="Night", mode="markers", marker=dots, hovertemplate=hover)
    add_line(figure, days, line, quantity=field.colour, hover=f"%{{y:.1f}} {field.unit}", name="7-day mean")
    palette.layout(figure, height=240)
    figure.update_yaxes(title_text=field.heading)
    return add_shades(dated(figure, days), shades)


def _draw_stages(data: TrendsData, need_h: float) -> None:
    nights = data.nights
    if not nights.has(nights.asleep_s):
        return
    mean = formats.duration_hm(float(np.nanmean(nights.in_range(nights.asleep_s))))
    draw_chart(
        partial(stages_chart, nights, need_h=need_h, shades=data.circumstances),
        key="trends.stages",
        says=f"{_stages_in_words(nights)}: mean sleep {mean} in the days shown (dashed line: sleep need of "
        f"{need_h:g} h; time awake does not count)"
        f"{_efficiency_words(nights)}.{nap_words(nights.in_range(nights.stages_s['nap']))}",
        data=_table(
            nights,
            {
                f"{STAGE_NAMES[name].lower()} (h)": row / 3600
                for name, row in nights.stages_s.items()
                if nights.has(row)
            }
            | {"in bed (h)": nights.in_bed_s / 3600, "efficiency (%)": nights.efficiency_pct},
        ),
        formulas=formula_help.text_of(
            main_sleep.day_sleeps, main_sleep.read_row, sleep.efficiency_pct, window=_WINDOW
        ),
    )


def _efficiency_words(nights: Nights) -> str:
    """The mean with the line of good efficiency; empty if no night has a time in bed, as the panel is missing then."""
    if not nights.has(nights.efficiency_pct):
        return ""
    mean = formats.percent(float(np.nanmean(nights.in_range(nights.efficiency_pct))))
    return f", efficiency {mean} (dashed line: {sleep.GOOD_EFFICIENCY_PCT:.0f} %, above is good)"


def _stages_in_words(nights: Nights) -> str:
    """Which nights have stages: a service may send none, or only some."""
    unphased = int((~np.isnan(nights.in_range(nights.stages_s["unphased"]))).sum())
    recorded = int((~np.isnan(nights.in_range(nights.asleep_s))).sum())
    if not unphased:
        return "Sleep stages per night"
    if unphased == recorded:
        return "Sleep per night, no sleep stages recorded"
    return f"Sleep stages per night, {formats.count(unphased, 'night')} without stages"


def stages_chart(nights: Nights, *, need_h: float, shades: Sequence[Circumstance] = ()) -> go.Figure:
    """Hours of each stage by night, with the sleep need as a line; efficiency in a panel below."""
    days = nights.range_days
    figure = go.Figure()
    rows = {stage: nights.in_range(nights.stages_s[stage]) / 3600 for stage in STAGES}
    is_recorded = ~np.isnan(list(rows.values())).all(axis=0)
    for stage, hours in rows.items():
        if np.nansum(hours) > 0:
            is_absent = is_recorded & np.isnan(hours)
            add_daily(
                figure,
                days,
                # Plotly starts a stack at 0 again above a missing value: the bars would cover each other.
                np.where(is_absent, 0.0, hours),
                colour=palette.quantity(stage),
                hover=np.where(is_absent, "–", "%{y:.1f} h"),
                is_stacked=True,
                name=STAGE_NAMES[stage],
            )
    palette.layout(figure, height=260)
    figure.update_layout(barmode="stack", bargap=0.15)
    figure.update_yaxes(title_text="Time (h)", rangemode="tozero")
    add_level(figure, need_h)
    if nights.has(nights.efficiency_pct):
        _add_efficiency(figure, nights)
        add_level(figure, sleep.GOOD_EFFICIENCY_PCT, axis="y2")
    return add_shades(dated(figure, days), shades)


def _add_efficiency(figure: go.Figure, nights: Nights) -> None:
    figure.add_scatter(
        x=nights.range_days,
        y=nights.in_range(nights.efficiency_pct),
        yaxis="y2",
        name="Efficiency",
        mode="lines+markers",
        line={"color": palette.INK.light, "width": 1.2},
        marker={"size": 3},
        hovertemplate="%{y:.0f} %",
    )
    title = {"text": "Sleep efficiency (%)"}
    below = {"title": title, "domain": [0.0, 0.26], "anchor": "x", "nticks": 4}
    figure.update_layout(height=360, yaxis={"domain": [0.36, 1.0]}, yaxis2=below)
    figure.update_xaxes(anchor="free", position=0)


def _draw_timing(data: TrendsData) -> None:
    nights = data.nights
    if not nights.has(nights.mid_sleep_h):
        return
    mean, spread = nights.mean_mid_sleep_h
    shifts = len(clock_shifts(nights))
    shift_note = f"{formats.count(shifts, 'time change')} (clock change or travel, dashed)."
    draw_chart(
        partial(timing_chart, nights, shades=data.circumstances),
        key="trends.timing",
        says=f"Start and end of each night in local time. Mean mid-sleep {clock(mean)}, "
        f"± {formats.number(spread * 60, 0, 'min')} (SD). {shift_note if shifts else 'No time change or travel.'}",
        data=_table(
            nights,
            {
                "start (h)": nights.start_h,
                "end (h)": nights.end_h,
                "mid-sleep (h)": nights.mid_sleep_h,
                "from UTC (min)": nights.utc_offset_min,
            },
        ),
        formulas=formula_help.text_of(
            sleep.mid_sleep_h, sleep.circular_deviation_h, offset_shifts, window=_WINDOW
        ),
    )
    st.markdown(
        f"**Social jet lag:** {jet_lag_words(jet_lag(nights))}",
        help=formula_help.text_of(sleep.social_jet_lag, sleep.mid_sleep_h, window=_WINDOW),
    )


def clock_shifts(nights: Nights) -> list[tuple[date, float]]:
    """The days in the range on which the athlete's clock changed against UTC, and by how much. [min]."""
    return offset_shifts(nights.range_days, nights.in_range(nights.utc_offset_min))


def jet_lag(nights: Nights) -> sleep.SocialJetLag:
    """Mid-sleep of weekends against weekdays in the range, without nights soon after travel."""
    days = nights.range_days
    moved = [day for day, minutes in clock_shifts(nights) if abs(minutes) > _SUMMER_TIME_MIN]
    return sleep.social_jet_lag(
        nights.in_range(nights.mid_sleep_h),
        [day.weekday() >= _SATURDAY for day in days],
        [any(0 <= (day - shift).days < _TRAVEL_DAYS for shift in moved) for day in days],
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
        f"{apart}, mid-sleep {clock(lag.free_h)} vs {clock(lag.work_h)} on weekdays ({nights}). A weekend night ends on "
        "Saturday or Sunday."
    )


def timing_chart(nights: Nights, *, shades: Sequence[Circumstance] = ()) -> go.Figure:
    """Start, end and middle of each night in local time; evening at the bottom."""
    days = nights.range_days
    # Hours since noon, so that a night is one bar instead of two.
    start, end, middle = (
        np.mod(nights.in_range(row) - _NOON_H, 24)
        for row in (nights.start_h, nights.end_h, nights.mid_sleep_h)
    )
    figure = go.Figure()
    _add_time_in_bed(figure, days, start, end)
    figure.add_scatter(
        x=days,
        y=middle,
        name="Mid-sleep",
        mode="markers",
        marker={"color": palette.quantity("deep"), "size": 5},
        customdata=[clock(value + _NOON_H) for value in middle],
        hovertemplate="%{customdata}",
    )
    palette.layout(figure, height=240)
    ticks = np.arange(0, 24, 2, dtype=float)
    figure.update_yaxes(
        title={"text": "Local time", "standoff": 12},  # without it, the title touched the hours
        tickvals=ticks,
        ticktext=[clock(tick + _NOON_H) for tick in ticks],
        range=[np.nanmin(start) - 0.5, np.nanmax(end) + 0.5],
    )
    figure.update_layout(bargap=0.3)
    _add_clock_shifts(figure, nights)
    return add_shades(dated(figure, days), shades)


def _add_time_in_bed(figure: go.Figure, days: Sequence[date], start: _Row, end: _Row) -> None:
    """A bar per night; upright lines if a bar would be thinner than a pixel."""
    colour = palette.translucent(palette.quantity("light"), 0.55)
    if len(days) <= MOST_BARS:
        figure.add_bar(
            x=days,
            y=end - start,
            base=start,
            marker={"color": colour, "line": {"width": 0}},
            name="In bed",
            customdata=[
                f"{clock(a + _NOON_H)} to {clock(b + _NOON_H)}" for a, b in zip(start, end, strict=True)
            ],
            hovertemplate="%{customdata}",
        )
        return
    figure.add_scatter(
        x=np.repeat(np.array(days, dtype="datetime64[D]"), 3),
        y=np.column_stack([start, end, np.full(len(days), np.nan)]).ravel(),
        name="In bed",
        mode="lines",
        line={"width": 1, "color": colour},
        hoverinfo="skip",  # the marker in the middle of each night shows its hours
    )


def _add_clock_shifts(figure: go.Figure, nights: Nights) -> None:
    """A line where the UTC offset changed between two recorded nights; a label where it has room."""
    labelled: date | None = None
    style = {"color": palette.INK.light, "width": 1, "dash": "dash"}
    for day, minutes in clock_shifts(nights):
        noon = datetime.combine(day, time()) - timedelta(hours=12)
        figure.add_shape(type="line", x0=noon, x1=noon, yref="paper", y0=0, y1=1, line=style)
        if labelled is None or (day - labelled).days >= len(nights.range_days) * _WORD_SHARE:
            labelled = day
            figure.add_annotation(
                x=noon, y=0, yref="paper", xanchor="left", yanchor="bottom",
                xshift=3,  # else the first letter touches the line
                bgcolor=palette.translucent(palette.SURFACE.light, 0.8), borderpad=0, showarrow=False,
                text=f"clock {minutes / 60:+.3g} h".replace("-", "−"), font={"size": 11, "color": palette.INK.light},
            )  # fmt: skip


def clock(hours: float) -> str:
    """Hours since a midnight as a time of day."""
    if np.isnan(hours):
        return formats.MISSING
    minutes = round(float(hours) * 60) % (24 * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _draw_skin(page: Page, data: TrendsData) -> None:
    factor, unit = scale = formats.degrees_scale(page.units)
    nights = data.nights
    if nights.has(nights.skin_deviation_c):
        skin = nights.skin_c * factor + (32 if page.units.is_imperial() else 0)
        draw_chart(
            partial(deviation_chart, nights, scale=scale, shades=data.circumstances),
            key="trends.skin",
            says="Skin temperature of each night vs the athlete's usual, as reported by the device.",
            formulas="**Window:** each night. The device calculates the difference; its reference period is not stated.",
            data=_table(
                nights, {f"deviation ({unit})": nights.skin_deviation_c * factor, f"skin ({unit})": skin}
            ),
        )


def deviation_chart(
    nights: Nights, *, scale: tuple[float, str] = (1.0, "°C"), shades: Sequence[Circumstance] = ()
) -> go.Figure:
    """Skin temperature minus the athlete's mean by night; `scale` is the factor from °C and the unit."""
    factor, unit = scale
    figure = go.Figure()
    add_daily(
        figure,
        nights.range_days,
        nights.in_range(nights.skin_deviation_c) * factor,
        colour=palette.quantity(SKIN_DEVIATION.colour),
        hover=f"%{{y:+.1f}} {unit}",
        name="Deviation",
        showlegend=False,
    )
    palette.layout(figure, height=180)
    figure.update_yaxes(title_text=f"{SKIN_DEVIATION.title} ({unit})", zeroline=True)
    return add_shades(dated(figure, nights.range_days), shades)


def _table(nights: Nights, columns: dict[str, _Row]) -> pd.DataFrame:
    """The days of the range with a value in any column; a column has the days of the range, or those before it too."""
    days = nights.range_days
    rows = {name: row[-len(days) :].round(3) for name, row in columns.items()}
    return pd.DataFrame({"Day": days} | rows).dropna(how="all", subset=list(rows))
