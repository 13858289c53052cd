"""A person's corrections of a session, which replace the values of the file, and sessions that a person enters by hand."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from coachboard.service.importers.recording import Leg, TimeSpan
from coachboard.service.importers.timezones import offset_at_min
from coachboard.wire.activities import Activity
from coachboard.wire.base import write_timestamp
from coachboard.wire.enums import Sport, SubSport
from coachboard.wire.streams import ActivityStreams

_TEXTS = ("name", "description")
_FIGURES = ("rpe", "feeling")
_TYPED = ("totalDuration", "distance")
_FIELDS = frozenset({*_TEXTS, *_FIGURES, *_TYPED, "sport", "subSport"})
RECORDED_AT, RECORDED_OFFSET, BY_HAND = "recordedAt", "recordedOffset", "byHand"
"""Marks beside the corrections: start and offset before a correction, and that a person entered the session."""
SENT_START = frozenset({"startedAtLocal", "utcOffset"})
"""Fields with which a person sends another start."""
STORED_START = frozenset({"startedAt", "utcOffset", RECORDED_AT, RECORDED_OFFSET})
"""Fields and marks that are stored for a corrected start."""

Corrections = Mapping[str, Any]
"""Fields of the interface with their corrected values, and marks; null for a value of the file that was removed.

A row stores them beside the activity. A request has the changed ones, with the start as `SENT_START`.
"""


def fields_of(corrections: Corrections) -> dict[str, Any]:
    """The corrections that are fields of an activity as they are."""
    return {name: value for name, value in corrections.items() if name in _FIELDS}


def corrected_names(corrections: Corrections) -> list[str]:
    """The fields that differ from the recording; a session entered by hand has none."""
    if BY_HAND in corrections:
        return []
    return [name for name in corrections if name in _FIELDS or name in {"startedAt", "utcOffset"}]


def corrected(leg: Leg, corrections: Corrections) -> Leg:
    """The leg with a person's corrections, under the names of the interface; a null removes the file's value."""
    changed: dict[str, Any] = {name: corrections[name] for name in _TEXTS if name in corrections}
    if "sport" in corrections:
        changed["sport"] = None if corrections["sport"] is None else Sport(corrections["sport"])
    if "subSport" in corrections:
        changed["sub_sport"] = None if corrections["subSport"] is None else SubSport(corrections["subSport"])
    figures = dict(leg.figures)
    for name in _FIGURES:
        if name in corrections:
            figures.pop(name, None)
            if corrections[name] is not None:
                figures[name] = float(corrections[name])
    return _moved(replace(leg, figures=figures, **changed), shift_s(corrections))


def corrected_offset(corrections: Corrections, recorded_min: int | None) -> int | None:
    """The offset from UTC: the person's with a corrected start, else that of the file."""
    offset = corrections["utcOffset"] if "startedAt" in corrections else recorded_min
    return None if offset is None else int(offset)


def shift_s(corrections: Corrections) -> float:
    """How far a person moved the start of the recording. [s]."""
    if "startedAt" not in corrections or corrections.get(RECORDED_AT) is None:
        return 0.0
    return (_moment(corrections["startedAt"]) - _moment(corrections[RECORDED_AT])).total_seconds()


def start_of(
    activity: Activity, before: Corrections, after: Corrections
) -> tuple[datetime | None, float | None]:
    """The start and the offset of a session without a file, after its corrections changed."""
    if "startedAt" in after:
        return _moment(after["startedAt"]), after["utcOffset"]
    if "startedAt" in before:
        return recorded_at(before), before.get(RECORDED_OFFSET)
    return activity.started_at, activity.utc_offset


def recorded_at(corrections: Corrections) -> datetime | None:
    """The start of the recording before a person corrected it; None without a correction."""
    text = corrections.get(RECORDED_AT)
    return None if text is None else _moment(text)


