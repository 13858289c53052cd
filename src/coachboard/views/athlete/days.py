"""The next days and the last sessions: two short lists, each line leads on."""

from datetime import date
from math import isnan

from coachboard.analytics.adherence import Adherence, Done, Match, Planned
from coachboard.analytics.compliance import ComplianceState
from coachboard.charts import palette
from coachboard.loaders.athlete import AthleteData
from coachboard.views import formats, theme
from coachboard.views.addresses import day_url, session_url
from coachboard.views.formats import MISSING, number
from coachboard.views.people_table import Cell, Column, Row, Table, draw_side_by_side
from coachboard.views.session_list import load_cell
from coachboard.views.shell import Page
from coachboard.views.text import plain

_LINES = 7


def draw_days(page: Page, data: AthleteData) -> None:
    """The next days beside the last sessions."""
    draw_side_by_side([_ahead(page, data), _last(page, data)], key="athlete.days")


def _ahead(page: Page, data: AthleteData) -> Table:
    """What is planned next; a click opens the day in the calendar."""
    columns = [Column("day", "Day", width=84), Column("what", "Session"),
               Column("volume", "Volume", "estimated", is_number=True, width=74)]  # fmt: skip
    rows = [_ahead_row(match, data, page) for match in data.ahead[:_LINES]]
    none = "" if rows else "Nothing planned in the next 8 weeks."
    return Table("Next sessions", columns, rows, kind="list", none=none)


def _ahead_row(match: Match, data: AthleteData, page: Page) -> Row:
    plan, today = match.planned, data.known.today
    assert plan is not None
    facts = (formats.sport(plan.sport), formats.label(plan.stimulus) if plan.stimulus else "",
             _length(plan, page))  # fmt: skip
    lead = day_url(data.user_id, plan.day)
    cells = [
        Cell(_near(plan.day, today), formats.day(plan.day, today=today)),
        Cell(plain(plan.title), ", ".join(fact for fact in facts if fact), href=lead),
        Cell(number(data.known.rates.volume_of(plan))),
    ]
    return Row(plan.id, cells, href=lead)


def _last(page: Page, data: AthleteData) -> Table:
    """What was done last and what was missed; a click opens the session."""
    columns = [Column("day", "Day", width=84), Column("what", "Session"),
               Column("plan", "Compliance", width=98), Column("volume", "Volume", is_number=True, width=62, is_minor=True)]  # fmt: skip
    rows = [_last_row(match, data, page) for match in data.last[:_LINES]]
    none = "" if rows else "No session in the last 6 weeks. New recordings appear here."
    return Table("Last sessions", columns, rows, kind="list", none=none)


def _last_row(match: Match, data: AthleteData, page: Page) -> Row:
    done, today = match.done, data.known.today
    part = done or match.planned
    assert part is not None
    facts = (formats.sport(part.sport), formats.label(part.stimulus) if part.stimulus else "",
             _length(part, page))  # fmt: skip
    named = match.planned or part  # by its plan, as in the calendar: devices call most things "Ride"
    title = plain(named.title) or formats.sport(part.sport)
    lead = session_url(data.user_id, done.id, done.day) if done else day_url(data.user_id, match.day)
    cells = [
        Cell(_near(part.day, today), formats.day(part.day, today=today)),
        Cell(title, ", ".join(fact for fact in facts if fact), href=lead),
        _compliance(match),
        load_cell(done) if done else Cell(MISSING),
    ]
    return Row(part.id, cells, href=lead)


def _length(part: Planned | Done, page: Page) -> str:
    """The duration, else the distance."""
    if not isnan(part.duration_s):
        return formats.duration_hm(part.duration_s)
    return "" if isnan(part.distance_m) else formats.distance(part.distance_m, part.sport, units=page.units)


def _compliance(match: Match) -> Cell:
    found = match.compliance
    if found is None or found.state is None:
        if match.adherence is Adherence.EXCUSED:
            return Cell("excused", f"{match.excuse} note")
        return Cell(sub="not planned" if match.adherence is Adherence.UNPLANNED else str(match.adherence))
    look = palette.COMPLIANCE[found.state]
    share = formats.percent(found.ratio * 100) if match.done else "missed"
    moved = f"moved {formats.signed(match.days_moved)} d" if match.days_moved else ""
    besides = [word for word in (moved, "likely match" if match.is_inferred else "") if word]
    # The sign says it already: there is room for two words.
    state = [] if besides and found.state is ComplianceState.ON_TARGET else [str(found.state)]
    says = ", ".join(state + besides)
    return Cell(share, says if match.done else "", title=says, sign=look.sign, tone=theme.colour(look.tone))


def _near(day: date, today: date) -> str:
    days = (day - today).days
    words = {0: "Today", 1: "Tomorrow", -1: "Yesterday"}
    return words.get(days) or (f"in {days} d" if days > 0 else f"{-days} d ago")
