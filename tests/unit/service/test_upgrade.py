"""Migrations with real data: only `coachboard upgrade` runs them, and nothing is lost."""

import shutil
from contextlib import closing
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from click.testing import CliRunner

import seeded
from coachboard import cli
from coachboard.server import backup_command
from coachboard.service.store import Store, engine
from coachboard.service.store.tables import METADATA
from databases import content

NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade():
    op.add_column("workspaces", sa.Column("city", sa.Text))
    op.execute("UPDATE workspaces SET city = 'city of ' || name")
"""


@pytest.fixture
def seeded_url(store, store_url):
    """A store of today's schema with a squad and its rows."""
    seeded.seed(store)
    return store_url


@pytest.fixture
def next_version(monkeypatch, tmp_path):
    """Coachboard of tomorrow, with one more migration."""
    folder = shutil.copytree(engine._MIGRATIONS, tmp_path / "migrations")
    (folder / "versions" / "next.py").write_text(NEXT)
    monkeypatch.setattr(engine, "_MIGRATIONS", folder)
    monkeypatch.setattr(engine, "NEWEST", "0008")


def run(*words):
    return CliRunner().invoke(cli.main, [str(word) for word in words])


def scalars(url, statement):
    database = sa.create_engine(url)
    try:
        with database.connect() as connection:
            return connection.exec_driver_sql(statement).scalars().all()
    finally:
        database.dispose()


def test_todays_schema_with_data_is_migrated_by_the_command_alone(seeded_url, next_version):
    before = content(seeded_url)
    named = (
        f" --db {seeded_url}" if seeded_url.startswith("sqlite") else ""
    )  # a password stays out of the log
    for words in (["users", "list"], ["serve", "--port", "8651"], ["keys", "add", "Ana"]):
        refused = run(*words, "--db", seeded_url)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert refused.stderr == (
            "Error: cannot open the database: its schema is 0007, this version needs 0008: make a backup, then run "
            f"`coachboard upgrade{named}`\n"
        )
    assert scalars(seeded_url, "SELECT version_num FROM alembic_version") == ["0007"]
    assert content(seeded_url) == before

    for _ in range(2):  # a second run changes nothing
        done = run("upgrade", "--db", seeded_url)
        assert done.exit_code == 0, done.output
    assert scalars(seeded_url, "SELECT version_num FROM alembic_version") == ["0008"]
    assert content(seeded_url) == before
    assert len(before["activities"]) >= 5
    assert scalars(seeded_url, "SELECT city FROM workspaces ORDER BY 1") == ["city of Club", "city of Squad"]
    assert run("users", "list", "--db", seeded_url).exit_code == 0


def test_an_older_schema_is_backed_up_and_restored_as_it_is(seeded_url, next_version, tmp_path, monkeypatch):
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(backup_command, "NEWEST", "0008")
    before, file = content(seeded_url), tmp_path / "file"
    assert run("backup", "--db", seeded_url, file).exit_code == 0
    assert run("upgrade", "--db", seeded_url).exit_code == 0
    restored = run("restore", "--db", seeded_url, "--replace", file)

    assert restored.exit_code == 0, restored.output
    assert "The data has schema 0007: run `coachboard upgrade`." in restored.stderr
    counted = {"changes", "stamps"}
    after = content(seeded_url)
    assert {name: after[name] for name in after.keys() - counted} == {
        name: before[name] for name in before.keys() - counted
    }
    assert run("upgrade", "--db", seeded_url).exit_code == 0
    assert scalars(seeded_url, "SELECT city FROM workspaces ORDER BY 1") == ["city of Club", "city of Squad"]


def test_a_migration_that_fails_leaves_the_database_as_it_was(seeded_url, next_version):
    before = content(seeded_url)
    broken = engine._MIGRATIONS / "versions" / "next.py"
    broken.write_text(NEXT + '    op.execute("UPDATE no_such_table SET a = 1")\n')

    refused = run("upgrade", "--db", seeded_url)

    assert refused.exit_code == 1
    assert "no_such_table" in refused.stderr
    assert scalars(seeded_url, "SELECT version_num FROM alembic_version") == ["0007"]
    assert content(seeded_url) == before
    with pytest.raises(sa.exc.DBAPIError):
        scalars(seeded_url, "SELECT city FROM workspaces")


def test_the_schema_before_todays_is_migrated_with_its_data(store, tmp_path):
    """Rows written by the version before, in its own tables."""
    seeded.seed(store)
    url = f"sqlite:///{tmp_path / 'older.db'}"
    older, rows = engine.open_engine(url), {}
    with engine.writing(older).begin() as connection, store._reading() as read:
        config = Config()
        config.set_main_option("script_location", str(engine._MIGRATIONS))
        config.attributes.update(connection=connection, metadata=METADATA)
        command.upgrade(config, "0004")
        connection.exec_driver_sql("DELETE FROM changes")
        for table in METADATA.sorted_tables:
            if sa.inspect(connection).has_table(table.name):
                rows[table.name] = [row._asdict() for row in read.execute(sa.select(table))]
                names = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
                known = [{name: row[name] for name in row if name in names} for row in rows[table.name]]
                if known:
                    connection.execute(sa.insert(table), known)
        connection.exec_driver_sql(
            "INSERT INTO invitations (id, workspace_id, address, email, role, code, expires_at) "
            "VALUES ('inv_1', 'wke_squad', 'a@example.org', 'A@example.org', 'coach', 'code-of-a-mail', 4000000000)"
        )
    older.dispose()
    before = content(url)

    assert "its schema is 0004, this version needs" in run("users", "list", "--db", url).stderr
    assert run("upgrade", "--db", url).exit_code == 0
    after = content(url)
    changed = {"queued_mails", "keys", "invitations"}
    assert {name: after[name] for name in after.keys() - changed} == {
        name: before[name] for name in before.keys() - changed
    }
    assert after["keys"] == [f"{row.removesuffix(')')}, None, None)" for row in before["keys"]]
    assert "code-of-a-mail" not in repr(after)
    with closing(Store.open(url)) as opened:
        assert {user.id for user in opened.users()} == {person.id for person in seeded.PEOPLE}
        assert len(opened.activities_of(seeded.ATHLETE, None, None)) == len(seeded.ACTIVITIES)
        found = opened.invitation(
            "code-of-a-mail", datetime.now(UTC)
        )  # the code of a mail that was sent before
        assert (found.email, found.role, found.state) == ("A@example.org", "coach", "pending")


def test_the_schema_of_a_newer_version_is_not_touched(seeded_url):
    database = sa.create_engine(seeded_url)
    with database.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    database.dispose()

    for words in (["users", "list"], ["upgrade"]):
        assert run(*words, "--db", seeded_url).stderr == (
            "Error: cannot open the database: its schema is of another, probably newer version of Coachboard\n"
        )
