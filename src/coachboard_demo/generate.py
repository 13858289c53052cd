"""The rows of a squad, athlete by athlete: nothing of one is kept when the next begins."""

import gc
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import date, timedelta

from coachboard.models.body import Sleep
from coachboard.models.plans import Event
from coachboard.service.store import DEMO_MAKER, NewNote, Store, StreamRecipe
from coachboard_demo import agenda, body, rarities, unwritten
from coachboard_demo.athlete import Athlete
from coachboard_demo.lately import weeks_lately
from coachboard_demo.life import Life, life_of
from coachboard_demo.part import Part, Task
from coachboard_demo.people import add_people, add_workspaces, people_of, user_id
from coachboard_demo.planning import plan_of
from coachboard_demo.renewal import sign
from coachboard_demo.season import weeks_of
from coachboard_demo.share import Queue, processes, shared
from coachboard_demo.size import Size
from coachboard_demo.training import Diary, train

_AHEAD = timedelta(weeks=8)
_RARE, _RARE_FROM_DAYS = "rare", 21


def generate(store: Store, size: Size) -> None:
    """Write a squad of that size."""
    people = people_of(size)
    if store.maker(DEMO_MAKER) is None:  # rows of another version may stand there
        sign(store, size)
    add_people(store, size)
    write_rows(store, size, range(len(people)))
    add_workspaces(store, people)


def write_rows(store: Store, size: Size, numbers: Iterable[int]) -> None:
    """Write the rows of the people of those numbers, in as many processes as that is worth."""
    tasks = [Task(number) for number in in_order(size, numbers)]
    queue = Queue(tasks)
    with shared(store.url, size, queue, processes=processes(store.url, len(tasks))):
        _write_all(store, queue, size)


def in_order(size: Size, numbers: Iterable[int]) -> list[int]:
    """Coach and admin first, as their keys open every page; then who takes longest, so that all end together."""
    people = people_of(size)
    return sorted(numbers, key=lambda at: (at >= _LEADERS, -_work_on(people[at], size)))


_LEADERS = 2


def in_parts(size: Size, numbers: Iterable[int]) -> list[Task]:
    """What a roster reads of everybody in turn, then the rest of those who have data.

    All of coach and admin at once: their profiles are asked for before any page is drawn.
    """
    people, order = people_of(size), in_order(size, numbers)
    leaders, others = [at for at in order if at < _LEADERS], [at for at in order if at >= _LEADERS]
    have_data = [at for at in others if _days(people[at], size) >= 0]
    first = [*map(Task, leaders), *(Task(at, Part.FIRST) for at in others)]
    return [*first, *(Task(at, Part.REST) for at in have_data)]


def _work_on(athlete: Athlete, size: Size) -> float:
    """About how much there is to write for somebody."""
    return athlete.hours * _days(athlete, size)


def write_share(url: str, size: Size, tasks: Iterable[Task]) -> None:
    """What one of several processes does: those tasks, through a store of its own."""
    with closing(Store.open(url, is_bulk=True)) as store:
        _write_all(store, tasks, size)


def _write_all(store: Store, tasks: Iterable[Task], size: Size) -> None:
    people = people_of(size)
    with _rare_collections():
        for task in tasks:
            person = people[task.number]
            _write(store, person, size, task.part)
            if task.part is Part.WHOLE:
                unwritten.strike(store, user_id(person.key))


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Put the cyclic collector off: rows hold no cycles, and walking them took a third of the time."""
    before = gc.get_threshold()
    gc.set_threshold(500_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _write(store: Store, athlete: Athlete, size: Size, part: Part = Part.WHOLE) -> None:
    days = _days(athlete, size)
    if days < 0:
        return
    first, owner = size.today - timedelta(days=days), user_id(athlete.key)
    last = size.today + _AHEAD
    goals = _goals(athlete, first, size.today)
    life = life_of(athlete, first, size.today)
    weeks = weeks_lately(athlete.lately, weeks_of(first, last, goals), size.today)
    plan = plan_of(athlete, weeks, goals, today=size.today)
    diary = train(athlete, life, plan, goals, today=size.today, part=part)
    with store.together():
        if part is not Part.REST:
            _write_calendar(store, athlete, life, goals, diary)
        if part is not Part.FIRST:
            _write_metrics(store, athlete, life, diary)
        _put_activities(store, owner, diary)
        store.put_prescriptions(owner, diary.prescriptions)
        store.put_sleeps(owner, _sleeps(athlete, life, diary))


def _write_calendar(
    store: Store, athlete: Athlete, life: Life, goals: tuple[date, ...], diary: Diary
) -> None:
    """Events and notes, which are few."""
    owner, today = user_id(athlete.key), diary.today
    events = list(agenda.events_of(athlete, goals, today, diary.raced))
    if _is_rare(athlete, diary):
        _write_rarities(store, owner, athlete, diary, events)
    store.put_events(owner, events)
    store.put_notes(owner, agenda.notes_of(life, coach_id=user_id("coach"), user_id=owner))


def _write_metrics(store: Store, athlete: Athlete, life: Life, diary: Diary) -> None:
    owner = user_id(athlete.key)
    store.put_metrics(owner, body.metrics_of(life, diary))
    if _is_rare(athlete, diary):
        store.put_metrics(owner, rarities.rare_metrics(athlete, diary.today))


def _is_rare(athlete: Athlete, diary: Diary) -> bool:
    return athlete.key == _RARE and len(diary.days) > _RARE_FROM_DAYS


def _sleeps(athlete: Athlete, life: Life, diary: Diary) -> list[Sleep]:
    nights = list(body.sleeps_of(life, diary))
    is_last = diary.part is not Part.REST
    return [*nights, *rarities.rare_sleeps(nights)] if is_last and _is_rare(athlete, diary) else nights


def _days(athlete: Athlete, size: Size) -> int:
    """How far back the data go; below 0 where there are none."""
    return round(size.years * 365.25) if athlete.since_days is None else athlete.since_days


def _write_rarities(store: Store, owner: str, athlete: Athlete, diary: Diary, events: list[Event]) -> None:
    today = diary.today
    rarities.add_rarities(athlete, diary, today)
    store.put_events(owner, rarities.rare_events(athlete, events, today))
    store.put_notes(owner, (NewNote(note, owner) for note in rarities.rare_notes(athlete, today)))


def _goals(athlete: Athlete, first: date, today: date) -> tuple[date, ...]:
    """Goals so that the next one is as far away as the athlete's story says."""
    upcoming = today + timedelta(days=athlete.goal_shift_days + (6 - today.weekday()) % 7)
    step = timedelta(weeks=athlete.goal_every_weeks)
    goal = upcoming - step * ((upcoming - first) // step)
    return tuple(goal + step * at for at in range((upcoming - goal) // step + 2))


def _put_activities(store: Store, owner: str, diary: Diary) -> None:
    store.put_activities(owner, [each.activity for each in diary.recorded])
    store.put_recipes(
        StreamRecipe(each.activity.id, DEMO_MAKER, each.session.to_bytes())
        for each in diary.recorded
        if each.session
    )
