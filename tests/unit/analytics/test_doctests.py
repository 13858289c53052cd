"""Every example in the docstrings of the analytics and the flags holds."""

import doctest
import importlib
import pkgutil

import pytest

import coachboard.analytics
import coachboard.flags

MODULES = sorted(
    module.name
    for package in (coachboard.analytics, coachboard.flags)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_module_hold(name):
    module = importlib.import_module(name)

    found = doctest.testmod(module)

    assert found.failed == 0
