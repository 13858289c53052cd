"""Each public function of the formulas has a caller in the product: the formula sheet lists them all."""

import ast
from pathlib import Path

SRC = Path(__file__).parents[3] / "src"
PURE, DEMO = ("coachboard.formulas", "coachboard.execution"), "coachboard_demo"


def name_of(path):
    return ".".join(path.relative_to(SRC).with_suffix("").parts)


def uses_of(module, tree):
    """Pairs of the function that holds a name and the full name that it refers to."""
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for top in tree.body:
        owner = f"{module}.{getattr(top, 'name', '')}"
        for node in ast.walk(top):
            if isinstance(node, ast.Name):
                yield owner, imported.get(node.id, f"{module}.{node.id}")
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                yield owner, f"{imported.get(node.value.id)}.{node.attr}"


def without_caller(trees):
    """Public functions that nothing calls, and those that only such functions call."""
    public = {
        f"{module}.{node.name}"
        for module, tree in trees.items()
        for node in tree.body
        if module.startswith(PURE) and isinstance(node, ast.FunctionDef) and node.name[0] != "_"
    }
    uses = {use for module, tree in trees.items() for use in uses_of(module, tree)}
    dead: set[str] = set()
    while found := public - dead - {used for owner, used in uses if owner != used and owner not in dead}:
        dead |= found
    return dead


def test_each_public_function_has_a_caller_outside_the_demo():
    trees = {name_of(path): ast.parse(path.read_text("utf-8")) for path in SRC.rglob("*.py")}

    assert without_caller({name: tree for name, tree in trees.items() if not name.startswith(DEMO)}) == set()


def test_a_function_that_only_an_uncalled_one_calls_is_found():
    source = "def called(): pass\ndef inner(): pass\ndef outer(): inner()\ndef again(): again()\ncalled()"

    assert without_caller({f"{PURE[0]}.x": ast.parse(source)}) == {
        f"{PURE[0]}.x.{name}" for name in ("inner", "outer", "again")
    }
