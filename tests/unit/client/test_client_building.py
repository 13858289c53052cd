"""Models built without validation are those that pydantic makes of the same rows."""

import pytest
from hypothesis import given

import seeded
from coachboard.client.building import build
from coachboard.client.reading import RawRow, Rows, sort_out
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


def test_rows_of_the_cache_are_looked_at_again():
    """A position written 3.0 is read as 3 by the model alone: nothing is built of what is not proven."""
    row = next(activity.to_wire() for activity in seeded.ACTIVITIES if activity.laps)
    row["laps"][0]["startedAtIndex"] = 0.0

    (sorted_out,) = sort_out(Activity, [row])
    (read,) = Rows(Activity, [RawRow(row, is_odd=False)], name="a").value()

    assert (sorted_out.is_proven, sorted_out.is_odd) == (False, False)
    assert isinstance(read.laps[0].started_at_index, int)
