"""The help of a figure has its formula, the excluded data and one worked example."""

import ast
import importlib
import pkgutil
import re
from dataclasses import fields
from pathlib import Path

import pytest

from coachboard import pages, ui
from coachboard.flags.engine import RULES
from coachboard.loaders.formula_sheet import formula_of, formula_sheet


def _calls():
    """Each function that a view explains with `formula_help`, by module and name."""
    packages = [
        info
        for package in (pages, ui)
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    for info in packages:
        if info.name == f"{ui.__name__}.frame.main":  # a script: an import runs it without a session
            continue
        module = importlib.import_module(info.name)
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "formula_help.text_of":
                for argument in node.args:
                    function = _named(module, argument)
                    if function is not None:
                        yield pytest.param(function, id=f"{info.name}.{ast.unparse(argument)}")


def _named(module, argument):
    """The function of a name, or of a name in a module; None for an expression."""
    if isinstance(argument, ast.Attribute):
        return getattr(_named(module, argument.value), argument.attr, None)
    return getattr(module, argument.id, None) if isinstance(argument, ast.Name) else None


CALLS = list(_calls())


@pytest.mark.parametrize("function", CALLS)
def test_an_explained_figure_has_its_excluded_data_and_a_worked_example(function):
    formula = formula_of(function)

    assert formula.says
    assert formula.missing_data
    assert formula.example


def test_the_pages_explain_their_figures():
    assert len(CALLS) > 80


@pytest.mark.parametrize("formula", formula_sheet(), ids=lambda formula: formula.name)
def test_the_sheet_speaks_to_coaches(formula):
    """Title, meaning, formula, unit and source; no names of code."""
    text = "\n".join(getattr(formula, field.name) for field in fields(formula))

    assert all((formula.title, formula.says, formula.notes, formula.unit, formula.source))
    assert not re.findall(r"`|\w+_\w+|\w\(\)|\b(?:NaN|None|True|False|array)\b|(?<!in a )\brows?\b|->", text)


def test_the_sheet_has_each_flag_rule_as_pages_say_it():
    sheet = {formula.name: formula for formula in formula_sheet()}

    assert len(sheet) == len(formula_sheet())
    for rule in RULES:
        assert sheet[f"Flag: {rule.title}"].says == f"{rule.sentence()}."
