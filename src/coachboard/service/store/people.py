"""Users, workspaces and their roles."""

from collections.abc import Sequence
from datetime import UTC, datetime

import orjson
import sqlalchemy as sa

from coachboard.service.ids import new_id
from coachboard.service.store.engine import damaged
from coachboard.service.store.records import Member, Membership, NewUser, Workspace
from coachboard.service.store.rows import LEADING, encode, latest_metrics
from coachboard.service.store.tables import members, users, workspaces
from coachboard.service.store.upsert import upsert
from coachboard.wire.enums import WorkspaceRole
from coachboard.wire.users import LatestMetric, User, WorkspaceMembership


def add_user(connection: sa.Connection, new: NewUser) -> str:
    """Insert the user, or replace the one with the same id."""
    user_id = new.id or new_id("usr")
    user = User(
        id=user_id,
        first_name=new.first_name,
        last_name=new.last_name,
        date_of_birth=new.date_of_birth,
        gender=new.gender,
        height=new.height,
        data_onboarding_status=new.data_onboarding_status,
        user_metric_readiness=new.user_metric_readiness,
    )
    row = {"id": user_id, "first_name": user.first_name, "last_name": user.last_name, "body": encode(user)}
    upsert(connection, users, [row])
    return user_id


def remove_user(connection: sa.Connection, user_id: str) -> bool:
    """Delete the user with all their data; returns whether there was one."""
    return connection.execute(sa.delete(users).where(users.c.id == user_id)).rowcount > 0


def user_exists(connection: sa.Connection, user_id: str) -> bool:
    return connection.scalar(sa.select(sa.exists().where(users.c.id == user_id))) or False


def find_user(connection: sa.Connection, user_id: str) -> User | None:
    body = connection.scalar(sa.select(users.c.body).where(users.c.id == user_id))
    return None if body is None else User.from_wire(orjson.loads(body))


def all_users(connection: sa.Connection) -> list[User]:
    chosen = sa.select(users.c.body).order_by(users.c.last_name, users.c.first_name, users.c.id)
    return [User.from_wire(orjson.loads(body)) for body in connection.scalars(chosen)]


def add_workspace(connection: sa.Connection, workspace: Workspace) -> None:
    upsert(connection, workspaces, [{"id": workspace.id, "name": workspace.name, "slug": workspace.slug}])


def remove_workspace(connection: sa.Connection, workspace_id: str) -> bool:
    return connection.execute(sa.delete(workspaces).where(workspaces.c.id == workspace_id)).rowcount > 0


def find_workspace(connection: sa.Connection, workspace_id: str) -> Workspace | None:
    row = connection.execute(_WORKSPACES.where(workspaces.c.id == workspace_id)).one_or_none()
    return None if row is None else Workspace(*row)


def all_workspaces(connection: sa.Connection) -> list[Workspace]:
    return [Workspace(*row) for row in connection.execute(_WORKSPACES.order_by(workspaces.c.slug))]


_WORKSPACES = sa.select(workspaces.c.id, workspaces.c.name, workspaces.c.slug)


def add_member(connection: sa.Connection, member: Member) -> None:
    """Set the user's role in the workspace; a member keeps the moment of joining."""
    row = {
        "workspace_id": member.workspace_id,
        "user_id": member.user_id,
        "role": member.role,
        "joined_at": None if member.joined_at is None else int(member.joined_at.timestamp()),
    }
    upsert(connection, members, [row], kept=("joined_at",))


def remove_member(connection: sa.Connection, workspace_id: str, user_id: str) -> bool:
    is_meant = sa.and_(members.c.workspace_id == workspace_id, members.c.user_id == user_id)
    return connection.execute(sa.delete(members).where(is_meant)).rowcount > 0


