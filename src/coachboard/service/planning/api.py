"""The routes under `/plan/v1`: features, entries of a calendar, batches with their undo and history, and texts."""

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, date, datetime
from typing import Any

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.service.api.description_page import description_routes
from coachboard.service.api.errors import InvalidRequest, NoSuchRow, error_reply
from coachboard.service.api.limits import RateLimits
from coachboard.service.api.request_body import read_body, read_json
from coachboard.service.api.request_checks import (
    PLAN_PATH,
    checked_request,
)
from coachboard.service.api.routes import NO_USER
from coachboard.service.ids import is_id
from coachboard.service.invitations.endpoint import Inviting
from coachboard.service.invitations.mail import Mailer
from coachboard.service.own_data.jobs import Worker
from coachboard.service.own_data.requests import idempotency_key, named, reply
from coachboard.service.planning import batches, files, openapi, targets, texts
from coachboard.service.planning.athlete_settings import AthleteSettings
from coachboard.service.planning.batches import StaleRows, replies
from coachboard.service.planning.comments import CommentRoutes
from coachboard.service.planning.feeds import Subscriptions
from coachboard.service.planning.library import Library
from coachboard.service.planning.members import Groups, WorkspacePeople
from coachboard.service.planning.rights import Rights
from coachboard.service.planning.routes import CalendarRoutes, Calendars, required_days
from coachboard.service.planning.scores import DoneWorkout, StreamReader, done_workouts, scores_of
from coachboard.service.planning.targets import PLANNED, PlannedAthlete
from coachboard.service.planning.training_plans import PlanRoutes
from coachboard.service.store import RowKind
from coachboard.service.store.plans import BatchStamp, PlanChange, PlanRow, Plans
from coachboard.wire.base import plausible_day
from coachboard.wire.enums import Sport
from coachboard.wire.planning import (
    VERSION,
    BatchChange,
    EntryKind,
    ParseRequest,
    PlanBatch,
    PlanFeatures,
    PlannedValues,
    UndoRequest,
)
from coachboard.wire.users import UserProfile
from coachboard.workout_files.formats import FORMATS, WorkoutArchive, WorkoutFile, WorkoutFormat
from coachboard.workout_files.workout import loss_words

FEATURES = (
    "entries",
    "decisions",
    "loads",
    "scores",
    "dayValues",
    "values",
    "availability",
    "targets",
    "batches",
    "parse",
    "files",
    "feeds",
    "library",
    "members",
    "comments",
    "groups",
    "plans",
    "intervals",
)
MOST_DAYS = 800
"""The longest range of one read of entries; there is none for entries with a decision, which are few."""
MOST_SCORED_DAYS = 31
"""The longest range of one read of scores, which reads the samples of each session."""
MOST_BODY_BYTES = 16_000_000
"""A batch of 5,000 workouts with their texts has up to 10 MB."""
MOST_PARSED_BYTES = 200_000
"""A text of 20,000 characters has up to 80,000 bytes, or twice as many with escapes."""
MOST_BATCHES = 100
"""Batches of a reply of the history."""
MOST_CHANGES = 20
"""Changes of each batch in the history."""

_HEADERS = {"Cache-Control": "private, no-store"}
_NO_ENTRY = "No such entry, or you have no access."


