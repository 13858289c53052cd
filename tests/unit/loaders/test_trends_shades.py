"""Illness shades a trend for as long as it excuses plans."""

from datetime import date, timedelta

from coachboard.loaders.trends.page_data import load_trends
from coachboard.models.enums import NoteType
from coachboard.models.plans import Note
from coachboard.service.store import NewNote
from rides import START, activity
from squad import ANA
from store_client import StoreClient

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
