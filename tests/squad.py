"""A small squad for tests: three keys, two workspaces, and names that try to be more than text."""

from datetime import date

from coachboard.service.store import NewUser, Store
from coachboard.wire.enums import Gender, WorkspaceRole

COACH_KEY, ATHLETE_KEY, ADMIN_KEY = "demo-coach-key", "demo-athlete-key", "demo-admin-key"
COACH, ANA, BEN, ADMIN, LONER = "usr_coach", "usr_ana", "usr_ben", "usr_admin", "usr_loner"
SQUAD, CLUB = "wke_squad", "wke_club"
HOSTILE_NAME = "Ben ![x](https://tracker.example/p.png) <b>bold</b>"
PEOPLE = {
    COACH: ("Cleo", "Coach"),
    ANA: ("Ana", "Li"),
    BEN: (HOSTILE_NAME, "=1+1"),
    ADMIN: ("Ada", "Admin"),
    LONER: ("Lou", "Loner"),
}
MEMBERS = (
    (SQUAD, COACH, WorkspaceRole.COACH),
    (SQUAD, ANA, WorkspaceRole.ATHLETE),
    (SQUAD, BEN, WorkspaceRole.ATHLETE),
    (CLUB, ADMIN, WorkspaceRole.ADMIN),
    (CLUB, LONER, WorkspaceRole.ATHLETE),
)


def seed(store: Store) -> None:
    """People, workspaces and keys; no training, so that pages show their empty state."""
    for user_id, (first, last) in PEOPLE.items():
        store.add_user(
            NewUser(
                id=user_id,
                first_name=first,
                last_name=last,
                date_of_birth=date(1990, 1, 1),
                gender=Gender.FEMALE,
                height=170,
            )
        )
    store.add_workspace("Squad **one**", "squad-one", id=SQUAD)
    store.add_workspace("Club", "club", id=CLUB)
    for workspace_id, user_id, role in MEMBERS:
        store.add_member(workspace_id, user_id, role)
    for user_id, key in ((COACH, COACH_KEY), (ANA, ATHLETE_KEY), (ADMIN, ADMIN_KEY)):
        store.add_key(user_id, label="test", key=key)
