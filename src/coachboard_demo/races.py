"""Races: the table of disciplines, and race days with their results; the legs of a triathlon form one group."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from coachboard.wire.enums import RaceType, Sport, StepLabel, SubSport, TrainingStimulus
from coachboard_demo.chance import new_id
from coachboard_demo.grid import CELL_S, whole_cells_s
from coachboard_demo.outing import Day, session_of, started_s, usual_mps
from coachboard_demo.practice import PRACTICES, Mover
from coachboard_demo.routes import Ground
from coachboard_demo.session import SimulatedSession
from coachboard_demo.simulation import simulate
from coachboard_demo.squad import DemoAthlete
from coachboard_demo.summary import Caption
from coachboard_demo.workouts import Part, Step, WorkoutPlan

_BY_GROUND = {
    Ground.FLAT: RaceType.FLAT, Ground.ROLLING: RaceType.FLAT, Ground.HILLY: RaceType.HILLY,
    Ground.MOUNTAIN: RaceType.MOUNTAIN,
}  # fmt: skip
_BEGINS_H, _BETWEEN_LEGS_H, _CHANGE_S, _PASSES = 9.5, 0.001, 150, 3


@dataclass(frozen=True, slots=True)
class RaceLeg:
    """One recorded part of a race: over a distance, or a change of equipment."""

    practice: str
    low: float
    high: float
    metres: int = 0
    label: str = ""

    @property
    def effort(self) -> float:
        """The target intensity, against the threshold."""
        return (self.low + self.high) / 2

    def workout(self, name: str, seconds: float) -> WorkoutPlan:
        """The leg as a workout of so many seconds."""
        parts: tuple[Part, ...] = (Step(StepLabel.ACTIVE, self.low, self.high, round(seconds)),)
        return WorkoutPlan(
            name, TrainingStimulus.RACE, parts, None, 9, practice=self.practice, label=self.label
        )


@dataclass(frozen=True, slots=True)
class Race:
    """A discipline, and its entry in the calendar."""

    sport: Sport
    sub_sport: SubSport | None
    legs: tuple[RaceLeg, ...]
    carbs: int | None = None  # g an hour

    @property
    def metres(self) -> int:
        """The distance of all legs."""
        return sum(leg.metres for leg in self.legs)


_CHANGE = RaceLeg("changing", 0.5, 0.6)


def _triathlon(swim: RaceLeg, ride: RaceLeg, run: RaceLeg, carbs: int | None) -> Race:
    return Race(Sport.MULTISPORT, SubSport.TRIATHLON, (swim, _CHANGE, ride, _CHANGE, run), carbs)


RACES: Mapping[str, Race] = {
    "road": Race(Sport.CYCLING, SubSport.ROAD, (RaceLeg("bunch", 0.74, 0.82, 96_000, label="dynamic"),), 90),
    "time trial": Race(Sport.CYCLING, SubSport.TIME_TRIAL, (RaceLeg("time trial", 0.98, 1.03, 25_000),)),
    "mountain bike": Race(
        Sport.CYCLING, SubSport.MOUNTAIN, (RaceLeg("mountain bike", 0.84, 0.9, 20_000, label="dynamic"),), 80
    ),
    "track": Race(Sport.CYCLING, SubSport.TRACK_CYCLING, (RaceLeg("velodrome", 1.1, 1.16, 4_000),)),
    "hand cycle": Race(
        Sport.CYCLING, SubSport.HAND_CYCLING, (RaceLeg("hand cycle", 0.86, 0.92, 45_000, label="dynamic"),), 60
    ),
    "marathon": Race(Sport.RUNNING, SubSport.STREET, (RaceLeg("run", 0.9, 0.93, 42_195),), 75),
    "half marathon": Race(Sport.RUNNING, SubSport.STREET, (RaceLeg("run", 0.94, 0.97, 21_098),), 45),
    "1500 m": Race(Sport.RUNNING, SubSport.TRACK, (RaceLeg("track", 1.16, 1.2, 1_500),)),
    "10 km": Race(Sport.RUNNING, None, (RaceLeg("run", 0.86, 0.92, 10_000),)),
    "trail run": Race(Sport.RUNNING, SubSport.ULTRA, (RaceLeg("trail", 0.66, 0.72, 50_000),), 60),
    "triathlon": _triathlon(
        RaceLeg("open water", 0.9, 0.94, 3_800), RaceLeg("time trial", 0.7, 0.75, 180_000), RaceLeg("run", 0.76, 0.8, 42_200), 85
    ),
    "middle distance": _triathlon(
        RaceLeg("open water", 0.95, 0.98, 1_900), RaceLeg("time trial", 0.76, 0.82, 90_000), RaceLeg("run", 0.82, 0.86, 21_100), 75
    ),
    "sprint triathlon": _triathlon(
        RaceLeg("open water", 1.0, 1.04, 750), RaceLeg("time trial", 0.95, 1.0, 20_000), RaceLeg("run", 0.98, 1.02, 5_000), None
    ),
    "swim": Race(Sport.SWIMMING, SubSport.OPEN_WATER, (RaceLeg("open water", 0.98, 1.0, 2_000),)),
    "rowing": Race(Sport.FITNESS_EQUIPMENT, SubSport.INDOOR_ROWING, (RaceLeg("rowing machine", 1.12, 1.16, 2_000),)),
    "skiing": Race(Sport.CROSS_COUNTRY_SKIING, SubSport.SKATE_SKIING, (RaceLeg("skating", 0.86, 0.92, 36_000),), 60),
}  # fmt: skip


def race_of(athlete: DemoAthlete) -> Race:
    """The athlete's disciplines."""
    return RACES[athlete.race or athlete.discipline]


