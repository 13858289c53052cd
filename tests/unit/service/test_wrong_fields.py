"""The sentence about a wrong body, for each body that the services take."""

import re

import pytest

from coachboard.service.api.errors import InvalidRequest
from coachboard.service.api.request_body import read_json
from coachboard.service.own_data import openapi
from coachboard.wire import own_data
from coachboard.wire.base import wire_names
from coachboard.wire.users import CreateWorkspaceInvitation

ODD = (b"null", b"true", b"-1", b"0", b"0.5", b"1e13", b"%d" % 2**70, b'""', b'"2026-02-30"', b"[]", b"[1]")
ODD += (b"{}", b'{"a": 1}', b'{"a": {"b": 1}}', b'"%s"' % (b"x" * 11_000))


def bodies():
    named = re.findall(rb'"requestBody":[^}]*schemas/(\w+)', openapi.document_json("/api"))
    return [CreateWorkspaceInvitation, *(getattr(own_data, name.decode()) for name in sorted(set(named)))]


@pytest.mark.parametrize("model", bodies())
def test_a_refusal_names_the_field_and_what_it_has_to_be(model):
    """`totalDuration.constrained-int: Input should be a valid integer` reached people and programs."""
    refusals = set()
    for name in (*wire_names(model).values(), "other"):
        for value in ODD:
            try:
                read_json(b'{"%s": %s}' % (name.encode(), value), model)
            except InvalidRequest as refused:
                refusals.add(str(refused))

    assert refusals
    for text in refusals:
        assert re.fullmatch(r"Invalid request body: \w+: (must be .+|required, .+|no such field)\.", text)
        assert not re.search(r"constrained|Input should|Value error|instance|valid (int|str|num|dict)", text)


def test_all_bodies_are_looked_at():
    assert {own_data.NewActivity, own_data.StartImport, own_data.KeyLabel} <= set(bodies())


def test_a_table_of_columns_is_described_with_its_parts():
    with pytest.raises(
        InvalidRequest, match="columns: must be an object, each value an object, each value a text, or null"
    ):
        read_json(b'{"columns": {"nights.csv": {"Bedtime": 5}}}', own_data.StartImport)
