"""The texts of athletes, coaches and the service: titles, comments, ratings, summaries."""

from datetime import date

from coachboard.wire.enums import Sport
from coachboard_demo.chance import lots, pick
from coachboard_demo.execution import Outcome
from coachboard_demo.outing import Day
from coachboard_demo.session import SimulatedSession
from coachboard_demo.squad import DemoAthlete
from coachboard_demo.summary import Caption
from coachboard_demo.workouts import WorkoutPlan

_NOUNS = {
    Sport.CYCLING: "ride", Sport.RUNNING: "run", Sport.SWIMMING: "swim", Sport.TRAINING: "gym", Sport.ROWING: "row",
    Sport.FITNESS_EQUIPMENT: "row", Sport.CROSS_COUNTRY_SKIING: "ski", Sport.WALKING: "walk", Sport.HIKING: "hike",
}  # fmt: skip
_DAY_PARTS = ((11, "Morning"), (14, "Lunch"), (17, "Afternoon"), (24, "Evening"))
"""The hour before which a session has this title on the device that records it."""
_DESCRIPTIONS = (
    "Felt good, kept the lid on.", "Slept badly, felt it from the first minute.",
    "Company from the club, a bit faster than planned.", "Work in the head, got going late.", "Legs heavy until halfway.", "Numbers better than the feeling.",
)  # fmt: skip
_DONE_COMMENTS = (
    "Well executed.",
    "Good pacing on the last one.",
    "Easy days easy, please.",
    "Numbers as expected.",
)
_MISSED_COMMENTS = ("Work ran late.", "Sick child, no way.", "Storm warning, stayed in.")
_WHOLE = 0.8  # share of a session


def caption_of(
    activity_id: str,
    day: Day,
    *,
    athlete: DemoAthlete,
    workout: WorkoutPlan,
    session: SimulatedSession,
    share: float,
) -> Caption:
    """The words and ratings of a session."""
    by_device = device_title(session.kind.sport, (session.started_s // 60 + day.utc_offset_min()) // 60 % 24)
    drawn = lots("remarks", athlete.lot, activity_id)
    strained = 1 if drawn[0] > 0.8 else 0
    is_rated = drawn[1] < 0.7 or day.drained > 0  # an athlete who feels weak says so
    feeling = round(3.6 - strained * 1.4 + drawn[4] * 1.2 - (0.8 if share < _WHOLE else 0) - day.drained)
    return Caption(
        id=activity_id,
        utc_offset_min=day.utc_offset_min(),
        stimulus=workout.stimulus,
        name=workout.title if workout.title and drawn[2] < 0.75 else by_device,
        description=pick(_DESCRIPTIONS, drawn[3]) if drawn[2] < 0.16 else None,
        rpe=min(10, max(1, workout.rpe + strained)) if is_rated else None,
        feeling=min(5, max(1, feeling)) if is_rated else None,
        summary=summary(workout, by_device, share) if drawn[0] < 0.35 else None,
    )


def device_title(sport: Sport, hour: int) -> str:
    """`Morning ride`, from the local hour of the start."""
    return f"{next(part for before, part in _DAY_PARTS if hour < before)} {_NOUNS.get(sport, 'session')}"


def summary(workout: WorkoutPlan, by_device: str, share: float) -> str:
    what = workout.title or by_device
    if share < _WHOLE:
        # No percentage: 51 % of the elapsed time contradicted the page's 50 % of the moving time.
        return f"{what}, ended early."
    return f"{what}, completed. Effort stayed within the planned range for most of the session."


def comment(athlete: DemoAthlete, day: date, outcome: Outcome, *, is_done: bool) -> str | None:
    """The comment of the coach or the athlete under a planned session; most have none."""
    drawn, which, *_ = lots("comment", athlete.lot, day)
    if drawn > 0.3:
        return None
    if outcome is Outcome.MISSED and not is_done:
        return pick(_MISSED_COMMENTS, which)
    return pick(_DONE_COMMENTS, which) if is_done else None
