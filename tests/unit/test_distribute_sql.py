"""`deploy/distribute.sql` names each table once, in an order that Citus takes, and PostgreSQL reads it."""

import re
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from coachboard.service.store import Store
from coachboard.service.store.tables import METADATA, REFERENCE
from databases import SERVER, empty_database

SQL = (Path(__file__).parents[2] / "deploy/distribute.sql").read_text("utf-8")
REFERENCES = re.findall(r"^SELECT create_reference_table\('(\w+)'\);$", SQL, re.MULTILINE)
DISTRIBUTED = re.findall(r"^SELECT create_distributed_table\('(\w+)', 'user_id'\);$", SQL, re.MULTILINE)
OWN_FUNCTIONS = """
CREATE FUNCTION create_reference_table(named regclass) RETURNS regclass RETURN named;
CREATE FUNCTION create_distributed_table(named regclass, by text) RETURNS name STABLE LANGUAGE sql AS
$$ SELECT attname FROM pg_attribute WHERE attrelid = named AND attname = by AND attnum > 0 $$;
"""


def test_each_table_is_named_once_on_the_side_that_the_schema_gives_it():
    references = {table.name for table in REFERENCE}

    assert len(REFERENCES) + len(DISTRIBUTED) == SQL.count("SELECT ") == len(METADATA.tables)
    assert set(REFERENCES) == references
    assert set(DISTRIBUTED) == set(METADATA.tables) - references


def test_each_distributed_table_has_the_person_first_in_its_key():
    firsts = {name: next(iter(METADATA.tables[name].primary_key)).name for name in DISTRIBUTED}

    assert set(firsts.values()) == {"user_id"}


def test_each_table_comes_after_those_that_its_foreign_keys_point_to():
    order = [*REFERENCES, *DISTRIBUTED]
    assert SQL.index("create_distributed_table") > SQL.rindex("create_reference_table")
    for name in order:
        for key in METADATA.tables[name].foreign_keys:
            assert order.index(key.column.table.name) < order.index(name), name


@pytest.mark.postgres
@pytest.mark.skipif(SERVER is None, reason="needs COACHBOARD_TEST_POSTGRES_URL")
def test_postgresql_reads_it_and_finds_each_table_and_column(tmp_path):
    """Functions stand in for those of Citus, which is not here."""
    with empty_database("postgres", tmp_path) as url:
        with closing(Store.open(url)):
            engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(OWN_FUNCTIONS)
            results = [
                connection.exec_driver_sql(statement).scalar_one()
                for statement in re.findall(r"^SELECT .+;$", SQL, re.MULTILINE)
            ]
            connection.connection.cursor().execute(SQL)
        engine.dispose()

    assert results == [*REFERENCES, *["user_id"] * len(DISTRIBUTED)]
