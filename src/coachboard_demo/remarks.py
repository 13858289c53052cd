"""What athletes, coaches and the service write: titles, comments, ratings, summaries."""

from datetime import date

from coachboard.models.enums import Sport
from coachboard_demo.athlete import DemoAthlete
from coachboard_demo.chance import lots, pick
from coachboard_demo.execution import Outcome
from coachboard_demo.outing import Day
from coachboard_demo.practice import Practice
from coachboard_demo.summary import Caption
from coachboard_demo.workouts import WorkoutPlan

_DEVICE_TITLES = {
    Sport.CYCLING: "Ride", Sport.RUNNING: "Run", Sport.SWIMMING: "Swim", Sport.TRAINING: "Gym", Sport.ROWING: "Row",
    Sport.WALKING: "Walk", Sport.HIKING: "Hike",
}  # fmt: skip
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
_JUDGED_BY_PLAN = 0.8  # share of a session: the service judges a shorter one by what was done


def caption_of(
    activity_id: str, day: Day, *, athlete: DemoAthlete, workout: WorkoutPlan, kind: Practice, share: float
) -> Caption:
    """The words and ratings of a session."""
    drawn = lots("remarks", athlete.lot, activity_id)
    strained = 1 if drawn[0] > 0.8 else 0
    is_rated = drawn[1] < 0.7 or day.drained > 0  # an athlete who feels weak says so
    feeling = round(3.6 - strained * 1.4 + drawn[4] * 1.2 - (0.8 if share < 0.8 else 0) - day.drained)
    return Caption(
        id=activity_id,
        utc_offset_min=day.utc_offset_min(),
        stimulus=workout.stimulus if share > _JUDGED_BY_PLAN else None,
        name=_title(workout, kind, drawn[2]),
        description=pick(_DESCRIPTIONS, drawn[3]) if drawn[2] < 0.16 else None,
        rpe=min(10, max(1, workout.rpe + strained)) if is_rated else None,
        feeling=min(5, max(1, feeling)) if is_rated else None,
        summary=_summary(workout, kind, share) if drawn[0] < 0.35 else None,
    )


def _title(workout: WorkoutPlan, kind: Practice, drawn: float) -> str | None:
    if workout.title and drawn < 0.75:
        return workout.title
    return _DEVICE_TITLES.get(kind.sport, "Activity") if drawn < 0.97 else None


def _summary(workout: WorkoutPlan, kind: Practice, share: float) -> str:
    what = workout.title or _DEVICE_TITLES.get(kind.sport, "Activity")
    if share < 0.8:
        return (
            f"{what}, ended after {share * 100:.0f} % of the planned time. Effort until then was as planned."
        )
    return f"{what}, completed. Effort stayed within the planned range for most of the session."


def comment(athlete: DemoAthlete, day: date, outcome: Outcome, *, is_done: bool) -> str | None:
    """What the coach or the athlete wrote under a planned session, now and then."""
    drawn, which, *_ = lots("comment", athlete.lot, day)
    if drawn > 0.3:
        return None
    if outcome is Outcome.MISSED and not is_done:
        return pick(_MISSED_COMMENTS, which)
    return pick(_DONE_COMMENTS, which) if is_done else None
