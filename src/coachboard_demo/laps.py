"""Laps and climbs of rides, and the laps that the device itself wrote."""

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import numpy as np

from coachboard.formulas.session.zones import intensity_of
from coachboard.wire.activities import Climb, Lap, ProviderLap
from coachboard.wire.enums import LapCharacteristic, LapIntensity, Sport
from coachboard_demo.chance import detail_peaks, stretch
from coachboard_demo.grid import CELL_S, Floats, Ints, Spans, block_means
from coachboard_demo.rows import Part, parts
from coachboard_demo.session import DonePart, SimulatedSession, moments
from coachboard_demo.simulation import SessionTrace

_RECOVERY_PCT, _LOW_CADENCE_RPM, _HIGH_CADENCE_RPM = 55.0, 68.0, 104.0
_FEWEST_CLIMB_CELLS, _AUTO_LAP_M = 6, 1000.0
_BY_LABEL = {
    "maximum": LapCharacteristic.MAXIMUM, "intra-recovery": LapCharacteristic.INTRA_RECOVERY,
    "rest": LapCharacteristic.INTRA_RECOVERY, "progressive": LapCharacteristic.PROGRESSIVE,
    "dynamic": LapCharacteristic.DYNAMIC,
}  # fmt: skip
_EASY = frozenset({"intra-recovery", "rest", "recovery"})
_DEVICE_LABELS = {
    "warm up": "warmup", "cool down": "cooldown", "intra-recovery": "recovery", "rest": "rest", "active": "active",
    "maximum": "active",
}  # fmt: skip
_LAPS_ALONE = frozenset({"average_torque", "max_torque", "average_altitude", "elevation_loss"})
_Class = tuple[LapIntensity, LapCharacteristic | None]


def sections_of(session: SimulatedSession, trace: SessionTrace) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """The classified laps and the climbs of a ride; other sessions have neither."""
    if trace.power_w is None or not session.is_ride:
        return (), ()
    starts, classes = _lap_starts(session, trace, trace.power_w)
    climbs = _climb_bounds(trace)
    count = len(climbs)
    ends = np.append(starts[1:], len(trace))
    # The climbs first: the last span ends with the session.
    spans = Spans(np.concatenate((climbs[:, 0], starts)), np.concatenate((climbs[:, 1], ends)), len(trace))
    columns = _columns(session, trace, spans)
    of_laps = {name: values[count:] for name, values in columns.items()} | {
        "intensity": [intensity for intensity, _ in classes],
        "characteristic": [characteristic for _, characteristic in classes],
    }
    of_climbs = {name: values[:count] for name, values in columns.items() if name not in _LAPS_ALONE}
    if not count:
        return parts(Lap, of_laps), ()
    for name in ("average_power", "max_power") if "average_power" in of_climbs else ():
        of_climbs[f"{name}_per_kilo"] = [round(watts / session.body.mass_kg, 2) for watts in of_climbs[name]]
    return parts(Lap, of_laps), parts(
        Climb, of_climbs | _shape(trace, Spans(climbs[:, 0], climbs[:, 1], len(trace)))
    )


def _lap_starts(session: SimulatedSession, trace: SessionTrace, power_w: Floats) -> tuple[Ints, list[_Class]]:
    """Each stretch classified by its mean power; even neighbours of one class are one lap."""
    means = block_means(power_w, trace.starts, trace.sizes) * (100 / session.body.power_w)
    starts: list[int] = []
    classes: list[_Class] = []
    for part, start, pct in zip(session.done, trace.starts.tolist(), means.tolist(), strict=True):
        found = _classified(part, pct)
        if not starts or part.label or classes[-1] != found:
            starts.append(start)
            classes.append(found)
    return np.array(starts), classes


def _classified(part: DonePart, pct: float) -> _Class:
    is_recovery = part.label in _EASY and pct < _RECOVERY_PCT
    intensity = LapIntensity.RECOVERY if is_recovery else intensity_of(pct)
    characteristic = _BY_LABEL.get(part.label)
    if characteristic is None and part.cadence_rpm:
        if part.cadence_rpm < _LOW_CADENCE_RPM:
            characteristic = LapCharacteristic.TORQUE
        elif part.cadence_rpm > _HIGH_CADENCE_RPM:
            characteristic = LapCharacteristic.CADENCE
    return intensity, characteristic


def _climb_bounds(trace: SessionTrace) -> Ints:
    """First and exclusive last cell of the climbs of the route, as often as they were ridden."""
    if trace.along_m is None or trace.way is None or not trace.way.climbs_m:
        return np.empty((0, 2), np.int64)
    rounds = np.arange(max(1, round(float(trace.along_m[-1]) / trace.way.length_m)))
    marks = np.array(trace.way.climbs_m) + rounds[:, None, None] * trace.way.length_m
    bounds = trace.along_m.searchsorted(marks.ravel()).reshape(-1, 2)
    bounds[:, 1] = np.minimum(bounds[:, 1] + 1, len(trace) - 1)
    return np.asarray(bounds[bounds[:, 1] - bounds[:, 0] > _FEWEST_CLIMB_CELLS])


