"""Groups over real HTTP: shared by the coaches of a workspace, unknown to everybody else, gone with the membership."""

import pytest

from coachboard.wire.comments import AthleteGroups
from coachboard.wire.enums import WorkspaceRole
from seeded import (
    ADMIN,
    ADMIN_KEY,
    ATHLETE,
    ATHLETE_KEY,
    CLUB,
    COACH_KEY,
    OTHER_ATHLETE,
    SQUAD,
    STRANGER_KEY,
)


@pytest.fixture
def group(ask):
    """Sets the groups of an athlete; all are empty again at the end."""

    def put(names, user_id=ATHLETE, workspace_id=SQUAD, key=COACH_KEY):
        path = f"/plan/v1/workspaces/{workspace_id}/athletes/{user_id}/groups"
        return ask(path, key=key, method="PUT", json={"names": names})

    yield put
    for user_id in (ATHLETE, OTHER_ATHLETE):
        put([], user_id)
    put([], workspace_id=CLUB, key=ADMIN_KEY)


def groups(ask, key=COACH_KEY):
    rows = [AthleteGroups.from_wire(row) for row in ask("/plan/v1/groups", key=key).json()]
    return {(row.workspace_id, row.user_id): row.names for row in rows}


def test_the_coaches_of_a_workspace_share_its_groups(service, ask, group):
    assert group(["Track", " Juniors ", "Track"]).json()["names"] == ["Juniors", "Track"]
    group(["Club"], workspace_id=CLUB, key=ADMIN_KEY)

    assert groups(ask)[SQUAD, ATHLETE] == ("Juniors", "Track")
    assert groups(ask)[SQUAD, OTHER_ATHLETE] == ()
    assert {workspace_id for workspace_id, _ in groups(ask)} == {SQUAD}
    assert groups(ask, ADMIN_KEY)[CLUB, ATHLETE] == ("Club",)
    service.store.add_member(SQUAD, ADMIN, WorkspaceRole.COACH)
    try:
        assert groups(ask, ADMIN_KEY)[SQUAD, ATHLETE] == ("Juniors", "Track")
    finally:
        service.store.remove_member(SQUAD, ADMIN)
    assert (SQUAD, ATHLETE) not in groups(ask, ADMIN_KEY)
    assert groups(ask, ATHLETE_KEY) == {}


@pytest.mark.parametrize("key", [ATHLETE_KEY, ADMIN_KEY, STRANGER_KEY])
def test_nobody_else_sets_groups(group, key):
    assert group(["Mine"], key=key).status_code == 404


@pytest.mark.parametrize(
    ("names", "status"), [(["x" * 31], 400), ([""], 400), (["\u202e"], 400), (list("abcdefghi"), 400)]
)
def test_impossible_names_are_refused(ask, group, names, status):
    assert group(names).status_code == status
    assert groups(ask)[SQUAD, ATHLETE] == ()


def test_groups_end_with_the_membership(service, ask, group):
    group(["Juniors"], OTHER_ATHLETE)
    service.store.remove_member(SQUAD, OTHER_ATHLETE)
    service.store.add_member(SQUAD, OTHER_ATHLETE, WorkspaceRole.ATHLETE)

    assert groups(ask)[SQUAD, OTHER_ATHLETE] == ()
