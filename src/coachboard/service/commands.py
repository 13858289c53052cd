"""Commands of the service: serve it, and manage its users, workspaces and keys.

Standard output has only the values that a script needs, one value or one tab-separated row per line; messages go to standard
error.
"""

import logging
import re
from contextlib import nullcontext
from copy import deepcopy
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import click

from coachboard.listening import GRACE_S, HTTP, PORT, proxy_options, require_free
from coachboard.log_lines import LogLines
from coachboard.plain_text import name_of
from coachboard.service.people import person_of
from coachboard.service.store import NewUser
from coachboard.service.store.engine import NEWEST
from coachboard.service.store_option import LINE, opened, store_option
from coachboard.settings import Settings
from coachboard.wire.base import parse_day
from coachboard.wire.enums import Gender, WorkspaceRole

_DAYS = re.compile(r"(from|to)=\d{4}-\d{2}-\d{2}", re.ASCII)
_KEY = re.compile(r"cb[kf]_[\w-]+")
"""An API key, or the secret of a subscription's address."""
_MASK = "***"
_TARGET_AT = 2
"""The position of the target in uvicorn's log arguments: client, method, target, version, status."""


class TargetsMasked(logging.Filter):
    """Masks a possible key before the line is written; drops no line.

    A key belongs in a header, which is never logged. A key that a caller sends in the URL by mistake is masked.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        arguments = record.args
        if isinstance(arguments, tuple) and len(arguments) > _TARGET_AT:
            target = masked(str(arguments[_TARGET_AT]))
            record.args = (*arguments[:_TARGET_AT], target, *arguments[_TARGET_AT + 1 :])
        return True


def masked(target: str) -> str:
    """The target of a request without a possible key: `/api/users?api_key=abc` is `/api/users?***`."""
    path, _, query = target.partition("?")
    parts = [part if _DAYS.fullmatch(part) else _MASK for part in query.split("&") if part]
    return _KEY.sub(_MASK, path) + ("?" if parts else "") + "&".join(parts)


def require(is_there: bool, what: str, id_: str) -> None:  # noqa: FBT001 (a claim)
    if not is_there:
        raise click.ClickException(f"no such {what}: {id_}")


def print_row(*values: object) -> None:
    # One row is one line, even if a name contains line breaks.
    click.echo("\t".join(" ".join(str(value).split()) if value is not None else "" for value in values))


def read_day(_context: click.Context, _parameter: click.Parameter, text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return parse_day(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


def _expiry(context: click.Context, parameter: click.Parameter, text: str | None) -> datetime | None:
    """The end of that day, or a number of days from now; rejects dates in the past."""
    now = datetime.now(UTC)
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS:
        moment = now + timedelta(days=int(text))
    else:
        day = read_day(context, parameter, text)
        moment = datetime.combine(day or now.date(), time.max, UTC)
    if moment <= now:
        raise click.BadParameter(f"{text} is in the past")
    if moment > now + _LONGEST:
        last = (now + _LONGEST).date() - timedelta(days=1)
        raise click.BadParameter(
            f"{text} is too late: use {last} or earlier, or omit --expires for a key that never expires"
        )
    return moment


_LONGEST = timedelta(days=36525)  # a hundred years
_MOST_DIGITS = 5  # digits of a number of days: `timedelta` can add it to now


@click.command()
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen on this address.")
@click.option("--port", default=8600, show_default=True, type=PORT, help="Listen on this port.")
@click.option(
    "--shared-limits/--own-limits",
    default=None,
    help="Count requests in the database (several processes) or in this process. The default on PostgreSQL is shared.",
)
def serve(url: str, host: str, port: int, *, shared_limits: bool | None) -> None:
    """Start only the service, under /api."""
    import uvicorn  # noqa: PLC0415 (half a second that no other command needs)

    from coachboard.service.api.app import create_app, mounted  # noqa: PLC0415 (as above)
    from coachboard.service.demo_squad import STREAM_MAKERS, until_written  # noqa: PLC0415 (as above)

    require_free(host, port)
    replica_url = Settings().replica_url
    with opened(url, creates=True) as store, opened(replica_url) if replica_url else nullcontext() as replica:
        service = create_app(
            store,
            stream_makers=STREAM_MAKERS,
            shared_limits=shared_limits,
            until_written=until_written(store, url),
            replica=replica,
        )
        app = mounted(service)
        click.echo(f"Serving http://{host}:{port}/api", err=True)
        # The access log contains the masked request line and no header, so no key is logged.
        uvicorn.run(
            app,
            host=host,
            port=port,
            http=HTTP,
            **proxy_options(Settings().trusted_proxies),
            server_header=False,
            log_config=_log_to_stderr(),
            timeout_graceful_shutdown=GRACE_S,
        )


def _log_to_stderr() -> dict[str, Any]:
    from uvicorn.config import LOGGING_CONFIG  # noqa: PLC0415 (as above)

    config = deepcopy(LOGGING_CONFIG)
    lines = {"()": LogLines, "as_json": Settings().log_format == "json"}
    config["formatters"] = {"default": lines, "access": lines}
    config["filters"] = {"masked": {"()": TargetsMasked}}
    config["handlers"]["access"] |= {"stream": "ext://sys.stderr", "filters": ["masked"]}
    config["loggers"]["coachboard"] = {"handlers": ["default"], "level": "INFO"}
    return config


@click.command()
@store_option
def upgrade(url: str) -> None:
    """Migrate the database to the schema of this version; make a backup first.

    No other command migrates it, so that an installation by mistake changes no data.
    """
    with opened(url, upgrades=True):
        click.echo(f"The database has schema {NEWEST}, which this version needs.", err=True)


@click.group()
def users() -> None:
    """Add, list and remove users."""


@users.command("add")
@store_option
@click.option("--first-name", type=LINE, help="Set the first name.")
@click.option("--last-name", type=LINE, help="Set the last name.")
@click.option("--date-of-birth", metavar="YYYY-MM-DD", callback=read_day, help="Set the date of birth.")
@click.option(
    "--gender",
    type=click.Choice([gender.value for gender in Gender]),
    help="Set the gender, which loads by heart rate depend on.",
)
@click.option("--height", type=click.FloatRange(min=0, min_open=True), help="Set the height in centimetres.")
@click.option("--id", "user_id", type=LINE, metavar="ID", help="Use this id instead of a generated one.")
def add_user(url: str, *, user_id: str | None, gender: str | None, **fields: Any) -> None:
    """Add a user and print the id."""
    with opened(url, creates=True) as store:
        if user_id is not None and store.user_exists(user_id):
            raise click.ClickException(f"user {user_id} already exists")
        click.echo(store.add_user(NewUser(id=user_id, gender=Gender(gender) if gender else None, **fields)))


@users.command("list")
@store_option
def list_users(url: str) -> None:
    """Print one row per user: id, first name, last name."""
    with opened(url) as store:
        for user in store.users():
            print_row(user.id, user.first_name, user.last_name)


@users.command("remove")
@store_option
@click.argument("user_id", metavar="PERSON")
def remove_user(url: str, user_id: str) -> None:
    """Remove a user with all their data and keys."""
    with opened(url) as store:
        user_id = person_of(store, user_id)
        require(store.remove_user(user_id), "user", user_id)
        store.originals.remove_person(user_id)
    click.echo(f"Removed {user_id} with all data and keys.", err=True)


@click.group()
def workspaces() -> None:
    """Add, list and remove workspaces and their members."""


@workspaces.command("add")
@store_option
@click.argument("name", type=LINE)
@click.argument("slug", type=LINE)
def add_workspace(url: str, name: str, slug: str) -> None:
    """Add a workspace and print the id."""
    with opened(url, creates=True) as store:
        if any(workspace.slug == slug for workspace in store.workspaces()):
            raise click.ClickException(f"the slug {slug} is already in use")
        click.echo(store.add_workspace(name, slug))


@workspaces.command("list")
@store_option
def list_workspaces(url: str) -> None:
    """Print one row per workspace: id, slug, name."""
    with opened(url) as store:
        for workspace in store.workspaces():
            print_row(workspace.id, workspace.slug, workspace.name)


@workspaces.command("remove")
@store_option
@click.argument("workspace_id")
def remove_workspace(url: str, workspace_id: str) -> None:
    """Remove a workspace with its memberships and invitations."""
    with opened(url) as store:
        require(store.remove_workspace(workspace_id), "workspace", workspace_id)
    click.echo(f"Removed {workspace_id}.", err=True)


@workspaces.group()
def members() -> None:
    """Add, list and remove members of a workspace."""


@members.command("add")
@store_option
@click.argument("workspace_id")
@click.argument("user_id", metavar="PERSON")
@click.option(
    "--role",
    type=click.Choice([role.value for role in WorkspaceRole]),
    required=True,
    help="Give the person this role.",
)
def add_member(url: str, workspace_id: str, user_id: str, *, role: str) -> None:
    """Add a user to a workspace, or change the user's role."""
    with opened(url) as store:
        require(store.workspace(workspace_id) is not None, "workspace", workspace_id)
        user_id = person_of(store, user_id)
        store.add_member(workspace_id, user_id, WorkspaceRole(role))
    click.echo(f"{user_id} is now {role} of {workspace_id}.", err=True)


