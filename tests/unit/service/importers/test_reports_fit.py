"""FIT files of the kinds that public bug reports name, and clocks and cadences of any format.

The reports' own small inputs, where their folder is beside the checkout, and other files of each kind.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.reading import read_recording
from coachboard.service.importers.summary import Identity, read_activity
from coachboard.wire.enums import Sport, SubSport
from unit.service.importers.fit_files import START, activity, at, fit_file, records, session, timer
from unit.service.importers.xml_files import gpx, gpx_points, segment, tcx, tcx_lap, tcx_points

REPORTS = Path(__file__).parents[5] / "shared" / "reports"
DAY_S = 86_400
BOGOTA, LONDON, KRAKOW = (4.598, -74.076), (51.5, -0.12), (50.06, 19.94)
KATHMANDU, ADELAIDE, SYDNEY, REYKJAVIK = (27.7, 85.3), (-34.93, 138.6), (-33.9, 151.0), (64.1, -21.8)
WATOPIA = (-11.64, 166.95)


def read_all(data):
    recording = read_recording(data, ImportLimits())
    identity = Identity(id="act_1", utc_offset_min=recording.utc_offset_min)
    return recording, [read_activity(leg, identity, lambda *_: AthleteValues()) for leg in recording.legs]


def read(data):
    _, (only,) = read_all(data)
    return only.activity


def column(data, name):
    _, (only,) = read_all(data)
    return only.streams.columns[name]


def semicircles(degrees):
    return round(degrees * 2**31 / 180)


def positions(place):
    return {
        "position_lat": lambda at: semicircles(place[0]) + 600 * at,
        "position_long": semicircles(place[1]),
    }


def ride(seconds=600, mps=8.0, first_s=0, first_m=0.0, **columns):
    """Records of an even ride."""
    distance = {"distance": lambda at: first_m + mps * at, "enhanced_speed": mps}
    return records(seconds, first_s=first_s, **{**distance, **columns})


def took(total_s, timer_s=None, **fields):
    timers = {} if timer_s is None else {"total_timer_time": float(timer_s)}
    return session(total_elapsed_time=float(total_s), **timers, **fields)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "zwift-virtual-place.fit",
            {
                "utc_offset": None,
                "started_at_local": None,
                "started_at": datetime(2026, 5, 4, 18, tzinfo=UTC),
            },
        ),
        (
            "session-shorter-than-records.fit",
            {"total_duration": 1200, "effective_duration": 1200, "distance": 3597, "average_speed": 3.0},
        ),
        (
            "elapsed-below-timer.fit",
            {"total_duration": 1200, "effective_duration": 600, "average_speed": 7.99},
        ),
        (
            "clock-set-after-start.fit",
            {"started_at": datetime(2026, 5, 24, 6, tzinfo=UTC), "total_duration": 600, "distance": 4792},
        ),
        (
            "coros-local-time-is-utc.fit",
            {"utc_offset": -300, "started_at_local": datetime.fromisoformat("2026-05-04T01:00")},
        ),
        (
            "polar-offset-without-summer-time.tcx",
            {"utc_offset": 120, "started_at_local": datetime.fromisoformat("2016-04-10T19:40")},
        ),
        ("run-cadence-in-steps.fit", {"average_running_cadence": 85, "max_running_cadence": 85}),
        ("tcx-run-cadence-in-steps.tcx", {"average_running_cadence": 84.75}),
        ("altitude-without-value-is-minus-500.fit", {"elevation_gain": 5, "min_elevation": 291}),
        (
            "session-without-start.fit",
            {
                "sport": Sport.CYCLING,
                "started_at": START,
                "elevation_gain": 20,
                "total_duration": 601.5,
                "distance": 4800,
            },
        ),
        ("average-speed-in-kmh.fit", {"average_speed": 5.99, "distance": 3594, "total_duration": 600}),
        ("same-session-twice-in-one-file.fit", {"distance": 472, "total_duration": 60, "average_power": 200}),
        (
            "local-time-in-timestamp-correlation.fit",
            {"utc_offset": 120, "started_at_local": datetime.fromisoformat("2026-05-04T08:00")},
        ),
        ("date-line.gpx", {"utc_offset": 720, "distance": pytest.approx(5394, abs=1), "average_speed": 5.99}),
        (
            "bosch-three-records-a-second.fit",
            {"average_power": 200, "min_elevation": 100, "distance": 4792},
        ),
    ],
)
def test_the_reports_inputs_have_the_right_values(name, expected):
    if not (REPORTS / name).exists():
        pytest.skip(f"no reports in {REPORTS}")
    found = read((REPORTS / name).read_bytes())

    assert {field: getattr(found, field) for field in expected} == expected


@pytest.mark.parametrize(
    ("name", "stream", "values"),
    [
        ("run-cadence-in-steps.fit", "cadence", {85.0}),
        ("tcx-run-cadence-in-steps.tcx", "cadence", {84.0, 84.5, 85.0, 85.5}),
        ("clock-set-after-start.fit", "power", {200.0}),
        ("bosch-three-records-a-second.fit", "power", {200.0}),
        ("bosch-three-records-a-second.fit", "heartRate", {140.0}),
        ("bosch-three-records-a-second.fit", "altitude", {100.0}),
        ("same-session-twice-in-one-file.fit", "power", {200.0}),
    ],
)
def test_the_reports_streams_have_every_record(name, stream, values):
    if not (REPORTS / name).exists():
        pytest.skip(f"no reports in {REPORTS}")
    found = column((REPORTS / name).read_bytes(), stream)

    assert set(found.tolist()) <= values
    assert len(found) == (60 if "twice" in name else 600)


# Places and clocks


@pytest.mark.parametrize(
    ("sport", "sub_sport"),
    [
        ("cycling", "virtual_activity"),
        ("cycling", "indoor_cycling"),
        ("cycling", "spin"),
        ("running", "virtual_activity"),
        ("running", "treadmill"),
        ("running", "indoor_running"),
        ("rowing", "indoor_rowing"),
    ],
)
def test_the_place_of_a_game_gives_no_offset(sport, sub_sport):
    rows = ride(**positions(WATOPIA))
    unknown = read(
        fit_file(session(sport=sport, sub_sport=sub_sport), *rows, ("ACTIVITY", {"local_timestamp": 0}))
    )
    known = read(fit_file(session(sport=sport, sub_sport=sub_sport), *rows, activity(offset_s=7200)))

    assert (unknown.utc_offset, unknown.started_at_local, unknown.started_at) == (None, None, START)
    assert known.utc_offset == 120


def test_a_real_ride_at_the_place_of_a_game_has_its_offset():
    assert read(fit_file(session(), *ride(**positions(WATOPIA)))).utc_offset == 660


def test_a_local_time_of_0_is_not_known_even_if_utc_is_near_0():
    unset = {"timestamp": datetime(1989, 12, 31, 2, tzinfo=UTC), "local_timestamp": 0}

    assert read(fit_file(session(), *ride(), ("ACTIVITY", unset))).utc_offset is None


@pytest.mark.parametrize(
    "kind", ["VirtualRide", "virtual_ride", "Virtual Run", "VirtualRun", "indoor_cycling", "treadmill"]
)
def test_a_gpx_track_of_a_game_has_no_offset(kind):
    found = read(gpx(f"<type>{kind}</type>{segment(gpx_points(range(60)))}"))

    assert (found.utc_offset, found.started_at_local) == (None, None)
    assert found.sub_sport in {SubSport.VIRTUAL_ACTIVITY, SubSport.INDOOR_CYCLING, SubSport.TREADMILL}


PLACED = "<Position><LatitudeDegrees>-11.64</LatitudeDegrees><LongitudeDegrees>166.95</LongitudeDegrees></Position>"
TRACK = gpx(segment(gpx_points(range(60))))
LAP = tcx_lap(0, 60, tcx_points(range(60), lambda second: PLACED))


@pytest.mark.parametrize(
    ("data", "is_game"),
    [
        (TRACK.replace(b"<gpx ", b'<gpx creator="Zwift" '), True),
        (TRACK.replace(b"<gpx ", b'<gpx creator="StravaGPX" '), False),
        (tcx(LAP, more="<Creator><Name>ROUVY Virtual Training</Name></Creator>"), True),
        (tcx(LAP, more="<Creator><Name>Garmin Edge 530</Name></Creator>"), False),
        (fit_file(session(), *ride(**positions(WATOPIA)), manufacturer="zwift"), True),
        (fit_file(session(), *ride(**positions(WATOPIA)), manufacturer="garmin"), False),
    ],
)
def test_a_file_of_a_games_program_is_virtual_also_where_it_does_not_say_so(data, is_game):
    """Exports of a game's ride as TCX have the sport Biking and no sub-sport."""
    found = read(data)

    assert (found.sub_sport == SubSport.VIRTUAL_ACTIVITY, found.utc_offset is None) == (is_game, is_game)


