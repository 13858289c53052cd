"""Plans and sessions laid beside each other: on time, moved, missed, excused, unplanned, still ahead.

A pair is what the service says (`activityId`); what merely fits is offered as "probably this one" and
marked as inferred.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from math import isnan, log, nan

from coachboard.analytics.compliance import MISSED, NOT_COMPARABLE, OFF_RATIO, Compliance, compliance
from coachboard.models.enums import NoteType, Sport, TrainingStimulus

INFERENCE_DAYS = 1
"""How far from its day an unpaired session may lie and still be offered; ours."""
EXCUSING_NOTES = frozenset({NoteType.MEDICAL, NoteType.AVAILABILITY})


class Adherence(StrEnum):
    """What became of a plan, or where a session came from."""

    ON_TIME = "on time"
    MOVED = "moved"
    MISSED = "missed"
    EXCUSED = "excused"
    UNPLANNED = "unplanned"
    AHEAD = "ahead"
    UNKNOWN = "unknown"  # the other side is not known


@dataclass(frozen=True, slots=True)
class Planned:
    """A prescription as far as it is compared; NaN where it says nothing."""

    id: str
    day: date
    sport: Sport | None
    stimulus: TrainingStimulus | None = None
    duration_s: float = nan
    distance_m: float = nan
    volume: float = nan
    work_kj: float = nan
    activity_id: str | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """A session as far as it is compared; NaN where it was not recorded."""

    id: str
    day: date
    sport: Sport | None
    stimulus: TrainingStimulus | None = None
    duration_s: float = nan
    distance_m: float = nan
    volume: float = nan
    work_kj: float = nan
    title: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """One plan with its session, one plan without, or one session without a plan."""

    planned: Planned | None
    done: Done | None
    adherence: Adherence
    compliance: Compliance | None = None
    is_inferred: bool = False
    excuse: NoteType | None = None

    @property
    def day(self) -> date:
        """The planned day, or the session's own."""
        return self.planned.day if self.planned is not None else self._done().day

    @property
    def days_moved(self) -> int:
        """Days from the planned day to the session; negative is earlier, 0 without a pair."""
        return (self.done.day - self.planned.day).days if self.planned and self.done else 0

    def _done(self) -> Done:
        assert self.done is not None
        return self.done


def match_sessions(
    planned: Sequence[Planned] | None,
    done: Sequence[Done] | None,
    *,
    excuses: Iterable[tuple[date, NoteType]],
    today: date,
) -> list[Match]:
    """Pair plans with sessions; each plan and each session appears once.

    Parameters
    ----------
    planned : sequence of Planned, or None
        The plans of the period. None where they are not known: no session is then called unplanned.
    done : sequence of Done, or None
        The sessions of the period, `INFERENCE_DAYS` longer on both ends where inference is to be complete. None
        where they are not known: no plan is then called missed.
    excuses : iterable of (date, NoteType)
        Dated notes; medical and availability notes excuse a miss on their day, other kinds do not.
    today : date
        The athlete's today: an unpaired plan of today is still ahead.

    Returns
    -------
    list of Match
        By day.

    Notes
    -----
    The service's own pairs come first; then each unpaired plan up to today takes the fitting session that
    is nearest by day, stimulus and size. Fitting: same sport, at most `INFERENCE_DAYS` away, no more than
    "off" by the first measure both have.

    Examples
    --------
    >>> monday = date(2026, 3, 2)
    >>> plan = Planned("tpr_1", monday, Sport.CYCLING, duration_s=3600)
    >>> ride = Done("act_1", date(2026, 3, 3), Sport.CYCLING, duration_s=3500)
    >>> found = match_sessions([plan], [ride], excuses=[], today=date(2026, 3, 5))
    >>> [(str(m.adherence), m.days_moved, m.is_inferred) for m in found]
    [('moved', 1, True)]
    """
    if planned is None:
        return sorted(
            (Match(None, session, Adherence.UNKNOWN) for session in done or ()), key=lambda m: m.day
        )
    are_known, done = done is not None, done or ()
    by_id = {session.id: session for session in done}
    excused = {day: kind for day, kind in excuses if kind in EXCUSING_NOTES}
    pairs = {plan.id: by_id[plan.activity_id] for plan in planned if plan.activity_id in by_id}
    inferred = _inferred_pairs(planned, done, taken={session.id for session in pairs.values()}, today=today)
    matches = [
        _paired(plan, pairs[plan.id], is_inferred=False)
        if plan.id in pairs
        else _paired(plan, inferred[plan.id], is_inferred=True)
        if plan.id in inferred
        else _alone(plan, excused.get(plan.day), today, are_known=are_known)
        for plan in planned
    ]
    used = {session.id for session in (*pairs.values(), *inferred.values())}
    matches += [Match(None, session, Adherence.UNPLANNED) for session in done if session.id not in used]
    return sorted(matches, key=lambda match: match.day)


