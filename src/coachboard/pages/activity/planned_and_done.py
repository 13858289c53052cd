"""The paired workout step by step with scores, or why there is nothing to compare."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import isnan

import pandas as pd
import streamlit as st

from coachboard.charts import palette
from coachboard.charts.planned_and_done import Block, planned_and_done_chart
from coachboard.execution.compared_steps import ALONE_FROM_S, QUARTERS_FROM_S, TOLERANCES
from coachboard.execution.compliance import (
    Compliance,
    ComplianceState,
    by_work_steps,
    compliance,
)
from coachboard.execution.score import execution_score
from coachboard.execution.structure import Target
from coachboard.execution.swim_sets import LEAST_REST_S, PACE_MARGINS, swim_score
from coachboard.execution.work_steps import (
    FULL_SHARE,
    HALF_SHARE,
    NOT_WORK,
    WorkOutcome,
    level_load,
)
from coachboard.formulas.session.selection import weighted_mean
from coachboard.loaders.memo import once
from coachboard.pages.activity import planned_rows as rules
from coachboard.pages.activity.data import ActivityData
from coachboard.pages.activity.efficiency import can_adjust
from coachboard.pages.activity.execution import PlannedAndDone, Score, planned_and_done
from coachboard.pages.activity.pairing import draw_pairing
from coachboard.pages.activity.plan_alignment import Basis
from coachboard.pages.activity.planned_rows import PlannedRow, StepState
from coachboard.pages.activity.selection import draw_choosing_rows
from coachboard.pages.activity.short_sets import (
    LEAST_REPETITIONS,
    LONGEST_REPETITION_S,
    ShortSet,
    with_sets,
)
from coachboard.pages.activity.swim_sets import SwimSet
from coachboard.ui.frame import formats
from coachboard.ui.frame.formats import Units
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets import export, formula_help
from coachboard.ui.widgets.key_numbers import Card, draw_numbers, terms_of
from coachboard.ui.widgets.plot import draw_chart
from coachboard.wire.enums import LapIntensity, Sport

_BASES = {
    "power": "% of critical power",
    "speed": "% of critical speed",
    "heart_rate": "% of maximum heart rate",
}
_OFF = palette.COMPLIANCE["off"].sign
_UNITS = {"power": "W", "speed": "m/s", "heart_rate": "bpm"}
"""Without the athlete's reference, bar heights are planned and done values."""


@st.fragment
def draw_planned_and_done(page: Page, data: ActivityData) -> None:
    """Also drawn without a paired workout, to say so."""
    _draw_comparison(page, data)
    draw_pairing(page, data)


def _draw_comparison(page: Page, data: ActivityData) -> None:
    comparison = planned_and_done(data)
    if comparison is None or data.prescription is None:
        _say_unpaired(page, data)
        return
    planned_on = formats.day(data.prescription.date, today=page.today)
    st.markdown(f"Plan: **{md(data.prescription.title)}**, for {md(planned_on)}")
    _draw_scores(page, data, comparison)
    if comparison.no_sets:
        st.caption(f"Only totals can be compared: {comparison.no_sets}.")
        return
    if not comparison.rows:
        st.caption(
            "Only totals can be compared: "
            + (
                "the session has no recording."
                if data.prescription.structure
                else "the workout has no steps."
            )
        )
        return
    _draw_blocks(page, data, comparison)
    if comparison.sets:
        _draw_sets(page, data, comparison)
        return
    _draw_steps(page, data, comparison)
    _say_rules(comparison, is_adjusted=can_adjust(data))


def _say_unpaired(page: Page, data: ActivityData) -> None:
    if data.match is not None and data.match.planned is not None and data.match.is_inferred:
        words = f"{plain(data.match.planned.title, longest=80)}{verdict_words(data.match.compliance)}"
        st.caption(md(f"Not paired with a workout by the data service. Likely match: {words}"))
        return
    alike = [plan for plan in data.candidates if plan.sport == data.activity.sport]
    if not data.candidates:
        st.caption("No workout of that day to compare with.")
        return
    likely = (alike or list(data.candidates))[0]
    length = f", {formats.duration_hm(likely.duration)}" if likely.duration else ""
    st.caption(
        md(
            f"Not paired with a workout. Likely match on {formats.day(data.day, today=page.today)}: "
            f"{plain(likely.title, longest=80)} ({formats.sport(likely.sport)}{length}). "
            "Workouts are paired by the data service."
        )
    )


