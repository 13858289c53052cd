"""Who needs a look: the rules of `flag_rules` read against the athlete's own normal.

A flag gives a value, the normal it stands against, for how many days it has stood and how old its newest
data are; too little data says so instead of raising anything.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

import numpy as np

from coachboard.analytics.flag_readings import AthleteDays
from coachboard.analytics.flag_rules import RULES, Rule, Topic


class Standing(StrEnum):
    """What came of a rule."""

    RAISED = "raised"
    CLEAR = "clear"
    TOO_LITTLE_DATA = "not enough data"


@dataclass(frozen=True, slots=True)
class Flag:
    """What one rule found for one athlete."""

    rule: Rule
    standing: Standing
    threshold: float
    value: float
    low: float
    high: float
    days_standing: int
    as_of: date | None
    age_d: int | None
    shortage: str = ""
    detail: str = ""

    @property
    def is_raised(self) -> bool:
        """Whether it says that somebody should look."""
        return self.standing is Standing.RAISED


def evaluate(athlete: AthleteDays, thresholds: Mapping[str, float] | None = None) -> tuple[Flag, ...]:
    """Check every rule for one athlete.

    Parameters
    ----------
    athlete : AthleteDays
        What is known of the athlete's last days.
    thresholds : mapping of rule id to float, optional
        Thresholds that differ from the table's.

    Returns
    -------
    tuple of Flag
        One a rule, in the order of the table; supporting rules are clear unless another rule is raised.
    """
    chosen = {rule.id: rule.threshold for rule in RULES} | dict(thresholds or {})
    found = [_flag(rule, athlete, chosen[rule.id]) for rule in RULES]
    if any(flag.is_raised and not flag.rule.is_supporting for flag in found):
        return tuple(found)
    return tuple(_quiet(flag) if flag.rule.is_supporting else flag for flag in found)


def _flag(rule: Rule, athlete: AthleteDays, threshold: float) -> Flag:
    reading = rule.read(athlete, threshold)
    standing = Standing.RAISED if reading.is_raised else Standing.CLEAR
    if reading.shortage:
        standing = Standing.TOO_LITTLE_DATA
    return Flag(
        rule=rule,
        standing=standing,
        threshold=threshold,
        value=reading.value,
        low=reading.low,
        high=reading.high,
        days_standing=reading.days_standing if standing is Standing.RAISED else 0,
        as_of=reading.as_of,
        age_d=(athlete.today - reading.as_of).days if reading.as_of else None,
        shortage=reading.shortage,
        detail=reading.detail,
    )


def _quiet(flag: Flag) -> Flag:
    if not flag.is_raised:
        return flag
    return replace(flag, standing=Standing.CLEAR, days_standing=0)


def raised(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    """Raised flags, most serious first."""
    return tuple(sorted((flag for flag in flags if flag.is_raised), key=lambda flag: -flag.rule.weight))


def concern(flags: Iterable[Flag]) -> float:
    """Priority of an athlete: the combined weight of raised flags.

    Parameters
    ----------
    flags : iterable of Flag
        Of one athlete.

    Returns
    -------
    float
        0 without a raised flag.

    Notes
    -----
    Coachboard's own. Within a topic the most serious flag counts in full, each further one by a quarter, since they share
    one thing; across topics they add up and grow by half for each further topic, since poor recovery under a
    rising load is worse than the two apart.
    """
    by_topic: dict[Topic, list[float]] = {}
    for flag in raised(flags):
        by_topic.setdefault(flag.rule.topic, []).append(flag.rule.weight)
    parts = [weights[0] + 0.25 * sum(weights[1:]) for weights in by_topic.values()]
    return float(np.sum(parts) * (1 + 0.5 * (len(parts) - 1))) if parts else 0.0
