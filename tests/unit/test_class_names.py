"""A class name has one meaning in the whole tree, the demo squad included."""

import ast
import builtins
import re
from collections import defaultdict
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"


def test_no_two_classes_have_one_name():
    places = defaultdict(set)
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(str(path.relative_to(SRC)))

    assert {name: sorted(found) for name, found in places.items() if len(found) > 1} == {}


def test_documentation_names_errors_that_exist():
    """Seventeen docstrings named errors that had been renamed."""
    texts = [path.read_text(encoding="utf-8") for path in SRC.rglob("*.py")]
    known = {name for text in texts for name in re.findall(r"^class (\w+)", text, re.MULTILINE)} | {
        *dir(builtins),
        "ClickException",
    }
    named = {name for text in texts for name in re.findall(r"[Rr]aises? `(\w+)`", text)}

    assert "ServiceError" in named
    assert named - known == set()
