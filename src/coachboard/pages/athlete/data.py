"""Data of the athlete page: profile, the year with planned sessions, weeks, next plans."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import isnan, nan
from typing import NamedTuple

import numpy as np
import pandas as pd

from coachboard.client import Client, Result
from coachboard.execution.adherence import (
    Adherence,
    AdherenceSummary,
    Done,
    Match,
    Planned,
    summarize,
)
from coachboard.execution.forecast import expected_load, own_share
from coachboard.execution.weeks import week_totals
from coachboard.flags import engine
from coachboard.flags.flag import Flag
from coachboard.flags.morning import MorningVerdict, morning_verdict
from coachboard.formulas.days import DAYS_A_WEEK, daily_sum, day_row, week_start
from coachboard.formulas.frames import SPORT
from coachboard.formulas.recovery.baseline import trailing_count
from coachboard.formulas.recovery.hrv import ln_hrv, seven_day_line
from coachboard.formulas.recovery.metric_series import base_value, shown_value
from coachboard.formulas.season.load import LoadModel, fitness_fatigue_form, own_start
from coachboard.formulas.season.phases import season_phases
from coachboard.formulas.season.season_outlook import Future, RaceDay, Season, race_day
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.formulas.session.mean_maximal import DURATIONS
from coachboard.loaders.known_days import (
    AHEAD_DAYS,
    LOAD_DAYS,
    PLAN_DAYS_AFTER,
    PLAN_DAYS_BEFORE,
    KnownDays,
    load_known,
)
from coachboard.loaders.power_curves import ReadCurves, SeasonCurve, best_of_ids, curves_of_ids
from coachboard.loaders.requests import Missing
from coachboard.wire.enums import Sport
from coachboard.wire.metrics import MetricUnit
from coachboard.wire.users import LatestMetric, UserProfile

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
        """The last sessions and missed plans, newest first; a plan that is skipped before its day is not past."""
        past = [
            match
            for match in self.known.matches
            if match.adherence is not Adherence.AHEAD and match.calendar_day <= self.known.today
        ]
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
        return morning_verdict(self.known.days)

    @property
    def hrv_nights(self) -> int:
        """The nights of `hrv_mean_ms`."""
        return int(trailing_count(ln_hrv(self.known.days.hrv_ms))[-1])

    @property
    def hrv_mean_ms(self) -> float:
        """7-day mean of HRV (rMSSD) over its logarithms in ms, NaN if it is unknown."""
        return float(np.exp(seven_day_line(self.known.days.hrv_ms)[-1]))

    @property
    def plans(self) -> AdherenceSummary:
        """How many plans of the known days were done, missed, excused or are unknown."""
        return summarize(self.known.matches)

    @property
    def latest_metrics(self) -> list[tuple[LatestMetric, float, MetricUnit]]:
        """Each metric's latest value in the unit that pages show; without unreadable values."""
        values = (
            (metric, *shown_value(metric.type, base_value(metric.type, metric.value)))
            for metric in self.profile.latest_metrics
        )
        return [(metric, value, unit) for metric, value, unit in values if not isnan(value)]

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
    known_days = load_known(client, user_id, today=today, missing=missing)
    return AthleteData(
        user_id=user_id,
        profile=profile.value,
        known=known_days,
        flags=known_days.once(
            ("flags", profile.value.data_onboarding_status, *sorted(thresholds.items())),
            lambda: engine.evaluate(known_days.judged_days(profile.value.data_onboarding_status), thresholds),
        ),
        results=(profile, *known_days.results),
        missing=tuple(missing),
    )


def season(known_days: KnownDays, model: LoadModel) -> Season:
    """Load over the year and the planned weeks, at three shares of the plan and at rest."""
    return known_days.once(("season", model.id), lambda: _season(known_days, model))


