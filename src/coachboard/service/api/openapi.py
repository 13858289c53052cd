"""The description of the interface, OpenAPI 3.1, generated from the models and the catalogue of fields."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from coachboard.wire.activities import Activity
from coachboard.wire.body import Metric, Sleep
from coachboard.wire.errors import ErrorBody
from coachboard.wire.fields import WireField, field_of
from coachboard.wire.plans import Event, Note
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.stream_columns import COLUMNS, snake_name
from coachboard.wire.streams import TIMESTAMP
from coachboard.wire.users import CreateWorkspaceInvitation, User, UserProfile, WorkspaceInvitation

REF = "#/components/schemas"
Schema = dict[str, Any]

_NOTE_OF_CODE = re.compile(r"[;\s]*spec: not shown.*", re.DOTALL)
_STAMPS = ["2026-05-01T06:30:00Z", "2026-05-01T06:30:01Z", None]


def schemas_of(directed: Iterable[tuple[type[BaseModel], JsonSchemaMode]]) -> Schema:
    """The schemas of models and of the objects in them, by name; `describe` completes them."""
    _, top = models_json_schema(list(directed), ref_template=REF + "/{model}")
    schemas: Schema = top["$defs"]
    return schemas


def describe(schemas: Schema) -> Schema:
    """Add description, unit and examples to each property."""
    for model, schema in schemas.items():
        schema.pop("title", None)
        if "description" in schema:
            schema["description"] = _NOTE_OF_CODE.sub("", schema["description"]).rstrip(".") + "."
        for name, part in schema.get("properties", {}).items():
            part.pop("title", None)
            if "description" not in part:
                # A recursive object that is sent and received has two names, `X-Input` and `X-Output`.
                part.update(_described(field_of(model.partition("-")[0], snake_name(name))))
    for schema in schemas.values():
        for part in schema.get("properties", {}).values():
            part.setdefault("examples", [example_of(part, schemas)])
    return schemas


def _described(field: WireField) -> Schema:
    examples = {} if field.example is None else {"examples": [field.example]}
    return {**_text_and_unit(field.text, field.unit), **examples}


def _text_and_unit(text: str, unit: str | None) -> Schema:
    return {"description": text} if unit is None else {"description": f"{text} Unit: {unit}.", "x-unit": unit}


def example_of(schema: Mapping[str, Any], schemas: Schema) -> Any:
    """An example of a schema: its own, or one made of the examples of its parts."""
    if "examples" in schema:
        return schema["examples"][0]
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].removeprefix(f"{REF}/")], schemas)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return example_of(schema[union][0], schemas)
    if schema.get("type") == "array":
        return [example_of(schema["items"], schemas)]
    return {name: example_of(part, schemas) for name, part in schema["properties"].items()}


def streams_schema() -> Schema:
    """The time series of an activity: one property for each record of the catalogue of columns."""
    words = {"enum": ["Infinity", "-Infinity", "NaN"]}
    values = {"type": "array", "items": {"anyOf": [{"type": "number"}, words, {"type": "null"}]}}
    stamps = {
        "type": "array",
        "items": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
        "description": "Times of the samples, in UTC.",
        "examples": [_STAMPS],
    }
    columns = {
        column.wire_name: {
            **values,
            **_text_and_unit(" ".join(filter(None, (f"{column.title}.", column.note))), column.unit),
            "examples": [[column.example, column.example, None]],
        }
        for column in COLUMNS
    }
    return {
        "type": "object",
        "description": "Columns of equal length, aligned by index; one that was not recorded is absent.",
        "properties": {TIMESTAMP: stamps, **columns},
        "additionalProperties": False,
    }


def document_of(
    address: str,
    info: Mapping[str, str],
    *,
    tags: Mapping[str, str],
    paths: Mapping[str, Any],
    schemas: Schema,
) -> dict[str, Any]:
    """The description of an API at that address; its key is a bearer token."""
    return {
        "openapi": "3.1.0",
        "info": dict(info),
        "servers": [{"url": address}],
        "security": [{"bearer": []}],
        "tags": [{"name": name, "description": text} for name, text in tags.items()],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "schemas": schemas,
        },
    }


FILE = "*"
"""The name of a body that is a file."""


def content_of(name: str) -> dict[str, Any]:
    """A body by the name of its model; a name in brackets is a list."""
    if name == FILE:
        return {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    reference = {"$ref": f"{REF}/{name.strip('[]')}"}
    schema = {"type": "array", "items": reference} if name.startswith("[") else reference
    return {"application/json": {"schema": schema}}


def refusals_of(errors: Mapping[str, str]) -> dict[str, Any]:
    """The replies with an error, by status."""
    return {code: {"description": text, "content": content_of("ErrorBody")} for code, text in errors.items()}


VERSION = "0.1.0"

_SENT: tuple[type[BaseModel], ...] = (
    User,
    UserProfile,
    Activity,
    TrainingPrescription,
    Note,
    Event,
    Metric,
    Sleep,
    WorkspaceInvitation,
    ErrorBody,
)
_TAGS = {
    "People": "The caller and the athletes whom the caller may read.",
    "Activities": "Recorded sessions and their time series.",
    "Plans": "Planned workouts, notes, events and races.",
    "Body": "Metrics and recorded nights.",
    "Invitations": "Invitations to a workspace.",
}
_RANGED: dict[str, tuple[type[BaseModel], str, str]] = {
    "activities": (
        Activity,
        "Activities",
        "Activity summaries, most recent first; `from` and `to` are local dates.",
    ),
    "training-prescriptions": (TrainingPrescription, "Plans", "Planned workouts, most recent first."),
    "notes": (Note, "Plans", "Notes, most recent first; hidden notes only for their creator."),
    "events": (Event, "Plans", "Planned events and races, most recent first."),
    "metrics": (Metric, "Body", "Body and performance metrics, oldest first."),
    "sleeps": (Sleep, "Body", "Recorded nights, most recent first; `from` and `to` refer to `day`."),
}
_ERRORS = {
    "400": "The request is invalid.",
    "401": "The API key is missing or invalid.",
    "404": "It does not exist or is not accessible to the caller.",
    "413": "The request body is too long.",
    "429": "A rate limit is exceeded.",
}


@cache
def document_json(address: str) -> bytes:
    """The description as JSON bytes."""
    return orjson.dumps(document(address))


def document(address: str) -> dict[str, Any]:
    """The description of a service at that address."""
    info = {
        "title": "Training data query service",
        "version": VERSION,
        "description": "Training data of the owner of an API key and of the athletes they coach.",
    }
    return document_of(address, info, tags=_TAGS, paths=_paths(), schemas=_schemas())


def _schemas() -> Schema:
    directed: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "serialization") for model in _SENT]
    schemas = schemas_of([*directed, (CreateWorkspaceInvitation, "validation")])
    workspaces = schemas["UserProfile"]["properties"]["workspaces"]
    # Absent in other people's profiles, but never null.
    schemas["UserProfile"]["properties"]["workspaces"] = next(
        choice for choice in workspaces["anyOf"] if choice["type"] == "array"
    )
    schemas["CreateWorkspaceInvitation"]["properties"]["email"]["format"] = "email"
    schemas["ActivityStreams"] = streams_schema()
    return describe(schemas)


def _paths() -> dict[str, Any]:
    user = _path_parameter("userId", "Id of a user, or `me` for the owner of the API key.", "me")
    activity = _path_parameter("activityId", "Id of an activity from the list of activities.", "act_1")
    workspace = _path_parameter(
        "workspaceId", "Id of a workspace where the caller is coach or admin.", "wke_1"
    )
    ranged = {
        f"/users/{{userId}}/{name}": {
            "get": _operation(
                f"list-{name}", tag, text, reply=f"[{model.__name__}]", parameters=[user, *_range()]
            )
        }
        for name, (model, tag, text) in _RANGED.items()
    }
    return {
        "/users": {"get": _operation("list-users", "People", "The athletes of the caller.", reply="[User]")},
        "/users/{userId}": {
            "get": _operation("get-user", "People", "A profile.", reply="UserProfile", parameters=[user])
        },
        **ranged,
        "/activities/{activityId}/streams": {
            "get": _operation(
                "get-streams",
                "Activities",
                "Time series.",
                reply="ActivityStreams",
                parameters=[activity],
            )
        },
        "/workspaces/{workspaceId}/invitations": {"post": _invitation(workspace)},
    }


def _invitation(workspace: dict[str, Any]) -> dict[str, Any]:
    text = "Invite an address; a pending invitation is extended by two days and keeps its code."
    operation = _operation(
        "create-invitation", "Invitations", text, reply="WorkspaceInvitation", parameters=[workspace]
    )
    body = {"required": True, "content": content_of("CreateWorkspaceInvitation")}
    return {**operation, "requestBody": body, "responses": {**operation["responses"], "413": _error("413")}}


def _operation(
    name: str,
    tag: str,
    summary: str,
    *,
    reply: str,
    parameters: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    # The list of users has no parameter in its path, so it has no 404 ("Endpoints", 1).
    statuses = ["400", "401", "404", "429"] if parameters else ["400", "401", "429"]
    replies = {"200": {"description": "Success.", "content": content_of(reply)}}
    errors = {status: _error(status) for status in statuses}
    operation = {"operationId": name, "tags": [tag], "summary": summary, "responses": {**replies, **errors}}
    return {**operation, "parameters": parameters} if parameters else operation


def _error(status: str) -> dict[str, Any]:
    error: dict[str, Any] = {"description": _ERRORS[status], "content": content_of("ErrorBody")}
    if status == "429":
        text = "Seconds until the current rate limit window ends."
        error["headers"] = {
            "Retry-After": {"required": True, "description": text, "schema": {"type": "integer"}}
        }
    return error


def _path_parameter(name: str, text: str, example: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": text,
        "schema": {"type": "string", "minLength": 1},
        "example": example,
    }


def _range() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "query",
            "description": text,
            "schema": {"type": "string", "format": "date"},
            "example": example,
        }
        for name, text, example in (
            ("from", "First day, inclusive.", "2026-05-01"),
            ("to", "Last day, inclusive.", "2026-05-31"),
        )
    ]
