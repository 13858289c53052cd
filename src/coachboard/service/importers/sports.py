"""Sports of FIT, TCX and GPX files under the names of the interface."""

import re

from coachboard.wire.enums import Sport, StrokeType, SubSport

_TCX_SPORTS = {
    "biking": (Sport.CYCLING, None),
    "running": (Sport.RUNNING, None),
    "swimming": (Sport.SWIMMING, None),
    "walking": (Sport.WALKING, None),
    "hiking": (Sport.HIKING, None),
    "rowing": (Sport.ROWING, None),
    "multisport": (Sport.MULTISPORT, None),
    "transition": (Sport.TRANSITION, None),
}
_GPX_TYPES = {
    # Strava's codes.
    "1": (Sport.CYCLING, None),
    "4": (Sport.HIKING, None),
    "9": (Sport.RUNNING, None),
    "10": (Sport.WALKING, None),
    "16": (Sport.SWIMMING, None),
    # Names of Garmin Connect, Komoot, RideWithGPS and others.
    "biking": (Sport.CYCLING, None),
    "bike": (Sport.CYCLING, None),
    "ride": (Sport.CYCLING, None),
    "cyclisme": (Sport.CYCLING, None),
    "road_biking": (Sport.CYCLING, SubSport.ROAD),
    "racebike": (Sport.CYCLING, SubSport.ROAD),
    "mountain_biking": (Sport.CYCLING, SubSport.MOUNTAIN),
    "mtb": (Sport.CYCLING, SubSport.MOUNTAIN),
    "gravel_cycling": (Sport.CYCLING, SubSport.GRAVEL_CYCLING),
    "indoor_cycling": (Sport.CYCLING, SubSport.INDOOR_CYCLING),
    "virtual_ride": (Sport.CYCLING, SubSport.VIRTUAL_ACTIVITY),
    "virtualride": (Sport.CYCLING, SubSport.VIRTUAL_ACTIVITY),
    "virtual_cycling": (Sport.CYCLING, SubSport.VIRTUAL_ACTIVITY),
    "virtual_run": (Sport.RUNNING, SubSport.VIRTUAL_ACTIVITY),
    "virtualrun": (Sport.RUNNING, SubSport.VIRTUAL_ACTIVITY),
    "virtual_running": (Sport.RUNNING, SubSport.VIRTUAL_ACTIVITY),
    "virtual_row": (Sport.ROWING, SubSport.VIRTUAL_ACTIVITY),
    "virtualrow": (Sport.ROWING, SubSport.VIRTUAL_ACTIVITY),
    "run": (Sport.RUNNING, None),
    "jogging": (Sport.RUNNING, None),
    "trail_running": (Sport.RUNNING, SubSport.TRAIL),
    "treadmill": (Sport.RUNNING, SubSport.TREADMILL),
    "indoor_running": (Sport.RUNNING, SubSport.INDOOR_RUNNING),
    "treadmill_running": (Sport.RUNNING, SubSport.TREADMILL),
    "track_running": (Sport.RUNNING, SubSport.TRACK),
    "hike": (Sport.HIKING, None),
    "walk": (Sport.WALKING, None),
    "open_water_swimming": (Sport.SWIMMING, SubSport.OPEN_WATER),
    "lap_swimming": (Sport.SWIMMING, SubSport.LAP_SWIMMING),
    "swim": (Sport.SWIMMING, None),
    "cross_country_skiing": (Sport.CROSS_COUNTRY_SKIING, None),
    # Names of Strava's list.
    "weight_training": (Sport.TRAINING, SubSport.STRENGTH_TRAINING),
    "workout": (Sport.TRAINING, None),
    "crossfit": (Sport.TRAINING, None),
    "yoga": (Sport.TRAINING, SubSport.YOGA),
    "e_bike_ride": (Sport.E_BIKING, None),
    "e_mountain_bike_ride": (Sport.E_BIKING, SubSport.E_BIKE_MOUNTAIN),
    "gravel_ride": (Sport.CYCLING, SubSport.GRAVEL_CYCLING),
    "mountain_bike_ride": (Sport.CYCLING, SubSport.MOUNTAIN),
    "handcycle": (Sport.CYCLING, SubSport.HAND_CYCLING),
    "trail_run": (Sport.RUNNING, SubSport.TRAIL),
    "nordic_ski": (Sport.CROSS_COUNTRY_SKIING, None),
    "roller_ski": (Sport.CROSS_COUNTRY_SKIING, None),
    "alpine_ski": (Sport.ALPINE_SKIING, None),
    "backcountry_ski": (Sport.ALPINE_SKIING, SubSport.BACKCOUNTRY),
    "snowboard": (Sport.SNOWBOARDING, None),
    "snowshoe": (Sport.SNOWSHOEING, None),
    "ice_skate": (Sport.ICE_SKATING, None),
    "inline_skate": (Sport.INLINE_SKATING, None),
    "elliptical": (Sport.FITNESS_EQUIPMENT, SubSport.ELLIPTICAL),
    "stair_stepper": (Sport.FITNESS_EQUIPMENT, SubSport.STAIR_CLIMBING),
    "high_intensity_interval_training": (Sport.HIIT, None),
    "pilates": (Sport.TRAINING, SubSport.PILATES),
    "stand_up_paddling": (Sport.STAND_UP_PADDLEBOARDING, None),
    "sail": (Sport.SAILING, None),
    "windsurf": (Sport.WINDSURFING, None),
    "kitesurf": (Sport.KITESURFING, None),
}
_SPORT_NAMES = frozenset(Sport)
_SUB_SPORT_NAMES = frozenset(SubSport)
_STROKES = frozenset(StrokeType)

