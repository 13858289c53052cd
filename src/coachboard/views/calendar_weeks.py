"""The days of the calendar as its component draws them: weeks of cells, or a lane an athlete, with their totals."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta, tzinfo

from coachboard.analytics.adherence import Match
from coachboard.loaders.calendar import AthleteCalendar, CalendarData
from coachboard.views import calendar_items, clock, formats
from coachboard.views.calendar_grid import Grid, GridDay, GridWeek, Item, View
from coachboard.views.calendar_totals import DAYS_A_WEEK, week_lines
from coachboard.views.formats import Units
from coachboard.views.sport_signs import SIGNS
from coachboard.views.text import plain

ITEMS_A_DAY = {"month": 3, "week": 12, "agenda": 12}


@dataclass(frozen=True, slots=True)
class Shown:
    """How the reader wants the calendar; `names` tells athletes apart where several share the grid."""

    view: View
    title: str
    first_weekday: int
    units: Units
    zone: tzinfo | None = None  # the reader's own clock
    month: int | None = None  # days of other months are greyed
    picked: date | None = None
    opened: str = ""
    names: Mapping[str, str] = field(default_factory=dict)


def grid(data: CalendarData, shown: Shown) -> Grid:
    """The whole span as the component draws it."""
    by_day = _items_by_day(data, shown)
    starts = [data.start + timedelta(days=n) for n in range(0, (data.end - data.start).days + 1, DAYS_A_WEEK)]
    return Grid(
        view=shown.view,
        title=shown.title,
        weekdays=[f"{data.start + timedelta(days=n):%a}" for n in range(DAYS_A_WEEK)],
        weeks=_lanes(data, shown)
        if len(data.athletes) > 1 and shown.view == "week"
        else [_week(start, by_day, data=data, shown=shown) for start in starts],
        limit=ITEMS_A_DAY[shown.view] * (len(data.athletes) if shown.view == "month" else 1),
        signs=dict(SIGNS),
        opened=shown.opened,
        hint="" if shown.picked else "Click a day or an entry to see its details here.",
    )


def _lanes(data: CalendarData, shown: Shown) -> list[GridWeek]:
    """One week of several athletes: a lane each, so that the same day stands under itself."""
    alone = replace(shown, names={})
    lanes = []
    for athlete in data.athletes:
        own = replace(data, athletes=(athlete,))
        week = _week(data.start, _items_by_day(own, alone), data=own, shown=alone)
        lanes.append(replace(week, lane=plain(shown.names.get(athlete.user_id, ""))))
    return lanes


def _week(start: date, by_day: Mapping[date, list[Item]], *, data: CalendarData, shown: Shown) -> GridWeek:
    days = [start + timedelta(days=n) for n in range(DAYS_A_WEEK)]
    return GridWeek(
        # ISO numbers a week by its Thursday, whichever weekday the reader begins with.
        title=f"Week {days[3].isocalendar().week}",
        days=[_day(day, by_day.get(day, []), today=data.today, shown=shown) for day in days],
        lines=week_lines(data.athletes, start, shown.units),
    )


def _items_by_day(data: CalendarData, shown: Shown) -> dict[date, list[Item]]:
    found: dict[date, list[Item]] = {}
    units = shown.units
    for athlete in data.athletes:
        who = shown.names.get(athlete.user_id)
        for event in athlete.events:
            found.setdefault(event.date, []).append(calendar_items.event_item(event, who=who, units=units))
        for match in athlete.matches:
            day = calendar_items.match_day(match, data.start, data.end)
            at = "" if shown.view == "month" else time_of_day(athlete, match, shown.zone)
            found.setdefault(day, []).append(calendar_items.match_item(match, who=who, units=units, at=at))
        for note in athlete.notes:
            found.setdefault(note.date, []).append(calendar_items.note_item(note, who=who))
    return found


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


def time_of_day(athlete: AthleteCalendar, match: Match, zone: tzinfo | None) -> str:
    """When a session began, or for when a plan was made; empty where neither is stated."""
    if match.done is not None:
        return clock.started(athlete.activities[match.done.id], zone, yours="yours")
    plan = athlete.prescriptions.get(match.planned.id) if match.planned else None
    return f"{plan.time:%H:%M}" if plan and plan.time else ""
