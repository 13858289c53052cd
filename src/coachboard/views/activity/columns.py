"""How each recorded column is called and shown: title, unit, colour, digits, by sport and the reader's units."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.loaders.session_streams import SessionStreams
from coachboard.models.enums import Sport
from coachboard.views import formats
from coachboard.views.formats import PACED_SPORTS, Units

Floats = NDArray[np.float64]
_FEET = 1 / 0.3048
_MPH = 3.6 / 1.609344
_UNSTATED = "as reported"
"""The interface names no unit for these; a panel says so, a single number goes without."""
_TENTHS = "0–10"


def _same(values: Floats) -> Floats:
    return values


@dataclass(frozen=True, slots=True)
class Column:
    """One column as a reader knows it; `shown` turns the service's unit into the reader's."""

    name: str
    title: str
    unit: str
    colour: str
    digits: int = 0
    shown: Callable[[Floats], Floats] = _same
    is_filled: bool = False
    starts_at_zero: bool = False
    pace_way_m: float | None = None
    derived_from: str = ""  # the column that it is computed from here

    @property
    def is_pace(self) -> bool:
        """Drawn by speed, so that a stop does not flatten it, and read as time for a way."""
        return self.pace_way_m is not None

    def one(self, value: float) -> float:
        """One value in the reader's unit."""
        return float(self.shown(np.array([value], np.float64))[0])

    @property
    def has_unit(self) -> bool:
        """Whether the interface says in which unit the column is."""
        return self.unit != _UNSTATED

    def text(self, value: float) -> str:
        """One value with its unit, from the service's unit."""
        if self.pace_way_m is not None:
            return f"{pace_text(value, self.pace_way_m)} {self.unit}"
        return formats.number(
            self.one(value), self.digits, self.unit if self.has_unit and self.unit != _TENTHS else ""
        )


def pace_text(mps: float, way_m: float) -> str:
    """`4:52`; slower than an hour for the way is no pace."""
    if not mps > way_m / 3600:
        return formats.MISSING
    return formats.duration_hms(way_m / mps)


_PLAIN: tuple[tuple[str, str, str, str, int], ...] = (
    ("power", "Power", "W", "power", 0),
    ("heart_rate", "Heart rate", "bpm", "heartRate", 0),
    ("torque", "Torque", "Nm", "torque", 0),
    ("intensity", "Intensity", _UNSTATED, "intensity", 0),
    ("grade", "Grade", "%", "grade", 1),
    ("left_right_balance", "Left-right balance", "%", "leftRightBalance", 0),
    ("breathing_rate", "Breathing rate", "/min", "breathingRate", 0),
    ("tidal_volume", "Tidal volume", _UNSTATED, "tidalVolume", 2),
    ("minute_ventilation", "Minute ventilation", _UNSTATED, "minuteVentilation", 0),
    ("heat_strain_index", "Heat strain index", _TENTHS, "heatStrainIndex", 1),
    ("ground_contact_time", "Ground contact time", "ms", "groundContactTime", 0),
    ("step_length", "Step length", "mm", "stepLength", 0),
    ("vertical_oscillation", "Vertical oscillation", "mm", "verticalOscillation", 0),
    ("fluid_loss", "Fluid loss", _UNSTATED, "fluidLoss", 0),
    ("sodium_loss", "Sodium loss", _UNSTATED, "sodiumLoss", 0),
)
ORDER = (
    "power",
    "heart_rate",
    "speed",
    "cadence",
    "altitude",
    "w_prime_balance",
    "grade",
    "torque",
    "left_right_balance",
    "intensity",
    "core_temperature",
    "skin_temperature",
    "heat_strain_index",
    "temperature",
    "breathing_rate",
    "minute_ventilation",
    "tidal_volume",
    "ground_contact_time",
    "step_length",
    "vertical_oscillation",
    "fluid_loss",
    "sodium_loss",
)
"""What a coach looks at first stands first; position and distance are the map's and the axis'."""
_FIRST = {
    Sport.CYCLING: ("power", "heart_rate", "speed", "altitude"),
    Sport.RUNNING: ("speed", "heart_rate", "power", "altitude"),
    Sport.SWIMMING: ("speed", "heart_rate", "cadence"),
}
_USUAL = ("power", "heart_rate", "speed", "altitude")
_MOST_AT_FIRST = 4


