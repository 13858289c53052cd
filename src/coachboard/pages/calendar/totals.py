"""Planned and done by week and sport: sums, and the table below the days."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

import pandas as pd
import streamlit as st

from coachboard.execution.adherence import Adherence, Done, Match, Planned
from coachboard.execution.weeks import week_totals
from coachboard.formulas.frames import DISTANCE_M, DURATION_S, SESSIONS, SPORT, VOLUME, WEEK
from coachboard.formulas.plausible import or_zero
from coachboard.formulas.session.summary_load import methods_of
from coachboard.pages.calendar.choice import CalendarChoice, counts_missed
from coachboard.pages.calendar.data import LISTS, AthleteCalendar, CalendarData
from coachboard.ui.frame import formats, notices
from coachboard.ui.frame.page import Page
from coachboard.ui.frame.text import plain
from coachboard.ui.widgets import export, formula_help


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


def total_rows(data: CalendarData, first_weekday: int) -> list[TotalRow]:
    """Planned and done by week and sport, weeks in order."""
    matches = [match for athlete in data.athletes for match in athlete.matches]
    planned = _totals(planned_in(matches, data.start, data.end), first_weekday)
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
    for athlete_sessions in sessions:
        for (week, _), amounts_of_week in _totals(athlete_sessions, first_weekday).items():
            hours[week] = hours.get(week, 0.0) + or_zero(amounts_of_week[DURATION_S]) / 3600
    return dict(sorted(hours.items()))


def draw_totals(page: Page, choice: CalendarChoice, data: CalendarData) -> None:
    """Planned and done of each week by sport, athlete by athlete; missed plans as the calendar's own totals."""
    data = data if counts_missed() else without_missed(data)
    if not data.knows_sessions:
        notices.say_empty(
            "The sessions of these days could not be loaded.",
            fills="Reload the page in a minute to see the totals.",
        )
        return
    rows = {
        athlete.user_id: total_rows(replace(data, athletes=(athlete,)), page.first_weekday)
        for athlete in data.athletes
    }
    if not any(rows.values()):
        notices.say_empty(
            "No plans or sessions in this period.",
            fills="Choose other days; plans and recordings are added up here.",
            rows=LISTS,
            of=data.results,
        )
        return
    frame = pd.concat(
        [_totals_frame(page, of_one, choice.full_names.get(who)) for who, of_one in rows.items()]
    )
    right = st.column_config.TextColumn(alignment="right")
    st.dataframe(
        frame,
        hide_index=True,
        key="calendar.totals",
        column_config=dict.fromkeys(frame.columns[list(frame.columns).index("Sport") + 1 :], right),
    )
    st.caption(
        "Plans count in the week they are planned for, sessions in the week they were done. "
        f"{'Missed plans count' if counts_missed() else 'Missed plans do not count'}. Excused plans never count. "
        f"{formats.PLANNED_LOAD}{_load_source(data)}",
        help=formula_help.text_of(week_totals, window="each week of the days shown."),
    )
    export.draw_downloads(lambda: frame, name="week-totals", key="calendar.totals.export")


def _load_source(data: CalendarData) -> str:
    done = (match.done for athlete in data.athletes for match in athlete.matches if match.done is not None)
    source = formats.load_source(methods_of(done))
    return f" The load of sessions that come without one is {source}." if source else ""


def _totals_frame(page: Page, rows: Sequence[TotalRow], athlete: str | None) -> pd.DataFrame:
    def distance(metres: float, sport: str) -> str:
        return formats.distance(metres or None, sport, units=page.units)

    return pd.DataFrame(
        ({"Athlete": [plain(athlete)] * len(rows)} if athlete else {})
        | {
            "Week of": [formats.day(row.week, today=page.today) for row in rows],
            "Sport": [formats.sport(row.sport) for row in rows],
            "Planned": [formats.duration_hm(row.planned_s or None) for row in rows],
            "Done": [formats.duration_hm(row.done_s or None) for row in rows],
            "Planned distance": [distance(row.planned_m, row.sport) for row in rows],
            "Distance": [distance(row.distance_m, row.sport) for row in rows],
            "Planned load": [formats.number(row.planned_volume or None) for row in rows],
            "Load": [formats.number(row.volume or None) for row in rows],
            "Sessions": [f"{row.done} of {row.planned}" if row.planned else str(row.done) for row in rows],
        }
    )
