"""A second session over this one: at the same time, place or lap, with pauses, ends and laps that do not match."""

from datetime import UTC, date, datetime

import numpy as np
import pytest

import rides
import seeded
from coachboard.client import Result
from coachboard.client.errors import ServiceError, Unreachable
from coachboard.pages.activity import comparison
from coachboard.pages.activity.comparison import ComparedBy
from coachboard.wire.enums import LapIntensity, Sport
from coachboard.wire.prescriptions import StructureIntensity, TrainingPrescription
from coachboard.wire.streams import ActivityStreams
from session_data import data_of, recorded


class Service:
    """The one other session, and the lists asked for."""

    def __init__(self, streams=None, sessions=(), plans=()):
        self.streams, self.sessions, self.plans, self.lists = streams, tuple(sessions), plans, 0

    def get_streams(self, activity_id):
        return Result(self.streams, datetime.now(UTC))

    def list_activities(self, user_id, start=None, end=None):
        self.lists += 1
        return Result(self.sessions, datetime.now(UTC))

    def list_prescriptions(self, user_id, start=None, end=None):
        if isinstance(self.plans, ServiceError):
            raise self.plans
        return Result(tuple(self.plans), datetime.now(UTC))


def overlaid(this, other, *, alignment=ComparedBy.TIME, laps=((), ()), axis="elapsed"):
    data = data_of(rides.activity(laps=laps[0]), this)
    second = rides.activity("act_2", laps=laps[1])
    return data, comparison.lay_over(Service(other), data, second, alignment=alignment, axis=axis)


@pytest.mark.parametrize("alignment", list(ComparedBy))
def test_the_averages_of_both_sessions_are_those_of_the_same_part(alignment):
    distance = np.arange(600) * 8.0
    this = recorded(power=np.full(600, 200.0), distance=distance)
    other = recorded(power=np.full(600, 230.0), distance=distance)
    laps = (rides.lap(0, 299), rides.lap(300, 599))

    data, found = overlaid(this, other, alignment=alignment, laps=(laps, laps))
    own, second = comparison.means_of_both(found, data.streams, "power")

    assert second - own == pytest.approx(30)
    assert alignment in comparison.alignments(data, found.other)


def test_by_distance_the_same_place_is_held_against_the_same_place():
    """The other goes half as fast: at 1,000 m it is at its second 250."""
    this = recorded(distance=np.arange(600) * 8.0)
    other = recorded(distance=np.arange(600) * 4.0, heartRate=np.arange(600.0))

    _, found = overlaid(this, other, alignment=ComparedBy.DISTANCE)

    assert found.at_s[125] == 250
    assert found.column("heart_rate")[125] == 250
    assert np.isnan(found.at_s[400])


def test_a_stop_at_a_place_counts_by_its_first_moment():
    stop = np.concatenate([np.arange(100), np.full(60, 99), np.arange(100, 200)]) * 5.0
    this = recorded(distance=np.arange(200) * 5.0)

    _, found = overlaid(this, recorded(distance=stop), alignment=ComparedBy.DISTANCE)

    assert found.at_s[99] == 99
    assert found.at_s[100] == 160


def test_by_lap_the_share_of_the_lap_counts():
    """A lap of 200 s over one of 100 s: half way is half way."""
    this = recorded(power=np.full(301, 200.0))
    other = recorded(power=np.concatenate([np.full(100, 150.0), np.linspace(100, 300, 201)]))
    laps = (rides.lap(0, 100), rides.lap(101, 301)), (rides.lap(0, 99), rides.lap(100, 300))

    _, found = overlaid(this, other, alignment=ComparedBy.LAP, laps=laps)

    assert found.at_s[200] == pytest.approx(199.5, abs=1)
    assert found.at_s[50] == pytest.approx(49.5, abs=1)
    assert [pair.other_numbers for pair in found.pairs] == [(1,), (2,)]


def test_laps_of_unequal_count_are_paired_by_likeness_and_the_rest_left_out():
    """The other has a further interval: its first three stretches are the ones that belong here."""
    hard, easy = 300.0, 100.0
    this = recorded(power=np.repeat([hard, easy, hard], 120))
    other = recorded(power=np.repeat([easy, hard, easy, hard], [20, 120, 120, 120]))
    laps = (
        tuple(rides.lap(at, at + 119) for at in (0, 120, 240)),
        (rides.lap(0, 19), *(rides.lap(at, at + 119) for at in (20, 140, 260))),
    )

    _, found = overlaid(this, other, alignment=ComparedBy.LAP, laps=laps)

    assert [pair.other_numbers for pair in found.pairs] == [(2,), (3,), (4,)]
    assert found.column("power") == pytest.approx(np.repeat([hard, easy, hard], 120))


def test_where_the_other_paused_or_had_ended_there_is_nothing():
    at = np.concatenate([np.arange(100), np.arange(200, 300)])
    stamps = np.datetime64("2026-03-09T08:00:00", "ms") + at * np.timedelta64(1000, "ms")
    other = ActivityStreams({"power": np.full(200, 230.0)}, stamps)

    _, found = overlaid(recorded(power=np.full(400, 200.0)), other)
    values = found.column("power")

    assert np.isnan(values[[120, 150, 180, 320]]).all()
    assert values[[50, 250]] == pytest.approx(230)


def test_over_moving_time_both_are_without_their_stops():
    speed = np.concatenate([np.full(100, 5.0), np.zeros(60), np.full(100, 5.0)])

    _, found = overlaid(recorded(speed=np.full(200, 5.0)), recorded(speed=speed), axis="moving")

    assert found.at_s[150] == 210


