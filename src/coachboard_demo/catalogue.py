"""Every workout by the name that the menus of the season use."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

from coachboard_demo import gym_workouts, ride_workouts, run_workouts, swim_workouts
from coachboard_demo.workouts import Workout

CATALOGUE: Mapping[str, Callable[[float], Workout]] = {
    "endurance": ride_workouts.endurance, "long": ride_workouts.long, "recovery": ride_workouts.recovery, "tempo": ride_workouts.tempo, "sweet spot": ride_workouts.sweet_spot,
    "threshold": ride_workouts.threshold, "over-unders": ride_workouts.over_unders, "vo2max": ride_workouts.vo2max, "30/15": ride_workouts.short_intervals,
    "anaerobic": ride_workouts.anaerobic, "sprints": ride_workouts.sprints, "low cadence": ride_workouts.low_cadence, "high cadence": ride_workouts.high_cadence,
    "openers": ride_workouts.openers, "test": ride_workouts.fitness_test, "progressive": ride_workouts.progressive, "heat": ride_workouts.heat, "group": ride_workouts.group,
    "by feel": ride_workouts.free_ride, "easy run": run_workouts.easy_run, "long run": run_workouts.long_run, "run tempo": run_workouts.run_tempo,
    "run reps": run_workouts.run_reps, "run short": run_workouts.run_short, "hills": run_workouts.hills, "strides": run_workouts.strides, "css": swim_workouts.css,
    "swim endurance": swim_workouts.swim_endurance, "technique": swim_workouts.technique, "swim sprints": swim_workouts.swim_sprints, "medley": swim_workouts.medley,
    "row pieces": gym_workouts.row_pieces, "gym": gym_workouts.gym, "mobility": gym_workouts.mobility,
}  # fmt: skip


@lru_cache(maxsize=8192)
def workout(name: str, minutes: int, practice: str | None = None) -> Workout:
    """The workout of that name for about so many minutes, moved onto a practice; one object for all who ask."""
    found = CATALOGUE[name](minutes)
    return replace(found, practice=practice) if practice else found
