"""Planned workouts that the caller imported: list, move, rename, delete. A coach's plan is not theirs to change."""

from collections.abc import Callable
from datetime import date
from typing import Any

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.plain_text import name_of
from coachboard.service.api.errors import InvalidRequest
from coachboard.service.own_data.requests import (
    PATH,
    caller_of,
    existing,
    expected_tag,
    list_reply,
    read_model,
    reply,
    stale_reply,
    tag_of,
)
from coachboard.service.store import RowKind, Store
from coachboard.service.store.rows import of_dated
from coachboard.wire.own_data import OwnPrescription, PrescriptionPatch
from coachboard.wire.prescriptions import TrainingPrescription


class Prescriptions:
    """The routes of imported workouts over one store.

    A workout that a coach hides until a day does not exist here before that day.
    """

    def __init__(self, store: Store, today: Callable[[], date]) -> None:
        self._store = store
        self._today = today

    def routes(self) -> list[Route]:
        workout = f"{PATH}/prescriptions/{{prescription_id}}"
        return [
            Route(f"{PATH}/prescriptions", self.list_imported, methods=["GET"]),
            Route(workout, self.change, methods=["PATCH"]),
            Route(workout, self.delete, methods=["DELETE"]),
        ]

    async def list_imported(self, request: Request) -> Response:
        bodies = await run_in_threadpool(
            self._store.imported_prescriptions, caller_of(request), visible_on=self._today()
        )
        return list_reply([_shown(body) for body in bodies])

    async def change(self, request: Request) -> Response:
        tag, patch = expected_tag(request), await read_model(request, PrescriptionPatch)
        seen = await self._body(request)
        row = of_dated(caller_of(request), _changed(seen, patch))
        is_same = _shown(seen).etag == tag
        if is_same and await run_in_threadpool(
            self._store.replace_row, RowKind.PRESCRIPTIONS, caller_of(request), seen, row
        ):
            changed = _shown(await self._body(request))
            return reply(changed, etag=changed.etag)
        return await self._stale(request)

    async def delete(self, request: Request) -> Response:
        tag, seen = expected_tag(request), await self._body(request)
        row = _shown(seen)
        if row.etag == tag and await run_in_threadpool(
            self._store.delete_row, RowKind.PRESCRIPTIONS, caller_of(request), row.prescription.id, seen
        ):
            return reply(row)
        return await self._stale(request)

    async def _body(self, request: Request) -> bytes:
        return existing(await self._body_or_none(request), "planned workout")

    async def _body_or_none(self, request: Request) -> bytes | None:
        ids = caller_of(request), request.path_params["prescription_id"]
        return await run_in_threadpool(
            self._store.own_body, RowKind.PRESCRIPTIONS, *ids, visible_on=self._today()
        )

    async def _stale(self, request: Request) -> Response:
        body = await self._body_or_none(request)
        return stale_reply(None if body is None else _shown(body))


def _shown(body: bytes) -> OwnPrescription:
    workout = TrainingPrescription.from_wire(orjson.loads(body))
    return OwnPrescription(prescription=workout, etag=tag_of(body.decode()))


def _changed(seen: bytes, patch: PrescriptionPatch) -> TrainingPrescription:
    """The workout with the fields that the patch has. Raises `InvalidRequest`."""
    changes: dict[str, Any] = {name: getattr(patch, name) for name in patch.model_fields_set}
    if not changes or None in changes.values():
        raise InvalidRequest("The body needs a date, a title or both.")
    if patch.title is not None:
        changes["title"] = name_of(patch.title)
        if changes["title"] is None:
            raise InvalidRequest("Invalid request body: title: has no visible character.")
    return TrainingPrescription.from_wire(orjson.loads(seen)).model_copy(update=changes)
