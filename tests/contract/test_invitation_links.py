"""Accepting an invitation over HTTP: without a key and with one, once, in time, and without a code in a log."""

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count

import httpx
import pytest
import sqlalchemy as sa

from coachboard.service.own_data import account
from coachboard.service.store import RowKind
from contract.test_invitations import mails_to
from seeded import ATHLETE_KEY, CLUB, COACH_KEY, SQUAD, STRANGER, STRANGER_KEY
from waiting import wait_until

OWN = "/own/v1/invitations"
NUMBERS = count()
EVA = {"firstName": "Eva", "lastName": "Novak", "dateOfBirth": "1999-12-31"}


@pytest.fixture(autouse=True)
def unlimited(monkeypatch):
    """Wrong codes of the other tests of this process do not count."""
    monkeypatch.setattr(account.Throttle, "wait_s", lambda *_: 0.0)
    monkeypatch.setattr(account.Throttle, "note_failure", lambda *_: None)


@pytest.fixture
def code(ask):
    """The code of a new invitation of the coach to the squad."""
    return invited(ask)["code"]


def invited(ask, **more):
    body = {"email": f"link{next(NUMBERS)}@example.org", "role": "athlete", **more}
    return ask(f"/workspaces/{SQUAD}/invitations", method="POST", json=body).json()


def post(ask, path, body, key=None):
    return ask(f"{OWN}/{path}", key=key, method="POST", json=body)


def members(service, workspace_id=SQUAD):
    return {member.user_id: member.role for member in service.store.members(workspace_id)}


def test_a_code_names_workspace_role_and_inviter_without_a_key(ask, service):
    invitation = invited(ask, role="coach")
    reply = post(ask, "look-up", {"code": f" {invitation['code']}\n"})

    assert reply.status_code == 200
    assert reply.json() == {
        "workspaceId": SQUAD,
        "workspace": "Squad",
        "role": "coach",
        "inviter": "Carla Coach",
        "expiresAt": invitation["expiresAt"],
    }
    assert reply.headers["cache-control"] == "private, no-store"


def test_a_new_person_gets_a_membership_and_a_key(ask, service, code):
    reply = post(ask, "accept", {"code": code, **EVA})
    accepted = reply.json()

    assert reply.status_code == 201
    assert reply.headers["cache-control"] == "private, no-store"
    assert members(service)[accepted["userId"]] == "athlete"
    profile = ask("/users/me", key=accepted["key"]).json()
    assert {name: profile[name] for name in EVA} == EVA
    assert [row["slug"] for row in profile["workspaces"]] == ["squad"]
    assert accepted["userId"] in {row["id"] for row in ask("/users").json()}


def test_the_owner_of_a_key_joins_and_gets_no_other_key(ask, service, code):
    people = len(service.store.users())
    try:
        reply = post(ask, "accept", {"code": code}, key=STRANGER_KEY)
        assert (reply.status_code, reply.json()["key"], reply.json()["userId"]) == (201, None, STRANGER)
        assert members(service)[STRANGER] == "athlete"
        assert len(service.store.users()) == people
    finally:
        service.store.remove_member(SQUAD, STRANGER)


def test_a_member_keeps_role_and_the_invitation_stays(ask, service, code):
    for key in (COACH_KEY, ATHLETE_KEY):
        before = members(service)
        reply = post(ask, "accept", {"code": code}, key=key)
        assert (reply.status_code, reply.json()["code"]) == (409, "conflict")
        assert members(service) == before
    assert post(ask, "look-up", {"code": code}).status_code == 200


def test_a_wrong_key_is_refused_although_none_is_needed(ask, code):
    assert post(ask, "accept", {"code": code, **EVA}, key="wrong").status_code == 401
    assert post(ask, "look-up", {"code": code}).status_code == 200


def test_a_code_works_once_also_for_many_at_the_same_time(ask, service, code):
    people = len(service.store.users())
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: post(ask, "accept", {"code": code, **EVA}), range(8)))

    assert sorted(reply.status_code for reply in replies) == [201] + [410] * 7
    assert {reply.json()["code"] for reply in replies if reply.status_code == 410} == {"invitation_used"}
    assert len(service.store.users()) == people + 1
    assert post(ask, "look-up", {"code": code}).json()["code"] == "invitation_used"


def test_expired_used_and_unknown_codes_differ(ask, service, code):
    post(ask, "accept", {"code": code, **EVA})
    late = invited(ask)["code"]
    service.clock.now += timedelta(days=7).total_seconds()
    try:
        expired = post(ask, "accept", {"code": late, **EVA})
    finally:
        service.clock.now -= timedelta(days=7).total_seconds()
    used, unknown = (post(ask, "accept", {"code": one, **EVA}) for one in (code, "x" * 32))

    assert [(reply.status_code, reply.json()["code"]) for reply in (expired, used, unknown)] == [
        (410, "invitation_expired"),
        (410, "invitation_used"),
        (404, "invitation_unknown"),
    ]
    assert len({reply.json()["error"] for reply in (expired, used, unknown)}) == 3


