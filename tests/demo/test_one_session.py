"""Each session of the demo squad has one verdict, on every page that shows it."""

from datetime import timedelta
from math import isnan

import pytest

from coachboard.analytics.planning.compliance import Measure
from coachboard.loaders.activity.page_data import load_activity
from coachboard.loaders.athlete.page_data import load_athlete
from coachboard.loaders.calendar.page_data import load_calendar
from coachboard.loaders.roster.row import load_row
from store_client import StoreClient

DAYS = 10
"""The last days of each athlete; the roster's week and the athlete page's list lie in them."""


@pytest.fixture(scope="module")
def client(demo_store):
    return StoreClient(demo_store)


@pytest.fixture(scope="module")
def people(demo_store):
    return demo_store.users()


def shown(matches):
    """Measure and percentage of each compared session, by its id."""
    return {
        match.done.id: (match.compliance.state, match.compliance.measure, match.compliance.ratio)
        for match in matches
        if match.done is not None and match.compliance is not None and match.compliance.state is not None
    }


@pytest.fixture(scope="module")
def calendars(client, people, today):
    data = load_calendar(
        client, [user.id for user in people], start=today - timedelta(days=DAYS), end=today + timedelta(days=7),
        today=today, today_of=lambda _: today,
    )  # fmt: skip
    return {athlete.user_id: athlete for athlete in data.athletes}


def test_the_verdict_of_a_session_is_the_same_on_every_page(client, people, today, calendars):
    by_work = compared = 0
    for user in people:
        calendar = shown(calendars[user.id].matches)
        roster = shown(load_row(client, user, today=today, thresholds={}).week)
        listed = shown(load_athlete(client, user.id, today=today, thresholds={}).last(7))
        pages = {
            session: load_activity(client, user_id=user.id, activity_id=session, day=None, today=today).match
            for session in calendar
        }

        assert shown(match for match in pages.values() if match) == calendar
        assert roster.items() <= calendar.items()
        assert {id_: one for id_, one in listed.items() if id_ in calendar}.items() <= calendar.items()
        compared += len(calendar)
        by_work += sum(measure is Measure.WORK_STEPS for _, measure, _ in calendar.values())

    assert compared > 60
    assert by_work > 10
    assert not any(isnan(one[2]) for one in calendar.values())
