"""The numbers that pages explain: title, unit and source of each, with the text of its function, so that it matches the code."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import getdoc
from types import MappingProxyType
from typing import Any

from coachboard.execution.adherence import match_sessions, shift
from coachboard.execution.compliance import by_work_steps, compliance
from coachboard.execution.feasibility import feasibility
from coachboard.execution.forecast import expected_load
from coachboard.execution.score import execution_score
from coachboard.execution.swim_sets import swim_score
from coachboard.execution.weeks import week_totals
from coachboard.execution.work_steps import level_load
from coachboard.flags.engine import RULES, evaluate, priority
from coachboard.flags.morning import morning_verdict
from coachboard.formulas.recovery import hrv, sleep
from coachboard.formulas.recovery.baseline import own_normal, trailing_mean
from coachboard.formulas.recovery.circumstances import circumstances, offset_shifts
from coachboard.formulas.recovery.main_sleep import day_sleeps, read_row
from coachboard.formulas.recovery.metric_lines import changes_pct, latest_per_kilo, metric_lines
from coachboard.formulas.recovery.metric_series import metric_series
from coachboard.formulas.season.durability import change_pct, durability_slope, power_by_work
from coachboard.formulas.season.intensity_distribution import (
    polarization_index,
    polarization_trend,
    zones_by_session,
    zones_by_time,
)
from coachboard.formulas.season.load import fitness_fatigue_form, week_load, weighted_load
from coachboard.formulas.season.monotony import acute_chronic_ratio, rolling_monotony, strain
from coachboard.formulas.season.phases import season_phases
from coachboard.formulas.season.relation import relation
from coachboard.formulas.season.repeated_climbs import fastest, repeated_climbs
from coachboard.formulas.season.season_outlook import race_day
from coachboard.formulas.session.breakpoint import breakpoint_of
from coachboard.formulas.session.decoupling import decoupling, efficiency_factor
from coachboard.formulas.session.estimated_power import estimated_power
from coachboard.formulas.session.grade import grade_adjusted_speed, grade_pct
from coachboard.formulas.session.mean_maximal import highest_of, holders_of, mean_maximal
from coachboard.formulas.session.power import normalized_power, power_ratio, power_vs_mean_w
from coachboard.formulas.session.selection import (
    adjusted_speed_mps,
    mean_by_effort,
    moving_speed_mps,
    rate_per_h,
    weighted_mean,
)
from coachboard.formulas.session.session_load import power_load
from coachboard.formulas.session.smoothing import compared_mean
from coachboard.formulas.session.summary_load import summary_load
from coachboard.formulas.session.zones import distribution, time_between

_MARK = re.compile(r"\*(Missing data|Worked example)\*:\s*")
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_UNIT = re.compile(r"\s*\[[^\]]+\]\.")
"""The unit at the end of a summary, for readers of the code: the sheet has a field for it."""

OWN_SOURCE = "Coachboard's own"

_NUMBERS: Mapping[str, Mapping[Callable[..., Any], tuple[str, str]]] = MappingProxyType(
    {
        "Session": {
            moving_speed_mps: ("Speed and pace", "km/h, min/km"),
            adjusted_speed_mps: ("Grade-adjusted pace of a section", "min/km"),
            grade_adjusted_speed: ("Grade-adjusted pace", "min/km"),
            grade_pct: ("Grade", "%"),
            normalized_power: ("Normalized power", "W"),
            power_ratio: ("Intensity factor and variability index", "none"),
            mean_maximal: ("Best efforts", "W, min/km"),
            highest_of: ("Best of several sessions", "W, min/km"),
            holders_of: ("Sessions that hold the bests", "sessions"),
            decoupling: ("Decoupling", "%"),
            efficiency_factor: ("Efficiency factor", "W per beat, m per beat"),
            estimated_power: ("Estimated power", "W"),
            power_load: ("Load by power", "points"),
            summary_load: ("Computed load", "points"),
            distribution: ("Time at each value", "h:min"),
            time_between: ("Time in bands", "h:min"),
            weighted_mean: ("Mean over time", "that of the column"),
            rate_per_h: ("Rate per hour", "that of the column, per hour"),
            mean_by_effort: ("Mean by effort", "that of the sensor"),
            breakpoint_of: ("Breakpoint", "W, min/km"),
            compared_mean: ("Difference to the other session", "that of the column"),
            power_vs_mean_w: ("Power vs the mean of similar laps", "W"),
        },
        "Plan": {
            by_work_steps: ("Compliance", "%"),
            execution_score: ("Score of the work steps", "%"),
            swim_score: ("Score of a swim", "%"),
            compliance: ("Compliance by totals", "%"),
            match_sessions: ("Pairs of plan and session", "sessions"),
            shift: ("Shift of moved sessions", "days"),
            level_load: ("Load by steps", "points"),
            feasibility: ("W′ left after each step", "kJ"),
            expected_load: ("Expected load", "points a day"),
            week_totals: ("Totals of a week", "h, km, points, sessions"),
        },
        "Season": {
            fitness_fatigue_form: ("Fitness, fatigue and form", "points a day"),
            weighted_load: ("Weighted load", "points a day"),
            week_load: ("Load, 7 days", "points"),
            acute_chronic_ratio: ("Acute:chronic ratio", "none"),
            rolling_monotony: ("Monotony", "none"),
            strain: ("Strain", "points"),
            season_phases: ("Training phases", "weeks"),
            race_day: ("Form on race day", "points a day"),
            zones_by_time: ("Time in zones", "%"),
            zones_by_session: ("Zones of a session", "%"),
            polarization_index: ("Polarization index", "none"),
            polarization_trend: ("Polarization index over 28 days", "none"),
            power_by_work: ("Power after prior work", "W"),
            change_pct: ("Change after prior work", "%"),
            durability_slope: ("Durability", "% per 10 kJ/kg"),
            repeated_climbs: ("Repeated climbs", "climbs"),
            fastest: ("Fastest ascent", "m/h"),
            relation: ("Correlation", "none, −1 to 1"),
        },
        "Recovery": {
            morning_verdict: ("Verdict on the morning", "none"),
            own_normal: ("Normal range", "that of the value"),
            trailing_mean: ("Mean of the last days", "that of the value"),
            hrv.seven_day_line: ("7-day mean of HRV", "ms"),
            hrv.normal_range: ("Normal range of HRV", "ms"),
            hrv.coefficient_of_variation_pct: ("Coefficient of variation", "%"),
            read_row: ("Time asleep", "h"),
            day_sleeps: ("Main sleep and naps", "h"),
            sleep.debt_h: ("Sleep debt", "h"),
            sleep.efficiency_pct: ("Sleep efficiency", "%"),
            sleep.mid_sleep_h: ("Mid-sleep", "time of day"),
            sleep.circular_deviation_h: ("Regularity of a time of day", "h"),
            sleep.social_jet_lag: ("Social jet lag", "h"),
            offset_shifts: ("Changes of the clock", "min"),
            circumstances: ("Circumstances of a trend", "days"),
            metric_series: ("Change of a metric in four weeks", "that of the metric"),
            metric_lines: ("Metrics in a range", "that of the metric"),
            latest_per_kilo: ("Power per kilogram", "W/kg"),
            changes_pct: ("Change since the first value", "%"),
        },
        "Flag": {
            evaluate: ("When a flag is raised", "none"),
            priority: ("Order of athletes", "none"),
        },
    }
)
"""Title and unit of each explained number, by topic. A flag rule has both in its record."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A number in words for coaches."""

    topic: str
    title: str
    says: str  # the meaning of the number
    notes: str  # the formula
    unit: str
    missing_data: str  # the excluded data
    example: str  # a doctest of the function has the same numbers
    source: str

    @property
    def name(self) -> str:
        return f"{self.topic}: {self.title}"


