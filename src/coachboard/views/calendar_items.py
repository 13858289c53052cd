"""What stands in the calendar's cells: matches, notes and events as the grid's items, and a week's totals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import isnan

from coachboard.analytics.adherence import Adherence, Done, Match, Planned
from coachboard.analytics.frames import DISTANCE_M, DURATION_S, SESSIONS, SPORT, VOLUME, WEEK
from coachboard.analytics.weeks import week_totals
from coachboard.charts import palette
from coachboard.loaders.calendar import AthleteCalendar, CalendarData
from coachboard.models.enums import Sport
from coachboard.models.plans import Event, Note
from coachboard.views import formats, theme
from coachboard.views.calendar_grid import Grid, GridDay, GridWeek, Item, Kind, Total, View
from coachboard.views.formats import Units
from coachboard.views.text import plain

DAYS_A_WEEK = 7
ITEMS_A_DAY = {"month": 3, "week": 12, "agenda": 12}

_SPOKEN = {
    Adherence.ON_TIME: "done on its day",
    Adherence.MISSED: "missed",
    Adherence.EXCUSED: "not done, excused by a note",
    Adherence.UNPLANNED: "done, not planned",
    Adherence.AHEAD: "planned",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """How the reader wants the calendar; `names` are initials where several athletes share the grid."""

    view: View
    title: str
    first_weekday: int
    units: Units
    month: int | None = None  # days of other months are greyed
    picked: date | None = None
    names: Mapping[str, str] = field(default_factory=dict)


def grid(data: CalendarData, shown: Shown) -> Grid:
    """The whole span as the component draws it."""
    by_day = _items_by_day(data, shown)
    starts = [data.start + timedelta(days=n) for n in range(0, (data.end - data.start).days + 1, DAYS_A_WEEK)]
    return Grid(
        view=shown.view,
        title=shown.title,
        weekdays=[f"{data.start + timedelta(days=n):%a}" for n in range(DAYS_A_WEEK)],
        weeks=[_week(start, by_day, data=data, shown=shown) for start in starts],
        limit=ITEMS_A_DAY[shown.view],
    )


def _week(start: date, by_day: Mapping[date, list[Item]], *, data: CalendarData, shown: Shown) -> GridWeek:
    days = [start + timedelta(days=n) for n in range(DAYS_A_WEEK)]
    return GridWeek(
        # ISO numbers a week by its Thursday, whichever weekday the reader begins with.
        title=f"Week {days[3].isocalendar().week}",
        days=[_day(day, by_day.get(day, []), today=data.today, shown=shown) for day in days],
        lines=week_lines(data.athletes, start, shown),
    )


def _items_by_day(data: CalendarData, shown: Shown) -> dict[date, list[Item]]:
    found: dict[date, list[Item]] = {}
    units = shown.units
    for athlete in data.athletes:
        who = shown.names.get(athlete.user_id)
        for event in athlete.events:
            found.setdefault(event.date, []).append(event_item(event, who=who, units=units))
        for match in athlete.matches:
            day = match_day(match, data.start, data.end)
            found.setdefault(day, []).append(match_item(match, who=who, units=units))
        for note in athlete.notes:
            found.setdefault(note.date, []).append(note_item(note, who=who))
    return found


def match_day(match: Match, start: date, end: date) -> date:
    """The day of the span a match stands on: where it was done, else where it was planned."""
    if match.done is not None and start <= match.done.day <= end:
        return match.done.day
    return match.day


def _day(day: date, items: list[Item], *, today: date, shown: Shown) -> GridDay:
    return GridDay(
        date=day.isoformat(),
        number=str(day.day) if day.day > 1 else f"{day.day} {day:%b}",
        title=f"{day:%a} {day.day} {day:%b}",
        spoken=f"{day:%A} {day.day} {day:%B}, {formats.count(len(items), 'entry', 'entries')}",
        items=items,
        is_today=day == today,
        is_outside=shown.month is not None and day.month != shown.month,
        is_picked=day == shown.picked,
    )


def match_item(match: Match, *, who: str | None, units: Units) -> Item:
    """A plan with its session, a plan alone, or a session alone."""
    source = match.planned or match.done
    assert source is not None
    state = match.compliance.state if match.compliance else None
    shown = palette.COMPLIANCE.get(str(state)) if state else None
    title = plain(source.title) or formats.label(source.sport)
    words = [title, formats.label(source.sport), adherence_words(match), amounts(match, units=units)]
    return Item(
        id=match_id(match),
        kind=_kind(match),
        title=title,
        detail=_detail(match, units=units),
        spoken=", ".join(word for word in words if word),
        tone=theme.colour(shown.tone) if shown else None,
        sign=_sign(match, shown.sign if shown else None),
        who=who,
    )


def _detail(match: Match, *, units: Units) -> str:
    """The amounts, and what a sign alone would leave open: by how far it was moved, that a miss is excused."""
    told = amounts(match, units=units)
    if match.adherence is Adherence.MOVED:
        # First, since a cell of the month cuts what does not fit.
        days = f"{'+' if match.days_moved > 0 else '−'}{abs(match.days_moved)} d"
        return f"{days}, {told}"
    return f"excused, {told}" if match.adherence is Adherence.EXCUSED else told


def match_id(match: Match) -> str:
    """The id under which a picked item is found again: the plan's, else the session's."""
    source = match.planned or match.done
    assert source is not None
    return source.id


def _kind(match: Match) -> Kind:
    if match.is_inferred:
        return "inferred"
    if match.done is not None or match.adherence in {Adherence.ON_TIME, Adherence.MOVED}:
        return "done"
    return "missed" if match.adherence is Adherence.MISSED else "planned"


def _sign(match: Match, sign: str | None) -> str | None:
    if match.is_inferred:
        return f"{sign or ''}?"
    return {Adherence.UNPLANNED: "+", Adherence.EXCUSED: "⊘"}.get(match.adherence, sign)


def adherence_words(match: Match) -> str:
    """What became of it, in words: "moved by 2 days, off: 128 % of the planned duration"."""
    words = _SPOKEN.get(match.adherence, "")
    if match.adherence is Adherence.MOVED:
        days = abs(match.days_moved)
        words = f"done {formats.count(days, 'day')} {'later' if match.days_moved > 0 else 'earlier'}"
    if match.is_inferred:
        words = f"probably this session, {words}"
    found = match.compliance
    if found and found.measure and found.state:
        words += f", {found.state}: {formats.percent(100 * found.ratio)} of the planned {found.measure}"
    return words


def amounts(match: Match, *, units: Units) -> str:
    """What was done of what was planned, by the measure that both state."""
    if match.planned is None or match.done is None:
        source = match.planned or match.done
        return _amount(source, units=units) if source else ""
    if not isnan(match.planned.duration_s) and not isnan(match.done.duration_s):
        # A cell of the month is narrow: the unit stands once.
        return f"{_h_mm(match.done.duration_s)} of {_h_mm(match.planned.duration_s)} h"
    planned = _amount(match.planned, units=units)
    done = _amount(match.done, units=units, like=match.planned)
    return f"{done} of {planned}" if planned and done else done or planned


def _h_mm(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60}:{minutes % 60:02}"


def _amount(source: Planned | Done, *, units: Units, like: Planned | None = None) -> str:
    template = like or source
    if not isnan(template.duration_s) and not isnan(source.duration_s):
        return f"{_h_mm(source.duration_s)} h"
    if not isnan(source.distance_m):
        return formats.distance(source.distance_m, source.sport, units=units)
    return f"{_h_mm(source.duration_s)} h" if not isnan(source.duration_s) else ""


def note_item(note: Note, *, who: str | None) -> Item:
    title = plain(note.title) or formats.label(note.type)
    return Item(note.id, "note", title, formats.label(note.type), f"Note, {note.type}: {title}", who=who)


def event_item(event: Event, *, who: str | None, units: Units) -> Item:
    title = plain(event.name) or "Unnamed event"
    parts = [formats.label(event.sport)]
    if event.distance is not None:
        parts.append(formats.distance(event.distance, event.sport, units=units))
    detail = " · ".join(parts)
    return Item(event.id, "event", title, detail, f"Event: {title}, {detail}", sign="★", who=who)


def week_lines(athletes: Iterable[AthleteCalendar], start: date, shown: Shown) -> Sequence[Total]:
    """Planned and done of one week over all athletes shown, each in the week of its own day."""
    matches = [match for athlete in athletes for match in athlete.matches]
    last = start + timedelta(days=DAYS_A_WEEK - 1)
    planned, done = _planned(matches, start, last), _done(matches, start, last)
    lines = [
        Total("Planned", f"{_h_mm(_sum(plan.duration_s for plan in planned))} h") if planned else None,
        Total("Done", f"{_h_mm(_sum(session.duration_s for session in done))} h") if done else None,
        Total("Distance", _distance_line(done, units=shown.units)) if done else None,
        Total("Volume", formats.number(_sum(session.volume for session in done))) if done else None,
        Total("Sessions", _sessions(len(planned), len(done))) if planned or done else None,
    ]
    return [line for line in lines if line is not None]


def _planned(matches: Iterable[Match], start: date, end: date) -> list[Planned]:
    return [m.planned for m in matches if m.planned is not None and start <= m.planned.day <= end]


def _done(matches: Iterable[Match], start: date, end: date) -> list[Done]:
    return [m.done for m in matches if m.done is not None and start <= m.done.day <= end]


@dataclass(frozen=True, slots=True)
class TotalRow:
    """One sport of one week; a plan counts in its own week, a session in the one it was done in."""

    week: date
    sport: str
    planned: int = 0
    done: int = 0
    planned_s: float = 0.0
    done_s: float = 0.0
    distance_m: float = 0.0
    volume: float = 0.0


def total_rows(data: CalendarData, first_weekday: int) -> list[TotalRow]:
    """Planned and done of the span by week and sport, weeks in order."""
    matches = [match for athlete in data.athletes for match in athlete.matches]
    planned = _totals(_planned(matches, data.start, data.end), first_weekday)
    done = _totals(_done(matches, data.start, data.end), first_weekday)
    return [
        TotalRow(
            week=week,
            sport=sport,
            planned=int(planned.get((week, sport), _NOTHING)[SESSIONS]),
            done=int(done.get((week, sport), _NOTHING)[SESSIONS]),
            planned_s=planned.get((week, sport), _NOTHING)[DURATION_S],
            done_s=done.get((week, sport), _NOTHING)[DURATION_S],
            distance_m=done.get((week, sport), _NOTHING)[DISTANCE_M],
            volume=done.get((week, sport), _NOTHING)[VOLUME],
        )
        for week, sport in sorted(planned.keys() | done.keys())
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
    """Hours of each week over everybody, weeks in order; weeks without any are left out."""
    hours: dict[date, float] = {}
    for one in sessions:
        for (week, _), amounts_of_week in _totals(one, first_weekday).items():
            hours[week] = hours.get(week, 0.0) + amounts_of_week[DURATION_S] / 3600
    return dict(sorted(hours.items()))


def _distance_line(done: Sequence[Done], *, units: Units) -> str:
    return formats.distance(
        _sum(s.distance_m for s in done if s.sport is not None), Sport.CYCLING, units=units
    )


def _sessions(planned: int, done: int) -> str:
    return f"{done} of {planned}" if planned else str(done)


def _sum(values: Iterable[float]) -> float:
    return sum(value for value in values if not isnan(value))
