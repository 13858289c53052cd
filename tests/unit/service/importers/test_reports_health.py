"""Nights and health exports of public bug reports, and other files of the same kinds, through a whole import."""

import json
import re
import zipfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from coachboard.service.importers.errors import RecordingError
from coachboard.service.importers.health.csv_files import read_csv
from coachboard.service.importers.health.data import sleep_of
from coachboard.service.importers.health.sources import tables_of
from coachboard.service.importers.importing import Importer, ImportOutcome
from coachboard.service.importers.run import ImportRun
from coachboard.service.store import NewUser, RowKind, Store
from coachboard.wire.metrics import MetricType

REPORTS = Path(__file__).parents[5] / "shared" / "reports"
WHOOP = "Cycle start time,Cycle end time,Cycle timezone,Heart rate variability (ms),Sleep onset,Wake onset,Asleep duration (min)"
SLEEPS = "Cycle start time,Cycle timezone,Sleep onset,Wake onset,Asleep duration (min),Nap"
GARMIN = "Score,Resting Heart Rate,Body Battery,HRV Status,Quality,Duration,Sleep Need,Bedtime,Wake Time"
SAMSUNG = "com.samsung.shealth.sleep,6220011,4\ncom.samsung.health.sleep.start_time,com.samsung.health.sleep.end_time,com.samsung.health.sleep.time_offset,sleep_duration"


def imported(store, *paths, import_id="imp_1"):
    importer = Importer(store, "usr_a", today=date(2026, 6, 30), import_id=import_id)
    return list(ImportRun(importer, paths).reports())


def nights(store):
    rows = [json.loads(body) for body in store.row_bodies(RowKind.SLEEPS, "usr_a")]
    assert len({row["day"] for row in rows}) == len(rows)
    return {row["day"]: row for row in rows}


def hrv(store):
    return {day: row["averageHrv"] for day, row in sorted(nights(store).items())}


