"""Panels: robust ranges, means over time, gaps, places on other axes."""

import numpy as np

import rides
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.pages.activity.stream_panels import along, elapsed_at, trace_of


def session(seconds=6_000, **columns):
    return SessionStreams.from_streams(rides.streams(seconds, **columns))


def test_a_long_line_is_reduced_and_keeps_its_spike():
    power = np.full(20_000, 200.0)
    power[12_345] = 1_450
    trace = trace_of(session(20_000, power=power), "power", axis="elapsed")

    assert len(trace.x) <= 1_500
    assert trace.y.max() == 1_450
    assert trace.high < 400
    assert trace.highest == 1_450


def test_a_stop_does_not_flatten_the_pace():
    speed = np.full(6_000, 3.5) + np.sin(np.arange(6_000)) * 0.2
    speed[100:130] = 0.0
    trace = trace_of(session(speed=speed), "speed", axis="elapsed")

    assert trace.low > 2.5


def test_the_mean_cadence_leaves_out_where_nothing_turned_as_devices_do():
    cadence, power = np.full(6_000, 90.0), np.full(6_000, 200.0)
    cadence[:3_000] = power[:3_000] = 0
    both = session(cadence=cadence, power=power)

    assert trace_of(both, "cadence", axis="elapsed").average == 90
    assert trace_of(both, "power", axis="elapsed").average == 100


def test_gaps_stay_gaps():
    power = np.full(6_000, 200.0)
    power[1_000:2_000] = np.nan
    trace = trace_of(session(power=power), "power", axis="elapsed")

    inside = trace.y[(trace.x > 999) & (trace.x < 2_000)]
    assert len(inside)
    assert np.isnan(inside).all()


def test_a_zoomed_window_is_drawn_at_full_resolution():
    trace = trace_of(session(20_000), "power", axis="elapsed", window=slice(5_000, 6_000))

    assert trace.x.tolist() == list(range(5_000, 6_000))


def test_single_values_are_known_for_such():
    speed = np.full(600, np.nan)
    speed[::30] = 1.2

    assert trace_of(session(600, speed=speed), "speed", axis="elapsed").is_sparse
    assert not trace_of(session(600), "speed", axis="elapsed").is_sparse


def test_places_translate_between_the_axes():
    streams = session()

    assert along(streams, "distance", 100.0) == 1_000
    assert elapsed_at(streams, "distance", 1_000.0) == 100
    assert elapsed_at(streams, "elapsed", 99_999.0) == 6_000


def test_a_stop_does_not_flatten_a_pace():
    """A drill that is written with speed 0 lies outside the range; a ride's stop stays in it."""
    speed = np.concatenate([np.full(50, 1.2), np.zeros(20), np.full(50, 1.4)])
    streams = SessionStreams.from_streams(rides.streams(120, speed=speed))

    pace, ride = (trace_of(streams, "speed", axis="elapsed", is_pace=is_pace) for is_pace in (True, False))

    assert pace.low > 1
    assert ride.low < 1


def test_a_single_value_is_counted_as_one():
    rate = np.full(600, np.nan)
    rate[0] = 95
    trace = trace_of(SessionStreams.from_streams(rides.streams(heartRate=rate)), "heart_rate", axis="elapsed")

    assert (trace.values, trace.average, trace.is_sparse) == (1, 95, True)
