"""Processes that share the writing of a squad: each takes the next person of a queue.

`python -m coachboard_demo.share` is one of them. It reads the squad and then one person after another from its input,
and requests the next one on its output. When the process that started it ends, the input ends and so does the sharing.
A pool of `multiprocessing` would import the caller's main script again and run it, if it is a plain script. The squad
comes over the input because the address of its database may contain a password.
"""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from threading import Lock, Thread

import orjson

from coachboard_demo.people import Size

TASK_MODULE = "coachboard_demo.share"
PAGES_FIRST = 5
"""The niceness of a process that writes a squad while pages are served."""
_NEXT = b"next\n"
_FEW, _MOST_PROCESSES = 12, 4


class ShareError(RuntimeError):
    """A share could not be written; the error output has the reason."""


class Queue:
    """People by their numbers in the squad; each is given to one process."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = list(numbers)
        self._wanted: list[int] = []
        self._lock = Lock()

    def take(self) -> int | None:
        """The next one: the first that a request waits for, else in the order given."""
        with self._lock:
            number = next((each for each in (*self._wanted, *self._numbers) if each in self._numbers), None)
            if number is not None:
                self._numbers.remove(number)
            return number

    def want(self, number: int) -> None:
        """A request waits for that person."""
        with self._lock:
            self._wanted.append(number)


def processes(url: str, people: int) -> int:
    """One process per core, up to a few; one for a small squad or without a file that two could open."""
    if people < _FEW or ":memory:" in url or url == "sqlite://":
        return 1
    return min(_MOST_PROCESSES, os.cpu_count() or 1)


_CALLED: list["subprocess.Popen[bytes]"] = []  # started, without a squad yet


def call_for(url: str, people: int) -> None:
    """Start the processes that a squad of so many needs, if the file of that database does not exist yet.

    They import their modules while the caller imports its own: on a second core that saves a second of the first start.
    """
    name = url.partition("?")[0].removeprefix("sqlite:///")
    if name != url and name and ":memory:" not in url and not Path(name).exists():
        _CALLED.extend(_called(PAGES_FIRST) for _ in range(processes(url, people)))


def share_out(
    url: str,
    size: Size,
    queue: Queue,
    *,
    processes: int,
    niceness: int = 0,
    on_written: Callable[[int], None] = lambda _number: None,
) -> None:
    """Let other processes write the people of the queue; returns when all are written, raises `ShareError`.

    `on_written` is called for each person that is written, in a separate thread.
    """
    squad: dict[str, object] = {"url": url, "size": asdict(size)}
    others = [_start(squad, niceness) for _ in range(processes)]
    for other in others:
        Thread(target=_hand_out, args=(other, queue, on_written), daemon=True).start()
    for code in [other.wait() for other in others]:
        if code != 0:
            raise ShareError(f"a process that generates demo data ended with {code}")


def _called(niceness: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", TASK_MODULE, str(niceness)]
    # The threads of numpy's algebra, which the generator does not use, would spin for a tenth of a second.
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)  # noqa: S603 (our own module)


def _start(squad: dict[str, object], niceness: int) -> "subprocess.Popen[bytes]":
    process = _CALLED.pop() if _CALLED else _called(niceness)
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # it ended at once; its exit code says so
        process.stdin.write(orjson.dumps(squad) + b"\n")
        process.stdin.flush()
    return process


def _hand_out(other: "subprocess.Popen[bytes]", queue: Queue, on_written: Callable[[int], None]) -> None:
    """Answer each request of one process until the queue is empty or it ended; a request says that the last is done."""
    assert other.stdin is not None
    assert other.stdout is not None
    number = None
    with suppress(BrokenPipeError), other.stdin, other.stdout:
        while other.stdout.readline() == _NEXT:
            if number is not None:
                on_written(number)
            number = queue.take()
            other.stdin.write(b"\n" if number is None else b"%d\n" % number)
            other.stdin.flush()


def _handed_out() -> Iterator[int]:
    """The people that the starting process gives to this one; ends this process if that one has ended."""
    while True:
        with suppress(BrokenPipeError):
            sys.stdout.buffer.write(_NEXT)
            sys.stdout.buffer.flush()
        answer = sys.stdin.buffer.readline()
        if not answer:
            raise SystemExit(1)
        if not answer.strip():
            return
        yield int(answer)


def _work(niceness: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the starting process
    os.nice(niceness)
    gc.disable()  # imported modules stay
    from coachboard_demo.generate import write_share  # noqa: PLC0415 (generate imports this module)

    gc.freeze()
    gc.enable()
    line = sys.stdin.buffer.readline()
    if not line:
        raise SystemExit(1)  # the starting process has nothing to do or has ended
    squad = orjson.loads(line)
    write_share(squad["url"], Size.from_json(squad["size"]), _handed_out())


if __name__ == "__main__":
    _work(int(sys.argv[1]))
