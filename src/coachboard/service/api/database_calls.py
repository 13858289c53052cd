"""Calls to the database of a request; to one on another machine in a thread, and never without an end."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import anyio
from anyio import to_thread

from coachboard.service.store import Store

DEADLINE_S = 10.0
"""Below the 15 s that the dashboard waits for a reply: it gets a 503, which says what failed."""

T = TypeVar("T")


async def ask(store: Store, question: Callable[..., T], *args: Any, **named: Any) -> T:
    """The answer of a store: on the event loop from SQLite, in a thread from PostgreSQL."""
    if store.is_local:
        return question(*args, **named)
    return await within_deadline(question, *args, **named)


async def within_deadline(call: Callable[..., T], *args: Any, **named: Any) -> T:
    """The result of a call in a thread; raises `TimeoutError` if the database does not answer.

    A database that accepts connections and never answers blocked every request, and then every thread of this process. The
    threads that are left behind wait in one of the pool's connections, so their number is bounded.
    """
    try:
        with anyio.fail_after(DEADLINE_S):
            return await to_thread.run_sync(partial(call, *args, **named), abandon_on_cancel=True)
    except TimeoutError as error:
        raise TimeoutError(f"no answer within {DEADLINE_S:.0f} s") from error
