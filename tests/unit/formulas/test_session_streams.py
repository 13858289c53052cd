"""Streams on one clock: pauses, missing and broken time stamps, words for no number, moving and standing."""

import numpy as np
import pytest

import rides
from coachboard.formulas.session.part_measures import measures_of
from coachboard.formulas.session.selection import summarize
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders.summary_motion import is_whole, recorded_session
from coachboard.pages.activity.recording_quality import usable_summary
from coachboard.pages.activity.selection_summary import summary_of
from coachboard.pages.activity.stream_panels import trace_of
from coachboard.wire.streams import ActivityStreams
from session_data import data_of


def on_clock(seconds, **columns):
    stamps = np.datetime64("2026-03-03T08:00:00", "ms") + np.array(seconds, "timedelta64[s]")
    return SessionStreams.from_streams(ActivityStreams(columns, stamps))


def test_a_pause_counts_one_usual_step_and_is_marked():
    found = on_clock([0, 1, 2, 62, 63])

    assert found.dt_s.tolist() == [1, 1, 1, 1, 1]
    assert found.is_after_gap.tolist() == [False, False, False, True, False]
    assert found.elapsed_s.tolist() == [0, 1, 2, 62, 63]


def test_smart_recording_is_no_row_of_pauses():
    found = on_clock([0, 4, 9, 16, 20])

    assert not found.is_after_gap.any()
    assert found.dt_s[:4].tolist() == [4, 5, 7, 4]


def test_standing_does_not_count_as_moving():
    found = on_clock([0, 1, 2, 3], speed=np.array([3.0, 0.2, np.nan, 3.0]))

    assert found.is_moving.tolist() == [True, False, True, True]
    assert found.moving_s.tolist() == [0, 1, 1, 2]


def test_without_a_sensor_of_speed_all_time_is_moving():
    found = on_clock([0, 1, 2], speed=np.zeros(3), distance=np.zeros(3), power=np.full(3, 200.0))

    assert found.moving_s.tolist() == [0, 1, 2]
    assert set(found.unused) == {"speed", "distance"}
    assert found.distance_m is None


def test_missing_and_falling_stamps_are_put_between_their_neighbours():
    stamps = np.array(
        ["2026-03-03T08:00:00", "NaT", "2026-03-03T08:00:04", "2026-03-03T08:00:03"], "datetime64[ms]"
    )
    found = SessionStreams.from_streams(ActivityStreams({"power": np.arange(4.0)}, stamps))

    assert found.elapsed_s.tolist() == [0, 2, 4, 4]
    assert found.clock == "repaired"


def test_without_stamps_the_records_are_spread_over_the_duration():
    found = SessionStreams.from_streams(ActivityStreams({"power": np.ones(5)}), total_duration_s=100)

    assert found.elapsed_s.tolist() == [0, 20, 40, 60, 80]
    assert found.end_s == 100
    assert found.clock == "assumed"
    assert found.started_at is None


def test_words_are_missing_and_counted_and_empty_columns_are_named():
    columns = {"power": np.array([np.inf, 200.0, np.nan]), "cadence": np.full(3, np.nan)}
    found = SessionStreams.from_streams(ActivityStreams(columns, None, {"power": np.array([2])}))

    assert np.isnan(found.columns["power"]).tolist() == [True, False, True]
    assert found.non_finite == {"power": 2}
    assert found.empty_columns == ("cadence",)


def test_distance_never_falls_and_keeps_its_holes_closed():
    found = on_clock([0, 1, 2, 3], distance=np.array([0.0, np.nan, 20.0, 15.0]))

    assert found.distance_m.tolist() == [0, 10, 20, 20]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_next_to_nothing_is_a_record_too(count):
    found = SessionStreams.from_streams(rides.streams(count))

    assert len(found) == count
    assert len(found.dt_s) == len(found.moving_s) == count


def test_a_stretch_ends_where_the_next_begins():
    found = SessionStreams.from_streams(rides.streams(100))

    assert found.between(10, 20) == slice(10, 20)
    assert found.between(20, found.end_s) == slice(20, 100)
    assert found.end_s == 100


def test_speed_is_derived_from_distance_and_stops_where_the_distance_does():
    way = np.concatenate([np.arange(60) * 8.3, np.full(60, 59 * 8.3)]).round()
    found = on_clock(range(120), distance=way)

    assert found.derived == {"speed": "distance"}
    assert found.columns["speed"][5:55] == pytest.approx(8.3, abs=0.25)
    assert (found.columns["speed"][65:] == 0).all()
    assert found.moving_s[-1] == pytest.approx(60, abs=4)


def test_a_derived_speed_has_no_leap_after_a_pause():
    found = on_clock([0, 1, 2, 302, 303, 304], distance=np.array([0, 8, 16, 16, 24, 32.0]))

    assert found.columns["speed"] == pytest.approx(8)


def test_distance_is_derived_from_speed():
    found = on_clock([0, 1, 2, 3], speed=np.array([8.0, 8.0, np.nan, 8.0]))

    assert found.derived == {"distance": "speed"}
    assert found.distance_m.tolist() == [0, 8, 16, 16]


@pytest.mark.parametrize(
    "columns", [{}, {"distance": np.zeros(4)}, {"distance": np.arange(4.0), "speed": np.ones(4)}]
)
def test_nothing_is_derived_where_both_or_neither_were_recorded(columns):
    found = on_clock([0, 1, 2, 3], **columns)

    assert found.derived == {}
    assert ("speed" in found.columns) == ("speed" in columns)