def verdict_words(verdict: Compliance | None) -> str:
    """Mark, share and the compared quantity, after the title of the plan."""
    if verdict is None or verdict.state is None:
        return "."
    share = formats.compliance(verdict.ratio)
    return f": {palette.COMPLIANCE[verdict.state].sign} {verdict.state}, {share} of the planned {verdict.compared}."


def _draw_scores(page: Page, data: ActivityData, comparison: PlannedAndDone) -> None:
    cards = [_verdict_card(comparison), _work_card(comparison)]
    if data.activity.sport is Sport.SWIMMING:
        cards.append(_card("Distance", comparison.distance, lambda m: _distance(page.units, m)))
        cards.append(_card("Elapsed, with rests", comparison.duration, formats.duration_hms))
    else:
        is_moving = data.activity.moving_duration is not None  # as in the headline
        label = "Moving time" if is_moving else "Duration"
        cards.append(_card(label, comparison.duration, formats.duration_hms))
        cards.append(_load_card(comparison.load))
    draw_numbers(cards, key="activity.plan.numbers")
    st.caption(
        says_verdict(comparison.compliance, is_recorded=data.streams is not None),
        help=terms_of(cards),
        width="content",
    )


def _load_card(load: Score) -> Card:
    """The percentage alone: 68 of 70 by steps contradicted the session's load of 81."""
    how = formula_help.text_of(level_load, window="this session.")
    if isnan(load.ratio):
        return Card("Load by steps", formats.MISSING, "no comparison", how)
    return Card("Load by steps", formats.percent(load.ratio * 100), "of plan, both estimated", how)


def _work_card(comparison: PlannedAndDone) -> Card:
    how = formula_help.text_of(execution_score, swim_score, window="this session.")
    return _card("Work steps", comparison.work, lambda value: f"{value:g}", how)


def _verdict_card(comparison: PlannedAndDone) -> Card:
    how = formula_help.text_of(by_work_steps, execution_score, swim_score, compliance, window="this session.")
    return compliance_card(comparison.compliance, how)


def compliance_card(verdict: Compliance, how: str) -> Card:
    """The verdict with the percentage and the icon that calendar, athlete page and roster show."""
    if verdict.state is None:
        return Card("Compliance", formats.MISSING, "no comparison", how)
    # A sentence names the measure: a phone cut the end of "on target, by work steps" off.
    note = f"{palette.COMPLIANCE[verdict.state].sign} {verdict.state}"
    if verdict.state not in {ComplianceState.ON_TARGET, ComplianceState.OPEN}:
        note += f" by {formats.percent(abs(100 * verdict.ratio - 100))}"
    return Card("Compliance", formats.compliance(verdict.ratio), note, how, is_key=True)


def _card(label: str, score: Score, text: Callable[[float], str], how: str | None = None) -> Card:
    if isnan(score.ratio):
        return Card(label, formats.MISSING, "no comparison", how)
    of_planned = f"{text(score.done)} of {text(score.planned)}"
    return Card(label, formats.percent(score.ratio * 100), of_planned, how)


