"""The whole squad: athletes by days in compliance colours, and planned by delivered stimulus."""

from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from math import isnan

import streamlit as st

from coachboard.charts import palette
from coachboard.execution.adherence import Adherence, Match
from coachboard.pages.athlete_words import stimulus_words
from coachboard.pages.roster.choice import follow
from coachboard.pages.roster.visible_rows import VisibleRoster
from coachboard.ui.frame import formats, navigation, notices, theme
from coachboard.ui.frame.addresses import day_url, page_url, session_url
from coachboard.ui.frame.formats import Units, number
from coachboard.ui.frame.page import Athlete
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets.people_table import Cell, Chip, PeopleTable, TableColumn, TableRow, draw_table
from coachboard.wire.enums import TrainingStimulus

_BEFORE, _AHEAD = timedelta(days=6), timedelta(days=3)
_SIGNS = {Adherence.UNPLANNED: "+", Adherence.EXCUSED: "⊘"}
_LONGEST_TITLE = 20
_HYPHENATED = {"Neuromuscular": "Neuro\u00admuscular"}
"""The only word that is wider than a column: a soft hyphen breaks it there."""


def week_table(visible: VisibleRoster) -> PeopleTable:
    """A row per athlete, a column per day."""
    todays = _todays(visible)
    # Of most athletes: a column for each date cut off the names of sessions.
    ((usual, _),) = todays.most_common(1)
    days = [usual + timedelta(n) for n in range(-_BEFORE.days, _AHEAD.days + 1)]
    columns = [TableColumn("name", "Athlete", width=150)]
    columns += [
        TableColumn(str(day), label, f"{day.day} {day:%b}", phone_label=f"{label} {day.day} {day:%b}")
        for day in days
        for label in ["Today" if todays.keys() == {day} else f"{day:%a}"]
    ]
    rows = [replace(_line(visible, athlete, days), group=group) for group, athlete in visible.groups]
    return PeopleTable("The squad's week, planned and done", columns, rows, kind="days")


def _todays(visible: VisibleRoster) -> Counter[date]:
    """The dates that are today for so many athletes: perhaps none has the reader's, who may be a day behind."""
    todays = Counter(row.today for athlete in visible.people if (row := visible.row(athlete)))
    return todays or Counter({visible.page.today: 1})


def has_one_today(visible: VisibleRoster) -> bool:
    """Whether all athletes have the same date; the header names it, else a shade in each row."""
    return len(_todays(visible)) == 1


def _line(visible: VisibleRoster, athlete: Athlete, days: list[date]) -> TableRow:
    row = visible.row(athlete)
    url = page_url("athlete", athlete=athlete.id)
    head = Cell(plain(athlete.name), href=url)
    if row is None:
        failed = athlete.id in visible.roster.failed
        head = Cell(plain(athlete.name), "could not be loaded" if failed else "loading", href=url)
        return TableRow(athlete.id, [head, *(Cell() for _ in days)], is_muted=True)
    by_day: dict[date, list[Chip]] = {}
    for match in row.week:
        by_day.setdefault(match.calendar_day, []).append(chip_of(visible, match, athlete))
    own_today = None if has_one_today(visible) else row.today
    day_cells = [Cell(chips=by_day.get(day, ()), is_today=day == own_today) for day in days]
    return TableRow(athlete.id, [head, *day_cells])


def chip_of(visible: VisibleRoster, match: Match, athlete: Athlete) -> Chip:
    """The box of a session or plan with the mark of its compliance."""
    state = match.compliance.state if match.compliance else None
    look = palette.COMPLIANCE[state] if state else None
    part = match.done or match.planned
    assert part is not None
    done = match.done
    url = session_url(athlete.id, done.id, done.day) if done else day_url(athlete.id, match.day)
    kind = "inferred" if match.is_inferred else "done" if match.done else "planned"
    return Chip(
        text=_name(match),
        kind="missed" if match.adherence is Adherence.MISSED else kind,  # type: ignore[arg-type] # one of four words
        spoken=_spoken(match, visible.page.units),
        tone=visible.colour(look.tone) if look else None,
        sign=look.sign if look else _SIGNS.get(match.adherence),
        href=url,
    )


def _name(match: Match) -> str:
    """The planned stimulus, if the session had it; else, and of a missed session, the plan's title.

    A group ride of 7 h read as "VO2max".
    """
    named = match.planned or match.done
    assert named is not None
    is_missed = match.adherence is Adherence.MISSED
    if not is_missed and named.stimulus and stimulus_words(match) == formats.label(named.stimulus):
        word = formats.label(named.stimulus)
        return _HYPHENATED.get(word, word)
    # A sport among stimuli reads as one: "Cycling" next to "Recovery".
    return plain(named.title, longest=_LONGEST_TITLE) or formats.sport(named.sport or "session")


