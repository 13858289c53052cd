"""The dashboard in a browser: deep links on a fresh server, no request to other hosts, no data of another key."""

import re
import shutil
from contextlib import closing
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from playwright.sync_api import expect

import squad
from browser.journeys import (
    account,
    reader,
    settled,
    sign_in,
    sign_out,
    texts,
    violations_in_both_schemes,
    watched,
)
from coachboard.service.api.app import create_app
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard.ui.frame import navigation
from running import dashboard_process
from serving import served

pytestmark = pytest.mark.browser
expect.set_options(timeout=20_000)
PAGES = sorted(page.stem for page in navigation.PAGES_FOLDER.glob("*.py"))
TITLES = {name: place.title for name, place in navigation.PLACES.items()} | {"athlete": "Ana Li"}


@pytest.fixture(scope="module")
def service(tmp_path_factory, squad_database):
    """A service elsewhere, so that every reader has to sign in."""
    folder = tmp_path_factory.mktemp("service")
    with (
        closing(Store.open(f"sqlite:///{shutil.copy(squad_database, folder)}")) as store,
        served(create_app(store, settings=Settings(outbox=folder / "outbox"))) as address,
    ):
        yield address


@pytest.fixture(scope="module")
def guarded(chromium, tmp_path_factory, service):
    """A process over that service; no test here changes what it holds."""
    with dashboard_process(tmp_path_factory.mktemp("guarded"), COACHBOARD_BASE_URL=service) as address:
        yield address


@pytest.mark.parametrize("first", ["athlete", "settings"])
def test_a_deep_link_on_a_fresh_server_meets_the_guard(tmp_path, service, new_page, first):
    """A `pages/` folder beside the running script would let the first request of a process go round it."""
    page = new_page()
    with dashboard_process(tmp_path, COACHBOARD_BASE_URL=service) as address:
        for name in (first, *(other for other in PAGES if other not in {first, "invitation"})):
            page.goto(f"{address}/{name}")

            expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
            assert page.locator("[data-testid=stSidebarNav]").count() == 0


def test_each_page_opens_by_deep_link_without_a_fault(squad_dashboard, new_page):
    """No console error, no violation of the policy, no request to another host, no traceback."""
    page = new_page()
    faults, hosts = [], set()
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))

    for name in PAGES:
        page.goto(f"{squad_dashboard}/{name}")
        settled(page)
        expect(page.get_by_role("heading", name=TITLES[name], level=1)).to_be_visible()
        assert page.locator("[data-testid=stException]").count() == 0
        assert "Something went wrong" not in page.inner_text("body")

    assert faults == []
    assert hosts - {urlsplit(squad_dashboard).netloc, ""} == set()


_GROUNDS = """
window.grounds = [];
new MutationObserver(() => {
  const app = document.querySelector("[data-testid=stApp]");
  const ground = app && getComputedStyle(app).backgroundColor;
  if (ground && ground !== window.grounds.at(-1)) window.grounds.push(ground);
}).observe(document, { subtree: true, childList: true, attributes: true });
"""


@pytest.mark.parametrize(("scheme", "ground"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(21, 24, 28)")])
def test_a_page_begins_in_its_scheme_and_ends_in_its_own_colours_and_face(guarded, new_page, scheme, ground):
    """Streamlit's own colours come first; white before a dark page would dazzle."""
    page = new_page(color_scheme=scheme)
    page.add_init_script(_GROUNDS)

    page.goto(f"{guarded}/settings")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()

    grounds = page.evaluate("window.grounds")
    assert grounds[-1] == ground
    are_dark = {max(map(int, re.findall(r"\d+", each)[:3])) < 64 for each in grounds}
    assert are_dark == {scheme == "dark"}
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).fontFamily").startswith("Inter")


def test_the_sign_in_is_legible_when_the_system_turns_dark(guarded, new_page):
    """The button kept its white words on an accent that became light."""
    page = new_page(color_scheme="light")
    page.goto(f"{guarded}/settings")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()

    assert violations_in_both_schemes(page) == []


def test_a_page_connects_without_asking_whether_the_server_is_there(guarded, new_page):
    """Streamlit's script waits for two answers first, unless the page says who may steer it: nobody."""
    page = new_page()
    page.route("**/_stcore/health", lambda _route: None)  # is never answered

    page.goto(f"{guarded}/settings")

    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_two_browsers_on_two_keys_see_their_own(guarded, new_page):
    coach = sign_in(new_page(), guarded, squad.COACH_KEY)
    admin = sign_in(new_page(), guarded, squad.ADMIN_KEY)

    coach.reload()
    admin.reload()

    assert "Squad **one**" in settled(coach).inner_text("body") + coach.inner_text("body")
    expect(reader(coach)).to_contain_text("Cleo")
    expect(reader(admin)).to_contain_text("Ada")
    assert "Ada" not in texts(coach)
    assert "Cleo" not in texts(settled(admin))


def test_many_sessions_at_once_never_show_each_others_data(guarded, new_page):
    """Two browsers on each of three keys, all loading at the same time, again and again."""
    names = {squad.COACH_KEY: "Cleo Coach", squad.ATHLETE_KEY: "Ana Li", squad.ADMIN_KEY: "Ada Admin"}
    readers = [(sign_in(new_page(), guarded, key, "/settings"), key) for key in list(names) * 2]

    for path in ("/imports", "/settings"):  # Values and Workspaces name other people too
        for page, _ in readers:
            page.goto(guarded + path, wait_until="commit")
        for page, key in readers:
            expect(page.get_by_test_id("stSidebarNav")).to_be_visible()
            expect(reader(page)).to_contain_text(names[key])
            said = texts(settled(page))
            assert not any(name in said for other, name in names.items() if other != key)


def test_a_typed_key_lasts_for_the_browser_session_and_signing_out_ends_it(guarded, new_page):
    page = sign_in(new_page(), guarded, squad.COACH_KEY)

    page.reload()
    expect(page.get_by_test_id("stSidebarNav")).to_be_visible()
    second = page.context.new_page()
    second.goto(f"{guarded}/settings")
    expect(second.get_by_test_id("stSidebarNav")).to_be_visible()

    sign_out(page)
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_the_browser_never_receives_the_key(guarded, new_page):
    page = new_page()
    received = []
    page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(bytes_of(frame)))
    )
    sign_in(page, guarded, squad.COACH_KEY)

    stored = page.evaluate("JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])")
    everything = b"".join(received) + (page.content() + page.url + stored).encode()
    assert squad.COACH_KEY.encode() not in everything
    assert all(squad.COACH_KEY not in cookie["value"] for cookie in page.context.cookies())


