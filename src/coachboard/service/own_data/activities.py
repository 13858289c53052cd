"""Activities: correct, delete, restore, join; the original file."""

import hashlib
import shutil
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from http import HTTPStatus
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.plain_text import stored_texts
from coachboard.service.api.errors import Conflict, InvalidRequest, NoSuchRow
from coachboard.service.ids import new_id
from coachboard.service.importers.corrections import (
    BY_HAND,
    RECORDED_AT,
    SENT_START,
    STORED_START,
    start_correction,
)
from coachboard.service.importers.errors import ImportLimits, RecordingError
from coachboard.service.importers.importing import athletes_of
from coachboard.service.importers.reading import read_recording
from coachboard.service.importers.reread import by_hand, correct, read_again
from coachboard.service.importers.same_session import is_same_session, twin_of
from coachboard.service.own_data.imports import only_source, receive_file, stored_name
from coachboard.service.own_data.requests import (
    PATH,
    activity_reply,
    activity_tag,
    caller_of,
    existing,
    expected_tag,
    list_reply,
    named,
    read_model,
    reply,
    stale_reply,
)
from coachboard.service.store import (
    ActivityChange,
    ImportedActivity,
    ImportedFile,
    Part,
    Store,
    StoredActivity,
)
from coachboard.service.store.originals import OriginalLost
from coachboard.wire.activities import Activity
from coachboard.wire.base import wire_names, write_timestamp
from coachboard.wire.own_data import ActivityPatch, JoinRequest, NewActivity, OwnActivity

_TYPED = frozenset({"totalDuration", "distance"})
_OF_RECORDING = frozenset({*STORED_START, *_TYPED, BY_HAND})
"""Corrections that another file of the session replaces."""
_FIRST_START = datetime(1980, 1, 1)  # noqa: DTZ001 (local time)
_EARLIEST_DAY_MIN = 14 * 60
"""Offset of the places where a day begins first."""


