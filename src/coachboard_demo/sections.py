"""Parts of rides with what was measured in them: classified laps, and climbs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from coachboard.analytics.zones import intensity_of
from coachboard.models.activities import Climb, Lap
from coachboard.models.enums import LapCharacteristic, LapIntensity
from coachboard_demo.batch import Batch
from coachboard_demo.built import Part, parts
from coachboard_demo.cells import CELL_S, Floats
from coachboard_demo.chance import detail_peaks
from coachboard_demo.changes import changes_of
from coachboard_demo.climbed import climb_columns, climb_spans
from coachboard_demo.routes import climbed_m
from coachboard_demo.session import Done
from coachboard_demo.spans import Spans
from coachboard_demo.thermometer import means_c
from coachboard_demo.trace import Trace

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
_Mark = tuple[int, LapIntensity, LapCharacteristic | None]


@dataclass(frozen=True, slots=True)
class Sections:
    """The classified laps and the climbs of each ride."""

    laps: list[tuple[Part, ...]]
    climbs: list[tuple[Part, ...]]


def sections_of(batch: Batch, trace: Trace) -> Sections:
    """Laps and climbs of rides; other sessions have neither."""
    if trace.power_w is None or not batch.is_ride:
        return Sections([()] * len(batch.sessions), [()] * len(batch.sessions))
    marks = _lap_marks(batch, trace)
    climbs = climb_spans(batch, trace)
    spans = _spans(batch, marks, climbs)
    columns = _columns(trace, spans)
    laps = sum(map(len, marks))
    of_laps = {name: values[:laps] for name, values in columns.items()}
    of_laps["intensity"] = [intensity for of_one in marks for _, intensity, _ in of_one]
    of_laps["characteristic"] = [characteristic for of_one in marks for _, _, characteristic in of_one]
    of_climbs = {name: values[laps:] for name, values in columns.items()}
    return Sections(
        _dealt_out(parts(Lap, of_laps), marks),
        _dealt_out(parts(Climb, climb_columns(trace, spans.after(laps), of_climbs)), climbs),
    )


def _dealt_out(rows: tuple[Part, ...], of_each: Sequence[Sequence[Any]]) -> list[tuple[Part, ...]]:
    """To each session its own rows."""
    return [rows[start:end] for start, end in pairwise(accumulate(map(len, of_each), initial=0))]


def _spans(batch: Batch, marks: list[list[_Mark]], climbs: list[list[tuple[int, int]]]) -> Spans:
    """The laps of all sessions, then the climbs of all."""
    counts = [*map(len, marks), *map(len, climbs)]
    of = np.tile(np.arange(len(batch.sessions)), 2).repeat(counts)
    starts = [start for of_one in marks for start, _, _ in of_one]
    ends = [*starts[1:], len(batch)]
    starts += [start for of_one in climbs for start, _ in of_one]
    ends += [end for of_one in climbs for _, end in of_one]
    return Spans(batch, of, np.array(starts), np.array(ends))


def _lap_marks(batch: Batch, trace: Trace) -> list[list[_Mark]]:
    """Each stretch classified by its mean power; neighbours of a steady ride in one class are one lap."""
    assert trace.power_w is not None
    means = (np.add.reduceat(trace.power_w, trace.starts) / trace.sizes).tolist()
    starts = trace.starts.tolist()
    found, first = [], 0
    for session in batch.sessions:
        kept: list[_Mark] = []
        last, to_pct = first + len(session.done), 100 / session.body.power_w
        for part, start, mean in zip(session.done, starts[first:last], means[first:last], strict=True):
            mark = (start, *_classified(part, mean * to_pct))
            if not kept or part.label or kept[-1][1:] != mark[1:]:
                kept.append(mark)
        found.append(kept)
        first = last
    return found


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


def _columns(trace: Trace, spans: Spans) -> dict[str, list[Any]]:
    """What laps and climbs have in common, a value for each span."""
    sensors, missing = spans.batch.sensors, [None] * len(spans)
    first, last = (spans.first * CELL_S).tolist(), (spans.last * CELL_S + CELL_S - 1).tolist()
    return {
        "started_at_index": first,
        "ended_at_index": last,
        "started_at": spans.moments(first),
        "ended_at": spans.moments(last),
        "duration": (spans.cells * CELL_S).tolist(),
        **_travelled(trace, spans),
        **_measured(trace, spans),
        "work_before": _work_before_kj(trace, spans) if "power" in sensors else missing,
        "average_temperature": means_c(spans).round(1).tolist() if "temperature" in sensors else missing,
    }


def _work_before_kj(trace: Trace, spans: Spans) -> list[float]:
    assert trace.power_w is not None
    done = spans.batch.summed(trace.power_w)
    return list((spans.reached(done)[0] * (CELL_S / 1000)).round(1).tolist())


def _measured(trace: Trace, spans: Spans) -> dict[str, list[Any]]:
    """Means and peaks of what sensors measure, missing where the athlete has no such sensor."""
    found: dict[str, list[Any]] = {}
    for name, values, peaks in _channels(spans.batch, trace):
        digits = 3 if name == "speed" else 1
        found[f"average_{name}"] = spans.means(values).round(digits).tolist()
        highest = spans.highest(peaks)
        found[f"max_{name}"] = (highest.round(3) if name == "speed" else np.rint(highest)).tolist()
    for name in _MEASURED:
        found.setdefault(f"average_{name}", [None] * len(spans))
        found.setdefault(f"max_{name}", [None] * len(spans))
    return found


_MEASURED = ("power", "cadence", "heart_rate", "speed", "torque")


def _channels(batch: Batch, trace: Trace) -> Iterator[tuple[str, Floats, Floats]]:
    """Name, values and highest second of each cell of what was measured."""
    owned, kind = batch.sensors, batch.kind
    if trace.power_w is not None and "power" in owned:
        highest = trace.power_w * (1 + trace.power_detail * batch.drawn(detail_peaks(), 1))
        changes, seconds = changes_of(trace.power_w)
        inside = ~batch.is_edge[changes]  # from one session to the next nothing changes
        highest[changes[inside]] = seconds[inside].max(axis=1, initial=0)
        yield "power", trace.power_w, highest
        if "torque" in owned:
            torque = torque_nm(trace)
            yield "torque", torque, torque
    if trace.cadence is not None and "cadence" in owned:
        yield "cadence", trace.cadence, trace.cadence
    if "heart rate" in owned:
        yield "heart_rate", trace.heart_rate, trace.heart_rate
    if trace.speed_mps is not None:
        yield (
            "speed",
            trace.speed_mps,
            trace.speed_mps * (1 + kind.jitter * batch.drawn(detail_peaks(), 1, 1)),
        )


def torque_nm(trace: Trace) -> Floats:
    """Power over angular speed of the cranks."""
    assert trace.power_w is not None
    assert trace.cadence is not None
    angular = np.maximum(trace.cadence, 20) * (2 * np.pi / 60)
    return trace.power_w / angular


def _travelled(trace: Trace, spans: Spans) -> dict[str, list[Any]]:
    missing: list[Any] = [None] * len(spans)
    found = {
        "distance": missing,
        "average_altitude": missing,
        "elevation_gain": missing,
        "elevation_loss": missing,
    }
    if trace.distance_m is not None:
        before, after = spans.reached(trace.distance_m)
        found["distance"] = (after - before).round(1).tolist()
    if trace.along_m is not None and trace.altitude_m is not None:
        before, after = spans.reached(trace.along_m)
        ups, downs = climbed_m(trace.ways, np.tile(spans.of, 2), np.concatenate((before, after)))
        found["elevation_gain"] = np.subtract(*np.split(ups, 2)[::-1]).round(1).tolist()
        found["elevation_loss"] = np.subtract(*np.split(downs, 2)[::-1]).round(1).tolist()
        found["average_altitude"] = spans.means(trace.altitude_m).round(1).tolist()
    return found
