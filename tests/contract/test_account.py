"""The caller's own keys and memberships over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from coachboard.service.store import NewUser
from coachboard.service.store.keys import digest_of
from coachboard.wire.enums import WorkspaceRole
from seeded import ADMIN, ADMIN_KEY, ATHLETE, ATHLETE_KEY, CLUB, COACH, COACH_KEY, SQUAD
from waiting import wait_until

OWN = "/own/v1"
EVA, EVA_KEY = "usr_eva", "key-of-eva"


@pytest.fixture
def eva(service):
    """A person of the squad, for one test."""
    service.store.add_user(NewUser(first_name="Eva", id=EVA))
    service.store.add_key(EVA, label="first", key=EVA_KEY)
    service.store.add_member(SQUAD, EVA, WorkspaceRole.ATHLETE)
    yield EVA_KEY
    service.store.remove_user(EVA)


@pytest.fixture
def own(ask):
    def send(method, path, *, key=EVA_KEY, **more):
        return ask(f"{OWN}{path}", key=key, method=method, **more)

    return send


def test_a_key_is_created_named_used_and_revoked(eva, own, ask, service):
    created = own("POST", "/keys", json={"label": "watch"})
    assert (created.status_code, created.headers["cache-control"]) == (201, "private, no-store")
    key, row = created.json()["key"], created.json()["row"]
    assert (row["label"], row["lastUsedAt"], row["expiresAt"], row["isCurrent"]) == (
        "watch",
        None,
        None,
        False,
    )

    assert ask("/users/me", key=key).json()["id"] == EVA
    wait_until(lambda: all(row["lastUsedAt"] for row in own("GET", "/keys").json()))
    named = own("PATCH", f"/keys/{row['id']}", json={"label": "old\nwatch"}).json()
    assert named["label"] == "old watch"
    assert {(row["label"], row["isCurrent"]) for row in own("GET", "/keys").json()} == {
        ("first", True),
        ("old watch", False),
    }
    assert key not in own("GET", "/keys").text

    assert own("DELETE", f"/keys/{row['id']}").status_code == 200
    assert ask("/users/me", key=key).status_code == 401
    assert [row["label"] for row in own("GET", "/keys").json()] == ["first"]
    assert own("DELETE", f"/keys/{row['id']}").status_code == 404


def test_another_persons_key_is_not_found(eva, own, service):
    others = service.store.keys(ATHLETE)[0].id

    assert own("DELETE", f"/keys/{others}").status_code == 404
    assert own("PATCH", f"/keys/{others}", json={"label": "mine"}).status_code == 404
    assert own("GET", "/keys", key=ATHLETE_KEY).status_code == 200


def test_the_last_use_is_written_once_an_hour(eva, own, ask, service):
    wait_until(lambda: own("GET", "/keys").json()[0]["lastUsedAt"])
    first = service.store.keys(EVA)[0].last_used_at
    service.clock.now += 1_800
    ask("/users/me", key=EVA_KEY)
    assert service.store.keys(EVA)[0].last_used_at == first
    service.clock.now += 1_801
    ask("/users/me", key=EVA_KEY)
    wait_until(lambda: service.store.keys(EVA)[0].last_used_at != first)


def test_a_new_key_ends_with_the_key_that_creates_it(eva, own, service):
    now = datetime.fromtimestamp(service.clock.now, UTC).replace(microsecond=0)
    service.store.add_key(EVA, label="short", key="short-key-of-eva", expires_at=now + timedelta(days=2))
    ends = [
        own("POST", "/keys", key=key, json={"label": "x", "expiresInDays": days}).json()["row"]["expiresAt"]
        for key, days in (("short-key-of-eva", 1), ("short-key-of-eva", 30), (EVA_KEY, 30))
    ]
    unlimited = own("POST", "/keys", key="short-key-of-eva", json={"label": "x"}).json()["row"]["expiresAt"]

    days = [round((datetime.fromisoformat(end) - now) / timedelta(days=1), 3) for end in (*ends, unlimited)]
    assert days == [1, 2, 30, 2]


@pytest.mark.parametrize("body", [{}, {"label": ""}, {"label": "\u202e"}, {"label": "x", "expiresInDays": 0}])
def test_a_wrong_label_or_end_is_400(eva, own, body):
    assert own("POST", "/keys", json=body).status_code == 400


def test_an_athlete_sees_who_may_read_and_a_coach_sees_nobody(eva, own, service):
    assert own("GET", "/memberships").json() == [
        {
            "workspaceId": SQUAD,
            "workspace": "Squad",
            "role": "athlete",
            "readers": [{"name": "Carla Coach", "role": "coach"}],
        }
    ]
    coachs = {row["workspaceId"]: row["readers"] for row in own("GET", "/memberships", key=COACH_KEY).json()}
    assert coachs == {CLUB: [{"name": "Ada Admin", "role": "admin"}], SQUAD: []}


def test_an_athlete_who_leaves_a_workspace_is_not_readable(eva, own, ask):
    assert ask(f"/users/{EVA}").status_code == 200
    assert own("DELETE", f"/memberships/{SQUAD}").status_code == 200

    assert ask(f"/users/{EVA}").status_code == 404
    assert own("GET", "/memberships").json() == []
    assert own("DELETE", f"/memberships/{SQUAD}").status_code == 404


def test_a_coach_is_among_the_changed_when_an_athlete_leaves(eva, own):
    """The coach's own client drops its list of athletes."""
    before = own("GET", "/changes?since=0", key=COACH_KEY).json()["stamp"]
    own("DELETE", f"/memberships/{SQUAD}")

    assert COACH in own("GET", f"/changes?since={before}", key=COACH_KEY).json()["changed"]


