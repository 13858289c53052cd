"""Rows of one reply made ready to be stored, and stored rows made rows again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from coachboard.client.cache.spans import Days
from coachboard.client.reading import RawRow
from coachboard.client.resources import Order, Ranged


@dataclass(frozen=True, slots=True)
class Item:
    """A row made ready to be stored."""

    item_id: str
    day: int
    rank: int
    is_odd: bool
    is_proven: bool
    body: bytes
    nested: bytes | None
    rest: Any  # what `body` was written from


def pack(resource: Ranged, rows: Sequence[RawRow], days: Days) -> list[Item]:
    """Rows of one reply made ready to be stored; a row that is twice in it is kept once, the first."""
    items: dict[str, Item] = {}
    for position, row in enumerate(rows):
        item = _packed(resource, row, days, position)
        items.setdefault(item.item_id, item)
    return sorted(items.values(), key=_SORT_KEYS[resource.order])


_SORT_KEYS: dict[Order, Callable[[Item], tuple[int, int]]] = {
    Order.NEWEST_FIRST: lambda item: (-item.day, item.rank),
    Order.OLDEST_FIRST: lambda item: (item.day, item.rank),
    Order.LATEST_START_FIRST: lambda item: (item.rank, -item.day),
}


def _packed(resource: Ranged, row: RawRow, days: Days, position: int) -> Item:
    value = row.value if isinstance(row.value, dict) else {}
    item_id = value.get("id")
    day = resource.day_of(value)
    # The service found the row to be in these days; where its own day says otherwise, the service decides.
    ordinal = days.first if day is None else min(max(day.toordinal(), days.first), days.last)
    rest, nested = _split(resource, row.value)
    return Item(
        item_id if isinstance(item_id, str) else f"?{ordinal}.{position}",
        ordinal,
        resource.rank_of(value, position),
        row.is_odd,
        row.is_proven,
        orjson.dumps(rest),
        nested,
        rest,
    )


def lean(items: Sequence[Item]) -> list[RawRow]:
    """Packed items as rows again, the nested lists not decoded."""
    return [
        RawRow(item.rest, is_odd=item.is_odd, nested=item.nested, is_proven=item.is_proven) for item in items
    ]


def _split(resource: Ranged, value: Any) -> tuple[Any, bytes | None]:
    if not resource.nested or not isinstance(value, dict):
        return value, None
    nested = {name: value[name] for name in resource.nested if name in value}
    rest = {name: part for name, part in value.items() if name not in nested}
    return rest, orjson.dumps(nested)


def unpacked(found: Sequence[Any]) -> list[RawRow]:
    if not found:
        return []
    values = orjson.loads(b"[%b]" % b",".join(row.body for row in found))
    return [
        RawRow(value, is_odd=row.is_odd, nested=row.nested) for value, row in zip(values, found, strict=True)
    ]
