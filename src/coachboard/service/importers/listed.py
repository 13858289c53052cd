"""Sessions of a service's list, as Strava's activities.csv: they complete sessions that have a file, and add the others."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

import numpy as np
import orjson

from coachboard.plain_text import stored_texts
from coachboard.plurals import count
from coachboard.service.ids import id_from_file
from coachboard.service.importers.athlete import AthleteOn, fingerprint
from coachboard.service.importers.errors import RecordingError
from coachboard.service.importers.plausible import drop_implausible
from coachboard.service.importers.reading import errors_as_broken_recording
from coachboard.service.importers.recording import Leg, Recording
from coachboard.service.importers.reread import correct
from coachboard.service.importers.same_session import day_of, twin_of
from coachboard.service.importers.summary import Identity, ReadActivity, read_activity
from coachboard.service.store import ImportedActivity, ImportedRows, Store
from coachboard.wire.enums import Sport, SubSport


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSession:
    """One session of a list; `key` names it among all sessions of its service, `file_name` its recording, "" without."""

    key: str
    started_at: datetime
    sport: Sport | None
    sub_sport: SubSport | None
    figures: Mapping[str, float]
    file_name: str = ""
    texts: Mapping[str, str]  # name and description, under the names of the interface
    utc_offset_min: int | None = None

    def leg(self) -> Leg:
        """The session as a leg without records."""
        return Leg(
            started_s=self.started_at.timestamp(),
            times_s=np.empty(0),
            columns={},
            sport=self.sport,
            sub_sport=self.sub_sport,
            name=self.texts.get("name"),
            description=self.texts.get("description"),
            figures=self.figures,
        )


@dataclass(frozen=True, slots=True)
class StoredList:
    """The ids of the added sessions, the number of completed ones, and a note for each fault."""

    added: tuple[str, ...]
    completed: int
    notes: list[str]


class ListedSessions:
    """Stores the sessions of lists for one person."""

    def __init__(self, store: Store, user_id: str, athlete_on: AthleteOn, import_id: str | None) -> None:
        self._store = store
        self._user_id = user_id
        self._athlete_on = athlete_on
        self._import_id = import_id

    def store(self, sessions: Iterable[ListedSession]) -> StoredList:
        """Complete the sessions whose file is imported, and add those that have none."""
        files = {
            recording.file_name: recording.activity_ids
            for recording in self._store.recordings_of(self._user_id)
        }
        notes, fresh = list[str](), list[ReadActivity]()
        completed = missing = 0
        for session in sessions:
            if not session.file_name:
                read = self._read(session, notes)
                fresh += [read] if read is not None else []
                continue
            ids = files.get(PurePath(session.file_name).name)
            completed += sum(self._complete(id_, session) for id_ in (ids or ())[:1])
            missing += ids is None
        if missing:
            notes.append(
                f"{count(missing, 'session')} left out: the recording is not among the imported files"
            )
        rows = ImportedRows(import_id=self._import_id, activities=tuple(map(self._imported, fresh)))
        if fresh:
            self._store.put_imported(self._user_id, rows)
        return StoredList(tuple(read.activity.id for read in fresh), completed, notes)

    def _imported(self, read: ReadActivity) -> ImportedActivity:
        references = fingerprint(self._athlete_on(read.activity.sport, day_of(read.activity)))
        return ImportedActivity(read.activity, None, (), references)

    def _read(self, session: ListedSession, notes: list[str]) -> ReadActivity | None:
        """The session as an activity, None if it is stored; one with a fault costs itself only, and adds a note."""
        id_ = id_from_file("act", self._user_id, session.key, 0)
        if self._store.own_activity(self._user_id, id_) is not None:
            return None
        name = f"session {session.key.partition('/')[2][:40]}"
        try:
            with errors_as_broken_recording():
                kept = drop_implausible(Recording(legs=(session.leg(),)))
                identity = Identity(id=id_, utc_offset_min=session.utc_offset_min)
                read = read_activity(kept.legs[0], identity, self._athlete_on)
        except RecordingError as fault:
            notes.append(f"{name}: {fault}")
            return None
        notes += [f"{name}: {problem}" for problem in kept.problems]
        return None if twin_of(self._store, self._user_id, read.activity) else read

    def _complete(self, activity_id: str, session: ListedSession) -> bool:
        """Give a session the texts of the list, and the sport if it has none; what the person corrected stays."""
        seen = self._store.own_activity(self._user_id, activity_id)
        if seen is None:
            return False
        body = orjson.loads(seen.body)
        texts = stored_texts(session.texts)
        offered = {name: text for name, text in texts.items() if text is not None}
        if body["sport"] is None and session.sport is not None and "sport" not in seen.corrections:
            offered |= {"sport": session.sport, "subSport": session.sub_sport}
        new = {
            name: value
            for name, value in offered.items()
            if name not in seen.corrections and body[name] != value
        }
        return bool(new) and correct(self._store, seen, new, self._athlete_on)
