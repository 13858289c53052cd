"""A demo database is whole or not there: no end half-way leaves one that passes for complete."""

import os
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import date

import pytest

from coachboard.service.demo import generate, making
from coachboard.service.demo.generate import KEYS
from coachboard.service.store import NewUser, Store
from coachboard.service.store.keys import digest_of

DAY = date(2026, 5, 6)


class Killed(BaseException):
    """As Ctrl-C: no ordinary handler catches it."""


@pytest.fixture
def killed_half_way(monkeypatch):
    """The first making of a squad of two ends before its third person is written; the next goes through."""
    write, written, people_of = generate._write, [], generate._people_of

    def write_until_killed(store, athlete, size):
        written.append(athlete)
        if len(written) == 3:
            raise Killed
        write(store, athlete, size)

    monkeypatch.setattr(generate, "_people_of", lambda size: people_of(replace(size, athletes=2)))
    monkeypatch.setattr(generate, "_processes", lambda _store, _people: 1)
    monkeypatch.setattr(generate, "_write", write_until_killed)


def synchronous(store):
    """How long SQLite waits for the disk: 0 not at all, 1 at checkpoints."""
    with store._reading() as connection:
        return connection.exec_driver_sql("PRAGMA synchronous").scalar_one()


def keys_of(url):
    with closing(Store.open(url)) as store:
        return [store.caller(digest_of(key)) is not None for key in KEYS], len(store.users())


def test_a_making_that_ends_half_way_leaves_nothing_and_the_next_is_whole(tmp_path, killed_half_way):
    url = f"sqlite:///{tmp_path / 'folder' / 'demo.db'}"
    with pytest.raises(Killed):
        making.make_demo(url, today=DAY, years=0.1)
    assert list((tmp_path / "folder").iterdir()) == []

    making.make_demo(url, today=DAY, years=0.1)

    assert keys_of(url) == ([True] * 3, 4)
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["demo.db"]


def test_where_no_file_can_be_renamed_the_next_making_starts_over(tmp_path, killed_half_way, monkeypatch):
    """As on PostgreSQL; a SQLite file written in place stands for it."""
    monkeypatch.setattr(making, "_file_of", lambda _url: None)
    url = f"sqlite:///{tmp_path / 'demo.db'}"
    with pytest.raises(Killed):
        making.make_demo(url, today=DAY, years=0.1)
    assert keys_of(url)[0] == [False] * 3

    making.make_demo(url, today=DAY, years=0.1)

    assert keys_of(url) == ([True] * 3, 4)
    with closing(Store.open(url)) as store:
        assert "coachboard-demo-being-made" not in {each.slug for each in store.workspaces()}


def test_a_file_with_people_in_it_is_left_alone(tmp_path):
    url = f"sqlite:///{tmp_path / 'mine.db'}"
    with closing(Store.open(url)) as store:
        store.add_user(NewUser(id="usr_mine", first_name="Mine"))
        version = store.version()

    making.make_demo(url, today=DAY)

    with closing(Store.open(url)) as store:
        assert store.version() == version


def test_what_a_killed_maker_left_goes_and_what_a_running_one_writes_stays(tmp_path, killed_half_way):
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    abandoned, in_work = (tmp_path / f"demo.db.part-{number}" for number in (ended.pid, os.getppid()))
    abandoned.touch()
    in_work.touch()

    with pytest.raises(Killed):
        making.make_demo(f"sqlite:///{tmp_path / 'demo.db'}", today=DAY, years=0.1)

    assert [path.name for path in tmp_path.iterdir()] == [in_work.name]


def test_a_draft_takes_its_name_only_when_it_is_on_the_disk(tmp_path, killed_half_way, monkeypatch):
    """Nothing waits for the disk while it is written, so that somebody has to before it passes for whole."""
    url, seen = f"sqlite:///{tmp_path / 'demo.db'}", []
    monkeypatch.setattr(
        making.os, "fsync", lambda _file: seen.append(sorted(each.name for each in tmp_path.iterdir()))
    )
    with pytest.raises(Killed):
        making.make_demo(url, today=DAY, years=0.1)
    assert seen == []

    making.make_demo(url, today=DAY, years=0.1)

    assert seen == [[f"demo.db.part-{os.getpid()}"]]
    with closing(Store.open(url, is_draft=True)) as draft, closing(Store.open(url)) as kept:
        assert [synchronous(store) for store in (draft, kept)] == [0, 1]
