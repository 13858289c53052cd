"""The analyses of a session: best efforts, intensity, W' balance, plan, comparison, sensors and quality of small rides."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import isnan, nan
from types import SimpleNamespace

import numpy as np
import pytest

import rides
from coachboard.client import Result
from coachboard.client.errors import NotFound, Unreachable
from coachboard.client.frames import frame_of
from coachboard.execution.work_steps import WorkOutcome
from coachboard.formulas.session.even_speed import even_speed
from coachboard.formulas.session.grade import ADJUSTED_SPEED, GradeModel
from coachboard.formulas.session.mean_maximal import DURATIONS
from coachboard.formulas.session.selection import summarize
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders import power_curves
from coachboard.pages.activity import bests
from coachboard.pages.activity.bands import columns_with_values, intensity_by
from coachboard.pages.activity.columns import columns_of, speed_column
from coachboard.pages.activity.efficiency import effort_mps, grade_adjusted, heart_rate_against_output
from coachboard.pages.activity.execution import planned_and_done
from coachboard.pages.activity.planned_and_done import _step_row, set_words
from coachboard.pages.activity.planned_rows import OffBand, StepState
from coachboard.pages.activity.recording_quality import report_of, usable_summary
from coachboard.pages.activity.selection_summary import summary_of
from coachboard.pages.activity.sensors import band_words, groups_of, over_session_words, sensor_columns
from coachboard.pages.activity.short_sets import ShortSet, with_sets
from coachboard.pages.activity.stream_panels import trace_of
from coachboard.pages.activity.streams_section import _has_box, _targets
from coachboard.pages.activity.w_balance import balance_of
from coachboard.ui.frame.formats import METRIC, System, Units
from coachboard.wire.enums import LapIntensity, Sport, StepLabel
from coachboard.wire.prescriptions import (
    StructureIntensity,
    StructureRepetition,
    StructureStep,
    TrainingPrescription,
)
from coachboard.wire.streams import ActivityStreams
from session_data import KNOWN, TODAY, data_of, recorded


class FrameOnly:
    """A result whose models are too dear to be asked for."""

    def __init__(self, sessions):
        self.frame, self.identity = frame_of(sessions), object()


class FakeClient:
    """A cache of streams and derived results, and what was asked for."""

    def __init__(self, streams=None, sessions=()):
        self.streams, self.sessions = streams or {}, tuple(sessions)
        self.kept, self.asked, self.bare = {}, [], frozenset()
        self.pool = SimpleNamespace(submit=lambda job, *given: job(*given))

    def without_streams(self):
        return self.bare

    def known_derived_of(self, kind, version, keys):
        return {key: self.kept[kind, version, key] for key in keys if (kind, version, key) in self.kept}

    def keep_derived(self, kind, version, key, body):
        self.kept[kind, version, key] = body

    def known_streams(self, activity_id):
        return self.get_streams(activity_id) if activity_id in self.streams else None

    def get_streams(self, activity_id):
        return Result(self.streams[activity_id], datetime.now(UTC))

    def pass_streams(self, activity_id):
        self.asked.append(activity_id)
        raise NotFound("GET", "/streams")

    def list_activities(self, user_id, start=None, end=None):
        return Result(self.sessions, datetime.now(UTC))


# Best efforts


def test_season_is_made_of_known_streams_and_the_others_are_asked_for():
    strong, weak = recorded(power=np.full(400, 300.0)), recorded(power=np.full(900, 200.0))
    earlier = [rides.activity(name, average_power=200) for name in ("act_2", "act_3")]
    client = FakeClient({"act_1": weak, "act_2": strong}, earlier)
    data = data_of(rides.activity(average_power=200), weak)

    season = bests.span_curves(client, data, "power").of["season"]

    assert data.day is not None
    assert (season.used, season.total) == (2, 3)
    assert season.best[DURATIONS.index(300)] == 300
    assert season.best[DURATIONS.index(600)] == 200
    assert client.asked == ["act_3"]


def test_a_look_at_the_sessions_read_so_far_asks_for_none():
    client = FakeClient({}, [rides.activity("act_2", average_power=200)])
    data = data_of(rides.activity(average_power=200), recorded(power=np.full(400, 200.0)))
    spans = bests.span_curves(client, data, "power", power_curves.kept_curves)

    assert [(curve.used, curve.total) for curve in spans.of.values()] == [(0, 2)] * 3
    assert not spans.is_complete
    assert client.asked == []


@pytest.mark.parametrize(
    ("drawn", "read", "is_reading", "is_worth"),
    [
        (0, 0, True, False),
        (0, 4, True, False),
        (4, 5, True, True),  # half of them: percentages and records appear
        (5, 9, True, False),
        (9, 10, True, True),
        (5, 9, False, True),
        (9, 9, False, False),  # the tenth cannot be read: drawn again and again otherwise
    ],
)
def test_curves_are_drawn_again_with_half_and_with_all_sessions_and_when_reading_ends(
    drawn, read, is_reading, is_worth
):
    def curve(used):
        return power_curves.SeasonCurve(np.array([1.0]), tuple(map(str, range(used))), 10)

    redraws = power_curves.is_worth_drawing([curve(drawn)], [curve(read)], is_reading=is_reading)

    assert redraws is is_worth


def ridden(power_by_days, *, without=()):
    """Rides of 400 s at a power, so many days before the session; a negative number is after it."""
    sessions = [
        rides.activity(f"act_{at}", start=rides.START - timedelta(days=days), average_power=200)
        for at, (days, _) in enumerate(power_by_days, 2)
    ]
    streams = {
        one.id: recorded(power=np.full(400, float(power)))
        for one, (_, power) in zip(sessions, power_by_days, strict=True)
        if one.id not in without
    }
    return FakeClient(streams, sessions)


def test_records_of_the_year_and_of_all_time_have_their_day():
    """The best of 90 days is 30 days old, of the year 365, of all time 400; the session a day later counts for none but all."""
    client = ridden([(-1, 240), (30, 250), (91, 260), (365, 300), (366, 310), (400, 320)])
    client.streams["act_1"] = recorded(power=np.full(400, 230.0))

    found = bests.span_curves(client, data_of(rides.activity(average_power=230)), "power")

    day = rides.START.date()
    assert [found.of[span].total for span in ("season", "year", "known")] == [2, 4, 7]
    for span, power, days_ago in (("season", 250, 30), ("year", 300, 365), ("known", 320, 400)):
        record = found.record(span, 300)
        assert (record.value, record.day) == (power, day - timedelta(days=days_ago))
    assert found.record("known", 600) is None


def test_no_record_until_half_of_the_sessions_are_in():
    """The session and one of four others are in: 2 of 5; with a third it is a record."""
    client = ridden([(1, 250), (2, 260), (3, 270), (4, 280)], without=("act_3", "act_4", "act_5"))
    client.streams["act_1"] = recorded(power=np.full(400, 230.0))
    data = data_of(rides.activity(average_power=230))

    found = bests.span_curves(client, data, "power")
    assert (found.of["season"].used, found.of["season"].total) == (2, 5)
    assert found.record("season", 300) is None

    client.streams["act_3"] = recorded(power=np.full(400, 260.0))
    assert bests.span_curves(client, data, "power").record("season", 300).activity_id == "act_3"


def test_half_of_an_even_number_is_enough_and_none_is_not():
    assert power_curves.SeasonCurve(np.empty(0), ("act_1",), 2).is_enough
    assert power_curves.SeasonCurve(np.empty(0), ("act_1",), 2, without_streams=9).is_enough
    assert not power_curves.SeasonCurve(np.empty(0), (), 0).is_enough
    assert not power_curves.SeasonCurve(np.empty(0), ("act_1",), 3).is_enough


@pytest.mark.parametrize("others", [[], [(1, 250)]], ids=["the only session", "the others are not read yet"])
def test_a_session_is_not_compared_with_itself_alone(others):
    client = ridden(others, without=("act_2",))
    client.streams["act_1"] = recorded(power=np.full(400, 230.0))

    spans = bests.span_curves(client, data_of(rides.activity(average_power=230)), "power")

    assert [spans.record(span, 300) for span in ("season", "year", "known")] == [None] * 3
    assert spans.of["season"].is_complete is (not others)


def test_without_the_list_of_all_sessions_the_season_remains():
    client = ridden([(1, 250)])
    history = client.sessions

    def fails(*_):
        raise Unreachable("GET", "/activities")

    client.list_activities = fails
    found = bests.span_curves(client, data_of(rides.activity(), history=history), "power")

    assert list(found.of) == ["season"]
    assert (found.of["season"].used, found.of["season"].total) == (1, 2)


def test_sessions_without_streams_are_known_and_not_asked_for_again():
    """Each look asked for the first twelve of them, and the count stayed at 0 of 35."""
    client = FakeClient({"act_30": recorded(power=np.full(400, 300.0))})
    client.bare = frozenset(f"act_{number}" for number in range(30))

    found = power_curves.best_of_ids(client, [f"act_{number}" for number in range(32)], "power")

    assert (found.used, found.total, found.without_streams, found.is_complete) == (1, 2, 30, False)
    assert client.asked == ["act_31"]


def test_all_known_is_of_the_sport_and_builds_no_model():
    strong = recorded(power=np.full(400, 300.0))
    sessions = (
        rides.activity("act_2", average_power=200),
        rides.activity("act_3", average_power=None),
        rides.activity("act_4", average_power=200, sport=Sport.RUNNING),
    )
    client = FakeClient({"act_2": strong}, sessions)
    client.list_activities = lambda *_: FrameOnly(sessions)

    found = bests.span_curves(client, data_of(), "power").of["known"]

    assert (found.used, found.total) == (1, 2)
    assert found.best[DURATIONS.index(300)] == 300


def test_the_days_of_a_list_are_those_of_each_column_and_sport():
    """One list is read again for each curve of the session: a run has three."""
    sessions = (
        rides.activity("act_2", average_power=200, sport=Sport.RUNNING),
        rides.activity("act_3", average_speed=3.1, average_power=None, sport=Sport.RUNNING),
        rides.activity("act_4", average_power=250, sport=Sport.CYCLING),
    )
    client, listed = FakeClient({}, sessions), FrameOnly(sessions)
    client.list_activities = lambda *_: listed
    run = data_of(rides.activity(sport=Sport.RUNNING))
    ride = data_of(rides.activity(sport=Sport.CYCLING))

    curves = [
        bests.span_curves(client, data, column, power_curves.kept_curves)
        for data, column in ((run, "power"), (run, "speed"), (ride, "power"))
    ]

    assert [set(found.days) - {found.own_id} for found in curves] == [{"act_2"}, {"act_3"}, {"act_4"}]


def test_own_bests_say_how_much_and_when():
    power = np.full(900, 150.0)
    power[300:420] = 320.0

    found = bests.own_bests(data_of(streams=recorded(power=power)), "power")

    assert [(best.duration_s, best.start) for best in found if best.duration_s <= 120][-1] == (120, 300)
    assert [best.mean for best in found] == sorted((best.mean for best in found), reverse=True)
    assert found[-1].duration_s == 600


def test_own_bests_of_a_pool_are_no_shorter_than_a_length():
    swim = rides.activity(sport=Sport.SWIMMING, lengths=(rides.length(0, 40), rides.length(40, 80)))
    streams = recorded(speed=np.full(120, 1.25))

    found = bests.own_bests(data_of(swim, streams), "speed")

    assert [best.duration_s for best in found] == [60, 120]


def test_kept_curve_is_not_computed_again():
    streams = recorded(power=np.full(400, 300.0))
    client = FakeClient({"act_1": streams})
    data = data_of(rides.activity(average_power=200), streams)
    bests.span_curves(client, data, "power")
    client.streams.clear()

    assert bests.span_curves(client, data, "power").of["season"].used == 1


def test_pool_speed_written_once_a_length_is_even_in_between():
    distance = np.repeat(np.arange(0, 100, 25.0), 20)
    speed = np.where(np.arange(80) % 20 == 0, 1.25, np.nan)
    streams = SessionStreams.from_streams(recorded(distance=distance, speed=speed))

    assert even_speed(streams)[1:60] == pytest.approx(1.25)
    assert even_speed(SessionStreams.from_streams(recorded(power=[1.0]))) is None


# Intensity, efficiency, W' balance


def test_bands_need_the_reference_and_the_distribution_does_not():
    streams = recorded(power=np.full(60, 240.0))

    found = intensity_by(data_of(streams=streams), "power")
    unknown = intensity_by(data_of(streams=streams, known={}), "power")

    assert found.seconds["threshold"] == 60
    assert unknown.seconds is None
    assert unknown.histogram.seconds.sum() == 60
    assert columns_with_values(data_of()) == []


def hilly(sport):
    """1:40 h of even effort: first on the flat, then uphill at 5 % and slower by the cost of the grade."""
    speed = np.repeat([3.0, 3.0 / 1.3014], 3000)
    distance = np.cumsum(speed)
    altitude = 0.05 * np.maximum(distance - 9000, 0)
    streams = recorded(speed=speed, distance=distance, altitude=altitude, heartRate=rides.beats(6000))
    return data_of(rides.activity(sport=sport), streams)


def test_decoupling_of_a_run_rests_on_grade_adjusted_speed():
    data = hilly(Sport.RUNNING)
    found = heart_rate_against_output(data)
    selected = summarize(data.streams, slice(None), effort_mps=effort_mps(data))

    assert found.is_adjusted
    assert found.decoupling.loss_pct == pytest.approx(0, abs=0.3)
    assert selected.drift == found.decoupling


def test_a_ride_without_power_has_neither_efficiency_nor_decoupling():
    data = hilly(Sport.CYCLING)
    numbers = {row.number for row in report_of(data).left_out}

    assert heart_rate_against_output(data) is None
    assert effort_mps(data) is None
    assert not {"Efficiency", "Decoupling, heart rate vs output"} & numbers


def test_a_dead_power_meter_leaves_curve_bands_and_efficiency_to_speed():
    dead = recorded(power=np.zeros(1500), speed=np.full(1500, 3.0), heartRate=rides.beats(1500))
    data = data_of(rides.activity(sport=Sport.ROWING), streams=dead)

    assert data.effort_column == "speed"
    assert columns_with_values(data) == ["heart_rate", "speed"]
    assert heart_rate_against_output(data).column == "speed"
    assert balance_of(data) is None


def test_figures_of_dead_sensors_are_left_out_except_the_distance():
    """A device may know a distance that its records do not have."""
    names = ("power", "speed", "cadence", "distance")
    dead = recorded(**dict.fromkeys(names, np.zeros(600)), heartRate=rides.beats())
    fields = ("average_power", "normalized_power", "average_speed", "average_cadence", "max_running_cadence")
    session = rides.activity(distance=9_000, average_heart_rate=400, **dict.fromkeys(fields, 5))
    summary = usable_summary(data_of(session, streams=dead))

    assert (summary.distance, summary.average_heart_rate) == (9_000, None)
    assert {getattr(summary, name) for name in fields} == {None}


def test_a_column_without_information_leads_the_quality_and_counts_in_no_number():
    report = report_of(data_of(streams=recorded(power=np.zeros(600), heartRate=np.full(600, 72.0))))
    found = [(column.quality.name, column.quality.flat_s) for column in report.columns]

    assert found == [("power", 600), ("heart_rate", 599)]
    assert not any(column.quality.is_sensor for column in report.columns)
    assert report.left_out == ()


def test_a_heart_rate_strap_that_is_stuck_in_a_pool_is_not_used_and_does_not_end_the_page():
    """Rests at the wall end each run of the stuck value before it counts as flat."""
    lengths = [rides.length(at, at + 29) for at in range(0, 600, 50)]
    stuck = recorded(heartRate=np.full(600, 72.0), speed=np.full(600, 1.2))
    data = data_of(rides.activity(sport=Sport.SWIMMING, lengths=lengths), streams=stuck)
    report = report_of(data)
    (rate,) = (one.quality for one in report.columns if one.quality.name == "heart_rate")

    assert (rate.is_sensor, rate.flat_s) == (False, 599)
    assert "heart_rate" not in {row.column for row in report.left_out}
    assert data.streams.stuck["heart_rate"].stuck_at == 72


def test_heart_rate_is_held_against_power_minute_by_minute():
    data = data_of(streams=recorded(power=np.full(600, 200.0), heartRate=rides.beats()))

    found = heart_rate_against_output(data)

    assert (len(found.minutes), found.middle) == (10, 5)
    assert found.decoupling.caution == "means little: 10 min, below 90 min"
    assert heart_rate_against_output(data_of(streams=recorded(power=[200.0]))) is None


def test_pace_uphill_is_adjusted_on_foot_and_never_on_wheels():
    distance = np.arange(1200) * 3.0
    streams = recorded(distance=distance, altitude=0.05 * distance, speed=np.full(1200, 3.0))

    found = grade_adjusted(
        data_of(rides.activity(sport=Sport.RUNNING), streams), GradeModel.MINETTI, per_m=1000
    )

    assert found.adjusted_mps / found.speed_mps == pytest.approx(1.3014, abs=1e-3)
    assert len(found.splits) == 4
    assert grade_adjusted(data_of(streams=streams), GradeModel.MINETTI, per_m=1000) is None


def test_a_run_has_one_grade_adjusted_pace_in_headline_panel_selection_lap_and_analysis():
    """3 m/s, half of the way at 5 %, with a stop: the summary's own distance counts for the whole."""
    speed = np.where(np.arange(1500) >= 1200, 0.0, 3.0)
    distance = np.cumsum(speed) - speed
    altitude = 0.05 * np.maximum(distance - 1800, 0)
    streams = recorded(speed=speed, distance=distance, altitude=altitude)
    run = rides.activity(
        sport=Sport.RUNNING, distance=3636.0, moving_duration=1200.0, total_duration=1500,
        start=rides.START, provider_laps=(rides.provider_lap(0, 1500),),
    )  # fmt: skip
    data, whole = data_of(run, streams), slice(None)
    selected = summary_of(data, data.streams, whole).columns

    paces = {
        data.streams.whole[ADJUSTED_SPEED],
        trace_of(data.streams, ADJUSTED_SPEED, axis="elapsed").average,
        selected[ADJUSTED_SPEED].average,
        grade_adjusted(data, GradeModel.MINETTI, per_m=1000).adjusted_mps,
    }
    assert len({round(pace, 6) for pace in paces}) == 1
    assert selected[ADJUSTED_SPEED].average / selected["speed"].average == pytest.approx(1.15, abs=0.01)
    half = summary_of(data, data.streams, slice(600, 1200)).columns
    assert half[ADJUSTED_SPEED].average / half["speed"].average == pytest.approx(1.30, abs=0.01)
    assert ADJUSTED_SPEED not in data_of(rides.activity(), streams).streams.columns


