"""The store: what can be read and written of the service, a statement or a few a call."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime

import orjson

from coachboard.models.activities import Activity
from coachboard.models.body import Metric, Sleep
from coachboard.models.enums import WorkspaceRole
from coachboard.models.invitations import WorkspaceInvitation
from coachboard.models.plans import Event
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.models.streams import ActivityStreams
from coachboard.models.users import User
from coachboard.service.ids import new_id
from coachboard.service.store import (
    counters,
    invitations,
    keys,
    makers,
    people,
    recordings,
    rows,
    streams,
)
from coachboard.service.store.database import Database
from coachboard.service.store.records import (
    ApiKey,
    Caller,
    Maker,
    Member,
    NewNote,
    NewUser,
    PendingInvitation,
    Recording,
    StoredStreams,
    StreamRecipe,
    Workspace,
)
from coachboard.service.store.rows import RowKind
from coachboard.service.store.tables import recipes


class Store(Database):
    """People, rows and streams of the service; the modules beside this one hold the statements."""

    # People.

    def add_user(self, user: NewUser) -> str:
        """Write a user, replacing one of the same id; gives the id."""
        with self._changing() as connection:
            return people.add_user(connection, user)

    def remove_user(self, user_id: str) -> bool:
        """Delete a user with all that is theirs; says whether there was one."""
        with self._changing() as connection:
            return people.remove_user(connection, user_id)

    def users(self) -> list[User]:
        with self._reading() as connection:
            return people.all_users(connection)

    def user_exists(self, user_id: str) -> bool:
        with self._reading() as connection:
            return people.user_exists(connection, user_id)

    def add_workspace(self, name: str, slug: str, *, id: str | None = None) -> str:  # noqa: A002 (the name on the wire)
        """Write a workspace, replacing one of the same id; gives the id."""
        workspace = Workspace(id or new_id("wke"), name, slug)
        with self._changing() as connection:
            people.add_workspace(connection, workspace)
        return workspace.id

    def remove_workspace(self, workspace_id: str) -> bool:
        with self._changing() as connection:
            return people.remove_workspace(connection, workspace_id)

    def workspaces(self) -> list[Workspace]:
        with self._reading() as connection:
            return people.all_workspaces(connection)

    def workspace(self, workspace_id: str) -> Workspace | None:
        with self._reading() as connection:
            return people.find_workspace(connection, workspace_id)

    def add_member(self, workspace_id: str, user_id: str, role: WorkspaceRole) -> None:
        """Give a user a role in a workspace, in place of another one they held there."""
        with self._changing() as connection:
            people.add_member(connection, Member(workspace_id, user_id, role))

    def remove_member(self, workspace_id: str, user_id: str) -> bool:
        with self._changing() as connection:
            return people.remove_member(connection, workspace_id, user_id)

    def members(self, workspace_id: str) -> list[Member]:
        with self._reading() as connection:
            return people.members_of(connection, workspace_id)

    # Keys.

    def add_key(
        self, user_id: str, *, label: str, key: str | None = None, expires_at: datetime | None = None
    ) -> str:
        """Make a key, or take the given one; gives its text, which is not kept."""
        text, now = key or keys.new_key(), datetime.now(UTC)
        with self._changing() as connection:
            keys.add(connection, user_id, label=label, key=text, now=now, expires_at=expires_at)
        return text

    def keys(self, user_id: str | None = None) -> list[ApiKey]:
        with self._reading() as connection:
            return keys.every(connection, user_id)

    def revoke_key(self, key_id: str) -> bool:
        """Stop a key; says whether there was one to stop."""
        with self._changing() as connection:
            return keys.revoke(connection, key_id, now=datetime.now(UTC))

    def caller(self, key_digest: str) -> Caller | None:
        """Whose key has that digest, unless it is revoked; whether it has expired is for the asker to see."""
        with self._reading() as connection:
            return keys.caller_of(connection, key_digest)

    # Rows, replaced by id.

    def put_activities(self, user_id: str, rows_: Iterable[Activity]) -> None:
        self._put(RowKind.ACTIVITIES.table, [rows.of_activity(user_id, row) for row in rows_])

    def put_prescriptions(self, user_id: str, rows_: Iterable[TrainingPrescription]) -> None:
        self._put(RowKind.PRESCRIPTIONS.table, [rows.of_dated(user_id, row) for row in rows_])

    def put_notes(self, user_id: str, rows_: Iterable[NewNote]) -> None:
        self._put(RowKind.NOTES.table, [rows.of_note(user_id, row) for row in rows_])

    def put_events(self, user_id: str, rows_: Iterable[Event]) -> None:
        self._put(RowKind.EVENTS.table, [rows.of_dated(user_id, row) for row in rows_])

    def put_metrics(self, user_id: str, rows_: Iterable[Metric]) -> None:
        self._put(RowKind.METRICS.table, [rows.of_metric(user_id, row) for row in rows_])

    def put_sleeps(self, user_id: str, rows_: Iterable[Sleep]) -> None:
        self._put(RowKind.SLEEPS.table, [rows.of_sleep(user_id, row) for row in rows_])

    def delete_activities(self, ids: Iterable[str]) -> None:
        """Delete activities with their streams; the files they came from may be imported again."""
        chosen = frozenset(ids)
        with self._changing() as connection:
            recordings.forget(connection, chosen)
            rows.delete_activities(connection, chosen)

    def delete_rows_but(self, kind: RowKind, user_id: str, kept: Iterable[str]) -> None:
        """Delete a user's rows of one kind except those of the ids; streams and recipes go with their activities."""
        with self._changing() as connection:
            rows.delete_but(connection, kind, user_id, frozenset(kept))

    def metrics_of(self, user_id: str) -> list[Metric]:
        """All metrics, oldest first."""
        return [Metric.from_wire(orjson.loads(body)) for body in self.row_bodies(RowKind.METRICS, user_id)]

    def activities_of(self, user_id: str, start: date | None, end: date | None) -> list[Activity]:
        """The activities of the inclusive range of local days, newest first."""
        bodies = self.row_bodies(RowKind.ACTIVITIES, user_id, start=start, end=end)
        return [Activity.from_wire(orjson.loads(body)) for body in bodies]

    # What is sent.

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
        """A user's rows of one kind as JSON, in the order of their endpoint; for notes see `note_bodies`."""
        with self._reading() as connection:
            return rows.bodies(connection, kind, user_id, start=start, end=end)

    def note_bodies(
        self, user_id: str, *, start: date | None, end: date | None, seen_by: str, today: date
    ) -> Sequence[bytes]:
        """A user's notes, the hidden ones for their creator alone."""
        with self._reading() as connection:
            return rows.note_bodies(connection, user_id, start=start, end=end, seen_by=seen_by, today=today)

    # Streams.

    def put_streams(self, activity_id: str, made: ActivityStreams) -> None:
        """Write the streams of an activity, which must stand there already."""
        body = streams.packed(made)
        with self._changing() as connection:
            streams.put(connection, activity_id, body)

    def put_packed_streams(self, activity_id: str, body: bytes) -> None:
        """Keep streams that a recipe made: nothing that a caller could read has changed."""
        with self._writers.begin() as connection:
            streams.put(connection, activity_id, body)

    def put_recipes(self, made: Iterable[StreamRecipe]) -> None:
        """Write recipes for the streams of activities, which must stand there already."""
        self._put(recipes, streams.recipe_rows(made))

    def put_maker(self, maker: Maker) -> None:
        """Note which version of a maker wrote what is there."""
        with self._writers.begin() as connection:
            makers.put(connection, maker)

    def maker(self, name: str) -> Maker | None:
        with self._reading() as connection:
            return makers.find(connection, name)

    def streams(self, activity_id: str) -> StoredStreams | None:
        """An activity's owner and streams; None where there is no such activity."""
        with self._reading() as connection:
            return streams.find(connection, activity_id)

    # Recordings, invitations, limits.

    def recording(self, user_id: str, digest: str) -> Recording | None:
        """What became of that file when it was read for that user, if it was."""
        with self._reading() as connection:
            return recordings.find(connection, user_id, digest)

    def recordings_of(self, user_id: str) -> list[Recording]:
        """Every file that was read for that user."""
        with self._reading() as connection:
            return recordings.every(connection, user_id)

    def put_recording(self, recording: Recording) -> None:
        with self._changing() as connection:
            recordings.put(connection, recording)

    def leads(self, user_id: str, workspace_id: str) -> bool:
        """Whether the user is coach or admin of that workspace."""
        with self._reading() as connection:
            return people.leads(connection, user_id, workspace_id)

    def invite(self, asked: PendingInvitation) -> WorkspaceInvitation:
        """Make an invitation, or extend the pending one for that address and give it back."""
        with self._writers.begin() as connection:
            return invitations.create(connection, asked)

    def count(self, name: str, window: int) -> int:
        """Count one more request in that window, for all processes on this database."""
        with self._counting.begin() as connection:
            return counters.count(connection, name, window)

    def forget_counts_before(self, window: int) -> None:
        with self._writers.begin() as connection:
            counters.forget_before(connection, window)
