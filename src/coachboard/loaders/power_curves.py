"""Best efforts of a session and of the season, from cached streams."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from itertools import chain
from math import nan

import numpy as np
from numpy.typing import NDArray

from coachboard.analytics.session.clock_grid import held, to_clock_grid
from coachboard.analytics.session.mean_maximal import (
    DURATIONS,
    BestEffort,
    best_effort,
    highest_of,
    holders_of,
    mean_maximal,
)
from coachboard.client import Client
from coachboard.client.errors import NotFound, ServiceError, Unauthorized
from coachboard.client.resources import ME
from coachboard.client.sync import GIVE_UP_AFTER
from coachboard.loaders.activity.even_speed import even_speed
from coachboard.loaders.activity.page_data import HISTORY_DAYS, YEAR_DAYS, ActivityData
from coachboard.loaders.activity.pool_lengths import usual_length_s
from coachboard.loaders.activity.session_streams import SessionStreams
from coachboard.loaders.matching import local_day, local_days
from coachboard.loaders.memo import once
from coachboard.models.activities import Activity
from coachboard.models.enums import Sport

Floats = NDArray[np.float64]

KIND = "mean-maximal"
VERSION = 4
"""Increase when curves change; cached curves of another version are computed again."""

SEASON, YEAR, ALL = "season", "year", "known"
"""The days before the session, the year before it, and all sessions."""
NAMED_S = (5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600)
"""Durations of common best efforts. [s]"""
MOST_NEW = 12
"""Curves and stream requests per run, so that the page does not wait for a season of rides."""
_TURN = threading.Lock()
_LONGEST_TURN_S, _POLL_S = 10.0, 0.2
_REST, _LONGEST_REST_S = 3.0, 1.0
"""The background fill of all clients computes one session at a time and then rests for three times as long: the fills of
twelve keys at once left pages without CPU. A client that waits for its rate limit does not hold the others up for longer
than `_LONGEST_TURN_S`."""


@dataclass(frozen=True, slots=True, eq=False)
class SeasonCurve:
    """The best of several sessions, with the number of sessions used and available."""

    best: Floats
    known: int  # including sessions without streams, which never contribute
    total: int
    without_streams: int = 0
    held_by: tuple[str | None, ...] = ()  # the session with the best of each duration

    @property
    def used(self) -> int:
        """Number of sessions in the curve."""
        return self.known - self.without_streams

    @property
    def is_enough(self) -> bool:
        """Whether half of the sessions are in: below that the best of them is no best of the span."""
        return 0 < self.total <= 2 * self.used


def column_of(data: ActivityData) -> str | None:
    """The column of the curve: power, else speed, else none."""
    streams = data.streams
    if streams is None:
        return None
    return next((name for name in ("power", "speed") if streams.get(name) is not None), None)


def curve_columns(data: ActivityData) -> list[str]:
    """The columns that have a curve, the first by default: runs with power also have a pace curve."""
    first = column_of(data)
    streams = data.streams
    if (
        first == "power"
        and streams is not None
        and data.activity.sport == Sport.RUNNING
        and streams.get("speed") is not None
    ):
        return ["power", "speed"]
    return [] if first is None else [first]


@once
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


@once
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


@dataclass(frozen=True, slots=True)
class Record:
    """The best of a span over one duration."""

    value: float
    activity_id: str
    day: date | None


@dataclass(frozen=True, slots=True, eq=False)
class SpanCurves:
    """A curve per span; only that of the season if the list of all sessions cannot be loaded."""

    of: Mapping[str, SeasonCurve]
    days: Mapping[str, date | None]

    def record(self, span: str, duration_s: int) -> Record | None:
        """None without one, or if fewer than half of the sessions are in."""
        curve, place = self.of.get(span), DURATIONS.index(duration_s)
        holder = curve.held_by[place] if curve is not None and curve.is_enough else None
        if curve is None or holder is None:
            return None
        return Record(float(curve.best[place]), holder, self.days.get(holder))


def span_curves(client: Client, data: ActivityData, column: str) -> SpanCurves:
    """The best of the days up to the session, of the year up to it, both including it, and of all sessions."""
    lengths: dict[str, int | None] = {SEASON: HISTORY_DAYS, YEAR: YEAR_DAYS, ALL: None}
    try:
        days = _all_days(client, data, column)
    except ServiceError:
        days = {one.id: local_day(one) for one in data.history if _may_have(one, data, column)}
        lengths = {SEASON: HISTORY_DAYS}
    days = {data.activity.id: data.day} | days
    spans = {name: _within(days, data, length) for name, length in lengths.items()}
    # The season first: most_new of it are computed before older ones.
    curves, bare = _curves(client, list(dict.fromkeys(chain(*spans.values()))), column)
    return SpanCurves({name: _best_of(ids, curves, bare) for name, ids in spans.items()}, days)


def _all_days(client: Client, data: ActivityData, column: str) -> dict[str, date | None]:
    """The sessions of the sport that may have the column, newest first, with their days."""
    # Columns of all sessions take 5 ms to read; models take a hundred times as long.
    frame = client.list_activities(data.user_id).frame
    if frame.empty:
        return {}
    may_have = frame[_OF_WHICH[column]].notna()
    if data.activity.sport is not None:
        may_have &= frame["sport"] == data.activity.sport
    found = frame[may_have]
    return dict(zip(found["id"].tolist(), local_days(found), strict=True))


def _may_have(session: Activity, data: ActivityData, column: str) -> bool:
    return session.sport == data.activity.sport and getattr(session, _OF_WHICH[column]) is not None


def _within(days: Mapping[str, date | None], data: ActivityData, length: int | None) -> list[str]:
    """The session and those of the days before it; later ones were unknown to the athlete."""
    last = data.day
    if length is None or last is None:
        return list(days) if length is None else [data.activity.id]
    first = last - timedelta(days=length)
    return [one for one, day in days.items() if day is not None and first <= day <= last]


def best_of_ids(
    client: Client, activity_ids: Sequence[str], column: str, *, most_new: int = MOST_NEW
) -> SeasonCurve:
    """The best of sessions with the column; computes at most `most_new` new curves."""
    return _best_of(activity_ids, *_curves(client, activity_ids, column, most_new=most_new))


def _curves(
    client: Client, activity_ids: Sequence[str], column: str, *, most_new: int = MOST_NEW
) -> tuple[dict[str, Floats], frozenset[str]]:
    """The known curves, and the sessions without streams."""
    curves: dict[str, Floats] = {}
    bare = client.without_streams().intersection(activity_ids)
    all_kept = client.known_derived_of(f"{KIND} {column}", VERSION, activity_ids)
    new = 0
    for activity_id in activity_ids:
        kept = all_kept.get(activity_id)
        if kept is None and new < most_new and activity_id not in bare:
            new += 1
            kept = _computed(client, activity_id, column)
        if kept is not None:
            curves[activity_id] = np.frombuffer(kept, np.float64)
    return curves, bare.difference(curves)


def _best_of(activity_ids: Sequence[str], curves: Mapping[str, Floats], bare: frozenset[str]) -> SeasonCurve:
    used = [one for one in activity_ids if one in curves]
    without = len(bare.intersection(activity_ids))
    found = [curves[one] for one in used]
    return SeasonCurve(
        best=highest_of(found),
        known=len(used) + without,
        total=len(activity_ids),
        without_streams=without,
        held_by=tuple(used[at] if at >= 0 else None for at in holders_of(found).tolist()),
    )


def fill_year(client: Client, is_over: Callable[[], bool], *, today: date) -> None:
    """Compute the curves of the last year that the cache lacks, newest first, for the reader and all athletes.

    Keeps the curves, 2 kB a session, and not the streams, of which a squad's year has gigabytes.
    """
    users = [ME, *(user.id for user in client.list_users().value)]
    since = today - timedelta(days=YEAR_DAYS)
    lacking = [one for user_id in users if not is_over() for one in _lacking(client, user_id, since)]
    failures = 0
    for _, activity_id, columns in sorted(lacking, reverse=True):
        if is_over():
            return
        try:
            with _turn(is_over):
                _keep_curves(client, activity_id, columns)
        except Unauthorized:
            raise
        except ServiceError:
            failures += 1
            if failures >= GIVE_UP_AFTER:
                raise


@contextmanager
def _turn(is_over: Callable[[], bool]) -> Iterator[None]:
    """The turn of one session, and the rest after it; a client that ends does not wait for its turn."""
    is_held, until = _TURN.acquire(blocking=False), time.monotonic() + _LONGEST_TURN_S
    while not is_held and time.monotonic() < until and not is_over():
        is_held = _TURN.acquire(timeout=_POLL_S)
    started = time.monotonic()
    try:
        yield
        time.sleep(min(_REST * (time.monotonic() - started), _LONGEST_REST_S))
    finally:
        if is_held:
            _TURN.release()


def _keep_curves(client: Client, activity_id: str, columns: Sequence[str]) -> None:
    try:
        streams = SessionStreams.from_streams(client.pass_streams(activity_id))
    except NotFound:
        return  # cached: the session counts as one without streams
    for column in columns:
        compute = partial(curve_of, streams, column)
        client.derived(f"{KIND} {column}", VERSION, activity_id, lambda: compute().tobytes())  # noqa: B023 (called at once)


def _lacking(client: Client, user_id: str, since: date) -> list[tuple[date, str, list[str]]]:
    """Sessions with columns whose curves are not cached; none of an athlete whose list cannot be loaded."""
    try:
        client.fill_activities(user_id, since)
        frame = client.list_activities(user_id, since).frame
    except Unauthorized:
        raise
    except ServiceError:
        return []
    if frame.empty:
        return []
    columns: dict[str, list[str]] = {}
    bare = client.without_streams()
    for column, summary in _OF_WHICH.items():
        ids = frame["id"][frame[summary].notna()].tolist()
        known = client.known_derived_of(f"{KIND} {column}", VERSION, ids)
        for activity_id in ids:
            if activity_id not in known and activity_id not in bare:
                columns.setdefault(activity_id, []).append(column)
    days = zip(frame["id"].tolist(), local_days(frame), strict=True)
    return [(day, one, columns[one]) for one, day in days if one in columns and day is not None]


def _computed(client: Client, activity_id: str, column: str) -> bytes | None:
    known = client.known_streams(activity_id)
    if known is None:
        client.fetch_streams_soon(activity_id)
        return None
    streams = known.value

    def compute() -> bytes:
        return curve_of(SessionStreams.from_streams(streams), column).tobytes()

    return client.derived(f"{KIND} {column}", VERSION, activity_id, compute)
