"""The record of a flag rule, what a rule reads of an athlete, and the flag of both."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from math import isnan, nan

from coachboard.flags.athlete_days import AthleteDays
from coachboard.plurals import digits_to_tell, noun

_MOST_FAR = 3.0
_A_DAY, _MOST_DAYS = 0.05, 7
_FRESH_DAYS, _LEAST_FADED = 2, 0.8


class Topic(StrEnum):
    """The topic of a rule; flags of several topics add up."""

    RECOVERY = "recovery"
    LOAD = "load"
    PLAN = "plan"
    CONTACT = "contact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The result of a rule; NaN if a number does not apply."""

    is_raised: bool
    value: float = nan
    low: float = nan
    high: float = nan
    limit: float = nan  # the value from which the rule raises the flag for this athlete
    normal: float = nan  # the athlete's mean, or the same number for all athletes
    strongest: float = nan  # the distance of the strongest sign, for a flag of several signs
    deviations: float = nan  # distance from the athlete's mean towards poor, in the athlete's SDs
    days_active: int = 0  # on which the condition holds, also if it is not raised yet
    factor: str = ""  # the condition among the rule's `factors` that holds
    as_of: date | None = None
    shortage: str = ""  # why there is too little data to judge
    detail: str = ""
    note: str = ""  # the text of the note behind the flag
    due: date | None = None  # the day of the planned session that the flag is about

    @property
    def far(self) -> float:
        """Distance of the value from normal, where the limit of the flag is 1; NaN without a limit."""
        if not isnan(self.strongest) or self.limit == self.normal:
            return self.strongest
        return (self.value - self.normal) / (self.limit - self.normal)


def short(shortage: str, as_of: date | None = None) -> Reading:
    """The reading of a rule that has too little data to judge."""
    return Reading(is_raised=False, shortage=shortage, as_of=as_of)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagRule:
    """A rule: its text, the threshold that coaches may change, and the function that reads an athlete's days."""

    id: str
    title: str
    text: str  # one sentence; `{threshold}` is the threshold, with its unit if the unit is countable (3 days)
    threshold: float
    bounds: tuple[float, float]  # the range of a custom threshold
    unit: str
    source: str
    topic: Topic
    weight: float  # 0 to 1, the weight in the order of athletes
    read: Callable[[AthleteDays, float], Reading]
    factors: Mapping[str, float] = field(default_factory=dict)  # of the weight, by condition
    detail: str = "{value}"  # the value in words: `{value}` with its unit, `{high}`
    value_unit: str | None = None  # if it is not the unit of the threshold
    digits: int = 0
    has_normal: bool = False  # shows the athlete's normal range; other limits are the same for all athletes
    card: str = ""  # the card of the page Athlete that shows the value: a phone hides cards without a flag
    argues_against_plan: bool = False  # a reason against the next workout
    short_title: str = ""  # in a row of the roster; else the title
    is_supporting: bool = False  # shown next to another flag, never alone
    fades: bool = False  # the severity falls with the days since the note, which the coach knows
    is_todo: bool = False  # an organisational task: listed apart from flags, without weight

    @property
    def is_counted(self) -> bool:
        """Whether the unit is countable."""
        return self.unit.endswith("s")

    def unit_of(self, value: float) -> str:
        """The unit of a threshold: `day` of 1, `days` of 3."""
        return noun(value, self.unit.removesuffix("s")) if self.is_counted else self.unit

    def unit_of_value(self, value: float) -> str:
        """The unit of a value."""
        return self.unit_of(value) if self.value_unit is None else self.value_unit

    def sentence(self, threshold: float | None = None) -> str:
        """The rule as text with its threshold."""
        value = self.threshold if threshold is None else threshold
        unit = f" {self.unit_of(value)}" if self.is_counted else ""
        return self.text.format(threshold=f"{value:g}{unit}".replace("-", "−"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag(Reading):
    """The reading of a rule for an athlete, whether raised or not."""

    rule: FlagRule
    threshold: float
    age_d: int | None = None

    @property
    def is_clear(self) -> bool:
        """Whether the rule had enough data and raises nothing."""
        return not self.is_raised and not self.shortage

    @property
    def severity(self) -> float:
        """Weight of the rule × its factor × how far × how long."""
        return self.rule.weight * self.urgency * self.distance * self.days_factor

    @property
    def urgency(self) -> float:
        """The factor of the condition that holds; 1 without."""
        return self.rule.factors.get(self.factor, 1.0)

    @property
    def distance(self) -> float:
        """How far the value is from normal, where the limit is 1; at most 3, and 1 where the rule measures nothing."""
        return 1.0 if isnan(self.far) else min(max(self.far, 1.0), _MOST_FAR)

    @property
    def days_factor(self) -> float:
        """The factor of the days active; of a note, of the days since it beyond the first `_FRESH_DAYS`."""
        if self.rule.fades:
            return max(1 - _A_DAY * max((self.age_d or 0) - _FRESH_DAYS, 0), _LEAST_FADED)
        return 1 + _A_DAY * min(max(self.days_active - 1, 0), _MOST_DAYS)

    @property
    def shown_digits(self) -> int:
        """Digits that tell the value from the bound and the limit that it has passed."""
        least = self.rule.digits
        normal = digits_to_tell(self.value, self.low, self.high, least)
        return max(normal, digits_to_tell(self.value, self.limit, self.limit, least))
