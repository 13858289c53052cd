"""The days of the calendar for `widgets/calendar_grid`, which draws them: weeks, or lanes of athletes, with totals."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta, tzinfo

from coachboard.analytics.planning.adherence import Match
from coachboard.loaders.calendar.page_data import AthleteCalendar, CalendarData
from coachboard.loaders.calendar.totals import without_missed
from coachboard.views.calendar.items import (
    event_item,
    legend,
    match_day,
    match_item,
    note_item,
    raced_ids,
    stimulus_colours,
)
from coachboard.views.calendar.sport_signs import SIGNS
from coachboard.views.calendar.totals import DAYS_A_WEEK, week_lines
from coachboard.views.frame import formats
from coachboard.views.frame.formats import Units
from coachboard.views.frame.text import plain
from coachboard.views.widgets.calendar_grid import Grid, GridDay, GridItem, GridWeek, View

ITEMS_A_DAY = {"month": 3, "week": 12, "agenda": 12}


@dataclass(frozen=True, slots=True)
class CalendarLook:
    """View options; `names` distinguishes several athletes in a grid."""

    view: View
    title: str
    first_weekday: int
    units: Units
    zone: tzinfo | None = None  # the user's time zone
    month: int | None = None  # grey out days of other months
    picked: date | None = None
    opened: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    counts_missed: bool = True  # in the totals


def grid(data: CalendarData, shown: CalendarLook) -> Grid:
    """The whole span for the grid component."""
    by_day = _items_by_day(data, shown)
    counted = data if shown.counts_missed else without_missed(data)
    starts = [data.start + timedelta(days=n) for n in range(0, (data.end - data.start).days + 1, DAYS_A_WEEK)]
    items = [item for of_day in by_day.values() for item in of_day]
    return Grid(
        view=shown.view,
        title=shown.title,
        weekdays=[f"{data.start + timedelta(days=n):%a}" for n in range(DAYS_A_WEEK)],
        weeks=_lanes(data, counted, shown)
        if len(data.athletes) > 1 and shown.view == "week"
        else [_week(start, by_day, counted=counted, shown=shown) for start in starts],
        limit=ITEMS_A_DAY[shown.view] * (len(data.athletes) if shown.view == "month" else 1),
        signs=dict(SIGNS),
        opened=shown.opened,
        legend=legend(items),
        colours=stimulus_colours(athletes=data.athletes),
        hint="" if shown.picked else "Choose a day or an entry to see its details here.",
    )


def _lanes(data: CalendarData, counted: CalendarData, shown: CalendarLook) -> list[GridWeek]:
    """One week of several athletes: a lane per athlete, with the same days in the same columns."""
    alone = replace(shown, names={})
    lanes = []
    for athlete, of_totals in zip(data.athletes, counted.athletes, strict=True):
        own, own_counted = replace(data, athletes=(athlete,)), replace(counted, athletes=(of_totals,))
        week = _week(data.start, _items_by_day(own, alone), counted=own_counted, shown=alone)
        lanes.append(replace(week, lane=plain(shown.names.get(athlete.user_id, ""))))
    return lanes


def _week(
    start: date, by_day: Mapping[date, list[GridItem]], *, counted: CalendarData, shown: CalendarLook
) -> GridWeek:
    """A week with its items and totals; `counted` has the plans that count in the totals."""
    days = [start + timedelta(days=n) for n in range(DAYS_A_WEEK)]
    return GridWeek(
        # ISO numbers a week by its Thursday, whichever day a week begins on.
        title=f"Week {days[3].isocalendar().week}",
        days=[
            _day(day, by_day.get(day, []), today=counted.today, shown=shown, is_first=day == counted.start)
            for day in days
        ],
        lines=week_lines(counted.athletes, start, shown.units, names=shown.names),
    )


def _items_by_day(data: CalendarData, shown: CalendarLook) -> dict[date, list[GridItem]]:
    found: dict[date, list[GridItem]] = {}
    units = shown.units
    for athlete in data.athletes:
        who = shown.names.get(athlete.user_id)
        raced = raced_ids(athlete)
        for event in athlete.events:
            if event.activity_id in raced:
                continue  # its session has the event's name and star: the same race twice on a day
            found.setdefault(event.date, []).append(event_item(event, who=who, units=units))
        for match in athlete.matches:
            day = match_day(match, data.start, data.end)
            at = "" if shown.view == "month" else time_of_day(athlete, match, shown.zone)
            item = match_item(match, who=who, units=units, at=at)
            if item.id in raced:
                item = replace(item, sign="★", spoken=f"Event: {item.spoken}")
            found.setdefault(day, []).append(item)
        for note in athlete.notes:
            found.setdefault(note.date, []).append(note_item(note, who=who))
    return found


def _day(day: date, items: list[GridItem], *, today: date, shown: CalendarLook, is_first: bool) -> GridDay:
    return GridDay(
        date=day.isoformat(),
        number=f"{day.day} {day:%b}" if is_first or day.day == 1 else str(day.day),
        title=f"{day:%a} {day.day} {day:%b}",
        spoken=f"{day:%A} {day.day} {day:%B}, {formats.count(len(items), 'entry', 'entries')}",
        items=items,
        is_today=day == today,
        is_outside=shown.month is not None and day.month != shown.month,
        is_picked=day == shown.picked,
    )


def time_of_day(athlete: AthleteCalendar, match: Match, zone: tzinfo | None) -> str:
    """The time of the session, else of the plan; empty if neither is stated."""
    if match.done is not None:
        return formats.started(athlete.activities[match.done.id], zone, yours="yours")
    plan = athlete.prescriptions.get(match.planned.id) if match.planned else None
    return f"{plan.time:%H:%M}" if plan and plan.time else ""