def from_text(store, tmp_path, text, name="a.csv", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    (report,) = imported(store, path, **options)
    return report


def read(text):
    """The nights by day, and the notes."""
    found = read_csv(text if isinstance(text, bytes) else text.encode())
    return {day.isoformat(): fields for day, fields in sorted(found.nights.items())}, found.all_notes()


def read_hrv(text):
    return {day: fields["average_hrv"] for day, fields in read(text)[0].items()}


def report_file(name):
    path = REPORTS / name
    if not path.exists():
        pytest.skip("the folder of reports is absent")
    return path


YEAR_DAY_MONTH = {
    (date(2017, 7, 27) + timedelta(days=place)).isoformat(): 80.0 + place for place in range(15)
}
RIGHT = {
    "whoop-physiological-cycles.csv": {"2026-05-05": 60, "2026-05-06": 65, "2026-05-07": 71},
    "hrv4training-android-year-day-month.csv": YEAR_DAY_MONTH,
    "hrv4training-ios-carriage-returns.csv": {"2026-05-04": 81, "2026-05-05": 82},
    "elite-hrv.csv": {"2026-05-04": 43.5, "2026-05-05": 29.6},
}
PHASES = ("light", "deep", "rem", "awake")
BEFORE = {
    "whoop-physiological-cycles.csv": {
        "2026-05-05": (
            "2026-05-05T22:30",
            "2026-05-06T06:30",
            25_800,
            (12_600, 6_000, 7_200, 3_000),
            65,
            49,
            34.0,
        ),
        "2026-05-06": (
            "2026-05-06T22:40",
            "2026-05-07T06:40",
            26_400,
            (13_200, 6_000, 7_200, 2_400),
            71,
            48,
            34.1,
        ),
    },
    "whoop-sleeps-with-nap.csv": {
        "2026-06-05": (
            "2026-06-06T14:00",
            "2026-06-06T15:00",
            3_000,
            (2_400, 300, 300, 600),
            None,
            None,
            None,
        )
    },
    "hrv4training-android-year-day-month.csv": {
        f"2017-{month:02}-08": (None, None, None, (None,) * 4, 84 + month, None, None)
        for month in range(1, 11)
    },
    "elite-hrv.csv": {
        day: (None, None, None, (None,) * 4, value, None, None)
        for day, value in (("2026-05-04", 58), ("2026-05-05", 52))
    },
}
"""The nights that version 0.1 (1a2c912d) stored: start, end, time asleep, phases, HRV, resting heart rate, skin temperature."""


def put_misread(store, rows):
    for day, (start, end, total, phases, *values) in rows.items():
        times = {
            name: moment and datetime.fromisoformat(moment)
            for name, moment in (("started_at_local", start), ("ended_at_local", end))
        }
        fields = {
            "average_hrv": values[0],
            "resting_heart_rate": values[1],
            "skin_body_temperature": values[2],
        }
        fields |= {"total_duration": total} | {
            f"{name}_duration": value for name, value in zip(PHASES, phases, strict=True)
        }
        store.put_sleeps("usr_a", [sleep_of("usr_a", date.fromisoformat(day), times | fields)])


@pytest.mark.parametrize("name", RIGHT)
def test_hrv_of_a_report_has_its_days_and_values(store, name):
    (report,) = imported(store, report_file(name))

    assert hrv(store) == RIGHT[name]
    assert report.notes == ()


def test_a_nap_of_whoop_does_not_replace_the_night(store):
    (report,) = imported(store, report_file("whoop-sleeps-with-nap.csv"))
    (night,) = nights(store).values()

    assert (night["day"], night["totalDuration"], night["utcOffset"]) == ("2026-06-06", 25_800, 120)
    assert (night["startedAtLocal"], night["endedAtLocal"]) == (
        "2026-06-05 22:30:00+00",
        "2026-06-06 06:30:00+00",
    )
    assert report.notes == ("1 nap left out: 2026-06-06 14:00 to 15:00",)


def test_a_night_of_samsung_is_read_below_the_name_of_its_table(store):
    imported(store, report_file("samsung-health-sleep.csv"))
    (night,) = nights(store).values()

    assert (night["day"], night["totalDuration"]) == ("2026-05-05", 27_000)
    assert (night["startedAt"], night["endedAtLocal"]) == ("2026-05-04 21:30:00+00", "2026-05-05 07:30:00+00")


@pytest.mark.parametrize("name", BEFORE)
def test_a_second_import_replaces_the_nights_that_an_earlier_version_misread(store, tmp_path, name):
    other = from_text(store, tmp_path, "date,hrv\n2025-05-05,50\n")
    put_misread(store, BEFORE[name])
    (report,) = imported(store, report_file(name), import_id="imp_2")
    corrected = nights(store)
    again = imported(store, report_file(name), import_id="imp_3")[0]
    fresh = Store.open(f"sqlite:///{tmp_path / 'fresh.db'}")
    fresh.add_user(NewUser(id="usr_a"))
    imported(fresh, report_file(name))

    assert other.nights == 1
    assert corrected.pop("2025-05-05")["averageHrv"] == 50
    assert corrected == nights(fresh)
    assert "of an earlier import corrected, which had a wrong day or value" in report.notes[0]
    assert again.outcome is ImportOutcome.KNOWN
    fresh.close()


@pytest.mark.parametrize("name", RIGHT)
def test_a_second_import_changes_nothing(store, name):
    imported(store, report_file(name))
    before = nights(store)
    (report,) = imported(store, report_file(name), import_id="imp_2")

    assert (report.outcome, report.nights, nights(store)) == (ImportOutcome.KNOWN, 0, before)


# Further files of the same kinds.


def test_values_of_other_nights_are_no_misread_nights(store, tmp_path):
    """A night of another device that happens to have one of the wrong values stays as it is."""
    from_text(store, tmp_path, "date,hrv,rhr\n2026-05-04,58,44\n2026-05-03,40,45\n")
    from_text(store, tmp_path, "Date,HRV,Rmssd\n2026-05-04,58,43.5\n2026-05-05,52,29.6\n", import_id="imp_2")

    assert hrv(store) == {"2026-05-03": 40, "2026-05-04": 58, "2026-05-05": 29.6}


@pytest.mark.parametrize(
    ("zone", "utc", "offset"),
    [
        ("UTC-04:00", "10:30", -240),
        ("UTC+05:30", "01:00", 330),
        ("+0200", "04:30", 120),
        ("UTC+00:00", "06:30", 0),
        ("UTCZ", "06:30", 0),
        ("Europe/Warsaw", "04:30", 120),
    ],
)
def test_a_zone_in_its_own_column_gives_utc(zone, utc, offset):
    row = f"2026-05-05 22:30:00,,{zone},65,2026-05-05 22:30:00,2026-05-06 06:30:00,430"
    ((day, night),) = read(f"{WHOOP}\n{row}\n")[0].items()

    assert (day, night["utc_offset"]) == ("2026-05-06", offset)
    assert night["ended_at"] == datetime.fromisoformat(f"2026-05-06T{utc}+00:00")
    assert night["ended_at_local"] == datetime.fromisoformat("2026-05-06T06:30")


def test_cycles_without_sleep_are_named_and_cost_no_night():
    rows = (
        "2026-05-06 22:30:00,,UTC+02:00,,,,\n"
        "2026-05-05 22:30:00,2026-05-06 22:30:00,UTC+02:00,65,2026-05-05 22:30:00,2026-05-06 06:30:00,430\n"
    )
    found, notes = read(f"{WHOOP}\n{rows}")

    assert list(found) == ["2026-05-06"]
    assert notes == ("1 row without a day or a wake-up time left out: line 2",)


NIGHT_ROW = "2026-06-05 22:30:00,UTC+02:00,2026-06-05 22:30:00,2026-06-06 06:30:00,430,false"


@pytest.mark.parametrize(
    ("other", "note"),
    [
        ("2026-06-05 22:30:00,UTC+02:00,2026-06-06 23:40:00,2026-06-07 00:20:00,30,TRUE", "1 nap left out: 2026-06-07 23:40 to 00:20"),
        ("2026-06-05 22:30:00,UTC+02:00,2026-06-06 14:00:00,2026-06-06 15:00:00,50,false", "1 shorter sleep left out, as the longest sleep of a day is its night: 2026-06-06 14:00 to 15:00"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("nap_first", [True, False])
def test_of_the_sleeps_of_a_day_the_night_stays_and_the_others_are_named(other, note, nap_first):
    rows = [other, NIGHT_ROW] if nap_first else [NIGHT_ROW, other]
    found, notes = read("\n".join([SLEEPS, *rows]))

    assert {day: night["total_duration"] for day, night in found.items()} == {"2026-06-06": 25_800}
    assert notes == (note,)


def test_a_night_replaces_a_nap_of_an_earlier_file_and_is_named(store, tmp_path):
    nap = "Bedtime,Wake up,Sleep (min)\n2026-06-06 14:00,2026-06-06 15:00,50\n"
    night = "Bedtime,Wake up,Sleep (min)\n2026-06-05 22:30,2026-06-06 06:30,430\n"
    from_text(store, tmp_path, nap, "nap.csv")
    report = from_text(store, tmp_path, night, "night.csv", import_id="imp_2")
    after = nights(store)
    again = from_text(store, tmp_path, nap, "nap.csv", import_id="imp_3")

    assert after["2026-06-06"]["totalDuration"] == 25_800
    assert report.notes == (
        "1 night in place of a shorter sleep of an earlier file: 2026-06-06 22:30 to 06:30 (before 2026-06-06 14:00 to 15:00)",
    )
    assert (nights(store), again.outcome) == (after, ImportOutcome.KNOWN)
    assert again.notes == (
        "1 shorter sleep left out, as an earlier file has a longer one of the day: 2026-06-06 14:00 to 15:00",
    )
    store.undo_import("usr_a", "imp_2", datetime.now(UTC), report.filled)
    assert nights(store) == {}


MAY = [date(2026, 5, 4) + timedelta(days=place) for place in range(12)]


@pytest.mark.parametrize(
    "form",
    [
        "%Y-%d-%m",
        "%Y/%d/%m",
        "%Y-%m-%d",
        "%Y.%m.%d",
        "%d/%m/%Y",
        "%m/%d/%Y",
        "%d-%m-%Y",
        "%d.%m.%Y",
        "%d.%m.%y",
        "%Y年%m月%d日",
    ],
)
@pytest.mark.parametrize("clock", ["", " 06:30", " 6:30 a. m. +0000", " 06:30:15.123", "T06:30:00Z"])
def test_all_days_of_a_column_decide_their_order(form, clock):
    days = [*MAY, date(2026, 5, 31)]
    rows = [f"{day.strftime(form)}{clock},{60 + place}" for place, day in enumerate(days)]
    found = read_hrv("\n".join(["date,rMSSD", *rows]))

    assert found == {day.isoformat(): 60 + place for place, day in enumerate(days)}


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y"])
def test_an_order_that_no_single_day_tells_follows_from_days_that_are_close(form):
    days = MAY[:8]
    rows = [f"{day.strftime(form)},{60 + place}" for place, day in enumerate(days)]
    found = read_hrv("\n".join(["date,rMSSD", *rows]))

    assert list(found) == [day.isoformat() for day in days]


def test_a_single_night_has_its_start_and_end_in_one_order():
    ((day, night),) = read("Bedtime,Wake up\n05/05/2026 22:30,06/05/2026 06:30\n")[0].items()

    assert day == "2026-05-06"
    assert night["ended_at_local"] - night["started_at_local"] == timedelta(hours=8)


@pytest.mark.parametrize(
    ("cell", "kg"), [("157.4 lb", 71.4), ("157,4lbs", 71.4), ("71.4 kg", 71.4), ("71.4", 71.4)]
)
def test_a_unit_beside_the_number_counts(cell, kg):
    found = read_csv(f"Date;Weight\n06.05.26;{cell}\n".encode()).metrics

    assert found == {(MetricType.WEIGHT, date(2026, 5, 6)): pytest.approx(kg, abs=0.01)}


def test_first_days_of_months_with_the_year_in_front_are_read_as_always():
    rows = [f"2026-{month:02}-05,60" for month in range(1, 6)]
    found = read_hrv("\n".join(["date,rMSSD", *rows]))

    assert list(found) == [f"2026-{month:02}-05" for month in range(1, 6)]


@pytest.mark.parametrize(
    ("cell", "hour"),
    [
        ("2018-05-18 12:01:00 a. m. +0000", 0),
        ("2018-05-18 06:01:00 a.\u00a0m. +0000", 6),
        ("2018-05-18 12:01:00 p.m.", 12),
        ("18/05/2018 6:01 PM", 18),
        ("18 may 2018, 06:01", 6),
        ("18 de mayo de 2018 06:01", 6),
        ("18. Mai 2018 06:01", 6),
        ("18 mai 2018 06:01", 6),
        ("18 mag 2018 06:01", 6),
        ("Fri, May 18, 2018 6:01 AM", 6),
        ("20180518T060100", 6),
    ],
)
def test_a_day_as_phones_write_it(cell, hour):
    end = (
        cell.replace("18", "19", 1)
        if not cell.startswith("2018")
        else cell.replace("18 ", "19 ", 1).replace("0518", "0519")
    )
    ((day, night),) = read(f'Bedtime start,Bedtime end,rMSSD\n"{cell}","{end}",61\n')[0].items()

    assert (day, night["average_hrv"], night["started_at_local"].hour) == ("2018-05-19", 61, hour)


@pytest.mark.parametrize("missing", ["", "-", "--", "n/a", "NaN", "0", "0.0", "0,0"])
def test_a_day_without_a_measurement_is_no_night_and_no_fault(missing):
    found = read(f"date;rMSSD;HR\n2018-05-18;{missing};-\n2018-05-19;58,5;45\n")

    assert found == ({"2018-05-19": {"average_hrv": 58.5}}, ())


TABLE = 'Date;HRV;Note\n04.05.2026;58,5;"slept well,\nlate; twice"\n05.05.2026;61,25;-\n'


@pytest.mark.parametrize(
    "data",
    [
        TABLE.encode(),
        TABLE.encode("utf-8-sig"),
        TABLE.encode("utf-16"),
        TABLE.encode("utf-16-le"),
        TABLE.replace("\n", "\r").encode(),
        TABLE.replace("\n", "\r\n").encode(),
        f"sep=;\n{TABLE}".encode("cp1252"),
        TABLE.replace(";", "\t").encode(),
    ],
    ids=["utf-8", "bom", "utf-16", "utf-16 without bom", "cr", "crlf", "excel", "tabs"],
)
def test_a_table_is_read_whatever_its_bytes(data):
    assert read(data) == ({"2026-05-04": {"average_hrv": 58.5}, "2026-05-05": {"average_hrv": 61.25}}, ())


@pytest.mark.parametrize(
    ("header", "row", "ms"),
    [
        ("HRV,Rmssd", "58,43.5", 43.5),
        ("rMSSD,HRV", "43.5,58", 43.5),
        ("HRV,HRV (ms)", "58,43.5", 43.5),
        ("HRV,lnRmssd,Rolling Avg HRV,HRV CV,Rmssd", "58,3.77,57,4,43.5", 43.5),
        ("Heart rate variability (ms)", "43.5", 43.5),
    ],
)
def test_of_two_columns_of_hrv_that_in_milliseconds_is_read(header, row, ms):
    assert read_hrv(f"Date,{header}\n2026-05-04,{row}\n") == {"2026-05-04": ms}


@pytest.mark.parametrize(
    ("head", "day"),
    [
        (f"Sleep Score 4 Weeks,{GARMIN}", '"Jun 26, 2026"'),
        (f"Sleep Score 1 Week,{GARMIN}", "2026-06-26"),
        ("Schlafwert 4 Wochen,Punkte,Ruheherzfrequenz,Body Battery,HFV-Status,Qualität,Dauer,Schlafbedarf,Schlafenszeit,Aufstehzeit", "26.06.2026"),
        ("Puntuación de sueño,Puntuación,Frecuencia cardiaca en reposo,Body Battery,Estado,Calidad,Duración,Necesidad de sueño,Hora de acostarse,Hora de despertarse", "26 jun 2026"),
        ("Score,Points,Fréquence cardiaque au repos,Body Battery,Statut,Qualité,Durée,Besoin de sommeil,Heure du coucher,Heure de réveil", "26 juin 2026"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("bed", ["12:31 AM,6:04 AM", "00:31,06:04"])
def test_garmins_sleep_has_its_day_under_any_title(head, day, bed):
    data = f"{head}\n{day},76,52,+35,48,Good,5h 8min,9h 0min,{bed}\n"
    found, notes = read(data)

    # HRV Status is a mean of 7 days.
    assert found == {
        "2026-06-26": {
            "started_at_local": datetime.fromisoformat("2026-06-26T00:31"),
            "ended_at_local": datetime.fromisoformat("2026-06-26T06:04"),
            "total_duration": 18_480,
            "resting_heart_rate": 52,
        }
    }
    assert notes == ()


@pytest.mark.parametrize(
    ("bed", "wake", "start"),
    [("22:30", "06:30", "2026-06-25T22:30:00"), ("9:00 AM", "5:00 PM", "2026-06-26T09:00:00"), ("1:30 PM", "9:00 PM", "2026-06-26T13:30:00")],
)  # fmt: skip
def test_clock_times_lie_before_the_end_of_the_night(bed, wake, start):
    ((day, night),) = read(f"Date,Bedtime,Wake time\n2026-06-26,{bed},{wake}\n")[0].items()

    assert (day, night["started_at_local"]) == ("2026-06-26", datetime.fromisoformat(start))


def test_a_night_in_utc_keeps_the_date_of_its_app():
    """Oura in Auckland: it wakes on 27 June."""
    row = "2026-06-27,2026-06-26T10:30:00+00:00,2026-06-26T18:30:00+00:00,27000"
    assert list(read(f"date,bedtime_start,bedtime_end,total_sleep_duration\n{row}\n")[0]) == ["2026-06-27"]


def test_samsungs_times_are_utc_with_an_offset_and_rows_are_longer_than_their_header():
    rows = (
        "2026-05-04 12:30:00.000,2026-05-04 20:30:00.000,UTC+1200,450,\n"  # Auckland, wakes on 5 May
        "2026-05-06 04:00:00.000,2026-05-06 11:00:00.000,UTC-0400,,\n"  # an old session without a duration
        "2026-05-06 17:00:00.000,2026-05-06 17:20:00.000,UTC-0400,20,\n"
    )
    found, notes = read(f"{SAMSUNG}\n{rows}")

    assert {day: night.get("total_duration") for day, night in found.items()} == {
        "2026-05-05": 27_000,
        "2026-05-06": None,
    }
    assert found["2026-05-06"]["ended_at_local"] == datetime.fromisoformat("2026-05-06T07:00")
    assert found["2026-05-05"]["started_at_local"] == datetime.fromisoformat("2026-05-05T00:30")
    assert found["2026-05-05"]["utc_offset"] == 720
    assert notes == (
        "1 shorter sleep left out, as the longest sleep of a day is its night: 2026-05-06 13:00 to 13:20",
    )
    assert read(f"{SAMSUNG}\n{rows}".partition("\n")[2])[0] == found  # without the line above the headers
    assert tables_of(["com.samsung.shealth.sleep.20260601.csv"]) == frozenset()


def test_samsungs_weights_have_the_day_of_the_scale_and_other_tables_are_skipped(store, tmp_path):
    weight = "com.samsung.health.weight,1,1\nstart_time,time_offset,weight,body_fat\n2026-05-04 22:10:00.000,UTC+0200,71.4,18.5,\n"
    stages = "com.samsung.health.sleep_stage,1,1\nstart_time,end_time,stage\n2026-05-04 22:10:00.000,2026-05-04 22:20:00.000,40001\n"
    folder = tmp_path / "samsunghealth"
    folder.mkdir()
    (folder / "com.samsung.health.weight.20260601.csv").write_text(weight)
    (folder / "com.samsung.health.sleep_stage.20260601.csv").write_text(stages)
    reports = imported(store, folder)

    assert [
        (row.type, row.value, row.date) for row in store.metrics_of("usr_a") if row.type is MetricType.WEIGHT
    ] == [(MetricType.WEIGHT, 71.4, date(2026, 5, 5))]
    assert nights(store) == {}
    assert sorted(report.outcome for report in reports) == [ImportOutcome.IMPORTED, ImportOutcome.SKIPPED]


WORKOUTS = (
    "Cycle start time,Cycle timezone,Workout start time,Workout end time,Duration (min),Activity name\n"
    "2026-05-05 22:30:00,UTC+02:00,2026-05-06 17:00:00,2026-05-06 18:00:00,60,Running\n"
)
JOURNAL = "Cycle start time,Cycle timezone,Question text,Answered yes\n2026-05-05 22:30:00,UTC+02:00,Alcohol?,true\n"


def test_an_export_of_whoop_brings_its_nights_alone(store, tmp_path):
    night = "2026-05-05 22:30:00,,UTC+02:00,65,2026-05-05 22:30:00,2026-05-06 06:30:00,430"
    path = tmp_path / "my_whoop_data_2026_05_07.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("physiological_cycles.csv", f"{WHOOP}\n{night}\n")
        packed.writestr("sleeps.csv", f"{SLEEPS}\n{night.replace(',,', ',').replace('65,', '')},false\n")
        packed.writestr("workouts.csv", WORKOUTS)
        packed.writestr("journal_entries.csv", JOURNAL)
    outcomes = {report.name.rpartition("/")[2]: report.outcome for report in imported(store, path)}

    assert {day: row["totalDuration"] for day, row in nights(store).items()} == {"2026-05-06": 25_800}
    assert outcomes == {
        "physiological_cycles.csv": ImportOutcome.IMPORTED,
        "sleeps.csv": ImportOutcome.KNOWN,
        "workouts.csv": ImportOutcome.SKIPPED,
        "journal_entries.csv": ImportOutcome.SKIPPED,
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (WORKOUTS, "no column with a day and a value was recognised"),
        ("com.samsung.shealth.stress,1,1\nstart_time,score\n2026-05-04 22:10:00.000,40\n", "a table of Samsung Health that is not read (stress)"),
        ('date,hrv\n"2026-05-04,58\n' + "x" * 140_000, "is a quotation mark missing?"),
        ("Date,Avg Duration,Avg Bedtime,Duration\nNov 1-7,6h 11min,23:10,6h 11min\n", "no row could be read; line 2: 'Nov 1-7' is not a day"),
        ("date,hrv\n-,58\n,59\n", "no row could be read; 2 rows without a day or a wake-up time left out: line 2, line 3"),
    ],
)  # fmt: skip
def test_a_table_that_is_not_read_has_a_reason_for_people(text, words):
    with pytest.raises(RecordingError, match=re.escape(words)):
        read(text)


def test_a_night_keeps_the_values_of_the_first_device_and_gets_those_that_it_lacks(store, tmp_path):
    """WHOOP, HRV4Training and Garmin of one morning; the report names nights whose values were not taken."""
    row = "2026-05-05 22:30:00,,UTC+02:00,65,2026-05-05 22:30:00,2026-05-06 06:30:00,430"
    from_text(store, tmp_path, f"{WHOOP}\n{row}\n", "whoop.csv")
    pulse = "date,rMSSD\n2026-05-06,80\n2026-05-07,81\n"
    report = from_text(store, tmp_path, pulse, "hrv4training.csv", import_id="imp_2")
    from_text(
        store,
        tmp_path,
        f'Sleep Score,{GARMIN}\n"May 6, 2026",76,52,+35,48,Good,7h,9h,10:40 PM,6:20 AM\n',
        "Sleep.csv",
        import_id="imp_3",
    )
    night = nights(store)["2026-05-06"]

    assert (night["averageHrv"], night["totalDuration"], night["restingHeartRate"]) == (65, 25_800, 52)
    assert hrv(store)["2026-05-07"] == 81
    assert report.notes == ("1 night with other values in an earlier file, which stay: 2026-05-06",)
