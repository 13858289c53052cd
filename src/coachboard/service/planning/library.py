"""Libraries of workouts: private ones, those that the coaches of a workspace share, and Coachboard's own, which nobody changes."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from math import isnan
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coachboard.execution.structure import DEFAULT_SPEED_MPS, estimated_duration_s
from coachboard.plain_text import is_storable, name_of, searchable
from coachboard.service.api.errors import Conflict, InvalidRequest, NotAllowed
from coachboard.service.api.request_body import read_body, read_json
from coachboard.service.api.request_checks import PLAN_PATH
from coachboard.service.ids import is_id, new_id
from coachboard.service.own_data.requests import (
    caller_of,
    existing,
    expected_tag,
    list_reply,
    reply,
    stale_reply,
    tag_of,
    whole_number,
)
from coachboard.service.planning.entries import cleaned_text, follow_text
from coachboard.service.planning.rights import Rights
from coachboard.service.planning.routes import CalendarRoutes
from coachboard.service.store.library import StoredWorkout
from coachboard.service.store.plans import Plans
from coachboard.wire.base import write_timestamp
from coachboard.wire.enums import Sport, TrainingStimulus
from coachboard.wire.library import LONGEST_WORKOUT_S, MOST_WORDS, LibraryValue, LibraryWorkout
from coachboard.workout_text.parsing import parse_workout

MOST_WORKOUTS = 1_000
"""Workouts of one person, or shared with one workspace."""
MOST_BODY_BYTES = 250_000
"""A text of 20,000 and a description of 10,000 characters have up to 120,000 bytes, or twice as many with escapes."""
BUILT_IN_FOLDER = "Coachboard"
_BUILT_IN_FILE = "workouts.toml"
_FIELDS = (
    "folder",
    "title",
    "sport",
    "trainingStimulus",
    "description",
    "text",
    "isDraft",
    "duration",
    "distance",
    "freeDuration",
)
_REQUIRED = ("title", "sport")
E = TypeVar("E", Sport, TrainingStimulus)


class Library(CalendarRoutes):
    """The routes of libraries."""

    def routes(self) -> list[Route]:
        path = f"{PLAN_PATH}/workouts"
        return [
            Route(path, self.list_workouts, methods=["GET"]),
            Route(path, self.create, methods=["POST"]),
            Route(f"{path}/{{workout_id}}", self.get, methods=["GET"]),
            Route(f"{path}/{{workout_id}}", self.change, methods=["PATCH"]),
            Route(f"{path}/{{workout_id}}", self.delete, methods=["DELETE"]),
        ]

    async def list_workouts(self, request: Request) -> Response:
        """The workouts that the caller may use and that match the search, by folder and title, Coachboard's last."""
        is_match = _search(request)
        return list_reply([row for row in await self._read(_all, request) if is_match(row)])

    async def create(self, request: Request) -> Response:
        value, caller_id = await _value(request), caller_of(request)
        missing = [name for name in _REQUIRED if getattr(value, name) is None]
        if missing:
            raise InvalidRequest(f"A new workout needs {', '.join(missing)}.")
        await self._read(lambda _plans, rights, _: rights.require_workspace(value.workspace_id), request)
        # Off the event loop: a long text takes half a second.
        fields = await run_in_threadpool(_changed, {}, value)
        workout = StoredWorkout(
            id=new_id("lib"),
            user_id=caller_id if value.workspace_id is None else None,
            workspace_id=value.workspace_id,
            creator_id=caller_id,
            updated_at=self._now_us(),
            fields=fields,
        )
        return _tagged(await self._write(_add, request, workout))

    async def get(self, request: Request) -> Response:
        return _tagged(existing(await self._read(_current, request), "workout"))

    async def change(self, request: Request) -> Response:
        tag, value, caller_id = expected_tag(request), await _value(request), caller_of(request)
        seen = await self._read(_writable, request)
        if _etag(seen) != tag:
            return stale_reply(await self._read(_current, request))
        changed = replace(
            seen,
            fields=await run_in_threadpool(_changed, seen.fields, value),
            updated_at=max(self._now_us(), seen.updated_at + 1),
        )
        if "workspace_id" in value.model_fields_set and value.workspace_id != seen.workspace_id:
            owner_id = caller_id if value.workspace_id is None else None
            changed = replace(changed, user_id=owner_id, workspace_id=value.workspace_id)
        written = await self._write(_replace, request, seen, changed)
        return stale_reply(await self._read(_current, request)) if written is None else _tagged(written)

    async def delete(self, request: Request) -> Response:
        removed = await self._write(_remove, request, expected_tag(request))
        return stale_reply(await self._read(_current, request)) if removed is None else _tagged(removed)

    def _now_us(self) -> int:
        return int(self._clock() * 1e6)


