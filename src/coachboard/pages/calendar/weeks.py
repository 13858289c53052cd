"""The days of the calendar for `widgets/calendar_grid`, which draws them: weeks, or lanes of athletes, with totals."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta, tzinfo
from functools import partial
from math import isnan

from coachboard.execution.adherence import Done, Match, Planned
from coachboard.formulas.plausible import sum_of_known
from coachboard.formulas.session.summary_load import methods_of
from coachboard.pages.calendar.data import AthleteCalendar, CalendarData
from coachboard.pages.calendar.items import (
    SIGNS,
    event_item,
    family,
    legend,
    match_day,
    match_item,
    note_item,
    raced_ids,
    stimulus_colours,
)
from coachboard.pages.calendar.planning import gestures_of, remarks_of
from coachboard.pages.calendar.totals import (
    done_in,
    excused_in,
    planned_in,
    without_missed,
)
from coachboard.ui.frame import formats
from coachboard.ui.frame.formats import Units
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets.calendar_grid import Grid, GridDay, GridItem, GridWeek, PlanControls, Total, View
from coachboard.wire.athlete_settings import day_hours
from coachboard.wire.enums import NoteType, Sport

_LONGEST_SPAN_DAYS = 366
_HINT = "Choose a day or an entry to see its details here."
_HINT_OF_A_PLAN = (
    "Choose a day or a session to see its details here. Choose an empty part of a day to add an entry, drag an entry "
    "to move it; on a phone hold it, then choose its day. Keys: + adds, M moves, Delete deletes."
)
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
    plan: PlanControls | None = None
    unread: Mapping[str, int] = field(default_factory=dict)  # comments, by the id of an entry or a session


def grid(data: CalendarData, look: CalendarLook) -> Grid:
    """The whole span for the grid component."""
    counted = data if look.counts_missed else without_missed(data)
    if len(data.athletes) > 1 and look.view == "week":
        weeks = _lanes(data, counted, look)
    else:
        by_day, days = _items_by_day(data, look), (data.end - data.start).days + 1
        starts = [data.start + timedelta(days=n) for n in range(0, days, DAYS_A_WEEK)]
        weeks = [_week(start, by_day, counted=counted, look=look) for start in starts]
    return Grid(
        view=look.view,
        title=look.title,
        weekdays=[f"{data.start + timedelta(days=n):%a}" for n in range(DAYS_A_WEEK)],
        weeks=weeks,
        limit=ITEMS_A_DAY[look.view] * (len(data.athletes) if look.view == "month" else 1),
        signs=dict(SIGNS),
        opened=look.opened,
        legend=legend(item for week in weeks for day in week.days for item in day.items),
        colours=stimulus_colours(athletes=data.athletes),
        plan=look.plan,
        hint="" if look.picked else _HINT_OF_A_PLAN if look.plan else _HINT,
    )


def _lanes(data: CalendarData, counted: CalendarData, look: CalendarLook) -> list[GridWeek]:
    """One week of several athletes: a lane per athlete, with the same days in the same columns."""
    alone = replace(look, names={})
    lanes = []
    for athlete, of_totals in zip(data.athletes, counted.athletes, strict=True):
        own, own_counted = replace(data, athletes=(athlete,)), replace(counted, athletes=(of_totals,))
        week = _week(data.start, _items_by_day(own, alone), counted=own_counted, look=alone)
        lanes.append(replace(week, lane=plain(look.names.get(athlete.user_id, "")), user=athlete.user_id))
    return lanes


def _week(
    start: date, by_day: Mapping[date, list[GridItem]], *, counted: CalendarData, look: CalendarLook
) -> GridWeek:
    """A week with its items and totals; `counted` has the plans that count in the totals."""
    days = [start + timedelta(days=n) for n in range(DAYS_A_WEEK)]
    return GridWeek(
        # ISO numbers a week by its Thursday, whichever day a week begins on.
        title=f"Week {days[3].isocalendar().week}",
        days=[
            _day(day, by_day.get(day, []), today=counted.today, look=look, is_first=day == counted.start)
            for day in days
        ],
        lines=week_lines(counted.athletes, start, look.units, names=look.names),
    )


def _items_by_day(data: CalendarData, look: CalendarLook) -> dict[date, list[GridItem]]:
    items: dict[date, list[GridItem]] = {}
    unread = _unread_by_item(data, look)
    units = look.units
    for athlete in data.athletes:
        who = look.names.get(athlete.user_id)
        raced = raced_ids(athlete)
        add = partial(_add, items, athlete, data.today)
        for event in athlete.events:
            if event.activity_id in raced:
                continue  # its session has the event's name and star: the same race twice on a day
            add(event.date, _with_unread(event_item(event, who=who, units=units), unread), is_open=True)
        for match in athlete.matches:
            day = match_day(match, data.start, data.end)
            clock = "" if look.view == "month" else time_of_day(athlete, match, look.zone)
            item = match_item(match, who=who, units=units, clock=clock)
            if item.id in raced:
                item = replace(item, sign="★", spoken=f"Event: {item.spoken}")
            add(day, _with_unread(item, unread), is_open=match.done is None)
        for note in athlete.notes:
            add(note.date, _with_unread(note_item(note, who=who), unread), is_open=True)
    return items


def _unread_by_item(data: CalendarData, look: CalendarLook) -> Mapping[str, int]:
    """Unread comments by item: that of a session with a plan has the plan's id and the comments of both."""
    if not look.unread:
        return look.unread
    pairs = {
        match.planned.id: match.done.id
        for athlete in data.athletes
        for match in athlete.matches
        if match.planned is not None and match.done is not None
    }
    of_sessions = {item: look.unread.get(item, 0) + look.unread.get(done, 0) for item, done in pairs.items()}
    return {**look.unread, **of_sessions}


