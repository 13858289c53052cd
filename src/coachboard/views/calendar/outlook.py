"""Next to a planned workout: recovery of the athlete, and the last sessions like it; on the calendar and in the review."""

from collections.abc import Sequence
from math import isnan

import streamlit as st

from coachboard.analytics.flags.flags import Flag, evaluate
from coachboard.analytics.planning.adherence import Adherence, Match
from coachboard.analytics.planning.compliance import compliance, verdict
from coachboard.analytics.planning.feasibility import feasibility
from coachboard.analytics.planning.work_steps import work_score
from coachboard.charts import palette
from coachboard.client.errors import ServiceError
from coachboard.loaders.known_days import PLAN_DAYS_BEFORE
from coachboard.loaders.plan_outlook import PlanOutlook, load_outlook
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.views.calendar import workout_words
from coachboard.views.frame import formats, notices
from coachboard.views.frame.shell import Page
from coachboard.views.frame.text import md
from coachboard.views.widgets import formulas


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
            feasibility, evaluate, work_score, verdict, compliance,
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
        return f"Nothing argues against it: no flag for HRV, resting heart rate, sleep, feel scores, load or illness.{too_little}"
    titles = ", ".join(_title(flag) for flag in signs if not flag.due) if is_below_flags else ""
    against = titles or "; ".join(map(_sign, _without_repeats(signs)))
    return f"**Poor recovery argues against it:** {md(against)}.{too_little}"


def _title(flag: Flag) -> str:
    return f"{flag.rule.title[:1].lower()}{flag.rule.title[1:]}"


_NIGHTS = {"hrv_low": "HRV", "resting_hr_high": "resting heart rate", "sleep_short": "sleep"}


def _without_repeats(signs: Sequence[Flag]) -> list[Flag]:
    """Without the flags of nights whose values the flag of the hard session names."""
    named = next((flag.detail for flag in signs if flag.due), "")
    repeated = {rule_id for rule_id, quantity in _NIGHTS.items() if quantity in named}
    return [flag for flag in signs if flag.rule.id not in repeated]


_UNITS = {"hrv_low": "ms", "resting_hr_high": "bpm", "sleep_short": "h"}


def _sign(flag: Flag) -> str:
    """The flag's title; a night's value with its normal range, or the note's own words."""
    if flag.due:
        return flag.detail.partition("; ")[2]  # without the session, which the reader has opened
    unit = _UNITS.get(flag.rule.id)
    if unit is None or isnan(flag.value):
        return f"{_title(flag)}: {flag.detail}" if flag.detail else _title(flag)
    value, low, high = (
        formats.number(one, 1 if unit == "h" else 0) for one in (flag.value, flag.low, flag.high)
    )
    normal = "" if isnan(flag.low + flag.high) else f", normal {low}–{high}"
    return f"{_title(flag)} ({value} {unit}{normal})"


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
    sign, share = palette.COMPLIANCE[judged.state].sign, formats.percent(100 * judged.ratio)
    return f"{title}: {sign} {judged.state}, {share} of the planned {judged.measure}{counted}"
