"""Commands for invitations: list, revoke and redeem them, and invite the people of a CSV file."""

import csv
import io
import sys
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import partial
from getpass import getpass
from pathlib import Path

import click

from coachboard.plurals import count
from coachboard.service.api.errors import Refusal
from coachboard.service.commands import print_row, read_day, require
from coachboard.service.invitations.endpoint import VALID_FOR, deliverable
from coachboard.service.invitations.mail import Mailer, invitation_message, mailer_of
from coachboard.service.people import person_of
from coachboard.service.store import InvitationState, NewUser, PendingInvitation, Store, StoredInvitation
from coachboard.service.store_option import LINE, opened, store_option
from coachboard.settings import Settings
from coachboard.wire.enums import InvitedRole
from coachboard.wire.users import WorkspaceInvitation

_MOST_BYTES, _MOST_ROWS = 1_000_000, 2_000
_EMAIL, _ROLE = "email", "role"


@click.group()
def invitations() -> None:
    """List, revoke and redeem invitations; invite the people of a CSV file."""


@invitations.command("list")
@store_option
@click.option(
    "--workspace", "workspace_id", metavar="ID", help="List only the invitations of this workspace."
)
def list_invitations(url: str, *, workspace_id: str | None) -> None:
    """Print one row per invitation: id, workspace id, address, role, state, expiry, inviter."""
    with opened(url) as store:
        for row in store.invitations(workspace_id, datetime.now(UTC)):
            workspace, until = row.workspace.id, row.expires_at.isoformat()
            print_row(row.id, workspace, row.email, row.role, row.state, until, row.inviter)


@invitations.command("revoke")
@store_option
@click.argument("invitation_id")
def revoke_invitation(url: str, invitation_id: str) -> None:
    """Revoke an invitation by the id that `invitations list` shows; its code becomes invalid."""
    with opened(url) as store:
        require(store.revoke_invitation(invitation_id), "unused invitation", invitation_id)
    click.echo(f"Revoked {invitation_id}.", err=True)


@invitations.command("redeem")
@store_option
@click.option("--user", "user_id", metavar="PERSON", help="Add this person (name or id) to the workspace.")
@click.option("--first-name", type=LINE, help="Set the first name of the new person.")
@click.option("--last-name", type=LINE, help="Set the last name of the new person.")
@click.option(
    "--date-of-birth", metavar="YYYY-MM-DD", callback=read_day, help="Set the new person's date of birth."
)
def redeem(
    url: str,
    *,
    user_id: str | None,
    first_name: str | None,
    last_name: str | None,
    date_of_birth: date | None,
) -> None:
    """Accept an invitation for a new person, and print id and key; or for an existing one with --user.

    The code is read from standard input: other users of the machine can see the arguments of a command.
    """
    if user_id is None and not first_name:
        raise click.UsageError("give --first-name for a new person, or --user for an existing one")
    code, now = _typed_code(), datetime.now(UTC)
    with opened(url) as store:
        invitation = _pending(store, code, now)
        if user_id is None:
            new = NewUser(first_name=first_name, last_name=last_name, date_of_birth=date_of_birth)
            entered = store.enter_by_invitation(code, new, label="invitation", now=now)
            if entered is None:
                raise click.ClickException(_FAULTS[InvitationState.USED])
            print_row(*entered[1:])
            click.echo("Save the key now: it cannot be shown again.", err=True)
            return
        user_id = person_of(store, user_id)
        if role := store.role_in(invitation.workspace.id, user_id):
            raise click.ClickException(f"{user_id} is already {role} of {invitation.workspace.id}")
        if store.join_by_invitation(code, user_id, now) is None:
            raise click.ClickException(_FAULTS[InvitationState.USED])
    click.echo(f"{user_id} is now {invitation.role} of {invitation.workspace.id}.", err=True)


_FAULTS = {
    InvitationState.USED: "this invitation has been used",
    InvitationState.EXPIRED: "this invitation has expired",
}


def _typed_code() -> str:
    typed = getpass("Invitation code: ") if sys.stdin.isatty() else sys.stdin.readline()
    return typed.strip()


def _pending(store: Store, code: str, now: datetime) -> StoredInvitation:
    invitation = store.invitation(code, now)
    if invitation is None:
        raise click.ClickException("this invitation code is not valid: it was mistyped, revoked or replaced")
    if invitation.state is not InvitationState.PENDING:
        raise click.ClickException(_FAULTS[invitation.state])
    return invitation


