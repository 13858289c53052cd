"""A stored activity read again: after a new threshold or weight, a correction, a replaced file or a join."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import orjson
import zstandard

from coachboard.formulas.session.estimated_power import is_estimated
from coachboard.service.importers.athlete import AthleteOn, differs_by_weight, fingerprint
from coachboard.service.importers.corrections import (
    BY_HAND,
    SENT_START,
    Corrections,
    corrected,
    corrected_offset,
    fields_of,
    leg_by_hand,
    moved_activity,
    moved_streams,
    start_correction,
    start_of,
)
from coachboard.service.importers.errors import BrokenRecording, ImportLimits, RecordingError
from coachboard.service.importers.joining import joined
from coachboard.service.importers.laps import power_per_kilo
from coachboard.service.importers.load import load_of
from coachboard.service.importers.plausible import without_dead_sensors
from coachboard.service.importers.reading import errors_as_broken_recording, read_recording
from coachboard.service.importers.record_times import durations, gaps_as_pauses
from coachboard.service.importers.recording import Leg
from coachboard.service.importers.same_session import day_of
from coachboard.service.importers.summary import Identity, read_activity
from coachboard.service.store import ImportedActivity, Part, RowKind, Store, StoredActivity
from coachboard.service.store.originals import OriginalLost
from coachboard.service.store.rows import of_dated
from coachboard.wire.activities import Activity, Climb, local_day
from coachboard.wire.enums import Sport
from coachboard.wire.prescriptions import TrainingPrescription
from coachboard.wire.streams import ActivityStreams

_ATTEMPTS = 5
_CHANGES_LOAD = frozenset({"sport", "subSport", "rpe"})
"""Corrections after which the session is read again: laps, bands and loads depend on them."""


def is_current(seen: StoredActivity, athlete_on: AthleteOn) -> bool:
    """Whether the activity's load was computed with the references that hold for it now."""
    if seen.athlete is None:
        return False
    row = orjson.loads(seen.body)
    start = row["startedAtLocal"] or row["startedAt"]
    if start is None:
        return True
    sport = None if row["sport"] is None else Sport(row["sport"])
    return seen.athlete == fingerprint(athlete_on(sport, date.fromisoformat(start[:10])))


def recompute(store: Store, user_id: str, activity_id: str, athlete_on: AthleteOn) -> bool:
    """Read an activity again from its kept file, else its load from its streams; says whether it was written."""
    for _ in range(_ATTEMPTS):
        seen = store.own_activity(user_id, activity_id)
        if seen is None:
            return False
        read = _with_weight(seen, athlete_on) or read_again(store, seen, athlete_on)
        if read is None:
            return False
        # The person may correct the name while the file is read.
        if store.put_read_again(seen, read):
            return True
    return False


def _with_weight(seen: StoredActivity, athlete_on: AthleteOn) -> ImportedActivity | None:
    """The activity with the power per kilo of its climbs, if only the weight has changed; else None.

    Only an estimated load uses the weight; reading 32 sessions of 25 recordings again took 38 s, this takes 0.13 s.
    """
    row = Activity.from_wire({**orjson.loads(seen.body), **fields_of(seen.corrections)})
    if seen.athlete is None or row.started_at is None:
        return None
    if is_estimated(row.sport, row.sub_sport, row.average_power, row.average_heart_rate, row.rpe):
        return None
    athlete = athlete_on(row.sport, day_of(row))
    if not differs_by_weight(seen.athlete, athlete):
        return None
    climbs = tuple(_climb_with_weight(climb, athlete.weight_kg) for climb in row.climbs or ())
    activity = row if row.climbs is None else row.model_copy(update={"climbs": climbs})
    return ImportedActivity(activity, None, tuple(seen.parts), fingerprint(athlete))


def _climb_with_weight(climb: Climb, weight_kg: float | None) -> Climb:
    per_kilo = {
        "average_power_per_kilo": power_per_kilo(climb.average_power, weight_kg),
        "max_power_per_kilo": power_per_kilo(climb.max_power, weight_kg),
    }
    return climb.model_copy(update=per_kilo)


