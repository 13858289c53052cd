"""A child process writes the rows of a squad while the server runs; requests for missing rows wait."""

import asyncio
from contextlib import closing
from datetime import date

import httpx
import orjson
import pytest

from coachboard.service.api.app import create_app
from coachboard.service.demo_squad import STREAM_MAKERS
from coachboard.service.store import RowKind, Store
from coachboard_demo import generate as filling_module
from coachboard_demo import share
from coachboard_demo.generate import Filling, NotWrittenError, filling_of, generate
from coachboard_demo.making import begin_demo, unwritten
from coachboard_demo.people import KEYS, Size, people_of, user_id
from serving import served

pytestmark = pytest.mark.slow

SIZE = Size(date(2026, 5, 6), athletes=3, years=0.1)
IDS = [user_id(person.key) for person in people_of(SIZE)]


@pytest.fixture
def begun(tmp_path):
    """A store with the people of a squad whose rows are to come."""
    with closing(Store.open(f"sqlite:///{tmp_path / 'begun.db'}")) as store:
        begin_demo(store, SIZE)
        yield store


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The activities of each person of the same squad, made in one go."""
    with closing(Store.open(f"sqlite:///{tmp_path_factory.mktemp('whole') / 'whole.db'}")) as store:
        generate(store, SIZE)
        return activities_in(store)


def activities_in(store):
    return {each: list(store.row_bodies(RowKind.ACTIVITIES, each)) for each in IDS}


def started(store):
    filling = Filling(store.url)
    filling.start(store)
    return filling


def test_rows_that_are_asked_for_too_early_are_all_there_in_the_reply(begun, whole):
    filling = started(begun)
    assert activities_in(begun)[IDS[-1]] == []

    with served(create_app(begun, until_written=filling.until_written)) as address:
        found = httpx.get(
            f"{address}/users/{IDS[-1]}/activities",
            headers={"Authorization": f"Bearer {KEYS[0]}"},
            timeout=60,
        )

    assert orjson.loads(found.content) == [orjson.loads(body) for body in whole[IDS[-1]]]
    filling.join()


def test_streams_that_are_asked_for_too_early_are_not_absent(begun, whole):
    """A link to a session, opened in the first seconds, said that the session has no recording."""
    filling = started(begun)
    ids = [orjson.loads(body)["id"] for body in whole[IDS[-1]]]
    headers = {"Authorization": f"Bearer {KEYS[0]}"}
    app = create_app(begun, until_written=filling.until_written, stream_makers=STREAM_MAKERS)
    with served(app) as address:
        first = httpx.get(f"{address}/activities/{ids[0]}/streams", headers=headers, timeout=60)
        unknown = httpx.get(f"{address}/activities/act_unknown/streams", headers=headers, timeout=60)

    assert (first.status_code, unknown.status_code) == (200, 404)
    filling.join()


def test_a_key_without_access_is_refused_at_once(begun):
    async def for_ever(_user_id, _kind, _since):
        await asyncio.sleep(600)

    with served(create_app(begun, until_written=for_ever)) as address:
        found = httpx.get(
            f"{address}/users/{IDS[0]}", headers={"Authorization": f"Bearer {KEYS[1]}"}, timeout=5
        )

    assert found.status_code == 404


def test_the_shared_squad_equals_that_of_one_process_and_no_row_stays_pending(begun, whole):
    filling = started(begun)
    assert filling.is_under_way

    filling.join()

    assert not filling.is_under_way
    assert activities_in(begun) == whole
    assert unwritten(begun) is None


def test_a_second_start_and_a_start_over_a_whole_squad_do_nothing(begun):
    filling = started(begun)
    thread = filling._thread

    filling.start(begun)

    assert filling._thread is thread
    filling.join()
    assert started(begun)._thread is None


def test_athletes_that_a_child_process_fails_to_write_are_written_here(begun, whole, monkeypatch, caplog):
    monkeypatch.setattr(share, "TASK_MODULE", "coachboard_demo.there_is_no_such_module")

    started(begun).join()

    assert activities_in(begun) == whole
    assert "the rest is written here" in caplog.text


def test_waiting_for_rows_that_cannot_be_written_raises(begun, monkeypatch, caplog):
    monkeypatch.setattr(share, "TASK_MODULE", "coachboard_demo.there_is_no_such_module")
    monkeypatch.setattr(filling_module, "write_share", lambda *_: 1 / 0)
    filling = started(begun)
    filling.join()

    with pytest.raises(NotWrittenError):
        asyncio.run(filling.until_written(IDS[0], RowKind.SLEEPS, None))

    assert "ZeroDivisionError" in caplog.text
    assert unwritten(begun).numbers == tuple(range(len(IDS)))


def test_the_person_of_a_request_is_written_before_the_others(begun):
    filling = Filling(begun.url)
    filling._people = IDS
    filling._waiting = {each: number for number, each in enumerate(IDS)}
    filling._queue = share.Queue(range(5))

    async def ask():
        await asyncio.wait_for(filling.until_written(IDS[4], RowKind.ACTIVITIES, None), 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(ask())
    assert [filling._queue.take() for _ in range(3)] == [4, 0, 1]

    filling._hear(4)
    asyncio.run(ask())


def test_a_profile_waits_for_the_metrics_it_shows(begun):
    asked = []

    async def note(user_id, kind, since):
        asked.append((user_id, kind, since))

    with served(create_app(begun, until_written=note)) as address:
        httpx.get(f"{address}/users/me", headers={"Authorization": f"Bearer {KEYS[0]}"}, timeout=5)

    assert asked == [(IDS[0], RowKind.METRICS, None)]


def test_a_process_has_one_filling_of_a_database():
    assert filling_of("sqlite:///one.db") is filling_of("sqlite:///one.db")
    assert filling_of("sqlite:///one.db") is not filling_of("sqlite:///other.db")