def _paired(plan: Planned, session: Done, *, is_inferred: bool) -> Match:
    kept = Adherence.ON_TIME if plan.day == session.day else Adherence.MOVED
    return Match(plan, session, kept, compliance(plan, session), is_inferred)


def _alone(plan: Planned, excuse: NoteType | None, today: date, *, are_known: bool) -> Match:
    # Paired with a session outside the period: done, though there is nothing here to compare it with.
    if plan.activity_id is not None:
        return Match(plan, None, Adherence.ON_TIME, NOT_COMPARABLE)
    if plan.day >= today:
        return Match(plan, None, Adherence.AHEAD)
    if excuse is not None:
        return Match(plan, None, Adherence.EXCUSED, excuse=excuse)
    if not are_known:
        return Match(plan, None, Adherence.UNKNOWN)
    return Match(plan, None, Adherence.MISSED, MISSED)


def _inferred_pairs(
    planned: Sequence[Planned], done: Sequence[Done], *, taken: set[str], today: date
) -> dict[str, Done]:
    open_plans = [plan for plan in planned if plan.activity_id is None and plan.day <= today]
    free = [session for session in done if session.id not in taken]
    fits = [(_distance(plan, session), plan.id, session) for plan in open_plans for session in free]
    pairs: dict[str, Done] = {}
    used: set[str] = set()
    for cost, plan_id, session in sorted(fits, key=lambda fit: (fit[0], fit[1], fit[2].id)):
        if not isnan(cost) and plan_id not in pairs and session.id not in used:
            pairs[plan_id] = session
            used.add(session.id)
    return pairs


def _distance(plan: Planned, session: Done) -> float:
    days = abs((plan.day - session.day).days)
    if days > INFERENCE_DAYS or plan.sport is None or plan.sport != session.sport:
        return nan
    found = compliance(plan, session)
    if found.measure is not None and not OFF_RATIO[0] <= found.ratio <= OFF_RATIO[1]:
        return nan
    size = abs(log(found.ratio)) if found.measure is not None else log(OFF_RATIO[1])
    return days + 0.25 * (plan.stimulus != session.stimulus) + size


@dataclass(frozen=True, slots=True)
class AdherenceSummary:
    """How many plans of a period went which way."""

    counts: dict[Adherence, int]
    inferred: int

    @property
    def due(self) -> int:
        """Plans whose day has passed and that nothing excuses."""
        return sum(self.counts[kind] for kind in (Adherence.ON_TIME, Adherence.MOVED, Adherence.MISSED))

    @property
    def done(self) -> int:
        """Plans that were done, on their day or another."""
        return self.counts[Adherence.ON_TIME] + self.counts[Adherence.MOVED]

    @property
    def share(self) -> float:
        """Done over due, NaN where nothing was due."""
        return self.done / self.due if self.due else nan


def summarize(matches: Iterable[Match]) -> AdherenceSummary:
    """Count matches by outcome.

    Parameters
    ----------
    matches : iterable of Match
        Of any period.

    Returns
    -------
    AdherenceSummary
        Every kind is present, 0 where none.

    Examples
    --------
    >>> plan = Planned("tpr_1", date(2026, 3, 2), Sport.RUNNING)
    >>> found = match_sessions([plan], [], excuses=[], today=date(2026, 3, 5))
    >>> summary = summarize(found)
    >>> summary.due, summary.done, summary.share
    (1, 0, 0.0)
    """
    listed = list(matches)
    counted = Counter(match.adherence for match in listed)
    return AdherenceSummary(
        {kind: counted[kind] for kind in Adherence}, sum(match.is_inferred for match in listed)
    )