def correct(store: Store, seen: StoredActivity, changes: Corrections, athlete_on: AthleteOn) -> bool:
    """Write corrections of an activity; False if it has changed since it was read.

    Raises a `RecordingError` if its start cannot be changed.
    """
    before = Activity.from_wire(orjson.loads(seen.body))
    plain = fields_of(changes)
    corrections = {**seen.corrections, **plain}
    is_moved = not SENT_START.isdisjoint(changes)
    if is_moved:
        corrections = start_correction(before, corrections, changes)
    changes_load = is_moved or BY_HAND in corrections or not _CHANGES_LOAD.isdisjoint(changes)
    if seen.deleted_at is None and changes_load:
        read = _read_corrected(store, seen, corrections, athlete_on, is_moved=is_moved)
        if read is not None:
            is_written = store.put_read_again(seen, read, corrections=corrections)
            if is_written and is_moved:
                _move_workout(store, seen, before, read.activity)
            return is_written
    activity = Activity.from_wire({**orjson.loads(seen.body), **plain})
    return store.change_activity(seen, activity, corrections=corrections)


def _read_corrected(
    store: Store, seen: StoredActivity, corrections: Corrections, athlete_on: AthleteOn, *, is_moved: bool
) -> ImportedActivity | None:
    """The activity with its corrections; a file that cannot be read keeps no correction back."""
    if seen.parts or BY_HAND in corrections or not is_moved:
        with suppress(RecordingError):
            return read_again(store, replace(seen, corrections=dict(corrections)), athlete_on)
    return _moved(store, seen, corrections, athlete_on) if is_moved else None


def _move_workout(store: Store, seen: StoredActivity, before: Activity, after: Activity) -> None:
    """Move the planned workout of the session's own file with it."""
    day, new_day = local_day(before), local_day(after)
    for body in store.imported_prescriptions(seen.user_id):
        workout = TrainingPrescription.from_wire(orjson.loads(body))
        if new_day is not None and workout.activity_id == seen.id and workout.date == day:
            row = of_dated(seen.user_id, workout.model_copy(update={"date": new_day}))
            store.replace_row(RowKind.PRESCRIPTIONS, seen.user_id, body, row)


def read_again(
    store: Store, seen: StoredActivity, athlete_on: AthleteOn, *, parts: Sequence[Part] | None = None
) -> ImportedActivity | None:
    """The activity with today's references and the person's corrections; None if nothing was kept to read.

    Raises a `RecordingError` if a kept file cannot be read.
    """
    parts = tuple(seen.parts if parts is None else parts)
    with errors_as_broken_recording():
        return (
            _from_files(store, seen, athlete_on, parts) if parts else _from_streams(store, seen, athlete_on)
        )


def _from_files(
    store: Store, seen: StoredActivity, athlete_on: AthleteOn, parts: tuple[Part, ...]
) -> ImportedActivity:
    legs, offset, is_in_group = [], None, False
    for digest, place in parts:
        try:
            data = store.originals.read(seen.user_id, digest)
        except OriginalLost as error:
            raise BrokenRecording(str(error)) from error
        recording = read_recording(data, ImportLimits())
        legs.append(recording.legs[place])
        is_in_group = is_in_group or recording.groups()[place] is not None
        offset = recording.utc_offset_min if offset is None else offset
    group_id = orjson.loads(seen.body)["groupId"] if is_in_group else None
    offset = corrected_offset(seen.corrections, offset)
    is_final = "startedAt" in seen.corrections
    identity = Identity(id=seen.id, group_id=group_id, utc_offset_min=offset, is_offset_corrected=is_final)
    read = read_activity(corrected(joined(legs), seen.corrections), identity, athlete_on)
    references = fingerprint(athlete_on(read.activity.sport, day_of(read.activity)))
    return ImportedActivity(read.activity, read.streams, parts, references)