def test_the_only_coach_of_others_stays(own, service):
    reply = own("DELETE", f"/memberships/{SQUAD}", key=COACH_KEY)

    assert (reply.status_code, reply.json()["code"]) == (409, "conflict")
    assert "coach" in {str(member.role) for member in service.store.members(SQUAD)}


def test_the_only_admin_stays_beside_a_coach(eva, own, service):
    """Nobody could make another admin afterwards."""
    service.store.add_member(CLUB, EVA, WorkspaceRole.COACH)
    reply = own("DELETE", f"/memberships/{CLUB}", key=ADMIN_KEY)
    service.store.remove_member(CLUB, EVA)

    assert (reply.status_code, reply.json()["code"]) == (409, "conflict")
    assert service.store.role_in(CLUB, ADMIN) is WorkspaceRole.ADMIN


def test_a_revoked_key_takes_the_keys_that_it_made_along(eva, own, ask, service):
    """The holder of a stolen key made another one, which stayed valid."""

    def made(key, label):
        reply = own("POST", "/keys", key=key, json={"label": label}).json()
        return reply["key"], reply["row"]

    child, child_row = made(EVA_KEY, "child")
    grandchild, grandchild_row = made(child, "grandchild")
    sister, _ = made(EVA_KEY, "sister")
    first = next(row["id"] for row in own("GET", "/keys").json() if row["label"] == "first")
    assert (child_row["madeBy"], grandchild_row["madeBy"]) == (first, child_row["id"])

    assert own("DELETE", f"/keys/{child_row['id']}").status_code == 200
    assert [ask("/users/me", key=key).status_code for key in (EVA_KEY, sister, child, grandchild)] == [
        200,
        200,
        401,
        401,
    ]
    assert {row["label"] for row in own("GET", "/keys").json()} == {"first", "sister"}
    assert own("POST", "/keys", key=child, json={"label": "late"}).status_code == 401


def test_no_key_is_made_by_one_that_is_revoked_at_the_same_time(eva, own, service):
    maker = service.store.caller(digest_of(EVA_KEY))
    with ThreadPoolExecutor(8) as pool:
        made = [pool.submit(service.store.add_key_of, maker, label=f"{number}") for number in range(20)]
        revoked = pool.submit(service.store.revoke_key, maker.key_id).result()
        texts = [text for future in made if (text := future.result()) is not None]

    assert len(revoked) == len(texts) + 1
    assert [key for key in service.store.keys(EVA) if key.revoked_at is None] == []
