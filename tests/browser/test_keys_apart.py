"""Keys in browsers: sign-out deletes all data, another key shows its own data, and no storage contains a key."""

import logging
import re
import shutil
from contextlib import closing
from uuid import uuid4

import pytest
from playwright.sync_api import expect

import squad
import training
from browser.journeys import downloaded, settled, sign_in, sign_out, take_demo_key, texts
from coachboard.service.api.app import create_app
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard.ui.frame import navigation
from coachboard.wire.enums import WorkspaceRole
from running import dashboard_process
from serving import served

pytestmark = pytest.mark.browser
PAGES = sorted(page.stem for page in navigation.PAGES_FOLDER.glob("*.py"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where service and dashboard write, for all tests of this file."""
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="module")
def store(folder, squad_database):
    """The squad with Ana's fortnight, and a second coach of the same athlete."""
    with closing(Store.open(f"sqlite:///{shutil.copy(squad_database, folder)}")) as store:
        training.seed(store, squad.ANA)
        store.add_member(squad.SQUAD, squad.ADMIN, WorkspaceRole.COACH)
        yield store


@pytest.fixture(scope="module")
def guarded(chromium, folder, store):
    """A dashboard without a key of its own, so that every reader signs in."""
    with served(create_app(store, settings=Settings(outbox=folder / "outbox"))) as service:
        settings = {"COACHBOARD_BASE_URL": service, "COACHBOARD_TODAY": training.TODAY.isoformat()}
        with dashboard_process(folder, **settings) as address:
            yield address


@pytest.fixture
def key(store):
    """A key of the coach for one test, which may revoke it."""
    return store.add_key(squad.COACH, label="test")


def revoke_newest_key(store):
    store.revoke_key(max(store.keys(squad.COACH), key=lambda key: key.created_at).id)


def invite(page, address):
    page.goto(f"{address}/workspaces")
    page.get_by_label("E-mail addresses", exact=True).fill(f"{uuid4().hex}@example.org")
    page.get_by_role("button", name="Create 1 invitation").click()
    expect(page.get_by_text(re.compile(r"^Expires .* left"))).to_be_visible()


def test_signing_out_leaves_nothing_to_go_back_to(guarded, key, new_page):
    page = sign_in(new_page(), guarded, key)
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings", level=1)).to_be_visible()
    sign_out(page)

    for leave in (page.go_back, page.reload, lambda: page.goto(f"{guarded}/workspaces")):
        leave()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        assert "Cleo" not in texts(page)
        assert "squad-one" not in page.content()


def test_signing_out_in_one_tab_ends_the_others_at_once(guarded, key, new_page):
    page = sign_in(new_page(), guarded, key)
    page.wait_for_timeout(500)
    other = page.context.new_page()
    other.goto(f"{guarded}/settings")
    expect(other.get_by_test_id("stSidebarNav")).to_be_visible()
    sign_out(other)

    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert "Cleo" not in texts(page)
    sign_in(page, guarded, key)


def test_a_download_is_of_the_browser_that_made_it_and_ends_with_its_session(guarded, key, new_page):
    page = sign_in(new_page(), guarded, key)
    invite(page, guarded)
    with page.expect_response(re.compile(r":\d+/media/")) as waiting:
        downloaded(page, page.get_by_role("button", name="CSV"))
    reply = waiting.value

    assert reply.headers["cache-control"] == "no-store"
    assert page.request.get(reply.url).status == 200
    assert new_page().request.get(reply.url).status == 404
    sign_out(page)
    assert page.request.get(reply.url).status == 404


def test_reviews_and_favourites_are_those_of_the_key_that_made_them(guarded, key, new_page):
    def opened(page, own_key):
        sign_in(page, guarded, own_key).goto(f"{guarded}/?view=review&athlete={squad.ANA}")
        return settled(page)

    page = opened(new_page(), key)
    page.get_by_role("button", name="☆ Favourite").click()
    expect(page.get_by_role("button", name="★ Favourite")).to_be_visible()
    page.get_by_label("Remark", exact=True).fill("Rest until the cough is gone")
    page.get_by_role("button", name=re.compile("^Reviewed")).click()
    expect(page.get_by_text("Review saved")).to_be_visible()
    sign_out(page)

    page = opened(page, squad.ADMIN_KEY)
    expect(page.get_by_role("button", name="☆ Favourite")).to_be_visible()
    assert "cough is gone" not in texts(page)
    expect(page.get_by_label("Remark", exact=True)).to_have_value("")
    sign_out(page)

    page = opened(page, key)
    expect(page.get_by_role("button", name="★ Favourite")).to_be_visible()
    expect(page.get_by_text(re.compile("cough is gone"))).to_be_visible()


def test_another_demo_key_takes_the_former_ones_data_off_the_screen(squad_dashboard, new_page):
    page = new_page()
    page.goto(f"{squad_dashboard}/workspaces")
    expect(settled(page).get_by_role("button", name="Cleo Coach")).to_be_visible()
    take_demo_key(page, "Admin (other workspace)")
    expect(page.get_by_role("button", name="Ada Admin")).to_be_visible()

    settled(page).wait_for_function("() => !document.documentElement.outerHTML.includes('Cleo')")
    assert "Cleo" not in page.content() + texts(page)
    assert squad.SQUAD not in page.url
    for path in ("", "athlete", "trends", "calendar", "settings"):
        page.goto(f"{squad_dashboard}/{path}")
        assert re.findall(r"Cleo|Ana Li|squad-one", settled(page).content() + texts(page)) == []


@pytest.mark.parametrize("text", ["kx-never-made", "revoked"])
def test_a_key_that_is_not_accepted_says_so(guarded, store, key, new_page, text):
    if text == "revoked":
        revoke_newest_key(store)
        text = key
    page = new_page()
    page.goto(f"{guarded}/workspaces")
    page.get_by_label("API key", exact=True).fill(text)
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_text("it is wrong, revoked or expired")).to_be_visible()
    assert page.get_by_label("API key", exact=True).input_value() == ""
    assert text not in page.inner_text("body")


def test_a_key_that_is_revoked_while_a_page_is_open_takes_its_data_away(guarded, store, key, new_page):
    page = sign_in(new_page(), guarded, key, "/settings")
    revoke_newest_key(store)
    page.get_by_role("button", name="Test connection").click()

    expect(page.get_by_text("it is wrong, revoked or expired")).to_be_visible()
    assert "Cleo" not in texts(page)


@pytest.mark.slow
def test_an_open_calendar_asks_for_another_key_when_its_own_is_revoked(guarded, store, key, new_page):
    calendar = sign_in(new_page(), guarded, key, f"/calendar?athlete={squad.ANA}")
    expect(calendar.get_by_role("grid")).to_be_visible(timeout=30_000)
    other = sign_in(new_page(), guarded, key, "/settings")
    revoke_newest_key(store)
    other.get_by_role("button", name="Test connection").click()

    expect(calendar.get_by_text("it is wrong, revoked or expired")).to_be_visible(timeout=30_000)
    assert "Ana Li" not in texts(calendar)


def test_a_key_lies_in_no_log_cache_page_address_or_file(guarded, store, key, folder, new_page, caplog):
    """All pages, an invitation, downloads, a wrong address and a refused key; then everything is searched."""
    caplog.set_level(logging.DEBUG)  # the service runs in this process, and so do its logs
    page = new_page()
    seen = []
    page.on("request", lambda request: seen.append(request.url.encode()))
    page.on("response", lambda response: seen.append(str(response.headers).encode()))
    page.on("console", lambda message: seen.append(message.text.encode()))
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: seen.append(_bytes(frame))))
    sign_in(page, guarded, key)
    for path in (
        *PAGES,
        f"trends?athlete={squad.ANA}&look=metrics",
        "activity?athlete=usr_nobody&activity=act_x",
    ):
        page.goto(f"{guarded}/{path}")
        seen.append(settled(page).content().encode())
    invite(page, guarded)
    seen += [downloaded(page, page.get_by_role("button", name=kind))[1] for kind in ("CSV", "Parquet")]
    seen.append(
        page.evaluate("JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])").encode()
    )
    seen.append(str(page.context.cookies()).encode())
    revoke_newest_key(store)
    page.goto(f"{guarded}/settings")
    expect(page.get_by_text("it is wrong, revoked or expired")).to_be_visible()
    seen.append(page.content().encode())

    files = {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert any(name.startswith("dashboard-") for name in files)  # the log
    assert any(name.startswith("cache.db") for name in files)
    assert b"Ana" in b"".join(seen)
    assert [name for name, body in files.items() if key.encode() in body] == []
    assert key.encode() not in b"".join(seen)
    assert key not in caplog.text


def _bytes(frame):
    return frame if isinstance(frame, bytes) else str(frame).encode()
