"""Recognize a full disk behind the errors of the system, of SQLite and of PostgreSQL."""

import errno
import shutil
import sqlite3
from pathlib import Path

SENTENCE = "the disk is full"
_ERRNOS = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
)  # no space, and the limits of a user and of a process
_SQLITE_CODES = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}
)  # the file and its log; their index
_POSTGRES_CODE = "53100"
_LEAST_FREE_BYTES = 1_000_000


def is_disk_full(error: BaseException | None) -> bool:
    """Whether a full disk is the cause, in any of the errors that led to this one."""
    while error is not None:
        own = getattr(error, "orig", None) or error
        if isinstance(own, OSError) and own.errno in _ERRNOS:
            return True
        if isinstance(own, sqlite3.Error) and getattr(own, "sqlite_errorcode", None) in _SQLITE_CODES:
            return True
        if getattr(own, "sqlstate", None) == _POSTGRES_CODE:
            return True
        error = error.__cause__ or error.__context__
    return False


def has_no_room(folder: Path) -> bool:
    """Whether the disk of the folder has less than 1 MB free; a folder that is missing lies on its parent's disk."""
    there = next((each for each in (folder, *folder.parents) if each.is_dir()), None)
    return there is not None and shutil.disk_usage(there).free < _LEAST_FREE_BYTES
