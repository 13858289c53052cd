"""Streams are read as arrays without a Python object for each number, with the same result."""

import math

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coachboard.client.errors import UnreadableResponse
from coachboard.client.parsing import streams
from coachboard.client.resources import Request

REQUEST = Request("GET", "/activities/act_1/streams")
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**63), 2**64 - 1), st.just(-0.0)
)
ODD = st.one_of(
    st.none(),
    st.sampled_from(["NaN", "Infinity", "-Infinity", "nan", "[1]"]),
    st.booleans(),
    st.lists(NUMBERS, max_size=1),
    st.just({}),
)
MOMENTS = st.one_of(
    st.datetimes().map(lambda at: f"{at.isoformat()}Z"),
    st.sampled_from(
        ["2026-03-20T08:00:00+01:00", "2026-03-20T08:00:00+00:00", "2026-03-20T08:00:00", "NaT", None, 5]
    ),
)
COLUMNS = st.fixed_dictionaries(
    {},
    optional={
        "power": st.lists(NUMBERS, max_size=4),
        "heartRate": st.lists(st.one_of(NUMBERS, ODD), max_size=4),
        "timestamp": st.lists(MOMENTS, max_size=4),
        "nonsense": st.one_of(NUMBERS, ODD, st.lists(NUMBERS, max_size=2)),
    },
)


def _outcome(body: bytes) -> object:
    try:
        read, problems = streams.read_streams(REQUEST, body)
    except UnreadableResponse as error:
        return str(error)
    return read.to_json(), {name: at.tolist() for name, at in read.nan_words.items()}, problems


def _outcome_of_lists(body: bytes) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "simdjson", None)
        return _outcome(body)


@given(COLUMNS)
@settings(max_examples=300, deadline=None)
def test_arrays_and_lists_give_the_same_streams(columns):
    body = orjson.dumps(columns)

    assert _outcome(body) == _outcome_of_lists(body)


@pytest.mark.parametrize(
    "body",
    [
        b'{"power":[[1],2]}',
        b'{"power":[1,[]]}',
        b'{"power":[1],"power":[2]}',
        b'{"power":[1e400]}',
        b'{"power":[123456789012345678901234567890]}',
        b'{"power":[1',
        b'{"power":3,"heartRate":[1]}',
        b'{"power":[NaN]}',
        b'{"power":[1],"heartRate":[true]}',
        b"[1]",
        b"3",
        b"{}",
        b"",
        b"\xff",
    ],
)
def test_a_reply_of_another_form_is_judged_as_before(body):
    assert _outcome(body) == _outcome_of_lists(body)


def test_ordinary_numbers_become_arrays_at_once_and_cannot_be_changed():
    body = b'{"timestamp":["2026-03-20T08:00:00Z",null],"power":[1,2.5],"cadence":[null,90]}'
    columns = streams._number_arrays(body)
    read, problems = streams.read_streams(REQUEST, body)

    assert isinstance(columns["power"], np.ndarray)
    assert columns["cadence"] == [None, 90]
    assert read.columns["power"].tolist() == [1.0, 2.5]
    assert math.isnan(read.columns["cadence"][0])
    assert not read.columns["power"].flags.writeable
    assert read.timestamps.astype(str).tolist() == ["2026-03-20T08:00:00.000", "NaT"]
    assert problems == ()
