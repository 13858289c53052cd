"""Recovery and season of an athlete over a range: metrics, nights, daily load, notes and events."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from coachboard.analytics.planning.adherence import Done
from coachboard.analytics.planning.illness import absences
from coachboard.analytics.recovery.circumstances import Circumstance, circumstances, offset_shifts
from coachboard.analytics.recovery.metric_lines import Line, latest_per_kilo, metric_lines
from coachboard.analytics.recovery.metric_series import MetricSeries, metric_series
from coachboard.analytics.recovery.nights import BASELINE_DAYS, Nights, nights_of
from coachboard.analytics.recovery.sleep import SocialJetLag, social_jet_lag
from coachboard.analytics.season.daily_load import DailyLoad, daily_load
from coachboard.analytics.session.summary_load import LoadMethod, methods_of
from coachboard.client import Client, Result
from coachboard.loaders.excuses import hard_days, medical_notes
from coachboard.loaders.known_days import LOAD_DAYS
from coachboard.loaders.matching import local_day, profile_for_loads, sessions_of
from coachboard.loaders.requests import Missing, Replies
from coachboard.models.activities import Activity
from coachboard.models.plans import Event, Note

ILLNESS_DAYS = 60
"""Days of notes before the range: twice as long as an illness without a newer note lasts."""
LOAD_HISTORY_DAYS = 180
"""Days before the range, so that a 42-day mean does not depend on its start value."""

_SATURDAY, _TRAVEL_DAYS, _SUMMER_TIME_MIN = 5, 3, 60


@dataclass(frozen=True, slots=True)
class TrendsData:
    """All data of the trends page; no further request is needed."""

    start: date
    end: date
    today: date
    metrics: tuple[MetricSeries, ...]
    nights: Nights
    load: DailyLoad
    activities: tuple[Activity, ...]  # of the range, newest first
    circumstances: tuple[Circumstance, ...]
    missing: tuple[Missing, ...]
    results: tuple[Result[object], ...] = field(repr=False)
    load_methods: tuple[LoadMethod, ...] = ()  # of sessions without a volume from the service

    @property
    def time_changes(self) -> int:
        """How often the athlete's clock changed against UTC between the shown nights."""
        nights = self.nights
        return len(offset_shifts(nights.days[nights.shown_from :], nights.shown(nights.utc_offset_min)))

    @property
    def social_jet_lag(self) -> SocialJetLag:
        """Mid-sleep of weekends against weekdays in the shown nights, without those soon after travel."""
        nights = self.nights
        days = nights.days[nights.shown_from :]
        moved = [
            day
            for day, minutes in offset_shifts(days, nights.shown(nights.utc_offset_min))
            if abs(minutes) > _SUMMER_TIME_MIN
        ]
        return social_jet_lag(
            nights.shown(nights.mid_sleep_h),
            [day.weekday() >= _SATURDAY for day in days],
            [any(0 <= (day - one).days < _TRAVEL_DAYS for one in moved) for day in days],
        )

    @property
    def metric_lines(self) -> tuple[Line, ...]:
        """The metrics of the range that a chart can show."""
        return metric_lines(self.metrics)

    @property
    def per_kilo(self) -> list[float]:
        """The latest value of each metric per kilogram, NaN for others than power. [W/kg]."""
        return [latest_per_kilo(series, self.metrics) for series in self.metrics]

    def lacks(self, what: str) -> bool:
        """Whether the request for a list failed: an empty list then does not mean that the athlete has no rows."""
        return any(missing.what == what for missing in self.missing)


def load_trends(client: Client, user_id: str, *, start: date, end: date, today: date) -> TrendsData:
    """The range, and the days before it that normal ranges and load averages need."""
    first_night = start - timedelta(days=BASELINE_DAYS)
    # The same start as on other pages, so that today's fitness is the same number.
    first_load = min(start - timedelta(days=LOAD_HISTORY_DAYS), end - timedelta(days=LOAD_DAYS - 1))
    pool = client.pool
    replies = Replies()
    metrics = pool.submit(client.list_metrics, user_id, None, end)
    nights = pool.submit(client.list_sleeps, user_id, first_night, end)
    activities = pool.submit(client.list_activities, user_id, first_load, end)
    # An illness that began before the range may last into it.
    notes = pool.submit(client.list_notes, user_id, start - timedelta(days=ILLNESS_DAYS), end)
    events = pool.submit(client.list_events, user_id, start, end)
    sessions = replies.take("sessions", activities)
    done = None if replies.lacks("sessions") else _done(client, user_id, activities.result())
    volumes = None if done is None else [(session.day, session.volume) for session in done]
    laid = nights_of(replies.take("nights", nights), first=first_night, start=start, end=end)
    return TrendsData(
        start=start,
        end=end,
        today=today,
        metrics=metric_series(replies.take("metrics", metrics), start=start, end=end),
        nights=laid,
        load=daily_load(volumes, first=first_load, start=start, end=end),
        load_methods=methods_of(done or ()),
        activities=tuple(one for one in sessions if (day := local_day(one)) and start <= day <= end),
        circumstances=_circumstances(
            replies.take("notes", notes), replies.take("events", events), laid, done, (start, min(end, today))
        ),
        missing=tuple(replies.missing),
        results=tuple(replies.results),
    )


def _circumstances(
    notes: Sequence[Note],
    events: Sequence[Event],
    nights: Nights,
    done: Sequence[Done] | None,
    span: tuple[date, date],
) -> tuple[Circumstance, ...]:
    """The circumstances of the range: each illness as long as it excuses plans, cut at the ends of the range."""
    start, end = span
    ill = absences(
        medical_notes(notes), {one.day for one in done or ()}, today=end, hard=hard_days(done or ())
    )
    found = circumstances(notes, events, nights, ill)
    return tuple(
        replace(one, start=max(one.start, start), end=min(one.end, end))
        for one in found
        if one.start <= end and start <= one.end
    )


def _done(client: Client, user_id: str, listed: Result[tuple[Activity, ...]]) -> tuple[Done, ...]:
    return sessions_of(listed, profile_for_loads(client, user_id, listed))
