"""A year of nights from five devices: imported on the page Import and found on the page Trends, with the browser alone."""

import io
from datetime import date, datetime, timedelta
from math import isnan

import pandas as pd
import pytest
from playwright.sync_api import expect

import squad
from browser.journeys import downloaded, settled, violations, watched
from coachboard.service.store import Store
from running import dashboard_process

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TODAY = date(2026, 6, 30)


def days(first, last):
    return [first + timedelta(days=place) for place in range((last - first).days + 1)]


SUMMER = days(date(2025, 7, 2), date(2025, 9, 30))  # WHOOP, Berlin
AUTUMN = days(date(2025, 10, 1), date(2025, 12, 31))  # HRV4Training
WINTER = days(date(2026, 1, 1), date(2026, 3, 31))  # Elite HRV, and Garmin's Sleep.csv
SPRING = days(date(2026, 4, 1), TODAY)  # Samsung, New York
WITHOUT_WATCH = date(2026, 2, 14)


def hrv_of(day):
    return 55.0 + day.toordinal() % 17


def at(day, clock, *, before=0):
    return f"{day - timedelta(days=before)} {clock}"


def whoop_night(day):
    """Asleep before midnight, or after it on even days."""
    evening = day.day % 2
    return at(day, "22:40:00" if evening else "00:20:00", before=evening), at(day, "06:40:00")


def whoop():
    """Newest first, with a cycle without sleep."""
    rows = [
        "Cycle start time,Cycle timezone,Heart rate variability (ms),Sleep onset,Wake onset,Asleep duration (min)"
    ]
    for day in reversed(SUMMER):
        start, end = whoop_night(day)
        rows.append(f"{start},UTC+02:00,{hrv_of(day)},{start},{end},370")
    return "\n".join([*rows, "2025-07-01 09:00:00,UTC+02:00,,,,"])


def whoop_sleeps():
    """The same nights, and a nap before each Sunday's night."""
    rows = ["Cycle start time,Cycle timezone,Sleep onset,Wake onset,Asleep duration (min),Nap"]
    for day in reversed(SUMMER):
        start, end = whoop_night(day)
        if day.weekday() == 6:
            rows.append(f"{start},UTC+02:00,{at(day, '14:00:00')},{at(day, '15:00:00')},50,true")
        rows.append(f"{start},UTC+02:00,{start},{end},370,false")
    return "\n".join(rows)


def hrv4training():
    """Year-day-month; two mornings without a measurement, and the last week of WHOOP with other values."""
    rows = [f"{day:%Y-%d-%m},07:00,45.0,{hrv_of(day):.0f}" for day in AUTUMN[:-2]]
    rows += [f"{day:%Y-%d-%m},07:00,0.0,0" for day in AUTUMN[-2:]]
    return (
        "\n".join(["date, time, HR,rMSSD", *(f"{day:%Y-%d-%m},07:00,44.0,99" for day in SUMMER[-7:]), *rows])
        + "\n"
    )


def elite():
    rows = [f"A,{day},{day} 06:30:00,readiness,{20 + day.day},{hrv_of(day):.2f}" for day in WINTER]
    return "\n".join(["Member,Date,Datetime,Type,HRV,Rmssd", *rows]).replace("\n", "\r")


def garmin():
    rows = [
        "Sleep Score 4 Weeks,Score,Resting Heart Rate,HRV Status,Quality,Duration,Sleep Need,Bedtime,Wake Time"
    ]
    for day in reversed(WINTER):
        values = (
            "--,--,--,--,--,--,--,--"
            if day == WITHOUT_WATCH
            else "76,52,48,Good,7h 10min,8h 0min,10:45 PM,6:15 AM"
        )
        rows.append(f'"{day:%b} {day.day}, {day.year}",{values}')
    return "\n".join(rows)


def samsung():
    """Times in UTC; a nap on the last day of Garmin's nights."""
    name = "com.samsung.health.sleep"
    rows = [
        "com.samsung.shealth.sleep,6220011,4",
        f"{name}.start_time,{name}.end_time,{name}.time_offset,sleep_duration",
    ]
    rows.append(f"{at(WINTER[-1], '18:00:00.000')},{at(WINTER[-1], '18:30:00.000')},UTC-0400,30,")
    rows += [f"{at(day, '03:30:00.000')},{at(day, '11:00:00.000')},UTC-0400,420," for day in SPRING]
    return "\n".join(rows)


