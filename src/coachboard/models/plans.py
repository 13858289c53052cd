"""What stands in a calendar besides workouts: notes and events ("Note", "Event")."""

from coachboard.models.base import Day, Number, TimeOfDay, Wire
from coachboard.models.enums import NoteType, Sport, SubSport


class Note(Wire):
    """A dated note."""

    id: str
    type: NoteType
    title: str
    content: str | None
    date: Day
    time: TimeOfDay | None


class Event(Wire):
    """A planned event or race."""

    id: str
    name: str
    description: str | None
    date: Day
    time: TimeOfDay | None
    sport: Sport
    sub_sport: SubSport | None
    distance: Number | None  # m
    elevation_gain: Number | None  # m
    duration: Number | None  # s
    work: Number | None  # kJ
    carb_intake: Number | None  # g/h
    activity_id: str | None  # the paired activity, once completed
