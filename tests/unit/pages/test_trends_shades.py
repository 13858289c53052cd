"""Illness shades a trend for as long as it excuses plans."""

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from math import nan

import pytest

from coachboard.formulas.recovery.sleep import SocialJetLag
from coachboard.pages.trends.data import load_trends
from coachboard.pages.trends.nights import jet_lag, jet_lag_words
from coachboard.service.store import NewNote
from coachboard.wire.enums import NoteType
from coachboard.wire.plans import Note
from rides import START, activity
from squad import ANA
from store_client import StoreClient
from unit.formulas.test_nights import night

TODAY = date(2026, 3, 20)
FELL_ILL = date(2026, 3, 2)


def noted(store, *days_and_titles):
    notes = [
        Note(id=f"not_{day}", type=NoteType.MEDICAL, title=title, content=None, date=day, time=None)
        for day, title in days_and_titles
    ]
    store.put_notes(ANA, [NewNote(note, ANA) for note in notes])


def trained(store, *days):
    starts = [START.replace(month=day.month, day=day.day) for day in days]
    store.put_activities(ANA, [activity(f"act_{start:%d}", start=start) for start in starts])


def shaded(store, start, end=TODAY):
    data = load_trends(StoreClient(store), ANA, start=start, end=end, today=TODAY)
    return [(one.kind, one.start, one.end) for one in data.circumstances]


def test_a_cold_is_shaded_until_the_day_before_training_is_normal_again(squad_store):
    noted(squad_store, (FELL_ILL, "Cold"))
    trained(squad_store, *(date(2026, 3, day) for day in (9, 10, 12)))

    assert shaded(squad_store, date(2026, 3, 1)) == [("illness", FELL_ILL, date(2026, 3, 8))]


def test_an_illness_from_before_the_range_is_shaded_from_its_first_day(squad_store):
    noted(squad_store, (FELL_ILL, "Fever"))

    assert shaded(squad_store, date(2026, 3, 10)) == [("illness", date(2026, 3, 10), TODAY)]


def test_an_open_illness_does_not_shade_days_to_come(squad_store):
    noted(squad_store, (FELL_ILL, "Fever"))

    found = shaded(squad_store, date(2026, 3, 1), TODAY + timedelta(days=7))

    assert found == [("illness", FELL_ILL, TODAY)]


def test_an_illness_that_ended_before_the_range_is_not_shaded(squad_store):
    noted(squad_store, (FELL_ILL, "Cold"), (date(2026, 3, 6), "Healthy again"))

    assert shaded(squad_store, date(2026, 3, 10)) == []


def sleeper(day, *, late_h=0, offset_min=0):
    """22:30 to 06:30 on the night that ends on that day, later by so many hours."""
    start = datetime.combine(day, time(6, 30)) + timedelta(hours=late_h - 8)
    end = start + timedelta(hours=8)
    return night(day, started_at_local=start, ended_at_local=end, utc_offset=offset_min)


def test_weekends_count_as_free_days_and_nights_after_a_flight_do_not(squad_store):
    """Mid-sleep 02:30 on weekdays and 04:00 when the night ends on Saturday or Sunday. From 12 March, two time zones on,
    three nights end five hours later: they are travel.
    """
    days = [date(2026, 2, 20) + timedelta(days=n) for n in range(29)]  # to Friday 20 March
    flight = date(2026, 3, 12)
    rows = [
        sleeper(
            day,
            late_h=5 if 0 <= (day - flight).days < 3 else 1.5 if day.weekday() in {5, 6} else 0,
            offset_min=120 if day >= flight else 0,
        )
        for day in days
    ]
    squad_store.put_sleeps(ANA, rows)

    data = load_trends(StoreClient(squad_store), ANA, start=days[0], end=TODAY, today=TODAY)
    found = jet_lag(data.nights)

    assert (found.work_h, found.free_h, found.hours) == pytest.approx((2.5, 4.0, 1.5))
    assert (found.work_nights, found.free_nights) == (19, 7)


def test_social_jet_lag_in_words_names_the_days_that_count_as_free():
    known = SocialJetLag(1.5, 4.5, 3.0, 8, 20)

    assert jet_lag_words(known).startswith(
        "1h30 later at weekends, mid-sleep 04:30 vs 03:00 on weekdays (8 weekend nights, 20 weekday nights)."
    )
    assert jet_lag_words(known).endswith("A weekend night ends on Saturday or Sunday.")
    assert jet_lag_words(replace(known, hours=-0.5)).startswith("30 min earlier")
    assert jet_lag_words(SocialJetLag(nan, 4.5, 3.0, 1, 20)) == (
        "not enough nights: needs 4 at weekends and 8 on weekdays (1 weekend night, 20 weekday nights)."
    )