@members.command("list")
@store_option
@click.argument("workspace_id")
def list_members(url: str, workspace_id: str) -> None:
    """Print one row per member: user id, role."""
    with opened(url) as store:
        require(store.workspace(workspace_id) is not None, "workspace", workspace_id)
        for member in store.members(workspace_id):
            print_row(member.user_id, member.role)


@members.command("remove")
@store_option
@click.argument("workspace_id")
@click.argument("user_id", metavar="PERSON")
def remove_member(url: str, workspace_id: str, user_id: str) -> None:
    """Remove a user from a workspace."""
    with opened(url) as store:
        user_id = person_of(store, user_id)
        require(store.remove_member(workspace_id, user_id), f"member of {workspace_id}", user_id)
    click.echo(f"Removed {user_id} from {workspace_id}.", err=True)


@click.group()
def keys() -> None:
    """Create, list and revoke API keys."""


@keys.command("add")
@store_option
@click.argument("user_id", metavar="PERSON")
@click.option("--label", type=LINE, default="", help="Note the purpose of the key.")
@click.option(
    "--expires",
    "expires_at",
    metavar="DATE|DAYS",
    callback=_expiry,
    help="Let the key expire after this day (UTC) or number of days. By default it is valid until revoked.",
)
def add_key(url: str, user_id: str, *, label: str, expires_at: datetime | None) -> None:
    """Create a key and print it once; only a hash of it is stored."""
    with opened(url) as store:
        user_id = person_of(store, user_id)
        click.echo(store.add_key(user_id, label=label, expires_at=expires_at))
    click.echo("Save the key now: it cannot be shown again.", err=True)


