"""The section "Authentication"."""

from datetime import UTC, datetime

import pytest

from seeded import ATHLETE, ATHLETE_KEY, COACH, COACH_KEY, STRANGER


def test_an_invitation_without_a_key_gives_401_before_its_body_is_looked_at(ask):
    """Authentication 1: the key comes before all else that may be wrong with a request."""
    reply = ask("/workspaces/wke_squad/invitations", key=None, method="POST", content=b"{")

    assert reply.status_code == 401


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer unknown",
        COACH_KEY,
        f"Basic {COACH_KEY}",
        f"Token {COACH_KEY}",
        f"Bearer {COACH_KEY}x",
        f"Bearer {COACH_KEY} {COACH_KEY}",
        f"Bearer {COACH_KEY.upper()}",
        "Bearer " + "x" * 5_000,
        "Bearer \xff\xfe",
    ],
)
def test_a_malformed_or_unknown_key_gives_401(ask, header):
    """Authentication 4."""
    reply = ask("/users/me", key=None, headers={"Authorization": header.encode("latin-1")})

    assert (reply.status_code, reply.json()["code"]) == (401, "unauthorized")


def test_two_credentials_give_401(service):
    """Authentication 1: one header is the only location."""
    headers = [("Authorization", f"Bearer {COACH_KEY}"), ("Authorization", f"Bearer {ATHLETE_KEY}")]
    reply = service.client.get("/users/me", headers=headers)

    assert reply.status_code == 401


def test_a_key_in_the_query_gives_401(ask):
    """Authentication 1: the header is the only location."""
    reply = ask(f"/users/me?api_key={COACH_KEY}&access_token={COACH_KEY}", key=None)

    assert reply.status_code == 401


def test_the_name_of_the_scheme_is_read_without_case(ask):
    """Authentication 1, as HTTP has it."""
    reply = ask("/users/me", key=None, headers={"Authorization": f"bearer {COACH_KEY}"})

    assert reply.status_code == 200


@pytest.mark.parametrize(
    "path", ["/nowhere", "/users/usr_nobody", "/users/me/activities?from=yesterday", "/users/"]
)
def test_a_request_without_a_key_gives_401_before_any_other_fault(ask, path):
    """Authentication 4: the key is the first thing that is looked at."""
    assert ask(path, key=None).status_code == 401


def test_me_is_the_owner_of_the_key(ask):
    """Authentication 2."""
    assert ask("/users/me", key=COACH_KEY).json()["id"] == COACH
    assert ask("/users/me", key=ATHLETE_KEY).json()["id"] == ATHLETE


def test_a_coach_reads_their_athletes_and_nobody_else(ask):
    """Authentication 3."""
    assert ask(f"/users/{ATHLETE}").status_code == 200
    assert ask(f"/users/{STRANGER}").status_code == 404


def test_an_athlete_reads_neither_coach_nor_team_mates(ask):
    """Authentication 3: the role of athlete opens nobody's data."""
    assert ask(f"/users/{COACH}", key=ATHLETE_KEY).status_code == 404
    assert ask("/users/usr_ben", key=ATHLETE_KEY).status_code == 404


def test_an_admin_reads_athletes_of_the_workspace_and_not_its_coaches(ask):
    """Authentication 3: the data of athletes, in workspaces where the owner is coach or admin."""
    assert ask(f"/users/{ATHLETE}", key="admin-key-of-tests").status_code == 200
    assert ask("/users/usr_ben", key="admin-key-of-tests").status_code == 404


def test_a_revoked_key_stops_with_the_next_request(ask, service):
    """Authentication 5 leaves revoking open; this service revokes a key at once, for remembered replies too."""
    key = service.store.add_key(ATHLETE, label="to be revoked")
    before = [ask("/users/me", key=key).status_code for _ in range(3)]

    (meant,) = [
        kept for kept in service.store.keys(ATHLETE) if kept.label == "to be revoked" and not kept.revoked_at
    ]
    service.store.revoke_key(meant.id)

    assert before == [200, 200, 200]
    assert ask("/users/me", key=key).status_code == 401


def test_an_expired_key_stops_with_its_moment(ask, service):
    """Authentication 4 and 5: how keys expire is not shown; a key of this service is invalid from its moment on, remembered or not."""
    moment = datetime.fromtimestamp(service.clock.now + 600, UTC)
    key = service.store.add_key(ATHLETE, label="for ten minutes", expires_at=moment)
    before = [ask("/users/me", key=key).status_code for _ in range(3)]

    service.clock.now += 600
    after = ask("/users/me", key=key)

    assert before == [200, 200, 200]
    assert (after.status_code, after.json()["code"]) == (401, "unauthorized")


def test_a_removed_membership_closes_the_data_with_the_next_request(ask, service):
    """Authentication 3: access follows the roles of this moment."""
    before = ask("/users/usr_ben").status_code
    service.store.remove_member("wke_squad", "usr_ben")
    after = ask("/users/usr_ben").status_code
    service.store.add_member("wke_squad", "usr_ben", "athlete")

    assert (before, after, ask("/users/usr_ben").status_code) == (200, 404, 200)
