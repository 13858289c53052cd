"""The person is first in each key of athletes' data, so that PostgreSQL's own engines can distribute the tables."""

import re
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from coachboard.service.ids import is_id, new_id, person_in
from coachboard.service.own_data.jobs import new_job
from coachboard.service.store import JobFile, JobKind, JobState, tables
from coachboard.service.store.comments import StoredComment, Thread
from coachboard.service.store.tables import METADATA
from coachboard.wire.enums import WorkspaceRole
from databases import connected, statements_sent
from seeded import ATHLETE, COACH, OTHER_ATHLETE, PRESCRIPTIONS, RIDE, activity, seed, streams

REFERENCE = {table.name for table in tables.REFERENCE}


def faults_of(schema: sa.MetaData) -> list[str]:
    """Keys of athletes' data that do not begin with the person, apart from foreign keys to the reference part."""
    faults = []
    for table in schema.sorted_tables:
        if table.name in {*REFERENCE, "alembic_version"}:
            continue
        unique = [each for each in table.constraints if isinstance(each, sa.UniqueConstraint)]
        keys = [table.primary_key, *unique, *(index for index in table.indexes if index.unique)]
        faults += [
            f"{table.name}: {key.name}" for key in keys if next(iter(key.columns.keys()), "") != "user_id"
        ]
        for key in table.foreign_key_constraints:
            targets = [element.column for element in key.elements]
            begins = key.column_keys[0] == "user_id" and targets[0].name in {"user_id", "id"}
            if not begins and targets[0].table.name not in REFERENCE:
                faults.append(f"{table.name}: {key.name}")
        if not any("user_id" in key.column_keys for key in table.foreign_key_constraints):
            faults.append(f"{table.name}: nothing deletes its rows with the person")
    return faults


def test_each_table_of_athletes_data_has_the_person_first_in_its_keys():
    assert faults_of(METADATA) == []


def test_so_has_a_migrated_database(store):
    schema = sa.MetaData()
    with connected(store.url) as connection:
        schema.reflect(connection)

    assert len(schema.tables) == len(METADATA.tables) + 1
    assert faults_of(schema) == []


def test_the_reference_part_refers_to_no_athletes_data():
    targets = {
        (table.name, element.column.table.name)
        for table in tables.REFERENCE
        for key in table.foreign_key_constraints
        for element in key.elements
    }

    assert {pair for pair in targets if pair[1] not in REFERENCE} == set()


@pytest.mark.parametrize(
    "columns",
    [
        [sa.Column("id", sa.Text, primary_key=True), sa.Column("user_id", sa.ForeignKey("users.id"))],
        [
            sa.Column("user_id", sa.ForeignKey("users.id"), primary_key=True),
            sa.Column("code", sa.Text, unique=True),
        ],
        [
            sa.Column("user_id", sa.ForeignKey("users.id"), primary_key=True),
            sa.Column("activity_id", sa.ForeignKey("activities.id")),
        ],
        [sa.Column("user_id", sa.Text, primary_key=True)],
    ],
    ids=["primary key", "unique key", "foreign key", "no person"],
)
def test_a_table_that_breaks_the_rule_is_named(columns):
    schema = sa.MetaData()
    for name in ("users", "activities"):
        METADATA.tables[name].to_metadata(schema)
    sa.Table("broken", schema, *columns)

    assert [fault.partition(":")[0] for fault in faults_of(schema)] == ["broken"]


@pytest.mark.parametrize(
    "user_id", ["usr_ana", "usr_of-two_words-", f"usr_{'a' * 55}", "usr_29a3963064a8297d999a"]
)
def test_a_new_id_names_its_person(user_id):
    row_id = new_id("act", user_id)

    assert re.fullmatch(r"act_[A-Za-z0-9_-]{1,80}", row_id)  # which a page takes from its address
    assert is_id(row_id)
    assert person_in(row_id) == user_id


@pytest.mark.parametrize("user_id", ["", "ana", "usr_a.b", f"usr_{'a' * 70}"])
def test_an_id_that_cannot_name_its_person_is_as_before(user_id):
    assert re.fullmatch(r"act_[0-9a-f]{20}", new_id("act", user_id))
    assert person_in(new_id("act", user_id)) is None


