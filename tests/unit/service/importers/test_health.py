"""Nights, HRV, resting heart rate and weight, in the layouts that apps and services write."""

import json
import tracemalloc
from datetime import UTC, date, datetime
from io import BytesIO
from pathlib import Path

import pytest

from coachboard.service.importers.errors import (
    BrokenRecording,
    EmptyRecording,
    FileTooLarge,
    RecordingError,
    UnknownFormat,
)
from coachboard.service.importers.health import apple, cells, garmin, tables
from coachboard.service.importers.health.csv_files import preview, proposal, read_csv
from coachboard.service.importers.health.data import HealthData
from coachboard.wire.metrics import MetricType

DAY = date(2026, 5, 2)
OURA = """date,bedtime_start,bedtime_end,total_sleep_duration,deep_sleep_duration,light_sleep_duration,\
rem_sleep_duration,awake_time,time_in_bed,average_hrv,lowest_heart_rate
2026-05-02,2026-05-01T22:30:00+02:00,2026-05-02T06:30:00+02:00,27000,5400,14400,7200,1800,28800,62,47
"""
WHOOP = """Cycle start time,Cycle timezone,Recovery score %,Resting heart rate (bpm),Heart rate variability (ms),\
Skin temp (celsius),Sleep onset,Wake onset,Asleep duration (min),In bed duration (min),Light sleep duration (min),\
Deep (SWS) duration (min),REM duration (min),Awake duration (min)
2026-05-01 22:20:00,UTC+02:00,71,48,66,33.4,2026-05-01 22:30:00,2026-05-02 06:30:00,450,480,240,90,120,30
"""
GARMIN_CONNECT = "Date;Duration;Bedtime;Wake Time;Resting Heart Rate\n02.05.2026;7h 30m;22:30;06:30;48\n"
FITBIT = """Start Time,End Time,Minutes Asleep,Minutes Awake,Time in Bed,Minutes REM Sleep,Minutes Light Sleep,\
Minutes Deep Sleep
2026-05-01 10:30PM,2026-05-02 6:30AM,450,30,480,120,240,90
"""
OWN_TABLE = "Date,Went to bed,Wake up,Time asleep (h)\n2026-05-02,2026-05-01 22:30,2026-05-02 06:30,7.5\n"


@pytest.mark.parametrize("text", [OURA, WHOOP, GARMIN_CONNECT, FITBIT, OWN_TABLE])
def test_a_night_is_read_from_the_columns_of_common_apps(text):
    (night,) = read_csv(text.encode()).nights.items()
    day, fields = night

    assert fields["total_duration"] == 27_000
    assert fields["started_at_local"] == datetime.fromisoformat("2026-05-01T22:30")
    assert fields["ended_at_local"] == datetime.fromisoformat("2026-05-02T06:30")
    assert day == DAY


def test_phases_and_physiology_are_read():
    fields = read_csv(OURA.encode()).nights[DAY]

    assert (fields["deep_duration"], fields["light_duration"], fields["rem_duration"]) == (5400, 14_400, 7200)
    assert (fields["average_hrv"], fields["resting_heart_rate"]) == (62, 47)
    assert fields["started_at"] == datetime(2026, 5, 1, 20, 30, tzinfo=UTC)
    assert fields["utc_offset"] == 120


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("date,rMSSD,HR\n2026-05-02,58.2,47\n", {"average_hrv": 58.2}),
        ('"Datum";"HRV"\n"02.05.2026";"58,2"\n', {"average_hrv": 58.2}),
        ("date\trestingHR\n2026-05-02\t47\n", {"resting_heart_rate": 47}),
        ("date,sleepSecs\n2026-05-02,27000\n", {"total_duration": 27_000}),
        ("date,Sleep (h)\n2026-05-02,7.5\n", {"total_duration": 27_000}),
        ("date,sleep\n2026-05-02,7:30\n", {"total_duration": 27_000}),
    ],
)
def test_one_quantity_a_day_is_read(text, expected):
    assert read_csv(text.encode()).nights[DAY] == expected


