"""A reader in Auckland and an athlete in Europe: no page calls a plan of the athlete's today missed."""

from datetime import UTC, datetime, timedelta
from functools import partial
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

import seeded
import squad
import training
from coachboard.loaders.athlete_today import AthleteToday, Clock
from coachboard.ui.frame import shell
from drawn import page_test

DUE = "Due this evening"
DAY = training.TODAY
EVENING = datetime(DAY.year, DAY.month, DAY.day, 21, 30, tzinfo=UTC)  # 22:30 there, the next day in Auckland


@pytest.fixture
def opened(dashboard_settings, squad_store, monkeypatch):
    """Opens a page at a moment, with a plan of that evening."""
    squad_store.put_activities(
        squad.ANA, [training.activity("Ride", DAY - timedelta(days=10), utc_offset=60)]
    )
    squad_store.put_prescriptions(squad.ANA, [training.prescription(DUE, DAY)])
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    monkeypatch.setattr(shell, "own_zone", lambda _: ZoneInfo("Pacific/Auckland"))

    def open_page(name, now=EVENING, **params):
        monkeypatch.setattr(shell, "Clock", partial(Clock, now=lambda: now))
        at = page_test(name)
        at.session_state["calendar.below.near"] = True  # the lazy section is on screen
        at.query_params.update({"athlete": squad.ANA} | params)
        at.run()
        assert not at.exception
        return at

    return open_page


def sent(at):
    """The data of the page's components, as text."""
    return [element.proto.json for element in at.get("bidi_component")]


def test_a_plan_is_missed_when_the_athletes_day_has_ended(opened):
    for page in ["athlete", "calendar"]:
        for later_h, is_missed in [(0, False), (2, True)]:
            at = opened(page, EVENING + timedelta(hours=later_h))
            shown = "\n".join(
                part for part in sent(at) if DUE in part
            )  # a control of the calendar is called Missed

            assert shown
            assert ("missed" in shown.lower()) == is_missed


@pytest.mark.parametrize(("ahead_d", "countdown"), [(0, "today"), (10, "in 10 days")])
def test_the_countdown_to_an_event_counts_from_the_athletes_day(opened, squad_store, ahead_d, countdown):
    """Next to another athlete, whose day has ended."""
    squad_store.put_events(squad.ANA, [seeded.event("evt_1", DAY + timedelta(days=ahead_d))])
    at = opened("calendar", athlete=squad.BEN, beside=squad.ANA)

    assert f"**Spring race** {countdown}" in "\n".join(text.value for text in at.markdown)


def test_the_list_of_sessions_counts_the_days_where_the_athlete_is(opened, squad_store):
    squad_store.put_activities(
        squad.ANA, [training.activity("Two weeks ago", DAY - timedelta(days=14), utc_offset=60)]
    )
    day = DAY - timedelta(days=14)

    # Beyond two weeks the weekday is left out, which this session is by the reader's clock alone.
    (listed,) = [
        one for one in sent(opened("activity")) if '"title": "Sessions"' in one or '"title":"Sessions"' in one
    ]
    assert f"{day:%a} {day.day} {day:%b}" in listed


@pytest.mark.parametrize(("later_h", "redraws"), [(0, 0), (2, 1)])
def test_a_page_left_open_draws_itself_again_on_a_new_day(monkeypatch, later_h, redraws):
    drawn = []
    monkeypatch.setattr(shell.st, "rerun", lambda: drawn.append("again"))
    monkeypatch.setattr(shell, "noted_days", lambda: [AthleteToday(DAY, 60)])
    monkeypatch.setattr(shell.syncing, "of", lambda client: None)
    clock = Clock(UTC, now=lambda: EVENING + timedelta(hours=later_h))

    shell.redraw_on_a_new_day(SimpleNamespace(client=None, clock=clock, today=DAY))
    assert len(drawn) == redraws
