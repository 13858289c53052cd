"""A planned workout in words, the athlete's recovery, and the last sessions like it; on the calendar and in the review."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import streamlit as st

from coachboard.charts import palette
from coachboard.client import Client
from coachboard.client.errors import ServiceError
from coachboard.execution.adherence import Adherence, Match, Planned
from coachboard.execution.capacities import METRIC_DAYS, Capacities, capacities_on, references_of
from coachboard.execution.compliance import by_work_steps, compliance
from coachboard.execution.feasibility import Feasibility, feasibility
from coachboard.execution.score import execution_score
from coachboard.execution.structure import FlatStep, References, Target, unroll
from coachboard.flags import engine
from coachboard.flags.engine import evaluate
from coachboard.flags.flag import Flag
from coachboard.loaders.known_days import PLAN_DAYS_BEFORE, load_known
from coachboard.ui.frame import formats, notices
from coachboard.ui.frame.formats import Units
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.flag_facts import reason_of, title_inside
from coachboard.wire.enums import StepLabel
from coachboard.wire.prescriptions import (
    StructureElement,
    StructureRepetition,
    StructureStep,
    TrainingPrescription,
)

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
    capacities = capacities_for(client, user_id, prescription, today=today)
    steps = tuple(unroll(prescription.structure, references_of(capacities)))
    against = against_plan(engine.evaluate(known_days.days, thresholds), prescription.date)
    return PlanOutlook(
        prescription,
        steps,
        capacities,
        signs=engine.raised(against),
        unknown=tuple(flag for flag in against if flag.shortage),
        alike=known_days.judged(client, user_id, alike_of(prescription, known_days.matches)),
    )


def capacities_for(
    client: Client, user_id: str, prescription: TrainingPrescription, *, today: date
) -> Capacities:
    """The athlete's capacities on the day of a plan, of today for a plan to come. Raises `ServiceError`."""
    day = min(prescription.date, today)
    metrics = client.list_metrics(user_id, day - timedelta(days=METRIC_DAYS), day)
    return capacities_on(day, prescription.sport, metrics=metrics.value, profile=None)


def against_plan(flags: Iterable[Flag], day: date) -> list[Flag]:
    """The flags that argue against a plan, without those about the session of another day: they repeat signs of others."""
    return [flag for flag in flags if flag.rule.argues_against_plan and flag.due in {None, day}]


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


def draw(
    page: Page, user_id: str, prescription: TrainingPrescription, *, with_feasibility: bool = False
) -> None:
    """Recovery and like sessions; the calendar has the feasibility above it."""
    try:
        outlook = load_outlook(
            page.client, user_id, prescription, today=page.today_of(user_id),
            thresholds=page.preferences.flag_thresholds,
        )  # fmt: skip
    except ServiceError as error:
        notices.say(error, about="Recovery and similar workouts")
        return
    if with_feasibility:
        st.markdown(verdict(outlook.steps, outlook.capacities, prescription.free_duration))
    st.markdown(recovery_words(outlook.signs, outlook.unknown, is_below_flags=with_feasibility))
    st.markdown(
        _alike(outlook, page),
        help=formula_help.text_of(
            feasibility, evaluate, execution_score, by_work_steps, compliance,
            window=f"recovery as of this morning; similar workouts of the last {PLAN_DAYS_BEFORE // 7} weeks.",
        ),
    )  # fmt: skip


def recovery_words(signs: Sequence[Flag], unknown: Sequence[Flag], *, is_below_flags: bool) -> str:
    """The active flags of recovery, load and illness, or that there is none, and the rules without enough data.

    Below the flags and their values, by title only.
    """
    short = ", ".join(flag.rule.title for flag in unknown)
    too_little = f" Not enough data: {md(short)}." if short else ""
    if not signs:
        return f"Nothing argues against it: no flag for recovery, load or illness.{too_little}"
    titles = ", ".join(title_inside(flag) for flag in signs if not flag.due) if is_below_flags else ""
    against = titles or "; ".join(_reasons(signs))
    return f"**Against it:** {md(against)}.{too_little}"


def _reasons(signs: Sequence[Flag]) -> Iterator[str]:
    """Each flag with its value, without those of nights whose values the flag of the hard session names."""
    # The session before the semicolon is the one that the reader has opened.
    details = {flag.rule.id: flag.detail.partition("; ")[2] for flag in signs if flag.due}
    named = "; ".join(details.values())
    for flag in signs:
        if flag.due:
            yield details[flag.rule.id] or reason_of(flag)
        elif not flag.rule.card or flag.rule.card.lower() not in named.lower():
            yield reason_of(flag)


def _alike(outlook: PlanOutlook, page: Page) -> str:
    if not outlook.alike:
        return f"No similar workout was due in the last {PLAN_DAYS_BEFORE // 7} weeks."
    lines = [f"- {md(done_words(match, page))}" for match in outlook.alike]
    return "\n".join(["Last similar workouts:", "", *lines])


def done_words(match: Match, page: Page) -> str:
    """Day and outcome: "Thu 12 Nov: ✓ on target, 100 % of the planned work steps by power (5 of 5)"."""
    day, plan, judged = formats.day(match.day, today=page.today), match.planned, match.compliance
    assert plan is not None
    title = f"{day}, {plan.title}" if plan.title else day
    if match.adherence in {Adherence.MISSED, Adherence.EXCUSED}:
        return f"{title}: {match.adherence}"
    if judged is None or judged.state is None:
        return f"{title}: done, no comparison"
    counted = f" ({judged.work.done:g} of {len(judged.work.steps)})" if judged.work else ""
    sign, share = palette.COMPLIANCE[judged.state].sign, formats.compliance(judged.ratio)
    return f"{title}: {sign} {judged.state}, {share} of the planned {judged.compared}{counted}"


