"""Wait for a condition that a background thread fulfils."""

import time
from collections.abc import Callable


def wait_until(is_done: Callable[[], object], *, at_most_s: float = 10) -> None:
    """Return when the condition holds; fail when it does not in time."""
    deadline = time.monotonic() + at_most_s
    while not is_done():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
