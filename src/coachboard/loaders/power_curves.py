"""Best efforts of sessions. The curves of other sessions are computed in the background and kept."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from coachboard.client import Client
from coachboard.client.errors import NotFound, ServiceError, Unauthorized
from coachboard.client.resources import ME
from coachboard.client.sync import GIVE_UP_AFTER
from coachboard.formulas.session.clock_grid import held, to_clock_grid
from coachboard.formulas.session.even_speed import ON_FOOT, adjusted_speed, even_speed
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.formulas.session.mean_maximal import (
    highest_of,
    holders_of,
    mean_maximal,
)
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders.done_and_planned import local_days
from coachboard.wire.streams import ActivityStreams

Floats = NDArray[np.float64]
Curves = tuple[dict[str, Floats], frozenset[str]]
"""Curves by session, and the sessions without streams."""
ReadCurves = Callable[[Client, Sequence[str], str], Curves]

KIND = "mean-maximal"
VERSION = 4
"""Increase when curves change; cached curves of another version are computed again."""

MOST_NEW = 12
"""Curves that a run of a page computes from cached streams; the background computes the others."""
_LOGGER = logging.getLogger(__name__)

_FILLED_DAYS = 365
_POLL_S = 0.2
_COMPUTER = ThreadPoolExecutor(1, "coachboard-curves")
_REST, _LONGEST_REST_S = 2.0, 1.0
"""The background computes one session of all clients at a time, and then rests twice as long: the work of twelve keys at
once left pages without CPU."""
_WANTED: WeakKeyDictionary[Client, dict[str, None]] = WeakKeyDictionary()
"""Sessions whose curves pages of a client lack, in the order of reading; an entry while a worker reads them."""
_WANTED_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True, eq=False)
class SeasonCurve:
    """The best of several sessions, with the ids of the sessions in it."""

    best: Floats
    sources: tuple[str, ...]
    total: int  # the sessions with streams, and those not read yet
    without_streams: int = 0  # in addition to the total
    held_by: tuple[str | None, ...] = ()  # the session with the best of each duration

    @property
    def used(self) -> int:
        """Number of sessions in the curve; the total once all are read."""
        return len(self.sources)

    @property
    def is_complete(self) -> bool:
        return self.used == self.total

    @property
    def is_enough(self) -> bool:
        """Whether half of the sessions are in: below that the best of them is no best of the span."""
        return 0 < self.total <= 2 * self.used


def per_clock_second(streams: SessionStreams, column: str) -> Floats:
    """The column on the clock grid: stops are 0, short gaps repeat the last value."""
    values = _values(streams, column)
    if values is None:
        return np.empty(0)
    filled = np.nan_to_num(held(values, streams.elapsed_s))
    return to_clock_grid(streams.elapsed_s, filled, fill=0.0)


def _values(streams: SessionStreams, column: str) -> Floats | None:
    if column == ADJUSTED_SPEED:  # without altitude, as on a treadmill, the way counts as flat
        adjusted = adjusted_speed(streams)
        return even_speed(streams) if adjusted is None else adjusted
    return even_speed(streams) if column == "speed" else streams.get(column)


def curve_of(streams: SessionStreams, column: str) -> Floats:
    """Best means over `DURATIONS`."""
    return mean_maximal(per_clock_second(streams, column))


SUMMARY_FIELD = {"power": "average_power", "speed": "average_speed", ADJUSTED_SPEED: "average_speed"}
"""Summary field that shows a session has the column, before its streams load."""


def is_reading(client: Client) -> bool:
    """Whether the background reads sessions for the curves of the client's pages."""
    return client in _WANTED


def is_worth_drawing(drawn: Iterable[SeasonCurve], read: Iterable[SeasonCurve], *, is_reading: bool) -> bool:
    """Whether to draw curves again with the sessions read since: with half of them, with all, and when reading ends."""
    grown = [(before, now) for before, now in zip(drawn, read, strict=True) if now.used != before.used]
    return any(now.is_complete or now.is_enough != before.is_enough for before, now in grown) or (
        bool(grown) and not is_reading
    )


def kept_curves(client: Client, activity_ids: Sequence[str], column: str) -> Curves:
    """The kept curves, and the sessions without streams. Starts nothing."""
    kept = client.known_derived_of(f"{KIND} {column}", VERSION, activity_ids)
    curves = {activity_id: np.frombuffer(body, np.float64) for activity_id, body in kept.items()}
    return curves, client.without_streams().intersection(activity_ids).difference(curves)


def curves_of_ids(
    client: Client, activity_ids: Sequence[str], column: str, *, most_new: int = MOST_NEW
) -> Curves:
    """As `kept_curves`, and computes at most `most_new` of cached streams; the background reads the others in order."""
    curves, bare = kept_curves(client, activity_ids, column)
    lacking = [
        activity_id for activity_id in activity_ids if activity_id not in curves and activity_id not in bare
    ]
    for activity_id in lacking[:most_new]:
        body = _computed(client, activity_id, column)
        if body is not None:
            curves[activity_id] = np.frombuffer(body, np.float64)
    _read_soon(client, [activity_id for activity_id in lacking if activity_id not in curves])
    return curves, bare


