"""All of it, athlete by athlete: nothing of one is kept when the next begins."""

import gc
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta

from coachboard.models.enums import WorkspaceRole
from coachboard.models.plans import Event
from coachboard.models.users import UserMetricReadiness
from coachboard.service.demo import agenda, body, rarities
from coachboard.service.demo.athlete import Athlete
from coachboard.service.demo.chance import new_id
from coachboard.service.demo.lately import weeks_lately
from coachboard.service.demo.life import life_of
from coachboard.service.demo.planning import plan_of
from coachboard.service.demo.season import weeks_of
from coachboard.service.demo.share import shared
from coachboard.service.demo.squad import ADMIN, COACH, squad_of
from coachboard.service.demo.training import Diary, train
from coachboard.service.store import NewNote, NewUser, Store, StreamRecipe

MAKER = "demo"
DEFAULT_ATHLETES, DEFAULT_YEARS, DEFAULT_SEED = 24, 1.5, 1
KEYS = ("demo-coach-key", "demo-athlete-key", "demo-admin-key")
_AHEAD = timedelta(weeks=8)
_ALTITUDE_GROUP = ("climber", "marathoner", "triathlete", "skier", "rare", "overreached")
_AT_ONCE = 400
_RARE, _RARE_FROM_DAYS = "rare", 21
_FEW, _MOST_PROCESSES = 12, 4


@dataclass(frozen=True, slots=True)
class Size:
    """How much to make."""

    today: date
    athletes: int = DEFAULT_ATHLETES
    years: float = DEFAULT_YEARS
    seed: int = DEFAULT_SEED


def ensure_demo(store: Store, *, today: date, years: float = DEFAULT_YEARS) -> None:
    """Fill an empty database with the default squad and the demo keys."""
    if _is_to_be_made(store):
        generate(store, Size(today, years=years))
        for key, owner in zip(KEYS, ("coach", "climber", "admin"), strict=True):
            store.add_key(user_id(owner), label=key, key=key)


def _is_to_be_made(store: Store) -> bool:
    """Whether the database is empty, or was left half made: the workspaces come last."""
    ids = {user.id for user in store.users()}
    return not ids or (user_id("coach") in ids and not store.workspaces())


def user_id(key: str) -> str:
    """The id of the person of that key."""
    return new_id("usr", key)


def generate(store: Store, size: Size) -> None:
    """Write a squad of that size."""
    people = _people_of(size)
    for person in people:
        store.add_user(_user(person, size.today))
    order = sorted(range(len(people)), key=lambda at: -_work_on(people[at], size))
    with shared(
        store.url, asdict(size), order, processes=_processes(store, len(people)), is_draft=store.is_draft
    ) as numbers:
        _write_all(store, numbers, size)
    _add_workspaces(store, people)


def _people_of(size: Size) -> list[Athlete]:
    return [replace(each, seed=size.seed) for each in (COACH, ADMIN, *squad_of(size.athletes))]


def _work_on(athlete: Athlete, size: Size) -> float:
    """About how much there is to write for somebody: who takes longest begins, so that all end together."""
    return athlete.hours * _days(athlete, size)


def _processes(store: Store, people: int) -> int:
    """One process a core, up to a few; one where there is little to do or no file that two could open."""
    if people < _FEW or ":memory:" in store.url or store.url == "sqlite://":
        return 1
    return min(_MOST_PROCESSES, os.cpu_count() or 1)


def write_share(url: str, size: Size, numbers: Iterable[int], *, is_draft: bool = False) -> None:
    """What one of several processes does: the people of those numbers, through a store of its own."""
    store = Store.open(url, is_draft=is_draft)
    try:
        _write_all(store, numbers, size)
    finally:
        store.close()


def _write_all(store: Store, numbers: Iterable[int], size: Size) -> None:
    people = _people_of(size)
    with _rare_collections():
        for number in numbers:
            _write(store, people[number], size)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Put the cyclic collector off: rows hold no cycles, and walking them took a third of the time."""
    before = gc.get_threshold()
    gc.set_threshold(500_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _add_workspaces(store: Store, people: Sequence[Athlete]) -> None:
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
    days = _days(athlete, size)
    if days < 0:
        return
    first, owner = size.today - timedelta(days=days), user_id(athlete.key)
    last = size.today + _AHEAD
    goals = _goals(athlete, first, size.today)
    life = life_of(athlete, first, size.today)
    weeks = weeks_lately(athlete.lately, weeks_of(first, last, goals), size.today)
    plan = plan_of(athlete, weeks, goals, today=size.today)
    diary = train(athlete, life, plan, goals, today=size.today)
    events = list(agenda.events_of(athlete, goals, size.today, diary.raced))
    if athlete.key == _RARE and days > _RARE_FROM_DAYS:
        _write_rarities(store, owner, athlete, diary, events, size.today)
    _put_activities(store, owner, diary)
    store.put_prescriptions(owner, diary.prescriptions)
    sleeps = list(body.sleeps_of(life, diary))
    store.put_sleeps(owner, sleeps)
    if athlete.key == _RARE and len(sleeps) > _RARE_FROM_DAYS:
        store.put_sleeps(owner, rarities.rare_sleeps(sleeps))
    store.put_metrics(owner, body.metrics_of(life, diary))
    store.put_events(owner, events)
    store.put_notes(owner, agenda.notes_of(life, coach_id=user_id("coach"), user_id=owner))


def _days(athlete: Athlete, size: Size) -> int:
    """How far back the data go; below 0 where there are none."""
    return round(size.years * 365.25) if athlete.since_days is None else athlete.since_days


def _write_rarities(
    store: Store, owner: str, athlete: Athlete, diary: Diary, events: list[Event], today: date
) -> None:
    rarities.add_rarities(athlete, diary, today)
    store.put_metrics(owner, rarities.rare_metrics(athlete, today))
    store.put_events(owner, rarities.rare_events(athlete, events, today))
    store.put_notes(owner, (NewNote(note, owner) for note in rarities.rare_notes(athlete, today)))


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
