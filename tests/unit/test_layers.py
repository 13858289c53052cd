"""Functions that draw show values; loaders and pure functions fetch and compute them."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "coachboard"


def calls_of_formulas(tree, part):
    """The functions of formulas that a part of a module calls; types, constants and functions given as formulas are no calls."""
    imported = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith(("coachboard.formulas", "coachboard.execution"))
        for name in node.names
    }
    for node in ast.walk(part):
        if isinstance(node, ast.Call):
            called = node.func.value if isinstance(node.func, ast.Attribute) else node.func
            if isinstance(called, ast.Name) and called.id in imported and called.id.islower():
                yield f"{called.id}, line {node.lineno}"


def drawing_functions(tree):
    """The functions of a module that draw: those that use Streamlit or are named `draw...`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            if "st" in names or node.name.lstrip("_").startswith("draw"):
                yield node


def test_the_frame_and_the_widgets_call_no_formula():
    calls_by_file = {
        str(path.relative_to(PACKAGE)): calls
        for path in (PACKAGE / "ui").rglob("*.py")
        if (calls := list(calls_of_formulas(tree := ast.parse(path.read_text("utf-8")), tree)))
    }

    assert calls_by_file == {}


def test_no_function_of_a_page_that_draws_calls_a_formula():
    calls_by_file = {
        str(path.relative_to(PACKAGE)): calls
        for path in (PACKAGE / "pages").rglob("*.py")
        if (calls := calls_while_drawing(ast.parse(path.read_text("utf-8"))))
    }

    assert calls_by_file == {}


def calls_while_drawing(tree):
    return [call for function in drawing_functions(tree) for call in calls_of_formulas(tree, function)]


IMPORTS = "from coachboard.formulas.days import week_start\nfrom coachboard.formulas.recovery import hrv\n"


def test_a_call_is_found_anywhere_in_a_module():
    tree = ast.parse(f"{IMPORTS}week_start(1)\nhrv.to_ms(2)\nhelp(week_start)")

    assert list(calls_of_formulas(tree, tree)) == ["week_start, line 3", "hrv, line 4"]


def test_a_call_is_found_in_a_function_of_a_page_that_draws():
    tree = ast.parse(
        f"{IMPORTS}def weeks(): week_start(1)\ndef draw_weeks(): week_start(2)\ndef table(): st.write(hrv.to_ms(3))"
    )

    assert calls_while_drawing(tree) == ["week_start, line 4", "hrv, line 5"]
