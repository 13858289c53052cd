"""Values (weight, thresholds, heart rates) by sport and date, and the recomputation of loads after a change."""

from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.service.api.errors import InvalidRequest
from coachboard.service.ids import new_id
from coachboard.service.own_data.jobs import Worker
from coachboard.service.own_data.requests import (
    PATH,
    caller_of,
    existing,
    expected_tag,
    job_reply,
    list_reply,
    metric_reply,
    read_model,
    reply,
    stale_reply,
)
from coachboard.service.store import JobKind, RowKind, Store
from coachboard.service.store.rows import of_metric
from coachboard.service.values import ImplausibleValueError, new_metric
from coachboard.wire.body import Metric
from coachboard.wire.own_data import MetricInput, SavedMetric


class Metrics:
    """The routes of values and recomputations over one store and one worker."""

    def __init__(self, store: Store, worker: Worker) -> None:
        self._store = store
        self._worker = worker

    def routes(self) -> list[Route]:
        return [
            Route(f"{PATH}/metrics", self.list_metrics, methods=["GET"]),
            Route(f"{PATH}/metrics", self.add, methods=["POST"]),
            Route(f"{PATH}/metrics/{{metric_id}}", self.replace, methods=["PUT"]),
            Route(f"{PATH}/metrics/{{metric_id}}", self.delete, methods=["DELETE"]),
            Route(f"{PATH}/recomputations", self.recompute, methods=["POST"]),
            Route(f"{PATH}/recomputations/{{job_id}}", self.get_recomputation, methods=["GET"]),
        ]

    async def list_metrics(self, request: Request) -> Response:
        bodies = await run_in_threadpool(self._store.row_bodies, RowKind.METRICS, caller_of(request))
        return list_reply([metric_reply(body) for body in bodies])

    async def add(self, request: Request) -> Response:
        metric = _metric(await read_model(request, MetricInput), new_id("mtr", caller_of(request)))
        await run_in_threadpool(
            self._store.put_metrics, caller_of(request), [metric], set_by=caller_of(request)
        )
        return await self._saved(request, metric.id, status=HTTPStatus.CREATED)

    async def replace(self, request: Request) -> Response:
        tag, asked = expected_tag(request), await read_model(request, MetricInput)
        user_id, metric_id = caller_of(request), request.path_params["metric_id"]
        seen = await self._body(request)
        row = {**of_metric(user_id, _metric(asked, metric_id)), "set_by": user_id}
        is_same = metric_reply(seen).etag == tag
        if is_same and await run_in_threadpool(self._store.replace_row, RowKind.METRICS, user_id, seen, row):
            return await self._saved(request, metric_id)
        return await self._stale(request)

    async def delete(self, request: Request) -> Response:
        tag, seen = expected_tag(request), await self._body(request)
        user_id, metric_id = caller_of(request), request.path_params["metric_id"]
        is_same = metric_reply(seen).etag == tag
        if is_same and await run_in_threadpool(
            self._store.delete_row, RowKind.METRICS, user_id, metric_id, seen
        ):
            job = await run_in_threadpool(self._worker.recompute, user_id)
            return reply(SavedMetric(saved=None, recompute=job_reply(job)))
        return await self._stale(request)

    async def recompute(self, request: Request) -> Response:
        job = await run_in_threadpool(self._worker.recompute, caller_of(request))
        return reply(job_reply(job), status=HTTPStatus.ACCEPTED)

    async def get_recomputation(self, request: Request) -> Response:
        job = await run_in_threadpool(self._store.job, request.path_params["job_id"])
        is_own = job is not None and job.user_id == caller_of(request) and job.kind is JobKind.RECOMPUTE
        return reply(job_reply(existing(job if is_own else None, "recomputation")))

    async def _body(self, request: Request) -> bytes:
        user_id, metric_id = caller_of(request), request.path_params["metric_id"]
        return existing(
            await run_in_threadpool(self._store.own_body, RowKind.METRICS, user_id, metric_id), "value"
        )

    async def _saved(self, request: Request, metric_id: str, *, status: int = HTTPStatus.OK) -> Response:
        user_id = caller_of(request)
        body = existing(
            await run_in_threadpool(self._store.own_body, RowKind.METRICS, user_id, metric_id), "value"
        )
        job = await run_in_threadpool(self._worker.recompute, user_id)
        saved = metric_reply(body)
        return reply(SavedMetric(saved=saved, recompute=job_reply(job)), status=status, etag=saved.etag)

    async def _stale(self, request: Request) -> Response:
        user_id, metric_id = caller_of(request), request.path_params["metric_id"]
        body = await run_in_threadpool(self._store.own_body, RowKind.METRICS, user_id, metric_id)
        return stale_reply(None if body is None else metric_reply(body))


def _metric(asked: MetricInput, metric_id: str) -> Metric:
    try:
        return new_metric(
            asked.type,
            float(asked.value),
            day=asked.date,
            sport=asked.sport,
            id_=metric_id,
            source=asked.source,
        )
    except ImplausibleValueError as error:
        raise InvalidRequest(str(error)) from error
