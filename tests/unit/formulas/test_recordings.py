"""The formulas on real recordings, against the numbers of devices, GoldenCheetah and sweat."""

import json

import numpy as np
import pytest
from garmin_fit_sdk import Decoder, Stream

from coachboard.formulas.session.climbs import climbs_on_foot, find_climbs
from coachboard.formulas.session.clock_grid import to_clock_grid
from coachboard.formulas.session.laps import find_laps
from coachboard.formulas.session.mean_maximal import mean_maximal
from coachboard.formulas.session.power import normalized_power, work_kj
from coachboard.formulas.session.w_balance import w_balance

pytestmark = pytest.mark.recordings

POWERED = [
    "o01_ride_road_6h_power.fit",
    "o02_ride_road_35pauses_power_hrv.fit",
    "o03_ride_road_climbs_power.fit",
    "o04_ride_2h_power_A.fit",
    "o06_indoor_structured_intervals_hrv.fit",
]


@pytest.fixture(scope="module")
def oracles(recordings):
    return json.loads((recordings / "oracles.json").read_text())["files"]


@pytest.fixture(scope="module")
def read(recordings):
    """Columns of a file's records, read once each by the maker's decoder."""
    known = {}

    def columns(name):
        if name not in known:
            messages, _ = Decoder(Stream.from_file(str(recordings / name))).read()
            known[name] = messages["record_mesgs"]
        return known[name]

    return columns


def column(records, *names):
    return np.array(
        [next((float(r[n]) for n in names if isinstance(r.get(n), int | float)), np.nan) for r in records]
    )


def elapsed(records):
    return np.array([(r["timestamp"] - records[0]["timestamp"]).total_seconds() for r in records])


def clock_power(records):
    return np.nan_to_num(to_clock_grid(elapsed(records), column(records, "power"), fill=0))


def as_recorded(records):
    """Power on the clock grid with lost seconds as 0 W, as the oracles have it."""
    seconds = elapsed(records).astype(int)
    power = np.zeros(seconds[-1] + 1)
    power[seconds] = np.nan_to_num(column(records, "power"))
    return power


@pytest.mark.parametrize("name", POWERED)
def test_normalized_power_is_within_0_6_percent_of_the_device(name, read, oracles):
    session = oracles[name]["device"]["sessions"][0]

    assert normalized_power(column(read(name), "power")) == pytest.approx(
        session["normalized_power"], rel=6e-3
    )


@pytest.mark.parametrize("name", POWERED)
def test_best_efforts_and_work_equal_the_independent_ones(name, read, oracles):
    known = oracles[name]["numpy"]
    expected = {int(seconds): watts for seconds, watts in known["mean_max_clock_grid"].items()}
    power = as_recorded(read(name))

    assert mean_maximal(power, list(expected)) == pytest.approx(list(expected.values()), abs=0.011)
    assert work_kj(power) == pytest.approx(known["work_kj"], rel=1e-5)


@pytest.mark.parametrize("name", POWERED)
def test_w_balance_equals_sweat_on_its_parameters(name, read, oracles):
    expected = oracles[name]["sweat"]["wbal_froncioni-skiba-clarke_clock_grid"]
    balance = w_balance(
        clock_power(read(name)), critical_power_w=expected["cp"], w_prime_j=expected["w_prime"]
    )

    assert balance.min() == pytest.approx(expected["min_j"], abs=50)
    assert balance[-1] == pytest.approx(expected["end_j"], abs=50)


def test_intervals_of_o06_are_found_where_the_device_has_its_laps(read, oracles):
    """Of the device's 15 laps, those under 20 s are slips of the button; in the last one two sprints were ridden."""
    name = POWERED[-1]
    device = [
        lap for lap in oracles[name]["goldencheetah"]["laps"] if lap["time_s"] >= 15 and lap["stop_s"] <= 835
    ]

    laps = find_laps(clock_power(read(name)), critical_power_w=248)
    edges = np.array([lap.start for lap in laps] + [laps[-1].end])

    assert len(laps) == 13
    assert max(np.abs(edges - lap["start_s"]).min() for lap in device[2:]) <= 14
    assert [str(lap.intensity) for lap in laps[3:8]] == [
        "neuromuscular",
        "recovery",
        "anaerobic",
        "recovery",
        "neuromuscular",
    ]


def test_half_hours_at_tempo_of_o01_are_laps_and_the_ride_does_not_fall_apart(read):
    laps = find_laps(clock_power(read(POWERED[0])), critical_power_w=285)

    assert 8 <= len(laps) <= 30
    assert sum(lap.end - lap.start for lap in laps if lap.intensity == "tempo") > 2.5 * 3600


def test_climb_of_o03_is_the_one_that_goldencheetah_finds(read, oracles):
    records = read(POWERED[2])
    (expected,) = oracles[POWERED[2]]["goldencheetah"]["climbs"][:1]
    distance, altitude = column(records, "distance"), column(records, "enhanced_altitude", "altitude")

    climbs = find_climbs(distance, altitude)
    lengths = [distance[climb.end] - distance[climb.start] for climb in climbs]
    gains = [altitude[climb.end] - altitude[climb.start] for climb in climbs]

    longest = int(np.argmax(lengths))
    assert lengths[longest] == pytest.approx(expected["distance_km"] * 1000, rel=0.1)
    assert gains[longest] == pytest.approx(expected["gain_m"], rel=0.1)


def test_climbs_of_the_trail_run_o12_are_those_that_goldencheetah_finds(read, oracles):
    """Ten times one hill of 250 m, and a first one of 50 m that GoldenCheetah's rule leaves out."""
    name = "o12_trail_run_5h_37laps.fit"
    records, expected = read(name), oracles[name]["goldencheetah"]["climbs"]
    distance, altitude = column(records, "distance"), column(records, "enhanced_altitude", "altitude")
    first, *climbs = climbs_on_foot(distance, altitude, elapsed(records))

    assert first.gain_m == pytest.approx(50, abs=5)
    assert len(climbs) == len(expected) == 10
    for climb, other in zip(climbs, expected, strict=True):
        assert climb.gain_m == pytest.approx(other["gain_m"], rel=0.03)
        assert climb.distance_m == pytest.approx(other["distance_km"] * 1000, rel=0.04)
        assert climb.average_grade_pct == pytest.approx(other["gradient"], rel=0.04)
    vams = [climb.vam_m_per_h / other["vam"] for climb, other in zip(climbs, expected, strict=True)]
    assert sorted(vams)[5] == pytest.approx(1, abs=0.02)


def test_the_hike_o21_has_its_climbs_and_the_walk_o09_with_a_bogus_altitude_none(read):
    for name, count in (("o21_hike_smart_recording.fit", 5), ("o09_walk_coretemp_hsi_dev.fit", 0)):
        records = read(name)
        distance, altitude = column(records, "distance"), column(records, "enhanced_altitude", "altitude")

        assert (
            len(climbs_on_foot(np.maximum.accumulate(np.nan_to_num(distance)), altitude, elapsed(records)))
            == count
        )
