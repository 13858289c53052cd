"""The rows of a squad, athlete by athlete: the memory of each is released before the next begins.

The command `demo-data` writes them to a database; a process beside the one that serves a demo database writes those that
it still lacks.
"""

import asyncio
import gc
import logging
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from functools import cache
from threading import Thread

import click

from coachboard.plurals import count, noun
from coachboard.service.store import DEMO_MAKER, NewNote, RowKind, Store, StreamRecipe
from coachboard.settings import Settings
from coachboard_demo import body, rarities
from coachboard_demo.coaching import PLANNED_ATHLETE, write_week
from coachboard_demo.life import events_of, life_of, notes_of
from coachboard_demo.making import end_demo, sign, strike, unwritten
from coachboard_demo.people import (
    DEFAULT_ATHLETES,
    DEFAULT_SEED,
    DEFAULT_YEARS,
    NOON,
    Size,
    add_people,
    add_workspaces,
    people_of,
    user_id,
    utc_hour_of,
)
from coachboard_demo.planning import plan_of, weeks_of
from coachboard_demo.share import PAGES_FIRST, Queue, ShareError, processes, share_out
from coachboard_demo.squad import DemoAthlete
from coachboard_demo.training import Training


@click.command("demo-data")
@click.option(
    "--athletes",
    default=DEFAULT_ATHLETES,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="Write this number of athletes.",
)
@click.option(
    "--years",
    default=DEFAULT_YEARS,
    show_default=True,
    type=click.FloatRange(0.1, 30),
    help="Write this number of years.",
)
@click.option(
    "--seed", default=DEFAULT_SEED, show_default=True, type=int, help="Draw the squad from this seed."
)
@click.option(
    "--db",
    "url",
    envvar="COACHBOARD_DATABASE_URL",
    help="Database to write to. Default: the one in the settings.",
)
@click.option("--today", type=click.DateTime(["%Y-%m-%d"]), help="Date used as today.")
def demo_data(*, athletes: int, years: float, seed: int, url: str | None, today: datetime | None) -> None:
    """Write a demo squad of any size; the same seed and day give the same rows."""
    day = today.date() if today else date.today()  # noqa: DTZ011 (the calendar of the reader)
    hour = NOON if today else utc_hour_of(datetime.now(UTC), day)
    store = Store.open(url or Settings().database_url, is_bulk=True)
    try:
        generate(store, Size(day, athletes, years, seed, hour))
    finally:
        store.close()
    click.echo(
        f"Wrote {count(athletes, 'athlete')}, {years:g} {noun(years, 'year')} of training up to {day}.",
        err=True,
    )


COMMANDS: tuple[click.Command, ...] = (demo_data,)


_AHEAD, _GOAL_EVERY_WEEKS = timedelta(weeks=8), 22
_RARE, _RARE_FROM_DAYS = "rare", 21
_LEADERS = 2  # coach and admin


def generate(store: Store, size: Size) -> None:
    """Write a squad of that size."""
    people = people_of(size)
    if store.maker(DEMO_MAKER) is None:  # else the rows of another version may be there
        sign(store, size)
    add_people(store, size)
    write_rows(store, size, range(len(people)))
    add_workspaces(store, people)


def write_rows(store: Store, size: Size, numbers: Iterable[int]) -> None:
    """Write the rows of the people of those numbers, in as many processes as that is worth."""
    order = in_order(size, numbers)
    count = processes(store.url, len(order))
    if count > 1:
        share_out(store.url, size, Queue(order), processes=count)
    else:
        _write_all(store, order, size)


def in_order(size: Size, numbers: Iterable[int]) -> list[int]:
    """Coach and admin first, as their keys open every page; then the largest share first, so that all end together."""
    people = people_of(size)
    return sorted(numbers, key=lambda at: (at >= _LEADERS, -people[at].hours * _days(people[at], size)))


def write_share(url: str, size: Size, numbers: Iterable[int]) -> None:
    """Write the rows of those people through a store of its own: the work of one of several processes."""
    with closing(Store.open(url, is_bulk=True)) as store:
        _write_all(store, numbers, size)


def _write_all(store: Store, numbers: Iterable[int], size: Size) -> None:
    people = people_of(size)
    gc.disable()  # rows hold no cycles, and walking them took a third of the time
    try:
        for number in numbers:
            write_athlete(store, people[number], size)
            strike(store, user_id(people[number].key))
    finally:
        gc.enable()


