"""Which encoding a reply is sent in."""

import asyncio
import gzip

import pytest
import zstandard

from coachboard.service.api.compression import accepted, json_reply, streams_reply

LONG = b"[" + b"1," * 200_000 + b"1]"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, "identity"),
        (b"", "identity"),
        (b"br", "identity"),
        (b"*", "identity"),
        (b"gzip", "gzip"),
        (b"gzip, deflate, br, zstd", "zstd"),
        (b"GZIP;q=0.5 , ZSTD ; q=0.1", "zstd"),
        (b"zstd;q=0, gzip", "gzip"),
        (b"zstd;q=0,gzip;q=0.000", "identity"),
        (b"zstd;q=often", "identity"),
        (b"\xff\xfe", "identity"),
    ],
)
def test_the_accept_encoding_of_the_caller_decides(header, expected):
    assert accepted(header) == expected


@pytest.mark.parametrize("body", [LONG, LONG[:2_001] + b"]"])
def test_compressed_replies_decompress_to_the_same_bytes(body):
    by_zstd, by_gzip, plain = (asyncio.run(json_reply(body, name)) for name in ("zstd", "gzip", "identity"))

    assert zstandard.decompress(by_zstd.body) == gzip.decompress(by_gzip.body) == plain.body == body
    assert [reply.headers.get("content-encoding") for reply in (by_zstd, by_gzip, plain)] == [
        "zstd",
        "gzip",
        None,
    ]
    assert {reply.headers["vary"] for reply in (by_zstd, by_gzip, plain)} == {"Accept-Encoding"}


def test_a_reply_of_one_packet_is_sent_as_it_is():
    assert asyncio.run(json_reply(b"[]", "zstd")).body == b"[]"


def test_streams_are_repacked_for_those_who_do_not_take_zstd():
    packed = zstandard.compress(LONG)

    assert asyncio.run(streams_reply(packed, "zstd")).body == packed
    assert gzip.decompress(asyncio.run(streams_reply(packed, "gzip")).body) == LONG
    assert asyncio.run(streams_reply(packed, "identity")).body == LONG
