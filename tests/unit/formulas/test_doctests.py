"""Every example in the docstrings of the formulas and the flags holds."""

import doctest
import importlib
import pkgutil

import pytest

import coachboard.execution
import coachboard.flags
import coachboard.formulas
import coachboard.workout_text

MODULES = sorted(
    module.name
    for package in (coachboard.formulas, coachboard.execution, coachboard.flags, coachboard.workout_text)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_module_hold(name):
    module = importlib.import_module(name)

    found = doctest.testmod(module)

    assert found.failed == 0
