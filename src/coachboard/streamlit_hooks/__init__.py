"""Every use of Streamlit's private parts: the reason, the change of Streamlit that breaks it, and its start-up check.

`usable` runs the check of each hook once at start-up. A hook whose check fails, or that COACHBOARD_STREAMLIT_HOOKS
turns off, is left out with one log line; the dashboard works without any of them. `browser_sessions` has no switch:
it protects sign-out and downloads.
"""

import logging
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import NamedTuple

import streamlit

_log = logging.getLogger(__name__)
STATIC = Path(streamlit.__file__).parent / "static"


class Hook(NamedTuple):
    """One use of Streamlit's private parts."""

    name: str
    reason: str  # the effect without the hook, measured
    relies_on: str  # the private part; a change of it breaks the hook
    check: Callable[[], bool]


def usable(hooks: Collection[Hook], *, are_on: bool = True) -> frozenset[str]:
    """The names of the hooks that work with the installed Streamlit; none if they are turned off."""
    if not are_on:
        _log.warning("Streamlit hooks are off by COACHBOARD_STREAMLIT_HOOKS")
        return frozenset()
    return frozenset(hook.name for hook in hooks if _works(hook))


def _works(hook: Hook) -> bool:
    try:
        works = hook.check()
    except (AttributeError, LookupError, OSError, TypeError, ValueError):
        works = False
    if not works:
        version = streamlit.__version__
        _log.warning(
            "Streamlit %s has no %s: %s is off (%s)", version, hook.relies_on, hook.name, hook.reason
        )
    return works


@cache
def entry_source() -> str:
    """The text of Streamlit's first script, in which checks look for the names that hooks use."""
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    name = page.split('src="./static/js/', 1)[1].split('"', 1)[0]
    return (STATIC / "static" / "js" / name).read_text(encoding="utf-8")
