"""Objects of an OpenAPI document with description, unit and examples of each property, from the catalogue of fields."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from coachboard.wire.fields import WireField, field_of
from coachboard.wire.stream_columns import COLUMNS, snake_name
from coachboard.wire.streams import TIMESTAMP

REF = "#/components/schemas"
Schema = dict[str, Any]

_NOTE_OF_CODE = re.compile(r"[;\s]*spec: not shown.*", re.DOTALL)
_STAMPS = ["2026-05-01T06:30:00Z", "2026-05-01T06:30:01Z", None]


def schemas_of(directed: Iterable[tuple[type[BaseModel], JsonSchemaMode]]) -> Schema:
    """The schemas of models and of the objects in them, by name; `describe` completes them."""
    _, top = models_json_schema(list(directed), ref_template=REF + "/{model}")
    schemas: Schema = top["$defs"]
    return schemas


def describe(schemas: Schema) -> Schema:
    """Add description, unit and examples to each property."""
    for model, schema in schemas.items():
        schema.pop("title", None)
        if "description" in schema:
            schema["description"] = _NOTE_OF_CODE.sub("", schema["description"]).rstrip(".") + "."
        for name, part in schema.get("properties", {}).items():
            part.pop("title", None)
            if "description" not in part:
                # A recursive object that is sent and received has two names, `X-Input` and `X-Output`.
                part.update(_described(field_of(model.partition("-")[0], snake_name(name))))
    for schema in schemas.values():
        for part in schema.get("properties", {}).values():
            part.setdefault("examples", [example_of(part, schemas)])
    return schemas


def _described(field: WireField) -> Schema:
    examples = {} if field.example is None else {"examples": [field.example]}
    return {**_text_and_unit(field.text, field.unit), **examples}


def _text_and_unit(text: str, unit: str | None) -> Schema:
    return {"description": text} if unit is None else {"description": f"{text} Unit: {unit}.", "x-unit": unit}


def example_of(schema: Mapping[str, Any], schemas: Schema) -> Any:
    """An example of a schema: its own, or one made of the examples of its parts."""
    if "examples" in schema:
        return schema["examples"][0]
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].removeprefix(f"{REF}/")], schemas)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return example_of(schema[union][0], schemas)
    if schema.get("type") == "array":
        return [example_of(schema["items"], schemas)]
    return {name: example_of(part, schemas) for name, part in schema["properties"].items()}


def streams_schema() -> Schema:
    """The time series of an activity: one property for each record of the catalogue of columns."""
    words = {"enum": ["Infinity", "-Infinity", "NaN"]}
    values = {"type": "array", "items": {"anyOf": [{"type": "number"}, words, {"type": "null"}]}}
    stamps = {
        "type": "array",
        "items": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
        "description": "Times of the samples, in UTC.",
        "examples": [_STAMPS],
    }
    columns = {
        column.wire_name: {
            **values,
            **_text_and_unit(" ".join(filter(None, (f"{column.title}.", column.note))), column.unit),
            "examples": [[column.example, column.example, None]],
        }
        for column in COLUMNS
    }
    return {
        "type": "object",
        "description": "Columns of equal length, aligned by index; one that was not recorded is absent.",
        "properties": {TIMESTAMP: stamps, **columns},
        "additionalProperties": False,
    }
