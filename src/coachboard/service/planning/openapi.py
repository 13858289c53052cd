"""The description of `/plan/v1`, OpenAPI 3.1, generated from the models."""

import re
from functools import cache
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from coachboard.service.api.openapi import FILE, content_of, describe, document_of, refusals_of, schemas_of
from coachboard.service.api.request_checks import PLAN_PATH
from coachboard.service.planning.files import DROPPED
from coachboard.wire import athlete_settings, comments, library, planning, training_plans
from coachboard.wire.enums import Sport, TrainingStimulus
from coachboard.wire.errors import ErrorBody
from coachboard.workout_files.formats import WorkoutFormat

_DIRECTED: list[tuple[type[BaseModel], JsonSchemaMode]] = [
    (planning.PlanFeatures, "serialization"),
    (planning.PlanEntry, "serialization"),
    (planning.BatchReply, "serialization"),
    (planning.BatchRecord, "serialization"),
    (planning.StaleRowsBody, "serialization"),
    (planning.ChangedRowBody, "serialization"),
    (ErrorBody, "serialization"),
    (planning.PlanBatch, "validation"),
    (planning.UndoRequest, "validation"),
    (planning.ParseRequest, "validation"),
    (planning.NewFeed, "validation"),
    (planning.Feed, "serialization"),
    (planning.PlanProfile, "serialization"),
    (planning.ProfilePatch, "validation"),
    (planning.WorkspaceMember, "serialization"),
    (planning.MemberPatch, "validation"),
    (planning.InvitedPerson, "serialization"),
    (planning.InvitationPatch, "validation"),
    (planning.IntervalsConnection, "validation"),
    (planning.IntervalsState, "serialization"),
    (planning.ParsedText, "serialization"),
    (planning.WorkoutLoad, "serialization"),
    (planning.WorkoutScore, "serialization"),
    (planning.PlannedValues, "serialization"),
    (library.LibraryWorkout, "serialization"),
    (library.LibraryValue, "validation"),
    (library.StaleWorkoutBody, "serialization"),
    (comments.Comment, "serialization"),
    (comments.CommentText, "validation"),
    (comments.UnreadComment, "serialization"),
    (comments.ReadComments, "validation"),
    (comments.CommentMailChoice, "serialization"),
    (comments.NewCommentMail, "validation"),
    (comments.AthleteGroups, "serialization"),
    (comments.GroupNames, "validation"),
    *((model, "validation") for model in athlete_settings.SENT),
    *((model, "serialization") for model in athlete_settings.RECEIVED),
    (training_plans.TrainingPlanInput, "validation"),
    (training_plans.ApplyRequest, "validation"),
    (training_plans.RollOutRequest, "validation"),
    (training_plans.TrainingPlan, "serialization"),
    (training_plans.TrainingPlanRow, "serialization"),
    (training_plans.PlanOutcome, "serialization"),
    (training_plans.StalePlanBody, "serialization"),
]
_ICS = "<ics>"
_SETTINGS = "Settings of an athlete"
_VALUES, _HOURS, _TARGETS, _ENTRIES, _LOADS, _SCORES, _DAY_VALUES = (
    f"/users/{{userId}}/{name}"
    for name in ("values", "availability", "targets", "entries", "loads", "scores", "day-values")
)
_VALUE, _HOURS_ROW, _TARGET = (
    f"{_VALUES}/{{valueId}}",
    f"{_HOURS}/{{availabilityId}}",
    f"{_TARGETS}/{{monday}}",
)
_UNDO, _WORKOUT = "/batches/{batchId}/undo", "/workouts/{workoutId}"
_MEMBERS, _INVITATIONS = (f"/workspaces/{{workspaceId}}/{name}" for name in ("members", "invitations"))
_MEMBER, _INVITATION = f"{_MEMBERS}/{{userId}}", f"{_INVITATIONS}/{{invitationId}}"
_ETAG = "9b2e77c1d04a5f60b3aa"
_Row = tuple[str, str, str, str, str | None, str]
_OPERATIONS: tuple[_Row, ...] = (
    # method, path, tag, summary, request, reply; a reply in brackets is a list
    ("get", "", "Discovery", "The features that the service has.", None, "PlanFeatures"),
    ("get", _ENTRIES, "Entries", "Entries whose days overlap the range.", None, "[PlanEntry]"),
    (
        "get",
        _LOADS,
        "Texts",
        "Loads of planned workouts from their steps; a workout whose steps give none is left out.",
        None,
        "[WorkoutLoad]",
    ),
    ("get", _SCORES, "Entries", "Scores of the planned workouts that were done.", None, "[WorkoutScore]"),
    ("get", _DAY_VALUES, "Texts", "The values that the figures of a workout follow.", None, "PlannedValues"),
    ("get", _VALUES, _SETTINGS, "The values that were set or imported, by day.", None, "[AthleteValue]"),
    ("post", _VALUES, _SETTINGS, "Set a value from a day on.", "NewAthleteValue", "SavedAthleteValue"),
    ("patch", _VALUE, _SETTINGS, "Correct a value.", "AthleteValuePatch", "SavedAthleteValue"),
    ("delete", _VALUE, _SETTINGS, "Delete a value.", None, "SavedAthleteValue"),
    ("get", _HOURS, _SETTINGS, "Hours by weekday, by day.", None, "[Availability]"),
    ("post", _HOURS, _SETTINGS, "Add hours or an exception.", "NewAvailability", "Availability"),
    ("patch", _HOURS_ROW, _SETTINGS, "Correct hours.", "AvailabilityPatch", "Availability"),
    ("delete", _HOURS_ROW, _SETTINGS, "Delete hours.", None, "Availability"),
    ("get", _TARGETS, _SETTINGS, "Targets of the weeks that begin in the range.", None, "[WeekTarget]"),
    ("put", _TARGET, _SETTINGS, "Set the target of a week.", "NewWeekTarget", "WeekTarget"),
    ("delete", _TARGET, _SETTINGS, "Delete the target of a week.", None, "WeekTarget"),
    ("get", "/entries/{entryId}", "Entries", "One entry.", None, "PlanEntry"),
    ("get", "/entries/{entryId}/file", "Files", "A planned workout as a file for a device.", None, FILE),
    ("get", "/users/{userId}/files", "Files", "The planned workouts of some days, as a zip.", None, FILE),
    ("get", "/batches", "Batches", "The last batches of a calendar, newest first.", None, "[BatchRecord]"),
    ("post", "/batches", "Batches", "Do all operations or none.", "PlanBatch", "BatchReply"),
    ("post", _UNDO, "Batches", "Bring back what was, as a new batch.", "UndoRequest", "BatchReply"),
    ("get", "/feeds", "Subscriptions", "The caller's subscriptions.", None, "[Feed]"),
    ("post", "/feeds", "Subscriptions", "Make a secret address of a calendar.", "NewFeed", "Feed"),
    ("get", "/feeds/{secret}.ics", "Subscriptions", "The calendar as iCalendar.", None, _ICS),
    ("delete", "/feeds/{feedId}", "Subscriptions", "Revoke an address.", None, "Feed"),
    ("post", "/feeds/{feedId}/renew", "Subscriptions", "Replace an address.", None, "Feed"),
    ("get", "/users/{userId}", "Subscriptions", "The time zone of a person.", None, "PlanProfile"),
    ("patch", "/users/{userId}", "Subscriptions", "Set the time zone.", "ProfilePatch", "PlanProfile"),
    ("get", "/workouts", "Library", "The workouts that the caller may use.", None, "[LibraryWorkout]"),
    ("post", "/workouts", "Library", "Add a workout.", "LibraryValue", "LibraryWorkout"),
    ("get", _WORKOUT, "Library", "One workout.", None, "LibraryWorkout"),
    ("patch", _WORKOUT, "Library", "Change or share a workout.", "LibraryValue", "LibraryWorkout"),
    ("delete", _WORKOUT, "Library", "Delete a workout.", None, "LibraryWorkout"),
    ("get", _MEMBERS, "People", "The members of a workspace.", None, "[WorkspaceMember]"),
    ("patch", _MEMBER, "People", "Change the role of a member.", "MemberPatch", "WorkspaceMember"),
    ("delete", _MEMBER, "People", "Remove a member.", None, "WorkspaceMember"),
    ("get", _INVITATIONS, "People", "The invitations that nobody has used.", None, "[InvitedPerson]"),
    (
        "patch",
        _INVITATION,
        "People",
        "Correct an invitation; another address gets another code.",
        "InvitationPatch",
        "InvitedPerson",
    ),
    ("delete", _INVITATION, "People", "Revoke an invitation.", None, "InvitedPerson"),
    (
        "get",
        "/groups",
        "Groups",
        "The athletes that the caller leads, with their groups.",
        None,
        "[AthleteGroups]",
    ),
    (
        "put",
        "/workspaces/{workspaceId}/athletes/{userId}/groups",
        "Groups",
        "Set the groups of an athlete.",
        "GroupNames",
        "AthleteGroups",
    ),
    ("get", "/entries/{entryId}/comments", "Comments", "Comments on an entry.", None, "[Comment]"),
    ("post", "/entries/{entryId}/comments", "Comments", "Comment on an entry.", "CommentText", "Comment"),
    ("get", "/activities/{activityId}/comments", "Comments", "Comments on a session.", None, "[Comment]"),
    (
        "post",
        "/activities/{activityId}/comments",
        "Comments",
        "Comment on a session.",
        "CommentText",
        "Comment",
    ),
    ("patch", "/comments/{commentId}", "Comments", "Change one's own comment.", "CommentText", "Comment"),
    ("delete", "/comments/{commentId}", "Comments", "Delete one's own comment for all.", None, "Comment"),
    ("get", "/comments/unread", "Comments", "What the caller has not read.", None, "[UnreadComment]"),
    ("post", "/comments/read", "Comments", "Mark comments as read.", "ReadComments", "ReadComments"),
    ("get", "/comments/mail", "Comments", "When mails about comments come.", None, "CommentMailChoice"),
    (
        "put",
        "/comments/mail",
        "Comments",
        "Choose when mails about comments come.",
        "NewCommentMail",
        "CommentMailChoice",
    ),
    ("get", "/plans", "Plans", "The plans that the caller may use.", None, "[TrainingPlanRow]"),
    ("post", "/plans", "Plans", "Add a plan.", "TrainingPlanInput", "TrainingPlan"),
    ("get", "/plans/{planId}", "Plans", "One plan with its entries.", None, "TrainingPlan"),
    ("put", "/plans/{planId}", "Plans", "Change or share a plan.", "TrainingPlanInput", "TrainingPlan"),
    ("delete", "/plans/{planId}", "Plans", "Delete a plan; calendars stay.", None, "TrainingPlan"),
    ("get", "/plans/{planId}/files", "Files", "The workouts of a plan, as a zip.", None, FILE),
    (
        "post",
        "/plans/{planId}/apply",
        "Plans",
        "Write a plan on the calendars of athletes, as one batch.",
        "ApplyRequest",
        "PlanOutcome",
    ),
    (
        "post",
        "/plans/{planId}/rollout",
        "Plans",
        "Bring calendars that have a plan to its current version, as one batch.",
        "RollOutRequest",
        "PlanOutcome",
    ),
    ("get", "/intervals", "intervals.icu", "The caller's account.", None, "IntervalsState"),
    (
        "put",
        "/intervals",
        "intervals.icu",
        "Connect or change an account.",
        "IntervalsConnection",
        "IntervalsState",
    ),
    ("delete", "/intervals", "intervals.icu", "Forget the account with its key.", None, "IntervalsState"),
    ("post", "/intervals/push", "intervals.icu", "Push now, in the background.", None, "IntervalsState"),
    ("post", "/parse", "Texts", "The workout of a text, with all errors.", "ParseRequest", "ParsedText"),
)
_TAGS = {
    "Discovery": "Features of the service.",
    "Entries": "Planned workouts, notes and events of a calendar.",
    "Files": "Planned workouts as FIT, ZWO, ERG and MRC.",
    "Batches": "Changes of calendars, their undo and history.",
    "Subscriptions": "Calendars in other programs, by secret addresses, and the time zone of their times.",
    "Library": "Workouts to plan from: private, shared by the coaches of a workspace, and Coachboard's own.",
    "intervals.icu": "Push of planned workouts to the caller's account.",
    "People": "Members of a workspace and invitations to it.",
    "Groups": "Groups of the athletes of a workspace, which its coaches share.",
    "Comments": "Comments on entries and sessions, unread ones, and mails about them.",
    _SETTINGS: "Values, available hours and weekly targets, each with the person who set it.",
    "Plans": "Plans of several weeks, for the calendars of many athletes.",
    "Texts": "Typed workouts, and what follows from their steps.",
}
_FORMAT = ("format", "query", True, "Format of the file.", "fit")
_IF_MATCH = ("If-Match", "header", True, "The row's `etag`.", _ETAG)
_METHODS = {(method, path) for method, path, *_ in _OPERATIONS}
_PARAMETERS: dict[tuple[str, str], tuple[tuple[str, str, bool, str, str], ...]] = {
    ("get", _ENTRIES): (
        ("from", "query", True, "First day, inclusive.", "2026-05-01"),
        ("to", "query", True, "Last day, inclusive.", "2026-05-31"),
        (
            "decided",
            "query",
            False,
            "`true`: only workouts that a person skipped, paired or unpaired, and notes of several days.",
            "true",
        ),
    ),
    ("get", "/entries/{entryId}/file"): (_FORMAT,),
    ("get", "/plans/{planId}/files"): (
        ("userId", "query", False, "Whose values of today replace percent.", "usr_1"),
        _FORMAT,
    ),
    ("get", "/users/{userId}/files"): (
        ("from", "query", True, "First day, inclusive.", "2026-05-04"),
        ("to", "query", True, "Last day, inclusive; at most 31 days.", "2026-05-10"),
        _FORMAT,
    ),
    ("get", _LOADS): (
        ("from", "query", True, "First day, inclusive.", "2026-05-01"),
        ("to", "query", True, "Last day, inclusive.", "2026-05-31"),
    ),
    ("get", _SCORES): (
        ("from", "query", True, "First planned day, inclusive.", "2026-05-01"),
        ("to", "query", True, "Last planned day, inclusive; at most 31 days.", "2026-05-31"),
    ),
    ("get", _TARGETS): (
        ("from", "query", True, "First Monday.", "2026-05-04"),
        ("to", "query", True, "Last Monday.", "2026-05-31"),
    ),
    ("get", _DAY_VALUES): (
        ("sport", "query", True, "Sport of the workout.", "cycling"),
        ("date", "query", True, "Day of the workout.", "2026-05-01"),
    ),
    ("get", "/workouts"): (
        ("words", "query", False, "Words that title, folder or description have, all of them.", "long hills"),
        ("sport", "query", False, "Sport of the workout.", "cycling"),
        ("trainingStimulus", "query", False, "Stimulus of the workout.", "threshold"),
        ("minDuration", "query", False, "Shortest duration, in s.", "1800"),
        ("maxDuration", "query", False, "Longest duration, in s.", "5400"),
    ),
    ("delete", _TARGET): (_IF_MATCH,),
    ("put", _TARGET): (("If-Match", "header", False, "The row's `etag`; not for a new target.", _ETAG),),
    **{
        (method, path): (_IF_MATCH,)
        for method in ("patch", "delete")
        for path in (
            _VALUE,
            _HOURS_ROW,
            _WORKOUT,
            _MEMBER,
            _INVITATION,
            "/comments/{commentId}",
            "/feeds/{feedId}",
            "/users/{userId}",
        )
        if (method, path) in _METHODS and (method, path) != ("delete", "/comments/{commentId}")
    },
    ("post", "/feeds/{feedId}/renew"): (_IF_MATCH,),
    **{
        (method, "/plans/{planId}"): (("If-Match", "header", True, "The plan's `etag`.", _ETAG),)
        for method in ("put", "delete")
    },
    **{
        ("post", f"/plans/{{planId}}/{what}"): (
            ("If-Match", "header", False, "The `etag` of the plan that was previewed.", _ETAG),
            (
                "Idempotency-Key",
                "header",
                False,
                "A request with a key that was seen is not done twice.",
                "a1",
            ),
        )
        for what in ("apply", "rollout")
    },
    ("get", "/batches"): (("userId", "query", True, "Id of a person, or `me`.", "me"),),
    **{
        ("post", path): (
            (
                "Idempotency-Key",
                "header",
                False,
                "A batch with a key that was seen is not done twice.",
                "a1b2",
            ),
        )
        for path in ("/batches", _UNDO)
    },
}
_CHOICES = {"format": WorkoutFormat, "sport": Sport, "trainingStimulus": TrainingStimulus}
_IDS = {
    "userId": ("Id of a person, or `me` for the owner of the API key.", "me"),
    "entryId": ("Id of an entry.", "tpr_1"),
    "batchId": ("Id of a batch.", "bat_1"),
    "workoutId": ("Id of a workout of a library.", "lib_1"),
    "activityId": ("Id of a session.", "act_1"),
    "commentId": ("Id of a comment.", "cmt_1"),
    "valueId": ("Id of a value.", "mtr_1"),
    "availabilityId": ("Id of an availability.", "avl_1"),
    "monday": ("First day of a week.", "2026-05-04"),
    "planId": ("Id of a plan.", "pln_1"),
    "feedId": ("Id of a subscription.", "fed_1"),
    "workspaceId": ("Id of a workspace.", "wke_1"),
    "invitationId": ("Id of an invitation.", "inv_1"),
    "secret": ("The secret part of an address.", "cbf_1"),
}
_ERRORS = {
    "400": "The request is invalid.",
    "401": "The API key is missing or invalid.",
    "404": "It does not exist or is not accessible to the caller.",
    "429": "A rate limit is exceeded.",
    "503": "The database does not answer; `Retry-After` says when to try again.",
}
_WRITE_ERRORS = {
    "408": "The body did not arrive in time.",
    "413": "The body is too large.",
    "507": "The disk is full; nothing was saved.",
}
_FORBIDDEN = {"403": "The caller may read the entry but not do this."}
_CONDITIONAL = {
    "412": "The row has changed since it was read; the body has it as `current`.",
    "428": "The If-Match header is missing.",
    "507": "The disk is full; nothing was saved.",
}
_LIBRARY_ERRORS = {
    "403": "The workout comes with Coachboard, or another person made it and may make it private.",
}
_FULL = {"409": "The library is full."}
_NOT_AUTHOR = {"403": "Another person wrote the comment."}
_OF_COMMENTS = {
    "patch": _NOT_AUTHOR,
    "delete": _NOT_AUTHOR | {"507": _WRITE_ERRORS["507"]},
    "post": {"409": "The entry or session has 500 comments."},
}
_OF_PLANS = {
    ("post", ""): {"409": "There are too many plans."},
    ("put", ""): {
        "403": "Another person made the plan and may make it private.",
        "409": "There are too many plans.",
    },
    ("post", "apply"): {"409": "The Idempotency-Key was used for another batch."},
    ("post", "rollout"): {"409": "The Idempotency-Key was used for another batch."},
}
_STALE_BODIES = {"Library": "StaleWorkoutBody", "Plans": "StalePlanBody"}
_STALE = "Rows have changed since they were read; the body has them as `current`."
_MEMBER_ERRORS = {
    "403": "The caller may see the member but not do this.",
    "409": "The member is the only admin of the workspace, or its only coach or admin.",
}
_RUN_ERRORS = {
    "PlanBatch": {
        "409": "The Idempotency-Key was used for another batch.",
        "428": "An operation has no `ifMatch`.",
    },
    "UndoRequest": {"409": "The Idempotency-Key was used for another batch."},
}