@pytest.mark.parametrize(
    ("text", "kg"),
    [
        ("Date,Weight (kg)\n2026-05-02 07:10:00,71.4\n", 71.4),
        ("Date,Weight (lb)\n5/13/2026,157.4\n", 71.395),
        ('"Date","Weight"\n"May 2, 2026","71.4 kg"\n', 71.4),
    ],
)
def test_weight_is_read_in_kilograms(text, kg):
    ((kind, _day),) = (found := read_csv(text.encode()).metrics)

    assert kind is MetricType.WEIGHT
    assert next(iter(found.values())) == pytest.approx(kg, abs=0.01)


@pytest.mark.parametrize("header", ["Blood oxygen %", "SpO2 (%)", "average_spo2", "Blood Oxygen Saturation"])
def test_blood_oxygen_is_read_in_percent(header):
    assert read_csv(f"Wake onset,{header}\n2026-05-02 06:30:00,96.4\n".encode()).metrics == {
        (MetricType.SPO2, DAY): 96.4
    }


def test_days_of_a_column_are_read_in_one_order():
    nights = read_csv(b"date,hrv\n03/05/2026,50\n13/05/2026,51\n").nights

    assert set(nights) == {date(2026, 5, 3), date(2026, 5, 13)}


def test_each_bad_row_has_its_own_reason_and_the_rest_is_read():
    found = read_csv(b"date,hrv,rhr\nsoon,50,48\n2026-05-02,many,48\n2026-05-03,900,48\n")

    assert found.all_notes() == (
        "line 3: 'many' is not a number",
        "line 2: 'soon' is not a day",
        "2026-05-03: HRV of 900 ms is not plausible",
    )
    assert found.nights == {DAY: {"resting_heart_rate": 48}, date(2026, 5, 3): {"resting_heart_rate": 48}}


@pytest.mark.slow
def test_thousands_of_bad_rows_make_a_short_report():
    rows = "\n".join(["date,hrv", "2026-05-02,50", *("never,50" for _ in range(5_000))])

    assert read_csv(rows.encode()).all_notes()[-1] == "and 4980 more rows or values"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", EmptyRecording),
        (b"date,hrv\n", EmptyRecording),
        (b"name,colour\nAna,red\n", UnknownFormat),
        (b"date,colour\n2026-05-02,red\n", UnknownFormat),
        (b"date,hrv\nnever,50\n", EmptyRecording),
    ],
)
def test_a_table_without_health_data_is_refused(data, error):
    with pytest.raises(error):
        read_csv(data)


def test_a_person_chooses_the_columns():
    text = b"When,Puls,Note\n2026-05-02,47,easy\n"
    proposals = [
        (column.header, column.proposal, column.samples) for column in preview("a.csv", text).columns
    ]
    found = read_csv(text, {"When": "date", "Puls": "resting_heart_rate", "Note": "ignore"})

    assert proposals == [("When", None, ("2026-05-02",)), ("Puls", None, ("47",)), ("Note", None, ("easy",))]
    assert found.nights == {DAY: {"resting_heart_rate": 47}}


@pytest.mark.parametrize("header", ["Notes", "Steps", "Sleep score", "Score", "REM %", "Sleep quality"])
def test_other_headers_have_no_proposal(header):
    assert proposal(header) is None


def garmin_file(name, *rows):
    return garmin.reader_of(f"DI_CONNECT/DI-Connect-Wellness/{name}")(json.dumps(rows).encode())


def test_a_garmin_night_has_its_phases():
    night = {
        "sleepStartTimestampGMT": "2026-05-01T20:30:00.0", "sleepEndTimestampGMT": "2026-05-02T04:30:00.0",
        "calendarDate": "2026-05-02", "sleepWindowConfirmationType": "ENHANCED_CONFIRMED_FINAL",
        "deepSleepSeconds": 5400, "lightSleepSeconds": 14400, "remSleepSeconds": 7200, "awakeSleepSeconds": 1800,
        "unmeasurableSeconds": 0, "retro": False,
    }  # fmt: skip
    fields = garmin_file("2026-04-01_2026-07-10_123_sleepData.json", night).nights[DAY]

    assert fields["started_at"] == datetime(2026, 5, 1, 20, 30, tzinfo=UTC)
    assert (fields["deep_duration"], fields["awake_duration"]) == (5400, 1800)


