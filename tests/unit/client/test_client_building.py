"""Models and frames made without validation are those that pydantic and pandas make of the same rows."""

import orjson
import pandas as pd
import pytest

from coachboard.client.building import build
from coachboard.client.reading import Rows, sort_out
from coachboard.client.rows import Kind, build_frame, columns_of, values_of
from coachboard.client.typed import read_rows
from coachboard.models.activities import Activity
from unit.client.test_drift import SOUND


@pytest.mark.parametrize("model", SOUND)
def test_built_models_are_those_of_pydantic(model):
    rows = SOUND[model]
    built, validated = build(model, read_rows(model, orjson.dumps(rows))), tuple(map(model.from_wire, rows))

    assert built == validated
    assert repr(built) == repr(validated)
    assert [one.model_fields_set for one in built] == [one.model_fields_set for one in validated]
    assert [one.to_wire() for one in built] == rows


def test_a_built_model_is_copied_changed_hashed_and_frozen_like_any_other():
    (built,) = build(Activity, read_rows(Activity, orjson.dumps(SOUND[Activity][:1])))
    read = Activity.from_wire(SOUND[Activity][0])

    assert hash(built) == hash(read)
    assert built.model_copy(update={"name": "x"}) == read.model_copy(update={"name": "x"})
    with pytest.raises(ValueError, match="frozen"):
        built.name = "x"


@pytest.mark.parametrize("model", SOUND)
@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_frame_is_the_one_pandas_makes_of_its_columns(model, times):
    """It is put together of blocks, which pandas takes as they are: nothing but this would find a wrong one."""
    frame = build_frame(model, [values_of(model, row) for row in SOUND[model] * times])

    plain = pd.DataFrame({name: frame[name].array.copy() for name in frame})
    pd.testing.assert_frame_equal(frame, plain)
    assert list(frame) == [column.name for column in columns_of(model)]
    assert frame.index.equals(plain.index)
    for column in columns_of(model):
        told = [row.get(column.wire_name) for row in SOUND[model]] * times
        assert list(frame[column.name].isna()) == [value is None for value in told]
        if column.kind in {Kind.TEXT, Kind.NUMBER, Kind.FLAG}:
            assert frame[column.name].dropna().tolist() == [value for value in told if value is not None]


def test_a_change_of_one_column_leaves_the_others_of_its_block_alone():
    rows = Rows(Activity, sort_out(Activity, SOUND[Activity]), name="a")
    mine, theirs = rows.frame(), rows.frame()

    mine["distance"] += 1.0
    mine.loc[0, "total_duration"] = -1.0

    pd.testing.assert_frame_equal(rows.frame(), theirs)
    assert -1.0 not in set(theirs["total_duration"])
