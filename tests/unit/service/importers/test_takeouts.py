"""Takeouts unmodified, in the layouts that Strava, Garmin and Apple write: through a whole import."""

import gzip
import json
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from coachboard.service.importers.health.sources import tables_of
from coachboard.service.importers.importing import Importer, ImportOutcome
from coachboard.service.importers.run import ImportRun
from coachboard.service.store import RowKind
from coachboard.wire.metrics import MetricType
from unit.service.importers.fit_files import START, fit_file, records, session
from unit.service.importers.test_health import NIGHT, apple_export
from unit.service.importers.xml_files import gpx, gpx_points, segment

RIDE = fit_file(session(total_elapsed_time=600.0), *records(600, power=200))
TELEMETRY = fit_file(("MONITORING_INFO", {"timestamp": START}), kind="monitoring_b")
STRAVA = (
    "Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,Distance,"
    "Max Heart Rate,Relative Effort,Commute,Activity Private Note,Activity Gear,Filename,Athlete Weight,"
    "Bike Weight,Elapsed Time,Moving Time,Distance,Max Speed,Average Speed,Elevation Gain,Average Watts,Calories\n"
    '9001,"May 4, 2026, 6:00:00 AM","Over the hill, slowly",Ride,"With Ana\nand Ben",600,4.80,,12,false,,,'
    "activities/9001.fit.gz,70.0,,600.0,600.0,4800.0,9.1,8.0,40.0,200.0,120.0\n"
    '9002,"May 5, 2026, 5:30:00 PM",Gym,Weight Training,,3600,0,150,30,false,,,,70.0,,3600.0,3600.0,0.0,,,,,300.0\n'
    "broken,never,Row,Ride,,,,,,,,,,,,,,,,,,,\n"
)
GARMIN_NIGHT = {
    "sleepStartTimestampGMT": "2026-05-01T20:30:00.0", "sleepEndTimestampGMT": "2026-05-02T04:30:00.0",
    "calendarDate": "2026-05-02", "deepSleepSeconds": 5400, "lightSleepSeconds": 14400, "remSleepSeconds": 7200,
}  # fmt: skip
HEALTH = {"calendarDate": "2026-05-02", "metrics": [{"type": "HRV", "value": 62.0}]}
WEIGHT = {"metaData": {"calendarDate": "2026-05-02T07:00:00.0"}, "weight": {"weight": 71400.0}}


def archive(path, **entries):
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in entries.items():
            packed.writestr(name.replace("___", "-").replace("__", "."), data)
    return path


def imported(store, path):
    run = ImportRun(Importer(store, "usr_a", today=date(2026, 6, 1), import_id="imp_1"), [path])
    return run, {report.name.split("/")[-1]: report for report in run.reports()}


def nights(store):
    return [json.loads(body) for body in store.row_bodies(RowKind.SLEEPS, "usr_a")]


def test_a_strava_takeout_brings_names_and_sessions_without_a_file(store, tmp_path):
    entries = {"activities.csv": STRAVA, "profile.csv": "Athlete ID\n1\n", "media/a.jpg": "?"}
    path = tmp_path / "export_1.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("activities/9001.fit.gz", gzip.compress(RIDE))
        for name, data in entries.items():
            packed.writestr(name, data)
    run, reports = imported(store, path)
    gym, ride = store.activities_of("usr_a", None, None)

    assert (ride.name, ride.description) == ("Over the hill, slowly", "With Ana\nand Ben")
    assert (gym.name, gym.sub_sport, gym.total_duration, gym.calories) == (
        "Gym",
        "strengthTraining",
        3600,
        300,
    )
    assert reports["activities.csv"].notes == (
        "1 session completed", "1 session without a file added", "line 5: not a session with an id and a date",
    )  # fmt: skip
    assert reports["profile.csv"].outcome is ImportOutcome.SKIPPED
    assert run.others == 1


def test_a_second_import_of_the_takeout_changes_nothing(store, tmp_path):
    path = archive(tmp_path / "a.zip", activities__csv=STRAVA)
    imported(store, path)
    _, reports = imported(store, path)

    assert reports["activities.csv"].outcome is ImportOutcome.KNOWN
    assert len(store.activities_of("usr_a", None, None)) == 1


def corrected_name(store, row, name):
    seen = store.own_activity("usr_a", row.id)
    return store.change_activity(seen, row.model_copy(update={"name": name}), corrections={"name": name})