class PlanningApi(CalendarRoutes):
    """All routes of the API."""

    def __init__(
        self,
        calendars: Calendars,
        limits: RateLimits,
        inviting: Inviting,
        mailer: Mailer,
        worker: Worker,
        *,
        read_streams: StreamReader,
    ) -> None:
        super().__init__(calendars)
        self._read_streams = read_streams
        self._others = (
            AthleteSettings(calendars, worker),
            Subscriptions(calendars, limits),
            Library(calendars),
            WorkspacePeople(calendars, inviting),
            CommentRoutes(calendars, limits, mailer),
            Groups(calendars),
            PlanRoutes(calendars),
        )

    def routes(self) -> list[Route]:
        return [
            Route(PLAN_PATH, self.features, methods=["GET"]),
            *description_routes(PLAN_PATH, openapi.document_json),
            Route(f"{PLAN_PATH}/users/{{user_id}}/entries", self.list_entries, methods=["GET"]),
            Route(f"{PLAN_PATH}/users/{{user_id}}/files", self.get_files, methods=["GET"]),
            Route(f"{PLAN_PATH}/users/{{user_id}}/loads", self.list_loads, methods=["GET"]),
            Route(f"{PLAN_PATH}/users/{{user_id}}/scores", self.list_scores, methods=["GET"]),
            Route(f"{PLAN_PATH}/users/{{user_id}}/day-values", self.get_values, methods=["GET"]),
            Route(f"{PLAN_PATH}/entries/{{entry_id}}", self.get_entry, methods=["GET"]),
            Route(f"{PLAN_PATH}/entries/{{entry_id}}/file", self.get_file, methods=["GET"]),
            Route(f"{PLAN_PATH}/batches", self.list_batches, methods=["GET"]),
            Route(f"{PLAN_PATH}/batches", self.run_batch, methods=["POST"]),
            Route(f"{PLAN_PATH}/batches/{{batch_id}}/undo", self.undo_batch, methods=["POST"]),
            Route(f"{PLAN_PATH}/parse", self.parse, methods=["POST"]),
            *(route for other in self._others for route in other.routes()),
        ]

    async def features(self, _request: Request) -> Response:
        return reply(PlanFeatures(version=VERSION, features=FEATURES))

    async def list_entries(self, request: Request) -> Response:
        only_decided = _is_true(request, "decided")
        # A demo squad is not decided about while it is written.
        start, end = await self._days(request, () if only_decided else PLANNED)
        return await self._answer(self._entries, request, start, end, only_decided)

    async def _days(self, request: Request, kinds: Collection[RowKind]) -> tuple[date, date]:
        """The range of the query, of a readable calendar, once its rows of these kinds are written; without kinds of any length."""
        start, end = required_days(request)
        if kinds and (end - start).days > MOST_DAYS:
            raise InvalidRequest(f"The range exceeds {MOST_DAYS} days.")
        caller, user_id = checked_request(request.scope).caller, request.path_params["user_id"]
        user_id = caller.user_id if user_id == "me" else user_id
        if not caller.may_read(user_id):
            raise NoSuchRow(NO_USER)
        for kind in kinds:
            await self._until_written(user_id, kind, start)
        return start, end

    def _entries(
        self,
        plans: Plans,
        rights: Rights,
        request: Request,
        start: date,
        end: date,
        only_decided: bool,  # noqa: FBT001 (passed through `_answer`)
    ) -> bytes:
        user_id = rights.person(request.path_params["user_id"])
        rows = rights.rows(user_id, start, end, only_decided=only_decided)
        write = replies(plans, rights, rows)
        return orjson.dumps([write.reply(row) for row in rows])

    async def list_loads(self, request: Request) -> Response:
        days = await self._days(request, (RowKind.PRESCRIPTIONS, RowKind.METRICS))
        return await self._answer(self._loads, request, *days)

    def _loads(self, plans: Plans, rights: Rights, request: Request, start: date, end: date) -> bytes:
        user_id = rights.person(request.path_params["user_id"])
        athlete = PlannedAthlete(plans, user_id, today=rights.today)
        loads = {
            row.id: targets.load_of(row.body, athlete, row.entry.get("text"))
            for row in rights.rows(user_id, start, end)
            if row.kind is EntryKind.WORKOUT
        }
        return orjson.dumps(
            [{"id": row_id, "load": load} for row_id, load in loads.items() if load is not None]
        )

    async def list_scores(self, request: Request) -> Response:
        kinds = (RowKind.PRESCRIPTIONS, RowKind.ACTIVITIES, RowKind.METRICS)
        start, end = await self._days(request, kinds)
        if (end - start).days >= MOST_SCORED_DAYS:
            raise InvalidRequest(f"The range exceeds {MOST_SCORED_DAYS} days.")
        user_id, done = await self._read(self._done, request, start, end)
        body = await run_in_threadpool(self._scores, user_id, done)
        return Response(body, 200, _HEADERS, "application/json")

    def _done(
        self, plans: Plans, rights: Rights, request: Request, start: date, end: date
    ) -> tuple[str, list[DoneWorkout]]:
        user_id = rights.person(request.path_params["user_id"])
        return user_id, done_workouts(plans, rights, user_id, start, end)

    def _scores(self, user_id: str, done: list[DoneWorkout]) -> bytes:
        profile = UserProfile.from_wire(orjson.loads(self._store.profile(user_id, is_own=False)))
        return scores_of(done, profile, self._read_streams)

    async def get_values(self, request: Request) -> Response:
        sport, day = named(request, "sport"), named(request, "date")
        try:
            asked = Sport(sport), plausible_day(day)
        except ValueError:
            raise InvalidRequest(
                "The query parameters 'sport' and 'date' must be a sport and a day as YYYY-MM-DD."
            ) from None
        return await self._answer(self._values, request, *asked)

    def _values(self, plans: Plans, rights: Rights, request: Request, sport: Sport, day: date) -> bytes:
        user_id = rights.person(request.path_params["user_id"])
        values = PlannedAthlete(plans, user_id, today=rights.today).day_values(sport, day, with_speed=True)
        reply_ = PlannedValues(
            critical_power=values.critical_power_w,
            w_prime=values.w_prime_j,
            critical_speed=values.critical_speed_mps,
            max_heart_rate=values.max_heart_rate_bpm,
            resting_heart_rate=values.resting_heart_rate_bpm,
            threshold_heart_rate=values.threshold_heart_rate_bpm,
            usual_speed=values.usual_speed_mps,
            gender=values.gender,
        )
        return orjson.dumps(reply_.to_wire())

    async def get_entry(self, request: Request) -> Response:
        answer = await self._answer(self._entry, request)
        answer.headers["ETag"] = f'"{orjson.loads(answer.body)["etag"]}"'
        return answer

    def _entry(self, plans: Plans, rights: Rights, request: Request) -> bytes:
        row = _read_row(plans, rights, request)
        return orjson.dumps(replies(plans, rights, [row]).reply(row))

    async def get_file(self, request: Request) -> Response:
        """A workout as a file for a device."""
        kind = files.format_of(named(request, "format"))
        file = await self._read(self._file, request, kind)
        words = loss_words(file.losses)
        return files.file_reply(file.name, file.content, words, FORMATS[kind].media_type)

    def _file(self, plans: Plans, rights: Rights, request: Request, kind: WorkoutFormat) -> WorkoutFile:
        row = _read_row(plans, rights, request)
        return files.file_of(row, PlannedAthlete(plans, row.user_id, today=rights.today), kind)

    async def get_files(self, request: Request) -> Response:
        """The workouts of some days as files in one archive."""
        kind = files.format_of(named(request, "format"))
        start, end = required_days(request)
        if (end - start).days >= files.MOST_DAYS:
            raise InvalidRequest(f"The range exceeds {files.MOST_DAYS} days.")
        archive = await self._read(self._files, request, start, end, kind)
        name = f"{start} to {end} {kind.upper()}.zip"
        return files.file_reply(name, archive.content, files.archive_losses(archive), "application/zip")

    def _files(
        self, plans: Plans, rights: Rights, request: Request, start: date, end: date, kind: WorkoutFormat
    ) -> WorkoutArchive:
        user_id = rights.person(request.path_params["user_id"])
        rows = rights.rows(user_id, start, end)
        return files.archive_of(rows, PlannedAthlete(plans, user_id, today=rights.today), kind)

    async def list_batches(self, request: Request) -> Response:
        user_id = named(request, "userId")
        return await self._answer(self._history, request, user_id)

    def _history(self, plans: Plans, rights: Rights, _request: Request, named_user: str) -> bytes:
        user_id = rights.person(named_user)
        history = plans.history(user_id, MOST_BATCHES)
        # An entry that was hidden later has no history either: its title is in each change.
        newest = {change.row.id: change.row for _stamp, changes in reversed(history) for change in changes}
        hidden = {row_id for row_id, row in newest.items() if not rights.may_read(row)}
        kept = list[tuple[BatchStamp, list[PlanChange], bool]]()
        for stamp, made in history:
            changes = [
                change
                for change in made
                if change.row.id not in hidden
                and all(map(rights.may_read, filter(None, (change.before, change.after))))
            ]
            if changes:
                may_undo = len(changes) == len(made) and _may_undo(rights, stamp, changes)
                kept.append((stamp, changes, may_undo))
        names = plans.names({stamp.author_id for stamp, *_ in kept})
        undone = {stamp.undo_of: stamp.batch_id for stamp, *_ in reversed(kept) if stamp.undo_of}
        return orjson.dumps(
            [_record(stamp, changes, names, undone, may_undo=may_undo) for stamp, changes, may_undo in kept]
        )

    async def run_batch(self, request: Request) -> Response:
        key = idempotency_key(request)
        body = await read_body(request, most_bytes=MOST_BODY_BYTES)
        batch = await run_in_threadpool(read_json, body, PlanBatch)  # 5,000 operations take half a second
        return await self._run(batches.run, request, batch, idempotency_key=key)

    async def undo_batch(self, request: Request) -> Response:
        asked = read_json(await read_body(request) or b"{}", UndoRequest)
        batch_id = request.path_params["batch_id"]
        if not is_id(batch_id):
            raise NoSuchRow(batches.NO_BATCH)
        chosen = {"force": asked.force, "user_id": asked.user_id}
        key = idempotency_key(request)
        return await self._run(batches.undo, request, batch_id, **chosen, idempotency_key=key)

    async def parse(self, request: Request) -> Response:
        asked = read_json(await read_body(request, most_bytes=MOST_PARSED_BYTES), ParseRequest)
        return await self._answer(self._parsed, request, asked)

    def _parsed(self, plans: Plans, rights: Rights, _request: Request, asked: ParseRequest) -> bytes:
        user_id = rights.person(asked.user_id)
        athlete = PlannedAthlete(plans, user_id, today=rights.today)
        parsed = texts.parsed(asked, athlete, asked.date or self._today())
        return orjson.dumps(parsed.to_wire())

    async def _run(self, do: Callable[..., bytes], request: Request, *args: Any, **named_: Any) -> Response:
        """The reply of a write; rows that changed meanwhile are in the reply's `current`."""
        try:
            body = await run_in_threadpool(do, self._store, self._author(request), *args, **named_)
        except StaleRows as stale:
            refused = orjson.loads(error_reply(412, "precondition_failed", text=str(stale)).body)
            body = orjson.dumps({**refused, "current": stale.rows})
            return Response(body, 412, _HEADERS, "application/json")
        return Response(body, 200, _HEADERS, "application/json")

    async def _answer(self, ask: Callable[..., bytes], request: Request, *args: Any) -> Response:
        return Response(await self._read(ask, request, *args), 200, _HEADERS, "application/json")