def best_of_ids(
    client: Client, activity_ids: Sequence[str], column: str, read: ReadCurves = curves_of_ids
) -> SeasonCurve:
    """The best of the sessions with the column whose curves `read` returns."""
    return best_of(activity_ids, *read(client, activity_ids, column))


def best_of(activity_ids: Sequence[str], curves: Mapping[str, Floats], bare: frozenset[str]) -> SeasonCurve:
    sources = tuple(activity_id for activity_id in activity_ids if activity_id in curves)
    without = len(bare.intersection(activity_ids))
    bests = [curves[activity_id] for activity_id in sources]
    return SeasonCurve(
        best=highest_of(bests),
        sources=sources,
        total=len(activity_ids) - without,
        without_streams=without,
        held_by=tuple(sources[place] if place >= 0 else None for place in holders_of(bests).tolist()),
    )


def _read_soon(client: Client, activity_ids: Sequence[str]) -> None:
    """Read the sessions of a page in the background, before those of the page before and of `fill_year`."""
    wanted = dict.fromkeys(activity_ids)
    if not wanted:
        return
    with _WANTED_LOCK:
        is_under_way = client in _WANTED
        _WANTED[client] = wanted | _WANTED.get(client, {})
    if not is_under_way:
        client.pool.submit(_read_wanted, client)


def _read_wanted(client: Client) -> None:
    failures = 0
    try:
        while failures < GIVE_UP_AFTER and (activity_id := _next_wanted(client)) is not None:
            try:
                _keep_curves(client, activity_id, list(SUMMARY_FIELD))
            except Unauthorized:
                return
            except ServiceError as error:
                failures += 1
                _LOGGER.info("best efforts: %s", error)
            except ValueError:  # a recording that this program misreads must not end the work for the others
                failures += 1
                _LOGGER.exception("best efforts of a session failed")
    finally:
        with _WANTED_LOCK:
            _WANTED.pop(client, None)


def _next_wanted(client: Client) -> str | None:
    """The next session; None at the end, after which a page starts a new worker."""
    with _WANTED_LOCK:
        wanted = _WANTED.get(client)
        if not wanted:
            _WANTED.pop(client, None)
            return None
        first = next(iter(wanted))
        del wanted[first]
        return first


def fill_year(client: Client, is_over: Callable[[], bool], *, today: date) -> None:
    """Compute the curves of the last year that the cache lacks, newest first, for the reader and all athletes.

    Keeps the curves, 2 kB a session, and not the streams, of which a squad's year has gigabytes.
    """
    users = [ME, *(user.id for user in client.list_users().value)]
    since = today - timedelta(days=_FILLED_DAYS)
    lacking = [session for user_id in users if not is_over() for session in _lacking(client, user_id, since)]
    failures = 0
    for _, activity_id, columns in sorted(lacking, reverse=True):
        while client in _WANTED and not is_over():
            client.pause(_POLL_S)
        if is_over():
            return
        try:
            _keep_curves(client, activity_id, columns)
        except Unauthorized:
            raise
        except ServiceError:
            failures += 1
            if failures >= GIVE_UP_AFTER:
                raise


def _keep_curves(client: Client, activity_id: str, columns: Sequence[str]) -> None:
    lacking = [
        name for name in columns if not client.known_derived_of(f"{KIND} {name}", VERSION, [activity_id])
    ]
    # A page may want a session again while it is read.
    if not lacking or activity_id in client.without_streams():
        return
    try:
        streams = client.pass_streams(activity_id)
    except NotFound:
        return  # cached: the session counts as one without streams
    _COMPUTER.submit(_compute, client, activity_id, streams, lacking).result()


def _compute(client: Client, activity_id: str, streams: ActivityStreams, columns: Sequence[str]) -> None:
    started = time.monotonic()
    of_session = SessionStreams.from_streams(streams)
    for column in columns:
        _kept(client, activity_id, of_session, column)
    client.pause(min(_REST * (time.monotonic() - started), _LONGEST_REST_S))


def _kept(client: Client, activity_id: str, streams: SessionStreams, column: str) -> bytes:
    """The curve from the cache, else computed and kept."""
    kept = client.known_derived_of(f"{KIND} {column}", VERSION, [activity_id])
    if activity_id in kept:
        return kept[activity_id]
    body = curve_of(streams, column).tobytes()
    client.keep_derived(f"{KIND} {column}", VERSION, activity_id, body)
    return body


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
    for column, summary in SUMMARY_FIELD.items():
        has_column = frame[summary].notna() & (frame["sport"].isin(ON_FOOT) | (column != ADJUSTED_SPEED))
        ids = frame["id"][has_column].tolist()
        kept = client.known_derived_of(f"{KIND} {column}", VERSION, ids)
        for activity_id in ids:
            if activity_id not in kept and activity_id not in bare:
                columns.setdefault(activity_id, []).append(column)
    days = zip(frame["id"].tolist(), local_days(frame), strict=True)
    return [
        (day, activity_id, columns[activity_id])
        for activity_id, day in days
        if activity_id in columns and day is not None
    ]


def _computed(client: Client, activity_id: str, column: str) -> bytes | None:
    cached = client.known_streams(activity_id)
    if cached is None:
        return None
    return _kept(client, activity_id, SessionStreams.from_streams(cached.value), column)
