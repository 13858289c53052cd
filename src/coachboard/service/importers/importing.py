"""Write recordings into the store: each file once, a session once whatever its formats, past files with faults."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from pathlib import PurePath
from types import MappingProxyType

import orjson

from coachboard.models.activities import Activity
from coachboard.models.enums import Sport
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.plurals import count
from coachboard.service.ids import id_from_file
from coachboard.service.importers import strava
from coachboard.service.importers.archive import SourceFile
from coachboard.service.importers.athlete import AthleteOn, AthleteValues, athlete_on, fingerprint
from coachboard.service.importers.corrections import corrected
from coachboard.service.importers.errors import ImportLimits, NotImported, RecordingError
from coachboard.service.importers.health import sources as health
from coachboard.service.importers.health.data import HealthData, metrics_of
from coachboard.service.importers.plausible import drop_implausible
from coachboard.service.importers.prescriptions import prescription_of
from coachboard.service.importers.reading import errors_as_broken_recording, read_recording
from coachboard.service.importers.recording import Recording, Workout
from coachboard.service.importers.summary import Identity, ReadActivity, read_activity
from coachboard.service.store import ImportedActivity, ImportedRows, Store
from coachboard.service.store import ImportedFile as StoredRecording

_SAME_START_S = 60.0
_SAME_DURATION_S = 60.0
_SAME_DURATION_SHARE = 0.02


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

    def _import(self, source: SourceFile) -> FileReport:
        found = health.read_source(source, self._columns.get(source.name))
        if found is not None:
            return self._store_health(source.name, found)
        if strava.is_list(source.name):
            return self._store_strava(source)
        data = source.read()
        digest = hashlib.sha256(data).hexdigest()
        known = self._store.recording(self._user_id, digest)
        if known is not None and not self._is_again:
            notes = (f"already imported as {known.file_name}",)
            return FileReport(source.name, ImportOutcome.KNOWN, known.activity_ids, notes=notes)
        recording = read_recording(data, self._limits)
        self._store.originals.put(self._user_id, digest, data)
        return self._store_recording(source.name, digest, recording)

    def _store_recording(self, name: str, digest: str, recording: Recording) -> FileReport:
        notes = list(recording.problems)
        ids, fresh = [], []
        for read in self._read_activities(digest, recording):
            twin = self._twin(read.activity)
            if twin is None:
                fresh.append(read)
            else:
                start = twin.started_at_local or twin.started_at
                notes.append(
                    f"same start and duration as the session of {start:%Y-%m-%d %H:%M}, which was kept"
                )
            ids.append(twin.id if twin else read.activity.id)
        planned = self._prescriptions(digest, recording, fresh)
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
        outcome = ImportOutcome.IMPORTED if fresh or planned else ImportOutcome.SAME_SESSION
        return FileReport(name, outcome, tuple(ids), tuple(row.id for row in planned), tuple(notes))

    def _store_health(self, name: str, data: HealthData) -> FileReport:
        found = health.nights_of(self._store, self._user_id, data)
        metrics = metrics_of(self._user_id, data.metrics, self._store.metrics_of(self._user_id))
        rows = ImportedRows(
            import_id=self._import_id,
            sleeps=tuple(found.rows),
            removed_sleeps=tuple(found.removed),
            metrics=tuple(metrics),
        )
        is_changed = bool(found.rows or found.removed or metrics)
        if is_changed:
            self._store.put_imported(self._user_id, rows)
        return FileReport(
            name,
            ImportOutcome.IMPORTED if is_changed else ImportOutcome.KNOWN,
            notes=(*found.notes(), *data.all_notes()),
            nights=len(found.rows),
            values=len(metrics),
            filled=found.filled,
        )

    def _store_strava(self, source: SourceFile) -> FileReport:
        """Names and descriptions for sessions of the takeout, and its sessions without a file."""
        rows = strava.read_list(source.read())
        notes, named = list(rows.notes), self._name_sessions(rows.sessions)
        fresh = []
        for row in rows.sessions:
            read = None if row.file_name else self._strava_session(row, notes)
            if read is not None and self._twin(read.activity) is None:
                fresh.append(read)
        parts = [
            ImportedActivity(
                read.activity,
                None,
                (),
                fingerprint(self._athlete_on(read.activity.sport, day_of(read.activity))),
            )
            for read in fresh
        ]
        self._store.put_imported(
            self._user_id, ImportedRows(import_id=self._import_id, activities=tuple(parts))
        )
        said = [f"{count(named, 'session')} named"] if named else []
        said += [f"{count(len(fresh), 'session')} without a file added"] if fresh else []
        outcome = ImportOutcome.IMPORTED if said else ImportOutcome.KNOWN
        ids = tuple(read.activity.id for read in fresh)
        return FileReport(source.name, outcome, ids, notes=(*said, *notes[: strava.MOST_NOTES]))

    def _strava_session(self, row: strava.Session, notes: list[str]) -> ReadActivity | None:
        """The session of a row; a row with a fault costs that session only, and adds a note."""
        id_ = id_from_file("act", self._user_id, f"strava/{row.id}", 0)
        if self._store.own_activity(self._user_id, id_) is not None:
            return None
        try:
            with errors_as_broken_recording():
                found = drop_implausible(Recording(legs=(row.leg(),)))
                read = read_activity(found.legs[0], Identity(id=id_), self._athlete_on)
        except RecordingError as fault:
            notes.append(f"session {row.id[:20]}: {fault}")
            return None
        notes += [f"session {row.id[:20]}: {problem}" for problem in found.problems]
        return read

    def _name_sessions(self, rows: Sequence[strava.Session]) -> int:
        """Give sessions the names and descriptions of the takeout, unless the person corrected them; gives their number."""
        by_file = {
            recording.file_name: recording.activity_ids
            for recording in self._store.recordings_of(self._user_id)
        }
        changed = 0
        for row in rows:
            ids = by_file.get(PurePath(row.file_name).name, ()) if row.file_name else ()
            changed += sum(self._name_session(id_, row.texts) for id_ in ids[:1])
        return changed

    def _name_session(self, activity_id: str, texts: Mapping[str, str]) -> bool:
        seen = self._store.own_activity(self._user_id, activity_id)
        if seen is None:
            return False
        body = orjson.loads(seen.body)
        new = {
            name: text for name, text in texts.items() if name not in seen.corrections and body[name] != text
        }
        if not new:
            return False
        activity = Activity.from_wire({**body, **new})
        return self._store.change_activity(seen, activity, corrections={**seen.corrections, **new})

    def _ids(self, digest: str, recording: Recording) -> list[str]:
        return [id_from_file("act", self._user_id, digest, place) for place in range(len(recording.legs))]

    def _imported(self, digest: str, recording: Recording, read: ReadActivity) -> ImportedActivity:
        place = self._ids(digest, recording).index(read.activity.id)
        athlete = fingerprint(self._athlete_on(read.activity.sport, day_of(read.activity)))
        return ImportedActivity(read.activity, read.streams, ((digest, place),), athlete)

    def _read_activities(self, digest: str, recording: Recording) -> list[ReadActivity]:
        ids = self._ids(digest, recording)
        corrections = self._store.corrections_of(ids) if self._is_again else {}
        identities = [
            Identity(
                id=id_,
                group_id=None if group is None else id_from_file("grp", self._user_id, digest, group),
                utc_offset_min=recording.utc_offset_min,
            )
            for id_, group in zip(ids, recording.groups(), strict=True)
        ]
        return [
            read_activity(corrected(leg, corrections.get(identity.id, {})), identity, self._athlete_on)
            for leg, identity in zip(recording.legs, identities, strict=True)
        ]

    def _twin(self, activity: Activity) -> Activity | None:
        """A stored activity that is the same session, read from another file."""
        assert activity.started_at is not None  # a leg has a start
        day = activity.started_at.date()
        near = self._store.activities_of(self._user_id, day - timedelta(days=1), day + timedelta(days=1))
        return next(
            (other for other in near if other.id != activity.id and is_same_session(activity, other)), None
        )

    def _prescriptions(
        self, digest: str, recording: Recording, fresh: Sequence[ReadActivity]
    ) -> list[TrainingPrescription]:
        if recording.legs and not fresh:
            return []
        activity = fresh[0].activity if fresh else None
        return [
            self._prescription(workout, id_from_file("tpr", self._user_id, digest, place), activity)
            for place, workout in enumerate(recording.workouts)
        ]

    def _prescription(self, workout: Workout, id_: str, activity: Activity | None) -> TrainingPrescription:
        day = self._day(workout, activity)
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
    metrics = store.metrics_of(user_id)
    gender = next((user.gender for user in store.users() if user.id == user_id), None)

    def find(sport: Sport | None, day: date) -> AthleteValues:
        return athlete_on(metrics, sport, day, gender=gender)

    return find


def day_of(activity: Activity) -> date:
    """The day whose references an activity's load is computed with."""
    assert activity.started_at is not None  # a leg has a start
    return (activity.started_at_local or activity.started_at).date()


def is_same_session(one: Activity, other: Activity) -> bool:
    """Whether two activities are one session: start and duration agree, and so does the sport where both know it."""
    if one.started_at is None or other.started_at is None:
        return False
    if one.sport is not None and other.sport is not None and one.sport != other.sport:
        return False
    took, took_other = one.total_duration or 0.0, other.total_duration or 0.0
    allowed = max(_SAME_DURATION_S, _SAME_DURATION_SHARE * max(took, took_other))
    if abs((one.started_at - other.started_at).total_seconds()) > _SAME_START_S:
        return False
    return abs(took - took_other) <= allowed
