"""Processes that share the writing of a squad: each takes the next person whom nobody has taken yet.

`python -m coachboard.service.demo.share` is one of them. It reads its task and then the number of one person
after another from its input, and asks for the next on its output: whoever started it decides who does what,
and when that process ends, however it ends, the input ends and so does the sharing.
A process of its own and no pool of `multiprocessing`: that imports the caller's main script once more, which
runs it again where it is a plain script. The task comes over the input, as an address may hold a password.
"""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import date
from threading import Lock, Thread

import orjson

TASK_MODULE = "coachboard.service.demo.share"
_NEXT = b"next\n"


class ShareError(RuntimeError):
    """A share could not be written; what went wrong stands on the error output."""


class Queue:
    """Numbers of people, each handed out once, to whichever process asks."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = iter(list(numbers))
        self._lock = Lock()

    def __iter__(self) -> Iterator[int]:
        while (number := self.take()) is not None:
            yield number

    def take(self) -> int | None:
        with self._lock:
            return next(self._numbers, None)


@contextmanager
def shared(
    url: str, size: dict[str, object], numbers: Iterable[int], *, processes: int, is_draft: bool = False
) -> Iterator[Queue]:
    """The people for the caller to write, while other processes take theirs from them; raises `ShareError`."""
    queue = Queue(numbers)
    others = [_start({"url": url, "size": size, "is_draft": is_draft}) for _ in range(1, processes)]
    waiters = [Thread(target=_hand_out, args=(other, queue), daemon=True) for other in others]
    for waiter in waiters:
        waiter.start()
    try:
        yield queue
    except BaseException:
        for other in others:
            other.terminate()
            other.wait()
        raise
    for code in [other.wait() for other in others]:
        if code != 0:
            raise ShareError(f"a process that generates demo data ended with {code}")


def _start(task: dict[str, object]) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", TASK_MODULE]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 (our own module)
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # it ended at once; its code tells
        process.stdin.write(orjson.dumps(task) + b"\n")
        process.stdin.flush()
    return process


def _hand_out(other: "subprocess.Popen[bytes]", queue: Queue) -> None:
    """Answer each request of one process, until nobody is left or it ended."""
    assert other.stdin is not None
    assert other.stdout is not None
    with suppress(BrokenPipeError), other.stdin, other.stdout:
        while other.stdout.readline() == _NEXT:
            number = queue.take()
            other.stdin.write(b"%d\n" % (-1 if number is None else number))
            other.stdin.flush()


def _handed_out() -> Iterator[int]:
    """The numbers that the starting process gives to this one; ends the process where it has ended."""
    while True:
        with suppress(BrokenPipeError):
            sys.stdout.buffer.write(_NEXT)
            sys.stdout.buffer.flush()
        answer = sys.stdin.buffer.readline()
        if not answer:
            raise SystemExit("the process that shares the demo squad out has ended")
        if int(answer) < 0:
            return
        yield int(answer)


def _work() -> None:
    from coachboard.service.demo.generate import Size, write_share  # noqa: PLC0415 (generate imports this module)

    task = orjson.loads(sys.stdin.buffer.readline())
    size = task["size"] | {"today": date.fromisoformat(task["size"]["today"])}
    write_share(task["url"], Size(**size), _handed_out(), is_draft=task["is_draft"])


if __name__ == "__main__":
    _work()