@cache
def formula_sheet() -> tuple[Formula, ...]:
    """All explained numbers, then the flag rules, by topic and title."""
    explained = [*_TITLES, *(rule.read for rule in RULES)]
    return tuple(sorted(map(formula_of, explained), key=lambda formula: formula.name))


def formula_of(function: Callable[..., Any]) -> Formula:
    """The number that a function computes; raises `KeyError` for one without a title."""
    head, sections = sections_of(getdoc(function) or "")
    notes, *marked = _MARK.split(sections.get("Notes", ""))
    parts = dict(zip(marked[::2], marked[1::2], strict=True))
    sentence, method = _UNIT.sub(".", _one_line(head)), notes.strip()
    rule = next((rule for rule in RULES if rule.read is function), None)
    if rule is None:
        topic, title, unit = _TITLES[function]
        source = _one_line(sections.get("References", "")) or OWN_SOURCE
    else:
        topic, title, unit, source = "Flag", rule.title, rule.unit or "none", rule.source
        sentence, method = f"{rule.sentence()}.", "\n\n".join(part for part in (sentence, method) if part)
    return Formula(
        topic=topic,
        title=title,
        says=sentence,
        notes=method,
        unit=unit,
        missing_data=" ".join(
            text for text in (sections.get("Missing data"), parts.get("Missing data", "").strip()) if text
        ),
        example=parts.get("Worked example", "").strip(),
        source=source,
    )


_TITLES = {
    function: (topic, title, unit)
    for topic, numbers in _NUMBERS.items()
    for function, (title, unit) in numbers.items()
}


def sections_of(doc: str) -> tuple[str, dict[str, str]]:
    """The text before the first heading, and the text under each heading."""
    parts = _SECTION.split(doc)
    return parts[0].strip(), {parts[place]: parts[place + 1].strip() for place in range(1, len(parts) - 1, 2)}


def _one_line(text: str) -> str:
    return " ".join(text.split())
