"""Whether rows are exactly of the interface, decided a column at a time.

A yes means that the model would read every row; a no means only that the model has to be asked row by row.
1,000 activities of 20 laps take 40 ms here, and 200 ms as models, which most readers never need.
"""

import re
import typing
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time
from enum import StrEnum
from functools import lru_cache, partial
from itertools import chain
from types import NoneType
from typing import Any

from coachboard.client.rows import leaves_of
from coachboard.models.base import Wire, parse_day

_TIMESTAMPS = re.compile(r"(?:\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\+00,)*", re.ASCII)
_TIME_OF_DAY = re.compile(r"\d{2}:\d{2}:\d{2}", re.ASCII)


def conforms(model: type[Wire], rows: Sequence[Any]) -> bool:
    """Whether all decoded rows are surely valid for the model."""
    if not rows:
        return True
    if set(map(type, rows)) != {dict}:
        return False
    keys, *others = set(map(tuple, rows))
    looks = None if others else _looks_at(model, keys)
    if looks is None:
        return False
    # No tuple for each row: hundreds of them at once have Python look for garbage in the middle of this.
    values = list(chain.from_iterable(map(dict.values, rows)))
    columns = [values[place :: len(keys)] for place in range(len(keys))]
    try:
        return all(fits(chain.from_iterable(map(columns.__getitem__, places))) for places, fits in looks)
    except (TypeError, ValueError):  # a value of another type, no day
        return False


_Look = Callable[[Iterable[Any]], bool]


@lru_cache(maxsize=100)
def _looks_at(model: type[Wire], keys: tuple[str, ...]) -> tuple[tuple[tuple[int, ...], _Look], ...] | None:
    """How rows of these keys are looked at: columns that may hold the same together.

    None where the keys are not those of the model, or where it has optional ones.
    """
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    if fields.keys() != set(keys) or not all(field.is_required() for field in fields.values()):
        return None
    places: dict[_Rule, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(_rule_of(fields[key].annotation), []).append(place)
    return tuple((tuple(alike), partial(look, *told)) for (look, *told), alike in places.items())


_Rule = tuple[Callable[..., bool], *tuple[Any, ...]]


def _rule_of(annotation: Any) -> _Rule:
    """What is looked at, and with what; equal for columns that may hold the same."""
    leaves = leaves_of(annotation)
    none = {NoneType} & leaves
    if tuple in leaves:
        return _are_rows, _element_of(annotation), frozenset({list} | none)
    enums = [leaf for leaf in leaves if isinstance(leaf, type) and issubclass(leaf, StrEnum)]
    if enums:
        return _are_among, frozenset([*map(str, enums[0]), *([None] if none else [])])
    for kind, look in _TEXTS:
        if kind in leaves and str not in leaves:
            return _are_texts, look, bool(none)
    for kinds in ({str}, {bool}, {int, float}):
        if kinds <= leaves:
            return _are_of, frozenset(kinds | none)
    return _are_positions, frozenset(({int} & leaves) | none)


def _are_of(kinds: frozenset[type], values: Iterable[Any]) -> bool:
    return kinds.issuperset(map(type, values))


def _are_among(words: frozenset[str | None], values: Iterable[Any]) -> bool:
    return words.issuperset(values)


def _are_positions(kinds: frozenset[type], values: Iterable[Any]) -> bool:
    """Whole numbers alone stand for positions in the streams; of any others the model decides."""
    found = list(values)
    return kinds.issuperset(map(type, found)) and min((at for at in found if at is not None), default=0) >= 0


def _are_texts(look: Callable[[set[str]], bool], is_nullable: bool, values: Iterable[Any]) -> bool:  # noqa: FBT001 (of a rule)
    texts = set(values)
    if is_nullable:
        texts.discard(None)
    return look(texts)


def _are_timestamps(texts: set[str]) -> bool:
    # One look at the shape of all of them together takes half the time.
    return _TIMESTAMPS.fullmatch(",".join([*texts, ""])) is not None and all(
        map(datetime.fromisoformat, texts)
    )


def _are_days(texts: set[str]) -> bool:
    return all(map(parse_day, texts))


def _are_times_of_day(texts: set[str]) -> bool:
    return all(_TIME_OF_DAY.fullmatch(text) and time.fromisoformat(text) is not None for text in texts)


_TEXTS: tuple[tuple[type, Callable[[set[str]], bool]], ...] = (
    (datetime, _are_timestamps),
    (date, _are_days),
    (time, _are_times_of_day),
)


def _element_of(annotation: Any) -> Any:
    """What the list holds; None where it may hold several kinds, which the model decides on."""
    options = (annotation, *typing.get_args(annotation))
    element = typing.get_args(next(option for option in options if typing.get_origin(option) is tuple))[0]
    return element if isinstance(element, type) and issubclass(element, Wire) else None


def _are_rows(element: type[Wire] | None, kinds: frozenset[type], values: Iterable[Any]) -> bool:
    lists = list(values)
    if not kinds.issuperset(map(type, lists)):
        return False
    rows = list(chain.from_iterable(filter(None, lists)))
    return not rows or (element is not None and conforms(element, rows))
