"""Parts of a ride with what was measured in them: classified laps, and climbs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from coachboard.analytics.zones import intensity_of
from coachboard.models.activities import Lap
from coachboard.models.enums import LapCharacteristic, LapIntensity
from coachboard.service.demo.built import Part, parts
from coachboard.service.demo.cells import CELL_S, Floats, Ints, block_means
from coachboard.service.demo.chance import peaks_of
from coachboard.service.demo.changes import changes_of
from coachboard.service.demo.climbed import climb_spans, climbs_of
from coachboard.service.demo.session import Done, Session, moments
from coachboard.service.demo.thermometer import means_c
from coachboard.service.demo.trace import Trace

_RECOVERY_PCT = 55.0
_LOW_CADENCE_RPM, _HIGH_CADENCE_RPM = 68.0, 104.0
_BY_LABEL = {
    "maximum": LapCharacteristic.MAXIMUM,
    "intra-recovery": LapCharacteristic.INTRA_RECOVERY,
    "rest": LapCharacteristic.INTRA_RECOVERY,
    "progressive": LapCharacteristic.PROGRESSIVE,
    "dynamic": LapCharacteristic.DYNAMIC,
}
_ZERO = np.zeros(1)
_EASY = frozenset({"intra-recovery", "rest", "recovery"})


@dataclass(frozen=True, slots=True)
class Sections:
    """The classified laps of a ride and its climbs."""

    laps: tuple[Part, ...]
    climbs: tuple[Part, ...]


def sections_of(session: Session, trace: Trace) -> Sections:
    """Laps and climbs of a ride; other sessions have neither."""
    if trace.power_w is None or not session.is_ride:
        return Sections((), ())
    laps = _lap_marks(session, trace)
    climbs = climb_spans(trace)
    starts = np.array([start for start, _, _ in laps] + [start for start, _ in climbs])
    ends = np.array([start for start, _, _ in laps[1:]] + [len(trace)] + [end for _, end in climbs])
    columns = _columns(session, trace, starts, ends)
    of_laps = {name: values[: len(laps)] for name, values in columns.items()}
    of_laps["intensity"] = [intensity for _, intensity, _ in laps]
    of_laps["characteristic"] = [characteristic for _, _, characteristic in laps]
    of_climbs = {name: values[len(laps) :] for name, values in columns.items()}
    return Sections(parts(Lap, of_laps), climbs_of(session, trace, climbs, of_climbs))


def _lap_marks(session: Session, trace: Trace) -> list[tuple[int, LapIntensity, LapCharacteristic | None]]:
    """Each stretch classified by its mean power; neighbours of a steady ride in one class are one lap."""
    assert trace.power_w is not None
    means = block_means(trace.power_w, trace.starts) * (100 / session.body.power_w)
    kept: list[tuple[int, LapIntensity, LapCharacteristic | None]] = []
    for part, start, pct in zip(session.done, trace.starts.tolist(), means.tolist(), strict=True):
        found = (start, *_classified(part, pct))
        if not kept or part.label or kept[-1][1:] != found[1:]:
            kept.append(found)
    return kept


def _classified(part: Done, pct: float) -> tuple[LapIntensity, LapCharacteristic | None]:
    is_recovery = part.label in _EASY and pct < _RECOVERY_PCT
    intensity = LapIntensity.RECOVERY if is_recovery else intensity_of(pct)
    characteristic = _BY_LABEL.get(part.label)
    if characteristic is None and part.cadence_rpm:
        if part.cadence_rpm < _LOW_CADENCE_RPM:
            characteristic = LapCharacteristic.TORQUE
        elif part.cadence_rpm > _HIGH_CADENCE_RPM:
            characteristic = LapCharacteristic.CADENCE
    return intensity, characteristic


def _columns(session: Session, trace: Trace, starts: Ints, ends: Ints) -> dict[str, list[Any]]:
    """What laps and climbs have in common, a value for each span of cells."""
    first, last = (starts * CELL_S).tolist(), (ends * CELL_S - 1).tolist()
    columns: dict[str, list[Any]] = {
        "started_at_index": first,
        "ended_at_index": last,
        "started_at": moments(session, first),
        "ended_at": moments(session, last),
        "duration": ((ends - starts) * CELL_S).tolist(),
    }
    columns |= _travelled(trace, starts, ends)
    columns |= _measured(session, trace, starts, ends)
    missing: list[Any] = [None] * len(starts)
    work = None
    if trace.power_w is not None and "power" in session.sensors:
        work = np.concatenate((_ZERO, trace.power_w.cumsum()))[starts] * (CELL_S / 1000)
    columns["work_before"] = missing if work is None else work.round(1).tolist()
    told = "temperature" in session.sensors
    columns["average_temperature"] = (
        means_c(session, len(trace), starts, ends).round(1).tolist() if told else missing
    )
    return columns


def _measured(session: Session, trace: Trace, starts: Ints, ends: Ints) -> dict[str, list[Any]]:
    """Means and peaks of what sensors measure, missing where the athlete has no such sensor."""
    found: dict[str, list[Any]] = {}
    channels = list(_channels(session, trace))
    spans = np.column_stack((starts, ends)).ravel()
    # A column more, as the last span ends behind the last cell.
    values = np.zeros((2 * len(channels), len(trace) + 1))
    for at, (_, mean, peak) in enumerate(channels):
        values[at, :-1], values[len(channels) + at, :-1] = mean, peak
    means = np.add.reduceat(values[: len(channels)], spans, axis=1)[:, ::2] / (ends - starts)
    peaks = np.maximum.reduceat(values[len(channels) :], spans, axis=1)[:, ::2]
    for at, (name, _, _) in enumerate(channels):
        digits = 3 if name == "speed" else 1
        found[f"average_{name}"] = means[at].round(digits).tolist()
        found[f"max_{name}"] = peaks[at].round(3).tolist() if name == "speed" else np.rint(peaks[at]).tolist()
    for name in _MEASURED:
        found.setdefault(f"average_{name}", [None] * len(starts))
        found.setdefault(f"max_{name}", [None] * len(starts))
    return found


_MEASURED = ("power", "cadence", "heart_rate", "speed", "torque")


def _channels(session: Session, trace: Trace) -> Iterator[tuple[str, Floats, Floats]]:
    """Name, values and highest second of each cell of what was measured."""
    owned = session.sensors
    if trace.power_w is not None and "power" in owned:
        peaks = peaks_of(session.kind.detail, session.seed, len(trace))
        highest = trace.power_w * peaks
        changes, seconds = changes_of(trace.power_w)
        highest[changes] = seconds.max(axis=1, initial=0)
        yield "power", trace.power_w, highest
        if "torque" in owned:
            torque = torque_nm(trace)
            yield "torque", torque, torque
    if trace.cadence is not None and "cadence" in owned:
        yield "cadence", trace.cadence, trace.cadence
    if "heart rate" in owned:
        yield "heart_rate", trace.heart_rate, trace.heart_rate
    if trace.speed_mps is not None:
        peaks = peaks_of(session.kind.jitter, session.seed + 1, len(trace))
        yield "speed", trace.speed_mps, trace.speed_mps * peaks


def torque_nm(trace: Trace) -> Floats:
    """Power over angular speed of the cranks."""
    assert trace.power_w is not None
    assert trace.cadence is not None
    angular = np.maximum(trace.cadence, 20) * (2 * np.pi / 60)
    return trace.power_w / angular


def _travelled(trace: Trace, starts: Ints, ends: Ints) -> dict[str, list[Any]]:
    missing: list[Any] = [None] * len(starts)
    found = {
        "distance": missing,
        "average_altitude": missing,
        "elevation_gain": missing,
        "elevation_loss": missing,
    }
    if trace.distance_m is None:
        return found
    distance = np.concatenate((_ZERO, trace.distance_m))
    found["distance"] = (distance[ends] - distance[starts]).round(1).tolist()
    if trace.way is None or trace.along_m is None:
        return found
    along = np.concatenate((_ZERO, trace.along_m))
    bounds, count = along[np.concatenate((starts, ends))], len(starts)
    for name, climbed in (("elevation_gain", trace.way.gain_m), ("elevation_loss", trace.way.loss_m)):
        total = trace.way.total(climbed, bounds)
        found[name] = (total[count:] - total[:count]).round(1).tolist()
    heights = np.concatenate((_ZERO, trace.altitude_m.cumsum())) if trace.altitude_m is not None else along
    found["average_altitude"] = ((heights[ends] - heights[starts]) / (ends - starts)).round(1).tolist()
    return found