@cache
def document_json(address: str) -> bytes:
    """The description for a service at that address, as JSON bytes."""
    return orjson.dumps(document(address))


def document(address: str) -> dict[str, Any]:
    """The description for a service at that address."""
    paths: dict[str, dict[str, Any]] = {}
    for row in _OPERATIONS:
        paths.setdefault(PLAN_PATH + row[1], {})[row[0]] = _operation(row)
    info = {
        "title": "Planning",
        "version": planning.VERSION,
        "description": "Calendars of the owner of an API key and of the athletes they coach. "
        "A method that a path does not list is 405; a fault of the service itself is 500.",
    }
    schemas = describe(schemas_of(_DIRECTED))
    return document_of(address, info, tags=_TAGS, paths=paths, schemas=schemas)


def _operation(row: _Row) -> dict[str, Any]:
    method, path, tag, summary, request, reply = row
    replies = _refusals(row)
    words = [re.sub(r"[{}.]", "", word) for word in path.split("/") if word]
    success: dict[str, Any] = {
        "description": "Success.",
        "content": {"text/calendar": {"schema": {"type": "string"}}} if reply == _ICS else content_of(reply),
    }
    if reply == _ICS:
        del replies["401"]
        replies["304"] = {"description": "The file is as it was: `If-None-Match` has its ETag."}
    if reply == FILE:
        success["headers"] = {
            DROPPED: {
                "description": "What the format replaces or leaves out of the workouts.",
                "schema": {"type": "string"},
            }
        }
    operation: dict[str, Any] = {
        "operationId": "-".join([method, *words]),
        "tags": [tag],
        "summary": summary,
        "parameters": _parameters(method, path),
        "responses": {
            "201" if tag == _SETTINGS and method == "post" else "200": success,
            **dict(sorted(replies.items())),
        },
    }
    if reply == _ICS:
        operation["security"] = []
    if request == "NewFeed":
        operation["responses"] |= refusals_of({"409": "There are too many subscriptions."})
    if request is not None:
        operation["requestBody"] = {
            "required": request != "UndoRequest",
            "content": content_of(request),
        }
    return operation


