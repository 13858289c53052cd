"""Workouts of libraries under `/plan/v1/workouts` (`docs/planning-api.md`); no part of the interface."""

from typing import Annotated

from pydantic import Field

from coachboard.wire.base import Number, Text, Timestamp, Wire, YesNo
from coachboard.wire.enums import Sport, TrainingStimulus
from coachboard.wire.errors import ErrorBody
from coachboard.wire.planning import MOST_TEXT, Person

MOST_WORDS = 200
"""Characters of a search."""
LONGEST_WORKOUT_S = 2_678_400
"""As for an entry of a calendar. [s]"""


class LibraryWorkout(Wire):
    """A workout of a library: private if `workspace_id` is null, or one of Coachboard's if `is_built_in`.

    `duration` is in s, `distance` in m. With a text they follow from it: a distance without a speed counts at a usual
    one, because a library has no athlete.
    """

    id: Text
    folder: Text | None
    title: Text
    sport: Sport
    training_stimulus: TrainingStimulus | None
    description: Text | None
    text: Text | None
    is_draft: YesNo
    duration: Number | None
    distance: Number | None
    free_duration: Number | None
    workspace_id: Text | None
    is_built_in: YesNo
    created_by: Person | None
    updated_at: Timestamp | None
    etag: Text


class LibraryValue(Wire):
    """Fields of a new workout, which needs a title and a sport, or the fields to change; a null empties a field."""

    folder: Annotated[Text, Field(max_length=80)] | None = None
    title: Annotated[Text, Field(max_length=200)] | None = None
    sport: Sport | None = None
    training_stimulus: TrainingStimulus | None = None
    description: Annotated[Text, Field(max_length=10_000)] | None = None
    text: Annotated[Text, Field(max_length=MOST_TEXT)] | None = None
    is_draft: YesNo | None = None
    duration: Annotated[Number, Field(ge=0, le=LONGEST_WORKOUT_S)] | None = None
    distance: Annotated[Number, Field(ge=0, le=5_000_000)] | None = None
    free_duration: Annotated[Number, Field(gt=0, le=86_400)] | None = None
    workspace_id: Text | None = None


class StaleWorkoutBody(ErrorBody):
    """The body of a 412: the workout as it is now, null if it was deleted or is no longer for the caller to see."""

    current: LibraryWorkout | None
