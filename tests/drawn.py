"""Pages in the test runner of Streamlit, and the data of this project's components as text."""

import json

from streamlit.testing.v1 import AppTest

from coachboard.ui.frame import navigation

MAIN = str(navigation.PAGES_FOLDER.parent / "src" / "coachboard" / "ui" / "frame" / "main.py")


def page_test(name, *, timeout_s=30):
    """The dashboard before its first run, which draws that page: a run of the first page would read the whole roster."""
    at = AppTest.from_file(MAIN, default_timeout=timeout_s)
    return at.switch_page(str(navigation.PAGES_FOLDER / f"{name}.py"))


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
