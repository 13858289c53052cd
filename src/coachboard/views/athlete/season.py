"""Load over the season with planned sessions, weekly volume, and best efforts by period."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from coachboard.analytics.frames import (
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
from coachboard.analytics.season.forecast import expected_load
from coachboard.analytics.season.load import CLASSIC, MODELS, LoadModel, fitness_fatigue_form
from coachboard.analytics.season.phases import PhaseKind, season_phases
from coachboard.analytics.season.season_outlook import RaceDay, Season, race_day
from coachboard.charts import palette
from coachboard.charts.mean_maximal import Curve, mean_maximal_chart
from coachboard.charts.season_load import season_load_chart
from coachboard.charts.weekly_volume import weekly_volume_chart
from coachboard.loaders.athlete import page_data as loading
from coachboard.loaders.athlete.page_data import AthleteData
from coachboard.loaders.power_curves import MOST_NEW, SeasonCurve
from coachboard.views.frame import formats, notices, state
from coachboard.views.frame.own_data import say_empty
from coachboard.views.frame.page import Page
from coachboard.views.frame.text import md, plain
from coachboard.views.widgets import formulas
from coachboard.views.widgets.lazy_section import is_near
from coachboard.views.widgets.plot import draw_chart
from coachboard.views.widgets.toolbar import RadioRow, draw_bar

_SPANS = {"13": "3 months", "26": "6 months", "52": "12 months"}


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
        RadioRow("model", "Model", {one.id: one.title for one in MODELS.values()}, CLASSIC.id),
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
        says=_ended(data) or _load_says(season, len(data.ahead)),
        data=lambda: _load_table(season, from_at),
    )
    st.markdown(
        phase_words(season, from_at),
        help=formulas.on_demand(season_phases, window="the 12 months up to today and the planned weeks."),
    )
    if (race := loading.next_race(season)) is not None:
        st.markdown(
            md(race_words(season, race)),
            help=formulas.on_demand(
                race_day,
                expected_load,
                fitness_fatigue_form,
                window="from today to the morning of the next race.",
            ),
        )
    source = formats.load_source(data.known.load_methods)
    st.caption(
        f"{season.model.says} {f'The load of sessions that come without one is {source}. ' if source else ''}"
        "Planned load is estimated from the athlete's median load per hour in similar sessions (120 days). "
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


def _load_says(season: Season, open_plans: int) -> str:
    last = season.lines_end_at
    now = season.actual.iloc[-1]
    ends = ", ".join(f"{formats.number(f.frame[FITNESS].iloc[last])} {f.name}" for f in season.futures)
    horizon, today = (formats.day(season.days[at])[4:] for at in (last, season.today_at))
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
        done, planned = done.assign(**_in_hours(done)), planned.assign(**_in_hours(planned))
    write = formats.sport if by == SPORT else formats.label
    figure = partial(
        weekly_volume_chart,
        done, planned, by=by, amount=amount, title="Hours" if amount == DURATION_S else "Load",
        labels={str(group): write(str(group)) for group in {*done[by], *planned[by]}},
        races=(*data.known.past_events, *data.known.events),
    )  # fmt: skip
    grouped = "sport" if by == SPORT else "stimulus"
    says = (
        f"Weekly {'hours' if amount == DURATION_S else 'load'} by {grouped}. Outlined = planned; line = race."
    )
    table = pd.DataFrame(
        {
            "Week of": done[WEEK],
            "Sport" if by == SPORT else "Stimulus": [write(str(group)) for group in done[by]],
            "Hours" if amount == DURATION_S else "Load": done[amount].round(1),
            "Sessions": done[SESSIONS],
        }
    )
    draw_chart(figure, key="athlete.weekly", says=says, data=table)


def _in_hours(frame: pd.DataFrame) -> dict[str, pd.Series]:
    return {DURATION_S: frame[DURATION_S] / 3600}


@st.fragment
def draw_curves(page: Page, data: AthleteData) -> None:
    """Best mean power by duration and period, from the streams cached so far."""
    if not is_near(f"athlete.curves.{data.user_id}", shows="best efforts"):
        return
    with_year = st.toggle(
        "With the last 12 months", key="athlete.year", help="Uses the sessions loaded so far."
    )
    # The first run shows cached curves and the next run computes them, so that the page does not wait.
    most_new = MOST_NEW if state.get("athlete.curves_seen") == data.user_id else 2
    state.put("athlete.curves_seen", data.user_id)
    found = loading.period_curves(page.client, data.known, with_year=with_year, most_new=most_new)
    known = {
        name: curve for name, curve in found.curves.items() if curve.known and np.isfinite(curve.best).any()
    }
    widest = max(found.curves.values(), key=lambda curve: curve.total)
    if not widest.total:
        notices.say_empty(
            "No session of the last 12 weeks has power.",
            fills="Sessions with a power meter fill this chart.",
            rows="activities",
            of=data.results,
        )
        return
    counted = "; ".join(_counted(name, curve) for name, curve in found.curves.items())
    if not known and widest.known < widest.total:
        st.caption(f"The recordings load in the background. Sessions so far: {counted}.")
    elif not known:
        notices.say_empty(f"No session has power streams: {counted}.", fills="")
    else:
        curves = [
            Curve(
                f"{name} ({curve.used} of {formats.count(curve.total, 'session')})",
                curve.best,
                [formats.power(value) for value in curve.best],
                is_this=at == 0,
                is_model=name == "last 12 months",
            )
            for at, (name, curve) in enumerate(known.items())
        ]
        figure = partial(
            mean_maximal_chart, found.durations_s, curves, title="Power (W)", colour=palette.quantity("power")
        )
        table = pd.DataFrame(
            {"Duration, s": found.durations_s}
            | {f"{name[:1].upper()}{name[1:]}, W": curve.best.round() for name, curve in known.items()}
        )
        draw_chart(
            figure,
            key="athlete.curve",
            says=f"Best mean power by duration. Sessions included: {counted}.",
            data=table,
        )
    if widest.known < widest.total:
        st.button(
            "Update with newly loaded sessions",
            key="athlete.more_streams",
            icon=":material/refresh:",
            type="tertiary",
        )


def _counted(name: str, curve: SeasonCurve) -> str:
    bare = f", {curve.without_streams} without streams" if curve.without_streams else ""
    return f"{name} {curve.known} of {curve.total}{bare}"


def _choose(key: str, *choices: RadioRow) -> tuple[str, ...]:
    """Choices in the URL unless they are the default."""
    usual = {choice.name: choice.chosen for choice in choices}
    asked = [replace(choice, chosen=_asked(choice), is_labelled=True) for choice in choices]
    draw_bar(asked, key=key, on_change=lambda name, says: _take(name, says, usual[name]))
    return tuple(choice.chosen for choice in asked)


def _asked(choice: RadioRow) -> str:
    asked = state.get_param(choice.name)
    return asked if asked and asked in choice.options else choice.chosen


def _take(name: str, says: str, usual: str) -> None:
    state.set_param(name, None if says == usual else says)
