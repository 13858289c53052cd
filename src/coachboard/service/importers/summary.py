"""A leg of a recording as an activity of the interface."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from coachboard.formulas.session.clock_grid import LONGEST_GRID_S
from coachboard.formulas.session.elevation import gain_loss
from coachboard.formulas.session.power import normalized_power, work_kj
from coachboard.plain_text import stored_texts
from coachboard.service.importers import laps
from coachboard.service.importers.athlete import AthleteOn, AthleteValues
from coachboard.service.importers.contradictions import in_strides
from coachboard.service.importers.errors import FileTooLarge
from coachboard.service.importers.load import load_of
from coachboard.service.importers.plausible import without_dead_sensors
from coachboard.service.importers.record_times import (
    Durations,
    durations,
    even_places,
    held_column,
    record_durations_s,
)
from coachboard.service.importers.recording import Leg
from coachboard.service.importers.segment_figures import LegSeries, Segment, figure, moment
from coachboard.service.importers.sports import ON_FOOT, WITHOUT_PLACE
from coachboard.service.importers.streams import has_plausible_altitude, streams_of
from coachboard.service.importers.timezones import local_offset_min
from coachboard.wire.activities import Activity
from coachboard.wire.streams import ActivityStreams

Figures = Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The identity of an activity, besides the recorded values."""

    id: str
    group_id: str | None = None
    utc_offset_min: int | None = None  # the file's own, where it is sane
    is_offset_corrected: bool = False  # a person's, which no place replaces


@dataclass(frozen=True, slots=True, eq=False)
class ReadActivity:
    """An activity with its streams, as they go into the store."""

    activity: Activity
    streams: ActivityStreams | None


def read_activity(leg: Leg, identity: Identity, athlete_on: AthleteOn) -> ReadActivity:
    """Every field of the interface that the recording supports; `summary` and `raceType` are none of them.

    Raises `FileTooLarge` for records that lie further apart than any session lasts, as from a clock that was set meanwhile.
    """
    if len(leg.times_s) and leg.times_s[-1] - leg.times_s[0] > LONGEST_GRID_S:
        raise FileTooLarge(f"the records span more than {LONGEST_GRID_S // 86_400} days")
    leg = in_strides(leg)
    place = _start_place(leg)
    has_place = leg.sub_sport not in WITHOUT_PLACE and not identity.is_offset_corrected
    real_place = place if has_place else None
    offset = local_offset_min(identity.utc_offset_min, real_place, leg.started_s)
    local = None if offset is None else _local(leg, offset)
    day = (local or datetime.fromtimestamp(leg.started_s, UTC)).date()
    athlete = athlete_on(leg.sport, day)
    streams = streams_of(leg, athlete)
    took = durations(leg)
    sensed = without_dead_sensors(leg)
    activity = Activity(
        id=identity.id,
        group_id=identity.group_id,
        **stored_texts({"name": leg.name, "description": leg.description}),
        sport=leg.sport,
        sub_sport=leg.sub_sport,
        started_at=moment(leg.started_s),
        utc_offset=offset,
        started_at_local=local,
        race_type=None,
        start_latitude=None if place is None else figure(place[0], 7),
        start_longitude=None if place is None else figure(place[1], 7),
        summary=None,
        provider_laps=laps.provider_laps(leg),
        lengths=laps.lengths(leg),
        **_found(sensed, athlete, streams),
        **_figures(sensed, took),
        **load_of(sensed, athlete, took),
    )
    return ReadActivity(activity, streams)


def _local(leg: Leg, offset_min: int) -> datetime:
    return moment(leg.started_s).replace(tzinfo=None) + timedelta(minutes=offset_min)


def _start_place(leg: Leg) -> tuple[float, float] | None:
    lat, long = leg.columns.get("positionLat"), leg.columns.get("positionLong")
    if lat is not None and long is not None:
        fixes = np.flatnonzero(np.isfinite(lat) & np.isfinite(long))
        if len(fixes):
            return float(lat[fixes[0]]), float(long[fixes[0]])
    device = leg.figures.get("start_latitude"), leg.figures.get("start_longitude")
    if device[0] is None or device[1] is None or device == (0.0, 0.0):
        return None
    return device[0], device[1]


