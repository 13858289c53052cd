"""The planning API of the Coachboard service under `/plan/v1`: the calendar is read as entries and changed in batches.

>>> planning = client.planning
>>> if planning.features() is not None:  # None: another service, which has no planning API
...     entries = planning.entries("usr_1", date(2026, 5, 1), date(2026, 5, 31))
...     move = planning.operation(entries[0], PlanOp.MOVE, date=date(2026, 5, 2))
...     reply = planning.batch([move], source="Calendar")
...     planning.undo(reply.id)

A calendar's entries, targets and hours are read once for each version of the service's data, and a write is followed by
a look at the version: writers see their changes at once. `features` is asked once; the decisions that matching needs are
kept in the cache like a profile.
A batch with an `idempotency_key` whose reply was lost is sent once more: the service does it once.
"""



from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from math import inf
from typing import Any, NamedTuple, Protocol, TypeVar
from uuid import uuid4

import orjson

from coachboard.client import values
from coachboard.client.decode import read_json
from coachboard.client.errors import EditConflict, ServiceError, Unauthorized, Unreachable
from coachboard.client.http import Http
from coachboard.client.own_data import Discovery, if_match, read_model, read_models
from coachboard.client.resources import DECISIONS, LOADS, PLAN_PATH, Request, path_of
from coachboard.client.values import SingleResource
from coachboard.wire.athlete_settings import (
    AthleteValue,
    AthleteValuePatch,
    Availability,
    AvailabilityPatch,
    NewAthleteValue,
    NewAvailability,
    NewWeekTarget,
    SavedAthleteValue,
    WeekTarget,
)
from coachboard.wire.base import Wire
from coachboard.wire.comments import (
    AthleteGroups,
    Comment,
    CommentMail,
    CommentMailChoice,
    CommentText,
    GroupNames,
    NewCommentMail,
    ReadComments,
    UnreadComment,
)
from coachboard.wire.enums import Sport, WorkspaceRole
from coachboard.wire.library import LibraryValue, LibraryWorkout
from coachboard.wire.planning import (
    BatchRecord,
    BatchReply,
    ConflictRow,
    EntryKind,
    Feed,
    IntervalsConnection,
    IntervalsState,
    InvitationPatch,
    InvitedPerson,
    MemberPatch,
    NewFeed,
    PairingMode,
    ParsedText,
    ParseRequest,
    PlanBatch,
    PlanEntry,
    PlanFeatures,
    PlannedValues,
    PlanOp,
    PlanOperation,
    PlanProfile,
    PlanValue,
    ProfilePatch,
    UndoRequest,
    WorkspaceMember,
)
from coachboard.wire.plans import Note
from coachboard.wire.training_plans import (
    ApplyRequest,
    PlanOutcome,
    RollOutRequest,
    TrainingPlan,
    TrainingPlanInput,
    TrainingPlanRow,
)

M = TypeVar("M", bound=Wire)
T = TypeVar("T")

RECENT_S = 15.0
"""How long the unread comments and the groups count: each rerun of a page shows them."""

_WITHOUT_TAG = frozenset({PlanOp.CREATE, PlanOp.COPY})


class PlanConflict(EditConflict):
    """412: rows have changed since they were read, and nothing was written; `rows` has them as they are now."""

    rows: tuple[ConflictRow, ...] = ()


class PlanDecision(NamedTuple):
    """A decision of a person about an entry, which the lists of prescriptions and notes do not show."""

    entry_id: str
    is_unpaired: bool = False  # no session belongs to the workout
    skip_reason: str | None = None
    note: Note | None = None  # of several days, from its date to `last_day`
    last_day: date | None = None


class _ReadKept(Protocol):
    """Reads a resource through the cache; raises `ServiceError`."""

    def __call__(self, resource: SingleResource[T], /) -> T: ...