def _all(plans: Plans, rights: Rights, _request: Request) -> list[LibraryWorkout]:
    rows = plans.library.visible_to(rights.caller_id, rights.led_names)
    names = plans.names({row.creator_id for row in rows})
    workouts = [_workout(row, names) for row in rows]
    workouts.sort(key=lambda row: (searchable(row.folder or ""), searchable(row.title), row.id))
    return [*workouts, *built_in()]


def _readable(plans: Plans, rights: Rights, request: Request) -> StoredWorkout | LibraryWorkout | None:
    """The workout of the path if the caller may use it."""
    workout_id = request.path_params["workout_id"]
    ours = next((row for row in built_in() if row.id == workout_id), None)
    row = plans.library.find(workout_id) if ours is None and is_id(workout_id) else None
    is_readable = row is not None and (
        row.user_id == rights.caller_id or row.workspace_id in rights.led_names
    )
    return row if is_readable else ours


def _current(plans: Plans, rights: Rights, request: Request) -> LibraryWorkout | None:
    """The workout of the path as the caller sees it."""
    row = _readable(plans, rights, request)
    return _named(plans, row) if isinstance(row, StoredWorkout) else row


def _writable(plans: Plans, rights: Rights, request: Request) -> StoredWorkout:
    row = _readable(plans, rights, request)
    if isinstance(row, LibraryWorkout):
        raise NotAllowed("This workout comes with Coachboard: save a copy of it.")
    return existing(row, "workout")


def _require_room(plans: Plans, workout: StoredWorkout) -> None:
    if plans.library.count(workout.user_id, workout.workspace_id) >= MOST_WORKOUTS:
        raise Conflict(f"This library has {MOST_WORKOUTS:,} workouts; delete some first.")


def _add(plans: Plans, _rights: Rights, _request: Request, workout: StoredWorkout) -> LibraryWorkout:
    _require_room(plans, workout)
    plans.library.add(workout)
    return _named(plans, workout)


def _replace(
    plans: Plans, rights: Rights, _request: Request, seen: StoredWorkout, workout: StoredWorkout
) -> LibraryWorkout | None:
    """The workout as written; None if it has changed since it was read."""
    if workout.workspace_id != seen.workspace_id:
        rights.require_workspace(workout.workspace_id)
        if workout.workspace_id is None and seen.creator_id != rights.caller_id:
            raise NotAllowed("Only the person who made this workout makes it private.")
        _require_room(plans, workout)
    return _named(plans, workout) if plans.library.replace(seen, workout) else None


def _remove(plans: Plans, rights: Rights, request: Request, tag: str) -> LibraryWorkout | None:
    """The workout as deleted; None if it has changed since it was read."""
    seen = _writable(plans, rights, request)
    is_removed = _etag(seen) == tag and plans.library.remove(seen)
    return _named(plans, seen) if is_removed else None


def _named(plans: Plans, row: StoredWorkout) -> LibraryWorkout:
    return _workout(row, plans.names({row.creator_id}))


def _tagged(workout: LibraryWorkout) -> Response:
    return reply(workout, etag=workout.etag)


@cache
def built_in() -> tuple[LibraryWorkout, ...]:
    """Coachboard's workouts, in the order of their file."""
    rows = tomllib.loads(files(__package__).joinpath(_BUILT_IN_FILE).read_text(encoding="utf-8"))["workout"]
    return tuple(
        LibraryWorkout.from_wire(
            {
                **_changed({}, LibraryValue.from_wire({name: row[name] for name in row if name != "id"})),
                "id": f"lib_{row['id']}",
                "folder": BUILT_IN_FOLDER,
                "workspaceId": None,
                "isBuiltIn": True,
                "createdBy": None,
                "updatedAt": None,
                "etag": tag_of(row),
            }
        )
        for row in rows
    )


