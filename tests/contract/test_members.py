"""Members of a workspace and invitations to it over HTTP: who sees, changes and removes whom."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, time

import pytest

from coachboard.service.store import NewUser
from coachboard.wire.enums import WorkspaceRole
from contract.test_invitations import mails_to
from contract.test_planning import refused
from seeded import (
    ATHLETE,
    ATHLETE_KEY,
    COACH_KEY,
    STRANGER,
    STRANGER_KEY,
    TODAY,
    prescription,
)
from waiting import wait_until

EVA, EVA_KEY = "usr_eva", "key-of-eva"
HEAD, HEAD_KEY = "usr_head", "key-of-head"
NEWCOMER = "usr_newcomer"
TEAM = "wke_team"
OPEN = f"/plan/v1/workspaces/{TEAM}/invitations"


@pytest.fixture
def team(service):
    """A workspace with an admin, a coach and an athlete, for one test."""
    store = service.store
    store.add_workspace("Team", "team", id=TEAM)
    for user_id, name, key in ((EVA, "Eva", EVA_KEY), (HEAD, "Hedda", HEAD_KEY)):
        store.add_user(NewUser(first_name=name, id=user_id))
        store.add_key(user_id, label="test", key=key)
    store.add_member(TEAM, HEAD, WorkspaceRole.ADMIN)
    store.add_member(TEAM, EVA, WorkspaceRole.COACH)
    store.add_member(TEAM, ATHLETE, WorkspaceRole.ATHLETE)
    yield store
    store.remove_workspace(TEAM)
    for user_id in (EVA, HEAD):
        store.remove_user(user_id)


@pytest.fixture
def people(ask, team):
    """The members by id, as that key sees them."""

    def read(key=HEAD_KEY):
        return {row["userId"]: row for row in ask(f"/plan/v1/workspaces/{TEAM}/members", key=key).json()}

    return read


@pytest.fixture
def change(ask, people):
    """Sends a change of a member with the etag of now."""

    def send(user_id, role=None, *, key=HEAD_KEY, etag=None):
        headers = {"If-Match": f'"{etag or people()[user_id]["etag"]}"'}
        path = f"/plan/v1/workspaces/{TEAM}/members/{user_id}"
        if role is None:
            return ask(path, key=key, method="DELETE", headers=headers)
        return ask(path, key=key, method="PATCH", headers=headers, json={"role": role})

    return send


@pytest.fixture
def invite(ask, team):
    def send(email="new@example.org", role="athlete", key=HEAD_KEY):
        body = {"email": email, "role": role}
        return ask(f"/workspaces/{TEAM}/invitations", key=key, method="POST", json=body).json()

    return send


def test_the_members_are_listed_with_role_and_since_when(people, team):
    rows = people()

    assert [(row["name"], row["role"]) for row in rows.values()] == [
        ("Hedda", "admin"),
        ("Ana Berg", "athlete"),
        ("Eva", "coach"),
    ]
    assert all(row["joinedAt"] for row in rows.values())
    assert {user_id: (row["roles"], row["mayRemove"]) for user_id, row in rows.items()} == {
        HEAD: ([], False),
        EVA: (["admin"], True),
        ATHLETE: (["coach", "admin"], True),
    }


def test_a_coach_removes_athletes_and_changes_no_role(people, change, team):
    assert {user_id: (row["roles"], row["mayRemove"]) for user_id, row in people(EVA_KEY).items()} == {
        HEAD: ([], False),
        EVA: ([], True),
        ATHLETE: ([], True),
    }
    assert refused(change(ATHLETE, "coach", key=EVA_KEY)) == (
        403,
        "Only an admin of the workspace may change roles.",
    )
    assert refused(change(HEAD, key=EVA_KEY))[0] == 403
    assert change(ATHLETE, key=EVA_KEY).status_code == 200
    assert team.role_in(TEAM, ATHLETE) is None


@pytest.mark.parametrize("key", [ATHLETE_KEY, COACH_KEY, STRANGER_KEY])
def test_nobody_else_sees_the_people(ask, team, change, invite, key):
    invitation = invite()
    for path in ("members", "invitations"):
        assert ask(f"/plan/v1/workspaces/{TEAM}/{path}", key=key).status_code == 404
    assert ask("/plan/v1/workspaces/%00/members").status_code == 404
    assert change(EVA, "admin", key=key).status_code == 404
    assert change(EVA, key=key).status_code == 404
    for method, body in (("PATCH", {"role": "coach"}), ("DELETE", None)):
        reply = ask(
            f"{OPEN}/{invitation['id']}", key=key, method=method, json=body, headers={"If-Match": '"x"'}
        )
        assert reply.status_code == 404
    assert team.role_in(TEAM, EVA) is WorkspaceRole.COACH


def test_the_last_admin_is_neither_removed_nor_demoted(change, people, team):
    for role in (None, "coach", "athlete"):
        assert refused(change(HEAD, role)) == (
            409,
            "This person is the only admin of the workspace: make another person admin first.",
        )
    assert change(EVA, "admin").json()["role"] == "admin"
    assert people(EVA_KEY)[HEAD]["mayRemove"]
    assert change(HEAD, "athlete").json()["role"] == "athlete"
    assert team.role_in(TEAM, HEAD) is WorkspaceRole.ATHLETE


def test_of_two_admins_who_demote_each_other_at_once_one_stays(change, people, team):
    change(EVA, "admin")
    etags = {user_id: row["etag"] for user_id, row in people().items()}
    with ThreadPoolExecutor(2) as pool:
        pair = [
            pool.submit(change, HEAD, "coach", key=EVA_KEY, etag=etags[HEAD]),
            pool.submit(change, EVA, "coach", key=HEAD_KEY, etag=etags[EVA]),
        ]
        statuses = sorted(reply.result().status_code for reply in pair)

    assert statuses in ([200, 403], [200, 409])
    assert sorted(team.role_in(TEAM, user_id) for user_id in (HEAD, EVA)) == ["admin", "coach"]


def test_nobody_makes_another_person_an_athlete(change, team):
    """The data of an athlete are read by coaches, so the person accepts an invitation for that."""
    status, text = refused(change(EVA, "athlete"))

    assert status == 403
    assert "invite them as athlete" in text
    assert team.role_in(TEAM, EVA) is WorkspaceRole.COACH


def test_a_coach_who_is_removed_loses_access_at_once(change, ask, team):
    feed = ask(
        "/plan/v1/feeds", key=EVA_KEY, method="POST", json={"workspaceId": TEAM, "busyOnly": False}
    ).json()
    assert ask(f"/users/{ATHLETE}", key=EVA_KEY).status_code == 200
    assert ask(feed["path"], key=None).status_code == 200
    before = ask("/own/v1/changes?since=0", key=EVA_KEY).json()["stamp"]
    assert change(EVA).status_code == 200

    assert ask(f"/users/{ATHLETE}", key=EVA_KEY).status_code == 404
    assert (
        ask(f"/plan/v1/users/{ATHLETE}/entries?from=2026-03-01&to=2026-03-31", key=EVA_KEY).status_code == 404
    )
    assert ask("/users", key=EVA_KEY).json() == []
    assert ask(feed["path"], key=None).status_code == 404
    assert EVA in ask(f"/own/v1/changes?since={before}", key=EVA_KEY).json()["changed"]


LEADERS_CHANGES = {
    "a coach is added": lambda team, *_: team.add_member(TEAM, STRANGER, WorkspaceRole.COACH),
    "a coach becomes admin": lambda team, *_: team.add_member(TEAM, EVA, WorkspaceRole.ADMIN),
    "a coach becomes an athlete": lambda team, *_: team.add_member(TEAM, EVA, WorkspaceRole.ATHLETE),
    "a coach is removed": lambda team, *_: team.remove_member(TEAM, EVA),
    "a coach is deleted": lambda team, *_: team.remove_user(EVA),
    "a coach becomes admin over HTTP": lambda _team, _ask, change, _invite: change(EVA, "admin"),
    "a coach is removed over HTTP": lambda _team, _ask, change, _invite: change(EVA),
    "an athlete becomes coach over HTTP": lambda team, _ask, change, _invite: (
        team.add_member(TEAM, STRANGER, WorkspaceRole.ATHLETE),
        change(STRANGER, "coach"),
    ),
    "a coach leaves": lambda _team, ask, *_: ask(f"/own/v1/memberships/{TEAM}", key=EVA_KEY, method="DELETE"),
    "a coach accepts an invitation": lambda _team, ask, _change, invite: ask(
        "/own/v1/invitations/accept",
        key=STRANGER_KEY,
        method="POST",
        json={"code": invite(role="coach")["code"]},
    ),
    "a new coach accepts an invitation": lambda team, _ask, _change, invite: team.enter_by_invitation(
        invite(role="coach")["code"],
        NewUser(id=NEWCOMER),
        label="test",
        now=datetime.combine(TODAY, time(), UTC),
    ),
}


@pytest.mark.parametrize("name", LEADERS_CHANGES)
def test_the_plan_of_an_athlete_changes_with_each_change_of_a_coach(name, team, ask, change, invite):
    """Entries of an athlete without a coach allow more, so a client reads them again."""
    before = ask("/own/v1/changes?since=0", key=ATHLETE_KEY).json()["stamp"]
    LEADERS_CHANGES[name](team, ask, change, invite)
    look = ask(f"/own/v1/changes?since={before}", key=ATHLETE_KEY).json()
    team.remove_user(NEWCOMER)

    assert (look["changed"], look["plans"]) == ([ATHLETE], [ATHLETE])


@pytest.mark.parametrize("role", ["athlete", None])
def test_the_plan_of_an_athlete_stays_as_other_athletes_come_and_go(role, team, ask):
    team.add_member(TEAM, STRANGER, WorkspaceRole.ATHLETE)
    before = ask("/own/v1/changes?since=0", key=ATHLETE_KEY).json()["stamp"]
    if role is None:
        team.remove_member(TEAM, STRANGER)
    else:
        team.add_member(TEAM, STRANGER, WorkspaceRole.ATHLETE)

    assert ask(f"/own/v1/changes?since={before}", key=ATHLETE_KEY).json()["changed"] == []


def test_an_athlete_whose_only_coach_leaves_may_change_rows_of_nobody(service, ask):
    """The cached entries of the athlete's client allow less."""
    store, path = service.store, "/plan/v1/users/me/entries?from=2026-03-01&to=2026-04-30"
    store.add_workspace("Pair", "pair", id=TEAM)
    for user_id, key in ((EVA, EVA_KEY), (HEAD, HEAD_KEY)):
        store.add_user(NewUser(id=user_id))
        store.add_key(user_id, label="test", key=key)
    store.add_member(TEAM, EVA, WorkspaceRole.ATHLETE)
    store.add_member(TEAM, HEAD, WorkspaceRole.COACH)
    store.put_prescriptions(EVA, [prescription("tpr_of_nobody", TODAY)])
    coached, before = ask(path, key=EVA_KEY).json(), ask("/own/v1/changes", key=EVA_KEY).json()["stamp"]
    store.remove_member(TEAM, HEAD)
    alone, look = ask(path, key=EVA_KEY).json(), ask(f"/own/v1/changes?since={before}", key=EVA_KEY).json()
    store.remove_workspace(TEAM)
    for user_id in (EVA, HEAD):
        store.remove_user(user_id)

    assert ["update" in row["allowed"] for row in (*coached, *alone)] == [False, True]
    assert look["changed"] == [EVA]


