"""Laps and climbs of a ride, found in its streams, and the laps and pool lengths that the device wrote."""

from itertools import pairwise

import numpy as np

from coachboard.formulas.session.climbs import find_climbs
from coachboard.formulas.session.laps import DetectedLap, find_laps
from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.record_times import (
    end_at_next_start,
    even_places,
    held_column,
    places_within,
)
from coachboard.service.importers.recording import DeviceLength, Floats, Leg, TimeSpan
from coachboard.service.importers.segment_figures import LegSeries, Segment, figure, moment
from coachboard.service.importers.streams import has_plausible_altitude
from coachboard.wire.activities import Climb, Lap, Length, ProviderLap
from coachboard.wire.enums import Sport

_CYCLING = frozenset({Sport.CYCLING, Sport.E_BIKING})


def classified_laps(leg: Leg, athlete: AthleteValues) -> tuple[Lap, ...]:
    """Laps by intensity, found from the power; none without power or without a critical power to go by."""
    power = held_column(leg, "power")
    if leg.sport not in _CYCLING or power is None or athlete.critical_power_w is None:
        return ()
    series, places = LegSeries.of(leg), even_places(leg)
    laps = find_laps(
        power[places],
        critical_power_w=athlete.critical_power_w,
        cadence_rpm=_at(leg.columns.get("cadence"), places),
        torque_nm=_at(leg.columns.get("torque"), places),
        w_prime_j=athlete.w_prime_j,
    )
    # A record that lasts several seconds belongs to the lap in which it begins: none counts twice, none is lost.
    edges = [0, *(int(places[lap.start - 1]) + 1 for lap in laps[1:]), len(leg.times_s)]
    return tuple(
        _lap(lap, series.between(start, stop - 1))
        for lap, (start, stop) in zip(laps, pairwise(edges), strict=True)
        if stop > start
    )


def _at(column: Floats | None, places: np.ndarray) -> Floats | None:
    return None if column is None else column[places]


def _lap(classified: DetectedLap, segment: Segment) -> Lap:
    gain, loss = segment.gain_loss_m() if has_plausible_altitude(segment.series.leg) else (None, None)
    return Lap(
        intensity=classified.intensity,
        characteristic=classified.characteristic,
        started_at_index=segment.start,
        ended_at_index=segment.end,
        started_at=segment.started_at,
        ended_at=segment.ended_at,
        duration=segment.duration_s,
        distance=segment.distance_m(),
        average_power=segment.mean("power"),
        max_power=segment.highest("power"),
        average_cadence=segment.mean("cadence"),
        max_cadence=segment.highest("cadence"),
        average_heart_rate=segment.mean("heartRate"),
        max_heart_rate=segment.highest("heartRate"),
        average_speed=segment.moving_speed_mps,
        max_speed=segment.highest("speed"),
        average_altitude=segment.mean("altitude"),
        elevation_gain=gain,
        elevation_loss=loss,
        average_torque=segment.mean("torque"),
        max_torque=segment.highest("torque"),
        average_temperature=segment.mean("temperature"),
        work_before=segment.work_before_kj,
    )


def climbs(leg: Leg, athlete: AthleteValues, grade_pct: Floats | None) -> tuple[Climb, ...]:
    """Climbs of a ride, found from altitude and distance; `grade_pct` is the stream, for the steepest part."""
    if leg.sport not in _CYCLING or not has_plausible_altitude(leg):
        return ()
    series = LegSeries.of(leg)
    if series.distance_m is None:
        return ()
    spans = find_climbs(series.distance_m, leg.columns["altitude"])
    segments = [series.between(climb.start, climb.end) for climb in spans]
    return tuple(
        _climb(segment, athlete.weight_kg, grade_pct)
        for segment in segments
        if len(segment.values("altitude")) and segment.distance_m()
    )


def _climb(segment: Segment, weight_kg: float | None, grade_pct: Floats | None) -> Climb:
    altitude = segment.values("altitude")
    distance = segment.distance_m() or 0.0
    rise = float(altitude[-1] - altitude[0])
    average_grade = round(rise / distance * 100, 2)
    steepest = np.nan if grade_pct is None else _highest(grade_pct[segment.start : segment.end + 1])
    average, highest = segment.mean("power"), segment.highest("power")
    return Climb(
        started_at_index=segment.start,
        ended_at_index=segment.end,
        started_at=segment.started_at,
        ended_at=segment.ended_at,
        duration=segment.duration_s,
        distance=distance,
        average_grade=average_grade,
        max_grade=figure(steepest) or average_grade,
        average_power=average,
        max_power=highest,
        average_power_per_kilo=power_per_kilo(average, weight_kg),
        max_power_per_kilo=power_per_kilo(highest, weight_kg),
        work_before=segment.work_before_kj,
        average_cadence=segment.mean("cadence"),
        max_cadence=segment.highest("cadence"),
        average_heart_rate=segment.mean("heartRate"),
        max_heart_rate=segment.highest("heartRate"),
        average_speed=segment.average_speed_mps,
        max_speed=segment.highest("speed"),
        min_altitude=round(float(altitude.min()), 2),
        max_altitude=round(float(altitude.max()), 2),
        elevation_gain=segment.gain_loss_m()[0] or 0.0,
        average_temperature=segment.mean("temperature"),
    )


def _highest(values: Floats) -> float:
    recorded = values[np.isfinite(values)]
    return float(recorded.max()) if len(recorded) else float("nan")


def power_per_kilo(power_w: float | None, weight_kg: float | None) -> float | None:
    """Power over the athlete's weight; None if one of them is not known."""
    return None if power_w is None or not weight_kg else figure(power_w / weight_kg)


def provider_laps(leg: Leg) -> tuple[ProviderLap, ...]:
    """The laps as the device wrote them."""
    spans = end_at_next_start([lap.span for lap in leg.laps])
    return tuple(
        ProviderLap(
            started_at=moment(span.start_s),
            ended_at=moment(span.end_s),
            intensity=lap.intensity,
            lap_trigger=lap.trigger,
        )
        for lap, span in zip(leg.laps, spans, strict=True)
    )


def lengths(leg: Leg) -> tuple[Length, ...]:
    """Pool lengths in order; a rest that the device counted as a length has neither stroke nor speed."""
    spans = end_at_next_start([length.span for length in leg.lengths])
    return tuple(
        _length(leg, length, _record_span(leg, span)) for length, span in zip(leg.lengths, spans, strict=True)
    )


def _length(leg: Leg, length: DeviceLength, records: tuple[int, int]) -> Length:
    start, end = records
    heart_rate = leg.columns.get("heartRate", np.empty(0))[start : end + 1]
    heart_rate = heart_rate[np.isfinite(heart_rate)]
    return Length(
        started_at_index=start,
        ended_at_index=end,
        started_at=moment(length.span.start_s),
        ended_at=moment(length.span.end_s),
        duration=round(length.span.length_s, 3),
        stroke_type=length.stroke,
        average_speed=figure(length.average_speed_mps, 3),
        average_heart_rate=figure(heart_rate.mean()) if len(heart_rate) else None,
        max_heart_rate=figure(heart_rate.max()) if len(heart_rate) else None,
        average_cadence=figure(length.strokes_per_min),
        stroke_count=figure(length.stroke_count),
    )


def _record_span(leg: Leg, span: TimeSpan) -> tuple[int, int]:
    """First and last record of a length."""
    if not len(leg.times_s):
        return 0, 0
    inside, last = places_within(leg.times_s, span), len(leg.times_s) - 1
    start = min(inside.start, last)
    return start, min(max(inside.stop - 1, start), last)
