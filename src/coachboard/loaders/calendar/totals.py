"""Planned and done by week and sport."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from coachboard.analytics.frames import DISTANCE_M, DURATION_S, SESSIONS, SPORT, VOLUME, WEEK
from coachboard.analytics.planning.adherence import Adherence, Done, Match, Planned
from coachboard.analytics.plausible import or_zero
from coachboard.analytics.season.forecast import LoadRates
from coachboard.analytics.season.weeks import week_totals
from coachboard.analytics.session.summary_load import LoadMethod, methods_of
from coachboard.loaders.calendar.page_data import AthleteCalendar, CalendarData


def without_missed(data: CalendarData) -> CalendarData:
    """The data without missed plans, for totals that compare what was done with the plans that were followed."""
    return replace(data, athletes=tuple(map(_followed, data.athletes)))


def _followed(athlete: AthleteCalendar) -> AthleteCalendar:
    kept = (match for match in athlete.matches if match.adherence is not Adherence.MISSED)
    return replace(athlete, matches=tuple(kept))


def planned_in(matches: Iterable[Match], start: date, end: date) -> list[Planned]:
    """The plans of the days that count: none that a note excuses."""
    return [
        m.planned
        for m in matches
        if m.planned is not None and start <= m.planned.day <= end and m.adherence is not Adherence.EXCUSED
    ]


def excused_in(matches: Iterable[Match], start: date, end: date) -> int:
    """The number of plans of the days that a note excuses."""
    return sum(m.adherence is Adherence.EXCUSED and start <= m.day <= end for m in matches)


def done_in(matches: Iterable[Match], start: date, end: date) -> list[Done]:
    return [m.done for m in matches if m.done is not None and start <= m.done.day <= end]


def load_methods(done: Iterable[Done]) -> tuple[LoadMethod, ...]:
    """The methods of computed loads, the most frequent first; none where the service sends all."""
    return methods_of(done)


@dataclass(frozen=True, slots=True)
class TotalRow:
    """One sport of one week; a plan counts in its own week, a session in the week of its start."""

    week: date
    sport: str
    planned: int = 0
    done: int = 0
    planned_s: float = 0.0  # NaN if no plan or session states the amount
    done_s: float = 0.0
    planned_m: float = 0.0
    distance_m: float = 0.0
    planned_volume: float = 0.0  # estimated: a prescription has no volume
    volume: float = 0.0


def total_rows(
    data: CalendarData, first_weekday: int, rates: Mapping[str, LoadRates] | None = None
) -> list[TotalRow]:
    """Planned and done by week and sport, weeks in order; `rates` by athlete estimate volume."""
    matches = [match for athlete in data.athletes for match in athlete.matches]
    planned = _totals(_estimated(data, rates or {}), first_weekday)
    done = _totals(done_in(matches, data.start, data.end), first_weekday)
    return [
        TotalRow(
            week=week,
            sport=sport,
            planned=int(planned.get((week, sport), _NOTHING)[SESSIONS]),
            done=int(done.get((week, sport), _NOTHING)[SESSIONS]),
            planned_s=planned.get((week, sport), _NOTHING)[DURATION_S],
            done_s=done.get((week, sport), _NOTHING)[DURATION_S],
            planned_m=planned.get((week, sport), _NOTHING)[DISTANCE_M],
            distance_m=done.get((week, sport), _NOTHING)[DISTANCE_M],
            planned_volume=planned.get((week, sport), _NOTHING)[VOLUME],
            volume=done.get((week, sport), _NOTHING)[VOLUME],
        )
        for week, sport in sorted(planned.keys() | done.keys())
    ]


def _estimated(data: CalendarData, rates: Mapping[str, LoadRates]) -> list[Planned]:
    """The plans of the span with a volume estimated from similar sessions of the athlete."""
    return [
        replace(plan, volume=rates[athlete.user_id].volume_of(plan)) if athlete.user_id in rates else plan
        for athlete in data.athletes
        for plan in planned_in(athlete.matches, data.start, data.end)
    ]


_NOTHING = {SESSIONS: 0.0, DURATION_S: 0.0, DISTANCE_M: 0.0, VOLUME: 0.0}


def _totals(
    sessions: Sequence[Planned] | Sequence[Done], first_weekday: int
) -> dict[tuple[date, str], dict[str, float]]:
    frame = week_totals(sessions, by=SPORT, first_weekday=first_weekday)
    return {
        (row[WEEK], row[SPORT]): {name: float(row[name]) for name in _NOTHING}
        for row in frame.to_dict("records")
    }


def hours_by_week(
    sessions: Iterable[Sequence[Planned] | Sequence[Done]], first_weekday: int
) -> dict[date, float]:
    """Hours per week over all athletes, weeks in order; omits weeks without sessions."""
    hours: dict[date, float] = {}
    for one in sessions:
        for (week, _), amounts_of_week in _totals(one, first_weekday).items():
            hours[week] = hours.get(week, 0.0) + or_zero(amounts_of_week[DURATION_S]) / 3600
    return dict(sorted(hours.items()))
