"""A number for each person, which rises with each change of their rows: caches compare it.

No row is shared by people, so the writes of two people do not wait for each other. Numbers of different people are not
in the order of the commits: what a client has seen is therefore the number of each person, not the highest one.

A place of a stamp is a hash of a person's id; people with the same place share it, by the sum of their numbers. If Ana
has 5 and Ben 7 at a place, it has 12; a change of Ben makes it 13 or more. Numbers only rise, so changes never cancel
each other out: with an equal sum none of these people changed, with another one all of them count as changed.
"""

import time
from collections import defaultdict
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple
from zlib import crc32

import sqlalchemy as sa

from coachboard.service.store.tables import stamps
from coachboard.service.store.upsert import chunks, insert_into

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_MOST_NAMED = 256
"""People whose numbers a stamp has one by one: as a query parameter it stays below 8 KB, the limit of nginx."""
_PLACES = 36**4


class Look(NamedTuple):
    """The present stamp, and the people who changed after an earlier one, each with whether the plan alone did."""

    stamp: str
    is_plan_by_person: dict[str, bool]


def put(
    connection: sa.Connection,
    people: AbstractSet[str],
    *,
    planned: AbstractSet[str] = frozenset(),
    least: int | None = None,
) -> None:
    """Count up these people, and the `planned` ones of whom only planned workouts, notes and events changed.

    The numbers are microseconds since 1970 or higher: a person who is removed and added again gets higher ones. The
    people are in one order, so that two transactions do not wait for each other.
    """
    number = time.time_ns() // 1_000 if least is None else least
    rows = [
        {"user_id": person, "number": number, "unplanned_number": number if person in people else 0}
        for person in sorted(people | planned)
    ]
    if not rows:
        return
    statement = insert_into(connection, stamps)
    new = statement.excluded
    counted = sa.case((stamps.c.number >= new.number, stamps.c.number + 1), else_=new.number)
    unplanned = sa.case((new.unplanned_number > 0, counted), else_=stamps.c.unplanned_number)
    changed = {"number": counted, "unplanned_number": unplanned}
    connection.execute(statement.on_conflict_do_update(index_elements=["user_id"], set_=changed), rows)


def look(connection: sa.Connection, since: str, people: AbstractSet[str]) -> Look:
    """Compare these people with an earlier stamp; a text that is no stamp is older than all changes."""
    before = _read(since)
    people_by_place = defaultdict[int, list[str]](list)
    modulus = _PLACES if len(people) <= _MOST_NAMED else _MOST_NAMED
    for person in sorted(people):
        people_by_place[crc32(person.encode("utf-8", "surrogatepass")) % modulus].append(person)
    numbers, now, changed = _numbers(connection, people), dict[int, tuple[int, int]](), dict[str, bool]()
    for place, persons in people_by_place.items():
        pairs = [numbers.get(person, (0, 0)) for person in persons]
        now[place] = sum(number for number, _ in pairs), sum(unplanned for _, unplanned in pairs)
        if before.get(place) != now[place]:
            is_plan = place in before and before[place][1] == now[place][1]
            changed |= dict.fromkeys(persons, is_plan)
    return Look(_written(now), {person: changed[person] for person in sorted(changed)})


def _numbers(connection: sa.Connection, people: Collection[str]) -> dict[str, tuple[int, int]]:
    numbers = dict[str, tuple[int, int]]()
    for chunk in chunks(people):
        chosen = sa.select(stamps.c.user_id, stamps.c.number, stamps.c.unplanned_number)
        for user_id, number, unplanned in connection.execute(chosen.where(stamps.c.user_id.in_(chunk))):
            numbers[user_id] = number, number if unplanned is None else unplanned
    return numbers


def _written(numbers: dict[int, tuple[int, int]]) -> str:
    """For each place its number, and how far the plan is ahead, in base 36."""
    return "-".join(
        f"{_base36(place)}.{_base36(number)}.{_base36(number - unplanned)}"
        for place, (number, unplanned) in sorted(numbers.items())
    )


def _read(stamp: str) -> dict[int, tuple[int, int]]:
    return dict(_entries(stamp))


def _entries(stamp: str) -> Iterator[tuple[int, tuple[int, int]]]:
    for entry in stamp.split("-"):
        try:
            place, number, ahead = (int(part, 36) for part in entry.split("."))
        except ValueError:
            continue
        yield place, (number, number - ahead)


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"
