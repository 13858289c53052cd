"""Best efforts of a session and of the season, from cached streams."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import nan
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.session.clock_grid import held, to_clock_grid
from coachboard.analytics.session.mean_maximal import (
    DURATIONS,
    BestEffort,
    best_effort,
    highest_of,
    mean_maximal,
)
from coachboard.client import Result
from coachboard.loaders.activity.even_speed import even_speed
from coachboard.loaders.activity.page_data import HISTORY_DAYS, ActivityData
from coachboard.loaders.activity.pool_lengths import usual_length_s
from coachboard.loaders.activity.session_streams import SessionStreams
from coachboard.loaders.matching import local_day
from coachboard.models.activities import Activity
from coachboard.models.streams import ActivityStreams

Floats = NDArray[np.float64]

KIND = "mean-maximal"
VERSION = 4
"""Increase when curves change; cached curves of another version are computed again."""

ALL_DAYS = 730
"""Days of sessions in "all known"."""
NAMED_S = (5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600)
"""Durations of common best efforts. [s]"""
MOST_NEW = 12
"""Curves and stream requests per run, so that the page does not wait for a season of rides."""


class CurveSource(Protocol):
    """Client methods that the season's curve needs."""

    def known_derived_of(self, kind: str, version: int, keys: Sequence[str]) -> Mapping[str, bytes]: ...
    def derived(self, kind: str, version: int, key: str, compute: Callable[[], bytes]) -> bytes: ...
    def known_streams(self, activity_id: str) -> Result[ActivityStreams] | None: ...
    def without_streams(self) -> frozenset[str]: ...
    def fetch_streams_soon(self, activity_id: str) -> None: ...
    def list_activities(
        self, user_id: str, start: date | None = None, end: date | None = None
    ) -> Result[tuple[Activity, ...]]: ...


@dataclass(frozen=True, slots=True, eq=False)
class SeasonCurve:
    """The best of several sessions, with the number of sessions used and available."""

    best: Floats
    known: int  # including sessions without streams, which never contribute
    total: int
    without_streams: int = 0

    @property
    def used(self) -> int:
        """Number of sessions in the curve."""
        return self.known - self.without_streams


def column_of(data: ActivityData) -> str | None:
    """The column of the curve: power, else speed, else none."""
    streams = data.streams
    if streams is None:
        return None
    return next((name for name in ("power", "speed") if streams.get(name) is not None), None)


def own_curve(data: ActivityData, column: str) -> Floats:
    """Best means over `DURATIONS`; in a pool none shorter than a length, because only its mean is known."""
    if data.streams is None:
        return np.full(len(DURATIONS), np.nan)
    found = curve_of(data.streams, column)
    shortest_s = usual_length_s(data.activity)
    return np.where(np.array(DURATIONS) < shortest_s, np.nan, found) if column == "speed" else found


def per_clock_second(streams: SessionStreams, column: str) -> Floats:
    """The column on the clock grid: stops are 0, short gaps repeat the last value."""
    values = even_speed(streams) if column == "speed" else streams.get(column)
    if values is None:
        return np.empty(0)
    known = np.nan_to_num(held(values, streams.elapsed_s))
    return to_clock_grid(streams.elapsed_s, known, fill=0.0)


def curve_of(streams: SessionStreams, column: str) -> Floats:
    """Best means over `DURATIONS`."""
    return mean_maximal(per_clock_second(streams, column))


def own_bests(data: ActivityData, column: str) -> tuple[BestEffort, ...]:
    """The session's best means over the common durations with their times; in a pool none shorter than a length."""
    if data.streams is None:
        return ()
    values = per_clock_second(data.streams, column)
    shortest_s = usual_length_s(data.activity) if column == "speed" else nan
    found = [best_effort(values, seconds) for seconds in NAMED_S if not seconds < shortest_s]
    return tuple(best for best in found if best is not None and best.mean > 0)


_OF_WHICH = {"power": "average_power", "speed": "average_speed"}
"""Summary field that shows a session has the column, before its streams load."""


def season_curve(client: CurveSource, data: ActivityData, column: str) -> SeasonCurve:
    """The best of the days up to the session, including it."""
    wanted = [s for s in (data.activity, *_before(data)) if getattr(s, _OF_WHICH[column]) is not None]
    return best_of_ids(client, [session.id for session in wanted], column)


def known_curve(client: CurveSource, data: ActivityData, column: str) -> SeasonCurve:
    """The best of all sessions of two years with cached streams."""
    listed = client.list_activities(data.user_id, data.today - timedelta(days=ALL_DAYS), data.today)
    # Columns of two years of sessions take 5 ms to read; models take a hundred times as long.
    frame = listed.frame
    may_have = frame[_OF_WHICH[column]].notna()
    if data.activity.sport is not None:
        may_have &= frame["sport"] == data.activity.sport
    return best_of_ids(client, list(frame["id"][may_have]), column)


def _before(data: ActivityData) -> list[Activity]:
    """Sessions of the same sport in the days before; later ones were unknown to the athlete."""
    last = data.day
    if last is None:
        return []
    first = last - timedelta(days=HISTORY_DAYS)
    days = [(local_day(session), session) for session in data.history]
    return [
        session
        for day, session in days
        if day is not None and first <= day <= last and session.sport == data.activity.sport
    ]


def best_of_ids(
    client: CurveSource, activity_ids: Sequence[str], column: str, *, most_new: int = MOST_NEW
) -> SeasonCurve:
    """The best of sessions with the column; computes at most `most_new` new curves."""
    curves: list[Floats] = []
    bare = client.without_streams().intersection(activity_ids)
    all_kept = client.known_derived_of(f"{KIND} {column}", VERSION, activity_ids)
    new = 0
    for activity_id in activity_ids:
        kept = all_kept.get(activity_id)
        if kept is None and new < most_new and activity_id not in bare:
            new += 1
            kept = _computed(client, activity_id, column)
        if kept is not None:
            curves.append(np.frombuffer(kept, np.float64))
    bare = bare.difference(all_kept)
    return SeasonCurve(highest_of(curves), len(curves) + len(bare), len(activity_ids), len(bare))


def _computed(client: CurveSource, activity_id: str, column: str) -> bytes | None:
    known = client.known_streams(activity_id)
    if known is None:
        client.fetch_streams_soon(activity_id)
        return None
    streams = known.value

    def compute() -> bytes:
        return curve_of(SessionStreams.from_streams(streams), column).tobytes()

    return client.derived(f"{KIND} {column}", VERSION, activity_id, compute)
