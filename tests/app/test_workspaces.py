"""Invitations: permission, summary before sending, result after it, and nothing sent twice."""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

import squad
from coachboard.loaders.athlete_today import Clock
from coachboard.service.api.app import create_app, mounted
from coachboard.service.store import Store
from coachboard.settings import Settings
from coachboard.ui.frame import navigation, shell
from serving import served
from waiting import wait_until

PAGE = str(navigation.PAGES_FOLDER / "workspaces.py")


@pytest.fixture
def page_of(dashboard_settings):
    def opened(key):
        dashboard_settings.setenv("COACHBOARD_API_KEY", key)
        return AppTest.from_file(PAGE, default_timeout=30).run()

    return opened


def texts(at):
    return "\n".join(
        element.value for kind in (at.markdown, at.caption, at.error, at.code) for element in kind
    )


def typed(at, addresses):
    return at.text_input(key="workspaces.addresses").set_value(addresses).run()


def send(at):
    return at.button(key="workspaces.send").click().run()


def test_an_athlete_sees_their_role_and_no_form(page_of):
    at = page_of(squad.ATHLETE_KEY)

    assert "**Squad \\*\\*one\\*\\*** :gray[your role: athlete]" in texts(at)
    assert "Only coaches and admins of a workspace can invite." in texts(at)
    assert "Each invitation that you create" not in texts(at)  # a promise that this key cannot keep
    assert not at.text_input


@pytest.mark.parametrize("key", [squad.COACH_KEY, squad.ADMIN_KEY])
def test_a_coach_and_an_admin_get_the_form(page_of, key):
    assert "Each invitation that you create appears here" in texts(page_of(key))
    assert page_of(key).button(key="workspaces.send").disabled


def test_the_reason_for_no_mail_names_the_setting(page_of, dashboard_settings, tmp_path):
    with closing(Store.open(f"sqlite:///{tmp_path / 'mailing.db'}")) as store:
        squad.seed(store)
        settings = Settings(data=tmp_path, smtp_url="mail.example:587")
        with served(mounted(create_app(store, settings=settings))) as address:
            dashboard_settings.setenv("COACHBOARD_BASE_URL", f"{address}/api")
            at = page_of(squad.COACH_KEY)
            before = [warning.value for warning in at.warning]
            at.checkbox(key="workspaces.mail").check().run()
            (said,) = [warning.value.replace("\\", "") for warning in at.warning]

    assert before == []
    assert said.startswith("E-mails are not sent at present. COACHBOARD_SMTP_URL is wrong: expected smtp:")
    assert said.endswith("Invite without e-mail and pass the codes on.")


def test_before_sending_the_page_names_the_effect(page_of):
    at = typed(page_of(squad.COACH_KEY), "new@example.org, two@example.org")

    assert "Invite 2 people to **Squad \\*\\*one\\*\\*** as athlete" in texts(at)
    assert "No e-mail is sent" in texts(at)
    assert not at.button(key="workspaces.send").disabled


def copyable(at):
    """The texts next to a button that copies them."""
    found = [element.proto for element in at.get("bidi_component")]
    return [
        json.loads(proto.json)["text"] for proto in found if proto.component_name == "coachboard_copy_button"
    ]


def test_an_invalid_address_is_named_and_disables_the_button(page_of):
    at = typed(page_of(squad.COACH_KEY), "new@example.org, nobody")

    assert "“nobody” is not a valid address" in texts(at)
    assert at.button(key="workspaces.send").disabled


def test_the_code_its_expiry_and_a_message_are_shown(page_of):
    at = send(typed(page_of(squad.COACH_KEY), "new@example.org"))

    code, message = copyable(at)
    assert code in message
    assert "Cleo Coach invites you to join Squad **one** as athlete" in message
    assert "left" in texts(at)
    assert at.text_input(key="workspaces.addresses").value == ""


def test_a_second_invitation_is_recognised_as_extended(page_of):
    at = send(typed(page_of(squad.COACH_KEY), "new@example.org"))
    code, _ = copyable(at)
    at = send(typed(at, "NEW@example.org"))

    assert copyable(at)[0] == code
    assert "already pending, extended by two days" in texts(at)
    assert at.dataframe[-1].value["Outcome"].tolist() == ["extended", "created"]


