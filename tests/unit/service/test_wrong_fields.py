"""The sentence about a wrong body, for each body that the services take."""

import re

import orjson
import pytest

from coachboard.service.api.errors import InvalidRequest
from coachboard.service.api.request_body import read_json
from coachboard.service.own_data import openapi
from coachboard.wire import own_data
from coachboard.wire.base import wire_names
from coachboard.wire.comments import ReadComments
from coachboard.wire.planning import PlanBatch
from coachboard.wire.prescriptions import StructureIntensity
from coachboard.wire.users import CreateWorkspaceInvitation

ODD = (b"null", b"true", b"-1", b"0", b"0.5", b"1e13", b"%d" % 2**70, b'""', b'"2026-02-30"', b"[]", b"[1]")
WIDE = dict.fromkeys(wire_names(StructureIntensity).values())
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


@pytest.mark.parametrize(
    ("ids", "sentence"),
    [(5, "ids: must be a list of at most 1,000 rows."), (["a", 5], "ids[1]: must be a text.")],
)
def test_a_list_of_texts_is_not_described_as_a_list_of_objects(ids, sentence):
    with pytest.raises(InvalidRequest, match=re.escape(f"Invalid request body: {sentence}")):
        read_json(orjson.dumps({"ids": ids}), ReadComments)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (5, ": must be an object of type step, or an object of type repetition."),
        ({"type": "rest"}, ": must be an object of type step, or an object of type repetition."),
        ({"type": "repetition"}, ".nRepetitions: required, a whole number from 0 to 1,000,000,000,000."),
        ({"type": "repetition", "nRepetitions": 2, "steps": [], "pace": 1}, ".pace: no such field."),
        (
            {"type": "repetition", "nRepetitions": 2, "steps": [{"type": "step", "label": "nap"}]},
            ".steps[0].label: must be one of warm up, active, intra-recovery, rest, cool down, maximum.",
        ),
        (
            {
                "type": "step",
                "label": "rest",
                "intensity": WIDE,
                "length": {"type": "duration", "duration": "1 h"},
            },
            ".length.duration: must be a number from -1,000,000,000,000 to 1,000,000,000,000.",
        ),
        (
            {"type": "step", "label": "rest", "intensity": WIDE, "length": {"type": "lap"}},
            ".length: must be an object of type free, or an object of type duration, or an object of type distance.",
        ),
    ],
)
def test_a_wrong_step_is_named_with_its_path(step, sentence):
    operation = {"op": "create", "kind": "workout", "userId": "usr_1", "value": {"structure": [step]}}
    sentence = f"Invalid request body: operations[0].value.structure[0]{sentence}"
    with pytest.raises(InvalidRequest, match=re.escape(sentence)):
        read_json(orjson.dumps({"operations": [operation]}), PlanBatch)
