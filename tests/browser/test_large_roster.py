"""A squad larger than a window: its rows arrive in pieces, and no row jumps or disappears meanwhile."""

import pytest
from playwright.sync_api import expect

import squad
from coachboard.service.store import NewUser, Store
from coachboard.wire.enums import Gender, WorkspaceRole
from running import dashboard_process

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)
LAST = 130


def _user(at):
    return NewUser(
        id=f"usr_{at}",
        first_name="Runner",
        last_name=f"{at:03}",
        date_of_birth=None,
        gender=Gender.FEMALE,
        height=None,
    )


@pytest.fixture(scope="module")
def address(chromium, tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    store = Store.open(f"sqlite:///{folder / 'service.db'}")
    squad.seed(store)
    for at in range(1, LAST + 1):
        store.add_user(_user(at))
        store.add_member(squad.SQUAD, f"usr_{at}", WorkspaceRole.ATHLETE)
    store.close()
    with dashboard_process(folder) as address:
        yield address


@pytest.fixture
def roster(address, new_page):
    page = new_page()
    page.goto(f"{address}/?sort=-name")
    expect(page.get_by_role("row")).to_have_count(LAST + 3)  # the head, and two of the squad every test has
    return page


def names(page):
    heads = page.get_by_role("rowheader").all_inner_texts()
    return [head for head in heads if head.startswith("Runner")]


def test_every_athlete_of_a_large_squad_has_a_line_in_the_order_asked_for(roster):
    assert names(roster) == [f"Runner {at:03}" for at in range(LAST, 0, -1)]


def test_a_line_that_moves_far_down_takes_the_focus_along(roster):
    """The URL changes as by the Back button: the table is drawn again, and the row comes with its last chunk."""
    roster.get_by_role("link", name=f"Runner {LAST:03}").focus()
    roster.evaluate(
        "() => { history.pushState({}, '', '?sort=name'); dispatchEvent(new PopStateEvent('popstate')); }"
    )

    expect(roster.get_by_role("columnheader", name="Athlete")).to_have_attribute("aria-sort", "ascending")
    expect(roster.get_by_role("row")).to_have_count(LAST + 3)
    expect(roster.get_by_role("link", name=f"Runner {LAST:03}")).to_be_focused()
    assert names(roster) == [f"Runner {at:03}" for at in range(1, LAST + 1)]
