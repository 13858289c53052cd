"""The same seed and day give the same rows."""

from datetime import date

import orjson
import pytest
from click.testing import CliRunner

from coachboard.service.store import RowKind, Store
from coachboard_demo import generate as generate_module
from coachboard_demo.generate import demo_data, generate, write_share
from coachboard_demo.people import Size, user_id

pytestmark = pytest.mark.slow

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
        write_share(halves.url, Size(DAY, athletes=3, years=0.12), numbers)

    assert everything(whole) == everything(halves)
    whole.close()
    halves.close()


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
