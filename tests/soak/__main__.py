"""`python -m soak --kills 50`: prints a line for each family, then each failure; the exit status is 1 with failures."""

import argparse
import logging
import sys
from collections.abc import Callable, Iterator

from soak import (
    browsers,
    damage,
    import_kills,
    invitations,
    kills,
    limits,
    pages,
    people,
    postgres,
    sync_kills,
)
from soak.table import HEAD, Row

_FAMILIES: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "mails": lambda asked: kills.mails(asked.kills),
    "syncs": lambda asked: sync_kills.rows(asked.kills),
    "imports": lambda asked: import_kills.rows(asked.kills),
    "limits": lambda _asked: limits.rows(),
    "damage": lambda _asked: damage.rows(),
    "replies": lambda _asked: pages.replies(),
    "rows": lambda _asked: pages.rows(),
    "invitations": lambda _asked: invitations.invitations(),
    "postgres": lambda _asked: postgres.rows(),
    "browsers": lambda asked: browsers.browsers(asked.browsers, asked.browser_minutes),
    "people": lambda asked: people.people(asked.people, asked.minutes),
}
"""The name of a family, and its rows with the options of the command."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--browsers", type=int, default=12)
    parser.add_argument("--browser-minutes", type=float, default=10)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--family", choices=[*_FAMILIES], action="append")
    asked = parser.parse_args()
    logging.getLogger().addHandler(logging.NullHandler())  # the faults are on purpose
    print(HEAD, flush=True)
    failures = []
    for name in asked.family or _FAMILIES:
        for row in _FAMILIES[name](asked):
            print(row.line(), flush=True)
            failures += [f"{row.name}: {failure}" for failure in row.failures]
    print("\n".join(failures))
    return bool(failures)


sys.exit(main())
