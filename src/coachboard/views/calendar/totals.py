"""Weekly totals: a few lines next to the grid, and a table by week and sport."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from math import isnan, nan

from coachboard.analytics.frames import DISTANCE_M, DURATION_S, SESSIONS, SPORT, VOLUME, WEEK
from coachboard.analytics.planning.adherence import Adherence, Done, Match, Planned
from coachboard.analytics.season.forecast import LoadRates
from coachboard.analytics.season.weeks import week_totals
from coachboard.analytics.session.summary_load import methods_of
from coachboard.loaders.calendar.page_data import AthleteCalendar, CalendarData
from coachboard.models.enums import Sport
from coachboard.views.calendar import items, sport_signs
from coachboard.views.frame import formats
from coachboard.views.frame.formats import Units
from coachboard.views.widgets.calendar_grid import Total

DAYS_A_WEEK = 7
_SPORTS_LISTED = 3


def without_missed(data: CalendarData) -> CalendarData:
    """The data without missed plans, for totals that compare what was done with the plans that were followed."""
    return replace(data, athletes=tuple(map(_followed, data.athletes)))


def _followed(athlete: AthleteCalendar) -> AthleteCalendar:
    kept = (match for match in athlete.matches if match.adherence is not Adherence.MISSED)
    return replace(athlete, matches=tuple(kept))


def week_lines(
    athletes: Iterable[AthleteCalendar], start: date, units: Units, *, names: Mapping[str, str] | None = None
) -> Sequence[Total]:
    """Hours done of planned by sport, or by athlete if several have `names`; then distance, volume and sessions.

    Plans and sessions count on their own day.
    """
    listed = list(athletes)
    matches = [match for athlete in listed for match in athlete.matches]
    last = start + timedelta(days=DAYS_A_WEEK - 1)
    planned, done = _planned(matches, start, last), _done(matches, start, last)
    if not all(athlete.knows_sessions for athlete in listed):
        return [Total("Planned", formats.count(len(planned), "session"))] if planned else []
    lines = [
        *(
            _athlete_lines(listed, names, start, last)
            if names and len(listed) > 1
            else _sport_lines(planned, done)
        ),
        *_mixed_plan_lines(planned, units=units),
        _distance_line(planned, done, units=units),
        *_volume_lines(done),
        Total("Sessions", _sessions(len(planned), len(done))) if planned or done else None,
    ]
    return [line for line in lines if line is not None]


def _athlete_lines(
    athletes: Sequence[AthleteCalendar], names: Mapping[str, str], start: date, last: date
) -> list[Total]:
    lines = []
    for athlete in athletes:
        planned, done = _planned(athlete.matches, start, last), _done(athlete.matches, start, last)
        comparable = [] if any(is_by_distance(plan) for plan in planned) else planned
        amounts = _hours_by_sport(comparable).total(), _hours_by_sport(done).total()
        if planned or done:
            lines.append(replace(_hours_line(names.get(athlete.user_id, ""), None, amounts), sport=None))
    return lines


def _sport_lines(planned: Sequence[Planned], done: Sequence[Done]) -> list[Total]:
    """The sports with the most hours; the other sports together."""
    comparable = [] if any(is_by_distance(plan) for plan in planned) else planned
    planned_s, done_s = _hours_by_sport(comparable), _hours_by_sport(done)
    hours = {sport: (planned_s[sport], done_s[sport]) for sport in planned_s | done_s}
    by_hours = sorted(hours.items(), key=lambda entry: -max(entry[1]))
    lines = [
        _hours_line(formats.sport(sport) if sport else "No sport", sport, amounts)
        for sport, amounts in by_hours[:_SPORTS_LISTED]
    ]
    rest = [amounts for _, amounts in by_hours[_SPORTS_LISTED:]]
    if rest:
        summed = (sum(plan_s for plan_s, _ in rest), sum(done_s for _, done_s in rest))
        lines.append(_hours_line("Other sports", None, summed))
    return lines


def _hours_by_sport(parts: Sequence[Planned] | Sequence[Done]) -> Counter[Sport | None]:
    seconds: Counter[Sport | None] = Counter()
    for part in parts:
        seconds[part.sport] += 0 if isnan(part.duration_s) else round(part.duration_s)
    return seconds


def _hours_line(label: str, sport: Sport | None, amounts: tuple[int, int]) -> Total:
    planned_s, done_s = amounts
    done = items.h_mm(done_s)
    value = f"{done} of {items.h_mm(planned_s)} h" if planned_s else f"{done} h"
    return Total(label, value, sport_signs.family(sport))


def _planned(matches: Iterable[Match], start: date, end: date) -> list[Planned]:
    return [m.planned for m in matches if m.planned is not None and start <= m.planned.day <= end]


def _done(matches: Iterable[Match], start: date, end: date) -> list[Done]:
    return [m.done for m in matches if m.done is not None and start <= m.done.day <= end]


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
    done = _totals(_done(matches, data.start, data.end), first_weekday)
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
        for plan in _planned(athlete.matches, data.start, data.end)
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
            seconds = amounts_of_week[DURATION_S]
            hours[week] = hours.get(week, 0.0) + (0.0 if isnan(seconds) else seconds / 3600)
    return dict(sorted(hours.items()))


def _mixed_plan_lines(planned: Sequence[Planned], *, units: Units) -> list[Total]:
    """Planned amounts if some plans state a time and others a distance: the done share of either would be wrong."""
    by_distance = [plan.distance_m for plan in planned if is_by_distance(plan)]
    if not by_distance or len(by_distance) == len(planned):
        return []
    seconds = _sum(plan.duration_s for plan in planned)
    time = [] if isnan(seconds) else [Total("Planned", f"{items.h_mm(seconds)} h")]
    return [*time, Total("by distance" if time else "Planned", _way(sum(by_distance), units))]


def _distance_line(planned: Sequence[Planned], done: Sequence[Done], *, units: Units) -> Total | None:
    """The distance done, and of how much if every plan states a distance and no time."""
    way = _way(_sum(session.distance_m for session in done), units)
    if planned and all(is_by_distance(plan) for plan in planned):
        target = _way(sum(plan.distance_m for plan in planned), units)
        # A dash would say that the distance is unknown: without a session it is 0, as hours and sessions are.
        covered = way.partition(" ")[0] if done else "0"
        return Total("Distance", f"{covered} of {target}")
    return Total("Distance", way) if done else None


def is_by_distance(plan: Planned) -> bool:
    """Whether a plan states a distance and no time."""
    return isnan(plan.duration_s) and not isnan(plan.distance_m)


def _way(metres: float, units: Units) -> str:
    return formats.distance(metres, Sport.CYCLING, units=units)


def _volume_lines(done: Sequence[Done]) -> list[Total]:
    """The load, and the methods of its computed part."""
    if not done:
        return []
    load = Total("Volume", formats.number(_sum(session.volume for session in done)))
    return [load, *(Total("by", str(method)) for method in methods_of(done))]


def _sessions(planned: int, done: int) -> str:
    return f"{done} of {planned}" if planned else str(done)


def _sum(values: Iterable[float]) -> float:
    """NaN without known values: a week without any volume is not a rest week."""
    known = [value for value in values if not isnan(value)]
    return sum(known) if known else nan