def expected_s(leg: RaceLeg, athlete: DemoAthlete) -> float:
    """About how long the athlete takes for a leg."""
    if not leg.metres:
        return _CHANGE_S
    kind = PRACTICES[leg.practice]
    speed_mps = athlete.speed_mps(kind.sport)
    return leg.metres / usual_mps(kind, leg.effort, power_w=athlete.power_w, speed_mps=speed_mps)


def raced(athlete: DemoAthlete, day: Day, races_before: int) -> Iterator[tuple[SimulatedSession, Caption]]:
    """Race on that day, leg after leg."""
    hour = _BEGINS_H
    for at, leg in enumerate(race_of(athlete).legs):
        workout = leg.workout(athlete.goal_name, expected_s(leg, athlete))
        session = session_of(athlete, day, workout, hour=hour)
        session = replace(session, started_s=started_s(day, hour), stops=(), pauses=())
        session = _over_the_distance(session, leg.metres)
        yield session, _caption(athlete, day, races_before, at)
        hour += session.cells * CELL_S / 3600 + _BETWEEN_LEGS_H


def _caption(athlete: DemoAthlete, day: Day, races_before: int, at: int) -> Caption:
    legs = race_of(athlete).legs
    is_whole = len(legs) == 1
    return Caption(
        id=new_id("act", athlete.lot, day.day, "race", at),
        utc_offset_min=day.utc_offset_min(),
        group_id=None if is_whole else new_id("grp", athlete.lot, day.day),
        name=athlete.goal_name,
        description="Race report on the phone." if at == 0 else None,
        race_type=_race_type(legs[at], day.place.ground, races_before if is_whole else 0),
        stimulus=TrainingStimulus.RACE,
        rpe=10,
        feeling=4,
        summary="Race effort from start to finish.",
    )


def _race_type(leg: RaceLeg, ground: Ground, at: int) -> RaceType | None:
    """The type of the race; every second time trial is one of teams."""
    kind = PRACTICES[leg.practice]
    if kind.mover is Mover.NOTHING or (kind.mover is Mover.STROKES and kind.shape is None):
        return None  # indoors no ground is flat or hilly
    if kind.sub_sport is SubSport.TIME_TRIAL:
        return RaceType.TEAM_TIME_TRIAL if at % 2 else RaceType.TIME_TRIAL
    return _BY_GROUND[ground]


def _over_the_distance(session: SimulatedSession, metres: float) -> SimulatedSession:
    """The session, as long as the distance takes; unchanged without a distance."""
    for _ in range(_PASSES if metres else 0):
        covered_m = simulate(session).distance_m
        assert covered_m is not None
        share = metres / float(covered_m[-1])
        done = tuple(
            replace(part, duration_s=whole_cells_s(part.duration_s * share)) for part in session.done
        )
        session = replace(session, done=done)
    return session
