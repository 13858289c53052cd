"""GPX and TCX files of the kinds that public bug reports name: the reports' own small inputs, and other files of each kind.

All tracks go north: 1e-4 degrees are 11.1195 m on the sphere that the importer uses.
"""

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from coachboard.service.importers.archive import SourceFile
from coachboard.service.importers.athlete import AthleteValues
from coachboard.service.importers.errors import ImportLimits
from coachboard.service.importers.importing import Importer
from coachboard.service.importers.reading import read_recording
from coachboard.service.importers.reread import read_again
from coachboard.service.importers.summary import Identity, read_activity
from unit.service.importers.fit_files import fit_file, records, session
from unit.service.importers.xml_files import TCX, clock, gpx, gpx_points, segment, tcx, tcx_lap, tcx_points

REPORTS = Path(__file__).parents[5] / "shared" / "reports"
STEP_M = 11.1195


def read(data):
    """Every session of the file as an activity with its streams, and the remarks."""
    recording = read_recording(data, ImportLimits())
    identity = Identity(id="act_1", utc_offset_min=recording.utc_offset_min)
    return [
        read_activity(leg, identity, lambda *_: AthleteValues()) for leg in recording.legs
    ], recording.problems


def only(data):
    (found,), _ = read(data)
    return found


def column(found, name):
    return found.streams.columns[name]


def report(name):
    path = REPORTS / name
    if not path.exists():
        pytest.skip(f"no reports in {REPORTS}")
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "metres", "total_s", "speed"),
    [
        ("opentracks-distance-per-point.gpx", 1797, 600, 3.0),
        ("sports-tracker-stale-places.gpx", 2396, 1199, 2.0),
        ("tcx-positions-without-distance.tcx", 1797, 600, 3.0),
        ("garmin-multisport-leg.tcx", 1797, 600, None),
        ("strava-leading-blanks.tcx", 1797, 600, None),
        ("outrun-repeated-segments.gpx", 1797, 600, 3.0),
        ("bom.gpx", 1797, 600, 3.0),
        ("date-line.gpx", 5394, 900, 6.0),
    ],
)
def test_a_reported_file_has_the_right_way_and_time(name, metres, total_s, speed):
    found = only(report(name))
    distance = column(found, "distance")

    assert found.activity.distance == pytest.approx(metres, abs=0.1)
    assert (np.nanmin(distance), np.nanmax(distance)) == (0, pytest.approx(metres, abs=0.1))
    assert (np.diff(distance) >= 0).all()
    assert (found.activity.total_duration, found.activity.effective_duration) == (total_s, total_s)
    assert found.activity.average_speed == pytest.approx(metres / total_s, abs=0.01)
    if speed is not None:
        assert column(found, "speed") == pytest.approx(speed, abs=0.02)


def test_a_damaged_file_has_a_remark_and_one_with_blanks_has_none():
    remark = "the file is damaged (invalid xmlChar value 31, line 2, column 92); readable parts were imported"
    assert read(report("bom.gpx"))[1] == (remark,)
    assert read(report("strava-leading-blanks.tcx"))[1] == ()


def test_the_grade_follows_from_the_positions_of_a_tcx_file():
    assert column(only(report("tcx-positions-without-distance.tcx")), "grade") == pytest.approx(
        1.67, abs=0.02
    )


# --- distances that count from elsewhere


def with_distance(metres):
    return lambda second: f"<extensions><distance>{metres(second)}</distance></extensions>"


