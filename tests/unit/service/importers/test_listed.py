"""Sessions of lists: Strava's activities.csv and the workouts of Apple's export.xml, through a whole import."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from coachboard.service.importers.importing import ImportOutcome
from unit.service.importers.test_health import NIGHT, apple_export
from unit.service.importers.test_takeouts import RIDE, imported, unpacked
from unit.service.importers.xml_files import gpx, gpx_points, segment

REPORTS = Path(__file__).parents[5] / "shared" / "reports"


@pytest.mark.parametrize(
    ("year", "expected"),
    [
        (2019, [("Morning Ride", 42_500, 7200, "cycling"), ("Morning Run", 10_120, 3600, "running")]),
        (
            2024,
            [
                ("Ride, with comma", 42_500, 7300, "cycling"),
                ("Swim", 1500, 1900, "swimming"),
                ("Row", 5000, 1900, "rowing"),
            ],
        ),
    ],
)
def test_a_reported_list_of_strava_has_its_distances(store, year, expected):
    path = REPORTS / f"strava-{year}" / "activities.csv"
    if not path.exists():
        pytest.skip(f"no reports in {REPORTS}")
    imported(store, path)
    rows = sorted(store.activities_of("usr_a", None, None), key=lambda row: row.started_at)

    assert [(row.name, row.distance, row.total_duration, row.sport) for row in rows] == expected
    if year == 2024:
        assert (rows[0].elevation_gain, rows[0].max_heart_rate, rows[0].sub_sport) == (
            400,
            171,
            "virtualActivity",
        )


SINGLE = "Activity ID,Activity Date,Activity Name,Activity Type,Elapsed Time,Distance,Filename\n"
DOUBLE = "Activity ID,Activity Date,Activity Name,Activity Type,Elapsed Time,Distance,Filename,Elapsed Time,Distance\n"
OLD = "id,date,name,type,elapsed_time,distance,filename\n"


@pytest.mark.parametrize(
    ("text", "metres"),
    [
        (f'{SINGLE}1,"May 4, 2019, 8:00:00 AM",a,Ride,7200,42.50,\n', [42_500]),
        (f'{SINGLE}1,"May 4, 2019, 8:00:00 AM",a,Walk,720000,"1,042.50",\n', [1_042_500]),
        (f'{SINGLE}1,"May 4, 2019, 8:00:00 AM",a,Swim,1900,"1,500",\n', [1500]),
        (f'{SINGLE}1,"May 4, 2019, 8:00:00 AM",a,Swim,1900,750,\n', [750]),
        (f'{SINGLE}1,"May 4, 2019, 8:00:00 AM",a,Swim,1900,1.50,\n', [1500]),
        (
            f'{SINGLE}1,"May 4, 2019, 8:00:00 AM",a,Run,3600,10120.0,\n2,"May 5, 2019, 8:00:00 AM",b,Run,600,300,\n',
            [10_120, 300],
        ),
        (f"{OLD}1,2018-09-12 15:02:23,a,Ride,783,3681.0,\n", [3681]),
        (
            DOUBLE
            + '1,"May 4, 2024, 8:00:00 AM",a,Run,3600,10.12,,3600,10123.4\n'
            + '2,"May 5, 2024, 8:00:00 AM",b,Run,3600,9.5,,,\n3,"May 6, 2024, 8:00:00 AM",c,Swim,1900,"1,200",,,\n',
            [10_123.4, 9500, 1200],
        ),
        (f'{SINGLE}1,"May 4, 2019, 8:00:00 AM",a,Ride,7200,"42,50",\n', [42_500]),
        (f'{SINGLE}1,"May 4, 2019, 8:00:00 AM",a,Yoga,3600,,\n', [None]),
    ],
)
def test_the_distances_of_stravas_list_are_metres_whatever_its_columns(store, tmp_path, text, metres):
    (tmp_path / "activities.csv").write_text(text)
    imported(store, tmp_path)
    rows = sorted(store.activities_of("usr_a", None, None), key=lambda row: row.started_at)

    assert [row.distance for row in rows] == metres


def takeout_of(kind, track):
    row = f'7,"May 4, 2026, 6:00:00 AM",Dawn,{kind},90,1.00,activities/7.gpx\n'
    return {"activities.csv": SINGLE + row, "activities/7.gpx": track}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Ride", ("cycling", None)),
        ("Trail Run", ("running", "trail")),
        ("Virtual Ride", ("cycling", "virtualActivity")),
        ("Backcountry Ski", ("alpineSkiing", "backcountry")),
        ("Quidditch", (None, None)),
    ],
)
def test_a_track_without_a_sport_has_that_of_stravas_list(store, tmp_path, kind, expected):
    track = gpx(segment(gpx_points(range(90), lambda second: f"<ele>{500 + second}</ele>")))
    imported(store, unpacked(tmp_path / "export", takeout_of(kind, track)))
    (row,) = store.activities_of("usr_a", None, None)

    assert (row.name, row.sport, row.sub_sport) == ("Dawn", *expected)
    assert bool(row.climbs) == (expected[0] == "cycling")


def test_a_sport_of_the_track_or_of_the_person_stays(store, tmp_path):
    track = gpx("<type>hiking</type>" + segment(gpx_points(range(90))))
    imported(store, unpacked(tmp_path / "export", takeout_of("Trail Run", track)))
    (row,) = store.activities_of("usr_a", None, None)

    assert row.sport == "hiking"
    seen = store.own_activity("usr_a", row.id)
    store.change_activity(seen, row.model_copy(update={"sport": None}), corrections={"sport": None})
    imported(store, tmp_path / "export" / "activities.csv")
    (row,) = store.activities_of("usr_a", None, None)
    assert (row.sport, row.sub_sport) == (None, None)


def test_a_session_whose_recording_is_missing_is_named(store, tmp_path):
    (tmp_path / "activities.csv").write_text(takeout_of("Ride", b"")["activities.csv"])
    _, reports = imported(store, tmp_path)

    assert reports["activities.csv"].notes == (
        "1 session left out: the recording is not among the imported files",
    )


def workout(
    kind="Running", *, start="2026-05-03 18:00:00 +0200", end="2026-05-03 18:40:00 +0200", more="", **row
):
    attributes = "".join(f' {name}="{value}"' for name, value in row.items())
    return (
        f'<Workout workoutActivityType="HKWorkoutActivityType{kind}" sourceName="Watch" startDate="{start}"'
        f' endDate="{end}" duration="38.5" durationUnit="min"{attributes}>{more}</Workout>\n'
    )


def statistics(kind, **row):
    attributes = "".join(f' {name}="{value}"' for name, value in row.items())
    return f'<WorkoutStatistics type="HKQuantityTypeIdentifier{kind}"{attributes}/>'


def metadata(**entries):
    return "".join(f'<MetadataEntry key="HK{key}" value="{value}"/>' for key, value in entries.items())


NEW_LAYOUT = (
    statistics("DistanceWalkingRunning", sum="5", unit="mi")
    + statistics("HeartRate", average="151", minimum="90", maximum="172", unit="count/min")
    + statistics("ActiveEnergyBurned", sum="400", unit="kcal")
    + metadata(IndoorWorkout="1", ElevationAscended="1234 cm", TimeZone="America/New_York")
)


def apple_sessions(store, tmp_path, *parts, **files):
    entries = {"export.xml": apple_export(*parts).getvalue(), **files}
    _, reports = imported(store, unpacked(tmp_path / "export", entries))
    rows = sorted(store.activities_of("usr_a", None, None), key=lambda row: row.started_at)
    return rows, reports["export.xml"]


def test_an_apple_workout_without_a_route_is_a_session(store, tmp_path):
    older = workout("Cycling", start="2026-05-01 08:00:00 +0200", end="2026-05-01 09:00:00 +0200",
                    totalDistance="21.5", totalDistanceUnit="km", totalEnergyBurned="1673.6", totalEnergyBurnedUnit="kJ")  # fmt: skip
    rows, report = apple_sessions(store, tmp_path, older, *NIGHT, workout(more=NEW_LAYOUT))
    ride, run = rows

    assert (ride.sport, ride.distance, ride.total_duration, ride.effective_duration) == (
        "cycling",
        21_500,
        3600,
        2310,
    )
    assert (ride.calories, ride.utc_offset) == (pytest.approx(400), 120)
    assert (run.sport, run.sub_sport, run.distance) == ("running", "treadmill", pytest.approx(8046.72))
    assert (run.average_heart_rate, run.max_heart_rate, run.elevation_gain, run.calories) == (
        151,
        172,
        12.34,
        400,
    )
    assert (run.started_at, run.utc_offset) == (datetime(2026, 5, 3, 16, tzinfo=UTC), -240)
    assert (len(report.activity_ids), report.nights) == (2, 1)


@pytest.mark.parametrize(
    ("kind", "more", "expected"),
    [
        ("Swimming", metadata(SwimmingLocationType="1"), ("swimming", "lapSwimming")),
        ("Swimming", metadata(SwimmingLocationType="2"), ("swimming", "openWater")),
        ("TraditionalStrengthTraining", "", ("training", "strengthTraining")),
        ("Curling", "", (None, None)),
    ],
)
def test_an_apple_workout_has_its_sport(store, tmp_path, kind, more, expected):
    ((row,), _) = apple_sessions(store, tmp_path, workout(kind, more=more))

    assert (row.sport, row.sub_sport) == expected


def test_an_apple_route_has_the_sport_of_its_workout_and_is_one_session(store, tmp_path):
    route = (
        '<WorkoutRoute sourceName="Watch"><FileReference path="/workout-routes/route_1.gpx"/></WorkoutRoute>'
    )
    start, end = "2026-05-04 07:59:30 +0200", "2026-05-04 08:01:30 +0200"
    track = gpx("<name>Route 2026-05-04</name>" + segment(gpx_points(range(90))))
    parts = workout("Hiking", start=start, end=end, more=route)
    (row,), report = apple_sessions(store, tmp_path, parts, **{"workout-routes/route_1.gpx": track})

    assert (row.sport, row.distance > 900) == ("hiking", True)
    assert report.activity_ids == ()


def test_an_apple_workout_that_another_device_recorded_too_is_one_session(store, tmp_path):
    same = workout("Cycling", start="2026-05-04 08:00:20 +0200", end="2026-05-04 08:10:20 +0200")
    rows, _ = apple_sessions(store, tmp_path, same, **{"ride.fit": RIDE})

    assert len(rows) == 1


@pytest.mark.parametrize(
    "damaged",
    [
        workout(start="soon"),
        workout(end="2026-05-03 17:00:00 +0200"),
        workout(start="2125-05-03 18:00:00 +0200"),
        "<Workout/>",
        workout(
            "Running", start="2026-05-02 18:00:00 +0200", end="2026-05-02 18:40:00 +0200", totalDistance="x"
        ),
    ],
)
def test_a_damaged_apple_workout_costs_itself_only(store, tmp_path, damaged):
    rows, report = apple_sessions(store, tmp_path, damaged, workout(more=NEW_LAYOUT))

    assert rows[-1].distance == pytest.approx(8046.72)
    assert len(rows) == 1 + ("totalDistance" in damaged)
    assert len(report.notes) == 2 - len(rows)


def test_a_second_import_of_apples_export_changes_nothing(store, tmp_path):
    apple_sessions(store, tmp_path, workout())
    rows, report = apple_sessions(store, tmp_path, workout())

    assert (len(rows), report.outcome) == (1, ImportOutcome.KNOWN)
