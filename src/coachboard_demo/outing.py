"""A workout becomes a session: in a place, in weather, with the body and the devices of the day."""

import math
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache, partial
from random import Random
from zoneinfo import ZoneInfo

from coachboard.wire.enums import Sport
from coachboard_demo.chance import dice, seed_of
from coachboard_demo.execution import done_of, interruptions, swum_of
from coachboard_demo.pool import lengths_of
from coachboard_demo.practice import PRACTICES, Mover, Practice
from coachboard_demo.routes import STEEPNESS_PCT, Place, Shape
from coachboard_demo.session import Body, DonePart, SimulatedSession
from coachboard_demo.squad import DemoAthlete
from coachboard_demo.workouts import WorkoutPlan

# Banister 1975 with the usual constants: fitness gains slowly, fatigue fades fast.
_FITNESS_DAYS, _FATIGUE_DAYS = 42.0, 7.0
_FITNESS_EFFECT, _FATIGUE_EFFECT = 0.14, 0.035  # the largest relative change of the capacity


@dataclass(slots=True)
class Condition:
    """Load carried by one athlete."""

    usual: float  # load of a usual day
    fitness: float
    fatigue: float

    @classmethod
    def steady(cls, usual: float) -> "Condition":
        """An athlete who has trained as usual for months."""
        return cls(usual, usual * 0.85, usual * 0.85)

    def take(self, load: float) -> None:
        """Live through a day with that load."""
        self.fitness += (load - self.fitness) * -math.expm1(-1 / _FITNESS_DAYS)
        self.fatigue += (load - self.fatigue) * -math.expm1(-1 / _FATIGUE_DAYS)

    @property
    def form(self) -> float:
        """Capacity against that of the usual load, about 0.9 to 1.06."""
        relative = self.fitness / self.usual - 1
        tired = self.fatigue / self.usual - 1
        return 1 + _FITNESS_EFFECT * math.tanh(relative) - _FATIGUE_EFFECT * math.tanh(tired)

    @property
    def strain(self) -> float:
        """How much more fatigue than fitness, about -1 to 1: what nights and mornings feel."""
        return math.tanh((self.fatigue - self.fitness) / (0.6 * self.usual))


_CLIMBED_PER_PCT = 0.0021  # metres a metre, for each percent of the steepness of the ground
_SHORTEST_M, _LADDER = 1500.0, 1.5  # each route of an athlete is 1.5 times as long as the one before


@dataclass(frozen=True, slots=True)
class Day:
    """The state of an athlete on a day."""

    day: date
    form: float  # capacity against the usual: of the health alone until `Training` adds the condition
    place: Place
    mass_kg: float
    strain: float = 0.0  # of the load, after the sessions of the day
    drained: float = 0.0  # strain that the load does not explain
    sleep_lost_h: float = 0.0

    def utc_offset_min(self) -> int:
        """Minutes from UTC at noon."""
        return offset_min(self.place.zone, self.day)


@lru_cache(maxsize=65_536)
def offset_min(zone: str, day: date) -> int:
    """Minutes from UTC at noon of that day in that zone."""
    offset = datetime.combine(day, time(12), ZoneInfo(zone)).utcoffset()
    return round((offset or timedelta()).total_seconds() / 60)


def body_of(athlete: DemoAthlete, day: Day, sport: Sport) -> Body:
    """The athlete's abilities on that day in that sport."""
    return Body(
        power_w=round(athlete.power_w * day.form, 1),
        w_prime_j=round(athlete.w_prime_j * (0.6 + 0.4 * day.form)),
        speed_mps=round(athlete.speed_mps(sport) * (0.5 + 0.5 * day.form), 3),
        hr_max=athlete.hr_max,
        hr_rest=athlete.hr_rest,
        mass_kg=day.mass_kg,
    )


def session_of(
    athlete: DemoAthlete, day: Day, workout: WorkoutPlan, *, hour: float, share: float = 1.0
) -> SimulatedSession:
    """The session that the athlete makes of the workout."""
    kind = PRACTICES[workout.practice]
    seed = seed_of("session", athlete.lot, day.day, workout.practice, hour) % (1 << 40)
    rng = dice(seed)
    body = body_of(athlete, day, kind.sport)
    session = partial(
        SimulatedSession,
        seed=seed,
        practice=workout.practice,
        started_s=started_s(day, hour + rng.gauss(0, 0.2)),
        body=body,
        place=day.place,
        air_c=_air_c(day, hour, kind, rng),
        sensors=athlete.sensors,
    )
    if kind.mover is Mover.LENGTHS:
        return swum(session(swum=swum_of(workout, rng, share=share)))
    done = done_of(workout, rng, share=share, speed_mps=body.speed_mps)
    stops, pauses = interruptions(kind, done, rng)
    return session(done=done, route_m=_route_m(kind, body, done), stops=stops, pauses=pauses)


def swum(session: SimulatedSession) -> SimulatedSession:
    """A pool session with its duration, which follows from its sets."""
    return replace(session, done=(DonePart(lengths_of(session).total_s, 0.9),))


def started_s(day: Day, hour: float) -> int:
    """Seconds since 1970 at that hour of the day, local time."""
    midnight = datetime.combine(day.day, time(), UTC).timestamp()
    return round(midnight + hour * 3600) - 60 * day.utc_offset_min()


def _air_c(day: Day, hour: float, kind: Practice, rng: Random) -> float:
    """The temperature at the start."""
    if kind.mover is Mover.LENGTHS:
        return 27.0
    if kind.shape is None:
        return round(rng.gauss(20.5, 1.2), 1)
    season = math.cos((day.day.timetuple().tm_yday - 200) / 365.25 * 2 * math.pi)
    of_day = 3.5 * math.cos((hour - 15) / 24 * 2 * math.pi)
    degrees = day.place.mean_temperature_c + day.place.summer_c * season + of_day + rng.gauss(0, 2.5)
    return round(degrees, 1)


def _route_m(kind: Practice, body: Body, done: tuple[DonePart, ...]) -> float:
    """The length of the athlete's route that is about as long as the session will be."""
    if kind.shape is Shape.TRACK:
        return 400.0
    seconds = sum(part.duration_s for part in done)
    effort = sum(part.effort * part.duration_s for part in done) / seconds
    reach_m = seconds * usual_mps(kind, effort, power_w=body.power_w, speed_mps=body.speed_mps)
    rung = max(0, round(math.log(reach_m / _SHORTEST_M, _LADDER)))
    return round(_SHORTEST_M * _LADDER**rung)


def usual_mps(kind: Practice, effort: float, *, power_w: float, speed_mps: float) -> float:
    """About the speed of a planned effort on the usual ground of that practice."""
    effort *= kind.effort_share
    if kind.mover is Mover.WHEELS:
        return 8.0 * float((effort * power_w / 160) ** 0.45) * kind.road_share
    return speed_mps * kind.speed_share * effort * kind.road_share


def climbed_m(kind: Practice, place: Place, metres: float) -> int | None:
    """About the height that a session of so many metres climbs."""
    if kind.shape is not Shape.LOOP:
        return None
    return 10 * round(_CLIMBED_PER_PCT * STEEPNESS_PCT[place.ground] * kind.steeper * metres / 10)