@keys.command("list")
@store_option
@click.option("--user", "user_id", metavar="PERSON", help="List only the keys of this person (name or id).")
def list_keys(url: str, *, user_id: str | None) -> None:
    """Print one row per key: id, user id, label, created, revoked, expires, id of the key that made it."""
    with opened(url) as store:
        for key in store.keys(None if user_id is None else person_of(store, user_id)):
            moments = (key.created_at, key.revoked_at, key.expires_at)
            written = (moment and moment.isoformat() for moment in moments)
            print_row(key.id, key.user_id, key.label, *written, key.made_by)


@keys.command("revoke")
@store_option
@click.argument("key_id")
def revoke_key(url: str, key_id: str) -> None:
    """Revoke a key by the id that `keys list` shows, and the keys that it made; the next request with them fails."""
    with opened(url) as store:
        revoked = store.revoke_key(key_id)
        require(bool(revoked), "active key", key_id)
        rows = store.keys()
    names = {row.id: row.label for row in rows}
    click.echo(f"Revoked {key_id}.", err=True)
    for made in revoked[1:]:
        click.echo(f"Revoked {made} ({name_of(names[made]) or 'without a label'}), which it made.", err=True)


COMMANDS: tuple[click.Command, ...] = (serve, upgrade, users, workspaces, keys)
