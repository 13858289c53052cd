"""Race days: what is raced on the goals, over which distance; a triathlon in legs of one group."""

from collections.abc import Mapping
from dataclasses import dataclass

from coachboard.models.enums import RaceType, Sport, StepLabel, SubSport, TrainingStimulus
from coachboard_demo.athlete import Athlete
from coachboard_demo.practice import PRACTICES, Mover
from coachboard_demo.terrain import Ground
from coachboard_demo.workouts import Part, Step, Workout

_BY_GROUND = {
    Ground.FLAT: RaceType.FLAT,
    Ground.ROLLING: RaceType.FLAT,
    Ground.HILLY: RaceType.HILLY,
    Ground.MOUNTAIN: RaceType.MOUNTAIN,
}
_ROUGH = {"mountain bike": 0.43, "trail": 0.88, "velodrome": 1.22}
"""Speed there against that of the same effort on a road."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One recorded part of a race: over a distance, or for some minutes."""

    practice: str
    low: float
    high: float
    metres: int = 0
    minutes: float = 0.0
    label: str = ""

    @property
    def effort(self) -> float:
        """What is aimed at, against the threshold."""
        return (self.low + self.high) / 2

    def workout(self, name: str, seconds: float) -> Workout:
        """The leg as something to be done in so many seconds."""
        parts: tuple[Part, ...] = (Step(StepLabel.ACTIVE, self.low, self.high, round(seconds)),)
        return Workout(name, TrainingStimulus.RACE, parts, None, 9, practice=self.practice, label=self.label)


@dataclass(frozen=True, slots=True)
class Race:
    """What is raced, and what the calendar says of it."""

    sport: Sport
    sub_sport: SubSport | None
    legs: tuple[Leg, ...]
    carbs: int | None = None  # g an hour
    has_targets: bool = True  # of time, climb and work; who races for the first time has none

    @property
    def metres(self) -> int:
        """The distance of all legs."""
        return sum(leg.metres for leg in self.legs)


_CHANGE = Leg("changing", 0.5, 0.6, minutes=2.5)


def _road(metres: int, low: float = 0.74, high: float = 0.82) -> Race:
    return Race(Sport.CYCLING, SubSport.ROAD, (Leg("bunch", low, high, metres, label="dynamic"),), 90)


def _triathlon(swim: Leg, ride: Leg, run: Leg, carbs: int | None) -> Race:
    return Race(Sport.MULTISPORT, SubSport.TRIATHLON, (swim, _CHANGE, ride, _CHANGE, run), carbs)


RACES: Mapping[str, Race] = {
    "road": _road(108_000),
    "masters road": _road(72_000),
    "time trial": Race(Sport.CYCLING, SubSport.TIME_TRIAL, (Leg("time trial", 0.98, 1.03, 25_000),)),
    "mountain bike": Race(
        Sport.CYCLING, SubSport.MOUNTAIN, (Leg("mountain bike", 0.84, 0.9, 20_000, label="dynamic"),), 80
    ),
    "track": Race(Sport.CYCLING, SubSport.TRACK_CYCLING, (Leg("velodrome", 1.1, 1.16, 4_000),)),
    "hand cycle": Race(
        Sport.CYCLING, SubSport.HAND_CYCLING, (Leg("hand cycle", 0.86, 0.92, 45_000, label="dynamic"),), 60
    ),
    "marathon": Race(Sport.RUNNING, SubSport.STREET, (Leg("run", 0.9, 0.93, 42_195),), 75),
    "half marathon": Race(Sport.RUNNING, SubSport.STREET, (Leg("run", 0.94, 0.97, 21_098),), 45),
    "1500 m": Race(Sport.RUNNING, SubSport.TRACK, (Leg("track", 1.16, 1.2, 1_500),)),
    "10 km": Race(Sport.RUNNING, None, (Leg("run", 0.86, 0.92, 10_000),), has_targets=False),
    "trail run": Race(Sport.RUNNING, SubSport.ULTRA, (Leg("trail", 0.66, 0.72, 50_000),), 60),
    "triathlon": _triathlon(
        Leg("open water", 0.9, 0.94, 3_800), Leg("time trial", 0.7, 0.75, 180_000), Leg("run", 0.76, 0.8, 42_200), 85
    ),
    "middle distance": _triathlon(
        Leg("open water", 0.95, 0.98, 1_900), Leg("time trial", 0.76, 0.82, 90_000), Leg("run", 0.82, 0.86, 21_100), 75
    ),
    "sprint triathlon": _triathlon(
        Leg("open water", 1.0, 1.04, 750), Leg("time trial", 0.95, 1.0, 20_000), Leg("run", 0.98, 1.02, 5_000), None
    ),
    "swim": Race(Sport.SWIMMING, SubSport.OPEN_WATER, (Leg("open water", 0.98, 1.0, 2_000),)),
    "rowing": Race(
        Sport.FITNESS_EQUIPMENT, SubSport.INDOOR_ROWING, (Leg("rowing machine", 1.12, 1.16, 2_000),)
    ),
    "skiing": Race(Sport.CROSS_COUNTRY_SKIING, SubSport.SKATE_SKIING, (Leg("skating", 0.86, 0.92, 36_000),), 60),
}  # fmt: skip


def race_of(athlete: Athlete) -> Race:
    """What the athlete races."""
    return RACES[athlete.race or athlete.discipline]


def expected_s(leg: Leg, athlete: Athlete) -> float:
    """About how long the athlete takes for a leg."""
    if not leg.metres:
        return leg.minutes * 60
    kind = PRACTICES[leg.practice]
    effort = leg.effort * kind.effort_share
    rough = _ROUGH.get(leg.practice, 1.0)
    if kind.mover is Mover.WHEELS:
        return leg.metres / (8.0 * float((effort * athlete.power_w / 160) ** 0.45) * rough)
    speed = athlete.swim_mps if kind.sport is Sport.SWIMMING else athlete.run_mps
    return leg.metres / (speed * kind.speed_share * effort * rough)


def race_type(leg: Leg, ground: Ground, at: int) -> RaceType | None:
    """What kind of race it was; every second time trial is one of teams."""
    kind = PRACTICES[leg.practice]
    if leg.practice == "changing" or (kind.mover is Mover.STROKES and kind.shape is None):
        return None  # no ground that could be flat
    if kind.sub_sport is SubSport.TIME_TRIAL and not at % 2:
        return RaceType.TIME_TRIAL
    return RaceType.TEAM_TIME_TRIAL if kind.sub_sport is SubSport.TIME_TRIAL else _BY_GROUND[ground]
