"""Every object of the interface document, field by field, against the project's own table of it."""

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from coachboard.wire import activities, body, errors, plans, prescriptions, users
from coachboard.wire.base import Wire
from unit.wire.expectations import ENUMERATION_SIZES, OBJECTS
from unit.wire.payloads import ENUMERATIONS, payloads

MODULES = (activities, body, errors, users, plans, prescriptions, users)
MODELS: dict[str, type[Wire]] = {
    name: model
    for module in MODULES
    for name, model in vars(module).items()
    if isinstance(model, type) and issubclass(model, Wire) and model is not Wire
}


def _example(name):
    """One payload of the object with every optional field, drawn once."""
    found = []

    @hypothesis.settings(max_examples=1, database=None, deadline=None, derandomize=True)
    @hypothesis.given(payloads(name))
    def draw(payload):
        found.append(payload)

    draw()
    return found[0]


EXAMPLES = {name: _example(name) for name in OBJECTS}


def test_every_object_of_the_document_has_a_model_and_no_other():
    assert set(MODELS) == set(OBJECTS)


@pytest.mark.parametrize("name", OBJECTS)
def test_fields_of_object_are_those_of_the_document_in_its_order(name):
    aliases = [field.alias for field in MODELS[name].model_fields.values()]

    assert aliases == [field.name for field in OBJECTS[name]]


def assert_read(name, payload, field, *, is_accepted):
    """The object takes this payload as it is, or refuses it and names the field."""
    if is_accepted:
        assert MODELS[name].from_wire(payload).to_wire() == payload, field.name
    else:
        with pytest.raises(ValidationError, match=field.name):
            MODELS[name].from_wire(payload)


@pytest.mark.parametrize("name", OBJECTS)
def test_field_is_null_only_where_the_document_allows_it(name):
    for field in OBJECTS[name]:
        assert_read(name, EXAMPLES[name] | {field.name: None}, field, is_accepted=field.is_nullable)


@pytest.mark.parametrize("name", OBJECTS)
def test_field_is_absent_only_where_the_document_allows_it(name):
    for field in OBJECTS[name]:
        payload = {key: value for key, value in EXAMPLES[name].items() if key != field.name}
        assert_read(name, payload, field, is_accepted=field.is_optional)


WRONG = {
    "text": [1, True, ["a"]],
    "number": ["1", True, float("nan"), float("inf")],
    "index": ["1", True, -1, 1.5],
    "day": ["2025-1-1", "20250101", "2025-02-30", "2025-01-01T00:00:00", 1, ""],
    "time of day": ["8:00:00", "08:00", "25:00:00", 8, "08:00:00Z"],
    "moment": ["2025-01-01T00:00:00Z", "2025-01-01 00:00:00", "2025-13-01 00:00:00+00", 0],
    "local moment": ["2025-01-01T00:00:00Z", "2025-01-01 00:00:00", "2025-13-01 00:00:00+00", 0],
    "yes or no": [0, "true", "no"],
}


@pytest.mark.parametrize("name", OBJECTS)
def test_field_of_another_type_is_refused(name):
    for field in OBJECTS[name]:
        for wrong in WRONG.get(field.kind, [7, "no such value"]):
            assert_read(name, EXAMPLES[name] | {field.name: wrong}, field, is_accepted=False)


@pytest.mark.parametrize("name", OBJECTS)
def test_unknown_field_is_refused_because_objects_are_closed(name):
    with pytest.raises(ValidationError, match="extra_forbidden"):
        MODELS[name].from_wire(EXAMPLES[name] | {"somethingElse": 1})


@pytest.mark.slow
@pytest.mark.parametrize("name", OBJECTS)
@given(data=st.data())
@hypothesis.settings(max_examples=25, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
def test_reading_and_writing_gives_the_same_payload(name, data):
    payload = data.draw(payloads(name))

    assert MODELS[name].from_wire(payload).to_wire() == payload


@pytest.mark.parametrize(("name", "size"), ENUMERATION_SIZES.items())
def test_enumeration_has_every_value_of_the_document(name, size):
    assert len(ENUMERATIONS[name]) == size


def test_no_enumeration_is_outside_the_table():
    assert set(ENUMERATIONS) == set(ENUMERATION_SIZES)


def test_structure_nests_to_any_depth():
    step = EXAMPLES["StructureStep"]
    element = step
    for depth in range(1, 60):
        element = {"type": "repetition", "nRepetitions": depth, "steps": [element, step]}
    payload = EXAMPLES["TrainingPrescription"] | {"structure": [element]}

    assert MODELS["TrainingPrescription"].from_wire(payload).to_wire() == payload


def test_whole_numbers_stay_whole():
    lap = activities.ProviderLap.from_wire(EXAMPLES["ProviderLap"])
    step = prescriptions.DurationLength.from_wire({"type": "duration", "duration": 300})

    assert lap.to_wire() == EXAMPLES["ProviderLap"]
    assert isinstance(step.to_wire()["duration"], int)
