"""The state of a squad's database: which version wrote the squad, and whose rows are still missing.

The people of `coachboard demo` exist at once; their rows follow one person after another. The missing ones are members of a
workspace that exists meanwhile and whose name is the squad's size: after an interruption the next start continues, on any
kind of database. A squad of another version of the generator is written again; data that users added stay.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path

import orjson

from coachboard.service.ids import id_from_file
from coachboard.service.importers.corrections import BY_HAND
from coachboard.service.store import DEMO_MAKER, Maker, RowKind, Store
from coachboard.wire.enums import MetricSource, WorkspaceRole
from coachboard_demo import coaching
from coachboard_demo.chance import new_id
from coachboard_demo.people import (
    KEYS,
    Size,
    add_keys,
    add_people,
    add_workspaces,
    labels_of,
    people_of,
    user_id,
    user_of,
)
from coachboard_demo.squad import DemoAthlete

UNWRITTEN_SLUG = "coachboard-demo-being-made"
_UNWRITTEN = new_id("wke", UNWRITTEN_SLUG)
_MOST_PLANS_A_FILE = 32


@dataclass(frozen=True, slots=True)
class UnwrittenSquad:
    """A squad that is being written, and the numbers in the squad of the people whose rows are missing."""

    size: Size
    numbers: tuple[int, ...]


def begin_demo(store: Store, size: Size) -> None:
    """Write the people of the squad and their keys into an empty database, and note that their rows are missing.

    A database with other people is left alone. An interrupted squad continues as it was begun. A squad of another
    version of the generator is written again.
    """
    if is_to_be_renewed(store):
        _begin_again(store, size)
    begun = unwritten(store)
    if begun is None and not store.users():
        _write_people(store, size)
    elif begun is not None and not set(KEYS) <= labels_of(store):  # the keys come last
        _write_people(store, begun.size)


def is_to_be_renewed(store: Store) -> bool:
    """Whether `coachboard demo` made the squad (only it creates the demo keys) with another version of the generator."""
    maker = store.maker(DEMO_MAKER)
    is_of_the_demo = unwritten(store) is not None or not labels_of(store).isdisjoint(KEYS)
    return is_of_the_demo and maker is not None and maker.version != version()


def unwritten(store: Store) -> UnwrittenSquad | None:
    """The squad that is being written, if any."""
    marker = store.workspace(_UNWRITTEN)
    if marker is None:
        return None
    size = Size.from_json(orjson.loads(marker.name))
    waiting = {each.user_id for each in store.members(_UNWRITTEN)}
    people = enumerate(people_of(size))
    return UnwrittenSquad(size, tuple(at for at, person in people if user_id(person.key) in waiting))


def strike(store: Store, user_id: str) -> None:
    """Note that the rows of that person are complete."""
    store.remove_member(_UNWRITTEN, user_id)


def end_demo(store: Store) -> None:
    """Note that all rows are complete."""
    store.remove_workspace(_UNWRITTEN)


def sign(store: Store, size: Size) -> None:
    """Note that this version writes the squad."""
    store.put_maker(Maker(DEMO_MAKER, version(), orjson.dumps(asdict(size)).decode()))


def _write_people(store: Store, size: Size) -> None:
    people = people_of(size)
    sign(store, size)
    # Noted before the first person exists: a person without rows may never pass for a complete one.
    _begin_writing(store, size)
    add_people(store, size)
    _note(store, people)
    add_workspaces(store, people)
    add_keys(store)


def _begin_writing(store: Store, size: Size) -> None:
    store.add_workspace(orjson.dumps(asdict(size)).decode(), UNWRITTEN_SLUG, id=_UNWRITTEN)


def _note(store: Store, people: Iterable[DemoAthlete]) -> None:
    """Note that the rows of these people, who are in the store, are missing."""
    for person in people:
        store.add_member(_UNWRITTEN, user_id(person.key), WorkspaceRole.ATHLETE)


def _begin_again(store: Store, size: Size) -> None:
    """Delete the generated rows and note that all rows are missing; the squad keeps its number of people and years."""
    maker = store.maker(DEMO_MAKER)
    assert maker is not None
    size = replace(Size.from_json(orjson.loads(maker.arguments)), today=size.today, utc_hour=size.utc_hour)
    there = {user.id for user in store.users()}
    people = [person for person in people_of(size) if user_id(person.key) in there]
    _begin_writing(store, size)
    _note(store, people)
    for person in people:
        store.add_user(user_of(person, size.today))
        _delete_generated(store, user_id(person.key), size)
    sign(store, size)  # last: an interrupted renewal begins again


def _delete_generated(store: Store, owner: str, size: Size) -> None:
    files = store.recordings_of(owner)
    sessions = {activity_id for file in files for activity_id in file.activity_ids}
    typed = [*store.activities_with_correction(owner, BY_HAND), *store.deleted_activities(owner)]
    sessions |= {row.id for row in typed if BY_HAND in row.corrections}
    plans = {
        id_from_file("tpr", owner, file.digest, at) for file in files for at in range(_MOST_PLANS_A_FILE)
    }
    measured = {metric.id for metric in store.metrics_of(owner) if metric.source is MetricSource.USER}
    kept = {RowKind.ACTIVITIES: sessions, RowKind.PRESCRIPTIONS: plans, RowKind.METRICS: measured}
    if owner == user_id(coaching.PLANNED_ATHLETE):
        coaching.delete_week(store, size)
    for kind in RowKind:
        store.delete_rows_but(kind, owner, kept.get(kind, ()))


_HERE = Path(__file__).parent
_SESSION = _HERE.parent / "coachboard" / "formulas" / "session"


@cache
def version() -> str:
    """Sixteen hexadecimal digits; another one whenever a source changes."""
    digest = blake2b(digest_size=8)
    for path in sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()


def sources() -> list[Path]:
    """The files that count: the generator, and the formulas of sessions that it computes with."""
    return [*sorted(_HERE.glob("*.py")), *sorted(_SESSION.glob("*.py"))]
