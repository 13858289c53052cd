"""The list of a Strava takeout, activities.csv: names, descriptions, and sessions that have no file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath

import numpy as np

from coachboard.models.enums import Sport, SubSport
from coachboard.service.importers.errors import UnknownFormat
from coachboard.service.importers.health.cells import read_moment, read_number
from coachboard.service.importers.health.tables import Table, read_table
from coachboard.service.importers.recording import Leg
from coachboard.service.importers.sports import gpx_sport

MOST_NOTES = 20
_FIGURES = {
    "Elapsed Time": "total_duration",
    "Moving Time": "moving_duration",
    "Distance": "distance",
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
_SPORTS: Mapping[str, tuple[Sport, SubSport | None]] = {
    "weight training": (Sport.TRAINING, SubSport.STRENGTH_TRAINING),
    "workout": (Sport.TRAINING, None),
    "crossfit": (Sport.TRAINING, None),
    "yoga": (Sport.TRAINING, SubSport.YOGA),
    "e-bike ride": (Sport.E_BIKING, None),
    "gravel ride": (Sport.CYCLING, SubSport.GRAVEL_CYCLING),
    "mountain bike ride": (Sport.CYCLING, SubSport.MOUNTAIN),
    "trail run": (Sport.RUNNING, SubSport.TRAIL),
    "virtual run": (Sport.RUNNING, SubSport.VIRTUAL_ACTIVITY),
    "nordic ski": (Sport.CROSS_COUNTRY_SKIING, None),
    "alpine ski": (Sport.ALPINE_SKIING, None),
}


@dataclass(frozen=True, slots=True)
class Session:
    """One row of the list."""

    id: str
    started_at: datetime
    kind: str
    file_name: str
    texts: Mapping[str, str]  # name and description, under the names of the interface
    figures: Mapping[str, float]

    def leg(self) -> Leg:
        """The session as a leg without records."""
        sport, sub_sport = _SPORTS.get(self.kind.lower(), (None, None))
        if sport is None:
            sport, sub_sport = gpx_sport(self.kind)
        return Leg(
            started_s=self.started_at.timestamp(),
            times_s=np.empty(0),
            columns={},
            sport=sport,
            sub_sport=sub_sport,
            name=self.texts.get("name"),
            description=self.texts.get("description"),
            figures=self.figures,
        )


@dataclass(frozen=True, slots=True)
class Sessions:
    """All rows of the list, and why some could not be read."""

    sessions: Sequence[Session]
    notes: Sequence[str]


def is_list(name: str) -> bool:
    """Whether a file has the name of the list."""
    return PurePath(name.lower()).name == "activities.csv"


def read_list(data: bytes) -> Sessions:
    """Read the list; raises `UnknownFormat` for a table with other headers."""
    table = read_table(data)
    if "Activity ID" not in table.headers or "Activity Date" not in table.headers:
        raise UnknownFormat(
            "not Strava's list of activities in English; set Strava's language to English and export again"
        )
    sessions, notes = [], []
    for line, cells in table.rows:
        session = _session(table, cells)
        if session is None:
            notes.append(f"line {line}: not a session with an id and a date")
        else:
            sessions.append(session)
    return Sessions(sessions, notes[:MOST_NOTES])


def _session(table: Table, cells: Sequence[str]) -> Session | None:
    # Of two columns with one header the second is precise: the first has rounded kilometres.
    row = {header: cell.strip() for header, cell in zip(table.headers, cells, strict=False)}
    started = read_moment(row.get("Activity Date", ""))
    if started is None or not row.get("Activity ID", "").isdigit():
        return None
    texts = {"name": row.get("Activity Name", ""), "description": row.get("Activity Description", "")}
    return Session(
        id=row["Activity ID"],
        started_at=started.replace(tzinfo=started.tzinfo or UTC),  # the takeout writes UTC
        kind=row.get("Activity Type", ""),
        file_name=row.get("Filename", ""),
        texts={name: text for name, text in texts.items() if text},
        figures=_figures(row),
    )


def _figures(row: Mapping[str, str]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for header, name in _FIGURES.items():
        try:
            value = read_number(row.get(header, ""))
        except ValueError:
            continue
        if value is not None:
            figures[name] = value
    if "work_j" in figures:
        figures["work"] = figures.pop("work_j") / 1000
    return figures
