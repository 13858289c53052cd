"""`python -m soak --kills 50`: prints a line for each family, then each failure; the exit status counts failures."""

import argparse
import logging
import sys
from collections.abc import Callable, Iterator

from soak import damage, import_kills, kills, limits, pages, postgres, sync_kills
from soak.table import HEAD, Row

_FAMILIES: dict[str, Callable[[int], Iterator[Row]]] = {
    "mails": kills.mails,
    "syncs": sync_kills.rows,
    "imports": import_kills.rows,
    "limits": lambda _kills: limits.rows(),
    "damage": lambda _kills: damage.rows(),
    "replies": lambda _kills: pages.replies(),
    "rows": lambda _kills: pages.rows(),
    "postgres": lambda _kills: postgres.rows(),
}
"""The name of a family, and its rows after so many kills."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--family", choices=[*_FAMILIES], action="append")
    asked = parser.parse_args()
    logging.getLogger().addHandler(logging.NullHandler())  # the faults are on purpose
    print(HEAD, flush=True)
    failures = []
    for name in asked.family or _FAMILIES:
        for row in _FAMILIES[name](asked.kills):
            print(row.line(), flush=True)
            failures += [f"{row.name}: {failure}" for failure in row.failures]
    print("\n".join(failures))
    return bool(failures)


sys.exit(main())
