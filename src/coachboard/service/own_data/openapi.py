"""The description of `/own/v1`, OpenAPI 3.1, generated from the models."""

from functools import cache
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from coachboard.service.api.openapi import content_of, describe, document_of, refusals_of, schemas_of
from coachboard.service.own_data.requests import PATH
from coachboard.wire import own_data
from coachboard.wire.errors import ErrorBody
from coachboard.wire.fields import field_of

_REQUESTS = (
    own_data.NewImport,
    own_data.StartImport,
    own_data.ActivityPatch,
    own_data.NewActivity,
    own_data.JoinRequest,
    own_data.PrescriptionPatch,
    own_data.MetricInput,
    own_data.InvitationCode,
    own_data.AcceptInvitation,
    own_data.NewKey,
    own_data.KeyLabel,
)
_REPLIES = (
    own_data.Features,
    own_data.Changes,
    own_data.MailState,
    own_data.ReceivedFile,
    own_data.Job,
    own_data.ImportJob,
    own_data.Preview,
    own_data.OwnActivity,
    own_data.OwnPrescription,
    own_data.OwnMetric,
    own_data.SavedMetric,
    own_data.InvitationOffer,
    own_data.AcceptedInvitation,
    own_data.OwnKey,
    own_data.CreatedKey,
    own_data.OwnMembership,
    ErrorBody,
)
_DIRECTED: list[tuple[type[BaseModel], JsonSchemaMode]] = [
    *((model, "serialization") for model in _REPLIES),
    *((model, "validation") for model in _REQUESTS),
]
_Row = tuple[str, str, str, str, str | None, str]
_OPERATIONS: tuple[_Row, ...] = (
    # method, path, summary, status, request, reply; a reply in brackets is a list, * is a file
    ("get", "", "The features that the service has.", "200", None, "Features"),
    ("get", "/changes", "The people whose data changed after a version.", "200", None, "Changes"),
    ("get", "/mail", "Why mails are not sent.", "200", None, "MailState"),
    ("get", "/imports", "Imports, newest first, without their reports.", "200", None, "[ImportJob]"),
    ("post", "/imports", "Create an import that receives files.", "201", "NewImport", "ImportJob"),
    ("get", "/imports/{importId}", "An import with progress and report.", "200", None, "ImportJob"),
    ("delete", "/imports/{importId}", "Undo an import.", "200", None, "ImportJob"),
    ("put", "/imports/{importId}/files", "Send one file.", "200", "*", "ReceivedFile"),
    ("get", "/imports/{importId}/preview", "The columns of a CSV file.", "200", None, "Preview"),
    ("post", "/imports/{importId}/start", "Start an import.", "202", "StartImport", "ImportJob"),
    ("get", "/activities/deleted", "Activities that can be restored.", "200", None, "[OwnActivity]"),
    ("post", "/activities", "Enter a session by hand.", "201", "NewActivity", "OwnActivity"),
    ("get", "/activities/{activityId}", "What can be corrected.", "200", None, "OwnActivity"),
    ("patch", "/activities/{activityId}", "Correct an activity.", "200", "ActivityPatch", "OwnActivity"),
    ("delete", "/activities/{activityId}", "Delete an activity.", "200", None, "OwnActivity"),
    ("post", "/activities/{activityId}/restore", "Restore an activity.", "200", None, "OwnActivity"),
    ("post", "/activities/{activityId}/join", "Append another one.", "200", "JoinRequest", "OwnActivity"),
    ("get", "/activities/{activityId}/file", "The original file.", "200", None, "*"),
    ("put", "/activities/{activityId}/file", "Replace the file.", "200", "*", "OwnActivity"),
    ("get", "/prescriptions", "Imported workouts, by day.", "200", None, "[OwnPrescription]"),
    (
        "patch",
        "/prescriptions/{prescriptionId}",
        "Move or rename it.",
        "200",
        "PrescriptionPatch",
        "OwnPrescription",
    ),
    ("delete", "/prescriptions/{prescriptionId}", "Delete it.", "200", None, "OwnPrescription"),
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
_TAGS = {
    "Discovery": "Features of the service and changes of its data.",
    "Imports": "Files that become activities, plans, nights and values.",
    "Activities": "Corrections, deletion and original files.",
    "Prescriptions": "Planned workouts that the owner imported.",
    "Values": "Metrics of the owner, and the recomputation of loads.",
    "Invitations": "Accepting an invitation, with and without a key.",
    "Keys": "API keys of the owner.",
    "Memberships": "Workspaces of the owner, and who may read there.",
}
_TAG_OF_PATH = {
    "": "Discovery",
    "changes": "Discovery",
    "mail": "Invitations",
    "metrics": "Values",
    "recomputations": "Values",
}
_QUERIES = {
    ("get", "/changes"): (("since", "string", False, "Stamp of an earlier reply.", "1h7s.mfq2b1x4.0"),),
    ("get", "/imports/{importId}"): (
        ("offset", "integer", False, "Lines of the report before the first one of the reply.", 500),
        ("limit", "integer", False, "Lines of the report in the reply, 0 to 500; 500 by default.", 500),
    ),
    ("put", "/imports/{importId}/files"): (("name", "string", True, "Name of the file.", "rides/a.fit"),),
    ("get", "/imports/{importId}/preview"): (
        ("name", "string", True, "Name of a received CSV file.", "nights.csv"),
    ),
    ("put", "/activities/{activityId}/file"): (("name", "string", True, "Name of the file.", "b.fit"),),
}
_IDS = {
    "importId": ("Id of an import.", "imp_1"),
    "activityId": ("Id of an activity of the caller.", "act_1"),
    "prescriptionId": ("Id of an imported workout of the caller.", "tpr_1"),
    "metricId": ("Id of a value of the caller.", "mtr_1"),
    "jobId": ("Id of a recomputation.", "job_1"),
    "keyId": ("Id of a key of the caller.", "key_1"),
    "workspaceId": ("Id of a workspace of the caller.", "wke_1"),
}
_ERRORS = {
    "400": "The request is invalid.",
    "401": "The API key is missing or invalid.",
    "404": "It does not exist or belongs to another person.",
    "429": "A rate limit is exceeded.",
    "503": "The database does not answer; `Retry-After` says when to try again.",
}
_WRITE_ERRORS = {"507": "The disk is full; nothing was saved."}
_BODY_ERRORS = {
    "408": "The body did not arrive in time.",
    "413": "The body is too large, or too many files wait.",
}
_CONFLICTS = {
    ("post", "/activities"): "A session of the same start and duration exists.",
    ("patch", "/activities/{activityId}"): "The start of this session cannot be changed.",
    ("put", "/imports/{importId}/files"): "The import does not receive files any more.",
    (
        "post",
        "/activities/{activityId}/restore",
    ): "The activity that it was joined to cannot be read without it.",
    ("post", "/activities/{activityId}/join"): "The two cannot be joined.",
    ("get", "/activities/{activityId}/file"): "The original file is missing or damaged.",
    ("post", "/invitations/accept"): "The owner of the key is a member already.",
    ("post", "/keys"): "The owner has too many keys.",
    (
        "delete",
        "/memberships/{workspaceId}",
    ): "The caller is the only coach or admin, or the only admin, and there are other members.",
}
_INVITATION_ERRORS = {"410": "The invitation was used or has expired."}
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
    info = {
        "title": "Own data",
        "version": own_data.VERSION,
        "description": "Imports, corrections, values, keys and memberships of the owner of an API key. "
        "A method that a path does not list is 405; a fault of the service itself is 500.",
    }
    schemas = describe(schemas_of(_DIRECTED))
    return document_of(address, info, tags=_TAGS, paths=paths, schemas=schemas)


def _operation(row: _Row) -> dict[str, Any]:
    method, path, summary, status, request, reply = row
    words = [word.strip("{}") for word in path.split("/") if word]
    errors = _errors(method, path, has_body=request is not None)
    operation: dict[str, Any] = {
        "operationId": "-".join([method, *words]) or method,
        "tags": [_tag(words[0] if words else "")],
        "summary": summary,
        "parameters": _parameters(method, path),
        "responses": {
            status: {"description": "Success.", "content": content_of(reply)},
            **refusals_of(errors),
        },
    }
    if request is not None:
        operation["requestBody"] = {"required": request != "StartImport", "content": content_of(request)}
    if path.startswith("/invitations/"):
        operation["security"] = [{}, {"bearer": []}]  # a new person has no key yet
    return operation


def _errors(method: str, path: str, *, has_body: bool) -> dict[str, str]:
    """The statuses other than success that a request can have, with their reasons."""
    errors = dict(_ERRORS)
    errors |= _CHANGE_ERRORS if _is_conditional(method, path) else {}
    errors |= _WRITE_ERRORS if method != "get" else {}
    errors |= _BODY_ERRORS if has_body else {}
    errors |= _INVITATION_ERRORS if path.startswith("/invitations/") else {}
    if (method, path) in _CONFLICTS:
        errors["409"] = _CONFLICTS[method, path]
    return dict(sorted(errors.items()))


def _is_conditional(method: str, path: str) -> bool:
    is_row = path.startswith(("/activities/{", "/prescriptions/{", "/metrics/{"))
    return is_row and method != "get"


def _tag(word: str) -> str:
    return _TAG_OF_PATH.get(word, word.capitalize())


def _parameters(method: str, path: str) -> list[dict[str, Any]]:
    words = [word.strip("{}") for word in path.split("/") if word.startswith("{")]
    parameters = [_parameter(word, "path", "string", *_IDS[word]) for word in words]
    for name, kind, is_required, text, example in _QUERIES.get((method, path), ()):
        parameters.append({**_parameter(name, "query", kind, text, example), "required": is_required})
    if _is_conditional(method, path):
        text = "The row's `etag`."
        parameters.append(_parameter("If-Match", "header", "string", text, field_of("", "etag").example))
    return parameters


def _parameter(name: str, place: str, kind: str, text: str, example: object) -> dict[str, Any]:
    described = {"description": text, "schema": {"type": kind}, "example": example}
    return {"name": name, "in": place, "required": True, **described}