def _draw_blocks(page: Page, data: ActivityData, comparison: PlannedAndDone) -> None:
    planned, done, links = [], [], []
    height, scale, unit = _heights(comparison.basis)
    start = 0.0
    for row in comparison.rows:
        text, colour = _text(page.units, data, row), _colour(row.intensity)
        if row.step is not None:
            end, is_skipped = start + row.planned_s, row.state is StepState.SKIPPED
            planned.append(Block(start, end, height(row.planned_level_pct), colour, text, is_skipped))
            start = end
        if not isnan(row.done_s):
            lap_colour = _colour(row.done_intensity or row.intensity)
            done.append(
                Block(row.from_s, row.to_s, height(row.level_pct), lap_colour, text, row.step is None)
            )
        if row.step is not None and not isnan(row.done_s):
            links.append(((planned[-1].from_s + planned[-1].to_s) / 2, (row.from_s + row.to_s) / 2))
    # The table of sets has the rests of a swim; counted here, they would outnumber its repetitions.
    counted = [row for row in comparison.rows if not (comparison.sets and row.is_pause)]
    counts = {kind: sum(row.state is kind for row in counted) for kind in StepState}
    summary = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    draw_chart(
        partial(planned_and_done_chart, planned, done, links, reference=scale, unit=unit),
        key=f"activity.plan.{data.activity.id}",
        says=f"Top: planned steps. Bottom: done. {_says_height(data, comparison)}Lines connect matching steps: {summary}. "
        "Full colour = matched to a planned step; pale = skipped (top) or unplanned (bottom).",
    )


def _says_height(data: ActivityData, comparison: PlannedAndDone) -> str:
    """Heights by pace next to laps with their power: a lap of 198 W was lower than one of 183 W uphill."""
    if comparison.basis is None or comparison.basis.column == "power":
        return ""
    name = "heart rate" if comparison.basis.column == "heart_rate" else "speed"
    graded = "grade-adjusted " if name == "speed" and can_adjust(data) else ""
    coloured = comparison.source == "device laps" and any(row.done_intensity for row in comparison.rows)
    colours = " Colour of a device lap: its intensity by power." if coloured else ""
    return f"Height: {graded}{name}, not power.{colours} "


def _heights(basis: Basis | None) -> tuple[Callable[[float], float], str, str]:
    """Factor from a level to a height, the scale and the unit; an unknown level has no height."""
    if basis is None:
        return (lambda _: 0.0), "unknown scale", "%"
    if basis.is_critical:
        return (lambda level: 0.0 if isnan(level) else level), _BASES[basis.column], "%"
    factor, unit = basis.reference / 100, _UNITS[basis.column]
    return (lambda level: 0.0 if isnan(level) else level * factor), unit, unit


def _colour(intensity: LapIntensity | None) -> str:
    return palette.STALE.light if intensity is None else palette.intensity(intensity)


def _text(units: Units, data: ActivityData, row: PlannedRow) -> str:
    name = _name(row)
    parts = [
        f"{name}, {row.state}",
        f"planned {_planned(units, data, row)}",
        f"done {' in '.join(_done(units, data, row))}",
        f"target {_range(units, data, row.column, row.target)}",
        f"achieved {_value(units, data, row.column, row.achieved)}",
    ]
    return ", ".join(part for part in parts if not part.endswith(formats.MISSING))


def _name(row: PlannedRow) -> str:
    if row.step is None:
        return "Unplanned"
    turns = ", ".join(f"{which}/{many}" for which, many in row.step.repeats)
    label = formats.label(row.step.label)
    return f"{label} {turns}" if turns else label


def _value(units: Units, data: ActivityData, column: str | None, value: float | None) -> str:
    if value is None or isnan(value) or column is None:
        return formats.MISSING
    if column == "power":
        return formats.power(value)
    if column == "heart_rate":
        return formats.heart_rate(value)
    return formats.speed_or_pace(value, data.activity.sport, units=units)


def _range(units: Units, data: ActivityData, column: str | None, target: Target | None) -> str:
    if target is None:
        return formats.MISSING
    low, high = (_value(units, data, column, end) for end in (target.low, target.high))
    if low in {formats.MISSING, high}:
        return high if target.low is not None else f"up to {high}"
    return f"{low.split(' ')[0]}–{high}" if high != formats.MISSING else f"from {low}"


def _became(row: PlannedRow) -> str:
    if row.step is None:
        return str(row.state)
    if row.step.label in NOT_WORK:
        return _for_information(row)
    if row.work is not None:
        return f"{_WORK_SIGNS[row.work]} {row.work}"
    return str(row.state)


_WORK_SIGNS = {
    WorkOutcome.DONE: "✓",
    WorkOutcome.TOO_HARD: _OFF,
    WorkOutcome.TOO_EASY: _OFF,
    WorkOutcome.CUT_SHORT: "✕",
    WorkOutcome.MISSED: "✕",
}


