"""Rows of one reply made ready to be stored, and stored rows made rows again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from coachboard.client.cache.spans import Days
from coachboard.client.forms import Row
from coachboard.client.reading import RawRow
from coachboard.client.resources import Order, Ranged
from coachboard.client.typed import encode, read_flat, split


class Placed(NamedTuple):
    """A row of a reply with its place in the list."""

    item_id: str
    day: int
    rank: int
    row: RawRow


@dataclass(frozen=True, slots=True)
class Item:
    """A row made ready to be stored."""

    item_id: str
    day: int
    rank: int
    is_odd: bool
    body: bytes
    nested: bytes | None
    rest: Any  # what `body` was written from


def place(resource: Ranged, rows: Sequence[RawRow], days: Days) -> list[Placed]:
    """Rows of one reply in the list's order; of those with one id the others go where the first is."""
    placed: dict[str, Placed] = {}
    for position, row in enumerate(rows):
        one = _placed(resource, row, days, position)
        first = placed.get(one.item_id)
        if first is not None:
            one = one._replace(item_id=_nameless(first.day, position), day=first.day)
        placed[one.item_id] = one
    return sorted(placed.values(), key=_SORT_KEYS[resource.order])


def in_order(resource: Ranged, rows: Sequence[RawRow], days: Days) -> Sequence[RawRow]:
    """Rows of one reply in the list's order, which most replies have; days and ranks are then not needed yet."""
    if _are_ordered(resource, rows):
        return rows
    return [one.row for one in place(resource, rows, days)]


def _are_ordered(resource: Ranged, rows: Sequence[RawRow]) -> bool:
    """Whether typed rows lie in order by what they say of themselves: such texts order as their moments do."""
    by_start = resource.order is Order.LATEST_START_FIRST
    name = "startedAt" if by_start else resource.day_field
    texts = [row.value.get(name) for row in rows if isinstance(row.value, Row) and not row.is_odd]
    if len(texts) < len(rows) or None in texts:
        return False
    return texts == sorted(texts, reverse=resource.order is not Order.OLDEST_FIRST)


_SORT_KEYS: dict[Order, Callable[[Placed], tuple[int, int]]] = {
    Order.NEWEST_FIRST: lambda one: (-one.day, one.rank),
    Order.OLDEST_FIRST: lambda one: (one.day, one.rank),
    Order.LATEST_START_FIRST: lambda one: (one.rank, -one.day),
}


def _placed(resource: Ranged, row: RawRow, days: Days, position: int) -> Placed:
    value = row.value if isinstance(row.value, dict | Row) else {}
    item_id = value.get("id")
    day = resource.day_of(value)
    # The service found the row to be in these days; where its own day says otherwise, the service decides.
    ordinal = days.first if day is None else min(max(day.toordinal(), days.first), days.last)
    return Placed(
        item_id if isinstance(item_id, str) else _nameless(ordinal, position),
        ordinal,
        resource.rank_of(value, position),
        row,
    )


def _nameless(ordinal: int, position: int) -> str:
    """What a row is kept under that has no id of its own."""
    return f"?{ordinal}.{position}"


def pack(resource: Ranged, placed: Sequence[Placed]) -> list[Item]:
    """Rows of a reply made ready to be stored."""
    items = []
    for one in placed:
        rest, nested = _split(resource, one.row.value)
        items.append(
            Item(
                one.item_id,
                one.day,
                one.rank,
                one.row.is_odd,
                encode(rest),
                nested,
                rest,
            )
        )
    return items


def lean(items: Sequence[Item]) -> list[RawRow]:
    """Packed items as rows again, the nested lists not decoded."""
    return [RawRow(item.rest, is_odd=item.is_odd, nested=item.nested) for item in items]


def _split(resource: Ranged, value: Any) -> tuple[Any, bytes | None]:
    if isinstance(value, Row):
        return split(value)
    if not resource.nested or not isinstance(value, dict):
        return value, None
    nested = {name: value[name] for name in resource.nested if name in value}
    rest = {name: part for name, part in value.items() if name not in nested}
    return rest, encode(nested)


def unpacked(resource: Ranged, found: Sequence[Any]) -> list[RawRow]:
    """Stored rows as rows again."""
    sound = [row.body for row in found if not row.is_odd]
    typed = iter(read_flat(resource.model, sound) or map(orjson.loads, sound))
    return [
        RawRow(orjson.loads(row.body) if row.is_odd else next(typed), is_odd=row.is_odd, nested=row.nested)
        for row in found
    ]
