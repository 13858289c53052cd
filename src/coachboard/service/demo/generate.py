"""All of it, athlete by athlete: nothing of one is kept when the next begins."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta

from coachboard.models.enums import WorkspaceRole
from coachboard.models.users import UserMetricReadiness
from coachboard.service.demo import agenda, body
from coachboard.service.demo.athlete import Athlete
from coachboard.service.demo.chance import new_id
from coachboard.service.demo.life import life_of
from coachboard.service.demo.season import weeks_of
from coachboard.service.demo.squad import ADMIN, COACH, squad_of
from coachboard.service.demo.training import Diary, plan_of, train
from coachboard.service.store import NewUser, Store, StreamRecipe

MAKER = "demo"
DEFAULT_ATHLETES, DEFAULT_YEARS, DEFAULT_SEED = 24, 1.5, 1
KEYS = ("demo-coach-key", "demo-athlete-key", "demo-admin-key")
_AHEAD = timedelta(weeks=8)
_ALTITUDE_GROUP = ("climber", "marathoner", "triathlete", "skier", "rare", "overreached")
_AT_ONCE = 400


@dataclass(frozen=True, slots=True)
class Size:
    """How much to make."""

    today: date
    athletes: int = DEFAULT_ATHLETES
    years: float = DEFAULT_YEARS
    seed: int = DEFAULT_SEED


def ensure_demo(store: Store, *, today: date) -> None:
    """Fill an empty database with the default squad and the demo keys."""
    if not store.users():
        generate(store, Size(today))
        for key, owner in zip(KEYS, ("coach", "climber", "admin"), strict=True):
            store.add_key(user_id(owner), label=key, key=key)


def user_id(key: str) -> str:
    """The id of the person of that key."""
    return new_id("usr", key)


def generate(store: Store, size: Size) -> None:
    """Write a squad of that size."""
    athletes = [_seeded(each, size.seed) for each in squad_of(size.athletes)]
    staff = [_seeded(COACH, size.seed), _seeded(ADMIN, size.seed)]
    with _rare_collections():
        _people(store, [*staff, *athletes], size.today)
        for athlete in [*staff, *athletes]:
            _write(store, athlete, size)


def _seeded(athlete: Athlete, seed: int) -> Athlete:
    # The seed moves chance, not names: seed 1 is the squad of the README.
    return athlete


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Put the cyclic collector off: rows hold no cycles, and walking them took a third of the time."""
    before = gc.get_threshold()
    gc.set_threshold(500_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _people(store: Store, people: Sequence[Athlete], today: date) -> None:
    for person in people:
        store.add_user(_user(person, today))
    squad = store.add_workspace("Coachboard squad", "coachboard-squad", id=new_id("wke", "squad"))
    group = store.add_workspace("Altitude group", "altitude-group", id=new_id("wke", "altitude"))
    store.add_member(squad, user_id("coach"), WorkspaceRole.COACH)
    store.add_member(squad, user_id("admin"), WorkspaceRole.ATHLETE)
    store.add_member(group, user_id("admin"), WorkspaceRole.ADMIN)
    store.add_member(group, user_id("coach"), WorkspaceRole.ATHLETE)
    for person in people[2:]:
        store.add_member(squad, user_id(person.key), WorkspaceRole.ATHLETE)
        if person.key in _ALTITUDE_GROUP:
            store.add_member(group, user_id(person.key), WorkspaceRole.ATHLETE)


def _user(athlete: Athlete, today: date) -> NewUser:
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


def _write(store: Store, athlete: Athlete, size: Size) -> None:
    days = round(size.years * 365.25) if athlete.since_days is None else athlete.since_days
    if days < 0:
        return
    first, owner = size.today - timedelta(days=days), user_id(athlete.key)
    last = size.today + _AHEAD
    goals = _goals(athlete, first, size.today)
    life = life_of(athlete, first, size.today)
    diary = train(athlete, life, plan_of(athlete, weeks_of(first, last, goals)), today=size.today)
    _put_activities(store, owner, diary)
    store.put_prescriptions(owner, diary.prescriptions)
    store.put_sleeps(owner, body.sleeps_of(life, diary))
    store.put_metrics(owner, body.metrics_of(life, diary))
    store.put_events(owner, agenda.events_of(athlete, goals, size.today, {}))
    store.put_notes(owner, agenda.notes_of(life, coach_id=user_id("coach"), user_id=owner))


def _goals(athlete: Athlete, first: date, today: date) -> tuple[date, ...]:
    """Goals so that the next one is as far away as the athlete's story says."""
    upcoming = today + timedelta(days=athlete.goal_shift_days + (6 - today.weekday()) % 7)
    step = timedelta(weeks=athlete.goal_every_weeks)
    goal = upcoming - step * ((upcoming - first) // step)
    return tuple(goal + step * at for at in range((upcoming - goal) // step + 2))


def _put_activities(store: Store, owner: str, diary: Diary) -> None:
    for start in range(0, len(diary.recorded), _AT_ONCE):
        part = diary.recorded[start : start + _AT_ONCE]
        store.put_activities(owner, [each.activity for each in part])
        store.put_recipes(
            StreamRecipe(each.activity.id, MAKER, each.session.to_bytes()) for each in part if each.session
        )
