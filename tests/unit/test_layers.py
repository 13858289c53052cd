"""Views show values; loaders fetch and compute them."""

import ast
from pathlib import Path

VIEWS = Path(__file__).parents[2] / "src" / "coachboard" / "views"


def calls_of_analytics(tree):
    """The functions of analytics that a module calls; types, constants and functions given as formulas are no calls."""
    imported = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("coachboard.analytics")
        for name in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.value if isinstance(node.func, ast.Attribute) else node.func
            if isinstance(called, ast.Name) and called.id in imported and called.id.islower():
                yield f"{called.id}, line {node.lineno}"


def test_no_view_calls_a_function_of_analytics():
    found = {
        str(path.relative_to(VIEWS)): calls
        for path in VIEWS.rglob("*.py")
        if (calls := list(calls_of_analytics(ast.parse(path.read_text("utf-8")))))
    }

    assert found == {}


def test_a_call_is_found_in_a_view():
    code = "from coachboard.analytics.days import week_start\nfrom coachboard.analytics.recovery import hrv\n"
    found = calls_of_analytics(ast.parse(f"{code}week_start(1)\nhrv.to_ms(2)\nhelp(week_start)"))

    assert list(found) == ["week_start, line 3", "hrv, line 4"]
