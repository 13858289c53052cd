"""Pages of an athlete without recent rows open at the newest ones and say so."""

from datetime import UTC, date, datetime

import pytest

import squad
from drawn import page_test
from seeded import SLEEPS, activity

SAYS = "Showing the weeks to 12 March 2024, the newest data."


@pytest.fixture
def opened(dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_TODAY", "2026-05-06")
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.ATHLETE_KEY)

    def open_page(name):
        at = page_test(name).run()
        assert not at.exception
        return at

    return open_page


@pytest.fixture
def ride(squad_store):
    squad_store.put_activities(squad.ANA, [activity("act_old", datetime(2024, 3, 12, 8, tzinfo=UTC))])


def captions(at):
    return [element.value for element in at.caption]


def test_a_page_opens_at_the_newest_session(opened, ride):
    for name in ["athlete", "calendar", "trends"]:
        assert any(SAYS in caption for caption in captions(opened(name)))


def test_a_page_with_a_recent_session_opens_today(opened, ride, squad_store):
    squad_store.put_activities(squad.ANA, [activity("act_new", datetime(2026, 5, 1, 8, tzinfo=UTC))])
    for name in ["athlete", "calendar", "trends"]:
        assert not any("newest data" in caption for caption in captions(opened(name)))


def test_a_page_without_any_row_opens_today(opened):
    for name in ["athlete", "calendar", "trends"]:
        assert not any("newest data" in caption for caption in captions(opened(name)))


def test_the_calendar_says_so_while_it_shows_that_month(opened, ride):
    at = opened("calendar")
    assert "2024-03-12" in at.query_params["on"]

    assert any(SAYS in caption for caption in captions(at.run()))
    at.query_params["on"] = "2026-05-06"
    assert not any(SAYS in caption for caption in captions(at.run()))


def test_the_trends_open_at_a_night_that_is_newer_than_the_sessions(opened, ride, squad_store):
    night = SLEEPS[0].model_copy(update={"day": date(2024, 4, 2)})
    squad_store.put_sleeps(squad.ANA, [night])

    assert any("to 2 April 2024" in caption for caption in captions(opened("trends")))


def test_the_numbers_of_the_athlete_name_their_day(opened, ride):
    at = opened("athlete")

    assert "Status on Tue 12 Mar 2024" in captions(at)
    assert [caption for caption in captions(at) if "today" in caption] == []
