"""People on the command line: by id or by name, and the only one without either."""

import click

from coachboard.service.store import Store
from coachboard.wire.users import User


def person_of(store: Store, text: str | None) -> str:
    """The id of the person with that id or name, or of the only person; raises `ClickException` with the choices."""
    people = store.users()
    if text is None:
        matches = people
        fault = "say whose with --user"
    else:
        matches = [user for user in people if text == user.id] or [
            user for user in people if _is_called(user, text)
        ]
        fault = f"several people are called {text}"
    if len(matches) == 1:
        return matches[0].id
    if not matches:
        raise click.ClickException(
            f"no such user: {text}" if text else "there is no person; add one with `users add`"
        )
    choices = ", ".join(f"{user.full_name} ({user.id})" for user in matches[:10])
    raise click.ClickException(f"{fault}: {choices}")


def _is_called(user: User, text: str) -> bool:
    names = {user.full_name, user.first_name or "", user.last_name or ""}
    return " ".join(text.split()).casefold() in {name.casefold() for name in names if name}
