"""From the e-mail to the roster: a coach invites, a person without a key opens the link, and the coach sees them."""

import re
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy

import pytest
from playwright.sync_api import expect

import oidc
import squad
from browser.journeys import settled, sideways_px, sign_in, sign_out, violations, watched
from browser.test_identity import SECRETS
from coachboard.service.api.app import create_app
from coachboard.service.store import PendingInvitation, Store
from coachboard.settings import Settings
from coachboard.wire.enums import InvitedRole
from running import dashboard_process, free_port, wait_until
from serving import served

pytestmark = pytest.mark.browser


@pytest.fixture
def store(tmp_path):
    store = Store.open(f"sqlite:///{tmp_path / 'service.db'}")
    squad.seed(store)
    yield store
    store.close()


@contextmanager
def dashboard_over(store, folder, *, secrets=None, **env):
    """A dashboard over a service of its own thread, whose mails link to it; its address."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    if secrets is not None:
        (folder / ".streamlit").mkdir()
        (folder / ".streamlit/secrets.toml").write_text(secrets(address))
    app = create_app(store, settings=Settings(outbox=folder / "outbox", public_url=address))
    with served(app) as service:
        env |= {"COACHBOARD_BASE_URL": service, "COACHBOARD_PUBLIC_URL": address}
        with dashboard_process(folder, port=port, **env):
            yield address


@pytest.fixture
def dashboard(tmp_path, store):
    with dashboard_over(store, tmp_path) as address:
        yield address


def invite(page, address, email):
    """Invite as the coach, with an e-mail."""
    sign_in(page, address, squad.COACH_KEY)
    page.get_by_text("Send by e-mail").click()
    page.get_by_label("E-mail addresses", exact=True).fill(email)
    page.get_by_role("button", name="Send 1 invitation").click()
    expect(page.get_by_text(re.compile(r"^Expires .* left"))).to_be_visible()


def link_in_mail(folder, email):
    def mails():
        found = (
            message_from_bytes(file.read_bytes(), policy=policy.default) for file in folder.glob("*.eml")
        )
        return [mail for mail in found if mail["To"] == email]

    wait_until(mails, "no mail was written")
    (link,) = re.findall(r"http://\S+", mails()[-1].get_content())
    return link


def addresses_of(page):
    """Every address that the browser asks for, which proxies and servers log."""
    seen = []
    page.on("request", lambda request: seen.extend([request.url, request.headers.get("referer", "")]))
    return seen


def test_from_the_mail_to_the_roster(dashboard, store, tmp_path, new_page):
    coach = new_page()
    invite(coach, dashboard, "eva@example.org")
    link = link_in_mail(tmp_path / "outbox", "eva@example.org")
    code = link.partition("#code=")[2]
    assert len(code) == 32

    eva = watched(new_page())
    asked = addresses_of(eva)
    eva.goto(link)
    expect(eva.get_by_text("Cleo Coach invites you to Squad **one** as athlete.")).to_be_visible()
    assert eva.url == f"{dashboard}/invitation"
    assert violations(settled(eva)) == []
    eva.get_by_label("First name", exact=True).fill("Eva")
    eva.get_by_label("Last name (optional)", exact=True).fill("Novak")
    eva.get_by_role("button", name="Create account").click()
    expect(eva.get_by_text("You are now athlete of Squad **one**.")).to_be_visible()
    key = eva.get_by_role("textbox", name="API key", exact=True).input_value()
    assert key.startswith("cbk_")
    assert violations(settled(eva)) == []
    eva.get_by_role("button", name="Open Coachboard").click()
    expect(eva.get_by_text("Eva Novak").first).to_be_visible()
    assert eva.faults == []
    assert not [url for url in asked if code in url or key in url]

    eva.goto(f"{dashboard}/settings")  # a reload finds the person by the cookie
    expect(eva.get_by_text("Eva Novak").first).to_be_visible()
    settled(eva)
    assert key not in eva.content()

    coach.goto(f"{dashboard}/")
    expect(coach.get_by_text("Eva Novak").first).to_be_visible()

    second = new_page()
    second.goto(link)
    expect(second.get_by_text("This invitation has been used.")).to_be_visible()
    log = next(tmp_path.glob("dashboard-*.log")).read_text()
    assert code not in log
    assert key not in log


def test_on_a_phone_the_page_does_not_scroll_sideways(dashboard, store, tmp_path, new_page):
    invite(new_page(), dashboard, "eva@example.org")
    phone = new_page(viewport={"width": 400, "height": 860})
    phone.goto(link_in_mail(tmp_path / "outbox", "eva@example.org"))
    expect(phone.get_by_role("button", name="Create account")).to_be_visible()

    assert sideways_px(settled(phone)) <= 1


def test_sign_in_with_openid_connect_needs_no_key(tmp_path, store, new_page):
    provider = oidc.Provider()
    provider.subject = "eva"

    def secrets(address):
        names = {"client_id": oidc.CLIENT_ID, "client_secret": oidc.CLIENT_SECRET}
        return SECRETS.format(address=address, issuer=provider.issuer, **names)

    env = {"COACHBOARD_IDENTITY_SECRET": "a long random secret"}
    with (
        served(provider.app) as provider.issuer,
        dashboard_over(store, tmp_path, secrets=secrets, **env) as address,
    ):
        eva = new_page()
        eva.goto(f"{address}/invitation#code={invited(store)}")
        expect(eva.get_by_text("invites you to Squad")).to_be_visible()
        eva.get_by_role("button", name="Sign in to accept").click()
        eva.get_by_role("button", name="I have an invitation").click()  # the tab kept the code
        eva.get_by_label("First name", exact=True).fill("Eva")
        eva.get_by_role("button", name="Create account").click()
        expect(eva.get_by_text("You are now athlete of")).to_be_visible()
        assert "cbk_" not in eva.content()
        eva.get_by_role("button", name="Open Coachboard").click()
        expect(eva.get_by_role("heading", name="Eva", level=1)).to_be_visible()

        sign_out(eva)
        again = new_page()
        again.goto(f"{address}/settings")
        again.get_by_role("button", name="Sign in").first.click()
        expect(again.get_by_role("heading", name="Eva", level=1)).to_be_visible()


def invited(store):
    now = datetime.now(UTC)
    asked = PendingInvitation(
        squad.SQUAD,
        "eva@example.org",
        "eva@example.org",
        InvitedRole.ATHLETE,
        now,
        now + timedelta(7),
        squad.COACH,
    )
    return store.invite(asked).code
