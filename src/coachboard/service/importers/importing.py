"""Write recordings into the store: each file once, a session once whatever its formats, past files with faults."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import PurePath
from types import MappingProxyType

import orjson
from sqlalchemy.exc import DataError

from coachboard.plain_text import first_line
from coachboard.plurals import count
from coachboard.service.ids import id_from_file
from coachboard.service.importers import strava
from coachboard.service.importers.archive import SourceFile
from coachboard.service.importers.athlete import AthleteOn, athlete_on, fingerprint
from coachboard.service.importers.corrections import corrected, corrected_offset
from coachboard.service.importers.errors import ImportLimits, NotImported, RecordingError
from coachboard.service.importers.health import sources as health
from coachboard.service.importers.health.data import MOST_NOTES, HealthData, metrics_of
from coachboard.service.importers.listed import ListedSessions
from coachboard.service.importers.prescriptions import prescription_of
from coachboard.service.importers.reading import errors_as_broken_recording, read_recording
from coachboard.service.importers.recording import Recording, Workout
from coachboard.service.importers.same_session import day_of, local_start, overlapping, twin_of
from coachboard.service.importers.summary import Identity, ReadActivity, read_activity
from coachboard.service.store import ImportedActivity, ImportedRows, RowKind, Store
from coachboard.service.store import ImportedFile as StoredRecording
from coachboard.wire.activities import Activity
from coachboard.wire.prescriptions import TrainingPrescription


class ImportOutcome(StrEnum):
    IMPORTED = "imported"
    KNOWN = "known"
    SAME_SESSION = "same session"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result of one file."""

    name: str
    outcome: ImportOutcome
    activity_ids: tuple[str, ...] = ()
    prescription_ids: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """The errors of the file and the parts that were saved, a line each."""
    nights: int = 0
    values: int = 0
    filled: Mapping[str, list[str]] = field(default_factory=dict)
    """Fields of known nights that the file added, by the night's id: an undo removes them."""