def test_the_histogram_of_adjusted_pace_is_of_moving_time_at_the_cost_of_the_grade():
    """3 m/s on the flat for 600 s, the same at 5 %, which costs as much as 3.904 m/s, and a stop of 300 s."""
    speed = np.concatenate([np.full(600, 3.0), np.full(600, 3.0), np.zeros(300)])
    distance = np.cumsum(speed) - speed
    altitude = 0.05 * np.maximum(distance - 1800, 0)
    streams = recorded(speed=speed, distance=distance, altitude=altitude)
    found = grade_adjusted(
        data_of(rides.activity(sport=Sport.RUNNING), streams), GradeModel.MINETTI, per_m=1000
    ).intensity

    at = {round(float(low), 1): seconds for low, seconds in zip(found.histogram.lows, found.histogram.seconds, strict=True) if seconds > 60}  # fmt: skip
    assert list(at) == [3.0, 3.9]
    assert list(at.values()) == pytest.approx([600, 600], abs=40)
    assert found.histogram.seconds.sum() == pytest.approx(1200, abs=15)
    assert found.reference == 4.0
    assert sum(found.seconds.values()) == pytest.approx(found.histogram.seconds.sum())


def test_a_run_with_power_has_a_pace_curve_too():
    both = recorded(power=np.full(600, 250.0), speed=np.full(600, 3.0))
    running, riding = rides.activity(sport=Sport.RUNNING), rides.activity()

    assert bests.curve_columns(data_of(running, both)) == ["power", "speed"]
    assert bests.curve_columns(data_of(riding, both)) == ["power"]
    assert bests.curve_columns(data_of(running, recorded(power=np.full(600, 250.0)))) == ["power"]
    assert bests.curve_columns(data_of(running, recorded(speed=np.full(600, 3.0)))) == ["speed"]
    assert bests.curve_columns(data_of(running, recorded(heartRate=np.full(600, 3.0)))) == []


