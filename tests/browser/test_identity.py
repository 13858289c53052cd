"""Signing in with OpenID Connect: a key typed once, held sealed for the identity, and forgotten on demand."""

import pytest
from playwright.sync_api import expect

import oidc
import squad
from browser.journeys import sign_out
from running import dashboard_process, free_port
from serving import served

pytestmark = pytest.mark.browser
SECRETS = """
[auth]
redirect_uri = "{address}/oauth2callback"
cookie_secret = "a-cookie-secret-that-is-long-enough-0123456789"
client_id = "{client_id}"
client_secret = "{client_secret}"
server_metadata_url = "{issuer}/.well-known/openid-configuration"
"""


@pytest.fixture
def provider():
    provider = oidc.Provider()
    with served(provider.app) as issuer:
        provider.issuer = issuer
        yield provider


@pytest.fixture
def dashboard(tmp_path, squad_service, provider):
    port = free_port()
    folder = tmp_path / ".streamlit"
    folder.mkdir()
    secrets = SECRETS.format(
        address=f"http://127.0.0.1:{port}",
        issuer=provider.issuer,
        client_id=oidc.CLIENT_ID,
        client_secret=oidc.CLIENT_SECRET,
    )
    (folder / "secrets.toml").write_text(secrets)
    env = {"COACHBOARD_BASE_URL": squad_service, "COACHBOARD_IDENTITY_SECRET": "a long random secret"}
    with dashboard_process(tmp_path, port=port, **env) as address:
        yield address


def log_in(page, address):
    page.goto(f"{address}/settings")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{address}/**")
    return page


def test_an_identity_types_its_key_once_and_finds_it_in_the_next_browser(
    dashboard, provider, new_page, tmp_path
):
    first = log_in(new_page(), dashboard)
    first.get_by_label("API key", exact=True).fill(squad.ATHLETE_KEY)
    first.get_by_role("button", name="Sign in").click()
    expect(first.get_by_text("Ana Li").first).to_be_visible(timeout=20_000)

    second = log_in(new_page(), dashboard)
    expect(second.get_by_text("Ana Li").first).to_be_visible(timeout=20_000)

    provider.subject = "ben"
    other = log_in(new_page(), dashboard)
    expect(other.get_by_label("API key", exact=True)).to_be_visible(timeout=20_000)
    assert "Ana Li" not in other.inner_text("body")

    at_rest = b"".join(file.read_bytes() for file in tmp_path.glob("dashboard.db*"))
    assert squad.ATHLETE_KEY.encode() not in at_rest


def test_signing_out_ends_the_identity_too(dashboard, new_page):
    page = log_in(new_page(), dashboard)
    page.get_by_label("API key", exact=True).fill(squad.ATHLETE_KEY)
    page.get_by_role("button", name="Sign in").click()
    sign_out(page)
    page.wait_for_timeout(1_000)
    page.goto(f"{dashboard}/settings")

    expect(page.get_by_text("Sign in with your organization's account")).to_be_visible(timeout=20_000)
    assert "Ana Li" not in page.inner_text("body")
