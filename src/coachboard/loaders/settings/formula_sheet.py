"""Formulas of the analytics and the flags, read from the docstrings, so that they always match the code."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from coachboard import analytics
from coachboard.execution.score import execution_score
from coachboard.flags.engine import RULES, evaluate, priority
from coachboard.flags.morning import morning_verdict

_MARK = re.compile(r"\*(Missing data|Worked example)\*:\s*")
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Formula:
    """An analytics function with its documented formula."""

    topic: str  # the module
    name: str
    says: str
    notes: str
    missing_data: str  # the excluded data
    example: str  # a doctest of the function has the same numbers
    references: str


@cache
def formulas() -> tuple[Formula, ...]:
    """All formulas by topic and name."""
    found = {formula.topic + formula.name: formula for formula in _formulas()}
    return tuple(found[key] for key in sorted(found))


def formula_of(function: Callable[..., Any]) -> Formula:
    """The formula of an analytics function."""
    return _formula(function.__module__.rpartition(".")[2], function.__name__, function)


def _formulas() -> Iterator[Formula]:
    yield from (_formula("flags", rule.id, rule.read) for rule in RULES)
    yield _formula("execution", execution_score.__name__, execution_score)
    for explained in (evaluate, priority, morning_verdict):
        yield _formula("flags", explained.__name__, explained)
    for info in pkgutil.walk_packages(analytics.__path__, f"{analytics.__name__}."):
        module = importlib.import_module(info.name)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if not name.startswith("_") and function.__module__ == module.__name__ and function.__doc__:
                yield _formula(info.name.rpartition(".")[2], name, function)


def _formula(topic: str, name: str, function: Callable[..., Any]) -> Formula:
    head, sections = _sections(inspect.getdoc(function) or "")
    notes, *marked = _MARK.split(sections.get("Notes", ""))
    parts = dict(zip(marked[::2], marked[1::2], strict=True))
    return Formula(
        topic=topic.replace("_", " "),
        name=name.replace("_", " "),
        says=" ".join(head.split()),
        notes=notes.strip(),
        missing_data=" ".join(
            found
            for found in (sections.get("Missing data", ""), parts.get("Missing data", "").strip())
            if found
        ),
        example=parts.get("Worked example", "").strip(),
        references=sections.get("References", ""),
    )


def _sections(doc: str) -> tuple[str, dict[str, str]]:
    """The text before the first heading, and the text under each heading."""
    parts = _SECTION.split(doc)
    return parts[0].strip(), {parts[at]: parts[at + 1].strip() for at in range(1, len(parts) - 1, 2)}
