"""Lists the texts of a page as lines, to compare two readings of the same data."""

import base64
import json
import math
import re

import numpy as np
from lxml import html
from streamlit.testing.v1 import AppTest

import plain_rows
from coachboard.ui.frame import navigation

_PARTS = {
    "activity": {"activity": {"activity": plain_rows.RIDE, "day": "2026-03-19"}},
    "trends": {
        "trends load": {"look": "load"},
        "trends sleep": {"look": "nights"},
        "trends metrics": {"look": "metrics"},
    },
}
"""Pages whose address needs more than the athlete; trends by its parts, as one is drawn at a time."""


def _views(*audiences):
    return {
        view: (name, params)
        for name in navigation.PLACES
        if name in navigation.pages_for(*audiences)
        for view, params in _PARTS.get(name, {name: {}}).items()
    }


PAGES = _views("coaches", "everyone")
OWN_DATA_PAGES = _views("own data")
"""Pages of one's own data, which not every service has."""
_MAIN = navigation.PAGES_FOLDER.parent / "src" / "coachboard" / "ui" / "frame" / "main.py"
# Without the season's best efforts: their streams come in the background, so that a page may show part of them.
_NEAR = (
    *(f"athlete.{part}.{plain_rows.ATHLETE}.near" for part in ("below", "weeks", "sessions", "profile")),
    *(f"activity.{part}.{plain_rows.RIDE}.near" for part in ("parts", "look")),
    "calendar.below.near",
    "settings.flags.near",
)
_TEXTS = (
    "title",
    "header",
    "subheader",
    "markdown",
    "caption",
    "info",
    "warning",
    "error",
    "success",
)
# Ages and sizes of the cache say when a page was read, not what of.
_PASSING = re.compile(
    r"just now|(?<=main: )(\d+ min|now)$|\b\d+ (s|min) ago|\d+(\.\d+)? [kM]B\b|127\.0\.0\.1:\d+|\b\d+ of 300\b"
)
_DIGITS = 4
_LOOKS = {"height", "bundle", "config", "template"}
_MOST_RUNS = 100


def view(name):
    """The lines of a page: texts, tables, what components were given, the points of charts."""
    return lines_of(opened(name))


def opened(name):
    """A page with all its parts, once its rows are read."""
    page, params = (PAGES | OWN_DATA_PAGES | _views("plans"))[name]
    at = AppTest.from_file(str(_MAIN), default_timeout=60)
    for key in _NEAR:
        at.session_state[key] = True
    at.switch_page(str(navigation.PAGES_FOLDER / f"{page}.py"))
    at.query_params.update({"athlete": plain_rows.ATHLETE} | params)
    at.run()
    # The roster draws an athlete's line before its rows are read, lists before scores.
    for _ in range(_MOST_RUNS):
        if not any(line.endswith(("title: loading", "sign: ○")) for line in lines_of(at)):
            break
        at.run()
    return at


def lines_of(at):
    assert not at.exception, at.exception[0].value
    return sorted(_PASSING.sub("…", line) for line in [*_texts(at), *_tables(at), *_components(at)])


def _texts(at):
    for kind in _TEXTS:
        for element in getattr(at, kind):
            for line in str(element.value).replace("\\", "").replace("\u2060", "").splitlines():
                yield f"{kind}: {line}"


def _tables(at):
    for table in at.dataframe:
        for column in table.value.columns:
            for value in table.value[column].tolist():
                is_missing = isinstance(value, float) and math.isnan(value)
                text = table.proto.placeholder if is_missing else ""
                yield f"table {column}: {text or _rounded(value)}"


def _components(at):
    for element in at.get("bidi_component"):
        proto = element.proto
        sent = proto.json or proto.bytes
        if sent and not proto.component_name.endswith(("bar", "switch")):  # toolbars: the same for all data
            key = proto.id.rpartition("-")[2]
            yield from _leaves(f"{proto.component_name.removeprefix('coachboard_')} {key}", json.loads(sent))


def _leaves(place, value):
    """Yield each text and number of a value; an array of a chart is one line."""
    if isinstance(value, dict) and "bdata" in value:
        numbers = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"]).astype(float)
        yield f"{place}: {_numbers(numbers)}"
    elif isinstance(value, dict):
        for name, part in value.items():
            if name not in _LOOKS:
                yield from _leaves(f"{place}.{name}", part)
    elif isinstance(value, list):
        is_row = bool(value) and all(isinstance(one, int | float | None) for one in value)
        lines = (
            [f"{place}: {_numbers(np.array(value, float))}"]
            if is_row
            else (line for part in value for line in _leaves(place, part))
        )
        yield from lines
    elif place.endswith(".markup"):
        yield from _texts_of_markup(place, value)
    elif value not in {None, ""}:
        yield f"{place}: {_rounded(value)}"


def _texts_of_markup(place, markup):
    for element in html.fragment_fromstring(markup, create_parent="div").iter():
        if element.attrib:
            yield f"{place} {' '.join(element.values())}: {element.text or ''}"


def _numbers(values):
    return json.dumps(np.round(values, _DIGITS).tolist())


def _rounded(value):
    return round(value, _DIGITS) if isinstance(value, float) else value