def _spoken(match: Match, units: Units) -> str:
    is_unknown = match.adherence is Adherence.UNKNOWN
    parts = ["sessions could not be read" if is_unknown else str(match.adherence)]
    if match.planned is not None:
        by_distance = isnan(match.planned.duration_s)
        target = (
            formats.distance(match.planned.distance_m, match.planned.sport, units=units)
            if by_distance
            else formats.duration_hm(match.planned.duration_s)
        )
        parts.append(f"planned {plain(match.planned.title, longest=60)} {target}")
    if match.done is not None:
        stimulus = f", {words}" if (words := stimulus_words(match)) else ""
        parts.append(f"done {formats.duration_hm(match.done.duration_s)}{stimulus}")
    if match.compliance and match.compliance.state and match.done:
        share = formats.compliance(match.compliance.ratio)
        parts.append(f"{match.compliance.state}, {share} of the planned {match.compliance.compared}")
    if match.days_moved:
        parts.append(f"moved by {formats.count(match.days_moved, 'day', signed=True)}")
    if match.is_inferred:
        parts.append("likely match")
    if match.adherence is Adherence.EXCUSED:
        parts.append(f"excused ({plain(match.excuse_words, longest=80)})")
    return "; ".join(parts)


def stimulus_table(visible: VisibleRoster) -> PeopleTable:
    """Planned in rows, delivered in columns, the number of sessions in each cell."""
    total: Counter[tuple[TrainingStimulus | None, TrainingStimulus | None]] = Counter()
    for athlete in visible.people:
        if row := visible.row(athlete):
            total.update(row.stimuli)
    order = [*TrainingStimulus, None]
    intended = [stimulus for stimulus in order if any(pair[0] == stimulus for pair in total)]
    delivered = [stimulus for stimulus in order if any(pair[1] == stimulus for pair in total)]
    columns = [TableColumn("intended", "Planned", "done →")]
    # First: as the last of 13 columns it was off the screen of a phone.
    columns.append(TableColumn("kept", "As planned", is_number=True))
    columns += [TableColumn(str(stimulus), _label(stimulus), is_number=True) for stimulus in delivered]
    rows = [_intended(stimulus, delivered, total) for stimulus in intended]
    return PeopleTable("Planned and completed stimulus", columns, rows, kind="matrix")


def _label(stimulus: TrainingStimulus | None) -> str:
    return formats.label(stimulus) if stimulus else "Not classified"


def _intended(
    intended: TrainingStimulus | None,
    delivered: list[TrainingStimulus | None],
    total: Counter[tuple[TrainingStimulus | None, TrainingStimulus | None]],
) -> TableRow:
    counts = [total[intended, delivered_as] for delivered_as in delivered]
    whole = sum(counts)
    cells = [
        Cell(
            number(count) if count else "",
            title=f"{_label(intended)} planned, {_label(delivered_as)} done: {formats.count(count, 'session')}",
            shade=count / whole,
            sign="✓" if count and intended is not None and intended == delivered_as else None,
        )
        for count, delivered_as in zip(counts, delivered, strict=True)
    ]
    # A session without a planned stimulus cannot match it.
    kept = Cell(
        formats.percent(total[intended, intended] / whole * 100) if intended else formats.MISSING,
        f"of {whole}",
    )
    return TableRow(str(intended), [Cell(_label(intended)), kept, *cells])


def draw_week(visible: VisibleRoster) -> None:
    # On a phone the table is a long list: its signs come before it.
    draw = (_draw_week_legend, _draw_week_table)
    for draw_part in draw if theme.is_phone() else draw[::-1]:
        draw_part(visible)
    if visible.page.client.planning.has("entries"):
        st.page_link(
            navigation.page_path("calendar"),
            label="Plan the squad's week",
            icon=":material/edit_calendar:",
            query_params={"beside": "squad", "view": "week"},
        )


def _draw_week_table(visible: VisibleRoster) -> None:
    follow(draw_table(week_table(visible), key="roster.week"))


def _draw_week_legend(visible: VisibleRoster) -> None:
    shade = "" if has_one_today(visible) else " Shaded = today in the athlete's time zone."
    st.caption(
        "Filled = done, outlined = planned, missed or excused, dashed = likely match (by day, sport and duration). "
        "A box names the type; a session planned or done without a type, or done as another type than planned, shows its "
        "title. "
        f"{formats.COMPLIANCE} ✕ missed, + unplanned, ⊘ excused. "
        f"A session counts as missed when the athlete's day has ended.{shade}"
    )


def draw_stimulus(visible: VisibleRoster) -> None:
    table: PeopleTable = stimulus_table(visible)
    if not table.rows:
        notices.say_empty(
            "No planned session was matched with a completed one in the last 28 days.",
            fills="Planned sessions that have a stimulus are compared here once they are done.",
        )
        return
    draw_table(table, key="roster.stimulus")
    st.caption(
        "Planned sessions that were done, last 28 days. Rows: planned stimulus; columns: stimulus done. "
        "Diagonal = as planned. Missed and unplanned sessions are not counted. Not classified: planned, or done, without a "
        f"stimulus, such as a group ride or strength.{' Swipe the table sideways for all columns.' if theme.is_phone() else ''}"
    )
