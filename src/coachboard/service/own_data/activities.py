"""Activities: correct, delete, restore, join; the original file."""

import hashlib
import shutil
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.models.activities import Activity
from coachboard.models.own_data import ActivityPatch, JoinRequest
from coachboard.plain_text import stored_texts
from coachboard.service.api.errors import Conflict, InvalidRequest, NoSuchRow
from coachboard.service.ids import new_id
from coachboard.service.importers.errors import ImportLimits, RecordingError
from coachboard.service.importers.importing import athletes_of
from coachboard.service.importers.reading import read_recording
from coachboard.service.importers.reread import correct, read_again
from coachboard.service.own_data.imports import only_source, receive_file, stored_name
from coachboard.service.own_data.replies import activity_reply, activity_tag
from coachboard.service.own_data.requests import (
    PATH,
    caller_of,
    expected_tag,
    found,
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


class Activities:
    """The routes of a person's activities over one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def routes(self) -> list[Route]:
        one = f"{PATH}/activities/{{activity_id}}"
        return [
            Route(f"{PATH}/activities/deleted", self.list_deleted, methods=["GET"]),
            Route(one, self.get, methods=["GET"]),
            Route(one, self.correct, methods=["PATCH"]),
            Route(one, self.delete, methods=["DELETE"]),
            Route(f"{one}/restore", self.restore, methods=["POST"]),
            Route(f"{one}/join", self.join, methods=["POST"]),
            Route(f"{one}/file", self.download, methods=["GET"]),
            Route(f"{one}/file", self.replace_file, methods=["PUT"]),
        ]

    async def list_deleted(self, request: Request) -> Response:
        rows = await run_in_threadpool(self._store.deleted_activities, caller_of(request))
        return list_reply([activity_reply(row) for row in rows])

    async def get(self, request: Request) -> Response:
        return _reply(await self._row(request))

    async def correct(self, request: Request) -> Response:
        patch = await read_model(request, ActivityPatch)
        changes = stored_texts(patch.to_wire())
        if not changes:
            raise InvalidRequest("The body names no field to change.")
        return await self._change(
            request, lambda row: correct(self._store, row, changes, athletes_of(self._store, row.user_id))
        )

    async def delete(self, request: Request) -> Response:
        return await self._change(request, lambda row: self._deleted(row, datetime.now(UTC)))

    async def restore(self, request: Request) -> Response:
        return await self._change(request, self._restored)

    async def join(self, request: Request) -> Response:
        asked = await read_model(request, JoinRequest)
        user_id = caller_of(request)
        other = await run_in_threadpool(self._store.own_activity, user_id, asked.activity_id)
        second = found_live(other)
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
        recording = await run_in_threadpool(self._store.recording, row.user_id, digest)
        name = recording.file_name if recording is not None else digest
        disposition = f"attachment; filename*=UTF-8''{quote(name.removesuffix('.gz'), safe='')}"
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
        return found(await run_in_threadpool(self._store.own_activity, user_id, activity_id), "activity")

    async def _change(self, request: Request, write: Any) -> Response:
        """Change an activity that is still as the caller read it, else reply with the row as it is now."""
        tag = expected_tag(request)
        row = await self._row(request)
        if activity_tag(row) == tag and await run_in_threadpool(write, row):
            return _reply(await self._row(request))
        return stale_reply(activity_reply(await self._row(request)))

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
        read = read_again(self._store, kept, athletes_of(self._store, row.user_id), parts=((digest, 0),))
        assert read is not None
        if not self._store.put_read_again(row, read, corrections=kept.corrections):
            return False
        known = ImportedFile(digest, row.user_id, PurePath(name).name, (row.id,), datetime.now(UTC))
        self._store.put_recording(known)
        self._store.remove_unused(row.user_id, [old for old, _place in row.parts if old != digest])
        return True

    def _joined(self, row: StoredActivity, second: StoredActivity) -> bool:
        if row.id == second.id or not row.parts or not second.parts:
            raise Conflict("Only two activities with their original files can be joined.")
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


def found_live(row: StoredActivity | None) -> StoredActivity:
    """The activity; raises `NoSuchRow` if there is none or it is deleted."""
    return found(None if row is None or row.deleted_at is not None else row, "activity")


def _with(row: StoredActivity, corrections: dict[str, Any]) -> StoredActivity:
    return StoredActivity(row.id, row.user_id, row.body, row.parts, corrections, row.athlete, row.deleted_at)


def _with_kept_name(row: StoredActivity) -> StoredActivity:
    """The activity with its name as a correction: a name from the old file was replaced by that of the next one."""
    name = orjson.loads(row.body).get("name")
    return row if name is None else _with(row, {**row.corrections, "name": name})


def _reply(row: StoredActivity) -> Response:
    return reply(activity_reply(row), etag=activity_tag(row))