def test_an_indoor_ride_of_a_games_program_stays_indoor():
    data = fit_file(session(sub_sport="indoor_cycling"), *ride(**positions(WATOPIA)), manufacturer="zwift")

    assert read(data).sub_sport == SubSport.INDOOR_CYCLING


WINTER, SUMMER = datetime(2026, 1, 15, 12, tzinfo=UTC), datetime(2026, 7, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("place", "moment", "own_min", "right_min"),
    [
        (BOGOTA, WINTER, 0, -300),
        (KATHMANDU, SUMMER, 0, 345),
        (LONDON, WINTER, 0, 0),
        (LONDON, SUMMER, 0, 60),
        (REYKJAVIK, SUMMER, 0, 0),
        (KRAKOW, SUMMER, 60, 120),
        (KRAKOW, WINTER, 60, 60),
        (SYDNEY, WINTER, 600, 660),
        (SYDNEY, SUMMER, 600, 600),
        (ADELAIDE, WINTER, 570, 630),
        (ADELAIDE, SUMMER, 570, 570),
        (KRAKOW, SUMMER, -300, -300),  # a traveller's watch, still at home
        (BOGOTA, WINTER, 120, 120),
    ],
)
def test_an_offset_of_0_or_of_winter_gives_way_to_the_place(place, moment, own_min, right_min):
    shift = moment - START
    utc = int(moment.timestamp()) - 631_065_600
    rows = [
        (kind, {**fields, "timestamp": fields["timestamp"] + shift})
        for kind, fields in ride(**positions(place))
    ]
    local = ("ACTIVITY", {"timestamp": moment, "local_timestamp": utc + own_min * 60})
    found = read(fit_file(session(start_time=moment, timestamp=moment), *rows, local))

    assert found.utc_offset == right_min
    assert found.started_at_local == moment.replace(tzinfo=None) + timedelta(minutes=right_min)


