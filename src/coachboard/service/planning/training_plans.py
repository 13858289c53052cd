"""The routes of plans: written and listed, applied to calendars, and rolled out after an edit."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.plain_text import lines_of, name_of
from coachboard.service.api.errors import Conflict, InvalidRequest, NoSuchRow, NotAllowed
from coachboard.service.api.request_body import read_body, read_json
from coachboard.service.api.request_checks import PLAN_PATH, checked_request
from coachboard.service.ids import is_id, new_id
from coachboard.service.own_data.requests import (
    expected_tag,
    idempotency_key,
    list_reply,
    named,
    reply,
    stale_reply,
    tag_of,
)
from coachboard.service.planning import applying, batches, entries, files
from coachboard.service.planning.rights import Rights
from coachboard.service.planning.routes import CalendarRoutes
from coachboard.service.planning.targets import PLANNED, PlannedAthlete
from coachboard.service.store.library import StoredPlan
from coachboard.service.store.plans import Plans
from coachboard.wire.planning import EntryKind
from coachboard.wire.training_plans import (
    ApplyRequest,
    RollOutRequest,
    TrainingPlan,
    TrainingPlanEntry,
    TrainingPlanInput,
    TrainingPlanRow,
)
from coachboard.workout_files.formats import WorkoutArchive, WorkoutFormat, file_stem

MOST_PLANS = 500
"""Private plans of a person, or plans of a workspace."""
MOST_BODY_BYTES = 16_000_000
"""As a batch: 1,000 entries with their texts."""
_NO_PLAN = "No such plan, or you have no access."
_WITHOUT_DATES = frozenset({"date", "end_date", "visible_from", "pairing", "comment"})
"""Fields of an entry of a calendar that a plan has not."""


class PlanRoutes(CalendarRoutes):
    """The routes of plans."""

    def routes(self) -> list[Route]:
        path = f"{PLAN_PATH}/plans"
        return [
            Route(path, self.list_plans, methods=["GET"]),
            Route(path, self.create, methods=["POST"]),
            Route(f"{path}/{{plan_id}}", self.get, methods=["GET"]),
            Route(f"{path}/{{plan_id}}", self.replace, methods=["PUT"]),
            Route(f"{path}/{{plan_id}}", self.delete, methods=["DELETE"]),
            Route(f"{path}/{{plan_id}}/files", self.get_files, methods=["GET"]),
            Route(f"{path}/{{plan_id}}/apply", self.apply, methods=["POST"]),
            Route(f"{path}/{{plan_id}}/rollout", self.roll_out, methods=["POST"]),
        ]

    async def list_plans(self, request: Request) -> Response:
        return list_reply(await self._read(_visible, request))

    async def create(self, request: Request) -> Response:
        made = await self._write(_add, request, await self._sent(request))
        return reply(made, etag=made.etag)

    async def _sent(self, request: Request) -> StoredPlan:
        """The plan of the body, as a new one. Raises `InvalidRequest`."""
        body = await read_body(request, most_bytes=MOST_BODY_BYTES)
        asked, author = await run_in_threadpool(read_json, body, TrainingPlanInput), self._author(request)
        # Before the transaction, for which other writers wait: the texts of a plan may take minutes to read.
        fields = await run_in_threadpool(_fields, asked)
        return StoredPlan(
            id=new_id("pln"),
            user_id=author.user_id if asked.workspace_id is None else None,
            workspace_id=asked.workspace_id,
            changed_by=author.user_id,
            changed_at=int(author.now_s),
            version=1,
            fields={**fields, "createdBy": author.user_id},
        )

    async def get(self, request: Request) -> Response:
        plan = await self._read(_current, request)
        return reply(plan, etag=plan.etag)

    async def replace(self, request: Request) -> Response:
        """The plan as sent; entries with the id of an entry of the plan are that entry."""
        made = await self._write(_replace, request, expected_tag(request), await self._sent(request))
        return await self._stale(request) if made is None else reply(made, etag=made.etag)

    async def delete(self, request: Request) -> Response:
        """Delete the plan; what it wrote on calendars stays."""
        deleted = await self._write(_delete, request, expected_tag(request))
        return await self._stale(request) if deleted is None else reply(deleted)

    async def get_files(self, request: Request) -> Response:
        """The workouts of the plan as files in one archive, in watts and beats of an athlete if the query names them."""
        kind = files.format_of(named(request, "format"))
        user_id = named(request, "userId") if "userId" in request.query_params else None
        plan, archive = await self._read(_files, request, user_id, kind)
        name = f"{file_stem(plan.fields['title'], '')} {kind.upper()}.zip"
        return files.file_reply(name, archive.content, files.archive_losses(archive), "application/zip")

    async def apply(self, request: Request) -> Response:
        """Write the plan on the calendars of athletes, as one batch."""
        asked = read_json(await read_body(request), ApplyRequest)
        caller = checked_request(request.scope).caller
        for athlete in asked.athletes:
            user_id = caller.user_id if athlete.user_id == "me" else athlete.user_id
            if caller.may_read(user_id):
                for kind in PLANNED:  # the preview of conflicts needs the rows of a demo squad
                    await self._until_written(user_id, kind, self._today())
        return await self._run(applying.apply, request, asked)

    async def roll_out(self, request: Request) -> Response:
        """Bring the calendars that have the plan to its version of now, as one batch."""
        asked = read_json(await read_body(request) or b"{}", RollOutRequest)
        return await self._run(applying.roll_out, request, asked)

    async def _run(self, do: Callable[..., bytes], request: Request, asked: object) -> Response:
        author, key = self._author(request), idempotency_key(request)
        tag = request.headers.get("if-match", "").strip().strip('"')

        def find(plans: Plans, rights: Rights) -> StoredPlan:
            plan = _readable(plans, rights, request)
            if tag and _etag(plan) != tag:
                raise _OtherVersion
            return plan

        try:
            body = await run_in_threadpool(do, self._store, author, find, asked, idempotency_key=key)
        except _OtherVersion:
            return await self._stale(request)
        return Response(body, 200, {"Cache-Control": "private, no-store"}, "application/json")

    async def _stale(self, request: Request) -> Response:
        return stale_reply(await self._read(_current, request))


class _OtherVersion(Exception):  # noqa: N818 (a reply)
    """The plan is not the one that the caller saw."""


def _readable(plans: Plans, rights: Rights, request: Request) -> StoredPlan:
    """The plan of the caller, or of a workspace that they lead; they may change it, too. Raises `NoSuchRow`."""
    plan_id = request.path_params["plan_id"]
    plan = plans.training.find(plan_id) if is_id(plan_id) else None
    if plan is None or (plan.user_id != rights.caller_id and plan.workspace_id not in rights.led_names):
        raise NoSuchRow(_NO_PLAN)
    return plan


def _current(plans: Plans, rights: Rights, request: Request) -> TrainingPlan:
    return _whole(plans, _readable(plans, rights, request))


def _visible(plans: Plans, rights: Rights, _request: Request) -> list[TrainingPlanRow]:
    rows = plans.training.visible_to(rights.caller_id, rights.led_names)
    names = plans.names(row.changed_by for row in rows)
    listed = [TrainingPlanRow(**_columns(row, names)) for row in rows]
    return sorted(listed, key=lambda row: (row.title.casefold(), row.id))


def _add(plans: Plans, rights: Rights, _request: Request, sent: StoredPlan) -> TrainingPlan:
    rights.require_workspace(sent.workspace_id)
    _require_room(plans, sent)
    plan = replace(sent, fields=_with_ids(sent.fields, ()))
    plans.training.add(plan)
    return _whole(plans, plan)


def _replace(
    plans: Plans, rights: Rights, request: Request, tag: str, sent: StoredPlan
) -> TrainingPlan | None:
    """The plan as written; None if it has changed since it was read."""
    seen = _readable(plans, rights, request)
    if _etag(seen) != tag:
        return None
    creator_id = seen.fields["createdBy"]
    if sent.workspace_id is None and seen.user_id is None and creator_id != rights.caller_id:
        raise NotAllowed("Only the person who made this plan makes it private.")
    fields = {**_with_ids(sent.fields, seen.fields["entries"]), "createdBy": creator_id}
    plan = replace(sent, id=seen.id, version=seen.version + 1, fields=fields)
    if plan.workspace_id != seen.workspace_id:
        rights.require_workspace(plan.workspace_id)
        _require_room(plans, plan)
    return _whole(plans, plan) if plans.training.replace(seen, plan) else None


def _delete(plans: Plans, rights: Rights, request: Request, tag: str) -> TrainingPlan | None:
    """The plan as deleted; None if it has changed since it was read."""
    seen = _readable(plans, rights, request)
    is_removed = _etag(seen) == tag and plans.training.remove(seen)
    return _whole(plans, seen) if is_removed else None


def _files(
    plans: Plans, rights: Rights, request: Request, user_id: str | None, kind: WorkoutFormat
) -> tuple[StoredPlan, WorkoutArchive]:
    plan, athlete = _readable(plans, rights, request), None
    if user_id is not None:
        athlete = PlannedAthlete(plans, rights.person(user_id), today=rights.today)
    return plan, files.archive_of_plan(plan.fields["entries"], athlete, rights.today, kind)


def _require_room(plans: Plans, plan: StoredPlan) -> None:
    if plans.training.count(plan.user_id, plan.workspace_id) >= MOST_PLANS:
        raise Conflict(f"There are {MOST_PLANS} plans; delete one first.")


def _fields(asked: TrainingPlanInput) -> dict[str, Any]:
    """The fields as stored, with the ids of entries as sent. Raises `InvalidRequest` naming the entry."""
    title = name_of(asked.title)
    if title is None:
        raise InvalidRequest("title: has no visible character.")
    stored = []
    for place, entry in enumerate(asked.entries):
        with batches.naming(len(asked.entries), place, "Entry"):
            stored.append(_entry(entry, asked.days))
    return {
        "title": title,
        "description": lines_of(asked.description),
        "sport": asked.sport,
        "days": asked.days,
        "entries": sorted(stored, key=lambda each: each["day"]),
    }


def _with_ids(fields: Mapping[str, Any], seen: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The fields with a new id for each entry that is none of those in the plan."""
    kinds = {each["id"]: each["kind"] for each in seen}
    listed = []
    for entry in fields["entries"]:
        is_there = entry["id"] is not None and kinds.pop(entry["id"], None) == entry["kind"]
        listed.append({**entry, "id": entry["id"] if is_there else new_id("ple")})
    return {**fields, "entries": listed}


