"""Streams as columns: valid and invalid payloads, and a lossless round trip."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coachboard.wire.streams import STREAM_COLUMNS, ActivityStreams, StreamsError

_ELEMENT = (
    st.none()
    | st.sampled_from(["Infinity", "-Infinity", "NaN"])
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
)


@st.composite
def stream_payloads(draw):
    length = draw(st.integers(0, 6))
    names = draw(st.sets(st.sampled_from(STREAM_COLUMNS), max_size=4))
    payload = {name: draw(st.lists(_ELEMENT, min_size=length, max_size=length)) for name in sorted(names)}
    if draw(st.booleans()):
        seconds = draw(st.lists(st.none() | st.integers(0, 4 * 10**9), min_size=length, max_size=length))
        payload["timestamp"] = [
            None if second is None else f"{np.datetime64(second, 's')}Z" for second in seconds
        ]
    return payload


@given(stream_payloads())
def test_reading_and_writing_gives_the_same_payload(payload):
    body = json.dumps(payload).encode()

    assert json.loads(ActivityStreams.from_json(body).to_json()) == payload


def test_null_and_the_three_words_stay_apart():
    streams = ActivityStreams.from_json(b'{"power": [1, null, "NaN", "Infinity", "-Infinity"]}')

    np.testing.assert_array_equal(streams.columns["power"], [1, np.nan, np.nan, np.inf, -np.inf])
    assert streams.nan_words["power"].tolist() == [2]
    assert streams.to_json() == b'{"power":[1.0,null,"NaN","Infinity","-Infinity"]}'


def test_the_document_knows_25_numeric_columns():
    assert len(STREAM_COLUMNS) == len(set(STREAM_COLUMNS)) == 25


def test_timestamps_are_utc_to_the_millisecond():
    streams = ActivityStreams.from_json(
        b'{"timestamp": ["2025-03-01T06:00:00.250Z", null, "2025-03-01T06:00:01+00:00"]}'
    )

    assert streams.timestamps.tolist()[1] is None
    assert json.loads(streams.to_json())["timestamp"] == [
        "2025-03-01T06:00:00.250Z",
        None,
        "2025-03-01T06:00:01.000Z",
    ]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"[]", "object"),
        (b'{"power": [1', "not JSON"),
        (b'{"power": [NaN]}', "not JSON"),
        (b'{"power": 1}', "expected an array"),
        (b'{"power": ["12"]}', "'12' is not a number"),
        (b'{"power": [true]}', "expected numbers"),
        (b'{"power": [[1]]}', "expected numbers"),
        (b'{"watts": [1]}', "unknown column 'watts'"),
        (b'{"power": [1], "speed": [1, 2]}', "differ in length"),
        (b'{"timestamp": ["yesterday"]}', "is not UTC"),
        (b'{"timestamp": ["2025-03-01T06:00:00"]}', "is not UTC"),
        (b'{"timestamp": ["2025-03-01T06:00:00+02:00"]}', "is not UTC"),
        (b'{"timestamp": ["2025-33-01T06:00:00Z"]}', "not UTC ISO 8601"),
        (b'{"timestamp": [1]}', "texts and nulls"),
        (b'{"power": [' + b"9" * 400 + b"]}", "not JSON|too large"),
    ],
)
def test_values_outside_the_document_are_refused_by_name(body, says):
    with pytest.raises(StreamsError, match=says):
        ActivityStreams.from_json(body)


def test_streams_are_equal_when_their_payloads_are():
    one = ActivityStreams.from_json(b'{"power": [1, null]}')

    assert one == ActivityStreams.from_json(b'{"power": [1.0, null]}')
    assert one != ActivityStreams.from_json(b'{"power": [1, "NaN"]}')
    assert len(one) == 2
    assert len(ActivityStreams({})) == 0