def _for_information(row: PlannedRow) -> str:
    """A warm-up, recovery or cool-down has no mark: it does not count."""
    return f"done, {row.off_band}" if row.state is StepState.DONE and row.off_band else str(row.state)


_FIRST = ("Step", "Done", "Achieved", "Outcome")


def _draw_steps(page: Page, data: ActivityData, comparison: PlannedAndDone) -> None:
    """A row per step; short repetitions are a row per set, and the files have each repetition."""
    rows_and_sets = with_sets(comparison.rows)
    draw_choosing_rows(
        _steps(data, page.units),
        [_span_of(row_or_set) for row_or_set in rows_and_sets],
        key=f"activity.steps.{data.activity.id}",
        first=_FIRST,
        alt="Planned steps and what was done. Select a row to mark it in the panels.",
    )
    if any(isinstance(row_or_set, ShortSet) for row_or_set in rows_and_sets):
        st.caption(
            "A set is short repetitions with the same target: mean of the repetitions without their recoveries.",
            help=formula_help.text_of(
                weighted_mean, window="the repetitions of each set; skipped ones are left out of the mean."
            ),
        )
    export.draw_downloads(
        lambda: pd.DataFrame([_step_row(page.units, data, row) for row in comparison.rows]),
        name=f"steps-{data.activity.id}",
        key="activity.export.steps",
    )


@once
def _steps(data: ActivityData, units: Units) -> pd.DataFrame:
    comparison = planned_and_done(data)
    rows = comparison.rows if comparison else ()
    table = pd.DataFrame(
        [
            _set_row(units, data, row_or_set)
            if isinstance(row_or_set, ShortSet)
            else _step_row(units, data, row_or_set)
            for row_or_set in with_sets(rows)
        ]
    )
    return table if any(row.intensity for row in rows) else table.drop(columns="Planned intensity")


def _span_of(row_or_set: PlannedRow | ShortSet) -> tuple[float, float] | None:
    if isinstance(row_or_set, ShortSet):
        return row_or_set.span_s
    return None if isnan(row_or_set.done_s) else (row_or_set.from_s, row_or_set.to_s)


def _step_row(units: Units, data: ActivityData, row: PlannedRow) -> dict[str, str]:
    return {
        "Step": _name(row),
        "Planned intensity": formats.label(row.intensity) if row.intensity else "",
        "Planned": _planned(units, data, row),
        "Done": ", ".join(_done(units, data, row)),
        "Target": _range(units, data, row.column, row.target),
        "Achieved": _value(units, data, row.column, row.achieved),
        "Time on target": formats.percent(row.in_band * 100) if row.target is not None else formats.MISSING,
        "Outcome": _became(row),
    }


def _planned(units: Units, data: ActivityData, row: PlannedRow) -> str:
    """A step by distance by its distance: its time is an estimate."""
    metres = row.step.distance_m if row.step else None
    if metres is None:
        return formats.duration_hms(row.planned_s)
    return formats.distance(metres, data.activity.sport, units=units)


def _done(units: Units, data: ActivityData, row: PlannedRow) -> list[str]:
    duration = formats.duration_hms(row.done_s)
    if isnan(row.done_m):
        return [duration]
    return [formats.distance(row.done_m, data.activity.sport, units=units), duration]


def _set_row(units: Units, data: ActivityData, short_set: ShortSet) -> dict[str, str]:
    """One set: repetitions with their recovery, the mean of the repetitions, and how many count."""
    row = short_set.first
    outer = row.step.repeats[:-1] if row.step else ()
    turns = "".join(f" {which}/{many}" for which, many in outer)
    recorded = [row for row in short_set.work if not isnan(row.done_s)]
    return {
        "Step": f"Set{turns}",
        "Planned intensity": formats.label(row.intensity) if row.intensity else "",
        "Planned": _repeated(
            len(short_set.work), short_set.work, short_set.recoveries, lambda row: row.planned_s
        ),
        "Done": _repeated(len(recorded), recorded, short_set.recoveries, lambda row: row.done_s),
        "Target": _range(units, data, row.column, row.target),
        "Achieved": _value(units, data, row.column, short_set.achieved),
        "Time on target": formats.percent(short_set.in_band * 100)
        if row.target is not None
        else formats.MISSING,
        "Outcome": set_words(short_set),
    }