def test_garmin_hrv_resting_heart_rate_and_weight_are_read():
    metrics = [{"type": "HRV", "value": 62.0, "status": "IN_RANGE"}, {"type": "SPO2", "value": 97}]
    health = garmin_file(
        "2026-04-01_123_healthStatusData.json", {"calendarDate": "2026-05-02", "metrics": metrics}
    )
    daily = garmin.reader_of("DI-Connect-Aggregator/UDSFile_2026-01-01_2026-04-10.json")(
        b'[{"calendarDate": "2026-05-02", "restingHeartRate": 47, "totalSteps": 9000}]'
    )
    meta = {"calendarDate": "2026-05-02T07:01:02.0", "sequence": 1}
    weight = garmin_file(
        "123_userBioMetrics.json", {"metaData": meta, "weight": {"weight": 71400.0}}, {"metaData": meta}
    )

    assert health.nights == {DAY: {"average_hrv": 62.0}}
    assert daily.nights == {DAY: {"resting_heart_rate": 47}}
    assert weight.metrics == {(MetricType.WEIGHT, DAY): 71.4}


def test_a_garmin_value_of_a_day_without_a_measurement_is_missing():
    metrics = [{"type": "HRV", "value": 0, "status": "UNKNOWN"}]

    assert (
        garmin_file("a_healthStatusData.json", {"calendarDate": "2026-05-02", "metrics": metrics}).nights
        == {}
    )


def test_garmin_telemetry_has_no_reader():
    assert garmin.reader_of("DI_CONNECT/DI-Connect-Metrics/TrainingHistory_2026.json") is None


APPLE_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!ELEMENT HealthData (ExportDate,Me,(Record|Workout|ActivitySummary)*)>
<!ATTLIST Record type CDATA #REQUIRED>
]>
<HealthData locale="en_DE">
 <ExportDate value="2026-05-03 08:00:00 +0200"/>
 <Me HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale"/>
