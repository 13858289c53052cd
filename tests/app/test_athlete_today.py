"""A reader in Auckland and an athlete in Europe: no page calls a plan of the athlete's today missed."""

from datetime import UTC, datetime, timedelta
from functools import partial
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

import squad
import training
from coachboard.loaders.athlete_today import AthleteToday, Clock
from coachboard.views.frame import navigation, shell

MAIN = navigation.PAGES_FOLDER.parent / "src" / "coachboard" / "views" / "frame" / "main.py"
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
        at = AppTest.from_file(str(MAIN), default_timeout=30).run()
        at.switch_page(str(navigation.PAGES_FOLDER / f"{name}.py"))
        at.query_params.update({"athlete": squad.ANA} | params)
        at.run()
        assert not at.exception
        return at

    return open_page


def sent(at):
    """The data of the page's components, as text."""
    return [element.proto.json for element in at.get("bidi_component")]


@pytest.mark.parametrize("page", ["athlete", "calendar"])
@pytest.mark.parametrize(("later_h", "is_missed"), [(0, False), (2, True)])
def test_a_plan_is_missed_when_the_athletes_day_has_ended(opened, page, later_h, is_missed):
    at = opened(page, EVENING + timedelta(hours=later_h))
    shown = "\n".join(part for part in sent(at) if DUE in part)  # a control of the calendar is called Missed

    assert shown
    assert ("missed" in shown.lower()) == is_missed


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