def test_rows_are_found_by_ids_that_name_the_person_and_by_others(store):
    seed(store)
    named = new_id("act", ATHLETE)
    store.put_activities(ATHLETE, [activity(named, None)])
    with connected(store.url) as connection:
        listed = set(connection.scalars(sa.select(tables.directory.c.id)))

    assert (store.owner_of(named), store.owner_of(RIDE)) == (ATHLETE, ATHLETE)
    assert RIDE in listed
    assert named not in listed
    assert store.owner_of(new_id("act", ATHLETE)) is None
    assert store.owner_of(new_id("act", "usr_nobody")) is None
    assert store.owner_of("act_unknown") is None


def test_the_coaches_of_a_person_and_their_workspaces_are_read_with_a_statement_each(store):
    seed(store)
    for place in range(3):
        workspace = store.add_workspace(f"Squad {place}", f"squad-{place}")
        store.add_member(workspace, ATHLETE, WorkspaceRole.ATHLETE)
        store.add_member(workspace, COACH, WorkspaceRole.COACH)
    with store.reading_plans() as plans, statements_sent(store.url) as sent:
        assert plans.has_coach(ATHLETE)
        assert not plans.workspaces_led_by(ATHLETE)
        assert plans.comments.circle_of(ATHLETE) >= {ATHLETE, COACH}

    assert len([each for each, _ in sent if each.startswith("SELECT")]) == 3


def by_ids(store, plans, job_id):
    """Each read and write that has the id of a row alone."""
    yield store.job(job_id)
    yield store.claim_job(job_id, None)
    yield store.change_job(job_id, tuple(JobState), done=1)
    yield store.put_progress(job_id, [JobFile("a.fit", 0, "imported", {})], done=1)
    yield store.job_files(job_id)
    yield store.report_page(job_id, 0, 5)
    yield store.report_outcomes(job_id)
    yield store.streams(RIDE)
    yield store.put_streams(RIDE, streams())
    yield plans.find(PRESCRIPTIONS[0].id)
    yield plans.batch("bat_1")
    yield plans.comments.sessions([RIDE])
    yield plans.comments.of(Thread(activity_id=RIDE))
    yield plans.comments.of(Thread(entry_id=PRESCRIPTIONS[0].id))
    yield plans.comments.find("cmt_1")
    yield plans.comments.unread_of(COACH, ["cmt_1"])


def test_no_query_by_an_id_asks_all_people(store):
    seed(store)
    job = new_job(ATHLETE, JobKind.IMPORT, JobState.QUEUED)
    store.add_job(job)
    with store.reading_plans() as plans, statements_sent(store.url) as sent:
        assert len(list(by_ids(store, plans, job.id))) == 16

    athletes = {table.name for table in METADATA.sorted_tables} - REFERENCE
    asked = [each for each, _ in sent if athletes & set(re.findall(r"\w+", each))]
    assert len(asked) >= 20
    for statement in asked:
        assert "user_id" in statement.partition("WHERE")[2] or statement.startswith("INSERT"), statement


def test_unread_comments_are_read_by_their_reader_and_in_order(store):
    seed(store)
    with store.changing_plans() as plans:
        for place, (user_id, readers) in enumerate(
            [
                (ATHLETE, [COACH]),
                (OTHER_ATHLETE, [COACH, ATHLETE]),
                (ATHLETE, [OTHER_ATHLETE]),
                (ATHLETE, [COACH]),
            ]
        ):
            moment = datetime(2026, 3, 20 - place, tzinfo=UTC)
            comment = StoredComment(
                f"cmt_{place}", user_id, Thread(activity_id=RIDE), user_id, "Well done", moment
            )
            plans.comments.add(comment, dict.fromkeys(readers))
    with store.reading_plans() as plans, statements_sent(store.url) as sent:
        unread = plans.comments.unread_of(COACH)
        some = plans.comments.unread_of(COACH, ["cmt_0", "cmt_2"])
    scans = []
    if store.is_local:
        with connected(store.url) as connection:
            for statement, _ in sent:
                values = ("",) * statement.count("?")
                plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
                scans += [step.detail for step in plan if step.detail.startswith("SCAN")]

    assert [comment.id for comment in unread] == ["cmt_3", "cmt_1", "cmt_0"]
    assert [comment.id for comment in some] == ["cmt_0"]
    assert (len(sent) >= 2, scans) == (True, [])
