"""The catalogue of wire fields: description, unit and example of each property of the API's objects.

The OpenAPI documents and the client's data frames read these records. Units of measured quantities are those of the
catalogues of stream columns, of a session's figures, and of metrics.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from coachboard.catalogues.metrics import METRICS, NIGHT_FIELDS
from coachboard.catalogues.streams import BY_NAME, FIGURES


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
    "stamp": WireField("Version of the service's data.", 44),
    "changed": WireField("Ids of the people whose data changed after the version asked about.", ["usr_1"]),
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
    "kind": WireField("`import` or `recompute`.", "import"),
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

FIELDS: Mapping[str, WireField] = MappingProxyType({**_SESSION, **_PLANS, **_PEOPLE, **_BODY, **_OWN_DATA})
"""By name in code; `Model.name` where the property of one object differs from that of the others."""


def field_of(model: str, name: str) -> WireField:
    """The record of a property; raises `KeyError` if the catalogue has none."""
    return FIELDS.get(f"{model}.{name}") or FIELDS[name]
