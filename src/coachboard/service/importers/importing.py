"""Recordings into the store: each once, the same session in another format recognised, a fault never in the way."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from pathlib import PurePath

from coachboard.models.activities import Activity
from coachboard.models.enums import Sport
from coachboard.models.prescriptions import TrainingPrescription
from coachboard.service.ids import id_from_file
from coachboard.service.importers.archive import Source
from coachboard.service.importers.athlete import Athlete, athlete_on
from coachboard.service.importers.errors import Limits, RecordingError
from coachboard.service.importers.prescriptions import prescription_of
from coachboard.service.importers.reading import read_recording, surprises_are_the_files
from coachboard.service.importers.recording import Recording, Workout
from coachboard.service.importers.summary import Identity, ReadActivity, read_activity
from coachboard.service.store import Recording as StoredRecording
from coachboard.service.store import Store

_SAME_START_S = 60.0
_SAME_DURATION_S = 60.0
_SAME_DURATION_SHARE = 0.02


class Outcome(StrEnum):
    IMPORTED = "imported"
    KNOWN = "known"
    SAME_SESSION = "same session"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file."""

    name: str
    outcome: Outcome
    activity_ids: tuple[str, ...] = ()
    prescription_ids: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What was wrong and what was saved of it, each one line."""


class Importer:
    """Imports files for one athlete; their metrics are read once, at the start."""

    def __init__(
        self,
        store: Store,
        user_id: str,
        *,
        today: date,
        limits: Limits | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._user_id = user_id
        self._today = today
        self._limits = limits or Limits()
        self._now = now
        self._metrics = store.metrics_of(user_id)
        self._gender = next((user.gender for user in store.users() if user.id == user_id), None)

    def import_source(self, source: Source) -> FileReport:
        """Read and store one file; a fault of the file ends in the report, not in an exception."""
        try:
            # Also around the storing: what the records gave may be what no row can hold.
            with surprises_are_the_files():
                return self._import(source)
        except RecordingError as fault:
            return FileReport(source.name, Outcome.FAILED, notes=(str(fault),))

    def _import(self, source: Source) -> FileReport:
        data = source.read()
        digest = hashlib.sha256(data).hexdigest()
        known = self._store.recording(self._user_id, digest)
        if known is not None:
            notes = (f"already imported as {known.file_name}",)
            return FileReport(source.name, Outcome.KNOWN, known.activity_ids, notes=notes)
        return self._store_recording(source.name, digest, read_recording(data, self._limits))

    def _store_recording(self, name: str, digest: str, recording: Recording) -> FileReport:
        notes = list(recording.problems)
        ids, fresh = [], []
        for read in self._read_activities(digest, recording):
            twin = self._twin(read.activity)
            if twin is None:
                fresh.append(read)
            else:
                notes.append(f"same session as {twin.id} by start and duration; that one was kept")
            ids.append(twin.id if twin else read.activity.id)
        planned = self._prescriptions(digest, recording, fresh)
        self._store.put_activities(self._user_id, [read.activity for read in fresh])
        for read in fresh:
            if read.streams is not None:
                self._store.put_streams(read.activity.id, read.streams)
        self._store.put_prescriptions(self._user_id, planned)
        # Last, so that a run that was broken off is done again; the ids stay the same.
        short_name = PurePath(name).name
        self._store.put_recording(StoredRecording(digest, self._user_id, short_name, tuple(ids), self._now()))
        outcome = Outcome.IMPORTED if fresh or planned else Outcome.SAME_SESSION
        return FileReport(name, outcome, tuple(ids), tuple(row.id for row in planned), tuple(notes))

    def _read_activities(self, digest: str, recording: Recording) -> list[ReadActivity]:
        group = id_from_file("grp", self._user_id, digest, 0) if recording.is_multisport else None
        identities = [
            Identity(
                id=id_from_file("act", self._user_id, digest, place),
                group_id=group,
                utc_offset_min=recording.utc_offset_min,
            )
            for place in range(len(recording.legs))
        ]
        return [
            read_activity(leg, identity, self._athlete_on)
            for leg, identity in zip(recording.legs, identities, strict=True)
        ]

    def _athlete_on(self, sport: Sport | None, day: date) -> Athlete:
        return athlete_on(self._metrics, sport, day, gender=self._gender)

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
        if activity is not None and activity.started_at is not None:
            return (activity.started_at_local or activity.started_at).date()
        if workout.day_s is not None:
            return datetime.fromtimestamp(workout.day_s, UTC).date()
        return self._today


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
