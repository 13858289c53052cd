"""Next to a planned workout: recovery of the athlete, and the last sessions like it; on the calendar and in the review."""

from collections.abc import Iterator, Sequence

import streamlit as st

from coachboard.analytics.planning.adherence import Adherence, Match
from coachboard.analytics.planning.compliance import by_work_steps, compliance
from coachboard.analytics.planning.feasibility import feasibility
from coachboard.charts import palette
from coachboard.client.errors import ServiceError
from coachboard.execution.score import execution_score
from coachboard.flags.engine import evaluate
from coachboard.flags.flag import Flag
from coachboard.loaders.known_days import PLAN_DAYS_BEFORE
from coachboard.loaders.plan_outlook import PlanOutlook, load_outlook
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.views.calendar import workout_words
from coachboard.views.frame import formats, notices
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import md
from coachboard.views.widgets import formulas
from coachboard.views.widgets.flag_facts import reason_of, title_inside


def draw(
    page: Page, user_id: str, prescription: TrainingPrescription, *, with_feasibility: bool = False
) -> None:
    """Recovery and like sessions; the calendar has the feasibility above it."""
    try:
        found = load_outlook(
            page.client, user_id, prescription, today=page.today_of(user_id),
            thresholds=page.preferences.flag_thresholds,
        )  # fmt: skip
    except ServiceError as error:
        notices.say(error, about="Recovery and similar workouts")
        return
    if with_feasibility:
        st.markdown(workout_words.verdict(found.steps, found.capacities, prescription.free_duration))
    st.markdown(recovery_words(found.signs, found.unknown, is_below_flags=with_feasibility))
    st.markdown(
        _alike(found, page),
        help=formulas.on_demand(
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


def _alike(found: PlanOutlook, page: Page) -> str:
    if not found.alike:
        return f"No similar workout was due in the last {PLAN_DAYS_BEFORE // 7} weeks."
    lines = [f"- {md(_done(match, page))}" for match in found.alike]
    return "\n".join(["Last similar workouts:", "", *lines])


def _done(match: Match, page: Page) -> str:
    """Day and outcome: "Thu 12 Nov: ✓ on target, 100 % of the planned work steps (5 of 5)"."""
    day, plan, judged = formats.day(match.day, today=page.today), match.planned, match.compliance
    assert plan is not None
    title = f"{day}, {plan.title}" if plan.title else day
    if match.adherence in {Adherence.MISSED, Adherence.EXCUSED}:
        return f"{title}: {match.adherence}"
    if judged is None or judged.state is None:
        return f"{title}: done, no comparison"
    counted = f" ({judged.work.done:g} of {len(judged.work.steps)})" if judged.work else ""
    sign, share = palette.COMPLIANCE[judged.state].sign, formats.compliance(judged.ratio)
    return f"{title}: {sign} {judged.state}, {share} of the planned {judged.measure}{counted}"
