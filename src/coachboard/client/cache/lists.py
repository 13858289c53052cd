"""Ranged lists in the cache: rows by day, and the spans of days that were fetched."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coachboard.client.cache.database import Database, steady
from coachboard.client.cache.packing import Item, unpacked
from coachboard.client.cache.plain import Asking, Plain, Through
from coachboard.client.cache.spans import Days, Span, record
from coachboard.client.cache.tables import BLOBS, ITEMS, LISTS, SPANS
from coachboard.client.reading import RawRow
from coachboard.client.resources import RANGED, Order, Ranged


@dataclass(frozen=True, slots=True)
class ListKey:
    """Whose list it is: the scope is a service under a key, so that one key's rows never answer another's."""

    scope: str
    resource: Ranged
    user_id: str
    asked_as: str  # the id in the path: `me` for the own data, whatever the own id

    @property
    def name(self) -> str:
        return f"{self.scope} {self.resource.name} {self.user_id}"


@dataclass(frozen=True, slots=True)
class Fetch:
    """Days of a list that were fetched together."""

    key: ListKey
    days: Days

    @property
    def kind(self) -> str:
        return self.key.resource.name


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of a list; `version` changes with its rows."""

    list_id: int
    version: int
    used_at: float
    spans: tuple[Span, ...]


_HELD = Plain(
    sa.select(
        LISTS.c.id,
        LISTS.c.version,
        LISTS.c.used_at,
        SPANS.c.first_day,
        SPANS.c.last_day,
        SPANS.c.fetched_at,
        SPANS.c.fetched_on,
    )
    .outerjoin_from(LISTS, SPANS, SPANS.c.list_id == LISTS.c.id)
    .where(
        LISTS.c.scope == sa.bindparam("scope"),
        LISTS.c.resource == sa.bindparam("resource"),
        LISTS.c.user_id == sa.bindparam("user_id"),
    )
)
_IN_DAYS = sa.and_(
    ITEMS.c.list_id == sa.bindparam("in_list"),
    ITEMS.c.day.between(sa.bindparam("in_first"), sa.bindparam("in_last")),
)
_SELECT_ITEMS = sa.select(ITEMS.c.body, ITEMS.c.nested, ITEMS.c.is_odd).where(_IN_DAYS)
_ORDERS = {
    Order.NEWEST_FIRST: (ITEMS.c.day.desc(), ITEMS.c.rank),
    Order.OLDEST_FIRST: (ITEMS.c.day, ITEMS.c.rank),
    Order.LATEST_START_FIRST: (ITEMS.c.rank, ITEMS.c.day.desc()),
}
_SELECT_ITEMS_BY = {order: _SELECT_ITEMS.order_by(*columns) for order, columns in _ORDERS.items()}


FRAME_KINDS = tuple(f"frame {resource.name}" for resource in RANGED)
"""Under which kinds the frames of long lists are kept whole."""


def frame_key(user_id: str, rest: object) -> str:
    return f"{user_id} {rest}"


class Lists:
    """The ranged lists of one cache."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def moves(self) -> int:
        """How often the cache has moved; what was known before may not be known now."""
        return self._database.moves

    @steady
    def held(self, key: ListKey) -> Held | None:
        """What is known of the list; None where nothing ever was."""
        with self._database.asking() as statements:
            return read_held(statements, key)

    @steady
    def rows(self, key: ListKey, days: Days) -> tuple[Held | None, list[RawRow]]:
        """The rows of the days, in the list's order, with what is known of the list at the same moment."""
        with self._database.reading() as connection:
            held = read_held(Through(connection), key)
            if held is None:
                return None, []
            found = connection.execute(
                _SELECT_ITEMS_BY[key.resource.order],
                {"in_list": held.list_id, "in_first": days.first, "in_last": days.last},
            ).all()
        return held, unpacked(key.resource, found)

    @steady
    def put(self, key: ListKey, items: Sequence[Item], span: Span) -> tuple[int, Held]:
        """Replace the days of a span by what was fetched for them; the bytes written, and what is known then.

        Most refreshes bring what was known: then only the span is new, and what was decoded of the list holds.
        """
        size = sum(len(item.body) + len(item.nested or b"") for item in items)
        with self._database.writing(key.name) as connection:
            held = read_held(Through(connection), key) or _added(connection, key, span.fetched_at)
            is_news = not _stands(connection, held, items, key.resource.order, span.days)
            gone = _replace_items(connection, held, items, span.days) if is_news else size
            spans = record(held.spans, span)
            _replace_spans(connection, held, spans)
            connection.execute(
                _BUMP,
                {
                    "of_list": held.list_id,
                    "by": int(is_news),
                    "grown": size - gone,
                    "now": span.fetched_at,
                },
            )
        now_held = Held(held.list_id, held.version + is_news, span.fetched_at, spans)
        return size if is_news else 0, now_held

    @steady
    def touch(self, key: ListKey, now: float) -> None:
        """Note that the list was used."""
        with self._database.writing(key.name) as connection:
            connection.execute(sa.update(LISTS).where(_is(key)).values(used_at=now))

    @steady
    def forget(self, scope: str, user_id: str) -> None:
        """Drop every list of a user, because the key may no longer see them."""
        with self._database.writing() as connection:
            mine = sa.select(LISTS.c.id).where(LISTS.c.scope == scope, LISTS.c.user_id == user_id)
            drop_lists(connection, list(connection.execute(mine).scalars()))
            frames = sa.delete(BLOBS).where(BLOBS.c.scope == scope, BLOBS.c.kind.in_(FRAME_KINDS))
            connection.execute(frames.where(BLOBS.c.key.startswith(frame_key(user_id, ""), autoescape=True)))


