"""A damaged store of the dashboard is moved aside, reported and replaced; a full disk loses no outcome."""

import os
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError

from coachboard.client import Invitation
from coachboard.loaders.flag_snooze import load_snoozes
from coachboard.loaders.local_store import StoreUnreachable, open_store, quarantined, store_at, trouble_of
from coachboard.loaders.preferences import Preferences, change_preferences, load_preferences
from coachboard.pages.workspaces.invite import Batch, invite
from coachboard.pages.workspaces.ledger import Ledger, SendOutcome
from coachboard.wire.enums import WorkspaceRole
from coachboard.wire.users import WorkspaceMembership

IMPERIAL = Preferences(system="imperial")
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def half(body):
    return body[: len(body) // 2]


def flipped(body):
    middle = len(body) // 2
    return body[:4096] + os.urandom(middle) + body[4096 + middle :]


DAMAGES = {"garbage": lambda body: os.urandom(len(body)), "half a file": half, "flipped pages": flipped}


@pytest.fixture
def store(tmp_path):
    cache_url = f"sqlite:///{tmp_path / 'cache.db'}"
    engine = open_store(cache_url)
    for number in range(50):
        change_preferences(engine, f"owner-{number}", lambda _: IMPERIAL)
    with closing(sqlite3.connect(tmp_path / "dashboard.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    yield cache_url, engine, tmp_path / "dashboard.db"
    engine.dispose()


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("is_running", [True, False])
def test_a_damaged_file_is_put_aside_and_the_next_page_has_a_new_one(store, damage, is_running):
    cache_url, engine, path = store
    engine.dispose()
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    if not is_running:
        engine = store_at(cache_url)

    assert load_preferences(engine, "owner-1") == Preferences()
    for number in range(50):
        load_preferences(engine, f"owner-{number}")
    change_preferences(engine, "owner-1", lambda _: IMPERIAL)

    assert load_preferences(engine, "owner-1") == IMPERIAL
    assert quarantined(cache_url).read_bytes() == damaged
    engine.dispose()


def test_a_folder_that_cannot_be_made_is_an_unreachable_store(tmp_path):
    (tmp_path / "file").touch()
    cache_url = f"sqlite:///{tmp_path / 'file' / 'cache.db'}"

    with pytest.raises(StoreUnreachable):
        open_store(cache_url)
    assert load_preferences(store_at(cache_url), "owner") == Preferences()


def test_a_damaged_row_harms_itself_alone(store):
    _, engine, _ = store
    with engine.begin() as connection:
        connection.execute(text("UPDATE dashboard_preferences SET body = 'no JSON' WHERE owner = 'owner-1'"))
        connection.execute(
            text(
                "INSERT INTO dashboard_put_off_flags VALUES ('owner-1', 'usr_a', 'r', 'no day', '', 'no time')"
            )
        )

    assert load_preferences(engine, "owner-1") == Preferences()
    assert load_preferences(engine, "owner-2") == IMPERIAL
    assert load_snoozes(engine, "owner-1", today=date(2026, 3, 1)) == {}


class FillsTheDisk:
    """A client whose service answers; from the given request on, the dashboard's disk is full."""

    def __init__(self, engine, full_at):
        self._full_at, self.asked, self.is_full = full_at, [], False
        event.listen(engine, "before_cursor_execute", self._write)

    def _write(self, _connection, _cursor, statement, *_rest):
        if self.is_full and not statement.startswith(("SELECT", "BEGIN")):
            raise OperationalError(statement, None, sqlite3.OperationalError("database or disk is full"))

    def create_invitation(self, workspace_id, invitation):
        self.asked.append(invitation.email)
        self.is_full = len(self.asked) >= self._full_at
        return Invitation("code", None, None, None, {})


def test_a_disk_that_fills_up_while_sending_loses_no_outcome(store):
    _, engine, _ = store
    ledger, client = Ledger(engine, "owner-1"), FillsTheDisk(engine, 2)
    workspace = WorkspaceMembership(id="wke_1", name="Club", slug="club", role=WorkspaceRole.COACH)
    batch = Batch("press", workspace, ("a@x.org", "b@x.org", "c@x.org"), WorkspaceRole.ATHLETE, False, "Cleo")

    entries = invite(client, ledger, batch, now=NOW)

    assert client.asked == ["a@x.org", "b@x.org", "c@x.org"]
    assert [(entry.email, entry.outcome) for entry in entries] == [
        (address, SendOutcome.CREATED) for address in client.asked
    ]
    client.is_full = False
    ledger.entries_with_unsaved()  # writes them
    assert {entry.outcome for entry in ledger.entries()} == {SendOutcome.CREATED}


def test_a_store_that_cannot_be_used_says_why(store, tmp_path):
    _, engine, _ = store
    (tmp_path / "folder" / "dashboard.db").mkdir(parents=True)
    blocked = store_at(f"sqlite:///{tmp_path / 'folder' / 'cache.db'}")
    sound = trouble_of(engine)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE dashboard_visits"))
        connection.execute(text("CREATE TABLE dashboard_visits (owner TEXT)"))

    assert sound is None
    assert trouble_of(blocked) == "unable to open database file"
    assert trouble_of(engine).startswith("no such column: dashboard_visits.")
