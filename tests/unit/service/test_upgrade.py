"""Migrations with real data: only `coachboard upgrade` runs them, and nothing is lost."""

import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack, closing
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from click.testing import CliRunner

import seeded
from coachboard import cli
from coachboard.server import backup_command
from coachboard.service.ids import new_id
from coachboard.service.own_data.jobs import new_job
from coachboard.service.store import (
    ImportedFile,
    JobFile,
    JobKind,
    JobState,
    RowKind,
    Store,
    directory,
    engine,
)
from coachboard.service.store.comments import StoredComment, Thread
from coachboard.service.store.plans import BatchStamp, PlanChange, StoredBatch
from coachboard.service.store.tables import METADATA, REFERENCE, stamps
from coachboard.wire.planning import PlanOp
from databases import connected, content, empty_database

TODAYS, NEXTS = engine.NEWEST, f"{int(engine.NEWEST) + 1:04}"
NEXT = f"""
import sqlalchemy as sa
from alembic import op

revision = "{NEXTS}"
down_revision = "{TODAYS}"


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
    monkeypatch.setattr(engine, "NEWEST", NEXTS)


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
            f"Error: cannot open the database: its schema is {TODAYS}, this version needs {NEXTS}: make a backup, then run "
            f"`coachboard upgrade{named}`\n"
        )
    assert scalars(seeded_url, "SELECT version_num FROM alembic_version") == [TODAYS]
    assert content(seeded_url) == before

    for _ in range(2):  # a second run changes nothing
        done = run("upgrade", "--db", seeded_url)
        assert done.exit_code == 0, done.output
    assert scalars(seeded_url, "SELECT version_num FROM alembic_version") == [NEXTS]
    assert content(seeded_url) == before
    assert len(before["activities"]) >= 5
    assert scalars(seeded_url, "SELECT city FROM workspaces ORDER BY 1") == ["city of Club", "city of Squad"]
    assert run("users", "list", "--db", seeded_url).exit_code == 0


def test_an_older_schema_is_backed_up_and_restored_as_it_is(seeded_url, next_version, tmp_path, monkeypatch):
    monkeypatch.setenv("COACHBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(backup_command, "NEWEST", NEXTS)
    before, file = content(seeded_url), tmp_path / "file"
    assert run("backup", "--db", seeded_url, file).exit_code == 0
    assert run("upgrade", "--db", seeded_url).exit_code == 0
    restored = run("restore", "--db", seeded_url, "--replace", file)

    assert restored.exit_code == 0, restored.output
    assert f"The data has schema {TODAYS}: run `coachboard upgrade`." in restored.stderr
    counted = {"stamps"}
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
    assert scalars(seeded_url, "SELECT version_num FROM alembic_version") == [TODAYS]
    assert content(seeded_url) == before
    with pytest.raises(sa.exc.DBAPIError):
        scalars(seeded_url, "SELECT city FROM workspaces")


def test_the_schema_before_todays_is_migrated_with_its_data(store, tmp_path):
    """Rows written by the version before, in its own tables."""
    seeded.seed(store)
    url = f"sqlite:///{tmp_path / 'older.db'}"
    older, rows = engine.open_engine(url), {}
    with engine.writing(older).begin() as connection, connected(store.url) as read:
        config = Config()
        config.set_main_option("script_location", str(engine._MIGRATIONS))
        config.attributes.update(connection=connection, metadata=METADATA)
        command.upgrade(config, "0004")
        connection.exec_driver_sql("DELETE FROM changes")
        for table in METADATA.sorted_tables:
            if sa.inspect(connection).has_table(table.name):
                rows[table.name] = [row._asdict() for row in read.execute(sa.select(table))]
                copy_rows(connection, table, rows[table.name])
        connection.exec_driver_sql(
            "INSERT INTO invitations (id, workspace_id, address, email, role, code, expires_at) "
            "VALUES ('inv_1', 'wke_squad', 'a@example.org', 'A@example.org', 'coach', 'code-of-a-mail', 4000000000)"
        )
    older.dispose()
    before = content(url)

    assert "its schema is 0004, this version needs" in run("users", "list", "--db", url).stderr
    assert run("upgrade", "--db", url).exit_code == 0
    after = content(url)
    planned = {"prescriptions", "notes", "events"}
    changed = planned | {
        "queued_mails",
        "keys",
        "invitations",
        "stamps",
        "users",
        "members",
        "metrics",
        "athlete_settings",
        "streams",
        "recipes",
        "directory",
    }
    kept = before.keys() - changed
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert not any(after[name] for name in after.keys() - before.keys() - changed)
    assert after["keys"] == [f"{row.removesuffix(')')}, None, None)" for row in before["keys"]]
    assert after["members"] == [f"{row.removesuffix(')')}, None)" for row in before["members"]]
    assert after["users"] == [f"{row.removesuffix(')')}, None, None, None)" for row in before["users"]]
    assert after["metrics"] == [row.replace(", b'", ", None, b'", 1) for row in before["metrics"]]
    assert after["stamps"] == [f"{row[:-1]}, {row[:-1].split(', ')[1]})" for row in before["stamps"]]
    assert "code-of-a-mail" not in repr(after)
    with closing(Store.open(url)) as opened:
        assert {user.id for user in opened.users()} == {person.id for person in seeded.PEOPLE}
        for kind in planned:
            assert opened.row_bodies(RowKind(kind), seeded.ATHLETE) == store.row_bodies(
                RowKind(kind), seeded.ATHLETE
            )
        assert len(opened.activities_of(seeded.ATHLETE, None, None)) == len(seeded.ACTIVITIES)
        found = opened.invitation(
            "code-of-a-mail", datetime.now(UTC)
        )  # the code of a mail that was sent before
        assert (found.email, found.role, found.state) == ("A@example.org", "coach", "pending")


def test_a_member_of_an_earlier_version_is_one_since_their_invitation_was_used(tmp_path):
    url = f"sqlite:///{tmp_path / 'older.db'}"
    older = engine.open_engine(url)
    with engine.writing(older).begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(engine._MIGRATIONS))
        config.attributes.update(connection=connection, metadata=METADATA)
        command.upgrade(config, "0009")
        for statement in (
            "INSERT INTO users (id, body) VALUES ('usr_1', X'7B7D'), ('usr_2', X'7B7D')",
            "INSERT INTO workspaces (id, name, slug) VALUES ('wke_1', 'One', 'one')",
            "INSERT INTO members (workspace_id, user_id, role) VALUES ('wke_1', 'usr_1', 'coach'), ('wke_1', 'usr_2', 'athlete')",
            (
                "INSERT INTO invitations (id, workspace_id, address, email, role, digest, expires_at, used_at, used_by) "
                "VALUES ('inv_1', 'wke_1', 'a@example.org', 'a@example.org', 'coach', 'x', 1800000000, 1790000000, 'usr_1')"
            ),
        ):
            connection.exec_driver_sql(statement)
    older.dispose()

    assert run("upgrade", "--db", url).exit_code == 0
    assert scalars(url, "SELECT joined_at FROM members ORDER BY user_id") == [1_790_000_000, None]


def test_the_schema_of_a_newer_version_is_not_touched(seeded_url):
    database = sa.create_engine(seeded_url)
    with database.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    database.dispose()

    for words in (["users", "list"], ["upgrade"]):
        assert run(*words, "--db", seeded_url).stderr == (
            "Error: cannot open the database: its schema is of another, probably newer version of Coachboard\n"
        )


REVISIONS = [
    pytest.param(f"{number:04}", marks=() if number in {4, 14, int(TODAYS) - 1} else pytest.mark.slow)
    for number in range(4, int(TODAYS))
]
ATHLETES_TABLES = [table for table in METADATA.sorted_tables if table not in {*REFERENCE, stamps}]
ENTRY = seeded.PRESCRIPTIONS[0].id


@pytest.fixture
def older(store, tmp_path):
    """Write the rows of a seeded store into a database of an older schema; its address."""
    seeded.seed(store)
    job = new_job(seeded.ATHLETE, JobKind.IMPORT, JobState.RUNNING)
    store.add_job(job)
    store.put_progress(job.id, [JobFile("ride.fit", 0, "imported", {})], done=1)
    imported_at = datetime(2026, 3, 1, tzinfo=UTC)
    store.put_recording(ImportedFile("d" * 64, seeded.ATHLETE, "ride.fit", (seeded.RIDE,), imported_at))
    with store.changing_plans() as plans:
        for thread in (Thread(activity_id=seeded.RIDE), Thread(entry_id=ENTRY)):
            comment = StoredComment(
                new_id("cmt"), seeded.ATHLETE, thread, seeded.COACH, "Well done", imported_at
            )
            plans.comments.add(comment, {seeded.ATHLETE: None, seeded.ADMIN: 5})
        batch = StoredBatch(
            id="bat_1", author_id=seeded.COACH, idempotency_key=None, digest="", results=[], warnings=[]
        )
        stamp = BatchStamp(batch_id="bat_1", author_id=seeded.COACH, source=None, undo_of=None, created_at=1)
        row = plans.find(ENTRY)
        plans.add_batch(batch, stamp, [PlanChange(0, PlanOp.CREATE, None, row)])
    (tmp_path / "older").mkdir()
    with ExitStack() as stack:
        kind = "sqlite" if store.url.startswith("sqlite") else "postgres"

        def written(revision):
            url = stack.enter_context(empty_database(kind, tmp_path / "older"))
            opened = engine.open_engine(url)
            with engine.writing(opened).begin() as connection, connected(store.url) as read:
                config = Config()
                config.set_main_option("script_location", str(engine._MIGRATIONS))
                config.attributes.update(connection=connection, metadata=METADATA)
                command.upgrade(config, revision)
                for table in METADATA.sorted_tables:
                    rows = [dict(row) for row in read.execute(sa.select(table)).mappings()]
                    copy_rows(connection, table, rows)
            opened.dispose()
            return url

        yield written


def copy_rows(connection, table, rows):
    """Insert the rows into a table that lacks some columns, or is not there."""
    if rows and sa.inspect(connection).has_table(table.name):
        names = [column["name"] for column in sa.inspect(connection).get_columns(table.name)]
        columns = [sa.column(name, table.c[name].type) for name in names if name in table.c]
        known = [{column.name: row[column.name] for column in columns} for row in rows]
        connection.execute(sa.insert(sa.table(table.name, *columns)), known)


def athletes_rows(url, columns):
    """The rows of athletes' data, in these columns of each table."""
    with connected(url) as connection:
        return {
            table: sorted(
                repr({name: row[name] for name in columns[table]})
                for row in connection.execute(
                    sa.select(*(sa.column(name) for name in columns[table])).select_from(sa.table(table))
                ).mappings()
            )
            for table in columns
        }


