"""Load beside the body on one time axis."""

import numpy as np
import pandas as pd

from coachboard.analytics.frames import FATIGUE, FITNESS, FORM
from coachboard.analytics.load import fitness_fatigue_form, weighted_load
from coachboard.analytics.nights import Nights
from coachboard.charts.load_and_body import load_and_body_chart
from coachboard.loaders.trends import LOAD_HISTORY_DAYS, TrendsData
from coachboard.views import formulas, notices
from coachboard.views.plot import draw_chart


def draw_load_and_body(data: TrendsData) -> None:
    """Four panels over the same days; illness, rest, travel and races shade them."""
    load, nights = data.load, data.nights
    if not load.volume.any() and not nights.recorded:
        notices.say_empty(
            "Neither sessions nor nights in these days.",
            fills="A longer range, or new recordings, fill this chart.",
        )
        return
    table = pd.DataFrame(
        {
            "Day": load.days,
            "Volume": load.volume.round(1),
            load.model.fitness: load.frame[FITNESS].round(1),
            load.model.fatigue: load.frame[FATIGUE].round(1),
            "Form": load.frame[FORM].round(1),
            "HRV (ms)": nights.shown(nights.hrv_ms),
            "Resting HR (bpm)": nights.shown(nights.resting_bpm),
            "Asleep (h)": (nights.shown(nights.asleep_s) / 3600).round(2),
        }
    )
    draw_chart(
        load_and_body_chart(load, nights, shades=data.circumstances),
        key="trends.load_and_body",
        says=f"Daily volume with its means{_recorded(nights)}. {load.model.says}",
        data=table,
        formulas=formulas.on_demand(
            fitness_fatigue_form,
            weighted_load,
            window=f"each day of the range; the means have been running since {LOAD_HISTORY_DAYS} days before it.",
        ),
    )


def _recorded(nights: Nights) -> str:
    """What of the body stands below the load, as far as it was recorded."""
    rows = {
        "HRV with its normal range": nights.hrv_ms,
        "resting heart rate with its normal range": nights.resting_bpm,
        "sleep": nights.asleep_s,
    }
    told = [words for words, row in rows.items() if not np.isnan(nights.shown(row)).all()]
    return "".join(f", {words}" for words in told) or "; no night was recorded in these days"
