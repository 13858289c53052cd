"""The frame: sign-in, the head of each page, and errors."""

import re

import pytest
import sqlalchemy
from pydantic import SecretStr
from streamlit.testing.v1 import AppTest

import squad
from coachboard.client import Client
from coachboard.loaders.identities import Identities
from coachboard.loaders.local_store import open_store
from coachboard.throttle import Throttle
from coachboard.ui.frame import connection, navigation, setting_faults
from running import refusing_port
from waiting import wait_until

MAIN = navigation.PAGES_FOLDER.parent / "src" / "coachboard" / "ui" / "frame" / "main.py"
ALL_PAGES = sorted(navigation.PAGES_FOLDER.glob("*.py"))
PAGES = [page for page in ALL_PAGES if page.stem not in navigation.pages_for("public")]
ONE_QUICK = [page if page.stem == "roster" else pytest.param(page, marks=pytest.mark.slow) for page in PAGES]
"""Each page waits six seconds for a service that does not answer."""
TITLES = {name: place.title for name, place in navigation.PLACES.items()} | {
    "athlete": "Ana Li",
    "values": "Values of Ana Li",
}


def texts(at):
    kinds = (at.title, at.header, at.markdown, at.caption, at.error, at.warning, at.info)
    return "\n".join(element.value for kind in kinds for element in kind)


def opened(page=None):
    at = AppTest.from_file(str(MAIN), default_timeout=30).run()
    return at.switch_page(str(page)).run() if page else at


@pytest.fixture
def signed_in(dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)


def test_every_page_asks_for_a_key_where_there_is_none(dashboard_settings):
    for page in PAGES:
        alone = AppTest.from_file(str(page), default_timeout=30).run()

        assert [title.value for title in alone.title] == ["Sign in"]
        assert not alone.exception


def test_every_page_opens_through_the_navigation(signed_in):
    for page in PAGES:
        at = opened(page)

        assert not at.exception
        assert at.title[0].value == TITLES[page.stem]


def test_a_run_reads_the_user_and_their_athletes_once(signed_in, monkeypatch):
    at = opened(navigation.PAGES_FOLDER / "settings.py")
    seen = []
    list_users, leave = Client.list_users, connection.leave_identity
    monkeypatch.setattr(Client, "list_users", lambda self: seen.append("users") or list_users(self))
    monkeypatch.setattr(connection, "leave_identity", lambda: seen.append("run") or leave())

    at.run()
    assert seen.count("users") == seen.count("run")


def test_every_page_opens_alone(signed_in):
    for page in PAGES:
        at = AppTest.from_file(str(page), default_timeout=30).run()

        assert not at.exception
        assert at.title[0].value == TITLES[page.stem]


def test_a_typed_key_opens_the_page(dashboard_settings):
    at = opened(navigation.PAGES_FOLDER / "workspaces.py")
    at.text_input[0].set_value(squad.COACH_KEY)
    at.button[0].click().run()

    assert at.title[0].value == "Workspaces"
    assert squad.COACH_KEY not in texts(at)


def test_sign_in_names_a_text_that_cannot_be_a_key(dashboard_settings):
    for typed in ["", "two words", "schlüssel"]:
        at = opened()
        at.text_input[0].set_value(typed)
        at.button[0].click().run()

        assert "doesn't look like a key" in texts(at)


def test_a_wrong_key_says_so(dashboard_settings):
    at = opened()
    at.text_input[0].set_value("no-such-key")
    at.button[0].click().run()

    assert at.title[0].value == "Sign in"
    assert "wrong, revoked or expired" in texts(at)
    assert "no-such-key" not in texts(at)


def test_a_wrong_key_opens_no_client_and_ten_are_the_last_that_are_asked_about(
    dashboard_settings, monkeypatch
):
    monkeypatch.setattr(connection, "_ATTEMPTS", Throttle())
    monkeypatch.setattr(connection, "_network_address", lambda: "203.0.113.7")  # Streamlit's tests have none
    at = opened()
    for number in range(11):
        assert "Too many wrong keys" not in texts(at)
        at.text_input[0].set_value(f"wrong-{number}")
        at.button[0].click().run()

    assert re.search(
        r"Too many wrong keys from your network address. Try again in (60|[45]\d) s\.", texts(at)
    )
    assert connection._CLIENTS._entries == {}