class Activities:
    """The routes of a person's activities over one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def routes(self) -> list[Route]:
        activity = f"{PATH}/activities/{{activity_id}}"
        return [
            Route(f"{PATH}/activities/deleted", self.list_deleted, methods=["GET"]),
            Route(f"{PATH}/activities", self.enter, methods=["POST"]),
            Route(activity, self.get, methods=["GET"]),
            Route(activity, self.correct, methods=["PATCH"]),
            Route(activity, self.delete, methods=["DELETE"]),
            Route(f"{activity}/restore", self.restore, methods=["POST"]),
            Route(f"{activity}/join", self.join, methods=["POST"]),
            Route(f"{activity}/file", self.download, methods=["GET"]),
            Route(f"{activity}/file", self.replace_file, methods=["PUT"]),
        ]

    async def list_deleted(self, request: Request) -> Response:
        rows = await run_in_threadpool(self._store.deleted_activities, caller_of(request))
        return list_reply([await self._shown(row) for row in rows])

    async def enter(self, request: Request) -> Response:
        """Add a session that has no file."""
        new = await read_model(request, NewActivity)
        user_id = caller_of(request)
        activity_id = await run_in_threadpool(self._entered, user_id, new)
        row = existing(await run_in_threadpool(self._store.own_activity, user_id, activity_id), "activity")
        return reply(await self._shown(row), status=HTTPStatus.CREATED, etag=activity_tag(row))

    async def get(self, request: Request) -> Response:
        return await self._reply(await self._row(request))

    async def correct(self, request: Request) -> Response:
        patch = await read_model(request, ActivityPatch)
        changes = stored_texts(patch.to_wire())
        if not changes:
            raise InvalidRequest("The body names no field to change.")
        return await self._change(request, lambda row: self._corrected(row, changes))

    async def delete(self, request: Request) -> Response:
        return await self._change(request, lambda row: self._deleted(row, datetime.now(UTC)))

    async def restore(self, request: Request) -> Response:
        return await self._change(request, self._restored)

    async def join(self, request: Request) -> Response:
        asked = await read_model(request, JoinRequest)
        user_id = caller_of(request)
        other = await run_in_threadpool(self._store.own_activity, user_id, asked.activity_id)
        second = existing_live(other)
        return await self._change(request, lambda row: self._joined(row, second))

    async def download(self, request: Request) -> Response:
        row = await self._row(request)
        if not row.parts:
            raise NoSuchRow("No original file is kept of this activity.")
        digest = row.parts[0][0]
        try:
            data = await run_in_threadpool(self._store.originals.read, row.user_id, digest)
        except OriginalLost as error:
            said = str(error)
            raise Conflict(f"{said[:1].upper()}{said[1:]}.") from error
        name = await run_in_threadpool(self._file_name, row)
        disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
        headers = {"Content-Disposition": disposition, "Cache-Control": "private, no-store"}
        return Response(data, headers=headers, media_type="application/octet-stream")

    async def replace_file(self, request: Request) -> Response:
        """Read the activity from another file from now on; name, corrections and id stay."""
        expected_tag(request)
        name = named(request, "name")
        folder = self._store.originals.uploads(new_id("rep"))
        try:
            await receive_file(request, folder / stored_name(name))
            source = await run_in_threadpool(only_source, folder / stored_name(name))
            data = await run_in_threadpool(source.read)
            recording = await run_in_threadpool(read_recording, data, ImportLimits())
        except RecordingError as error:
            raise InvalidRequest(f"{name}: {error}.") from error
        finally:
            await run_in_threadpool(shutil.rmtree, folder, ignore_errors=True)
        if not recording.legs:
            raise InvalidRequest(f"{name}: contains no session.")
        return await self._change(request, lambda row: self._replaced(row, name, data))

    async def _row(self, request: Request) -> StoredActivity:
        user_id, activity_id = caller_of(request), request.path_params["activity_id"]
        return existing(await run_in_threadpool(self._store.own_activity, user_id, activity_id), "activity")

    async def _change(self, request: Request, write: Any) -> Response:
        """Change an activity that is still as the caller read it, else reply with the row as it is now."""
        tag = expected_tag(request)
        row = await self._row(request)
        if activity_tag(row) == tag and await run_in_threadpool(write, row):
            return await self._reply(await self._row(request))
        return stale_reply(await self._shown(await self._row(request)))

    async def _reply(self, row: StoredActivity) -> Response:
        return reply(await self._shown(row), etag=activity_tag(row))

    async def _shown(self, row: StoredActivity) -> OwnActivity:
        return activity_reply(row, await run_in_threadpool(self._kept_name, row) if row.parts else None)

    def _kept_name(self, row: StoredActivity) -> str | None:
        """The name of the original file; None if the file is missing or damaged."""
        with suppress(OriginalLost):
            self._store.originals.read(row.user_id, row.parts[0][0])
            return self._file_name(row)
        return None

    def _file_name(self, row: StoredActivity) -> str:
        """The name of the original file, of the first one if two are joined."""
        digest = row.parts[0][0]
        recording = self._store.recording(row.user_id, digest)
        return digest if recording is None else recording.file_name.removesuffix(".gz")

    def _entered(self, user_id: str, new: NewActivity) -> str:
        fields = dict.fromkeys(NewActivity.model_fields) | dict(new)
        names = wire_names(NewActivity)
        corrections: dict[str, Any] = {
            names[name]: value for name, value in fields.items() if name != "started_at_local"
        }
        _check_start(new.started_at_local, new.utc_offset)
        start = new.started_at_local - timedelta(minutes=new.utc_offset)
        corrections = stored_texts(corrections) | {"startedAt": write_timestamp(start), BY_HAND: True}
        read = by_hand(new_id("act", user_id), corrections, athletes_of(self._store, user_id))
        is_twin = partial(is_same_session, read.activity)
        has_twin = twin_of(self._store, user_id, read.activity) is not None
        if has_twin or not self._store.add_activity(user_id, read, corrections, is_twin):
            raise Conflict("You have a session of the same start and duration.")
        return read.activity.id

    def _corrected(self, row: StoredActivity, changes: dict[str, Any]) -> bool:
        _check_correction(row, changes)
        try:
            return correct(self._store, row, changes, athletes_of(self._store, row.user_id))
        except RecordingError as error:
            raise Conflict(f"Not corrected: {error}.") from error

    def _deleted(self, row: StoredActivity, moment: datetime | None) -> bool:
        activity = Activity.from_wire(orjson.loads(row.body))
        return self._store.change_activity(row, activity, deleted_at=moment)

    def _restored(self, row: StoredActivity) -> bool:
        """Restore an activity; one that was joined to another is taken out of it."""
        changes = [ActivityChange(row, None, {"deleted_at": None})]
        for digest, _place in row.parts[:1]:
            for other in self._store.activities_of_file(row.user_id, digest):
                parts = tuple(part for part in other.parts if part not in row.parts)
                if other.id == row.id or not parts or parts == other.parts:
                    continue
                changes.append(ActivityChange(other, self._without(other, parts)))
        return self._store.put_together(*changes)

    def _without(self, other: StoredActivity, parts: tuple[Part, ...]) -> ImportedActivity:
        """The other activity, read from the parts that it keeps."""
        try:
            read = read_again(self._store, other, athletes_of(self._store, other.user_id), parts=parts)
        except RecordingError as error:
            raise Conflict(f"The joined activity cannot be read without this one: {error}.") from error
        assert read is not None
        return read

    def _replaced(self, row: StoredActivity, name: str, data: bytes) -> bool:
        digest = hashlib.sha256(data).hexdigest()
        self._store.originals.put(row.user_id, digest, data)
        kept = _with_kept_name(row)
        # The start is measured too: the new file has its own.
        kept = _with(
            kept, {name: kept.corrections[name] for name in kept.corrections if name not in _OF_RECORDING}
        )
        read = read_again(self._store, kept, athletes_of(self._store, row.user_id), parts=((digest, 0),))
        assert read is not None
        if not self._store.put_read_again(row, read, corrections=kept.corrections):
            return False
        recording = ImportedFile(digest, row.user_id, PurePath(name).name, (row.id,), datetime.now(UTC))
        self._store.put_recording(recording)
        self._store.remove_unused(row.user_id, [old for old, _place in row.parts if old != digest])
        return True

    def _joined(self, row: StoredActivity, second: StoredActivity) -> bool:
        if row.id == second.id or not row.parts or not second.parts:
            raise Conflict("Only two activities with their original files can be joined.")
        if not STORED_START.isdisjoint({*row.corrections, *second.corrections}):
            raise Conflict("The start of one of the two was corrected: return to the recorded start first.")
        parts, kept = (*row.parts, *second.parts), _with_kept_name(row)
        try:
            read = read_again(self._store, kept, athletes_of(self._store, row.user_id), parts=parts)
        except RecordingError as error:
            raise Conflict(f"The two activities cannot be joined: {error}.") from error
        assert read is not None
        # Together: a kill between the two, or another tab that joins the second one, counted the recording twice.
        return self._store.put_together(
            ActivityChange(row, read, {"corrections": kept.corrections}),
            ActivityChange(second, None, {"deleted_at": datetime.now(UTC)}),
        )


def _check_start(local: datetime, offset_min: float | None) -> None:
    """Raises `InvalidRequest` for a start before 1980 or in the future; an unknown offset is that of the earliest day."""
    start = local - timedelta(minutes=_EARLIEST_DAY_MIN if offset_min is None else offset_min)
    if local < _FIRST_START:
        raise InvalidRequest("The start must be in 1980 or later.")
    if start > datetime.now(UTC).replace(tzinfo=None):
        raise InvalidRequest("The start is in the future; check date, time and UTC offset.")


def _check_correction(row: StoredActivity, changes: dict[str, Any]) -> None:
    """Raises `InvalidRequest` or `Conflict` for a correction that this activity cannot have."""
    is_by_hand = BY_HAND in row.corrections
    if not _TYPED.isdisjoint(changes) and not is_by_hand:
        raise InvalidRequest(
            "Duration and distance come from the recording; only sessions entered by hand take them."
        )
    moves = SENT_START & changes.keys()
    if moves and row.deleted_at is not None:
        raise Conflict("The session is deleted; restore it first.")
    is_reset = changes.get("startedAtLocal", 0) is None
    if is_reset and RECORDED_AT not in row.corrections:
        raise InvalidRequest("The start of this session is the recorded one.")
    activity = Activity.from_wire(orjson.loads(row.body))
    if "startedAtLocal" in moves and changes.get("utcOffset", 0) is not None:
        if not is_reset:
            offset = start_correction(activity, row.corrections, changes)["utcOffset"]
            _check_start(datetime.fromisoformat(changes["startedAtLocal"][:19]), offset)
    elif moves and (changes["utcOffset"] is None or activity.started_at is None):
        raise InvalidRequest("Send startedAtLocal, and a utcOffset that is no null.")


def existing_live(row: StoredActivity | None) -> StoredActivity:
    """The activity; raises `NoSuchRow` if there is none or it is deleted."""
    return existing(None if row is None or row.deleted_at is not None else row, "activity")


def _with(row: StoredActivity, corrections: dict[str, Any]) -> StoredActivity:
    return StoredActivity(row.id, row.user_id, row.body, row.parts, corrections, row.athlete, row.deleted_at)


def _with_kept_name(row: StoredActivity) -> StoredActivity:
    """The activity with its name as a correction: a name from the old file was replaced by that of the next one."""
    name = orjson.loads(row.body).get("name")
    return row if name is None else _with(row, {**row.corrections, "name": name})
