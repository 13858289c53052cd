"""The API of the Coachboard service under `/own/v1`: imports, corrections, values, and whose data changed.

Its requests count against limits of their own, so they do not pass through the budget of the interface.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from math import inf
from typing import Generic, TypeVar

import orjson
from pydantic import SecretStr

from coachboard.client.cache import CacheEntry, CacheKey, CacheStore
from coachboard.client.decode import read_model, read_models
from coachboard.client.errors import NotFound, RateLimited, ServiceError, Unauthorized, Unreachable
from coachboard.client.http import Http, send_once
from coachboard.client.resources import (
    ME,
    OWN_DATA_PATH,
    Request,
    path_of,
)
from coachboard.wire.base import Wire
from coachboard.wire.own_data import (
    AcceptedInvitation,
    AcceptInvitation,
    ActivityPatch,
    Changes,
    CreatedKey,
    Features,
    ImportJob,
    InvitationCode,
    InvitationOffer,
    Job,
    JoinRequest,
    KeyLabel,
    MailState,
    NewActivity,
    NewImport,
    NewKey,
    OwnActivity,
    OwnKey,
    OwnMembership,
    OwnPrescription,
    PrescriptionPatch,
    Preview,
    ReceivedFile,
    StartImport,
)
from coachboard.wire.planning import PlanFeatures

F = TypeVar("F", Features, PlanFeatures)
M = TypeVar("M", bound=Wire)
T = TypeVar("T")

Query = tuple[tuple[str, str], ...]

LOOK_EVERY_S = 0.5
"""How long the last look at the change stamp counts; a page makes dozens of reads in that time."""
AFTER_FAILURE_S = 10.0
"""How long a request that failed counts: a page whose reads each wait for a hanging service would open in minutes."""
ABSENT_S = 600.0
"""How long a service that has no such API is not asked again."""

_MOST_WAITS = 3
"""How often one file waits for the service's limit, a minute at most each time."""


