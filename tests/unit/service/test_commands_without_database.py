"""Commands that only read or change rows make no database: a list of nothing in a new file hides a wrong path."""

import sqlite3
from contextlib import closing

import click
import pytest
from click.testing import CliRunner

from coachboard.cli import main
from coachboard.client.commands import cache_command
from databases import DATABASES, empty_database

CREATES = {"demo", "demo-data", "open", "restore", "serve", "users add", "workspaces add"}
NO_DATABASE = {
    "cache clear", "cache show", "dashboard", "identities add", "identities remove", "metrics types", "sync",
}  # fmt: skip
"""Commands of the cache, of the dashboard's own data and of a remote service, and a list that is part of the program."""
ARGUMENTS = {
    "activities delete": ["act_1"],
    "activities rename": ["act_1", "Hills"],
    "activities restore": ["act_1"],
    "invitations redeem": ["--first-name", "Ada"],
    "invitations revoke": ["inv_1"],
    "keys add": ["Ada"],
    "keys revoke": ["key_1"],
    "metrics add": ["Ada", "weight", "70"],
    "metrics delete": ["mtr_1"],
    "metrics edit": ["mtr_1", "70"],
    "backup": ["backup.tar"],
    "users remove": ["Ada"],
    "workspaces members add": ["wke_1", "Ada", "--role", "coach"],
    "workspaces members list": ["wke_1"],
    "workspaces members remove": ["wke_1", "Ada"],
    "workspaces remove": ["wke_1"],
}


def commands(group, *names):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)
        else:
            yield " ".join((*names, name))


NAMES = sorted(set(commands(main)) - CREATES - NO_DATABASE)


def run(name, url, folder):
    file = folder / "nights.csv"
    file.write_text("date,hrv\n2026-05-02,60\n")
    people = folder / "people.csv"
    people.write_text("email\nada@example.org\n")
    files = {"import": [str(file)], "nights import": [str(file)]}
    files["invitations enrol"] = [str(people), "--workspace", "wke_1"]
    given = files.get(name) or ARGUMENTS.get(name, [])
    return CliRunner().invoke(main, [*name.split(), "--db", url, *given])


def test_the_list_of_commands_is_complete():
    assert set(commands(main)) >= CREATES | NO_DATABASE
    assert len(NAMES) == 27


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_database_is_reported_and_not_created(name, tmp_path):
    path = tmp_path / "wrong" / "coachboard.db"
    result = run(name, str(path), tmp_path)

    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: there is no database at {path}: check --db, import files with `coachboard open`, or add a person "
        "with `coachboard users add`\n"
    )
    assert not path.parent.exists()


@pytest.mark.parametrize("name", ["users list", "activities list", "recompute"])
def test_another_programs_file_is_left_as_it_is(name, tmp_path):
    path = tmp_path / "photos.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE photos (id INTEGER)")
    before = path.read_bytes()
    result = run(name, str(path), tmp_path)

    assert f"there is no database at sqlite:///{path}" in result.stderr
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("photos")] == ["photos.db"]


@pytest.mark.parametrize("kind", [kind for kind in DATABASES if "sqlite" not in str(kind)])
def test_an_empty_postgresql_database_gets_no_tables(kind, tmp_path):
    with empty_database(kind, tmp_path) as url:
        first, second = (run("users list", url, tmp_path) for _ in range(2))

    assert "there is no database at postgresql" in first.stderr
    assert first.stderr == second.stderr


@pytest.mark.parametrize("name", ["show", "clear"])
def test_a_missing_cache_is_reported_and_not_created(name, tmp_path, monkeypatch):
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("COACHBOARD_CACHE_URL", raising=False)
    result = CliRunner().invoke(cache_command, [name])

    assert (
        result.stderr
        == f"There is no cache yet: {tmp_path / 'data/cache.db'}. The dashboard and `coachboard sync` fill it.\n"
    )
    assert not (tmp_path / "data").exists()


def test_the_types_of_values_need_no_database(tmp_path, monkeypatch):
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path / "data"))
    result = CliRunner().invoke(main, ["metrics", "types"])

    assert "weight\tkg" in result.stdout
    assert not (tmp_path / "data").exists()