def write_athlete(store: Store, athlete: DemoAthlete, size: Size) -> None:
    days, today, owner = _days(athlete, size), size.today, user_id(athlete.key)
    if days < 0:
        return
    first, last = today - timedelta(days=days), today + _AHEAD
    goals = _goals(athlete, first, today)
    life = life_of(athlete, first, today)
    plan = plan_of(athlete, weeks_of(first, last, goals), goals, today=today)
    diary = Training(life, plan, goals, size).done()
    events = list(events_of(athlete, goals, diary.raced))
    metrics = list(body.metrics_of(athlete, diary))
    notes = list(notes_of(life, coach_id=user_id("coach"), user_id=owner))
    sleeps = list(body.sleeps_of(life, diary, size))
    if athlete.key == _RARE and len(diary.days) > _RARE_FROM_DAYS:
        rarities.add_rarities(athlete, diary, today)
        events.append(rarities.rare_event(athlete, events[-1], today))
        metrics += rarities.rare_metrics(athlete, today)
        notes += [NewNote(note, owner) for note in rarities.rare_notes(athlete, today)]
        sleeps.append(rarities.bare(sleeps[-9]))  # in place of the night that was
    with store.together():
        store.put_events(owner, events)
        store.put_metrics(owner, metrics)
        store.put_notes(owner, notes)
        store.put_sleeps(owner, sleeps)
        store.put_prescriptions(owner, diary.prescriptions)
        store.put_activities(owner, [each.activity for each in diary.recorded])
        made = (
            StreamRecipe(each.activity.id, DEMO_MAKER, each.session.to_bytes())
            for each in diary.recorded
            if each.session
        )
        store.put_recipes(owner, made)
    if athlete.key == PLANNED_ATHLETE:
        write_week(store, size)


def _days(athlete: DemoAthlete, size: Size) -> int:
    """How far back the data go; below 0 for an athlete without data."""
    return round(size.years * 365.25) if athlete.since_days is None else athlete.since_days


def _goals(athlete: DemoAthlete, first: date, today: date) -> tuple[date, ...]:
    """Goals at equal distances; the next one is as far away as the athlete's story says."""
    upcoming = today + timedelta(days=athlete.goal_shift_days + (6 - today.weekday()) % 7)
    step = timedelta(weeks=_GOAL_EVERY_WEEKS)
    goal = upcoming - step * ((upcoming - first) // step)
    return tuple(goal + step * at for at in range((upcoming - goal) // step + 2))


_LOGGER = logging.getLogger(__name__)
_LOOKS_EVERY_S = 0.03


class NotWrittenError(RuntimeError):
    """The rows of a person could not be written; the log has the reason."""


@cache
def filling_of(url: str) -> "Filling":
    """The filling of that database in this process: `coachboard demo` starts it before it imports the server."""
    return Filling(url)


class Filling:
    """The rows that one database still lacks."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._people: list[str] = []  # user ids by the numbers in the squad
        self._waiting: dict[str, int] = {}  # user ids of the people to write, and their numbers in the squad
        self._queue = Queue([])
        self._thread: Thread | None = None
        self._has_failed = False

    @property
    def is_under_way(self) -> bool:
        """Whether rows are missing."""
        return bool(self._waiting)

    def start(self, store: Store) -> None:
        """Begin with the people that the store notes as unwritten; a second call changes nothing."""
        left = unwritten(store) if self._thread is None else None
        if left is not None:
            numbers = in_order(left.size, left.numbers)
            self._people = [user_id(person.key) for person in people_of(left.size)]
            self._waiting = {self._people[number]: number for number in numbers}
            self._queue = Queue(numbers)
            self._thread = Thread(target=self._fill, args=(left.size,), name="coachboard-demo", daemon=True)
            self._thread.start()

    async def until_written(self, user_id: str, _kind: RowKind, _since: date | None) -> None:
        """Return when the rows of that person are written."""
        number = self._waiting.get(user_id)
        if number is None:
            return
        self._queue.want(number)
        while user_id in self._waiting:
            if self._has_failed:
                raise NotWrittenError(user_id)
            await asyncio.sleep(_LOOKS_EVERY_S)

    def join(self) -> None:
        """Wait for all rows."""
        if self._thread is not None:
            self._thread.join()

    def _fill(self, size: Size) -> None:
        try:
            self._share_out(size)
            for number in list(self._waiting.values()):  # a process that failed left them
                write_share(self._url, size, [number])
                self._hear(number)
            with closing(Store.open(self._url)) as store:
                end_demo(store)
        except Exception:
            self._has_failed = True
            _LOGGER.exception("the demo squad could not be written; start again to go on with it")

    def _share_out(self, size: Size) -> None:
        """Share the writing among other processes only: this one serves pages."""
        count = processes(self._url, len(people_of(size)))
        try:
            share_out(
                self._url, size, self._queue, processes=count, niceness=PAGES_FIRST, on_written=self._hear
            )
        except ShareError as error:
            _LOGGER.warning("%s; the rest is written here", error)

    def _hear(self, number: int) -> None:
        """Note that a person is written; the writing process has noted this in the database."""
        self._waiting.pop(self._people[number], None)
