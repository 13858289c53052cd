"""The help of a figure has its formula, the excluded data and one worked example."""

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

from coachboard import views
from coachboard.loaders.settings.formula_sheet import formula_of


def _calls():
    """Each function that a view explains with `on_demand`, by module and name."""
    for info in pkgutil.walk_packages(views.__path__, f"{views.__name__}."):
        if info.name == f"{views.__name__}.frame.main":  # a script: an import runs it without a session
            continue
        module = importlib.import_module(info.name)
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "on_demand":
                for argument in node.args:
                    if isinstance(argument, ast.Name) and callable(getattr(module, argument.id, None)):
                        yield pytest.param(getattr(module, argument.id), id=f"{info.name}.{argument.id}")


CALLS = list(_calls())


@pytest.mark.parametrize("function", CALLS)
def test_an_explained_figure_has_its_excluded_data_and_a_worked_example(function):
    formula = formula_of(function)

    assert formula.says
    assert formula.missing_data
    assert formula.example


def test_the_views_explain_their_figures():
    assert len(CALLS) > 60
