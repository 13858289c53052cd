"""The same seed and day give the same rows."""

from contextlib import closing
from datetime import date, timedelta

import orjson
from click.testing import CliRunner

from coachboard.service.store import RowKind, Store
from coachboard_demo import generate as generate_module
from coachboard_demo.commands import demo_data
from coachboard_demo.generate import generate, in_parts, write_share
from coachboard_demo.part import FIRST_DAYS, Part, Task
from coachboard_demo.people import add_people, people_of, user_id
from coachboard_demo.size import Size

DAY = date(2026, 5, 6)


def made(folder, name, **changes):
    store = Store.open(f"sqlite:///{folder / name}")
    generate(store, Size(DAY, **({"athletes": 3, "years": 0.12} | changes)))
    return store


def everything(store, key="climber"):
    recipes = [
        store.streams(orjson.loads(body)["id"]).recipe
        for body in store.row_bodies(RowKind.ACTIVITIES, user_id(key))
    ]
    rows = {(user.id, kind): store.row_bodies(kind, user.id) for user in store.users() for kind in RowKind}
    return rows, recipes, store.users()


def test_same_seed_and_day_give_the_same_bytes(tmp_path):
    first, second = made(tmp_path, "first.db"), made(tmp_path, "second.db")

    assert everything(first) == everything(second)
    first.close()
    second.close()


def test_another_seed_gives_other_sessions_of_the_same_people(tmp_path):
    first, second = made(tmp_path, "first.db"), made(tmp_path, "second.db", seed=2)

    assert everything(first)[0] != everything(second)[0]
    assert first.users() == second.users()
    first.close()
    second.close()


def test_people_written_apart_make_the_whole(tmp_path):
    whole = made(tmp_path, "whole.db")
    halves = Store.open(f"sqlite:///{tmp_path / 'halves.db'}")
    for person in whole.users():
        halves.add_user(person)
    for numbers in ((4, 1, 3), (0, 2)):
        write_share(halves.url, Size(DAY, athletes=3, years=0.12), [Task(number) for number in numbers])

    assert everything(whole) == everything(halves)
    whole.close()
    halves.close()


def first_rows(store):
    """All that is to be there once the first part of everybody is written."""
    starts = {kind: days and DAY - timedelta(days=days) for kind, days in FIRST_DAYS.items()}
    return {
        (user.id, kind): store.row_bodies(RowKind(kind), user.id, start=start)
        for user in store.users()
        for kind, start in starts.items()
    }


def test_what_a_roster_reads_written_before_the_rest_makes_the_whole(tmp_path):
    """What a day brings to the next hangs on no row: the first part needs nothing of the second."""
    size = Size(DAY, athletes=20, years=1.2)  # the rare athlete among them
    people = people_of(size)
    numbers = [at for at, person in enumerate(people) if person.key in {"track", "rare", "coach"}]
    tasks = in_parts(size, numbers)
    whole, parts = tmp_path / "whole.db", tmp_path / "parts.db"
    for path, order in ((whole, [Task(number) for number in numbers]), (parts, tasks)):
        with closing(Store.open(f"sqlite:///{path}")) as store:
            add_people(store, size)
            write_share(store.url, size, order)
    early = tmp_path / "early.db"
    with closing(Store.open(f"sqlite:///{early}")) as store:
        add_people(store, size)
        write_share(store.url, size, [task for task in tasks if task.part is not Part.REST])
        read_early = first_rows(store)

    # The coach first and at one go: who opens the pages is asked for before anything is drawn.
    assert [task.part for task in tasks] == [Part.WHOLE, *[Part.FIRST] * 2, *[Part.REST] * 2]
    with closing(Store.open(f"sqlite:///{whole}")) as one, closing(Store.open(f"sqlite:///{parts}")) as other:
        assert everything(one, "track") == everything(other, "track")
        assert first_rows(one) == read_early
        first = DAY - timedelta(days=FIRST_DAYS["activities"])
        assert len(one.activities_of(user_id("track"), None, first - timedelta(days=1))) > 10


def test_the_number_of_processes_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(generate_module, "processes", lambda _url, _people: 3)
    shared = made(tmp_path, "shared.db")
    monkeypatch.setattr(generate_module, "processes", lambda _url, _people: 1)
    alone = made(tmp_path, "alone.db")

    assert everything(shared) == everything(alone)
    shared.close()
    alone.close()


def test_command_writes_a_squad_of_the_asked_size_without_keys(tmp_path):
    url = f"sqlite:///{tmp_path / 'made.db'}"
    options = ["--athletes", "2", "--years", "0.1", "--seed", "4", "--db", url, "--today", "2026-05-06"]

    result = CliRunner().invoke(demo_data, options)

    store = Store.open(url)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert "2 athletes" in result.stderr
    assert len(store.users()) == 4
    assert store.keys() == []
    store.close()
