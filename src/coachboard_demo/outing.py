"""An athlete goes out: a workout becomes a session in a place, in weather, with the day's body and devices."""

import math
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from random import Random
from zoneinfo import ZoneInfo

from coachboard.models.enums import Sport
from coachboard_demo.athlete import Athlete
from coachboard_demo.cells import CELL_S
from coachboard_demo.chance import dice, seed_of
from coachboard_demo.execution import done_of, swum_of
from coachboard_demo.faults import faults_of
from coachboard_demo.interruptions import interruptions
from coachboard_demo.physiology import ageing, max_heart_rate
from coachboard_demo.pool import lengths_of
from coachboard_demo.practice import PRACTICES, Mover, Practice
from coachboard_demo.routes import Shape
from coachboard_demo.session import Body, Done, Session, Swum, Weather
from coachboard_demo.terrain import Place
from coachboard_demo.workouts import Workout

_LADDER = 1.28  # lengths of somebody's routes, each that much longer than the one before
_FAVOURITES = 2
_HILL_M = 3_000.0, 6_000.0  # up and down; the recorded trail run has the same 4.5 km eight times
POOL_M = 25.0


@dataclass(frozen=True, slots=True)
class Day:
    """What a day brings to an athlete before any session."""

    day: date
    age: float
    form: float  # capacity against the usual
    place: Place
    mass_kg: float
    drained: float = 0.0  # strain beyond what the load explains
    sleep_lost_h: float = 0.0

    def with_body(self, *, form: float, mass_kg: float) -> "Day":
        """The same day with what the body can do; `replace` takes four times as long, and there is one a day."""
        return Day(self.day, self.age, form, self.place, mass_kg, self.drained, self.sleep_lost_h)

    def utc_offset_min(self) -> int:
        """Minutes from UTC at noon."""
        return offset_min(self.place.zone, self.day)


@lru_cache(maxsize=65_536)
def offset_min(zone: str, day: date) -> int:
    """Minutes from UTC at noon of that day in that zone."""
    offset = datetime.combine(day, time(12), ZoneInfo(zone)).utcoffset()
    return round((offset or timedelta()).total_seconds() / 60)


def body_of(athlete: Athlete, day: Day, sport: Sport) -> Body:
    """What the athlete can do on that day in that sport."""
    now = day.form * ageing(day.age)
    return Body(
        power_w=round(athlete.power_w * now, 1),
        w_prime_j=round(athlete.w_prime_j * (0.6 + 0.4 * day.form)),
        speed_mps=round(
            (athlete.swim_mps if sport is Sport.SWIMMING else athlete.run_mps) * (0.5 + 0.5 * now), 3
        ),
        hr_max=round(max_heart_rate(athlete.hr_max, day.age), 1),
        hr_rest=athlete.hr_rest,
        mass_kg=day.mass_kg,
        cadence_shift_rpm=_cadence_shift_rpm(athlete.lot),
    )


@lru_cache(maxsize=1024)
def _cadence_shift_rpm(lot: str) -> float:
    return round((seed_of("cadence", lot) % 120) / 10 - 6, 2)


def session_of(
    athlete: Athlete, day: Day, workout: Workout, *, practice: str, hour: float, share: float = 1.0
) -> Session:
    """The session that the athlete makes of the workout."""
    name = workout.practice or practice
    kind = PRACTICES[name]
    seed = seed_of("session", athlete.lot, day.day, name, hour) % (1 << 40)
    rng = dice(seed)
    body = body_of(athlete, day, kind.sport)
    started = datetime.combine(day.day, time(), UTC) + timedelta(hours=hour, minutes=rng.gauss(0, 12))
    swum: tuple[Swum, ...] = ()
    done: tuple[Done, ...] = ()
    if kind.mover is Mover.LENGTHS:
        swum = swum_of(workout, rng, share=share, pool_m=POOL_M)
    else:
        done = done_of(workout, rng, share=share, speed_mps=body.speed_mps, differ=kind.pieces_differ)
    cells = sum(stretch.duration_s for stretch in done) // CELL_S
    shape, route_m, route = _way(name, body, done, rng)
    stops, pauses = interruptions(kind, done, rng)
    session = Session(
        seed=seed,
        practice=name,
        started_s=round(started.timestamp()) - 60 * day.utc_offset_min(),
        body=body,
        place=day.place,
        weather=_weather(day, hour, kind, rng),
        sensors=athlete.sensors,
        done=done,
        swum=swum,
        shape=shape,
        route_m=route_m,
        route=route,
        stops=stops,
        pauses=pauses,
        faults=faults_of(kind, cells, rng),
    )
    if not swum:
        return session
    session = with_lengths(session)
    return replace(session, faults=faults_of(kind, session.cells, rng))


def with_lengths(session: Session) -> Session:
    """The session with its duration, which follows from what is swum."""
    return replace(session, done=(Done(lengths_of(session).total_s, 0.9),))


def _weather(day: Day, hour: float, kind: Practice, rng: Random) -> Weather:
    if kind.mover is Mover.LENGTHS:
        return Weather(27.0, 0.0, 0.0, 0.0)
    if kind.shape is None:
        return Weather(round(rng.gauss(20.5, 1.2), 1), 1.5, 0.0, 0.0)
    season = math.cos((day.day.timetuple().tm_yday - 200) / 365.25 * 2 * math.pi)
    of_day = 3.5 * math.cos((hour - 15) / 24 * 2 * math.pi)
    degrees = day.place.mean_temperature_c + day.place.summer_c * season + of_day + rng.gauss(0, 2.5)
    # Water is colder away from the shore.
    rise = -0.7 if kind.sport is Sport.SWIMMING else 2.5 if hour < 12 else -1.5
    wind = min(9.0, rng.gammavariate(2.0, 1.3))
    return Weather(round(degrees, 1), rise, round(wind, 1), round(rng.uniform(0, 6.28), 2))


def _way(practice: str, body: Body, done: tuple[Done, ...], rng: Random) -> tuple[Shape | None, float, str]:
    """One of the athlete's routes that is about as long as the session will be: its shape, metres and name."""
    shape = PRACTICES[practice].shape
    if shape is None:
        return None, 0.0, ""
    if shape is Shape.TRACK:
        return shape, 400.0, "track"
    if shape is Shape.LAKE:
        return shape, 1500.0, "buoys"
    rung = max(0, round(math.log(max(_reach_m(practice, body, done), 1500) / 1500, _LADDER)))
    favourite = rng.randrange(_FAVOURITES)
    if practice == "trail" and favourite == 1:
        return Shape.HILL, round(_HILL_M[0] + (_HILL_M[1] - _HILL_M[0]) * rng.random(), -3), "hill"
    # Every other length has one way that goes out and comes back, like a valley or a towpath.
    chosen = Shape.OUT_AND_BACK if favourite == 1 and rung % 2 and shape is Shape.LOOP else shape
    return chosen, round(1500 * _LADDER**rung), f"favourite {favourite}"


def _reach_m(practice: str, body: Body, done: tuple[Done, ...]) -> float:
    """How far the session will get, roughly."""
    kind = PRACTICES[practice]
    work = sum(part.effort * part.duration_s for part in done) * kind.effort_share
    if kind.mover is not Mover.WHEELS:
        return body.speed_mps * kind.speed_share * work
    seconds = sum(part.duration_s for part in done)
    rough = 0.36 if practice == "mountain bike" else 1.0
    return float(seconds * 8.0 * (work / seconds * body.power_w / 160) ** 0.45 * rough)
