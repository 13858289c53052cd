"""The athlete's name, current status and profile."""

from collections.abc import Collection
from dataclasses import replace
from datetime import date, timedelta
from math import isnan

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from coachboard.client.errors import ServiceError
from coachboard.execution.adherence import Adherence, Match
from coachboard.flags.flag import Flag
from coachboard.flags.morning import NO_RULE, RULE, Morning, MorningVerdict, morning_verdict
from coachboard.flags.rules.hrv_low import hrv_low
from coachboard.flags.rules.resting_hr_high import resting_hr_high
from coachboard.flags.rules.sleep_short import sleep_short
from coachboard.formulas.season.load import SETTLING_D, WeekLoad, fitness_fatigue_form, week_load
from coachboard.loaders.load_state import load_states
from coachboard.loaders.newest_day import EVENTS, NIGHTS, PLANS, SESSIONS
from coachboard.pages.athlete.data import AthleteData, load_athlete, share_done
from coachboard.pages.athlete.days import draw_days
from coachboard.pages.athlete.season import chosen_model
from coachboard.pages.athlete_words import SETTLING, no_data_words, readiness, unfinished_import
from coachboard.ui.frame import formats, navigation, notices, shell
from coachboard.ui.frame.addresses import day_url, page_url
from coachboard.ui.frame.formats import MISSING, number
from coachboard.ui.frame.opening_day import opening_day, say_opening_day
from coachboard.ui.frame.own_data import say_empty
from coachboard.ui.frame.page import Athlete, Page
from coachboard.ui.frame.text import md, plain
from coachboard.ui.widgets import formula_help
from coachboard.ui.widgets.flag_facts import draw_facts, draw_rules
from coachboard.ui.widgets.key_numbers import Card, draw_numbers, terms_of
from coachboard.ui.widgets.lazy_section import is_near
from coachboard.ui.widgets.phone_columns import fitted
from coachboard.wire.enums import DataOnboardingStatus
from coachboard.wire.metrics import METRICS, MetricType

_CHART_DAYS = 182
"""The weeks that the page's charts begin with: with data in them, the page opens at today."""
_MOST_MISSED = 4
_PLAN_DONE = (
    "Load done ÷ load planned, last 6 weeks; excused plans do not count. Without a load: number of plans done. "
    f"{formats.PLANNED_LOAD}"
)


def draw_title(page: Page, athlete: Athlete) -> None:
    """The athlete's name, which is known before the other data."""
    page.heading.title(md(athlete.name), anchor=False, width="stretch")


def load(page: Page, athlete: Athlete) -> AthleteData:
    """Load the athlete's data; stop with an error if that fails."""
    data = _read(page, athlete, page.today_of(athlete.id))
    if data.known.is_empty_since(data.known.today - timedelta(days=_CHART_DAYS)):
        day = opening_day(page, athlete, (SESSIONS, PLANS, EVENTS, NIGHTS), days=_CHART_DAYS)
        say_opening_day(page, athlete, day)
        data = _read(page, athlete, day)
    if not data.known.done:
        _say_no_session(page, athlete, data)
    shell.say_age(page, *data.known.results)
    notices.say_problems(*data.results)
    for missing in data.missing:
        notices.say(missing.error, about=missing.what.capitalize())
    return data


def _say_no_session(page: Page, athlete: Athlete, data: AthleteData) -> None:
    """One line for a page without a session: the action that fills the page, or the day of the newest session."""
    newest = opening_day(page, athlete, (SESSIONS,), days=_CHART_DAYS)
    if newest != page.today_of(athlete.id):
        st.caption(
            f":material/history: No session in the last 12 months. The newest is from {formats.long_day(newest)}."
        )
        return
    say_empty(
        page,
        athlete.id,
        "No session yet.",
        fills="Sessions appear when recordings arrive.",
        rows="activities",
        of=data.results,
    )


def _read(page: Page, athlete: Athlete, day: date) -> AthleteData:
    try:
        return load_athlete(page.client, athlete.id, today=day, thresholds=page.preferences.flag_thresholds)
    except ServiceError as error:
        shell.stop_with(error)


def draw_headline(data: AthleteData) -> None:
    """The active flags."""
    if unfinished := unfinished_import(data.profile, data.no_data_since, today=data.known.today):
        st.caption(f":material/downloading: {unfinished}")
    if data.raised:
        draw_facts(data.raised)
        draw_rules(data.raised)


def draw_today(page: Page, data: AthleteData) -> None:
    """Key numbers, then next and last sessions: on a phone the status came after 14 rows of sessions."""
    _draw_numbers(page, data)
    draw_days(page, data)


