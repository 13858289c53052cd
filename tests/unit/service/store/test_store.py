"""The store returns the rows that were written, in order, on SQLite and on PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa
import zstandard
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from coachboard.service.store import (
    ImportedFile,
    Maker,
    Member,
    NewUser,
    PendingInvitation,
    RowKind,
    Store,
    StreamRecipe,
    Workspace,
    engine,
)
from coachboard.service.store.keys import digest_of
from coachboard.service.store.rows import local_day
from coachboard.service.store.tables import METADATA
from coachboard.wire.activities import Activity
from coachboard.wire.enums import InvitedRole, MetricSource, WorkspaceRole
from databases import connected
from seeded import (
    ATHLETE,
    ATHLETE_KEY,
    COACH,
    METRICS,
    OTHER_ATHLETE,
    RIDE,
    SQUAD,
    STRANGER,
    activity,
    metric,
    seed,
    streams,
)

START = datetime(2026, 5, 6, 7, tzinfo=UTC)


@pytest.fixture
def athlete(store):
    return store.add_user(NewUser(first_name="Ana", last_name="Berg"))


def test_the_migrated_schema_is_the_one_that_the_code_knows(store):
    """Migrations and tables are two descriptions of one schema."""
    with connected(store.url) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})

        assert compare_metadata(context, METADATA) == []


@pytest.mark.parametrize(("is_bulk", "kilobytes"), [(False, 8 * 1024), (True, 64 * 1024)])
def test_only_a_bulk_writer_keeps_many_pages_of_the_file(tmp_path, is_bulk, kilobytes):
    """Fifteen connections of the service took up to 960 MB."""
    opened = engine.open_engine(f"sqlite:///{tmp_path / 'store.db'}", is_bulk=is_bulk)
    with opened.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA cache_size").scalar_one() == -kilobytes
    opened.dispose()


def test_the_newest_revision_is_that_of_the_newest_migration(store):
    """Opening a store with the current schema runs no other query."""
    scripts = ScriptDirectory(str(engine._MIGRATIONS))

    assert scripts.get_current_head() == engine.NEWEST
    with connected(store.url) as connection:
        assert MigrationContext.configure(connection).get_current_revision() == engine.NEWEST


def test_a_store_that_is_opened_again_has_its_rows(store_url):
    first = Store.open(store_url)
    user_id = first.add_user(NewUser(first_name="Ana"))
    first.close()
    again = Store.open(store_url)

    assert [user.id for user in again.users()] == [user_id]
    again.close()


def test_a_store_whose_schema_is_refused_leaves_no_connection_open(store, store_url, monkeypatch):
    with connected(store.url) as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'of_the_future'")
    opened, open_engine = [], engine.open_engine
    monkeypatch.setattr(
        engine, "open_engine", lambda url, **how: opened.append(open_engine(url, **how)) or opened[-1]
    )

    with pytest.raises(sa.exc.InvalidRequestError):
        Store.open(store_url)

    assert [one.pool.checkedin() for one in opened] == [0]


def test_processes_that_open_a_new_database_together_do_not_collide(store_url):
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(Store.open, [store_url] * 4))

    assert [store.users() for store in stores] == [[]] * 4
    for store in stores:
        store.close()


def test_sqlite_is_tuned(tmp_path):
    opened = engine.open_engine(f"sqlite:///{tmp_path}/folder/of/its/own/store.db")
    with opened.connect() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    opened.dispose()

    assert pragmas == {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1}


def stamp(store, *people):
    return store.look("", {*people}).stamp


def test_every_change_changes_the_stamp(store, athlete):
    stamps = [stamp(store, athlete)]
    for value in range(20):  # several in a millisecond
        store.put_metrics(athlete, [metric("mtr_1", date(2026, 3, 11), value)])
        stamps.append(stamp(store, athlete))

    assert len(set(stamps)) == len(stamps)
    assert store.look(stamps[0], {athlete}).is_plan_by_person == {athlete: False}
    assert store.look(stamps[-1], {athlete}) == (stamps[-1], {})


def test_a_person_who_is_removed_and_added_again_has_another_stamp(store):
    stamps = []
    for _ in range(2):
        store.add_user(NewUser(id=ATHLETE))
        stamps.append(stamp(store, ATHLETE))
        store.remove_user(ATHLETE)

    assert len({*stamps, stamp(store, ATHLETE)}) == 3


@pytest.mark.parametrize("number", [3, 256, 257, 700])
def test_a_stamp_of_many_people_names_who_changed_and_fits_in_an_address(store, number):
    people = {f"usr_{place}" for place in range(number)}
    for person in people:
        store.add_user(NewUser(id=person))
    before = stamp(store, *people)
    store.put_metrics("usr_1", [metric("mtr_1", date(2026, 3, 11), 70)])
    after, changed = store.look(before, people)

    assert "usr_1" in changed
    assert len(changed) <= 1 + number // 128
    assert len(before) < 7_500
    assert store.look(after, people) == (after, {})
    store.add_user(NewUser(id="usr_new"))
    assert store.look(after, people | {"usr_new"}).is_plan_by_person.keys() >= {"usr_new"}


def test_a_change_of_the_plan_alone_is_named_as_one(store, athlete):
    before = stamp(store, athlete)
    for _ in range(2):
        with store.changing_plans({athlete}):
            pass
    planned, changed = store.look(before, {athlete})
    assert changed == {athlete: True}

    store.put_metrics(athlete, METRICS)
    with store.changing_plans({athlete}):
        pass
    for earlier in (before, planned, ""):
        assert store.look(earlier, {athlete}).is_plan_by_person == {athlete: False}


def test_a_change_that_fails_leaves_no_trace(store, athlete):
    before = stamp(store, athlete, "usr_nobody")

    with pytest.raises(sa.exc.IntegrityError):
        store.put_activities("usr_nobody", [activity(RIDE, None)])

    assert stamp(store, athlete, "usr_nobody") == before


def test_activities_are_replaced_by_id_and_keep_their_streams(store, athlete):
    start = datetime(2026, 3, 10, 8, tzinfo=UTC)
    store.put_activities(athlete, [activity(RIDE, start)])
    store.put_streams(RIDE, streams())
    renamed = activity(RIDE, start + timedelta(days=1)).model_copy(update={"name": "Another name"})
    store.put_activities(athlete, [renamed])

    assert store.activities_of(athlete, None, None) == [renamed]
    assert zstandard.decompress(store.streams(RIDE).body) == streams().to_json()


def test_deleted_activities_take_their_streams_along(store, athlete):
    store.put_activities(athlete, [activity(name, None) for name in ("act_1", "act_2", "act_3")])
    store.put_streams("act_1", streams())
    store.put_recipes(athlete, [StreamRecipe("act_2", "test", b"1")])
    store.delete_activities(athlete, ["act_1", "act_2", "act_unknown"])
    store.delete_activities(athlete, [])

    assert [row.id for row in store.activities_of(athlete, None, None)] == ["act_3"]
    assert store.streams("act_1") is None


def test_streams_name_their_owner_with_or_without_a_body(store, athlete):
    store.put_activities(athlete, [activity("act_1", None), activity("act_2", None)])
    store.put_recipes(athlete, [StreamRecipe("act_1", "test", b"5")])

    assert store.streams("act_1").recipe == StreamRecipe("act_1", "test", b"5")
    assert (store.streams("act_2").user_id, store.streams("act_2").body, store.streams("act_2").recipe) == (
        athlete,
        None,
        None,
    )


def test_more_rows_than_one_statement_takes_are_all_written(store, athlete):
    days = [date(2010, 1, 1) + timedelta(days=i) for i in range(4_500)]
    store.put_metrics(athlete, (metric(f"mtr_{i}", day, 280) for i, day in enumerate(days)))

    assert [row.date for row in store.metrics_of(athlete)] == days


def test_a_newer_estimate_is_the_latest_value(store, athlete):
    newer = metric("mtr_newer", date(2026, 3, 11), 300, source=MetricSource.SERVICE)
    store.put_metrics(athlete, [*METRICS, newer])

    assert b'"value":300' in store.profile(athlete, is_own=False)


@pytest.mark.parametrize(
    ("start", "offset_min", "expected"),
    [
        (datetime(2026, 3, 9, 23, 30, tzinfo=UTC), 60, date(2026, 3, 10)),
        (datetime(2026, 3, 10, 3, tzinfo=UTC), -420, date(2026, 3, 9)),
        (datetime(2026, 3, 10, 3, tzinfo=UTC), None, date(2026, 3, 10)),
        (None, None, None),
    ],
)
def test_without_a_local_start_the_day_follows_from_the_offset(start, offset_min, expected):
    known = {"started_at": start, "started_at_local": None, "utc_offset": offset_min}

    assert local_day(activity("act_1", None).model_copy(update=known)) == expected


def test_a_ride_with_a_local_start_alone_has_a_place_in_the_order(store, athlete):
    local = activity("act_local", None).model_copy(
        update={"started_at_local": datetime(2026, 3, 11, 8, tzinfo=UTC).replace(tzinfo=None)}
    )
    store.put_activities(athlete, [activity(RIDE, datetime(2026, 3, 10, 8, tzinfo=UTC)), local])

    assert [row.id for row in store.activities_of(athlete, None, None)] == ["act_local", RIDE]


def test_rows_are_kept_as_they_are_sent(store, athlete):
    ride = activity(RIDE, datetime(2026, 3, 10, 8, tzinfo=UTC))
    store.put_activities(athlete, [ride])
    (body,) = store.row_bodies(RowKind.ACTIVITIES, athlete)

    assert Activity.model_validate_json(body) == ride


def test_a_removed_user_takes_everything_along(store):
    seed(store)

    assert store.remove_user(ATHLETE)
    assert not store.remove_user(ATHLETE)
    assert store.caller(digest_of(ATHLETE_KEY)) is None
    assert store.streams(RIDE) is None
    assert ATHLETE not in store.caller(digest_of("coach-key-of-tests")).athletes


def test_coaches_learn_that_a_person_or_a_workspace_is_removed(store):
    """An open page of a coach went on showing the removed person."""
    seed(store)
    people = {COACH, ATHLETE}
    before = stamp(store, *people)
    store.remove_user(ATHLETE)

    after, changed = store.look(before, {COACH})
    assert changed == {COACH: False}

    store.remove_workspace(SQUAD)

    assert store.look(after, {COACH}).is_plan_by_person == {COACH: False}


def test_a_name_that_changes_is_a_change_for_those_who_read_it(store):
    seed(store)
    before = stamp(store, COACH, ATHLETE, OTHER_ATHLETE, STRANGER)
    store.add_user(NewUser(id=OTHER_ATHLETE, first_name="Bert"))
    changed = store.look(before, {COACH, ATHLETE, OTHER_ATHLETE, STRANGER}).is_plan_by_person

    assert changed.keys() == {COACH, ATHLETE, OTHER_ATHLETE}


def test_workspaces_and_members_are_listed_and_removed(store):
    seed(store)
    joined_at = {member.user_id: member.joined_at for member in store.members(SQUAD)}[ATHLETE]
    store.add_member(SQUAD, ATHLETE, WorkspaceRole.COACH)

    assert store.workspaces() == [Workspace("wke_club", "Club", "club"), Workspace(SQUAD, "Squad", "squad")]
    assert Member(SQUAD, ATHLETE, WorkspaceRole.COACH, "Ana Berg", joined_at) in store.members(SQUAD)
    assert store.workspace("wke_nowhere") is None
    assert store.remove_member(SQUAD, ATHLETE)
    assert not store.remove_member(SQUAD, ATHLETE)
    assert store.remove_workspace(SQUAD)
    assert not store.remove_workspace(SQUAD)
    assert not store.leads(COACH, SQUAD)


def test_keys_are_shown_once_and_kept_as_a_hash(store, athlete):
    key = store.add_key(athlete, label="laptop")
    other = store.add_key(athlete, label="phone")
    with connected(store.url) as connection:
        kept = str(connection.execute(sa.select(METADATA.tables["keys"])).all())

    assert len(key) > 40
    assert key != other
    assert key not in kept
    assert [row.label for row in store.keys(athlete)] in (["laptop", "phone"], ["phone", "laptop"])
    assert store.keys("usr_nobody") == []


def test_a_revoked_key_stays_listed_and_opens_nothing(store, athlete):
    key = store.add_key(athlete, label="lost")
    (row,) = store.keys()

    assert store.revoke_key(row.id)
    assert not store.revoke_key(row.id)
    assert store.caller(digest_of(key)) is None
    assert store.keys()[0].revoked_at is not None


def test_a_key_that_expires_says_when(store, athlete):
    moment = datetime(2030, 1, 31, 23, 59, 59, tzinfo=UTC)
    key = store.add_key(athlete, label="for a season", expires_at=moment)
    lasting = store.add_key(athlete, label="for good")

    listed = store.keys(athlete)

    assert sorted((row.label, row.expires_at) for row in listed) == [
        ("for a season", moment),
        ("for good", None),
    ]
    assert store.caller(digest_of(key)).expires_at == moment
    assert store.caller(digest_of(lasting)).expires_at is None


def test_keys_of_before_keys_expired_are_good_for_good(store_url):
    before = sa.create_engine(store_url)
    with before.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(engine._MIGRATIONS))
        config.attributes.update(connection=connection, metadata=METADATA)
        command.upgrade(config, "0001")
        connection.execute(sa.text("INSERT INTO users (id, body) VALUES ('usr_old', :body)"), {"body": b"{}"})
        connection.execute(
            sa.text(
                "INSERT INTO keys (id, user_id, label, digest, created_at) VALUES ('key_old', 'usr_old', '', :digest, 1)"
            ),
            {"digest": digest_of("old-key")},
        )
    before.dispose()
    with closing(Store.open(store_url, upgrades=True)) as store:
        assert store.caller(digest_of("old-key")).user_id == "usr_old"
        assert store.keys()[0].expires_at is None


def test_a_recording_is_known_by_its_digest_and_its_user(store, athlete):
    recording = ImportedFile("ab" * 32, athlete, "ride.fit", (RIDE,), datetime(2026, 3, 10, 8, tzinfo=UTC))
    store.put_recording(recording)
    store.put_recording(recording)

    assert store.recording(athlete, "ab" * 32) == recording
    assert store.recording("usr_other", "ab" * 32) is None


def test_invitations_of_many_threads_are_one(store):
    """The unique constraint holds against everything that happens at once."""
    workspace_id = store.add_workspace("Squad", "squad")
    now = datetime(2026, 3, 10, tzinfo=UTC)
    asked = PendingInvitation(
        workspace_id, "A@example.org", "a@example.org", InvitedRole.COACH, now, now + timedelta(days=7)
    )
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(store.invite, [asked] * 24))

    assert len({invitation.code for invitation in made}) == 1
    assert max(invitation.expires_at for invitation in made) == now + timedelta(days=7 + 2 * 23)


def test_counts_of_many_threads_add_up(store):
    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(lambda _: store.count("key_1", 5), range(40)))

    assert sorted(counts) == list(range(1, 41))
    assert store.count("key_1", 6) == 1


def test_counts_of_windows_that_are_over_are_dropped(store):
    store.count("key_1", 5)
    store.count("key_2", 6)
    store.forget_counts_before(6)
    with connected(store.url) as connection:
        left = list(connection.scalars(sa.select(METADATA.tables["counters"].c.name)))

    assert left == ["key_2"]


def test_rows_written_together_appear_in_one_change(store, athlete):
    before = stamp(store, athlete)
    with store.together():
        store.put_activities(athlete, [activity("act_one", START)])
        store.put_recipes(athlete, [StreamRecipe("act_one", "demo", b"{}")])
        assert store.streams("act_one") is None

    assert store.streams("act_one").recipe.maker == "demo"
    assert store.look(before, {athlete}).is_plan_by_person == {athlete: False}


def test_a_maker_of_streams_is_stored_under_its_name(store):
    store.put_maker(Maker("tests", "version 1", "arguments 1"))
    store.put_maker(Maker("tests", "version 2", "arguments 2"))
    store.put_maker(Maker("others", "version 3", "arguments 3"))

    assert store.maker("tests") == Maker(name="tests", version="version 2", arguments="arguments 2")
    assert store.maker("unknown") is None


def put_one_and_fail(store, user_id):
    with store.together():
        store.put_activities(user_id, [activity("act_one", START)])
        store.put_metrics(user_id, (1 / 0 for _ in range(1)))


def test_a_failed_change_writes_no_row(store, athlete):
    with pytest.raises(ZeroDivisionError):
        put_one_and_fail(store, athlete)

    assert store.row_bodies(RowKind.ACTIVITIES, athlete) == []
    store.put_activities(athlete, [activity("act_two", START)])
    assert len(store.row_bodies(RowKind.ACTIVITIES, athlete)) == 1
