"""SQLite's write-ahead log, which every database of ours is kept with: readers and the one writer pass each other."""

import sqlite3
import time
from typing import Any

_AGAIN_S = 0.01


def use_write_ahead_log(connection: Any, *, busy_s: float) -> None:
    """Put the database of a driver's connection into WAL mode, where several processes may open it anew at once.

    The change of mode does not always wait for its lock as all else does. Raises `sqlite3.OperationalError` where it
    is not to be had within `busy_s`.
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
