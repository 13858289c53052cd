"""Help text of numbers: the time window, and the formula from the function's docstring."""

import re
from collections.abc import Callable
from typing import Any

from coachboard.loaders.settings.formula_sheet import Formula, formula_of
from coachboard.views.frame.text import md

_CODE_MARKS = re.compile(r"``?|\*(?=Missing data|Worked example)|(?<=Missing data)\*|(?<=Worked example)\*")


def on_demand(*functions: Callable[..., Any], window: str) -> str:
    """For `help=`: the window first, then each formula with its source."""
    return "\n\n".join(
        [f"**Window:** {md(window)}", *(_text_of(formula_of(function)) for function in functions)]
    )


def _text_of(formula: Formula) -> str:
    text = " ".join(part for part in (formula.says, _one_line(formula.notes)) if part)
    source = f" *{md(_one_line(formula.references))}*" if formula.references else ""
    return f"**{md(formula.name.capitalize())}:** {md(text)}{source}"


def _one_line(text: str) -> str:
    return " ".join(_CODE_MARKS.sub("", text).split())