def bytes_of(frame):
    return frame if isinstance(frame, bytes) else str(frame).encode()


def test_an_invitation_is_sent_once_by_a_double_click_and_a_refresh(squad_dashboard, new_page):
    page = new_page()
    page.goto(f"{squad_dashboard}/workspaces")
    field = page.get_by_label("E-mail addresses", exact=True)
    field.fill(f"{uuid4().hex}@example.org")  # a repeated test must not find the address invited
    send = page.get_by_role("button", name="Create 1 invitation")
    send.dblclick()
    expect(page.get_by_text("invited", exact=False).first).to_be_visible()
    page.reload()
    settled(page)

    expect(page.get_by_role("heading", name="Invitations")).to_be_visible()
    assert len(re.findall(r"extended", page.inner_text("body"))) == 0


def test_addresses_are_validated_as_they_are_typed(squad_dashboard, new_page):
    page = new_page()
    page.goto(f"{squad_dashboard}/workspaces")
    field = page.get_by_label("E-mail addresses", exact=True)
    field.press_sequentially("ana@", delay=20)

    expect(page.get_by_text("is not a valid address")).to_be_visible()
    field.press_sequentially("example.org", delay=20)
    expect(page.get_by_role("button", name="Create 1 invitation")).to_be_enabled()


def test_the_navigation_works_by_keyboard(squad_dashboard, new_page):
    page = new_page()
    page.goto(f"{squad_dashboard}/settings")
    settled(page)
    link = page.get_by_role("link", name="Workspaces")
    for _ in range(30):
        page.keyboard.press("Tab")
        if link.evaluate("element => element === document.activeElement"):
            break
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Workspaces", level=1)).to_be_visible()


def test_each_step_to_a_page_is_one_step_back(squad_dashboard, new_page):
    """A page that completed its address left its bare one behind, and the first step back led nowhere."""
    page = new_page()
    page.goto(f"{squad_dashboard}/trends")
    settled(page)
    before = page.evaluate("history.length")
    walked = ("Athlete", "Calendar", "Activity", "Trends", "Athlete", "Calendar")
    for title in walked:
        page.get_by_test_id("stSidebarNav").get_by_role("link", name=title).click()
        expect(page).to_have_url(re.compile(rf"/{title.lower()}\?athlete="))
        settled(page)

    assert page.evaluate("history.length") == before + len(walked)
    page.go_back()
    expect(page).to_have_url(re.compile(r"/athlete\?athlete="))
    page.go_back()
    expect(page.get_by_role("heading", name="Trends", level=1)).to_be_visible()


def test_nothing_scrolls_sideways_on_a_phone(squad_dashboard, new_page):
    page = new_page(viewport={"width": 400, "height": 860})

    for name in ("workspaces", "settings"):
        page.goto(f"{squad_dashboard}/{name}")
        settled(page)
        assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 1


def test_a_deep_link_finds_its_server_at_once(squad_dashboard, new_page):
    """Streamlit would ask under the page's own address first, and wait where there is nothing."""
    page = new_page()
    asked = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    page.goto(f"{squad_dashboard}/settings")
    settled(page)

    assert [path for path in asked if path.endswith("/_stcore/health")] == ["/_stcore/health"]


def test_signing_out_of_the_demo_stays_signed_out(new_page, fortnight):
    """The next load signed the demo's coach in again."""
    page = watched(new_page())
    page.goto(fortnight)
    sign_out(settled(page))
    for load in (page.reload, lambda: page.goto(f"{fortnight}/settings")):
        load()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    other = watched(new_page())
    other.goto(fortnight)
    expect(account(settled(other)).get_by_role("button", name="Sign out")).to_be_visible()

    page.get_by_role("button", name="Coach", exact=True).click()
    expect(account(page).get_by_role("button", name="Sign out")).to_be_visible()
    page.reload()
    expect(account(settled(page)).get_by_role("button", name="Sign out")).to_be_visible()
