"""Files of this machine hold health data, keys and invitation codes: only their owner may open them."""

import logging
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

_LOG = logging.getLogger(__name__)

_OF_OTHERS = 0o077


def keep_private() -> None:
    """Create every further file of this process with mode 0600 and every folder with 0700."""
    os.umask(_OF_OTHERS)


def report_wide(*places: Path | str) -> None:
    """Log one line if other users of the machine may open one of these folders, or files of these databases."""
    wide = sorted({path for place in places for path in _paths(place) if _is_wide(path)})
    if wide:
        tops = [path for path in wide if not any(other in path.parents for other in wide)]
        named = shlex.join(map(str, tops))
        _LOG.warning("other users of this machine may open %s; repair with: chmod -R go-rwx %s", named, named)


def _paths(place: Path | str) -> Iterator[Path]:
    """A folder, or the files of a SQLite database: its logs, copies of damaged files and the dashboard's own."""
    if isinstance(place, Path):
        yield place.absolute()
    elif "://" not in place or place.startswith("sqlite:///"):
        file = Path(place.removeprefix("sqlite:///").removeprefix("file:").partition("?")[0]).absolute()
        yield from file.parent.glob(f"{file.name}*")
        yield from file.parent.glob("dashboard.db*")


def _is_wide(path: Path) -> bool:
    try:
        return os.name == "posix" and bool(path.stat().st_mode & _OF_OTHERS)
    except OSError:  # not made yet
        return False
