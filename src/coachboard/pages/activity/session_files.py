"""The session as files for other programs: the original, GPX and TCX."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

import numpy as np
import streamlit as st
from lxml import etree
from numpy.typing import NDArray

from coachboard.client.errors import ServiceError
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.pages.activity.data import ActivityData
from coachboard.plain_text import visible
from coachboard.ui.frame import notices, state
from coachboard.ui.frame.own_data import has_feature
from coachboard.ui.frame.page import Page
from coachboard.wire.activities import Activity
from coachboard.wire.enums import Sport, SubSport
from coachboard.wire.own_data import OwnActivity
from coachboard.wire.stream_columns import BY_NAME

GPX = "http://www.topografix.com/GPX/1/1"
TRACK_POINT = "http://www.garmin.com/xmlschemas/TrackPointExtension/v2"
POWER = "http://www.garmin.com/xmlschemas/PowerExtension/v1"
GPX_DATA = "http://www.cluetrust.com/XML/GPXDATA/1/0"
TCX = "http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"
ACTIVITY = "http://www.garmin.com/xmlschemas/ActivityExtension/v2"
XSI = "http://www.w3.org/2001/XMLSchema-instance"

_GPX_NAMES: Any = {None: GPX, "gpxtpx": TRACK_POINT, "pwr": POWER, "gpxdata": GPX_DATA}
_TCX_NAMES: Any = {None: TCX, "ns3": ACTIVITY, "xsi": XSI}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST_NAME, _LONGEST_TEXT = 500, 10_000
_BYTE, _SHORT = (0, 254), (0, 65_534)
_TCX_SPORTS = MappingProxyType({Sport.CYCLING: "Biking", Sport.RUNNING: "Running"})
_ON_FOOT = frozenset({Sport.RUNNING, Sport.WALKING, Sport.HIKING})
_VIRTUAL = MappingProxyType({Sport.CYCLING: "VirtualRide", Sport.RUNNING: "VirtualRun"})

Texts = Mapping[str, Sequence[str | None]]


def why_no_gpx(activity: Activity, streams: SessionStreams | None) -> str | None:
    """Why the session cannot be written as GPX; None if it can."""
    if streams is None or not {"position_lat", "position_long"} <= streams.recorded.keys():
        return "no positions recorded"
    return why_no_tcx(activity, streams)


def why_no_tcx(activity: Activity, streams: SessionStreams | None) -> str | None:
    """Why the session cannot be written as TCX; None if it can."""
    if streams is None or not len(streams):
        return "no recording"
    return None if _start(activity, streams) is not None else "no start time"


def file_stem(activity: Activity) -> str:
    """A name for files of the session that every system takes: its day and its name."""
    day = activity.started_at_local or activity.started_at
    words = re.sub(r"[^\w]+", "-", visible(activity.name)).strip("-_")[:60].rstrip("-_")
    return "-".join(filter(None, (f"{day:%Y-%m-%d}" if day else "session", words.lower())))


def gpx(activity: Activity, streams: SessionStreams) -> bytes:
    """The session as a GPX track with a segment for each stretch without a gap."""
    root = etree.Element(
        _tag(GPX, "gpx"),
        {"version": "1.1", "creator": "Coachboard"},
        nsmap=_GPX_NAMES,
    )
    track = etree.SubElement(root, _tag(GPX, "trk"))
    _add(track, GPX, "name", _xml_text(activity.name, _LONGEST_NAME))
    _add(track, GPX, "desc", _xml_text(activity.description, _LONGEST_TEXT))
    _add(track, GPX, "type", _gpx_type(activity))
    texts = _texts(activity, streams)
    stretches = np.cumsum(streams.is_after_gap).tolist()
    segment, stretch = None, None
    for place, where in enumerate(zip(texts["position_lat"], texts["position_long"], strict=True)):
        if None in where:
            continue
        if segment is None or stretches[place] != stretch:
            segment, stretch = etree.SubElement(track, _tag(GPX, "trkseg")), stretches[place]
        _add_track_point(segment, texts, place)
    return _written(root)


def tcx(activity: Activity, streams: SessionStreams) -> bytes:
    """The session as a TCX activity with the laps of the device, else with one lap."""
    root = etree.Element(_tag(TCX, "TrainingCenterDatabase"), nsmap=_TCX_NAMES)
    activities = etree.SubElement(root, _tag(TCX, "Activities"))
    element = etree.SubElement(
        activities,
        _tag(TCX, "Activity"),
        Sport=_TCX_SPORTS.get(activity.sport, "Other") if activity.sport else "Other",
    )
    texts = _texts(activity, streams)
    _add(element, TCX, "Id", texts["time"][0])
    for lap in _laps(activity, streams):
        _add_lap(element, activity, streams, texts, lap)
    _add(element, TCX, "Notes", _notes(activity))
    return _written(root)


def _add_track_point(segment: Any, texts: Texts, place: int) -> None:
    value = _at(texts, place)
    where = {"lat": value("position_lat") or "", "lon": value("position_long") or ""}
    point = etree.SubElement(segment, _tag(GPX, "trkpt"), where)
    _add(point, GPX, "ele", value("altitude"))
    _add(point, GPX, "time", value("time"))
    extensions = etree.Element(_tag(GPX, "extensions"))
    _add(extensions, POWER, "PowerInWatts", value("power"))
    _add(extensions, GPX_DATA, "distance", value("distance"))
    sensors = etree.Element(_tag(TRACK_POINT, "TrackPointExtension"))
    for tag, name in (("atemp", "temperature"), ("hr", "heart_rate"), ("cad", "cadence"), ("speed", "speed")):
        _add(sensors, TRACK_POINT, tag, value(name))
    for parent, child in ((extensions, sensors), (point, extensions)):
        if len(child):
            parent.append(child)


def _add_lap(
    parent: Any, activity: Activity, streams: SessionStreams, texts: Texts, lap: tuple[slice, str, float]
) -> None:
    samples, started_at, seconds = lap
    whole_s = float(streams.dt_s.sum()) or 1.0
    calories = (activity.calories or 0.0) / whole_s
    before_s = float(streams.dt_s[: samples.start].sum())
    element = etree.SubElement(parent, _tag(TCX, "Lap"), StartTime=started_at)
    _add(element, TCX, "TotalTimeSeconds", _decimal(seconds, 3))
    _add(element, TCX, "DistanceMeters", _decimal(np.nan_to_num(streams.distance_in(samples)), 2))
    lap_s = float(streams.dt_s[samples].sum())
    # Rounded sums, so that the laps add up to the session's calories.
    kcal = min(round(calories * (before_s + lap_s)) - round(calories * before_s), _SHORT[1])
    _add(element, TCX, "Calories", str(max(kcal, 0)))
    _add(element, TCX, "Intensity", "Active")
    _add(element, TCX, "TriggerMethod", "Manual")
    track = etree.SubElement(element, _tag(TCX, "Track"))
    for place in range(samples.start, samples.stop):
        _add_point(track, texts, place, is_on_foot=activity.sport in _ON_FOOT)


def _add_point(track: Any, texts: Texts, place: int, *, is_on_foot: bool) -> None:
    value = _at(texts, place)
    point = etree.SubElement(track, _tag(TCX, "Trackpoint"))
    _add(point, TCX, "Time", value("time"))
    if value("position_lat") and value("position_long"):
        position = etree.SubElement(point, _tag(TCX, "Position"))
        _add(position, TCX, "LatitudeDegrees", value("position_lat"))
        _add(position, TCX, "LongitudeDegrees", value("position_long"))
    _add(point, TCX, "AltitudeMeters", value("altitude"))
    _add(point, TCX, "DistanceMeters", value("distance"))
    if value("heart_rate"):
        _add(etree.SubElement(point, _tag(TCX, "HeartRateBpm")), TCX, "Value", value("heart_rate"))
    if not is_on_foot:
        _add(point, TCX, "Cadence", value("cadence"))
    sensors = etree.Element(_tag(ACTIVITY, "TPX"))
    _add(sensors, ACTIVITY, "Speed", value("speed"))
    if is_on_foot:
        _add(sensors, ACTIVITY, "RunCadence", value("cadence"))
    _add(sensors, ACTIVITY, "Watts", value("power"))
    if len(sensors):
        etree.SubElement(point, _tag(TCX, "Extensions")).append(sensors)


def _laps(activity: Activity, streams: SessionStreams) -> list[tuple[slice, str, float]]:
    """The samples, start and recorded seconds of each lap; a lap of the device ends where the next one begins."""
    start = _start(activity, streams)
    assert start is not None
    laps = [np.datetime64(lap.started_at.replace(tzinfo=None), "ms") for lap in activity.provider_laps]
    begins = [(begin - start) / np.timedelta64(1, "s") for begin in laps]
    places = np.unique(np.searchsorted(streams.elapsed_s, np.array(begins) - 0.5))
    bounds = [0, *(int(place) for place in places if 0 < place < len(streams)), len(streams)]
    times = _times(start, streams)
    return [
        (slice(first, stop), times[first], float(streams.dt_s[first:stop].sum()))
        for first, stop in pairwise(bounds)
    ]


def _texts(activity: Activity, streams: SessionStreams) -> Texts:
    """The values of each column as the files write them; None where the value is missing or does not fit."""
    start = _start(activity, streams)
    assert start is not None
    recorded = streams.recorded
    limits = {"heart_rate": (1, 255), "cadence": _BYTE, "power": _SHORT}
    whole = {name: _whole(recorded[name], *ends) for name, ends in limits.items() if name in recorded}
    names = ("position_lat", "position_long", "altitude", "distance", "speed", "temperature")
    decimal = {
        name: [_decimal(value, BY_NAME[name].stored_digits) for value in _plausible(name, recorded[name])]
        for name in names
        if name in recorded
    }
    return {"time": _times(start, streams), **whole, **decimal}


def _plausible(name: str, values: NDArray[np.float64]) -> list[float]:
    """The values, NaN where no file may have them, such as a latitude of 91 degrees."""
    range_ = BY_NAME[name].plausible
    kept: list[float] = (
        values if range_ is None else np.where(range_.holds(values), values, np.nan)
    ).tolist()
    return kept


def _at(texts: Texts, place: int) -> Any:
    return lambda name: texts[name][place] if name in texts else None


def _start(activity: Activity, streams: SessionStreams) -> np.datetime64 | None:
    """The UTC time of the first sample."""
    if streams.started_at is not None:
        return streams.started_at  # in ms
    started_at = activity.started_at
    return None if started_at is None else np.datetime64(started_at.replace(tzinfo=None), "ms")


def _times(start: np.datetime64, streams: SessionStreams) -> list[str]:
    moments = start + (streams.elapsed_s * 1000).round().astype("timedelta64[ms]")
    is_whole = bool((moments == moments.astype("datetime64[s]")).all())
    texts = np.datetime_as_string(moments.astype("datetime64[s]") if is_whole else moments)
    return [f"{text}Z" for text in texts.tolist()]


def _whole(values: NDArray[np.float64], low: float, high: float) -> list[str | None]:
    rounded = np.rint(values)
    is_written = (rounded >= low) & (rounded <= high)
    return [
        str(int(value)) if fits else None
        for value, fits in zip(rounded.tolist(), is_written.tolist(), strict=True)
    ]


def _decimal(value: float, digits: int) -> str | None:
    if not np.isfinite(value):
        return None
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _gpx_type(activity: Activity) -> str | None:
    if activity.sport is None:
        return None
    is_virtual = activity.sub_sport is SubSport.VIRTUAL_ACTIVITY
    snake = re.sub("[A-Z]", lambda letter: f"_{letter.group().lower()}", activity.sport)
    return _VIRTUAL.get(activity.sport, snake) if is_virtual else snake


def _notes(activity: Activity) -> str | None:
    """Name and description: TCX has no tag for a name."""
    texts = (_xml_text(activity.name, _LONGEST_NAME), _xml_text(activity.description, _LONGEST_TEXT))
    return "\n".join(text for text in texts if text) or None


def _xml_text(text: str | None, longest: int) -> str | None:
    """The text without characters that XML does not allow."""
    return _NOT_XML.sub("", visible(text))[:longest].strip() or None


def _tag(namespace: str, name: str) -> str:
    return f"{{{namespace}}}{name}"


def _add(parent: Any, namespace: str, name: str, text: str | None) -> None:
    if text is not None:
        etree.SubElement(parent, _tag(namespace, name)).text = text


def _written(root: Any) -> bytes:
    data: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    return data


_FORMATS = {
    "gpx": ("application/gpx+xml", why_no_gpx, gpx),
    "tcx": ("application/vnd.garmin.tcx+xml", why_no_tcx, tcx),
}


def draw_session_files(page: Page, data: ActivityData) -> None:
    """A button for each format that the session has, and why another one is missing."""
    own, why_no_fit = _original(page, data)
    with st.container(horizontal=True, gap="small"):
        reasons = [_draw_original(page, own, data) if own else why_no_fit]
        reasons += [_draw_written(data, name) for name in _FORMATS]
    if missing := [reason for reason in reasons if reason]:
        st.caption(f"Not available: {'; '.join(missing)}.")


def _draw_written(data: ActivityData, name: str) -> str:
    """The button of a format that is written from the streams, else the reason why there is none."""
    kind, why_not, write = _FORMATS[name]
    if reason := why_not(data.activity, data.streams):
        return f"{name.upper()} ({reason})"
    assert data.streams is not None  # else there is a reason
    _draw_button(
        name.upper(),
        partial(write, data.activity, data.streams),
        f"{file_stem(data.activity)}.{name}",
        kind,
    )
    return ""


def _original(page: Page, data: ActivityData) -> tuple[OwnActivity | None, str]:
    """The reader's own session with its original file, else why there is none."""
    if data.user_id not in {state.OWN, page.profile.id}:
        return None, "FIT (only the athlete can download the original)"
    if not has_feature(page, "activities"):
        return None, "FIT (this service keeps no original files)"
    try:
        row = page.client.own_data.get_activity(data.activity.id)
    except ServiceError as error:
        return None, f"FIT ({notices.sentence(error).rstrip('.')})"
    if row.file_name is not None:
        return row, ""
    lost = "the original file is missing or damaged; import it again"
    return None, f"FIT ({lost if row.files else 'no original file'})"


def _draw_original(page: Page, row: OwnActivity, data: ActivityData) -> str:
    """The original file, of a joined session the first one; a reason if it is no FIT file."""
    suffix = PurePosixPath(row.file_name or "").suffix.lower().lstrip(".")
    kind = suffix if suffix in {"fit", "gpx", "tcx"} else "bin"
    name = f"{file_stem(data.activity)}-original.{kind}"
    _draw_button(
        "FIT" if kind == "fit" else "Original",
        partial(page.client.own_data.download_file, row.id),
        name,
        None,
    )
    return (
        ""
        if kind == "fit"
        else f"FIT (the original is {'an unknown' if kind == 'bin' else f'a {kind.upper()}'} file)"
    )


def _draw_button(label: str, make: partial[bytes], name: str, kind: str | None) -> None:
    st.download_button(
        label,
        # With bytes, the button's address answered 404 in this fragment; and each view would write the file.
        make,
        file_name=name,
        mime=kind,
        key=f"activity.export.file.{label.lower()}",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )
