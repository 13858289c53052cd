"""The size of a squad, its last day and its seed, and its people, their workspaces and keys: all of it but their rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import Any

from coachboard.service.store import NewUser, Store
from coachboard.wire.enums import WorkspaceRole
from coachboard.wire.users import UserMetricReadiness
from coachboard_demo.chance import new_id
from coachboard_demo.squad import ADMIN, COACH, DemoAthlete, squad_of

DEFAULT_ATHLETES, DEFAULT_YEARS, DEFAULT_SEED = 24, 1.5, 1
NOON = 12.0


@dataclass(frozen=True, slots=True)
class Size:
    """The number of people, the span of their data and the last day."""

    today: date
    athletes: int = DEFAULT_ATHLETES
    years: float = DEFAULT_YEARS
    seed: int = DEFAULT_SEED
    utc_hour: float = NOON  # the hour of `today` at which sessions and nights end; may be below 0 or above 24

    @property
    def now_s(self) -> float:
        """Seconds since 1970 at which the data end."""
        return datetime.combine(self.today, time(), UTC).timestamp() + self.utc_hour * 3600

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> "Size":
        """The size that was stored as JSON."""
        return cls(**raw | {"today": date.fromisoformat(raw["today"])})


def utc_hour_of(now: datetime, today: date) -> float:
    """The hour of the reader's today that it is now, in UTC."""
    midnight = datetime.combine(today, time(), UTC)
    return round((now - midnight).total_seconds() / 3600, 2)


KEYS = ("demo-coach-key", "demo-athlete-key", "demo-admin-key")
_OWNERS = ("coach", "climber", "admin")
SQUAD_ID = new_id("wke", "squad")
_ALTITUDE_GROUP = ("climber", "marathoner", "triathlete", "skier", "rare", "overreached")


def user_id(key: str) -> str:
    """The id of the person of that key."""
    return new_id("usr", key)


def people_of(size: Size) -> list[DemoAthlete]:
    """The coach, the admin, then the athletes."""
    return [replace(each, seed=size.seed) for each in (COACH, ADMIN, *squad_of(size.athletes))]


def add_people(store: Store, size: Size) -> None:
    """Write the people themselves."""
    for person in people_of(size):
        store.add_user(user_of(person, size.today))


def add_keys(store: Store) -> None:
    """Give their owners the demo keys."""
    there = labels_of(store)
    for key, owner in zip(KEYS, _OWNERS, strict=True):
        if key not in there:
            store.add_key(user_id(owner), label=key, key=key)


def labels_of(store: Store, *, in_use: bool = False) -> set[str]:
    """The labels of all keys, as a revoked key does not come back, or of those in use; a demo key by its own text."""
    keys = store.keys()
    return {key.label for key in keys if not (in_use and key.revoked_at)}


def add_workspaces(store: Store, people: Sequence[DemoAthlete]) -> None:
    """Put the people into two workspaces, some of them into both."""
    squad = store.add_workspace("Coachboard squad", "coachboard-squad", id=SQUAD_ID)
    group = store.add_workspace("Altitude group", "altitude-group", id=new_id("wke", "altitude"))
    store.add_member(squad, user_id("coach"), WorkspaceRole.COACH)
    store.add_member(squad, user_id("admin"), WorkspaceRole.ATHLETE)
    store.add_member(group, user_id("admin"), WorkspaceRole.ADMIN)
    store.add_member(group, user_id("coach"), WorkspaceRole.ATHLETE)
    for person in people[2:]:
        store.add_member(squad, user_id(person.key), WorkspaceRole.ATHLETE)
        if person.key in _ALTITUDE_GROUP:
            store.add_member(group, user_id(person.key), WorkspaceRole.ATHLETE)


def user_of(athlete: DemoAthlete, today: date) -> NewUser:
    """The person as the store keeps them."""
    ready = athlete.readiness
    return NewUser(
        id=user_id(athlete.key),
        first_name=athlete.first_name,
        last_name=athlete.last_name,
        date_of_birth=athlete.born(today),
        gender=athlete.gender,
        height=athlete.height_cm,
        data_onboarding_status=athlete.status,
        user_metric_readiness=None
        if ready is None
        else UserMetricReadiness(
            has_service_cycling_critical_power=ready[0],
            has_service_running_critical_power=ready[1],
            has_service_running_critical_speed=ready[2],
        ),
    )
