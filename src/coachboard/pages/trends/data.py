"""Recovery and season of an athlete over a range: metrics, nights, daily load, notes and events."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from coachboard.client import Client, Result
from coachboard.client.planning import PlanDecision
from coachboard.execution.adherence import Done
from coachboard.formulas.recovery.circumstances import Circumstance, circumstances
from coachboard.formulas.recovery.illness import absences
from coachboard.formulas.recovery.metric_series import MetricSeries, metric_series
from coachboard.formulas.recovery.nights import BASELINE_DAYS, Nights, nights_of
from coachboard.formulas.season.daily_load import DailyLoad, daily_load
from coachboard.formulas.session.summary_load import LoadMethod, methods_of
from coachboard.loaders.done_and_planned import decisions_of, profile_for_loads, sessions_of
from coachboard.loaders.excuses import ILLNESS_DAYS, hard_days, medical_notes, on_each_day
from coachboard.loaders.known_days import LOAD_DAYS
from coachboard.loaders.requests import Missing, Replies
from coachboard.wire.activities import Activity, local_day
from coachboard.wire.plans import Event, Note

LOAD_HISTORY_DAYS = 180
"""Days before the range, so that a 42-day mean does not depend on its start value."""


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

    def lacks(self, part: str) -> bool:
        """Whether the request for a list failed: an empty list then does not mean that the athlete has no rows."""
        return any(missing.what == part for missing in self.missing)


def load_trends(client: Client, user_id: str, *, start: date, end: date, today: date) -> TrendsData:
    """The range, and the days before it that normal ranges and load averages need."""
    first_night = start - timedelta(days=BASELINE_DAYS)
    # The same start as on other pages, so that today's fitness is the same number.
    first_load = min(start - timedelta(days=LOAD_HISTORY_DAYS), end - timedelta(days=LOAD_DAYS - 1))
    submit, replies = client.pool.submit, Replies()
    metrics = submit(client.list_metrics, user_id, None, end)
    nights = submit(client.list_sleeps, user_id, first_night, end)
    activities = submit(client.list_activities, user_id, first_load, end)
    # An illness that began before the range may last into it.
    notes = submit(client.list_notes, user_id, start - timedelta(days=ILLNESS_DAYS), end)
    events = submit(client.list_events, user_id, start, end)
    done, listed = None, replies.result("sessions", activities)
    if listed is not None:
        done = sessions_of(listed, profile_for_loads(client, user_id, listed))
    by_day = nights_of(replies.take("nights", nights), first=first_night, start=start, end=end)
    excuses = replies.take("notes", notes), replies.take("events", events)
    return TrendsData(
        start=start,
        end=end,
        today=today,
        metrics=metric_series(replies.take("metrics", metrics), start=start, end=end),
        nights=by_day,
        load=daily_load(
            None if done is None else [(session.day, session.volume) for session in done],
            first=first_load, start=start, end=end,
        ),
        load_methods=methods_of(done or ()),
        activities=tuple(
            activity for activity in (listed.value if listed else ())
            if (day := local_day(activity)) and start <= day <= end
        ),
        circumstances=_circumstances(
            *excuses, by_day, done or (), (start, min(end, today)), tuple(decisions_of(client, user_id))
        ),
        missing=tuple(replies.missing),
        results=tuple(replies.results),
    )  # fmt: skip


def _circumstances(
    notes: Sequence[Note],
    events: Sequence[Event],
    nights: Nights,
    done: Sequence[Done],
    span: tuple[date, date],
    decisions: Sequence[PlanDecision],
) -> tuple[Circumstance, ...]:
    """The circumstances of the range: each illness as long as it excuses plans, cut at the ends of the range."""
    start, end = span
    trained = {session.day for session in done}
    ill = absences(medical_notes(notes, decisions), trained, today=end, hard=hard_days(done))
    return tuple(
        replace(circumstance, start=max(circumstance.start, start), end=min(circumstance.end, end))
        for circumstance in circumstances(on_each_day(notes, decisions), events, nights, ill)
        if circumstance.start <= end and start <= circumstance.end
    )