def test_best_efforts_by_grade_adjusted_pace_are_uphill():
    """400 s at 4 m/s on the flat, then 400 s at 3.5 m/s up 5 %, which costs as much as 4.55 m/s."""
    speed = np.repeat([4.0, 3.5], 400)
    distance = np.cumsum(speed) - speed
    streams = recorded(speed=speed, distance=distance, altitude=0.05 * np.maximum(distance - 1600, 0))
    data = data_of(rides.activity(sport=Sport.RUNNING), streams)
    by_speed, adjusted = (
        next(best for best in bests.own_bests(data, column) if best.duration_s == 300)
        for column in bests.curve_columns(data)
    )

    assert (by_speed.mean, by_speed.start < 100) == (pytest.approx(4.0), True)
    assert (adjusted.mean, adjusted.start > 400) == (pytest.approx(4.55, abs=0.02), True)
    flat = power_curves.per_clock_second(data_of(streams=recorded(speed=speed)).streams, ADJUSTED_SPEED)
    assert flat.tolist() == speed.tolist()  # a treadmill has no altitude


def test_grade_adjusted_pace_is_over_moving_time_as_the_headline_and_the_selection_are():
    """A sensor that reads 3 % fast showed another pace than the headline of the same run."""
    is_moving = np.arange(1200) % 400 >= 100
    distance = np.cumsum(3.0 * is_moving) - 3.0 * is_moving
    streams = recorded(distance=distance, altitude=0.05 * distance, speed=np.where(is_moving, 3.1, 0.0))
    timed = rides.activity(sport=Sport.RUNNING, distance=2790.0, moving_duration=900.0, total_duration=1200)
    untimed = rides.activity(sport=Sport.RUNNING, average_speed=2.25, total_duration=1200)
    part = rides.activity(sport=Sport.RUNNING, distance=5400.0, moving_duration=1800.0, total_duration=2400)
    founds = [
        grade_adjusted(data_of(run, streams), GradeModel.MINETTI, per_m=1000)
        for run in (timed, untimed, part)
    ]

    assert [found.speed_mps for found in founds] == pytest.approx([3.1, 2.25, 3.0])
    for found in founds:
        assert found.adjusted_mps / found.speed_mps == pytest.approx(1.3014, abs=1e-3)
        assert found.splits["speed_mps"].tolist() == pytest.approx([3.0, 3.0, 3.0], abs=0.01)
        assert (found.splits["adjusted_mps"] / found.splits["speed_mps"]).tolist() == pytest.approx(
            [1.3014] * 3, abs=1e-3
        )


