"""An athlete's rows are complete or marked as pending: a process that ends half-way leaves no squad that counts as complete."""

from contextlib import closing
from datetime import date, timedelta

import pytest

from coachboard.service.store import NewUser, RowKind, Store
from coachboard.service.store.keys import digest_of
from coachboard_demo import generate, making
from coachboard_demo.making import UnwrittenSquad, unwritten
from coachboard_demo.people import KEYS, Size, people_of, user_id
from demo_database import make_demo

pytestmark = pytest.mark.slow

DAY = date(2026, 5, 6)
SIZE = Size(DAY, athletes=2, years=0.1)
IDS = [user_id(person.key) for person in people_of(SIZE)]


class Killed(BaseException):
    """As Ctrl-C: no ordinary handler catches it."""


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'demo.db'}"


@pytest.fixture
def written(monkeypatch):
    """The keys of those whose rows were written, one after another; the first making is killed before the third."""
    write, found = generate.write_athlete, []

    def write_until_killed(store, athlete, size):
        found.append(athlete.key)
        if len(found) == 3:
            raise Killed
        write(store, athlete, size)

    monkeypatch.setattr(generate, "write_athlete", write_until_killed)
    return found


def killed(*_):
    raise Killed


def make(url, size=SIZE):
    with closing(Store.open(url)) as store:
        make_demo(store, size)


def everything(url):
    with closing(Store.open(url)) as store:
        rows = {(each, kind): store.row_bodies(kind, each) for each in IDS for kind in RowKind}
        callers = [store.caller(digest_of(key)).athletes for key in KEYS]
        return rows, callers, store.users(), store.workspaces()


def noted(url):
    with closing(Store.open(url)) as store:
        return unwritten(store)


def test_a_making_that_is_killed_says_whose_rows_are_to_come(url, written):
    with pytest.raises(Killed):
        make(url)

    left = noted(url)
    there = {each for (each, kind), rows in everything(url)[0].items() if kind is RowKind.ACTIVITIES and rows}
    assert written == ["coach", "admin", "sprinter"]
    assert left == UnwrittenSquad(SIZE, (2, 3))
    assert there == set(IDS[:2])


def test_the_next_making_writes_the_rest_as_it_was_begun(url, written, tmp_path):
    with pytest.raises(Killed):
        make(url)

    make(url, Size(DAY + timedelta(days=3)))

    assert written[3:] == ["sprinter", "climber"]
    assert noted(url) is None
    in_one_go = f"sqlite:///{tmp_path / 'whole.db'}"
    make(in_one_go)
    assert everything(url) == everything(in_one_go)


@pytest.mark.parametrize("step", ["add_people", "add_workspaces", "add_keys"])
def test_a_making_that_is_killed_among_the_people_is_begun_again(url, step, tmp_path, monkeypatch):
    done = getattr(making, step)
    monkeypatch.setattr(making, step, killed)
    with pytest.raises(Killed):
        make(url)
    monkeypatch.setattr(making, step, done)

    make(url, Size(DAY + timedelta(days=3)))

    in_one_go = f"sqlite:///{tmp_path / 'whole.db'}"
    make(in_one_go)
    assert everything(url) == everything(in_one_go)


def test_a_database_with_people_of_its_own_is_left_alone(url):
    with closing(Store.open(url)) as store:
        store.add_user(NewUser(id="usr_mine", first_name="Mine"))
        before = store.look("", {user.id for user in store.users()})

        make_demo(store, Size(DAY))

        assert store.look("", {user.id for user in store.users()}) == before


def test_a_squad_that_is_whole_is_left_alone(url):
    make(url)
    with closing(Store.open(url)) as store:
        before = store.look("", {user.id for user in store.users()})

        make_demo(store, Size(DAY + timedelta(days=1)))

        assert store.look("", {user.id for user in store.users()}) == before


def test_nothing_that_was_noted_is_left_of_a_whole_squad(demo_store):
    assert unwritten(demo_store) is None
    assert {each.slug for each in demo_store.workspaces()} == {"coachboard-squad", "altitude-group"}
