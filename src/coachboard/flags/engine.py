"""Evaluate the flag rules for an athlete, and order athletes by their flags."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from importlib import import_module
from pkgutil import iter_modules

from coachboard.flags import rules
from coachboard.flags.athlete_days import AthleteDays
from coachboard.flags.flag import Flag, FlagRule, Reading, Topic

_A_RACE_DAY = 0.03
_FURTHER, _FURTHER_SIGN = 0.2, 0.5
"""Factors of the severity of each further flag of a topic, and of recovery. Time over plan, form, load spike and monotony follow
from the same sessions, and missed plans lighten a plan too hard before an event: by half, a beginner who jogs too much came before an
athlete who coughs again. HRV, heart rate and sleep are measured apart. Coachboard's own."""
NOTE_BELOW = 0.6
"""A lower priority is worth a note, not a call: one flag at its limit, or an old note. A new injury is 0.6. Coachboard's own."""
RACE_NEAR_D = 14
"""An event that is today or at most so many days ahead. [days]"""


def _rules() -> Iterable[FlagRule]:
    for module in iter_modules(rules.__path__, f"{rules.__name__}."):
        yield import_module(module.name).RULE


RULES: tuple[FlagRule, ...] = tuple(
    sorted(_rules(), key=lambda rule: (rule.is_todo, rule.is_supporting, -rule.weight, rule.title))
)
"""The rule of each file: the heaviest first, then those that only support others, then to-dos."""
RULES_BY_ID: Mapping[str, FlagRule] = {rule.id: rule for rule in RULES}


def evaluate(athlete: AthleteDays, thresholds: Mapping[str, float] | None = None) -> tuple[Flag, ...]:
    """Check every rule for one athlete.

    Parameters
    ----------
    athlete : AthleteDays
        The athlete's last days.
    thresholds : mapping of rule id to float, optional
        Thresholds that differ from the rules'.

    Returns
    -------
    tuple of Flag
        One a rule, in the order of `RULES`; supporting rules are clear unless another rule is raised.

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
    >>> from datetime import date
    >>> none = np.full(70, np.nan)
    >>> asleep_h = np.array([8.0, 7.5] * 33 + [8.0, 5.0, 5.0, 5.0])
    >>> nights = AthleteDays(date(2026, 3, 1), np.zeros(70), np.zeros(70), none, none, asleep_h, none)
    >>> [flag.rule.title for flag in evaluate(nights) if flag.rule.id == "sleep_short" and flag.is_raised]
    ['Short sleep']
    """
    chosen = {rule.id: rule.threshold for rule in RULES} | dict(thresholds or {})
    flags = tuple(_flag(rule, athlete, chosen[rule.id]) for rule in RULES)
    return flags if any(map(_counts_alone, flags)) else _without_supporting(flags)


def with_threshold(
    flags: Iterable[Flag], athlete: AthleteDays, rule_id: str, threshold: float
) -> tuple[Flag, ...]:
    """The evaluated flags of an athlete after a change of one threshold.

    Reads the changed rule, and the supporting rules only if the change decides whether they show: all rules take 17 ms
    per athlete, a second for a squad of 60.
    """
    before = tuple(flags)
    after = tuple(
        _flag(flag.rule, athlete, threshold) if flag.rule.id == rule_id else flag for flag in before
    )
    if not any(map(_counts_alone, after)):
        return _without_supporting(after)
    if any(map(_counts_alone, before)):
        return after
    return tuple(
        _flag(flag.rule, athlete, flag.threshold) if flag.rule.is_supporting else flag for flag in after
    )


def _counts_alone(flag: Flag) -> bool:
    """Whether the flag is raised without help of others, so that supporting rules may show next to it."""
    return flag.is_raised and not (flag.rule.is_supporting or flag.rule.is_todo)


def _flag(rule: FlagRule, athlete: AthleteDays, threshold: float) -> Flag:
    reading = rule.read(athlete, threshold)
    values = {field.name: getattr(reading, field.name) for field in fields(Reading)}
    age_d = (athlete.today - reading.as_of).days if reading.as_of else None
    return Flag(rule=rule, threshold=threshold, age_d=age_d, **values)


def _without_supporting(flags: tuple[Flag, ...]) -> tuple[Flag, ...]:
    return tuple(
        replace(flag, is_raised=False) if flag.rule.is_supporting and flag.is_raised else flag
        for flag in flags
    )


def raised(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    """Raised flags, most serious first and supporting ones last; to-dos are no flags.

    Supporting rules follow: the roster named high monotony as the reason where two missed sessions raised the flag.
    """
    active = (flag for flag in flags if flag.is_raised and not flag.rule.is_todo)
    return tuple(sorted(active, key=lambda flag: (flag.rule.is_supporting, -flag.severity)))


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
    Coachboard's own. Severity of a flag: weight of its rule × the factor of the condition that holds × how
    far × how long. How far: the distance of the value from normal, where the distance of the rule's limit is 1; at least 1, at most 3;
    a hard session counts its strongest sign, a note always 1. How long: 1 + 0.05 for each day after the first, at most 7; a
    medical note falls instead, 1 − 0.05 for each day after its second, at least 0.8, since the coach knows of it.

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
    parts: list[tuple[float, Flag]] = []
    topics: set[Topic] = set()
    for flag in raised(flags):
        topic = flag.rule.topic
        if topic not in topics and not flag.rule.is_supporting:
            topics.add(topic)
            parts.append((1.0, flag))
        elif topics:
            parts.append((_FURTHER_SIGN if topic is Topic.RECOVERY else _FURTHER, flag))
    return parts
