"""Imported figures agree with those that pages compute from the same streams."""

import numpy as np
import pytest

from coachboard.formulas.session.selection import summarize
from coachboard.formulas.session.session_streams import SessionStreams
from coachboard.loaders.power_curves import curve_of, per_clock_second
from coachboard.loaders.summary_motion import motion_of
from coachboard.pages.activity.stream_panels import trace_of
from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.summary import Identity, read_activity
from coachboard.wire.enums import Sport
from unit.service.importers.legs import leg

ATHLETE = AthleteValues(
    critical_power_w=250, w_prime_j=20_000, max_heart_rate_bpm=190, resting_heart_rate_bpm=50, weight_kg=75
)
AT = np.arange(3600.0)
POWER = 220 + 60 * np.sin(AT / 97) + 20 * np.sin(AT / 13)
RANDOM = np.random.default_rng(16)


def read(kept, sport=Sport.CYCLING, **columns):
    """The session of the seconds that the device wrote."""
    rows = {name: np.broadcast_to(values, AT.shape)[kept] for name, values in columns.items()}
    made = leg(times=AT[kept], sport=sport, **rows)
    return read_activity(made, Identity(id="act_1"), lambda sport, day: ATHLETE)


def on_pages(found):
    streams = SessionStreams.from_streams(found.streams, total_duration_s=found.activity.total_duration)
    return streams, summarize(streams, slice(0, len(streams)))


