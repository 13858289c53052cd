"""Invitations in a browser over a faulty connection: none is sent twice, and the page names each unclear outcome."""

import io
import re
import shutil
from contextlib import closing, suppress
from uuid import uuid4

import pandas as pd
import pytest
from playwright.sync_api import expect

from browser.journeys import PHONE, downloaded, settled, sideways_px, sign_in, violations
from coachboard.service.api.app import create_app
from coachboard.service.store import NewUser, Store
from coachboard.settings import Settings
from coachboard.wire.enums import WorkspaceRole
from faulty_proxy import faulty, held, limited, reset_after_arrival, silent
from running import dashboard_process
from serving import served

pytestmark = pytest.mark.browser
_LOOKS = 8
EXPIRY = re.compile(r"^Expires .* left")


@pytest.fixture(scope="module")
def store(tmp_path_factory, squad_database):
    """The store of the service, for all tests of this file."""
    folder = tmp_path_factory.mktemp("service")
    with closing(Store.open(f"sqlite:///{shutil.copy(squad_database, folder)}")) as store:
        yield store


@pytest.fixture(scope="module")
def proxy(store, tmp_path_factory):
    app = create_app(store, settings=Settings(outbox=tmp_path_factory.mktemp("outbox")))
    with served(app) as service, faulty(service) as proxy:
        yield proxy


@pytest.fixture
def line(proxy):
    """The connection between dashboard and service."""
    yield proxy
    proxy.always = None
    proxy.requests.clear()
    proxy.gate.clear()


@pytest.fixture(scope="module")
def patience_s():
    """How long the dashboard waits for an answer."""
    return 1.5


@pytest.fixture(scope="module")
def dashboard(chromium, tmp_path_factory, proxy, patience_s):
    settings = {"COACHBOARD_BASE_URL": proxy.url, "COACHBOARD_TIMEOUT_S": str(patience_s)}
    with dashboard_process(tmp_path_factory.mktemp("dashboard"), **settings) as address:
        yield address


@pytest.fixture
def workspace():
    """The name of the coach's workspace."""
    return "Squad"


@pytest.fixture
def key(store, workspace):
    """The key of a coach with a workspace, both for one test: no invitation of another one is in sight."""
    coach = store.add_user(NewUser(first_name="Cleo", last_name="Coach"))
    place = store.add_workspace(workspace, uuid4().hex)
    store.add_member(place, coach, WorkspaceRole.COACH)
    return store.add_key(coach, label="test")


@pytest.fixture
def coach(dashboard, key, new_page):
    return sign_in(new_page(), dashboard, key)


def when_sending(fault):
    """The fault for invitations alone; everything else is answered."""

    def chosen(exchange):
        if exchange.raw.startswith(b"POST"):
            fault(exchange)
        else:
            exchange.answer(exchange.ask())

    return chosen


def sign_in_on_a_phone(page, dashboard, key):
    page.goto(f"{dashboard}/workspaces")
    page.get_by_label("API key", exact=True).fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Invite")).to_be_visible()
    return page


def sent(line):
    return [request for request in line.requests if request.startswith("POST")]


def typed(page, addresses):
    """The button that counts what was typed; a form that is being cleared takes the first letters with it."""
    button = page.get_by_role("button", name="Create 1 invitation")
    for _ in range(5):
        page.get_by_label("E-mail addresses", exact=True).fill(addresses)
        with suppress(AssertionError):
            expect(button).to_be_enabled(timeout=4_000)
            break
        page.get_by_label("E-mail addresses", exact=True).fill("")
    return button


def test_a_connection_lost_midway_says_that_it_may_have_arrived_and_a_repeat_is_safe(coach, line):
    line.always = when_sending(reset_after_arrival)
    typed(coach, "new@example.org").click()
    expect(coach.get_by_text("may have arrived").first).to_be_visible()
    expect(coach.get_by_text("Send it again, which is safe")).to_be_visible()
    assert len(sent(line)) == 1

    line.always = None
    typed(coach, "new@example.org").click()
    expect(coach.get_by_text(EXPIRY)).to_be_visible()
    assert len(sent(line)) == 2


def test_no_answer_in_time_is_unclear_too(coach, line):
    line.always = when_sending(silent)
    typed(coach, "new@example.org").click()

    expect(coach.get_by_text("may have arrived").first).to_be_visible()
    assert len(sent(line)) == 1


@pytest.mark.parametrize("patience_s", [25], scope="module")  # on a busy machine too all of it comes within
def test_presses_and_a_refresh_while_the_answer_is_awaited_send_once(coach, line):
    line.always = when_sending(held)
    send = typed(coach, "new@example.org")
    send.dblclick()
    send.click(force=True, no_wait_after=True)
    coach.reload()
    coach.wait_for_timeout(500)
    line.gate.set()
    for _ in range(_LOOKS):  # the answer is written down behind the page, when a busy machine comes to it
        coach.wait_for_timeout(1_500)
        coach.reload()
        settled(coach)
        name, csv = downloaded(coach, coach.get_by_role("button", name="CSV"))
        ledger = pd.read_csv(io.BytesIO(csv))[["email", "outcome"]].to_numpy().tolist()
        if ledger == [["new@example.org", "created"]]:
            break

    assert len(sent(line)) == 1
    assert name == "invitations.csv"
    assert ledger == [["new@example.org", "created"]]


