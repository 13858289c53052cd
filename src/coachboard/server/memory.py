"""Return memory to the system after people have left."""

import asyncio
import ctypes
import gc
import time
from collections.abc import Callable
from contextlib import suppress

import pyarrow as pa

EVERY_S = 60.0
BUSY_S = 300.0
"""Time between full collections while people are connected: each stops all sessions, with fifty people for 1.2 s."""
PATIENCE_S = 60.0
"""How long a collection waits for a moment in which no page is drawn."""
LOOK_S = 0.1

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Names of glibc's mallopt."""


def return_freed_pages() -> None:
    """Let glibc return what is freed: two arenas instead of 16, and large blocks outside of them.

    glibc raises the size of such blocks to that of the largest freed one, up to 32 MB. Frames, arrays and replies were
    then left as holes in the arenas: of 1.4 GB after ten minutes of fifty people 0.9 GB were free. Call it early: arenas
    that exist stay.

    Arrow's own allocator keeps what is freed: 310 MB for 3 MB of columns in use, after four minutes of fifty people.
    """
    pa.set_memory_pool(pa.system_memory_pool())
    with suppress(AttributeError, OSError):  # another C library
        libc = ctypes.CDLL(None)
        for option, value in ((_ARENA_MAX, 2), (_MMAP_THRESHOLD, 2**19), (_TRIM_THRESHOLD, 2**24)):
            libc.mallopt(option, value)


async def release_memory(
    drop_sessions: Callable[[], bool],
    close_clients: Callable[[], bool],
    is_empty: Callable[[], bool],
    is_drawing: Callable[[], bool],
) -> None:
    """Every minute drop sessions and close clients that nobody uses, and return free pages; collect now and then.

    It collects at once if nobody is connected, else when no page is drawn.

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
            await _wait_while(is_drawing)
            await asyncio.to_thread(collect)
            collected_at, is_due = time.monotonic(), False
        else:
            await asyncio.to_thread(trim)


async def _wait_while(is_drawing: Callable[[], bool]) -> None:
    for _ in range(int(PATIENCE_S / LOOK_S)):
        if not is_drawing():
            return
        await asyncio.sleep(LOOK_S)


def collect() -> None:
    """Collect all garbage and return its memory to the system."""
    gc.collect()
    trim()


def trim() -> None:
    """Return free pages: glibc keeps those below a used one."""
    with suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
