"""The demo database: its people exist at once, their rows follow one person after another.

The database notes whose rows are missing: after an interruption the next start continues, and the rows are the same.
"""

from datetime import date

from coachboard.service.store import Store
from coachboard_demo import renewal, unwritten
from coachboard_demo.generate import write_rows
from coachboard_demo.people import KEYS, add_keys, add_people, add_workspaces, labels_ever, people_of, user_id
from coachboard_demo.size import DEFAULT_YEARS, Size
from coachboard_demo.unwritten import UnwrittenSquad


def ensure_demo(store: Store, *, today: date, years: float = DEFAULT_YEARS) -> None:
    """Fill an empty database with the default squad and the demo keys, or complete an interrupted one."""
    begin_demo(store, Size(today, years=years))
    left = unwritten.read(store)
    if left is not None:
        write_rows(store, left.size, numbers_of(left))
        unwritten.end(store)


def begin_demo(store: Store, size: Size) -> None:
    """Write the people of the squad and their keys into an empty database, and note that their rows are missing.

    A database with other people is left alone. An interrupted squad continues as it was begun. A squad of another
    version of the generator is written again.
    """
    if is_to_be_renewed(store):
        renewal.begin_again(store, size)
    begun = unwritten.read(store)
    if begun is None and not store.users():
        _write_people(store, size)
    elif begun is not None and not set(KEYS) <= labels_ever(store):  # the keys come last
        _write_people(store, begun.size)


def is_to_be_renewed(store: Store) -> bool:
    """Whether the database holds the demo's squad as another version of the generator made it."""
    return renewal.is_of_the_demo(store) and renewal.is_of_another_version(store)


def _write_people(store: Store, size: Size) -> None:
    people = people_of(size)
    renewal.sign(store, size)
    # Noted before the first person exists: a person without rows may never pass for a complete one.
    unwritten.begin(store, size)
    add_people(store, size)
    unwritten.note(store, [user_id(person.key) for person in people])
    add_workspaces(store, people)
    add_keys(store)


def numbers_of(left: UnwrittenSquad) -> list[int]:
    """The numbers in the squad of the people whose rows are missing."""
    people = people_of(left.size)
    return [number for number, person in enumerate(people) if user_id(person.key) in left.user_ids]
