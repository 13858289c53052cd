"""Processes that share the writing of a squad, and their end."""

import subprocess
import sys
from contextlib import closing
from dataclasses import asdict
from datetime import date

import orjson
import pytest

from coachboard.service.store import RowKind, Store
from coachboard_demo import share
from coachboard_demo.people import Size, add_people, people_of, user_id
from coachboard_demo.share import TASK_MODULE, Queue, ShareError, call_for, processes, share_out

pytestmark = pytest.mark.slow

DAY = date(2026, 5, 6)
SIZE = Size(DAY, athletes=3, years=0.1)
COACH, ADMIN, CLIMBER, SPRINTER = range(4)


@pytest.fixture
def url(tmp_path):
    """A database with the people of that size, and nothing of theirs."""
    found = f"sqlite:///{tmp_path / 'people.db'}"
    with closing(Store.open(found)) as store:
        add_people(store, SIZE)
    return found


def activities_in(url):
    """How many activities each of the people has, by their place in the squad."""
    keys = [person.key for person in people_of(SIZE)]
    with closing(Store.open(url)) as store:
        return [len(store.row_bodies(RowKind.ACTIVITIES, user_id(key))) for key in keys]


def test_each_task_is_taken_once():
    queue = Queue([3, 1, 2])

    assert [queue.take() for _ in range(4)] == [3, 1, 2, None]


def test_requested_athletes_come_first_in_the_order_of_the_requests():
    queue = Queue([3, 1, 2, 5, 4])
    for number in (4, 2, 4, 9):
        queue.want(number)

    assert [queue.take() for _ in range(6)] == [4, 2, 3, 1, 5, None]


def test_another_process_writes_the_people_of_the_queue(url):
    written = []
    share_out(url, SIZE, Queue([CLIMBER, SPRINTER]), processes=1, on_written=written.append)

    found = activities_in(url)
    assert found[CLIMBER] > 20
    assert found[SPRINTER] > 20
    assert found[COACH] == found[ADMIN] == 0
    assert written == [CLIMBER, SPRINTER]


def test_a_process_without_work_ends_silently():
    ended = subprocess.run(
        [sys.executable, "-m", TASK_MODULE, "0"], input=b"", capture_output=True, check=False
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (1, b"", b"")


@pytest.fixture
def called(monkeypatch):
    """The processes that were started and have no task yet."""
    held = []
    monkeypatch.setattr(share, "_CALLED", held)
    yield held
    for process in held:
        process.stdin.close()
        process.stdout.close()
        process.wait(20)


def test_processes_are_called_for_a_file_that_is_not_there_yet(called, tmp_path):
    call_for(f"sqlite:///{tmp_path / 'new.db'}", 40)

    assert len(called) == processes(f"sqlite:///{tmp_path / 'new.db'}", 40) >= 1
    assert {process.poll() for process in called} == {None}


def test_no_process_is_started_for_a_database_that_may_be_complete(called, url):
    for each in (url, "sqlite://", "sqlite:///:memory:", "postgresql://user@localhost/squad"):
        call_for(each, 40)

    assert called == []


def test_a_process_that_was_called_writes_instead_of_another(called, url, tmp_path):
    call_for(f"sqlite:///{tmp_path / 'new.db'}", 1)
    (early,) = called

    share_out(url, SIZE, Queue([CLIMBER]), processes=1)

    assert called == []
    assert early.returncode == 0
    assert activities_in(url)[CLIMBER] > 20


def test_a_share_that_fails_is_an_error(tmp_path):
    with pytest.raises(ShareError, match="ended with 1"):
        share_out(f"sqlite:///{tmp_path}", SIZE, Queue([COACH]), processes=1)


def test_a_process_whose_starter_is_gone_writes_nobody_more(url):
    """A starter that is killed can stop nobody; its end of the pipe closes, and that does."""
    task = orjson.dumps({"url": url, "size": asdict(SIZE)}) + f"\n{CLIMBER}\n".encode()

    ended = subprocess.run(
        [sys.executable, "-m", TASK_MODULE, "0"], input=task, capture_output=True, check=False
    )

    found = activities_in(url)
    assert found[CLIMBER] > 20
    assert sum(found) == found[CLIMBER]
    assert ended.returncode == 1
    assert ended.stderr == b""
    assert ended.stdout == b"next\nnext\n"