def _repeated(
    many: int, work: Sequence[PlannedRow], rests: Sequence[PlannedRow], read: Callable[[PlannedRow], float]
) -> str:
    """`12 × 0:40 / 0:20`: mean time of the repetitions and of the recoveries."""
    if not many:
        return formats.MISSING
    times = [
        formats.duration_hms(sum(times_s) / len(times_s))
        for rows in (work, rests)
        if (times_s := [read(row) for row in rows if not isnan(read(row))])
    ]
    return f"{many} × {' / '.join(times)}"


def set_words(short_set: ShortSet) -> str:
    """How many repetitions count in full, and why the others do not."""
    planned = len(short_set.work)
    if short_set.span_s is None:
        return f"✕ {StepState.SKIPPED}"
    others = Counter(
        str(row.work or row.off_band or row.state) for row in short_set.work if not row.is_achieved
    )
    sign = "✓" if short_set.done == planned else _OFF if short_set.done else "✕"
    why = "".join(f", {count} {reason}" for reason, count in others.most_common())
    return f"{sign} {short_set.done} of {planned}{why}"


def _distance(units: Units, metres: float) -> str:
    return formats.distance(metres, Sport.SWIMMING, units=units)


def _draw_sets(page: Page, data: ActivityData, comparison: PlannedAndDone) -> None:
    """A row of each set of a swim: repetitions by distance, pace while swimming, and rests at the wall."""
    table = pd.DataFrame(
        [
            {
                "Set": formats.label(swim_set.step.label) if swim_set.step else "Unplanned",
                "Planned": _repetitions(page.units, swim_set.planned_m),
                "Done": _repetitions(page.units, swim_set.done_m),
                "Stroke": ", ".join(formats.label(stroke) for stroke in swim_set.strokes) or formats.MISSING,
                "Target pace": _range(
                    page.units, data, "speed", swim_set.step.speed_mps if swim_set.step else None
                ),
                "Pace": _value(page.units, data, "speed", swim_set.speed_mps),
                "Planned rest": formats.duration_hms(swim_set.planned_rest_s),
                "Rest": formats.duration_hms(swim_set.rest_s),
                "Outcome": _set_outcome(swim_set),
            }
            for swim_set in comparison.sets
        ]
    )
    draw_choosing_rows(
        table,
        [
            (swim_set.span.from_s, swim_set.span.to_s) if swim_set.span else None
            for swim_set in comparison.sets
        ],
        key=f"activity.sets.{data.activity.id}",
        first=("Set", "Planned", "Done", "Outcome"),
        alt="Planned sets and what was swum. Select a row to mark it in the panels.",
    )
    export.draw_downloads(lambda: table, name=f"sets-{data.activity.id}", key="activity.export.sets")
    _draw_rules(
        "Steps are matched to pool lengths by distance and rests, not by position.",
        f"A repetition counts from {_share(FULL_SHARE)} of its distance, half from {_share(HALF_SHARE)}. With a target pace, more "
        f"than {_share(PACE_MARGINS[0])} too slow counts half, more than {_share(PACE_MARGINS[1])} not at all.",
        f"Pace: distance over swimming time. Rest: mean time at the wall, from {LEAST_REST_S:.0f} s.",
        how=formula_help.text_of(swim_score, window="this session."),
    )


def _repetitions(units: Units, metres: Sequence[float]) -> str:
    """Equal repetitions as "8 × 50 m"; others by their number and total."""
    if not metres or isnan(sum(metres)):
        return formats.MISSING
    texts = {_distance(units, distance_m) for distance_m in metres}
    if len(texts) > 1:
        return f"{len(metres)} ×, {_distance(units, sum(metres))} total"
    return f"{len(metres)} × {texts.pop()}" if len(metres) > 1 else texts.pop()


