"""One session as it was done: the recipe from which its summary and its streams are made."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import orjson
from pydantic import TypeAdapter

from coachboard.wire.enums import Sport
from coachboard_demo.grid import CELL_S, Ints
from coachboard_demo.practice import PRACTICES, Practice
from coachboard_demo.routes import Place

POOL_M = 25.0


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
class SensorFault:
    """A word ("NaN" or "Infinity") that a device writes into one column, over some cells."""

    word: str
    column: str
    cell: int
    cells: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedSession:
    """A session; the same session always gives the same streams."""

    seed: int
    practice: str
    started_s: int  # seconds since 1970, UTC
    body: Body
    place: Place
    air_c: float  # at the start
    done: tuple[DonePart, ...] = ()
    swum: tuple[Swum, ...] = ()
    route_m: float = 0.0  # the length of a round
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


def clock_s(session: SimulatedSession, index: Ints) -> Ints:
    """When samples were recorded, in seconds since 1970; the clock goes on in pauses."""
    clock = index + session.started_s
    for cell, gap_s in session.pauses:
        clock[index >= cell * CELL_S] += gap_s
    return clock


def moments(session: SimulatedSession, indices: Sequence[int]) -> list[str]:
    """When samples were recorded, in the format of the wire."""
    clock = clock_s(session, np.asarray(indices, np.int64))
    texts: list[str] = np.datetime_as_string(clock.astype("datetime64[s]")).tolist()
    return [f"{text[:10]} {text[11:]}+00" for text in texts]


_RECIPE = TypeAdapter(SimulatedSession)