"""


def sleep_record(start, end, value, source="Ana's Apple Watch"):
    kind, phase = "HKCategoryTypeIdentifierSleepAnalysis", f"HKCategoryValueSleepAnalysis{value}"
    return f' <Record type="{kind}" sourceName="{source}" startDate="{start}" endDate="{end}" value="{phase}"/>\n'


def quantity(kind, at, value, unit):
    name = f"HKQuantityTypeIdentifier{kind}"
    return (
        f' <Record type="{name}" sourceName="Watch" unit="{unit}" startDate="{at}" endDate="{at}" value="{value}">\n'
        '  <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="0"/>\n </Record>\n'
    )


def apple_export(*records):
    return BytesIO(f"{APPLE_HEAD}{''.join(records)}</HealthData>\n".encode())


NIGHT = (
    sleep_record("2026-05-01 22:00:00 +0200", "2026-05-02 07:00:00 +0200", "InBed", "Ana's iPhone"),
    sleep_record(
        "2026-05-01 22:10:00 +0200", "2026-05-02 06:50:00 +0200", "AsleepUnspecified", "Ana's iPhone"
    ),
    sleep_record("2026-05-01 22:30:00 +0200", "2026-05-02 00:30:00 +0200", "AsleepCore"),
    sleep_record("2026-05-02 00:30:00 +0200", "2026-05-02 02:00:00 +0200", "AsleepDeep"),
    sleep_record("2026-05-02 02:00:00 +0200", "2026-05-02 02:30:00 +0200", "Awake"),
    sleep_record("2026-05-02 02:30:00 +0200", "2026-05-02 06:30:00 +0200", "AsleepREM"),
)


def test_an_apple_night_comes_from_the_device_with_phases():
    hrv = quantity("HeartRateVariabilitySDNN", "2026-05-02 03:00:00 +0200", "61.5", "ms")
    at_noon = quantity("HeartRateVariabilitySDNN", "2026-05-02 12:00:00 +0200", "20", "ms")
    fields = apple.read_export(apple_export(*NIGHT, hrv, at_noon)).nights[DAY]

    assert fields["total_duration"] == 7.5 * 3600
    assert (fields["deep_duration"], fields["awake_duration"]) == (5400, 1800)
    assert fields["average_hrv"] == 61.5
    assert fields["started_at_local"] == datetime.fromisoformat("2026-05-01T22:30")


def test_apple_weight_and_resting_heart_rate_are_read():
    found = apple.read_export(
        apple_export(
            quantity("BodyMass", "2026-05-02 07:00:00 +0200", "157.4", "lb"),
            quantity("RestingHeartRate", "2026-05-02 00:00:00 +0200", "47", "count/min"),
            quantity("StepCount", "2026-05-02 00:00:00 +0200", "4700", "count"),
        )
    )

    assert found.metrics == {(MetricType.WEIGHT, DAY): 71.4}
    assert found.nights == {DAY: {"resting_heart_rate": 47.0}}


def test_a_nap_in_the_afternoon_is_not_part_of_the_night():
    nap = sleep_record("2026-05-02 14:00:00 +0200", "2026-05-02 14:40:00 +0200", "AsleepCore")
    fields = apple.read_export(apple_export(*NIGHT, nap)).nights[DAY]

    assert fields["total_duration"] == 7.5 * 3600


def test_a_truncated_export_gives_the_rows_before_its_end():
    data = apple_export(*NIGHT).getvalue()[:-40]
    found = apple.read_export(BytesIO(data))

    assert DAY in found.nights
    assert "the file is damaged" in found.notes[0]


def test_other_xml_is_refused():
    with pytest.raises(UnknownFormat):
        apple.read_export(BytesIO(b"<html><body/></html>"))
    with pytest.raises(BrokenRecording):
        apple.read_export(BytesIO(b"<HealthData"))


@pytest.mark.slow
def test_an_export_of_any_size_takes_no_memory():
    """Apple's exports of many years have gigabytes, nearly all of them heart rates that are not imported."""
    beats = quantity("HeartRate", "2026-05-02 12:00:00 +0200", "61", "count/min") * 20_000
    file = apple_export(*NIGHT, beats)
    tracemalloc.start()
    found = apple.read_export(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert DAY in found.nights
    assert peak < 2_000_000


@pytest.mark.parametrize("day", ["1959-12-31", "2125-01-01"])
@pytest.mark.parametrize(("column", "value"), [("rMSSD", 58), ("weight (kg)", 61), ("sleepSecs", 27_000)])
def test_a_row_of_an_impossible_date_is_left_out_with_its_line(day, column, value):
    data = read_csv(f"date,{column}\n2026-05-02,{value}\n{day},{value}\n".encode())

    assert {*data.nights, *(found for _, found in data.metrics)} == {DAY}
    assert data.all_notes() == (f"line 3: {day} is an impossible date",)


def test_a_value_of_an_export_of_an_impossible_date_is_left_out_and_named():
    data = HealthData()
    data.put_night(date(2125, 1, 1), {"resting_heart_rate": 48})
    data.put_metric(MetricType.WEIGHT, date(1900, 1, 1), 61)

    assert (data.nights, data.metrics) == ({}, {})
    assert data.all_notes() == ("2125-01-01 is an impossible date", "1900-01-01 is an impossible date")


def test_a_weight_that_nobody_has_is_named_with_its_unit():
    found = read_csv(b"date,weight (kg)\n2026-05-02,704\n2026-05-03,70\n")

    assert found.all_notes() == ("2026-05-02: Weight of 704 kg is not plausible",)
    assert list(found.metrics.values()) == [70]


DECADES = sleep_record("2026-04-01 22:30:00 +0200", "2125-05-02 06:30:00 +0200", "AsleepCore")
LONG = sleep_record("2026-04-01 22:30:00 +0200", "2026-05-20 06:30:00 +0200", "AsleepCore")
BACKWARDS = sleep_record("2026-05-02 06:30:00 +0200", "2026-05-01 22:30:00 +0200", "AsleepCore")
LAST_DAY = sleep_record("9999-12-31 22:30:00 -0500", "9999-12-31 23:59:00 -0500", "AsleepCore")


@pytest.mark.parametrize("damaged", [DECADES, LONG, BACKWARDS, LAST_DAY])
def test_a_damaged_record_of_an_apple_export_leaves_the_other_nights_alone(damaged):
    """A part that ended decades later joined all nights after it into one, which was rejected."""
    found = apple.read_export(apple_export(damaged, *NIGHT))

    assert list(found.nights) == [DAY]
    assert found.nights[DAY]["total_duration"] == 7.5 * 3600
    assert "could not be read" in found.all_notes()[0]


def test_a_long_text_of_a_damaged_record_does_not_fill_the_report():
    found = apple.read_export(apple_export(*NIGHT, sleep_record("x" * 1_000_000, "", "AsleepCore")))

    assert len(found.all_notes()[0]) < 100


ENTITIES = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(8))
HOSTILE_EXPORTS = {
    "long attribute": b'<HealthData><Record type="' + b"x" * 20_000_000 + b'"/></HealthData>',
    "deep": b"<HealthData>" + b"<a>" * 2_000 + b"</a>" * 2_000 + b"</HealthData>",
    "entities": f'<!DOCTYPE HealthData [<!ENTITY e0 "{"x" * 100}">{ENTITIES}]><HealthData><Record type="&e8;"/></HealthData>'.encode(),
}