def test_a_key_that_cannot_be_checked_is_not_taken(dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_BASE_URL", "http://127.0.0.1:9")
    at = opened()
    at.text_input[0].set_value(squad.COACH_KEY)
    at.button[0].click().run()

    assert at.title[0].value == "Sign in"
    assert "could not be checked. The data service cannot be reached." in texts(at)


@pytest.mark.parametrize("name", ["roster", "trends", "calendar"])
def test_a_key_that_is_refused_while_a_page_is_filled_takes_the_page_away(signed_in, squad_store, name):
    """The cached user is fresh, so the page's own requests are the first that the service refuses."""
    AppTest.from_file(str(navigation.PAGES_FOLDER / "settings.py"), default_timeout=30).run()
    (key,) = squad_store.keys(squad.COACH)
    squad_store.revoke_key(key.id)

    at = AppTest.from_file(str(navigation.PAGES_FOLDER / f"{name}.py"), default_timeout=30)
    wait_until(lambda: "wrong, revoked or expired" in texts(at.run()))  # the roster is filled meanwhile

    assert [title.value for title in at.title] == ["Sign in"]
    assert not at.selectbox
    assert "Cleo" not in texts(at)


def test_a_revoked_key_takes_its_data_off_the_screen(signed_in, squad_store):
    at = opened(navigation.PAGES_FOLDER / "settings.py")
    assert "Cleo Coach" in texts(at)
    (key,) = squad_store.keys(squad.COACH)
    squad_store.revoke_key(key.id)

    at.button(key="settings.test").click().run()
    at.run()

    assert at.title[0].value == "Sign in"
    assert "Cleo Coach" not in texts(at)


def test_signing_out_deletes_the_key_and_all_cached_data(signed_in):
    at = opened()
    at.session_state["shell.account"] = True
    at.run()
    at.button(key="shell.sign_out").click().run()

    assert at.title[0].value == "Sign in"
    assert "Cleo" not in texts(at)
    at.run()
    assert at.title[0].value == "Sign in"


@pytest.mark.parametrize("page", ONE_QUICK, ids=lambda page: page.stem)
def test_where_nothing_is_known_and_nothing_answers_the_service_is_named_and_the_way_out_is_there(
    dashboard_settings, page
):
    dashboard_settings.setenv("COACHBOARD_BASE_URL", "http://127.0.0.1:9")
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    at = AppTest.from_file(str(page), default_timeout=30).run()

    assert not at.exception
    assert at.title[0].value == navigation.PLACES[page.stem].title
    assert "cannot be reached" in at.warning[0].value
    assert r"9 (COACHBOARD\_BASE\_URL) · signed in with: key from the settings" in texts(at)
    assert at.button(key="shell.again").label == "Try again"
    at.button(key="shell.sign_out").click().run()
    assert at.title[0].value == "Sign in"


def test_an_unknown_page_file_is_not_declared():
    assert {page.stem for page in ALL_PAGES} <= set(navigation.PLACES)


def test_a_user_without_athletes_begins_with_their_own_days(dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.ATHLETE_KEY)
    at = opened()

    assert not at.exception
    assert at.title[0].value != "Roster"
    assert "Ana Li" in texts(at)


def test_a_missing_identity_secret_is_named_on_the_sign_in_page(dashboard_settings):
    connection.has_auth_secrets.cache_clear()
    at = AppTest.from_file(str(PAGES[0]), default_timeout=30)
    at.secrets["auth"] = {"client_id": "x"}
    at.run()

    assert "COACHBOARD\\_IDENTITY\\_SECRET is not set" in at.warning[0].value
    dashboard_settings.setenv("COACHBOARD_IDENTITY_SECRET", "a long random secret")
    assert not at.run().warning
    connection.has_auth_secrets.cache_clear()


def test_a_wrong_address_of_the_service_is_named_on_every_page(dashboard_settings):
    for signs_in in [False, True]:
        for address, fault in [
            ("", "COACHBOARD_BASE_URL is empty"),
            ("service.example/api", "COACHBOARD_BASE_URL is wrong: expected an http or https address"),
            (
                "http://user:pass@x/api",
                "COACHBOARD_BASE_URL is wrong: expected an address without credentials",
            ),
        ]:
            dashboard_settings.setenv("COACHBOARD_BASE_URL", address)
            if signs_in:
                dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
            at = opened()

            assert not at.exception
            assert [error.value.replace("\\", "").startswith(fault) for error in at.error] == [True]
            assert "pass" not in texts(at)
            assert len(at.text_input) == 0


def test_an_unreachable_service_is_named_with_its_setting(dashboard_settings):
    with refusing_port() as port:
        dashboard_settings.setenv("COACHBOARD_BASE_URL", f"http://127.0.0.1:{port}/api")
        at = opened()
        at.text_input[0].set_value("some-key")
        at.button[0].click().run()
        assert "COACHBOARD\\_BASE\\_URL" in at.error[0].value
        assert setting_faults.unreachable_service().startswith(
            f"COACHBOARD_BASE_URL: the service at http://127.0.0.1:{port}/api cannot be reached ("
        )


def test_a_service_that_refuses_a_request_without_a_key_is_reachable(dashboard_settings):
    assert setting_faults.unreachable_service() is None


def test_an_empty_identity_secret_is_a_missing_one(dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_IDENTITY_SECRET", " ")

    assert connection.identities() is None


@pytest.fixture
def identity(dashboard_settings, tmp_path):
    """A signed-in identity whose keys lie in a database that takes no writes."""
    engine = open_store(f"sqlite:///{tmp_path / 'full.db'}")
    stored = Identities(engine, SecretStr("a long secret"))
    stored.keep("iss", "ana", SecretStr(squad.COACH_KEY))
    stored.keep("iss", "ben", SecretStr("former-key"))
    engine.dispose()
    sqlalchemy.event.listen(engine, "connect", lambda raw, _: raw.execute("PRAGMA query_only=1"))
    dashboard_settings.setattr(connection, "identities", lambda: stored)
    dashboard_settings.setattr(connection, "has_login", lambda: True)
    yield lambda subject: dashboard_settings.setattr(
        connection, "signed_in_identity", lambda: ("iss", subject)
    )
    engine.dispose()


def test_a_key_that_cannot_be_stored_signs_in_for_this_browser_session(identity):
    """A full disk ended the sign-in with "Something went wrong"."""
    identity("new")
    at = opened()
    at.text_input[0].set_value(squad.COACH_KEY)
    at.button[0].click().run()

    assert not at.exception
    assert at.title[0].value == TITLES["roster"]


def test_a_stored_key_that_cannot_be_removed_is_not_called_removed(identity):
    identity("ana")
    at = opened(navigation.PAGES_FOLDER / "settings.py")
    at.button(key="settings.unseal").click().run()

    assert not at.exception
    assert "Your key was not removed" in texts(at)
    assert at.title[0].value == TITLES["settings"]