def test_a_balance_in_kilojoules_is_recognised_and_shown_with_the_computed_one():
    power = np.repeat([400.0, 100.0], 60)

    found = balance_of(data_of(streams=recorded(power=power, wPrimeBalance=np.linspace(20, 11, 120))))

    assert found.is_sent_in_kj
    assert found.sent_j[0] == 20_000
    assert found.computed_j[59] == pytest.approx(11_000)
    assert balance_of(data_of(streams=recorded(power=power), known={})) is None


# Planned and done


def step(watts, seconds, label=StepLabel.ACTIVE):
    aim = {"min_power": watts * 0.95, "max_power": watts * 1.05}
    return aimed(aim, {"type": "duration", "duration": seconds}, label)


def aimed(aim, length, label=StepLabel.ACTIVE):
    wish = dict.fromkeys(
        name for name, field in StructureIntensity.model_fields.items() if field.is_required()
    )
    return StructureStep(type="step", label=label, intensity=StructureIntensity(**wish | aim), length=length)


def plan(*structure, **changes):
    fields = dict.fromkeys(TrainingPrescription.model_fields) | {
        "id": "tpr_1", "date": TODAY, "title": "Intervals", "sport": Sport.CYCLING, "structure": structure or None,
    }  # fmt: skip
    return TrainingPrescription(**(fields | changes))


SET = plan(
    step(150, 600, StepLabel.WARM_UP),
    StructureRepetition(
        type="repetition", n_repetitions=3, steps=(step(280, 180), step(120, 180, StepLabel.REST))
    ),
)