def _with_unread(item: GridItem, unread: Mapping[str, int]) -> GridItem:
    if not unread.get(item.id):
        return item
    words = formats.count(unread[item.id], "new comment")
    detail = " · ".join(part for part in (words, item.detail) if part)
    return replace(item, detail=detail, spoken=f"{item.spoken}, {words}")


def _add(
    items: dict[date, list[GridItem]],
    athlete: AthleteCalendar,
    today: date,
    day: date,
    item: GridItem,
    *,
    is_open: bool,
) -> None:
    """Add an item on each of its days; with the planning API with its remarks and gestures, unless it is done."""
    entry = (athlete.entries or {}).get(item.id)
    if entry is None:
        items.setdefault(day, []).append(replace(item, user=athlete.user_id))
        return
    remarks = remarks_of(entry, today=today)
    item = replace(
        item,
        user=athlete.user_id,
        can=gestures_of(entry) if is_open else "",
        detail=" · ".join(part for part in (item.detail, *remarks) if part),
        spoken=", ".join((item.spoken, *remarks)),
    )
    last = min(entry.end_date or day, day + timedelta(days=_LONGEST_SPAN_DAYS))
    for days in range((last - day).days + 1):
        items.setdefault(day + timedelta(days=days), []).append(item)


def _day(day: date, items: list[GridItem], *, today: date, look: CalendarLook, is_first: bool) -> GridDay:
    return GridDay(
        date=day.isoformat(),
        number=f"{day.day} {day:%b}" if is_first or day.day == 1 else str(day.day),
        title=f"{day:%a} {day.day} {day:%b}",
        spoken=f"{day:%A} {day.day} {day:%B}, {formats.count(len(items), 'entry', 'entries')}",
        items=items,
        is_today=day == today,
        is_outside=look.month is not None and day.month != look.month,
        is_picked=day == look.picked,
    )


def time_of_day(athlete: AthleteCalendar, match: Match, zone: tzinfo | None) -> str:
    """The time of the session, else of the plan; empty if neither is stated."""
    if match.done is not None:
        return formats.started(athlete.activities[match.done.id], zone, yours="yours")
    plan = athlete.prescriptions.get(match.planned.id) if match.planned else None
    return f"{plan.time:%H:%M}" if plan and plan.time else ""