@invitations.command("enrol")
@store_option
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--workspace", "workspace_id", metavar="ID", required=True, help="Invite to this workspace.")
@click.option(
    "--role",
    type=click.Choice([role.value for role in InvitedRole]),
    default=InvitedRole.ATHLETE.value,
    show_default=True,
    help="Invite as this role, unless the row has its own.",
)
@click.option("--by", metavar="PERSON", help="Name this person (name or id) as the inviter.")
@click.option("--dry-run", is_flag=True, help="Check the file and print the rows, and send nothing.")
def enrol(url: str, file: Path, *, workspace_id: str, role: str, by: str | None, dry_run: bool) -> None:
    """Invite the people of a CSV file by e-mail; prints one row per person: address, role, outcome.

    The file has a header with a column `email` and, if roles differ, a column `role`. Nothing is sent if a row is wrong.
    Running it again is safe: a pending invitation keeps its code and is extended by two days.
    """
    settings, now = Settings(), datetime.now(UTC)
    asked = _read(file, InvitedRole(role))
    with opened(url) as store:
        workspace = store.workspace(workspace_id)
        require(workspace is not None, "workspace", workspace_id)
        assert workspace is not None
        inviter = None if by is None else person_of(store, by)
        pending = {
            row.email.casefold()
            for row in store.invitations(workspace_id, now)
            if row.state is InvitationState.PENDING
        }
        mailer = mailer_of(settings)
        write_mail = partial(
            _write_mail,
            mailer,
            workspace.name,
            inviter=None if inviter is None else store.name_of(inviter),
            public_url=settings.public_url,
        )
        for email, invited_as in asked.items():
            outcome = "extended" if email.casefold() in pending else "invited"
            if not dry_run:
                address, until = email.casefold(), now + VALID_FOR
                invitation = PendingInvitation(workspace_id, email, address, invited_as, now, until, inviter)
                store.invite(invitation, write_mail)
            print_row(email, invited_as, f"would be {outcome}" if dry_run else outcome)
        if not dry_run:
            mailer.send_queued(store)
        mailer.close()
    people = count(len(asked), "invitation")
    click.echo(f"Dry run: {people}, nothing sent." if dry_run else f"Sent {people}.", err=True)


def _write_mail(
    mailer: Mailer,
    workspace: str,
    invitation: WorkspaceInvitation,
    *,
    inviter: str | None,
    public_url: str | None,
) -> bytes:
    return mailer.written(invitation_message(invitation, workspace, inviter=inviter, public_url=public_url))


def _read(file: Path, role: InvitedRole) -> dict[str, InvitedRole]:
    """Address and role of each row; raises with all wrong lines."""
    if file.stat().st_size > _MOST_BYTES:
        raise click.ClickException(f"{file}: larger than {_MOST_BYTES:,} bytes")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{file}: not UTF-8; save it as CSV UTF-8") from error
    header = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text), delimiter=";" if header.count(";") > header.count(",") else ",")
    rows.fieldnames = [(name or "").strip().lower() for name in rows.fieldnames or ()]
    if _EMAIL not in rows.fieldnames:
        raise click.ClickException(f"{file}: no column {_EMAIL!r} in the first line")
    people, faults = _people(rows, role)
    if len(people) > _MOST_ROWS:
        faults.append(f"more than {_MOST_ROWS:,} people")
    if not people and not faults:
        faults.append("no person in it")
    if faults:
        raise click.ClickException(f"{file}: nothing was sent\n" + "\n".join(faults[:20]))
    return people


def _people(rows: "csv.DictReader[str]", role: InvitedRole) -> tuple[dict[str, InvitedRole], list[str]]:
    """Address and role of each valid row, and the error of each other row."""
    people: dict[str, InvitedRole] = {}
    faults, emails = [], set[str]()
    for row in rows:
        try:
            email, invited_as = _person(row, role)
        except ValueError as error:
            faults.append(f"line {rows.line_num}: {error}")
            continue
        if email.casefold() in emails:
            faults.append(f"line {rows.line_num}: {email} is there twice")
        emails.add(email.casefold())
        people[email] = invited_as
    return people, faults


def _person(row: Mapping[str, str | None], role: InvitedRole) -> tuple[str, InvitedRole]:
    typed = (row.get(_EMAIL) or "").strip()
    try:
        email = deliverable(typed)
    except Refusal as error:
        raise ValueError(f"{typed!r} is not a valid address") from error
    named = (row.get(_ROLE) or "").strip().lower()
    roles = [choice.value for choice in InvitedRole]
    if named and named not in roles:
        raise ValueError(f"role {named!r}: expected {' or '.join(roles)}")
    return email, InvitedRole(named) if named else role


COMMANDS: tuple[click.Command, ...] = (invitations,)