def columns_of(
    streams: SessionStreams, sport: Sport | None, *, units: Units, names: Collection[str] | None = None
) -> dict[str, Column]:
    """The recorded columns that can have a panel, or those of the given names, in the order of choice."""
    known = {
        name: Column(name, title, unit, palette.quantity(colour), digits)
        for name, title, unit, colour, digits in _PLAIN
    }
    known["power"] = _starting_at_zero(known["power"])
    known["w_prime_balance"] = _w_prime(streams)
    known["speed"] = replace(speed_column(sport, units), derived_from=streams.derived.get("speed", ""))
    known["cadence"] = _cadence(sport)
    known["altitude"] = _altitude(sport, units)
    for name, title, colour in (
        ("temperature", "Temperature", "temperature"),
        ("core_temperature", "Core temperature", "coreTemperature"),
        ("skin_temperature", "Skin temperature", "skinTemperature"),
    ):
        known[name] = _temperature(name, title, palette.quantity(colour), units=units)
    return {name: known[name] for name in ORDER if name in (names or streams.columns)}


def first_choice(sport: Sport | None, streams: SessionStreams, recorded: list[str]) -> list[str]:
    """The panels shown until a reader chooses; a column of a single value tells nothing over time."""
    telling = [name for name in recorded if np.isfinite(streams.columns[name]).sum() > 1]
    recorded = telling or recorded
    wanted = _FIRST.get(sport, _USUAL) if sport else _USUAL
    chosen = [name for name in wanted if name in recorded]
    return (chosen + [name for name in recorded if name not in chosen])[: max(len(chosen), _MOST_AT_FIRST)]


def _starting_at_zero(column: Column) -> Column:
    return Column(column.name, column.title, column.unit, column.colour, starts_at_zero=True)


def speed_column(sport: Sport | None, units: Units) -> Column:
    """Speed as the sport's people say it: a pace, or kilometres or miles an hour."""
    colour = palette.quantity("speed")
    if sport in PACED_SPORTS:
        way_m, unit = formats.pace_way(sport, units=units)
        return Column("speed", "Pace", unit, colour, pace_way_m=way_m)
    if units.is_imperial(sport):
        return Column("speed", "Speed", "mph", colour, 1, lambda mps: mps * _MPH)
    return Column("speed", "Speed", "km/h", colour, 1, lambda mps: mps * 3.6)


def _cadence(sport: Sport | None) -> Column:
    unit = {Sport.RUNNING: "strides/min", Sport.SWIMMING: "strokes/min", Sport.ROWING: "strokes/min"}
    name = unit.get(sport, "rpm") if sport else "rpm"
    return Column("cadence", "Cadence", name, palette.quantity("cadence"))


def _altitude(sport: Sport | None, units: Units) -> Column:
    colour = palette.quantity("altitude")
    if units.is_imperial(sport):
        return Column("altitude", "Altitude", "ft", colour, shown=lambda m: m * _FEET, is_filled=True)
    return Column("altitude", "Altitude", "m", colour, is_filled=True)


def _temperature(name: str, title: str, colour: str, *, units: Units) -> Column:
    digits = 0 if name == "temperature" else 1
    if units.is_imperial():
        return Column(name, title, "°F", colour, digits, lambda celsius: celsius * 9 / 5 + 32)
    return Column(name, title, "°C", colour, digits)


_LARGEST_KJ = 1_000.0


def _w_prime(streams: SessionStreams) -> Column:
    # spec: not shown: the unit of wPrimeBalance. Nobody's W' is over 1,000 kJ, so larger numbers are joules.
    balance = streams.get("w_prime_balance")
    factor = 1e-3 if balance is not None and np.nanmax(np.abs(balance)) > _LARGEST_KJ else 1.0
    colour = palette.quantity("wPrimeBalance")
    return Column("w_prime_balance", "W′ balance", "kJ", colour, 1, lambda values: values * factor)