def members_of(connection: sa.Connection, workspace_id: str, *, until_commit: bool = False) -> list[Member]:
    """The members by role and name; with `until_commit` nobody else changes them in this transaction."""
    chosen = (
        sa.select(members, users.c.first_name, users.c.last_name)
        .join(users, users.c.id == members.c.user_id)
        .where(members.c.workspace_id == workspace_id)
        .order_by(members.c.role, users.c.last_name, users.c.first_name, users.c.id)
    )
    if until_commit:
        locked = sa.select(workspaces.c.id).where(workspaces.c.id == workspace_id).with_for_update()
        connection.execute(locked)
    return [
        Member(
            workspace_id,
            row.user_id,
            WorkspaceRole(row.role),
            full_name(row.first_name, row.last_name),
            None if row.joined_at is None else datetime.fromtimestamp(row.joined_at, UTC),
        )
        for row in connection.execute(chosen)
    ]


def _led_by(user_id: str) -> sa.Select[str]:
    is_led = sa.and_(members.c.user_id == user_id, members.c.role.in_(LEADING))
    return sa.select(members.c.workspace_id).where(is_led)


def _athletes_led_by(user_id: str) -> sa.ColumnElement[bool]:
    is_athlete = sa.and_(
        members.c.role == WorkspaceRole.ATHLETE, members.c.workspace_id.in_(_led_by(user_id))
    )
    return users.c.id.in_(sa.select(members.c.user_id).where(is_athlete))


def athlete_ids(connection: sa.Connection, user_id: str) -> frozenset[str]:
    """The athletes of the workspaces that the user leads as coach or admin ("Rules per endpoint", 1)."""
    return frozenset(connection.scalars(sa.select(users.c.id).where(_athletes_led_by(user_id))))


def athlete_bodies(connection: sa.Connection, user_id: str) -> Sequence[bytes]:
    """The same athletes as JSON, by name."""
    by_name = (
        sa.func.lower(sa.func.coalesce(users.c.last_name, "")),
        sa.func.lower(sa.func.coalesce(users.c.first_name, "")),
        users.c.id,
    )
    return connection.scalars(
        sa.select(users.c.body).where(_athletes_led_by(user_id)).order_by(*by_name)
    ).all()


def full_name(first_name: str | None, last_name: str | None) -> str | None:
    return " ".join(name for name in (first_name, last_name) if name) or None


def name_of(connection: sa.Connection, user_id: str) -> str | None:
    row = connection.execute(
        sa.select(users.c.first_name, users.c.last_name).where(users.c.id == user_id)
    ).one_or_none()
    return None if row is None else full_name(*row)


def replace_time_zone(connection: sa.Connection, user_id: str, before: str | None, zone: str | None) -> bool:
    is_same = sa.and_(users.c.id == user_id, users.c.time_zone.is_not_distinct_from(before))
    return connection.execute(sa.update(users).where(is_same).values(time_zone=zone)).rowcount > 0


def role_in(connection: sa.Connection, workspace_id: str, user_id: str) -> WorkspaceRole | None:
    is_meant = sa.and_(members.c.workspace_id == workspace_id, members.c.user_id == user_id)
    role = connection.scalar(sa.select(members.c.role).where(is_meant))
    return None if role is None else WorkspaceRole(role)


def is_needed(members_: Sequence[Member], user_id: str) -> bool:
    """Whether a workspace with other members loses its last admin with this one, or its last coach without an admin."""
    role = next((member.role for member in members_ if member.user_id == user_id), None)
    others = [member.role for member in members_ if member.user_id != user_id]
    if not others or role not in LEADING:
        return False
    return WorkspaceRole.ADMIN not in others and (
        role is WorkspaceRole.ADMIN or WorkspaceRole.COACH not in others
    )


def leader_ids(connection: sa.Connection, workspace_id: str) -> set[str]:
    """The coaches and admins of a workspace: a change of its members changes the list of athletes that they read."""
    is_leader = sa.and_(members.c.workspace_id == workspace_id, members.c.role.in_(LEADING))
    return set(connection.scalars(sa.select(members.c.user_id).where(is_leader)))


def coached_by(connection: sa.Connection, workspace_id: str, user_id: str) -> set[str]:
    """The athletes of a workspace that the user leads: what they may do with their entries depends on having a coach."""
    is_led = members.c.workspace_id.in_(_led_by(user_id))
    is_athlete = sa.and_(members.c.workspace_id == workspace_id, members.c.role == WorkspaceRole.ATHLETE)
    return set(connection.scalars(sa.select(members.c.user_id).where(is_athlete, is_led)))