def test_a_name_that_the_person_corrected_stays(store, tmp_path):
    (tmp_path / "9001.fit").write_bytes(RIDE)
    imported(store, tmp_path / "9001.fit")
    (ride,) = store.activities_of("usr_a", None, None)
    corrected_name(store, ride, "Mine")
    (tmp_path / "activities.csv").write_text(STRAVA.replace("9001.fit.gz", "9001.fit"))
    imported(store, tmp_path / "activities.csv")

    assert store.activities_of("usr_a", None, None)[-1].name == "Mine"
    assert store.activities_of("usr_a", None, None)[-1].description == "With Ana\nand Ben"


def test_a_session_without_a_file_can_be_corrected(store, tmp_path):
    (tmp_path / "activities.csv").write_text(STRAVA)
    imported(store, tmp_path / "activities.csv")
    (gym,) = [row for row in store.activities_of("usr_a", None, None) if row.name == "Gym"]

    assert corrected_name(store, gym, "Strength")


def test_a_garmin_export_brings_sessions_nights_hrv_and_weight_and_counts_telemetry(store, tmp_path):
    inner = archive(tmp_path / "inner.zip", ride__fit=RIDE, wellness__fit=TELEMETRY).read_bytes()
    wellness = "DI_CONNECT/DI-Connect-Wellness"
    path = tmp_path / "garmin.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("DI_CONNECT/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part1.zip", inner)
        packed.writestr(f"{wellness}/2026_1_sleepData.json", json.dumps([GARMIN_NIGHT]))
        packed.writestr(f"{wellness}/2026_1_healthStatusData.json", json.dumps([HEALTH]))
        packed.writestr(f"{wellness}/1_userBioMetrics.json", json.dumps([WEIGHT]))
        packed.writestr("DI_CONNECT/DI-Connect-Metrics/TrainingHistory.json", "[]")
    run, reports = imported(store, path)
    (night,) = nights(store)

    assert len(store.activities_of("usr_a", None, None)) == 1
    assert (night["averageHrv"], night["totalDuration"]) == (62.0, 27_000)
    assert [(metric.type, metric.value) for metric in store.metrics_of("usr_a")] == [
        (MetricType.WEIGHT, 71.4)
    ]
    assert reports["wellness.fit"].outcome is ImportOutcome.SKIPPED
    assert run.others == 1


def test_an_apple_export_is_read_from_its_archive(store, tmp_path):
    path = tmp_path / "export.zip"
    track = gpx(segment(gpx_points(range(90))))
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("apple_health_export/export.xml", apple_export(*NIGHT).getvalue())
        packed.writestr("apple_health_export/export_cda.xml", "<ClinicalDocument/>")
        packed.writestr("apple_health_export/workout-routes/route_2026-05-04.gpx", track)
    run, reports = imported(store, path)

    assert reports["export.xml"].nights == 1
    assert len(store.activities_of("usr_a", None, None)) == 1
    assert run.others == 1


def test_an_undo_removes_nights_and_the_fields_that_were_added_to_known_ones(store, tmp_path):
    (tmp_path / "sleep.csv").write_text("date,sleep (h)\n2026-05-02,7.5\n")
    (tmp_path / "hrv.csv").write_text("date,hrv\n2026-05-02,60\n2026-05-03,61\n")
    first = Importer(store, "usr_a", today=date(2026, 6, 1), import_id="imp_1")
    list(ImportRun(first, [tmp_path / "sleep.csv"]).reports())
    second = Importer(store, "usr_a", today=date(2026, 6, 1), import_id="imp_2")
    (report,) = ImportRun(second, [tmp_path / "hrv.csv"]).reports()
    store.undo_import("usr_a", "imp_2", datetime.now(UTC), report.filled)
    (night,) = nights(store)

    assert report.nights == 2
    assert (night["day"], night["averageHrv"], night["totalDuration"]) == ("2026-05-02", None, 27_000)


def unpacked(folder, entries):
    for name, data in entries.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder


STRAVA_FOLDER = {
    "activities/9001.fit.gz": gzip.compress(RIDE),
    "activities.csv": STRAVA,
    "profile.csv": "Athlete ID\n1\n",
    "media/a.jpg": "?",
}
APPLE_FOLDER = {
    "export.xml": apple_export(*NIGHT).getvalue(),
    "export_cda.xml": "<ClinicalDocument/>",
    "electrocardiograms/ecg_2026.csv": "Name,Ana\nLead,I\n",
    "workout-routes/route.gpx": gpx(segment(gpx_points(range(90)))),
}
GARMIN_FOLDER = {
    "DI_CONNECT/DI-Connect-Wellness/2026_sleepData.json": json.dumps([GARMIN_NIGHT]),
    "DI_CONNECT/DI-Connect-Uploaded-Files/a.fit": RIDE,
    "DI_CONNECT/DI-Connect-Uploaded-Files/b.fit": TELEMETRY,
    "DI_CONNECT/DI-Connect-Metrics/TrainingHistory.json": "[]",
    "DI_CONNECT/DI-Connect-User/devices.csv": "Device,Serial\nEdge,1\n",
}


