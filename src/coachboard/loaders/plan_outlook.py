"""Reasons for and against a planned workout: W′, recovery, and the last sessions like it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from coachboard.client import Client
from coachboard.execution.adherence import Adherence, Match, Planned
from coachboard.execution.feasibility import Feasibility, feasibility
from coachboard.execution.structure import FlatStep, unroll
from coachboard.flags import engine
from coachboard.flags.flag import Flag
from coachboard.loaders.capacities import Capacities, load_capacities, references_of
from coachboard.loaders.known_days import load_known
from coachboard.wire.prescriptions import TrainingPrescription

ALIKE = 3
"""Past sessions that are compared."""
_PAST = frozenset({Adherence.ON_TIME, Adherence.MOVED, Adherence.MISSED, Adherence.EXCUSED})


@dataclass(frozen=True, slots=True)
class PlanOutlook:
    """A plan with its steps, the active flags of recovery, and like plans, newest first."""

    prescription: TrainingPrescription
    steps: tuple[FlatStep, ...]
    capacities: Capacities
    signs: tuple[Flag, ...]
    unknown: tuple[Flag, ...]  # rules of recovery without enough data
    alike: tuple[Match, ...]


def load_outlook(
    client: Client,
    user_id: str,
    prescription: TrainingPrescription,
    *,
    today: date,
    thresholds: Mapping[str, float],
) -> PlanOutlook:
    """From the lists that the roster reads too."""
    known_days = load_known(client, user_id, today=today)
    capacities = load_capacities(client, user_id, min(prescription.date, today), prescription.sport)
    steps = tuple(unroll(prescription.structure, references_of(capacities)))
    against = against_plan(engine.evaluate(known_days.nights, thresholds), prescription.date)
    return PlanOutlook(
        prescription,
        steps,
        capacities,
        signs=engine.raised(against),
        unknown=tuple(flag for flag in against if flag.shortage),
        alike=known_days.judged(client, user_id, alike_of(prescription, known_days.matches)),
    )


def against_plan(flags: Iterable[Flag], day: date) -> list[Flag]:
    """The flags that argue against a plan, without those about the session of another day: they repeat signs of others."""
    return [flag for flag in flags if flag.rule.argues_against_plan and flag.due in {None, day}]


def feasibility_of(
    steps: tuple[FlatStep, ...], capacities: Capacities | None, free_s: float | None
) -> Feasibility | None:
    """None without power targets, critical power or W′."""
    if capacities is None or capacities.critical_power_w is None or capacities.w_prime_j is None:
        return None
    return feasibility(
        steps,
        critical_power_w=capacities.critical_power_w,
        w_prime_j=capacities.w_prime_j,
        free_duration_s=free_s,
    )


def alike_of(prescription: TrainingPrescription, matches: tuple[Match, ...]) -> tuple[Match, ...]:
    """The last plans before it with the same title, filled up with those of the same sport and stimulus; newest first."""
    past = [
        (match, match.planned)
        for match in matches
        if match.planned and match.adherence in _PAST and match.planned.day < prescription.date
    ]
    like = [
        (match, plan)
        for match, plan in past
        if _is_titled(plan, prescription) or _is_like(plan, prescription)
    ]
    nearest = sorted(like, key=lambda pair: (_is_titled(pair[1], prescription), pair[1].day), reverse=True)[
        :ALIKE
    ]
    return tuple(match for match, _ in sorted(nearest, key=lambda pair: pair[1].day, reverse=True))


def _is_titled(plan: Planned, prescription: TrainingPrescription) -> bool:
    return plan.sport == prescription.sport and plan.title.casefold() == (prescription.title or "").casefold()


def _is_like(plan: Planned, prescription: TrainingPrescription) -> bool:
    return plan.sport == prescription.sport and plan.stimulus == prescription.training_stimulus