@pytest.mark.parametrize(
    ("activity_offset_s", "right"),
    [(None, 345), (0, 345), (3600, 60)],
    ids=["no other", "repeats UTC", "its own"],
)
def test_local_time_is_read_from_the_correlation(activity_offset_s, right):
    utc = int(START.timestamp()) - 631_065_600
    correlation = ("TIMESTAMP_CORRELATION", {"timestamp": START, "local_timestamp": utc + 345 * 60})
    other = [] if activity_offset_s is None else [activity(offset_s=activity_offset_s)]

    assert read(fit_file(correlation, session(), *ride(), *other)).utc_offset == right


# Clocks that were set


@pytest.mark.parametrize(
    "shift_s", [20 * DAY_S, 3 * DAY_S, 20 * 365 * DAY_S, 20 * 3600, -20 * DAY_S, -2 * 3600], ids=str
)
@pytest.mark.parametrize("early", [3, 100, 500])
def test_a_clock_set_during_the_ride_dates_all_of_it_by_the_later_clock(shift_s, early):
    """The shift is from the clock before to the clock after, which is right."""
    lap = {"start_time": at(-shift_s), "total_elapsed_time": 300.0}
    rows = ride(early, first_s=-shift_s) + ride(600 - early, first_s=early, first_m=8.0 * early)
    data = fit_file(took(600, 600, start_time=at(-shift_s), timestamp=at(600)), ("LAP", lap), *rows)
    recording, (only,) = read_all(data)
    found = only.activity

    assert (found.started_at, found.total_duration, found.distance) == (START, 600, 4792)
    assert len(only.streams) == 600
    assert found.provider_laps[0].started_at == START
    assert any("clock was set" in problem for problem in recording.problems)


