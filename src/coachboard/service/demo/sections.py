"""Parts of a session: classified laps and climbs of rides, and the laps that the device wrote."""

from functools import lru_cache
from typing import Any

import numpy as np

from coachboard.analytics.climbs import find_climbs
from coachboard.analytics.zones import intensity_of
from coachboard.models.activities import Climb, Lap, ProviderLap
from coachboard.models.enums import LapCharacteristic, LapIntensity
from coachboard.service.demo.cells import CELL_S, Floats, Ints, cells_of
from coachboard.service.demo.chance import detail_peaks, stretch
from coachboard.service.demo.session import Done, Session, moment
from coachboard.service.demo.simulation import Trace
from coachboard.service.demo.terrain import Route

_RECOVERY_PCT = 55.0
_LOW_CADENCE_RPM, _HIGH_CADENCE_RPM = 68.0, 104.0
_BY_LABEL = {
    "maximum": LapCharacteristic.MAXIMUM,
    "intra-recovery": LapCharacteristic.INTRA_RECOVERY,
    "rest": LapCharacteristic.INTRA_RECOVERY,
    "progressive": LapCharacteristic.PROGRESSIVE,
    "dynamic": LapCharacteristic.DYNAMIC,
}
_EASY = frozenset({"intra-recovery", "rest", "recovery"})


def laps_of(session: Session, trace: Trace) -> tuple[Lap, ...]:
    """Each stretch classified by its mean power; neighbours of a steady ride that fall in one class are one lap."""
    if trace.power_w is None:
        return ()
    totals = np.append(0.0, np.cumsum(trace.power_w))
    bounds = np.append(trace.starts, len(trace))
    means = np.diff(totals[bounds]) / np.diff(bounds) / session.body.power_w * 100
    kept: list[tuple[int, LapIntensity, LapCharacteristic | None]] = []
    for part, start, pct in zip(session.done, trace.starts.tolist(), means.tolist(), strict=True):
        found = (start, *_classified(part, pct))
        if not kept or part.label or kept[-1][1:] != found[1:]:
            kept.append(found)
    columns = _columns(session, trace, np.array([start for start, _, _ in kept]))
    return tuple(
        Lap.model_construct(intensity=intensity, characteristic=characteristic, **_row(columns, at))
        for at, (_, intensity, characteristic) in enumerate(kept)
    )


def _classified(part: Done, pct: float) -> tuple[LapIntensity, LapCharacteristic | None]:
    if part.label in _EASY and pct < _RECOVERY_PCT:
        intensity = LapIntensity.RECOVERY
    else:
        intensity = intensity_of(pct)
    characteristic = _BY_LABEL.get(part.label)
    if characteristic is None and part.cadence_rpm:
        if part.cadence_rpm < _LOW_CADENCE_RPM:
            characteristic = LapCharacteristic.TORQUE
        elif part.cadence_rpm > _HIGH_CADENCE_RPM:
            characteristic = LapCharacteristic.CADENCE
    return intensity, characteristic


def _row(columns: dict[str, list[Any]], at: int) -> dict[str, Any]:
    return {name: values[at] for name, values in columns.items()}


def _columns(session: Session, trace: Trace, starts: Ints) -> dict[str, list[Any]]:
    ends = np.append(starts[1:], len(trace))
    indexes = (starts * CELL_S).tolist(), (ends * CELL_S - 1).tolist()
    count = len(starts)
    missing: list[Any] = [None] * count
    columns = {
        "started_at_index": indexes[0],
        "ended_at_index": indexes[1],
        "started_at": [moment(session, index) for index in indexes[0]],
        "ended_at": [moment(session, index) for index in indexes[1]],
        "duration": ((ends - starts) * CELL_S).tolist(),
        "distance": missing,
    }
    columns |= _measured(session, trace, starts)
    columns |= _travelled(trace, starts, ends, missing)
    work = np.append(0.0, np.cumsum(trace.power_w))[starts] * (CELL_S / 1000) if trace.power_w is not None else None
    owns_power = "power" in session.sensors
    columns["work_before"] = _rounded(work, 1) if owns_power and work is not None else missing
    temperature = session.weather.temperature_c + session.weather.rise_c * (starts + ends) / (2 * len(trace))
    columns["average_temperature"] = _rounded(temperature, 1) if "temperature" in session.sensors else missing
    return columns


def _measured(session: Session, trace: Trace, starts: Ints) -> dict[str, list[Any]]:
    """Means and peaks of what sensors measure, missing where the athlete has no such sensor."""
    power = trace.power_w if "power" in session.sensors else None
    peaks = None
    if power is not None:
        peaks = power * (1 + session.kind.detail * stretch(detail_peaks(), session.seed, len(power)))
    cadence = trace.cadence if "cadence" in session.sensors else None
    heart = trace.heart_rate if "heart rate" in session.sensors else None
    torque = torque_nm(trace) if "torque" in session.sensors and power is not None else None
    found: dict[str, list[Any]] = {}
    for name, values, highest, digits in (
        ("Power", power, peaks, 1),
        ("Cadence", cadence, cadence, 1),
        ("HeartRate", heart, heart, 1),
        ("Speed", trace.speed_mps, trace.speed_mps, 3),
        ("Torque", torque, torque, 1),
    ):
        found |= _mean_and_peak(_SNAKE[name], values, highest, starts=starts, digits=digits)
    return found


_SNAKE = {"Power": "power", "Cadence": "cadence", "HeartRate": "heart_rate", "Speed": "speed", "Torque": "torque"}


