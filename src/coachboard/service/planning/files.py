"""Planned workouts as files for devices."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any
from urllib.parse import quote

import orjson
from starlette.responses import Response

from coachboard.execution.structure import References
from coachboard.service.api.errors import InvalidRequest
from coachboard.service.planning import targets
from coachboard.service.planning.targets import PlannedAthlete
from coachboard.service.store.plans import PlanRow
from coachboard.wire.planning import EntryKind
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.training_plans import TrainingPlanEntry
from coachboard.workout_files.formats import (
    WorkoutArchive,
    WorkoutFile,
    WorkoutFormat,
    workout_archive,
    workout_file,
)
from coachboard.workout_files.workout import (
    DeviceWorkout,
    NoWorkoutFile,
    device_workout,
    loss_words,
    plan_workouts,
)
from coachboard.workout_text.values import DayValues

MOST_DAYS = 31
"""The longest range of one archive."""
DROPPED = "Coachboard-Dropped"
"""The header with the losses of a format, as ASCII, one after the other with semicolons between."""


def format_of(name: str) -> WorkoutFormat:
    """Raises `InvalidRequest` for a format that does not exist."""
    try:
        return WorkoutFormat(name)
    except ValueError:
        raise InvalidRequest(f"format: write one of {', '.join(WorkoutFormat)}.") from None


def file_of(row: PlanRow, athlete: PlannedAthlete, kind: WorkoutFormat) -> WorkoutFile:
    """The file of one entry; raises `InvalidRequest` with the reason if there is none."""
    if row.kind is not EntryKind.WORKOUT:
        raise InvalidRequest("Only a planned workout has a file for devices.")
    if row.entry.get("isDraft"):
        raise InvalidRequest("The text of this workout has errors. Correct it, then download the file.")
    try:
        return workout_file(_workout_of(row, athlete), kind)
    except NoWorkoutFile as error:
        raise InvalidRequest(str(error)) from error


def archive_of(rows: Iterable[PlanRow], athlete: PlannedAthlete, kind: WorkoutFormat) -> WorkoutArchive:
    """The files of the workouts that are neither drafts nor skipped. Raises `InvalidRequest` if there is none."""
    planned = [
        _workout_of(row, athlete)
        for row in rows
        if row.kind is EntryKind.WORKOUT and not row.entry.get("isDraft") and row.entry.get("skipped") is None
    ]
    return _archive(planned, kind, "No workout is planned on these days.")


def archive_of_plan(
    entries: Iterable[Mapping[str, Any]], athlete: PlannedAthlete | None, today: date, kind: WorkoutFormat
) -> WorkoutArchive:
    """The files of the workouts of a plan; without an athlete percent stays percent. Raises `InvalidRequest`."""
    planned = plan_workouts(
        map(TrainingPlanEntry.from_wire, entries),
        lambda sport: DayValues() if athlete is None else athlete.day_values(sport, today),
    )
    return _archive(planned, kind, "The plan has no workout.")


def _archive(workouts: Iterable[DeviceWorkout], kind: WorkoutFormat, without: str) -> WorkoutArchive:
    archive = workout_archive(workouts, kind)
    if not archive.names:
        reasons = dict.fromkeys(reason for _workout, reason in archive.refused)
        raise InvalidRequest(" ".join(reasons) or without)
    return archive


def _workout_of(row: PlanRow, athlete: PlannedAthlete) -> DeviceWorkout:
    body = targets.resolved(row.body, athlete, row.entry.get("text"))
    plan = TrainingPrescription.from_wire(orjson.loads(body))
    values = athlete.values_on(plan.sport, plan.date)
    references = References(values.critical_power_w, values.max_heart_rate_bpm, values.critical_speed_mps)
    return device_workout(plan, row.entry.get("text"), references)


def file_reply(name: str, content: bytes, losses: Iterable[str], media_type: str) -> Response:
    """The reply with a file; the losses are ASCII."""
    headers = {
        "Cache-Control": "private, no-store",
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}",
        DROPPED: "; ".join(losses),
    }
    return Response(content, 200, headers, media_type)


def archive_losses(archive: WorkoutArchive) -> list[str]:
    """The losses of all files, and the days of the workouts that are not in the archive."""
    refused = [f"not in the archive: {workout.day}" for workout, _reason in archive.refused]
    return [*loss_words(archive.losses), *refused]
