"""The catalogue of stream columns: one record for each column that an activity can have.

Importers, client, formulas, charts, pages, exports and the demo squad read these records. A new column takes one record
here; code elsewhere is needed only where the column has a meaning of its own (power has a load, a sensor has none).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Zero = Literal["value", "no signal", "not in use"]
"""The meaning of a 0: measured; a lost signal; a sensor with nothing to measure, such as cranks that do not turn."""


class Range(NamedTuple):
    """The lowest and the highest value that counts as measured."""

    low: float
    high: float

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which values lie inside; NaN does not."""
        return (values >= self.low) & (values <= self.high)


class FitField(NamedTuple):
    """A field of FIT's record message: its name and number in the profile, and the factor to the column's unit.

    A developer's field may state the number of the field that it replaces; without a number none can.
    """

    name: str
    number: int | None = None
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class StreamColumn:
    """One column: its name on the wire, how pages show it, and which of its values count as measured.

    Parameters
    ----------
    wire_name : str
        Key of the column in the service's replies.
    title : str
        Name on the pages.
    unit : str or None
        Unit of the values; None where the interface states none.
    colour : str
        Name of the tone in `charts.palette.QUANTITIES`.
    plausible : Range or None
        Values outside count as missing in imports and as doubtful in the data quality; where the interface states
        no unit, the range holds for every usual one. [of the column]
    digits : int
        Digits after the point on the pages.
    group : str or None
        Heading of the further sensors under which the column is listed; None for the main panels.
    change_per_s : float or None
        Largest real change; a value that jumps further and back is a spike. [of the column, per second]
    zero : Zero
        The meaning of a 0; other than "value" it counts as missing in averages.
    is_dead_at_zero : bool
        Whether a column of zeros throughout is a sensor that measures nothing.
    may_be_flat : bool
        Whether two minutes of one value are possible while the athlete moves.
    stored_digits : int
        Digits after the point that sensors resolve; more only make the reply longer.
    may_add_up : bool
        Whether recordings may count the column up from the start, so that its last value is the session's total.
    has_panel : bool
        Whether the column can be drawn over the session; positions and distance are map and axis.
    note : str or None
        Sentence beside the sensor's average.
    band_edges : tuple of float
        Edges of the bands whose time the sensor's section shows; empty without bands. [of the column]
    fit : tuple of FitField
        The fields of FIT files; the first with values counts.
    fit_names : tuple of str
        Names of developers' fields in FIT files, in lower case and letters only: CORE, Stryd, RunScribe, Concept2, Tymewear,
        hDrop and the like. A column with a group is also found by its own name.
    tags : tuple of str
        Tags of points in GPX and TCX files, in lower case without underscores. A column with a group is also found by its own name.
    units : mapping of str to float
        Factors from units that developers' fields state to the column's; any other unit is read as the column's.
    figures : tuple of str
        Figures of a session that summarize the column: fields of `Activity`. Their values have the range of the column,
        except those of `FIGURES`.
    demo : tuple of two floats or None
        The values at rest and at threshold in sessions of the demo squad that follow the effort; None where
        `coachboard_demo/streams.py` computes the column. [of the column]
    example : float
        A usual value, for the description of the API. [of the column]
    """

    wire_name: str
    title: str
    unit: str | None
    colour: str
    plausible: Range | None = None
    digits: int = 0
    group: str | None = None
    change_per_s: float | None = None
    zero: Zero = "value"
    is_dead_at_zero: bool = False
    may_be_flat: bool = True
    stored_digits: int = 3
    may_add_up: bool = False
    has_panel: bool = True
    note: str | None = None
    band_edges: tuple[float, ...] = ()
    fit: tuple[FitField, ...] = ()
    fit_names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    units: Mapping[str, float] = field(default_factory=dict, hash=False)
    figures: tuple[str, ...] = ()
    demo: tuple[float, float] | None = None
    example: float = field(kw_only=True)

    @property
    def name(self) -> str:
        """The name in code: the wire's `heartRate` is `heart_rate`."""
        return snake_name(self.wire_name)


