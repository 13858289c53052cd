"""`python -m soak --kills 50`: prints a line for each family, then each failure; the exit status is 1 with failures.

Log lines of servers and pages go to a file of their own.
"""

import argparse
import logging
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from coachboard.plain_text import first_line
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

_LOG = logging.getLogger(__name__)
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
    log = Path(tempfile.gettempdir()) / f"coachboard-soak-{os.getpid()}.log"
    print(f"log of servers and pages: {log}\n{HEAD}", flush=True)
    with log.open("w") as lines:
        os.dup2(lines.fileno(), sys.stderr.fileno())  # the faults are on purpose: their lines hid the table
    failures = []
    for name in asked.family or _FAMILIES:
        for row in _rows(name, asked):
            print(row.line(), flush=True)
            failures += [f"{row.name}: {failure}" for failure in row.failures]
    print("\n".join(failures))
    return bool(failures)


def _rows(name: str, asked: argparse.Namespace) -> Iterator[Row]:
    """The rows of a family; an error ends the family, not the table."""
    try:
        yield from _FAMILIES[name](asked)
    except Exception as error:  # noqa: BLE001 (the other families are still to come)
        _LOG.exception("the family %s ended", name)
        yield Row(name, 0, (f"{type(error).__name__}: {first_line(error)}",), "ended early")


if __name__ == "__main__":
    sys.exit(main())
