"""The data of this project's components, as text."""

import json


def key_numbers(at, key):
    """The numbers of that place as one line: label, value, unit and note of each, in order."""
    found = [e.proto for e in at.get("bidi_component") if key in e.proto.id]
    return " ".join(
        word
        for proto in found
        for one in json.loads(proto.json)
        for word in (one["label"], one["value"], one["unit"], one["note"])
        if word
    )