def _season(known_days: KnownDays, model: LoadModel) -> Season:
    end = known_days.today + timedelta(days=PLAN_DAYS_AFTER)
    days = day_row(known_days.first_day, end)
    volume = np.concatenate([known_days.volumes, np.zeros(PLAN_DAYS_AFTER)])
    ahead = [
        match.planned for match in known_days.matches if match.adherence is Adherence.AHEAD and match.planned
    ]
    planned = daily_sum(
        [plan.day for plan in ahead],
        [known_days.rates.volume_of(plan) for plan in ahead],
        start=known_days.first_day,
        end=end,
    )
    today_at, share = len(known_days.volumes) - 1, share_done(known_days)
    shares = shares_of_plan(share)
    start = own_start(known_days.volumes)
    expected = {
        name: expected_load(volume, planned, today_index=today_at, open_today=planned[today_at], share=part)
        for name, part in (shares | {AT_REST: 0.0}).items()
    }
    futures = [
        Future(name, fitness_fatigue_form(load, model, start=start), is_rest=name == AT_REST)
        for name, load in expected.items()
    ]
    events = (*known_days.past_events, *known_days.events)
    season = Season(
        days=days,
        today_at=today_at,
        volume=volume,
        planned=planned,
        actual=fitness_fatigue_form(known_days.volumes, model, start=start),
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


def share_done(known_days: KnownDays) -> float:
    """Load done over load planned of the last six weeks, without excused plans."""
    due = [
        match
        for match in known_days.matches
        if match.planned is not None
        and match.adherence in {Adherence.ON_TIME, Adherence.MOVED, Adherence.MISSED}
    ]
    planned = [known_days.rates.volume_of(match.planned) for match in due if match.planned is not None]
    return own_share(planned, [_volume(match) for match in due])


def _volume(match: Match) -> float:
    if match.adherence is Adherence.MISSED:
        return 0.0
    return match.done.volume if match.done is not None else nan


def weekly(known_days: KnownDays, *, by: str = SPORT, first_weekday: int, weeks: int) -> pd.DataFrame:
    """Totals of whole calendar weeks, the last of which has today in it, by sport or stimulus."""
    first = week_start(known_days.today, first_weekday=first_weekday) - timedelta(weeks=weeks - 1)
    done: Iterable[Done] = (session for session in known_days.done if session.day >= first)
    return week_totals(done, by=by, first_weekday=first_weekday)


def weekly_planned(known_days: KnownDays, *, by: str = SPORT, first_weekday: int) -> pd.DataFrame:
    """Weekly totals of open plans with estimated volume."""
    ahead = [match for match in known_days.matches if match.adherence is Adherence.AHEAD]
    return week_totals(_estimated(known_days, ahead), by=by, first_weekday=first_weekday)


def weekly_targets(known_days: KnownDays, *, by: str = SPORT, first_weekday: int, weeks: int) -> pd.DataFrame:
    """Weekly totals of all plans but excused ones, done or not, with estimated volume: whole weeks of the known plans."""
    whole = known_days.today - timedelta(days=PLAN_DAYS_BEFORE - DAYS_A_WEEK + 1)
    this_week = week_start(known_days.today, first_weekday=first_weekday)
    first = max(week_start(whole, first_weekday=first_weekday), this_week - timedelta(weeks=weeks - 1))
    due = [
        match
        for match in known_days.matches
        if match.adherence is not Adherence.EXCUSED
        and match.planned is not None
        and match.planned.day >= first
    ]
    return week_totals(_estimated(known_days, due), by=by, first_weekday=first_weekday)


def _estimated(known_days: KnownDays, matches: Iterable[Match]) -> list[Planned]:
    return [
        replace(plan, duration_s=known_days.rates.duration_of(plan), volume=known_days.rates.volume_of(plan))
        for match in matches
        if (plan := match.planned)
    ]


class CurveKind(NamedTuple):
    """A quantity of one sport: 300 W on foot are another effort than 300 W on a bicycle."""

    column: str
    sport: Sport

    @property
    def id(self) -> str:
        """The name in the URL."""
        return f"power-{self.sport}" if self.column == "power" else self.column


_CURVE_DAYS = 84
"""Days of the periods without the year, which decide the curve that the page opens with."""


@dataclass(frozen=True, slots=True, eq=False)
class PeriodCurves:
    """Best means by duration, a curve per period."""

    durations_s: Sequence[int]
    curves: Mapping[str, SeasonCurve]

    @property
    def is_complete(self) -> bool:
        return all(curve.is_complete for curve in self.curves.values())


def curve_kinds(known_days: KnownDays) -> list[CurveKind]:
    """Power of each sport, pace and grade-adjusted pace of runs; the kind of most sessions of the last weeks first."""
    powered = {session.sport for session in known_days.done if session.id in known_days.with_power}
    kinds = [
        *(CurveKind("power", sport) for sport in sorted(filter(None, powered))),
        *(CurveKind(column, Sport.RUNNING) for column in ("speed", ADJUSTED_SPEED)),
    ]
    recorded = [kind for kind in kinds if _of_kind(known_days, kind, LOAD_DAYS, 0)]
    return sorted(recorded, key=lambda kind: -len(_of_kind(known_days, kind, _CURVE_DAYS, 0)))


def period_curves(
    client: Client,
    known_days: KnownDays,
    kind: CurveKind,
    *,
    with_year: bool = False,
    read: ReadCurves = curves_of_ids,
) -> PeriodCurves:
    """Best efforts by period, of the curves that `read` returns."""
    return PeriodCurves(
        durations_s=[int(duration) for duration in DURATIONS],
        curves={
            name: best_of_ids(client, _of_kind(known_days, kind, *ends), kind.column, read)
            for name, ends in PERIODS.items()
            if with_year or name != YEAR
        },
    )


def _of_kind(known_days: KnownDays, kind: CurveKind, before: int, after: int) -> list[str]:
    first, last = known_days.today - timedelta(days=before - 1), known_days.today - timedelta(days=after)
    ids = known_days.with_power if kind.column == "power" else known_days.with_speed
    return [
        session.id
        for session in reversed(known_days.done)
        if first <= session.day <= last and session.id in ids and session.sport is kind.sport
    ]