DAYS_A_WEEK = 7
_SPORTS_LISTED = 3


def week_lines(
    athletes: Iterable[AthleteCalendar], start: date, units: Units, *, names: Mapping[str, str] | None = None
) -> Sequence[Total]:
    """Hours done of planned by sport, or by athlete if several have `names`; then distance, load and sessions.

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
        *_load_lines(planned, done),
        *(setting_lines(listed[0], start) if len(listed) == 1 else ()),
        Total("Sessions", f"{len(done)} of {len(planned)}" if planned else str(len(done)))
        if planned or done
        else None,
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
    return Total(label, value, family(sport))


def _mixed_plan_lines(planned: Sequence[Planned], *, units: Units) -> list[Total]:
    """Planned amounts if some plans state a time and others a distance: the done share of either would be wrong."""
    by_distance = [plan.distance_m for plan in planned if is_by_distance(plan)]
    if not by_distance or len(by_distance) == len(planned):
        return []
    seconds = sum_of_known(plan.duration_s for plan in planned)
    time = [] if isnan(seconds) else [Total("Planned", formats.duration_hm(seconds))]
    return [*time, Total("by distance" if time else "Planned", _distance(sum(by_distance), units))]


def _distance_line(planned: Sequence[Planned], done: Sequence[Done], *, units: Units) -> Total | None:
    """The distance done, and of how much if every plan states a distance and no time."""
    distance = _distance(sum_of_known(session.distance_m for session in done), units)
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


def _load_lines(planned: Sequence[Planned], done: Sequence[Done]) -> list[Total]:
    """The load of the estimated load of the plans, and the methods of its computed part."""
    load, target = (
        sum_of_known(session.volume for session in done),
        sum_of_known(plan.volume for plan in planned),
    )
    if isnan(load) and isnan(target):
        return [Total("Load", formats.MISSING)] if done else []
    value = formats.number(load if done else 0.0)
    line = Total("Load", value if isnan(target) else f"{value} of {formats.number(target)}")
    return [line, *(Total("by", str(method)) for method in methods_of(done))]


def monday_of(start: date) -> date:
    """The Monday whose target belongs to the calendar's week: the two share a Thursday."""
    thursday = start + timedelta(days=(3 - start.weekday()) % DAYS_A_WEEK)
    return thursday - timedelta(days=3)


def setting_lines(athlete: AthleteCalendar, start: date) -> list[Total]:
    """The target and the phase of a week, and the hours that the athlete has; none on days of illness and travel."""
    target = next((each for each in athlete.targets if each.monday == monday_of(start)), None)
    lines = []
    if target is not None and target.load is not None:
        lines.append(Total("Target load", formats.number(target.load)))
    if target is not None and target.hours is not None:
        lines.append(Total("Target", formats.duration_hm(target.hours * 3600)))
    if target is not None and target.phase is not None:
        lines.append(Total("Phase", str(target.phase).capitalize()))
    days = [start + timedelta(days=n) for n in range(DAYS_A_WEEK)]
    available = [day_hours(athlete.availability, day) for day in days]
    if any(day is not None for day in available):
        absent = _absent_days(athlete)
        hours = sum(
            day.hours for date_, day in zip(days, available, strict=True) if day and date_ not in absent
        )
        lines.append(Total("Available", formats.duration_hm(hours * 3600)))
    return lines


def _absent_days(athlete: AthleteCalendar) -> set[date]:
    """The days of notes of illness and travel."""
    absent = set[date]()
    for note in athlete.notes:
        if note.type in {NoteType.MEDICAL, NoteType.AVAILABILITY}:
            entry = (athlete.entries or {}).get(note.id)
            last = (entry.end_date if entry else None) or note.date
            absent |= {note.date + timedelta(days=n) for n in range((last - note.date).days + 1)}
    return absent