@pytest.mark.parametrize(
    ("entries", "sessions", "found_nights", "skipped"),
    [(STRAVA_FOLDER, 2, 0, 1), (APPLE_FOLDER, 1, 1, 1), (GARMIN_FOLDER, 1, 1, 2)],
)
def test_an_unpacked_export_is_read_like_its_archive(
    store, tmp_path, entries, sessions, found_nights, skipped
):
    run, reports = imported(store, unpacked(tmp_path / "export", entries))
    outcomes = [report.outcome for report in reports.values()]

    assert len(store.activities_of("usr_a", None, None)) == sessions
    assert len(nights(store)) == found_nights
    assert ImportOutcome.FAILED not in outcomes
    assert outcomes.count(ImportOutcome.SKIPPED) == skipped
    assert run.others == 1


@pytest.mark.parametrize("entries", [STRAVA_FOLDER, APPLE_FOLDER, GARMIN_FOLDER])
def test_an_export_without_its_folders_asks_for_no_columns_and_fails_at_no_file(
    store, tmp_path, monkeypatch, entries
):
    """As a browser sends a dropped folder."""
    folder = unpacked(tmp_path / "export", {name.rpartition("/")[2]: data for name, data in entries.items()})
    monkeypatch.chdir(folder)
    _, reports = imported(store, Path())

    assert tables_of(path.name for path in folder.iterdir()) == frozenset()
    assert ImportOutcome.FAILED not in [report.outcome for report in reports.values()]


def test_a_table_of_a_folder_that_is_no_export_is_rejected_with_its_reason(store, tmp_path):
    _, reports = imported(store, unpacked(tmp_path / "mine", {"notes.csv": "a,b\n1,2\n"}))

    assert reports["notes.csv"].outcome is ImportOutcome.FAILED


def test_resource_files_of_macos_are_no_recordings(store, tmp_path):
    run, reports = imported(store, unpacked(tmp_path / "rides", {"a.fit": RIDE, "._a.fit": "mac"}))

    assert list(reports) == ["a.fit"]
    assert run.others == 1


def test_many_damaged_rows_of_stravas_list_make_a_short_report(store, tmp_path):
    path = tmp_path / "activities.csv"
    rows = "".join(f'{n},"May 4, 2125, 6:00:00 AM",Ride,\n' for n in range(50))
    path.write_text(f"Activity ID,Activity Date,Activity Type,Filename\n{rows}")

    assert len(imported(store, path)[1]["activities.csv"].notes) == 20


@pytest.mark.parametrize(
    ("when", "took_s", "metres", "expected", "note"),
    [
        ("May 4, 2125, 6:00:00 AM", "600", "4800", None, "starts on an impossible date"),
        ("9999-12-31 23:59:59", "600", "4800", None, "starts on an impossible date"),
        ("0001-01-01T00:00:00+14:00", "600", "4800", None, "starts on an impossible date"),
        ("May 4, 2026, 6:00:00 AM", "1e9", "4800", (0, 4800), "total duration is outside 0 to 2,592,000 s"),
        ("May 4, 2026, 6:00:00 AM", "-600", "-1", (0, None), "total duration is outside"),
        ("May 4, 2026, 6:00:00 AM", "600", "1e38", (600, None), "distance is outside 0 to 5,000,000 m"),
    ],
)
def test_a_damaged_row_of_stravas_list_costs_its_session_or_figure_only(
    store, tmp_path, when, took_s, metres, expected, note
):
    """A row became a session of 31 years, or of the year 2125, or took all other rows with it."""
    path = tmp_path / "activities.csv"
    head = "Activity ID,Activity Date,Activity Type,Elapsed Time,Distance,Filename\n"
    path.write_text(
        f'{head}1,"{when}",Ride,{took_s},{metres},\n2,"May 5, 2026, 5:30:00 PM",Ride,3600,20000,\n'
    )
    report = imported(store, path)[1]["activities.csv"]
    good, *others = store.activities_of("usr_a", None, None)

    assert (good.total_duration, good.distance) == (3600, 20_000)
    assert [(other.total_duration, other.distance) for other in others] == ([expected] if expected else [])
    assert any(note in said for said in report.notes)
    assert "pydantic" not in " ".join(report.notes)
