"""The dashboard's own store where it cannot be reached: choices fall back, nothing is sent unclaimed."""

from datetime import UTC, date, datetime

import pytest

from coachboard.loaders.flag_snooze import FlagOf, load_snoozes, snooze, unsnooze
from coachboard.loaders.local_store import StoreUnreachable, open_store, store_at
from coachboard.loaders.preferences import Preferences, change_preferences, load_preferences
from coachboard.pages.workspaces.ledger import Entry, Ledger, SendOutcome
from running import refusing_port


@pytest.fixture(params=["a server that is down", "a folder in the file's place"])
def address(request, tmp_path):
    if request.param == "a server that is down":
        with refusing_port() as port:
            yield f"postgresql+psycopg://coachboard@127.0.0.1:{port}/none"
        return
    (tmp_path / "dashboard.db").mkdir()
    yield f"sqlite:///{tmp_path / 'cache.db'}"


def test_an_unreachable_store_is_reported_when_it_is_opened(address):
    with pytest.raises(StoreUnreachable):
        open_store(address)


def test_pages_have_the_defaults_where_choices_cannot_be_read(address):
    engine = store_at(address)

    assert load_preferences(engine, "owner") == Preferences()
    assert load_snoozes(engine, "owner", today=date(2026, 3, 1)) == {}
    engine.dispose()


def test_a_failed_write_is_reported(address):
    engine, flag = store_at(address), FlagOf("usr_a", "hrv_low")
    now = datetime(2026, 3, 1, tzinfo=UTC)

    with pytest.raises(StoreUnreachable):
        change_preferences(engine, "owner", lambda kept: kept)
    with pytest.raises(StoreUnreachable):
        snooze(engine, "owner", flag, until=now.date(), reason="", now=now)
    with pytest.raises(StoreUnreachable):
        unsnooze(engine, "owner", flag)
    engine.dispose()


def test_no_invitation_is_claimed_where_it_cannot_be_written_down(address):
    ledger = Ledger(store_at(address), "owner")
    entry = Entry(
        token="press:a@b.example",
        sent_at=datetime(2026, 3, 1, tzinfo=UTC),
        sent_by="Ann",
        workspace_id="wsp_1",
        workspace_name="Club",
        email="a@b.example",
        role="athlete",
        with_mail=False,
        outcome=SendOutcome.SENDING,
    )

    with pytest.raises(StoreUnreachable):
        ledger.claim(entry)
    with pytest.raises(StoreUnreachable):
        ledger.entries()