@pytest.mark.parametrize(
    ("metres", "place"),
    [
        (lambda second: STEP_M if second else 0, "from the previous point"),
        (lambda second: STEP_M + second % 3 - 1 if second else 0, "from the previous point, rounded"),
        (lambda second: STEP_M * (second % 100), "from the start of each lap"),
        (lambda second: STEP_M * second + 1500, "from the start of the race"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_distance_that_counts_from_elsewhere_counts_from_the_start(metres, place):
    found = only(gpx(segment(gpx_points(range(400), with_distance(metres)))))

    assert found.activity.distance == pytest.approx(399 * STEP_M, rel=0.012)
    assert column(found, "distance")[0] == 0
    assert (np.diff(column(found, "distance")) >= 0).all()


@pytest.mark.parametrize("scale", [0.9, 1.0, 1.2])
def test_a_distance_that_differs_somewhat_from_the_positions_stays(scale):
    """A wheel knows better than a receiver in a wood."""
    found = only(gpx(segment(gpx_points(range(400), with_distance(lambda second: scale * STEP_M * second)))))

    assert found.activity.distance == pytest.approx(399 * STEP_M * scale, abs=0.1)


def test_a_distance_that_no_other_reading_explains_stays():
    found = only(
        gpx(segment(gpx_points(range(400), with_distance(lambda second: 60 + 1.2 * STEP_M * second))))
    )

    assert found.activity.distance == pytest.approx(60 + 1.2 * 399 * STEP_M, abs=0.1)


def counted(metres):
    return lambda second: f"<DistanceMeters>{metres(second)}</DistanceMeters>"


def lap_of(first, after, metres, *, figure):
    return tcx_lap(
        first,
        after - first,
        tcx_points(range(first, after), counted(metres)),
        f"<DistanceMeters>{figure}</DistanceMeters>",
    )


@pytest.mark.parametrize("sport", ["Biking", "Running", "Other"])
@pytest.mark.parametrize("start_m", [300, 1500, 41_530])
def test_a_leg_of_a_race_counts_from_its_own_start_without_positions(sport, start_m):
    laps = [
        lap_of(first, first + 300, lambda second: start_m + 5 * second, figure=1500) for first in (0, 300)
    ]
    found = only(tcx(*laps, sport=sport))

    assert found.activity.distance == 3000
    assert column(found, "distance").tolist() == [5 * second for second in range(600)]


def test_a_leg_whose_figure_is_that_of_the_race_takes_it_from_the_positions():
    def point(second):
        latitude = 46 + 1e-4 * second
        place = f"<LatitudeDegrees>{latitude:.6f}</LatitudeDegrees><LongitudeDegrees>8</LongitudeDegrees>"
        return f"<Position>{place}</Position><DistanceMeters>{40_000 + STEP_M * second}</DistanceMeters>"

    more = f"<DistanceMeters>{40_000 + 299 * STEP_M}</DistanceMeters>"
    found = only(tcx(tcx_lap(0, 300, tcx_points(range(300), point), more)))

    assert found.activity.distance == pytest.approx(299 * STEP_M, abs=0.1)


def test_a_fit_file_of_one_leg_counts_from_its_own_start():
    data = fit_file(
        session(total_elapsed_time=600.0, total_distance=1797.0),
        *records(600, distance=lambda place: 40_330 + 3 * place),
    )
    found = only(data)

    assert found.activity.distance == 1797
    assert (column(found, "distance")[0], column(found, "distance")[-1]) == (0, 1797)


def test_a_distance_that_each_lap_begins_at_0_goes_on():
    laps = [
        lap_of(first, first + 100, lambda second, first=first: 4 * (second - first), figure=400)
        for first in (0, 100, 200)
    ]
    found = only(tcx(*laps, sport="Running"))
    distance = column(found, "distance")

    assert distance[-1] == pytest.approx(1200, abs=13)
    assert (np.diff(distance) >= 0).all()


@pytest.mark.parametrize("lengths_m", [25, 50])
def test_a_swim_keeps_the_distance_that_its_watch_writes_once_a_length(lengths_m):
    def metres(second):
        return lengths_m * (second // 30)

    found = only(tcx(lap_of(0, 601, metres, figure=20 * lengths_m), sport="Swimming"))

    assert found.activity.distance == 20 * lengths_m
    assert column(found, "distance").tolist() == [metres(second) for second in range(601)]


# --- positions without a distance


def placed(second):
    latitude, longitude = 46 + 1e-4 * second, 8
    place = (
        f"<LatitudeDegrees>{latitude:.6f}</LatitudeDegrees><LongitudeDegrees>{longitude}</LongitudeDegrees>"
    )
    return f"<Position>{place}</Position><AltitudeMeters>{500 + second / 2}</AltitudeMeters>"


@pytest.mark.parametrize(
    ("laps", "metres"),
    [
        ([range(100)], 99),
        ([range(60), range(60, 120)], 119),
        ([range(60), range(59, 120)], 119),  # the point between two laps, twice
        ([[*range(50), *range(65, 100)]], 99),  # a hole without an end of the track
    ],
)
@pytest.mark.parametrize("sport", ["Biking", "Running", "Hiking"])
def test_a_tcx_file_without_a_distance_has_it_from_its_positions(laps, metres, sport):
    parts = [tcx_lap(seconds[0], len(seconds), tcx_points(seconds, placed)) for seconds in laps]
    found = only(tcx(*parts, sport=sport))

    assert found.activity.distance == pytest.approx(metres * STEP_M, abs=0.1)
    assert column(found, "speed") == pytest.approx(STEP_M, abs=0.2)
    assert column(found, "grade") == pytest.approx(50 / STEP_M, abs=0.2)


def test_tracks_of_one_lap_are_parted_by_a_pause_without_distance():
    points = f"{tcx_points(range(50), placed)}</Track><Track>{tcx_points(range(90, 140), placed)}"
    found = only(tcx(tcx_lap(0, 100, points)))

    assert found.activity.distance == pytest.approx(98 * STEP_M, abs=0.1)
    assert (found.activity.total_duration, found.activity.effective_duration) == (140, 100)


def test_a_first_point_with_a_time_only_is_at_the_start():
    points = tcx_points([0]) + tcx_points(range(1, 100), placed)
    found = only(tcx(tcx_lap(0, 100, points)))

    assert column(found, "distance")[:2].tolist() == [0, 0]
    assert found.activity.distance == pytest.approx(98 * STEP_M, abs=0.1)


def test_the_distance_grows_over_points_without_a_place():
    points = tcx_points(range(50), placed) + tcx_points(range(50, 60)) + tcx_points(range(60, 100), placed)
    found = only(tcx(tcx_lap(0, 100, points)))

    assert column(found, "speed") == pytest.approx(STEP_M, abs=0.1)


@pytest.mark.parametrize("extension", ["gpx", "tcx"])
def test_a_file_without_a_place_has_no_distance(extension):
    point = "<trkpt><time>2026-05-04T06:00:00Z</time><ele>5</ele></trkpt>"
    data = gpx(segment(point)) if extension == "gpx" else tcx(tcx_lap(0, 5, tcx_points(range(5))))

    assert only(data).activity.distance is None


# --- places that are older than the points before them


def stale_points(*, every, late, zeros=0):
    """A fix every few seconds, each followed by heart rates of the seconds before it with the place of the fix."""
    written = []
    for fix in range(0, 600, every):
        for second in (fix, *range(max(fix - late, 0), fix)):
            altitude = 0 if fix < zeros else 400
            written.append(
                f'<trkpt lat="{46 + 1e-4 * fix:.6f}" lon="8"><ele>{altitude}</ele><time>{clock(second)}</time>'
                f"<extensions><hr>{120 + second % 20}</hr></extensions></trkpt>"
            )
    return "".join(written)


@pytest.mark.parametrize(("every", "late"), [(2, 1), (3, 2), (2, 5), (5, 12)])
def test_a_heart_rate_with_the_place_of_a_later_fix_moves_nobody(every, late):
    found = only(gpx(segment(stale_points(every=every, late=late, zeros=20))))
    last_fix = range(0, 600, every)[-1]

    assert found.activity.distance == pytest.approx(last_fix * STEP_M, abs=0.1)
    assert found.activity.max_speed == pytest.approx(STEP_M, rel=0.01)
    assert column(found, "heartRate").tolist() == [120 + second % 20 for second in stamps(found)]
    assert (found.activity.min_elevation, found.activity.elevation_gain) == (400, 0)


def test_an_older_point_with_an_estimated_place_ahead_moves_nobody():
    """The places differ from those of the fixes: only the length of the way says that they are wrong."""
    written = []
    for fix in range(0, 600, 4):
        written.append(gpx_points([fix]))
        for late in range(max(fix - 12, 0), fix):
            ahead = gpx_points([fix]).replace(clock(fix), clock(late))
            written.append(ahead.replace('lon="8"', f'lon="8.00000{late % 9 + 1}"'))
    found = only(gpx(segment("".join(written))))

    assert found.activity.distance == pytest.approx(596 * STEP_M, abs=0.1)


def stamps(found):
    return ((found.streams.timestamps - found.streams.timestamps[0]) / np.timedelta64(1, "s")).astype(int)


@pytest.mark.parametrize(
    "order",
    [list(range(59, -1, -1)), [*range(30, 60), *range(30)], [*range(20), *range(60)], [1, 0, *range(2, 60)]],
)
def test_points_that_are_merely_out_of_order_keep_their_places(order):
    found = only(gpx(segment(gpx_points(order))))

    assert found.activity.distance == pytest.approx(59 * STEP_M, abs=0.1)
    assert np.isfinite(column(found, "positionLat")).all()


# --- segments that repeat, breaks, several tracks


def test_segments_that_repeat_what_was_written_before_are_one_session():
    parts = "".join(segment(gpx_points(range(end))) for end in (40, 80, 120))
    found = only(gpx(parts))

    assert found.activity.distance == pytest.approx(119 * STEP_M, abs=0.1)
    assert (found.activity.total_duration, found.activity.effective_duration) == (120, 120)


def test_a_short_segment_inside_a_long_one_begins_no_session():
    long, inside, late = range(0, 36_000, 60), range(3600, 3660, 10), range(33_000, 40_000, 60)
    found, _ = read(gpx(*(segment(gpx_points(seconds)) for seconds in (long, inside, late))))

    assert len(found) == 1


def test_each_session_of_a_file_has_the_name_and_sport_of_its_own_track():
    tracks = [
        f"<name>{name}</name><type>{kind}</type>" + segment(gpx_points(range(9), day=day))
        for name, kind, day in (("Ride", "cycling", 4), ("Run", "running", 6))
    ]
    found, _ = read(gpx(*tracks))

    assert [(each.activity.name, each.activity.sport) for each in found] == [
        ("Ride", "cycling"),
        ("Run", "running"),
    ]


# --- altitudes that are none


@pytest.mark.parametrize(
    ("altitudes", "lowest", "gain"),
    [
        ([0] * 5 + [300] * 60, 300, 0),
        ([300] * 60 + [0] * 5, 300, 0),
        ([300] * 30 + [0] + [300] * 30, 300, 0),
        ([0] * 60, 0, 0),
        ([0] * 5 + list(range(60)), 0, 59),
        ([0, 0, -1, -1, 0] * 12, -1, None),
    ],
)
@pytest.mark.parametrize("extension", ["gpx", "tcx"])
def test_a_zero_beside_a_jump_is_no_altitude(altitudes, lowest, gain, extension):
    seconds = range(len(altitudes))
    if extension == "gpx":
        data = gpx(segment(gpx_points(seconds, lambda second: f"<ele>{altitudes[second]}</ele>")))
    else:
        data = tcx(
            tcx_lap(
                0,
                len(altitudes),
                tcx_points(
                    seconds,
                    lambda second: (
                        f"{placed(second).split('<Alt')[0]}<AltitudeMeters>{altitudes[second]}</AltitudeMeters>"
                    ),
                ),
            )
        )
    activity = only(data).activity

    assert activity.min_elevation == lowest
    assert gain is None or activity.elevation_gain == pytest.approx(gain, abs=1)


# --- laps that start elsewhere


@pytest.mark.parametrize("before_s", [3600, 4 * 3600])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_lap_that_starts_hours_from_its_first_point_starts_there(before_s, sign):
    """The clock may be set during the lap, or the start of the lap may be in local time."""
    first = 5 * 3600
    lap = tcx_lap(first - sign * before_s, 600, tcx_points(range(first, first + 600), placed))
    later = tcx_lap(first + 600, 300, tcx_points(range(first + 600, first + 900), placed))
    activity = only(tcx(lap, later)).activity

    assert f"{activity.started_at:%Y-%m-%dT%H:%M:%SZ}" == clock(first)
    assert (activity.total_duration, activity.effective_duration) == (900, 900)
    assert next(lap.started_at for lap in activity.provider_laps) == activity.started_at


def test_a_lap_whose_first_fix_comes_late_keeps_its_start():
    activity = only(tcx(tcx_lap(0, 600, tcx_points(range(300, 600), placed)))).activity

    assert (activity.total_duration, activity.effective_duration) == (600, 600)


# --- multisport sessions


def multisport(*starts):
    legs = [
        f'<Activity Sport="Running">{tcx_lap(second, 600, tcx_points(range(second, second + 600)))}</Activity>'
        for second in starts
    ]
    first, *others = legs
    more = "".join(f"<NextSport>{leg}</NextSport>" for leg in others)
    return TCX.format(
        f"<MultiSportSession><FirstSport>{first}</FirstSport>{more}</MultiSportSession>"
    ).encode()


def groups(store, data):
    Importer(store, "usr_a", today=date(2026, 6, 1)).import_source(SourceFile("a.tcx", lambda: data))
    rows = store.activities_of("usr_a", None, None)
    return [row.group_id for row in sorted(rows, key=lambda row: row.started_at)]


def test_a_reported_multisport_session_of_several_days_has_no_group(store):
    assert groups(store, report("tcx-multisport-of-several-days.tcx")) == [None, None]


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        ((0, 700, 1400), "aaa"),
        ((0, 4 * 3600), "aa"),
        ((0, 700, 10 * 3600), "aa-"),
        ((0, 8 * 3600, 8 * 3600 + 700), "-aa"),
        ((0, 700, 8 * 3600, 8 * 3600 + 700), "aabb"),
    ],
)
def test_legs_that_follow_each_other_are_one_group(store, starts, expected):
    found = groups(store, multisport(*starts))
    names = dict(zip(dict.fromkeys(filter(None, found)), "ab", strict=False))

    assert "".join(names.get(group, "-") for group in found) == expected


@pytest.mark.parametrize(("starts", "is_kept"), [((0, 700), True), ((0, 8 * 3600), False)])
def test_a_session_that_is_read_again_leaves_a_wrong_group(store, starts, is_kept):
    """As stored by an earlier version, in which all legs of a file were one group."""
    groups(store, multisport(*starts))
    row = store.activities_of("usr_a", None, None)[0]
    seen = store.own_activity("usr_a", row.id)
    store.change_activity(seen, row.model_copy(update={"group_id": "grp_old"}))
    again = read_again(store, store.own_activity("usr_a", row.id), lambda *_: AthleteValues())

    assert (again.activity.group_id == "grp_old") == is_kept


# --- blanks before the file


@pytest.mark.parametrize(
    "before", [b" " * 10, b"\r\n\t ", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n", b" \xef\xbb\xbf"]
)
@pytest.mark.parametrize(
    "data", [gpx(segment(gpx_points(range(9)))), tcx(tcx_lap(0, 9, tcx_points(range(9))))]
)
def test_blanks_before_the_declaration_are_no_damage(before, data):
    found, problems = read(before + data)

    assert (len(found), problems) == (1, ())