def stopping():
    """100 s at 5 m/s, 100 s of standing, 100 s at 5 m/s; the wheel sensor reads 4 % too much."""
    speed = np.repeat([5.2, 0.0, 5.2], 100)
    distance = np.cumsum(np.repeat([5.0, 0.0, 5.0], 100)) - 5
    return on_clock(range(300), speed=speed, distance=distance, power=np.full(300, 200.0))


def test_speed_is_distance_over_moving_time_in_panels_parts_and_selections():
    streams, whole = stopping(), slice(0, 300)
    panel = trace_of(streams, "speed", axis="elapsed").average
    selected = summarize(streams, whole)

    assert panel == pytest.approx(5)
    assert selected.columns["speed"].average == panel
    assert selected.active_s == 200
    assert measures_of(streams, (0, 300))["average_speed_mps"] == panel
    assert np.isnan(streams.mean("speed", slice(120, 150)))


def test_speed_without_distance_is_the_mean_while_moving():
    streams = on_clock(range(300), speed=np.repeat([4.0, 0.0, 2.0], 100))

    assert streams.mean("speed", slice(0, 300)) == pytest.approx(3, abs=0.02)


def test_with_pool_lengths_only_these_are_moving_at_any_speed():
    """The rests of a pool watch, which writes a speed once a length, counted as moving."""
    found = SessionStreams.from_streams(
        rides.streams(100, speed=np.full(100, np.nan)), swum=[rides.length(10, 29), rides.length(60, 79)]
    )

    assert np.flatnonzero(found.is_moving).tolist() == [*range(10, 30), *range(60, 80)]
    assert found.moving_s[-1] == 40


SUMMARY = {
    "distance": 6_030, "moving_duration": 590, "average_power": 251, "normalized_power": 255, "work": 151, "average_heart_rate": 141,
    "elevation_gain": 80, "elevation_loss": 20,
}  # fmt: skip


def test_panels_and_selection_of_a_whole_session_show_the_figures_of_its_headline():
    """The headline showed 4:47 /km, the panel 4:48 /km, and the selection of all of it another ascent."""
    ride = rides.activity(**SUMMARY)
    data = data_of(ride, rides.streams(distance=np.arange(600) * 10.0))
    streams, speed = data.streams, 6_030 / 590
    whole, part = summary_of(data, streams, slice(None)), summary_of(data, streams, slice(0, 599))

    means = [trace_of(streams, name, axis="elapsed").average for name in ("speed", "power", "heart_rate")]
    assert means == pytest.approx([speed, 251, 141])
    assert [whole.columns[name].average for name in ("speed", "power", "heart_rate")] == means
    assert (whole.active_s, whole.distance_m, whole.gain_m, whole.loss_m) == (590, 6_030, 80, 20)
    assert (whole.normalized_power_w, whole.work_kj) == (255, 151)
    assert whole.variability_index == pytest.approx(255 / 251)
    assert measures_of(streams, (0, 600))["distance_m"] == 6_030
    assert (part.active_s, part.distance_m) == (599, 5_990)
    assert part.columns["power"].average == pytest.approx(250)
    assert streams.mean("power", slice(1, 600)) == pytest.approx(250)


@pytest.mark.parametrize(
    ("summary", "whole"),
    [
        ({"distance": 6_280}, True),
        ({"distance": 6_320}, False),
        ({"distance": 5_720}, True),
        ({"distance": 5_700}, False),
        ({"total_duration": 631}, True),
        ({"total_duration": 700}, False),
        ({"total_duration": None, "effective_duration": 700}, False),
        ({"total_duration": None}, True),
        ({"distance": 6_000, "total_duration": 700}, True),
    ],
)
def test_a_recording_of_a_part_keeps_its_own_figures(summary, whole):
    """One file in the recordings has 5 of 59 minutes: their mean is not that of the session."""
    ride = rides.activity(**{"average_power": 300, "total_duration": 600} | summary)
    streams = recorded_session(rides.streams(distance=np.arange(600) * 10.0 * 600 / 599), ride)

    assert is_whole(streams, ride) is whole
    assert streams.mean("power", slice(None)) == pytest.approx(300 if whole else 250)


def test_a_distance_derived_from_speed_does_not_say_how_much_was_recorded():
    ride = rides.activity(distance=9_000, total_duration=600)

    assert is_whole(recorded_session(rides.streams(distance=None), ride), ride)


def test_a_dead_power_meter_gives_the_selection_no_power():
    ride = rides.activity(**SUMMARY)
    data = data_of(ride, rides.streams(power=np.zeros(600), distance=np.arange(600) * 10.0))

    whole = summary_of(data, data.streams, slice(None))

    assert np.isnan(whole.normalized_power_w)
    assert np.isnan(whole.work_kj)


def test_an_impossible_heart_rate_of_the_summary_is_not_shown():
    streams = recorded_session(rides.streams(), rides.activity(average_heart_rate=0))

    assert streams.mean("heart_rate", slice(None)) == pytest.approx(140, abs=2)


def test_cadence_of_the_headline_is_that_of_its_panel():
    """Devices differ in whether a stop counts as 0: a walk had 33 in the headline and 52 above its panel."""
    cadence = np.where(np.arange(600) < 300, 80.0, 0.0)
    walk = data_of(rides.activity(average_running_cadence=40), rides.streams(cadence=cadence))
    part = data_of(
        rides.activity(average_running_cadence=40, total_duration=900), rides.streams(cadence=cadence)
    )
    bare = data_of(rides.activity(average_cadence=40), rides.streams())

    assert usable_summary(walk).average_running_cadence == 80
    assert usable_summary(walk).average_cadence is None
    assert usable_summary(part).average_running_cadence == 40
    assert usable_summary(bare).average_cadence == 40
