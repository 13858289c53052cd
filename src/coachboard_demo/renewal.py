"""Writes a squad again that another version of the generator wrote; data that users added stay.

People, keys, workspaces, invitations, imported files and measured values stay, and removed people do not come back.
"""

from dataclasses import asdict, replace
from datetime import date
from functools import cache
from hashlib import blake2b
from pathlib import Path

import orjson

from coachboard.models.enums import MetricSource
from coachboard.service.ids import id_from_file
from coachboard.service.store import DEMO_MAKER, Maker, RowKind, Store
from coachboard_demo import unwritten
from coachboard_demo.people import KEYS, people_of, user_id, user_of
from coachboard_demo.size import Size

_MOST_PLANS_A_FILE = 32


def sign(store: Store, size: Size) -> None:
    """Note that this version writes the squad."""
    store.put_maker(Maker(DEMO_MAKER, version(), orjson.dumps(asdict(size)).decode()))


def is_of_another_version(store: Store) -> bool:
    """Whether this program would write the squad differently."""
    maker = store.maker(DEMO_MAKER)
    if maker is not None:
        return maker.version != version()
    return is_of_the_demo(store) and store.user_exists(user_id("coach"))  # from before versions were noted


def is_of_the_demo(store: Store) -> bool:
    """Whether `coachboard demo` made the squad or began to: only it creates the demo keys, revoked since or not."""
    return unwritten.read(store) is not None or any(key.label in KEYS for key in store.keys())  # noqa: SIM118 (no mapping)


def begin_again(store: Store, size: Size) -> None:
    """Delete the generated rows and note that all rows are missing; the squad keeps its number of people and years."""
    size = replace(_size_of(store), today=size.today, utc_hour=size.utc_hour)
    there = {user.id for user in store.users()}
    people = [person for person in people_of(size) if user_id(person.key) in there]
    unwritten.begin(store, size)
    unwritten.note(store, (user_id(person.key) for person in people))
    for person in people:
        store.add_user(user_of(person, size.today))
        _delete_generated(store, user_id(person.key))
    sign(store, size)  # last: an interrupted renewal begins again


def _size_of(store: Store) -> Size:
    maker, begun = store.maker(DEMO_MAKER), unwritten.read(store)
    if begun is not None:
        return begun.size
    return Size.from_json(orjson.loads(maker.arguments)) if maker is not None else Size(date.min)


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


_HERE = Path(__file__).parent
_PACKAGE = _HERE.parent / "coachboard"
ALSO = (
    "analytics/session/climbs.py", "analytics/session/grade.py", "analytics/session/hr_load.py", "analytics/session/power.py", "analytics/session/session_load.py",
    "analytics/session/w_balance.py", "analytics/session/zones.py",
)  # fmt: skip
"""The sources outside this folder that the generator computes with; a test follows the imports."""


@cache
def version() -> str:
    """Sixteen hexadecimal digits; another one whenever a source changes."""
    digest = blake2b(digest_size=8)
    for path in sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()


def sources() -> list[Path]:
    """The files that count."""
    return [*sorted(_HERE.glob("*.py")), *(_PACKAGE / name for name in ALSO)]