async def _value(request: Request) -> LibraryValue:
    return read_json(await read_body(request, most_bytes=MOST_BODY_BYTES) or b"{}", LibraryValue)


def _changed(fields: Mapping[str, Any], value: LibraryValue) -> dict[str, Any]:
    """The fields of a workout, by the names of the wire, with those of the value. Raises `InvalidRequest`."""
    given = value.model_fields_set - {"workspace_id"}
    nulls = [name for name in _REQUIRED if name in given and getattr(value, name) is None]
    if nulls:
        raise InvalidRequest(f"{', '.join(nulls)}: may not be null")
    body = {**dict.fromkeys((*_FIELDS, "structure")), **fields}
    body |= value.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"workspace_id"})
    for name in {"title", "description"} & given:
        body[name] = cleaned_text(name, getattr(value, name))
    body["folder"] = name_of(body["folder"])
    entry = {"text": body["text"], "isDraft": body["isDraft"]}
    follow_text(value, given, body, entry)
    body |= {"text": entry["text"], "isDraft": bool(entry["isDraft"]) and entry["text"] is not None}
    if body["text"] is not None and body["duration"] is None and not body["isDraft"]:
        body["duration"] = _usual_duration_s(body)
    return {name: body[name] for name in _FIELDS}


def _usual_duration_s(body: Mapping[str, Any]) -> float | None:
    """The time of steps by distance at a usual speed of the sport."""
    sport = Sport(body["sport"])
    structure = parse_workout(body["text"], sport).structure
    seconds = estimated_duration_s(
        structure, free_duration_s=body["freeDuration"], speed_mps=DEFAULT_SPEED_MPS.get(sport)
    )
    return None if isnan(seconds) or not structure else round(seconds)


def _workout(row: StoredWorkout, names: Mapping[str, str]) -> LibraryWorkout:
    return LibraryWorkout.from_wire(
        {
            **row.fields,
            "id": row.id,
            "workspaceId": row.workspace_id,
            "isBuiltIn": False,
            "createdBy": {"id": row.creator_id, "name": names[row.creator_id]},
            "updatedAt": write_timestamp(datetime.fromtimestamp(row.updated_at // 1_000_000, UTC)),
            "etag": _etag(row),
        }
    )


def _etag(row: StoredWorkout) -> str:
    return tag_of(row.id, row.updated_at)


def _search(request: Request) -> Callable[[LibraryWorkout], bool]:
    """Whether a workout matches the query; raises `InvalidRequest`."""
    words = searchable(_queried(request, "words") or "").split()
    sport, stimulus = _choice(request, "sport", Sport), _choice(request, "trainingStimulus", TrainingStimulus)
    shortest_s = whole_number(request, "minDuration", default=0, most=LONGEST_WORKOUT_S)
    longest_s = whole_number(request, "maxDuration", default=LONGEST_WORKOUT_S, most=LONGEST_WORKOUT_S)
    has_length = {"minDuration", "maxDuration"} & request.query_params.keys()

    def is_match(row: LibraryWorkout) -> bool:
        text = searchable(" ".join(filter(None, (row.title, row.folder, row.description))))
        return (
            all(word in text for word in words)
            and sport in {None, row.sport}
            and stimulus in {None, row.training_stimulus}
            and (not has_length or (row.duration is not None and shortest_s <= row.duration <= longest_s))
        )

    return is_match


def _queried(request: Request, name: str) -> str | None:
    """A parameter that may be absent; raises `InvalidRequest`."""
    values = request.query_params.getlist(name)
    if len(values) > 1:
        raise InvalidRequest(f"The query parameter '{name}' may be given once.")
    if values and not (is_storable(values[0]) and len(values[0]) <= MOST_WORDS):
        raise InvalidRequest(
            f"The query parameter '{name}' has a control character or more than {MOST_WORDS} characters."
        )
    return values[0] if values else None


def _choice(request: Request, name: str, values: type[E]) -> E | None:
    text = _queried(request, name)
    try:
        return None if text is None else values(text)
    except ValueError:
        raise InvalidRequest(f"The query parameter '{name}' must be one of: {', '.join(values)}.") from None
