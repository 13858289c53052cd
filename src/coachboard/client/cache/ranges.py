"""Ranged lists in the cache: rows by day, and the spans of days that were fetched."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coachboard.client.cache.database import Database, steady
from coachboard.client.cache.freshness import Days, Span, record
from coachboard.client.cache.schema import ITEMS, LISTS, SPANS, CacheFileError, require_types
from coachboard.client.resources import ListRow, Order, Ranged


@dataclass(frozen=True, slots=True)
class ListKey:
    """Whose list it is. The scope is a service with a key, so that the rows of a key never answer another key."""

    scope: str
    resource: Ranged
    user_id: str
    asked_as: str  # the id in the path: `me` for the owner of the key

    @property
    def name(self) -> str:
        return f"{self.scope} {self.resource.name} {self.user_id}"


@dataclass(frozen=True, slots=True)
class FetchedDays:
    """Days of a list that were fetched together."""

    key: ListKey
    days: Days

    @property
    def kind(self) -> str:
        return self.key.resource.name


@dataclass(frozen=True, slots=True)
class ListState:
    """The state of a cached list; `version` changes with its rows."""

    list_id: int
    version: int
    used_at: float
    spans: tuple[Span, ...]


class PlacedRow(NamedTuple):
    """A row of a reply with its day and its rank in the list."""

    item_id: str
    day: int
    rank: int
    row: ListRow


def place_rows(resource: Ranged, rows: Sequence[ListRow], days: Days) -> list[PlacedRow]:
    """The rows of a reply in the order of the list. Of rows with the same id the later ones get a generated id."""
    placed: dict[str, PlacedRow] = {}
    for position, row in enumerate(rows):
        one = _placed(resource, row, days, position)
        first = placed.get(one.item_id)
        if first is not None:
            one = one._replace(item_id=_generated_id(first.day, position), day=first.day)
        placed[one.item_id] = one
    return sorted(placed.values(), key=_SORT_KEYS[resource.order])


_SORT_KEYS: dict[Order, Callable[[PlacedRow], tuple[int, int]]] = {
    Order.NEWEST_FIRST: lambda one: (-one.day, one.rank),
    Order.OLDEST_FIRST: lambda one: (one.day, one.rank),
    Order.LATEST_START_FIRST: lambda one: (one.rank, -one.day),
}


def _placed(resource: Ranged, row: ListRow, days: Days, position: int) -> PlacedRow:
    fields = row.value if isinstance(row.value, dict) else {}
    day = resource.day_of(fields)
    # The service returned the row for these days; where the row names another day, the service decides.
    ordinal = days.first if day is None else min(max(day.toordinal(), days.first), days.last)
    item_id = row.id or _generated_id(ordinal, position)
    return PlacedRow(item_id, ordinal, resource.rank_of(fields, position), row)


def _generated_id(ordinal: int, position: int) -> str:
    return f"?{ordinal}.{position}"


class Ranges:
    """The ranged lists of one cache."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def moves(self) -> int:
        """How often the cache has moved to another database, which may hold fewer rows."""
        return self._database.moves

    @steady
    def state(self, key: ListKey) -> ListState | None:
        """The state of the list; None where it was never fetched."""
        return _state_of(self._database.rows(_STATE_OF, _named(key)))

    @steady
    def rows(self, key: ListKey, days: Days) -> tuple[ListState | None, list[ListRow]]:
        """The rows of the days in the order of the list, with the state of the list at the same moment."""
        with self._database.reading() as connection:
            state = _read_state(connection, key)
            if state is None:
                return None, []
            query = _ROWS.order_by(*_ORDER_BY[key.resource.order])
            found = connection.execute(query, _within(state, days)).all()
            rows = list(map(_list_row, found))
        return state, rows

    @steady
    def put(self, key: ListKey, rows: Sequence[PlacedRow], span: Span) -> tuple[int, ListState]:
        """Replace the days of a span by fetched rows; the bytes written, and the state of the list after it.

        Most refreshes return the rows of before. Then only the span changes, and decoded rows stay valid.
        """
        items = [_item(one) for one in rows]
        size = sum(len(item["body"]) + len(item["nested"] or b"") for item in items)
        with self._database.writing(key.name) as connection:
            state = _read_state(connection, key) or _add_list(connection, key, span.fetched_at)
            is_news = not _is_known(connection, state, items, key.resource.order, span.days)
            deleted = _replace_items(connection, state, items, span.days) if is_news else size
            spans = record(state.spans, span)
            _replace_spans(connection, state, spans)
            changes = {"by": int(is_news), "grown": size - deleted, "now": span.fetched_at}
            connection.execute(_UPDATE_LIST, {"of_list": state.list_id, **changes})
        now_state = ListState(state.list_id, state.version + is_news, span.fetched_at, spans)
        return size if is_news else 0, now_state

    @steady
    def touch(self, key: ListKey, now: float) -> None:
        """Note that the list was used."""
        with self._database.writing(key.name) as connection:
            connection.execute(sa.update(LISTS).where(_is(key)).values(used_at=now))

    @steady
    def forget(self, scope: str, user_id: str) -> None:
        """Delete every list of a user, because the key may no longer read them."""
        with self._database.writing() as connection:
            lists = sa.select(LISTS.c.id).where(LISTS.c.scope == scope, LISTS.c.user_id == user_id)
            delete_lists(connection, list(connection.execute(lists).scalars()))