def test_invitations_of_a_coach_who_is_removed_end(change, ask, invite):
    """That coach has their codes, and would come back with one of them."""
    of_eva, of_head = invite("a@example.org", "coach", EVA_KEY), invite("b@example.org", "coach")
    change(EVA)
    accepted = [
        ask(
            "/own/v1/invitations/accept", key=EVA_KEY, method="POST", json={"code": invitation["code"]}
        ).status_code
        for invitation in (of_eva, of_head)
    ]

    assert accepted == [404, 201]


@pytest.mark.parametrize("how", ["invites again", "corrects the role"])
def test_a_removed_coach_does_not_come_back_with_the_code_of_another_persons_invitation(
    how, change, ask, invite
):
    """Who repeats or corrects an open invitation gets its code."""
    mine = invite("a@example.org", "coach")
    if how == "invites again":
        code = invite("a@example.org", "coach", EVA_KEY)["code"]
    else:
        (row,) = ask(f"/plan/v1/workspaces/{TEAM}/invitations", key=EVA_KEY).json()
        path = f"/plan/v1/workspaces/{TEAM}/invitations/{row['id']}"
        headers = {"If-Match": f'"{row["etag"]}"'}
        code = ask(path, key=EVA_KEY, method="PATCH", json={"role": "coach"}, headers=headers).json()["code"]
    change(ATHLETE)  # an athlete, who has no code
    (still_open,) = ask(f"/plan/v1/workspaces/{TEAM}/invitations", key=HEAD_KEY).json()
    change(EVA)
    accept = ask("/own/v1/invitations/accept", key=EVA_KEY, method="POST", json={"code": code})

    assert code == mine["code"]
    assert still_open["email"] == "a@example.org"
    assert accept.status_code == 404


