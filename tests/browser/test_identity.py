"""Sign-in with OpenID Connect: a user types the key once; the server encrypts it for the identity and deletes it on demand."""

import pytest
from click.testing import CliRunner
from playwright.sync_api import expect

import oidc
import squad
from browser.journeys import sign_out
from coachboard import cli
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


def link_address(folder, store_url, person, email):
    """As the administrator does, with the settings of the dashboard."""
    env = {
        "COACHBOARD_DATA": str(folder),
        "COACHBOARD_CACHE_URL": f"sqlite:///{folder / 'cache.db'}",
        "COACHBOARD_IDENTITY_SECRET": "a long random secret",
    }
    words = ["identities", "add", person, email, "--db", store_url]
    return CliRunner().invoke(cli.main, words, env=env)


def test_a_verified_address_signs_its_person_in_without_a_key(
    dashboard, provider, new_page, tmp_path, squad_store
):
    linked = link_address(tmp_path, squad_store.url, squad.ANA, "ana@example.org")
    assert linked.exit_code == 0, linked.output
    assert linked.stdout == ""

    for claims in ({}, {"email_verified": False}, {"email_verified": "true"}):
        provider.subject, provider.claims = f"mallory{len(claims)}", {"email": "ana@example.org", **claims}
        stranger = log_in(new_page(), dashboard)
        expect(stranger.get_by_label("API key", exact=True)).to_be_visible(timeout=20_000)
        assert "Ana Li" not in stranger.inner_text("body")

    provider.subject, provider.claims = "ana", {"email_verified": True}
    for _ in range(2):  # bound by the address, then by the identity
        ana = log_in(new_page(), dashboard)
        expect(ana.get_by_text("Ana Li").first).to_be_visible(timeout=20_000)

    provider.subject, provider.claims = "second", {"email": "ana@example.org", "email_verified": True}
    second = log_in(new_page(), dashboard)
    expect(second.get_by_label("API key", exact=True)).to_be_visible(timeout=20_000)

    taken = link_address(tmp_path, squad_store.url, squad.COACH, "ana@example.org")
    assert "belongs to another person" in taken.stderr
