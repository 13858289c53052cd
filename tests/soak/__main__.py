"""`python -m soak --kills 50`: prints a line for each family, then each failure; the exit status counts failures."""

import argparse
import logging
import sys
from typing import TYPE_CHECKING

from soak import kills, pages
from soak.table import HEAD, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--family", choices=["rows", "replies", "mails"], action="append")
    asked = parser.parse_args()
    families: dict[str, Callable[[], Iterator[Row]]] = {
        "mails": lambda: kills.mails(asked.kills),
        "replies": pages.replies,
        "rows": pages.rows,
    }
    logging.disable()  # the faults are on purpose
    print(HEAD, flush=True)
    failures = []
    for name in asked.family or families:
        for row in families[name]():
            print(row.line(), flush=True)
            failures += [f"{row.name}: {failure}" for failure in row.failures]
    print("\n".join(failures))
    return bool(failures)


sys.exit(main())
