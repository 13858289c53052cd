"""The endpoints of the service: the request of each, and for each list its model, its order and the day of a row."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Any, Final
from urllib.parse import quote, urlencode

import orjson
import zstandard

from coachboard.wire.activities import Activity
from coachboard.wire.base import Wire, plausible_day
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription

ME: Final = "me"
"""The user id of the owner of the key."""

OWN_DATA_PATH: Final = "/own/v1"
PLAN_PATH: Final = "/plan/v1"

DECISIONS: Final = "decisions"
"""The feature of a planning API that lists what people decided about workouts, and the name of the list in the cache."""
LOADS: Final = "loads"
"""The same for the loads of planned workouts."""
ENTRIES: Final = "entries"
TARGETS: Final = "targets"
AVAILABILITY: Final = "availability"
VERSIONED: Final = (ENTRIES, TARGETS, AVAILABILITY)
"""Parts of a calendar by their names in the cache; the keys end with the version of the service's data."""

HAS_MORE_FIELDS: frozenset[type[Wire]] = frozenset({Metric})
"""spec: not shown: metrics have further fields, which are dropped."""

ALWAYS_PRESENT: Mapping[type[Wire], frozenset[str]] = {Sleep: frozenset({"id", "day"})}
"""spec: not shown: the fields that a row of these models always has; any other may be absent."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request; `query` holds the parameters that are present."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | Iterable[bytes] | None = None  # pieces are sent one by one: a large file takes no memory
    headers: tuple[tuple[str, str], ...] = ()
    user_id: str = ""  # the user whose rate limit the request counts for, empty for none

    @property
    def target(self) -> str:
        """The path with its query, as errors and logs show it."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path

    @property
    def is_own_data(self) -> bool:
        """Whether the path is under `/own/v1` or `/plan/v1`, where replies are also 201 and 202, and files as bytes."""
        return self.path.startswith((OWN_DATA_PATH, PLAN_PATH))


def path_of(template: str, identifier: str = "") -> str:
    """The path with an id in it; the id cannot add a segment to the path."""
    if "{" in template and (not identifier or identifier in {".", ".."}):
        raise ValueError(f"not an id: {identifier!r}")
    return template.format(quote(identifier, safe=""))


@dataclass(frozen=True, slots=True)
class ListRow:
    """One row of a list, as it was received and as the cache stores it.

    The large nested lists (laps, climbs) stay encoded in `nested`, JSON that `packer` compresses: most readers need the
    other fields alone, and a thousand decoded activities would take 100 MB.
    """

    value: Any
    is_odd: bool = False  # the model rejects it: repair it before use
    nested: bytes | None = None

    @property
    def id(self) -> str | None:
        """The id of the row, None where it has none."""
        row_id = self.value.get("id") if isinstance(self.value, dict) else None
        return row_id if isinstance(row_id, str) else None

    def whole(self) -> Any:
        """The row with its nested lists."""
        if self.nested is None:
            return self.value
        return {**self.value, **orjson.loads(zstandard.decompress(self.nested))}


def packer() -> Callable[[bytes], bytes]:
    """Compresses `nested` to a seventh; for one list in one thread, as a packer for each row takes three times as long."""
    return zstandard.ZstdCompressor(level=1).compress


Fields = Mapping[str, Any]
"""The fields of a decoded row, by the names of the wire."""


class Order(Enum):
    """How a list is ordered."""

    NEWEST_FIRST = "newest day first"
    LATEST_START_FIRST = "latest start first"
    OLDEST_FIRST = "oldest first"


@dataclass(frozen=True, slots=True)
class Ranged:
    """A list of the rows of a user by day."""

    name: str
    path: str
    model: type[Wire]
    order: Order = Order.NEWEST_FIRST
    day_field: str = "date"
    nested: tuple[str, ...] = ()  # wire names of the lists that make a row large
    may_be_undated: bool = False
    is_plan: bool = False  # rows of the future are expected and change

    def rank_of(self, row: Fields, position: int) -> int:
        """The rank of the row in its list (by start) or in its day (by the order of the reply)."""
        if self.order is not Order.LATEST_START_FIRST:
            return position
        return -int(_start_of(row).timestamp()) * 10_000 + min(position, 9_999)

    def day_of(self, row: Fields) -> date | None:
        """The day of the row at the service, None where the row does not name it."""
        try:
            if self.order is Order.LATEST_START_FIRST:
                return _local_day(row)
            return plausible_day(row.get(self.day_field))
        except ValueError:
            return None


def _local_day(row: Fields) -> date | None:
    """An activity's local date; by its UTC start and offset where the local start is missing."""
    local = row.get("startedAtLocal")
    if isinstance(local, str):
        return plausible_day(local[:10])
    started, offset = row.get("startedAt"), row.get("utcOffset")
    if not isinstance(started, str):
        return None
    minutes = offset if isinstance(offset, int | float) and abs(offset) < 24 * 60 else 0
    plausible_day(started[:10])
    return (datetime.fromisoformat(started[:19]) + timedelta(minutes=minutes)).date()


def _start_of(row: Fields) -> datetime:
    """The UTC start, else the local start; a row with neither comes last."""
    for name in ("startedAt", "startedAtLocal"):
        text = row.get(name)
        if isinstance(text, str):
            try:
                plausible_day(text[:10])
                return datetime.fromisoformat(text[:19]).replace(tzinfo=UTC)
            except ValueError:
                continue
    return datetime(1, 1, 1, tzinfo=UTC)


ACTIVITIES = Ranged(
    "activities",
    "/users/{}/activities",
    Activity,
    order=Order.LATEST_START_FIRST,
    may_be_undated=True,
    nested=("laps", "climbs", "lengths", "providerLaps"),
)
PRESCRIPTIONS = Ranged(
    "training-prescriptions", "/users/{}/training-prescriptions", TrainingPrescription, is_plan=True
)
NOTES = Ranged("notes", "/users/{}/notes", Note, is_plan=True)
EVENTS = Ranged("events", "/users/{}/events", Event, is_plan=True)
# spec: not shown: the direction of metrics; the client sorts them, the oldest first.
METRICS = Ranged("metrics", "/users/{}/metrics", Metric, order=Order.OLDEST_FIRST)
SLEEPS = Ranged("sleeps", "/users/{}/sleeps", Sleep, day_field="day")

RANGED: Final = (ACTIVITIES, PRESCRIPTIONS, NOTES, EVENTS, METRICS, SLEEPS)

USERS_PATH: Final = "/users"
USER_PATH: Final = "/users/{}"
STREAMS_PATH: Final = "/activities/{}/streams"
INVITATIONS_PATH: Final = "/workspaces/{}/invitations"
