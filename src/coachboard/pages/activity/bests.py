"""Best efforts of the session, and of the days, the year and all sessions up to it; the list with percentages and records."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain
from math import nan

import numpy as np
import pandas as pd

from coachboard.client import Client
from coachboard.client.errors import ServiceError
from coachboard.formulas.session.even_speed import ON_FOOT
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.formulas.session.mean_maximal import DURATIONS, BestEffort, best_effort
from coachboard.loaders.done_and_planned import local_days
from coachboard.loaders.memo import RowsMemo, once
from coachboard.loaders.pool_lengths import usual_length_s
from coachboard.loaders.power_curves import (
    SUMMARY_FIELD,
    Floats,
    ReadCurves,
    SeasonCurve,
    best_of,
    curve_of,
    curves_of_ids,
    per_clock_second,
)
from coachboard.pages.activity.data import HISTORY_DAYS, YEAR_DAYS, ActivityData
from coachboard.pages.activity.selection import draw_choosing_rows
from coachboard.ui.frame import formats
from coachboard.ui.frame.page import Page
from coachboard.ui.widgets import export
from coachboard.wire.activities import Activity, local_day

SEASON, YEAR, ALL = "season", "year", "known"
"""The days before the session, the year before it, and all sessions."""
NAMED_S = (5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600)
"""Durations of common best efforts. [s]"""


def curve_columns(data: ActivityData) -> list[str]:
    """The columns that have a curve, the first by default: on foot also pace and grade-adjusted pace."""
    first = data.effort_column
    if first is None or data.streams is None:
        return []
    further = ["speed", ADJUSTED_SPEED] if data.activity.sport in ON_FOOT else []
    return [first, *(name for name in further if name != first and data.streams.get(name) is not None)]


@once
def own_curve(data: ActivityData, column: str) -> Floats:
    """Best means over `DURATIONS`; in a pool none shorter than a length, because only its mean is known."""
    if data.streams is None:
        return np.full(len(DURATIONS), np.nan)
    curve = curve_of(data.streams, column)
    shortest_s = usual_length_s(data.activity)
    return np.where(np.array(DURATIONS) < shortest_s, np.nan, curve) if column == "speed" else curve


@once
def own_bests(data: ActivityData, column: str) -> tuple[BestEffort, ...]:
    """The session's best means over the common durations with their times; in a pool none shorter than a length."""
    if data.streams is None:
        return ()
    values = per_clock_second(data.streams, column)
    shortest_s = usual_length_s(data.activity) if column == "speed" else nan
    bests = [best_effort(values, seconds) for seconds in NAMED_S if not seconds < shortest_s]
    return tuple(best for best in bests if best is not None and best.mean > 0)


@dataclass(frozen=True, slots=True)
class Record:
    """The best of a span over one duration."""

    value: float
    activity_id: str
    day: date | None


@dataclass(frozen=True, slots=True, eq=False)
class SpanCurves:
    """A curve per span; only that of the season if the list of all sessions cannot be loaded."""

    own_id: str
    of: Mapping[str, SeasonCurve]
    days: Mapping[str, date | None]

    @property
    def is_complete(self) -> bool:
        return all(curve.is_complete for curve in self.of.values())

    def is_alone(self, span: str) -> bool:
        """Whether the span has no session to compare with."""
        return not {*self.of[span].sources} - {self.own_id}

    def record(self, span: str, duration_s: int) -> Record | None:
        """None without one, without another session, or if fewer than half of the sessions are in."""
        curve, place = self.of.get(span), DURATIONS.index(duration_s)
        if curve is None or not curve.is_enough or self.is_alone(span):
            return None
        holder = curve.held_by[place]
        if holder is None:
            return None
        return Record(float(curve.best[place]), holder, self.days.get(holder))


def span_curves(
    client: Client, data: ActivityData, column: str, read: ReadCurves = curves_of_ids
) -> SpanCurves:
    """The best of the days up to the session, of the year up to it, both including it, and of all sessions."""
    lengths: dict[str, int | None] = {SEASON: HISTORY_DAYS, YEAR: YEAR_DAYS, ALL: None}
    try:
        days = _all_days(client, data, column)
    except ServiceError:
        days = {
            session.id: local_day(session) for session in data.history if _may_have(session, data, column)
        }
        lengths = {SEASON: HISTORY_DAYS}
    days = {data.activity.id: data.day} | days
    spans = {name: _within(days, data, length) for name, length in lengths.items()}
    # The season is read before older sessions.
    curves, bare = read(client, list(dict.fromkeys(chain(*spans.values()))), column)
    return SpanCurves(
        data.activity.id, {name: best_of(ids, curves, bare) for name, ids in spans.items()}, days
    )


