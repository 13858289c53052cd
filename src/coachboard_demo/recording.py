"""Sessions become activities: what was computed of each is summed up as the service lists it."""

from collections.abc import Sequence
from dataclasses import dataclass

from coachboard.models.activities import Activity
from coachboard_demo.batch import Batch, batches
from coachboard_demo.session import Session
from coachboard_demo.simulation import simulate_all
from coachboard_demo.summary import Told, activities_of


@dataclass(frozen=True, slots=True)
class Outing:
    """A session and what is said of it."""

    session: Session
    told: Told


@dataclass(frozen=True, slots=True)
class Recorded:
    """An activity and what its streams are made of."""

    activity: Activity
    session: Session | None


def record(outings: Sequence[Outing]) -> list[Recorded]:
    """Record what was done, many sessions at one go; in the order they were handed in."""
    activities: dict[int, Activity] = {}
    for places in batches([outing.session for outing in outings]):
        batch = Batch(*(outings[at].session for at in places))
        told = [outings[at].told for at in places]
        activities.update(zip(places, activities_of(batch, simulate_all(batch), told), strict=True))
    return [Recorded(activities[at], outing.session) for at, outing in enumerate(outings)]
