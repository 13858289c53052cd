"""Each sport's practice: what moves the body, how evenly, how it is recorded."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from coachboard.models.enums import Sport, SubSport
from coachboard_demo.routes import Shape


class Mover(StrEnum):
    """What turns effort into speed."""

    WHEELS = "wheels"
    FEET = "feet"
    STROKES = "strokes"  # no grade: water, or a machine
    LENGTHS = "lengths"  # a pool
    NOTHING = "nothing"  # a gym: the heart alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice:
    """How one kind of session behaves; the numbers are read off the real recordings of its kind.

    Seconds differ less than their spread would tell, as devices smooth: the median step from one second to the next
    is 4 to 7 % of the mean power and 0.6 to 1.7 % of the mean speed on road rides, 0.4 and 0.4 % on runs.
    """

    sport: Sport
    sub_sport: SubSport | None
    mover: Mover
    shape: Shape | None = Shape.LOOP  # no shape: indoors, no GPS
    ripple: float = 0.06  # relative deviation from one five-second cell to the next
    detail: float = 0.05  # relative deviation of the seconds inside a cell
    jitter: float = 0.02  # the same of speed: satellites, wheels and strokes
    off_line_m: float = 2.2  # how far the positions of single seconds stray: satellites, arms under water
    heart_share: float = 1.0  # of an effort: lying in water the heart beats ten or so fewer
    heart_slow_share: float = 0.24  # of an effort that the heart answers within minutes only
    least_effort: float = 0.0  # for the heart: who rolls downhill still steers, stands and braces
    pieces_differ: float = 0.09  # relative deviation of an even session's pieces of some minutes
    surges: float = (
        0.0  # relative effort added, at most, when pedalling begins again: out of corners, over crests
    )
    kick: float = 0.05  # of a jump in effort, that much more of it at first
    recovers: float = 0.08  # as ripple, between two efforts
    keeps_time: bool = False  # outdoors, by the clock rather than from hill to hill
    is_driven: bool = False  # a belt: it goes at the speed that was set
    rough: float = (
        0.0  # relative deviation of the speed along the way: rocks, roots, and runs of smooth ground
    )
    shaken: float = 0.1  # how far each step, stroke and stone shakes a strap
    satellites: float = 0.0  # relative error of the speed where it is theirs, under trees and between houses
    coasting: float = 0.0  # share of the time without pedalling
    follows_grade: float = 0.0  # relative effort added a percent of grade
    steeper: float = 1.0  # than roads are: the grade that 2 % of the ways exceed
    stops_an_hour: float = 0.0
    stands_s: float = 7.0  # at half of the stops for longer
    rests: float = 0.0  # share of the sessions with one long rest
    pauses_itself: float = 0.0  # share of the devices that are set to
    drag_area_m2: float = 0.33
    rolling: float = 0.005
    top_mps: float = 19.0
    sideways_mps2: float = 3.0  # dared in corners
    uphill: float = 0.75
    walks_from_pct: float | None = None  # grade at which a runner walks half of the time
    speed_share: float = 1.0  # of the critical speed that effort 1 gives here
    effort_share: float = 1.0  # of the planned effort that is made of it: nobody walks at threshold
    inertia_s: float = 18.0
    evened_s: float = 0.0  # over which speed changes, where a point of the way takes long
    cadence_rpm: float | None = 88.0
    lifts_rpm: float = 0.0  # strokes a minute more in a race than when rowing easily
    uncounted: float = 0.0  # share of the time walking in which a watch counts no step
    has_power: bool = True
    is_bare: bool = False  # nobody wears a strap: it slips at the turns of a pool, and chafes on a bench

    @property
    def has_altitude(self) -> bool:
        """Whether a device notes heights: no watch does under water."""
        return self.shape is not None and self.sport is not Sport.SWIMMING


# Five minutes of the recorded outdoor rides deviate by 10 to 36 % in power and by 5 to 15 beats: less than two thirds of
# what repetitions of the same height do.
_OUTDOORS = 0.5

_ride = partial(
    Practice,
    sport=Sport.CYCLING,
    mover=Mover.WHEELS,
    least_effort=0.3,
    stands_s=20.0,
    pauses_itself=0.5,
    inertia_s=32.0,  # 80 kg at 8 m/s have lost two thirds of a surplus of speed after so long
)
_run = partial(
    Practice,
    sport=Sport.RUNNING,
    mover=Mover.FEET,
    cadence_rpm=86.0,
    top_mps=7.5,
    inertia_s=6.0,
    uncounted=0.15,
    pieces_differ=0.03,
    kick=0.14,
    recovers=0.16,
)

PRACTICES: Mapping[str, Practice] = {
    "road": _ride(
        surges=2.8,
        sub_sport=SubSport.ROAD,
        heart_slow_share=_OUTDOORS,
        ripple=0.13,
        detail=0.09,
        coasting=0.15,
        follows_grade=0.045,
        stops_an_hour=4.5,
        jitter=0.012,
    ),
    "bunch": _ride(
        surges=2.8,
        sub_sport=SubSport.ROAD,
        heart_slow_share=_OUTDOORS,
        ripple=0.42,
        detail=0.14,
        coasting=0.16,
        follows_grade=0.06,
        stops_an_hour=0.4,
        drag_area_m2=0.24,
        jitter=0.012,
    ),
    "time trial": _ride(
        sub_sport=SubSport.TIME_TRIAL,
        pieces_differ=0.05,
        ripple=0.06,
        detail=0.05,
        coasting=0.01,
        follows_grade=0.03,
        drag_area_m2=0.23,
        sideways_mps2=4.0,
        jitter=0.01,
    ),
    "gravel": _ride(
        surges=1.8,
        sub_sport=SubSport.GRAVEL_CYCLING,
        heart_slow_share=_OUTDOORS,
        ripple=0.26,
        detail=0.12,
        coasting=0.11,
        follows_grade=0.045,
        stops_an_hour=4.0,
        drag_area_m2=0.37,
        rolling=0.012,
        top_mps=15.0,
        cadence_rpm=83.0,
        jitter=0.016,
    ),
    "mountain bike": _ride(
        surges=0.7,
        sub_sport=SubSport.MOUNTAIN,
        heart_slow_share=0.32,
        heart_share=0.86,
        steeper=1.7,
        ripple=0.26,
        detail=0.2,
        least_effort=0.4,
        coasting=0.18,
        follows_grade=0.065,
        rough=0.34,
        shaken=0.65,
        stops_an_hour=20.0,
        stands_s=22.0,
        rests=0.7,
        pauses_itself=0.1,
        drag_area_m2=0.46,
        rolling=0.058,
        top_mps=9.0,
        sideways_mps2=1.1,
        inertia_s=6.0,  # rocks and roots eat what is left of it
        cadence_rpm=78.0,
        jitter=0.05,
    ),
    "trainer": _ride(
        sub_sport=SubSport.INDOOR_CYCLING,
        pieces_differ=0.04,
        shape=None,
        ripple=0.03,
        detail=0.06,
        inertia_s=2.5,
        cadence_rpm=90.0,
        jitter=0.015,
        recovers=0.12,
    ),
    "velodrome": _ride(
        sub_sport=SubSport.TRACK_CYCLING,
        shape=None,
        ripple=0.08,
        detail=0.05,
        coasting=0.0,
        drag_area_m2=0.22,
        rolling=0.002,
        cadence_rpm=104.0,
        jitter=0.005,
    ),
    "hand cycle": _ride(
        surges=0.8,
        sub_sport=SubSport.HAND_CYCLING,
        ripple=0.12,
        detail=0.07,
        coasting=0.05,
        follows_grade=0.03,
        stops_an_hour=1.0,
        drag_area_m2=0.27,
        cadence_rpm=82.0,
        jitter=0.012,
    ),
    "run": _run(
        keeps_time=True,
        follows_grade=0.028,
        uphill=0.66,
        sub_sport=SubSport.STREET,
        ripple=0.022,
        detail=0.008,
        stops_an_hour=3.5,
        jitter=0.006,
        satellites=0.02,
    ),
    "trail": _run(
        satellites=0.02,
        sub_sport=SubSport.TRAIL,
        steeper=2.3,
        ripple=0.045,
        detail=0.02,
        follows_grade=0.042,
        least_effort=0.66,
        heart_share=1.07,
        heart_slow_share=0.3,
        stops_an_hour=3.4,
        stands_s=19.0,
        rests=0.3,
        uphill=0.92,
        walks_from_pct=9.6,
        uncounted=0.25,
        evened_s=10.0,
        speed_share=0.88,
        jitter=0.024,
    ),
    "track": _run(
        sub_sport=SubSport.TRACK,
        shape=Shape.TRACK,
        ripple=0.018,
        detail=0.008,
        stops_an_hour=7.0,
        jitter=0.006,
        inertia_s=1.5,
        satellites=0.025,
    ),
    "treadmill": _run(
        sub_sport=SubSport.TREADMILL,
        shape=None,
        ripple=0.005,
        detail=0.004,
        jitter=0.004,
        recovers=0.0,
        is_driven=True,
        kick=0.0,
        pieces_differ=0.02,
        inertia_s=8.0,
        stops_an_hour=1.2,
    ),
    "walk": Practice(
        satellites=0.02,
        sport=Sport.WALKING,
        sub_sport=SubSport.CASUAL_WALKING,
        mover=Mover.FEET,
        ripple=0.05,
        detail=0.02,
        stops_an_hour=8.0,
        uphill=0.5,
        top_mps=2.2,
        inertia_s=5.0,
        cadence_rpm=55.0,
        speed_share=1.3,
        has_power=False,
        effort_share=0.55,
        evened_s=15.0,
        jitter=0.016,
    ),
    "hike": Practice(
        satellites=0.02,
        sport=Sport.HIKING,
        sub_sport=None,
        steeper=1.7,
        mover=Mover.FEET,
        ripple=0.1,
        detail=0.02,
        stops_an_hour=13.0,
        stands_s=19.0,
        rests=0.6,
        uphill=0.55,
        top_mps=1.5,
        inertia_s=5.0,
        cadence_rpm=52.0,
        speed_share=0.68,
        uncounted=0.2,
        evened_s=15.0,
        has_power=False,
        effort_share=0.85,
        jitter=0.016,
    ),
    "pool": Practice(
        sport=Sport.SWIMMING,
        sub_sport=SubSport.LAP_SWIMMING,
        mover=Mover.LENGTHS,
        shape=None,
        ripple=0.02,
        heart_share=0.88,
        is_bare=True,
        has_power=False,
    ),
    "open water": Practice(
        sport=Sport.SWIMMING,
        sub_sport=SubSport.OPEN_WATER,
        mover=Mover.STROKES,
        shape=Shape.LAKE,
        ripple=0.2,
        detail=0.05,
        cadence_rpm=30.0,
        inertia_s=8.0,
        heart_share=0.88,
        evened_s=20.0,
        sideways_mps2=0.012,
        has_power=False,
        stops_an_hour=5.0,
        jitter=0.021,
        off_line_m=10.0,
    ),
    "water rowing": Practice(
        sport=Sport.ROWING,
        sub_sport=None,
        mover=Mover.STROKES,
        shape=Shape.RIVER,
        ripple=0.05,
        detail=0.02,
        cadence_rpm=18.5,
        lifts_rpm=14.0,
        kick=0.15,
        recovers=0.1,
        evened_s=10.0,
        stops_an_hour=3.0,
        has_power=False,
        jitter=0.012,
    ),
    "rowing machine": Practice(
        sport=Sport.FITNESS_EQUIPMENT,
        sub_sport=SubSport.INDOOR_ROWING,
        pieces_differ=0.03,
        mover=Mover.STROKES,
        shape=None,
        ripple=0.025,
        detail=0.012,
        cadence_rpm=17.5,
        lifts_rpm=14.0,
        inertia_s=1.0,
        kick=0.24,
        recovers=0.1,
        stops_an_hour=0.8,
        jitter=0.003,
    ),
    "skating": Practice(
        sport=Sport.CROSS_COUNTRY_SKIING,
        sub_sport=SubSport.SKATE_SKIING,
        mover=Mover.FEET,
        ripple=0.1,
        detail=0.03,
        follows_grade=0.02,
        uphill=0.8,
        speed_share=1.15,
        top_mps=13.0,
        cadence_rpm=42.0,
        has_power=False,
        jitter=0.009,
    ),
    "strength": Practice(
        sport=Sport.TRAINING,
        sub_sport=SubSport.STRENGTH_TRAINING,
        mover=Mover.NOTHING,
        shape=None,
        ripple=0.45,
        is_bare=True,
        cadence_rpm=None,
        has_power=False,
    ),
    "yoga": Practice(
        sport=Sport.TRAINING,
        sub_sport=SubSport.YOGA,
        mover=Mover.NOTHING,
        shape=None,
        ripple=0.15,
        is_bare=True,
        cadence_rpm=None,
        has_power=False,
    ),
    "changing": Practice(
        sport=Sport.TRANSITION,
        sub_sport=None,
        mover=Mover.NOTHING,
        shape=None,
        ripple=0.1,
        cadence_rpm=None,
        has_power=False,
    ),
}