def _all_days(client: Client, data: ActivityData, column: str) -> dict[str, date | None]:
    """The sessions of the sport that may have the column, newest first, with their days."""
    listed = client.list_activities(data.user_id)
    return _DAYS.of([listed], (column, data.activity.sport), lambda: _days_of(listed.frame, data, column))


_DAYS: RowsMemo[dict[str, date | None]] = RowsMemo(64)


def _days_of(frame: pd.DataFrame, data: ActivityData, column: str) -> dict[str, date | None]:
    if frame.empty:
        return {}
    may_have = frame[SUMMARY_FIELD[column]].notna()
    if data.activity.sport is not None:
        may_have &= frame["sport"] == data.activity.sport
    # Columns of all sessions take 5 ms to read; models take a hundred times as long.
    sessions = frame[may_have]
    return dict(zip(sessions["id"].tolist(), local_days(sessions), strict=True))


def _may_have(session: Activity, data: ActivityData, column: str) -> bool:
    return session.sport == data.activity.sport and getattr(session, SUMMARY_FIELD[column]) is not None


def _within(days: Mapping[str, date | None], data: ActivityData, length: int | None) -> list[str]:
    """The session and those of the days before it; later ones were unknown to the athlete."""
    last = data.day
    if length is None or last is None:
        return list(days) if length is None else [data.activity.id]
    first = last - timedelta(days=length)
    return [session_id for session_id, day in days.items() if day is not None and first <= day <= last]


_RECORDS = {YEAR: "Best, 12 months", ALL: "Best, all time"}
_SHARE = "% of {}"


def draw_bests(
    page: Page, data: ActivityData, column: str, *, spans: SpanCurves, span: str, against: str
) -> None:
    """A row per duration; a click selects its section in the panels. `against` names the span of the percentage."""
    efforts = own_bests(data, column)
    if not efforts:
        return
    rows = pd.DataFrame([_row(page, data, column, effort, spans, (span, against)) for effort in efforts])
    table, share = rows.dropna(axis="columns", how="all"), _SHARE.format(against)
    draw_choosing_rows(
        table,
        [(float(effort.start), float(effort.start + effort.duration_s)) for effort in efforts],
        key=f"activity.bests.{data.activity.id}",
        # A phone has room for one column more: the comparison was behind "All columns".
        first=("Duration", _head(data, column), share if share in table else "Start"),
        alt="Best efforts of this session by duration. Select a row to mark it in the panels.",
        width="content",
    )
    export.draw_downloads(
        lambda: pd.DataFrame(
            {
                "duration_s": [effort.duration_s for effort in efforts],
                f"mean_{column}": [effort.mean for effort in efforts],
                "from_s": [effort.start for effort in efforts],
            }
        ),
        name=f"bests-{data.activity.id}",
        key="activity.export.bests",
    )


def _row(
    page: Page,
    data: ActivityData,
    column: str,
    effort: BestEffort,
    spans: SpanCurves,
    against: tuple[str, str],
) -> dict[str, str | None]:
    weight_kg = data.capacities.weight_kg
    best = spans.record(against[0], effort.duration_s)
    return {
        "Duration": formats.duration_hm(effort.duration_s)
        if effort.duration_s >= 60
        else f"{effort.duration_s} s",
        _head(data, column): _value_text(page, data, column, effort.mean),
        "W/kg": f"{effort.mean / weight_kg:.2f}" if column == "power" and weight_kg else None,
        "Heart rate": _heart_rate(data, effort),
        "Start": formats.duration_hms(effort.start),
        _SHARE.format(against[1]): formats.percent(100 * effort.mean / best.value)
        if best is not None
        else None,
    } | {
        head: _record_text(page, data, column, spans.record(span, effort.duration_s))
        for span, head in _RECORDS.items()
    }


def _record_text(page: Page, data: ActivityData, column: str, record: Record | None) -> str | None:
    if record is None:
        return None
    is_this = record.activity_id == data.activity.id
    when = "this session" if is_this else formats.day(record.day, today=page.today)
    return f"{_value_text(page, data, column, record.value)}, {when}"


def _head(data: ActivityData, column: str) -> str:
    if column == "power":
        return "Power"
    name = "Pace" if data.activity.sport in formats.PACED_SPORTS else "Speed"
    return name if column == "speed" else f"Grade-adjusted {name.lower()}"


def _value_text(page: Page, data: ActivityData, column: str, value: float) -> str:
    if column == "power":
        return formats.power(value)
    return formats.speed_or_pace(value, data.activity.sport, units=page.units)


def _heart_rate(data: ActivityData, effort: BestEffort) -> str | None:
    streams = data.streams
    if streams is None:
        return None
    part = streams.between(effort.start, effort.start + effort.duration_s)
    text = formats.heart_rate(streams.mean("heart_rate", part))
    return None if text == formats.MISSING else text