def test_an_athlete_sees_who_may_read_their_data_after_each_change(change, ask):
    def readers():
        rows = ask("/own/v1/memberships", key=ATHLETE_KEY).json()
        return [reader for row in rows if row["workspaceId"] == TEAM for reader in row["readers"]]

    assert {reader["name"]: reader["role"] for reader in readers()} == {"Eva": "coach", "Hedda": "admin"}
    change(EVA)
    assert {reader["name"]: reader["role"] for reader in readers()} == {"Hedda": "admin"}


def test_a_change_of_a_member_needs_the_etag_of_now(ask, change, people):
    path = f"/plan/v1/workspaces/{TEAM}/members/{EVA}"
    assert ask(path, key=HEAD_KEY, method="DELETE").status_code == 428
    seen = people()[EVA]["etag"]
    assert change(EVA, "admin").headers["etag"] == f'"{people()[EVA]["etag"]}"'
    stale = change(EVA, etag=seen)

    assert refused(stale)[0] == 412
    assert stale.json()["current"]["role"] == "admin"
    assert change("usr_nobody", etag="x").status_code == 404


def test_since_when_stays_when_a_role_changes(change, people, service):
    since = people()[EVA]["joinedAt"]
    change(EVA, "admin")

    assert people()[EVA]["joinedAt"] == since


