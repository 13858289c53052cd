"""One session as it was done: the recipe from which its summary and its streams are made."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import accumulate

import orjson
from pydantic import TypeAdapter

from coachboard.models.enums import Sport
from coachboard_demo.grid import CELL_S
from coachboard_demo.practice import PRACTICES, Practice
from coachboard_demo.routes import Place, Shape

POOL_M = 25.0
_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class DonePart:
    """A stretch of a session at one effort."""

    duration_s: int  # whole cells
    effort: float  # 1 = critical power, critical speed
    cadence_rpm: float = 0.0  # 0: free choice
    label: str = ""


@dataclass(frozen=True, slots=True)
class Swum:
    """A set in a pool: lengths of one stroke, then a rest."""

    lengths: int
    effort: float
    rest_s: int
    stroke: str | None


@dataclass(frozen=True, slots=True)
class Body:
    """The athlete's abilities on that day."""

    power_w: float  # critical power
    w_prime_j: float
    speed_mps: float  # critical speed of the sport
    hr_max: float
    hr_rest: float
    mass_kg: float


@dataclass(frozen=True, slots=True)
class Weather:
    """The air of the session."""

    temperature_c: float
    rise_c: float  # until the end


@dataclass(frozen=True, slots=True)
class SensorFault:
    """An error of a device in one column, over some cells."""

    kind: str
    column: str
    cell: int
    cells: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedSession:
    """A session; the same session always gives the same streams."""

    seed: int
    practice: str
    started_s: int  # seconds since 1970, UTC
    body: Body
    place: Place
    weather: Weather
    done: tuple[DonePart, ...] = ()
    swum: tuple[Swum, ...] = ()
    pool_m: float = POOL_M
    shape: Shape | None = None
    route_m: float = 0.0
    route: str = ""
    sensors: tuple[str, ...] = ()
    stops: tuple[tuple[int, int], ...] = ()  # first cell and number of cells without motion, device running
    pauses: tuple[tuple[int, int], ...] = ()  # cell before which the device paused, and seconds
    faults: tuple[SensorFault, ...] = ()

    @property
    def kind(self) -> Practice:
        """The practice by its name."""
        return PRACTICES[self.practice]

    @property
    def is_ride(self) -> bool:
        """Whether it has laps and climbs."""
        return self.kind.sport is Sport.CYCLING

    @property
    def cells(self) -> int:
        """How long the device recorded, in cells."""
        return sum(part.duration_s for part in self.done) // CELL_S

    def to_bytes(self) -> bytes:
        """The recipe that the store keeps."""
        return orjson.dumps(self)

    @classmethod
    def from_bytes(cls, recipe: bytes) -> "SimulatedSession":
        """Read a recipe."""
        return _RECIPE.validate_json(recipe)


def moments(session: SimulatedSession, indices: Sequence[int]) -> list[str]:
    """When samples were recorded, in the format of the wire; the clock goes on in pauses."""
    first = [cell * CELL_S for cell, _ in session.pauses]
    paused_s = [0, *accumulate(gap for _, gap in session.pauses)]
    start = session.started_s
    return [_stamp(start + index + paused_s[bisect_right(first, index)]) for index in indices]


def _stamp(seconds: int) -> str:
    # A season has a hundred thousand of these: `strftime` takes 4.4 instead of 0.5 µs.
    day, second = divmod(seconds, 86_400)
    return f"{_day(day)} {_CLOCK[second // 60]}:{_TWO_DIGITS[second % 60]}+00"


_TWO_DIGITS = [f"{number:02}" for number in range(60)]
_CLOCK = [f"{hour:02}:{minute}" for hour in range(24) for minute in _TWO_DIGITS]


@lru_cache(maxsize=4096)
def _day(number: int) -> str:
    return str(_EPOCH + timedelta(days=number))


_RECIPE = TypeAdapter(SimulatedSession)