def _draw_numbers(page: Page, data: AthleteData) -> None:
    """Load, week, plan, recovery, next event; one help icon explains the terms."""
    is_today = data.known.today == page.today_of(data.user_id)
    day = formats.day(data.known.today)
    cards = _cards(data, when="this morning" if is_today else f"on {day}")
    with st.container(gap="xsmall"):
        st.caption(
            "Current status" if is_today else f"Status on {day}", help=terms_of(cards), width="content"
        )
        draw_numbers(cards, key="athlete.numbers")
        if missed := _missed_words(data):
            st.markdown(
                f":small[{missed}]"
            )  # a caption fades its links below the contrast that a reader needs
        _draw_morning(data, when="This morning" if is_today else f"Morning of {day}")


def _draw_morning(data: AthleteData, *, when: str) -> None:
    """The verdict on recovery, the signs that decide it, and the rule."""
    verdict = data.morning
    st.markdown(
        f"**{when}: {verdict.morning}.** {md(morning_words(verdict))}",
        help=formula_help.text_of(
            morning_verdict, hrv_low, resting_hr_high, sleep_short,
            window="HRV 7 nights, resting heart rate 3, sleep 3 days; each vs the 60 days before.",
        ),
    )  # fmt: skip
    st.caption(RULE if verdict.morning is not Morning.UNKNOWN else NO_RULE)


def morning_words(verdict: MorningVerdict) -> str:
    """The deciding signs first, then the other values and the missing ones."""
    # Not "in range": a value just outside is no sign either.
    rest = "no concern: " if verdict.deciding else ""
    parts = (
        ", ".join(verdict.deciding),
        f"{rest}{', '.join(verdict.normal)}" if verdict.normal else "",
        "; ".join(verdict.unknown),
    )
    text = "; ".join(part for part in parts if part)
    return f"{text[:1].upper()}{text[1:]}."


def _cards(data: AthleteData, *, when: str) -> list[Card]:
    model = chosen_model()
    load_state = load_states(data.known, data.profile.data_onboarding_status)[model.id]
    is_known = not isnan(load_state.fitness)
    when = SETTLING if load_state.is_settling else _since(data) or when
    if data.no_data_since is not None:
        when = no_data_words(data.no_data_since, data.known.today)
    how = formula_help.text_of(fitness_fatigue_form, window="all loaded days before this morning.")
    week = data.known.week
    of_week = formula_help.text_of(week_load, window="the 7 days that end today; the 12 weeks before them.")
    cards = [
        Card(
            f"{model.fitness} {model.fitness_d:g} d",
            number(load_state.fitness),
            when,
            help=f"{model.says}\n\n{how}",
        ),
        Card(f"{model.fatigue} {model.fatigue_d:g} d", number(load_state.fatigue), when),
        Card("Form", formats.signed(load_state.form), when),
        Card(
            "Load, 7 days",
            number(week.last) if is_known else MISSING,
            _usual(data, week) if is_known else when,
            help=f"{formats.LOAD}\n\n{of_week}",
        ),
        _plan_done(data),
        *_nights(data),
        *_event(data),
    ]
    return with_flagged_first(cards, data.raised)


def _since(data: AthleteData) -> str:
    """The last session, where fitness has faded since: a fitness of 0 while an import still brings newer sessions."""
    newest = data.newest
    if newest is None or (data.known.today - newest.day).days <= SETTLING_D:
        return ""
    return f"last session {formats.day(newest.day, today=data.known.today)}"


def with_flagged_first(cards: list[Card], raised: Collection[Flag]) -> list[Card]:
    """A phone shows six: resting heart rate and HRV were hidden behind "3 more numbers" although both were flagged."""
    flagged = {flag.rule.card for flag in raised}
    return [replace(card, is_key=card.label in flagged) for card in cards]


def _usual(data: AthleteData, week: WeekLoad) -> str:
    source = formats.load_source(data.known.load_methods)
    return ", ".join(part for part in (f"12-week mean {number(week.usual)}", source) if part)


def _plan_done(data: AthleteData) -> Card:
    """Load done of the planned load; by number of plans if no plan has a load."""
    share, plans = share_done(data.known), data.plans
    if isnan(share) and plans.due:
        return Card("Done vs planned", f"{plans.done} of {plans.due}", "plans, 6 weeks", help=_PLAN_DONE)
    if isnan(share) and plans.counts[Adherence.UNKNOWN]:
        return Card("Done vs planned", MISSING, "sessions could not be read", help=_PLAN_DONE)
    return Card("Done vs planned", formats.percent(share * 100), "load, 6 weeks", help=_PLAN_DONE)


def _missed_words(data: AthleteData) -> str:
    """The missed plans that "Done vs planned" counts, the newest first, as links to the calendar; Markdown."""
    missed = [match for match in data.known.matches if match.adherence is Adherence.MISSED]
    if not missed:
        return ""
    newest = sorted(missed, key=lambda match: match.day, reverse=True)
    names = [_missed_link(data, match) for match in newest[:_MOST_MISSED]]
    if len(missed) > _MOST_MISSED:
        span = f"{newest[-1].day},{data.known.today}"
        url = page_url("calendar", athlete=data.user_id, plans=span)
        names.append(f"[{len(missed) - _MOST_MISSED} more]({url})")
    return f"Missed, 6 weeks ({len(missed)}): {', '.join(names)}"


