"""Bytes of a file of any format that is read here to a recording."""

import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

import numpy as np

from coachboard.service.importers.contradictions import settled
from coachboard.service.importers.distances import with_own_distance
from coachboard.service.importers.errors import BrokenRecording, ImportLimits, UnknownFormat
from coachboard.service.importers.fit import read_fit
from coachboard.service.importers.fit_messages import is_fit
from coachboard.service.importers.gpx import read_gpx
from coachboard.service.importers.plausible import drop_implausible
from coachboard.service.importers.record_times import drop_repeated_times, end_at_next_start
from coachboard.service.importers.recording import Leg, Recording
from coachboard.service.importers.tcx import read_tcx
from coachboard.wire.enums import Sport

_HEAD = 8192
_GPX = re.compile(rb"<(\w+:)?gpx[\s>]")
_TCX = re.compile(rb"<(\w+:)?TrainingCenterDatabase[\s>]")
_READER_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    RuntimeError,
    SyntaxError,  # of lxml
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""Errors that damaged values cause in the readers; this module catches them all.

Faults of the machine and of the database are none of the file's and end the run.
"""


def read_recording(data: bytes, limits: ImportLimits) -> Recording:
    """Read a file by its first bytes, not by its name; raises a `RecordingError` and nothing else."""
    with errors_as_broken_recording():
        recording = drop_implausible(_read(data, limits))
        return replace(recording, legs=settled([_with_one_clock(leg) for leg in recording.legs]))


def _with_one_clock(leg: Leg) -> Leg:
    # Before repeated times: the last point of a lap and the first of the next may count from different starts.
    return with_pool_distance(drop_repeated_times(with_own_distance(leg)))


@contextmanager
def errors_as_broken_recording() -> Iterator[None]:
    """Turn each error of the block into a `BrokenRecording` of the file."""
    try:
        yield
    except _READER_ERRORS as error:
        # A message of several lines, as of a failed validation, would tear the report apart.
        said = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
        raise BrokenRecording(f"is not plausible ({said})") from error


def _read(data: bytes, limits: ImportLimits) -> Recording:
    if is_fit(data):
        return read_fit(data, limits)
    head = data[:_HEAD].replace(b"\0", b"")  # UTF-16 has a zero in every other byte
    if _GPX.search(head):
        return read_gpx(data, limits)
    if _TCX.search(head):
        return read_tcx(data, limits)
    raise UnknownFormat("neither FIT nor TCX nor GPX" if data else "the file is empty")


def with_pool_distance(leg: Leg) -> Leg:
    """The leg with a distance that grows during each length and rests at the wall.

    A pool watch writes the distance once a length, at its end: read as it is, the first length is lost, and a rest
    gains metres between two such values.
    """
    count = sum(length.is_active for length in leg.lengths)
    total_m = leg.figures.get("distance") or _reached_m(leg)
    if leg.sport is not Sport.SWIMMING or not count or not total_m or not len(leg.times_s):
        return leg
    spans = end_at_next_start([length.span for length in leg.lengths])
    swum = np.cumsum([0, *(length.is_active for length in leg.lengths)]) * total_m / count
    edges = [edge for span in spans for edge in (span.start_s, span.end_s)]
    marks_m = [metres for before, after in pairwise(swum.tolist()) for metres in (before, after)]
    distance = np.interp(leg.times_s, edges, marks_m)
    return replace(leg, columns={**leg.columns, "distance": np.round(distance, 2)})


def _reached_m(leg: Leg) -> float:
    distance_m = leg.columns.get("distance", np.empty(0))
    return float(np.nanmax(distance_m)) if np.isfinite(distance_m).any() else 0.0
