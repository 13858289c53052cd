"""Return memory to the system after people have left."""

import asyncio
import ctypes
import gc
import time
from collections.abc import Callable
from contextlib import suppress

EVERY_S = 60.0
BUSY_S = 300.0
"""Time between full collections while people are connected: each stops all sessions for a moment."""


async def release_memory(
    drop_sessions: Callable[[], bool], close_clients: Callable[[], bool], is_empty: Callable[[], bool]
) -> None:
    """Every minute drop sessions and close clients that nobody uses, then collect; at once if nobody is connected.

    Streamlit drops the session of a closed tab when another tab closes, and a client was closed at the next sign-in:
    after the last person had left, both stayed. Their objects refer to each other, so only a collection frees them.
    """
    collected_at, is_due = time.monotonic(), False
    while True:
        await asyncio.sleep(EVERY_S)
        has_dropped = drop_sessions()
        has_closed = await asyncio.to_thread(close_clients)
        is_due = is_due or has_dropped or has_closed or not is_empty()
        if is_due and (is_empty() or time.monotonic() - collected_at >= BUSY_S):
            await asyncio.to_thread(collect)
            collected_at, is_due = time.monotonic(), False


def collect() -> None:
    """Collect all garbage, and return free pages: glibc keeps those below a used one."""
    gc.collect()
    with suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
