"""A squad that another version of the generator wrote is written anew; what people added to it stays.

What the generator wrote is what is neither from a file that was read nor a value that somebody measured: people, keys,
workspaces and invitations are not touched, and nobody who was removed comes back.
"""

from dataclasses import asdict, replace
from datetime import date

import orjson

from coachboard.models.enums import MetricSource
from coachboard.service.ids import id_from_file
from coachboard.service.store import DEMO_MAKER, Maker, RowKind, Store
from coachboard_demo import unwritten
from coachboard_demo.people import KEYS, people_of, user_id, user_of
from coachboard_demo.size import Size
from coachboard_demo.version import version

_MOST_PLANS_A_FILE = 32


def sign(store: Store, size: Size) -> None:
    """Note that this version writes the squad."""
    store.put_maker(Maker(DEMO_MAKER, version(), orjson.dumps(asdict(size)).decode()))


def is_of_another_version(store: Store) -> bool:
    """Whether there is a squad that this program would have made differently."""
    maker = store.maker(DEMO_MAKER)
    if maker is not None:
        return maker.version != version()
    return is_of_the_demo(store) and store.user_exists(user_id("coach"))  # from before versions were noted


def is_of_the_demo(store: Store) -> bool:
    """Whether `coachboard demo` made the squad or began to: it alone hands out the demo keys, revoked since or not."""
    return unwritten.read(store) is not None or any(key.label in KEYS for key in store.keys())  # noqa: SIM118 (no mapping)


def begin_anew(store: Store, today: date) -> None:
    """Note everybody's rows as still to come and delete those that were generated."""
    size = replace(_size_of(store), today=today)
    there = {user.id for user in store.users()}
    people = [person for person in people_of(size) if user_id(person.key) in there]
    unwritten.begin(store, size)
    unwritten.note(store, (user_id(person.key) for person in people))
    for person in people:
        store.add_user(user_of(person, today))
        _delete_generated(store, user_id(person.key))
    sign(store, size)  # last: who is stopped before begins anew


def _size_of(store: Store) -> Size:
    maker, begun = store.maker(DEMO_MAKER), unwritten.read(store)
    if begun is not None:
        return begun.size
    return Size.told(orjson.loads(maker.told)) if maker is not None else Size(date.min)


def _delete_generated(store: Store, owner: str) -> None:
    files = store.recordings_of(owner)
    sessions = {activity_id for file in files for activity_id in file.activity_ids}
    plans = {
        id_from_file("tpr", owner, file.digest, place)
        for file in files
        for place in range(_MOST_PLANS_A_FILE)
    }
    measured = {metric.id for metric in store.metrics_of(owner) if metric.source is MetricSource.USER}
    kept = {RowKind.ACTIVITIES: sessions, RowKind.PRESCRIPTIONS: plans, RowKind.METRICS: measured}
    for kind in RowKind:
        store.delete_rows_but(kind, owner, kept.get(kind, ()))
