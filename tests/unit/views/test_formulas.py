"""The help of a number: titles and text without names of the code."""

import ast
import doctest
import importlib
import re
import sys
from pathlib import Path

import pytest

from coachboard import views
from coachboard.analytics.flags.flag_rules import RULES
from coachboard.analytics.flags.recovery_readings import hrv_low
from coachboard.analytics.recovery.metric_lines import changes_pct
from coachboard.analytics.recovery.sleep import debt_h
from coachboard.loaders.settings.formula_sheet import formula_of
from coachboard.loaders.settings.formula_sheet import formulas as documented
from coachboard.views.widgets import formulas

_OF_CODE = re.compile(r"`|[a-z]{2,}_[a-z]{2,}|[A-Z]{2,}_[A-Z]")


def explained():
    """The names of the functions that a help text explains."""
    for file in Path(views.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("on_demand"):
                yield from (ast.unparse(argument).rpartition(".")[2] for argument in call.args)


def shown_functions():
    """The functions that a help text explains; three views choose them elsewhere than in the call."""
    found = {changes_pct, debt_h} | {rule.read for rule in RULES}
    for file in Path(views.__file__).parent.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        origins = {
            alias.asname or alias.name: (node.module, alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("on_demand"):
                for argument in (one for one in call.args if not isinstance(one, ast.Starred)):
                    name, _, rest = ast.unparse(argument).partition(".")
                    if name not in origins:  # the rule of a flag
                        continue
                    module, of = origins[name]
                    owner = (
                        importlib.import_module(f"{module}.{of}") if rest else importlib.import_module(module)
                    )
                    found.add(getattr(owner, rest or of))
    return sorted(found, key=lambda function: f"{function.__module__}.{function.__name__}")


SHOWN = shown_functions()


def results_of(function):
    """What the examples in the docstring print, with each example run by the real function."""
    test = doctest.DocTestParser().get_doctest(
        function.__doc__, vars(sys.modules[function.__module__]).copy(), function.__name__, None, 0
    )
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
    return " ".join(example.want for example in test.examples)


@pytest.mark.parametrize("function", SHOWN, ids=lambda function: function.__name__)
def test_each_sheet_has_its_formula_window_excluded_data_and_a_worked_example(function):
    sheet, text = formula_of(function), formulas.on_demand(function, window="today.")

    assert sheet.says
    assert len(f"{sheet.says} {sheet.notes}") > 60
    assert sheet.missing_data
    assert sheet.example
    for part in ("**Window:**", "**Missing data:**", "**Worked example:**"):
        assert text.count(part) == 1


@pytest.mark.parametrize("function", SHOWN, ids=lambda function: function.__name__)
def test_the_real_function_computes_the_worked_example(function):
    """The example names a number or a word that the function returns, rounded to the digits of the example."""
    example, results = " ".join(formula_of(function).example.split()), results_of(function)
    numbers = [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", results)]
    words = re.findall(r"'([A-Za-z ]{3,})'", results)
    named = re.findall(r"\d+(?:\.\d+)?", example)

    assert any(word in example for word in words) or any(
        round(abs(number), len(one.partition(".")[2])) == float(one) for one in named for number in numbers
    )


def test_there_are_as_many_sheets_as_the_views_name():
    assert len(SHOWN) >= 67


@pytest.mark.parametrize("name", sorted({name for name in explained() if name.isidentifier()}))
def test_a_help_text_has_no_name_of_the_code(name):
    """Users read "Hrv low" and "threshold" between backticks."""
    for formula in documented():
        if formula.name == name.replace("_", " "):
            assert not _OF_CODE.search(formulas._text_of(formula).replace("\\", ""))


@pytest.mark.parametrize(
    ("module", "name", "title"),
    [
        ("flags.recovery_readings", "hrv_low", "Low HRV"),
        ("flags.recovery_readings", "resting_hr_high", "High resting heart rate"),
        ("flags.load_readings", "load_jump", "Load spike"),
        ("planning.compliance", "verdict", "Compliance"),
        ("recovery.sleep", "debt_h", "Sleep debt"),
        ("season.weeks", "week_totals", "Totals of a week"),
        ("session.decoupling", "decoupling", "Decoupling"),
    ],
)
def test_a_formula_has_the_title_of_its_number(module, name, title):
    function = getattr(importlib.import_module(f"coachboard.analytics.{module}"), name)
    assert f"**{title}:**" in formulas.on_demand(function, window="today.").replace("\\", "")


def test_a_unit_is_in_brackets_before_the_full_stop():
    assert "the normal range (ms). Raised" in formulas.on_demand(hrv_low, window="7 nights.").replace(
        "\\", ""
    )


def test_every_title_belongs_to_a_function():
    """A renamed function would lose its title without a word."""
    analytics = {formula.name.replace(" ", "_") for formula in documented()}
    assert formulas._TITLES.keys() <= analytics | {function.__name__ for function in SHOWN}
