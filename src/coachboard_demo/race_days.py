"""Race days as they went: each leg lasts as long as its distance takes, and the next begins when it is over."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time

from coachboard.models.enums import TrainingStimulus
from coachboard_demo.athlete import Athlete
from coachboard_demo.batch import Batch, batches
from coachboard_demo.cells import CELL_S
from coachboard_demo.chance import new_id
from coachboard_demo.outing import Day, session_of
from coachboard_demo.races import Leg, expected_s, race_of, race_type
from coachboard_demo.recording import Outing
from coachboard_demo.session import Done, Session
from coachboard_demo.simulation import simulate_all
from coachboard_demo.summary import Told

_BEGINS_H, _BETWEEN_LEGS_H = 9.5, 0.001
_PASSES = 3
_LATEST_FAULT_CELLS = 40
_MEASURED_SHARE = 1.004
"""Nobody takes every bend on the measured line, and satellites add their own."""


@dataclass(slots=True)
class RaceDay:
    """A day of racing, and when its next leg begins."""

    day: Day
    races_before: int
    hour: float = _BEGINS_H


def activity_id(athlete: Athlete, day: Day, leg: int = 0) -> str:
    """The id of a leg's activity."""
    return new_id("act", athlete.lot, day.day, "race", leg)


def outings_of(athlete: Athlete, race_days: Sequence[RaceDay]) -> list[Outing]:
    """Race on all those days at one go, leg after leg; the legs of a triathlon belong to one group."""
    outings = []
    for at, leg in enumerate(race_of(athlete).legs):
        sessions = [_begun(athlete, each, leg, at) for each in race_days]
        for each, session in zip(race_days, raced(sessions, leg.metres * _MEASURED_SHARE), strict=True):
            outings.append(Outing(session, _told(athlete, each, leg, at)))
            each.hour += session.cells * CELL_S / 3600 + _BETWEEN_LEGS_H
    return outings


def _begun(athlete: Athlete, race_day: RaceDay, leg: Leg, at: int) -> Session:
    race = leg.workout(athlete.goal_name, expected_s(leg, athlete))
    hour = race_day.hour + at / 1000
    session = session_of(athlete, race_day.day, race, practice=leg.practice, hour=hour)
    return replace(session, started_s=_at_hour(race_day.day, race_day.hour), stops=(), pauses=())


def _told(athlete: Athlete, race_day: RaceDay, leg: Leg, at: int) -> Told:
    day, is_whole = race_day.day, len(race_of(athlete).legs) == 1
    return Told(
        id=activity_id(athlete, day, at),
        utc_offset_min=day.utc_offset_min(),
        group_id=None if is_whole else new_id("grp", athlete.lot, day.day),
        name=athlete.goal_name,
        description="Race report on the phone." if at == 0 else None,
        race_type=race_type(leg, day.place.ground, race_day.races_before if is_whole else 0),
        stimulus=TrainingStimulus.RACE,
        rpe=10,
        feeling=4,
        summary="Race effort from start to finish.",
    )


def raced(sessions: Sequence[Session], metres: float) -> list[Session]:
    """The sessions made as long as that distance takes; as long as they are where it is none."""
    found = list(sessions)
    for _ in range(_PASSES if metres else 0):
        for places in batches(found):
            batch = Batch(*(found[at] for at in places))
            covered_m = simulate_all(batch).distance_m
            assert covered_m is not None
            for at, whole_m in zip(places, batch.last(covered_m).tolist(), strict=True):
                found[at] = _stretched(found[at], metres / whole_m)
    return found


def _stretched(session: Session, share: float) -> Session:
    done = tuple(replace(part, duration_s=_whole(part.duration_s * share)) for part in session.done)
    *before, last = done
    # Whole cells add up to a little more or less than the whole: the last piece takes it.
    rest = _whole(sum(part.duration_s for part in session.done) * share) - sum(
        part.duration_s for part in before
    )
    session = replace(
        session, done=(*before, Done(max(rest, CELL_S), last.effort, last.cadence_rpm, last.label))
    )
    latest = session.cells - _LATEST_FAULT_CELLS
    return replace(session, faults=tuple(fault for fault in session.faults if fault.cell < latest))


def _whole(seconds: float) -> int:
    return max(1, round(seconds / CELL_S)) * CELL_S


def _at_hour(day: Day, hour: float) -> int:
    midnight = datetime.combine(day.day, time(), UTC).timestamp()
    return round(midnight + hour * 3600) - 60 * day.utc_offset_min()
