"""The section "States and transitions" and rule 10 of "Endpoints"."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from itertools import count, pairwise

import pytest

from coachboard.wire.users import WorkspaceInvitation
from seeded import ADMIN_KEY, ATHLETE_KEY, STRANGER_KEY
from waiting import wait_until

NUMBERS = count()
SQUAD = "/workspaces/wke_squad/invitations"


@pytest.fixture
def email():
    """An address that no test has invited yet."""
    return f"new{next(NUMBERS)}@example.org"


@pytest.fixture
def invite(ask, email):
    def send(path=SQUAD, **more):
        body = {"email": email, "role": "athlete", **more.pop("body", {})}
        return ask(path, method="POST", json=body, **more)

    return send


def test_an_invitation_carries_a_code_and_an_expiry(invite, email, service):
    """Rule 10; the names of its fields and the seven days are choices of this project."""
    reply = invite()
    invitation = WorkspaceInvitation.from_wire(reply.json())

    assert reply.status_code == 200
    assert (invitation.email, invitation.role, invitation.workspace_id) == (email, "athlete", "wke_squad")
    assert len(invitation.code) >= 32
    assert invitation.expires_at == datetime.fromtimestamp(service.clock.now, UTC) + timedelta(days=7)


def test_a_second_invitation_gives_the_same_code_two_days_longer(invite):
    """The pending one is extended and given back; none is created."""
    first = WorkspaceInvitation.from_wire(invite().json())
    second = WorkspaceInvitation.from_wire(invite().json())

    assert second.expires_at - first.expires_at == timedelta(days=2)
    assert second.model_copy(update={"expires_at": first.expires_at}) == first


def test_no_repeat_extends_an_invitation_beyond_the_calendar(invite, service, monkeypatch):
    """Two days more with each repeat end in a year that no client can read, and then in one that Python cannot write."""
    monkeypatch.setattr(service.clock, "now", datetime(2199, 12, 23, tzinfo=UTC).timestamp())
    found = [WorkspaceInvitation.from_wire(invite().json()) for _ in range(3)]

    assert [one.expires_at.date().isoformat() for one in found] == ["2199-12-30", "2199-12-31", "2199-12-31"]
    assert len({one.code for one in found}) == 1


def test_case_does_not_make_another_address(invite, email):
    """One pending invitation for each workspace and address."""
    first, second = invite(), invite(body={"email": email.upper()})

    assert first.json()["code"] == second.json()["code"]


def test_a_second_invitation_keeps_the_role_of_the_first(invite):
    """Not shown in the document: the existing invitation is returned as it is."""
    first, second = invite(), invite(body={"role": "coach"})

    assert (second.json()["role"], second.json()["code"]) == ("athlete", first.json()["code"])


def test_another_workspace_gives_another_invitation(invite):
    """Pending for an email in a workspace."""
    first = invite()
    other = invite("/workspaces/wke_club/invitations", key=ADMIN_KEY)

    assert first.json()["code"] != other.json()["code"]


def test_an_expired_invitation_is_pending_no_more(invite, service):
    """Not shown in the document: a new code takes its place."""
    first = invite().json()
    service.clock.now += timedelta(days=7).total_seconds()
    second = invite().json()
    service.clock.now -= timedelta(days=7).total_seconds()

    assert second["code"] != first["code"]
    assert second["expiresAt"] > first["expiresAt"]


def test_many_invitations_at_once_are_one(invite):
    """One code, and each repeat adds its two days."""
    with ThreadPoolExecutor(8) as pool:
        replies = [reply.json() for reply in pool.map(lambda _: invite(), range(16))]
    ends = sorted(WorkspaceInvitation.from_wire(reply).expires_at for reply in replies)

    assert len({reply["code"] for reply in replies}) == 1
    assert {later - earlier for earlier, later in pairwise(ends)} == {timedelta(days=2)}


@pytest.mark.parametrize("key", [ATHLETE_KEY, STRANGER_KEY, ADMIN_KEY])
def test_only_coach_or_admin_of_the_workspace_may_invite(invite, ask, key):
    """Rule 10: 404 where the caller is neither, as where there is no such workspace."""
    out_of_reach, absent = invite(key=key), invite("/workspaces/wke_nowhere/invitations", key=key)

    assert (out_of_reach.status_code, absent.status_code) == (404, 404)
    assert out_of_reach.json() == absent.json()


def test_an_id_that_could_be_none_gives_404(invite):
    """Rule 10."""
    assert invite("/workspaces/a%00b/invitations").status_code == 404


def test_the_workspace_is_looked_at_before_the_body(ask):
    """Not shown in the document: 404 before 400."""
    reply = ask("/workspaces/wke_club/invitations", method="POST", content=b"{")

    assert reply.status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"new@example.org"',
        b"{}",
        b'{"email":"new@example.org"}',
        b'{"role":"coach"}',
        b'{"email":"new@example.org","role":"admin"}',
        b'{"email":"new@example.org","role":"Coach"}',
        b'{"email":null,"role":"coach"}',
        b'{"email":5,"role":"coach"}',
        b'{"email":"","role":"coach"}',
        b'{"email":"nobody","role":"coach"}',
        b'{"email":"a@b@c.org","role":"coach"}',
        b'{"email":"a@example.org\\r\\nBcc: b@example.org","role":"coach"}',
        b'{"email":"a\\u0000@example.org","role":"coach"}',
        b'{"email":"=?utf-8?q?=0d=0aBcc=3ab?=@example.org","role":"coach","sendInvitationEmail":true}',
        b'{"email":"new@example.org","role":"coach","sendInvitationEmail":"true"}',
        b'{"email":"new@example.org","role":"coach","sendInvitationEmail":1}',
        b'{"email":"new@example.org","role":"coach","sendInvitationEmail":null}',
        b'{"email":"new@example.org","role":"coach","send_invitation_email":true}',
        b'{"email":"new@example.org","role":"coach","message":"hello"}',
        b"\xff\xfe",
        b"[" * 10_000,
    ],
)
def test_an_invalid_body_or_unknown_field_gives_400(ask, body):
    """ "Errors": invalid request; objects are closed."""
    reply = ask(SQUAD, method="POST", content=body)

    assert (reply.status_code, reply.json()["code"]) == (400, "bad_request")
    assert set(reply.json()) == {"code", "error"}


@pytest.mark.parametrize("is_chunked", [False, True])
def test_an_oversized_body_gives_413(ask, is_chunked):
    """Not shown in the document: more than any request of sense needs."""
    body = b"x" * 200_000
    reply = ask(SQUAD, method="POST", content=iter([body, body]) if is_chunked else body)

    assert (reply.status_code, reply.json()["code"]) == (413, "payload_too_large")


def test_the_code_is_mailed_only_when_asked_for(invite, email, service):
    """Rule 10: when `sendInvitationEmail` is true the code is emailed to the invitee, on a repeat too."""
    invite()
    asked = invite(body={"sendInvitationEmail": True}).json()
    wait_until(lambda: mails_to(service, email))

    (mail,) = mails_to(service, email)
    assert asked["code"] in mail.get_content()
    assert "Squad" in mail["Subject"]


def mails_to(service, email):
    mails = [
        message_from_bytes(path.read_bytes(), policy=policy.default) for path in service.outbox.glob("*.eml")
    ]
    return [mail for mail in mails if mail["To"] == email]