def test_times_are_those_of_the_readers_clock(page_of):
    settings = AppTest.from_file(str(navigation.PAGES_FOLDER / "settings.py"), default_timeout=30)
    page_of(squad.COACH_KEY)
    settings.run().selectbox(key="settings.time_zone").set_value("Pacific/Kiritimati").run()
    at = send(typed(page_of(squad.COACH_KEY), "new@example.org"))
    _, message = copyable(at)

    there = datetime.now(ZoneInfo("Pacific/Kiritimati")).replace(tzinfo=None)
    assert abs(at.dataframe[-1].value["Sent"][0] - there) < timedelta(minutes=5)
    assert f"{at.dataframe[-1].value['Expires'][0]:%H:%M} (UTC+14:00)" in message


def test_an_invitation_has_the_time_of_its_click(page_of, monkeypatch):
    """Hours after the page had opened, an invitation was recorded with the time of the opening."""
    moments = [datetime.now(UTC) - timedelta(hours=3)]
    monkeypatch.setattr(shell, "Clock", partial(Clock, now=lambda: moments[-1]))
    at = typed(page_of(squad.COACH_KEY), "new@example.org")
    moments.append(datetime.now(UTC))
    at = send(at)

    assert at.dataframe[-1].value["Sent"][0] == pytest.approx(
        moments[-1].replace(tzinfo=None), abs=timedelta(minutes=1)
    )


def test_a_rerun_sends_nothing_again(page_of, squad_store):
    at = send(typed(page_of(squad.COACH_KEY), "new@example.org"))
    at.run()
    at.run()

    assert at.dataframe[-1].value["Outcome"].tolist() == ["created"]


def test_the_ledger_is_the_keys_own(page_of):
    send(typed(page_of(squad.COACH_KEY), "new@example.org"))

    other = page_of(squad.ADMIN_KEY)

    assert "No invitations sent from here" in texts(other)
    assert "new@example" not in texts(other)


def test_the_ledger_is_cleared_after_asking(page_of):
    at = send(typed(page_of(squad.COACH_KEY), "new@example.org"))
    at.button(key="workspaces.clear").click().run()
    assert at.dataframe[-1].value["Address"].tolist() == ["new@example.org"]
    at.button(key="workspaces.clear_yes").click().run()

    assert "No invitations sent from here" in texts(at)


def test_a_name_without_end_leaves_room_for_the_rest(page_of, squad_store):
    squad_store.add_workspace("Lo" + "o" * 10_000 + "ng", "long", id=squad.SQUAD)
    at = page_of(squad.COACH_KEY)

    assert len(texts(at)) < 1_000


def test_an_athlete_sees_who_may_read_and_leaves_after_a_question(page_of, squad_store):
    at = page_of(squad.ATHLETE_KEY)
    assert "Who may see my data" in [header.value for header in at.header]
    assert "**Cleo Coach** :gray[coach of Squad \\*\\*one\\*\\*]" in texts(at)
    readers = texts(at).count(":gray[coach of") + texts(at).count(":gray[admin of")
    assert ("This person sees your profile" if readers == 1 else "These people see your profile") in texts(at)

    at = at.button(key=f"workspaces.leave.{squad.SQUAD}").click().run()
    assert "Its coaches and admins no longer see your data." in texts(at)
    at = at.button(key="workspaces.leave_no").click().run()
    assert squad_store.role_in(squad.SQUAD, squad.ANA) == "athlete"
    at = at.button(key=f"workspaces.leave.{squad.SQUAD}").click().run()
    at = at.button(key="workspaces.leave_yes").click().run()

    assert squad_store.role_in(squad.SQUAD, squad.ANA) is None
    assert "Cleo Coach" not in texts(at)
    assert f"workspaces.leave.{squad.SQUAD}" not in [button.key for button in at.button]


def test_the_only_coach_stays_and_sees_why(page_of, squad_store):
    at = page_of(squad.COACH_KEY)
    at = at.button(key=f"workspaces.leave.{squad.SQUAD}").click().run()
    at = at.button(key="workspaces.leave_yes").click().run()

    assert "You are still in" in texts(at)
    assert "only coach or admin" in texts(at)
    assert squad_store.role_in(squad.SQUAD, squad.COACH) == "coach"