WAYS = {
    "thinned": np.arange(0, 3600, 4),
    "lost seconds": np.flatnonzero(RANDOM.random(3600) > 0.05),
    "on change": np.flatnonzero((AT % 2 == 0) | (AT % 3 == 0)),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_device_that_does_not_write_every_second_gives_the_same_figures(way):
    """o20 wrote 1,641 of 1,710 seconds: 604 kJ in the headline, 629 kJ in a selection."""
    whole, found = (read(kept, power=POWER).activity for kept in (np.arange(3600), WAYS[way]))

    for name in ("work", "normalized_power", "average_power", "volume", "intensity"):
        assert getattr(found, name) == pytest.approx(getattr(whole, name), rel=0.01), name


@pytest.mark.parametrize("way", WAYS)
def test_the_headline_is_the_selection_of_all(way):
    found = read(WAYS[way], power=POWER)
    _, page = on_pages(found)

    assert page.work_kj == pytest.approx(found.activity.work, abs=0.001)
    assert page.normalized_power_w == pytest.approx(found.activity.normalized_power, abs=0.01)
    assert sum(lap.duration for lap in found.activity.laps) == pytest.approx(page.elapsed_s)


@pytest.mark.parametrize("way", WAYS)
def test_the_best_effort_over_the_whole_is_the_mean(way):
    streams, page = on_pages(read(WAYS[way], power=POWER))
    grid = per_clock_second(streams, "power")

    assert grid.mean() == pytest.approx(page.columns["power"].average, rel=0.001)
    assert curve_of(streams, "power")[0] == pytest.approx(POWER[WAYS[way]].max(), abs=0.01)


def test_a_second_without_a_value_gives_the_same_load():
    power = np.where(AT % 20 == 7, np.nan, POWER)
    whole, found = (read(np.arange(3600), power=values).activity for values in (POWER, power))

    assert (found.volume, found.work) == pytest.approx((whole.volume, whole.work), rel=0.01)


def test_the_balance_of_a_thinned_ride_is_that_of_the_whole():
    whole, thinned = (
        read(kept, power=POWER).streams.columns["wPrimeBalance"]
        for kept in (np.arange(3600), WAYS["thinned"])
    )

    assert thinned.min() == pytest.approx(whole.min(), abs=400)


def test_heart_rate_written_on_change_counts_for_the_whole_session():
    """o19 had a load of 3.0 instead of 6.0."""
    rate = 110 + np.rint(20 * np.sin(AT / 60))
    changes = np.flatnonzero((np.diff(rate, prepend=0) != 0) | (AT % 8 == 0))
    whole, found = (
        read(kept, heartRate=rate, sport=Sport.TRAINING).activity for kept in (np.arange(3600), changes)
    )

    assert len(changes) < 2000
    assert found.volume == pytest.approx(whole.volume, rel=0.01)
    assert found.average_heart_rate == pytest.approx(whole.average_heart_rate, rel=0.01)


def test_a_climb_of_a_device_that_writes_on_change_takes_its_whole_time():
    """A one-hour climb came out a third too short, and its VAM 50 % too high."""
    distance = AT * 3.0
    (climb,) = read(
        WAYS["on change"], power=200.0, distance=distance, altitude=distance * 0.07
    ).activity.climbs

    assert climb.duration == pytest.approx(3600, abs=30)
    assert climb.average_speed == pytest.approx(climb.distance / climb.duration, abs=0.005)
    assert climb.average_speed == pytest.approx(3.0, abs=0.01)


def test_a_stop_is_no_part_of_a_lap_and_a_lost_second_is():
    kept = np.setdiff1d(np.arange(3600), [*range(600, 900), 1500, 1501])
    found = read(kept, power=POWER).activity

    assert sum(lap.duration for lap in found.laps) == 3300
    assert found.work == pytest.approx(POWER[np.r_[:600, 900:3600]].sum() / 1000, rel=0.001)


def test_laps_add_up_from_boundary_to_boundary():
    """o02 lost 1.4 km over its laps, o04 0.5 km."""
    power = np.where(AT % 600 < 240, 330.0, 120.0)
    found = read(np.arange(3600), power=power, distance=AT * 9).activity

    assert len(found.laps) > 8
    assert sum(lap.distance for lap in found.laps) == pytest.approx(9 * 3599)


@pytest.mark.parametrize("step_s", [1, 4])
def test_a_lap_has_the_distance_of_its_selection(step_s):
    power = np.where(AT % 600 < 240, 330.0, 120.0)
    found = read(np.arange(0, 3600, step_s), power=power, distance=np.where(AT % 7 < 3, np.nan, AT * 9))
    streams, _ = on_pages(found)

    for lap in found.activity.laps:
        page = summarize(streams, slice(lap.started_at_index, lap.ended_at_index + 1))
        assert lap.distance == pytest.approx(page.distance_m, abs=0.01)
        assert lap.duration == pytest.approx(page.elapsed_s)
        assert lap.average_power == pytest.approx(page.columns["power"].average, abs=0.01)


def test_a_lap_is_ridden_at_its_distance_over_its_moving_time():
    """A minute at a red light made the lap slower than the selection over it."""
    power, speed = np.where(AT % 600 < 240, 330.0, 120.0), np.where(AT % 600 < 60, 0.0, 9.0)
    found = read(np.arange(3600), power=power, speed=speed, distance=np.cumsum(speed) - speed)
    streams, _ = on_pages(found)

    for lap in found.activity.laps:
        page = summarize(streams, slice(lap.started_at_index, lap.ended_at_index + 1))
        assert lap.average_speed == pytest.approx(page.columns["speed"].average, abs=0.01)
        assert lap.average_speed == pytest.approx(9, abs=0.01)


def test_a_record_over_the_edge_of_two_laps_belongs_to_the_lap_in_which_it_begins():
    """The power changes its level after 50 s, within the record from 40 to 80 s."""
    made = leg(
        times=[0, 40, 80, 120], sport=Sport.CYCLING, power=[350.0, 250.0, 150.0, 250.0], distance=AT[:4] * 400
    )
    first, *_ = read_activity(made, Identity(id="act_1"), lambda sport, day: ATHLETE).activity.laps

    assert (first.started_at_index, first.ended_at_index, first.duration) == (0, 1, 80)


def test_a_climb_gains_its_top_over_its_foot():
    """The hysteresis swallowed up to 3 m of the top: 36 instead of 39 m."""
    distance = AT * 3.0
    altitude = np.interp(distance, [0, 2000, 2700, 4000], [100, 100, 139, 139]).round(1)
    (climb,) = read(np.arange(3600), power=200.0, distance=distance, altitude=altitude).activity.climbs

    assert climb.elevation_gain == pytest.approx(39, abs=0.5)


def test_the_panel_of_speed_shows_the_speed_of_the_headline():
    """Distance over moving time in both; the mean of the samples counted stops and lost seconds."""
    speed = np.where((AT > 1000) & (AT < 1600), 0.0, 8.0 + np.sin(AT / 97))
    found = read(WAYS["lost seconds"], speed=speed, distance=np.cumsum(speed))
    streams, _ = on_pages(found)

    panel = trace_of(streams, "speed", axis="elapsed").average

    assert panel == pytest.approx(motion_of(found.activity).speed_mps, rel=1e-3)
    assert panel == pytest.approx(8.0, rel=0.01)