class Importer:
    """Imports files for one athlete. The athlete's metrics are read once, at the start.

    `import_id` is the job that an undo removes the rows with. `is_again` reads files that were imported before.
    """

    def __init__(  # noqa: PLR0913 (a file is read by all of these)
        self,
        store: Store,
        user_id: str,
        *,
        today: date,
        limits: ImportLimits | None = None,
        import_id: str | None = None,
        is_again: bool = False,
        columns: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    ) -> None:
        self._store = store
        self._user_id = user_id
        self._today = today
        self._limits = limits or ImportLimits()
        self._import_id = import_id
        self._is_again = is_again
        self._columns = columns
        self._athlete_on = athletes_of(store, user_id)
        self._lists = ListedSessions(store, user_id, self._athlete_on, import_id)

    def import_source(self, source: SourceFile) -> FileReport:
        """Read and store one file; a fault of the file ends in the report, not in an exception."""
        try:
            # Also around the storing: a value of the records may not fit into a row.
            with errors_as_broken_recording():
                return self._import(source)
        except NotImported as reason:
            return FileReport(source.name, ImportOutcome.SKIPPED, notes=(str(reason),))
        except RecordingError as fault:
            return FileReport(source.name, ImportOutcome.FAILED, notes=(str(fault),))
        except DataError as fault:
            notes = (f"has a value that the database does not take ({first_line(fault)})",)
            return FileReport(source.name, ImportOutcome.FAILED, notes=notes)

    def _import(self, source: SourceFile) -> FileReport:
        health_data = health.read_source(source, self._columns.get(source.name))
        if health_data is not None:
            return self._store_health(source.name, health_data)
        if strava.is_list(source.name):
            return self._store_list(source)
        data = source.read()
        digest = hashlib.sha256(data).hexdigest()
        earlier = self._store.recording(self._user_id, digest)
        if earlier is not None and not self._is_again and not self._has_deleted_workout(earlier):
            self._store.originals.put(self._user_id, digest, data)  # repairs a lost original
            notes = (f"already imported as {earlier.file_name}",)
            return FileReport(source.name, ImportOutcome.KNOWN, earlier.activity_ids, notes=notes)
        recording = read_recording(data, self._limits)
        self._store.originals.put(self._user_id, digest, data)
        return self._store_recording(source.name, digest, recording)

    def _store_recording(self, name: str, digest: str, recording: Recording) -> FileReport:
        notes = list(recording.problems)
        ids, fresh = [], []
        for read in self._read_activities(digest, recording):
            twin = twin_of(self._store, self._user_id, read.activity)
            if twin is None:
                fresh.append(read)
            else:
                notes.append(
                    f"same start and duration as the session of {local_start(twin):%Y-%m-%d %H:%M}, which was kept"
                )
            ids.append(twin.id if twin else read.activity.id)
        notes += [
            f"overlaps the session of {local_start(other):%Y-%m-%d %H:%M} that was entered by hand; delete one of the two"
            for read in fresh
            for other in overlapping(self._store, self._user_id, read.activity)
        ]
        planned, edited = self._prescriptions(digest, recording, fresh)
        notes += [f"the planned workout “{title}” was changed since and stays as it is" for title in edited]
        stored = StoredRecording(digest, self._user_id, PurePath(name).name, tuple(ids), datetime.now(UTC))
        self._store.put_imported(
            self._user_id,
            ImportedRows(
                import_id=self._import_id,
                activities=tuple(self._imported(digest, recording, read) for read in fresh),
                prescriptions=tuple(planned),
                recording=stored,
            ),
        )
        without = ImportOutcome.SAME_SESSION if recording.legs else ImportOutcome.KNOWN
        outcome = ImportOutcome.IMPORTED if fresh or planned else without
        return FileReport(name, outcome, tuple(ids), tuple(row.id for row in planned), tuple(notes))

    def _store_health(self, name: str, data: HealthData) -> FileReport:
        nights = health.nights_of(self._store, self._user_id, data)
        metrics = metrics_of(self._user_id, data.metrics, self._store.metrics_of(self._user_id))
        rows = ImportedRows(
            import_id=self._import_id,
            sleeps=tuple(nights.rows),
            removed_sleeps=tuple(nights.removed),
            metrics=tuple(metrics),
        )
        if nights.rows or nights.removed or metrics:
            self._store.put_imported(self._user_id, rows)
        stored = self._lists.store(data.sessions)
        is_changed = nights.rows or nights.removed or metrics or stored.added or stored.completed
        return FileReport(
            name,
            ImportOutcome.IMPORTED if is_changed else ImportOutcome.KNOWN,
            stored.added,
            notes=(*nights.notes(), *data.all_notes(), *stored.notes[:MOST_NOTES]),
            nights=len(nights.rows),
            values=len(metrics),
            filled=nights.filled,
        )

    def _store_list(self, source: SourceFile) -> FileReport:
        """Names, descriptions and sports for sessions of Strava's takeout, and its sessions without a file."""
        rows = strava.read_list(source.read())
        stored = self._lists.store(rows.sessions)
        said = [f"{count(stored.completed, 'session')} completed"] if stored.completed else []
        said += [f"{count(len(stored.added), 'session')} without a file added"] if stored.added else []
        outcome = ImportOutcome.IMPORTED if said else ImportOutcome.KNOWN
        notes = [*rows.notes, *stored.notes][:MOST_NOTES]
        return FileReport(source.name, outcome, stored.added, notes=(*said, *notes))

    def _ids(self, digest: str, recording: Recording) -> list[str]:
        return [id_from_file("act", self._user_id, digest, place) for place in range(len(recording.legs))]

    def _imported(self, digest: str, recording: Recording, read: ReadActivity) -> ImportedActivity:
        place = self._ids(digest, recording).index(read.activity.id)
        athlete = fingerprint(self._athlete_on(read.activity.sport, day_of(read.activity)))
        return ImportedActivity(read.activity, read.streams, ((digest, place),), athlete)

    def _read_activities(self, digest: str, recording: Recording) -> list[ReadActivity]:
        ids = self._ids(digest, recording)
        corrections = self._store.corrections_of(self._user_id, ids) if self._is_again else {}
        identities = [
            Identity(
                id=id_,
                group_id=None if group is None else id_from_file("grp", self._user_id, digest, group),
                utc_offset_min=corrected_offset(corrections.get(id_, {}), recording.utc_offset_min),
                is_offset_corrected="startedAt" in corrections.get(id_, {}),
            )
            for id_, group in zip(ids, recording.groups(), strict=True)
        ]
        return [
            read_activity(corrected(leg, corrections.get(identity.id, {})), identity, self._athlete_on)
            for leg, identity in zip(recording.legs, identities, strict=True)
        ]

    def _prescriptions(
        self, digest: str, recording: Recording, fresh: Sequence[ReadActivity]
    ) -> tuple[list[TrainingPrescription], list[str]]:
        """The planned workouts of the file, and the titles of those that a person has changed: these are not read again."""
        if recording.legs and not fresh:
            return [], []
        activity = fresh[0].activity if fresh else None
        read, edited = [], []
        for place, workout in enumerate(recording.workouts):
            id_ = id_from_file("tpr", self._user_id, digest, place)
            title = self._edited_title(id_)
            if title is None:
                read.append(self._prescription(workout, id_, activity))
            else:
                edited.append(title)
        return read, edited

    def _edited_title(self, id_: str) -> str | None:
        """The title of a workout that was changed on the calendar: it may hold what a coach typed."""
        with self._store.reading_plans() as plans:
            row = plans.find(id_)
        is_edited = row is not None and row.user_id == self._user_id and row.changed is not None
        return str(orjson.loads(row.body)["title"]) if row is not None and is_edited else None

    def _has_deleted_workout(self, earlier: StoredRecording) -> bool:
        """Whether the file is a planned workout that the person deleted: importing it again plans it again."""
        id_ = id_from_file("tpr", self._user_id, earlier.digest, 0)
        return not earlier.activity_ids and self._planned(id_) is None

    def _planned(self, id_: str) -> TrainingPrescription | None:
        body = self._store.own_body(RowKind.PRESCRIPTIONS, self._user_id, id_)
        return None if body is None else TrainingPrescription.from_wire(orjson.loads(body))

    def _prescription(self, workout: Workout, id_: str, activity: Activity | None) -> TrainingPrescription:
        """The workout on its day; one that is read again stays where the person moved it, under its name."""
        planned = self._planned(id_) if self._is_again else None
        day = self._day(workout, activity) if planned is None else planned.date
        read = self._prescribed(workout, id_, day, activity)
        return read if planned is None else read.model_copy(update={"title": planned.title})

    def _prescribed(
        self, workout: Workout, id_: str, day: date, activity: Activity | None
    ) -> TrainingPrescription:
        return prescription_of(
            workout,
            prescription_id=id_,
            day=day,
            athlete=self._athlete_on(workout.sport, day),
            activity_id=activity.id if activity else None,
        )

    def _day(self, workout: Workout, activity: Activity | None) -> date:
        if activity is not None:
            return day_of(activity)
        if workout.day_s is not None:
            return datetime.fromtimestamp(workout.day_s, UTC).date()
        return self._today


def athletes_of(store: Store, user_id: str) -> AthleteOn:
    """Looks up the person's references for a sport and a day, in the metrics as they are now."""
    user = store.user(user_id)
    return athlete_on(store.metrics_of(user_id), gender=None if user is None else user.gender)