def measured(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values of a column, NaN where a 0 means that the sensor measured nothing."""
    column = BY_NAME.get(snake_name(name))
    is_measured = column is None or column.zero == "value"
    return values if is_measured else np.where(values == 0, np.nan, values)


def snake_name(wire_name: str) -> str:
    """The name in code: the wire's `heartRate` is `heart_rate`."""
    return re.sub(r"[A-Z]", lambda letter: f"_{letter.group().lower()}", wire_name)


SCALE_OF_TEN = "0–10"
"""In place of a unit in headings; a single value has none."""
_DYNAMICS, _HEAT, _VENTILATION, _BALANCE = "Running dynamics", "Heat", "Ventilation", "Balance and torque"
_ASSUMED_UNIT = "The interface states no unit; {} is assumed."
_SEMICIRCLES = 180 / 2**31
_LENGTHS_IN_MM = {"centimeters": 10, "cm": 10, "meters": 1000, "m": 1000}

# spec: not shown: most units; docs/assumptions.md says how each is read.
COLUMNS: tuple[StreamColumn, ...] = (
    StreamColumn(
        "power", "Power", "W", "power", Range(0, 3_500), example=214,
        change_per_s=1_500, is_dead_at_zero=True, may_be_flat=False,
        fit=(FitField("power", 7),), fit_names=("power", "rppower", "runpower"), tags=("power", "watts", "powerinwatts"),
        figures=("average_power", "max_power", "normalized_power", "work"),
    ),
    StreamColumn(
        "heartRate", "Heart rate", "bpm", "heartRate", Range(30, 250), example=142,
        change_per_s=25, zero="no signal", is_dead_at_zero=True, may_be_flat=False,
        fit=(FitField("heart_rate", 3),), fit_names=("heartrate",), tags=("hr", "heartrate", "heartratebpm"),
        figures=("average_heart_rate", "max_heart_rate"),
    ),
    StreamColumn(
        "speed", "Speed", "m/s", "speed", Range(0, 60),  # 216 km/h
        digits=1, change_per_s=8, is_dead_at_zero=True, may_be_flat=False, example=8.1,
        fit=(FitField("enhanced_speed", 73), FitField("speed", 6)), tags=("speed",), figures=("average_speed", "max_speed"),
        units={"km/h": 1 / 3.6, "kph": 1 / 3.6, "kmh": 1 / 3.6, "mm/s": 0.001},
    ),
    # On foot strides, half of the steps.
    StreamColumn(
        "cadence", "Cadence", "rpm", "cadence", Range(0, 250), example=88,
        change_per_s=120, zero="not in use", is_dead_at_zero=True,
        fit=(FitField("cadence", 4),), fit_names=("cadence", "strokerate"), tags=("cad", "cadence", "runcadence"),
        figures=("average_cadence", "max_cadence", "average_running_cadence", "max_running_cadence"),
    ),
    # From below the Dead Sea with a barometer that was not set to above Everest.
    StreamColumn(
        "altitude", "Altitude", "m", "altitude", Range(-500, 10_000), change_per_s=15, example=511,
        fit=(FitField("enhanced_altitude", 78), FitField("altitude", 2)), tags=("ele", "altitudemeters"),
        figures=("elevation_gain", "elevation_loss"),
    ),
    # Joules or kilojoules by size.
    StreamColumn(
        "wPrimeBalance", "W′ balance", None, "wPrimeBalance", Range(-100_000, 100_000), digits=1, stored_digits=1, example=15.2,
        fit_names=("wprimebal", "wprimebalance", "wbal"), units={"kj": 1000},
    ),
    StreamColumn(
        "grade", "Grade", "%", "grade", Range(-200, 200), 1, stored_digits=2, example=2.5, fit=(FitField("grade", 9),),
    ),
    StreamColumn("torque", "Torque", "Nm", "torque", Range(-1_000, 1_000), group=_BALANCE, example=24),
    StreamColumn(
        "leftRightBalance", "Left-right balance", "%", "leftRightBalance", Range(0, 100), group=_BALANCE,
        zero="not in use", note="Share of the left leg in imported recordings; the interface does not state the side.", example=49.5,
    ),
    StreamColumn("intensity", "Intensity", None, "intensity", Range(0, 10_000), example=62),
    StreamColumn(
        "coreTemperature", "Core temperature", "°C", "coreTemperature", Range(30, 45), 1, _HEAT,
        change_per_s=0.5, zero="no signal", band_edges=(38.0, 38.5, 39.0, 39.5), example=38.1,
        fit=(FitField("core_temperature", 139),), fit_names=("corebodytemperature",),
    ),
    StreamColumn(
        "skinTemperature", "Skin temperature", "°C", "skinTemperature", Range(0, 50), 1, _HEAT,
        change_per_s=2, zero="no signal", example=33.4,
    ),
    StreamColumn(
        "heatStrainIndex", "Heat strain index", SCALE_OF_TEN, "coreTemperature", Range(0, 10), 1, _HEAT,
        note="0 to 10, calculated by the sensor.", band_edges=(1.0, 3.0, 7.0), example=2.1, fit_names=("hsi",),
    ),
    StreamColumn(
        "temperature", "Temperature", "°C", "temperature", Range(-60, 80), change_per_s=10, example=14,
        fit=(FitField("temperature", 13),), tags=("atemp", "temp", "temperature"),
        figures=("min_temperature", "average_temperature", "max_temperature"),
    ),
    StreamColumn(
        "breathingRate", "Breathing rate", "/min", "breathing", Range(3, 90), group=_VENTILATION,
        change_per_s=30, zero="no signal", may_be_flat=False, example=31,
        fit=(FitField("enhanced_respiration_rate", 108), FitField("respiration_rate", 99)),
        fit_names=("breathrate", "respirationrate"),
    ),
    StreamColumn(
        "minuteVentilation", "Minute ventilation", "L/min", "breathing", Range(0, 500_000), group=_VENTILATION,
        note=_ASSUMED_UNIT.format("L/min"), example=74, fit_names=("ventilation",), units={"ml/min": 0.001},
    ),
    StreamColumn(
        "tidalVolume", "Tidal volume", "L", "breathing", Range(0, 20_000), digits=2, group=_VENTILATION,
        note=_ASSUMED_UNIT.format("L"), example=2.4, units={"ml": 0.001},
    ),
    # A walker's foot rests three times as long as a runner's.
    StreamColumn(
        "groundContactTime", "Ground contact time", "ms", "dynamics", Range(80, 2_000), group=_DYNAMICS,
        change_per_s=400, zero="not in use", may_be_flat=False, example=242,
        fit=(FitField("stance_time", 41),), fit_names=("groundtime", "stancetime"), units={"seconds": 1000, "s": 1000},
    ),
    StreamColumn(
        "stepLength", "Step length", "mm", "dynamics", Range(0, 5_000), group=_DYNAMICS, zero="not in use", example=1_180,
        fit=(FitField("step_length", 85),), units=_LENGTHS_IN_MM,
    ),
    StreamColumn(
        "verticalOscillation", "Vertical oscillation", "mm", "dynamics", Range(0, 500), group=_DYNAMICS,
        zero="not in use", example=84, fit=(FitField("vertical_oscillation", 39),), units=_LENGTHS_IN_MM,
    ),
    StreamColumn(
        "fluidLoss", "Fluid loss", "mL", "fluid", Range(0, 100_000), group=_HEAT, note=_ASSUMED_UNIT.format("mL"), example=620,
        may_add_up=True, units={"l": 1000},
    ),
    StreamColumn(
        "sodiumLoss", "Sodium loss", "mg", "fluid", Range(0, 1_000_000), group=_HEAT, note=_ASSUMED_UNIT.format("mg"), example=540,
        may_add_up=True, units={"g": 1000},
    ),
    # The Race Across America, the longest ride without a stage, has 4,900 km.
    StreamColumn(
        "distance", "Distance", "m", "distance", Range(0, 5_000_000), example=12_500,
        change_per_s=60, is_dead_at_zero=True, has_panel=False,
        fit=(FitField("distance", 5),), tags=("distancemeters", "distance"), units={"km": 1000, "cm": 0.01},
        figures=("distance",),
    ),
    # A semicircle is 8e-8 degrees.
    StreamColumn(
        "positionLat", "Latitude", "degrees", "distance", Range(-90, 90), 7, stored_digits=7, has_panel=False, example=47.3705,
        fit=(FitField("position_lat", factor=_SEMICIRCLES),), tags=("latitudedegrees",),
    ),
    StreamColumn(
        "positionLong", "Longitude", "degrees", "distance", Range(-180, 180), 7, stored_digits=7,
        has_panel=False, example=8.5401, fit=(FitField("position_long", factor=_SEMICIRCLES),), tags=("longitudedegrees",),
    ),
)  # fmt: skip
"""In the order of the pages: panels by priority, then the columns of map and axis."""

FIGURES: Mapping[str, tuple[Range, str]] = MappingProxyType(
    {
        **dict.fromkeys(("elevation_gain", "elevation_loss"), (Range(0, 200_000), "m")),
        "work": (Range(0, 200_000), "kJ"),
        "calories": (Range(0, 200_000), "kcal"),
        **dict.fromkeys(
            ("total_duration", "effective_duration", "moving_duration"), (Range(0, 30 * 86_400), "s")
        ),
    }
)
"""Plausible figures of a session that do not have the range of a column, with their units: thirty days of the hardest training."""

BY_WIRE_NAME: Mapping[str, StreamColumn] = MappingProxyType({column.wire_name: column for column in COLUMNS})
BY_NAME: Mapping[str, StreamColumn] = MappingProxyType({column.name: column for column in COLUMNS})
BY_FIGURE: Mapping[str, StreamColumn] = MappingProxyType(
    {figure: column for column in COLUMNS for figure in column.figures}
)


def groups() -> dict[str, list[StreamColumn]]:
    """Further sensors by heading, in the order of the catalogue."""
    by_heading: dict[str, list[StreamColumn]] = {}
    for column in COLUMNS:
        if column.group is not None:
            by_heading.setdefault(column.group, []).append(column)
    return by_heading
