"""Weekly totals in a few lines next to the grid."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from math import isnan, nan

from coachboard.analytics.planning.adherence import Done, Planned
from coachboard.loaders.calendar.page_data import AthleteCalendar
from coachboard.loaders.calendar.totals import done_in, excused_in, load_methods, planned_in
from coachboard.models.enums import Sport
from coachboard.views.calendar import sport_signs
from coachboard.views.frame import formats
from coachboard.views.frame.formats import Units
from coachboard.views.widgets.calendar_grid import Total

DAYS_A_WEEK = 7
_SPORTS_LISTED = 3


def week_lines(
    athletes: Iterable[AthleteCalendar], start: date, units: Units, *, names: Mapping[str, str] | None = None
) -> Sequence[Total]:
    """Hours done of planned by sport, or by athlete if several have `names`; then distance, volume and sessions.

    Plans and sessions count on their own day.
    """
    listed = list(athletes)
    matches = [match for athlete in listed for match in athlete.matches]
    last = start + timedelta(days=DAYS_A_WEEK - 1)
    planned, done = planned_in(matches, start, last), done_in(matches, start, last)
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
        Total("Excused", str(excused)) if (excused := excused_in(matches, start, last)) else None,
    ]
    return [line for line in lines if line is not None]


def _athlete_lines(
    athletes: Sequence[AthleteCalendar], names: Mapping[str, str], start: date, last: date
) -> list[Total]:
    lines = []
    for athlete in athletes:
        planned, done = planned_in(athlete.matches, start, last), done_in(athlete.matches, start, last)
        comparable = [] if any(is_by_distance(plan) for plan in planned) else planned
        amounts = sum(_hours_by_sport(comparable).values()), sum(_hours_by_sport(done).values())
        if planned or done:
            lines.append(replace(_hours_line(names.get(athlete.user_id, ""), None, amounts), sport=None))
    return lines


def _sport_lines(planned: Sequence[Planned], done: Sequence[Done]) -> list[Total]:
    """The sports with the most hours; the other sports together."""
    comparable = [] if any(is_by_distance(plan) for plan in planned) else planned
    planned_s, done_s = _hours_by_sport(comparable), _hours_by_sport(done)
    hours = {sport: (planned_s.get(sport, 0.0), done_s.get(sport, 0.0)) for sport in planned_s | done_s}
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


def _hours_by_sport(parts: Sequence[Planned] | Sequence[Done]) -> dict[Sport | None, float]:
    """Sums of seconds, as in the table of totals: of rounded minutes a week had 9h40 there and 9h39 here."""
    seconds: defaultdict[Sport | None, float] = defaultdict(float)
    for part in parts:
        seconds[part.sport] += 0.0 if isnan(part.duration_s) else part.duration_s
    return seconds


def _hours_line(label: str, sport: Sport | None, amounts: tuple[float, float]) -> Total:
    planned_s, done_s = amounts
    done = formats.duration_hm(done_s)
    value = f"{done} of {formats.duration_hm(planned_s)}" if planned_s else done
    return Total(label, value, sport_signs.family(sport))


def _mixed_plan_lines(planned: Sequence[Planned], *, units: Units) -> list[Total]:
    """Planned amounts if some plans state a time and others a distance: the done share of either would be wrong."""
    by_distance = [plan.distance_m for plan in planned if is_by_distance(plan)]
    if not by_distance or len(by_distance) == len(planned):
        return []
    seconds = _sum(plan.duration_s for plan in planned)
    time = [] if isnan(seconds) else [Total("Planned", formats.duration_hm(seconds))]
    return [*time, Total("by distance" if time else "Planned", _distance(sum(by_distance), units))]


def _distance_line(planned: Sequence[Planned], done: Sequence[Done], *, units: Units) -> Total | None:
    """The distance done, and of how much if every plan states a distance and no time."""
    distance = _distance(_sum(session.distance_m for session in done), units)
    if planned and all(is_by_distance(plan) for plan in planned):
        target = _distance(sum(plan.distance_m for plan in planned), units)
        # A dash would say that the distance is unknown: without a session it is 0, as hours and sessions are.
        covered = distance.partition(" ")[0] if done else "0"
        return Total("Distance", f"{covered} of {target}")
    return Total("Distance", distance) if done else None


def is_by_distance(plan: Planned) -> bool:
    """Whether a plan states a distance and no time."""
    return isnan(plan.duration_s) and not isnan(plan.distance_m)


def _distance(metres: float, units: Units) -> str:
    return formats.distance(metres, Sport.CYCLING, units=units)


def _volume_lines(done: Sequence[Done]) -> list[Total]:
    """The load, and the methods of its computed part."""
    if not done:
        return []
    load = Total("Load", formats.number(_sum(session.volume for session in done)))
    return [load, *(Total("by", str(method)) for method in load_methods(done))]


def _sessions(planned: int, done: int) -> str:
    return f"{done} of {planned}" if planned else str(done)


def _sum(values: Iterable[float]) -> float:
    """NaN without known values: a week without any volume is not a rest week."""
    known = [value for value in values if not isnan(value)]
    return sum(known) if known else nan
