"""The bundle that draws the figures is of the version whose figures are built, and draws all their trace types."""

import ast
import re
from pathlib import Path

import pytest
from plotly.offline import get_plotlyjs_version

import coachboard
from coachboard.ui.widgets import figure

SOURCE = Path(coachboard.__file__).parent
BUNDLE = (Path(figure.__file__).parent / "plotly-basic.min.js").read_text(encoding="utf-8")


def test_the_bundle_is_of_the_version_that_plotly_itself_brings():
    assert re.search(r"plotly\.js \(basic - minified\) v([\d.]+)", BUNDLE)[1] == get_plotlyjs_version()


def kinds(source):
    """Trace types that a chart module adds: `add_bar(...)`, `go.Bar(...)`, `{"type": "bar", "x": ...}`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name, value = node.func.attr, node.func.value
            if name.startswith("add_") and not name.endswith(
                ("line", "rect", "shape", "annotation", "image", "trace", "traces", "selection")
            ):
                yield name.removeprefix("add_")
            if isinstance(value, ast.Name) and value.id == "go" and name not in {"Figure", "Layout"}:
                yield name.lower()


@pytest.mark.parametrize("module", sorted((SOURCE / "charts").glob("*.py")), ids=lambda path: path.stem)
def test_charts_use_trace_types_of_the_bundle_only(module):
    assert set(kinds(module.read_text(encoding="utf-8"))) <= {"scatter", "bar", "pie"}
