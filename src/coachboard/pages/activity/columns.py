"""How pages show each stream column of the catalogue: by sport, in the reader's units."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from coachboard.charts import palette
from coachboard.formulas.session.grade import ADJUSTED_SPEED
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.imperial import M_PER_FOOT
from coachboard.ui.frame import formats
from coachboard.ui.frame.formats import PACED_SPORTS, Units
from coachboard.wire.enums import Sport
from coachboard.wire.stream_columns import BY_NAME, COLUMNS, SCALE_OF_TEN, StreamColumn

Floats = NDArray[np.float64]
_MPH = 3.6 / formats.KM_PER_MILE
_UNSTATED = "as reported"
"""The interface states no unit for these columns; a panel says so, a single number has no unit."""


def _same(values: Floats) -> Floats:
    return values


@dataclass(frozen=True, slots=True)
class Column:
    """A column as displayed; `shown` converts from the service's unit to the user's."""

    name: str
    title: str
    unit: str
    colour: str
    digits: int = 0
    shown: Callable[[Floats], Floats] = _same
    is_filled: bool = False
    starts_at_zero: bool = False
    pace_per_m: float | None = None
    derived_from: str = ""  # the source column, if the dashboard computes this one
    note: str | None = None
    is_running_total: bool = False  # its mean has no meaning

    @property
    def is_pace(self) -> bool:
        """Drawn as speed, so that a stop does not flatten the curve, and labelled as pace."""
        return self.pace_per_m is not None

    def one(self, value: float) -> float:
        """One value in the user's unit."""
        return float(self.shown(np.array([value], np.float64))[0])

    @property
    def has_unit(self) -> bool:
        """Whether the interface states the column's unit."""
        return self.unit != _UNSTATED

    def text(self, value: float) -> str:
        """One value with its unit, given in the service's unit."""
        if self.pace_per_m is not None:
            return f"{pace_text(value, self.pace_per_m)} {self.unit}"
        return formats.number(
            self.one(value), self.digits, self.unit if self.has_unit and self.unit != SCALE_OF_TEN else ""
        )

    @property
    def heading(self) -> str:
        """Title and unit, for axes and panels."""
        return f"{self.title}, {self.unit}"

    def in_table(self, values: Floats, title: str = "") -> dict[str, Floats]:
        """A column of a chart's table; a pace in seconds, because spreadsheets take 4:05 for a time of day."""
        name = title or self.title
        if self.pace_per_m is None:
            return {f"{name}, {self.unit}": self.shown(values).round(self.digits + 1)}
        moving = np.where(values > self.pace_per_m / _SLOWEST_S, values, np.nan)
        return {f"{name}, s {self.unit}": (self.pace_per_m / moving).round(1)}


_SLOWEST_S = 3600


def pace_text(mps: float, per_m: float) -> str:
    """`4:52`; a missing value if slower than one hour."""
    if not mps > per_m / _SLOWEST_S:
        return formats.MISSING
    return formats.duration_hms(per_m / mps)


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
    """The recorded columns that can have a panel, or those of the given names, in the order of the catalogue.

    The grade-adjusted speed, which no device records, is next to the speed.
    """
    wanted = names or streams.columns
    by_name: dict[str, Column] = {}
    for column in COLUMNS:
        if column.has_panel and column.name in wanted:
            by_name[column.name] = _shown(column, sport, streams=streams, units=units)
        if column.name == "speed" and ADJUSTED_SPEED in wanted:
            by_name[ADJUSTED_SPEED] = adjusted_column(sport, units)
    return by_name


def _shown(column: StreamColumn, sport: Sport | None, *, streams: SessionStreams, units: Units) -> Column:
    """The column with its meaning: pace and speed, cadence by sport, joules or kilojoules, the reader's units."""
    if column.name == "speed":
        return replace(speed_column(sport, units), derived_from=streams.derived.get("speed", ""))
    plain = _plain(column)
    if column.name == "w_prime_balance":
        return _w_prime(plain, streams)
    if column.name == "cadence":
        factor, unit = formats.cadence_scale(sport)
        name = formats.cadence_name(sport)
        return replace(plain, title=name, unit=unit, shown=lambda values: values * factor)
    if column.unit == "°C":
        return _temperature(plain, units)
    if column.name == "altitude":
        return _altitude(plain, sport, units)
    is_total = adds_up(column.name, streams.columns.get(column.name, _NONE))
    return replace(plain, starts_at_zero=column.name == "power", is_running_total=is_total)


_NONE: Floats = np.empty(0)


def adds_up(name: str, values: Floats) -> bool:
    """Whether the column may count up and never falls; a temperature that only rises is no total."""
    if not BY_NAME[name].may_add_up:
        return False
    recorded = values[np.isfinite(values)]
    return len(recorded) > 1 and bool(recorded[-1] > recorded[0]) and bool((np.diff(recorded) >= 0).all())


def _plain(column: StreamColumn) -> Column:
    unit = _UNSTATED if column.unit is None else column.unit
    return Column(
        column.name, column.title, unit, palette.quantity(column.wire_name), column.digits, note=column.note
    )


def first_choice(sport: Sport | None, streams: SessionStreams, recorded: list[str]) -> list[str]:
    """The panels shown by default; a constant column has no information over time."""
    telling = [name for name in recorded if np.isfinite(streams.columns[name]).sum() > 1]
    recorded = telling or recorded
    wanted = _FIRST.get(sport, _USUAL) if sport else _USUAL
    chosen = [name for name in wanted if name in recorded]
    return (chosen + [name for name in recorded if name not in chosen])[: max(len(chosen), _MOST_AT_FIRST)]


def speed_column(sport: Sport | None, units: Units) -> Column:
    """Speed in the sport's usual form: a pace, or km/h or mph."""
    plain = _plain(BY_NAME["speed"])
    if sport in PACED_SPORTS:
        per_m, unit = formats.pace_unit(sport, units=units)
        return replace(plain, title="Pace", unit=unit, digits=0, pace_per_m=per_m)
    if units.is_imperial(sport):
        return replace(plain, unit="mph", shown=lambda mps: mps * _MPH)
    return replace(plain, unit="km/h", shown=lambda mps: mps * 3.6)


def adjusted_column(sport: Sport | None, units: Units) -> Column:
    """The grade-adjusted speed in the form of the speed."""
    speed = speed_column(sport, units)
    return replace(speed, name=ADJUSTED_SPEED, title=f"Grade-adjusted {speed.title.lower()}")


def _altitude(plain: Column, sport: Sport | None, units: Units) -> Column:
    if units.is_imperial(sport):
        return replace(plain, unit="ft", shown=lambda m: m / M_PER_FOOT, is_filled=True)
    return replace(plain, is_filled=True)


def _temperature(plain: Column, units: Units) -> Column:
    if units.is_imperial():
        return replace(plain, unit="°F", shown=lambda celsius: celsius * 9 / 5 + 32)
    return plain


def _w_prime(plain: Column, streams: SessionStreams) -> Column:
    balance = streams.get("w_prime_balance")
    factor = 1.0 if balance is None or is_in_kj(balance) else 1e-3
    return replace(plain, unit="kJ", shown=lambda values: values * factor)


def is_in_kj(balance: Floats) -> bool:
    """Whether a W′ balance is in kilojoules: no athlete's W′ is below one kilojoule, nor as large as 1,000."""
    # spec: not shown: the unit of `wPrimeBalance`.
    return bool(np.nanmax(np.abs(balance)) < 1_000.0)
