"""Frames of lists: one column for each declared field, with its type."""

import orjson
import pandas as pd
import pytest

from coachboard.client.decode import ListRows, read_list
from coachboard.client.frames import Kind, build_frame, columns_of
from coachboard.wire.activities import Activity, Lap, Length
from unit.client.test_schema_repair import SOUND

TYPES = {
    Kind.TEXT: "str",
    Kind.NUMBER: "float64",
    Kind.YES_NO: "boolean",
    Kind.DAY: "datetime64[s]",
    Kind.MOMENT: "datetime64[s, UTC]",
    Kind.LOCAL_MOMENT: "datetime64[s]",
}


@pytest.mark.parametrize("model", SOUND)
@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_frame_has_the_declared_columns_with_the_values_of_the_rows(model, times):
    frame = build_frame(model, SOUND[model] * times)

    assert {name: str(frame[name].dtype) for name in frame} == {
        column.name: TYPES[column.kind] for column in columns_of(model)
    }
    for column in columns_of(model):
        values = [row.get(column.wire_name) for row in SOUND[model]] * times
        assert list(frame[column.name].isna()) == [value is None for value in values]
        if column.kind in {Kind.TEXT, Kind.NUMBER, Kind.YES_NO}:
            assert frame[column.name].dropna().tolist() == [value for value in values if value is not None]


def test_moments_are_those_of_the_models():
    frame, (model,) = build_frame(Activity, SOUND[Activity][:1]), [Activity.from_wire(SOUND[Activity][0])]

    assert frame["started_at"][0] == model.started_at
    assert frame["started_at_local"][0] == model.started_at_local


def test_a_change_of_a_frame_stays_with_its_reader():
    body = orjson.dumps(SOUND[Activity])
    rows = ListRows(Activity, read_list(body, Activity), name="a")
    mine, theirs = rows.frame(), rows.frame()

    mine["distance"] += 1.0
    mine.loc[0, "total_duration"] = -1.0

    pd.testing.assert_frame_equal(rows.frame(), theirs)
    assert -1.0 not in set(theirs["total_duration"])


def test_the_unit_of_a_column_is_that_of_its_model():
    units = {model: {column.name: column.unit for column in columns_of(model)} for model in (Length, Lap)}

    assert units[Length]["average_cadence"] == "strokes/min"
    assert units[Lap]["average_cadence"] == "rpm"