class Planning:
    """Reads and writes calendars of the key's owner and of the athletes they coach.

    Methods raise `ServiceError`. `BadRequest.text` is a sentence for people: which operation is wrong and what to write.
    `batch` and `undo` raise also `PlanConflict`, `Forbidden` and `Conflict`.
    """

    def __init__(
        self,
        http: Http,
        *,
        clock: Callable[[], float],
        on_change: Callable[[], None],
        read_kept: _ReadKept,
        read_version: Callable[[], str | None],
    ) -> None:
        self._http = http
        self._on_change = on_change
        self._read_kept = read_kept
        self._read_version = read_version
        self._clock = clock
        self._recent: dict[str, tuple[float, tuple[Any, ...]]] = {}  # moment and rows of a list, by its path
        self._discovery = Discovery(lambda: self._read(Request("GET", PLAN_PATH), PlanFeatures), clock)

    def features(self) -> PlanFeatures | None:
        """The features of the API: `entries`, `batches`, `parse` and later ones; None for a service without it."""
        return self._discovery.features()

    def is_available(self) -> bool:
        """Whether the service has the API; False while it does not answer."""
        try:
            return self.features() is not None
        except ServiceError:
            return False

    def forget_failure(self) -> None:
        """Ask again at once, because the user wants to try again."""
        self._discovery.forget_failure()

    def entries(self, user_id: str, start: date, end: date) -> tuple[PlanEntry, ...]:
        """The entries whose days overlap the inclusive range, oldest first. Raises `NotFound`."""
        return self._read_now(values.entries(user_id, start, end))

    def decisions(self, user_id: str) -> frozenset[PlanDecision]:
        """The workouts of an athlete that a person skipped or left unpaired, and the notes of several days; raises `ServiceError`.

        From the cache, as a profile. Empty for a service without the feature.
        """
        kept = self._read_kept(values.decided_entries(user_id)) if self._may_have(DECISIONS) else ()
        return frozenset(map(decision_of, kept))

    def loads(self, user_id: str, start: date, end: date) -> Mapping[str, float]:
        """The loads of the planned workouts of the inclusive range by id, from their steps; raises `ServiceError`.

        From the cache, as a profile. Without the workouts whose steps give no load, and empty for a service without the
        feature: such a service defines its own load.
        """
        return self._read_kept(values.loads(user_id, start, end)) if self._may_have(LOADS) else {}

    def _may_have(self, feature: str) -> bool:
        """Whether the service has the feature; True while it does not answer, for what the cache has of it."""
        try:
            features = self.features()
        except Unauthorized:
            return False  # another service may refuse unknown paths; the interface decides whether a key is valid
        except ServiceError:
            return True
        return features is not None and feature in features.features

    def values(self, user_id: str, sport: Sport, day: date) -> PlannedValues:
        """The athlete's values that the figures of a workout of that day follow."""
        query = (("sport", str(sport)), ("date", day.isoformat()))
        return self._read(Request("GET", _path("users", user_id, "day-values"), query), PlannedValues)

    def entry(self, entry_id: str) -> PlanEntry:
        """One entry as it is now. Raises `NotFound`, also for an entry that the caller may not see."""
        return self._read(Request("GET", _path("entries", entry_id)), PlanEntry)

    @staticmethod
    def create(user_id: str, kind: EntryKind, **fields: Any) -> PlanOperation:
        """The operation that creates an entry; `fields` are those of `PlanValue`."""
        return PlanOperation(op=PlanOp.CREATE, kind=kind, user_id=user_id, value=PlanValue(**fields))

    @staticmethod
    def operation(entry: PlanEntry, op: PlanOp, **fields: Any) -> PlanOperation:
        """An operation on an entry as the caller read it; `fields` are those of `PlanValue` that it needs."""
        given: dict[str, Any] = {"value": PlanValue(**fields)} if fields else {}
        if op not in _WITHOUT_TAG:
            given["if_match"] = entry.etag
        return PlanOperation(op=op, kind=entry.kind, user_id=entry.user_id, id=entry.id, **given)

    def batch(
        self,
        operations: Iterable[PlanOperation],
        *,
        source: str | None = None,
        dry_run: bool = False,
        idempotency_key: str | None = None,
    ) -> BatchReply:
        """Do all operations or none; the entries of the reply are in the order of the operations.

        A dry run replies the same and writes nothing. With a key, a batch whose reply was lost is sent once more.
        Raises `BadRequest`, `Forbidden`, `NotFound`, `PlanConflict`, `Conflict`.
        """
        sent = PlanBatch(operations=tuple(operations), dry_run=dry_run, source=source)
        return self._batch(_path("batches"), BatchReply, sent, key=idempotency_key, is_write=not dry_run)

    def undo(
        self,
        batch_id: str,
        *,
        force: bool = False,
        user_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> BatchReply:
        """Bring back what was before a batch, of all calendars or of one, as a new batch, which can be undone as well.

        Sent once more if its reply is lost; a key that the caller repeats makes a later call the same undo.
        Raises `PlanConflict` if a row changed since; with `force` these rows stay as they are and are in `conflicts`.
        """
        sent = UndoRequest(force=force, user_id=user_id)
        key = idempotency_key or uuid4().hex
        return self._batch(_path("batches", batch_id, "undo"), BatchReply, sent, key=key)

    def has(self, feature: str) -> bool:
        """Whether the service has a feature; False while it does not answer."""
        try:
            features = self.features()
        except ServiceError:
            return False
        return features is not None and feature in features.features

    def plans(self) -> tuple[TrainingPlanRow, ...]:
        """The plans that the caller may use, by title."""
        return self._list(Request("GET", _path("plans")), TrainingPlanRow)

    def plan(self, plan_id: str) -> TrainingPlan:
        """One plan with its entries. Raises `NotFound`."""
        return self._read(Request("GET", _path("plans", plan_id)), TrainingPlan)

    def add_plan(self, plan: TrainingPlanInput) -> TrainingPlan:
        """Raises `BadRequest` with the wrong entry, `NotFound` for a workspace that the caller does not lead."""
        return self._write("POST", _path("plans"), TrainingPlan, plan)

    def replace_plan(self, plan: TrainingPlan, changed: TrainingPlanInput) -> TrainingPlan:
        """The plan as it is now; entries with an id of the plan stay the same entries. Raises `EditConflict`."""
        return self._change_row("PUT", _path("plans", plan.id), plan.etag, TrainingPlan, changed)

    def delete_plan(self, plan: TrainingPlan) -> None:
        """Delete a plan; the calendars stay as they are. Raises `EditConflict`."""
        self._change_row("DELETE", _path("plans", plan.id), plan.etag, TrainingPlan)

    def apply_plan(
        self, plan: TrainingPlan, request: ApplyRequest, *, idempotency_key: str | None = None
    ) -> PlanOutcome:
        """Write a plan on calendars as one batch, or say what that would do. Raises `EditConflict` for another version."""
        return self._plan_batch(plan, "apply", request, idempotency_key)

    def roll_out_plan(
        self, plan: TrainingPlan, request: RollOutRequest, *, idempotency_key: str | None = None
    ) -> PlanOutcome:
        """Bring the calendars that have a plan to its version of now, as one batch; raises as `apply_plan`."""
        return self._plan_batch(plan, "rollout", request, idempotency_key)

    def _plan_batch(
        self, plan: TrainingPlan, what: str, sent: ApplyRequest | RollOutRequest, key: str | None
    ) -> PlanOutcome:
        path, is_write = _path("plans", plan.id, what), not sent.dry_run
        return self._batch(path, PlanOutcome, sent, etag=plan.etag, key=key, is_write=is_write)

    def history(self, user_id: str) -> tuple[BatchRecord, ...]:
        """The last batches that changed the athlete's calendar, newest first."""
        return self._list(Request("GET", _path("batches"), (("userId", user_id),)), BatchRecord)

    def parse(
        self,
        user_id: str,
        sport: Sport,
        text: str,
        day: date | None = None,
        free_duration: float | None = None,
    ) -> ParsedText:
        """The workout of a text for that athlete and day, with all errors; the editor calls it while a person types."""
        asked = ParseRequest(user_id=user_id, sport=sport, text=text, date=day, free_duration=free_duration)
        return self._write("POST", _path("parse"), ParsedText, asked)

    def has_library(self) -> bool:
        """Whether the service has libraries of workouts; True while it does not answer."""
        return self._may_have("library")

    def workouts(
        self,
        *,
        words: str = "",
        sport: str = "",
        stimulus: str = "",
        shortest_s: int | None = None,
        longest_s: int | None = None,
    ) -> tuple[LibraryWorkout, ...]:
        """The workouts of the caller's library that match, by folder and title, those of Coachboard last."""
        query = {
            "words": words,
            "sport": sport,
            "trainingStimulus": stimulus,
            "minDuration": "" if shortest_s is None else str(shortest_s),
            "maxDuration": "" if longest_s is None else str(longest_s),
        }
        named = tuple((name, text) for name, text in query.items() if text)
        return self._list(Request("GET", _path("workouts"), named), LibraryWorkout)

    def workout(self, workout_id: str) -> LibraryWorkout:
        """One workout of the library. Raises `NotFound`."""
        return self._read(Request("GET", _path("workouts", workout_id)), LibraryWorkout)

    def create_workout(self, value: LibraryValue) -> LibraryWorkout:
        """Add a workout to the library. Raises `BadRequest` with the field, `Conflict` for a full library."""
        return self._write("POST", _path("workouts"), LibraryWorkout, value)

    def change_workout(self, workout_id: str, etag: str, value: LibraryValue) -> LibraryWorkout:
        """Change the fields that the value names. Raises `EditConflict` if it is another version by now."""
        return self._write("PATCH", _path("workouts", workout_id), LibraryWorkout, value, etag=etag)

    def delete_workout(self, workout_id: str, etag: str) -> None:
        """Raises `EditConflict` if it is another version by now, and `NotFound`."""
        self._send(Request("DELETE", _path("workouts", workout_id), headers=if_match(etag)))

    def feeds(self) -> tuple[Feed, ...]:
        """The subscriptions of the key's owner, oldest first, without their addresses."""
        return self._list(Request("GET", _path("feeds")), Feed)

    def create_feed(self, feed: NewFeed) -> Feed:
        """A new subscription; its `path` is in this reply only. Raises `BadRequest`, `NotFound`."""
        return self._write("POST", _path("feeds"), Feed, feed)

    def renew_feed(self, feed: Feed) -> Feed:
        """The subscription with another address; the old address is unknown from then on. Raises `EditConflict`, `NotFound`."""
        return self._change_row("POST", _path("feeds", feed.id, "renew"), feed.etag, Feed)

    def revoke_feed(self, feed: Feed) -> None:
        """Raises `EditConflict`, `NotFound`."""
        self._change_row("DELETE", _path("feeds", feed.id), feed.etag, Feed)

    def profile(self, user_id: str) -> PlanProfile:
        """A person's time zone, an IANA name; None if it is not set."""
        return self._read(Request("GET", _path("users", user_id)), PlanProfile)

    def set_time_zone(self, user_id: str, before: PlanProfile, zone: str | None) -> PlanProfile:
        """Set a person's time zone. Raises `BadRequest` for a name that is not known, `EditConflict`."""
        sent = ProfilePatch(time_zone=zone)
        return self._change_row("PATCH", _path("users", user_id), before.etag, PlanProfile, sent)

    def members(self, workspace_id: str) -> tuple[WorkspaceMember, ...]:
        """The members of a workspace that the key's owner leads, with what the owner may do. Raises `NotFound`."""
        return self._list(Request("GET", _path("workspaces", workspace_id, "members")), WorkspaceMember)

    def change_role(self, workspace_id: str, member: WorkspaceMember, role: WorkspaceRole) -> WorkspaceMember:
        """Give a member another role. Raises `EditConflict`, `Forbidden`, `Conflict` for the only admin."""
        path, sent = _path("workspaces", workspace_id, "members", member.user_id), MemberPatch(role=role)
        return self._change_row("PATCH", path, member.etag, WorkspaceMember, sent)

    def remove_member(self, workspace_id: str, member: WorkspaceMember) -> None:
        """End a membership. Raises as `change_role`."""
        path = _path("workspaces", workspace_id, "members", member.user_id)
        self._change_row("DELETE", path, member.etag, WorkspaceMember)

    def invitations(self, workspace_id: str) -> tuple[InvitedPerson, ...]:
        """The invitations to a workspace that nobody has used, without their codes. Raises `NotFound`."""
        return self._list(Request("GET", _path("workspaces", workspace_id, "invitations")), InvitedPerson)

    def correct_invitation(
        self, workspace_id: str, invited: InvitedPerson, patch: InvitationPatch
    ) -> InvitedPerson:
        """Correct the address or role; the reply has the code. Raises `BadRequest`, `EditConflict`, `NotFound`."""
        path = _path("workspaces", workspace_id, "invitations", invited.id)
        return self._change_row("PATCH", path, invited.etag, InvitedPerson, patch)

    def revoke_invitation(self, workspace_id: str, invited: InvitedPerson) -> None:
        """Raises `EditConflict`, `NotFound`."""
        path = _path("workspaces", workspace_id, "invitations", invited.id)
        self._change_row("DELETE", path, invited.etag, InvitedPerson)

    def intervals(self) -> IntervalsState:
        """The account of the key's owner at intervals.icu, without its key, and its last push."""
        return self._read(Request("GET", _path("intervals")), IntervalsState)

    def connect_intervals(self, asked: IntervalsConnection) -> IntervalsState:
        """Connect or change the account; the service pushes planned workouts from then on. Raises `BadRequest`."""
        return self._write("PUT", _path("intervals"), IntervalsState, asked)

    def push_intervals(self) -> IntervalsState:
        """Push now, in the background. Raises `NotFound`."""
        return self._read(Request("POST", _path("intervals", "push"), body=b""), IntervalsState)

    def disconnect_intervals(self) -> None:
        """Forget the account with its key. Raises `NotFound`."""
        self._send(Request("DELETE", _path("intervals")))

    def _change_row(
        self, method: str, path: str, etag: str | None, model: type[M], sent: Wire | None = None
    ) -> M:
        """Change one row as the caller read it; a new one has no tag."""
        try:
            return self._write(method, path, model, sent, etag=etag)
        finally:
            self._on_change()

    # Settings of an athlete. Changes raise `EditConflict` with the setting as it is now, `BadRequest` and `NotFound`.

    def athlete_values(self, user_id: str) -> tuple[AthleteValue, ...]:
        """The values of an athlete that people set, oldest first, each with its tag."""
        return self._list(Request("GET", _path("users", user_id, "values")), AthleteValue)

    def add_value(self, user_id: str, value: NewAthleteValue) -> SavedAthleteValue:
        """Set a value from a day on, and recompute the sessions that it affects."""
        return self._change_row("POST", _path("users", user_id, "values"), None, SavedAthleteValue, value)

    def change_value(self, user_id: str, row: AthleteValue, patch: AthleteValuePatch) -> SavedAthleteValue:
        """Correct a value."""
        return self._change_row(
            "PATCH", _path("users", user_id, "values", row.id), row.etag, SavedAthleteValue, patch
        )

    def delete_value(self, user_id: str, row: AthleteValue) -> SavedAthleteValue:
        """Delete a value."""
        return self._change_row(
            "DELETE", _path("users", user_id, "values", row.id), row.etag, SavedAthleteValue
        )

    def availability(self, user_id: str) -> tuple[Availability, ...]:
        """The hours of an athlete by weekday, oldest first; exceptions have an end."""
        return self._read_now(values.availability(user_id))

    def add_availability(self, user_id: str, new: NewAvailability) -> Availability:
        """Add hours from a day on, or an exception."""
        return self._change_row("POST", _path("users", user_id, "availability"), None, Availability, new)

    def change_availability(self, user_id: str, row: Availability, patch: AvailabilityPatch) -> Availability:
        """Correct hours or an exception."""
        path = _path("users", user_id, "availability", row.id)
        return self._change_row("PATCH", path, row.etag, Availability, patch)

    def delete_availability(self, user_id: str, row: Availability) -> None:
        """Delete hours or an exception."""
        self._change_row("DELETE", _path("users", user_id, "availability", row.id), row.etag, Availability)

    def week_targets(self, user_id: str, start: date, end: date) -> tuple[WeekTarget, ...]:
        """The targets of the weeks whose Mondays are in the inclusive range."""
        return self._read_now(values.week_targets(user_id, start, end))

    def put_target(
        self, user_id: str, monday: date, new: NewWeekTarget, before: WeekTarget | None
    ) -> WeekTarget:
        """Set the target of a week; `before` is the target as the caller read it. Raises also `Forbidden`."""
        path, etag = _path("users", user_id, "targets", monday.isoformat()), before.etag if before else None
        return self._change_row("PUT", path, etag, WeekTarget, new)

    def delete_target(self, user_id: str, target: WeekTarget) -> None:
        """Delete the target of a week. Raises also `Forbidden`."""
        path = _path("users", user_id, "targets", target.monday.isoformat())
        self._change_row("DELETE", path, target.etag, WeekTarget)

    def has_comments(self) -> bool:
        """Whether the service has comments; False while it does not answer."""
        return self.has("comments")

    def comments(self, *, entry_id: str = "", activity_id: str = "") -> tuple[Comment, ...]:
        """The comments on an entry or a session, oldest first. Raises `NotFound`."""
        return self._list(Request("GET", _comments_path(entry_id, activity_id)), Comment)

    def add_comment(self, text: str, *, entry_id: str = "", activity_id: str = "") -> Comment:
        """Comment on an entry or a session. Raises `NotFound`, `BadRequest`, `Conflict` for too many, `RateLimited`."""
        return self._write("POST", _comments_path(entry_id, activity_id), Comment, CommentText(text=text))

    def change_comment(self, comment: Comment, text: str) -> Comment:
        """Change one's own comment. Raises `EditConflict`, `Forbidden`, `NotFound`, `BadRequest`."""
        path, sent = _path("comments", comment.id), CommentText(text=text)
        return self._write("PATCH", path, Comment, sent, etag=comment.etag)

    def delete_comment(self, comment_id: str) -> None:
        """Delete one's own comment for all. Raises `Forbidden`, `NotFound`."""
        self._send(Request("DELETE", _path("comments", comment_id)))

    def unread_comments(self) -> tuple[UnreadComment, ...]:
        """The comments that the key's owner has not read, oldest first; asked again after `RECENT_S`."""
        return self._lately(_path("comments", "unread"), UnreadComment)

    def mark_read(self, ids: Iterable[str]) -> None:
        """Mark comments as read by the key's owner."""
        body = orjson.dumps(ReadComments(ids=tuple(ids)).to_wire())
        self._send(Request("POST", _path("comments", "read"), body=body))
        self._recent.pop(_path("comments", "unread"), None)

    def groups(self) -> tuple[AthleteGroups, ...]:
        """The athletes whom the key's owner leads, in each workspace, with their groups; asked again after `RECENT_S`.

        Empty for a service without groups.
        """
        features = self.features()
        if features is None or "groups" not in features.features:
            return ()
        return self._lately(_path("groups"), AthleteGroups)

    def set_groups(self, workspace_id: str, user_id: str, names: Iterable[str]) -> AthleteGroups:
        """Set the groups of an athlete of a workspace that the key's owner leads. Raises `NotFound`, `BadRequest`."""
        path = _path("workspaces", workspace_id, "athletes", user_id, "groups")
        groups = self._write("PUT", path, AthleteGroups, GroupNames(names=tuple(names)))
        self._recent.pop(_path("groups"), None)
        return groups

    def comment_mail(self) -> CommentMailChoice:
        """When mails about comments come, and where to."""
        return self._read(Request("GET", _path("comments", "mail")), CommentMailChoice)

    def choose_comment_mail(
        self, mail: CommentMail, address: str | None, code: str | None = None
    ) -> CommentMailChoice:
        """Choose when mails about comments come; without an address to that of the invitation. Raises `BadRequest`.

        A new address is `unconfirmed` in the reply and not kept: send it again with the code that was mailed there.
        """
        sent = NewCommentMail(mail=mail, address=address, code=code)
        return self._write("PUT", _path("comments", "mail"), CommentMailChoice, sent)

    def _batch(
        self,
        path: str,
        model: type[M],
        sent: Wire,
        *,
        etag: str | None = None,
        key: str | None = None,
        is_write: bool = True,
    ) -> M:
        """With a key, a request whose reply was lost is sent once more: the service does it once."""
        try:
            return self._write("POST", path, model, sent, etag=etag, key=key)
        except Unreachable as error:
            if key is None or not error.may_have_arrived:
                raise
            return self._write("POST", path, model, sent, etag=etag, key=key)
        finally:
            if is_write:
                self._on_change()

    def _write(
        self,
        method: str,
        path: str,
        model: type[M],
        sent: Wire | None,
        *,
        etag: str | None = None,
        key: str | None = None,
    ) -> M:
        """The reply to a change; `etag` is that of the row as the caller read it."""
        body = None if sent is None else orjson.dumps(sent.to_wire())
        once = () if key is None else (("Idempotency-Key", key),)
        return self._read(Request(method, path, body=body, headers=if_match(etag) + once), model)

    def _lately(self, path: str, model: type[M]) -> tuple[M, ...]:
        """A list that counts for `RECENT_S`; so do the former rows after a failure, as each rerun would wait again."""
        now = self._clock()
        asked, rows = self._recent.get(path, (-inf, ()))
        if not 0 <= now - asked < RECENT_S:
            self._recent[path] = now, rows
            rows = self._list(Request("GET", path), model)
            self._recent[path] = now, rows
        return rows

    def _read_now(self, resource: SingleResource[T]) -> T:
        """The resource in the present version of the service's data; a service without versions is asked each time.

        The key has the version: a reply to a request before a write is never the reply after it.
        """
        version = self._read_version()
        if version is None:
            return resource.read(resource.request, self._send(resource.request))[0]
        return self._read_kept(replace(resource, key=f"{resource.key} {version}"))

    def _list(self, request: Request, model: type[M]) -> tuple[M, ...]:
        return read_models(request, self._send(request), model)

    def _read(self, request: Request, model: type[M]) -> M:
        return read_model(request, read_json(request, self._send(request)), model)

    def _send(self, request: Request) -> bytes:
        try:
            return self._http.send(request, bytes)
        except EditConflict as error:
            if not isinstance(error.current, list):  # of one row
                raise
            raise _conflict(request, error) from error


def decision_of(entry: PlanEntry) -> PlanDecision:
    """The decision about an entry."""
    is_unpaired = entry.pairing is not None and entry.pairing.mode is PairingMode.NONE
    skip_reason = None if entry.skipped is None else entry.skipped.reason
    note = entry.note if entry.end_date is not None else None
    return PlanDecision(entry.id, is_unpaired, skip_reason, note, entry.end_date if note else None)


def _path(*parts: str) -> str:
    """The path of names and ids under `/plan/v1`; raises `ValueError` for an id that would change the path."""
    return PLAN_PATH + "".join(path_of("/{}", part) for part in parts)


def _comments_path(entry_id: str, activity_id: str) -> str:
    kind, row_id = ("entries", entry_id) if entry_id else ("activities", activity_id)
    return _path(kind, row_id, "comments")


def _conflict(request: Request, error: EditConflict) -> PlanConflict:
    conflict = PlanConflict(
        error.method,
        error.path,
        current=error.current,
        status=error.status,
        code=error.code,
        text=error.text,
        may_have_arrived=False,
    )
    conflict.rows = tuple(read_model(request, row, ConflictRow) for row in error.current or ())
    return conflict