def coaches_of(connection: sa.Connection, user_id: str) -> set[str]:
    """The coaches and admins of the workspaces in which the user is an athlete."""
    is_athlete = sa.and_(members.c.user_id == user_id, members.c.role == WorkspaceRole.ATHLETE)
    own = sa.select(members.c.workspace_id).where(is_athlete)
    is_coach = sa.and_(members.c.workspace_id.in_(own), members.c.role.in_(LEADING))
    return set(connection.scalars(sa.select(members.c.user_id).where(is_coach)))


def fellow_ids(connection: sa.Connection, user_id: str) -> set[str]:
    """All members of the user's workspaces: they read the user's name."""
    own = sa.select(members.c.workspace_id).where(members.c.user_id == user_id)
    return set(connection.scalars(sa.select(members.c.user_id).where(members.c.workspace_id.in_(own))))


def memberships_of(connection: sa.Connection, user_id: str) -> list[Membership]:
    """The user's workspaces by slug; those in which they are an athlete with their coaches and admins."""
    memberships = []
    for own in _memberships(connection, user_id):
        readers: tuple[tuple[str, WorkspaceRole], ...] = ()
        if own.role is WorkspaceRole.ATHLETE:
            readers = _leaders(connection, own.id)
        memberships.append(Membership(Workspace(own.id, own.name, own.slug), own.role, readers))
    return memberships


def _leaders(connection: sa.Connection, workspace_id: str) -> tuple[tuple[str, WorkspaceRole], ...]:
    chosen = (
        sa.select(users.c.id, users.c.first_name, users.c.last_name, members.c.role)
        .join(members, members.c.user_id == users.c.id)
        .where(members.c.workspace_id == workspace_id, members.c.role.in_(LEADING))
        .order_by(users.c.last_name, users.c.first_name, users.c.id)
    )
    return tuple(
        (full_name(row.first_name, row.last_name) or row.id, WorkspaceRole(row.role))
        for row in connection.execute(chosen)
    )


def workspaces_led_by(connection: sa.Connection, user_id: str) -> dict[str, str]:
    """Ids and names of the workspaces that the user leads as coach or admin."""
    chosen = sa.select(workspaces.c.id, workspaces.c.name).where(workspaces.c.id.in_(_led_by(user_id)))
    return {row.id: row.name for row in connection.execute(chosen)}


def leads(connection: sa.Connection, user_id: str, workspace_id: str) -> bool:
    """Whether the user is coach or admin of that workspace."""
    chosen = _led_by(user_id).where(members.c.workspace_id == workspace_id)
    return connection.scalar(chosen) is not None


def profile(connection: sa.Connection, user_id: str, *, is_own: bool) -> bytes:
    """The profile as JSON; `workspaces` in the user's own only ("Rules per endpoint", 2)."""
    body = connection.execute(sa.select(users.c.body).where(users.c.id == user_id)).scalar_one()
    try:
        payload = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise damaged(f"the row of user {user_id}", error) from error
    payload["latestMetrics"] = [_latest(body) for body in latest_metrics(connection, user_id)]
    if is_own:
        payload["workspaces"] = [row.to_wire() for row in _memberships(connection, user_id)]
    return orjson.dumps(payload)


def _latest(body: bytes) -> dict[str, object]:
    metric = orjson.loads(body)
    return {
        field.alias or name: metric[field.alias or name] for name, field in LatestMetric.model_fields.items()
    }


def _memberships(connection: sa.Connection, user_id: str) -> list[WorkspaceMembership]:
    chosen = (
        sa.select(workspaces.c.id, workspaces.c.name, workspaces.c.slug, members.c.role)
        .join(members, members.c.workspace_id == workspaces.c.id)
        .where(members.c.user_id == user_id)
        .order_by(workspaces.c.slug)
    )
    return [
        WorkspaceMembership(id=row.id, name=row.name, slug=row.slug, role=WorkspaceRole(row.role))
        for row in connection.execute(chosen)
    ]
