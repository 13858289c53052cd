"""The commands for sessions, and databases as a person writes them."""

from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

import seeded
from coachboard.service.activity_commands import activities
from coachboard.service.store import NewUser, Store
from coachboard.service.store.engine import address_of


def run(store_url, *words):
    return CliRunner().invoke(activities, [words[0], "--db", store_url, *words[1:]])


@pytest.fixture
def one_person(store):
    user_id = store.add_user(NewUser(first_name="Ada", last_name="Berg"))
    store.put_activities(user_id, [seeded.activity("act_1", datetime(2026, 5, 4, 6, tzinfo=UTC))])
    return store


def test_sessions_are_listed_renamed_deleted_and_restored(one_person, store_url):
    (line,) = run(store_url, "list").stdout.splitlines()
    run(store_url, "rename", "act_1", "Hills")
    renamed = run(store_url, "list").stdout
    run(store_url, "delete", "act_1")
    deleted = run(store_url, "list").stdout
    run(store_url, "restore", "act_1")

    assert line.split("\t")[:3] == ["act_1", "2026-05-04 07:00", "cycling"]
    assert renamed.rstrip().endswith("\tHills")
    assert deleted == ""
    assert run(store_url, "list").stdout == renamed


def test_an_unknown_session_is_one_clear_line(one_person, store_url):
    assert run(store_url, "delete", "act_x").stderr == "Error: no such session: act_x\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgres://ana:pw@host/db", "postgresql+psycopg://ana:***@host/db"),
        ("postgresql://host/db", "postgresql+psycopg://host/db"),
        ("postgresql+psycopg://host/db", "postgresql+psycopg://host/db"),
        ("/data/a b.db", "sqlite:////data/a b.db"),
        ("data/coachboard.db", "sqlite:///data/coachboard.db"),
        ("sqlite:///data/c.db", "sqlite:///data/c.db"),
        ("sqlite://", "sqlite://"),
    ],
)
def test_addresses_of_databases_are_read_as_people_write_them(text, expected):
    assert str(address_of(text)) == expected


def test_a_path_is_a_database(tmp_path):
    path = tmp_path / "mine.db"
    Store.open(str(path)).close()

    assert path.exists()
