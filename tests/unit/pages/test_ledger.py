"""The ledger of invitations is private to its key, and no press of the button is sent twice."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from coachboard.loaders.local_store import beside_cache, fingerprint, open_store
from coachboard.pages.workspaces.invite import Batch, invite
from coachboard.pages.workspaces.ledger import COLUMNS, Entry, Ledger, SendOutcome, as_frame
from coachboard.wire.enums import InvitedRole
from coachboard.wire.users import WorkspaceMembership

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ENTRY = Entry(
    token="press:000",
    sent_at=NOW,
    sent_by="Cleo Coach",
    workspace_id="wke_1",
    workspace_name="Squad",
    email="ana@example.org",
    role="athlete",
    with_mail=False,
)


@contextmanager
def refusing_writes(engine):
    """As a full disk: reads go on."""

    def refuse(connection, *_):
        connection.execute("PRAGMA query_only = ON")

    sa.event.listen(engine, "checkout", refuse)
    try:
        yield
    finally:
        sa.event.remove(engine, "checkout", refuse)
        engine.dispose()  # the setting belongs to the connection


@pytest.fixture
def engine(tmp_path):
    engine = open_store(f"sqlite:///{tmp_path / 'cache.db'}")
    yield engine
    engine.dispose()


def test_a_token_is_claimed_once(engine):
    ledger = Ledger(engine, "one")

    assert [ledger.claim(ENTRY), ledger.claim(ENTRY)] == [True, False]
    assert len(ledger.entries()) == 1


class NotAsked:
    def create_invitation(self, *_):
        raise AssertionError("sent without a row in the ledger")


def test_a_press_on_a_full_disk_is_reported_as_not_sent_and_written_later(engine):
    """The page said nothing of it, and forgot the addresses."""
    ledger = Ledger(engine, "one")
    squad = WorkspaceMembership(id="wke_1", name="Squad", slug="squad", role="coach")
    batch = Batch("press", squad, ("ana@example.org", "ben@example.org"), InvitedRole.ATHLETE, True, "Cleo")
    with refusing_writes(engine):
        invite(NotAsked(), ledger, batch, now=NOW)
        first = ledger.entries_of("press")
        again = ledger.entries_of("press")

    assert [entry.email for entry in first] == ["ana@example.org", "ben@example.org"]
    assert {entry.outcome for entry in first} == {SendOutcome.UNSENT}
    assert again == first
    assert ledger.entries() == ()
    assert ledger.entries_of("press") == first
    assert ledger.entries() == first


def test_keys_see_their_own_rows_alone(engine):
    one, other = Ledger(engine, "one"), Ledger(engine, "other")
    one.claim(ENTRY)

    assert other.entries() == ()
    assert other.latest("wke_1", "ana@example.org") is None
    other.clear()
    assert len(one.entries()) == 1


def test_the_same_token_of_two_keys_is_two_rows(engine):
    assert Ledger(engine, "one").claim(ENTRY)
    assert Ledger(engine, "other").claim(ENTRY)


def test_the_ledger_records_the_outcome_of_an_invitation(engine):
    ledger = Ledger(engine, "one")
    ledger.claim(ENTRY)
    settled = replace(ENTRY, outcome=SendOutcome.CREATED, code="K7F2", expires_at=NOW)

    ledger.settle(settled)

    assert ledger.entries() == (settled,)


def test_the_latest_code_of_an_address_is_found_in_any_case(engine):
    ledger = Ledger(engine, "one")
    ledger.claim(ENTRY)
    ledger.settle(replace(ENTRY, outcome=SendOutcome.CREATED, code="K7F2"))

    found = ledger.latest("wke_1", "ANA@example.org")

    assert found is not None
    assert found.code == "K7F2"
    assert ledger.latest("wke_2", "ana@example.org") is None


def test_clearing_leaves_nothing(engine):
    ledger = Ledger(engine, "one")
    ledger.claim(ENTRY)

    ledger.clear()

    assert ledger.entries() == ()


def test_the_table_has_no_tokens(engine):
    frame = as_frame((ENTRY,))

    assert tuple(frame.columns) == COLUMNS
    assert "token" not in frame


def test_the_store_lies_beside_the_cache_and_not_in_it():
    assert beside_cache("sqlite:///data/cache.db").database == "data/dashboard.db"
    assert beside_cache("postgresql+psycopg://db/coach").database == "coach"


def test_a_fingerprint_differs_by_key_and_address_and_contains_neither():
    prints = {
        fingerprint("http://a/api", "one"),
        fingerprint("http://a/api", "two"),
        fingerprint("http://b/api", "one"),
    }

    assert len(prints) == 3
    assert fingerprint("http://a/api/", "one") in prints
    assert not any("one" in text for text in prints)