def test_a_clock_set_back_by_less_than_the_ride_lasts_moves_its_start():
    rows = ride(100, first_s=600) + ride(2900, first_s=100, first_m=800.0)
    found = read(fit_file(took(3000, 3000, start_time=at(600), timestamp=at(3000)), *rows))

    assert (found.started_at, found.total_duration, found.distance) == (START, 3000, 23_992)


def test_a_session_with_a_date_keeps_it_although_its_records_have_none():
    rows = [
        (kind, {**row, "timestamp": datetime(1990, 1, 5, tzinfo=UTC) + (row["timestamp"] - START)})
        for kind, row in ride()
    ]

    assert read(fit_file(took(600, 600), *rows)).started_at == START


def test_records_during_a_pause_add_no_time_of_the_timer():
    stops = timer("stop_all", 300), timer("start", 600)
    found = read(fit_file(took(900, 900), *stops, *records(1200, heart_rate=lambda at: 99 + at % 3)))

    assert durations(found) == (1200, 900)


def test_a_duration_over_both_clocks_is_shortened():
    rows = ride(100, first_s=-20 * DAY_S) + ride(500, first_s=100, first_m=800)
    found = read(fit_file(took(600 + 20 * DAY_S, 600, start_time=at(-20 * DAY_S)), *rows))

    assert (found.started_at, found.total_duration, found.effective_duration) == (START, 600, 600)


@pytest.mark.parametrize(
    "written", [at(-20 * DAY_S), at(20 * DAY_S), datetime(1990, 1, 5, tzinfo=UTC)], ids=str
)
def test_a_session_far_from_its_records_begins_with_them(written):
    found = read(fit_file(took(600, 600, start_time=written), *ride()))

    assert (found.started_at, found.total_duration) == (START, 600)


def test_a_session_without_records_begins_its_time_before_its_end():
    found = read(fit_file(took(600, 600, start_time=at(-20 * DAY_S), timestamp=at(600))))

    assert found.started_at == START


def test_a_night_between_two_stages_is_a_pause():
    night_s = 30 * 3600
    stops = timer("stop_all", 600), timer("start", night_s)
    rows = ride() + ride(first_s=night_s, first_m=4800)
    recording, (only,) = read_all(fit_file(took(night_s + 600, 1200), *rows, *stops))

    assert recording.problems == ()
    assert (only.activity.started_at, only.activity.total_duration) == (START, night_s + 600)


def test_a_pause_of_hours_that_an_app_leaves_out_is_no_clock():
    rows = ride() + ride(first_s=5 * 3600, first_m=4800)
    found = read(fit_file(took(1200, 1200), *rows))

    assert (found.started_at, found.total_duration, found.effective_duration) == (START, 5 * 3600 + 600, 1200)


def test_two_swapped_parts_are_sorted():
    recording, (only,) = read_all(fit_file(took(600, 600), *ride(300, first_s=300, first_m=2400), *ride(300)))

    assert recording.problems == ("records out of order, sorted by time",)
    assert (only.activity.started_at, len(only.streams)) == (START, 600)


def test_a_session_without_start_begins_with_its_records_else_its_time_before_its_end():
    fields = {"sport": "running", "total_elapsed_time": 600.0, "timestamp": at(600)}
    with_records = read(fit_file(("SESSION", fields), *ride(500, first_s=100)))
    without = read(fit_file(("SESSION", fields)))
    _, legs = read_all(
        fit_file(
            ("SESSION", fields),
            ("SESSION", {**fields, "timestamp": at(1200), "sport": "cycling"}),
            *ride(1200),
        )
    )

    assert (with_records.started_at, with_records.sport) == (at(100), Sport.RUNNING)
    assert (without.started_at, without.sport) == (START, Sport.RUNNING)
    assert [leg.activity.started_at for leg in legs] == [START, at(600)]


# Durations and speeds


def durations(found):
    return found.total_duration, found.effective_duration


def test_the_records_decide_whether_durations_are_swapped():
    paused = ride(300) + ride(300, first_s=900, first_m=2400)

    assert durations(read(fit_file(took(600, 1200), *paused))) == (1200, 600)
    assert durations(read(fit_file(took(600, 1200)))) == (1200, 600)
    assert durations(read(fit_file(took(60, 1200), *ride(1200)))) == (1200, 1200)