def correct(ask, row, key=HEAD_KEY, **body):
    return ask(
        f"{OPEN}/{row['id']}", key=key, method="PATCH", json=body, headers={"If-Match": f'"{row["etag"]}"'}
    )


def test_open_invitations_are_listed_without_their_codes_and_revoked(ask, invite, service):
    made = invite(key=EVA_KEY)
    (row,) = ask(OPEN, key=HEAD_KEY).json()

    assert (row["email"], row["role"], row["inviter"], row["isExpired"]) == (
        "new@example.org",
        "athlete",
        "Eva",
        False,
    )
    assert made["code"] not in repr(row)
    path = f"{OPEN}/{row['id']}"
    assert ask(path, key=HEAD_KEY, method="DELETE").status_code == 428
    assert ask(path, key=HEAD_KEY, method="DELETE", headers={"If-Match": '"old"'}).status_code == 412
    assert (
        ask(path, key=HEAD_KEY, method="DELETE", headers={"If-Match": f'"{row["etag"]}"'}).status_code == 200
    )
    looked = ask("/own/v1/invitations/look-up", key=None, method="POST", json={"code": made["code"]})
    assert looked.status_code == 404
    assert ask(OPEN, key=HEAD_KEY).json() == []


def test_the_role_of_an_invitation_is_corrected_and_its_code_stays(ask, invite, team):
    made = invite()
    (row,) = ask(OPEN, key=HEAD_KEY).json()
    corrected = correct(ask, row, role="coach").json()

    assert (corrected["role"], corrected["code"], corrected["expiresAt"]) == (
        "coach",
        made["code"],
        made["expiresAt"],
    )
    accepted = ask("/own/v1/invitations/accept", key=COACH_KEY, method="POST", json={"code": made["code"]})
    assert accepted.json()["role"] == "coach"
    assert correct(ask, row, role="athlete").status_code == 404
    assert ask(OPEN, key=HEAD_KEY).json() == []


def test_the_address_of_an_invitation_is_corrected_with_another_code_and_a_mail(ask, invite, service):
    made = invite("wrogn@example.org", "coach")
    (row,) = ask(OPEN, key=HEAD_KEY).json()
    assert refused(correct(ask, row, email="nobody"))[0] == 400
    corrected = correct(ask, row, email="right@example.org", sendInvitationEmail=True).json()

    assert (corrected["email"], corrected["role"]) == ("right@example.org", "coach")
    assert corrected["code"] != made["code"]
    codes = {code: ask("/own/v1/invitations/look-up", key=None, method="POST", json={"code": code}).status_code
             for code in (made["code"], corrected["code"])}  # fmt: skip
    assert codes == {made["code"]: 404, corrected["code"]: 200}
    wait_until(lambda: mails_to(service, "right@example.org"))
    (mail,) = mails_to(service, "right@example.org")
    assert corrected["code"] in mail.get_content()
    assert [each["email"] for each in ask(OPEN, key=HEAD_KEY).json()] == ["right@example.org"]


def test_an_expired_invitation_is_corrected_with_another_code(ask, invite, service):
    made = invite()
    service.clock.now += 8 * 86_400
    (row,) = ask(OPEN, key=HEAD_KEY).json()
    assert row["isExpired"]
    corrected = correct(ask, row, role="coach").json()

    assert (corrected["isExpired"], corrected["role"]) == (False, "coach")
    assert corrected["code"] != made["code"]
