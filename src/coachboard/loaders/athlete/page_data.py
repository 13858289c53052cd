"""Data of the athlete page: profile, the year with planned sessions, weeks, next plans."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import isnan, nan

import numpy as np
import pandas as pd

from coachboard.analytics.days import daily_sum, day_row, week_start
from coachboard.analytics.frames import SPORT
from coachboard.analytics.planning.adherence import (
    Adherence,
    AdherenceSummary,
    Done,
    Match,
    Planned,
    summarize,
)
from coachboard.analytics.recovery.baseline import trailing_count
from coachboard.analytics.recovery.hrv import ln_hrv, seven_day_line
from coachboard.analytics.recovery.metric_values import base_value, shown_value
from coachboard.analytics.season.forecast import expected_load, own_share
from coachboard.analytics.season.load import LoadModel, fitness_fatigue_form, own_start
from coachboard.analytics.season.phases import season_phases
from coachboard.analytics.season.season_outlook import Future, RaceDay, Season, race_day
from coachboard.analytics.season.weeks import week_totals
from coachboard.analytics.session.mean_maximal import DURATIONS
from coachboard.client import Client, Result
from coachboard.flags import engine
from coachboard.flags.flag import Flag
from coachboard.flags.morning import MorningVerdict, morning_verdict
from coachboard.loaders.known_days import AHEAD_DAYS, PLAN_DAYS_AFTER, KnownDays, load_known
from coachboard.loaders.power_curves import MOST_NEW, SeasonCurve, best_of_ids
from coachboard.loaders.requests import Missing
from coachboard.models.enums import MetricUnit
from coachboard.models.users import LatestMetric, UserProfile

AS_PLANNED = "as planned"
SHARES = {AS_PLANNED: 1.0, "at 80 % of plan": 0.8}
AT_REST = "at rest"
YEAR = "last 12 months"
PERIODS = {"last 6 weeks": (42, 0), "previous 6 weeks": (84, 42), YEAR: (364, 0)}


@dataclass(frozen=True, slots=True, eq=False)
class AthleteData:
    """All data of the athlete page; no further request is needed."""

    user_id: str  # "me" for the user
    profile: UserProfile
    known: KnownDays
    flags: tuple[Flag, ...]
    results: tuple[Result[object], ...]
    missing: tuple[Missing, ...] = ()

    @property
    def ahead(self) -> list[Match]:
        """Open plans, nearest first."""
        return [match for match in self.known.matches if match.adherence is Adherence.AHEAD]

    @property
    def next_days(self) -> list[Match]:
        """Open plans of today and the next six days: those of the roster's planned load."""
        end = self.known.today + timedelta(days=AHEAD_DAYS)
        return [match for match in self.ahead if match.day < end]

    def last(self, client: Client, most: int) -> tuple[Match, ...]:
        """The last sessions and missed plans, newest first."""
        past = [match for match in self.known.matches if match.adherence is not Adherence.AHEAD]
        return self.known.judged(client, self.user_id, past[::-1][:most])

    @property
    def raised(self) -> tuple[Flag, ...]:
        """The raised flags, most serious first."""
        return engine.raised(self.flags)

    @property
    def no_data_since(self) -> date | None:
        """The last session before a failed import."""
        return self.known.no_data_since(self.profile.data_onboarding_status)

    @property
    def morning(self) -> MorningVerdict:
        """The verdict on this morning's recovery."""
        return morning_verdict(self.known.nights)

    @property
    def hrv_nights(self) -> int:
        """The nights of `hrv_mean_ms`."""
        return int(trailing_count(ln_hrv(self.known.nights.hrv_ms))[-1])

    @property
    def hrv_mean_ms(self) -> float:
        """7-day mean of HRV (rMSSD) over its logarithms in ms, NaN if it is unknown."""
        return float(np.exp(seven_day_line(self.known.nights.hrv_ms)[-1]))

    @property
    def plans(self) -> AdherenceSummary:
        """How many plans of the known days were done, missed, excused or are unknown."""
        return summarize(self.known.matches)

    @property
    def latest_metrics(self) -> list[tuple[LatestMetric, float, MetricUnit]]:
        """Each metric's latest value in the unit that pages show; without unreadable values."""
        shown = (
            (metric, *shown_value(metric.type, base_value(metric.type, metric.value)))
            for metric in self.profile.latest_metrics
        )
        return [(metric, value, unit) for metric, value, unit in shown if not isnan(value)]

    @property
    def newest(self) -> Done | None:
        """The last session."""
        return self.known.done[-1] if self.known.done else None


def load_athlete(
    client: Client, user_id: str, *, today: date, thresholds: Mapping[str, float]
) -> AthleteData:
    """One athlete; raises `ServiceError` if profile, sessions or plans fail and are not cached."""
    profile = client.get_user(user_id)
    missing: list[Missing] = []
    known = load_known(client, user_id, today=today, missing=missing)
    return AthleteData(
        user_id=user_id,
        profile=profile.value,
        known=known,
        flags=known.once(
            ("flags", profile.value.data_onboarding_status, *sorted(thresholds.items())),
            lambda: engine.evaluate(known.judged_days(profile.value.data_onboarding_status), thresholds),
        ),
        results=(profile, *known.results),
        missing=tuple(missing),
    )