_INSERT_ITEM = sa.insert(ITEMS)
_INSERT_SPAN = sa.insert(SPANS)
_DELETE_SPANS = sa.delete(SPANS).where(SPANS.c.list_id == sa.bindparam("of_list"))
_SIZE = sa.select(
    sa.func.coalesce(
        sa.func.sum(sa.func.length(ITEMS.c.body) + sa.func.coalesce(sa.func.length(ITEMS.c.nested), 0)), 0
    )
)
_BUMP = (
    sa.update(LISTS)
    .where(LISTS.c.id == sa.bindparam("of_list"))
    .values(
        version=LISTS.c.version + sa.bindparam("by", type_=sa.BigInteger),
        bytes=LISTS.c.bytes + sa.bindparam("grown", type_=sa.BigInteger),
        used_at=sa.bindparam("now"),
    )
)


_STANDING = sa.select(ITEMS.c.item_id, ITEMS.c.day, ITEMS.c.is_odd, ITEMS.c.body, ITEMS.c.nested).where(
    _IN_DAYS
)
_STANDING_BY = {order: _STANDING.order_by(*columns) for order, columns in _ORDERS.items()}


def _stands(connection: Connection, held: Held, items: Sequence[Item], order: Order, days: Days) -> bool:
    """Whether the days hold these items already, in this order; a rank alone depends on what else was asked."""
    if not held.spans:
        return not items
    known = connection.execute(
        _STANDING_BY[order], {"in_list": held.list_id, "in_first": days.first, "in_last": days.last}
    ).all()
    brought = [(item.item_id, item.day, item.is_odd, item.body, item.nested) for item in items]
    return list(map(tuple, known)) == brought


def _replace_items(connection: Connection, held: Held, items: Sequence[Item], days: Days) -> int:
    """Put the items in place of those of the days, and say how many bytes went."""
    gone = 0
    if any(span.days.meet(days) for span in held.spans):
        gone += _deleted(
            connection, _IN_DAYS, {"in_list": held.list_id, "in_first": days.first, "in_last": days.last}
        )
    if held.spans:
        # A row that was moved here still stands on its old day, outside of the span.
        for chunk in _chunks([item.item_id for item in items], 500):
            gone += _deleted(connection, _MOVED, {"in_list": held.list_id, "moved": chunk})
    if items:
        connection.execute(_INSERT_ITEM, [_values(held.list_id, item) for item in items])
    return gone


_MOVED = sa.and_(
    ITEMS.c.list_id == sa.bindparam("in_list"), ITEMS.c.item_id.in_(sa.bindparam("moved", expanding=True))
)


def _deleted(connection: Connection, which: sa.ColumnElement[bool], values: dict[str, Any]) -> int:
    size = int(connection.execute(_SIZE.where(which), values).scalar_one())
    if size:
        connection.execute(sa.delete(ITEMS).where(which), values)
    return size


def read_held(statements: Asking, key: ListKey) -> Held | None:
    rows = statements.rows(_HELD, {"scope": key.scope, "resource": key.resource.name, "user_id": key.user_id})
    if not rows:
        return None
    list_id, version, used_at, *_ = rows[0]
    spans = tuple(
        Span(Days(first, last), fetched_at, fetched_on)
        for _, _, _, first, last, fetched_at, fetched_on in rows
        if first is not None
    )
    return Held(list_id, version, used_at, spans)


def _added(connection: Connection, key: ListKey, now: float) -> Held:
    values = {"scope": key.scope, "resource": key.resource.name, "user_id": key.user_id, "used_at": now}
    # Ids come again once a list or the whole cache is gone; what was decoded from the old one must not.
    version = secrets.randbits(48)
    inserted = connection.execute(sa.insert(LISTS).values(**values, version=version, bytes=0))
    (list_id,) = inserted.inserted_primary_key or (0,)
    return Held(int(list_id), version, now, ())


def _is(key: ListKey) -> sa.ColumnElement[bool]:
    return sa.and_(
        LISTS.c.scope == key.scope, LISTS.c.resource == key.resource.name, LISTS.c.user_id == key.user_id
    )


def _replace_spans(connection: Connection, held: Held, spans: Iterable[Span]) -> None:
    if held.spans:
        connection.execute(_DELETE_SPANS, {"of_list": held.list_id})
    connection.execute(
        _INSERT_SPAN,
        [
            {
                "list_id": held.list_id,
                "first_day": span.days.first,
                "last_day": span.days.last,
                "fetched_at": span.fetched_at,
                "fetched_on": span.fetched_on,
            }
            for span in spans
        ],
    )


def drop_lists(connection: Connection, list_ids: list[int]) -> None:
    """Delete lists with all that hangs on them."""
    for table, column in ((ITEMS, ITEMS.c.list_id), (SPANS, SPANS.c.list_id), (LISTS, LISTS.c.id)):
        connection.execute(sa.delete(table).where(column.in_(list_ids)))


def _values(list_id: int, item: Item) -> dict[str, Any]:
    return {
        "list_id": list_id,
        "item_id": item.item_id,
        "day": item.day,
        "rank": item.rank,
        "is_odd": item.is_odd,
        "body": item.body,
        "nested": item.nested,
    }


def _chunks(values: list[str], size: int) -> Iterable[list[str]]:
    return (values[i : i + size] for i in range(0, len(values), size))