def test_a_pause_makes_the_timer_shorter():
    paused = ride(300) + ride(300, first_s=900, first_m=2400)

    assert durations(read(fit_file(took(1200, 600), *paused))) == (1200, 600)


@pytest.mark.parametrize(
    "fields", [{}, {"total_distance": 2700.0, "enhanced_avg_speed": 3.0}, {"total_distance": 3597.0}]
)
@pytest.mark.parametrize("timer_s", [None, 900])
def test_a_session_that_leaves_out_its_last_lap_is_as_long_as_its_records(fields, timer_s):
    rows = ride(1200, mps=3.0, heart_rate=lambda place: 99 + place % 3 + 80 * (place >= 900))
    found = read(fit_file(took(900, timer_s, avg_heart_rate=100, **fields), *rows))

    assert durations(found) == (1200, 1200)
    assert (found.distance, found.average_speed, found.average_heart_rate) == (3597, 3.0, 120)


def test_laps_that_cover_the_records_do_not_make_the_session_whole():
    laps = [("LAP", {"start_time": at(first), "total_elapsed_time": 300.0}) for first in range(0, 1200, 300)]
    found = read(fit_file(took(900, 900, sport="running"), *laps, *ride(1200, mps=3.0)))

    assert (durations(found), found.average_speed, len(found.provider_laps)) == ((1200, 1200), 3.0, 4)


def test_a_tcx_lap_shorter_than_its_points_is_as_long_as_they_are():
    def moving(second):
        return f"<DistanceMeters>{3 * second}</DistanceMeters>"

    short = read(tcx(tcx_lap(0, 900, tcx_points(range(1200), moving))))
    paused = read(tcx(tcx_lap(0, 900, tcx_points([*range(450), *range(750, 1200)], moving))))

    assert (durations(short), short.average_speed) == ((1200, 1200), 3.0)
    assert durations(paused) == (1200, 900)


def test_standing_after_the_end_adds_no_time_of_the_timer():
    """An athlete forgot to stop the records: they are shown, and the pace is that of the run."""
    rows = ride(900, mps=3.0) + records(300, first_s=900, distance=2697.0, enhanced_speed=0.0)
    found = read(fit_file(took(900, 900, total_distance=2697.0), *rows))

    assert durations(found) == (1200, 900)
    assert (found.average_speed, found.moving_duration) == (3.0, 900)


def test_records_between_two_legs_are_no_part_of_the_first():
    data = fit_file(
        took(600, 600, sport="swimming", sub_sport="open_water"),
        took(600, 600, sport="cycling", start_time=at(900)),
        *ride(1500),
    )
    _, (swim, bike) = read_all(data)

    assert durations(swim.activity) == durations(bike.activity) == (600, 600)


@pytest.mark.parametrize("with_speed", [True, False])
def test_speeds_in_kmh_become_metres_a_second(with_speed):
    columns = {} if with_speed else {"enhanced_speed": None}
    rows = [
        (kind, {name: value for name, value in fields.items() if value is not None})
        for kind, fields in ride(mps=6.0, **columns)
    ]
    found = read(
        fit_file(
            took(600, 600, total_distance=3594.0, enhanced_avg_speed=21.6, enhanced_max_speed=28.8), *rows
        )
    )

    assert found.average_speed == pytest.approx(5.99)
    assert found.max_speed == (6.0 if with_speed else 8.0)


def test_a_speed_column_in_kmh_becomes_metres_a_second():
    data = fit_file(took(600, 600), *ride(mps=6.0, enhanced_speed=21.6))

    assert set(column(data, "speed").tolist()) == {6.0}


def test_an_average_over_the_moving_time_alone_is_kept():
    """A courier who waits for 72 % of the time: 3.6 times the distance over the time of the timer."""
    rows = ride(280, mps=6.0) + records(720, first_s=280, distance=1674.0, enhanced_speed=0.0)
    found = read(fit_file(took(1000, 1000, total_distance=1674.0, enhanced_avg_speed=6.0), *rows))

    assert found.average_speed == 6.0


# Values that are none


