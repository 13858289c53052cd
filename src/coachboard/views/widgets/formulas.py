"""Help text of numbers: the time window, and from the function's docstring formula, excluded data and an example."""

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from coachboard.flags.engine import RULES
from coachboard.loaders.settings.formula_sheet import Formula, formula_of
from coachboard.views.frame.text import md

_TITLES = MappingProxyType(
    {
        "acute_chronic_ratio": "Acute:chronic ratio",
        "breakpoint_of": "Breakpoint",
        "change_pct": "Change",
        "changes_pct": "Change since the first value",
        "circular_deviation_h": "Regularity of a time of day",
        "coefficient_of_variation_pct": "Coefficient of variation",
        "compliance": "Compliance by totals",
        "day_sleeps": "Main sleep and naps",
        "debt_h": "Sleep debt",
        "efficiency_pct": "Sleep efficiency",
        "evaluate": "Flags",
        "difference": "Difference to the other session",
        "fastest": "Fastest ascent",
        "grade_pct": "Grade",
        "highest_of": "Best of several sessions",
        "holders_of": "Sessions that hold the bests",
        "match_sessions": "Pairs of plan and session",
        "level_load": "Load by steps",
        "mean_by_effort": "Mean by effort",
        "mean_maximal": "Best efforts",
        "moving_speed_mps": "Speed and pace",
        "summary_load": "Computed load",
        "mid_sleep_h": "Mid-sleep",
        "morning_verdict": "Verdict on the morning",
        "offset_shifts": "Changes of the clock",
        "own_normal": "Normal range",
        "power_vs_mean_w": "Power vs the mean of similar laps",
        "power_ratio": "Intensity factor and variability index",
        "race_day": "Form on race day",
        "rate_per_h": "Rate per hour",
        "read_row": "Time asleep",
        "relation": "Correlation",
        "rolling_monotony": "Monotony",
        "seven_day_line": "7-day mean of HRV",
        "shift": "Shift of moved sessions",
        "step_state": "Outcome of a step",
        "swim_score": "Score of a swim",
        "season_phases": "Training phases",
        "time_between": "Time in bands",
        "trailing_mean": "Mean of the last days",
        "by_work_steps": "Compliance",
        "week_load": "Load, 7 days",
        "week_totals": "Totals of a week",
        "weighted_mean": "Mean over time",
        "execution_score": "Score of the work steps",
        "zones_by_session": "Zones of a session",
        "zones_by_time": "Time in zones",
    }
    | {rule.read.__name__: rule.title for rule in RULES}
)
"""Titles of functions whose names are no title: the help called a rule "Hrv low"."""
_UNIT = re.compile(r"\. \[([^\]]+)\]\.")
_CODE_MARKS = re.compile(r"``?")


def on_demand(*functions: Callable[..., Any], window: str) -> str:
    """For `help=`: the window first, then each formula with its source."""
    return "\n\n".join(
        [f"**Window:** {md(window)}", *(_text_of(formula_of(function)) for function in functions)]
    )


def _text_of(formula: Formula) -> str:
    says = _UNIT.sub(r" (\1).", _one_line(formula.says))
    text = " ".join(part for part in (says, _one_line(formula.notes)) if part)
    title = _TITLES.get(formula.name.replace(" ", "_"), formula.name.capitalize())
    parts = [f"**{md(title)}:** {md(text)}"]
    parts += [
        f"**{name}:** {md(_sentence(part))}"
        for name, part in (("Missing data", formula.missing_data), ("Worked example", formula.example))
        if part
    ]
    source = f" *{md(_one_line(formula.references))}*" if formula.references else ""
    return " ".join(parts) + source


def _sentence(text: str) -> str:
    line = _one_line(text)
    return line[:1].upper() + line[1:]


def _one_line(text: str) -> str:
    return " ".join(_CODE_MARKS.sub("", text).split())
