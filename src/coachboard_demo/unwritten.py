"""The people whose rows are still missing while a squad is being written.

They are members of a workspace that exists during the writing and whose name is the squad's size, so that the next
start continues an interrupted writing on any kind of database.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import orjson

from coachboard.models.enums import WorkspaceRole
from coachboard.service.store import Store
from coachboard_demo.chance import new_id
from coachboard_demo.size import Size

SLUG = "coachboard-demo-being-made"
_ID = new_id("wke", SLUG)


@dataclass(frozen=True, slots=True)
class UnwrittenSquad:
    """A squad that is being written, and the people whose rows are missing."""

    size: Size
    user_ids: frozenset[str]


def begin(store: Store, size: Size) -> None:
    """Note that such a squad is being written, before its first person is added."""
    store.add_workspace(orjson.dumps(asdict(size)).decode(), SLUG, id=_ID)


def note(store: Store, user_ids: Iterable[str]) -> None:
    """Note that the rows of these people, who are in the store, are missing."""
    for user_id in user_ids:
        store.add_member(_ID, user_id, WorkspaceRole.ATHLETE)


def read(store: Store) -> UnwrittenSquad | None:
    """The squad that is being written, if any."""
    marker = store.workspace(_ID)
    if marker is None:
        return None
    waiting = frozenset(member.user_id for member in store.members(_ID))
    return UnwrittenSquad(Size.from_json(orjson.loads(marker.name)), waiting)


def strike(store: Store, user_id: str) -> None:
    """Note that the rows of that person are complete."""
    store.remove_member(_ID, user_id)


def end(store: Store) -> None:
    """Note that all rows are complete."""
    store.remove_workspace(_ID)