def athletes_columns(url):
    with connected(url) as connection:
        there = sa.inspect(connection)
        return {
            table.name: sorted(column["name"] for column in there.get_columns(table.name))
            for table in ATHLETES_TABLES
            if there.has_table(table.name)
        }


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_earlier_schema_keeps_the_rows_of_athletes_and_finds_them_by_their_ids(older, revision):
    url = older(revision)
    columns = athletes_columns(url)
    before = athletes_rows(url, columns)
    assert run("upgrade", "--db", url).exit_code == 0

    assert athletes_rows(url, columns) == before
    assert len(before["activities"]) >= 5
    assert all(before[name] for name in ("streams", "recipes", "recordings", "metrics", "jobs", "job_files"))
    with closing(Store.open(url)) as opened, opened.reading_plans() as plans, connected(url) as connection:
        for name in (
            "activities",
            "prescriptions",
            "notes",
            "events",
            "metrics",
            "jobs",
            "comments",
            "plan_batches",
        ):
            table = METADATA.tables[name]
            for user_id, row_id in connection.execute(sa.select(table.c.user_id, table.c.id)):
                assert directory.people_of(connection, [row_id]) == {user_id}
        assert opened.streams(seeded.RIDE).user_id == seeded.ATHLETE
        assert opened.streams(seeded.MADE).recipe.recipe == b"7"
        assert plans.find(ENTRY).user_id == seeded.ATHLETE
        (job,) = opened.jobs_of(seeded.ATHLETE, JobKind.IMPORT)
        assert [file.name for file in opened.job_files(job.id)] == ["ride.fit"]
        if "comments" in before:
            comments = plans.comments.unread_of(seeded.ATHLETE)
            assert {comment.text for comment in comments} == {"Well done"}
            assert [plans.comments.of(comment.thread) for comment in comments] == [
                [each] for each in comments
            ]
            assert [plans.comments.find(comment.id) for comment in comments] == comments
        if "plan_batches" in before:
            assert [change.row.id for change in plans.history(seeded.ATHLETE, 5)[0][1]] == [ENTRY]
            assert plans.batch("bat_1").author_id == seeded.COACH


