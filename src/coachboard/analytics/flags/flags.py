"""Evaluate the rules of `flag_rules` for an athlete.

A flag has a value, its normal range, the days it has been active and the age of its newest data; with too little data it
says so and is not raised.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from math import isnan, nan

import numpy as np

from coachboard.analytics.flags.flag_readings import AthleteDays
from coachboard.analytics.flags.flag_rules import RULES, FlagRule, Topic
from coachboard.plurals import digits_to_tell

_MOST_FAR_SD = 3.0
_A_DAY = 0.05
_MOST_DAYS = 7
_A_RACE = 0.25
_FURTHER = 0.5
"""Factor of the severity of each further flag of a topic."""
_A_TOPIC = 0.25
RACE_NEAR_D = 14
"""A race that is today or at most so many days ahead. [days]"""


class Standing(StrEnum):
    """The outcome of a rule."""

    RAISED = "raised"
    CLEAR = "clear"
    TOO_LITTLE_DATA = "not enough data"


@dataclass(frozen=True, slots=True)
class Flag:
    """The result of a rule for an athlete."""

    rule: FlagRule
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
    deviations: float = nan  # distance from the athlete's mean towards poor, in the athlete's SDs
    urgency: float = 1.0
    limit: float = nan  # the value from which the rule raises the flag for this athlete
    due: date | None = None  # the day of the planned session that the flag is about

    @property
    def severity(self) -> float:
        """Weight of the rule × urgency × the distance of the value in SD, raised by the days active."""
        far = 1.0 if isnan(self.deviations) else min(max(self.deviations, 1.0), _MOST_FAR_SD)
        long = min(max(self.days_standing - 1, 0), _MOST_DAYS)
        return self.rule.weight * self.urgency * far * (1 + _A_DAY * long)

    def digits(self, least: int) -> int:
        """Digits that tell the value from the bound and the limit that it has passed."""
        normal = digits_to_tell(self.value, self.low, self.high, least)
        return max(normal, digits_to_tell(self.value, self.limit, self.limit, least))

    @property
    def is_raised(self) -> bool:
        """Whether the athlete needs attention."""
        return self.standing is Standing.RAISED


def evaluate(athlete: AthleteDays, thresholds: Mapping[str, float] | None = None) -> tuple[Flag, ...]:
    """Check every rule for one athlete.

    Parameters
    ----------
    athlete : AthleteDays
        The athlete's last days.
    thresholds : mapping of rule id to float, optional
        Thresholds that differ from the table's.

    Returns
    -------
    tuple of Flag
        One a rule, in the order of the table; supporting rules are clear unless another rule is raised.

    Notes
    -----
    Each rule compares a reading of the days with its threshold; the formulas of the readings are in the formula
    sheet. A supporting rule is clear unless another rule is raised.

    *Missing data*: a rule without enough nights or sessions is not judged, and its reason is shown.

    *Worked example*: sleep of 8 h in most nights and 5 h in the last 3, limit 6.5 h: the flag Short sleep is
    raised.

    Examples
    --------
    >>> none = np.full(70, np.nan)
    >>> asleep_h = np.array([8.0, 7.5] * 33 + [8.0, 5.0, 5.0, 5.0])
    >>> nights = AthleteDays(date(2026, 3, 1), np.zeros(70), np.zeros(70), none, none, asleep_h, none)
    >>> [flag.rule.title for flag in evaluate(nights) if flag.rule.id == "sleep_short" and flag.is_raised]
    ['Short sleep']
    """
    chosen = {rule.id: rule.threshold for rule in RULES} | dict(thresholds or {})
    found = [_flag(rule, athlete, chosen[rule.id]) for rule in RULES]
    if any(map(_counts_alone, found)):
        return tuple(found)
    return tuple(_quiet(flag) if flag.rule.is_supporting else flag for flag in found)


def with_threshold(
    flags: Iterable[Flag], athlete: AthleteDays, rule_id: str, threshold: float
) -> tuple[Flag, ...]:
    """The evaluated flags of an athlete after a change of one threshold.

    Reads the changed rule, and the supporting rules only if the change decides whether they show: all rules take 17 ms
    per athlete, a second for a squad of 60.
    """
    before = tuple(flags)
    found = [_flag(flag.rule, athlete, threshold) if flag.rule.id == rule_id else flag for flag in before]
    if not any(map(_counts_alone, found)):
        return tuple(_quiet(flag) if flag.rule.is_supporting else flag for flag in found)
    if any(map(_counts_alone, before)):
        return tuple(found)
    return tuple(
        _flag(flag.rule, athlete, flag.threshold) if flag.rule.is_supporting else flag for flag in found
    )


def _counts_alone(flag: Flag) -> bool:
    """Whether the flag is raised without help of others, so that supporting rules may show next to it."""
    return flag.is_raised and not (flag.rule.is_supporting or flag.rule.is_todo)


def _flag(rule: FlagRule, athlete: AthleteDays, threshold: float) -> Flag:
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
        deviations=reading.deviations,
        urgency=reading.urgency,
        limit=reading.limit,
        due=reading.due,
    )


def _quiet(flag: Flag) -> Flag:
    if not flag.is_raised:
        return flag
    return replace(flag, standing=Standing.CLEAR, days_standing=0)


def raised(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    """Raised flags, most serious first and supporting ones last; to-dos are no flags.

    Supporting rules follow: the roster named high monotony as the reason where two missed sessions raised the flag.
    """
    found = (flag for flag in flags if flag.is_raised and not flag.rule.is_todo)
    return tuple(sorted(found, key=lambda flag: (flag.rule.is_supporting, -flag.severity)))


def todos(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    """Raised rules that ask the coach for an organisational task, such as the next plan."""
    return tuple(flag for flag in flags if flag.is_raised and flag.rule.is_todo)


def concern(flags: Iterable[Flag], *, race_in_d: int | None = None) -> float:
    """Severity of an athlete: the order of the list of athletes who need attention.

    Parameters
    ----------
    flags : iterable of Flag
        Of one athlete.
    race_in_d : int, optional
        Days until the next race. [days]

    Returns
    -------
    float
        0 without a raised flag.

    Notes
    -----
    Coachboard's own. Severity of a flag: weight of its rule × distance from the athlete's mean in standard deviations (at
    least 1, at most 3) × (1 + 0.05 for each further day, at most 7); an illness noted in the last 3 days × 6, since training while ill
    can cost weeks. Within a topic the most severe flag counts in full and each further one by half, since they share a
    cause; a supporting flag is no topic of its own. Topics add up and grow by a quarter for each further topic, because
    poor recovery under a rising load is worse than either alone. A race within 14 days adds a quarter.

    Examples
    --------
    >>> concern([])
    0.0
    """
    parts = [severities[0] + _FURTHER * sum(severities[1:]) for severities in topic_severities(flags)]
    is_race_near = race_in_d is not None and 0 <= race_in_d <= RACE_NEAR_D
    race = 1 + _A_RACE if is_race_near else 1.0
    return float(np.sum(parts) * topics_factor(len(parts)) * race) if parts else 0.0


def topics_factor(topics: int) -> float:
    """The factor of the sum of so many topics."""
    return 1 + _A_TOPIC * (topics - 1)


def topic_severities(flags: Iterable[Flag]) -> list[list[float]]:
    """Severities of the raised flags of each topic, highest first.

    Supporting flags follow in their topic, or in that of the most severe flag: a load spike after an illness put an
    athlete with a cold above one who was overreached and ill.
    """
    found = raised(flags)
    by_topic: dict[Topic, list[float]] = {}
    for flag in found:
        if not flag.rule.is_supporting:
            by_topic.setdefault(flag.rule.topic, []).append(flag.severity)
    for flag in found:
        if flag.rule.is_supporting and by_topic:
            topic = flag.rule.topic if flag.rule.topic in by_topic else next(iter(by_topic))
            by_topic[topic].append(flag.severity)
    return list(by_topic.values())