class CoachboardApi(Generic[F]):
    """The requests to an API that a Coachboard service has beside the interface. They raise `ServiceError`.

    Paths are names and ids; an id that would change the path raises `ValueError`.
    """

    def __init__(
        self,
        http: Http,
        root: str,
        model: type[F],
        *,
        clock: Callable[[], float],
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._http = http
        self._root = root
        self._model: type[F] = model
        self._clock = clock
        self._on_change = on_change
        self._features: F | None = None
        self._failure: ServiceError | None = None
        self._ask_again_at = -inf

    def features(self) -> F | None:
        """The features of the API, asked once. None if the service answers 404, for `ABSENT_S`; a failure counts for `AFTER_FAILURE_S`."""
        if self._features is None and self._clock() >= self._ask_again_at:
            self._failure = None
            try:
                self._features = self._get(self._model)
            except NotFound:
                self._ask_again_at = self._clock() + ABSENT_S
            except ServiceError as error:
                self._failure, self._ask_again_at = error, self._clock() + AFTER_FAILURE_S
        if self._failure is not None:
            raise self._failure.with_traceback(None)  # each raise would add its frames to the kept error
        return self._features

    def has(self, feature: str, *, without_answer: bool = False) -> bool:
        """Whether the service has a feature; `without_answer` while it does not answer."""
        try:
            features = self.features()
        except Unauthorized:
            return False  # another service may refuse unknown paths; the interface decides whether a key is valid
        except ServiceError:
            return without_answer
        return features is not None and feature in features.features

    def forget_failure(self) -> None:
        """Ask again at once, because the user wants to try again."""
        if self._failure is not None:
            self._failure, self._ask_again_at = None, -inf

    def _get(self, model: type[M], *path: str, query: Query = ()) -> M:
        return self._read(Request("GET", self._path(*path), query), model)

    def _list(self, model: type[M], *path: str, query: Query = ()) -> tuple[M, ...]:
        request = Request("GET", self._path(*path), query)
        return self._send(request, partial(read_models, model))

    def _change(
        self,
        method: str,
        model: type[M],
        *path: str,
        sent: Wire | Iterable[bytes] | None = None,
        query: Query = (),
        etag: str | None = None,
        key: str | None = None,
    ) -> M:
        """The reply to a change, after which the next read asks what changed; `etag` is that of the row as the caller read it.

        A dry run changes nothing. With a key, a change whose reply was lost is sent once more: the service makes it once.
        """
        body = orjson.dumps(sent.to_wire()) if isinstance(sent, Wire) else sent
        if_match = () if etag is None else (("If-Match", f'"{etag}"'),)
        once = () if key is None else (("Idempotency-Key", key),)
        request = Request(method, self._path(*path), query, body, if_match + once)
        try:
            return self._read(request, model)
        except Unreachable as error:
            if key is None or not error.may_have_arrived:
                raise
            return self._read(request, model)
        finally:
            if not getattr(sent, "dry_run", False):
                self._on_change()

    def _path(self, *parts: str) -> str:
        return self._root + "".join(path_of("/{}", part) for part in parts)

    def _read(self, request: Request, model: type[M]) -> M:
        return self._send(request, partial(read_model, model))

    def _send(self, request: Request, read: Callable[[bytes], T]) -> T:
        return self._http.send(request, read)


class OwnData(CoachboardApi[Features]):
    """Reads and changes the data of the key's owner."""

    def __init__(
        self,
        http: Http,
        *,
        clock: Callable[[], float],
        wait: Callable[[float], None],
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(http, OWN_DATA_PATH, Features, clock=clock, on_change=on_change)
        self._wait = wait

    def changes(self, since: str) -> Changes | None:
        """The people whose data changed after that stamp; None without the API."""
        if self.features() is None:
            return None
        return self._get(Changes, "changes", query=(("since", since),))

    # Imports.

    def create_import(self) -> ImportJob:
        """Create an import that receives files."""
        return self._change("POST", ImportJob, "imports", sent=NewImport())

    def send_file(self, import_id: str, name: str, pieces: Callable[[], Iterable[bytes]]) -> ReceivedFile:
        """Send one file in pieces; a second one of the same name replaces the first.

        If the service asks to wait, send it again: a folder of 5,000 files ended at the limit of a minute.
        """
        path, query = ("imports", import_id, "files"), (("name", name),)
        for _ in range(_MOST_WAITS):
            try:
                return self._change("PUT", ReceivedFile, *path, query=query, sent=iter(pieces()))
            except RateLimited as error:
                self._wait(error.wait_s)
        return self._change("PUT", ReceivedFile, *path, query=query, sent=iter(pieces()))

    def preview_file(self, import_id: str, name: str) -> Preview:
        """The columns of a CSV file that was sent, with a proposal for each."""
        return self._get(Preview, "imports", import_id, "preview", query=(("name", name),))

    def start_import(
        self, import_id: str, columns: Mapping[str, Mapping[str, str]] | None = None, *, others: int = 0
    ) -> ImportJob:
        """Start an import; `columns` has the chosen quantity for the headers of CSV files, by file name.

        `others` is the number of files that were not sent, which the report counts as skipped.
        """
        chosen = None if columns is None else {name: dict(headers) for name, headers in columns.items()}
        sent = StartImport(columns=chosen, others=others)
        return self._change("POST", ImportJob, "imports", import_id, "start", sent=sent)

    def get_import(self, import_id: str, *, offset: int = 0, limit: int = 500) -> ImportJob:
        """An import with its progress and a page of its report; problems are first."""
        query = (("limit", str(limit)), ("offset", str(offset)))
        return self._get(ImportJob, "imports", import_id, query=query)

    def list_imports(self) -> tuple[ImportJob, ...]:
        """All imports, newest first, without their reports."""
        return self._list(ImportJob, "imports")

    def undo_import(self, import_id: str) -> ImportJob:
        """Remove everything that an import brought."""
        return self._change("DELETE", ImportJob, "imports", import_id)

    # Keys and memberships.

    def list_keys(self) -> tuple[OwnKey, ...]:
        """The owner's valid keys, oldest first, without their texts."""
        return self._list(OwnKey, "keys")

    def create_key(self, new: NewKey) -> CreatedKey:
        """Create a key; no later reply contains its text."""
        return self._change("POST", CreatedKey, "keys", sent=new)

    def rename_key(self, key_id: str, label: str) -> OwnKey:
        """Give a key another name."""
        return self._change("PATCH", OwnKey, "keys", key_id, sent=KeyLabel(label=label))

    def revoke_key(self, key_id: str) -> OwnKey:
        """Revoke a key; the service refuses the next request with it."""
        return self._change("DELETE", OwnKey, "keys", key_id)

    def list_memberships(self) -> tuple[OwnMembership, ...]:
        """The owner's workspaces, and who may read the owner's data because of each."""
        return self._list(OwnMembership, "memberships")

    def mail_fault(self) -> str | None:
        """Why the service sends no invitation mails at present, with the name of its setting."""
        return self._get(MailState, "mail").fault

    def leave_workspace(self, workspace_id: str) -> OwnMembership:
        """End a membership."""
        return self._change("DELETE", OwnMembership, "memberships", workspace_id)

    # Activities.

    def get_activity(self, activity_id: str) -> OwnActivity:
        """The values of an activity that can be corrected; its `etag` goes with every change."""
        return self._get(OwnActivity, "activities", activity_id)

    def list_deleted(self) -> tuple[OwnActivity, ...]:
        """Activities that can be restored, the last deleted first."""
        return self._list(OwnActivity, "activities", "deleted")

    def add_activity(self, new: NewActivity) -> OwnActivity:
        """Add a session that has no file. Raises `BadRequest`, `RequestConflict`."""
        return self._change("POST", OwnActivity, "activities", sent=new)

    def correct_activity(self, activity_id: str, patch: ActivityPatch, etag: str) -> OwnActivity:
        """Correct the fields that the patch sets. Raises `EditConflict`."""
        return self._change("PATCH", OwnActivity, "activities", activity_id, sent=patch, etag=etag)

    def delete_activity(self, activity_id: str, etag: str) -> OwnActivity:
        """Delete an activity; it can be restored for 30 days. Raises `EditConflict`."""
        return self._change("DELETE", OwnActivity, "activities", activity_id, etag=etag)

    def restore_activity(self, activity_id: str, etag: str) -> OwnActivity:
        """Restore a deleted activity. Raises `EditConflict`."""
        return self._change("POST", OwnActivity, "activities", activity_id, "restore", etag=etag)

    def join_activity(self, activity_id: str, other_id: str, etag: str) -> OwnActivity:
        """Append another activity's recording and delete that activity. Raises `EditConflict`."""
        sent = JoinRequest(activity_id=other_id)
        return self._change("POST", OwnActivity, "activities", activity_id, "join", sent=sent, etag=etag)

    def replace_file(self, activity_id: str, name: str, pieces: Iterable[bytes], etag: str) -> OwnActivity:
        """Read an activity from another file from now on. Raises `EditConflict`, `BadRequest`."""
        path, query = ("activities", activity_id, "file"), (("name", name),)
        return self._change("PUT", OwnActivity, *path, query=query, sent=iter(pieces), etag=etag)

    def download_file(self, activity_id: str) -> bytes:
        """The original file of an activity."""
        return self._send(Request("GET", self._path("activities", activity_id, "file")), bytes)

    # Planned workouts.

    def list_prescriptions(self) -> tuple[OwnPrescription, ...]:
        """The planned workouts that the owner imported, by day, each with its tag."""
        return self._list(OwnPrescription, "prescriptions")

    def change_prescription(
        self, prescription_id: str, patch: PrescriptionPatch, etag: str
    ) -> OwnPrescription:
        """Move or rename an imported workout. Raises `EditConflict`."""
        return self._change("PATCH", OwnPrescription, "prescriptions", prescription_id, sent=patch, etag=etag)

    def delete_prescription(self, prescription_id: str, etag: str) -> OwnPrescription:
        """Delete an imported workout. Raises `EditConflict`."""
        return self._change("DELETE", OwnPrescription, "prescriptions", prescription_id, etag=etag)

    # Recomputations.

    def get_recomputation(self, job_id: str) -> Job:
        """The progress of a recomputation."""
        return self._get(Job, "recomputations", job_id)


class ChangeWatch:
    """Deletes the cached data of people whose data changed at the service, as by an import on the command line."""

    def __init__(self, cache: CacheStore, scope: str, clock: Callable[[], float]) -> None:
        self._cache = cache
        self.stamp_key = CacheKey(scope, "change stamp", "")
        self._clock = clock
        self.stamp: str | None = None
        """The stamp of the cached data; None before the first look."""
        self._next_look_at = -inf
        self._changes = 0
        self._changes_seen: int | None = None

    def look_again(self) -> None:
        """Have the next read ask the service."""
        self._changes += 1
        self._next_look_at = -inf

    @property
    def version(self) -> str | None:
        """A digest of the stamp, if it counts this program's own changes; None after a failed look, and without the API."""
        if self.stamp is None or self._changes_seen != self._changes:
            return None
        return sha256(self.stamp.encode()).hexdigest()[:20]

    @property
    def is_due(self) -> bool:
        """Whether the next read has to ask the service; a clock that was set back makes it due."""
        return not 0 < self._next_look_at - self._clock() <= AFTER_FAILURE_S

    def drop_changed(self, ask: Callable[[str], Changes | None], own_id: str | None) -> None:
        """Ask the service, and delete outdated data; the next read fetches them. One call at a time."""
        changes, rest_s = self._changes, AFTER_FAILURE_S
        with suppress(ServiceError):  # the read that follows reports the fault
            reply = ask(self._known_stamp())
            self._drop(reply, own_id)
            self._changes_seen = None if reply is None else changes
            rest_s = LOOK_EVERY_S
        if changes == self._changes:
            self._next_look_at = self._clock() + rest_s

    def _known_stamp(self) -> str:
        """The stamp of the cached data, also after a restart; an empty one deletes all of them."""
        if self.stamp is None:
            entry = self._cache.get(self.stamp_key)
            self.stamp = "" if entry is None or not entry.body else entry.body.decode("ascii", "replace")
        return self.stamp

    def _drop(self, changes: Changes | None, own_id: str | None) -> None:
        if changes is None or changes.stamp == self.stamp:
            return
        plans, scope = frozenset(changes.plans), self.stamp_key.scope
        changed = frozenset(changes.changed) - plans
        may_be_own = own_id in changed or (own_id is None and bool(changed))
        if changed:
            self._cache.drop_people(scope, changed | {ME} if may_be_own else changed)
        self._cache.drop_plans(scope, plans | changed | {ME})
        if may_be_own:  # the change may be an athlete who joined or left
            self._cache.drop(CacheKey(scope, "users", ""))
        self._cache.put(
            self.stamp_key, {0: CacheEntry.of(changes.stamp.encode("ascii", "replace"), self._clock())}
        )
        self.stamp = changes.stamp


def look_up_invitation(base_url: str, code: str, *, timeout_s: float) -> InvitationOffer:
    """The pending invitation of a code. Raises `ServiceError`; its `code` is `invitation_unknown`, `_used` or `_expired`."""
    request = _about_invitation("look-up", InvitationCode(code=code))
    body = send_once(base_url, None, request, timeout_s=timeout_s)
    return read_model(InvitationOffer, body)


def accept_invitation(
    base_url: str, api_key: SecretStr | None, asked: AcceptInvitation, *, timeout_s: float
) -> AcceptedInvitation:
    """Accept an invitation for the owner of a key, or without one for a new person. Raises as `look_up_invitation`."""
    request = _about_invitation("accept", asked)
    body = send_once(base_url, api_key, request, timeout_s=timeout_s)
    return read_model(AcceptedInvitation, body)


def _about_invitation(path: str, asked: InvitationCode) -> Request:
    return Request("POST", f"{OWN_DATA_PATH}/invitations/{path}", body=orjson.dumps(asked.to_wire()))
