"""The person whose data `coachboard open` shows: by name, or the only person in the store, added on first use."""

import getpass
from dataclasses import fields, replace

import click

from coachboard.models.users import User
from coachboard.service.store import NewUser, Store


def person_id(store: Store, name: str | None) -> str:
    """The person to open. A name given for a store with one person becomes that person's name."""
    people = store.users()
    if not people:
        return store.add_user(_named(NewUser(), name or getpass.getuser().capitalize()))
    found = [one.id for one in people if name is None or _name(one).casefold() == name.casefold()]
    if len(found) == 1:
        return found[0]
    if name and len(people) == 1:
        return store.add_user(_named(_as_new(people[0]), name))
    asked = f"no single person is called {name!r}" if name else "the data folder has several people"
    raise click.ClickException(f"{asked}; choose one with --name: {', '.join(sorted(map(_name, people)))}")


def _named(user: NewUser, name: str) -> NewUser:
    first, _, last = " ".join(name.split()).partition(" ")
    return replace(user, first_name=first, last_name=last or None)


def _as_new(user: User) -> NewUser:
    return NewUser(**{field.name: getattr(user, field.name) for field in fields(NewUser)})


def _name(user: User) -> str:
    return " ".join(part for part in (user.first_name, user.last_name) if part) or user.id