def test_a_stretch_of_this_session_has_its_stretch_of_the_other():
    distance = np.arange(600) * 8.0
    _, found = overlaid(
        recorded(distance=distance), recorded(distance=distance / 2), alignment=ComparedBy.DISTANCE
    )

    assert found.samples_of(slice(100, 201)) == slice(200, 401)
    assert found.common(slice(100, 600)) == slice(100, 300)
    assert found.samples_of(slice(500, 600)) == slice(0, 0)


def test_a_column_that_the_other_has_not_is_none():
    data, found = overlaid(recorded(power=[1.0, 2.0]), recorded(heartRate=[90.0, 91.0]))

    assert found.column("power") is None
    assert comparison.means_of_both(found, data.streams, "power") is None


@pytest.mark.parametrize("laps", [((), ()), ((rides.lap(0, 9),), (rides.lap(0, 9), rides.lap(9, 19)))])
def test_laps_are_offered_where_both_have_several(laps):
    data = data_of(rides.activity(laps=laps[0]), recorded(power=np.full(20, 100.0)))

    assert ComparedBy.LAP not in comparison.alignments(data, rides.activity("act_2", laps=laps[1]))


def test_device_laps_serve_where_none_are_classified():
    device = tuple(rides.provider_lap(at, at + 60) for at in (0, 60))
    data = data_of(rides.activity(provider_laps=device), recorded(power=np.full(120, 100.0)))
    second = rides.activity(
        "act_2", provider_laps=device, laps=(rides.lap(0, 60, intensity=LapIntensity.TEMPO),)
    )

    assert ComparedBy.LAP in comparison.alignments(data, second)


@pytest.mark.parametrize(
    ("this", "other"), [(None, recorded(power=[1.0])), (recorded(power=[1.0]), ActivityStreams({}))]
)
def test_without_samples_on_either_side_there_is_nothing_to_lay_over(this, other):
    assert overlaid(this, other)[1] is None


def test_candidates_are_other_sessions_of_the_sport():
    run = rides.activity("act_3", sport=Sport.RUNNING)
    others = (rides.activity("act_2"), run, rides.activity())

    assert [s.id for s in comparison.candidates(Service(sessions=others), data_of()).sessions] == ["act_2"]


STEP = {
    "type": "step", "label": "active",
    "intensity": StructureIntensity(**dict.fromkeys(StructureIntensity.model_fields)).to_wire(),
}  # fmt: skip


def plan(activity_id, title, seconds=None):
    steps = None if seconds is None else [STEP | {"length": {"type": "duration", "duration": seconds}}]
    wire = seeded.prescription("trp_" + activity_id, date(2026, 3, 3)).to_wire()
    return TrainingPrescription.from_wire(
        wire | {"activityId": activity_id, "title": title, "structure": steps}
    )


def test_sessions_of_the_same_workout_come_first_then_those_of_the_same_name():
    """By title (spaces and capitals aside) or by steps; within each part the order of the list, newest first."""
    ids = ["act_2", "act_3", "act_4", "act_5", "act_6", "act_7"]
    names = ["Ride", "Tuesday worlds", "Ride", "tuesday  Worlds", "Other", "Tuesday worlds"]
    sessions = [rides.activity(i, name=name) for i, name in zip(ids, names, strict=True)]
    plans = (
        plan("act_4", "5 X 4  min"), plan("act_6", "Renamed", 240), plan("act_7", "5 x 4 min", 300), plan("act_2", "Else", 100)
    )  # fmt: skip
    data = data_of(rides.activity(name="Tuesday Worlds"), prescription=plan("act_1", "5 x 4 min", 240))

    found = comparison.candidates(Service(sessions=sessions, plans=plans), data)

    assert [s.id for s in found.sessions] == ["act_4", "act_6", "act_7", "act_3", "act_5", "act_2"]
    assert found.same_workout == {"act_4", "act_6", "act_7"}
    assert found.same_name == {"act_3", "act_5"}


@pytest.mark.parametrize("name", ["Morning Ride", None, "", "Indoor Cycling"])
def test_a_name_that_devices_give_to_any_session_is_no_likeness(name):
    """Nor are two plans without steps and with such a title the same workout."""
    sessions, plans = [rides.activity("act_2", name=name)], [plan("act_2", name or "")]
    data = data_of(rides.activity(name=name), prescription=plan("act_1", name or ""))

    found = comparison.candidates(Service(sessions=sessions, plans=plans), data)

    assert found.same_workout == found.same_name == frozenset()


def test_sessions_are_offered_when_the_plans_cannot_be_loaded():
    service = Service(
        sessions=[rides.activity("act_2", name="Hill 5")], plans=Unreachable("GET", "/prescriptions")
    )

    found = comparison.candidates(service, data_of(rides.activity(name="Hill 5")))

    assert found.same_name == {"act_2"}


def test_a_cached_session_is_found_without_a_further_list():
    second, run = rides.activity("act_2"), rides.activity("act_3", sport=Sport.RUNNING)
    data, service = data_of(history=(second, run)), Service(sessions=(rides.activity("act_4"),))

    assert comparison.find(service, data, "act_2") is second
    assert comparison.find(service, data, "act_3") is None
    assert service.lists == 0
    assert comparison.find(service, data, "act_4").id == "act_4"
    assert comparison.find(service, data, "act_5") is None