def _set_outcome(swim_set: SwimSet) -> str:
    if swim_set.step is None:
        return str(StepState.ADDED)
    planned = len(swim_set.planned_m)
    if isnan(swim_set.credit):
        return str(StepState.DONE if swim_set.done_m else StepState.SKIPPED)
    state = swim_set.compliance_state
    sign = palette.COMPLIANCE[state].sign if state else _WORK_SIGNS[WorkOutcome.MISSED]
    return f"{sign} {swim_set.credit:g} of {planned}"


def _say_rules(comparison: PlannedAndDone, *, is_adjusted: bool) -> None:
    below, above = (
        TOLERANCES[comparison.compliance.work.compared].below if comparison.compliance.work else (0.0, 0.0),
        TOLERANCES[comparison.compliance.work.compared].above if comparison.compliance.work else (0.0, 0.0),
    )
    _draw_rules(
        f"Work steps are found in the recording by {comparison.source}; order, extra repetitions and laps do not matter.",
        f"Done: at least {_share(FULL_SHARE)} of the time or distance, and the mean at most {_share(below[0])} below or "
        f"{_share(above[0])} above the target.",
        f"Half: at least {_share(HALF_SHARE)} of it, or a mean at most {_share(below[1])} below or {_share(above[1])} above.",
        f"Half at most: a step of {QUARTERS_FROM_S / 60:.0f} min or more whose hardest quarter is above that.",
        f"A workout with one work step of {ALONE_FROM_S / 60:.0f} min or more: its hardest quarter may be anywhere in the session.",
        "Steps without a rest between them, such as over-unders: their means must differ by at least half of the planned difference.",
        "Easy sessions may be easier; short, hard repetitions may be harder.",
        f"Time on target: within the target ± {_share(rules.IN_BAND_MARGIN)}, from means over a tenth of the "
        f"step, at most {rules.LONGEST_BAND_MEAN_S:.0f} s. It is for information.",
        *_measured(comparison.basis, is_adjusted=is_adjusted),
        f"Set: {LEAST_REPETITIONS} or more repetitions of at most {LONGEST_REPETITION_S:.0f} s with recovery. The files list "
        "each repetition.",
        _says_volume(comparison.basis),
        how=formula_help.text_of(execution_score, window="this session."),
    )


def _measured(basis: Basis | None, *, is_adjusted: bool) -> list[str]:
    """How the recording of a target differs from the panels."""
    column = basis.column if basis is not None else ""
    if column == "heart_rate":
        return [
            f"Mean heart rate leaves out the first {rules.HEART_RATE_LAG_S / 60:.0f} min of a step, because it follows an effort late."
        ]
    if column == "speed" and is_adjusted:
        return ["Achieved pace is grade-adjusted (Minetti), because a planned pace is one on the flat."]
    return []


def _draw_rules(*sentences: str, how: str) -> None:
    """One line each behind a click: as one block of grey text nobody read them. `how` has a worked example."""
    with st.expander("How are steps compared?"):
        st.markdown("\n".join(f"- {md(sentence)}" for sentence in sentences), help=how)


def _share(share: float) -> str:
    return formats.percent(share * 100)


def says_verdict(verdict: Compliance, *, is_recorded: bool) -> str:
    """The quantity that decides, and why it is not the work steps."""
    by, score = verdict.measure, verdict.work
    if by is None:
        return "No compliance: plan and session have no duration, distance, load or work in common."
    if score is not None:
        return f"Compliance scores the work steps by {score.compared}. Warm-up, recoveries and cool-down do not count."
    if not is_recorded:
        return f"Compliance is by {by}: the session has no recording."
    if verdict.state is ComplianceState.OPEN:
        return f"Compliance is by {by} until the work steps are scored."
    return f"Compliance is by {by}: the workout has no work steps, or the recording does not show them."


def _says_volume(basis: Basis | None) -> str:
    if basis is None or not basis.is_critical:
        return "Load is not compared: critical power and critical speed are unknown for that day."
    if basis.column == "heart_rate":
        return "Load is not compared: it needs power or speed. Levels in percent of maximum heart rate."
    return (
        "Load by steps, planned and done: hours × level² × 100, because a workout has no load of its own. Steps without "
        f"a target count as aerobic, rests as recovery. Levels in {_BASES[basis.column]}."
    )