def done(*blocks):
    return recorded(power=np.concatenate([np.full(seconds, float(watts)) for watts, seconds in blocks]))


def test_plan_that_was_done_is_achieved_step_by_step():
    streams = done((150, 600), *[(280, 180), (120, 180)] * 3)

    found = planned_and_done(data_of(streams=streams, prescription=SET))

    assert [row.state for row in found.rows] == [StepState.DONE] * 7
    assert found.work.ratio == 1
    assert found.load.ratio == pytest.approx(1, abs=0.05)
    assert found.rows[1].in_band == 1
    assert (found.rows[1].from_s, found.rows[1].to_s) == (600, 780)


def test_a_target_has_no_box_where_its_step_was_not_found():
    """Grey boxes of targets were drawn in a session with "0 of 2" work steps."""
    streams = done((150, 600), *[(280, 180), (120, 180)] * 3)
    warm_up, work, *_ = planned_and_done(data_of(streams=streams, prescription=SET)).rows
    missed = replace(work, work=WorkOutcome.MISSED)

    assert warm_up.is_found
    assert work.is_found
    assert replace(work, work=WorkOutcome.CUT_SHORT).is_found
    assert not replace(work, work=WorkOutcome.MISSED).is_found
    assert not replace(work, from_s=nan).is_found
    assert not replace(work, step=None).is_found

    columns = columns_of(SessionStreams.from_streams(streams), Sport.CYCLING, units=METRIC)
    view = SimpleNamespace(axis="elapsed", has_plan=True, shown=["power"], columns=columns)
    rows = (warm_up, missed, work)
    data = data_of(streams=streams, prescription=SET)
    boxes = _targets(SimpleNamespace(units=METRIC), data, data.streams, view=view, rows=rows)
    assert [(box.start, box.end) for box in boxes] == [(0, 600), (600, 780)]
    assert [_has_box(row) for row in rows] == [True, False, True]


def test_the_done_bars_have_the_intensities_of_their_power():
    """A repetition that was ridden at tempo had the colour of the plan's threshold."""
    laps = [
        (150, 600, LapIntensity.AEROBIC), (215, 600, LapIntensity.TEMPO), (120, 300, LapIntensity.RECOVERY),
        (230, 600, LapIntensity.THRESHOLD), (121, 300, LapIntensity.AEROBIC),
    ]  # fmt: skip
    ends = [0, *np.cumsum([seconds for _, seconds, _ in laps]).tolist()]
    rest = aimed({"service_intensity": LapIntensity.RECOVERY}, timed(300), StepLabel.REST)
    cool_down = aimed({"service_intensity": LapIntensity.RECOVERY}, timed(300), StepLabel.COOL_DOWN)
    asked = plan(step(150, 600, StepLabel.WARM_UP), step(228, 600), rest, step(228, 600), cool_down)
    session = rides.activity(total_duration=ends[-1])

    streams = at_start(power=np.concatenate([np.full(seconds, float(watts)) for watts, seconds, _ in laps]))

    rows = planned_and_done(data_of(session, streams, prescription=asked)).rows

    assert rows[1].intensity is LapIntensity.THRESHOLD
    found = [row.done_intensity for row in rows]
    # Power knows no recovery: an easy part of a planned recovery has the intensity of the plan.
    assert found == [*(intensity for _, _, intensity in laps[:-1]), LapIntensity.RECOVERY]


def test_last_interval_cut_short_is_shown():
    streams = done((150, 600), (280, 180), (120, 180), (280, 180), (120, 180), (280, 80), (120, 180))

    states = [row.state for row in planned_and_done(data_of(streams=streams, prescription=SET)).rows]

    assert states == [StepState.DONE] * 5 + [StepState.CUT_SHORT, StepState.DONE]


def test_a_pause_of_the_device_does_not_draw_an_interval_out():
    """Found on the demo: six minutes off the bike within an interval of four counted as too long."""
    power = np.concatenate([np.full(600, 150.0), np.full(180, 280.0), np.full(180, 120.0)])
    elapsed_s = np.concatenate([np.arange(690), np.arange(1050, 1320)])
    unpaused = recorded(power=power)
    stamps = unpaused.timestamps[0] + elapsed_s * np.timedelta64(1000, "ms")
    streams = ActivityStreams(unpaused.columns, stamps)
    asked = plan(step(150, 600, StepLabel.WARM_UP), step(280, 180), step(120, 180, StepLabel.REST))

    hard = planned_and_done(data_of(streams=streams, prescription=asked)).rows[1]

    assert (hard.state, hard.done_s, hard.to_s - hard.from_s) == (StepState.DONE, 180, 540)


def test_left_out_intervals_are_skipped():
    streams = done((150, 600), (280, 180), (120, 180))

    found = planned_and_done(data_of(streams=streams, prescription=SET))

    assert [row.state for row in found.rows].count(StepState.SKIPPED) == 4
    assert found.work.done == 1


def at_start(**columns):
    """Streams on the clock of the device laps, with these columns only."""
    usual = dict.fromkeys(rides.streams().columns)
    return rides.streams(len(next(iter(columns.values()))), **usual | columns)


def run(structure, *, known=KNOWN, **columns):
    """A run against its workout; a lap of the device ends with each step."""
    lengths_s = [one.length.duration for one in structure]
    ends = np.cumsum(lengths_s).tolist()
    laps = tuple(rides.provider_lap(start, end) for start, end in pairwise([0, *ends]))
    activity = rides.activity(sport=Sport.RUNNING, provider_laps=laps, total_duration=ends[-1])
    asked = plan(*structure, sport=Sport.RUNNING)
    return planned_and_done(data_of(activity, at_start(**columns), known=known, prescription=asked))


def beats(*blocks):
    return np.concatenate([rides.beats(seconds, mean) for seconds, mean in blocks])


def timed(seconds):
    return {"type": "duration", "duration": seconds}


