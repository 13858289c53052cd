"""The load of rides without power and heart rate: which rides get one, and how far it is from the power meter's."""

from dataclasses import replace
from datetime import date
from statistics import median

import numpy as np
import pytest

from coachboard.service.importers.archive import SourceFile
from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.importing import Importer, athletes_of
from coachboard.service.importers.load import load_of
from coachboard.service.importers.plausible import without_dead_sensors
from coachboard.service.importers.record_times import durations
from coachboard.service.importers.reread import is_current, recompute
from coachboard.service.values import new_metric
from coachboard.wire.enums import MetricSport, Sport, SubSport
from coachboard.wire.metrics import MetricType
from unit.service.importers.legs import leg
from unit.service.importers.xml_files import gpx, gpx_points, segment

ATHLETE = AthleteValues(
    critical_power_w=250,
    weight_kg=71,
    max_heart_rate_bpm=190,
    resting_heart_rate_bpm=50,
    critical_speed_mps=4,
)
HOUR = 3600
HILLS = 200 + 60 * np.sin(np.arange(HOUR) / 300)
MEASURED_KG = {"o01": 75, "o02": 84, "o03": 67, "o04": 81, "o08": 75, "o18": 87}
"""Weight of the rider by the user profile of each file; o08 has none."""


def scores(athlete=ATHLETE, count=HOUR, **more):
    ride = {"sport": Sport.CYCLING, "sub_sport": SubSport.ROAD, "speed": 8.0, "altitude": HILLS} | more
    made = leg(count, **{name: value for name, value in ride.items() if value is not None})
    return load_of(made, athlete, durations(made))


def test_an_hour_on_a_climb_scores_by_hand():
    """5 m/s up 5 %, 80 kg with the bicycle: 219.7 W of rolling and climbing, 27.6 W of drag, over 0.976 is 253 W."""
    got = scores(speed=5.0, altitude=0.25 * np.arange(HOUR))

    drag = 27.56 * 0.957  # the mean density over 900 m of climbing
    assert got["volume"] == pytest.approx(((215.75 + drag) / 0.976 / 250) ** 2 * 100, rel=0.01)
    assert got["intensity"] is None
    assert got["training_stimulus"] is None


def test_a_heavier_rider_and_a_lower_threshold_make_more_load():
    usual = scores()["volume"]

    assert scores(replace(ATHLETE, weight_kg=85))["volume"] > 1.05 * usual
    assert scores(replace(ATHLETE, critical_power_w=200))["volume"] == pytest.approx(usual * 1.5625, rel=0.01)


@pytest.mark.parametrize(
    "more",
    [
        {"athlete": replace(ATHLETE, weight_kg=None)},
        {"athlete": replace(ATHLETE, critical_power_w=None)},
        {"altitude": None},
        {"altitude": 0.0},  # an app without a sensor
        {"speed": None},
        {"speed": np.where(np.arange(HOUR) < 1700, 8.0, np.nan)},
        {"sport": Sport.E_BIKING},
        {"sport": Sport.WALKING},
        {"sport": None},
        {"sub_sport": SubSport.INDOOR_CYCLING},
        {"sub_sport": SubSport.VIRTUAL_ACTIVITY},
        {"sub_sport": SubSport.MOUNTAIN},
        {"sub_sport": SubSport.RECUMBENT},
        {"sub_sport": SubSport.E_BIKE_FITNESS},
        {"figures": {"average_heart_rate": 150.0}},
        {"figures": {"average_power": 180.0}},
    ],
)
def test_a_ride_on_which_the_model_does_not_hold_gets_no_load(more):
    assert scores(**more)["volume"] is None


@pytest.mark.parametrize("sub_sport", [None, SubSport.GENERIC, SubSport.ROAD, SubSport.COMMUTING])
def test_every_kind_of_ride_on_asphalt_gets_one(sub_sport):
    assert scores(sub_sport=sub_sport)["volume"] > 0