def _found(leg: Leg, athlete: AthleteValues, streams: ActivityStreams | None) -> dict[str, Any]:
    if streams is None:
        return {"laps": (), "climbs": ()}
    return {
        "laps": laps.classified_laps(leg, athlete),
        "climbs": laps.climbs(leg, athlete, streams.columns.get("grade")),
    }


def _figures(leg: Leg, took: Durations) -> dict[str, float | None]:
    """The device's figure first, except for power.

    Devices differ in whether zeros count in an average power, so it is computed from the records for all of them.
    """
    whole = LegSeries.of(leg).between(0, max(len(leg.times_s) - 1, 0))
    computed = {**_distance_and_speed(whole, took), **_height(leg, whole), **_body(whole)}
    device = {name: value for name, value in leg.figures.items() if name in computed}
    merged = {name: _first(device.get(name), value) for name, value in computed.items()}
    return {
        "moving_duration": figure(took.moving_s, 3),
        "effective_duration": figure(took.effective_s, 3),
        "total_duration": figure(took.total_s, 3),
        **{name: figure(value) for name, value in merged.items()},
        **_cadence(leg, whole),
        **_power(leg, whole),
        "calories": figure(leg.figures.get("calories")),
        "rpe": _scale(leg.figures.get("rpe"), 1, 10),
        "feeling": _scale(leg.figures.get("feeling"), 1, 5),
    }


def _first(device: float | None, computed: float | None) -> float | None:
    # A watch writes 0 m for what only a developer field measured (o20 of the recordings).
    return computed if device is None or (device == 0 and computed) else device


def _scale(value: float | None, low: int, high: int) -> float | None:
    return None if value is None or not low <= value <= high else round(value, 1)


def _distance_and_speed(whole: Segment, took: Durations) -> Figures:
    reached = whole.series.leg.figures.get("distance") or whole.highest("distance")
    speed = reached / took.effective_s if reached and took.effective_s else None
    return {"distance": reached, "average_speed": figure(speed, 3), "max_speed": whole.highest("speed")}


def _height(leg: Leg, whole: Segment) -> Figures:
    if not has_plausible_altitude(leg):
        names = ("elevation_gain", "elevation_loss", "min_elevation", "average_elevation", "max_elevation")
        return dict.fromkeys(names)
    gain, loss = gain_loss(leg.columns["altitude"])
    return {
        "elevation_gain": gain,
        "elevation_loss": loss,
        "min_elevation": whole.lowest("altitude"),
        "average_elevation": whole.mean("altitude"),
        "max_elevation": whole.highest("altitude"),
    }


def _body(whole: Segment) -> Figures:
    return {
        "average_heart_rate": whole.mean("heartRate"),
        "max_heart_rate": whole.highest("heartRate"),
        "min_temperature": whole.lowest("temperature"),
        "average_temperature": whole.mean("temperature"),
        "max_temperature": whole.highest("temperature"),
    }


def _cadence(leg: Leg, whole: Segment) -> dict[str, float | None]:
    """On foot strides a minute under their own names, and nothing under the others'."""
    figures = leg.figures
    average = figure(_first(figures.get("average_cadence"), whole.mean("cadence")))
    highest = figure(_first(figures.get("max_cadence"), whole.highest("cadence")))
    is_on_foot = leg.sport in ON_FOOT
    return {
        "average_cadence": None if is_on_foot else average,
        "max_cadence": None if is_on_foot else highest,
        "average_running_cadence": average if is_on_foot else None,
        "max_running_cadence": highest if is_on_foot else None,
    }


def _power(leg: Leg, whole: Segment) -> dict[str, float | None]:
    power = held_column(leg, "power")
    if power is None:
        names = ("average_power", "max_power", "normalized_power", "work")
        return {name: figure(leg.figures.get(name)) for name in names}
    return {
        "average_power": whole.mean("power"),
        "max_power": whole.highest("power"),
        "normalized_power": figure(normalized_power(power[even_places(leg)])),
        "work": figure(work_kj(power, record_durations_s(leg)), 3),
    }
