"""Evaluate the rules of `flag_rules` for an athlete.

A flag has a value, its normal range, the days it has been active and the age of its newest data; with too little data it
says so and is not raised.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from math import isnan, nan

from coachboard.analytics.flags.athlete_days import AthleteDays
from coachboard.analytics.flags.flag_rules import RULES, FlagRule, Topic
from coachboard.plurals import digits_to_tell

_MOST_FAR = 3.0
_A_DAY = 0.05
_MOST_DAYS = 7
_FRESH_DAYS, _LEAST_FADED = 2, 0.8
_A_RACE_DAY = 0.03
_FURTHER, _FURTHER_SIGN = 0.2, 0.5
"""Factors of the severity of each further flag of a topic, and of recovery. Time over plan, form, load spike and monotony follow
from the same sessions, and missed plans lighten a plan too hard before an event: by half, a beginner who jogs too much came before an
athlete who coughs again. HRV, heart rate and sleep are measured apart. Coachboard's own."""
NOTE_BELOW = 0.6
"""A lower priority is worth a note, not a call: one flag at its limit, or an old note. A new injury is 0.6. Coachboard's own."""
RACE_NEAR_D = 14
"""An event that is today or at most so many days ahead. [days]"""


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
    far: float = nan  # distance of the value from normal, where the limit is 1
    urgency: float = 1.0
    limit: float = nan  # the value from which the rule raises the flag for this athlete
    due: date | None = None  # the day of the planned session that the flag is about

    @property
    def severity(self) -> float:
        """Weight of the rule × urgency × how far × how long."""
        return self.rule.weight * self.urgency * self.distance * self.days_factor

    @property
    def distance(self) -> float:
        """How far the value is from normal, where the limit is 1; at most 3, and 1 where the rule measures nothing."""
        return 1.0 if isnan(self.far) else min(max(self.far, 1.0), _MOST_FAR)

    @property
    def days_factor(self) -> float:
        """The factor of the days active; of a note, of the days since it beyond the first `_FRESH_DAYS`."""
        if self.rule.fades:
            return max(1 - _A_DAY * max((self.age_d or 0) - _FRESH_DAYS, 0), _LEAST_FADED)
        return 1 + _A_DAY * min(max(self.days_standing - 1, 0), _MOST_DAYS)

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
    >>> import numpy as np
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
        far=reading.far,
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


def priority(flags: Iterable[Flag], *, race_in_d: int | None = None) -> float:
    """Priority of an athlete: the order of the list of athletes who need attention.

    Parameters
    ----------
    flags : iterable of Flag
        Of one athlete.
    race_in_d : int, optional
        Days until the next event or workout planned as a race. [days]

    Returns
    -------
    float
        0 without a raised flag.

    Notes
    -----
    Coachboard's own. Severity of a flag: weight of its rule × how far × how long. How far: the distance of the value
    from normal, where the distance of the rule's limit is 1; at least 1, at most 3. Normal is the athlete's mean for HRV,
    resting heart rate and sleep, 100 % for time over plan, 1 for the acute:chronic ratio, 5 for the feel score, and 0 for the
    others; a hard session counts its strongest sign, a note always 1, a plan too hard before an event 1.3 with two signs. How long: 1 + 0.05 for each day after the first, at most 7;
    a medical note falls instead, 1 − 0.05 for each day after its second, at least 0.8, since the coach knows of it.
    An illness noted in the last 3 days × 5, since training while ill can cost weeks, and a crash or possible fracture of these
    days with any session today or tomorrow. An injury with a hard session of today or tomorrow in the sport that loads the part
    (running a leg, swimming a shoulder) × 4. Any other illness or injury × 2.5 with a hard session today or tomorrow (for an injury in a sport not done since), an injury
    with an easy session that loads the part, and an illness with a hard session since its first note. Time over plan × 1.5
    after a first poor night, a plan that only lacks a taper or is too hard for a weekly race × 0.6, missed sessions × 3 from half of the planned time on, unless the time done is
    0 or 80 % of the usual or more.

    How many: within a topic the most severe flag counts in full and each further one by a fifth, those of recovery by half, since
    they share a cause; a supporting flag is no topic of its own. Topics add up. How close the event: + 3 % for each day that it is nearer than
    15 days.

    *Missing data*: a rule without enough data counts nothing.

    *Worked example*: a 7-day HRV of 50 ms with a mean of 62 and a limit of 56 is twice as far as the limit: 0.5 × 2 on the first
    day, 0.5 × 2 × 1.1 on the third; × 1.24 with an event in 7 days.

    Examples
    --------
    >>> priority([])
    0.0
    """
    return sum(factor * flag.severity for factor, flag in counted(flags)) * race_factor(race_in_d)


def race_factor(race_in_d: int | None) -> float:
    """The factor of an event that is so many days ahead; 1 beyond `RACE_NEAR_D`."""
    if race_in_d is None or not 0 <= race_in_d <= RACE_NEAR_D:
        return 1.0
    return 1 + _A_RACE_DAY * (RACE_NEAR_D + 1 - race_in_d)


def counted(flags: Iterable[Flag]) -> list[tuple[float, Flag]]:
    """The raised flags that count, each with its factor: 1 for the most severe of a topic, less for its further ones.

    A supporting flag counts with another flag only, and never as the first of a topic: a load spike after an illness put an athlete
    with a cold above one who was overreached and ill.
    """
    found: list[tuple[float, Flag]] = []
    topics: set[Topic] = set()
    for flag in raised(flags):
        topic = flag.rule.topic
        if topic not in topics and not flag.rule.is_supporting:
            topics.add(topic)
            found.append((1.0, flag))
        elif topics:
            found.append((_FURTHER_SIGN if topic is Topic.RECOVERY else _FURTHER, flag))
    return found