def test_a_planned_pace_is_one_on_the_flat():
    """Each of ten hill repetitions at the planned effort was too easy."""
    speed = np.concatenate([np.full(600, 3.0), np.full(300, 3.0)])
    distance = np.cumsum(speed) - speed
    altitude = np.maximum(distance - 1800, 0) * 0.08  # 8 %: 3 m/s uphill are 4.5 m/s on the flat
    steps = [
        aimed({"min_speed": 2.9, "max_speed": 3.1}, timed(600), StepLabel.WARM_UP),
        aimed({"min_speed": 4.3, "max_speed": 4.6}, timed(300)),
    ]

    hilly = run(steps, speed=speed, distance=distance, altitude=altitude)
    flat = run(steps, speed=speed, distance=distance, altitude=np.zeros(900))

    assert hilly.rows[1].achieved == pytest.approx(4.51, abs=0.02)
    assert hilly.rows[1].is_achieved
    assert not flat.rows[1].is_achieved


def test_heart_rate_has_two_minutes_to_follow_and_judges_no_short_step():
    """Each stride of 20 s was too easy and each recovery of 70 s too hard."""
    aims = [{"min_heart_rate": low, "max_heart_rate": low + 8} for low in (140, 165, 110, 160)]
    labels = (StepLabel.WARM_UP, StepLabel.ACTIVE, StepLabel.REST, StepLabel.ACTIVE)
    steps = [
        aimed(aim, timed(seconds), label)
        for aim, seconds, label in zip(aims, (600, 20, 70, 240), labels, strict=True)
    ]
    recorded_bpm = beats((600, 144), (20, 150), (70, 146), (120, 120), (120, 164))

    _, stride, recovery, tempo = run(steps, heartRate=recorded_bpm).rows

    assert tempo.is_achieved
    assert [row.off_band for row in (stride, recovery, tempo)] == [None] * 3
    assert (tempo.achieved, tempo.in_band, tempo.done_s, tempo.from_s) == (pytest.approx(164), 1, 240, 690)
    assert isnan(stride.in_band)


def test_a_target_that_nothing_recorded_leaves_the_totals_to_compare():
    """Five repetitions of four minutes on the water, planned in watts, were 0 of 5."""
    steps = [step(150, 600, StepLabel.WARM_UP), step(300, 240)]

    found = run(steps, heartRate=rides.beats(840))

    assert found.rows == ()
    assert isnan(found.work.ratio)


def test_a_step_by_distance_is_as_long_as_its_distance():
    """Its planned time is estimated from the mean speed of the run: twelve full repetitions were cut short."""
    easy = aimed({"min_heart_rate": 115, "max_heart_rate": 125}, timed(600), StepLabel.WARM_UP)
    hard = {"min_heart_rate": 155, "max_heart_rate": 165}
    speed = np.concatenate([np.full(600, 2.0), np.full(250, 4.0)])
    laps = (rides.provider_lap(0, 600), rides.provider_lap(600, 850))
    activity = rides.activity(
        sport=Sport.RUNNING, provider_laps=laps, average_speed=2.6, total_duration=850, distance=2200
    )
    by_way = plan(easy, aimed(hard, {"type": "distance", "distance": 1000}), sport=Sport.RUNNING)
    streams = at_start(
        speed=speed, distance=np.cumsum(speed) - speed, heartRate=beats((600, 120), (250, 160))
    )
    data = data_of(activity, streams, prescription=by_way)

    row = planned_and_done(data).rows[1]

    assert row.state is StepState.DONE
    assert row.done_m == pytest.approx(1000, abs=5)
    assert _step_row(Units(System.METRIC), data, row)["Planned"] == "1.00 km"
    assert _step_row(Units(System.METRIC), data, row)["Done"] == "1.00 km, 4:10"


def forty_twenty(sets=3, many=12, work_s=40, rest_s=20):
    """Sets of short repetitions with five minutes between them."""
    repetitions = StructureRepetition(
        type="repetition",
        n_repetitions=many,
        steps=(step(350, work_s), step(120, rest_s, StepLabel.INTRA_RECOVERY)),
    )
    each = StructureRepetition(
        type="repetition", n_repetitions=sets, steps=(repetitions, step(130, 300, StepLabel.REST))
    )
    return plan(step(150, 600, StepLabel.WARM_UP), each, step(130, 600, StepLabel.COOL_DOWN))


def shown_of(asked, *blocks, laps=()):
    found = planned_and_done(data_of(rides.activity(laps=laps), done(*blocks), prescription=asked))
    return with_sets(found.rows)


def test_short_repetitions_are_sets_and_not_rows():
    """3 x 12 x 40/20 s: warm-up, three sets with a rest after each, cool-down; one repetition of the second was easy."""
    sets = [[(350, 40), (120, 20)] * 12 for _ in range(3)]
    sets[1][8] = (290, 40)
    blocks = [(150, 600), *(block for one in sets for block in (*one, (130, 300))), (130, 600)]
    starts = np.cumsum([0, *(seconds for _, seconds in blocks)]).tolist()
    laps = tuple(
        rides.lap(start, end - 1, power=float(watts), intensity=LapIntensity.VO2MAX if watts > 200 else LapIntensity.RECOVERY)
        for (start, end), (watts, _) in zip(pairwise(starts), blocks, strict=True)
    )  # fmt: skip

    shown = shown_of(forty_twenty(), *blocks, laps=laps)

    found = [one for one in shown if isinstance(one, ShortSet)]
    assert len(shown) == 8
    assert [(len(one.work), len(one.recoveries), one.done) for one in found] == [(12, 12, 12), (12, 12, 11), (12, 12, 12)]  # fmt: skip
    assert [one.span_s[0] for one in found] == [600, 1620, 2640]
    assert found[0].span_s[1] == pytest.approx(1320, abs=1)
    assert found[0].achieved == pytest.approx(350)
    assert found[1].achieved == pytest.approx((11 * 350 + 290) / 12)
    assert [set_words(one) for one in found] == ["✓ 12 of 12", "Δ 11 of 12, 1 too easy", "✓ 12 of 12"]


@pytest.mark.parametrize(
    ("many", "work_s", "rest_s", "is_set"),
    [(4, 60, 60, True), (3, 40, 20, False), (4, 61, 60, False), (8, 10, 300, False), (10, 30, 15, True)],
)
def test_a_set_has_four_repetitions_of_two_minutes_at_most(many, work_s, rest_s, is_set):
    asked = forty_twenty(sets=1, many=many, work_s=work_s, rest_s=rest_s)
    blocks = [(150, 600), *[(350, work_s), (120, rest_s)] * many, (130, 300), (130, 600)]

    shown = shown_of(asked, *blocks)

    assert any(isinstance(one, ShortSet) for one in shown) is is_set
    assert len(shown) == (4 if is_set else 3 + 2 * many)