def test_the_message_to_copy_has_the_link_of_this_dashboard(page_of, dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_PUBLIC_URL", "https://club.example/")
    at = send(typed(page_of(squad.COACH_KEY), "new@example.org"))
    code, message = copyable(at)

    assert f"https://club.example/invitation#code={code}\n" in message


@pytest.fixture
def club(squad_store):
    """The club of the admin, with a coach."""
    squad_store.add_member(squad.CLUB, squad.COACH, "coach")
    yield squad_store
    squad_store.remove_member(squad.CLUB, squad.COACH)


def people(at):
    frame = at.dataframe[0].value
    return list(zip(frame["Name"], frame["Role"], strict=True))


def picked(at, user_id):
    return at.selectbox(key="workspaces.person").set_value(user_id).run()


def pressed(at, key):
    return at.button(key=key).click().run()


def test_an_admin_sees_the_people_and_makes_a_coach_admin_after_a_question(page_of, club):
    at = page_of(squad.ADMIN_KEY)
    assert people(at) == [("Ada Admin (you)", "admin"), ("Cleo Coach", "coach"), ("Lou Loner", "athlete")]
    at = pressed(picked(at, squad.COACH), "workspaces.make.admin")
    assert "Make **Cleo Coach** admin of Club?" in texts(at)
    assert club.role_in(squad.CLUB, squad.COACH) == "coach"
    at = pressed(at, "workspaces.person_no")
    assert club.role_in(squad.CLUB, squad.COACH) == "coach"
    at = pressed(pressed(at, "workspaces.make.admin"), "workspaces.person_yes")

    assert club.role_in(squad.CLUB, squad.COACH) == "admin"
    assert people(at)[1] == ("Cleo Coach", "admin")
    assert [toast.value for toast in at.toast] == ["Cleo Coach is admin now."]


def test_the_only_admin_offers_no_change_of_their_role(page_of, club):
    at = page_of(squad.ADMIN_KEY)

    assert squad.ADMIN not in at.selectbox(key="workspaces.person").proto.options
    assert len(at.selectbox(key="workspaces.person").options) == 2


def test_a_coach_offers_the_removal_of_athletes_alone(page_of, club):
    at = page_of(squad.COACH_KEY)
    at = at.selectbox(key="workspaces.workspace").set_value(squad.CLUB).run()
    at = picked(at, squad.LONER)

    assert at.selectbox(key="workspaces.person").options == ["Lou Loner, athlete"]
    keys = [button.key for button in at.button if button.key and button.key.startswith("workspaces.")]
    assert "workspaces.remove" in keys
    assert not [key for key in keys if key.startswith("workspaces.make.")]


def test_a_coach_who_is_removed_meanwhile_sees_no_athlete_on_an_open_page(page_of, club, dashboard_settings):
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    page = AppTest.from_file(str(navigation.PAGES_FOLDER / "athlete.py"), default_timeout=30)
    page.query_params["athlete"] = squad.LONER
    page.run()
    before = texts(page)
    at = picked(page_of(squad.ADMIN_KEY), squad.COACH)
    at = pressed(pressed(at, "workspaces.remove"), "workspaces.person_yes")
    assert "Cleo Coach" not in texts(at)
    assert club.role_in(squad.CLUB, squad.COACH) is None
    dashboard_settings.setenv("COACHBOARD_API_KEY", squad.COACH_KEY)
    refusal = "You can't access that athlete"

    assert refusal not in before
    wait_until(lambda: refusal in texts(page.run()))  # the client asks for changes twice a second at most


def test_a_change_of_another_admin_meanwhile_is_named(page_of, club):
    at = pressed(picked(page_of(squad.ADMIN_KEY), squad.COACH), "workspaces.make.admin")
    club.add_member(squad.CLUB, squad.COACH, "admin")
    at = pressed(at, "workspaces.person_yes")

    assert "Cleo Coach is as before. The data has changed since you opened it." in texts(at)


def test_an_open_invitation_is_corrected_and_revoked(page_of, club):
    at = send(typed(page_of(squad.ADMIN_KEY), "wrogn@example.org"))
    wrong = copyable(at)[0]
    row = club.invitations(squad.CLUB, datetime.now(UTC))[0]
    at = at.selectbox(key="workspaces.open").set_value(row.id).run()
    at = at.text_input(key=f"workspaces.open_email.{row.id}").set_value("nobody").run()
    at = pressed(at, "workspaces.open_save")
    assert "The invitation is as before." in texts(at)
    assert at.text_input(key=f"workspaces.open_email.{row.id}").value == "nobody"
    at = at.text_input(key=f"workspaces.open_email.{row.id}").set_value("right@example.org").run()
    at = pressed(at, "workspaces.open_save")
    (corrected,) = club.invitations(squad.CLUB, datetime.now(UTC))
    assert corrected.email == "right@example.org"
    assert "invited as athlete" in texts(at)
    assert club.invitation(copyable(at)[-1], datetime.now(UTC)).email == "right@example.org"
    assert club.invitation(wrong, datetime.now(UTC)) is None
    at = at.selectbox(key="workspaces.open").set_value(corrected.id).run()
    at = pressed(at, "workspaces.open_revoke")

    assert club.invitations(squad.CLUB, datetime.now(UTC)) == []
    assert "No open invitations." in texts(at)
