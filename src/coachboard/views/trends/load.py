"""Load and recovery on one time axis."""

from functools import partial

import numpy as np
import pandas as pd

from coachboard.analytics.frames import FATIGUE, FITNESS, FORM
from coachboard.analytics.season.load import fitness_fatigue_form, weighted_load
from coachboard.charts.load_and_body import load_and_body_chart
from coachboard.loaders.trends.page_data import LOAD_HISTORY_DAYS, TrendsData
from coachboard.views.frame import formats, notices
from coachboard.views.frame.own_data import say_empty
from coachboard.views.frame.page import Page
from coachboard.views.trends.opening import TrendsChoice
from coachboard.views.trends.unread import say_unread
from coachboard.views.widgets import formulas
from coachboard.views.widgets.plot import draw_chart


def draw_load_and_body(page: Page, choice: TrendsChoice, data: TrendsData) -> None:
    """Four panels over the same days, shaded by illness, rest, travel and races."""
    load, nights = data.load, data.nights
    has_load = not data.lacks("sessions")
    if not (has_load and load.volume.any()) and not nights.recorded:
        if say_unread(data, "sessions", "nights"):
            return
        say_empty(
            page, choice.athlete.id, "No sessions or nights in this range.", fills="Choose a longer one."
        )
        return
    of_load = {
        "Load": load.volume.round(1),
        load.model.fitness: load.frame[FITNESS].round(1),
        load.model.fatigue: load.frame[FATIGUE].round(1),
        "Form": load.frame[FORM].round(1),
    }
    table = pd.DataFrame(
        {
            "Day": load.days,
            **(of_load if has_load else {}),
            "HRV (ms)": nights.shown(nights.hrv_ms),
            "Resting heart rate (bpm)": nights.shown(nights.resting_bpm),
            "Sleep (h)": (nights.shown(nights.asleep_s) / 3600).round(2),
        }
    )
    draw_chart(
        partial(load_and_body_chart, load, nights, shades=data.circumstances),
        key="trends.load_and_body",
        says=" ".join(
            part
            for part in (
                _shown(data),
                load.model.definition("Form (only in the table)") if has_load else "",
                _settling(data),
                _source(data),
            )
            if part
        ),
        data=table,
        formulas=formulas.on_demand(
            fitness_fatigue_form,
            weighted_load,
            window=f"each day of the range; the means start {LOAD_HISTORY_DAYS} days earlier.",
        ),
    )


def _settling(data: TrendsData) -> str:
    """Which of the shown days have an unsettled load."""
    first, after = data.load.settling
    if not after:
        return ""
    days = f"{formats.day(data.load.days[first])[4:]} to {formats.day(data.load.days[after - 1])[4:]}"
    return f"Fitness, fatigue and form settle in from {days}: too early to judge them."


def _source(data: TrendsData) -> str:
    source = formats.load_source(data.load_methods)
    return f"Where the data service sends no load, it is {source}." if source else ""


def _shown(data: TrendsData) -> str:
    """The panels in words: the load, then recovery."""
    nights = data.nights
    rows = {"HRV": nights.hrv_ms, "resting heart rate": nights.resting_bpm, "sleep": nights.asleep_s}
    recorded = [name for name, row in rows.items() if not np.isnan(nights.shown(row)).all()]
    ranged = " and ".join(name for name in recorded if name != "sleep")
    of_body = [f"{ranged} (line: 7-day mean, band: normal range)"] if ranged else []
    of_body += ["sleep per night"] if "sleep" in recorded else []
    of_load = [] if data.lacks("sessions") else ["load per day (bars) with fitness and fatigue"]
    words = "; ".join(of_load + of_body)
    is_unknown = data.lacks("nights") or notices.unreadable("sleeps", data.results)
    none = "" if of_body or is_unknown else "; no sleep recorded in this range"
    return (
        f"From top to bottom: {words}{none}."
        if len(of_load + of_body) > 1
        else f"{words[:1].upper()}{words[1:]}{none}."
    )