_MOST_PARTS = 60
"""Longest outline; an ellipsis marks further steps."""
_AS_GOOD_AS_FULL = 0.995
"""Above this the lowest share of W′ would round to 100 %."""
_SHORT_WAY_M = 1000


def verdict(steps: Sequence[FlatStep], capacities: Capacities | None, free_s: float | None) -> str:
    """Whether critical power and W′ suffice, with the hardest step."""
    if not any(step.power_w for step in steps):
        return "No feasibility check: no step has a power target."
    if capacities is None or capacities.critical_power_w is None or capacities.w_prime_j is None:
        return "No feasibility check: critical power or W′ of this athlete is unknown."
    feasible = feasibility(
        steps,
        critical_power_w=capacities.critical_power_w,
        w_prime_j=capacities.w_prime_j,
        free_duration_s=free_s,
    )
    assert feasible is not None
    basis = (
        f"critical power {formats.power(capacities.critical_power_w)}, "
        f"W′ {formats.number(capacities.w_prime_j / 1000, 1, 'kJ')}"
    )
    place = f"step {feasible.step.index + 1}, {words(feasible.step).lower()}"
    if not feasible.is_feasible:
        fits = (
            f"; {feasible.fitting} of {formats.count(feasible.repetitions, 'repetition')} fit"
            if feasible.repetitions
            else ""
        )
        return f"**Not feasible as planned:** at mid-target power W′ runs out in {place}{fits} ({basis})."
    if feasible.lowest_share >= _AS_GOOD_AS_FULL:
        return f"Feasible: W′ barely used ({basis})."
    share = formats.percent(100 * feasible.lowest_share)
    if feasible.repetitions < 2:
        return f"Feasible: W′ drops to {share} in {place} ({basis})."
    return f"Feasible: all {feasible.repetitions} repetitions fit; W′ is lowest in {_repetition(feasible) or place}, at {share} ({basis})."


def _repetition(feasible: Feasibility) -> str:
    """`repetition 5 of 5`; empty if the step is not one of a single series."""
    if feasible.repetition is None:
        return ""
    turn, turns = feasible.repetition
    return f"repetition {turn} of {turns}"


def length(step: FlatStep, length_s: float, sport: str | None, *, units: Units) -> str:
    """A duration or a distance; metres or yards on a track or in a pool."""
    if step.duration_s is not None:
        return formats.duration_hms(step.duration_s)
    if step.distance_m is None:
        return f"free, about {formats.duration_hms(length_s)}"
    if step.distance_m < _SHORT_WAY_M and not units.is_imperial(sport):
        return formats.number(step.distance_m, 0, "m")
    return formats.distance(step.distance_m, sport, units=units)


def between(target: Target | None, unit: str) -> str:
    """The two ends of a target, or its only value."""
    if target is None:
        return formats.MISSING
    if target.low is None or target.high is None:
        word = "up to " if target.low is None else "from "
        return f"{word}{formats.number(target.high if target.low is None else target.low, 0, unit)}"
    if round(target.low) == round(target.high):
        return formats.number(target.low, 0, unit)
    return f"{formats.number(target.low)}–{formats.number(target.high, 0, unit)}"


def speed(target: Target | None, sport: str | None, *, units: Units) -> str:
    """As `between`, in the sport's own measure; drops an end of 0, which has no pace."""
    if target is None or not (target.low or target.high):
        return formats.MISSING
    low, high = (formats.speed_or_pace(end, sport, units=units) for end in (target.low, target.high))
    if not target.low:
        return f"{high} or slower"
    if not target.high:
        return f"{low} or faster"
    return low if low == high else f"{low.partition(' ')[0]}–{high}"


def outline(
    structure: Sequence[StructureElement], references: References, *, sport: str | None, units: Units
) -> str:
    """The steps with repeats grouped; a step without an end is `free`."""
    parts = [_part(element, references, sport, units) for element in structure[:_MOST_PARTS]]
    return ", ".join([*parts, "…"] if len(structure) > _MOST_PARTS else parts)


def _part(element: StructureElement, references: References, sport: str | None, units: Units) -> str:
    if isinstance(element, StructureRepetition):
        return f"{element.n_repetitions} × ({outline(element.steps, references, sport=sport, units=units)})"
    step = flat_step(element, references)
    label = "" if step.label is StepLabel.ACTIVE else str(step.label)
    far = "free" if step.is_free else length(step, 0.0, sport, units=units)
    return " ".join(word for word in (label, far, _target(step, sport, units)) if word)


def _target(step: FlatStep, sport: str | None, units: Units) -> str:
    """The step's target: power, else speed, else heart rate; with cadence."""
    targets = (
        between(step.power_w, "W"),
        speed(step.speed_mps, sport, units=units),
        between(step.heart_rate_bpm, "bpm"),
    )
    target = next((words for words in targets if words != formats.MISSING), "")
    cadence = between(step.cadence_rpm, "/min")
    return target if cadence == formats.MISSING else f"{target} at {cadence}".strip()


def words(step: FlatStep) -> str:
    """A step in words, with its position in nested repeats."""
    turns = " of ".join(f"{turn}/{turns_in_all}" for turn, turns_in_all in step.repeats)
    return f"{str(step.label).capitalize()}{f' {turns}' if turns else ''}"


def flat_step(step: StructureStep, references: References) -> FlatStep:
    """One step with its targets as values."""
    (flat,) = unroll([step], references)
    return flat
