"""The description of `/own/v1`, OpenAPI 3.1, generated from the models."""

from functools import cache
from typing import TYPE_CHECKING, Any

import orjson
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from coachboard.models import own_data
from coachboard.models.errors import ErrorBody
from coachboard.service.own_data.requests import PATH

if TYPE_CHECKING:
    from coachboard.models.base import Wire

_SCHEMAS = "#/components/schemas"
_REQUESTS = (
    own_data.NewImport,
    own_data.StartImport,
    own_data.ActivityPatch,
    own_data.JoinRequest,
    own_data.MetricInput,
    own_data.InvitationCode,
    own_data.AcceptInvitation,
    own_data.NewKey,
    own_data.KeyLabel,
)
_REPLIES = (
    own_data.Features,
    own_data.Changes,
    own_data.ReceivedFile,
    own_data.Job,
    own_data.ImportJob,
    own_data.Preview,
    own_data.OwnActivity,
    own_data.OwnMetric,
    own_data.SavedMetric,
    own_data.InvitationOffer,
    own_data.AcceptedInvitation,
    own_data.OwnKey,
    own_data.CreatedKey,
    own_data.OwnMembership,
    ErrorBody,
)
_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_Row = tuple[str, str, str, str, str | None, str | None]
_OPERATIONS: tuple[_Row, ...] = (
    # method, path, summary, status, request, reply; a reply in brackets is a list, * is a file
    ("get", "", "The features that the service has.", "200", None, "Features"),
    ("get", "/changes", "The people whose data changed after a version.", "200", None, "Changes"),
    ("get", "/imports", "Imports, newest first, without their reports.", "200", None, "[ImportJob]"),
    ("post", "/imports", "Create an import that receives files.", "201", "NewImport", "ImportJob"),
    ("get", "/imports/{importId}", "An import with progress and report.", "200", None, "ImportJob"),
    ("delete", "/imports/{importId}", "Undo an import.", "200", None, "ImportJob"),
    ("put", "/imports/{importId}/files", "Send one file.", "200", "*", "ReceivedFile"),
    ("get", "/imports/{importId}/preview", "The columns of a CSV file.", "200", None, "Preview"),
    ("post", "/imports/{importId}/start", "Start an import.", "202", "StartImport", "ImportJob"),
    ("get", "/activities/deleted", "Activities that can be restored.", "200", None, "[OwnActivity]"),
    ("get", "/activities/{activityId}", "What can be corrected.", "200", None, "OwnActivity"),
    ("patch", "/activities/{activityId}", "Correct an activity.", "200", "ActivityPatch", "OwnActivity"),
    ("delete", "/activities/{activityId}", "Delete an activity.", "200", None, "OwnActivity"),
    ("post", "/activities/{activityId}/restore", "Restore an activity.", "200", None, "OwnActivity"),
    ("post", "/activities/{activityId}/join", "Append another one.", "200", "JoinRequest", "OwnActivity"),
    ("get", "/activities/{activityId}/file", "The original file.", "200", None, "*"),
    ("put", "/activities/{activityId}/file", "Replace the file.", "200", "*", "OwnActivity"),
    ("get", "/metrics", "Values, oldest first.", "200", None, "[OwnMetric]"),
    ("post", "/metrics", "Add a value.", "201", "MetricInput", "SavedMetric"),
    ("put", "/metrics/{metricId}", "Replace a value.", "200", "MetricInput", "SavedMetric"),
    ("delete", "/metrics/{metricId}", "Delete a value.", "200", None, "SavedMetric"),
    ("post", "/recomputations", "Recompute loads.", "202", None, "Job"),
    ("get", "/recomputations/{jobId}", "A recomputation's progress.", "200", None, "Job"),
    ("post", "/invitations/look-up", "The invitation of a code.", "200", "InvitationCode", "InvitationOffer"),
    ("post", "/invitations/accept", "Accept one.", "201", "AcceptInvitation", "AcceptedInvitation"),
    ("get", "/keys", "Valid keys, oldest first.", "200", None, "[OwnKey]"),
    ("post", "/keys", "Create a key.", "201", "NewKey", "CreatedKey"),
    ("patch", "/keys/{keyId}", "Rename a key.", "200", "KeyLabel", "OwnKey"),
    ("delete", "/keys/{keyId}", "Revoke a key.", "200", None, "OwnKey"),
    ("get", "/memberships", "Workspaces and who may read.", "200", None, "[OwnMembership]"),
    ("delete", "/memberships/{workspaceId}", "Leave a workspace.", "200", None, "OwnMembership"),
)
_QUERIES = {
    "/changes": ("since", "integer", False),
    "/imports/{importId}/files": ("name", "string", True),
    "/imports/{importId}/preview": ("name", "string", True),
    "/activities/{activityId}/file": ("name", "string", True),
}
_ERRORS = {
    "400": "The request is invalid.",
    "401": "The API key is missing or invalid.",
    "404": "It does not exist or belongs to another person.",
    "429": "A rate limit is exceeded.",
}
_CHANGE_ERRORS = {
    "412": "The row has changed; the body has it as `current`.",
    "428": "The If-Match header is missing.",
}


