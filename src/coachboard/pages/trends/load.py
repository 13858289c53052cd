"""Load and recovery on one time axis: load, HRV, resting heart rate and sleep."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from coachboard.charts import palette
from coachboard.charts.day_axis import add_daily, add_line, dated
from coachboard.charts.shades import add_normal_range, add_shades, day_band, settling_word
from coachboard.formulas.frames import FATIGUE, FITNESS, FORM
from coachboard.formulas.recovery.circumstances import Circumstance
from coachboard.formulas.recovery.nights import Nights
from coachboard.formulas.season.daily_load import DailyLoad
from coachboard.formulas.season.load import fitness_fatigue_form, weighted_load
from coachboard.pages.trends.data import LOAD_HISTORY_DAYS, TrendsData
from coachboard.pages.trends.nights import recovery_rows
from coachboard.pages.trends.opening import TrendsChoice, say_none
from coachboard.ui.frame import formats, notices
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.metrics import HRV, RESTING, NightField

_GAP = 0.05
_VOLUME_SHARE = 1.4
"""Relative height of the first panel: bars of volume and two lines."""
_PANEL_PX = 132
_MEANS = "yaxis9"
"""A second y axis for fitness and fatigue over the first panel, numbered after all panels."""


def draw_load_and_body(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """Four panels over the same days, shaded by illness, rest, travel and races."""
    load = data.load
    has_load = not data.lacks("sessions")
    if not (has_load and load.volume.any()) and not data.nights.recorded:
        say_none(page, choice, data, "sessions", "nights", otherwise="No sessions or nights in this range.")
        return
    sentences = (
        _panels_in_words(data),
        load.model.definition("Form (only in the table)") if has_load else "",
        _settling(load),
        _source(data),
    )
    draw_chart(
        partial(load_and_body_chart, load, data.nights, shades=data.circumstances),
        key="trends.load_and_body",
        says=" ".join(filter(None, sentences)),
        data=load_and_body_table(load, data.nights, has_load=has_load),
        formulas=formula_help.text_of(
            fitness_fatigue_form,
            weighted_load,
            window=f"each day of the range; the means start {LOAD_HISTORY_DAYS} days earlier.",
        ),
    )


def load_and_body_table(load: DailyLoad, nights: Nights, *, has_load: bool) -> pd.DataFrame:
    """The values of the panels by day, without those of a load that is not known."""
    of_load = {
        "Load": load.volume.round(1),
        load.model.fitness: load.frame[FITNESS].round(1),
        load.model.fatigue: load.frame[FATIGUE].round(1),
        "Form": load.frame[FORM].round(1),
    }
    of_nights = {
        HRV.heading: nights.in_range(nights.hrv_ms),
        RESTING.heading: nights.in_range(nights.resting_bpm),
        "Sleep (h)": (nights.in_range(nights.asleep_s) / 3600).round(2),
    }
    return pd.DataFrame({"Day": load.days} | (of_load if has_load else {}) | of_nights)


def _settling(load: DailyLoad) -> str:
    """Which days of the range have an unsettled load."""
    first, after = load.settling
    if not after:
        return ""
    days = f"{formats.day(load.days[first])[4:]} to {formats.day(load.days[after - 1])[4:]}"
    return f"Fitness, fatigue and form settle in from {days}: too early to judge them."


def _source(data: TrendsData) -> str:
    source = formats.load_source(data.load_methods)
    return f"Where the data service sends no load, it is {source}." if source else ""


def _panels_in_words(data: TrendsData) -> str:
    """The load, then recovery."""
    nights = data.nights
    ranged = " and ".join(
        name
        for name, row in (("HRV", nights.hrv_ms), ("resting heart rate", nights.resting_bpm))
        if nights.has(row)
    )
    of_body = [f"{ranged} (line: 7-day mean, band: normal range)"] if ranged else []
    of_body += ["sleep per night"] if nights.has(nights.asleep_s) else []
    of_load = [] if data.lacks("sessions") else ["load per day (bars) with fitness and fatigue"]
    words = "; ".join(of_load + of_body)
    is_unknown = data.lacks("nights") or notices.unreadable("sleeps", data.results)
    none = "" if of_body or is_unknown else "; no sleep recorded in this range"
    if len(of_load + of_body) > 1:
        return f"From top to bottom: {words}{none}."
    return f"{words[:1].upper()}{words[1:]}{none}."


def load_and_body_chart(load: DailyLoad, nights: Nights, *, shades: Sequence[Circumstance] = ()) -> go.Figure:
    """Panels over the same days: load with its averages, HRV, resting heart rate and sleep.

    Omits the first panel if the sessions are unknown.
    """
    figure = go.Figure()
    titles = []
    if not np.isnan(load.volume).all():
        titles.append("Daily load")
        _add_load(figure, load)
    for title, row, add in (
        (HRV.heading, nights.hrv_ms, partial(_add_recovery, field=HRV)),
        (RESTING.heading, nights.resting_bpm, partial(_add_recovery, field=RESTING)),
        ("Sleep (h)", nights.asleep_s, _add_asleep),
    ):
        if nights.has(row):
            titles.append(title)
            add(figure, nights, f"y{len(titles)}" if len(titles) > 1 else "y")
    for n, (title, domain) in enumerate(zip(titles, _domains(len(titles)), strict=True), start=1):
        axis = "yaxis" if n == 1 else f"yaxis{n}"
        figure.update_layout({axis: {"title": {"text": title}, "domain": domain, "anchor": "x"}})
    palette.layout(figure, height=80 + round(_PANEL_PX * (len(titles) - 1 + _VOLUME_SHARE)))
    figure.update_xaxes(anchor="free", position=0)
    figure.update_yaxes(nticks=4)
    if _MEANS in figure.layout:
        # A day's volume is several times its mean: on one scale the two lines would be flat at the bottom.
        figure.update_layout(
            {"yaxis": {"side": "right", "showgrid": False, "rangemode": "tozero"}, "margin": {"r": 56}}
        )
    figure = add_shades(dated(figure, load.days), shades)
    first, after = load.settling
    if after:
        figure.layout.shapes = [*figure.layout.shapes, day_band(load.days[first], load.days[after - 1])]
        figure.layout.annotations = [*figure.layout.annotations, settling_word(load.days[first])]
    return figure


def _domains(panels: int) -> list[list[float]]:
    """From the top down: low and high of each panel, as shares of the height."""
    unit = (1 - _GAP * (panels - 1)) / (panels - 1 + _VOLUME_SHARE)
    domains, top = [], 1.0
    for n in range(panels):
        low = top - unit * (_VOLUME_SHARE if n == 0 else 1.0)
        domains.append([max(low, 0.0), top])
        top = low - _GAP
    return domains


def _add_load(figure: go.Figure, load: DailyLoad) -> None:
    colour = palette.translucent(palette.quantity("load"), 0.45)
    add_daily(figure, load.days, load.volume, colour=colour, hover="%{y:.0f}", name="Load")
    for column, quantity, name in (
        (FITNESS, "fitness", f"{load.model.fitness} ({load.model.fitness_d:g} d)"),
        (FATIGUE, "fatigue", f"{load.model.fatigue} ({load.model.fatigue_d:g} d)"),
    ):
        values = load.frame[column].to_numpy()
        add_line(figure, load.days, values, quantity=quantity, hover="%{y:.0f}", name=name, yaxis="y9")
    title = f"{load.model.fitness}, {load.model.fatigue.lower()}"
    # Otherwise Plotly aligns the ticks with those of the volume, at 46.8 and 93.5.
    means = {"overlaying": "y", "rangemode": "tozero", "tickmode": "auto", "showgrid": True}
    figure.update_layout({_MEANS: {"title": {"text": title}} | means})


def _add_recovery(figure: go.Figure, nights: Nights, axis: str, *, field: NightField) -> None:
    _, line, low, high = recovery_rows(nights, field)
    # The panel's heading names the line.
    of_panel = {"yaxis": axis, "showlegend": False}
    add_normal_range(
        figure, nights.range_days, (low, high), colour=palette.quantity(field.colour), **of_panel
    )
    name = f"{field.title}, 7-day mean"
    add_line(figure, nights.range_days, line, quantity=field.colour, hover="%{y:.0f}", name=name, **of_panel)


def _add_asleep(figure: go.Figure, nights: Nights, axis: str) -> None:
    add_daily(
        figure,
        nights.range_days,
        nights.in_range(nights.asleep_s) / 3600,
        colour=palette.translucent(palette.quantity("light"), 0.6),
        hover="%{y:.1f} h",
        yaxis=axis,
        name="Sleep",
        showlegend=False,
    )
