"""The query parameters `from` and `to` ("Endpoints")."""

from dataclasses import dataclass
from datetime import date
from urllib.parse import parse_qsl

from coachboard.models.base import parse_day
from coachboard.service.api.errors import InvalidRequest

_WIDE_DAYS = 400


@dataclass(frozen=True, slots=True)
class DayRange:
    """An inclusive range of days; None is an open end. A start after the end is an empty range."""

    start: date | None
    end: date | None

    def is_wide(self, today: date) -> bool:
        """Whether the range exceeds `_WIDE_DAYS`: reading it on the event loop would block other requests."""
        return self.start is None or ((self.end or today) - self.start).days > _WIDE_DAYS


def day_range(query_string: bytes) -> DayRange:
    """Parse the range of a query; raises `BadRequest` for anything but one YYYY-MM-DD each.

    spec: not shown: an empty value and a repeated parameter are malformed; other parameters are ignored.
    """
    if not query_string:
        return DayRange(None, None)
    parameters = parse_qsl(query_string.decode("latin-1"), keep_blank_values=True)
    return DayRange(_day(parameters, "from"), _day(parameters, "to"))


def _day(parameters: list[tuple[str, str]], name: str) -> date | None:
    values = [value for given, value in parameters if given == name]
    if not values:
        return None
    if len(values) > 1:
        raise InvalidRequest(f"The query parameter '{name}' is given more than once.")
    try:
        return parse_day(values[0])
    except ValueError as error:
        raise InvalidRequest(f"The query parameter '{name}' is not a date as YYYY-MM-DD.") from error