def _mean_and_peak(
    name: str, values: Floats | None, peaks: Floats | None, *, starts: Ints, digits: int
) -> dict[str, list[Any]]:
    if values is None or peaks is None:
        missing: list[Any] = [None] * len(starts)
        return {f"average_{name}": missing, f"max_{name}": missing}
    means = np.add.reduceat(values, starts) / np.diff(starts, append=len(values))
    return {
        f"average_{name}": _rounded(means, digits),
        f"max_{name}": _rounded(np.maximum.reduceat(peaks, starts), 3 if digits == 3 else 0),
    }


def torque_nm(trace: Trace) -> Floats:
    """Power over angular speed of the cranks."""
    assert trace.power_w is not None
    assert trace.cadence is not None
    angular = np.maximum(trace.cadence, 20) * (2 * np.pi / 60)
    return trace.power_w / angular


def _rounded(values: Floats, digits: int) -> list[Any]:
    found: list[Any] = np.round(values, digits).tolist()
    return [int(value) for value in found] if digits == 0 else found


def _travelled(trace: Trace, starts: Ints, ends: Ints, missing: list[Any]) -> dict[str, list[Any]]:
    found = dict.fromkeys(("average_altitude", "elevation_gain", "elevation_loss"), missing)
    if trace.distance_m is None:
        return {**found, "distance": missing}
    distance = np.append(0.0, trace.distance_m)
    found["distance"] = _rounded(distance[ends] - distance[starts], 1)
    if trace.way is None or trace.along_m is None:
        return found
    along = np.append(0.0, trace.along_m)
    gain, loss = (trace.way.total(climbed, along) for climbed in (trace.way.gain_m, trace.way.loss_m))
    height = np.add.reduceat(trace.way.at(trace.way.altitude_m, trace.along_m), starts) / (ends - starts)
    return found | {
        "average_altitude": _rounded(height, 1),
        "elevation_gain": _rounded(gain[ends] - gain[starts], 1),
        "elevation_loss": _rounded(loss[ends] - loss[starts], 1),
    }


@lru_cache(maxsize=4096)
def _climbs_on(way: Route) -> tuple[tuple[float, float], ...]:
    """Where on the route the climbs are, from metre to metre."""
    points = np.arange(len(way.altitude_m)) * (way.length_m / (len(way.altitude_m) - 1))
    return tuple((float(points[c.start]), float(points[c.end])) for c in find_climbs(points, way.altitude_m))


def climbs_of(session: Session, trace: Trace) -> tuple[Climb, ...]:
    """The route's climbs as they were ridden, round after round."""
    if trace.way is None or trace.along_m is None or trace.way.length_m < 450:
        return ()
    found = []
    rounds = max(1, round(float(trace.along_m[-1]) / trace.way.length_m))
    for at in range(rounds):
        for first, last in _climbs_on(trace.way):
            bounds = np.searchsorted(trace.along_m, (first + at * trace.way.length_m, last + at * trace.way.length_m))
            start, end = int(bounds[0]), min(int(bounds[1]) + 1, len(trace))
            if end - start > 6:
                found.append(_climb(session, trace, start, end))
    return tuple(found)


def _climb(session: Session, trace: Trace, start: int, end: int) -> Climb:
    assert trace.way is not None
    assert trace.along_m is not None
    columns = _columns(session, _part(trace, end), np.array([start]))
    row = _row(columns, 0)
    height = trace.way.at(trace.way.altitude_m, trace.along_m[start:end])
    grade = trace.way.near(trace.way.grade_pct, trace.along_m[start:end]) / trace.scale
    kilo = session.body.mass_kg
    power, peak = row["average_power"], row["max_power"]
    rise = float(height[-1] - height[0])
    unwanted = ("average_torque", "max_torque", "average_altitude", "elevation_loss")
    return Climb.model_construct(
        **{name: value for name, value in row.items() if name not in unwanted and name != "elevation_gain"},
        average_grade=round(rise / max(row["distance"], 1.0) * 100, 2),
        max_grade=round(float(grade.max()), 2),
        average_power_per_kilo=None if power is None else round(power / kilo, 2),
        max_power_per_kilo=None if peak is None else round(peak / kilo, 2),
        min_altitude=round(float(height.min()), 1),
        max_altitude=round(float(height.max()), 1),
        elevation_gain=round(row["elevation_gain"], 1),
    )


def _part(trace: Trace, end: int) -> Trace:
    def cut(values: Floats | None) -> Floats | None:
        return None if values is None else values[:end]

    return Trace(
        starts=trace.starts,
        moving=trace.moving[:end],
        effort=trace.effort[:end],
        heart_rate=trace.heart_rate[:end],
        cadence=cut(trace.cadence),
        power_w=cut(trace.power_w),
        speed_mps=cut(trace.speed_mps),
        distance_m=cut(trace.distance_m),
        way=trace.way,
        along_m=cut(trace.along_m),
        scale=trace.scale,
    )


_DEVICE_LABELS = {
    "warm up": "warmup", "cool down": "cooldown", "intra-recovery": "recovery", "rest": "rest", "active": "active",
    "maximum": "active",
}  # fmt: skip


def provider_laps_of(session: Session) -> tuple[ProviderLap, ...]:
    """What the device itself wrote: a lap for each step of a workout, else one lap of the whole session."""
    is_workout = any(part.label in _DEVICE_LABELS for part in session.done)
    parts = session.done if is_workout else (Done(session.cells * CELL_S, 0.0),)
    laps, index = [], 0
    for part in parts:
        seconds = cells_of(part.duration_s) * CELL_S
        laps.append(
            ProviderLap.model_construct(
                started_at=moment(session, index),
                ended_at=moment(session, index + seconds - 1),
                intensity=_DEVICE_LABELS.get(part.label),
                lap_trigger="time" if is_workout else "session_end",
            )
        )
        index += seconds
    return tuple(laps)