ON_FOOT = frozenset({Sport.RUNNING, Sport.WALKING, Sport.HIKING})
"""Their cadence is strides a minute."""

WITHOUT_PLACE = frozenset(
    {
        SubSport.VIRTUAL_ACTIVITY,
        SubSport.TREADMILL,
        SubSport.SPIN,
        SubSport.ELLIPTICAL,
        SubSport.STAIR_CLIMBING,
    }
    | {sub_sport for sub_sport in SubSport if sub_sport.startswith("indoor")}
)
"""Indoors a position is a game's or a film's."""


_GAMES = ("zwift", "rouvy", "virtualtraining", "bkool", "mywhoosh", "fulgaz", "onelap", "sufferfest")
"""Parts of the names of programs that record indoor sessions only; the FIT profile calls Rouvy `virtualtraining`."""


def played(sub_sport: SubSport | None, program: str | None) -> SubSport | None:
    """The sub-sport of a session that the program wrote: one of a game is virtual also where the file does not say so."""
    is_game = any(name in (program or "").lower() for name in _GAMES)
    return SubSport.VIRTUAL_ACTIVITY if is_game and sub_sport not in WITHOUT_PLACE else sub_sport


def fit_sport(name: object) -> Sport | None:
    """A sport of the FIT profile; the interface uses the same names, joined differently."""
    joined = _camel(name)
    return Sport(joined) if joined in _SPORT_NAMES else None


def fit_sub_sport(name: object) -> SubSport | None:
    joined = _camel(name)
    return SubSport(joined) if joined in _SUB_SPORT_NAMES else None


def fit_stroke(name: object) -> StrokeType | None:
    joined = _camel(name)
    return StrokeType(joined) if joined in _STROKES else None


def tcx_sport(name: str | None) -> tuple[Sport | None, SubSport | None]:
    """A sport of a TCX file; its schema has Running, Biking and Other, programs write more."""
    return _TCX_SPORTS.get((name or "").strip().lower()) or gpx_sport(name)


def gpx_sport(text: str | None) -> tuple[Sport | None, SubSport | None]:
    """A sport from the free text of a GPX track's type; an unknown text gives no sport."""
    key = re.sub(r"[\s\-]+", "_", (text or "").strip().lower())
    return _GPX_TYPES.get(key, (fit_sport(key), None))


def _camel(name: object) -> str | None:
    if not isinstance(name, str):
        return None
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
