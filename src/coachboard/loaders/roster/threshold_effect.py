"""Athletes that a changed threshold would flag today, compared with the threshold in force."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from coachboard.flags.engine import raised, todos, with_threshold
from coachboard.flags.flag import Flag
from coachboard.loaders.roster.flag_snooze import FlagOf
from coachboard.loaders.roster.row import RosterRow


class Change(NamedTuple):
    """Ids of athletes before and after a change."""

    before: frozenset[str]
    after: frozenset[str]

    @property
    def new(self) -> frozenset[str]:
        return self.after - self.before

    @property
    def gone(self) -> frozenset[str]:
        return self.before - self.after


class ThresholdEffect(NamedTuple):
    """The athletes that the rule flags, and those with any flag."""

    rule: Change
    any_flag: Change


def threshold_effect(
    rows: Iterable[RosterRow],
    rule_id: str,
    threshold: float,
    *,
    snoozed: Collection[FlagOf] = (),
) -> ThresholdEffect:
    """Evaluate the loaded rows with the rule's new threshold; no request. Snoozed flags do not count, as on the roster."""
    athletes = tuple(rows)
    after = {row.user.id: with_threshold(row.flags, row.days, rule_id, threshold) for row in athletes}
    before = {row.user.id: row.flags for row in athletes}
    named = [_by_rule(found, rule_id, snoozed) for found in (before, after)]
    listed = [_by_any(found, snoozed) for found in (before, after)]
    return ThresholdEffect(Change(*named), Change(*listed))


def _by_rule(
    found: Mapping[str, tuple[Flag, ...]], rule_id: str, snoozed: Collection[FlagOf]
) -> frozenset[str]:
    return frozenset(
        user_id
        for user_id, flags in found.items()
        if FlagOf(user_id, rule_id) not in snoozed
        and any(flag.rule.id == rule_id for flag in (*raised(flags), *todos(flags)))
    )


def _by_any(found: Mapping[str, tuple[Flag, ...]], snoozed: Collection[FlagOf]) -> frozenset[str]:
    return frozenset(
        user_id
        for user_id, flags in found.items()
        if any(FlagOf(user_id, flag.rule.id) not in snoozed for flag in raised(flags))
    )