def test_a_refusal_is_shown_in_the_words_of_the_service(coach, line):
    line.always = when_sending(limited("7"))
    typed(coach, "new@example.org").click()

    expect(coach.get_by_text("The data service rejected the invitation")).to_be_visible()
    expect(coach.get_by_text("Slow down")).to_be_visible()


def test_the_second_time_is_recognised_and_the_code_copied(coach):
    coach.context.grant_permissions(["clipboard-read", "clipboard-write"])
    typed(coach, "new@example.org").click()
    expect(coach.get_by_text(EXPIRY)).to_be_visible()
    code = coach.get_by_role("textbox", name="Code", exact=True).input_value()
    coach.get_by_role("button", name="Copy code").click()
    expect(coach.get_by_text("Copied.")).to_be_visible()
    assert coach.evaluate("navigator.clipboard.readText()") == code
    coach.get_by_role("button", name="Copy message").press("Enter")
    expect(coach.get_by_text("Copied.")).to_have_count(2)
    assert code in coach.evaluate("navigator.clipboard.readText()")

    typed(coach, "NEW@example.org").click()
    expect(coach.get_by_text("already pending, extended by two days")).to_be_visible()
    assert coach.get_by_role("textbox", name="Code", exact=True).input_value() == code


def test_where_the_browser_forbids_copying_the_text_is_selected_and_the_keys_are_named(coach):
    coach.evaluate("""() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
      document.execCommand = () => false;
    }""")
    typed(coach, "new@example.org").click()
    area = coach.get_by_role("textbox", name="Code", exact=True)
    coach.get_by_role("button", name="Copy code").click()

    expect(coach.get_by_text("The text is selected: press Ctrl+C.")).to_be_visible()
    assert area.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd) === area.value")


def test_the_ledger_fits_a_laptop_and_is_a_list_on_a_phone(dashboard, key, new_page):
    page = sign_in(new_page(viewport={"width": 1366, "height": 900}), dashboard, key)
    typed(page, "new@example.org").click()
    expect(page.get_by_text(EXPIRY)).to_be_visible()
    table = page.get_by_test_id("stDataFrame").last
    expect(table).to_be_visible()
    assert table.locator(".dvn-scroller").evaluate("e => e.scrollWidth - e.clientWidth") <= 1

    phone = sign_in_on_a_phone(new_page(**PHONE), dashboard, key)
    expect(phone.get_by_text("as athlete, sent")).to_be_visible()
    assert sideways_px(phone) <= 1


@pytest.mark.parametrize("workspace", ["=HYPERLINK(1)"])
def test_exported_text_is_no_formula_in_a_spreadsheet(coach):
    typed(coach, "+new@example.org").click()
    expect(coach.get_by_text(EXPIRY)).to_be_visible()
    _, csv = downloaded(coach, coach.get_by_role("button", name="CSV"))

    (row,) = pd.read_csv(io.BytesIO(csv)).to_dict("records")
    assert row["workspace_name"] == "'=HYPERLINK(1)"
    assert row["email"] == "'+new@example.org"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_has_no_serious_accessibility_violation(dashboard, key, new_page, scheme):
    page = new_page(color_scheme=scheme)
    page.goto(f"{dashboard}/workspaces")
    assert violations(settled(page)) == []  # the form to sign in

    sign_in(page, dashboard, key)
    typed(page, "new@example.org").click()
    expect(page.get_by_text(EXPIRY)).to_be_visible()
    assert violations(settled(page)) == []


def test_on_a_phone_a_result_does_not_scroll_sideways(dashboard, key, new_page):
    page = sign_in_on_a_phone(new_page(viewport={"width": 400, "height": 860}), dashboard, key)
    typed(page, "a-long-name-of-a-person@a-long-domain-of-a-club.example.org").click()
    expect(page.get_by_text(EXPIRY)).to_be_visible()

    assert sideways_px(page) <= 1


def test_keyboard_alone_invites(coach):
    coach.get_by_label("E-mail addresses", exact=True).focus()
    coach.keyboard.type("new@example.org")
    expect(coach.get_by_role("button", name="Create 1 invitation")).to_be_enabled()
    for _ in range(12):
        coach.keyboard.press("Tab")
        if "Create 1 invitation" in coach.evaluate("document.activeElement.innerText"):
            break
    coach.keyboard.press("Enter")

    expect(coach.get_by_text(EXPIRY)).to_be_visible()
