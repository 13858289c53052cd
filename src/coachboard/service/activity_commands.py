"""Commands for a person's sessions: list, rename, delete, restore."""

from datetime import UTC, datetime

import click
import orjson

from coachboard.service.people import person_of
from coachboard.service.store import RowKind, Store, StoredActivity
from coachboard.service.store_option import LINE, opened, store_option
from coachboard.wire.activities import Activity


@click.group()
def activities() -> None:
    """List, rename, delete and restore a person's sessions."""


@activities.command("list")
@store_option
@click.option("--user", "person", metavar="PERSON", help="List the sessions of this person (name or id).")
def list_activities(url: str, person: str | None) -> None:
    """Print one row per session, newest first: id, start, sport, minutes, load, name."""
    with opened(url) as store:
        for body in store.row_bodies(RowKind.ACTIVITIES, person_of(store, person)):
            row = orjson.loads(body)
            start = (row["startedAtLocal"] or row["startedAt"] or "")[:16]
            minutes = "" if row["totalDuration"] is None else f"{row['totalDuration'] / 60:.0f}"
            load = "" if row["volume"] is None else f"{row['volume']:g}"
            words = (
                row["id"],
                start,
                row["sport"] or "",
                minutes,
                load,
                " ".join((row["name"] or "").split()),
            )
            click.echo("\t".join(words))


@activities.command("rename")
@store_option
@click.argument("activity_id")
@click.argument("name", type=LINE)
def rename_activity(url: str, activity_id: str, name: str) -> None:
    """Rename a session by the id that `activities list` prints."""
    with opened(url) as store:
        seen = _find(store, activity_id)
        activity = Activity.from_wire({**orjson.loads(seen.body), "name": name})
        _require_written(
            store.change_activity(seen, activity, corrections={**seen.corrections, "name": name})
        )
    click.echo(f"Renamed {activity_id}.", err=True)


@activities.command("delete")
@store_option
@click.argument("activity_id")
def delete_activity(url: str, activity_id: str) -> None:
    """Delete a session; `activities restore` brings it back for 30 days."""
    _set_deleted(url, activity_id, datetime.now(UTC))
    click.echo(
        f"Deleted {activity_id}; restore it with `coachboard activities restore {activity_id}`.", err=True
    )


@activities.command("restore")
@store_option
@click.argument("activity_id")
def restore_activity(url: str, activity_id: str) -> None:
    """Restore a session that was deleted in the last 30 days."""
    _set_deleted(url, activity_id, None)
    click.echo(f"Restored {activity_id}.", err=True)


def _set_deleted(url: str, activity_id: str, moment: datetime | None) -> None:
    with opened(url) as store:
        seen = _find(store, activity_id)
        activity = Activity.from_wire(orjson.loads(seen.body))
        _require_written(store.change_activity(seen, activity, deleted_at=moment))


def _find(store: Store, activity_id: str) -> StoredActivity:
    for user in store.users():
        seen = store.own_activity(user.id, activity_id)
        if seen is not None:
            return seen
    raise click.ClickException(f"no such session: {activity_id}")


def _require_written(is_written: bool) -> None:  # noqa: FBT001 (a claim)
    if not is_written:
        raise click.ClickException("the session was changed by another process at this moment; try again")


COMMANDS: tuple[click.Command, ...] = (activities,)
