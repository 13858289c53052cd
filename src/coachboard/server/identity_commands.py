"""Commands that let people sign in with OpenID Connect by their verified email address, without a key to hand over."""

import click
from pydantic import SecretStr

from coachboard.loaders.identities import Identities
from coachboard.loaders.local_store import open_store
from coachboard.service.api.errors import InvalidRequest
from coachboard.service.invitations.endpoint import deliverable
from coachboard.service.people import person_of
from coachboard.service.store_option import opened, store_option
from coachboard.settings import Settings

_LABEL = "sign-in by email"


@click.group()
def identities() -> None:
    """Let people sign in with OpenID Connect by their verified email address."""


@identities.command("add")
@store_option
@click.argument("user_id", metavar="PERSON")
@click.argument("email")
def add_identity(url: str, user_id: str, email: str) -> None:
    """Give PERSON's account to the first identity that signs in with this verified email address."""
    email, stored = _address(email), _identities()
    with opened(url) as store:
        user_id = person_of(store, user_id)
        key = SecretStr(store.add_key(user_id, label=_LABEL))
    if not stored.offer(email, user_id, key):
        raise click.ClickException(
            f"{email} belongs to another person, so nobody can sign in by it any more; to start again: "
            f"coachboard identities remove {email}"
        )
    click.echo(f"{user_id} can sign in as {email}.", err=True)


@identities.command("remove")
@click.argument("email")
def remove_identity(email: str) -> None:
    """Forget an email address; who has signed in by it stays signed in until the key is revoked."""
    email = _address(email)
    if not _identities().withdraw(email):
        raise click.ClickException(f"no person has the address {email}")
    click.echo(f"Removed {email}.", err=True)


def _identities() -> Identities:
    settings = Settings()
    secret = settings.identity_secret
    if secret is None or not secret.get_secret_value().strip():
        raise click.ClickException(
            "COACHBOARD_IDENTITY_SECRET is not set: without it nobody signs in with OpenID Connect"
        )
    return Identities(open_store(settings.cache_url), secret)


def _address(email: str) -> str:
    try:
        return deliverable(email)
    except InvalidRequest as error:
        raise click.ClickException(f"not an email address: {email}") from error


COMMANDS: tuple[click.Command, ...] = (identities,)