def test_a_skipped_set_says_so_and_two_sets_in_a_row_stay_two():
    repetitions = [
        StructureRepetition(type="repetition", n_repetitions=6, steps=(step(350, 40), step(120, 20, StepLabel.REST)))
        for _ in range(2)
    ]  # fmt: skip
    asked = plan(step(150, 600, StepLabel.WARM_UP), *repetitions)

    shown = shown_of(asked, (150, 600), *[(350, 40), (120, 20)] * 6)
    found = [one for one in shown if isinstance(one, ShortSet)]

    assert [len(one.work) for one in found] == [6, 6]
    assert sum(one.span_s is None for one in found) == 1
    skipped = next(one for one in found if one.span_s is None)
    assert set_words(skipped) == "✕ skipped"
    assert isnan(skipped.achieved)


def test_short_rests_ridden_too_hard_are_rests_and_say_so():
    """Found on a recording: a rest of 15 s up to 136 W, ridden at 152 W, counted as skipped and as added."""
    asked = plan(
        step(145, 600, StepLabel.WARM_UP),
        StructureRepetition(
            type="repetition",
            n_repetitions=3,
            steps=(step(450, 30), step(68, 15, StepLabel.INTRA_RECOVERY)),
        ),
    )
    blocks = [(150, 600), (455, 30), (180, 15), (450, 30), (150, 15), (440, 30), (66, 15)]
    starts = np.cumsum([0, *(seconds for _, seconds in blocks)]).tolist()
    laps = tuple(rides.lap(start, end - 1) for start, end in pairwise(starts))

    rows = planned_and_done(data_of(rides.activity(laps=laps), done(*blocks), prescription=asked)).rows

    assert [row.state for row in rows] == [StepState.DONE] * 7
    assert [row.off_band for row in rows] == [
        None,
        None,
        OffBand.TOO_HARD,
        None,
        OffBand.TOO_HARD,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("watts", "seconds", "is_done"),
    [(300, 600, True), (330, 600, False), (263, 600, True), (255, 600, False), (280, 470, False)],
)
def test_a_step_without_laps_counts_by_its_mean_and_its_time(watts, seconds, is_done):
    found = planned_and_done(data_of(streams=done((watts, seconds)), prescription=plan(step(280, 600))))

    assert found.rows[0].is_achieved is is_done


def test_watts_are_matched_without_a_critical_power():
    """Found on a recording: without a reference all levels were unknown, and 48 steps shared 18 minutes."""
    streams = done((150, 600), (280, 180), (120, 180))

    found = planned_and_done(data_of(streams=streams, prescription=SET, known={}))

    assert [row.state for row in found.rows] == [StepState.DONE] * 3 + [StepState.SKIPPED] * 4
    assert found.work.done == 1
    assert isnan(found.load.ratio)
    assert (found.basis.column, found.basis.is_critical) == ("power", False)


def test_a_band_is_judged_by_means_and_not_by_single_seconds():
    """A second on, a second off the pedals: 280 W on average, and no second near it."""
    pedalled = np.tile([0.0, 560.0], 300)

    found = planned_and_done(data_of(streams=recorded(power=pedalled), prescription=plan(step(280, 600))))

    assert found.rows[0].in_band == pytest.approx(1)


def test_a_warm_up_and_the_ride_after_it_cut_elsewhere_are_both_done():
    """Laps of 60, 20 and 10 min over a warm-up of 15 and an hour and a quarter of one level."""
    streams = done((140, 3_600), (165, 1_200), (140, 600), (100, 600))
    laps = tuple(rides.lap(*span) for span in ((0, 3599), (3600, 4799), (4800, 5399), (5400, 5999)))
    asked = plan(step(130, 900, StepLabel.WARM_UP), step(147, 4_500), step(100, 600, StepLabel.COOL_DOWN))

    found = planned_and_done(data_of(rides.activity(laps=laps), streams, prescription=asked))

    assert [row.state for row in found.rows] == [StepState.DONE] * 3


def test_nothing_paired_is_none_and_no_structure_compares_totals_alone():
    assert planned_and_done(data_of()) is None
    found = planned_and_done(
        data_of(rides.activity(moving_duration=3600.0), prescription=plan(duration=4000))
    )

    assert found.rows == ()
    assert found.duration.ratio == pytest.approx(0.9)
    assert isnan(found.load.ratio)


# Sensors and quality


def test_only_recorded_groups_are_offered_and_held_against_effort():
    effort = np.linspace(100, 300, 600)
    data = data_of(streams=recorded(power=effort, torque=effort / 10, groundContactTime=np.zeros(600)))

    (torque,) = sensor_columns(data, ["torque"])

    assert groups_of(data) == {"Running dynamics": ["ground_contact_time"], "Balance and torque": ["torque"]}
    assert torque.by_effort == pytest.approx(torque.effort / 10, rel=0.02)
    assert isnan(sensor_columns(data, ["ground_contact_time"])[0].summary.average)


def test_quality_lists_the_worst_column_first_and_the_excluded_time():
    rate = np.full(100, 140.0) + np.tile([0, 1], 50)
    rate[20:40] = np.nan
    report = report_of(data_of(streams=recorded(power=200 + np.tile([0.0, 1.0], 50), heartRate=rate)))

    assert [column.quality.name for column in report.columns] == ["heart_rate", "power"]
    assert report.columns[0].quality.missing_s == 20
    assert report_of(data_of()) is None


def left_out_of(streams, known=KNOWN):
    return {row.number: row for row in report_of(data_of(streams=streams, known=known)).left_out}


def test_each_number_names_excluded_zero_and_bridged_time():
    """20 s without a value in every column, 30 s of heart rate 0, 10 s of standing."""
    power, altitude = 200 + np.tile([0.0, 1.0], 100), np.arange(200.0)
    rate, speed = 140 + np.tile([0.0, 1.0], 100), 5 + np.tile([0.0, 0.1], 100)
    rate[100:130], speed[150:160] = 0, 0
    for column in (power, altitude, rate, speed):
        column[20:40] = np.nan

    found = left_out_of(recorded(power=power, altitude=altitude, heartRate=rate, speed=speed))

    assert found["Average and maximum power"].left_out_s == 20
    assert found["Normalized power, variability"].as_zero_s == 20
    assert found["Average and maximum heart rate"].left_out_s == 50
    assert found["Decoupling, heart rate vs output"].left_out_s == 50
    assert found["Time in speed zones, distribution"].left_out_s == 30
    assert found["Elevation gain and loss, grade"].bridged_s == 20
    assert "Best efforts by speed" not in found
    assert "W′ balance (Coachboard)" in found


