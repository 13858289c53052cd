"""Imports: receive files, start, follow, undo."""

import re
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote, unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.service.api.errors import BodyTooLarge, Conflict, InvalidRequest
from coachboard.service.api.request_body import body_parts
from coachboard.service.importers.archive import SourceFile, find_sources
from coachboard.service.importers.errors import EmptyRecording, ImportLimits, RecordingError
from coachboard.service.importers.health import sources as health
from coachboard.service.importers.health.csv_files import preview
from coachboard.service.importers.importing import ImportOutcome
from coachboard.service.own_data.jobs import Worker, new_job
from coachboard.service.own_data.requests import (
    PATH,
    caller_of,
    existing,
    job_fields,
    list_reply,
    named,
    read_model,
    reply,
    whole_number,
)
from coachboard.service.own_data.uploads import MAX_WAITING_BYTES, waiting_bytes
from coachboard.service.store import JobFile, JobKind, JobState, ReportOutcomes, Store, StoredJob
from coachboard.service.store.originals import replacing
from coachboard.wire.own_data import (
    Counts,
    ImportJob,
    NewImport,
    Preview,
    ReceivedFile,
    ReportLine,
    StartImport,
)

MAX_UPLOAD_BYTES = 4_000_000_000
REPORT_LINES, MOST_OFFSET = 500, 10_000_000
"""Lines of a page of a report, at most and by default."""
_MAX_NAME_BYTES = 240
"""Of the stored name, with three bytes for each folder's slash; a file system takes 255."""


class Imports:
    """The routes of imports over one store and one worker."""

    def __init__(self, store: Store, worker: Worker) -> None:
        self._store = store
        self._worker = worker
        self._waiting: dict[str, int] = {}
        """Bytes of waiting files by person, as this process counted them since the person's last new import."""

    def routes(self) -> list[Route]:
        job = f"{PATH}/imports/{{job_id}}"
        return [
            Route(f"{PATH}/imports", self.list_imports, methods=["GET"]),
            Route(f"{PATH}/imports", self.create, methods=["POST"]),
            Route(job, self.get, methods=["GET"]),
            Route(job, self.undo, methods=["DELETE"]),
            Route(f"{job}/files", self.receive, methods=["PUT"]),
            Route(f"{job}/preview", self.preview, methods=["GET"]),
            Route(f"{job}/start", self.start, methods=["POST"]),
        ]

    async def list_imports(self, request: Request) -> Response:
        await run_in_threadpool(self._worker.take_over)
        jobs = await run_in_threadpool(self._store.jobs_of, caller_of(request), JobKind.IMPORT)
        return list_reply([await run_in_threadpool(self._reply_of, job, is_listed=True) for job in jobs])

    async def create(self, request: Request) -> Response:
        asked = await read_model(request, NewImport)
        self._worker.clean()
        self._waiting.pop(caller_of(request), None)
        day = None if asked.day is None else asked.day.isoformat()
        job = new_job(caller_of(request), JobKind.IMPORT, JobState.RECEIVING, day=day, again=asked.again)
        await run_in_threadpool(self._store.add_job, job)
        return reply(await run_in_threadpool(self._reply_of, job), status=HTTPStatus.CREATED)

    async def get(self, request: Request) -> Response:
        await run_in_threadpool(self._worker.take_over)
        offset = whole_number(request, "offset", default=0, most=MOST_OFFSET)
        limit = whole_number(request, "limit", default=REPORT_LINES, most=REPORT_LINES)
        job = await self._job(request)
        return reply(await run_in_threadpool(self._reply_of, job, offset=offset, limit=limit))

    async def receive(self, request: Request) -> Response:
        job = await self._job(request, JobState.RECEIVING)
        name = named(request, "name")
        path = self._store.originals.uploads(job.id) / stored_name(name)
        await self._read_waiting(job.user_id)
        size = 0

        def count(more: int) -> None:
            """Files that arrive at the same time count together: each could take the rest of the limit."""
            nonlocal size
            size += more
            self._add_waiting(job.user_id, more)
            if self._waiting.get(job.user_id, 0) > MAX_WAITING_BYTES:
                said = f"More than {MAX_WAITING_BYTES // 1_000_000} MB wait for their import"
                raise BodyTooLarge(f"{said}: start or discard earlier imports.")

        try:
            await receive_file(request, path, count=count)
        except BaseException:
            self._add_waiting(job.user_id, -size)
            raise
        return reply(ReceivedFile(name=name, size=size))

    def _add_waiting(self, user_id: str, size: int) -> None:
        if user_id in self._waiting:  # else the next file reads the disk
            self._waiting[user_id] += size

    async def _read_waiting(self, user_id: str) -> None:
        """Read the bytes of the person's waiting files from the disk once; 5,000 files take too long for each upload."""
        if user_id not in self._waiting:
            size = await run_in_threadpool(waiting_bytes, self._store, user_id)
            self._waiting.setdefault(user_id, size)  # another file may have counted meanwhile

    async def preview(self, request: Request) -> Response:
        """The columns of a CSV file that was received, with a proposal for each."""
        job, name = await self._job(request), named(request, "name")
        path = self._store.originals.uploads(job.id) / stored_name(name)
        try:
            source = await run_in_threadpool(only_source, path)
            # Off the event loop: a large table took 28 s, in which the service answered nobody.
            return reply(await run_in_threadpool(_preview, name, source))
        except RecordingError as error:
            raise InvalidRequest(f"{error}.") from error

    async def start(self, request: Request) -> Response:
        """Start the import. A second start of the same import gets the same reply: the first may have been lost."""
        asked = await read_model(request, StartImport)
        job = await self._job(request)
        arguments = {**job.arguments, "columns": asked.columns or {}, "others": asked.others}
        is_started = await run_in_threadpool(
            self._store.change_job, job.id, (JobState.RECEIVING,), state=JobState.QUEUED, arguments=arguments
        )
        if is_started:
            await run_in_threadpool(self._worker.submit, job.id)
        current = await self._job(request)
        return reply(await run_in_threadpool(self._reply_of, current), status=HTTPStatus.ACCEPTED)

    async def undo(self, request: Request) -> Response:
        job = await self._job(request)
        await run_in_threadpool(self._worker.undo, job)
        return reply(await run_in_threadpool(self._reply_of, await self._job(request)))

    async def _job(self, request: Request, state: JobState | None = None) -> StoredJob:
        job = await run_in_threadpool(self._store.job, request.path_params["job_id"])
        is_own = job is not None and job.user_id == caller_of(request) and job.kind is JobKind.IMPORT
        job = existing(job if is_own else None, "import")
        if state is not None and job.state is not state:
            raise Conflict(f"The import is {job.state}, not {state}.")
        return job

    def _reply_of(
        self, job: StoredJob, *, offset: int = 0, limit: int = REPORT_LINES, is_listed: bool = False
    ) -> ImportJob:
        outcomes = self._store.report_outcomes(job.id)
        lines = [] if is_listed else self._store.report_page(job.id, offset, limit)
        # Only while it receives: a started import deletes its folder, and each poll would read up to 5,000 sizes.
        is_receiving = not is_listed and job.state is JobState.RECEIVING
        return ImportJob(
            **job_fields(job),
            counts=_counts(outcomes),
            received=tuple(received(self._store.originals.uploads(job.id))) if is_receiving else (),
            report=tuple(map(_line, lines)),
            report_lines=sum(outcomes.lines.values()),
        )