@pytest.mark.parametrize(
    "measured",
    [
        {"power": 150.0 + np.arange(HOUR) % 20},
        {"heartRate": 130.0 + np.arange(HOUR) % 20},
        {"figures": {"rpe": 5.0}},
    ],
)
def test_power_heart_rate_and_rating_come_before_the_estimate(measured):
    assert scores(**measured)["volume"] == scores(altitude=None, **measured)["volume"] > 0


def test_a_heart_rate_without_references_keeps_the_estimate_away():
    """The interface has no field for the method: such a load would look like one by heart rate."""
    athlete = replace(ATHLETE, max_heart_rate_bpm=None)

    assert scores(athlete, heartRate=130.0 + np.arange(HOUR) % 20)["volume"] is None


def test_a_run_keeps_its_pace_load():
    run = {"sport": Sport.RUNNING, "sub_sport": None, "speed": 4.0}

    assert scores(**run)["volume"] == scores(replace(ATHLETE, weight_kg=None), **run)["volume"] > 0


def without_sensors(ridden):
    ridden = without_dead_sensors(ridden)
    kept = {name: values for name, values in ridden.columns.items() if name not in {"power", "heartRate"}}
    lost = {"average_power", "average_heart_rate", "rpe"}
    figures = {name: value for name, value in ridden.figures.items() if name not in lost}
    return replace(ridden, columns=kept, figures=figures)


def error_of(read_file, name):
    """The estimated load over that of the power meter, less 1."""
    recording = read_file(name).recording
    ridden = next(one for one in recording.legs if one.sport is Sport.CYCLING)
    athlete = AthleteValues(critical_power_w=250, weight_kg=MEASURED_KG[name])
    measured = load_of(without_dead_sensors(ridden), athlete, durations(ridden))["volume"]
    return load_of(without_sensors(ridden), athlete, durations(ridden))["volume"] / measured - 1


@pytest.mark.recordings
@pytest.mark.parametrize(
    "names", [("o01", "o02", "o03", "o04", "o08"), pytest.param(("o18",), marks=pytest.mark.slow)]
)
def test_the_estimate_is_as_close_to_the_power_meter_as_the_formula_says(read_file, names):
    errors = [abs(error_of(read_file, name)) for name in names]

    assert median(errors) <= 0.06
    assert max(errors) <= 0.15


def gpx_ride(seconds=1200):
    """20 minutes at 11.12 m/s, 0.1 m higher each second."""
    points = gpx_points(range(seconds), lambda second: f"<ele>{300 + second / 10:.1f}</ele>")
    return gpx(f"<type>cycling</type>{segment(points)}")


def put(store, kind, value, sport=MetricSport.GLOBAL):
    store.put_metrics(
        "usr_a", [new_metric(kind, value, day=date(2026, 1, 1), sport=sport, id_=f"mtr_{kind}")]
    )


def volume(store, activity_id):
    seen = store.own_activity("usr_a", activity_id)
    assert not is_current(seen, athletes_of(store, "usr_a"))
    recompute(store, "usr_a", activity_id, athletes_of(store, "usr_a"))
    return store.activities_of("usr_a", None, None)[0].volume


def test_each_new_weight_changes_the_load_of_a_ride_from_its_file(store):
    importer = Importer(store, "usr_a", today=date(2026, 6, 1))
    (activity_id,) = importer.import_source(SourceFile("a.gpx", gpx_ride)).activity_ids
    put(store, MetricType.CRITICAL_POWER, 250, MetricSport.CYCLING)
    by_threshold_alone = volume(store, activity_id)
    put(store, MetricType.WEIGHT, 71)
    light = volume(store, activity_id)
    put(store, MetricType.WEIGHT, 91)
    heavy = volume(store, activity_id)

    assert by_threshold_alone is None
    # 80 kg: 43.6 W rolling, 78.5 W climbing and 292.8 W drag (360 m) over 0.976, 20 minutes at a critical power of 250 W
    assert light == pytest.approx(96.4, rel=0.01)
    assert heavy == pytest.approx(111.1, rel=0.01)