def _setting_errors(method: str, path: str) -> dict[str, str]:
    """The statuses of a change of a setting."""
    if method == "post":
        return {"409": "There are too many."}
    is_target = method != "get" and path == _TARGET
    return {"403": "A coach sets the targets of this athlete."} if is_target else {}


def _refusals(row: _Row) -> dict[str, Any]:
    """The replies of an operation that did not do it, by status."""
    method, path, tag, _summary, request, _reply = row
    errors = _ERRORS | ({} if request is None else _WRITE_ERRORS)
    errors |= {} if tag != "Batches" or request is None else _FORBIDDEN
    errors |= _RUN_ERRORS.get(request or "", {})
    is_conditional = any(name == "If-Match" for name, *_ in _PARAMETERS.get((method, path), ()))
    errors |= _CONDITIONAL if is_conditional else {}
    errors |= _LIBRARY_ERRORS if is_conditional and tag == "Library" else {}
    errors |= _MEMBER_ERRORS if is_conditional and "/members/" in path else {}
    errors |= _setting_errors(method, path) if tag == _SETTINGS else {}
    errors |= _FULL if request == "LibraryValue" else {}
    errors |= _OF_PLANS.get((method, path.partition("}/")[2]), {}) if tag == "Plans" else {}
    errors |= _OF_COMMENTS.get(method, {}) if tag == "Comments" else {}
    replies = refusals_of(errors)
    if is_conditional:
        body = _STALE_BODIES.get(tag, "ChangedRowBody")
        replies["412"]["content"] = content_of(body)
    if tag == "Batches" and request is not None:
        replies["412"] = {"description": _STALE, "content": content_of("StaleRowsBody")}
    return replies


def _parameters(method: str, path: str) -> list[dict[str, Any]]:
    words = [word.strip("{}").removesuffix("}.ics") for word in path.split("/") if word.startswith("{")]
    rows = [(word, "path", True, *_IDS[word]) for word in words]
    return [_parameter(*row) for row in (*rows, *_PARAMETERS.get((method, path), ()))]


def _parameter(name: str, place: str, is_required: bool, text: str, example: str) -> dict[str, Any]:  # noqa: FBT001 (a row of the table)
    schema: dict[str, Any] = {"type": "string"}
    if name in {"from", "to", "date"}:
        schema["format"] = "date"
    elif name == "decided":
        schema["enum"] = ["true", "false"]
    elif name in _CHOICES:
        schema["enum"] = list(_CHOICES[name])
    elif name == "words":
        schema["maxLength"] = library.MOST_WORDS
    elif name in {"minDuration", "maxDuration"}:
        schema = {"type": "integer", "minimum": 0, "maximum": library.LONGEST_WORKOUT_S}
    return {
        "name": name,
        "in": place,
        "required": is_required,
        "description": text,
        "schema": schema,
        "example": int(example) if schema["type"] == "integer" else example,
    }