def _list_row(row: Any) -> ListRow:
    try:
        return ListRow(orjson.loads(row.body), row.is_odd, row.nested)
    except orjson.JSONDecodeError as error:
        raise CacheFileError(f"malformed row: {error}") from error


_IN_DAYS = sa.and_(
    ITEMS.c.list_id == sa.bindparam("in_list"),
    ITEMS.c.day.between(sa.bindparam("in_first"), sa.bindparam("in_last")),
)
_ROWS = sa.select(ITEMS.c.body, ITEMS.c.nested, ITEMS.c.is_odd).where(_IN_DAYS)
_CONTENT = ("item_id", "day", "is_odd", "body", "nested")
_CONTENTS = sa.select(*(ITEMS.c[name] for name in _CONTENT)).where(_IN_DAYS)
_ORDER_BY = {
    Order.NEWEST_FIRST: (ITEMS.c.day.desc(), ITEMS.c.rank),
    Order.OLDEST_FIRST: (ITEMS.c.day, ITEMS.c.rank),
    Order.LATEST_START_FIRST: (ITEMS.c.rank, ITEMS.c.day.desc()),
}
_SIZE = sa.select(
    sa.func.coalesce(
        sa.func.sum(sa.func.length(ITEMS.c.body) + sa.func.coalesce(sa.func.length(ITEMS.c.nested), 0)), 0
    )
)
_UPDATE_LIST = (
    sa.update(LISTS)
    .where(LISTS.c.id == sa.bindparam("of_list"))
    .values(
        version=LISTS.c.version + sa.bindparam("by", type_=sa.BigInteger),
        bytes=LISTS.c.bytes + sa.bindparam("grown", type_=sa.BigInteger),
        used_at=sa.bindparam("now"),
    )
)
_SAME_IDS = sa.and_(
    ITEMS.c.list_id == sa.bindparam("in_list"), ITEMS.c.item_id.in_(sa.bindparam("ids", expanding=True))
)
_IDS_PER_STATEMENT = 500  # SQLite limits the parameters of a statement


def _is(key: ListKey) -> sa.ColumnElement[bool]:
    return sa.and_(
        LISTS.c.scope == key.scope, LISTS.c.resource == key.resource.name, LISTS.c.user_id == key.user_id
    )


def _within(state: ListState, days: Days) -> dict[str, int]:
    return {"in_list": state.list_id, "in_first": days.first, "in_last": days.last}


def _item(one: PlacedRow) -> dict[str, Any]:
    row = one.row
    place = {"item_id": one.item_id, "day": one.day, "rank": one.rank}
    return {**place, "is_odd": row.is_odd, "body": orjson.dumps(row.value), "nested": row.nested}


