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

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from math import inf
from typing import Any, NamedTuple, Protocol, TypeVar
from uuid import uuid4

import orjson

from coachboard.client.decode import model_of, read_models
from coachboard.client.errors import EditConflict, ServiceError
from coachboard.client.http import Http
from coachboard.client.months import MINUTE_S
from coachboard.client.own_data import CoachboardApi, Query
from coachboard.client.resources import AVAILABILITY, DECISIONS, ENTRIES, LOADS, PLAN_PATH, TARGETS, Request
from coachboard.client.retry import REFUSALS
from coachboard.client.values import Decoded, SingleResource
from coachboard.client.waiting import Memo
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
from coachboard.wire.base import FIRST_DAY, LAST_DAY, Wire
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
    WorkoutLoad,
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

PART_S = 5 * MINUTE_S
"""How long a part of a calendar is fresh: time alone changes what is hidden until a day."""
RECENT_S = 15.0
"""How long comments and groups count without an own change: each rerun of a page shows them."""
MOST_RECENT = 100
"""How many of these lists are in memory; a client lives as long as a tab is open."""

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


class Planning(CoachboardApi[PlanFeatures]):
    """Reads and writes calendars of the key's owner and of the athletes they coach.

    Methods raise `ServiceError`. `BadRequest.text` is a sentence for people: which operation is wrong and what to write.
    `batch` and `undo` raise also `PlanConflict`, `Forbidden` and `RequestConflict`.
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

        def changed() -> None:
            self._ask_again()
            on_change()

        super().__init__(http, PLAN_PATH, PlanFeatures, clock=clock, on_change=changed)
        self._read_kept = read_kept
        self._read_version = read_version
        # When a list was asked for, and its rows or the error, by its path.
        self._recent: Memo[tuple[float, tuple[Any, ...] | ServiceError]] = Memo(MOST_RECENT)

    def forget_failure(self) -> None:
        """Ask again at once, because the user wants to try again."""
        super().forget_failure()
        self._ask_again()

    def entries(self, user_id: str, start: date, end: date) -> tuple[PlanEntry, ...]:
        """The entries whose days overlap the inclusive range, oldest first. Raises `NotFound`."""
        return self._read_now(self._part(ENTRIES, PlanEntry, user_id, _days(start, end)))

    def decisions(self, user_id: str) -> frozenset[PlanDecision]:
        """The workouts of an athlete that a person skipped or left unpaired, and the notes of several days; raises `ServiceError`.

        From the cache, as a profile. Empty for a service without the feature.
        """
        if not self.has(DECISIONS, without_answer=True):
            return frozenset()
        query = (*_days(FIRST_DAY, LAST_DAY), ("decided", "true"))
        decided = self._read_kept(self._part(DECISIONS, PlanEntry, user_id, query, path=ENTRIES))
        return frozenset(map(decision_of, decided))

    def loads(self, user_id: str, start: date, end: date) -> Mapping[str, float]:
        """The loads of the planned workouts of the inclusive range by id, from their steps; raises `ServiceError`.

        From the cache, as a profile. Without the workouts whose steps give no load, and empty for a service without the
        feature: such a service defines its own load.
        """
        if not self.has(LOADS, without_answer=True):
            return {}
        loads = self._read_kept(self._part(LOADS, WorkoutLoad, user_id, _days(start, end)))
        return {row.id: float(row.load) for row in loads}

    def values(self, user_id: str, sport: Sport, day: date) -> PlannedValues:
        """The athlete's values that the figures of a workout of that day follow."""
        query = (("sport", str(sport)), ("date", day.isoformat()))
        return self._get(PlannedValues, "users", user_id, "day-values", query=query)

    def entry(self, entry_id: str) -> PlanEntry:
        """One entry as it is now. Raises `NotFound`, also for an entry that the caller may not see."""
        return self._get(PlanEntry, "entries", entry_id)

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
        Raises `BadRequest`, `Forbidden`, `NotFound`, `PlanConflict`, `RequestConflict`.
        """
        sent = PlanBatch(operations=tuple(operations), dry_run=dry_run, source=source)
        return self._change("POST", BatchReply, "batches", sent=sent, key=idempotency_key)

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
        return self._change("POST", BatchReply, "batches", batch_id, "undo", sent=sent, key=key)

    def plans(self) -> tuple[TrainingPlanRow, ...]:
        """The plans that the caller may use, by title."""
        return self._list(TrainingPlanRow, "plans")

    def plan(self, plan_id: str) -> TrainingPlan:
        """One plan with its entries. Raises `NotFound`."""
        return self._get(TrainingPlan, "plans", plan_id)

    def add_plan(self, plan: TrainingPlanInput) -> TrainingPlan:
        """Raises `BadRequest` with the wrong entry, `NotFound` for a workspace that the caller does not lead."""
        return self._change("POST", TrainingPlan, "plans", sent=plan)

    def replace_plan(self, plan: TrainingPlan, changed: TrainingPlanInput) -> TrainingPlan:
        """The plan as it is now; entries with an id of the plan stay the same entries. Raises `EditConflict`."""
        return self._change("PUT", TrainingPlan, "plans", plan.id, sent=changed, etag=plan.etag)

    def delete_plan(self, plan: TrainingPlan) -> None:
        """Delete a plan; the calendars stay as they are. Raises `EditConflict`."""
        self._change("DELETE", TrainingPlan, "plans", plan.id, etag=plan.etag)

    def apply_plan(
        self, plan: TrainingPlan, request: ApplyRequest, *, idempotency_key: str | None = None
    ) -> PlanOutcome:
        """Write a plan on calendars as one batch, or say what that would do. Raises `EditConflict` for another version."""
        path, key = ("plans", plan.id, "apply"), idempotency_key
        return self._change("POST", PlanOutcome, *path, sent=request, etag=plan.etag, key=key)

    def roll_out_plan(
        self, plan: TrainingPlan, request: RollOutRequest, *, idempotency_key: str | None = None
    ) -> PlanOutcome:
        """Bring the calendars that have a plan to its version of now, as one batch; raises as `apply_plan`."""
        path, key = ("plans", plan.id, "rollout"), idempotency_key
        return self._change("POST", PlanOutcome, *path, sent=request, etag=plan.etag, key=key)

    def history(self, user_id: str) -> tuple[BatchRecord, ...]:
        """The last batches that changed the athlete's calendar, newest first."""
        return self._list(BatchRecord, "batches", query=(("userId", user_id),))

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
        body = orjson.dumps(asked.to_wire())  # no change: the next read need not ask what changed
        return self._read(Request("POST", self._path("parse"), body=body), ParsedText)

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
        return self._list(LibraryWorkout, "workouts", query=named)

    def workout(self, workout_id: str) -> LibraryWorkout:
        """One workout of the library. Raises `NotFound`."""
        return self._get(LibraryWorkout, "workouts", workout_id)

    def create_workout(self, value: LibraryValue) -> LibraryWorkout:
        """Add a workout to the library. Raises `BadRequest` with the field, `RequestConflict` for a full library."""
        return self._change("POST", LibraryWorkout, "workouts", sent=value)

    def change_workout(self, workout_id: str, etag: str, value: LibraryValue) -> LibraryWorkout:
        """Change the fields that the value names. Raises `EditConflict` if it is another version by now."""
        return self._change("PATCH", LibraryWorkout, "workouts", workout_id, sent=value, etag=etag)

    def delete_workout(self, workout_id: str, etag: str) -> None:
        """Raises `EditConflict` if it is another version by now, and `NotFound`."""
        self._change("DELETE", LibraryWorkout, "workouts", workout_id, etag=etag)

    def feeds(self) -> tuple[Feed, ...]:
        """The subscriptions of the key's owner, oldest first, without their addresses."""
        return self._list(Feed, "feeds")

    def create_feed(self, feed: NewFeed) -> Feed:
        """A new subscription; its `path` is in this reply only. Raises `BadRequest`, `NotFound`."""
        return self._change("POST", Feed, "feeds", sent=feed)

    def renew_feed(self, feed: Feed) -> Feed:
        """The subscription with another address; the old address is unknown from then on. Raises `EditConflict`, `NotFound`."""
        return self._change("POST", Feed, "feeds", feed.id, "renew", etag=feed.etag)

    def revoke_feed(self, feed: Feed) -> None:
        """Raises `EditConflict`, `NotFound`."""
        self._change("DELETE", Feed, "feeds", feed.id, etag=feed.etag)

    def profile(self, user_id: str) -> PlanProfile:
        """A person's time zone, an IANA name; None if it is not set."""
        return self._get(PlanProfile, "users", user_id)

    def set_time_zone(self, user_id: str, before: PlanProfile, zone: str | None) -> PlanProfile:
        """Set a person's time zone. Raises `BadRequest` for a name that is not known, `EditConflict`."""
        sent = ProfilePatch(time_zone=zone)
        return self._change("PATCH", PlanProfile, "users", user_id, sent=sent, etag=before.etag)

    def members(self, workspace_id: str) -> tuple[WorkspaceMember, ...]:
        """The members of a workspace that the key's owner leads, with what the owner may do. Raises `NotFound`."""
        return self._list(WorkspaceMember, "workspaces", workspace_id, "members")

    def change_role(self, workspace_id: str, member: WorkspaceMember, role: WorkspaceRole) -> WorkspaceMember:
        """Give a member another role. Raises `EditConflict`, `Forbidden`, `RequestConflict` for the only admin."""
        path = ("workspaces", workspace_id, "members", member.user_id)
        return self._change("PATCH", WorkspaceMember, *path, sent=MemberPatch(role=role), etag=member.etag)

    def remove_member(self, workspace_id: str, member: WorkspaceMember) -> None:
        """End a membership. Raises as `change_role`."""
        path = ("workspaces", workspace_id, "members", member.user_id)
        self._change("DELETE", WorkspaceMember, *path, etag=member.etag)

    def invitations(self, workspace_id: str) -> tuple[InvitedPerson, ...]:
        """The invitations to a workspace that nobody has used, without their codes. Raises `NotFound`."""
        return self._list(InvitedPerson, "workspaces", workspace_id, "invitations")

    def correct_invitation(
        self, workspace_id: str, invited: InvitedPerson, patch: InvitationPatch
    ) -> InvitedPerson:
        """Correct the address or role; the reply has the code. Raises `BadRequest`, `EditConflict`, `NotFound`."""
        path = ("workspaces", workspace_id, "invitations", invited.id)
        return self._change("PATCH", InvitedPerson, *path, sent=patch, etag=invited.etag)

    def revoke_invitation(self, workspace_id: str, invited: InvitedPerson) -> None:
        """Raises `EditConflict`, `NotFound`."""
        path = ("workspaces", workspace_id, "invitations", invited.id)
        self._change("DELETE", InvitedPerson, *path, etag=invited.etag)

    def intervals(self) -> IntervalsState:
        """The account of the key's owner at intervals.icu, without its key, and its last push."""
        return self._get(IntervalsState, "intervals")

    def connect_intervals(self, asked: IntervalsConnection) -> IntervalsState:
        """Connect or change the account; the service pushes planned workouts from then on. Raises `BadRequest`."""
        return self._change("PUT", IntervalsState, "intervals", sent=asked)

    def push_intervals(self) -> IntervalsState:
        """Push now, in the background. Raises `NotFound`."""
        return self._change("POST", IntervalsState, "intervals", "push")

    def disconnect_intervals(self) -> None:
        """Forget the account with its key. Raises `NotFound`."""
        self._change("DELETE", IntervalsState, "intervals")

    # Settings of an athlete. Changes raise `EditConflict` with the setting as it is now, `BadRequest` and `NotFound`.

    def athlete_values(self, user_id: str) -> tuple[AthleteValue, ...]:
        """The values of an athlete that people set, oldest first, each with its tag."""
        return self._list(AthleteValue, "users", user_id, "values")

    def add_value(self, user_id: str, value: NewAthleteValue) -> SavedAthleteValue:
        """Set a value from a day on, and recompute the sessions that it affects."""
        return self._change("POST", SavedAthleteValue, "users", user_id, "values", sent=value)

    def change_value(self, user_id: str, row: AthleteValue, patch: AthleteValuePatch) -> SavedAthleteValue:
        """Correct a value."""
        path = ("users", user_id, "values", row.id)
        return self._change("PATCH", SavedAthleteValue, *path, sent=patch, etag=row.etag)

    def delete_value(self, user_id: str, row: AthleteValue) -> SavedAthleteValue:
        """Delete a value."""
        return self._change("DELETE", SavedAthleteValue, "users", user_id, "values", row.id, etag=row.etag)

    def availability(self, user_id: str) -> tuple[Availability, ...]:
        """The hours of an athlete by weekday, oldest first; exceptions have an end."""
        return self._read_now(self._part(AVAILABILITY, Availability, user_id))

    def add_availability(self, user_id: str, new: NewAvailability) -> Availability:
        """Add hours from a day on, or an exception."""
        return self._change("POST", Availability, "users", user_id, "availability", sent=new)

    def change_availability(self, user_id: str, row: Availability, patch: AvailabilityPatch) -> Availability:
        """Correct hours or an exception."""
        path = ("users", user_id, "availability", row.id)
        return self._change("PATCH", Availability, *path, sent=patch, etag=row.etag)

    def delete_availability(self, user_id: str, row: Availability) -> None:
        """Delete hours or an exception."""
        self._change("DELETE", Availability, "users", user_id, "availability", row.id, etag=row.etag)

    def week_targets(self, user_id: str, start: date, end: date) -> tuple[WeekTarget, ...]:
        """The targets of the weeks whose Mondays are in the inclusive range."""
        return self._read_now(self._part(TARGETS, WeekTarget, user_id, _days(start, end)))

    def put_target(
        self, user_id: str, monday: date, new: NewWeekTarget, before: WeekTarget | None
    ) -> WeekTarget:
        """Set the target of a week; `before` is the target as the caller read it. Raises also `Forbidden`."""
        path, etag = ("users", user_id, "targets", monday.isoformat()), before.etag if before else None
        return self._change("PUT", WeekTarget, *path, sent=new, etag=etag)

    def delete_target(self, user_id: str, target: WeekTarget) -> None:
        """Delete the target of a week. Raises also `Forbidden`."""
        path = ("users", user_id, "targets", target.monday.isoformat())
        self._change("DELETE", WeekTarget, *path, etag=target.etag)

    def comments(self, *, entry_id: str = "", activity_id: str = "") -> tuple[Comment, ...]:
        """The comments on an entry or a session, oldest first; asked again after `RECENT_S`. Raises `NotFound`."""
        return self._lately(Comment, *_thread(entry_id, activity_id), "comments")

    def add_comment(self, text: str, *, entry_id: str = "", activity_id: str = "") -> Comment:
        """Comment on an entry or a session. Raises `NotFound`, `BadRequest`, `RequestConflict` for too many, `RateLimited`."""
        thread = _thread(entry_id, activity_id)
        return self._change("POST", Comment, *thread, "comments", sent=CommentText(text=text))

    def change_comment(self, comment: Comment, text: str) -> Comment:
        """Change one's own comment. Raises `EditConflict`, `Forbidden`, `NotFound`, `BadRequest`."""
        sent = CommentText(text=text)
        return self._change("PATCH", Comment, "comments", comment.id, sent=sent, etag=comment.etag)

    def delete_comment(self, comment_id: str) -> None:
        """Delete one's own comment for all. Raises `Forbidden`, `NotFound`."""
        self._change("DELETE", Comment, "comments", comment_id)

    def unread_comments(self) -> tuple[UnreadComment, ...]:
        """The comments that the key's owner has not read, oldest first; asked again after `RECENT_S`."""
        return self._lately(UnreadComment, "comments", "unread")

    def mark_read(self, ids: Iterable[str]) -> None:
        """Mark comments as read by the key's owner."""
        self._change("POST", ReadComments, "comments", "read", sent=ReadComments(ids=tuple(ids)))

    def groups(self) -> tuple[AthleteGroups, ...]:
        """The athletes whom the key's owner leads, in each workspace, with their groups; asked again after `RECENT_S`.

        Empty for a service without groups.
        """
        features = self.features()
        if features is None or "groups" not in features.features:
            return ()
        return self._lately(AthleteGroups, "groups")

    def set_groups(self, workspace_id: str, user_id: str, names: Iterable[str]) -> AthleteGroups:
        """Set the groups of an athlete of a workspace that the key's owner leads. Raises `NotFound`, `BadRequest`."""
        path = ("workspaces", workspace_id, "athletes", user_id, "groups")
        return self._change("PUT", AthleteGroups, *path, sent=GroupNames(names=tuple(names)))

    def comment_mail(self) -> CommentMailChoice:
        """When mails about comments come, and where to."""
        return self._get(CommentMailChoice, "comments", "mail")

    def choose_comment_mail(
        self, mail: CommentMail, address: str | None, code: str | None = None
    ) -> CommentMailChoice:
        """Choose when mails about comments come; without an address to that of the invitation. Raises `BadRequest`.

        A new address is `unconfirmed` in the reply and not kept: send it again with the code that was mailed there.
        """
        sent = NewCommentMail(mail=mail, address=address, code=code)
        return self._change("PUT", CommentMailChoice, "comments", "mail", sent=sent)

    def _lately(self, model: type[M], *path: str) -> tuple[M, ...]:
        """A list that counts for `RECENT_S`, as each rerun would wait again; so do the former rows after a failure.

        Without former rows, and after a 401 or 404, the error counts so long.
        """
        recent, now = self._recent, self._clock()
        asked, outcome = recent.get(path) or (-inf, None)
        if outcome is None or not 0 <= now - asked < RECENT_S:
            # Of two threads that read at a time, the second one does not wait.
            if isinstance(outcome, tuple) and asked != -inf:
                recent.put(path, (now, outcome))
            try:
                rows = self._list(model, *path)
            except ServiceError as error:
                is_refused = isinstance(error, REFUSALS)
                # The copy has no traceback, which would keep the data of the page.
                kept = outcome if isinstance(outcome, tuple) and not is_refused else copy.copy(error)
                recent.put(path, (now, kept))
                raise
            recent.put(path, (now, rows))
            return rows
        if isinstance(outcome, ServiceError):
            raise copy.copy(outcome)  # threads that raise the same error would write into one traceback
        return outcome

    def _ask_again(self) -> None:
        """Have the next reads ask: rows of before are for an outage alone, also those of a request under way."""
        former: Memo[tuple[float, tuple[Any, ...] | ServiceError]] = Memo(MOST_RECENT)
        for path, (_, outcome) in self._recent.matching(lambda _path: True).items():
            if isinstance(outcome, tuple):
                former.put(path, (-inf, outcome))
        self._recent = former

    def _part(
        self, kind: str, model: type[M], user_id: str, query: Query = (), *, path: str = ""
    ) -> SingleResource[tuple[M, ...]]:
        """A part of a person's calendar as the cache stores it; `kind` is its path unless there is another."""
        request = Request("GET", self._path("users", user_id, path or kind), query)
        key = " ".join((user_id, *(value for _, value in query)))
        return SingleResource(kind, key, request, PART_S, partial(_read_rows, model))

    def _read_now(self, resource: SingleResource[T]) -> T:
        """The resource in the present version of the service's data; a service without versions is asked each time.

        The key has the version: a reply to a request before a write is never the reply after it.
        """
        version = self._read_version()
        if version is None:
            return self._send(resource.request, resource.read)[0]
        return self._read_kept(replace(resource, key=f"{resource.key} {version}"))

    def _send(self, request: Request, read: Callable[[bytes], T]) -> T:
        """Refusals are typed errors."""
        try:
            return super()._send(request, read)
        except EditConflict as error:
            if not isinstance(error.current, list):  # of one row
                raise
            conflict = PlanConflict(error.method, error.path)
            vars(conflict).update(vars(error))
            conflict.rows = tuple(model_of(ConflictRow, row) for row in error.current)
            raise conflict from error


def decision_of(entry: PlanEntry) -> PlanDecision:
    """The decision about an entry."""
    is_unpaired = entry.pairing is not None and entry.pairing.mode is PairingMode.NONE
    skip_reason = None if entry.skipped is None else entry.skipped.reason
    note = entry.note if entry.end_date is not None else None
    return PlanDecision(entry.id, is_unpaired, skip_reason, note, entry.end_date if note else None)


def _read_rows(model: type[M], body: bytes) -> Decoded[tuple[M, ...]]:
    return read_models(model, body), ()


def _days(start: date, end: date) -> Query:
    return ("from", start.isoformat()), ("to", end.isoformat())


def _thread(entry_id: str, activity_id: str) -> tuple[str, str]:
    return ("entries", entry_id) if entry_id else ("activities", activity_id)