def test_a_used_invitation_is_replaced_by_a_new_one(ask, service):
    first = invited(ask)
    post(ask, "accept", {"code": first["code"], **EVA})
    second = invited(ask, email=first["email"])

    assert second["code"] != first["code"]
    assert post(ask, "look-up", {"code": second["code"]}).status_code == 200
    assert post(ask, "look-up", {"code": first["code"]}).status_code == 404


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"firstName": ""},
        {"firstName": " \u202e\n"},
        {"firstName": "x" * 101},
        {"firstName": "Eva", "dateOfBirth": "31.12.1999"},
        {"firstName": "Eva", "role": "admin"},
        {"firstName": "Eva", "userId": "usr_coach"},
    ],
)
def test_a_wrong_name_or_day_uses_no_invitation(ask, code, more):
    assert post(ask, "accept", {"code": code, **more}).status_code == 400
    assert post(ask, "look-up", {"code": code}).status_code == 200


def test_a_name_is_one_line_of_visible_text(ask, service, code):
    names = {"firstName": "Eva\n\u202eBcc: x", "lastName": "\u200b "}
    accepted = post(ask, "accept", {"code": code, **names}).json()
    profile = ask("/users/me", key=accepted["key"]).json()

    assert (profile["firstName"], profile["lastName"]) == ("Eva Bcc: x", None)


def test_a_persian_name_keeps_the_joiners_that_shape_it(ask, code):
    accepted = post(ask, "accept", {"code": code, "firstName": "علی\u200cرضا"}).json()

    assert ask("/users/me", key=accepted["key"]).json()["firstName"] == "علی\u200cرضا"


def test_the_database_has_neither_code_nor_key(ask, service):
    invitation = invited(ask)
    key = post(ask, "accept", {"code": invitation["code"], **EVA}).json()["key"]
    pending = invited(ask)
    engine = sa.create_engine(service.store.url)
    with engine.connect() as connection:
        for table in ("invitations", "keys", "users", "members", "queued_mails"):
            rows = connection.exec_driver_sql(f"SELECT * FROM {table}").all()
            for secret in (invitation["code"], pending["code"], key):
                assert secret not in repr(rows)
    engine.dispose()


def test_guessing_is_limited_per_address_and_logged_without_the_code(service, code, monkeypatch, caplog):
    monkeypatch.undo()
    guess = "guess-" + "x" * 26
    # From another address than the tests after this one, which would be refused for a minute too.
    transport = httpx.HTTPTransport(local_address="127.0.0.2")
    with httpx.Client(base_url=service.base_url, transport=transport) as other, caplog.at_level(logging.INFO):
        replies = [other.post(f"{OWN}/look-up", json={"code": guess}) for _ in range(account.WRONG_CODES + 1)]
        refused = other.post(f"{OWN}/accept", json={"code": code, **EVA})

    assert [reply.status_code for reply in replies] == [404] * account.WRONG_CODES + [429]
    assert 0 < int(replies[-1].headers["retry-after"]) <= 60
    assert refused.status_code == 429
    lines = [record.getMessage() for record in caplog.records if "invitation code" in record.getMessage()]
    assert lines == ["A wrong invitation code came from 127.0.0.2"] * account.WRONG_CODES
    assert guess not in caplog.text


def test_a_code_in_the_address_is_no_route(ask, code):
    for path in (f"{OWN}/{code}", f"{OWN}/look-up?code={code}"):
        assert ask(path, key=None).status_code in {404, 405}


def test_the_mail_has_a_link_with_the_code_in_its_fragment(ask, service, monkeypatch):
    """Without COACHBOARD_PUBLIC_URL the mail has no link; `test_mail.py` has the one with it."""
    invitation = invited(ask, sendInvitationEmail=True)
    wait_until(lambda: mails_to(service, invitation["email"]))
    (mail,) = mails_to(service, invitation["email"])

    assert "Carla Coach invites you to the workspace Squad as athlete." in mail.get_content()
    assert "://" not in mail.get_content()


def test_an_invitation_of_a_removed_inviter_is_valid(ask, service):
    from coachboard.service.store import PendingInvitation  # noqa: PLC0415

    now = datetime.fromtimestamp(service.clock.now, UTC)
    asked = PendingInvitation(
        CLUB, "gone@example.org", "gone@example.org", "athlete", now, now + timedelta(1), "usr_gone"
    )
    invitation = service.store.invite(asked)

    assert post(ask, "look-up", {"code": invitation.code}).json()["inviter"] is None


def test_a_new_person_has_no_rows_of_another(ask, service, code):
    accepted = post(ask, "accept", {"code": code, **EVA}).json()

    assert ask("/users", key=accepted["key"]).json() == []
    assert service.store.row_bodies(RowKind.ACTIVITIES, accepted["userId"]) == []
    assert ask("/users/usr_ana", key=accepted["key"]).status_code == 404