def _from_streams(store: Store, seen: StoredActivity, athlete_on: AthleteOn) -> ImportedActivity | None:
    """The load alone, for a session whose file was imported before files were kept, or that never had one."""
    if BY_HAND in seen.corrections:
        return by_hand(seen.id, seen.corrections, athlete_on)
    row = orjson.loads(seen.body)
    kept = store.streams(seen.id, seen.user_id)
    if row["startedAt"] is None or (kept is not None and kept.recipe is not None):
        return None
    activity = Activity.from_wire({**row, **fields_of(seen.corrections)})
    streams = None if kept is None or kept.body is None else _unpacked(kept.body)
    return _with_load(activity, streams, athlete_on)


def by_hand(activity_id: str, corrections: Corrections, athlete_on: AthleteOn) -> ImportedActivity:
    """The session that a person entered; what they did not enter is null. Its load follows from the RPE."""
    offset = corrected_offset(corrections, None)
    identity = Identity(id=activity_id, utc_offset_min=offset, is_offset_corrected=True)
    activity = read_activity(leg_by_hand(corrections), identity, athlete_on).activity
    unknown: dict[str, Any] = {"moving_duration": None}
    if corrections["totalDuration"] is None:
        unknown |= dict.fromkeys(("effective_duration", "total_duration", "volume"))
    activity = activity.model_copy(update=unknown)
    return ImportedActivity(activity, None, (), fingerprint(athlete_on(activity.sport, day_of(activity))))


def _moved(
    store: Store, seen: StoredActivity, corrections: Corrections, athlete_on: AthleteOn
) -> ImportedActivity:
    """The activity at the start of its new corrections, from the stored rows."""
    kept = store.streams(seen.id, seen.user_id)
    if kept is not None and kept.body is None:
        raise BrokenRecording("the recording is computed on demand, so its start cannot be changed")
    before = Activity.from_wire({**orjson.loads(seen.body), **fields_of(corrections)})
    activity = moved_activity(before, *start_of(before, seen.corrections, corrections))
    if activity.started_at is None:
        return ImportedActivity(activity, None, tuple(seen.parts), None)
    streams = None
    if kept is not None and kept.body is not None:
        by_s = 0.0 if before.started_at is None else (activity.started_at - before.started_at).total_seconds()
        streams = moved_streams(_unpacked(kept.body), by_s=by_s)
    read = _with_load(activity, streams, athlete_on)
    return replace(read, streams=streams, parts=tuple(seen.parts))


def _unpacked(packed: bytes) -> ActivityStreams:
    return ActivityStreams.from_json(zstandard.ZstdDecompressor().decompress(packed))


def _with_load(
    activity: Activity, streams: ActivityStreams | None, athlete_on: AthleteOn
) -> ImportedActivity:
    leg = without_dead_sensors(_leg(activity, streams))
    athlete = athlete_on(activity.sport, day_of(activity))
    load: dict[str, Any] = load_of(leg, athlete, durations(leg))
    return ImportedActivity(activity.model_copy(update=load), None, (), fingerprint(athlete))


def _leg(activity: Activity, streams: ActivityStreams | None) -> Leg:
    if streams is None or streams.timestamps is None:
        times_s, columns = np.empty(0), {}
    else:
        times_s, columns = streams.timestamps.astype("int64") / 1000, dict(streams.columns)
    averages = ("average_power", "average_heart_rate")
    names = (
        "total_duration",
        "effective_duration",
        "moving_duration",
        "distance",
        "rpe",
        "feeling",
        *averages,
    )
    figures = {name: float(value) for name in names if (value := getattr(activity, name)) is not None}
    started_at: datetime = activity.started_at or datetime.now(UTC)
    return Leg(
        started_s=started_at.timestamp(),
        times_s=times_s,
        columns=columns,
        sport=activity.sport,
        sub_sport=activity.sub_sport,
        pauses=gaps_as_pauses(times_s),
        figures=figures,
    )