@cache
def document_json(address: str) -> bytes:
    """The description for a service at that address, as JSON bytes."""
    return orjson.dumps(document(address))


def document(address: str) -> dict[str, Any]:
    """The description for a service at that address."""
    paths: dict[str, dict[str, Any]] = {}
    for row in _OPERATIONS:
        paths.setdefault(PATH + row[1], {})[row[0]] = _operation(row)
    schemes = {"bearer": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Own data",
            "version": own_data.VERSION,
            "description": "Imports, corrections, values, keys and memberships of the owner of an API key.",
        },
        "servers": [{"url": address}],
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {"securitySchemes": schemes, "schemas": _schemas()},
    }


def _schemas() -> dict[str, Any]:
    directed: list[tuple[type[Wire], JsonSchemaMode]] = [
        *((model, "serialization") for model in _REPLIES),
        *((model, "validation") for model in _REQUESTS),
    ]
    _, top = models_json_schema(directed, ref_template=_SCHEMAS + "/{model}")
    schemas: dict[str, Any] = top["$defs"]
    return schemas


def _operation(row: _Row) -> dict[str, Any]:
    method, path, summary, status, request, reply = row
    words = [word.strip("{}") for word in path.split("/") if word]
    errors = {**_ERRORS, **(_CHANGE_ERRORS if _is_conditional(method, path) else {})}
    replies = {
        code: {"description": text, "content": _json(_ref("ErrorBody"))} for code, text in errors.items()
    }
    operation: dict[str, Any] = {
        "operationId": "-".join([method, *words]) or method,
        "summary": summary,
        "parameters": _parameters(method, path),
        "responses": {status: {"description": "Success.", "content": _content(reply)}, **replies},
    }
    if request is not None:
        operation["requestBody"] = {"required": request != "StartImport", "content": _content(request)}
    if path.startswith("/invitations/"):
        operation["security"] = [{}, {"bearer": []}]  # a new person has no key yet
    return operation


def _is_conditional(method: str, path: str) -> bool:
    is_row = path.startswith(("/activities/{", "/metrics/{"))
    return is_row and method != "get"


def _parameters(method: str, path: str) -> list[dict[str, Any]]:
    found = [
        {"name": word.strip("{}"), "in": "path", "required": True, "schema": {"type": "string"}}
        for word in path.split("/")
        if word.startswith("{")
    ]
    if path in _QUERIES and (method, path) != ("get", "/activities/{activityId}/file"):
        name, kind, is_required = _QUERIES[path]
        found.append({"name": name, "in": "query", "required": is_required, "schema": {"type": kind}})
    if _is_conditional(method, path):
        found.append({"name": "If-Match", "in": "header", "required": True, "schema": {"type": "string"}})
    return found


def _content(name: str | None) -> dict[str, Any]:
    if name == "*":
        return _BYTES
    assert name is not None
    if name.startswith("["):
        return _json({"type": "array", "items": _ref(name.strip("[]"))})
    return _json(_ref(name))


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"{_SCHEMAS}/{name}"}
