"""Help text of numbers: the time window, and from the function's docstring formula, excluded data and an example."""

from collections.abc import Callable
from functools import cache
from typing import Any

from coachboard.loaders.formula_sheet import OWN_SOURCE, formula_of
from coachboard.ui.frame.text import md


def text_of(*functions: Callable[..., Any], window: str) -> str:
    """For `help=`: the window first, then each formula with its source."""
    return "\n\n".join([f"**Window:** {md(window)}", *(_formula_text(function) for function in functions)])


@cache
def _formula_text(function: Callable[..., Any]) -> str:
    formula = formula_of(function)
    unit = "" if formula.unit == "none" else f"Unit: {formula.unit}."
    text = " ".join(part for part in (formula.says, _one_line(formula.notes), unit) if part)
    parts = [f"**{md(formula.title)}:** {md(text)}"]
    parts += [
        f"**{name}:** {md(_sentence(part))}"
        for name, part in (("Missing data", formula.missing_data), ("Worked example", formula.example))
        if part
    ]
    source = "" if formula.source == OWN_SOURCE else f" *{md(formula.source)}*"
    return " ".join(parts) + source


def _sentence(text: str) -> str:
    line = _one_line(text)
    return line[:1].upper() + line[1:]


def _one_line(text: str) -> str:
    return " ".join(text.split())
