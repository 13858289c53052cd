"""The command `coachboard recompute`, and the recomputation after a changed value."""

import click

from coachboard.plurals import count
from coachboard.service.importers.errors import RecordingError
from coachboard.service.importers.importing import athletes_of
from coachboard.service.importers.reread import is_current, recompute
from coachboard.service.people import person_of
from coachboard.service.store import Store
from coachboard.service.store_option import opened, store_option


@click.command("recompute")
@store_option
@click.option(
    "--user", "person", metavar="PERSON", help="Recompute the sessions of this person (name or id)."
)
@click.option(
    "--all", "is_all", is_flag=True, help="Recompute every session, also those that are up to date."
)
def recompute_sessions(url: str, person: str | None, *, is_all: bool) -> None:
    """Compute laps and loads again with the values that hold now; `metrics` commands do so by themselves."""
    with opened(url) as store:
        recompute_person(store, person_of(store, person), is_all=is_all)


def recompute_person(store: Store, user_id: str, *, is_all: bool = False) -> None:
    """Recompute a person's sessions whose references have changed, and say how many."""
    athlete_on = athletes_of(store, user_id)
    done, faults = 0, []
    for activity_id in store.own_activity_ids(user_id):
        seen = store.own_activity(user_id, activity_id)
        if seen is None or (not is_all and is_current(seen, athlete_on)):
            continue
        try:
            done += recompute(store, user_id, activity_id, athlete_on)
        except RecordingError as error:
            faults.append(f"{activity_id}: {error}")
    for fault in faults:
        click.echo(fault, err=True)
    click.echo(f"Recomputed {count(done, 'session')}.", err=True)


COMMANDS: tuple[click.Command, ...] = (recompute_sessions,)
