"""The distance of a pool swim: it advances with the lengths."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from coachboard.models.enums import Sport
from coachboard.service.importers.record_times import cut_at_the_next
from coachboard.service.importers.recording import Leg


def with_pool_distance(leg: Leg) -> Leg:
    """The leg with a distance that grows during each length and rests at the wall.

    A pool watch writes the distance once a length, at its end: read as it is, the first length is lost, and a rest
    gains metres between two such values.
    """
    count = sum(length.is_active for length in leg.lengths)
    total_m = leg.figures.get("distance") or _reached_m(leg)
    if leg.sport is not Sport.SWIMMING or not count or not total_m or not len(leg.times_s):
        return leg
    spans = cut_at_the_next([length.span for length in leg.lengths])
    swum = np.cumsum([0, *(length.is_active for length in leg.lengths)]) * total_m / count
    edges = [edge for span in spans for edge in (span.start_s, span.end_s)]
    ways = [way for before, after in pairwise(swum.tolist()) for way in (before, after)]
    distance = np.interp(leg.times_s, edges, ways)
    return replace(leg, columns={**leg.columns, "distance": np.round(distance, 2)})


def _reached_m(leg: Leg) -> float:
    known = leg.columns.get("distance", np.empty(0))
    return float(np.nanmax(known)) if np.isfinite(known).any() else 0.0
