"""Race days: what each discipline races on its goals, a triathlon in legs of one group."""

from collections.abc import Mapping
from dataclasses import dataclass

from coachboard.models.enums import RaceType, StepLabel, TrainingStimulus
from coachboard.service.demo.terrain import Ground
from coachboard.service.demo.workouts import Part, Step, Workout

_BY_GROUND = {
    Ground.FLAT: RaceType.FLAT,
    Ground.ROLLING: RaceType.FLAT,
    Ground.HILLY: RaceType.HILLY,
    Ground.MOUNTAIN: RaceType.MOUNTAIN,
}


@dataclass(frozen=True, slots=True)
class Leg:
    """One recorded part of a race."""

    practice: str
    low: float
    high: float
    minutes: float
    label: str = ""

    def workout(self, name: str) -> Workout:
        """The leg as something to be done."""
        parts: tuple[Part, ...] = (Step(StepLabel.ACTIVE, self.low, self.high, round(self.minutes * 60)),)
        return Workout(name, TrainingStimulus.RACE, parts, None, 9, practice=self.practice, label=self.label)


_CHANGE = Leg("changing", 0.5, 0.6, 2.5)
_TIME_TRIAL = (Leg("time trial", 0.98, 1.03, 38),)

LEGS: Mapping[str, tuple[Leg, ...]] = {
    "road": (Leg("bunch", 0.72, 0.8, 200, "dynamic"),),
    "time trial": _TIME_TRIAL,
    "mountain bike": (Leg("mountain bike", 0.84, 0.9, 85, "dynamic"),),
    "track": (Leg("velodrome", 1.06, 1.1, 5),),
    "hand cycle": (Leg("hand cycle", 0.86, 0.92, 92, "dynamic"),),
    "road run": (Leg("run", 0.9, 0.93, 150),),
    "trail run": (Leg("trail", 0.66, 0.72, 420),),
    "triathlon": (
        Leg("open water", 0.95, 0.98, 31), _CHANGE, Leg("time trial", 0.76, 0.82, 150), _CHANGE, Leg("run", 0.84, 0.88, 88),
    ),
    "swim": (Leg("open water", 0.98, 1.0, 25),),
    "rowing": (Leg("rowing machine", 1.12, 1.16, 6.5),),
    "skiing": (Leg("skating", 0.86, 0.92, 125),),
    "beginner": (Leg("run", 0.86, 0.92, 62),),
}  # fmt: skip


def race_type(discipline: str, ground: Ground, at: int) -> RaceType:
    """What kind of race it was; every second time trial is one of teams."""
    if discipline == "time trial":
        return RaceType.TEAM_TIME_TRIAL if at % 2 else RaceType.TIME_TRIAL
    return _BY_GROUND[ground]
