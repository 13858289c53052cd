"""Models built without validation are those that pydantic makes of the same rows."""

import pandas as pd
import pytest
from hypothesis import given

import seeded
from coachboard.client.building import build
from coachboard.client.reading import RawRow, Rows, sort_out
from coachboard.client.rows import Kind, build_frame, columns_of
from coachboard.client.shape import conforms
from coachboard.models.activities import Activity
from unit.client.test_drift import SOUND, changed_rows


@pytest.mark.parametrize("model", SOUND)
def test_built_models_are_those_of_pydantic(model):
    rows = SOUND[model]
    built, validated = build(model, rows), tuple(map(model.from_wire, rows))

    assert built == validated
    assert repr(built) == repr(validated)
    assert [one.model_fields_set for one in built] == [one.model_fields_set for one in validated]
    assert [one.to_wire() for one in built] == rows


def test_a_built_model_is_copied_changed_hashed_and_frozen_like_any_other():
    (built,) = build(Activity, SOUND[Activity][:1])
    read = Activity.from_wire(SOUND[Activity][0])

    assert hash(built) == hash(read)
    assert built.model_copy(update={"name": "x"}) == read.model_copy(update={"name": "x"})
    with pytest.raises(ValueError, match="frozen"):
        built.name = "x"


@given(changed_rows())
def test_whatever_passes_the_quick_check_is_built_as_it_would_be_read(changed):
    model, rows = changed

    if conforms(model, rows):
        validated = tuple(map(model.from_wire, rows))
        assert build(model, rows) == validated
        assert repr(build(model, rows)) == repr(validated)


@pytest.mark.parametrize("model", SOUND)
def test_rows_conform_whatever_the_order_of_their_keys(model):
    turned = [dict(reversed(row.items())) for row in SOUND[model]]

    assert conforms(model, SOUND[model]) == conforms(model, turned)
    # Of rows that differ in it the model decides: a column is read from one place.
    assert not conforms(model, [SOUND[model][0], turned[0]])


def test_a_position_that_is_no_whole_number_hides_behind_no_equal_one():
    row = next(activity.to_wire() for activity in seeded.ACTIVITIES if activity.laps)
    lap = row["laps"][0]
    laps = [lap, lap | {"startedAtIndex": float(lap["startedAtIndex"])}]

    assert conforms(Activity, [row])
    assert not conforms(Activity, [row | {"laps": laps}])


def test_rows_of_the_cache_are_looked_at_again():
    """A position written 3.0 is read as 3 by the model alone: nothing is built of what is not proven."""
    row = next(activity.to_wire() for activity in seeded.ACTIVITIES if activity.laps)
    row["laps"][0]["startedAtIndex"] = 0.0

    (sorted_out,) = sort_out(Activity, [row])
    (read,) = Rows(Activity, [RawRow(row, is_odd=False)], name="a").value()

    assert (sorted_out.is_proven, sorted_out.is_odd) == (False, False)
    assert isinstance(read.laps[0].started_at_index, int)


@pytest.mark.parametrize("model", SOUND)
@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_frame_is_the_one_pandas_makes_of_its_columns(model, times):
    """It is put together of blocks, which pandas takes as they are: nothing but this would find a wrong one."""
    frame = build_frame(model, SOUND[model] * times)

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