def test_a_row_of_before_takes_its_children_along(older):
    url = older(f"{int(TODAYS) - 1:04}")
    assert run("upgrade", "--db", url).exit_code == 0

    with closing(Store.open(url)) as opened:
        assert opened.remove_user(seeded.ATHLETE)
    left = content(url)
    assert not any(
        left[name]
        for name in ("streams", "recipes", "job_files", "unread_comments")
        if "stranger" not in repr(left[name])
    )
    assert seeded.ATHLETE not in repr({name: rows for name, rows in left.items() if name != "plan_batches"})


KILLED = f"""
import os
import signal

revision = "{NEXTS}"
down_revision = "{TODAYS}"


def upgrade():
    os.kill(os.getpid(), signal.SIGKILL)
"""
OPEN = """
import sys
from pathlib import Path
from coachboard.service.store import Store, engine

engine._MIGRATIONS, engine.NEWEST = Path(sys.argv[1]), sys.argv[2]
Store.open(sys.argv[3], upgrades=True)
"""


def test_a_migration_that_is_killed_at_its_end_is_done_again(older, tmp_path):
    url = older(f"{int(TODAYS) - 1:04}")
    columns, before = athletes_columns(url), content(url)
    folder = shutil.copytree(engine._MIGRATIONS, tmp_path / "migrations")
    (folder / "versions" / "next.py").write_text(KILLED)
    killed = subprocess.run([sys.executable, "-c", OPEN, str(folder), NEXTS, url], check=False, timeout=60)

    assert killed.returncode == -signal.SIGKILL
    assert content(url) == before
    rows = athletes_rows(url, columns)
    assert run("upgrade", "--db", url).exit_code == 0
    assert athletes_rows(url, columns) == rows
    with closing(Store.open(url)) as opened:
        assert opened.owner_of(seeded.RIDE) == seeded.ATHLETE
