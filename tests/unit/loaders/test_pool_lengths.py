"""Pool swims: lengths apart from rests, drills without a count, the pool that nobody names."""

from math import isnan, nan

import pytest

import rides
from coachboard.loaders.activity import pool_lengths
from coachboard.loaders.activity.session_parts import Part, counts_of, parts_of
from coachboard.models.enums import StrokeType
from session_data import data_of

FREE, BACK, DRILL = StrokeType.FREESTYLE, StrokeType.BACKSTROKE, StrokeType.DRILL
REST = {"speed": None, "strokes": None}
SWIM = rides.activity(
    lengths=(
        rides.length(0, 20, stroke=FREE),
        rides.length(20, 40, stroke=FREE),
        rides.length(40, 75, **REST),
        rides.length(75, 85, **REST),
        rides.length(85, 110, stroke=BACK, speed=1.0, strokes=14),
        rides.length(110, 140, stroke=DRILL, speed=0.0, strokes=0),
    )
)


def test_rests_are_no_lengths_and_belong_to_the_length_before():
    parts = parts_of(data_of(SWIM), Part.LENGTHS)

    assert counts_of(data_of(SWIM)) == {Part.LENGTHS: 4}
    assert len(parts.stretches) == 4
    assert parts.table["rest_after_s"].tolist() == pytest.approx([nan, 45, nan, nan], nan_ok=True)
    assert sum(rest.duration for rest in pool_lengths.rests(SWIM)) == 45


def test_swolf_is_seconds_and_strokes_and_a_drill_has_none():
    table = parts_of(data_of(SWIM), Part.LENGTHS).table

    assert table["swolf"].tolist()[:3] == [30, 30, 39]
    assert isnan(table["swolf"].iloc[3])
    assert isnan(table["stroke_count"].iloc[3])


def test_lengths_are_summed_up_by_stroke_without_rests():
    by_stroke = pool_lengths.strokes_of(parts_of(data_of(SWIM), Part.LENGTHS).table).set_index("stroke")

    assert by_stroke["lengths"].to_dict() == {"freestyle": 2, "backstroke": 1, "drill": 1}


def test_the_pace_of_a_stroke_is_its_way_over_its_time():
    """Two lengths of 25 m in 20 and 30 s are 50 m in 50 s; the mean of their speeds would be 4 % faster."""
    swim = rides.activity(
        lengths=(
            rides.length(0, 20, stroke=FREE, speed=25 / 20),
            rides.length(20, 50, stroke=FREE, speed=25 / 30),
        )
    )

    by_stroke = pool_lengths.strokes_of(parts_of(data_of(swim), Part.LENGTHS).table)

    assert by_stroke["average_speed_mps"].tolist() == pytest.approx([1.0])


def test_the_pool_length_follows_from_the_lengths():
    assert pool_lengths.pool_length_m(SWIM) == 25
    assert isnan(pool_lengths.pool_length_m(rides.activity()))


def test_the_usual_length_is_that_of_the_swum_lengths():
    assert pool_lengths.usual_length_s(SWIM) == 22.5
    assert isnan(pool_lengths.usual_length_s(rides.activity()))


def test_in_a_swim_of_rests_alone_all_parts_are_lengths():
    bare = rides.activity(lengths=(rides.length(0, 20, **REST), rides.length(20, 40, **REST)))

    assert len(pool_lengths.swum(bare)) == 2
    assert pool_lengths.rests(bare) == ()


def test_a_rest_before_the_first_length_belongs_to_none():
    late = rides.activity(lengths=(rides.length(0, 20, **REST), rides.length(20, 40, stroke=FREE)))

    assert parts_of(data_of(late), Part.LENGTHS).table["rest_after_s"].isna().all()
