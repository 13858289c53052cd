"""The calendar's exports: iCalendar read back by a parser, a printable page that holds strangers' text as text."""

from datetime import UTC, date, datetime, time

import pytest
from icalendar import Calendar as ICalendar

from coachboard.loaders.calendar.export import calendar_ics, printable_page
from coachboard.loaders.calendar.page_data import AthleteCalendar, CalendarData
from coachboard.models.enums import NoteType, Sport
from coachboard.models.plans import Event, Note
from training import prescription
from unit.analytics.test_structure import step

NOW = datetime(2026, 3, 2, 6, tzinfo=UTC)
HOSTILE = "Long; ride, with\nBEGIN:VEVENT\n<script>alert(1)</script> \\n =1+1 — ålgård 🚴"


def _event(**changes):
    fields = {
        "id": "evt_1",
        "name": HOSTILE,
        "description": None,
        "date": date(2026, 3, 4),
        "time": time(9, 30),
        "sport": Sport.CYCLING,
        "sub_sport": None,
        "distance": None,
        "elevation_gain": None,
        "duration": 5400,
        "work": None,
        "carb_intake": None,
        "activity_id": None,
    }
    return Event(**fields | changes)


def _calendar(*, events=(), notes=(), plans=()):
    listed = {plan.id: plan for plan in plans}
    athlete = AthleteCalendar("usr_1", (), listed, {}, tuple(notes), tuple(events), (), (), ())
    return CalendarData(date(2026, 3, 2), date(2026, 3, 8), date(2026, 3, 2), (athlete,), (), ())


def _read(data):
    return ICalendar.from_ical(calendar_ics(data, made_at=NOW)).walk("VEVENT")


def test_a_title_of_a_stranger_stays_one_text_of_one_entry():
    entries = _read(_calendar(events=[_event()]))

    assert len(entries) == 1
    assert str(entries[0]["summary"]) == HOSTILE


def test_control_characters_and_direction_overrides_are_left_out():
    (entry,) = _read(
        _calendar(events=[_event(name="a\u202eb\x00\x1b[1m", description="c\x07\u2066\nd", id="e\r\n1")])
    )

    assert (str(entry["summary"]), str(entry["description"])) == ("ab[1m", "c\nd")
    assert str(entry["uid"]) == "e 1@coachboard"


def test_a_timed_entry_has_its_local_time_and_length():
    (entry,) = _read(_calendar(events=[_event()]))

    assert entry["dtstart"].dt == datetime(2026, 3, 4, 9, 30)  # noqa: DTZ001 (floats, as the wire gives it)
    assert entry["duration"].dt.total_seconds() == 5400


@pytest.mark.parametrize(
    ("changes", "minutes"),
    [
        ({"distance": 18_000, "sport": Sport.RUNNING}, 100),
        ({"distance": 18_000, "duration": 3_600}, 60),
        ({"distance": 18_000, "structure": (step({"type": "duration", "duration": 1_800}),)}, 30),
        ({"structure": (step({"type": "distance", "distance": 9_600}),)}, 20),
        ({}, 0),
    ],
)
def test_a_timed_plan_has_its_stated_or_else_an_estimated_length(changes, minutes):
    plan = prescription("Long run", date(2026, 3, 4), **{"time": time(9, 30), "duration": None} | changes)
    (entry,) = _read(_calendar(plans=[plan]))

    assert entry["duration"].dt.total_seconds() == minutes * 60
    assert ("Length estimated." in str(entry.get("description"))) == (minutes in {20, 30, 100})


def test_a_race_by_distance_has_an_estimated_length():
    (entry,) = _read(_calendar(events=[_event(duration=None, distance=48_000, description="Hilly")]))

    assert entry["duration"].dt.total_seconds() == 6_000
    assert str(entry["description"]) == "Hilly\nLength estimated."


def test_an_entry_without_a_time_fills_its_day():
    note = Note(
        id="not_1", type=NoteType.MEDICAL, title="Cold", content="x", date=date(2026, 3, 3), time=None
    )
    (entry,) = _read(_calendar(notes=[note]))

    assert (entry["dtstart"].dt, entry["dtend"].dt) == (date(2026, 3, 3), date(2026, 3, 4))
    assert str(entry["description"]) == "x"


def test_a_file_of_several_athletes_says_whose_each_entry_is():
    names = {"usr_1": "Ana, Li; 1"}
    (entry,) = ICalendar.from_ical(calendar_ics(_calendar(events=[_event()]), made_at=NOW, names=names)).walk(
        "VEVENT"
    )

    assert str(entry["summary"]) == f"Ana, Li; 1: {HOSTILE}"


@pytest.mark.parametrize("text", [HOSTILE, '"><img src=x onerror=alert(1)>', "</td></table>"])
def test_printable_page_holds_text_as_text(text):
    page = printable_page(text, [(text, [(text, text)])]).decode()

    assert "<script" not in page
    assert "<img" not in page
    assert page.count("</table>") == 1
