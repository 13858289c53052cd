"""What the last days brought to somebody, whatever day today is: the stories that a squad is looked at for."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

from coachboard_demo.season import Week

BLOCK_DAYS = 10  # how long a block of training has lasted
SPELL_DAYS = 9  # how long nights and ratings have been what they are
"""Long enough for the seven-day mean of the nights to leave the normal range; chosen, not measured."""
EASY_BEFORE = 0.5  # load of the fortnight before a block


@dataclass(frozen=True, slots=True)
class Lately:
    """How the last days differed from the usual."""

    load: float = 1.0  # of the weeks that touch the block, against the plan's
    strain: float = 0.0  # on nights and ratings, over what the load itself explains
    sleep_lost_h: float = 0.0  # a night
    has_hard_tomorrow: bool = False
    runs_every_day: bool = False  # on top of the plan
    plan_has_ended: bool = False
    medical_note: tuple[str, str] | None = None  # of yesterday

    def strain_on(self, day: date, today: date) -> float:
        """What comes on top of the load's strain on that day."""
        return self.strain if _is_within(day, today, SPELL_DAYS) else 0.0

    def sleep_lost_on(self, day: date, today: date) -> float:
        """Hours of sleep lost in the night that ended on that day."""
        return self.sleep_lost_h if _is_within(day, today, SPELL_DAYS) else 0.0

    def adds_on(self, day: date, today: date) -> bool:
        """Whether there was a run on top of the plan on that day."""
        return self.runs_every_day and _is_within(day, today, SPELL_DAYS)


AS_USUAL = Lately()


def _is_within(day: date, today: date, days: int) -> bool:
    return timedelta(0) <= today - day <= timedelta(days=days)


def weeks_lately(lately: Lately, weeks: list[Week], today: date) -> list[Week]:
    """The weeks of the plan with a block in the last of them, after an easy fortnight."""
    if lately.load == 1.0:
        return weeks
    first = today - timedelta(days=BLOCK_DAYS)
    return [replace(week, load=_load(lately, week, first, today)) for week in weeks]


def _load(lately: Lately, week: Week, first: date, today: date) -> float:
    ends = week.monday + timedelta(days=6)
    if week.monday > today or ends < first - timedelta(days=14):
        return week.load
    return lately.load if ends >= first else EASY_BEFORE