def _entry(entry: TrainingPlanEntry, days: int) -> dict[str, Any]:
    if entry.day > days or (entry.last_day or 0) > days:
        raise InvalidRequest(f"day: the plan has {days} days")
    if entry.last_day is not None and (entry.kind is EntryKind.WORKOUT or entry.last_day < entry.day):
        raise InvalidRequest("lastDay: only a note or an event has one, from its day on")
    given = entry.value.model_fields_set
    foreign = given - (entries.fields_of(entry.kind) - _WITHOUT_DATES)
    if foreign:
        names = ", ".join(sorted(type(entry.value).model_fields[name].alias or name for name in foreign))
        raise InvalidRequest(f"a plan's {entry.kind} has no {names}")
    stored = {
        "id": entry.id,
        "day": entry.day,
        "lastDay": entry.last_day,
        "kind": entry.kind,
        "value": entry.value.to_wire(),
    }
    applying.template_of(stored)
    return stored


def _etag(plan: StoredPlan) -> str:
    return tag_of(plan.id, plan.version)


def _whole(plans: Plans, plan: StoredPlan) -> TrainingPlan:
    listed = tuple(TrainingPlanEntry.from_wire(each) for each in plan.fields["entries"])
    return TrainingPlan(**_columns(plan, plans.names([plan.changed_by])), entries=listed)


def _columns(plan: StoredPlan, names: dict[str, str]) -> dict[str, Any]:
    return {
        "id": plan.id,
        **{name: plan.fields[name] for name in ("title", "description", "sport", "days")},
        "workspace_id": plan.workspace_id,
        "workouts": sum(each["kind"] == EntryKind.WORKOUT for each in plan.fields["entries"]),
        "version": plan.version,
        "changed_by": {"id": plan.changed_by, "name": names[plan.changed_by]},
        "changed_at": datetime.fromtimestamp(plan.changed_at, UTC),
        "etag": _etag(plan),
    }
