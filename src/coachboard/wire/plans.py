"""Calendar entries other than workouts: notes and events ("Note", "Event")."""

from coachboard.wire.base import Day, Number, Text, TimeOfDay, Wire
from coachboard.wire.enums import NoteType, Sport, SubSport


class Note(Wire):
    """A dated note."""

    id: Text
    type: NoteType
    title: Text
    content: Text | None
    date: Day
    time: TimeOfDay | None


class Event(Wire):
    """A planned event or race."""

    id: Text
    name: Text
    description: Text | None
    date: Day
    time: TimeOfDay | None
    sport: Sport
    sub_sport: SubSport | None
    distance: Number | None
    elevation_gain: Number | None
    duration: Number | None
    work: Number | None
    carb_intake: Number | None
    activity_id: Text | None