REPLACED = "1 night in place of a shorter sleep of an earlier file: 2026-03-31 22:45 to 06:15 (before 2026-03-31 14:00 to 14:30)"
FIRST = {"physiological_cycles.csv": whoop(), "sleeps.csv": whoop_sleeps()}
SECOND = {"com.samsung.shealth.sleep.20260630.csv": samsung()}
THIRD = {"hrv4training.csv": hrv4training(), "elite-hrv.csv": elite(), "Sleep.csv": garmin()}


def expected(day):
    """Start and end on the clock, hours asleep, HRV, offset from UTC; None where no device has a value."""
    if day in SUMMER:
        start, end = (datetime.fromisoformat(text) for text in whoop_night(day))
        return start.hour + start.minute / 60, end.hour + end.minute / 60, 370 / 60, hrv_of(day), 120
    if day in AUTUMN:
        return None, None, None, None if day in AUTUMN[-2:] else hrv_of(day), None
    if day in WINTER:
        night = (None,) * 3 if day == WITHOUT_WATCH else (22.75, 6.25, 7 + 10 / 60)
        return *night, hrv_of(day), None
    return 23.5, 7.0, 7.0, None, -240


@pytest.fixture
def page(new_page, tmp_path):
    """The import page of a person without any data, in a browser in Tokyo."""
    store = Store.open(f"sqlite:///{tmp_path / 'service.db'}")
    squad.seed(store)
    store.close()
    settings = {"COACHBOARD_API_KEY": squad.ATHLETE_KEY, "COACHBOARD_TODAY": TODAY.isoformat()}
    with dashboard_process(tmp_path, **settings) as address:
        page = watched(new_page(timezone_id="Asia/Tokyo", locale="de-DE"))
        page.goto(f"{address}/imports")
        expect(page.get_by_text("Drop files or archives here")).to_be_visible()
        yield settled(page)


def drop(page, files):
    uploads = [
        {"name": name, "mimeType": "text/csv", "buffer": text.encode("utf-8-sig")}
        for name, text in files.items()
    ]
    settled(page).locator("input[type=file]").set_input_files(uploads)


def chosen(page, number):
    """Start the import with the proposed columns."""
    page.get_by_role("button", name=f"Import {number} file").click()


def table_of(page, place):
    """The data of a chart of the page Trends by day, as its file has them."""
    page.get_by_role("button", name="Table", exact=True).nth(place).click()
    _, csv = downloaded(page, page.get_by_role("button", name="CSV").nth(place))
    found = pd.read_csv(io.BytesIO(csv))
    return found.set_index(pd.to_datetime(found.iloc[:, 0]).dt.date)


def test_a_year_of_nights_from_five_devices(page):
    drop(page, FIRST)
    expect(page.get_by_text("92 rows.")).to_be_visible()
    chosen(page, 2)
    expect(page.get_by_text("2 files: 1 imported (1 with remarks), 1 already imported.")).to_be_visible()
    expect(page.get_by_text("13 naps left out: 2025-09-28 14:00 to 15:00")).to_be_visible()
    expect(page.get_by_text("1 row without a day or a wake-up time left out: line 93")).to_be_visible()
    drop(page, SECOND)
    expect(page.get_by_text("1 file: 1 imported.")).to_be_visible()
    drop(page, THIRD)
    chosen(page, 3)
    expect(page.get_by_text("3 files: 3 imported (2 with remarks).")).to_be_visible()
    expect(page.get_by_text(REPLACED)).to_be_visible()
    expect(
        page.get_by_text("7 nights with other values in an earlier file, which stay: 2025-09-24")
    ).to_be_visible()
    assert not violations(settled(page))

    page.get_by_role("link", name="Open sleep").click()
    page.get_by_role("radio", name="12 months").click()
    expect(page.get_by_text("HRV of each night").first).to_be_visible()
    hrv, _, stages, timing = (table_of(settled(page), place) for place in range(4))
    assert not page.faults

    year = [*SUMMER, *AUTUMN, *WINTER, *SPRING]
    found = [
        (
            timing["start (h)"].get(day), timing["end (h)"].get(day), stages["asleep, no stages (h)"].get(day),
            hrv["HRV (ms)"].get(day), timing["from UTC (min)"].get(day),
        )
        for day in year
    ]  # fmt: skip
    wrong = [
        (day, row, expected(day))
        for day, row in zip(year, found, strict=True)
        if not is_same(row, expected(day))
    ]
    assert wrong == []


def is_same(row, right):
    """Whether the values of a day are the right ones; None where no device has a value."""
    blank = [value is None or isnan(value) for value in row]
    return blank == [value is None for value in right] and all(
        value == pytest.approx(other, abs=0.01)
        for value, other, no in zip(row, right, blank, strict=True)
        if not no
    )
