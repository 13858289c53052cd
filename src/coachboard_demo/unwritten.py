"""Whose rows are still to come, while a squad is being written.

They are members of a workspace that stands no longer than that and whose name says what is being made, so that
whoever opens the database after a making that was broken off goes on where it ended, on any kind of database.
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
class Unwritten:
    """A squad that is being made and those of its people whose rows are not there yet."""

    size: Size
    user_ids: frozenset[str]


def begin(store: Store, size: Size) -> None:
    """Write down that such a squad is being made, before the first of its people stands there."""
    store.add_workspace(orjson.dumps(asdict(size)).decode(), SLUG, id=_ID)


def note(store: Store, user_ids: Iterable[str]) -> None:
    """Write down that the rows of these people are to come; they stand in the store already."""
    for user_id in user_ids:
        store.add_member(_ID, user_id, WorkspaceRole.ATHLETE)


def read(store: Store) -> Unwritten | None:
    """What is noted; None where no squad is being made."""
    marker = store.workspace(_ID)
    if marker is None:
        return None
    waiting = frozenset(member.user_id for member in store.members(_ID))
    return Unwritten(Size.told(orjson.loads(marker.name)), waiting)


def strike(store: Store, user_id: str) -> None:
    """The rows of that person are all there."""
    store.remove_member(_ID, user_id)


def end(store: Store) -> None:
    """All rows are there."""
    store.remove_workspace(_ID)
