"""Set SQLite's write-ahead log, with which readers and the writer do not block each other."""

import sqlite3
import time
from typing import Any

_AGAIN_S = 0.01


def use_write_ahead_log(connection: Any, *, busy_s: float) -> None:
    """Set WAL mode for the database of this connection; several processes may do so at the same time.

    SQLite does not always wait for a lock when the mode changes, so this function retries. Raises
    `sqlite3.OperationalError` after `busy_s`.
    """
    give_up_at = time.monotonic() + busy_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up_at:
                raise
            time.sleep(_AGAIN_S)
        else:
            return
