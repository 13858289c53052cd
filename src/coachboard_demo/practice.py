"""The table of practices: one record for each way to train, with the figures that shape its sessions."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import inf

from coachboard.wire.enums import Sport, SubSport
from coachboard_demo.routes import Shape


class Mover(StrEnum):
    """The body part or device that turns effort into speed."""

    WHEELS = "wheels"
    FEET = "feet"
    STROKES = "strokes"  # open water or a rowing machine: no grade
    LENGTHS = "lengths"  # a pool
    NOTHING = "nothing"  # a gym: heart rate only


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice:
    """The figures of one way to train, read off real recordings of it."""

    sport: Sport
    sub_sport: SubSport | None
    mover: Mover
    shape: Shape | None = Shape.LOOP  # None: indoors, no GPS
    ripple: float = 0.06  # relative deviation of effort from one cell to the next
    detail: float = 0.05  # relative deviation of power from one second to the next
    jitter: float = 0.01  # the same of speed
    coasting: float = 0.0  # share of the time without pedalling
    follows_grade: float = 0.0  # relative effort added per percent of grade
    steeper: float = 1.0  # grades against those of roads
    stops_an_hour: float = 0.0
    drag_area_m2: float = 0.33
    rolling: float = 0.005
    top_mps: float = 19.0
    speed_share: float = 1.0  # of critical speed at effort 1
    effort_share: float = 1.0  # of the planned effort: nobody walks at threshold
    road_share: float = 1.0  # speed against that of the same effort on a road
    cadence_rpm: float | None = 88.0
    cadence_gain_rpm: float = 6.0  # more at effort 1 than at effort 0.5
    has_power: bool = True
    longest_min: float = inf  # indoor sessions end after an hour or two


_ride = partial(Practice, sport=Sport.CYCLING, mover=Mover.WHEELS)
_run = partial(
    Practice, sport=Sport.RUNNING, mover=Mover.FEET, detail=0.01, cadence_rpm=81.0, cadence_gain_rpm=7.0, top_mps=7.5,
    jitter=0.02,
)  # fmt: skip
_walk = partial(
    Practice, mover=Mover.FEET, cadence_rpm=52.0, cadence_gain_rpm=4.0, has_power=False, jitter=0.02,
)  # fmt: skip
_gym = partial(
    Practice, sport=Sport.TRAINING, mover=Mover.NOTHING, shape=None, cadence_rpm=None, has_power=False, longest_min=120,
)  # fmt: skip

PRACTICES: Mapping[str, Practice] = {
    "road": _ride(
        sub_sport=SubSport.ROAD, ripple=0.13, detail=0.09, coasting=0.12, follows_grade=0.045, stops_an_hour=3,
    ),
    "bunch": _ride(
        sub_sport=SubSport.ROAD, ripple=0.38, detail=0.14, coasting=0.16, follows_grade=0.06, stops_an_hour=0.4,
        drag_area_m2=0.24, road_share=1.12,
    ),
    "time trial": _ride(
        sub_sport=SubSport.TIME_TRIAL, coasting=0.01, follows_grade=0.03, drag_area_m2=0.23,
    ),
    "gravel": _ride(
        sub_sport=SubSport.GRAVEL_CYCLING, ripple=0.26, detail=0.12, coasting=0.11, follows_grade=0.045, stops_an_hour=4,
        drag_area_m2=0.37, rolling=0.012, top_mps=15.0, cadence_rpm=83.0,
    ),
    "mountain bike": _ride(
        sub_sport=SubSport.MOUNTAIN, ripple=0.3, detail=0.2, coasting=0.18, follows_grade=0.065, steeper=1.7,
        stops_an_hour=12, drag_area_m2=0.46, rolling=0.058, top_mps=9.0, cadence_rpm=78.0, road_share=0.46, jitter=0.05,
    ),
    "trainer": _ride(
        sub_sport=SubSport.INDOOR_CYCLING, shape=None, ripple=0.03, cadence_rpm=90.0, longest_min=90,
    ),
    "velodrome": _ride(
        sub_sport=SubSport.TRACK_CYCLING, shape=None, ripple=0.08, drag_area_m2=0.22, rolling=0.002, cadence_rpm=104.0, road_share=1.22,
        longest_min=120,
    ),
    "hand cycle": _ride(
        sub_sport=SubSport.HAND_CYCLING, ripple=0.12, detail=0.07, coasting=0.05, follows_grade=0.03, stops_an_hour=1,
        drag_area_m2=0.27, cadence_rpm=82.0, road_share=1.1,
    ),
    "run": _run(sub_sport=SubSport.STREET, ripple=0.022, follows_grade=0.02, stops_an_hour=2.5),
    "trail": _run(
        sub_sport=SubSport.TRAIL, steeper=2.3, ripple=0.045, detail=0.02, follows_grade=0.03, stops_an_hour=3,
        road_share=0.88, speed_share=0.88,
    ),
    "track": _run(sub_sport=SubSport.TRACK, shape=Shape.TRACK, ripple=0.018),
    "treadmill": _run(sub_sport=SubSport.TREADMILL, shape=None, ripple=0.005, jitter=0.004, longest_min=75),
    "walk": _walk(
        sport=Sport.WALKING, sub_sport=SubSport.CASUAL_WALKING, ripple=0.05, stops_an_hour=5, top_mps=2.2, speed_share=1.3,
        effort_share=0.55,
    ),
    "hike": _walk(
        sport=Sport.HIKING, sub_sport=None, steeper=1.7, ripple=0.1, stops_an_hour=8, top_mps=1.7, speed_share=0.68,
        effort_share=0.85,
    ),
    "pool": Practice(
        sport=Sport.SWIMMING, sub_sport=SubSport.LAP_SWIMMING, mover=Mover.LENGTHS, shape=None,
        has_power=False, longest_min=120,
    ),
    "open water": Practice(
        sport=Sport.SWIMMING, sub_sport=SubSport.OPEN_WATER, mover=Mover.STROKES, shape=Shape.LAKE, ripple=0.05,
        cadence_rpm=30.0, cadence_gain_rpm=3.0, has_power=False, jitter=0.04,
    ),
    "water rowing": Practice(
        sport=Sport.ROWING, sub_sport=None, mover=Mover.STROKES, shape=Shape.LAKE, ripple=0.05, cadence_rpm=18.5,
        stops_an_hour=3, has_power=False,
    ),
    "rowing machine": Practice(
        sport=Sport.FITNESS_EQUIPMENT, sub_sport=SubSport.INDOOR_ROWING, mover=Mover.STROKES, shape=None, ripple=0.025,
        cadence_rpm=17.5, longest_min=120,
    ),
    "skating": Practice(
        sport=Sport.CROSS_COUNTRY_SKIING, sub_sport=SubSport.SKATE_SKIING, mover=Mover.FEET, ripple=0.1, follows_grade=0.02,
        speed_share=1.15, top_mps=13.0, cadence_rpm=42.0, cadence_gain_rpm=5.0, has_power=False,
    ),
    "strength": _gym(sub_sport=SubSport.STRENGTH_TRAINING, ripple=0.45),
    "yoga": _gym(sub_sport=SubSport.YOGA, ripple=0.15),
    "changing": Practice(
        sport=Sport.TRANSITION, sub_sport=None, mover=Mover.NOTHING, shape=None, cadence_rpm=None, has_power=False,
    ),
}  # fmt: skip
