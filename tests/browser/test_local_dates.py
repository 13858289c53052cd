"""Dates are the service's local dates in every time zone of the reader, also of sessions near midnight."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

import rides
import squad
from coachboard.service.store import Store
from conftest import PLACES, place_of
from running import dashboard_process

pytestmark = pytest.mark.browser
# Local start, and minutes of the athlete's clock from UTC: in UTC the sessions are of 2 and 5 March.
STARTS = {"Early": (datetime(2026, 3, 3, 0, 20), 120), "Late": (datetime(2026, 3, 4, 23, 40), -120)}  # noqa: DTZ001


@pytest.fixture(scope="module")
def address(chromium, tmp_path_factory):
    """Ana, who travels: a session just after midnight two hours east of UTC, another just before it two hours west."""
    folder = tmp_path_factory.mktemp("dates")
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    squad.seed(store)
    sessions = [
        rides.activity(
            f"act_{name}",
            name=name,
            start=(at - timedelta(minutes=offset)).replace(tzinfo=UTC),
            started_at_local=at,
            utc_offset=offset,
        )
        for name, (at, offset) in STARTS.items()
    ]
    store.put_activities(squad.ANA, sessions)
    store.close()
    settings = {"COACHBOARD_API_KEY": squad.COACH_KEY, "COACHBOARD_TODAY": "2026-03-06"}
    with dashboard_process(folder, **settings) as address:
        yield address


@pytest.mark.parametrize(("zone", "locale"), PLACES)
def test_a_session_near_midnight_lies_on_its_local_date(address, new_page, zone, locale):
    page = new_page(timezone_id=zone, locale=locale)
    page.goto(f"{address}/calendar?athlete={squad.ANA}&month=2026-03")
    for name, (at, _) in STARTS.items():
        cell = page.get_by_role("gridcell").filter(has=page.locator(f"[data-pick='{at.date()}']"))
        expect(cell.get_by_role("button", name=re.compile(name))).to_be_visible()

    for name, (at, _) in STARTS.items():
        page.goto(f"{address}/activity?athlete={squad.ANA}&activity=act_{name}&day={at.date()}")
        expect(page.get_by_text(re.compile(rf"{at:%a} {at.day} Mar.*{at:%H:%M}")).first).to_be_visible()


@pytest.mark.parametrize("number", range(4))
def test_a_page_is_in_the_zone_and_the_locale_of_the_test(new_page, request, number):
    page = new_page()
    found = page.evaluate("[Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.language]")

    place = place_of(request.node.name)
    assert [found[0].replace("Calcutta", "Kolkata"), found[1]] == [place["timezone_id"], place["locale"]]
