"""Load over the season with planned sessions, weekly volume, and best efforts by period."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.charts.power_and_pace import Curve, mean_maximal_chart
from coachboard.charts.season_load import season_load_chart
from coachboard.charts.weekly_volume import weekly_volume_chart
from coachboard.execution.forecast import expected_load
from coachboard.formulas.frames import (
    DURATION_S,
    FATIGUE,
    FITNESS,
    FORM,
    SESSIONS,
    SPORT,
    STIMULUS,
    VOLUME,
    WEEK,
)
from coachboard.formulas.season.load import CLASSIC, MODELS, LoadModel, fitness_fatigue_form
from coachboard.formulas.season.phases import PhaseKind, season_phases
from coachboard.formulas.season.season_outlook import RaceDay, Season, race_day
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.loaders import power_curves
from coachboard.loaders.power_curves import MOST_NEW, SeasonCurve, curves_of_ids
from coachboard.pages.athlete import data as loading
from coachboard.pages.athlete.data import AthleteData, CurveKind, PeriodCurves
from coachboard.ui.frame import formats, notices, state
from coachboard.ui.frame.own_data import say_empty
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.lazy_section import is_near
from coachboard.ui.widgets.pace_ticks import pace_ticks
from coachboard.ui.widgets.plot import draw_chart
from coachboard.ui.widgets.toolbar import RadioRow, draw_bar
from coachboard.wire.enums import Sport

_SPANS = {"13": "3 months", "26": "6 months", "52": "12 months"}


_CURVES = {"power": "Power", "speed": "Pace", ADJUSTED_SPEED: "Grade-adjusted pace"}
_FOLLOW_S = 2.0
_CHOSEN_MODEL = "athlete.chosen_model"


def chosen_model() -> LoadModel:
    """The load model in the session state; a change redraws the numbers."""
    asked = state.get_param("model") or ""
    model = MODELS.get(asked, CLASSIC)
    state.put(_CHOSEN_MODEL, model.id)
    return model


@st.fragment
def draw_load(page: Page, data: AthleteData) -> None:
    """Fitness, fatigue and form: as planned, at 80 % of the plan, and at the share that the athlete usually does."""
    if not data.known.done:
        notices.say_empty("No session in the last 12 months.", fills="", rows="activities", of=data.results)
        return
    if not data.known.has_volume:
        say_empty(
            page,
            data.user_id,
            "No load in the last 12 months: no session has a load.",
            fills="The load of sessions that come without one is computed from power, running or swimming speed, or heart rate; it "
            "needs the athlete's critical power, critical speed, or maximum and resting heart rate.",
            kind="load",
            rows="activities",
            of=data.results,
        )
        return
    model, past = _choose(
        "athlete.load_choices",
        RadioRow(
            "model",
            "Model",
            {model_option.id: model_option.title for model_option in MODELS.values()},
            CLASSIC.id,
        ),
        RadioRow("weeks", "Past", _SPANS, "26"),
    )
    weeks = int(past)
    if state.get(_CHOSEN_MODEL) != model:
        st.rerun()
    season = loading.season(data.known, MODELS[model])
    from_at = max(season.today_at - weeks * 7, 0)
    draw_chart(
        partial(season_load_chart, season, from_at=from_at),
        key="athlete.load",
        says=_ended(data) or load_says(season, len(data.ahead)),
        data=lambda: _load_table(season, from_at),
    )
    st.markdown(
        phase_words(season, from_at),
        help=formula_help.text_of(season_phases, window="the 12 months up to today and the planned weeks."),
    )
    if (race := loading.next_race(season)) is not None:
        st.markdown(
            md(race_words(season, race)),
            help=formula_help.text_of(
                race_day,
                expected_load,
                fitness_fatigue_form,
                window="from today to the morning of the next race.",
            ),
        )
    source = formats.load_source(data.known.load_methods)
    st.caption(
        f"{season.model.says} {f'The load of sessions that come without one is {source}. ' if source else ''}"
        f"{formats.PLANNED_LOAD} "
        f"Calculated over the last 12 months.{_settling_words(season, from_at)}"
    )


def _settling_words(season: Season, from_at: int) -> str:
    """Of the weeks that are not judged, if the chart shows them."""
    is_shown = any(day >= season.days[from_at] for day in season.settling)
    return " The first 6 weeks of the curves depend on a starting guess." if is_shown else ""


def _ended(data: AthleteData) -> str:
    """The last day of the load if the import failed: fitness and form of today are unknown."""
    since = data.no_data_since
    if since is None:
        return ""
    return f"The load up to {formats.day(since)[4:]}; the lines after it count the days without data as rest."


def load_says(season: Season, open_plans: int) -> str:
    """Fitness and form of the morning, and where the plan leads."""
    last = season.lines_end_at
    now = season.actual.iloc[-1]
    ends = ", ".join(f"{formats.number(f.frame[FITNESS].iloc[last])} {f.name}" for f in season.futures)
    horizon, today = (formats.day(season.days[place])[4:] for place in (last, season.today_at))
    today_text = f"{season.model.fitness} {formats.number(now[FITNESS])} and form {formats.signed(now[FORM])} on the morning of {today}"
    if not season.planned.any():
        why = (
            f"The load of {formats.count(open_plans, 'planned session')} cannot be estimated yet"
            if open_plans
            else "Nothing is planned"
        )
        return f"{today_text}. {why}: the lines after this day show detraining."
    return f"{today_text}. The lines end with the plan, on {horizon}, when {season.model.fitness.lower()} would be {ends}."


def race_words(season: Season, race: RaceDay) -> str:
    """Form and fitness on the morning of the race: the range of all scenarios, then each of them."""
    low, high = min(race.form.values()), max(race.form.values())
    span = (
        formats.signed(low)
        if round(low) == round(high)
        else f"{formats.signed(low)} to {formats.signed(high)}"
    )
    each = ", ".join(
        f"{name} {formats.signed(form)} ({season.model.fitness.lower()} {formats.number(race.fitness[name])})"
        for name, form in race.form.items()
    )
    gap = race.plan_ends_days_before - 1
    late = f" The plan ends {formats.count(gap, 'day')} before the race." if gap > 0 else ""
    return f"Race day, {formats.day(race.day)}, {plain(race.name, longest=60)}: form {span}; {each}.{late}"


def phase_words(season: Season, from_at: int) -> str:
    """The phases of the days shown with their days and weekly load, that of today named and in bold; Markdown."""
    phases = season.phases_from(from_at)
    if not phases:
        return "No phases: they need a race at most 24 weeks ahead and 4 weeks of load before."
    today = season.days[season.today_at]
    parts = []
    for phase in phases:
        first, last = (f"{day:%-d %b}" for day in (phase.first, phase.last))
        words = f"{phase.kind} {first}" if first == last else f"{phase.kind} {first} to {last}"
        if phase.kind is not PhaseKind.RACE:
            words += f" ({formats.number(phase.load_per_week)} a week)"
        parts.append(f"**now: {md(words)}**" if phase.first <= today <= phase.last else md(words))
    return f"Phases, with load (done up to today, then planned): {', '.join(parts)}."


def _load_table(season: Season, from_at: int) -> pd.DataFrame:
    columns: dict[str, object] = {
        "Day": season.days,
        "Load": season.volume.round(1),
        "Planned load": season.planned.round(1),
    }
    columns["Phase"] = [
        next((str(phase.kind) for phase in season.phases if phase.first <= day <= phase.last), "")
        for day in season.days
    ]
    for future in season.futures:
        for name, title in ((FITNESS, season.model.fitness), (FATIGUE, season.model.fatigue), (FORM, "Form")):
            columns[f"{title}, {future.name}"] = future.frame[name].round(1)
    return pd.DataFrame(columns).iloc[from_at:]


@st.fragment
def draw_weeks(page: Page, data: AthleteData) -> None:
    """Volume or time per week, by sport or by stimulus."""
    if not is_near(f"athlete.weeks.{data.user_id}", shows="weeks"):
        return
    by, amount, past = _choose(
        "athlete.week_choices",
        RadioRow("by", "Group", {SPORT: "By sport", STIMULUS: "By stimulus"}, SPORT),
        RadioRow("amount", "Amount", {VOLUME: "Load", DURATION_S: "Hours"}, VOLUME),
        RadioRow("volume_weeks", "Past", _SPANS, "26"),
    )
    weeks = int(past)
    weekday = page.first_weekday
    done = loading.weekly(data.known, by=by, first_weekday=weekday, weeks=weeks)
    planned = loading.weekly_planned(data.known, by=by, first_weekday=weekday)
    targets = loading.weekly_targets(data.known, by=by, first_weekday=weekday, weeks=weeks)
    if done.empty and planned.empty:
        notices.say_empty(
            "No session in this period." if data.known.done else "No session in the last 12 months.",
            fills="Choose a longer period." if data.known.done else "",
            rows="activities",
            of=data.results,
        )
        return
    if amount == VOLUME and not data.known.has_volume:
        notices.say_empty(
            "No session of the last 12 months has a load.",
            fills="Choose Hours to see the time.",
            rows="activities",
            of=data.results,
        )
        return
    if amount == DURATION_S:
        done, planned, targets = (frame.assign(**_in_hours(frame)) for frame in (done, planned, targets))
    write = formats.sport if by == SPORT else formats.label
    figure = partial(
        weekly_volume_chart,
        done, planned, by=by, amount=amount, title="Hours" if amount == DURATION_S else "Load",
        labels={str(group): write(str(group)) for group in {*done[by], *planned[by]}},
        targets=_by_week(targets, amount),
        races=(*data.known.past_events, *data.known.events),
    )  # fmt: skip
    grouped = "sport" if by == SPORT else "stimulus"
    summary = f"Weekly {'hours' if amount == DURATION_S else 'load'} by {grouped}. Outlined = still planned; dash = planned in all, known for the last 6 weeks and ahead; line = race."
    compared = done.merge(targets, on=[WEEK, by], how="outer", suffixes=("", " planned"))
    compared[SESSIONS] = compared[SESSIONS].fillna(0).astype(int)
    name = "Hours" if amount == DURATION_S else "Load"
    table = pd.DataFrame(
        {
            "Week of": compared[WEEK],
            "Sport" if by == SPORT else "Stimulus": [write(str(group)) for group in compared[by]],
            f"Planned {name.lower()}": compared[f"{amount} planned"].round(1),
            name: compared[amount].round(1),
            "Sessions": compared[SESSIONS],
        }
    )
    draw_chart(figure, key="athlete.weekly", says=summary, data=table)


def _by_week(totals: pd.DataFrame, amount: str) -> dict[date, float]:
    summed = totals.groupby(WEEK)[amount].sum(min_count=1).dropna()
    return dict(zip(summed.index, summed.tolist(), strict=True))


def _in_hours(frame: pd.DataFrame) -> dict[str, pd.Series]:
    return {DURATION_S: frame[DURATION_S] / 3600}


@st.fragment
def draw_curves(page: Page, data: AthleteData) -> None:
    """Best mean power or pace by duration and period, from the streams cached so far."""
    if not is_near(f"athlete.curves.{data.user_id}", shows="best efforts"):
        return
    kinds = {kind.id: kind for kind in loading.curve_kinds(data.known)}
    if not kinds:
        notices.say_empty(
            "No session of the last 12 months has power, and no run has a speed.",
            fills="Rides and runs with a power meter and runs with a speed fill this chart.",
            rows="activities",
            of=data.results,
        )
        return
    chosen = next(iter(kinds))
    if len(kinds) > 1:
        options = {
            kind.id: _curve_title(kind)
            for kind in sorted(kinds.values(), key=lambda kind: list(_CURVES).index(kind.column))
        }
        (chosen,) = _choose("athlete.curve_choices", RadioRow("best", "Curve", options, chosen))
    kind = kinds[chosen]
    with_year = st.toggle(
        "With the last 12 months", key="athlete.year", help="Uses the sessions loaded so far."
    )
    # The first run shows cached curves and the next run computes them, so that the page does not wait.
    most_new = MOST_NEW if state.get("athlete.curves_seen") == data.user_id else 2
    read = partial(curves_of_ids, most_new=most_new)
    state.put("athlete.curves_seen", data.user_id)
    periods = loading.period_curves(page.client, data.known, kind, with_year=with_year, read=read)
    _draw_period_curves(page, data, kind, periods)
    if not periods.is_complete:
        st.fragment(_follow, run_every=_FOLLOW_S)(page, data, kind, periods)


def _curve_title(kind: CurveKind) -> str:
    """`Power`, of another sport than cycling `Running power`."""
    title = _CURVES[kind.column]
    is_cycling = kind.column != "power" or kind.sport is Sport.CYCLING
    return title if is_cycling else f"{formats.sport(kind.sport)} {title.lower()}"


def _draw_period_curves(page: Page, data: AthleteData, kind: CurveKind, periods: PeriodCurves) -> None:
    column = kind.column
    drawn = {
        name: curve for name, curve in periods.curves.items() if curve.used and np.isfinite(curve.best).any()
    }
    widest = max(periods.curves.values(), key=lambda curve: curve.total)
    if not widest.total + widest.without_streams:
        notices.say_empty(
            f"No session of the last 12 weeks has {'power' if column == 'power' else 'a pace'}.",
            fills='Choose "With the last 12 months" to see older sessions.',
            rows="activities",
            of=data.results,
        )
        return
    if not drawn:
        if widest.is_complete:
            notices.say_empty(f"No session has streams: {_counts(periods)}.", fills="")
        return
    text, title, ticks = _scale(page, column, [curve.best for curve in drawn.values()])
    curves = [
        Curve(
            f"{name} ({curve.used} of {formats.count(curve.total, 'session')})",
            curve.best,
            [text(value) for value in curve.best],
            is_this=number == 0,
            is_model=name == "last 12 months",
        )
        for number, (name, curve) in enumerate(drawn.items())
    ]
    figure = partial(
        mean_maximal_chart,
        periods.durations_s,
        curves,
        title=title,
        colour=palette.quantity("power" if column == "power" else "speed"),
        ticks=ticks,
    )
    draw_chart(
        figure,
        key="athlete.curve",
        says=f"Best mean {_curve_title(kind).lower()} by duration. Sessions included: {_counts(periods)}.",
        data=lambda: _curve_table(page, column, periods.durations_s, drawn),
    )


def _scale(
    page: Page, column: str, bests: Sequence[NDArray[np.float64]]
) -> tuple[Callable[[float], str], str, list[tuple[float, str]]]:
    """The text of a value, the title of the axis, and ticks at round paces."""
    if column == "power":
        return formats.power, "Power (W)", []
    per_m, unit = formats.pace_unit(Sport.RUNNING, units=page.units)
    values = np.concatenate(bests)
    moving = values[np.isfinite(values) & (values > 0)]
    ticks = pace_ticks(float(moving.min()), float(moving.max()), per_m) if len(moving) else []
    return partial(formats.pace, sport=Sport.RUNNING, units=page.units), f"{_CURVES[column]} ({unit})", ticks


def _curve_table(
    page: Page, column: str, durations_s: Sequence[int], drawn: Mapping[str, SeasonCurve]
) -> pd.DataFrame:
    """A pace in seconds: spreadsheets take 4:05 for a time of day."""
    per_m, unit = formats.pace_unit(Sport.RUNNING, units=page.units)
    is_power = column == "power"
    head = "W" if is_power else f"s {unit}"
    return pd.DataFrame(
        {"Duration, s": durations_s}
        | {
            f"{name[:1].upper()}{name[1:]}, {head}": curve.best.round()
            if is_power
            else (per_m / np.where(curve.best > 0, curve.best, np.nan)).round(1)
            for name, curve in drawn.items()
        }
    )


def _follow(page: Page, data: AthleteData, kind: CurveKind, drawn: PeriodCurves) -> None:
    """How many sessions are read by now; the curves are drawn again when it matters, not at each session."""
    with_year = loading.YEAR in drawn.curves
    periods = loading.period_curves(
        page.client, data.known, kind, with_year=with_year, read=power_curves.kept_curves
    )
    is_reading = power_curves.is_reading(page.client)
    others = (
        "Others load in the background; the curves are drawn again with half and with all of them."
        if is_reading
        else "The others could not be loaded; a choice above tries again."
    )
    st.caption(f"Sessions read: {_counts(periods)}. {others}")
    if power_curves.is_worth_drawing(drawn.curves.values(), periods.curves.values(), is_reading=is_reading):
        st.rerun()


def _counts(periods: PeriodCurves) -> str:
    return "; ".join(_counted(name, curve) for name, curve in periods.curves.items())


def _counted(name: str, curve: SeasonCurve) -> str:
    """The share of the sessions that are read; a session without streams cannot be."""
    parts = [f"{curve.used} of {curve.total}"] if curve.total else []
    if curve.without_streams:
        parts.append(f"{curve.without_streams} without streams")
    return f"{name} {', '.join(parts) or 'none'}"


def _choose(key: str, *choices: RadioRow) -> tuple[str, ...]:
    """Choices in the URL unless they are the default."""
    usual = {choice.name: choice.chosen for choice in choices}
    asked = [replace(choice, chosen=_asked(choice), is_labelled=True) for choice in choices]
    draw_bar(asked, key=key, on_change=lambda name, picked: _take(name, picked, usual[name]))
    return tuple(choice.chosen for choice in asked)


def _asked(choice: RadioRow) -> str:
    asked = state.get_param(choice.name)
    return asked if asked and asked in choice.options else choice.chosen


def _take(name: str, choice: str, usual: str) -> None:
    state.set_param(name, None if choice == usual else choice)