def _shape(trace: SessionTrace, spans: Spans) -> dict[str, list[Any]]:
    """The slope and height of each climb."""
    assert trace.altitude_m is not None
    assert trace.distance_m is not None
    assert trace.grade_pct is not None
    height = trace.altitude_m
    rise = height[spans.ends - 1] - height[spans.starts]
    return {
        "average_grade": (rise / np.maximum(spans.gained(trace.distance_m), 1.0) * 100).round(2).tolist(),
        "max_grade": (spans.highest(trace.grade_pct) / trace.scale).round(2).tolist(),
        "min_altitude": spans.lowest(height).round(1).tolist(),
        "max_altitude": spans.highest(height).round(1).tolist(),
    }


def _columns(session: SimulatedSession, trace: SessionTrace, spans: Spans) -> dict[str, list[Any]]:
    """The fields that laps and climbs share, a value for each span."""
    first, last = (spans.starts * CELL_S).tolist(), (spans.ends * CELL_S - 1).tolist()
    columns: dict[str, list[Any]] = {
        "started_at_index": first,
        "ended_at_index": last,
        "started_at": moments(session, first),
        "ended_at": moments(session, last),
        "duration": (spans.cells * CELL_S).tolist(),
    }
    for name, values, peaks, digits in _channels(session, trace):
        columns[f"average_{name}"] = spans.means(values).round(digits).tolist()
        columns[f"max_{name}"] = spans.highest(peaks).round(digits if name == "speed" else 0).tolist()
    if trace.distance_m is not None:
        columns["distance"] = spans.gained(trace.distance_m).round(1).tolist()
    if trace.altitude_m is not None and trace.up_m is not None and trace.down_m is not None:
        columns["elevation_gain"] = spans.gained(trace.up_m).round(1).tolist()
        columns["elevation_loss"] = spans.gained(trace.down_m).round(1).tolist()
        columns["average_altitude"] = spans.means(trace.altitude_m).round(1).tolist()
    if trace.power_w is not None and "power" in session.sensors:
        columns["work_before"] = (spans.before(trace.power_w.cumsum()) * (CELL_S / 1000)).round(1).tolist()
    if "temperature" in session.sensors:
        columns["average_temperature"] = spans.means(trace.air_c).round(1).tolist()
    return columns


def _channels(session: SimulatedSession, trace: SessionTrace) -> Iterator[tuple[str, Floats, Floats, int]]:
    """Name, values, highest second of each cell and digits of the quantities that the athlete's sensors measure."""
    if trace.power_w is not None and "power" in session.sensors:
        yield "power", trace.power_w, peaks_of(trace.power_w, session.kind.detail, session.seed), 1
        if "torque" in session.sensors and trace.cadence is not None:
            torque = torque_nm(trace.power_w, trace.cadence)
            yield "torque", torque, torque, 1
    if trace.cadence is not None and "cadence" in session.sensors:
        yield "cadence", trace.cadence, trace.cadence, 1
    if "heart rate" in session.sensors:
        yield "heart_rate", trace.heart_rate, trace.heart_rate, 1
    if trace.speed_mps is not None:
        yield "speed", trace.speed_mps, peaks_of(trace.speed_mps, session.kind.jitter, session.seed + 1), 3


def peaks_of(values: Floats, detail: float, seed: int) -> Floats:
    """The highest second of each cell, without making the seconds."""
    return values * (1 + detail * stretch(detail_peaks(), seed, len(values)))


def torque_nm(power_w: Floats, cadence: Floats) -> Floats:
    """Power over angular speed of the cranks."""
    return power_w / (np.maximum(cadence, 20) * (2 * np.pi / 60))


def provider_laps_of(session: SimulatedSession, trace: SessionTrace) -> tuple[Part, ...]:
    """The device's laps: one for each step of a workout, else one per kilometre of a run, else one of the whole."""
    if any(part.label in _DEVICE_LABELS for part in session.done):
        ends = list(accumulate(part.duration_s for part in session.done))
        labels = [_DEVICE_LABELS.get(part.label) for part in session.done]
        triggers = ["time"] * len(ends)
    else:
        ends = [*_kilometres(session, trace), len(trace) * CELL_S]
        labels, triggers = [None] * len(ends), ["distance"] * (len(ends) - 1) + ["session_end"]
    bounds = moments(session, [0, *ends])
    columns: dict[str, list[Any]] = {
        "started_at": bounds[:-1],
        "ended_at": bounds[1:],
        "intensity": labels,
        "lap_trigger": triggers,
    }
    return parts(ProviderLap, columns)


def _kilometres(session: SimulatedSession, trace: SessionTrace) -> list[int]:
    if session.kind.sport is not Sport.RUNNING or trace.distance_m is None:
        return []
    marks = np.arange(_AUTO_LAP_M, float(trace.distance_m[-1]) - 1, _AUTO_LAP_M)
    return [(cell + 1) * CELL_S for cell in trace.distance_m.searchsorted(marks).tolist()]