@pytest.mark.parametrize("data", HOSTILE_EXPORTS.values(), ids=HOSTILE_EXPORTS)
def test_an_export_that_would_fill_the_memory_is_refused(data):
    with pytest.raises(RecordingError):
        apple.read_export(BytesIO(data))


def test_the_tree_of_a_record_is_limited(monkeypatch):
    monkeypatch.setattr(apple, "MOST_INSIDE", 10)
    parts = "<x/>" * 6

    assert DAY in apple.read_export(apple_export(*NIGHT, *NIGHT)).nights
    with pytest.raises(FileTooLarge, match="more than 10 parts"):
        apple.read_export(apple_export(f"<Record>{parts}</Record>"))


def test_an_export_of_comments_takes_no_memory():
    """A comment is no element, so that none of them left the tree: 100 bytes of memory for each 7 of the file."""
    file = apple_export("<!---->" * 300_000, *NIGHT)
    before = resident_mb()

    assert DAY in apple.read_export(file).nights
    assert resident_mb() - before < 15


def resident_mb():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


@pytest.mark.parametrize("kind", ["HRV", "sleep"])
def test_the_records_of_an_export_that_are_in_memory_are_limited(kind, monkeypatch):
    monkeypatch.setattr(apple, "MOST_KEPT", 3)
    hrv = quantity("HeartRateVariabilitySDNN", "2026-05-02 03:00:00 +0200", "61.5", "ms")
    one = hrv if kind == "HRV" else NIGHT[0]

    assert apple.read_export(apple_export(*[one] * 3))
    with pytest.raises(FileTooLarge, match="more than 3 records"):
        apple.read_export(apple_export(*[one] * 4))


def test_hrv_in_any_order_belongs_to_its_night():
    values = [
        quantity("HeartRateVariabilitySDNN", f"2026-05-02 0{hour}:00:00 +0200", str(value), "ms")
        for hour, value in ((9, 10), (1, 50), (5, 70))
    ]
    assert apple.read_export(apple_export(*values, *NIGHT)).nights[DAY]["average_hrv"] == 60


@pytest.mark.parametrize(
    "cell",
    ["T" * 120_000, "1h" + " " * 120_000 + "x", "9" * 120_000 + "h", "1" * 120_000 + "kgx"],
    ids=["moment", "duration", "digits", "number"],
)
def test_a_cell_of_any_length_takes_no_time(cell):
    """The patterns take the square of the length: a cell of 8,000 characters held the process for 5 s."""
    text = (
        f'bedtime,hrv,duration,date\n{cell},{cell},{cell},2026-05-02\n"2026-05-01 23:00",61,7h,2026-05-02\n'
    )
    (fields,) = read_csv(text.encode()).nights.values()

    assert (fields["average_hrv"], fields["total_duration"]) == (61, 25_200)


