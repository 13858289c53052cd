"""Texts of a shape: moments, days, times of the day; many are looked at together."""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time

from coachboard.models.base import parse_day

Look = Callable[[set[str]], bool]
"""Whether all of the texts have the shape; it may raise `ValueError` where they have not."""

_TIMESTAMPS = re.compile(r"(?:\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\+00,)*", re.ASCII)
_TIME_OF_DAY = re.compile(r"\d{2}:\d{2}:\d{2}", re.ASCII)


def _are_timestamps(texts: set[str]) -> bool:
    # One look at the shape of all of them together takes half the time.
    return _TIMESTAMPS.fullmatch(",".join([*texts, ""])) is not None and all(
        map(datetime.fromisoformat, texts)
    )


def _are_days(texts: set[str]) -> bool:
    return all(map(parse_day, texts))


def _are_times_of_day(texts: set[str]) -> bool:
    return all(_TIME_OF_DAY.fullmatch(text) and time.fromisoformat(text) is not None for text in texts)


LOOKS: Mapping[type, Look] = {datetime: _are_timestamps, date: _are_days, time: _are_times_of_day}
"""By what the model makes of them."""
