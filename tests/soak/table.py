"""The rows of the table that `make soak` prints."""

import sys
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """A family: how often it ran, what failed, and its figures."""

    name: str
    runs: int
    failures: tuple[str, ...]
    figures: str

    def line(self) -> str:
        return f"{self.name:<44} {self.runs:>6} {len(self.failures):>9}  {self.figures}"


HEAD = f"{'family':<44} {'runs':>6} {'failures':>9}  figures"


def faults_of(folder: Path) -> list[str]:
    """The lines of the dashboards' logs in the folder that report a fault; the log of the soak gets them all."""
    lines = [line for log in folder.glob("dashboard-*.log") for line in log.read_text().splitlines()]
    print(
        *lines, sep="\n", file=sys.stderr, flush=True
    )  # the folder is deleted: a traceback's cause was lost
    return [line for line in lines if "Traceback" in line or "Too many open files" in line]