@pytest.mark.parametrize(
    ("sport", "written", "mps", "right"),
    [
        ("running", 170, 3.0, 85),
        ("running", 150, 2.2, 75),
        ("running", 95, 5.0, 95),
        ("walking", 112, 1.4, 56),
        ("walking", 56, 1.4, 56),
        ("walking", 100, 3.6, 100),  # race walking
        ("hiking", 104, 1.2, 52),
        ("cycling", 130, 9.0, 130),
    ],
)
@pytest.mark.parametrize("where", ["records", "figures", "both"])
def test_steps_become_strides(sport, written, mps, right, where):
    in_records, in_figures = (
        written if where in (part, "both") else right for part in ("records", "figures")
    )
    data = fit_file(
        took(600, 600, sport=sport, sub_sport="generic", avg_cadence=in_figures, max_cadence=in_figures + 10),
        *ride(mps=mps, cadence=in_records),
    )
    found = read(data)
    average = found.average_cadence if sport == "cycling" else found.average_running_cadence
    highest = found.max_cadence if sport == "cycling" else found.max_running_cadence

    assert set(column(data, "cadence").tolist()) == {right}
    assert average == right
    assert highest == (right + 10 if in_figures == right else right + 5)


def test_the_steps_of_a_gpx_run_become_strides():
    track = segment(gpx_points(range(60), lambda place: "<cad>168</cad>"))

    assert read(gpx(f"<type>running</type>{track}")).average_running_cadence == 84
    assert read(gpx(f"<type>cycling</type>{track}")).average_cadence == 168


@pytest.mark.parametrize("name", ["altitude", "enhanced_altitude"])
@pytest.mark.parametrize("places", [{0}, {599}, set(range(200, 260))], ids=["first", "last", "tunnel"])
def test_the_raw_altitude_0_is_none(name, places):
    rows = ride(**{name: lambda place: -500.0 if place in places else 290.0 + place / 100})
    found = read(fit_file(took(600, 600), *rows))

    assert found.min_elevation >= 290
    assert found.elevation_gain == pytest.approx(6, abs=0.5)


def test_a_shore_below_the_sea_keeps_its_altitude():
    found = read(fit_file(took(600, 600), *ride(altitude=-430.0)))

    assert found.min_elevation == -430


# Copies


def test_a_session_of_a_chained_file_counts_once():
    parts = [took(60, 60), ("LAP", {"start_time": START, "total_elapsed_time": 60.0}), *ride(60, power=200)]
    once = fit_file(*parts)
    richer = fit_file(took(60, 60, total_calories=20), *parts[1:], timer("stop_all", 60))
    shorter = fit_file(took(40, 40), *ride(40, power=200))
    for data in (shorter + once, once + shorter, once + once, once + once + once, once + richer):
        recording, (only,) = read_all(data)

        assert (recording.problems, recording.is_multisport) == ((), False)
        assert (len(only.streams), len(only.activity.provider_laps)) == (60, 1)
        assert (only.activity.distance, only.activity.average_power) == (472, 200)


def test_a_session_written_twice_in_one_file_counts_once():
    _, (only,) = read_all(fit_file(took(60, 60), took(60, 60), *ride(60)))

    assert only.activity.total_duration == 60


def test_two_sessions_of_a_chained_file_stay_two():
    later = [(kind, {**row, "timestamp": row["timestamp"] + timedelta(hours=9)}) for kind, row in ride(60)]
    data = fit_file(took(60, 60), *ride(60)) + fit_file(took(60, 60, start_time=at(9 * 3600)), *later)
    _, found = read_all(data)

    assert [one.activity.started_at for one in found] == [START, at(9 * 3600)]
    assert [len(one.streams) for one in found] == [60, 60]


def test_short_legs_of_one_sport_stay_apart():
    legs = [took(50, 50, start_time=at(50 * place)) for place in range(3)]
    _, found = read_all(fit_file(*legs, *ride(150)))

    assert [len(one.streams) for one in found] == [50, 50, 50]
    assert np.ptp([one.activity.total_duration for one in found]) == 0


def test_a_leg_without_a_duration_is_no_copy_of_the_leg_before():
    _, found = read_all(fit_file(took(60, 60), session(start_time=at(60)), *ride(120)))

    assert [len(one.streams) for one in found] == [60, 60]