_STATE = sa.select(  # one statement: on PostgreSQL a second one may see the list of a later moment
    LISTS.c.id,
    LISTS.c.version,
    LISTS.c.used_at,
    SPANS.c.first_day,
    SPANS.c.last_day,
    SPANS.c.fetched_at,
    SPANS.c.fetched_on,
).outerjoin_from(LISTS, SPANS, SPANS.c.list_id == LISTS.c.id)
_STATE_TYPES = (int, int, int | float, int | None, int | None, int | float | None, int | None)
_STATE_OF = (
    _STATE.where(  # built once: SQLAlchemy takes longer to build it than SQLite to run it, at every read
        LISTS.c.scope == sa.bindparam("scope"),
        LISTS.c.resource == sa.bindparam("resource"),
        LISTS.c.user_id == sa.bindparam("user_id"),
    )
)


def _read_state(connection: Connection, key: ListKey) -> ListState | None:
    return _state_of(connection.execute(_STATE_OF, _named(key)).all())


def _named(key: ListKey) -> dict[str, str]:
    return {"scope": key.scope, "resource": key.resource.name, "user_id": key.user_id}


def _state_of(found: Sequence[Sequence[Any]]) -> ListState | None:
    if not found:
        return None
    for row in found:
        require_types(row, *_STATE_TYPES)
    spans = tuple(
        Span(Days(first, last), fetched_at, fetched_on)
        for *_, first, last, fetched_at, fetched_on in found
        if first is not None
    )
    list_id, version, used_at = found[0][:3]
    return ListState(list_id, version, used_at, spans)


def _add_list(connection: Connection, key: ListKey, now: float) -> ListState:
    values = {"scope": key.scope, "resource": key.resource.name, "user_id": key.user_id, "used_at": now}
    # A database reuses the id of a deleted list; rows that were decoded from that list must not pass for this one.
    version = secrets.randbits(48)
    inserted = connection.execute(sa.insert(LISTS).values(**values, version=version, bytes=0))
    (list_id,) = inserted.inserted_primary_key or (0,)
    return ListState(int(list_id), version, now, ())


def _is_known(
    connection: Connection, state: ListState, items: Sequence[dict[str, Any]], order: Order, days: Days
) -> bool:
    """Whether the cache has these rows for the days already, in this order. Ranks differ with the days asked for."""
    if not state.spans:
        return not items
    known = connection.execute(_CONTENTS.order_by(*_ORDER_BY[order]), _within(state, days)).all()
    return list(map(tuple, known)) == [tuple(item[name] for name in _CONTENT) for item in items]


def _replace_items(
    connection: Connection, state: ListState, items: Sequence[dict[str, Any]], days: Days
) -> int:
    """Replace the rows of the days, and return how many bytes were deleted."""
    deleted = 0
    if state.spans:
        deleted += _delete(connection, _IN_DAYS, _within(state, days))
        # A row that moved to these days is still stored on its former day, outside of the span.
        ids = [item["item_id"] for item in items]
        for start in range(0, len(ids), _IDS_PER_STATEMENT):
            some = ids[start : start + _IDS_PER_STATEMENT]
            deleted += _delete(connection, _SAME_IDS, {"in_list": state.list_id, "ids": some})
    if items:
        connection.execute(sa.insert(ITEMS), [{"list_id": state.list_id, **item} for item in items])
    return deleted


def _delete(connection: Connection, which: sa.ColumnElement[bool], values: dict[str, Any]) -> int:
    size = int(connection.execute(_SIZE.where(which), values).scalar_one())
    if size:
        connection.execute(sa.delete(ITEMS).where(which), values)
    return size


def _replace_spans(connection: Connection, state: ListState, spans: Iterable[Span]) -> None:
    if state.spans:
        connection.execute(sa.delete(SPANS).where(SPANS.c.list_id == state.list_id))
    connection.execute(
        sa.insert(SPANS),
        [
            {
                "list_id": state.list_id,
                "first_day": span.days.first,
                "last_day": span.days.last,
                "fetched_at": span.fetched_at,
                "fetched_on": span.fetched_on,
            }
            for span in spans
        ],
    )


def delete_lists(connection: Connection, list_ids: list[int]) -> None:
    """Delete lists with their rows and spans."""
    for table, column in ((ITEMS, ITEMS.c.list_id), (SPANS, SPANS.c.list_id), (LISTS, LISTS.c.id)):
        connection.execute(sa.delete(table).where(column.in_(list_ids)))
