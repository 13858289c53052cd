"""Every use of Streamlit's private parts. `hooks.py` has the table: reason, private part, start-up check, switch."""

from importlib import import_module
from operator import attrgetter
from typing import Any


def part(name: str) -> Any:
    """A private part by `module:name`; an error if the installed Streamlit has none, so that the check fails."""
    module, _, attribute = name.partition(":")
    return attrgetter(attribute)(import_module(module))