def test_a_number_that_the_page_does_not_have_left_out_nothing():
    found = left_out_of(recorded(power=np.full(60, 200.0), speed=np.full(60, 9.0)), known={})

    assert not {"W′ balance (Coachboard)", "Grade-adjusted pace"} & set(found)


def test_a_pause_is_zero_for_best_efforts_and_left_out_of_normalized_power():
    at = np.concatenate([np.arange(100), np.arange(400, 500)])
    stamps = np.datetime64("2026-03-09T08:00:00", "ms") + at * np.timedelta64(1000, "ms")
    found = left_out_of(ActivityStreams({"power": 200 + np.tile([0.0, 1.0], 100)}, stamps))

    assert found["Best efforts by power"].as_zero_s == 300
    assert found["Normalized power, variability"].left_out_s == 300


def test_a_number_on_every_second_is_whole_and_a_spike_makes_it_doubtful():
    clean = 200 + np.tile([0.0, 1.0], 100)
    spiked = np.where(np.arange(200) == 77, 2_400.0, clean)

    assert all(row.is_whole for row in left_out_of(recorded(power=clean)).values())
    assert left_out_of(recorded(power=spiked))["Average and maximum power"].spikes == 1


def test_gap_of_the_record_is_listed_with_its_place():
    streams = recorded(power=np.full(20, 200.0))
    stamps = streams.timestamps.copy()
    stamps[10:] += np.timedelta64(timedelta(minutes=5))

    report = report_of(data_of(streams=ActivityStreams(streams.columns, stamps)))

    ((gap, at),) = report.gaps
    assert (gap.length_s, at) == (301, 9)


def test_a_lost_second_is_bridged_and_a_lost_minute_is_zero():
    power = 200 + np.tile([0.0, 1.0], 100)
    power[20:22], power[50:110] = np.nan, np.nan

    found = left_out_of(recorded(power=power))

    assert found["Best efforts by power"].bridged_s == 2
    assert found["Best efforts by power"].as_zero_s == 60
    assert found["Average and maximum power"].left_out_s == 62


def test_heat_is_in_bands_with_the_time_in_each():
    """Ten minutes each at 37.8, 38.2, 38.5 and 39.6 °C, and two without a value: 38.5 is the start of its band."""
    core = np.concatenate([np.repeat([37.8, 38.2, 38.5, 39.6], 600), np.zeros(120)])
    streams = recorded(coreTemperature=core, power=np.full(2520, 200.0))
    (column,) = sensor_columns(data_of(streams=streams), ["core_temperature"])

    assert column.band_edges == (38.0, 38.5, 39.0, 39.5)
    assert column.band_s == (600, 600, 600, 0, 600)
    known = columns_of(SessionStreams.from_streams(streams), Sport.CYCLING, units=Units(System.METRIC))["core_temperature"]  # fmt: skip
    assert band_words(column, known) == (
        "below 38.0 °C 10:00, 38.0 °C to 38.5 °C 10:00, 38.5 °C to 39.0 °C 10:00, from 39.5 °C 10:00"
    )


def test_a_temperature_that_only_rises_is_no_running_total():
    """An hour of heat training read "Skin temperature 34.4 °C, total, 1.2 °C per h"."""
    skin = np.linspace(33, 34.4, 1800)
    streams = recorded(skinTemperature=skin, power=200 + 50 * np.sin(np.arange(1800.0)))
    (found,) = sensor_columns(data_of(streams=streams), ["skin_temperature"])

    assert not found.is_running_total
    assert found.summary.average == pytest.approx(skin.mean())
    assert len(found.by_effort)


def test_a_running_total_has_its_rate_per_hour():
    """600 in half an hour, evenly, is 1,200 an hour; a column that falls is no total."""
    total = np.linspace(0, 600, 1800)
    streams = recorded(
        fluidLoss=total,
        skinTemperature=30 + np.sin(np.arange(1800.0)),
        power=200 + 50 * np.sin(np.arange(1800.0)),
    )
    fluid, skin = sensor_columns(data_of(streams=streams), ["fluid_loss", "skin_temperature"])

    assert fluid.is_running_total
    assert fluid.rate_per_h == pytest.approx(600 / 1799 * 3600)
    assert not skin.is_running_total
    assert skin.band_s == ()
    assert len(skin.effort) > 0
    assert len(fluid.effort) == len(fluid.by_effort) == 0


def test_sensors_say_totals_and_rates_with_units():
    """A total read "1,095 on average" and "985 at 148 W"; ventilation read "45, as reported"."""
    streams = recorded(
        fluidLoss=np.linspace(0, 600, 1800),
        minuteVentilation=40 + 5 * np.sin(np.arange(1800.0)),
        power=np.full(1800, 200.0),
    )
    known = columns_of(SessionStreams.from_streams(streams), Sport.CYCLING, units=Units(System.METRIC))
    fluid, breath = sensor_columns(data_of(streams=streams), ["fluid_loss", "minute_ventilation"])

    assert known["fluid_loss"].is_running_total
    assert not known["minute_ventilation"].is_running_total
    total = over_session_words(fluid, known["fluid_loss"])
    assert re.fullmatch(r"Fluid loss up to each moment: 600 mL in total, 1,201 mL per h\.", total), total
    assert over_session_words(breath, known["minute_ventilation"]) == (
        "Minute ventilation over the session (30 s average): 40 L/min on average."
    )
    assert known["minute_ventilation"].heading == "Minute ventilation, L/min"
    assert known["minute_ventilation"].note == "The interface states no unit; L/min is assumed."


def test_a_stop_has_no_pace_in_the_table_of_a_chart():
    table = speed_column(Sport.RUNNING, METRIC).in_table(np.array([0.0, 0.1, 4.0]))

    np.testing.assert_equal(table, {"Pace, s /km": np.array([np.nan, np.nan, 250.0])})