def start_correction(activity: Activity, corrections: Corrections, sent: Corrections) -> dict[str, Any]:
    """The stored corrections with the start of a request.

    `startedAtLocal` without an offset keeps the rule of the place, summer time included, else the session's offset; an
    offset alone keeps the moment. A null start returns to the recorded one.
    """
    kept = {name: value for name, value in corrections.items() if name not in STORED_START}
    if sent.get("startedAtLocal", 0) is None:
        return kept
    local, offset = sent.get("startedAtLocal"), sent.get("utcOffset")
    if local is None:
        assert activity.started_at is not None  # checked by the caller
        start = activity.started_at
    else:
        if offset is None:
            offset = _offset_on(activity, _moment(local))
        start = _moment(local) - timedelta(minutes=offset or 0)
    marks = {name: corrections[name] for name in (RECORDED_AT, RECORDED_OFFSET) if name in corrections}
    if BY_HAND not in corrections and activity.started_at is not None:
        marks = {
            RECORDED_AT: write_timestamp(activity.started_at),
            RECORDED_OFFSET: activity.utc_offset,
        } | marks
    return {**kept, "startedAt": write_timestamp(start), "utcOffset": offset, **marks}


def moved_activity(activity: Activity, start: datetime | None, offset: float | None) -> Activity:
    """A session without a file at another start; laps and climbs keep their place within it."""
    was = activity.started_at
    by = timedelta(0) if start is None or was is None else start - was
    parts: dict[str, Any] = {
        name: tuple(
            row.model_copy(update={"started_at": row.started_at + by, "ended_at": row.ended_at + by})
            for row in getattr(activity, name)
        )
        for name in ("laps", "climbs", "lengths", "provider_laps")
    }
    local = None
    if start is not None and offset is not None:
        local = start.replace(tzinfo=None) + timedelta(minutes=offset)
    return activity.model_copy(
        update={**parts, "started_at": start, "started_at_local": local, "utc_offset": offset}
    )


def moved_streams(streams: ActivityStreams, *, by_s: float) -> ActivityStreams:
    """The samples with every time moved."""
    stamps = streams.timestamps
    by = np.timedelta64(round(by_s * 1000), "ms")
    return replace(streams, timestamps=None if stamps is None else stamps + by)


def leg_by_hand(corrections: Corrections) -> Leg:
    """A session that a person entered, without records."""
    figures: dict[str, float] = {}
    if corrections["totalDuration"] is not None:
        figures |= dict.fromkeys(
            ("total_duration", "effective_duration"), float(corrections["totalDuration"])
        )
    if corrections["distance"] is not None:
        figures["distance"] = float(corrections["distance"])
    start_s = _moment(corrections["startedAt"]).timestamp()
    leg = Leg(started_s=start_s, times_s=np.empty(0), columns={}, figures=figures)
    return corrected(leg, corrections)


def _moved(leg: Leg, by_s: float) -> Leg:
    """The leg with every moment moved."""
    if by_s == 0:
        return leg

    def span(old: TimeSpan) -> TimeSpan:
        return TimeSpan(old.start_s + by_s, old.end_s + by_s)

    return replace(
        leg,
        started_s=leg.started_s + by_s,
        times_s=leg.times_s + by_s,
        pauses=tuple(span(pause) for pause in leg.pauses),
        laps=tuple(replace(lap, span=span(lap.span)) for lap in leg.laps),
        lengths=tuple(replace(length, span=span(length.span)) for length in leg.lengths),
    )


def _offset_on(activity: Activity, local: datetime) -> float | None:
    """The offset at that local time: by the rule of the place if the session's own offset follows it."""
    offset, start = activity.utc_offset, activity.started_at
    place = activity.start_latitude, activity.start_longitude
    if offset is None or start is None or place[0] is None or place[1] is None:
        return offset
    if offset_at_min(place[0], place[1], start.timestamp()) != offset:
        return offset  # such as that of a game
    for _ in range(2):  # the second time with the offset of the day itself
        moment_s = (local - timedelta(minutes=offset)).timestamp()
        offset = offset_at_min(place[0], place[1], moment_s) or 0
    return offset


def _moment(text: str) -> datetime:
    """A time as the interface writes it; a local one as if it were UTC."""
    return datetime.fromisoformat(text[:19]).replace(tzinfo=UTC)
