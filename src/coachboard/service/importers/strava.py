"""The list of a Strava takeout, activities.csv: names, descriptions, and sessions that have no file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import PurePath
from statistics import median

from coachboard.service.importers.errors import UnknownFormat
from coachboard.service.importers.health.cells import read_moment, read_number
from coachboard.service.importers.health.data import MOST_NOTES
from coachboard.service.importers.health.tables import read_table
from coachboard.service.importers.listed import ListedSession
from coachboard.service.importers.sports import gpx_sport

_OLD_HEADERS = {
    "id": "Activity ID",
    "date": "Activity Date",
    "name": "Activity Name",
    "type": "Activity Type",
    "description": "Activity Description",
    "elapsed_time": "Elapsed Time",
    "distance": "Distance",
    "filename": "Filename",
}
"""Headers until June 2019."""
_FIGURES = {
    "Elapsed Time": "total_duration",
    "Moving Time": "moving_duration",
    "Max Speed": "max_speed",
    "Average Speed": "average_speed",
    "Elevation Gain": "elevation_gain",
    "Elevation Loss": "elevation_loss",
    "Max Heart Rate": "max_heart_rate",
    "Average Heart Rate": "average_heart_rate",
    "Max Cadence": "max_cadence",
    "Average Cadence": "average_cadence",
    "Max Watts": "max_power",
    "Average Watts": "average_power",
    "Calories": "calories",
    "Total Work": "work_j",
    "Perceived Exertion": "rpe",
}
_FIRST_DISTANCE = "first Distance"
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
_SHORTEST_SWIM_M, _IMPOSSIBLE_MPS = 20.0, 50.0


@dataclass(frozen=True, slots=True)
class Sessions:
    """All rows of the list, and why some could not be read."""

    sessions: Sequence[ListedSession]
    notes: Sequence[str]


def is_list(name: str) -> bool:
    """Whether a file has the name of the list."""
    return PurePath(name.lower()).name == "activities.csv"


def read_list(data: bytes) -> Sessions:
    """Read the list; raises `UnknownFormat` for a table with other headers."""
    table = read_table(data)
    headers = tuple(_OLD_HEADERS.get(header, header) for header in table.headers)
    if "Activity ID" not in headers or "Activity Date" not in headers:
        raise UnknownFormat(
            "not Strava's list of activities in English; set Strava's language to English and export again"
        )
    rows = [(line, _row(headers, cells)) for line, cells in table.rows]
    factor = _factor([row for _, row in rows])
    sessions, notes = [], []
    for line, row in rows:
        session = _session(row, factor)
        if session is None:
            notes.append(f"line {line}: not a session with an id and a date")
        else:
            sessions.append(session)
    return Sessions(sessions, notes[:MOST_NOTES])


def _row(headers: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """The cells by header. Of two columns with one header the second is precise, and may be empty."""
    row: dict[str, str] = {}
    for header, cell in zip(headers, map(str.strip, cells), strict=False):
        name = _FIRST_DISTANCE if header == "Distance" and _FIRST_DISTANCE not in row else header
        if cell or name not in row:
            row[name] = cell
    return row


def _factor(rows: Sequence[Mapping[str, str]]) -> float:
    """From the unit of the first column of distances to metres: km since July 2019, metres before."""
    speeds = [
        1000 * distance / took
        for row in rows
        if not _is_swim(row)
        and (distance := _number(row.get(_FIRST_DISTANCE))) is not None
        and (took := _number(row.get("Elapsed Time"))) is not None
        and distance > 0
        and took > 0
    ]
    return 1.0 if speeds and median(speeds) > _IMPOSSIBLE_MPS else 1000.0


def _distance_m(row: Mapping[str, str], factor: float) -> float | None:
    first = _number(row.get(_FIRST_DISTANCE))
    precise = _number(row.get("Distance"))
    if precise is not None or first is None:
        return precise
    # The column of km has the metres of a swim, as "1,500".
    return first if _is_swim(row) and first >= _SHORTEST_SWIM_M else first * factor


def _is_swim(row: Mapping[str, str]) -> bool:
    return row.get("Activity Type", "").lower() == "swim"


def _number(cell: str | None) -> float | None:
    try:
        return read_number(_THOUSANDS.sub("", cell or ""))
    except ValueError:
        return None


def _session(row: Mapping[str, str], factor: float) -> ListedSession | None:
    started = read_moment(row.get("Activity Date", ""))
    if started is None or not row.get("Activity ID", "").isdigit():
        return None
    texts = {"name": row.get("Activity Name", ""), "description": row.get("Activity Description", "")}
    kind = row.get("Activity Type", "")
    sport, sub_sport = gpx_sport(kind)
    return ListedSession(
        key=f"strava/{row['Activity ID']}",
        started_at=started.replace(tzinfo=started.tzinfo or UTC),  # the takeout writes UTC
        sport=sport,
        sub_sport=sub_sport,
        file_name=row.get("Filename", ""),
        texts={name: text for name, text in texts.items() if text},
        figures=_figures(row, factor),
    )


def _figures(row: Mapping[str, str], factor: float) -> dict[str, float]:
    values = {name: _number(row.get(header)) for header, name in _FIGURES.items()}
    values["distance"] = _distance_m(row, factor)
    figures = {name: value for name, value in values.items() if value is not None}
    if "work_j" in figures:
        figures["work"] = figures.pop("work_j") / 1000
    return figures
