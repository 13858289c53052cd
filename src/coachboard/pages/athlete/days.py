"""The next days and the last sessions: two short lists of links."""

from datetime import date
from math import isnan

from coachboard.charts import palette
from coachboard.execution.adherence import Adherence, Done, Match, Planned
from coachboard.execution.compliance import ComplianceState
from coachboard.loaders.known_days import AHEAD_DAYS
from coachboard.pages.athlete.data import AthleteData
from coachboard.pages.athlete_words import stimulus_words
from coachboard.ui.frame import formats, notices, theme
from coachboard.ui.frame.addresses import day_url, page_url, session_url
from coachboard.ui.frame.formats import MISSING, number
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets.load_cell import load_cell
from coachboard.ui.widgets.people_table import Cell, PeopleTable, TableColumn, TableRow, draw_side_by_side
from coachboard.ui.widgets.toolbar import Press, draw_bar

_LINES = 7
_NEAR_DAYS = 99
"""Beyond, the date alone says more than a number of days."""


def draw_days(page: Page, data: AthleteData) -> None:
    """The next days next to the last sessions, and the way to all of them."""
    draw_side_by_side([_ahead(page, data), _last(page, data)], key="athlete.days")
    all_sessions = Press(
        "all", "All sessions", help="Open the list of all sessions, with search and filters.",
        href=page_url("activity", athlete=data.user_id), icon="list", is_quiet=True,
    )  # fmt: skip
    draw_bar([all_sessions], key="athlete.all")


def _ahead(page: Page, data: AthleteData) -> PeopleTable:
    """The next plans; a click opens the day in the calendar."""
    columns = [TableColumn("day", "Day", width=84), TableColumn("what", "Session"),
               TableColumn("volume", "Load", "planned", is_number=True, width=74)]  # fmt: skip
    near = data.next_days
    # Without a plan in these days the next ones, such as a race, are still of interest.
    rows = [_ahead_row(match, data, page) for match in near or data.ahead[:_LINES]]
    none = (
        notices.unreadable("training-prescriptions", data.results) or "Nothing planned in the next 8 weeks."
    )
    if len(near) > 1:
        rows.append(_sum_row(near, data))
    return PeopleTable("Next sessions", columns, rows, kind="list", none="" if rows else none)


def _sum_row(near: list[Match], data: AthleteData) -> TableRow:
    """The load that the roster shows as planned for these days."""
    load = data.known.planned_volume(near)
    return TableRow(
        "sum", [Cell(f"{AHEAD_DAYS} days", "with today"), Cell("All sessions"), Cell(number(load))]
    )


def _ahead_row(match: Match, data: AthleteData, page: Page) -> TableRow:
    plan, today = match.planned, page.today_of(data.user_id)
    assert plan is not None
    title = plain(plan.title)
    stimulus = formats.label(plan.stimulus) if plan.stimulus else ""
    # "Recovery: Cycling, Recovery, 1h00" said one word twice.
    facts = (formats.sport(plan.sport), "" if stimulus == title else stimulus, _length(plan, page))
    url = day_url(data.user_id, plan.day)
    cells = [
        Cell(_near(plan.day, today), formats.day(plan.day, today=today)),
        Cell(title, ", ".join(fact for fact in facts if fact), href=url),
        Cell(number(data.known.rates.volume_of(plan))),
    ]
    return TableRow(plan.id, cells, href=url)


def _last(page: Page, data: AthleteData) -> PeopleTable:
    """The last sessions and missed plans; a click opens the session."""
    columns = [TableColumn("day", "Day", width=84), TableColumn("what", "Session"),
               TableColumn("plan", "Compliance", "done of planned", width=98), TableColumn("volume", "Load", is_number=True, width=62, is_minor=True)]  # fmt: skip
    rows = [last_row(match, data, page) for match in data.last(page.client, _LINES)]
    none = (
        notices.unreadable("activities training-prescriptions", data.results)
        or "No session in the last 6 weeks."
    )
    return PeopleTable("Last sessions", columns, rows, kind="list", none="" if rows else none)


def last_row(match: Match, data: AthleteData, page: Page) -> TableRow:
    done, today = match.done, page.today_of(data.user_id)
    part = done or match.planned
    assert part is not None
    named = match.planned or part  # the plan's name, as in the calendar: devices name most sessions "Ride"
    title = plain(named.title) or formats.sport(part.sport)
    # The list of all sessions below shows the recording's name.
    recorded = plain(done.title) if done else ""
    # A phone has no room for the column of the load.
    load = f"load\u00a0{number(done.volume)}" if done and theme.is_phone() and not isnan(done.volume) else ""
    stimulus = stimulus_words(match)
    facts = (formats.sport(part.sport), "" if stimulus == title else stimulus,
             _length(part, page), load, f"recorded as {recorded}" if recorded and recorded != title else "")  # fmt: skip
    url = session_url(data.user_id, done.id, done.day) if done else day_url(data.user_id, match.day)
    cells = [
        Cell(_near(part.day, today), formats.day(part.day, today=today)),
        Cell(title, ", ".join(fact for fact in facts if fact), href=url),
        compliance_cell(match),
        load_cell(done) if done else Cell(MISSING),
    ]
    return TableRow(part.id, cells, href=url)


def _length(part: Planned | Done, page: Page) -> str:
    """The duration, else the distance."""
    if not isnan(part.duration_s):
        return formats.duration_hm(part.duration_s)
    return "" if isnan(part.distance_m) else formats.distance(part.distance_m, part.sport, units=page.units)


def compliance_cell(match: Match) -> Cell:
    compliance = match.compliance
    if compliance is None or compliance.state is None:
        if match.adherence is Adherence.EXCUSED:
            return Cell("excused", plain(match.excuse_words, longest=80))
        if match.adherence is Adherence.UNKNOWN:
            return Cell(MISSING, "sessions could not be read")
        return Cell(sub="not planned" if match.adherence is Adherence.UNPLANNED else str(match.adherence))
    look = palette.COMPLIANCE[compliance.state]
    share = formats.compliance(compliance.ratio) if match.done else "missed"
    moved = f"moved {formats.signed(match.days_moved)} d" if match.days_moved else ""
    besides = [word for word in (moved, "likely match" if match.is_inferred else "") if word]
    # The sign says "on target"; without the measure 100 % of the time read as 100 % of the load.
    state = [] if compliance.state is ComplianceState.ON_TARGET else [str(compliance.state)]
    measure = [compliance.compared] if compliance.measure and match.done else []
    if compliance.state is ComplianceState.OPEN and measure:  # read "duration, duration only"
        measure, state = [], [f"{compliance.measure} only"]
    details = ", ".join(measure + state + besides)
    return Cell(
        share,
        details if match.done else "",
        title=", ".join([*measure, *(state or [str(compliance.state)]), *besides]),
        sign=look.sign,
        tone=theme.colour(look.tone),
    )


def _near(day: date, today: date) -> str:
    days = (day - today).days
    words = {0: "Today", 1: "Tomorrow", -1: "Yesterday"}
    if abs(days) > _NEAR_DAYS:
        return ""
    return words.get(days) or (f"in {days} d" if days > 0 else f"{-days} d ago")