def test_a_header_of_any_length_takes_no_time():
    text = f"date,hrv,{'(' * 120_000}\n2026-05-02,61,x\n"

    assert read_csv(text.encode()).nights[DAY] == {"average_hrv": 61}
    header = preview("a.csv", text.encode()).columns[2].header
    chosen = {"date": "date", header: "weight"}
    assert read_csv(text.replace("x", "70").encode(), chosen).metrics == {(MetricType.WEIGHT, DAY): 70}
    assert [column.proposal for column in preview("a.csv", text.encode()).columns][:2] == [
        "date",
        "average_hrv",
    ]


def test_a_preview_has_the_beginning_of_long_headers_and_cells():
    """500 columns of the longest cells made a reply of 260 MB."""
    (_, column) = preview("a.csv", f"date,{'x' * 120_000}\n2026-05-02,{'y' * 120_000}\n".encode()).columns

    assert (len(column.header), [len(sample) for sample in column.samples]) == (200, [100])


def test_a_cell_that_is_too_long_is_none():
    assert cells.read_moment("2026-05-02" + " " * 200, order="mdy") is not None
    assert cells.read_moment("2026-05-02" + "x" * 200, order="mdy") is None
    assert cells.read_clock("22:15" + "0" * 200) is None


@pytest.mark.parametrize(
    "data",
    [b"date,hrv\n" + b"2026-05-02,61\n" * 30, b"date,hrv\n" + b"\n" * 60],
    ids=["cells", "empty lines"],
)
def test_the_cells_of_a_table_are_limited(data, monkeypatch):
    monkeypatch.setattr(tables, "MOST_CELLS", 50)

    with pytest.raises(FileTooLarge, match="more than 50 cells"):
        read_csv(data)


def test_a_large_table_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(tables, "MOST_BYTES", 1_000)

    with pytest.raises(FileTooLarge, match=r"larger than 0\.001 MB"):
        read_csv(b"date,hrv\n" + b"2026-05-02,61\n" * 100)


@pytest.mark.parametrize(
    "moment", ["9999-12-31 23:00", "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00"]
)
@pytest.mark.parametrize("header", ["bedtime", "wake time", "date"])
def test_a_moment_at_the_end_of_the_calendar_costs_its_row_only(header, moment):
    """The morning after such an evening is beyond the calendar: the row took the whole file with it."""
    data = read_csv(f"{header},hrv\n{moment},50\n2026-05-02 06:00,61\n".encode())

    assert data.nights[DAY]["average_hrv"] == 61
    assert len(data.nights) == 1
    assert len(data.all_notes()) == 1


def test_an_end_at_the_end_of_the_calendar_costs_its_night_only():
    text = "date,bedtime,wake time,hrv\n2026-05-01,2026-04-30 23:00,9999-12-31T23:59:59-12:00,50\n2026-05-02,,,61\n"

    assert read_csv(text.encode()).nights[DAY] == {"average_hrv": 61}


def test_a_garmin_moment_beyond_the_calendar_costs_its_row_only():
    late, later = ({**GARMIN_ROW, "sleepStartTimestampGMT": value} for value in (1e18, 1e30))
    far = {**GARMIN_ROW, "sleepStartTimestampGMT": "9999-12-31T23:00:00.0", "calendarDate": "2026-05-03"}
    found = garmin.read_sleep(json.dumps([late, later, far, GARMIN_ROW]).encode())

    assert list(found.nights) == [DAY]
    assert found.nights[DAY]["started_at"].year == 2026


GARMIN_ROW = {
    "sleepStartTimestampGMT": "2026-05-01T20:30:00.0",
    "sleepEndTimestampGMT": "2026-05-02T04:30:00.0",
    "calendarDate": "2026-05-02",
    "deepSleepSeconds": 5400,
}
