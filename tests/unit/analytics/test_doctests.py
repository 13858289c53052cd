"""Every example in the docstrings of the analytics holds."""

import doctest
import importlib
import pkgutil

import pytest

import coachboard.analytics

ANALYTICS = coachboard.analytics
MODULES = sorted(
    module.name for module in pkgutil.walk_packages(ANALYTICS.__path__, f"{ANALYTICS.__name__}.")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_module_hold(name):
    module = importlib.import_module(name)

    found = doctest.testmod(module)

    assert found.failed == 0