def season(known: KnownDays, model: LoadModel) -> Season:
    """Load over the year and the planned weeks, at three shares of the plan and at rest."""
    return known.once(("season", model.id), lambda: _season(known, model))


def _season(known: KnownDays, model: LoadModel) -> Season:
    end = known.today + timedelta(days=PLAN_DAYS_AFTER)
    days = day_row(known.first_day, end)
    volume = np.concatenate([known.volumes, np.zeros(PLAN_DAYS_AFTER)])
    ahead = [match.planned for match in known.matches if match.adherence is Adherence.AHEAD and match.planned]
    planned = daily_sum(
        [plan.day for plan in ahead],
        [known.rates.volume_of(plan) for plan in ahead],
        start=known.first_day,
        end=end,
    )
    today_at, share = len(known.volumes) - 1, share_done(known)
    shares = shares_of_plan(share)
    start = own_start(known.volumes)
    expected = {
        name: expected_load(volume, planned, today_index=today_at, open_today=planned[today_at], share=part)
        for name, part in (shares | {AT_REST: 0.0}).items()
    }
    futures = [
        Future(name, fitness_fatigue_form(load, model, start=start), is_rest=name == AT_REST)
        for name, load in expected.items()
    ]
    events = (*known.past_events, *known.events)
    season = Season(
        days=days,
        today_at=today_at,
        volume=volume,
        planned=planned,
        actual=fitness_fatigue_form(known.volumes, model, start=start),
        futures=futures,
        model=model,
        start=start,
        events=events,
    )
    phases = season_phases(
        days,
        expected[AS_PLANNED][: season.plan_end_at + 1],
        [day for day, _ in events],
        first_at=start.first_at,
    )
    return replace(season, phases=phases)


def shares_of_plan(done: float) -> dict[str, float]:
    """The scenarios by name, with the share done so far unless it is NaN or repeats another: "as done so far (100 %)"."""
    is_other = not isnan(done) and round(done, 2) not in SHARES.values()
    return SHARES | ({f"as done so far ({done * 100:.0f} %)": done} if is_other else {})


def next_race(season: Season) -> RaceDay | None:
    """Fitness and form on the morning of the next race; None without a race or a plan before it."""
    return race_day(season)


def share_done(known: KnownDays) -> float:
    """Load done over load planned of the last six weeks, without excused plans."""
    due = [
        match
        for match in known.matches
        if match.planned is not None
        and match.adherence in {Adherence.ON_TIME, Adherence.MOVED, Adherence.MISSED}
    ]
    planned = [known.rates.volume_of(match.planned) for match in due if match.planned is not None]
    return own_share(planned, [_volume(match) for match in due])


def _volume(match: Match) -> float:
    if match.adherence is Adherence.MISSED:
        return 0.0
    return match.done.volume if match.done is not None else nan


def weekly(known: KnownDays, *, by: str = SPORT, first_weekday: int, weeks: int) -> pd.DataFrame:
    """Totals of whole calendar weeks, the last of which has today in it, by sport or stimulus."""
    first = week_start(known.today, first_weekday=first_weekday) - timedelta(weeks=weeks - 1)
    done: Iterable[Done] = (session for session in known.done if session.day >= first)
    return week_totals(done, by=by, first_weekday=first_weekday)


def weekly_planned(known: KnownDays, *, by: str = SPORT, first_weekday: int) -> pd.DataFrame:
    """Weekly totals of open plans with estimated volume."""
    ahead = [
        Planned(
            id=plan.id,
            day=plan.day,
            sport=plan.sport,
            stimulus=plan.stimulus,
            duration_s=known.rates.duration_of(plan),
            distance_m=plan.distance_m,
            volume=known.rates.volume_of(plan),
        )
        for match in known.matches
        if match.adherence is Adherence.AHEAD and (plan := match.planned)
    ]
    return week_totals(ahead, by=by, first_weekday=first_weekday)


@dataclass(frozen=True, slots=True, eq=False)
class PeriodCurves:
    """Best mean power by duration, a curve per period."""

    durations_s: Sequence[int]
    curves: Mapping[str, SeasonCurve]


def period_curves(
    client: Client, known: KnownDays, *, with_year: bool = False, most_new: int = MOST_NEW
) -> PeriodCurves:
    """Best efforts by period from cached streams; requests missing streams in the background."""
    return PeriodCurves(
        durations_s=[int(duration) for duration in DURATIONS],
        curves={
            name: best_of_ids(client, _with_power(known, *ends), "power", most_new=most_new)
            for name, ends in PERIODS.items()
            if with_year or name != YEAR
        },
    )


def _with_power(known: KnownDays, before: int, after: int) -> list[str]:
    first, last = known.today - timedelta(days=before - 1), known.today - timedelta(days=after)
    return [one.id for one in reversed(known.done) if first <= one.day <= last and one.id in known.with_power]
