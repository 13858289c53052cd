"""The catalogue of wire fields: description, unit and example of each property of the API's objects.

The OpenAPI documents and the client's data frames read these records. Units of measured quantities are those of the
catalogues of stream columns, of a session's figures, and of metrics.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from coachboard.wire.metrics import METRICS, NIGHT_FIELDS
from coachboard.wire.stream_columns import BY_NAME, FIGURES


@dataclass(frozen=True, slots=True)
class WireField:
    """One property: a description, an example (None where the parts of an object have examples), and a unit."""

    text: str
    example: Any = None
    unit: str | None = None


_W, _BPM, _SPEED, _CADENCE = (BY_NAME[name].unit for name in ("power", "heart_rate", "speed", "cadence"))
_HEIGHT, _LENGTH, _TEMPERATURE = (BY_NAME[name].unit for name in ("altitude", "distance", "temperature"))
_TORQUE, _GRADE = (BY_NAME[name].unit for name in ("torque", "grade"))
_LATITUDE, _LONGITUDE = (BY_NAME[name].unit for name in ("position_lat", "position_long"))
_WORK, _ENERGY, _TIME, _CLIMBED = (
    FIGURES[name][1] for name in ("work", "calories", "total_duration", "elevation_gain")
)
_STRIDES, _STROKES = "strides/min", "strokes/min"
_OF_POWER, _OF_SPEED, _OF_HEART_RATE = "% of critical power", "% of critical speed", "% of max heart rate"
_METRIC_UNITS = ", ".join(f"{record.type} {record.unit}" for record in METRICS.values())
_VALUE_MODELS = ("AthleteValue", "NewAthleteValue", "AthleteValuePatch")
_MOMENT, _LOCAL_MOMENT = "2026-05-01 06:30:00+00", "2026-05-01 08:30:00+00"

_IDS = {
    "User": "usr_1",
    "UserProfile": "usr_1",
    "TrainingPrescription": "tpr_1",
    "Note": "not_1",
    "Event": "evt_1",
    "Metric": "mtr_1",
    "Sleep": "slp_1",
    "WorkspaceMembership": "wke_1",
    "WorkspaceInvitation": "inv_1",
    "Job": "job_1",
    "ImportJob": "imp_1",
    "OwnKey": "key_1",
}

_SESSION = {
    "group_id": WireField("Shared by the legs of a multisport activity; else null.", "act_group_1"),
    "sport": WireField("Sport.", "cycling"),
    "sub_sport": WireField("Kind of the sport.", "road"),
    "started_at": WireField("Start, in UTC.", _MOMENT),
    "ended_at": WireField("End, in UTC.", "2026-05-01 08:00:00+00"),
    "utc_offset": WireField("Difference between the athlete's clock and UTC.", 120, "min"),
    "started_at_local": WireField("Start on the athlete's clock, in spite of the `+00`.", _LOCAL_MOMENT),
    "ended_at_local": WireField(
        "End on the athlete's clock, in spite of the `+00`.", "2026-05-01 10:00:00+00"
    ),
    "moving_duration": WireField("Time in motion.", 5_240, _TIME),
    "effective_duration": WireField("Elapsed time minus pauses.", 5_310, _TIME),
    "total_duration": WireField("Time from start to end, pauses included.", 5_400, _TIME),
    "duration": WireField("Duration.", 600, _TIME),
    "training_stimulus": WireField(
        "Dominant or targeted training stimulus, as the service classifies it.", "threshold"
    ),
    "race_type": WireField("Kind of race; null if the session is not a race.", "hilly"),
    "distance": WireField("Distance.", 42_150, _LENGTH),
    "elevation_gain": WireField("Metres climbed.", 640, _CLIMBED),
    "elevation_loss": WireField("Metres descended.", 635, _CLIMBED),
    "min_elevation": WireField("Lowest altitude.", 402, _HEIGHT),
    "average_elevation": WireField("Mean altitude.", 511, _HEIGHT),
    "max_elevation": WireField("Highest altitude.", 830, _HEIGHT),
    "min_altitude": WireField("Lowest altitude.", 402, _HEIGHT),
    "average_altitude": WireField("Mean altitude.", 511, _HEIGHT),
    "max_altitude": WireField("Highest altitude.", 830, _HEIGHT),
    "start_latitude": WireField("Latitude of the start.", 47.37, _LATITUDE),
    "start_longitude": WireField("Longitude of the start.", 8.54, _LONGITUDE),
    "average_speed": WireField("Mean speed.", 8.1, _SPEED),
    "max_speed": WireField("Highest speed.", 16.4, _SPEED),
    "average_cadence": WireField("Mean cadence; strides on foot.", 88, _CADENCE),
    "max_cadence": WireField("Highest cadence; strides on foot.", 118, _CADENCE),
    "Length.average_cadence": WireField("Mean stroke rate.", 28, _STROKES),
    "average_running_cadence": WireField("Mean cadence of a run.", 84, _STRIDES),
    "max_running_cadence": WireField("Highest cadence of a run.", 96, _STRIDES),
    "min_temperature": WireField("Lowest temperature.", 11, _TEMPERATURE),
    "average_temperature": WireField("Mean temperature.", 14, _TEMPERATURE),
    "max_temperature": WireField("Highest temperature.", 19, _TEMPERATURE),
    "average_heart_rate": WireField("Mean heart rate.", 142, _BPM),
    "max_heart_rate": WireField("Highest heart rate.", 171, _BPM),
    "average_power": WireField("Mean power.", 214, _W),
    "normalized_power": WireField("Normalized power.", 231, _W),
    "max_power": WireField("Highest power.", 812, _W),
    "average_power_per_kilo": WireField("Mean power per kilogram of body weight.", 3.1, f"{_W}/kg"),
    "max_power_per_kilo": WireField("Highest power per kilogram of body weight.", 5.4, f"{_W}/kg"),
    "average_torque": WireField("Mean torque.", 24, _TORQUE),
    "max_torque": WireField("Highest torque.", 71, _TORQUE),
    "average_grade": WireField("Mean grade.", 6.2, _GRADE),
    "max_grade": WireField("Steepest grade.", 11.5, _GRADE),
    "work": WireField("Mechanical work.", 1_121, _WORK),
    "work_before": WireField("Work of the session before this part.", 480, _WORK),
    "volume": WireField("Training load, in points of the service.", 96),
    "Activity.intensity": WireField("Intensity as the service scores it, 0 to 100; no intensity factor.", 62),
    "Lap.intensity": WireField("Class of the lap.", "threshold"),
    "ProviderLap.intensity": WireField("Class of the lap in the words of the device.", "active"),
    "calories": WireField("Energy used.", 1_080, _ENERGY),
    "rpe": WireField("Rating of perceived exertion: 1 (very easy) to 10 (maximum effort).", 6),
    "feeling": WireField("How the athlete felt: 1 (very weak) to 5 (very strong).", 4),
    "summary": WireField(
        "Text that a model of the service generated.", "A steady ride with two long climbs."
    ),
    "laps": WireField("Classified laps of a ride, ordered by `startedAtIndex`; else empty."),
    "climbs": WireField("Climbs of a ride, ordered by `startedAtIndex`; else empty."),
    "lengths": WireField("Pool lengths of a swim, ordered by `startedAtIndex`; else empty."),
    "provider_laps": WireField("Laps as the device wrote them, before classification."),
    "characteristic": WireField("Second trait of the lap, if the service found one.", "progressive"),
    "started_at_index": WireField("Position of the first sample in the streams, from 0.", 600),
    "ended_at_index": WireField("Position of the last sample in the streams, from 0.", 1_200),
    "stroke_type": WireField("Stroke.", "freestyle"),
    "stroke_count": WireField("Number of strokes.", 17),
    "lap_trigger": WireField("What ended the lap: manual, distance, time and others.", "manual"),
}
_PLANS = {
    "date": WireField("Local day.", "2026-05-01"),
    "time": WireField("Local time of day; null if the day has no set time.", "17:30:00"),
    "title": WireField("Title.", "3 x 10 min threshold"),
    "content": WireField("Text of the note.", "Slept badly, sore throat."),
    "comment": WireField("Comment on the workout.", "Felt strong."),
    "structure": WireField("Steps of the workout in order; null without a structure."),
    "zones_type": WireField("Quantity of the zones in which the steps are written.", "power"),
    "free_duration": WireField("Time assumed for each step without an end.", 300, _TIME),
    "carb_intake": WireField("Planned intake of carbohydrates.", 60, "g/h"),
    "activity_id": WireField("Id of the paired activity; null until it is done.", "act_1"),
    "StructureStep.type": WireField("Always `step`.", "step"),
    "StructureRepetition.type": WireField("Always `repetition`.", "repetition"),
    "FreeLength.type": WireField("Always `free`: the athlete decides when to move on.", "free"),
    "DurationLength.type": WireField("Always `duration`.", "duration"),
    "DistanceLength.type": WireField("Always `distance`.", "distance"),
    "StructureStep.label": WireField("Purpose of the step.", "active"),
    "StructureStep.intensity": WireField("Target of the step."),
    "length": WireField("End of the step: free, after a duration, or after a distance."),
    "n_repetitions": WireField("Number of times that the steps are done.", 3),
    "steps": WireField("Steps of one repetition, in order."),
    "service_intensity": WireField("Class of the target, as the service sees it.", "threshold"),
    "zone": WireField("Name of the zone, if the target is one.", "Z4"),
    "from_power": WireField("What the power target was written in.", "metric"),
    "from_heart_rate": WireField("What the heart rate target was written in.", "zone"),
    "from_speed": WireField("What the speed target was written in.", "absolute"),
    "min_power": WireField("Lower limit of power.", 240, _W),
    "StructureIntensity.max_power": WireField("Upper limit of power.", 260, _W),
    "min_power_threshold_percentage": WireField("Lower limit of power.", 94, _OF_POWER),
    "max_power_threshold_percentage": WireField("Upper limit of power.", 102, _OF_POWER),
    "min_heart_rate": WireField("Lower limit of heart rate.", 150, _BPM),
    "StructureIntensity.max_heart_rate": WireField("Upper limit of heart rate.", 165, _BPM),
    "min_max_heart_rate_percentage": WireField("Lower limit of heart rate.", 80, _OF_HEART_RATE),
    "max_max_heart_rate_percentage": WireField("Upper limit of heart rate.", 88, _OF_HEART_RATE),
    "min_cadence": WireField("Lower limit of cadence.", 85, _CADENCE),
    "StructureIntensity.max_cadence": WireField("Upper limit of cadence.", 95, _CADENCE),
    "min_speed": WireField("Lower limit of speed.", 3.6, _SPEED),
    "StructureIntensity.max_speed": WireField("Upper limit of speed.", 3.9, _SPEED),
    "min_speed_threshold_percentage": WireField("Lower limit of speed.", 94, _OF_SPEED),
    "max_speed_threshold_percentage": WireField("Upper limit of speed.", 102, _OF_SPEED),
    "Note.type": WireField("Kind of note.", "medical"),
    "Note.title": WireField("Title.", "Cold"),
    "Event.name": WireField("Name of the event.", "Spring classic"),
}
_PEOPLE = {
    "id": WireField("Id.", "act_1"),
    **{f"{model}.id": WireField("Id.", example) for model, example in _IDS.items()},
    "name": WireField("Name.", "Morning ride"),
    "description": WireField("Text of the athlete or the coach.", "Two laps of the lake."),
    "first_name": WireField("First name.", "Ada"),
    "last_name": WireField("Last name.", "Okafor"),
    "date_of_birth": WireField("Day of birth.", "1999-12-31"),
    "gender": WireField("Gender.", "female"),
    "height": WireField("Body height.", 172, "cm"),
    "data_onboarding_status": WireField("Progress of the import of historical data.", "done"),
    "user_metric_readiness": WireField(
        "Performance models of the service that are available; null if unknown."
    ),
    "has_service_cycling_critical_power": WireField("The service has a critical power for cycling.", True),
    "has_service_running_critical_power": WireField("The service has a critical power for running.", False),
    "has_service_running_critical_speed": WireField("The service has a critical speed for running.", True),
    "latest_metrics": WireField("Latest value of each type of metric in each sport."),
    "workspaces": WireField("Workspaces of the caller; only in the caller's own profile."),
    "slug": WireField("Name of the workspace in addresses.", "my-squad"),
    "role": WireField("Role in the workspace.", "athlete"),
    "email": WireField("Address of the invited person.", "ana@example.org"),
    "send_invitation_email": WireField("Whether the service mails the code.", True),
    "workspace_id": WireField("Id of the workspace.", "wke_1"),
    "workspace": WireField("Name of the workspace.", "My squad"),
    "WorkspaceMembership.name": WireField("Name of the workspace.", "My squad"),
    "Reader.name": WireField("Name of the person.", "Carla Coach"),
    "code": WireField("Code of the invitation.", "4fJ2-kQ7x-Vb9s"),
    "ErrorBody.code": WireField("Constant for each kind of error.", "not_found"),
    "ErrorBody.error": WireField("Explanation for people.", "The activity does not exist."),
    "expires_at": WireField("End of validity, in UTC; null if there is none.", "2026-05-08 06:30:00+00"),
    "user_id": WireField("Id of the person.", "usr_1"),
    "inviter": WireField("Name of the person who invites.", "Carla Coach"),
}
_BODY = {
    "type": WireField("Type of the metric.", "critical power"),
    "value": WireField(f"Value, in the unit of its type: {_METRIC_UNITS}.", 262),
    "Metric.value": WireField("Value, in `unit`.", 262),
    "unit": WireField(f"Unit of `value`; if null, the unit of its type: {_METRIC_UNITS}.", "W"),
    "source": WireField("`user`: measured by the athlete; `service`: estimated by the service.", "user"),
    "Metric.sport": WireField("Sport for which the value holds; `global` for all.", "cycling"),
    "MetricInput.source": WireField("`user` for a measured value, `service` for an estimate.", "user"),
    "MetricInput.sport": WireField("Sport for which the value holds; `global` for all.", "cycling"),
    "LatestMetric.sport": WireField("Sport for which the value holds; `global` for all.", "cycling"),
    "day": WireField("Local day; of a night, the day of waking.", "2026-05-01"),
    "NewImport.day": WireField("Day for planned workouts without a date.", "2026-05-01"),
    "Sleep.total_duration": WireField("Time asleep.", 27_000, NIGHT_FIELDS["total_duration"].unit),
    **{
        name: WireField(text, example, NIGHT_FIELDS[name].unit)
        for name, text, example in (
            ("in_bed_duration", "Time in bed.", 29_400),
            ("awake_duration", "Time awake in bed.", 2_400),
            ("light_duration", "Time in light sleep.", 15_000),
            ("rem_duration", "Time in REM sleep.", 6_600),
            ("deep_duration", "Time in deep sleep.", 5_400),
            ("no_data_duration", "Time without a measurement.", 0),
            ("average_hrv", "Mean heart rate variability of the night.", 68),
            ("resting_heart_rate", "Resting heart rate of the night.", 48),
            ("skin_body_temperature", "Skin temperature.", 34.6),
            ("skin_body_temperature_deviation", "Skin temperature compared with the usual one.", 0.2),
        )
    },
}
_OWN_DATA = {
    "version": WireField("Version of this API.", "1"),
    "features": WireField("Features that the service has.", ["imports", "activities"]),
    "max_upload_bytes": WireField("Size of the largest file.", 4_000_000_000, "bytes"),
    "fault": WireField(
        "Why mails are not sent, with the name of the setting.", "COACHBOARD_SMTP_URL is empty"
    ),
    "stamp": WireField("Changes with the data that the caller reads.", "1h7s.mfq2b1x4.0"),
    "plans": WireField("Ids of those of them whose plan alone has changed.", ["usr_1"]),
    "changed": WireField("Ids of the people whose data changed after the stamp asked about.", ["usr_1"]),
    "size": WireField("Size of the file.", 81_234, "bytes"),
    "has_columns": WireField("Whether a person can choose the columns of the file.", False),
    "ReceivedFile.name": WireField("Name of the file.", "rides/a.fit"),
    "ReportLine.name": WireField("Name of the file.", "rides/a.fit"),
    "Preview.name": WireField("Name of the file.", "nights.csv"),
    "outcome": WireField("Result: imported, known, same session, skipped or failed.", "imported"),
    "activity_ids": WireField("Ids of the activities made from the file.", ["act_1"]),
    "prescription_ids": WireField("Ids of the planned workouts made from the file.", ["tpr_1"]),
    "nights": WireField("Number of nights in the file.", 0),
    "values": WireField("Number of values of metrics in the file.", 0),
    "notes": WireField("Faults of the file and repairs, one sentence each.", ["2 samples had no time."]),
    "imported": WireField("Number of imported files.", 12),
    "known": WireField("Number of files that were imported before.", 1),
    "repaired": WireField("Number of imported files with a repair.", 2),
    "skipped": WireField("Number of files that are no training data.", 3),
    "rejected": WireField("Number of files that could not be read.", 0),
    "state": WireField("`receiving`, `queued`, `running`, `done`, `failed` or `undone`.", "running"),
    "created_at": WireField("Time of creation, in UTC.", _MOMENT),
    "finished_at": WireField("End of the work, in UTC; null before.", "2026-05-01 06:31:00+00"),
    "done": WireField("Number of finished files or sessions.", 4),
    "total": WireField("Number of files or sessions; null while it is unknown.", 16),
    "current": WireField("File or session in work.", "rides/e.fit"),
    "error": WireField("Reason of a failure; null without one.", "The disk is full."),
    "counts": WireField("Number of files by result."),
    "report_lines": WireField("Lines of the whole report, of which the reply has a page.", 1),
    "received": WireField("Files that wait for the start."),
    "report": WireField("Result of each file."),
    "again": WireField("Whether files that were imported before are read again.", False),
    "columns": WireField("Columns of the file."),
    "StartImport.columns": WireField(
        "Quantity of each header, by name of the file; files without an entry use the proposals.",
        {"nights.csv": {"Bedtime": "started_at"}},
    ),
    "others": WireField("Number of files of the folder that were not sent.", 12),
    "header": WireField("Header of the column.", "Bedtime"),
    "proposal": WireField("Quantity that the column probably has; null if none fits.", "started_at"),
    "samples": WireField("First values of the column.", ["22:41", "23:05"]),
    "quantities": WireField("Quantities to choose from.", ["started_at", "total_duration"]),
    "rows": WireField("Number of rows.", 31),
    "corrected": WireField("Fields that differ from the file.", ["sport"]),
    "deleted_at": WireField("Time of deletion, in UTC; null if it is not deleted.", _MOMENT),
    "files": WireField("Number of original files; 2 after a join.", 1),
    "recorded_at": WireField("Start of the recording, in UTC; null unless the start was corrected.", _MOMENT),
    "by_hand": WireField("Whether the athlete entered the session.", False),
    "file_name": WireField("Name of the original file; null without one.", "ride.fit"),
    "etag": WireField(
        "Changes with the row; a change of the row sends it in `If-Match`.", "9b2e77c1d04a5f60b3aa"
    ),
    "JoinRequest.activity_id": WireField("Id of the second half of the session.", "act_2"),
    "prescription": WireField("The planned workout."),
    "metric": WireField("The value."),
    "saved": WireField("The saved value; null after a deletion."),
    "recompute": WireField("The job that recomputes the sessions that the value affects."),
    "label": WireField("Name of the key.", "watch"),
    "last_used_at": WireField("Last use, in UTC, up to an hour old; null before the first use.", _MOMENT),
    "made_by": WireField(
        "Id of the key that made it and is revoked with it; null for a key of a command or an invitation.",
        "key_1",
    ),
    "is_current": WireField("Whether this request uses the key.", True),
    "expires_in_days": WireField("Validity; null for the longest that is allowed.", 90, "days"),
    "key": WireField("The key's text, which no later reply contains.", "cbk_example"),
    "AcceptedInvitation.key": WireField(
        "Key of a new person, which no later reply contains; null for a person who had one.", "cbk_example"
    ),
    "row": WireField("The key without its text."),
    "readers": WireField("People who may read the caller's data because of this membership."),
}

_ENTRY = "tpr_5f0c1e"
_PLANNING = {
    "PlanFeatures.features": WireField("Features that the service has.", ["entries", "batches"]),
    "kind": WireField("`workout`, `note` or `event`.", "workout"),
    "Job.kind": WireField("`import` or `recompute`.", "import"),
    "ImportJob.kind": WireField("`import` or `recompute`.", "import"),
    **{
        f"{model}.id": WireField("Id of the entry.", _ENTRY)
        for model in ("PlanEntry", "ConflictRow", "BatchChange")
    },
    "PlanOperation.id": WireField("Id of the entry; absent for `create`.", _ENTRY),
    "BatchReply.id": WireField("Id of the batch; null for a dry run.", "bat_1"),
    "BatchRecord.id": WireField("Id of the batch.", "bat_1"),
    "Person.id": WireField("Id of the person.", "usr_1"),
    "Person.name": WireField("Name of the person; the id without one.", "Carla Coach"),
    "PlanEntry.workspace_id": WireField("Workspace of its coach; null for an athlete's own entry.", "wke_1"),
    "PlanEntry.prescription": WireField("The planned workout; null for other kinds."),
    "note": WireField("The note; null for other kinds."),
    "event": WireField("The event; null for other kinds."),
    "text": WireField("Sentence for people.", "The athlete is ill on Fri 1 May."),
    "PlanEntry.text": WireField("The typed workout; null for one without a text.", "- 15m 60%"),
    "PlanValue.text": WireField("The typed workout, from which the structure follows.", "- 15m 60%"),
    "PlanEntry.is_draft": WireField("Whether the text has errors, so that there is no structure.", False),
    "PlanValue.is_draft": WireField("Whether a text with errors is stored, without a structure.", False),
    **{
        f"{model}.{name}": field
        for model in ("LibraryWorkout", "LibraryValue")
        for name, field in {
            "title": WireField("Title.", "Threshold 3 × 12 min"),
            "text": WireField("The typed workout; null for one without steps.", "- 15m 60%"),
            "is_draft": WireField("Whether the text has errors.", False),
            "workspace_id": WireField("The workspace that shares it; null for a private one.", "wke_1"),
            "description": WireField("What it is for; the athlete reads it.", "Raises threshold power."),
            "duration": WireField("Planned time; null if unknown.", 4_200, _TIME),
            "distance": WireField("Planned distance; null if unknown.", 42_150, _LENGTH),
        }.items()
    },
    "LibraryWorkout.id": WireField("Id of the workout.", "lib_1"),
    "LibraryWorkout.created_by": WireField("Who made it; null for one of Coachboard's."),
    "LibraryWorkout.updated_at": WireField(
        "Time of the last change, in UTC; null for one of Coachboard's.", _MOMENT
    ),
    "folder": WireField("Folder of the library; null for none.", "Base"),
    "is_built_in": WireField("Whether it comes with Coachboard; nobody changes it.", False),
    "StaleWorkoutBody.code": WireField("Constant for each kind of error.", "precondition_failed"),
    "StaleWorkoutBody.error": WireField("Explanation for people.", "The row has changed since you read it."),
    "StaleWorkoutBody.current": WireField("The workout as it is now; null if it was deleted."),
    **{
        f"{model}.{name}": field
        for model in ("TrainingPlanInput", "TrainingPlanRow", "TrainingPlan")
        for name, field in {
            "title": WireField("Title.", "Twelve weeks to a road race"),
            "description": WireField("What it is for.", "Base, build, taper."),
            "workspace_id": WireField("The workspace that shares it; null for a private one.", "wke_1"),
            "days": WireField("Length in days.", 84),
        }.items()
    },
    **{f"{model}.id": WireField("Id of the plan.", "pln_1") for model in ("TrainingPlanRow", "TrainingPlan")},
    **{f"{model}.entries": WireField("Entries by day.") for model in ("TrainingPlanInput", "TrainingPlan")},
    "workouts": WireField("Number of workouts.", 60),
    **{
        f"{model}.version": WireField("Counts the changes of the plan, from 1.", 1)
        for model in ("TrainingPlanRow", "TrainingPlan", "EntryOrigin")
    },
    "changed_by": WireField("Who changed it last."),
    "changed_at": WireField("Time of the last change, in UTC.", _MOMENT),
    "TrainingPlanEntry.id": WireField("Id of the entry in the plan; absent for a new one.", "ple_1"),
    "TrainingPlanEntry.day": WireField("Day of the plan, from 1.", 3),
    "TrainingPlanEntry.last_day": WireField("Last day of a span of a note or an event; null for one day.", 5),
    "TrainingPlanEntry.value": WireField("Fields of the entry as in a batch, without dates."),
    "PlanEntry.plan": WireField("The plan that wrote it; null for any other entry."),
    "plan_id": WireField("Id of the plan.", "pln_1"),
    "EntryOrigin.entry_id": WireField("Id of the entry in the plan.", "ple_1"),
    "StalePlanBody.code": WireField("Constant for each kind of error.", "precondition_failed"),
    "StalePlanBody.error": WireField("Explanation for people.", "The row has changed since you read it."),
    "StalePlanBody.current": WireField("The plan as it is now; null if it was deleted."),
    "PlanAnchor.start": WireField("First day of the plan.", "2026-05-04"),
    "PlanAnchor.end": WireField("Last day of the plan.", "2026-07-26"),
    "event_id": WireField("Race on the last day of the plan.", "evt_1"),
    "anchor": WireField("Where the plan begins or ends: `start`, `end` or `eventId`."),
    "athletes": WireField("One row for each athlete."),
    "ApplyRequest.conflicts": WireField(
        "On a day with a planned workout: `keep` keeps both, `replace` deletes it unless it is done, `skip` leaves "
        "the day out.",
        "keep",
    ),
    "user_ids": WireField("Ids of athletes; all who have the plan if it is absent.", ["usr_1"]),
    "PlanOutcome.id": WireField("Id of the batch; null for a dry run, or if nothing changed.", "bat_1"),
    "AthleteOutcome.batch_id": WireField(
        "Id of the batch that applied the plan; null in a dry run of it.", "bat_1"
    ),
    "first_day": WireField("First day of the plan on this calendar.", "2026-05-04"),
    "AthleteOutcome.last_day": WireField("Last day of the plan on this calendar.", "2026-07-26"),
    "AthleteOutcome.added": WireField("Number of new entries.", 72),
    "AthleteOutcome.changed": WireField("Number of changed entries.", 4),
    "AthleteOutcome.deleted": WireField("Number of deleted entries.", 0),
    "past": WireField("Number of entries before today, which are left out.", 0),
    "left_out": WireField("Number of entries that are left out for a clash.", 1),
    "clashes": WireField("Workouts on days of the plan; entries that a roll-out leaves as they are."),
    "earlier": WireField(
        "First days of earlier applications of the plan that the calendar still has.", ["2026-03-02"]
    ),
    "PlanClash.reason": WireField("`planned`, `done`, `changed` or `deleted`.", "planned"),
    "PlanClash.title": WireField("Title of the entry of the calendar.", "Long ride"),
    "UndoRequest.user_id": WireField("Id of the athlete whose calendar alone is undone.", "usr_1"),
    "original_date": WireField("The day first planned; null if it was never moved.", "2026-04-30"),
    "visible_from": WireField(
        "Until this day only its creator and the coaches of its workspace see it.", "2026-05-01"
    ),
    "is_private": WireField("Whether only the coaches of its workspace see the note.", False),
    "end_date": WireField("Last day of a span; null for one day.", "2026-05-03"),
    "priority": WireField("Priority of the event: A, B or C.", "A"),
    "is_locked": WireField("Whether the athlete may not move it.", False),
    "PlanEntry.skipped": WireField("An excused absence; null without one."),
    "reason": WireField("Why the workout is left out.", "Sore throat."),
    "Skipped.by": WireField("Who excused it."),
    "pairing": WireField("The session that belongs to it, and who decides; null for a note."),
    "mode": WireField("`auto`, `manual` or `none`.", "manual"),
    "Pairing.activity_id": WireField("Id of the session; null unless the mode is `manual`.", "act_1"),
    "PlanValue.activity_id": WireField("Id of the session to pair.", "act_1"),
    "created_by": WireField("Who created it; null for an import of a service or a generator."),
    "updated_by": WireField("Who changed it last; null if nobody did."),
    "updated_at": WireField("Time of the last change, in UTC.", _MOMENT),
    "batch_id": WireField("Id of the batch that changed it last.", "bat_1"),
    "allowed": WireField("Operations that the caller may do with it.", ["update", "move"]),
    "PlanValue.type": WireField("Kind of note.", "medical"),
    "PlanValue.name": WireField("Name of the event.", "Spring classic"),
    "PlanValue.user_id": WireField("Id of the athlete who gets the copy.", "usr_1"),
    "op": WireField("The change.", "move"),
    "if_match": WireField("Etag of the entry; not for `create` and `copy`.", "9b2e77c1d04a5f60b3aa"),
    "PlanOperation.value": WireField("Fields of the object and of its entry."),
    "operations": WireField("Changes, done in this order, all or none."),
    "dry_run": WireField("Whether nothing is written.", False),
    "PlanBatch.source": WireField("Page or program, for the history.", "Calendar"),
    "BatchRecord.source": WireField("Page or program that sent it.", "Calendar"),
    "entries": WireField(
        "The entries as they are now, in the order of the operations; null for a deleted one."
    ),
    "warnings": WireField("What a coach should know about the planned days."),
    "conflicts": WireField("Rows that a forced undo left as they are."),
    "operation": WireField("Place of the operation in the batch, from 0.", 0),
    "PlanWarning.code": WireField("`ill`, `notAvailable`, `dayOff`, `hardDays` or `raceSoon`.", "ill"),
    "entry": WireField("The entry as it is now; null if it was deleted."),
    "StaleRowsBody.code": WireField("Constant for each kind of error.", "precondition_failed"),
    "StaleRowsBody.error": WireField(
        "Explanation for people.", "The calendar has changed since you read it."
    ),
    "StaleRowsBody.current": WireField("The rows that have changed, as they are now."),
    "ChangedRowBody.code": WireField("Constant for each kind of error.", "precondition_failed"),
    "ChangedRowBody.error": WireField("Explanation for people.", "The row has changed since you read it."),
    "ChangedRowBody.current": WireField("The row as it is now; null if it was deleted.", {"role": "coach"}),
    "WorkspaceMember.name": WireField("Name of the person; the id where there is none.", "Ana Berg"),
    "joined_at": WireField("Start of the membership, in UTC; null if unknown.", _MOMENT),
    "roles": WireField("Roles that the caller may give.", ["coach"]),
    "may_remove": WireField("Whether the caller may end the membership.", True),
    "InvitedPerson.id": WireField("Id of the invitation.", "inv_1"),
    "InvitedPerson.code": WireField(
        "Code of the invitation in the reply that corrects it; null in lists.", "4fJ2-kQ7x-Vb9s"
    ),
    "IntervalsConnection.athlete_id": WireField("Id of the athlete at intervals.icu.", "i12345"),
    "IntervalsConnection.api_key": WireField(
        "API key of intervals.icu; null keeps the stored one.", "1x2y3z"
    ),
    "IntervalsConnection.days": WireField("Days from today on that are pushed.", 14, "d"),
    "IntervalsState.athlete_id": WireField(
        "Id of the athlete at intervals.icu; null without an account.", "i12345"
    ),
    "IntervalsState.days": WireField("Days from today on that are pushed.", 14, "d"),
    "IntervalsState.error": WireField(
        "Failure of the last attempt; null if there was none.", "intervals.icu cannot be reached."
    ),
    "pushed_at": WireField("Time of the last push, in UTC; null if there was none.", _MOMENT),
    "IntervalsState.count": WireField("Number of workouts of the last push.", 12),
    "is_waiting": WireField("Whether a push is about to begin.", False),
    "is_expired": WireField("Whether the code is no longer accepted.", False),
    "busy_only": WireField("Whether entries have their times alone.", False),
    "NewFeed.group": WireField("Name of a group of the workspace; null for all its athletes.", "Juniors"),
    "Feed.group": WireField("Name of a group of the workspace; null for all its athletes.", "Juniors"),
    "Feed.path": WireField(
        "Secret address below that of the service; null in lists.", "/plan/v1/feeds/cbf_1.ics"
    ),
    "time_zone": WireField("IANA name of a time zone.", "Europe/Oslo"),
    "force": WireField("Whether rows that changed since are left as they are.", False),
    "BatchRecord.by": WireField("Who made it; null if unknown."),
    "undo_of": WireField("Id of the batch that it undoes; null for any other batch.", "bat_0"),
    "undone_by": WireField("Id of the batch that undid it; null if none did.", "bat_2"),
    "may_undo": WireField(
        "False if the caller may not undo it: a change is hidden from them, or they may not write it.", True
    ),
    "BatchRecord.total": WireField("Number of entries that it changed.", 12),
    "changes": WireField("The first 20 changed entries."),
    "BatchChange.title": WireField("Title of the entry.", "Long ride"),
    "line": WireField("Line of the text, from 1.", 2),
    "column": WireField("Column in the line, from 1.", 3),
    "TextProblem.text": WireField("The fault in words.", '"400m" is minutes, or metres?'),
    "TextProblem.proposal": WireField("A text to write instead; null if none is clear.", "400mtr"),
    "ParseRequest.text": WireField("The typed workout.", "- 15m 60%"),
    "ParseRequest.date": WireField("Day of the athlete's values; today if it is absent.", "2026-05-01"),
    "ZoneSeconds.zone": WireField("Name of the zone.", "threshold"),
    "zones": WireField("Planned time in each zone, the lowest first; empty without a reference."),
    "seconds": WireField("Planned time.", 1_800, _TIME),
    "load": WireField("Training load that the workout would have, in points.", 84),
    "WorkoutScore.id": WireField("Id of the planned workout.", "tpr_1"),
    "WorkoutScore.activity_id": WireField("Id of its session.", "act_1"),
    "is_likely_match": WireField(
        "True if the service does not pair the two: same sport, within a day of the plan.", False
    ),
    "mark": WireField("`on target`, `off` or `far off`, as on the pages.", "off"),
    "score": WireField("Done over planned, at most 100.", 80, "%"),
    "extra": WireField("What was done beyond the plan; 0 for work steps.", 0, "%"),
    "compared_by": WireField(
        "What was compared: of work steps `power`, `speed`, `heart rate`, `speed above the rest of the session` or "
        "`pool lengths`; else `duration`, `distance`, `load` or `work` of the whole session.",
        "power",
    ),
    "work_steps": WireField("Number of work steps; warm-up, recoveries and cool-down are none.", 5),
    "done_steps": WireField("Work steps that were done; half a step is a half.", 4),
    "critical_power": WireField("Critical power.", 251, "W"),
    "w_prime": WireField("W': the work that can be done above critical power.", 20_500, "J"),
    "critical_speed": WireField("Critical speed.", 4.4, "m/s"),
    "PlannedValues.max_heart_rate": WireField("The athlete's maximum heart rate.", 191, "bpm"),
    "PlannedValues.resting_heart_rate": WireField("The athlete's resting heart rate.", 47, "bpm"),
    "threshold_heart_rate": WireField("The athlete's threshold heart rate.", 172, "bpm"),
    **{
        f"{model}.{name}": field
        for name, (models, field) in {
            "type": (_VALUE_MODELS[:2], WireField("Type of value.", "critical power")),
            "sport": (_VALUE_MODELS[:2], WireField("Sport of the value; `global` for all.", "cycling")),
            "value": (_VALUE_MODELS, WireField("The value, in the unit of its type.", 251)),
            "date": (_VALUE_MODELS, WireField("First day of the value.", "2026-05-01")),
            "unit": (_VALUE_MODELS[:1], WireField("Unit of the value.", "W")),
            "source": (_VALUE_MODELS[:2], WireField("`user` for a value that a person entered.", "user")),
        }.items()
        for model in models
    },
    "set_by": WireField("Who set it last; null for imports and estimates."),
    "saved": WireField("The value as it is now; null on deletion."),
    "recompute": WireField("The job that recomputes loads; null where none depends on the value."),
    "weekdays": WireField("Hours of Monday to Sunday.", [{"hours": 1.5, "sports": ["cycling"]}] * 7),
    **{
        f"{model}.{name}": field
        for model in ("NewAvailability", "Availability", "AvailabilityPatch")
        for name, field in {
            "date": WireField("First day.", "2026-05-04"),
            "end_date": WireField(
                "Last day of an exception; null for hours until the next ones.", "2026-05-10"
            ),
        }.items()
    },
    "DayHours.hours": WireField("Hours for training; 0 for none.", 1.5, "h"),
    "DayHours.sports": WireField("Possible sports; empty for all.", ["cycling"]),
    "monday": WireField("First day of the week.", "2026-05-04"),
    "NewWeekTarget.load": WireField("Load of the week; null without one.", 450),
    "WeekTarget.load": WireField("Load of the week; null without one.", 450),
    "NewWeekTarget.hours": WireField("Hours of the week; null without a target in hours.", 9, "h"),
    "WeekTarget.hours": WireField("Hours of the week; null without a target in hours.", 9, "h"),
    "phase": WireField("Purpose of the week in the season; null without one.", "build"),
    "usual_speed": WireField("Median speed of the sessions of 90 days in this sport.", 2.9, "m/s"),
    "lowest_w_balance": WireField("Lowest W' balance; null without a power target or W'.", 4_200, "J"),
    "repetitions": WireField("Number of work steps.", 3),
    "fitting": WireField("Number of work steps that end while W' is left.", 3),
    "errors": WireField("Faults of the text, in its order; with one there is no structure."),
    **{
        f"{model}.{name}": field
        for model in ("Comment", "UnreadComment")
        for name, field in {
            "id": WireField("Id of the comment.", "cmt_1"),
            "user_id": WireField("The athlete on whose calendar or session it is.", "usr_1"),
            "activity_id": WireField("Id of the session; null for a comment on an entry.", "act_1"),
            "text": WireField("The comment.", "Well done."),
            "created_at": WireField("When it was written, in UTC.", _MOMENT),
        }.items()
    },
    "UnreadComment.title": WireField("Title of the entry or the session.", "Long ride"),
    "UnreadComment.date": WireField("Day of the entry or the session; null if unknown.", "2026-05-01"),
    "entry_id": WireField("Id of the entry; null for a comment on a session.", "tpr_1"),
    "author": WireField("Who wrote it."),
    "edited_at": WireField("When its author last changed it, in UTC; null if never.", _MOMENT),
    "is_own": WireField("Whether the caller wrote it.", True),
    "is_unread": WireField("Whether the caller has not read it.", False),
    "CommentText.text": WireField("The comment.", "Well done."),
    "ids": WireField("Ids of comments.", ["cmt_1"]),
    "names": WireField("Names of groups.", ["Juniors"]),
    "mail": WireField("`off`, `atOnce` or `daily`.", "daily"),
    "address": WireField("Address for the mails; null for that of the invitation.", "ana@example.org"),
    "unconfirmed": WireField("A new address that waits for the code that was sent there.", "b@example.org"),
    "has_mail_server": WireField(
        "Whether the service sends its mails, or keeps them for its operator.", True
    ),
    "NewCommentMail.code": WireField("The code that was sent to a new address.", "MZXW6YTB"),
    "from_date": WireField("Day before a move; null if the day stayed.", "2026-04-30"),
}

FIELDS: Mapping[str, WireField] = MappingProxyType(
    {**_SESSION, **_PLANS, **_PEOPLE, **_BODY, **_OWN_DATA, **_PLANNING}
)
"""By name in code; `Model.name` where the property of one object differs from that of the others."""


def field_of(model: str, name: str) -> WireField:
    """The record of a property; raises `KeyError` if the catalogue has none."""
    return FIELDS.get(f"{model}.{name}") or FIELDS[name]
