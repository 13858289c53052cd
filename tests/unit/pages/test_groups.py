"""Which workspace a group of an athlete belongs to."""

import pytest

from coachboard.ui.frame.groups import changes
from coachboard.wire.comments import AthleteGroups


def row(workspace, user, *names):
    return AthleteGroups(workspace_id=workspace, user_id=user, names=names)


ROWS = [
    row("wke_a", "usr_1", "Track"),
    row("wke_b", "usr_1"),
    row("wke_b", "usr_2", "Camp"),
    row("wke_c", "usr_2", "Elite"),
]


@pytest.mark.parametrize(
    ("chosen", "changed"),
    [
        (["Track"], []),
        ([], [row("wke_a", "usr_1")]),
        (["Track", "New"], [row("wke_a", "usr_1", "Track", "New")]),
        (["Track", "Camp"], [row("wke_b", "usr_1", "Camp")]),  # the workspace that has the group
        (["Track", "Elite"], [row("wke_a", "usr_1", "Track", "Elite")]),  # of a workspace without the athlete
    ],
)
def test_a_name_goes_to_the_workspace_that_has_the_group(chosen, changed):
    assert changes(ROWS, "usr_1", chosen) == changed


def test_an_athlete_of_no_workspace_has_no_groups():
    assert changes(ROWS, "usr_3", ["New"]) == []
