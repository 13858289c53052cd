"""One session as it was done: everything that its summary and its streams are made from."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import accumulate
from typing import Any

import orjson

from coachboard.models.enums import Sport
from coachboard_demo.cells import CELL_S
from coachboard_demo.practice import PRACTICES, Practice
from coachboard_demo.routes import Shape
from coachboard_demo.terrain import Ground, Place

_EPOCH, _DAY_MIN, _DAY_S = date(1970, 1, 1), 1440, 86_400


@dataclass(frozen=True, slots=True)
class Done:
    """A stretch of a session at one effort."""

    duration_s: int  # whole cells
    effort: float  # 1 = critical power, critical speed
    cadence_rpm: float = 0.0  # 0: as it comes
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
    """What the athlete could do on that day."""

    power_w: float  # critical power
    w_prime_j: float
    speed_mps: float  # critical speed of the sport
    hr_max: float
    hr_rest: float
    mass_kg: float
    cadence_shift_rpm: float = 0.0


@dataclass(frozen=True, slots=True)
class Weather:
    """The air of the session."""

    temperature_c: float
    rise_c: float  # until the end
    wind_mps: float
    wind_to: float  # radians, 0 = east


@dataclass(frozen=True, slots=True)
class Fault:
    """What a device got wrong: the kind says how the column tells it, over some cells."""

    kind: str
    column: str
    cell: int
    cells: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session; the same session gives the same streams for ever."""

    seed: int
    practice: str
    started_s: int  # seconds since 1970, UTC
    body: Body
    place: Place
    weather: Weather
    done: tuple[Done, ...] = ()
    swum: tuple[Swum, ...] = ()
    pool_m: float = 25.0
    shape: Shape | None = None
    route_m: float = 0.0
    route: str = ""
    sensors: tuple[str, ...] = ()
    stops: tuple[tuple[int, int], ...] = ()  # cell and cells standing still, device running
    pauses: tuple[tuple[int, int], ...] = ()  # cell before which the device stood still, and seconds
    faults: tuple[Fault, ...] = ()

    @property
    def kind(self) -> Practice:
        """The practice by its name."""
        return PRACTICES[self.practice]

    @property
    def is_ride(self) -> bool:
        """Whether laps and climbs are kept for it."""
        return self.kind.sport is Sport.CYCLING

    @property
    def cells(self) -> int:
        """How long the device recorded, in cells."""
        return sum(stretch.duration_s for stretch in self.done) // CELL_S

    def to_bytes(self) -> bytes:
        """The recipe that the store keeps."""
        return orjson.dumps(self)

    @classmethod
    def from_bytes(cls, recipe: bytes) -> "Session":
        """Read a recipe back."""
        return _read(orjson.loads(recipe))


def moments(session: Session, indices: Sequence[int]) -> list[str]:
    """When samples were recorded, as the wire writes it: pauses lie between samples."""
    day, start_s = divmod(session.started_s, _DAY_S)
    if session.pauses:
        begins, gaps = zip(*sorted(session.pauses), strict=True)
        first = [cell * CELL_S for cell in begins]
        paused_s = [0, *accumulate(gaps)]
        seconds = [start_s + index + paused_s[bisect_right(first, index)] for index in indices]
    else:
        seconds = [start_s + index for index in indices]
    if max(seconds, default=0) >= _DAY_S:
        return [_stamp(day * _DAY_S + second) for second in seconds]
    date_of = f"{_day(day)} "
    return [date_of + _CLOCK[second // 60] + _SECONDS[second % 60] for second in seconds]


def _stamp(seconds: int) -> str:
    # Laps have thousands of these in a season: writing one through a datetime takes ten times as long.
    minutes, second = divmod(seconds, 60)
    day, minute = divmod(minutes, _DAY_MIN)
    return f"{_day(day)} {_CLOCK[minute]}{_SECONDS[second]}"


_CLOCK = tuple(f"{minute // 60:02}:{minute % 60:02}" for minute in range(_DAY_MIN))
_SECONDS = tuple(f":{second:02}+00" for second in range(60))


@lru_cache(maxsize=4096)
def _day(number: int) -> str:
    return str(_EPOCH + timedelta(days=number))


def _read(raw: dict[str, Any]) -> Session:
    raw["body"] = Body(**raw["body"])
    raw["place"] = Place(**raw["place"] | {"ground": Ground(raw["place"]["ground"])})
    raw["weather"] = Weather(**raw["weather"])
    raw["shape"] = Shape(raw["shape"]) if raw["shape"] else None
    raw["done"] = tuple(Done(**stretch) for stretch in raw["done"])
    raw["swum"] = tuple(Swum(**swum) for swum in raw["swum"])
    raw["faults"] = tuple(Fault(**fault) for fault in raw["faults"])
    raw["sensors"] = tuple(raw["sensors"])
    for name in ("stops", "pauses"):
        raw[name] = tuple((int(at), int(long)) for at, long in raw[name])
    return Session(**raw)
