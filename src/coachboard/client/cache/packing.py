"""Rows of one reply made ready to be stored, and stored rows made rows again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from coachboard.client.cache.spans import Days
from coachboard.client.reading import RawRow
from coachboard.client.resources import Order, Ranged


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
    is_proven: bool
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


_SORT_KEYS: dict[Order, Callable[[Placed], tuple[int, int]]] = {
    Order.NEWEST_FIRST: lambda one: (-one.day, one.rank),
    Order.OLDEST_FIRST: lambda one: (one.day, one.rank),
    Order.LATEST_START_FIRST: lambda one: (one.rank, -one.day),
}


def _placed(resource: Ranged, row: RawRow, days: Days, position: int) -> Placed:
    value = row.value if isinstance(row.value, dict) else {}
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
                one.row.is_proven,
                orjson.dumps(rest),
                nested,
                rest,
            )
        )
    return items


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
