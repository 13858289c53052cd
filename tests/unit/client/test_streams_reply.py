"""A reply of streams: each column is read or left out, and the others stay."""

import math

import pytest

from coachboard.client.errors import UnreadableResponse
from coachboard.client.values import from_arrow, read_streams, to_arrow


@pytest.mark.parametrize(
    "body", [b'{"power":[1', b'{"power":[NaN]}', b'{"power":[1e400]}', b"[1]", b"3", b""]
)
def test_a_reply_without_columns_is_unreadable(body):
    with pytest.raises(UnreadableResponse):
        read_streams(body)


@pytest.mark.parametrize(
    ("odd", "fault"),
    [
        (b'"power":[[1]]', "expected numbers"),
        (b'"power":3', "expected an array"),
        (b'"power":[true]', "expected numbers"),
        (b'"power":["fast"]', "is not a number"),
        (b'"nonsense":[1]', "unknown column"),
        (b'"timestamp":[5]', "expected an array of texts"),
    ],
)
def test_an_odd_column_is_left_out(odd, fault):
    streams, (problem,) = read_streams(b'{"heartRate":[90],%b}' % odd)

    assert fault in problem.says
    assert streams.to_json() == b'{"heartRate":[90]}'


def test_a_column_of_another_length_than_most_is_left_out():
    streams, (problem,) = read_streams(b'{"power":[1,2],"heartRate":[90],"cadence":[80,81]}')

    assert problem.says == "1 values where the other columns have 2"
    assert list(streams.columns) == ["power", "cadence"]


def test_numbers_nulls_and_words_are_the_same_after_the_cache():
    body = b'{"timestamp":["2026-03-20T08:00:00Z",null],"power":[1,"NaN"],"cadence":[null,"-Infinity"]}'
    fresh, problems = read_streams(body)

    for streams in (fresh, from_arrow(to_arrow(fresh, problems))[0]):
        assert streams.columns["power"].tolist()[0] == 1.0
        assert math.isnan(streams.columns["cadence"][0])
        assert streams.columns["cadence"][1] == -math.inf
        assert streams.nan_words["power"].tolist() == [1]
        assert streams.timestamps.astype(str).tolist() == ["2026-03-20T08:00:00.000", "NaT"]
        assert not streams.columns["power"].flags.writeable
    assert problems == ()