def _missed_link(data: AthleteData, match: Match) -> str:
    assert match.planned is not None
    title = plain(match.planned.title, longest=40) or formats.sport(match.planned.sport)
    return (
        f"[{md(title)}]({day_url(data.user_id, match.day)}) {formats.day(match.day, today=data.known.today)}"
    )


def _nights(data: AthleteData) -> list[Card]:
    days = data.known.days
    cards = []
    for label, values, write, more in (
        ("Sleep", days.asleep_h, formats.hours, _naps(days.nap_h[-7:])),
        ("Resting heart rate", days.resting_hr_bpm, formats.heart_rate, ""),
    ):
        recent = values[-7:]
        recorded = recent[~np.isnan(recent)]
        if len(recorded):
            cards.append(
                Card(
                    label,
                    write(float(recorded.mean())),
                    f"mean of {formats.count(len(recorded), 'night')}{more}",
                )
            )
    if not isnan(data.hrv_mean_ms):
        cards.append(
            Card(
                "HRV",
                number(data.hrv_mean_ms, 0, "ms"),
                f"mean of {formats.count(data.hrv_nights, 'night')}",
                help="Mean of ln HRV (rMSSD).",
            )
        )
    return cards


def _naps(nap_h: NDArray[np.float64]) -> str:
    """Naps of the last days, which the mean of the nights excludes."""
    naps = nap_h[~np.isnan(nap_h)]
    return f", {formats.count(len(naps), 'nap')} of {formats.hours(float(naps.mean()))}" if len(naps) else ""


def _event(data: AthleteData) -> list[Card]:
    if not data.known.events:
        return []
    day, name = data.known.events[0]
    days = (day - data.known.today).days
    return [Card("Event", "today" if days == 0 else number(days, 0, "d"), plain(name, longest=32))]


@st.fragment
def draw_profile(page: Page, data: AthleteData) -> None:
    """All fields of the profile, the latest metrics with their source, the service's models."""
    if not is_near(f"athlete.profile.{data.user_id}", shows="profile"):
        return
    user = data.profile
    born = user.date_of_birth
    facts = {
        "Born": "–" if born is None else formats.day(born)[4:],
        "Gender": formats.label(user.gender),
        "Height": formats.height(user.height, units=page.units),
        "History import": str(user.data_onboarding_status),
    }
    if user.data_onboarding_status is DataOnboardingStatus.DONE and data.known.is_empty_since(date.min):
        del facts["History import"]  # the Coachboard service says "done" also of a person without any import
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("  \n".join(f":gray[{name}]\u2002{md(value)}" for name, value in facts.items()))
        if ready := _readiness(data):
            st.caption(ready)
    with right:
        _draw_metrics(page, data)
        # A link would fail where the page is opened without the navigation.
        if page.client.planning.has("availability") and st.button(
            "Set values and hours", key="athlete.values", type="tertiary", icon=":material/speed:"
        ):
            st.switch_page(navigation.page_path("values"), query_params={"athlete": data.user_id})


def _readiness(data: AthleteData) -> str:
    ready = readiness(data.profile)
    if not ready:
        return ""
    words = (f"{name} {'ready' if is_ready else 'not yet'}" for name, is_ready in ready.items())
    return f"Estimates from recordings: {', '.join(words)}."


def _draw_metrics(page: Page, data: AthleteData) -> None:
    latest = data.latest_metrics
    if not latest:
        say_empty(
            page,
            data.user_id,
            "No metrics yet.",
            fills="Weight, critical power and others appear once a value is known.",
            kind="values",
            rows="users metrics",
            of=data.results,
        )
        return
    rows = [
        (
            METRICS[metric.type].title,
            formats.label(metric.sport) if metric.sport != "global" else "All sports",
            formats.metric(metric.type, metric.sport, value, unit, units=page.units),
            formats.METRIC_SOURCES[metric.source],
        )
        for metric, value, unit in sorted(latest, key=lambda row: (row[0].type, row[0].sport))
    ]
    table = pd.DataFrame(rows, columns=["Metric", "Sport", "Latest", "Source"])
    st.dataframe(
        fitted(table, ("Metric", "Sport", "Latest"), key="athlete.metrics"),
        hide_index=True,
        key="athlete.metrics",
    )
    kinds = {metric.type for metric, *_ in latest}
    resting = (
        " Resting heart rate in this table is a single measurement; the one at the top of the page is a mean of nights."
        if MetricType.RESTING_HEART_RATE in kinds
        else ""
    )
    st.caption(f"Latest values, which may be weeks old; dates and earlier values: Trends, Metrics.{resting}")