def _preview(name: str, source: SourceFile) -> Preview:
    return preview(name, source.read())


async def receive_file(request: Request, path: Path, *, count: Callable[[int], None] | None = None) -> None:
    """Write the body to a file as it comes, so that a file of any size takes no memory; `count` gets each part's size."""
    size = 0
    with replacing(path) as file:
        async for piece in body_parts(request):
            size += len(piece)
            if size > MAX_UPLOAD_BYTES:
                raise BodyTooLarge(f"The file exceeds {MAX_UPLOAD_BYTES // 1_000_000} MB.")
            if count is not None:
                count(len(piece))
            await run_in_threadpool(file.write, piece)


def stored_name(name: str) -> str:
    """The file name under which an upload waits: one path segment, whatever the name is."""
    # Letters of any script stay: quoted, a Chinese name of 25 characters was too long.
    quoted = re.sub(r"[^\w ()+,.-]", lambda match: quote(match[0], safe=""), name)
    if quoted.startswith("."):
        quoted = f"%2E{quoted[1:]}"
    if len(quoted.encode()) > _MAX_NAME_BYTES:
        raise InvalidRequest("The name of the file and its folders is too long: use a shorter one.")
    return quoted


def only_source(path: Path) -> SourceFile:
    """The recording or table in an uploaded file; raises `RecordingError`, as for an archive without one."""
    sources = find_sources([path], ImportLimits())
    if not sources:
        raise EmptyRecording("contains no recording")
    return sources[0]


def received(folder: Path) -> list[ReceivedFile]:
    """The complete files in the folder of an import, by name."""
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    sizes = {}
    for path in paths:
        if not path.name.startswith("."):
            with suppress(FileNotFoundError):  # an undo may remove the folder meanwhile
                sizes[unquote(path.name)] = path.stat().st_size
    tables = health.tables_of(sizes)
    return [ReceivedFile(name=name, size=size, has_columns=name in tables) for name, size in sizes.items()]


def _counts(outcomes: ReportOutcomes) -> Counts:
    lines = outcomes.lines
    return Counts(
        imported=lines.get(ImportOutcome.IMPORTED, 0),
        known=lines.get(ImportOutcome.KNOWN, 0) + lines.get(ImportOutcome.SAME_SESSION, 0),
        repaired=outcomes.repaired,
        skipped=outcomes.skipped,
        rejected=lines.get(ImportOutcome.FAILED, 0),
    )


def _line(file: JobFile) -> ReportLine:
    report = file.report
    return ReportLine(
        name=file.name,
        outcome=file.outcome,
        activity_ids=tuple(report.get("activityIds", ())),
        prescription_ids=tuple(report.get("prescriptionIds", ())),
        nights=report.get("nights", 0),
        values=report.get("values", 0),
        notes=tuple(report.get("notes", ())),
    )