def _is_true(request: Request, name: str) -> bool:
    """A parameter that is absent, `true` or `false`; raises `InvalidRequest`."""
    values = request.query_params.getlist(name)
    if len(values) > 1 or not set(values) <= {"true", "false"}:
        raise InvalidRequest(f"The query parameter '{name}' must be true or false, once.")
    return values == ["true"]


def _read_row(plans: Plans, rights: Rights, request: Request) -> PlanRow:
    entry_id = request.path_params["entry_id"]
    row = plans.find(entry_id) if is_id(entry_id) else None
    if row is None or not rights.may_read(row):
        raise NoSuchRow(_NO_ENTRY)
    return row


def _may_undo(rights: Rights, stamp: BatchStamp, changes: Sequence[PlanChange]) -> bool:
    is_author = stamp.author_id == rights.caller_id
    return all(batches.may_undo(rights, change, is_author=is_author) for change in changes)


def _record(
    stamp: BatchStamp,
    changes: Sequence[PlanChange],
    names: dict[str, str],
    undone: dict[str, str],
    *,
    may_undo: bool,
) -> dict[str, Any]:
    made = datetime.fromtimestamp(stamp.created_at / 1e6, UTC)
    return {
        "id": stamp.batch_id,
        "createdAt": f"{made:%Y-%m-%d %H:%M:%S}+00",
        "by": {"id": stamp.author_id, "name": names[stamp.author_id]},
        "source": stamp.source,
        "undoOf": stamp.undo_of,
        "undoneBy": undone.get(stamp.batch_id),
        "mayUndo": may_undo,
        "total": len(changes),
        "changes": [_change(change).to_wire() for change in changes[:MOST_CHANGES]],
    }


def _change(change: PlanChange) -> BatchChange:
    row, before = change.row, change.before
    is_moved = before is not None and change.after is not None and before.day != row.day
    return BatchChange(
        op=change.op,
        kind=row.kind,
        id=row.id,
        title=row.title,
        date=row.day,
        from_date=before.day if before is not None and is_moved else None,
    )
