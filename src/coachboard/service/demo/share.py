"""A process that writes its share of a squad: `python -m coachboard.service.demo.share`, the task on its input.

A process of its own and no pool of `multiprocessing`: that imports the caller's main script once more, which
runs it again where it is a plain script. The task comes over the input, as an address may hold a password.
"""

import subprocess
import sys
from datetime import date

import orjson

TASK_MODULE = "coachboard.service.demo.share"


class ShareError(RuntimeError):
    """A share could not be written; what went wrong stands on the error output."""


def start(url: str, size: dict[str, object], *, part: int, parts: int) -> "subprocess.Popen[bytes]":
    """Begin to write every `parts`-th person, from the `part`-th on."""
    process = subprocess.Popen([sys.executable, "-m", TASK_MODULE], stdin=subprocess.PIPE)  # noqa: S603 (our own module)
    assert process.stdin is not None
    process.stdin.write(orjson.dumps({"url": url, "size": size, "part": part, "parts": parts}))
    process.stdin.close()
    return process


def finish(process: "subprocess.Popen[bytes]") -> None:
    """Wait until a share is written; raises `ShareError`."""
    if process.wait() != 0:
        raise ShareError(f"a process that generates demo data ended with {process.returncode}")


def _work() -> None:
    from coachboard.service.demo.generate import Size, write_share  # noqa: PLC0415 (generate imports this module)

    task = orjson.loads(sys.stdin.buffer.read())
    task["size"]["today"] = date.fromisoformat(task["size"]["today"])
    write_share(task["url"], Size(**task["size"]), part=task["part"], parts=task["parts"])


if __name__ == "__main__":
    _work()
