"""How long what was read counts as fresh: the tables to change when data shows too late or is asked too often."""

from collections.abc import Iterable

from coachboard.client.cache.spans import LAST_DAY, UNDATED, Days, Span

MINUTE_S = 60.0
HOUR_S = 60 * MINUTE_S
DAY_S = 24 * HOUR_S

# Days back from the day of the fetch, up to which a lifetime holds; negative is ahead. What happened is written
# within hours (devices upload late, athletes rate sessions later), after two months hardly anything changes.
RECORDED: tuple[tuple[float, float], ...] = (
    (2, 2 * MINUTE_S),
    (14, 15 * MINUTE_S),
    (60, 6 * HOUR_S),
    (float("inf"), 7 * DAY_S),
)
# Plans change ahead of their day, those of the next weeks most.
PLANNED: tuple[tuple[float, float], ...] = (
    (-29, 30 * MINUTE_S),
    (14, 5 * MINUTE_S),
    (60, 6 * HOUR_S),
    (float("inf"), 7 * DAY_S),
)

USERS_S = 5 * MINUTE_S
PROFILE_S = 10 * MINUTE_S
NO_STREAMS_S = 10 * MINUTE_S
"""An activity without streams may be one whose streams are on their way."""

STREAMS_S = float("inf")


class ByAge:
    """A table of lifetimes by the age that days had when they were fetched."""

    def __init__(self, table: tuple[tuple[float, float], ...]) -> None:
        self.table = table

    def pieces(self, span: Span) -> Iterable[tuple[Days, float]]:
        last = LAST_DAY
        for days_back, seconds in self.table:
            first = UNDATED if days_back == float("inf") else span.fetched_on - int(days_back)
            piece = span.days.meet(Days(first, last))
            if piece:
                yield piece, seconds
            last = first - 1
