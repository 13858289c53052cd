"""A process that writes its share of a squad: `python -m coachboard.service.demo.share`, the task on its input.

A process of its own and no pool of `multiprocessing`: that imports the caller's main script once more, which
runs it again where it is a plain script. The task comes over the input, as an address may hold a password.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

import orjson

TASK_MODULE = "coachboard.service.demo.share"


class ShareError(RuntimeError):
    """A share could not be written; what went wrong stands on the error output."""


@contextmanager
def others(url: str, size: dict[str, object], *, parts: int) -> Iterator[None]:
    """While the caller writes the first of so many parts, other processes write the rest; raises `ShareError`."""
    processes = [_start({"url": url, "size": size, "part": part, "parts": parts}) for part in range(1, parts)]
    try:
        yield
    except BaseException:
        for process in processes:
            process.terminate()
            process.wait()
        raise
    for code in [process.wait() for process in processes]:
        if code != 0:
            raise ShareError(f"a process that generates demo data ended with {code}")


def _start(task: dict[str, object]) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen([sys.executable, "-m", TASK_MODULE], stdin=subprocess.PIPE)  # noqa: S603 (our own module)
    assert process.stdin is not None
    process.stdin.write(orjson.dumps(task))
    process.stdin.close()
    return process


def _work() -> None:
    from coachboard.service.demo.generate import Size, write_share  # noqa: PLC0415 (generate imports this module)

    task = orjson.loads(sys.stdin.buffer.read())
    task["size"]["today"] = date.fromisoformat(task["size"]["today"])
    write_share(task["url"], Size(**task["size"]), part=task["part"], parts=task["parts"])


if __name__ == "__main__":
    _work()
