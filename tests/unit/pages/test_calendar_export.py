"""The calendar's exports: iCalendar read back by a parser, a printable page that holds strangers' text as text."""

from dataclasses import replace
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import pytest
from icalendar import Calendar as ICalendar

from coachboard.client import Result
from coachboard.execution.adherence import match_sessions
from coachboard.loaders.done_and_planned import plans_of, sessions_of
from coachboard.pages.calendar.data import AthleteCalendar, CalendarData
from coachboard.pages.calendar.files import FileWords, calendar_ics, printable_page
from coachboard.ui.frame.formats import METRIC
from coachboard.wire.enums import NoteType, Sport
from coachboard.wire.plans import Event, Note
from training import activity, prescription
from unit.execution.test_structure import step

MONDAY = date(2026, 3, 2)
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


def _calendar(*, events=(), notes=(), plans=(), sessions=(), offset_min=None):
    listed, done = (Result(tuple(rows), NOW) for rows in (plans, sessions))
    matches = match_sessions(plans_of(listed, ()), sessions_of(done, None), excuses=(), today=MONDAY)
    athlete = AthleteCalendar(
        "usr_1",
        tuple(matches),
        {plan.id: plan for plan in plans},
        {session.id: session for session in sessions},
        tuple(notes),
        tuple(events),
        (),
        (),
        (),
        utc_offset_min=offset_min,
    )
    return CalendarData(MONDAY, date(2026, 3, 8), MONDAY, (athlete,), (), ())


WORDS = FileWords(
    {"usr_1": "Ana, Li; 1"}, METRIC, lambda _, plan: [plan.description or "", f"3x 10min {HOSTILE}"]
)


def _file(data, words=WORDS):
    return calendar_ics(data, words, made_at=NOW)


def _read(data, words=WORDS):
    return ICalendar.from_ical(_file(data, words)).walk("VEVENT")


def _unfolded(body):
    """Lines of RFC 5545 by hand, without the library that wrote them: at most 75 octets, CRLF, folds undone."""
    assert body.endswith(b"\r\n")
    assert all(len(line) <= 75 for line in body.split(b"\r\n"))
    assert b"\n" not in body.replace(b"\r\n", b"")
    return body.replace(b"\r\n ", b"").decode().split("\r\n")


def test_a_planned_session_that_is_done_is_one_entry_with_its_steps_and_what_was_done():
    """Plan and recording were two entries on one day."""
    plan = prescription("Sweet spot", MONDAY, activity_id="act_1", description="Keep it smooth")
    ride = activity("Morning ride", MONDAY, id="act_1", moving_duration=3500)
    (entry,) = _read(_calendar(plans=[plan], sessions=[ride]))

    assert str(entry["summary"]) == "Sweet spot"
    assert str(entry["uid"]) == f"{plan.id}@coachboard"
    assert entry["dtstart"].dt == ride.started_at
    text = str(entry["description"])
    for part in (
        "Athlete: Ana, Li; 1",
        "58 min of 1h00",
        "on target",
        "Morning ride",
        "Keep it smooth",
        "3x 10min",
    ):
        assert part in text


def test_a_session_of_two_plans_is_one_entry():
    plans = [prescription(name, MONDAY, id=f"tpr_{name}", activity_id="act_1") for name in ("Swim", "Drills")]
    (entry,) = _read(_calendar(plans=plans, sessions=[activity("Pool", MONDAY, id="act_1")]))

    assert str(entry["summary"]) == "Swim + Drills"


@pytest.mark.parametrize(
    ("offset_min", "reader", "start"),
    [
        (60, None, datetime(2026, 3, 4, 8, 30, tzinfo=UTC)),
        (60, ZoneInfo("Europe/Oslo"), datetime(2026, 3, 4, 8, 30, tzinfo=UTC)),
        (-420, ZoneInfo("Europe/Oslo"), datetime(2026, 3, 4, 16, 30, tzinfo=UTC)),
        (None, ZoneInfo("Europe/Oslo"), datetime(2026, 3, 4, 9, 30)),  # noqa: DTZ001 (local, as no zone is known)
    ],
)
def test_the_time_of_a_plan_is_that_of_the_athletes_clock(offset_min, reader, start):
    plan = prescription("Long run", date(2026, 3, 4), time=time(9, 30))
    (entry,) = _read(_calendar(plans=[plan], offset_min=offset_min), replace(WORDS, zone=reader))

    assert entry["dtstart"].dt == start


def test_the_reader_in_the_athletes_zone_has_summer_time_right():
    plan = prescription("Spring", date(2026, 4, 2), time=time(9, 30))
    (entry,) = _read(_calendar(plans=[plan], offset_min=60), replace(WORDS, zone=ZoneInfo("Europe/Oslo")))

    assert entry["dtstart"].dt == datetime(2026, 4, 2, 7, 30, tzinfo=UTC)


def test_hostile_text_is_escaped_and_folded_by_hand():
    lines = _unfolded(_file(_calendar(plans=[prescription(HOSTILE * 3, MONDAY)])))

    assert lines.count("BEGIN:VEVENT") == lines.count("END:VEVENT") == 1
    escaped = HOSTILE.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")
    assert f"SUMMARY:{escaped * 3}" in lines


def test_a_title_of_a_stranger_stays_one_text_of_one_entry():
    entries = _read(_calendar(events=[_event()]))

    assert len(entries) == 1
    assert str(entries[0]["summary"]) == HOSTILE


def test_control_characters_and_direction_overrides_are_left_out():
    (entry,) = _read(
        _calendar(events=[_event(name="a\u202eb\x00\x1b[1m", description="c\x07\u2066\nd", id="e\r\n1")])
    )

    assert (str(entry["summary"]), str(entry["description"])) == ("ab[1m", "Athlete: Ana, Li; 1\nc\nd")
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
    assert str(entry["description"]).endswith("Hilly\nLength estimated.")


def test_an_entry_without_a_time_fills_its_day():
    note = Note(
        id="not_1", type=NoteType.MEDICAL, title="Cold", content="x", date=date(2026, 3, 3), time=None
    )
    (entry,) = _read(_calendar(notes=[note]))

    assert (entry["dtstart"].dt, entry["dtend"].dt) == (date(2026, 3, 3), date(2026, 3, 4))
    assert str(entry["description"]) == "Athlete: Ana, Li; 1\nx"


def test_a_file_of_several_athletes_says_whose_each_entry_is():
    data = _calendar(events=[_event()])
    (entry, _) = _read(replace(data, athletes=data.athletes * 2))

    assert str(entry["summary"]) == f"Ana, Li; 1: {HOSTILE}"


@pytest.mark.parametrize("text", [HOSTILE, '"><img src=x onerror=alert(1)>', "</td></table>"])
def test_printable_page_holds_text_as_text(text):
    page = printable_page(text, [(text, [(text, text)])]).decode()

    assert "<script" not in page
    assert "<img" not in page
    assert page.count("</table>") == 1
