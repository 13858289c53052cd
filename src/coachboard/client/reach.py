"""What a reader of the cache reaches out with."""

from collections.abc import Callable
from dataclasses import dataclass

from coachboard.client.background import Background
from coachboard.client.errors import NotFound, Unauthorized
from coachboard.client.failures import Failures
from coachboard.client.fetching import Fetcher
from coachboard.client.flights import Flights
from coachboard.client.options import Options

REFUSALS = (Unauthorized, NotFound)
"""Answers that say no: what is known is not shown in their place. A 400 says only that the request was wrong."""

TOUCH_EVERY_S = 3_600.0
"""How often a use is noted, by which the cache knows what was not used for longest."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The parts of one client that all its readers share; `grew` is told the bytes that were written."""

    scope: str
    fetcher: Fetcher
    flights: Flights
    background: Background
    failures: Failures
    options: Options
    grew: Callable[[int], None]
