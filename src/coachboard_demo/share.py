"""Processes that share the writing of a squad: each takes the next person whom nobody has taken yet.

`python -m coachboard_demo.share` is one of them. It reads what squad it is and then one task
after another from its input, and asks for the next on its output: whoever started it decides who does what,
and when that process ends, however it ends, the input ends and so does the sharing.
A process of its own and no pool of `multiprocessing`: that imports the caller's main script once more, which
runs it again where it is a plain script. The task comes over the input, as an address may hold a password.
"""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from threading import Lock, Thread

import orjson

from coachboard_demo.part import Part, Task
from coachboard_demo.size import Size

TASK_MODULE = "coachboard_demo.share"
PAGES_FIRST = 5
"""The niceness of who writes a squad whose pages are served meanwhile."""
_NEXT = b"next\n"
_LEAST_URGENT = 19
_FEW, _MOST_PROCESSES = 12, 4


class ShareError(RuntimeError):
    """A share could not be written; what went wrong stands on the error output."""


class Queue:
    """Tasks, each handed out once, to whichever process asks."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = list(tasks)
        self._wanted: list[Task] = []
        self._lock = Lock()

    def __iter__(self) -> Iterator[Task]:
        while (task := self.take()) is not None:
            yield task

    def take(self) -> Task | None:
        """The next: of those that somebody waits for the one first asked for, else in the order given."""
        with self._lock:
            task = next((each for each in (*self._wanted, *self._tasks) if each in self._tasks), None)
            if task is not None:
                self._tasks.remove(task)
            return task

    def want(self, task: Task) -> None:
        """Somebody waits for that one."""
        with self._lock:
            if task not in self._wanted:
                self._wanted.append(task)


def processes(url: str, people: int) -> int:
    """One process a core, up to a few; one where there is little to do or no file that two could open."""
    if people < _FEW or ":memory:" in url or url == "sqlite://":
        return 1
    return min(_MOST_PROCESSES, os.cpu_count() or 1)


_CALLED: list["subprocess.Popen[bytes]"] = []  # that have not been told yet what to do


def call_for(url: str, people: int) -> None:
    """Have the processes at hand that a squad of so many needs, if that database is a file which is not there yet.

    They import what they need while the caller does: on a second core that is a second of the first start.
    """
    name = url.partition("?")[0].removeprefix("sqlite:///")
    if name != url and name and ":memory:" not in url and not Path(name).exists():
        _CALLED.extend(_called(PAGES_FIRST) for _ in range(processes(url, people)))


@contextmanager
def shared(
    url: str,
    size: Size,
    queue: Queue,
    *,
    processes: int,
    niceness: int = 0,
    on_written: Callable[[Task], None] = lambda _task: None,
) -> Iterator[None]:
    """While the caller does tasks of the queue, other processes take theirs from it; raises `ShareError`.

    `on_written` is told what another process has written, in a thread of its own.
    """
    squad: dict[str, object] = {"url": url, "size": asdict(size)}
    others = [_start(squad, niceness) for _ in range(1, processes)]
    waiters = [Thread(target=_hand_out, args=(other, queue, on_written), daemon=True) for other in others]
    for waiter in waiters:
        waiter.start()
    try:
        yield
    except BaseException:
        for other in others:
            other.terminate()
            other.wait()
        raise
    for code in [other.wait() for other in others]:
        if code != 0:
            raise ShareError(f"a process that generates demo data ended with {code}")


def _called(niceness: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", TASK_MODULE, str(niceness)]
    # Threads of numpy's algebra, which nothing here uses, would spin for a tenth of a second.
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)  # noqa: S603 (our own module)


def _start(squad: dict[str, object], niceness: int) -> "subprocess.Popen[bytes]":
    process = _CALLED.pop() if _CALLED else _called(niceness)
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # it ended at once; its code tells
        process.stdin.write(orjson.dumps(squad) + b"\n")
        process.stdin.flush()
    return process


def _hand_out(other: "subprocess.Popen[bytes]", queue: Queue, on_written: Callable[[Task], None]) -> None:
    """Answer each request of one process, until nothing is left or it ended; who asks again has done the last one."""
    assert other.stdin is not None
    assert other.stdout is not None
    task = None
    with suppress(BrokenPipeError), other.stdin, other.stdout:
        while other.stdout.readline() == _NEXT:
            if task is not None:
                on_written(task)
            task = queue.take()
            other.stdin.write(f"{task or ''}\n".encode())
            other.stdin.flush()


def _handed_out() -> Iterator[Task]:
    """The tasks that the starting process gives to this one; ends the process where it has ended."""
    while True:
        with suppress(BrokenPipeError):
            sys.stdout.buffer.write(_NEXT)
            sys.stdout.buffer.flush()
        answer = sys.stdin.buffer.readline()
        if not answer:
            raise SystemExit(1)  # nobody is left to be told why
        if not answer.strip():
            return
        yield Task.told(answer.decode())


def _work(niceness: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started this
    os.nice(niceness)
    gc.disable()  # what is imported stays
    from coachboard_demo.generate import write_share  # noqa: PLC0415 (generate imports this module)

    gc.freeze()
    gc.enable()
    told = sys.stdin.buffer.readline()
    if not told:
        raise SystemExit(1)  # whoever called has nothing to do or is gone
    squad = orjson.loads(told)
    write_share(squad["url"], Size.told(squad["size"]), _in_their_time(_handed_out()))


def _in_their_time(tasks: Iterable[Task]) -> Iterator[Task]:
    """What no roster opens with takes only what the pages and the first part of everybody leave of the machine."""
    for task in tasks:
        if task.part is Part.REST:
            os.nice(_LEAST_URGENT)
        yield task


if __name__ == "__main__":
    _work(int(sys.argv[1]))
