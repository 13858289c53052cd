"""Circumstances that explain a trend, as ranges of days."""

from datetime import date, timedelta

import pytest

from coachboard.formulas.recovery.circumstances import circumstances
from coachboard.formulas.recovery.illness import Absence, Medical
from coachboard.formulas.recovery.nights import nights_of
from coachboard.wire.enums import NoteType
from coachboard.wire.plans import Note
from unit.formulas.test_nights import FIRST, laid, night

NO_NIGHTS = nights_of([], first=FIRST, start=FIRST, end=FIRST)


def note(day, kind=NoteType.MEDICAL, title="Cold"):
    return Note(id=f"not_{day}{kind}", type=kind, title=title, content=None, date=day, time=None)


def test_days_in_a_row_are_one_stretch_and_a_gap_begins_another():
    days = [FIRST, FIRST + timedelta(days=1), FIRST + timedelta(days=4)]
    found = circumstances([note(day) for day in days], [], NO_NIGHTS)

    assert [(one.start, one.end) for one in found] == [(days[0], days[1]), (days[2], days[2])]


def test_an_illness_is_one_stretch_until_it_ends_and_a_test_stays_a_day():
    """An illness of ten days was shaded on the day of its note alone."""
    ill = Absence(Medical.ILLNESS, FIRST, FIRST + timedelta(days=9), "Cold", is_open=False)
    after = FIRST + timedelta(days=12)
    found = circumstances([note(FIRST), note(after, title="Blood test")], [], NO_NIGHTS, [ill])

    assert [(one.kind, one.start, one.end, one.title) for one in found] == [
        ("illness", FIRST, FIRST + timedelta(days=9), "Cold"),
        ("medical", after, after, "Blood test"),
    ]


def test_notes_that_explain_nothing_are_left_out():
    assert circumstances([note(FIRST, NoteType.TRAINING)], [], NO_NIGHTS) == ()


@pytest.mark.parametrize(
    ("before", "after", "says"), [(60, 540, "clock moved by +8 h"), (60, -300, "clock moved by −6 h")]
)
def test_travel_is_where_the_clock_moved_by_more_than_an_hour(before, after, says):
    start = date(2026, 1, 25)
    nights = laid([night(start, utc_offset=before), night(start + timedelta(days=2), utc_offset=after)])

    (travel,) = circumstances([], [], nights)

    assert (travel.kind, travel.title, travel.start) == ("travel", says, start + timedelta(days=2))


def test_summer_time_is_no_travel():
    start = date(2026, 1, 25)
    nights = laid([night(start, utc_offset=60), night(start + timedelta(days=1), utc_offset=120)])

    assert circumstances([], [], nights) == ()
