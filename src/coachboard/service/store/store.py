"""The store: reads and writes of the service, a few statements per call."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime

import orjson
import sqlalchemy as sa

from coachboard.service.ids import new_id
from coachboard.service.store import (
    feeds,
    intervals,
    invitations,
    keys,
    people,
    recordings,
    rows,
    streams,
)
from coachboard.service.store.database import owner_of
from coachboard.service.store.feeds import StoredFeed
from coachboard.service.store.intervals import IntervalsAccount
from coachboard.service.store.own_rows import OwnRows
from coachboard.service.store.plans import Plans
from coachboard.service.store.records import (
    ApiKey,
    Caller,
    ImportedFile,
    InvitationState,
    Maker,
    Member,
    Membership,
    NewNote,
    NewUser,
    PendingInvitation,
    QueuedMail,
    StoredInvitation,
    StoredStreams,
    StreamRecipe,
    Workspace,
)
from coachboard.service.store.rows import LEADING, PlannedBody, RowKind
from coachboard.service.store.tables import recipes
from coachboard.wire.activities import Activity
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.enums import WorkspaceRole
from coachboard.wire.plans import Event
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.streams import ActivityStreams
from coachboard.wire.users import User, WorkspaceInvitation


class Store(OwnRows):
    """People, rows and streams of the service; the other modules of this package hold the statements."""

    # People.

    def add_user(self, user: NewUser) -> str:
        """Insert a user, or replace the one with the same id; returns the id."""
        changed = set[str]()
        with self._changing(changed) as connection:
            user_id = people.add_user(connection, user)
            changed |= {user_id} | people.fellow_ids(connection, user_id)
        return user_id

    def remove_user(self, user_id: str) -> bool:
        """Delete a user with all their data; returns whether there was one."""
        changed, coached = set[str](), set[str]()
        with self._changing(changed, planned=coached) as connection:
            for workspace in people.memberships_of(connection, user_id):
                changed |= people.leader_ids(connection, workspace.workspace.id)
                coached |= people.coached_by(connection, workspace.workspace.id, user_id)
            changed.discard(user_id)
            return people.remove_user(connection, user_id)

    def users(self) -> list[User]:
        with self._reading() as connection:
            return people.all_users(connection)

    def user(self, user_id: str) -> User | None:
        with self._reading() as connection:
            return people.find_user(connection, user_id)

    def user_exists(self, user_id: str) -> bool:
        with self._reading() as connection:
            return people.user_exists(connection, user_id)

    def add_workspace(self, name: str, slug: str, *, id: str | None = None) -> str:  # noqa: A002 (the name on the wire)
        """Insert a workspace, or replace the one with the same id; returns the id."""
        workspace = Workspace(id or new_id("wke"), name, slug)
        changed = set[str]()
        with self._changing(changed) as connection:
            people.add_workspace(connection, workspace)
            changed |= {member.user_id for member in people.members_of(connection, workspace.id)}
        return workspace.id

    def remove_workspace(self, workspace_id: str) -> bool:
        changed = set[str]()
        with self._changing(changed) as connection:
            changed |= {member.user_id for member in people.members_of(connection, workspace_id)}
            return people.remove_workspace(connection, workspace_id)

    def workspaces(self) -> list[Workspace]:
        with self._reading() as connection:
            return people.all_workspaces(connection)

    def workspace(self, workspace_id: str) -> Workspace | None:
        with self._reading() as connection:
            return people.find_workspace(connection, workspace_id)

    def add_member(self, workspace_id: str, user_id: str, role: WorkspaceRole) -> None:
        """Set a user's role in a workspace."""
        changed, coached = {user_id}, set[str]()
        with self._changing(changed, planned=coached) as connection:
            coached |= people.coached_by(connection, workspace_id, user_id)
            now = datetime.now(UTC)
            people.add_member(connection, Member(workspace_id, user_id, role, joined_at=now))
            changed |= people.leader_ids(connection, workspace_id)
            coached |= people.coached_by(connection, workspace_id, user_id)

    def remove_member(self, workspace_id: str, user_id: str) -> bool:
        changed, coached = set[str](), set[str]()
        with self._changing(changed, planned=coached) as connection:
            changed |= people.leader_ids(connection, workspace_id)
            coached |= people.coached_by(connection, workspace_id, user_id)
            is_gone = people.remove_member(connection, workspace_id, user_id)
            changed |= {user_id} if is_gone else set()
            return is_gone

    def members(self, workspace_id: str) -> list[Member]:
        with self._reading() as connection:
            return people.members_of(connection, workspace_id)

    def memberships_of(self, user_id: str) -> list[Membership]:
        """The user's workspaces, and who may read the user's data because of each."""
        with self._reading() as connection:
            return people.memberships_of(connection, user_id)

    def leave(self, workspace_id: str, user_id: str) -> bool | None:
        """Remove the user from the workspace; returns False if they are no member, None if they are needed there."""
        changed, coached = {user_id}, set[str]()
        with self._changing(changed, planned=coached) as connection:
            if people.is_needed(people.members_of(connection, workspace_id, until_commit=True), user_id):
                return None
            leaders = people.leader_ids(connection, workspace_id)
            changed |= leaders
            coached |= people.coached_by(connection, workspace_id, user_id)
            if user_id in leaders:
                invitations.revoke_made_by(connection, workspace_id, user_id)
            return people.remove_member(connection, workspace_id, user_id)

    def change_member(
        self,
        workspace_id: str,
        user_id: str,
        role: WorkspaceRole | None,
        check: Callable[[Sequence[Member]], None],
    ) -> None:
        """Give a member another role, or with None end the membership; `check` gets all members and raises to refuse.

        Pending invitations of a person who no longer leads the workspace end: that person has their codes.
        """
        changed, coached = {user_id}, set[str]()
        with self._changing(changed, planned=coached) as connection:
            check(people.members_of(connection, workspace_id, until_commit=True))
            leaders = people.leader_ids(connection, workspace_id)
            changed |= leaders
            coached |= people.coached_by(connection, workspace_id, user_id)
            if role is None:
                people.remove_member(connection, workspace_id, user_id)
            else:
                people.add_member(connection, Member(workspace_id, user_id, role))
                coached |= people.coached_by(connection, workspace_id, user_id)
            if user_id in leaders and role not in LEADING:
                invitations.revoke_made_by(connection, workspace_id, user_id)

    def name_of(self, user_id: str) -> str | None:
        with self._reading() as connection:
            return people.name_of(connection, user_id)

    # Keys.

    def add_key(
        self, user_id: str, *, label: str, key: str | None = None, expires_at: datetime | None = None
    ) -> str:
        """Create a key, or store the given one; returns its text, of which the store has only a hash."""
        text, now = key or keys.new_key(), datetime.now(UTC)
        with self._writers.begin() as connection:
            keys.add(connection, user_id, label=label, key=text, now=now, expires_at=expires_at)
        return text

    def add_key_of(self, maker: Caller, *, label: str, expires_at: datetime | None = None) -> str | None:
        """Create a key for the owner of another one; None if that one is revoked meanwhile."""
        text, now = keys.new_key(), datetime.now(UTC)
        with self._writers.begin() as connection:
            is_added = keys.add(
                connection,
                maker.user_id,
                label=label,
                key=text,
                now=now,
                expires_at=expires_at,
                made_by=maker.key_id,
            )
        return text if is_added else None

    def keys(self, user_id: str | None = None) -> list[ApiKey]:
        with self._reading() as connection:
            return keys.every(connection, user_id)

    def rename_key(self, key_id: str, label: str) -> None:
        with self._writers.begin() as connection:
            keys.rename(connection, key_id, label)

    def note_key_use(self, key_id: str, moment: int) -> None:
        """Write a key's last use in seconds since 1970."""
        with self._writers.begin() as connection:
            keys.note_use(connection, key_id, moment)

    def revoke_key(self, key_id: str) -> list[str]:
        """Revoke a key and those that it made; returns their ids, none if it is not valid."""
        with self._writers.begin() as connection:
            return keys.revoke(connection, key_id, now=datetime.now(UTC))

    def caller(self, key_digest: str) -> Caller | None:
        """The owner of the key with that digest, unless it is revoked; the caller checks the expiry."""
        with self._reading() as connection:
            return keys.caller_of(connection, key_digest)

    # Rows, replaced by id.

    def put_activities(self, user_id: str, rows_: Iterable[Activity]) -> None:
        self._put(user_id, RowKind.ACTIVITIES.table, [rows.of_activity(user_id, row) for row in rows_])

    def put_prescriptions(self, user_id: str, rows_: Iterable[TrainingPrescription]) -> None:
        self._put(user_id, RowKind.PRESCRIPTIONS.table, [rows.of_dated(user_id, row) for row in rows_])

    def put_notes(self, user_id: str, rows_: Iterable[NewNote]) -> None:
        self._put(user_id, RowKind.NOTES.table, [rows.of_note(user_id, row) for row in rows_])

    def put_events(self, user_id: str, rows_: Iterable[Event]) -> None:
        self._put(user_id, RowKind.EVENTS.table, [rows.of_dated(user_id, row) for row in rows_])

    def put_metrics(self, user_id: str, rows_: Iterable[Metric], *, set_by: str | None = None) -> None:
        values = [{**rows.of_metric(user_id, row), "set_by": set_by} for row in rows_]
        self._put(user_id, RowKind.METRICS.table, values)

    def put_sleeps(self, user_id: str, rows_: Iterable[Sleep]) -> None:
        self._put(user_id, RowKind.SLEEPS.table, [rows.of_sleep(user_id, row) for row in rows_])

    def delete_rows_but(self, kind: RowKind, user_id: str, kept: Iterable[str]) -> None:
        """Delete a user's rows of one kind except imported ones and these ids; also deletes streams and recipes."""
        with self._changing({user_id}) as connection:
            rows.delete_but(connection, kind, user_id, frozenset(kept))

    def metrics_of(self, user_id: str) -> list[Metric]:
        """All metrics, oldest first."""
        return [Metric.from_wire(orjson.loads(body)) for body in self.row_bodies(RowKind.METRICS, user_id)]

    def activities_of(self, user_id: str, start: date | None, end: date | None) -> list[Activity]:
        """The activities of the inclusive range of local days, newest first."""
        bodies = self.row_bodies(RowKind.ACTIVITIES, user_id, start=start, end=end)
        return [Activity.from_wire(orjson.loads(body)) for body in bodies]

    # Replies.

    def athlete_bodies(self, user_id: str) -> Sequence[bytes]:
        """The athletes that the user coaches, as JSON, by name."""
        with self._reading() as connection:
            return people.athlete_bodies(connection, user_id)

    def profile(self, user_id: str, *, is_own: bool) -> bytes:
        with self._reading() as connection:
            return people.profile(connection, user_id, is_own=is_own)

    def row_bodies(
        self, kind: RowKind, user_id: str, *, start: date | None = None, end: date | None = None
    ) -> Sequence[bytes]:
        """A user's rows of one kind as JSON, in the order of their endpoint; for planned ones see `planned_bodies`."""
        with self._reading() as connection:
            return rows.bodies(connection, kind, user_id, start=start, end=end)

    def planned_bodies(
        self, kind: RowKind, user_id: str, *, start: date | None, end: date | None, seen_by: str, today: date
    ) -> Sequence[PlannedBody]:
        """A user's planned workouts, notes or events, as far as the caller may see them."""
        with self._reading() as connection:
            return rows.planned_bodies(
                connection, kind, user_id, days=(start, end), seen_by=seen_by, today=today
            )

    # Calendars.

    @contextmanager
    def reading_plans(self) -> Iterator[Plans]:
        """One read of calendars."""
        with self._reading() as connection:
            yield Plans(connection)

    @contextmanager
    def changing_plans(
        self, people_: AbstractSet[str] = frozenset(), *, is_plan: bool = True
    ) -> Iterator[Plans]:
        """One transaction that changes the calendars of these people; an error in the block takes everything back.

        The block may extend the set until it ends. Without `is_plan` it changes their values, too. Without people it
        changes what is in no cached reply: comments, groups, plans and libraries.
        """
        changes = self._changing(planned=people_) if is_plan else self._changing(people_)
        with changes as connection:
            yield Plans(connection)

    def replace_time_zone(self, user_id: str, before: str | None, zone: str | None) -> bool:
        """Set a person's time zone; returns whether it was still the one before."""
        with self._changing(planned={user_id}) as connection:
            return people.replace_time_zone(connection, user_id, before, zone)

    def feeds_of(self, owner_id: str, now: datetime) -> Sequence[StoredFeed]:
        """The subscriptions of a person that work."""
        with self._reading() as connection:
            return feeds.of_owner(connection, owner_id, now)

    def feed(self, secret: str, now: datetime) -> StoredFeed | None:
        """The subscription with that secret; None if it does not work."""
        with self._reading() as connection:
            return feeds.of_secret(connection, secret, now)

    def add_feed(self, feed: StoredFeed, key_id: str) -> str:
        """Add a subscription; returns its secret, of which the store has only a hash."""
        secret = feeds.new_secret()
        with self._writers.begin() as connection:
            feeds.add(connection, feed, key_id=key_id, secret=secret)
        return secret

    def renew_feed(self, feed: StoredFeed, key_id: str) -> str | None:
        """Replace the secret of a subscription; None if it has changed since it was read."""
        secret = feeds.new_secret()
        with self._writers.begin() as connection:
            is_renewed = feeds.renew(connection, feed, key_id=key_id, secret=secret)
        return secret if is_renewed else None

    def remove_feed(self, feed: StoredFeed) -> bool:
        """Whether the subscription was as it was read, and is removed."""
        with self._writers.begin() as connection:
            return feeds.remove(connection, feed)

    def intervals_account(self, user_id: str) -> IntervalsAccount | None:
        """A person's account at intervals.icu."""
        with self._reading() as connection:
            return intervals.find(connection, user_id)

    @contextmanager
    def changing_accounts(self) -> Iterator[sa.Connection]:
        """One transaction on accounts at intervals.icu: no reply of another resource changes."""
        with self._writers.begin() as connection:
            yield connection

    # Streams.

    def put_streams(self, activity_id: str, made: ActivityStreams) -> None:
        """Write the streams of an existing activity."""
        body, people_ = streams.packed(made), set[str]()
        with self._changing(people_) as connection:
            owner_id = owner_of(connection, activity_id)
            if owner_id is None:
                raise LookupError(f"no activity {activity_id}")
            streams.put(connection, owner_id, activity_id, body)
            people_.add(owner_id)

    def put_packed_streams(self, user_id: str, activity_id: str, body: bytes) -> None:
        """Store streams that a recipe made: no reply changes, so the number of their person stays."""
        with self._writers.begin() as connection:
            streams.put(connection, user_id, activity_id, body)

    def put_recipes(self, user_id: str, made: Iterable[StreamRecipe]) -> None:
        """Write recipes for the streams of a person's activities."""
        self._put(user_id, recipes, streams.recipe_rows(user_id, made))

    def put_maker(self, maker: Maker) -> None:
        """Store the version of a maker."""
        with self._writers.begin() as connection:
            streams.put_maker(connection, maker)

    def maker(self, name: str) -> Maker | None:
        with self._reading() as connection:
            return streams.find_maker(connection, name)

    def owner_of(self, activity_id: str) -> str | None:
        """The person of an activity, even of a deleted one."""
        with self._reading() as connection:
            return owner_of(connection, activity_id)

    def streams(self, activity_id: str, user_id: str | None = None) -> StoredStreams | None:
        """The owner and streams of an activity of that person, or of any person; None if there is no such activity.

        A caller who checked the rights on a person passes them: another person may have an activity with that id.
        """
        with self._reading() as connection:
            return streams.find(connection, activity_id, user_id)

    # Recordings, invitations, limits.

    def recording(self, user_id: str, digest: str) -> ImportedFile | None:
        """The result of that file's import for that user, if there was one."""
        with self._reading() as connection:
            return recordings.find(connection, user_id, digest)

    def recordings_of(self, user_id: str) -> list[ImportedFile]:
        """Every imported file of that user."""
        with self._reading() as connection:
            return recordings.every(connection, user_id)

    def put_recording(self, recording: ImportedFile) -> None:
        with self._changing({recording.user_id}) as connection:
            recordings.put(connection, recording)

    def leads(self, user_id: str, workspace_id: str) -> bool:
        """Whether the user is coach or admin of that workspace."""
        with self._reading() as connection:
            return people.leads(connection, user_id, workspace_id)

    def invite(
        self, asked: PendingInvitation, write_mail: Callable[[WorkspaceInvitation], bytes] | None = None
    ) -> WorkspaceInvitation:
        """Make an invitation, or extend the pending one for that address and give it back.

        Its mail is queued in the same transaction: a kill after the reply cannot lose it.
        """
        secret = self._code_secret()
        with self._writers.begin() as connection:
            invitation = invitations.create(connection, asked, secret)
            if write_mail is not None:
                invitations.queue_mail(connection, invitation.email, write_mail(invitation))
            return invitation

    def _code_secret(self) -> bytes:
        return invitations.secret_in(self.originals.folder.parent)

    def invitation(self, code: str, now: datetime) -> StoredInvitation | None:
        """The invitation with that code, in any state; None for a code that is unknown."""
        with self._reading() as connection:
            return invitations.find(connection, code, now)

    def invitations(self, workspace_id: str | None, now: datetime) -> list[StoredInvitation]:
        """All invitations, or those of a workspace."""
        with self._reading() as connection:
            return invitations.every(connection, workspace_id, now)

    def revoke_invitation(self, invitation_id: str) -> bool:
        """Delete an invitation that was not used; returns whether there was one."""
        with self._writers.begin() as connection:
            return invitations.revoke(connection, invitation_id)

    def correct_invitation(
        self,
        row: StoredInvitation,
        new: PendingInvitation,
        write_mail: Callable[[WorkspaceInvitation], bytes] | None = None,
    ) -> WorkspaceInvitation | None:
        """Give an invitation the address and role of another one, with its mail; None if it was used or revoked meanwhile.

        A pending one of the same address keeps its code and expiry. Otherwise a new one replaces it.
        """
        secret = self._code_secret()
        with self._writers.begin() as connection:
            is_same = row.state is InvitationState.PENDING and row.email.casefold() == new.address
            if is_same:
                invitation_id = row.id
            else:
                if not invitations.revoke(connection, row.id):
                    return None
                invitation_id = invitations.create(connection, new, secret).id
            invitation = invitations.change(connection, invitation_id, new, secret)
            if invitation is not None and write_mail is not None:
                invitations.queue_mail(connection, invitation.email, write_mail(invitation))
            return invitation

    def join_by_invitation(self, code: str, user_id: str, now: datetime) -> StoredInvitation | None:
        """Use an invitation for a person; returns it, or None if it is not pending.

        A person who is already a member is not changed, and the invitation stays pending: see `role_in`.
        """
        changed, coached = {user_id}, set[str]()
        with self._changing(changed, planned=coached) as connection:
            joined = _join(connection, code, user_id, now)
            if joined is not None:
                changed |= people.leader_ids(connection, joined.workspace.id)
                coached |= people.coached_by(connection, joined.workspace.id, user_id)
            return joined

    def enter_by_invitation(
        self, code: str, new: NewUser, *, label: str, now: datetime
    ) -> tuple[StoredInvitation, str, str] | None:
        """Use an invitation for a new person; returns it with the person's id and key, or None if it is not pending."""
        key, user_id = keys.new_key(), new.id or new_id("usr")
        changed, coached = set[str](), set[str]()
        with self._changing(changed, planned=coached) as connection:
            # First: of two concurrent callers the second one finds a used invitation and adds no person.
            used = invitations.use(connection, code, user_id, now)
            invitation = invitations.find(connection, code, now)
            if not used or invitation is None:
                return None
            changed.add(people.add_user(connection, replace(new, id=user_id)))
            member = Member(invitation.workspace.id, user_id, invitation.role, joined_at=now)
            people.add_member(connection, member)
            changed |= people.leader_ids(connection, invitation.workspace.id)
            coached |= people.coached_by(connection, invitation.workspace.id, user_id)
            keys.add(connection, user_id, label=label, key=key, now=now, expires_at=None)
        return invitation, user_id, key

    def role_in(self, workspace_id: str, user_id: str) -> WorkspaceRole | None:
        with self._reading() as connection:
            return people.role_in(connection, workspace_id, user_id)

    def address_code(self, user_id: str, address: str, day: date) -> str:
        """The code of a day that a person gets at an address and sends back."""
        return invitations.address_code(self._code_secret(), user_id, address, day)

    def queue_mail(self, recipient: str, message: bytes) -> None:
        with self._writers.begin() as connection:
            invitations.queue_mail(connection, recipient, message)

    def take_mail(self, now: int) -> QueuedMail | None:
        """The next mail that this process is to send, which no other one sends meanwhile."""
        with self._writers.begin() as connection:
            return invitations.take_mail(connection, now)

    def finish_mail(self, mail_id: str) -> None:
        with self._writers.begin() as connection:
            invitations.finish_mail(connection, mail_id)

    def release_mails(self) -> None:
        """Release the mails that a killed process had claimed; for the only process on a database."""
        with self._writers.begin() as connection:
            invitations.release_mails(connection)

    def count(self, name: str, window: int) -> int:
        """Increment the counter of that window, for all processes on this database."""
        with self._counting.begin() as connection:
            return keys.count_request(connection, name, window)

    def forget_counts_before(self, window: int) -> None:
        with self._writers.begin() as connection:
            keys.forget_counts_before(connection, window)


def _join(connection: sa.Connection, code: str, user_id: str, now: datetime) -> StoredInvitation | None:
    invitation = invitations.find(connection, code, now)
    if invitation is None or people.role_in(connection, invitation.workspace.id, user_id) is not None:
        return None
    if not invitations.use(connection, code, user_id, now):
        return None
    people.add_member(connection, Member(invitation.workspace.id, user_id, invitation.role, joined_at=now))
    return invitation
