"""The catalogues of stream columns and metrics: complete, and usable by every reader of them."""

import re
from pathlib import Path

import pytest

import coachboard
from coachboard.charts import palette
from coachboard.wire.activities import Activity
from coachboard.wire.body import Sleep
from coachboard.wire.metrics import METRICS, NIGHT_FIELDS, MetricType
from coachboard.wire.stream_columns import BY_FIGURE, BY_NAME, COLUMNS, groups

_SOURCE = Path(coachboard.__file__).parent


def test_each_type_of_metric_has_one_record():
    assert set(METRICS) == set(MetricType)


def test_each_field_of_a_night_is_a_field_of_the_wire():
    assert set(NIGHT_FIELDS) <= set(Sleep.model_fields)


def test_each_colour_is_a_tone_of_the_palette():
    colours = [record.colour for record in (*COLUMNS, *METRICS.values(), *NIGHT_FIELDS.values())]

    assert set(colours) <= set(palette.QUANTITIES)


def test_names_and_titles_are_unique():
    assert len(BY_NAME) == len(COLUMNS) == len({column.title for column in COLUMNS})
    assert len({record.title for record in METRICS.values()}) == len(METRICS)


def test_each_sensor_of_a_group_is_listed_under_its_heading_in_the_order_of_the_catalogue():
    listed = [(heading, column) for heading, columns in groups().items() for column in columns]

    assert len(listed) > 10
    assert [heading for heading, _ in listed] == [column.group for _, column in listed]
    assert {column for _, column in listed} == {column for column in COLUMNS if column.group}
    for columns in groups().values():
        assert columns == sorted(columns, key=COLUMNS.index)


def test_no_other_module_repeats_the_further_sensors():
    """The words of a sensor without a meaning of its own are in the catalogue only."""
    words = re.compile(r"skin_temperature|heat_strain_index|tidal_volume|sodium_loss|tidalVolume|stepLength")
    found = {
        str(path.relative_to(_SOURCE)) for path in _SOURCE.rglob("*.py") if words.search(path.read_text())
    }

    assert found == {"wire/stream_columns.py"}


def test_each_figure_of_a_column_is_a_field_of_a_session():
    assert set(BY_FIGURE) <= set(Activity.model_fields)


@pytest.mark.parametrize(
    "names_of",
    [
        lambda column: column.figures,
        lambda column: column.fit_names,
        lambda column: column.tags,
        lambda column: {field.number for field in column.fit} - {None},
    ],
    ids=["figures", "developers' fields", "tags", "numbers of FIT fields"],
)
def test_a_name_belongs_to_one_column(names_of):
    names = [name for column in COLUMNS for name in names_of(column)]

    assert names
    assert len(names) == len(set(names))


def test_each_metric_that_people_set_says_what_uses_it():
    assert [
        record.title for record in METRICS.values() if bool(record.sports_to_set) != bool(record.effect)
    ] == []
