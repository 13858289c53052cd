"""The page of an invitation: what it offers, a new account, a person who joins, and codes that are not valid."""

import logging
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

import squad
from coachboard.pages.invitation import valid_until
from coachboard.service.store.keys import digest_of
from coachboard.service.store.records import PendingInvitation
from coachboard.throttle import LIMIT, Throttle
from coachboard.ui.frame import connection, navigation
from coachboard.wire.enums import InvitedRole

PAGE = str(navigation.PAGES_FOLDER / "invitation.py")


@pytest.fixture(autouse=True)
def own_throttle(monkeypatch):
    monkeypatch.setattr(connection, "_CODES", Throttle())
    monkeypatch.setattr(connection, "_network_address", lambda: "192.0.2.7")


@pytest.fixture
def invited(squad_store):
    """Invites to the squad; gives the code."""

    def invite(email="eva@example.org", *, days=7):
        now = datetime.now(UTC)
        asked = PendingInvitation(
            squad.SQUAD, email, email, InvitedRole.ATHLETE, now, now + timedelta(days=days), squad.COACH
        )
        return squad_store.invite(asked).code

    return invite


def opened():
    return AppTest.from_file(PAGE, default_timeout=30).run()


def entered(at, code):
    at.text_input(key="invitation.typed").set_value(code)
    return at.button[0].click().run()


def texts(at):
    kinds = (at.title, at.markdown, at.caption, at.error, at.success, at.subheader)
    return "\n".join(element.value for kind in kinds for element in kind)


def create(at, **names):
    for name, value in names.items():
        at.text_input(key=f"invitation.{name}").set_value(value)
    (button,) = [one for one in at.button if one.label == "Create account"]
    return button.click().run()


def test_the_page_needs_no_key_and_names_workspace_role_and_inviter(dashboard_settings, invited):
    at = opened()
    assert "Sign in" not in texts(at)
    at = entered(at, f" {invited()} ")

    assert not at.exception
    assert "**Cleo Coach** invites you to **Squad \\*\\*one\\*\\*** as athlete." in texts(at)
    assert "Its coaches and admins can read your training data." in texts(at)


def test_a_new_account_shows_its_key_once(dashboard_settings, squad_store, invited):
    code = invited()
    at = create(entered(opened(), code), first="Eva", last="Novak")

    assert "You are now athlete of **Squad \\*\\*one\\*\\***." in texts(at)
    key = at.session_state["invitation.new_key"].get_secret_value()
    caller = squad_store.caller(digest_of(key))
    assert squad_store.name_of(caller.user_id) == "Eva Novak"
    assert squad_store.role_in(squad.SQUAD, caller.user_id) == "athlete"
    assert key not in texts(at)  # in the component to copy it, as text
    assert key not in texts(opened())
    assert code not in texts(at)


def test_a_name_is_required(dashboard_settings, squad_store, invited):
    people = len(squad_store.users())
    at = create(entered(opened(), invited()), last="Novak")

    assert "Enter your first name." in texts(at)
    assert len(squad_store.users()) == people


def test_the_signed_in_person_joins_with_one_click(dashboard_settings, squad_store, invited):
    squad_store.add_key(squad.LONER, label="", key="loner-key")
    dashboard_settings.setenv("COACHBOARD_API_KEY", "loner-key")
    at = entered(opened(), invited())
    assert [button.label for button in at.button][:2] == ["Join as Lou Loner", "Use another account"]
    at.button(key="invitation.join").click().run()

    assert "You are now athlete of" in texts(at)
    assert squad_store.role_in(squad.SQUAD, squad.LONER) == "athlete"
    assert "invitation.new_key" not in at.session_state


def test_a_member_is_not_changed(dashboard_settings, squad_store, invited):
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    at = entered(opened(), invited())
    at.button(key="invitation.join").click().run()

    assert "You are already a member of this workspace." in texts(at)
    assert squad_store.role_in(squad.SQUAD, squad.COACH) == "coach"


def test_wrong_used_and_expired_codes_have_messages_of_their_own(dashboard_settings, squad_store, invited):
    used, late = invited("used@example.org"), invited("late@example.org", days=-1)
    squad_store.join_by_invitation(used, squad.LONER, datetime.now(UTC))

    for code, message in (
        ("x" * 32, "This invitation code is not valid."),
        (used, "This invitation has been used."),
        (late, "This invitation has expired."),
    ):
        at = entered(opened(), code)
        assert message in texts(at)
        assert code not in texts(at)
        assert not at.exception


def test_guessing_is_limited_and_logged_without_the_code(dashboard_settings, invited, caplog):
    code, at = invited(), opened()
    with caplog.at_level(logging.WARNING, "coachboard.ui"):
        for _ in range(LIMIT):
            at = entered(at, "a-wrong-code")
        at = entered(at, code)

    assert "Too many wrong codes from your network address." in texts(at)
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("coachboard.ui")]
    assert lines == ["A wrong invitation code came from 192.0.2.7"] * LIMIT
    assert "a-wrong-code" not in caplog.text


def test_an_unreachable_service_is_named(dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_BASE_URL", "http://127.0.0.1:9")
    at = entered(opened(), "code")

    assert "The invitation could not be read. The data service cannot be reached." in texts(at)


def test_a_hostile_workspace_and_inviter_are_text(dashboard_settings, squad_store, invited):
    squad_store.add_workspace("<script>x</script>![i](https://t.example/i)" + "o" * 500, "s", id=squad.SQUAD)
    at = entered(opened(), invited())

    assert "<script>" not in texts(at)
    assert "![i](" not in texts(at)
    assert "o" * 100 not in texts(at)


def test_the_sign_in_form_leads_to_the_page(dashboard_settings):
    at = AppTest.from_file(str(navigation.PAGES_FOLDER / "settings.py"), default_timeout=30).run()

    assert at.button(key="sign_in.invited").label == "I have an invitation"


def test_the_end_of_an_invitation_is_in_the_time_zone_of_the_reader():
    moment = datetime(2026, 11, 3, 23, 30, tzinfo=UTC)

    assert valid_until(moment, ZoneInfo("Asia/Tokyo")) == "Wed 4 Nov 2026, 08:30 your time"
    assert valid_until(moment, None) == "Tue 3 Nov 2026, 23:30 UTC"
